/* The clblast plugin: CLBlast as a peer, on the OpenCL backend's devices and memory.
 * It is never chosen by `auto`. */
#include "kernels/vendor.h"
#include "plugins/clblast/library.h"
#include "plugins/clblast/plan.h"
#include "plugins/clblast/tuned.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#define REALS (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

static const plx_kernel gemm_kernel = {
    .name = "gemm",
    .idea = "CLBlastSgemm, CLBlastDgemm: what a user would call instead",
    .gain = "the parameters that its tuners found, where they know the device",
    .limit = "operands are padded into copies where they do not fit its tiles",
    .needs = "libclblast",
    .dtypes = REALS,
    .flags = PLX_KERNEL_VENDOR,
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R2,
    .depth = plx_vendor_depth,
};

static const plx_kernel gemv_kernel = {
    .name = "gemv",
    .idea = "CLBlastSgemv, CLBlastDgemv: what a user would call instead",
    .gain = "the parameters that its tuners found, where they know the device",
    .limit = "it reads y even without beta, so y is filled with zeros before each call",
    .needs = "libclblast",
    .dtypes = REALS,
    .flags = PLX_KERNEL_VENDOR,
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R2,
    .depth = plx_vendor_depth,
};

static const plx_kernel omatcopy_kernel = {
    .name = "omatcopy",
    .idea = "CLBlastSomatcopy, CLBlastDomatcopy with alpha 1: what a user would call instead",
    .gain = "the parameters that its tuners found, where they know the device",
    .limit = "shapes that are no multiple of its tiles",
    .needs = "libclblast",
    .dtypes = REALS,
    .flags = PLX_KERNEL_VENDOR,
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R0,
    .depth = plx_vendor_depth,
};

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

static const plx_kernel sum_kernel = {
    .name = "sum",
    .idea = "CLBlastSsum, CLBlastDsum: what a user would call instead",
    .gain = "the parameters that its tuners found, where they know the device",
    .limit = "sums alone, no minimum or maximum",
    .needs = "libclblast",
    .dtypes = REALS,
    .flags = PLX_KERNEL_VENDOR,
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R2,
    .depth = sum_depth,
};

static const plx_kernel *clblast_kernel(plx_op op, size_t index)
{
    if (index > 0)
        return NULL;
    return op == PLX_GEMM        ? &gemm_kernel
           : op == PLX_MATVEC    ? &gemv_kernel
           : op == PLX_TRANSPOSE ? &omatcopy_kernel
           : op == PLX_REDUCE    ? &sum_kernel
                                 : NULL;
}

static plx_status clblast_choose(plx_session *session, const plx_problem *problem, size_t *kernel,
                                 plx_error *error)
{
    (void)session;
    if (clblast_kernel(problem->op, 0) == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "CLBlast has no such operation");
    *kernel = 0;
    return PLX_OK;
}

/* More than any device scores: below 0 none is chosen unasked, and the best of them
 * stays the best. */
enum { ABOVE_ALL_SCORES = 100000 };

/* The OpenCL backend's devices, which nobody gets from here without asking for clblast. */
static plx_status clblast_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    plx_status status = plx_cl_probe(devices, capacity, count, error);
    if (status != PLX_OK)
        return status;
    const size_t listed = *count < capacity ? *count : capacity;
    for (size_t i = 0; i < listed; i++)
        devices[i].score -= ABOVE_ALL_SCORES;
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
    .close = plx_cl_close,
    .alloc = plx_cl_alloc,
    .free = plx_cl_free,
    .queue_create = plx_cl_queue_create,
    .queue_destroy = plx_cl_queue_destroy,
    .synchronize = plx_cl_synchronize,
    .upload = plx_cl_upload,
    .download = plx_cl_download,
    .fill = plx_cl_fill,
    .copy = plx_cl_copy,
    .event_create = plx_cl_event_create,
    .event_destroy = plx_cl_event_destroy,
    .event_record = plx_cl_event_record,
    .event_elapsed = plx_cl_event_elapsed,
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
