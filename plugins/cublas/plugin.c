/* The cublas plugin: NVIDIA's BLAS, and CUB for reductions, as peers, on the CUDA backend's devices and
 * memory.  It is never chosen by `auto`. */
#include "backends/cuda/cuda.h"
#include "kernels/vendor.h"
#include "plugins/cublas/functions.h"
#include "plugins/cublas/library.h"
#include "plugins/cublas/plan.h"
#include "plugins/cublas/reduce.h"

#include "config.h"

/* How a library adds is its own affair.  In a chain over k the units lose of a step of 8 terms at most
 * 11 units of roundoff (doc/validation.md); parts of k, and what is then added to C, a few more. */
static int64_t depth_in_units(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return (problem->of.gemm.k + 7) / 8 * 11 + 16;
}

/* Batches go to cublasSgemmStridedBatched, to cublasLt as its layouts' batch, and to CUB as segments. */
#define REALS_BATCHED                                                                                           \
    .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64), .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_BATCHED, \
    .accumulator_f32 = PLX_F32

static const plx_kernel gemm_kernels[PLX_CUBLAS_GEMM_COUNT] = {
    [PLX_CUBLAS_GEMM] =
        {
            .name = "gemm",
            .idea = "cublasSgemm, cublasDgemm: what a user would call instead",
            .gain = "the vendor's tuning",
            .limit = "few tiles, odd sizes and unaligned rows",
            .needs = "libcublas",
            REALS_BATCHED,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_CUBLAS_GEMM_WORKSPACE] =
        {
            .name = "gemm-workspace",
            .idea = "the same with a workspace of 32 MiB, as NVIDIA recommends for Hopper",
            .gain = "sums divided along k where the default workspace is too small for them",
            .limit = "that of gemm",
            .needs = "libcublas",
            REALS_BATCHED,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_CUBLAS_GEMM_HALF] =
        {
            .name = "gemm-half",
            .idea = "gemm-lt on matrix units, its fastest algorithm: f16 and bf16, summed in f32",
            .gain = "the matrix units",
            .limit =
                "odd sizes and unaligned rows; parts of k are added in f32, and not in 16 bits, which it would prefer",
            .needs = "libcublasLt",
            .dtypes = PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16),
            .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R2,
            .depth = depth_in_units,
        },
    [PLX_CUBLAS_GEMM_TF32] =
        {
            .name = "gemm-tf32",
            .idea = "gemm-lt on matrix units, its fastest algorithm: f32 rounded to TF32",
            .gain = "the matrix units",
            .limit = "odd sizes and unaligned rows",
            .needs = "libcublasLt",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED,
            .compute = PLX_COMPUTE_TF32,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R2,
            .depth = depth_in_units,
        },
    [PLX_CUBLAS_GEMM_LT] =
        {
            .name = "gemm-lt",
            .idea = "cublasLtMatmul with the fastest of 16 algorithms that its heuristic names, each timed and judged",
            .gain = "the library at its best, for those who time it",
            .limit = "planning takes as long as it takes to time them",
            .needs = "libcublasLt",
            REALS_BATCHED,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_CUBLAS_GEMM_LT_FIRST] =
        {
            .name = "gemm-lt-first",
            .idea = "cublasLtMatmul with the first algorithm that its heuristic names",
            .gain = "the vendor's tuning, by another heuristic",
            .limit = "that of gemm",
            .needs = "libcublasLt",
            REALS_BATCHED,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_CUBLAS_GEMM_HALF_FIRST] =
        {
            .name = "gemm-half-first",
            .idea = "gemm-lt-first on matrix units: f16 and bf16, summed in f32",
            .gain = "the matrix units",
            .limit = "that of gemm-half",
            .needs = "libcublasLt",
            .dtypes = PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16),
            .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R2,
            .depth = depth_in_units,
        },
    [PLX_CUBLAS_GEMM_TF32_FIRST] =
        {
            .name = "gemm-tf32-first",
            .idea = "gemm-lt-first on matrix units: f32 rounded to TF32",
            .gain = "the matrix units",
            .limit = "odd sizes and unaligned rows",
            .needs = "libcublasLt",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED,
            .compute = PLX_COMPUTE_TF32,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R2,
            .depth = depth_in_units,
        },
};

