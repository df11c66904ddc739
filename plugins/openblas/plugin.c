/* The openblas plugin: OpenBLAS as a peer, on the host backend's memory.  It is never
 * chosen by `auto`. */
#include "backends/host/host.h"
#include "kernels/vendor.h"
#include "plugins/openblas/plan.h"

#include <cblas.h>

#include "config.h"

#define GEMM_ROW(more_flags)                                                                              \
    {                                                                                                     \
        .name = "gemm", .idea = "cblas_sgemm, cblas_dgemm, cblas_sbgemm: what a user would call instead", \
        .gain = "the library's tuning for this processor", .limit = "small and tall-skinny matrices",     \
        .needs = "libopenblas; for bf16 one that has cblas_sbgemm, and a result in f32",                  \
        .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_DTYPE_BIT(PLX_BF16),              \
        .flags = PLX_KERNEL_VENDOR | (more_flags), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R2, \
        .depth = plx_vendor_depth,                                                                        \
    }

/* Where the library has cblas_sgemm_batch_strided. */
static const plx_kernel gemm_of_batches = GEMM_ROW(PLX_KERNEL_BATCHED);

static const plx_kernel kernels[] = {
    [PLX_GEMM] = GEMM_ROW(0),
    [PLX_MATVEC] =
        {
            .name = "gemv",
            .idea = "cblas_sgemv, cblas_dgemv: what a user would call instead",
            .gain = "the library's tuning for this processor",
            .limit = "the memory's bandwidth",
            .needs = "libopenblas",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_TRANSPOSE] =
        {
            .name = "omatcopy",
            .idea = "cblas_somatcopy, cblas_domatcopy with alpha 1: what a user would call instead",
            .gain = "the library's tuning for this processor",
            .limit = "one thread",
            .needs = "libopenblas",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R0,
            .depth = plx_vendor_depth,
        },
    [PLX_REDUCE] =
        {
            .name = "sum",
            .idea = "cblas_ssum, cblas_dsum: what a user would call instead",
            .gain = "the library's tuning for this processor",
            .limit = "sums alone, no minimum or maximum",
            .needs = "libopenblas",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
};

static const plx_kernel *openblas_kernel(plx_op op, size_t index)
{
    if (op == PLX_GEMM && index == 0 && plx_openblas_has_batches())
        return &gemm_of_batches;
    return plx_vendor_kernel(kernels, sizeof kernels / sizeof kernels[0], op, index);
}

static plx_status openblas_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    return plx_vendor_choose(openblas_kernel(problem->op, 0), "OpenBLAS", kernel, error);
}

/* OpenBLAS 0.3.21, 0.3.26 and 0.3.29 count elements not at all, or three times, where there is AVX-512.
 * Only a single 1 shows it: of constant data the faults cancel. */
static bool sums_are_wrong(void)
{
    float x[64] = {0};
    for (int i = 0; i < 64; i++) {
        x[i] = 1;
        if (cblas_ssum(64, x, 1) != 1)
            return true;
        x[i] = 0;
    }
    return false;
}

/* Threads without a processor would wait for each other in circles. */
static void heed_limits(void)
{
    plx_host_limits limits;
    const int threads = openblas_get_num_threads();
    plx_host_limits_now(&limits);
    const int within = (int)plx_host_threads_within(&limits, (uint32_t)threads);
    if (within < threads)
        openblas_set_num_threads(within);
}

/* The processor, which nobody gets from here without asking for openblas. */
static plx_status openblas_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    plx_status status = plx_host_probe(devices, capacity, count, error);
    if (status == PLX_OK && capacity > 0) {
        heed_limits();
        devices[0].score = 0;
        devices[0].units = (uint32_t)openblas_get_num_threads();
        (void)snprintf(devices[0].api, sizeof devices[0].api, "%s", openblas_get_config());
    }
    if (status == PLX_OK && sums_are_wrong())
        return plx_fail(error, PLX_OK,
                        "cblas_ssum of this OpenBLAS gives wrong sums on this processor; run with "
                        "OPENBLAS_CORETYPE=Haswell");
    return status;
}

static const plx_plugin openblas_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "openblas",
    .version = PACKAGE_VERSION,
    .summary = "OpenBLAS as a peer: gemm, gemv, sum, and omatcopy as transpose",
    .probe = openblas_probe,
    PLX_HOST_MEMORY_SLOTS,
    .kernel = openblas_kernel,
    .choose = openblas_choose,
    .plan = plx_openblas_plan,
    .plan_destroy = plx_host_plan_destroy,
    .execute = plx_openblas_execute,
    .supports = plx_openblas_supports,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &openblas_plugin;
}
