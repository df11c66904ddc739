/* Which kernel `auto` takes: of those that have a model of their time on the device the one whose schedule should take
 * the least; elsewhere the first of a table that suits, and that the device can run. */
#include "plan.h"

#include "family.h"
#include "kernels/operation.h"
#include "simt.h"

#include <math.h>

/* ---- the kernels that have schedules ----------------------------------------------------------- */

const plx_gemm_family *plx_gemm_family_of(uint32_t kernel)
{
    static const plx_gemm_family *const families[PLX_GEMM_ROWS] = {
        [PLX_GEMM_BULK_PIPELINE] = &plx_gemm_bulk_pipeline_family,
        [PLX_GEMM_SPLIT_K] = &plx_gemm_split_k_family,
        [PLX_GEMM_STREAM_K] = &plx_gemm_stream_k_family,
        [PLX_GEMM_ASYNC_COPY] = &plx_gemm_async_copy_family,
        [PLX_GEMM_MANY_BLOCKS] = &plx_gemm_many_blocks_family,
        [PLX_GEMM_SHORT_K] = &plx_gemm_short_k_family,
        [PLX_GEMM_FEW_ROWS] = &plx_gemm_few_rows_family,
        [PLX_GEMM_MATVEC] = &plx_gemm_matvec_family,
        [PLX_GEMM_DMMA] = &plx_dmma_family,
        [PLX_GEMM_DMMA_BULK] = &plx_dmma_bulk_family,
        [PLX_GEMM_WGMMA] = &plx_wgmma_family,
        [PLX_GEMM_WGMMA_PIPELINED] = &plx_wgmma_pipelined_family,
        [PLX_GEMM_WGMMA_CLUSTER] = &plx_wgmma_cluster_family,
        [PLX_GEMM_WGMMA_ELECTED] = &plx_elected_family,
        [PLX_GEMM_MMA_DIRECT] = &plx_gemm_direct_family,
        [PLX_GEMM_WGMMA_NARROW] = &plx_gemm_narrow_family,
        [PLX_GEMM_WGMMA_TF32] = &plx_wgmma_tf32_family,
        [PLX_GEMM_F16X3] = &plx_f16x3_family,
        [PLX_GEMM_BF16X6] = &plx_f16x3_family,
        [PLX_GEMM_WARP_PER_PRODUCT] = &plx_gemm_warp_family,
    };
    return families[kernel];
}

/* ---- schedules that are compared ------------------------------------------------------------ */

/* Infinite where the kernel does not take its elements or can't run it; where it takes more than `limit`, maybe not its
 * best schedule. */
