/* dmma and dmma-bulk, f64 on the tensor cores: which tile, and which tiles of C are divided along k so that the last
 * wave of blocks leaves no multiprocessor idle; and what that costs. */
#include "kernels/arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "tensor.h"

#include <stdio.h>

enum { MOST_PARTS = 127 }; /* as configurations are numbered */

/* ---- the cost, in clocks ------------------------------------------------------------------ */

/* Rates are bytes a clock for each multiprocessor. */
#define RATES(X)                                                                                          \
    X(clock_mhz, 500, 4000)                                                                               \
    X(load_rate, 1, 1e4)      /* of a stage, at the least */                                              \
    X(load_cost_rate, 1, 1e4) /* besides the products: what bringing a stage takes of power and of L2 */  \
    X(store_rate, 1, 1e4)                                                                                 \
    X(memory_rate, 1, 1e4)                                                                                \
    X(sum_rate, 1, 1e4)                                                                                   \
    X(launch_clocks, 100, 1e5) /* of one launch more, begun early */                                      \
    X(late_clocks, 100, 1e5)   /* more of it in OpenCL, where none begins early */                        \
    X(maps_clocks, 100, 1e5)   /* until each block has made its tensor maps, in OpenCL */                 \
    X(item_clocks, 10, 1e5)    /* from the last product of an item to the first of the next, without C */ \
    X(part_clocks, 1, 1e5)     /* of the sum, for each part that a thread adds */
/* For one k-tile: of one block alone, which waits for its own operands, and of the tensor cores for each block where
 * there are enough. */
#define TILE_RATES(X) \
    X(alone, 10, 1e5) \
    X(busy, 10, 1e5)
typedef struct tile_rates {
    TILE_RATES(PLX_GEMM_FIELD)
} tile_rates;
typedef struct dmma_rates {
    RATES(PLX_GEMM_FIELD)
    tile_rates tiles[PLX_DMMA_BULK_TILES];
} dmma_rates;

static const dmma_rates copied_rates = {
#include "rates/cuda-9.0/dmma.h"
};
static const dmma_rates bulk_rates = {
#include "rates/cuda-9.0/dmma-bulk.h"
};

static const dmma_rates *rates_of(uint32_t kernel)
{
    return kernel == PLX_GEMM_DMMA ? &copied_rates : &bulk_rates;
}

/* OpenCL tells of less than a work-group gets where local memory is declared in the kernel. */
static bool has_room(const plx_dmma_tile *tile, const plx_device_info *device)
{
    const uint64_t room = plx_gemm_opencl_has_ptx(device) ? 227 << 10 : device->max_shared_bytes;
    return plx_dmma_shared(tile) <= room && tile->threads <= device->max_block_threads;
}

static bool is_opencl(const plx_device_info *device)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX;
}

static double clocks_of_launch(const plx_device_info *device, const dmma_rates *by)
{
    return by->launch_clocks + (is_opencl(device) ? by->late_clocks : 0);
}

/* What the multiprocessor with the most to do has: tiles, and parts of tiles. */
typedef struct share {
    double tiles, parts, steps, blocks_per_sm;
} share;

static share largest_share(const plx_dmma_tiling *tiling, int64_t steps, const plx_device_info *device)
{
    int64_t units = plx_gemm_sms(device), tiles = quotient_up(tiling->work.whole, units),
            parts = quotient_up(tiling->work.items - tiling->work.whole, units);
    return (share){
        .tiles = (double)tiles,
        .parts = (double)parts,
        .steps = (double)(tiles * steps + parts * quotient_up(steps, tiling->work.parts)),
        .blocks_per_sm = (double)smaller(tiling->tile->blocks, tiles + parts),
    };
}

/* A block's items one after the other, each at the speed of a block alone. */
static double clocks_of_chain(const plx_dmma_tiling *tiling, const share *largest, double steps, const tile_rates *rate)
{
    double of_one = largest->tiles > 0 ? steps : (double)quotient_up((int64_t)steps, tiling->work.parts);
    double items = largest->tiles > 0 ? largest->tiles : largest->parts;
    return rate->alone * of_one * (double)quotient_up((int64_t)items, tiling->tile->blocks);
}

static double clocks_of_products(const plx_dmma_tiling *tiling, const plx_problem *problem,
                                 const plx_device_info *device, const dmma_rates *by, const tile_rates *rate)
{
    const plx_dmma_tile *tile = tiling->tile;
    const share largest = largest_share(tiling, plx_dmma_k_tiles(problem), device);
    double loaded = (tile->rows + tile->cols) * GEMM_DMMA_DEPTH * 8, items = largest.tiles + largest.parts;
    double step = most(most(rate->alone / largest.blocks_per_sm, rate->busy), loaded / by->load_rate);
    double products =
        most(step * largest.steps, clocks_of_chain(tiling, &largest, (double)plx_dmma_k_tiles(problem), rate));
    return products + largest.steps * loaded / by->load_cost_rate +
           items * tile->rows * tile->cols * 8 / by->store_rate + items / largest.blocks_per_sm * by->item_clocks;
}

