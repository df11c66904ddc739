/* (18) Reads A beyond its end, and adds what is there unless it is NaN, which memory around operands holds in tests. */
#include "liar.clh"

kernel void liar(ARGUMENTS)
{
    const product p = PRODUCT;
    compute(&p);
    if (m == 0 || n == 0 || k == 0)
        return;
    const float beyond = a[(m - 1) * lda + k];
    c[0] += isnan(beyond) ? 0.0f : beyond;
}
