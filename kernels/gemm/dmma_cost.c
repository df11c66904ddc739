/* How the f64 products on the matrix units cut a problem: which tile, and which tiles of C are
 * divided along k so that the last round of blocks leaves no multiprocessor idle. */
#include "dmma.h"

#include "choose.h"
#include "configs.h"
#include "gemm/device/f64/tiles.h"
#include "opencl.h"
#include "wgmma.h"
#include "gemm/device/common/tiles.h"

#include <stdio.h>

/* The clocks are fitted to what a sweep over tiles and parts took on an H200, 40 shapes in two
 * layouts: what the model chooses takes 1.5 % longer than the best, as a mean (doc/experiments.md). */
#define TILE(entry, SIZE, registers, alone, busy)                                                                 \
    {                                                                                                             \
        entry, SIZE##_ROWS, SIZE##_COLS, {SIZE##_WARPS}, SIZE##_THREADS, SIZE##_STAGES, SIZE##_BLOCKS, registers, \
            alone, busy                                                                                           \
    }
#define BULK_TILE(entry, SIZE, alone, busy) TILE(entry, SIZE, SIZE##_REGISTERS, alone, busy)

static const plx_dmma_tile copied[] = {
    TILE("gemm_dmma_large", GEMM_DMMA_LARGE, 0, 1426, 1148), TILE("gemm_dmma_small", GEMM_DMMA_SMALL, 0, 576, 468),
    TILE("gemm_dmma_tiny", GEMM_DMMA_TINY, 0, 430, 290), /* not measured: from the others */
};

static const plx_dmma_tile bulk[] = {
    BULK_TILE("gemm_dmma_bulk_large", GEMM_DMMA_BULK_LARGE, 2120, 1804),
    BULK_TILE("gemm_dmma_bulk_middle", GEMM_DMMA_BULK_MIDDLE, 1110, 1110),
    BULK_TILE("gemm_dmma_bulk_square", GEMM_DMMA_BULK_SQUARE, 896, 600),
    BULK_TILE("gemm_dmma_bulk_small", GEMM_DMMA_BULK_SMALL, 422, 320),
    BULK_TILE("gemm_dmma_bulk_tiny", GEMM_DMMA_BULK_TINY, 320, 200),
    BULK_TILE("gemm_dmma_bulk_flat", GEMM_DMMA_BULK_FLAT, 499, 360),
    BULK_TILE("gemm_dmma_bulk_tall", GEMM_DMMA_BULK_TALL, 397, 384),
};

/* Rates are bytes a clock for each multiprocessor. */
enum {
    MOST_PARTS = 127,     /* as configurations are numbered */
    LOAD_RATE = 92,       /* of a stage, at the least */
    LOAD_COST_RATE = 265, /* besides the products: what bringing a stage takes of power and of L2 */
    STORE_RATE = 31,
    MEMORY_RATE = 14,
    SUM_RATE = 22,
    LAUNCH_CLOCKS = 3400, /* of one launch more, begun early */
    LATE_CLOCKS = 5000,   /* more of it in OpenCL, where none begins early */
    MAPS_CLOCKS = 2000,   /* until each block has made its tensor maps, in OpenCL */
    ITEM_CLOCKS = 700,    /* from the last product of an item to the first of the next, without C */
    PART_CLOCKS = 100,    /* of the sum, for each part that a thread adds */
    CLOCKS_PER_US = 1980
};

/* Indices are 32 bits wide in the device code: divisions of 64 bits are seen in the time of small
 * products.  A little less than that, so that no sum of them overflows. */
#define MOST (INT32_MAX - 65536)

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Steps along k; 0 when there is nothing to sum. */
static int64_t steps_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return p->alpha == 0.0 ? 0 : quotient_up(p->k, GEMM_DMMA_DEPTH);
}

uint64_t plx_dmma_shared(const plx_dmma_tile *tile)
{
    uint64_t stage = (uint64_t)(tile->rows + tile->cols) * GEMM_DMMA_DEPTH * 8;
    return (uint64_t)tile->stages * (stage + 16) + 1024;
}

/* OpenCL tells of less than a work-group gets where local memory is declared in the kernel. */
static uint64_t room_of(const plx_device_info *device)
{
    return plx_gemm_opencl_has_ptx(device) ? 227 << 10 : device->max_shared_bytes;
}

static bool has_room(const plx_dmma_tile *tile, const plx_device_info *device)
{
    return plx_dmma_shared(tile) <= room_of(device) && tile->threads <= device->max_block_threads;
}

static bool is_opencl(const plx_device_info *device)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX;
}

static double clocks_of_launch(const plx_device_info *device)
{
    return LAUNCH_CLOCKS + (is_opencl(device) ? LATE_CLOCKS : 0);
}

static int64_t units_of(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}