static double us_below(double limit, uint32_t kernel, const plx_problem *problem, const plx_device_info *device,
                       plx_schedule *schedule)
{
    const plx_row *row = &plx_gemm_ladder.rows[kernel];
    plx_error ignored;
    *schedule = (plx_schedule){.kernel = kernel, .us = limit < INFINITY ? limit : 0.0};
    if ((row->about.dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return INFINITY;
    return row->schedule == NULL || row->schedule(problem, device, schedule, &ignored) == PLX_OK ? schedule->us
                                                                                                 : INFINITY;
}

static double us_of(uint32_t kernel, const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule)
{
    return us_below(INFINITY, kernel, problem, device, schedule);
}

static bool runs(const plx_schedule *schedule, const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe recipe;
    plx_error ignored;
    return plx_recipe_by(&plx_gemm_ladder.rows[schedule->kernel], schedule, problem, device, &recipe, &ignored) ==
           PLX_OK;
}

static bool can_run(uint32_t kernel, const plx_problem *problem, const plx_device_info *device)
{
    plx_schedule schedule;
    return us_of(kernel, problem, device, &schedule) < INFINITY && runs(&schedule, problem, device);
}

/* Elements of the matrix from which on vectors of 16 bits are moved: smaller products are done before they are. */
enum { WORTH_MOVES = 1 << 19 };

static bool is_worth_moves(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (p->m == 1 || p->n == 1) &&
           (plx_gemm_matvec_moves(problem) == 0 || (double)p->m * (double)p->n * (double)p->k >= WORTH_MOVES);
}

/* Those with few schedules first: what they take bounds the searches of the others.  bulk-pipeline and wgmma-cluster
 * are lessons: without them fresh shapes take as long (doc/results-h100.md, What each kernel is worth). */
static const uint32_t of_f32[] = {PLX_GEMM_STREAM_K, PLX_GEMM_SHORT_K,    PLX_GEMM_FEW_ROWS,   PLX_GEMM_MATVEC,
                                  PLX_GEMM_SPLIT_K,  PLX_GEMM_ASYNC_COPY, PLX_GEMM_MANY_BLOCKS};
static const uint32_t of_halves[] = {PLX_GEMM_MATVEC, PLX_GEMM_WGMMA_PIPELINED, PLX_GEMM_MMA_DIRECT,
                                     PLX_GEMM_WGMMA_NARROW, PLX_GEMM_WGMMA_ELECTED};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* The schedule that should take the least time of those that can be had; infinite: there is none. */
static double find_least(const uint32_t *kernels, size_t count, const plx_problem *problem,
                         const plx_device_info *device, plx_schedule *best)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        plx_schedule schedule;
        if (kernels[i] == PLX_GEMM_MATVEC && plx_is_half(problem->dtype) && !is_worth_moves(problem))
            continue;
        const double us = us_below(least, kernels[i], problem, device, &schedule);
        if (us >= least || !runs(&schedule, problem, device))
            continue;
        least = us;
        *best = schedule;
    }
    return least;
}

/* Infinite in OpenCL of others than NVIDIA: the kernels run there, but nothing was measured. */
static double find_least_of_f32(const plx_problem *problem, const plx_device_info *device, uint32_t *kernel)
{
    plx_schedule best;
    if (plx_gemm_is_opencl(device) && !plx_gemm_opencl_has_ptx(device))
        return INFINITY;
    const double us = find_least(of_f32, COUNT(of_f32), problem, device, &best);
    if (us < INFINITY)
        *kernel = best.kernel;
    return us;
}

/* ---- f64 ------------------------------------------------------------------------------------ */

/* Where there are matrix units for it at full rate; false elsewhere. */
static bool choose_dmma(const plx_problem *problem, const plx_device_info *device, uint32_t *kernel)
{
    const bool fast = device->compute_major == 9 || (device->compute_major == 8 && device->compute_minor == 0);
    plx_schedule copied, bulk;

    if (!fast || us_of(PLX_GEMM_DMMA, problem, device, &copied) == INFINITY || !runs(&copied, problem, device))
        return false;
    const bool by_bulk =
        us_below(copied.us, PLX_GEMM_DMMA_BULK, problem, device, &bulk) <= copied.us && runs(&bulk, problem, device);
    *kernel = by_bulk ? PLX_GEMM_DMMA_BULK : PLX_GEMM_DMMA;
    return true;
}

/* ---- devices without models ----------------------------------------------------------------- */

/* How a kernel fares: its speed on a device that it fills, and the blocks that fill one
 * multiprocessor.  Fewer blocks leave the device idle in proportion. */
typedef struct contender {
    uint32_t kernel;
    plx_gemm_geometry (*geometry)(const plx_problem *problem, const plx_device_info *device);
    double speed;
    double blocks_per_unit;
} contender;

static const contender contenders[] = {
    {PLX_GEMM_DOUBLE_BUFFER, plx_gemm_double_buffer_geometry, 45.0, 2.0},
    {PLX_GEMM_TILE_1D, plx_gemm_tile_1d_geometry, 21.0, 3.0},
    {PLX_GEMM_SMEM_BLOCK, plx_gemm_smem_block_geometry, 6.8, 2.0},
    {PLX_GEMM_NAIVE, plx_gemm_naive_geometry, 0.5, 8.0},
};

/* The same of processors, each of whose threads has one group at a time: billions of multiply-adds in a second and
 * thread in f32 and in f64, by PoCL on an EPYC. */
