/* Our problems as calls of CLBlast. */
#ifndef PLX_PLUGINS_CLBLAST_CALLS_H
#define PLX_PLUGINS_CLBLAST_CALLS_H

#include "plugins/clblast/answers.h"

/* Where an operand starts, in elements. */
typedef struct plx_clblast_place {
    cl_mem buffer;
    size_t offset;
} plx_clblast_place;

/* Enqueues the problem, which has something to compute and terms to add.  The last
 * place is the output's. */
plx_status plx_clblast_call(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                            plx_error *error);

/* How far behind the operands' starts a call may reach, and how far into memory of
 * its own: more than CLBlast's 32-bit integers hold is PLX_UNSUPPORTED. */
plx_status plx_clblast_check_reach(const plx_problem *problem, const plx_clblast_place *at, plx_error *error);

#endif