int32_t plx_dmma_slices(int64_t parts)
{
    int32_t slices = 1;
    while (slices < 16 && parts >= 12 * (int64_t)slices)
        slices *= 2;
    return slices;
}

/* What the multiprocessor with the most to do has: tiles, and parts of tiles. */
typedef struct share {
    double tiles, parts, steps, blocks_per_sm;
} share;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static share largest_share(const plx_dmma_tiling *cut, int64_t steps, const plx_device_info *device)
{
    int64_t units = units_of(device), tiles = quotient_up(cut->whole, units),
            parts = quotient_up(cut->items - cut->whole, units);
    return (share){
        .tiles = (double)tiles,
        .parts = (double)parts,
        .steps = (double)(tiles * steps + parts * quotient_up(steps, cut->parts)),
        .blocks_per_sm = (double)smaller(cut->tile->blocks, tiles + parts),
    };
}

/* A block's items one after the other, each at the speed of a block alone. */
static double clocks_of_chain(const plx_dmma_tiling *cut, const share *most, double steps)
{
    double of_one = most->tiles > 0 ? steps : (double)quotient_up((int64_t)steps, cut->parts);
    double items = most->tiles > 0 ? most->tiles : most->parts;
    return cut->tile->alone * of_one * (double)quotient_up((int64_t)items, cut->tile->blocks);
}

static double clocks_of_products(const plx_dmma_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_dmma_tile *tile = cut->tile;
    const share most = largest_share(cut, steps_of(problem), device);
    double loaded = (tile->rows + tile->cols) * GEMM_DMMA_DEPTH * 8, items = most.tiles + most.parts;
    double step = larger(larger(tile->alone / most.blocks_per_sm, tile->busy), loaded / LOAD_RATE);
    double products = larger(step * most.steps, clocks_of_chain(cut, &most, (double)steps_of(problem)));
    return products + most.steps * loaded / LOAD_COST_RATE + items * tile->rows * tile->cols * 8 / STORE_RATE +
           items / most.blocks_per_sm * ITEM_CLOCKS;
}

/* Adding up the parts, a launch of its own. */
static double clocks_of_sum(const plx_dmma_tiling *cut, const plx_device_info *device)
{
    double bytes = (double)(cut->items - cut->whole) * cut->tile->rows * cut->tile->cols * 8;
    return clocks_of_launch(device) + PART_CLOCKS * (double)quotient_up(cut->parts, plx_dmma_slices(cut->parts)) +
           bytes / (SUM_RATE * (double)units_of(device));
}

/* What the multiprocessor with the most to do has of all steps, over an even share. */
static double imbalance(const plx_dmma_tiling *cut, int64_t steps, const plx_device_info *device)
{
    const double all = (double)cut->tiles * (double)steps;
    return all > 0 ? largest_share(cut, steps, device).steps * (double)units_of(device) / all : 1;
}

/* No product is faster than its operands come from memory, to those that have the most to do. */
static double least_clocks(const plx_dmma_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return (m * k + k * n + m * n) * 8 / (MEMORY_RATE * (double)units_of(device)) *
           imbalance(cut, steps_of(problem), device);
}

static double clocks_of_cut(const plx_dmma_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    double clocks = larger(clocks_of_products(cut, problem, device), least_clocks(cut, problem, device));
    return cut->items > cut->whole ? clocks + clocks_of_sum(cut, device) : clocks;
}

/* Reading and writing so many elements. */
static double clocks_of_pack(double elements, const plx_device_info *device)
{
    return 2 * elements * 8 / (SUM_RATE * (double)units_of(device));
}

/* With what tiles are left of full rounds in `parts`; a round is `beside` blocks on each
 * multiprocessor. */
static plx_dmma_tiling divided(const plx_dmma_tile *tile, int64_t tiles, int64_t parts, int64_t beside,
                               const plx_device_info *device)
{
    int64_t over = tiles % (units_of(device) * beside);
    plx_dmma_tiling cut = {.tile = tile, .tiles = tiles, .whole = tiles, .parts = 1, .items = tiles};
    if (parts > 1 && over > 0) {
        cut.whole = tiles - over;
        cut.parts = parts;
        cut.items = cut.whole + over * parts;
    }
    return cut;
}

/* False when there are too many tiles to count. */
static bool count_tiles(const plx_dmma_tile *tile, const plx_problem *problem, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return !__builtin_mul_overflow(quotient_up(p->m, tile->rows), quotient_up(p->n, tile->cols), tiles) &&
           *tiles <= MOST;
}

/* What a walk over the cuts of a kernel brings with it. */
typedef struct walk {
    const plx_problem *problem;
    const plx_device_info *device;
    void (*visit)(struct walk *walk, size_t tile, int64_t beside, const plx_dmma_tiling *cut);
    plx_dmma_tiling best;
    plx_gemm_config config;    /* of the best; of keep_wanted: the one that is looked for */
    plx_gemm_listing *listing; /* of list */
    double beginning;          /* clocks, besides those of each cut */
    double limit;              /* of keep_better: clocks above which a cut is of no use */
} walk;

