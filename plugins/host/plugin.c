/* The plugin "host": reference kernels on the processor. */
#include "host.h"

#include <stdlib.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unversioned"
#endif

struct plx_plugin_plan {
    plx_problem problem;
    const host_kernel *kernel;
};

static const host_kernel *const kernels[PLX_OP_COUNT] = {
    [PLX_REDUCE] = &host_reduce,
    [PLX_TRANSPOSE] = &host_transpose,
    [PLX_MATVEC] = &host_matvec,
    [PLX_GEMM] = &host_gemm,
    [PLX_PROBE] = &host_ceiling,
};

static const plx_kernel *host_kernel_at(plx_op op, size_t index)
{
    if ((unsigned)op >= PLX_OP_COUNT || kernels[op] == NULL || index > 0)
        return NULL;
    return &kernels[op]->about;
}

static plx_status host_choose(plx_session *session, const plx_problem *problem, size_t *kernel,
                              plx_error *error)
{
    (void)session;
    const plx_kernel *only = host_kernel_at(problem->op, 0);
    if (only == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "host has no kernel for operation %d", (int)problem->op);
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT || (only->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the host kernel does not take this element type");
    if (kernels[problem->op]->serves != NULL && kernels[problem->op]->serves(problem, error) != PLX_OK)
        return PLX_UNSUPPORTED;
    *kernel = 0;
    return PLX_OK;
}

static plx_status host_plan(plx_session *session, const plx_problem *problem, size_t kernel,
                            plx_plugin_plan **plan, plx_error *error)
{
    size_t only = 0;
    plx_status status = host_choose(session, problem, &only, error);
    if (status != PLX_OK)
        return status;
    if (kernel != only)
        return plx_fail(error, PLX_NOT_FOUND, "host has one kernel for each operation");
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = (plx_plugin_plan){.problem = *problem, .kernel = kernels[problem->op]};
    *plan = made;
    return PLX_OK;
}

static void host_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
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
    .open = plx_host_open,
    .close = plx_host_close,
    .alloc = plx_host_alloc,
    .free = plx_host_free,
    .queue_create = plx_host_queue_create,
    .queue_destroy = plx_host_queue_destroy,
    .synchronize = plx_host_synchronize,
    .upload = plx_host_upload,
    .download = plx_host_download,
    .fill = plx_host_fill,
    .copy = plx_host_copy,
    .event_create = plx_host_event_create,
    .event_destroy = plx_host_event_destroy,
    .event_record = plx_host_event_record,
    .event_elapsed = plx_host_event_elapsed,
    .kernel = host_kernel_at,
    .choose = host_choose,
    .plan = host_plan,
    .plan_destroy = host_plan_destroy,
    .execute = host_execute,
    .count = plx_no_counters,
    .telemetry = plx_no_telemetry,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &host_plugin;
}
