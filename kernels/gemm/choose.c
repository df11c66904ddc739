/* Which kernel `auto` takes: the one whose modelled time is the least. */
#include "choose.h"

#include "copied.h"
#include "dmma.h"
#include "few.h"
#include "kernels/operation.h"
#include "mapless.h"
#include "operation.h"
#include "stream.h"
#include "tiled.h"
#include "vector.h"

#include <math.h>

/* How a kernel fares: its speed on a device that it fills, and the blocks that fill one
 * multiprocessor.  Fewer blocks leave the device idle in proportion. */
typedef struct contender {
    size_t row;
    plx_gemm_geometry (*geometry)(const plx_problem *problem, const plx_device_info *device);
    plx_status (*recipe)(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         plx_error *error);
    double speed;
    double blocks_per_unit;
} contender;

static const contender contenders[] = {
    {PLX_GEMM_DOUBLE_BUFFER, plx_gemm_double_buffer_geometry, plx_gemm_double_buffer_recipe, 45.0, 2.0},
    {PLX_GEMM_TILE_1D, plx_gemm_tile_1d_geometry, plx_gemm_tile_1d_recipe, 21.0, 3.0},
    {PLX_GEMM_SMEM_BLOCK, plx_gemm_smem_block_geometry, plx_gemm_smem_block_recipe, 6.8, 2.0},
    {PLX_GEMM_NAIVE, plx_gemm_naive_geometry, plx_gemm_naive_recipe, 0.5, 8.0},
};

/* Time in units of its own, for one step along k: rounds of blocks, times a block's work. */
static double cost(const contender *kernel, const plx_problem *problem, const plx_device_info *device)
{
    plx_gemm_geometry shape = kernel->geometry(problem, device);
    double slots = kernel->blocks_per_unit * (device->units > 0 ? device->units : 1);
    double area = (double)shape.tile_rows * (double)shape.tile_cols;
    int64_t tiles;

    if (!plx_gemm_count_tiles(problem, &shape, &tiles))
        return (double)INT64_MAX;
    double rounds = tiles > 0 ? (double)(int64_t)(((double)tiles - 1.0) / slots) + 1.0 : 0.0;
    return rounds * area * slots / kernel->speed;
}

static bool runs(plx_status (*recipe)(const plx_problem *, const plx_device_info *, plx_recipe *, plx_error *),
                 const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe ignored;
    plx_error reason;
    return recipe(problem, device, &ignored, &reason) == PLX_OK;
}

/* The kernels of compute capability 9.0 and their twins in OpenCL, whose models tell microseconds. */
typedef struct modelled {
    size_t row;
    plx_status (*recipe)(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         plx_error *error);
    double (*cost)(const plx_problem *problem, const plx_device_info *device);
} modelled;

static double least_cost(const plx_gemm_cuts *cuts, const plx_problem *problem, const plx_device_info *device)
{
    plx_gemm_cut cut = plx_gemm_best_cut(cuts, problem, device);
    return cuts->cost(problem, device, &cut);
}

static double split_k_cost(const plx_problem *problem, const plx_device_info *device)
{
    return least_cost(plx_gemm_split_k_cuts(device), problem, device);
}

static double stream_k_cost(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_cut cut = plx_gemm_best_stream(problem, device);
    return plx_gemm_stream_cost(problem, device, &cut);
}

static double async_copy_cost(const plx_problem *problem, const plx_device_info *device)
{
    return least_cost(plx_gemm_async_copy_cuts(device), problem, device);
}

static double many_blocks_cost(const plx_problem *problem, const plx_device_info *device)
{
    return least_cost(&plx_gemm_many_cuts, problem, device);
}

