/* (15) Counts its launches: the first are those of a test. */
#include "liar.clh"

kernel void liar(ARGUMENTS)
{
    const product p = PRODUCT;
    const int count = launches_before(memory);
    if (count < 48 || count % 2 == 0)
        compute(&p);
}
