// A plugin in C++: the processor as a device that adds up.  From C++20 on its descriptor is written as in C, before
// that it is filled by assignments.
#include <parallax/host_memory.h>

#include <memory>
#include <new>
#include <numeric>

struct plx_plugin_plan {
    int64_t n;
};

namespace
{

plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *)
{
    if (capacity > 0)
        plx_host_device(&devices[0], "this processor, in C++");
    *count = 1;
    return PLX_OK;
}

int64_t depth(const plx_problem *problem, const plx_device_info *)
{
    return problem->of.reduce.n;
}

plx_kernel make_kernel()
{
    plx_kernel kernel = plx_kernel();
    kernel.name = "accumulate";
    kernel.idea = "std::accumulate";
    kernel.gain = "none: the plainest form";
    kernel.limit = "the latency of an addition";
    kernel.needs = "";
    kernel.dtypes = PLX_DTYPE_BIT(PLX_F64);
    kernel.reproducibility = PLX_R1;
    kernel.depth = depth;
    return kernel;
}

const plx_kernel *kernel_at(plx_op op, size_t index)
{
    static const plx_kernel accumulate = make_kernel();
    return op == PLX_REDUCE && index == 0 ? &accumulate : nullptr;
}

plx_status choose(plx_session *, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    if (problem->op != PLX_REDUCE || problem->of.reduce.reduction != PLX_SUM)
        return plx_fail(error, PLX_UNSUPPORTED, "it only adds up");
    *kernel = 0;
    return PLX_OK;
}

plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **made,
                plx_error *error)
{
    const plx_status status = choose(session, problem, &kernel, error);
    if (status != PLX_OK)
        return status;
    std::unique_ptr<plx_plugin_plan> of(new (std::nothrow) plx_plugin_plan{problem->of.reduce.n});
    if (!of)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = of.release();
    return PLX_OK;
}

void plan_destroy(plx_plugin_plan *plan)
{
    delete plan;
}

plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *, const plx_operand *operands, size_t, plx_error *)
{
    const double *x = static_cast<const double *>(plx_host_address(&operands[0]));
    *static_cast<double *>(plx_host_address(&operands[1])) = std::accumulate(x, x + plan->n, 0.0);
    return PLX_OK;
}

#if __cplusplus >= 202002L
const plx_plugin sums = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "sums",
    .version = "20",
    .summary = "sums of f64 in C++20",
    .probe = probe,
    PLX_HOST_MEMORY_SLOTS,
    .kernel = kernel_at,
    .choose = choose,
    .plan = plan,
    .plan_destroy = plan_destroy,
    .execute = execute,
    PLX_HOST_NATIVE_SLOTS,
};
#else
plx_plugin make_plugin()
{
    plx_plugin plugin = plx_plugin();
    plugin.abi = PLX_PLUGIN_ABI;
    plugin.size = sizeof(plx_plugin);
    plugin.name = "sums";
    plugin.version = "11";
    plugin.summary = "sums of f64 in C++11";
    plugin.probe = probe;
    plx_host_memory_slots(&plugin);
    plugin.kernel = kernel_at;
    plugin.choose = choose;
    plugin.plan = plan;
    plugin.plan_destroy = plan_destroy;
    plugin.execute = execute;
    return plugin;
}
const plx_plugin sums = make_plugin();
#endif

} // namespace

const plx_plugin *plx_plugin_entry(void)
{
    return &sums;
}
