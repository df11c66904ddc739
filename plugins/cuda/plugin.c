/* The cuda plugin: our kernels on NVIDIA's driver. */
#include "plugins/cuda/plan.h"

#include "kernels/operation.h"
#include "kernels/recipe.h"
#include "plugins/cuda/clusters.h"
#include "plugins/cuda/code.h"

#include "config.h"

/* A batch that a kernel refuses comes to it one problem at a time. */
static plx_status supports_in_turn(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    const plx_problem one = plx_batch_one(problem);
    const plx_status status = plx_cuda_supports(session, problem, kernel, error);
    return status == PLX_UNSUPPORTED ? plx_cuda_supports(session, &one, kernel, error) : status;
}

static plx_status cuda_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    size_t choice = 0;
    plx_status status = plx_ladder_choose(problem, &session->info, &choice, error);
    if (status == PLX_OK)
        status = supports_in_turn(session, problem, choice, error);
    if (status == PLX_OK)
        *kernel = choice;
    return status;
}

static plx_status cuda_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                               size_t capacity, size_t *count, plx_error *error)
{
    return plx_ladder_configs(problem, &session->info, kernel, configs, capacity, count, error);
}

static plx_status cuda_rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates,
                             size_t capacity, size_t *count, plx_error *error)
{
    return plx_ladder_rates(problem, &session->info, kernel, rates, capacity, count, error);
}

static plx_status cuda_expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates,
                              double *us, plx_error *error)
{
    return plx_ladder_expect(problem, &session->info, kernel, rates, us, error);
}

static plx_status cuda_count(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                             plx_counters *counters, plx_error *error)
{
    return plx_cuda_count(plx_cuda_execute, plan, queue, operands, count, counters, error);
}

static plx_status cuda_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                                    plx_error *error)
{
    return plx_cuda_lend_scratch(queue, memory, offset, bytes, PLX_SCRATCH_COUNTERS, error);
}

static const plx_plugin cuda_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "cuda",
    .version = PACKAGE_VERSION,
    .summary = "kernels in CUDA C++ on NVIDIA GPUs, through the driver API",
    .probe = plx_cuda_probe,
    .open = plx_cuda_open_counted,
    .close = plx_cuda_close,
    PLX_CUDA_MEMORY_SLOTS,
    .kernel = plx_ladder_kernel,
    .choose = cuda_choose,
    .plan = plx_cuda_plan,
    .plan_destroy = plx_cuda_plan_destroy,
    .execute = plx_cuda_execute,
    .count = cuda_count,
    .telemetry = plx_cuda_telemetry,
    .supports = plx_cuda_supports,
    .configs = cuda_configs,
    .code = plx_cuda_code,
    .plan_code = plx_cuda_plan_code,
    .launches = plx_cuda_launches,
    .instructions = plx_cuda_instructions,
    .rates = cuda_rates,
    .expect = cuda_expect,
    .open_on = plx_cuda_open_on_counted,
    .reserve = plx_cuda_reserve,
    .lend_scratch = cuda_lend_scratch,
    .plan_launches = plx_cuda_plan_launches,
    .pieces_check = plx_cuda_pieces_check,
    .pieces_renew = plx_cuda_pieces_renew,
    .opened = plx_cuda_opened,
    .share_memory = plx_cuda_share_memory,
    .describe = plx_cuda_describe_kernel,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &cuda_plugin;
}