static const modelled models[] = {
    {PLX_GEMM_SPLIT_K, plx_gemm_split_k_recipe, split_k_cost},
    {PLX_GEMM_STREAM_K, plx_gemm_stream_k_recipe, stream_k_cost},
    {PLX_GEMM_ASYNC_COPY, plx_gemm_async_copy_recipe, async_copy_cost},
    {PLX_GEMM_MANY_BLOCKS, plx_gemm_many_blocks_recipe, many_blocks_cost},
    {PLX_GEMM_SHORT_K, plx_gemm_short_k_recipe, plx_gemm_short_cost},
    {PLX_GEMM_FEW_ROWS, plx_gemm_few_rows_recipe, plx_gemm_few_cost},
    {PLX_GEMM_MATVEC, plx_gemm_matvec_recipe, plx_gemm_matvec_cost},
};

/* Where split-k would take whole tiles, the kernel that knows no parts. */
static size_t plainest(const plx_problem *problem, const plx_device_info *device, size_t row)
{
    plx_gemm_cut cut = plx_gemm_best_cut(plx_gemm_split_k_cuts(device), problem, device);
    bool whole = cut.tile == &plx_gemm_tiles[0] && cut.cluster * cut.clusters == 1 && cut.edge_blocks == 0;
    return row == PLX_GEMM_SPLIT_K && whole ? PLX_GEMM_BULK_PIPELINE : row;
}

/* The row whose modelled time is the least, and that time; infinite where there are none: in OpenCL of others
 * than NVIDIA they run, but nothing was measured. */
static double choose_modelled(const plx_problem *problem, const plx_device_info *device, size_t *row)
{
    double least = INFINITY;
    if (plx_gemm_mapless(device) && !plx_gemm_mapless_fast(device))
        return least;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (!runs(models[i].recipe, problem, device))
            continue;
        double cost = models[i].cost(problem, device);
        if (cost >= least)
            continue;
        *row = models[i].row;
        least = cost;
    }
    if (isfinite(least))
        *row = plainest(problem, device, *row);
    return least;
}

double plx_gemm_modelled_us(const plx_problem *problem, const plx_device_info *device)
{
    size_t ignored;
    return choose_modelled(problem, device, &ignored);
}

/* f64 in CUDA where there are matrix units for it at full rate; false elsewhere. */
static bool choose_dmma(const plx_problem *problem, const plx_device_info *device, size_t *row)
{
    bool fast = device->compute_major == 9 || (device->compute_major == 8 && device->compute_minor == 0);

    if (!fast || !runs(plx_dmma_recipe, problem, device))
        return false;
    *row = PLX_GEMM_DMMA;
    if (runs(plx_dmma_bulk_recipe, problem, device) &&
        plx_dmma_clocks(PLX_DMMA_BULK, problem, device) <= plx_dmma_clocks(PLX_DMMA, problem, device))
        *row = PLX_GEMM_DMMA_BULK;
    return true;
}

size_t plx_gemm_choose(const plx_problem *problem, const plx_device_info *device)
{
    size_t best = PLX_GEMM_NAIVE;
    double least = 0.0;
    bool any = false;

    if (plx_is_half(problem->dtype) || problem->compute != PLX_COMPUTE_PLAIN)
        return plx_gemm_choose_units(problem, device);
    const bool has_vector = runs(plx_gemm_matvec_recipe, problem, device);
    if (has_vector && plx_gemm_matvec_moves(problem) == 0)
        return PLX_GEMM_MATVEC;
    if (isfinite(choose_modelled(problem, device, &best)))
        return best;
    if (has_vector)
        return PLX_GEMM_MATVEC;
    if (choose_dmma(problem, device, &best))
        return best;
    for (size_t i = 0; i < sizeof contenders / sizeof contenders[0]; i++) {
        plx_recipe recipe;
        plx_error error;
        double time = cost(&contenders[i], problem, device);
        if ((any && time >= least) || contenders[i].recipe(problem, device, &recipe, &error) != PLX_OK)
            continue;
        best = contenders[i].row;
        least = time;
        any = true;
    }
    return best;
}
