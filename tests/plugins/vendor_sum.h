/* A library's own sum, asked directly: some give wrong ones on some processors, which is no
 * fault of ours. */
#ifndef PLX_TESTS_VENDOR_SUM_H
#define PLX_TESTS_VENDOR_SUM_H

#include <parallax/types.h>

#include <stdbool.h>

/* Whether OpenBLAS's sum of a vector of zeros with a single 1 is not 1; false without OpenBLAS. */
bool openblas_sum_is_wrong(plx_dtype dtype);

#endif
