/* A whole plugin: the processor as a device that adds up, one element after the other.
 *   cc -std=c11 -O2 -shared -fPIC -fvisibility=hidden $(pkg-config --cflags parallax) sum.c -o plx-sum.so
 *   PLX_PLUGIN_PATH=$PWD parallax check --backend sum */
#include <parallax/host_memory.h>

struct plx_plugin_plan {
    int64_t n;
};

static plx_status probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)error;
    if (capacity > 0)
        plx_host_device(&devices[0], "this processor, one element after the other");
    *count = 1;
    return PLX_OK;
}

/* A term meets one rounding in each step; the judge holds the result to what follows from it. */
static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.reduce.n;
}

static const plx_kernel one_by_one = {
    .name = "one-by-one", .idea = "one element after the other", .gain = "none: the plainest form",
    .limit = "the latency of an addition", .needs = "", .dtypes = PLX_DTYPE_BIT(PLX_F64),
    .reproducibility = PLX_R1, .depth = depth,
};

static const plx_kernel *kernel_at(plx_op op, size_t index)
{
    return op == PLX_REDUCE && index == 0 ? &one_by_one : NULL;
}

static plx_status choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    if (problem->op != PLX_REDUCE || problem->of.reduce.reduction != PLX_SUM)
        return plx_fail(error, PLX_UNSUPPORTED, "it only adds up");
    *kernel = 0;
    return PLX_OK;
}

static plx_status plan(plx_session *session, const plx_problem *problem, size_t kernel,
                       plx_plugin_plan **plan, plx_error *error)
{
    plx_status status = choose(session, problem, &kernel, error);
    plx_plugin_plan *made = status == PLX_OK ? malloc(sizeof *made) : NULL;
    if (made == NULL)
        return status != PLX_OK ? status : plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    made->n = problem->of.reduce.n;
    *plan = made;
    return PLX_OK;
}

static plx_status execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                          size_t count, plx_error *error)
{
    (void)queue, (void)count, (void)error;
    const double *x = plx_host_address(&operands[0]);
    double sum = 0;
    for (int64_t i = 0; i < plan->n; i++)
        sum += x[i];
    *(double *)plx_host_address(&operands[1]) = sum;
    return PLX_OK;
}

const plx_plugin *plx_plugin_entry(void)
{
    static const plx_plugin sum = {
        .abi = PLX_PLUGIN_ABI, .size = sizeof(plx_plugin), .name = "sum", .version = "1.0",
        .summary = "sums of f64", PLX_HOST_MEMORY_SLOTS, .probe = probe, .kernel = kernel_at,
        .choose = choose, .plan = plan, .plan_destroy = plx_host_plan_destroy, .execute = execute};
    return &sum;
}