static const plx_kernel kernels[] = {
    [PLX_MATVEC] =
        {
            .name = "gemv",
            .idea = "cublasSgemv, cublasDgemv: what a user would call instead",
            .gain = "the vendor's tuning",
            .limit = "tall-skinny matrices",
            .needs = "libcublas",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R2,
            .depth = plx_vendor_depth,
        },
    [PLX_TRANSPOSE] =
        {
            .name = "geam",
            .idea = "cublasSgeam, cublasDgeam with alpha 1 and beta 0: what a user would call instead",
            .gain = "the vendor's tuning",
            .limit = "odd and tall-skinny shapes",
            .needs = "libcublas",
            PLX_VENDOR_REALS,
            .reproducibility = PLX_R0,
            .depth = plx_vendor_depth,
        },
};

#define REDUCED PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64)

static const plx_kernel reduce_kernels[PLX_CUBLAS_REDUCE_COUNT] = {
    [PLX_CUBLAS_REDUCE] =
        {
            .name = "cub",
            .idea = "CUB's DeviceReduce: what a user would call instead",
            .gain = "the vendor's tuning",
            .limit = "two launches for what is longer than a block's tile",
            .needs = "CUB when it was built",
            .dtypes = REDUCED,
            .flags = PLX_KERNEL_VENDOR,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = plx_cub_depth,
        },
    [PLX_CUBLAS_REDUCE_SEGMENTED] =
        {
            .name = "cub-segmented",
            .idea = "CUB's DeviceSegmentedReduce: all of a batch, or all columns, in one launch",
            .gain = "one launch in place of as many as there are results",
            .limit = "one block for each result, however long its sum; of columns each element is read by itself",
            .needs = "CUB when it was built; a batch, or --inner",
            .dtypes = REDUCED,
            .flags = PLX_KERNEL_VENDOR | PLX_KERNEL_BATCHED,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = plx_cub_segment_depth,
        },
};

static const plx_kernel *cublas_kernel(plx_op op, size_t index)
{
    if (op == PLX_GEMM)
        return index < PLX_CUBLAS_GEMM_COUNT ? &gemm_kernels[index] : NULL;
    if (op == PLX_REDUCE)
        return index < PLX_CUBLAS_REDUCE_COUNT ? &reduce_kernels[index] : NULL;
    return plx_vendor_kernel(kernels, sizeof kernels / sizeof kernels[0], op, index);
}

static plx_status cublas_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    size_t first = 0;
    (void)session;
    if (problem->op == PLX_GEMM && (problem->dtype == PLX_F16 || problem->dtype == PLX_BF16))
        first = PLX_CUBLAS_GEMM_HALF;
    else if (problem->op == PLX_GEMM && problem->compute == PLX_COMPUTE_TF32)
        first = PLX_CUBLAS_GEMM_TF32;
    else if (problem->op == PLX_REDUCE && plx_cub_is_segmented(problem))
        first = PLX_CUBLAS_REDUCE_SEGMENTED;
    const plx_status status = plx_vendor_choose(cublas_kernel(problem->op, first), "cuBLAS", kernel, error);
    if (status == PLX_OK)
        *kernel = first;
    return status;
}

/* The CUDA backend's devices, which nobody gets without asking for cublas. */
static plx_status cublas_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    plx_status status = plx_cuda_probe(devices, capacity, count, error);
    if (status == PLX_OK)
        status = plx_cublas_load(error);
    if (status == PLX_OK)
        plx_vendor_stand_back(devices, *count < capacity ? *count : capacity);
    return status;
}

static plx_status cublas_count(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                               size_t count, plx_counters *counters, plx_error *error)
{
    return plx_cuda_count(plx_cublas_execute, plan, queue, operands, count, counters, error);
}

static plx_status cublas_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                                      plx_error *error)
{
    return plx_cuda_lend_scratch(queue, memory, offset, bytes, 0, error);
}

static const plx_plugin cublas_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "cublas",
    .version = PACKAGE_VERSION,
    .summary = "NVIDIA's cuBLAS as a peer: gemm, gemv, geam as transpose, and CUB for reductions",
    .probe = cublas_probe,
    .open = plx_cublas_open,
    .close = plx_cublas_close,
    PLX_CUDA_MEMORY_SLOTS,
    .kernel = cublas_kernel,
    .choose = cublas_choose,
    .plan = plx_cublas_plan,
    .plan_destroy = plx_cublas_plan_destroy,
    .execute = plx_cublas_execute,
    .configs = plx_cublas_configs,
    .count = cublas_count,
    .telemetry = plx_cuda_telemetry,
    .open_on = plx_cublas_open_on,
    .reserve = plx_cublas_reserve,
    .lend_scratch = cublas_lend_scratch,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &cublas_plugin;
}