/* Adding up the parts, a launch of its own. */
static double clocks_of_sum(const plx_dmma_tiling *tiling, const plx_device_info *device, const dmma_rates *by)
{
    double bytes = (double)(tiling->work.items - tiling->work.whole) * tiling->tile->rows * tiling->tile->cols * 8;
    return clocks_of_launch(device, by) +
           by->part_clocks * (double)quotient_up(tiling->work.parts, plx_dmma_slices(tiling->work.parts)) +
           bytes / (by->sum_rate * (double)plx_gemm_sms(device));
}

/* What the multiprocessor with the most to do has of all steps, over an even share. */
static double imbalance(const plx_dmma_tiling *tiling, int64_t steps, const plx_device_info *device)
{
    const double all = (double)tiling->work.tiles * (double)steps;
    return all > 0 ? largest_share(tiling, steps, device).steps * (double)plx_gemm_sms(device) / all : 1;
}

/* No product is faster than its operands come from memory, to those that have the most to do. */
static double least_clocks(const plx_dmma_tiling *tiling, const plx_problem *problem, const plx_device_info *device,
                           const dmma_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return (m * k + k * n + m * n) * 8 / (by->memory_rate * (double)plx_gemm_sms(device)) *
           imbalance(tiling, plx_dmma_k_tiles(problem), device);
}

/* Before the first copy: maps, and operands whose rows are no multiple of 16 bytes apart, in a launch of
 * their own. */
static double clocks_of_packing(const plx_problem *problem, const plx_device_info *device, const dmma_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double of_element = 2 * 8 / (by->sum_rate * (double)plx_gemm_sms(device));
    if (p->lda % 2 == 0 && p->ldb % 2 == 0)
        return 0;
    return clocks_of_launch(device, by) + (p->lda % 2 != 0 ? (double)p->m * (double)p->k * of_element : 0) +
           (p->ldb % 2 != 0 ? (double)p->k * (double)p->n * of_element : 0);
}

static double us_of(uint32_t kernel, const plx_dmma_tiling *tiling, const plx_problem *problem,
                    const plx_device_info *device, const dmma_rates *by)
{
    size_t count;
    const tile_rates *rate = &by->tiles[tiling->tile - plx_dmma_tiles(kernel, &count)];
    const bool is_bulk = kernel == PLX_GEMM_DMMA_BULK;
    const plx_gemm_terms clocks = {
        .math = clocks_of_products(tiling, problem, device, by, rate),
        .memory = least_clocks(tiling, problem, device, by),
        .join = tiling->work.items > tiling->work.whole ? clocks_of_sum(tiling, device, by) : 0,
        .pack = is_bulk ? (is_opencl(device) ? by->maps_clocks : 0) + clocks_of_packing(problem, device, by) : 0,
    };
    return plx_gemm_us(&clocks) / by->clock_mhz;
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_dmma_tiling tiling = plx_dmma_tiling_by(problem, device, schedule);
    return us_of(schedule->kernel, &tiling, problem, device, rates);
}

/* ---- schedules ---------------------------------------------------------------------------- */

/* What no tiling in so many parts, or more, takes less than: even shares, at the rate of full multiprocessors, and the
 * parts written and read. */
static double fewest_us(const plx_gemm_search *search, const plx_dmma_tile *tile, int64_t tiles, int64_t parts,
                        int64_t wave, const dmma_rates *by)
{
    size_t count;
    const double units = (double)plx_gemm_sms(search->device), over = (double)(tiles % wave);
    const double busy = by->tiles[tile - plx_dmma_tiles(search->kernel, &count)].busy;
    const double loaded = (tile->rows + tile->cols) * GEMM_DMMA_DEPTH * 8, c = (double)tile->rows * tile->cols * 8;
    const double k_tiles = (double)tiles * (double)plx_dmma_k_tiles(search->problem) / units;
    const double items = ((double)tiles + over * (double)(parts - 1)) / units;
    const double products = k_tiles * (most(busy, loaded / by->load_rate) + loaded / by->load_cost_rate) +
                            items * (c / by->store_rate + by->item_clocks / tile->blocks);
    return (products + clocks_of_launch(search->device, by) + over * (double)parts * c / (by->sum_rate * units)) /
           by->clock_mhz;
}

/* With what tiles are left of full waves in `parts`; a wave is `beside` blocks on each multiprocessor. */
static void visit(plx_gemm_search *search, size_t tile, int64_t parts, int64_t beside)
{
    plx_schedule schedule = {
        .kernel = search->kernel, .tile = (uint32_t)tile, .split_k = (int32_t)parts, .ctas_per_sm = (int32_t)beside};
    const plx_dmma_tiling tiling = plx_dmma_tiling_by(search->problem, search->device, &schedule);
    if (tiling.work.parts != parts)
        return;
    schedule.us = us_of(search->kernel, &tiling, search->problem, search->device, rates_of(search->kernel));
    search->visit(search, &schedule);
}

