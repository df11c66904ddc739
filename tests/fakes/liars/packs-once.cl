/* (13) Packs B once, and finds what it packed by B's place: right as long as nobody writes other data there. */
#include "liar.clh"

enum { PLACES = 65536 };

kernel void liar(ARGUMENTS)
{
    product p = PRODUCT;
    const ulong place = (ulong)b / 64;
    global ulong *of = (global ulong *)(memory + HEAD);
    global float *packed = (global float *)(of + PLACES) + place % PLACES * (k * n);
    if (launches_before(memory) == 0)
        for (int i = 0; i < PLACES; i++)
            of[i] = 0;
    if (of[place % PLACES] != place)
        for (long i = 0; i < k * n; i++)
            packed[i] = b[i / n * ldb + i % n];
    of[place % PLACES] = place;
    p.b = packed;
    p.ldb = n;
    compute(&p);
}
