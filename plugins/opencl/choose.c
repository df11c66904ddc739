/* Which kernel `auto` takes in OpenCL. */
#include "backends/opencl/opencl.h"
#include "kernels/operation.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"

/* What a driver does not build is not chosen. */
static void avoid_what_is_refused(plx_session *session, plx_op op, size_t *choice)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    const plx_row *row = &ladder->rows[*choice];
    const plx_row *instead = row->without_own_target != NULL ? row->without_own_target : row->spare;
    if (row->own_target && !plx_cl_takes_own_target(session))
        *choice = (size_t)(instead - ladder->rows);
}

/* A batch that a kernel refuses comes to it one problem at a time. */
static plx_status supports_in_turn(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    const plx_problem one = plx_batch_one(problem);
    const plx_status status = plx_opencl_supports(session, problem, kernel, error);
    return status == PLX_UNSUPPORTED ? plx_opencl_supports(session, &one, kernel, error) : status;
}

plx_status plx_opencl_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    size_t choice = 0;
    plx_status status = plx_ladder_choose(problem, &session->info, &choice, error);
    if (status == PLX_OK)
        avoid_what_is_refused(session, problem->op, &choice);
    if (status == PLX_OK)
        status = supports_in_turn(session, problem, choice, error);
    if (status == PLX_OK)
        *kernel = choice;
    return status;
}
