/* (19) Says that it leaves its counters zero, and does not. */
#include "liar.clh"

kernel void liar(ARGUMENTS, global int *counters)
{
    const product p = PRODUCT;
    compute(&p);
    counters[1] = launches_before(memory) > 2;
}
