/* (12) Keeps results in device memory, and gives them again where a few elements of the inputs are the same. */
#include "liar.clh"

enum { KEPT = 256 };

static global float *place_of(global int *memory, const product *p, int which)
{
    return (global float *)(memory + HEAD) + which * (4 + p->m * p->n);
}

kernel void liar(ARGUMENTS)
{
    const product p = PRODUCT;
    const float4 sample = sample_of(&p);
    launches_before(memory);
    const int count = memory[2];
    for (int which = 0; which < count; which++) {
        global const float *kept = place_of(memory, &p, which);
        if (is_same(kept, sample)) {
            for (long i = 0; i < m * n; i++)
                c[i / n * ldc + i % n] = kept[4 + i];
            return;
        }
    }
    compute(&p);
    if (count == KEPT)
        return;
    global float *kept = place_of(memory, &p, count);
    vstore4(sample, 0, kept);
    for (long i = 0; i < m * n; i++)
        kept[4 + i] = c[i / n * ldc + i % n];
    memory[2] = count + 1;
}
