/* The cuda plugin: our kernels on NVIDIA's driver. */
#include "plugins/cuda/plan.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const plx_kernel *cuda_kernel(plx_op op, size_t index)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    return ladder != NULL && index < ladder->count ? &ladder->rows[index].about : NULL;
}

static plx_status cuda_choose(plx_session *session, const plx_problem *problem, size_t *kernel,
                              plx_error *error)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    plx_status status;
    size_t choice;
    if (ladder == NULL || ladder->count == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the cuda plugin has no kernels for this operation");
    choice = ladder->choose(problem, &session->info);
    status = plx_cuda_supports(session, problem, choice, error);
    if (status == PLX_OK)
        *kernel = choice;
    return status;
}

static plx_status cuda_count(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                             size_t count, plx_counters *counters, plx_error *error)
{
    return plx_cuda_count(plx_cuda_execute, plan, queue, operands, count, counters, error);
}

static const plx_plugin cuda_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "cuda",
    .version = PACKAGE_VERSION,
    .summary = "kernels in CUDA C++ on NVIDIA GPUs, through the driver API",
    .probe = plx_cuda_probe,
    .open = plx_cuda_open,
    .close = plx_cuda_close,
    .alloc = plx_cuda_alloc,
    .free = plx_cuda_free,
    .queue_create = plx_cuda_queue_create,
    .queue_destroy = plx_cuda_queue_destroy,
    .synchronize = plx_cuda_synchronize,
    .upload = plx_cuda_upload,
    .download = plx_cuda_download,
    .fill = plx_cuda_fill,
    .copy = plx_cuda_copy,
    .event_create = plx_cuda_event_create,
    .event_destroy = plx_cuda_event_destroy,
    .event_record = plx_cuda_event_record,
    .event_elapsed = plx_cuda_event_elapsed,
    .kernel = cuda_kernel,
    .choose = cuda_choose,
    .plan = plx_cuda_plan,
    .plan_destroy = plx_cuda_plan_destroy,
    .execute = plx_cuda_execute,
    .count = cuda_count,
    .telemetry = plx_cuda_telemetry,
    .supports = plx_cuda_supports,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &cuda_plugin;
}