static const contender of_processors[][COUNT(contenders)] = {
    {
        {PLX_GEMM_DOUBLE_BUFFER, plx_gemm_double_buffer_geometry, 6.7, 1.0},
        {PLX_GEMM_TILE_1D, plx_gemm_tile_1d_geometry, 2.9, 1.0},
        {PLX_GEMM_SMEM_BLOCK, plx_gemm_smem_block_geometry, 0.55, 1.0},
        {PLX_GEMM_NAIVE, plx_gemm_naive_geometry, 0.6, 1.0},
    },
    {
        {PLX_GEMM_DOUBLE_BUFFER, plx_gemm_double_buffer_geometry, 1.4, 1.0},
        {PLX_GEMM_TILE_1D, plx_gemm_tile_1d_geometry, 2.1, 1.0},
        {PLX_GEMM_SMEM_BLOCK, plx_gemm_smem_block_geometry, 0.55, 1.0},
        {PLX_GEMM_NAIVE, plx_gemm_naive_geometry, 0.6, 1.0},
    },
};

/* Time in units of its own, for one step along k: rounds of blocks, times a block's work. */
static double cost(const contender *of, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_geometry shape = of->geometry(problem, device);
    const double slots = of->blocks_per_unit * (device->units > 0 ? device->units : 1);
    const double area = (double)shape.tile_rows * (double)shape.tile_cols;
    int64_t tiles;

    if (!plx_gemm_count_tiles(problem, &shape, &tiles))
        return (double)INT64_MAX;
    const double rounds = tiles > 0 ? (double)(int64_t)(((double)tiles - 1.0) / slots) + 1.0 : 0.0;
    return rounds * area * slots / of->speed;
}

static uint32_t choose_contender(const plx_problem *problem, const plx_device_info *device)
{
    const bool processor = (device->features & PLX_FEATURE_CPU) != 0;
    const contender *all = processor ? of_processors[problem->dtype == PLX_F64] : contenders;
    uint32_t best = PLX_GEMM_NAIVE;
    double least = INFINITY;
    for (size_t i = 0; i < COUNT(contenders); i++) {
        const double time = cost(&all[i], problem, device);
        if (time >= least || !can_run(all[i].kernel, problem, device))
            continue;
        best = all[i].kernel;
        least = time;
    }
    return best;
}

/* ---- the table of elements of 16 bits, and of compute types ---------------------------------- */

static bool splits_in_two(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_F16X3;
}

static bool splits_in_three(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_BF16X6;
}

static bool is_tf32(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_TF32;
}

static bool vector_pays(const plx_problem *problem, const plx_device_info *device)
{
    plx_schedule vector, direct;
    return problem->compute == PLX_COMPUTE_PLAIN && is_worth_moves(problem) &&
           us_of(PLX_GEMM_MATVEC, problem, device, &vector) < us_of(PLX_GEMM_MMA_DIRECT, problem, device, &direct);
}

static const plx_preference preferences[] = {
    {PLX_ON_CUDA_9 | PLX_ON_NVIDIA_OPENCL, is_tf32, PLX_GEMM_WGMMA_TF32},
    {PLX_ON_NVIDIA, is_tf32, PLX_GEMM_MMA_SYNC_TF32},
    {PLX_ON_ANY, splits_in_two, PLX_GEMM_F16X3},
    {PLX_ON_ANY, splits_in_three, PLX_GEMM_BF16X6},
    {PLX_ON_CUDA_9, vector_pays, PLX_GEMM_MATVEC},
    {PLX_ON_CUDA_9, NULL, PLX_GEMM_WGMMA_PIPELINED},
    {PLX_ON_NVIDIA_OPENCL, NULL, PLX_GEMM_WGMMA_PIPELINED},
    {PLX_ON_NVIDIA, NULL, PLX_GEMM_MMA_SYNC},
    {PLX_ON_ANY, NULL, PLX_GEMM_TILE_1D},
    {PLX_ON_ANY, NULL, PLX_GEMM_SMEM_BLOCK},
    {PLX_ON_ANY, NULL, PLX_GEMM_NAIVE},
};

