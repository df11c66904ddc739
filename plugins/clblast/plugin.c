/* The clblast plugin: CLBlast as a peer, on the OpenCL backend's devices and memory.
 * It is never chosen by `auto`. */
#include "kernels/vendor.h"
#include "plugins/clblast/library.h"
#include "plugins/clblast/plan.h"
#include "plugins/clblast/tuned.h"

#include "config.h"

/* Two times WGS2 groups of WGS1 threads take turns with the elements, and trees add up what each group
 * and then all of them have (CLBlast's Xasum and Xsum, with the sizes tuned for Xdot, which are 32 at
 * least). */
static int64_t sum_depth(const plx_problem *problem, const plx_device_info *device)
{
    enum { LEAST_SIZE = 32, LEVELS = 5 + 1 + 5 };
    const int64_t threads = 2 * LEAST_SIZE * LEAST_SIZE, n = plx_vendor_depth(problem, device);
    const int64_t depth = n / threads + (n % threads != 0) + LEVELS;
    return depth < n ? depth : n;
}

/* f16 is answered in words: what its products of f16 lack is said where one is asked for. */
#define REALS_AND_HALF                                                                                              \
    .accumulator_f32 = PLX_F32, .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_DTYPE_BIT(PLX_F16), \
    .flags = PLX_KERNEL_VENDOR

static const plx_kernel kernels[] = {
    [PLX_GEMM] =
        {
            .name = "gemm",
            .idea = "CLBlastSgemm, CLBlastDgemm: what a user would call instead",
            .gain = "the parameters that its tuners found, where they know the device",
            .limit =
                "operands are padded into copies where they do not fit its tiles; no f16, whose sums it keeps in f16",
            .needs = "libclblast",
            REALS_AND_HALF | PLX_KERNEL_BATCHED,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_MATVEC] =
        {
            .name = "gemv",
            .idea = "CLBlastSgemv, CLBlastDgemv: what a user would call instead",
            .gain = "the parameters that its tuners found, where they know the device",
            .limit = "it reads y even without beta, so y is filled with zeros before each call; no f16, as in gemm",
            .needs = "libclblast",
            REALS_AND_HALF,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_TRANSPOSE] =
        {
            .name = "omatcopy",
            .idea = "CLBlastSomatcopy, CLBlastDomatcopy with alpha 1: what a user would call instead",
            .gain = "the parameters that its tuners found, where they know the device",
            .limit = "shapes that are no multiple of its tiles",
            .needs = "libclblast",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R0,
            .depth = plx_vendor_depth,
        },
    [PLX_REDUCE] =
        {
            .name = "sum",
            .idea = "CLBlastSsum, CLBlastDsum: what a user would call instead",
            .gain = "the parameters that its tuners found, where they know the device",
            .limit = "sums alone, no minimum or maximum",
            .needs = "libclblast",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R2,
            .depth = sum_depth,
        },
};

static const plx_kernel *clblast_kernel(plx_op op, size_t index)
{
    return plx_vendor_kernel(kernels, sizeof kernels / sizeof kernels[0], op, index);
}

static plx_status clblast_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    return plx_vendor_choose(clblast_kernel(problem->op, 0), "CLBlast", kernel, error);
}

/* The OpenCL backend's devices, which nobody gets from here without asking for clblast. */
static plx_status clblast_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    plx_status status = plx_cl_probe(devices, capacity, count, error);
    if (status != PLX_OK)
        return status;
    const size_t listed = *count < capacity ? *count : capacity;
    plx_vendor_stand_back(devices, listed);
    if (listed == *count)
        plx_clblast_tuned_warn(devices, listed, error);
    return PLX_OK;
}

static const plx_plugin clblast_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "clblast",
    .version = PACKAGE_VERSION,
    .summary = "CLBlast as a peer: gemm, gemv, sum, and omatcopy as transpose",
    .probe = clblast_probe,
    .open = plx_clblast_open,
    .open_on = plx_clblast_open_on,
    .close = plx_clblast_close,
    PLX_CL_MEMORY_SLOTS,
    .kernel = clblast_kernel,
    .choose = clblast_choose,
    .plan = plx_clblast_plan,
    .plan_destroy = plx_clblast_plan_destroy,
    .execute = plx_clblast_execute,
    .supports = plx_clblast_supports,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &clblast_plugin;
}
