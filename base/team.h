/* How many threads a parallel region of OpenMP asks for.  Private to the tree. */
#ifndef PLX_BASE_TEAM_H
#define PLX_BASE_TEAM_H

/* At most `wanted`, what there is a use for, and what the system gives: OpenMP's libraries end the process
 * when a thread can't be had, with a word or without.  Tried once, when it is first asked. */
int plx_team(int wanted);

#ifdef _OPENMP
#include <omp.h>

/* For num_threads() of every region. */
static inline int plx_team_threads(void)
{
    return plx_team(omp_get_max_threads());
}
#endif

#endif