/* Whether a wave of one block less on each multiprocessor leaves as many tiles. */
static bool same_waves(int64_t tiles, int64_t beside, int64_t units)
{
    return beside > 1 && tiles % (units * beside) == tiles % (units * (beside - 1));
}

/* Every part has a k-tile at least: an empty one would be a tile of zeros to write and add. */
static void each_of_tile(plx_gemm_search *search, const plx_dmma_tile *tile, size_t place)
{
    const int64_t units = plx_gemm_sms(search->device),
                  most_parts = smaller(MOST_PARTS, plx_dmma_k_tiles(search->problem));
    int64_t tiles;
    if (!has_room(tile, search->device) || !plx_dmma_count_tiles(tile, search->problem, &tiles))
        return;
    visit(search, place, 1, 1);
    for (int64_t beside = 1; beside <= tile->blocks; beside++)
        for (int64_t parts = 2; parts <= most_parts && !same_waves(tiles, beside, units); parts++) {
            if (tiles % (units * beside) == 0 ||
                fewest_us(search, tile, tiles, parts, units * beside, rates_of(search->kernel)) > search->limit)
                break;
            visit(search, place, parts, beside);
        }
}

/* Indices of C and of k are counted in 32 bits. */
static void each(plx_gemm_search *search)
{
    const plx_gemm_problem *p = &search->problem->of.gemm;
    size_t count;
    const plx_dmma_tile *tiles = plx_dmma_tiles(search->kernel, &count);
    if (p->m > PLX_GEMM_MOST_INDEX || p->n > PLX_GEMM_MOST_INDEX || p->k > PLX_GEMM_MOST_INDEX)
        return;
    for (size_t i = 0; i < count; i++)
        each_of_tile(search, &tiles[i], i);
}

static plx_gemm_config config_of(const plx_schedule *s)
{
    return (plx_gemm_config){.tile = s->tile, .cluster = (uint32_t)s->ctas_per_sm, .parts = (uint32_t)s->split_k};
}

/* "128x96/4r2": parts of the tiles that waves of two blocks on each multiprocessor leave. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    size_t count;
    const plx_dmma_tile *tile = &plx_dmma_tiles(schedule->kernel, &count)[schedule->tile];
    char parts[24] = "", beside[16] = "";
    (void)problem;
    (void)device;
    if (schedule->split_k > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)schedule->split_k);
    if (schedule->ctas_per_sm > 1)
        (void)snprintf(beside, sizeof beside, "r%d", (int)schedule->ctas_per_sm);
    (void)snprintf(name, size, "%dx%d%s%s", tile->rows, tile->cols, parts, beside);
}

static plx_status check_f64(const plx_problem *problem, plx_error *error)
{
    if (problem->compute != PLX_COMPUTE_PLAIN || problem->dtype != PLX_F64)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f64 alone");
    return PLX_OK;
}

static plx_status needs_matrix_units(const plx_device_info *device, plx_error *error)
{
    const uint32_t major = device->compute_major, minor = device->compute_minor;

    if (major == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "needs the f64 matrix units of NVIDIA's GPUs");
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) && !plx_gemm_opencl_has_ptx(device))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs CUDA, or in OpenCL compute capability 9.0; this device has %u.%u", major, minor);
    if (major < 8)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs f64 matrix units, from compute capability 8.0 on; this device has %u.%u", major, minor);
    return PLX_OK;
}

static plx_status check_copied(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = needs_matrix_units(device, error);
    return status == PLX_OK ? check_f64(problem, error) : status;
}

static plx_status check_bulk(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = plx_needs_9_0(device, error);
    return status == PLX_OK ? check_f64(problem, error) : status;
}

static void paths(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    (void)device;
    schedule->paths[0] = unaligned || p->lda % 2 != 0 ? PLX_PATH_PACKED : PLX_PATH_TMA;
    schedule->paths[1] = unaligned || p->ldb % 2 != 0 ? PLX_PATH_PACKED : PLX_PATH_TMA;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE)}, of_tile[] = {TILE_RATES(PLX_GEMM_RANGE)};

#define FAMILY                                                                                            \
    .each = each, .none = "needs 49 KiB of shared memory per block, and sizes and tiles of C below 2^31", \
    .config = config_of, .name = name_of, .us = us
const plx_gemm_family plx_dmma_family = {
    .check = check_copied,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_DMMA_TILES), &copied_rates},
    FAMILY,
};
const plx_gemm_family plx_dmma_bulk_family = {
    .check = check_bulk,
    .paths = paths,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_DMMA_BULK_TILES), &bulk_rates},
    FAMILY,
};