static size_t choose_from_table(const plx_problem *problem, const plx_device_info *device)
{
    return plx_prefer(preferences, COUNT(preferences), plx_gemm_ladder.rows, problem, device);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static size_t choose_half(const plx_problem *problem, const plx_device_info *device)
{
    plx_schedule best;
    if (device->compute_major == 9 && device->compute_minor == 0 &&
        find_least(of_halves, COUNT(of_halves), problem, device, &best) < INFINITY)
        return best.kernel;
    return choose_from_table(problem, device);
}

/* Whoever asks for TF32 allows f32's product to be less exact, not that it takes longer.  Where reading operands is
 * what takes time, kernels of plain f32 for few rows, columns or terms are faster than tiles of the matrix units, and
 * lose no digits. */
static size_t choose_tf32(const plx_problem *problem, const plx_device_info *device)
{
    plx_schedule tensor;
    uint32_t kernel;
    if (device->compute_major < 9 ||
        find_least_of_f32(problem, device, &kernel) >= us_of(PLX_GEMM_WGMMA_TF32, problem, device, &tensor))
        return choose_from_table(problem, device);
    return plx_gemm_matvec_moves(problem) == 0 && can_run(PLX_GEMM_MATVEC, problem, device) ? PLX_GEMM_MATVEC : kernel;
}

static size_t choose_plain(const plx_problem *problem, const plx_device_info *device)
{
    uint32_t kernel;
    const bool has_vector = can_run(PLX_GEMM_MATVEC, problem, device);
    if (has_vector && plx_gemm_matvec_moves(problem) == 0)
        return PLX_GEMM_MATVEC;
    if (find_least_of_f32(problem, device, &kernel) < INFINITY)
        return kernel;
    if (has_vector)
        return PLX_GEMM_MATVEC;
    if (choose_dmma(problem, device, &kernel))
        return kernel;
    return choose_contender(problem, device);
}

static size_t choose_one(const plx_problem *problem, const plx_device_info *device)
{
    if (plx_is_half(problem->dtype))
        return choose_half(problem, device);
    if (problem->compute == PLX_COMPUTE_TF32)
        return choose_tf32(problem, device);
    return problem->compute == PLX_COMPUTE_PLAIN ? choose_plain(problem, device) : choose_from_table(problem, device);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Kernels that take all of a batch in one launch; wgmma-tf32 refuses what is not to be TF32. */
static const uint32_t of_f32_batches[] = {PLX_GEMM_WARP_PER_PRODUCT, PLX_GEMM_MANY_BLOCKS, PLX_GEMM_WGMMA_TF32};
static const uint32_t of_half_batches[] = {PLX_GEMM_WARP_PER_PRODUCT, PLX_GEMM_MMA_DIRECT, PLX_GEMM_WGMMA_ELECTED};

/* Between the beginnings of small launches that follow each other. */
static const double launch_us = 2.2;

static double us_of_batch(const plx_problem *problem, const plx_device_info *device, uint32_t *kernel)
{
    plx_schedule best;
    double us = INFINITY;
    if (plx_is_half(problem->dtype))
        us = find_least(of_half_batches, COUNT(of_half_batches), problem, device, &best);
    else if (problem->dtype == PLX_F32)
        us = find_least(of_f32_batches, COUNT(of_f32_batches), problem, device, &best);
    if (us < INFINITY)
        *kernel = best.kernel;
    return us;
}

/* All at once, or one after the other by the kernel that is best for one. */
static size_t choose_for_batch(const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem one = plx_batch_one(problem);
    const size_t by_itself = choose_one(&one, device);
    plx_schedule schedule;
    uint32_t kernel = 0;
    const double us = us_of_batch(problem, device, &kernel), each = us_of((uint32_t)by_itself, &one, device, &schedule);
    return us < INFINITY && us <= (double)plx_problem_count(problem) * most(each, launch_us) ? kernel : by_itself;
}

size_t plx_gemm_choose(const plx_problem *problem, const plx_device_info *device)
{
    return problem->batch.batched ? choose_for_batch(problem, device) : choose_one(problem, device);
}
