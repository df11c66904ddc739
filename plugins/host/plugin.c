/* The plugin "host": reference kernels on the processor. */
#include "backends/host/host.h"
#include "kernels/host.h"

#include "config.h"

struct plx_plugin_plan {
    plx_problem problem;
    const host_kernel *kernel;
};

#define OPERATION(name) extern const host_kernel host_##name;
PLX_OPERATIONS
#undef OPERATION

static const host_kernel *const kernels[PLX_OP_COUNT] = {
#define OPERATION(name) &host_##name,
    PLX_OPERATIONS
#undef OPERATION
};

static const plx_kernel *host_kernel_at(plx_op op, size_t index)
{
    if ((unsigned)op >= PLX_OP_COUNT || kernels[op] == NULL || index > 0)
        return NULL;
    return &kernels[op]->about;
}

static plx_status host_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    (void)session;
    const plx_kernel *about = host_kernel_at(problem->op, kernel);
    if (about == NULL)
        return plx_fail(error, kernel > 0 ? PLX_NOT_FOUND : PLX_UNSUPPORTED, "host has no kernel %zu for operation %d",
                        kernel, (int)problem->op);
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT || (about->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the host kernel does not take this element type");
    return kernels[problem->op]->serves != NULL ? kernels[problem->op]->serves(problem, error) : PLX_OK;
}

static plx_status host_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const plx_status status = host_supports(session, problem, 0, error);
    if (status == PLX_OK)
        *kernel = 0;
    return status;
}

static plx_status host_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                            plx_error *error)
{
    const plx_status status = host_supports(session, problem, kernel, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = (plx_plugin_plan){.problem = *problem, .kernel = kernels[problem->op]};
    *plan = made;
    return PLX_OK;
}

static plx_status host_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                               size_t count, plx_error *error)
{
    (void)queue;
    void *at[PLX_MAX_OPERANDS] = {NULL};
    if (count > PLX_MAX_OPERANDS)
        return plx_fail(error, PLX_INVALID, "%zu operands are more than any operation has", count);
    for (size_t i = 0; i < count; i++)
        at[i] = plx_host_address(&operands[i]);
    return plan->kernel->run(&plan->problem, at, error);
}

static const plx_plugin host_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "host",
    .version = PACKAGE_VERSION,
    .summary = "reference kernels on the CPU",
    .probe = plx_host_probe,
    PLX_HOST_MEMORY_SLOTS,
    .kernel = host_kernel_at,
    .choose = host_choose,
    .plan = host_plan,
    .plan_destroy = plx_host_plan_destroy,
    .execute = host_execute,
    .supports = host_supports,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &host_plugin;
}
