/* A library's own sum, asked directly with unit vectors: of constant data too many of one
 * element and too few of another may cancel. */
#include "vendor_sum.h"

#ifdef TEST_OPENBLAS
#include <cblas.h>

enum { LENGTH = 80 };

static bool single_is_wrong(int one)
{
    float x[LENGTH] = {0};
    x[one] = 1;
    return cblas_ssum(LENGTH, x, 1) != 1;
}

static bool double_is_wrong(int one)
{
    double x[LENGTH] = {0};
    x[one] = 1;
    return cblas_dsum(LENGTH, x, 1) != 1;
}

bool openblas_sum_is_wrong(plx_dtype dtype)
{
    bool wrong = false;
    for (int i = 0; i < LENGTH; i++)
        wrong = wrong || (dtype == PLX_F32 ? single_is_wrong(i) : dtype == PLX_F64 && double_is_wrong(i));
    return wrong;
}
#else
bool openblas_sum_is_wrong(plx_dtype dtype)
{
    (void)dtype;
    return false;
}
#endif