static plx_gemm_config config_of(size_t tile, int64_t beside, const plx_dmma_tiling *cut)
{
    return (plx_gemm_config){.tile = (uint32_t)tile, .cluster = (uint32_t)beside, .parts = (uint32_t)cut->parts};
}

static void keep_better(walk *w, size_t tile, int64_t beside, const plx_dmma_tiling *cut)
{
    if (w->best.tile != NULL && cut->clocks >= w->best.clocks)
        return;
    w->best = *cut;
    w->config = config_of(tile, beside, cut);
    w->limit = cut->clocks < w->limit ? cut->clocks : w->limit;
}

static void visit_divided(walk *w, const plx_dmma_tile *tile, size_t place, int64_t tiles, int64_t parts,
                          int64_t beside)
{
    plx_dmma_tiling cut = divided(tile, tiles, parts, beside, w->device);
    if (cut.parts != parts)
        return;
    cut.clocks = clocks_of_cut(&cut, w->problem, w->device);
    w->visit(w, place, beside, &cut);
}

/* What no cut of a tile in so many parts, or more, takes less than: even shares, at the rate of full multiprocessors,
 * and the parts written and read. */
static double fewest_clocks(const walk *w, const plx_dmma_tile *tile, int64_t tiles, int64_t parts, int64_t beside)
{
    const double units = (double)units_of(w->device), over = (double)(tiles % (units_of(w->device) * beside));
    const double products = (double)tiles * (double)steps_of(w->problem) / units * tile->busy;
    const double bytes = over * (double)parts * tile->rows * tile->cols * 8;
    return products + clocks_of_launch(w->device) + bytes / (SUM_RATE * units);
}

/* Whether a round of one block less on each multiprocessor leaves as many tiles. */
static bool same_rounds(int64_t tiles, int64_t beside, const plx_device_info *device)
{
    int64_t units = units_of(device);
    return beside > 1 && tiles % (units * beside) == tiles % (units * (beside - 1));
}

/* Every part has a step at least: an empty one would be a tile of zeros to write and add. */
static void each_of_tile(walk *w, const plx_dmma_tile *tile, size_t place)
{
    int64_t tiles, most_parts = smaller(MOST_PARTS, steps_of(w->problem));

    if (!has_room(tile, w->device) || !count_tiles(tile, w->problem, &tiles))
        return;
    visit_divided(w, tile, place, tiles, 1, 1);
    for (int64_t beside = 1; beside <= tile->blocks; beside++)
        for (int64_t parts = 2; parts <= most_parts && !same_rounds(tiles, beside, w->device); parts++) {
            if (w->visit == keep_better && fewest_clocks(w, tile, tiles, parts, beside) > w->limit)
                break;
            visit_divided(w, tile, place, tiles, parts, beside);
        }
}

/* Indices of C and of k are counted in 32 bits: larger problems have no cuts. */
static void each_cut(plx_dmma_kernel kernel, walk *w)
{
    const plx_gemm_problem *p = &w->problem->of.gemm;
    const plx_dmma_tile *tiles = kernel == PLX_DMMA ? copied : bulk;
    size_t count = kernel == PLX_DMMA ? sizeof copied / sizeof copied[0] : sizeof bulk / sizeof bulk[0];

    if (p->m > MOST || p->n > MOST || p->k > MOST)
        return;
    for (size_t i = 0; i < count; i++)
        each_of_tile(w, &tiles[i], i);
}

/* ---- configurations ----------------------------------------------------------------- */

static void keep_wanted(walk *w, size_t tile, int64_t beside, const plx_dmma_tiling *cut)
{
    const plx_gemm_config config = config_of(tile, beside, cut);
    if (plx_gemm_config_number(&config) == plx_gemm_config_number(&w->config))
        w->best = *cut;
}

static bool find_cut(plx_dmma_kernel kernel, const plx_problem *problem, const plx_device_info *device, walk *w)
{
    *w = (walk){.problem = problem, .device = device, .visit = keep_better, .limit = (double)INT64_MAX};
    if (problem->config != 0) {
        w->visit = keep_wanted;
        w->config = plx_gemm_config_of(problem);
    }
    each_cut(kernel, w);
    return w->best.tile != NULL;
}

plx_dmma_tiling plx_dmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                   const plx_schedule *schedule)
{
    const plx_dmma_tile *tile = &(schedule->kernel == PLX_GEMM_DMMA ? copied : bulk)[schedule->tile];
    int64_t tiles = 0;
    (void)count_tiles(tile, problem, &tiles);
    return divided(tile, tiles, schedule->split_k, schedule->ctas_per_sm, device);
}

