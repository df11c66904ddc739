/* The list of references, one for each operation. */
#include "kernels/reference.h"

#define OPERATION(name) extern const plx_op_reference plx_##name##_reference;
PLX_OPERATIONS
#undef OPERATION

static const plx_op_reference *const all[PLX_OP_COUNT] = {
#define OPERATION(name) &plx_##name##_reference,
    PLX_OPERATIONS
#undef OPERATION
};

bool plx_is_exact(const plx_problem *problem)
{
    return all[problem->op]->exact(problem);
}

bool plx_reference_spreads(const plx_problem *problem)
{
    return all[problem->op]->spreads;
}

void plx_reference_make(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                        plx_reference *reference)
{
    all[problem->op]->make(problem, operands, first, count, reference);
}

bool plx_always_exact(const plx_problem *problem)
{
    (void)problem;
    return true;
}

bool plx_never_exact(const plx_problem *problem)
{
    (void)problem;
    return false;
}
