/* The plugin "host": reference kernels on the processor. */
#include "backends/host/host.h"
#include "kernels/host.h"
#include "plugins/host/shared.h"

#include "config.h"

struct plx_plugin_plan {
    plx_problem problem;
    const host_kernel *kernel; /* NULL: a function in another process: */
    plx_function_call *call;
    void *call_data;
    uint64_t written; /* which operand */
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

/* Of others' launches it has those that are none of a device. */
static plx_status host_plan_launches(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                     plx_plugin_plan **plan, plx_error *error)
{
    (void)session;
    if (strcmp(list->language, "function") != 0 || list->call == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "the host runs functions in files, and no %.30s", list->language);
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = (plx_plugin_plan){
        .problem = *problem, .call = list->call, .call_data = list->call_data, .written = list->written};
    *plan = made;
    return PLX_OK;
}

static plx_status call_function(plx_plugin_plan *plan, const plx_operand *operands, size_t count, plx_error *error)
{
    plx_reached reached[PLX_MAX_OPERANDS];
    plx_status status = PLX_OK;
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = host_reach(&operands[i], i == plan->written, &reached[i], error);
    return status == PLX_OK ? plan->call(plan->call_data, &plan->problem, "", reached, count, error) : status;
}

static plx_status host_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                               size_t count, plx_error *error)
{
    (void)queue;
    void *at[PLX_MAX_OPERANDS] = {NULL};
    if (count > PLX_MAX_OPERANDS)
        return plx_fail(error, PLX_INVALID, "%zu operands are more than any operation has", count);
    if (plan->kernel == NULL)
        return call_function(plan, operands, count, error);
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
    .alloc = host_alloc,
    .free = host_free,
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
    PLX_HOST_NATIVE_SLOTS,
    .kernel = host_kernel_at,
    .choose = host_choose,
    .plan = host_plan,
    .plan_destroy = plx_host_plan_destroy,
    .execute = host_execute,
    .supports = host_supports,
    .plan_launches = host_plan_launches,
    .share_memory = host_share_memory,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &host_plugin;
}