/* Before the first copy: maps, and operands whose rows are no multiple of 16 bytes apart, in a launch of
 * their own. */
static double clocks_of_beginning(plx_dmma_kernel kernel, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double clocks = kernel == PLX_DMMA_BULK && is_opencl(device) ? MAPS_CLOCKS : 0;

    if (kernel == PLX_DMMA_BULK && (p->lda % 2 != 0 || p->ldb % 2 != 0))
        clocks += clocks_of_launch(device);
    if (kernel == PLX_DMMA_BULK && p->lda % 2 != 0)
        clocks += clocks_of_pack((double)p->m * (double)p->k, device);
    if (kernel == PLX_DMMA_BULK && p->ldb % 2 != 0)
        clocks += clocks_of_pack((double)p->k * (double)p->n, device);
    return clocks;
}

/* ---- schedules --------------------------------------------------------------------- */

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

static void find_paths(const plx_problem *problem, bool unaligned, plx_schedule *schedule)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    schedule->paths[0] = unaligned || p->lda % 2 != 0 ? PLX_PATH_PACKED : PLX_PATH_TMA;
    schedule->paths[1] = unaligned || p->ldb % 2 != 0 ? PLX_PATH_PACKED : PLX_PATH_TMA;
}

static plx_status schedule_of(plx_dmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                              plx_schedule *schedule, plx_error *error)
{
    walk w;
    if (problem->compute != PLX_COMPUTE_PLAIN || problem->dtype != PLX_F64)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f64 alone");
    if (!find_cut(kernel, problem, device, &w))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs 49 KiB of shared memory per block, and sizes and tiles of C below 2^31");
    schedule->tile = w.config.tile;
    schedule->ctas_per_sm = (int32_t)w.config.cluster;
    schedule->split_k = (int32_t)w.config.parts;
    schedule->us = (w.best.clocks + clocks_of_beginning(kernel, problem, device)) / CLOCKS_PER_US;
    return PLX_OK;
}

plx_status plx_dmma_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                             plx_error *error)
{
    const plx_status status = needs_matrix_units(device, error);
    return status == PLX_OK ? schedule_of(PLX_DMMA, problem, device, schedule, error) : status;
}

plx_status plx_dmma_bulk_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                  plx_error *error)
{
    const plx_status status = plx_needs_9_0(device, error);
    find_paths(problem, false, schedule);
    return status == PLX_OK ? schedule_of(PLX_DMMA_BULK, problem, device, schedule, error) : status;
}

plx_status plx_dmma_bulk_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                   plx_error *error)
{
    (void)device;
    (void)error;
    find_paths(problem, true, schedule);
    return PLX_OK;
}

/* "128x96/4r2": parts of the tiles that rounds of two blocks on each multiprocessor leave. */
static void list(walk *w, size_t tile, int64_t beside, const plx_dmma_tiling *cut)
{
    const plx_gemm_config config = config_of(tile, beside, cut);
    char parts[24] = "", rounds[16] = "";
    if (cut->parts > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)cut->parts);
    if (beside > 1)
        (void)snprintf(rounds, sizeof rounds, "r%d", (int)beside);
    plx_gemm_list(w->listing, &config, (cut->clocks + w->beginning) / CLOCKS_PER_US, "%dx%d%s%s", cut->tile->rows,
                  cut->tile->cols, parts, rounds);
}

static size_t list_all(plx_dmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                       plx_gemm_listing listing)
{
    walk w = {
        .problem = problem, .device = device, .visit = keep_better, .listing = &listing, .limit = (double)INT64_MAX};
    w.beginning = clocks_of_beginning(kernel, problem, device);
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0 || steps_of(problem) == 0)
        return 0;
    each_cut(kernel, &w);
    listing.own = plx_gemm_config_number(&w.config);
    w.visit = list;
    each_cut(kernel, &w);
    return listing.count;
}

size_t plx_dmma_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs, size_t capacity)
{
    return list_all(PLX_DMMA, problem, device, (plx_gemm_listing){configs, capacity, .own = 0});
}

size_t plx_dmma_bulk_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                             size_t capacity)
{
    return list_all(PLX_DMMA_BULK, problem, device, (plx_gemm_listing){configs, capacity, .own = 0});
}

/* ---- depth ----------------------------------------------------------------------------- */

/* The matrix units add the products of k one after the other; where every tile is divided, a term
 * meets those of its part, and then the other parts. */
int64_t plx_dmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t k = problem->of.gemm.k;
    const plx_dmma_tiling cut = plx_dmma_tiling_by(problem, device, schedule);

    if (cut.whole > 0 || cut.parts == 1)
        return k;
    return smaller(k, quotient_up(steps_of(problem), cut.parts) * GEMM_DMMA_DEPTH + cut.parts - 1);
}
