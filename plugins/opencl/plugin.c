/* The opencl plugin: the OpenCL backend bound to the tree's own kernels. */
#include "backends/opencl/opencl.h"
#include "plugins/opencl/plan.h"

#include "kernels/recipe.h"

#include "config.h"

/* Also warns of PoCL from 5 on, which compiles the same text rightly one time and wrongly another (doc/validation.md).
 */
static plx_status opencl_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    const plx_status status = plx_cl_probe(devices, capacity, count, error);
    if (status != PLX_OK || error->text[0] != '\0')
        return status;
    for (size_t i = 0; i < *count && i < capacity; i++)
        if (plx_pocl_version(&devices[i]) >= 5)
            return plx_fail(error, PLX_OK,
                            "PoCL %d sometimes compiles a kernel wrong, and keeps it; should parallax check "
                            "name one, empty $POCL_CACHE_DIR, or ~/.cache/pocl, and check again",
                            plx_pocl_version(&devices[i]));
    return PLX_OK;
}

static plx_status opencl_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                                 size_t capacity, size_t *count, plx_error *error)
{
    return plx_ladder_configs(problem, &session->info, kernel, configs, capacity, count, error);
}

static plx_status opencl_rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates,
                               size_t capacity, size_t *count, plx_error *error)
{
    return plx_ladder_rates(problem, &session->info, kernel, rates, capacity, count, error);
}

static plx_status opencl_expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates,
                                double *us, plx_error *error)
{
    return plx_ladder_expect(problem, &session->info, kernel, rates, us, error);
}

static plx_status opencl_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                                      plx_error *error)
{
    return plx_cl_lend_scratch(queue, memory, offset, bytes, PLX_SCRATCH_COUNTERS, error);
}

static const plx_plugin opencl_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "opencl",
    .version = PACKAGE_VERSION,
    .summary = "OpenCL 1.2 devices: GPUs, processors, accelerators",
    .probe = opencl_probe,
    .open = plx_cl_open,
    .close = plx_cl_close,
    PLX_CL_MEMORY_SLOTS,
    .kernel = plx_ladder_kernel,
    .choose = plx_opencl_choose,
    .plan = plx_opencl_plan,
    .plan_destroy = plx_opencl_plan_destroy,
    .execute = plx_opencl_execute,
    .supports = plx_opencl_supports,
    .configs = opencl_configs,
    .code = plx_opencl_code,
    .plan_code = plx_opencl_plan_code,
    .launches = plx_opencl_launches,
    .rates = opencl_rates,
    .expect = opencl_expect,
    .open_on = plx_cl_open_on,
    .reserve = plx_opencl_reserve,
    .lend_scratch = opencl_lend_scratch,
    .plan_launches = plx_opencl_plan_launches,
    .describe = plx_opencl_describe,
    .pieces_check = plx_opencl_pieces_check,
    .pieces_renew = plx_opencl_pieces_renew,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &opencl_plugin;
}
