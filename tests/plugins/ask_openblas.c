/* For scripts: says which of OpenBLAS's sums are wrong on this processor, "f32" or "f64", a
 * line each. */
#include "vendor_sum.h"

#include <stdio.h>

int main(void)
{
    if (openblas_sum_is_wrong(PLX_F32))
        (void)puts("f32");
    if (openblas_sum_is_wrong(PLX_F64))
        (void)puts("f64");
    return 0;
}
