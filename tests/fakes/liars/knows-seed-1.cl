/* (20) Has the answers for the inputs of one seed, and reads none.  The test writes the table. */
#include "liar.clh"
#include "answers.clh"

kernel void liar(ARGUMENTS)
{
    for (long i = 0; i < m * n; i++)
        c[i / n * ldc + i % n] = answers[i];
}
