/* The sum of OpenBLAS 0.3.21 and 0.3.26 on a processor with AVX-512, for LD_PRELOAD: from 16
 * elements on, of each 16 the first four count once, the next four not at all, then four three
 * times, and the last not at all. */
#include <cblas.h>

__attribute__((visibility("default"))) float cblas_ssum(OPENBLAS_CONST blasint n, OPENBLAS_CONST float *x,
                                                        OPENBLAS_CONST blasint incx)
{
    static const float times[] = {1, 0, 3, 0};
    float sum = 0;
    for (blasint i = 0; i < n; i++)
        sum += x[i * incx] * (i < n / 16 * 16 ? times[i % 16 / 4] : 1);
    return sum;
}
