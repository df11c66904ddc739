/* The cost of a cut of async-copy: a model of the device's time, in microseconds. */
#include "cp_async.h"
#include "opencl.h"
#include "models.h"
#include "enumerate.h"

#include "gemm/device/common/tiles.h"

#include <string.h>

static const char *const entries[PLX_GEMM_CP_ASYNC_TILES] = {
    "gemm_async_copy_128x128", "gemm_async_copy_128x96", "gemm_async_copy_96x128", "gemm_async_copy_128x64",
    "gemm_async_copy_64x128",  "gemm_async_copy_256x48", "gemm_async_copy_48x256", "gemm_async_copy_64x64",
    "gemm_async_copy_128x32",  "gemm_async_copy_32x128", "gemm_async_copy_32x64",  "gemm_async_copy_64x32",
    "gemm_async_copy_128x16",  "gemm_async_copy_16x128", "gemm_async_copy_256x64", "gemm_async_copy_64x256",
    "gemm_async_copy_256x32",  "gemm_async_copy_32x256",
};

/* Of a tile: shares of a multiprocessor's multiply-adds that blocks beside each other reach, and one alone;
 * the microseconds of a launch; and those that each round of blocks takes besides: first operands, C. */
typedef struct tile_rates {
    double full, alone, start_us, round_us;
    double inner_us; /* per term of a row that is transposed as it is copied */
} tile_rates;

/* Of a kernel; the tiles in their order, and last, for not all kernels have as many. */
typedef struct kernel_rates {
    double bytes_per_us; /* of memory */
    double drift_us;     /* after the first round */
    double alone_share;  /* of a round's microseconds besides, for one block alone */
    /* A round of clusters adds its tiles through shared memory; the latter per KiB of a tile. */
    double cluster_us, cluster_kib_us;
    /* Where rows of C begin at units, and anywhere: as how many bytes each of C counts, and per byte of a
     * block's tile. */
    double counts[2], row_us[2];
    plx_gemm_adding adding;
    tile_rates tiles[PLX_GEMM_CP_ASYNC_TILES];
} kernel_rates;

static const kernel_rates copied_rates = {
#include "rates/cuda-9.0/async-copy.h"
};

static const kernel_rates many_rates = {
#include "rates/cuda-9.0/many-blocks.h"
};

/* NVIDIA's OpenCL: fitted to 13646 timings of 664 drawn and listed shapes in CUDA, whose kernel was the same
 * then but for its parts; of 128 x 128 by OpenCL's own times of 2048^3 and 4096^3. */
static const kernel_rates opencl_rates = {
    .tiles = {{0.810, 0.573, 2.88, 7.60, 0.0},
              {0.794, 0.669, 2.55, 6.89, 27.6e-6},
              {0.807, 0.742, 0.01, 10.28, 27.6e-6},
              {0.779, 0.495, 1.83, 6.56, 27.6e-6},
              {0.764, 0.545, 0.68, 6.70, 27.6e-6},
              {0.758, 0.621, 2.09, 9.90, 27.6e-6},
              {0.660, 0.511, 3.50, 6.69, 27.6e-6},
              {0.625, 0.541, 0.99, 3.71, 27.6e-6},
              {0.621, 0.520, 0.98, 4.26, 27.6e-6},
              {0.578, 0.519, 1.63, 3.10, 27.6e-6},
              {0.501, 0.372, 0.88, 2.71, 27.6e-6},
              {0.469, 0.371, 1.20, 2.55, 27.6e-6},
              {0.430, 0.305, 0.55, 3.53, 27.6e-6},
              {0.432, 0.282, 0.15, 3.31, 27.6e-6}},
    .bytes_per_us = 2.94e6,
    .drift_us = 2.37,
    .alone_share = 0.61,
    .counts = {1.0, 1.0},
};

static const char *const many_entries[PLX_GEMM_MANY_TILES] = {
    "gemm_many_blocks_128x64", "gemm_many_blocks_64x128", "gemm_many_blocks_64x64",  "gemm_many_blocks_128x32",
    "gemm_many_blocks_32x128", "gemm_many_blocks_128x96", "gemm_many_blocks_96x128", "gemm_many_blocks_64x96",
    "gemm_many_blocks_96x64",  "gemm_many_blocks_128x48", "gemm_many_blocks_48x128",
};

static const kernel_rates *rates_of(const plx_device_info *device, const plx_gemm_tiling *cut)
{
    return cut->all_bring ? &many_rates : plx_gemm_is_opencl(device) ? &opencl_rates : &copied_rates;
}

static const tile_rates *rates_of_tile(const kernel_rates *kernel, const plx_gemm_tiling *cut)
{
    return &kernel->tiles[cut->tile - (cut->all_bring ? plx_gemm_many_tiles : plx_gemm_cp_async_tiles)];
}

enum { CHUNK = 8, ROUNDS_TO_DRIFT = 4, PLAIN_TILE = 10, PAIR = 2, SHORT_TERMS = 384 };

static double tiles_of(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return ((double)((p->m - 1) / cut->tile->rows) + 1.0) * ((double)((p->n - 1) / cut->tile->cols) + 1.0);
}

/* Clusters of four and eight leave places empty. */
static double share_of(const plx_device_info *device, int cluster)
{
    if (plx_gemm_is_opencl(device))
        return 1.0;
    return cluster >= 8 ? 0.91 : cluster >= 4 ? 0.919 : 1.0;
}

/* Microseconds for those of a tile's rows that are transposed as they are copied; what lies outside of an
 * operand is not. */
static double copying(const plx_gemm_problem *p, const tile_rates *rate, const plx_gemm_tile *t, double terms)
{
    const double of_a = p->trans_a ? 0.0 : least(t->rows, (double)p->m);
    const double of_b = p->trans_b ? least(t->cols, (double)p->n) : 0.0;
    return terms * rate->inner_us * (of_a + of_b);
}

/* Terms of the longest part, as many as are multiplied. */
static double terms_of(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    int64_t k = problem->of.gemm.k, steps = plx_gemm_k_tiles(problem), parts = (int64_t)cut->cluster * cut->clusters;
    int64_t longest = (steps / parts + (steps % parts != 0)) * GEMM_PIPELINE_DEPTH;
    return longest < k ? (double)longest : (double)((k + CHUNK - 1) / CHUNK * CHUNK);
}

/* Time of the last round, of `of_unit` blocks to a multiprocessor, where `full` is that of `places`.  At
 * first the multiprocessor that has most is the last; over many rounds blocks come to end one by one, and
 * those that are left are spread.  After a whole round two short blocks of a multiprocessor often end
 * together, and two others take their places while a neighbour has none: `together`, how often. */
static double last_round(double of_unit, double places, double alone, double full, double rounds, double together)
{
    double drifted = rounds < ROUNDS_TO_DRIFT ? rounds / ROUNDS_TO_DRIFT : 1.0;
    double whole = (double)(int64_t)of_unit, uneven = whole + (whole < of_unit ? 1.0 : 0.0);
    if (rounds >= 1.0 && places == PAIR)
        uneven += together * (places - uneven);
    double beside = drifted * most(of_unit, 1.0) + (1.0 - drifted) * uneven;
    return of_unit <= 0.0 ? 0.0 : alone + (full - alone) * (beside - 1.0) / (places - 1.0);
}

/* Rounds of blocks: those that fill the device, and what is left of them. */
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                          const kernel_rates *kernel)
{
    const tile_rates *rate = rates_of_tile(kernel, cut);
    const plx_gemm_tile *t = cut->tile;
    double terms = terms_of(problem, cut), copied = copying(&problem->of.gemm, rate, t, terms);
    double work = (double)t->rows * t->cols * terms / PLX_GEMM_FMA_PER_US;
    double written = plx_gemm_writing_us(kernel->row_us, &problem->of.gemm, cut);
    double besides = rate->round_us + t->blocks * written;
    double alone = work / rate->alone + copied + kernel->alone_share * besides;
    double full = most(alone, t->blocks * (work / rate->full + copied) + besides);
    double units = units_of(device) * share_of(device, cut->cluster);
    double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters;
    double rounds = (double)(int64_t)(blocks / (units * t->blocks));
    double of_unit = (blocks - rounds * units * t->blocks) / units; /* blocks of the last round */
    const double together = terms <= SHORT_TERMS ? 0.5 : 0.0;       /* measured on drawn shapes (doc/experiments.md) */
    return rounds * full + last_round(of_unit, t->blocks, alone, full, rounds, together) +
           (rounds > 0.0 ? kernel->drift_us : 0.0);
}

static double moving(const plx_gemm_problem *p, const kernel_rates *kernel)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * plx_gemm_of_rows(kernel->counts, 1.0, p)) / kernel->bytes_per_us;
}

static double in_clusters(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                          const kernel_rates *kernel)
{
    const double of_tile = 4.0 * cut->tile->rows * cut->tile->cols / 1024;
    const double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters;
    const double places = units_of(device) * share_of(device, cut->cluster) * cut->tile->blocks;
    const double rounds = (double)(int64_t)(blocks / places + 0.999999);
    return rounds * (kernel->cluster_us + of_tile * kernel->cluster_kib_us);
}

static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                      const kernel_rates *kernel)
{
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_joining(problem, cut);
    return (cut->cluster > 1 ? in_clusters(problem, device, cut, kernel) : 0.0) +
           plx_gemm_adding_us(&problem->of.gemm, cut, &kernel->adding);
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                      const kernel_rates *kernel)
{
    const double us = rates_of_tile(kernel, cut)->start_us +
                      most(multiplying(problem, device, cut, kernel), moving(&problem->of.gemm, kernel)) +
                      joining(problem, device, cut, kernel);
    return most(us, plx_gemm_least_us(cut, &kernel->adding));
}

double plx_gemm_cp_async_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    return cost_by(problem, device, cut, rates_of(device, cut));
}

/* Each multiprocessor at its best rate, and no more blocks on one than on another. */
static double least_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    const kernel_rates *kernel = rates_of(device, cut);
    const tile_rates *rate = rates_of_tile(kernel, cut);
    const plx_gemm_problem *p = &problem->of.gemm;
    const double tiles = tiles_of(p, cut), area = (double)cut->tile->rows * cut->tile->cols;
    const double copied = copying(p, rate, cut->tile, (double)p->k);
    const double work = area * (double)p->k / (PLX_GEMM_FMA_PER_US * most(rate->full, rate->alone)) + copied;
    const double rounds = most(1.0, tiles * cut->cluster * cut->clusters / units_of(device));
    const double besides = rate->round_us * least(kernel->alone_share, 1.0 / cut->tile->blocks);
    const double in_cluster = kernel->cluster_us + 4.0 * area / 1024 * kernel->cluster_kib_us;
    return rate->start_us + most(tiles * work / units_of(device) + rounds * besides, moving(p, kernel)) +
           (cut->cluster > 1 ? in_cluster : 0.0) + plx_gemm_adding_us(p, cut, &kernel->adding);
}

static bool possible(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    int quads = cut->tile->thread_rows * cut->tile->thread_cols / 4; /* of a thread: a cluster shares them evenly */
    if ((int64_t)cut->cluster * cut->clusters > plx_gemm_k_tiles(problem) || quads % cut->cluster != 0)
        return false;
    return plx_gemm_has_room(&problem->of.gemm, cut);
}

const plx_gemm_tilings *plx_gemm_async_copy_tilings(const plx_device_info *device)
{
#define COPIED_TILES .tiles = plx_gemm_cp_async_tiles, .entries = entries
    static const plx_gemm_tilings in_cuda = {COPIED_TILES, .tile_count = PLX_GEMM_CP_ASYNC_TILES, .possible = possible,
                                             .least = least_of, .cost = plx_gemm_cp_async_cost},
                                  fast = {COPIED_TILES, .tile_count = PLX_GEMM_OPENCL_TILES,
                                          .possible = plx_gemm_opencl_possible, .cost = plx_gemm_cp_async_cost},
                                  plain = {COPIED_TILES, .tile_count = PLX_GEMM_OPENCL_TILES,
                                           .possible = plx_gemm_opencl_possible, .plain_tile = PLAIN_TILE};
#undef COPIED_TILES
    return !plx_gemm_is_opencl(device) ? &in_cuda : plx_gemm_opencl_has_ptx(device) ? &fast : &plain;
}

const plx_gemm_tilings plx_gemm_many_tilings = {.tiles = plx_gemm_many_tiles,
                                                .tile_count = PLX_GEMM_MANY_TILES,
                                                .entries = many_entries,
                                                .all_bring = true,
                                                .possible = possible,
                                                .cost = plx_gemm_cp_async_cost,
                                                .least = least_of};

/* ---- rates ------------------------------------------------------------------------------ */

static const plx_gemm_rate_range scalars[] = {
    {"bytes_per_us", 5e5, 5e7},    {"drift_us", 0.01, 20},      {"alone_share", 0.01, 1.5},
    {"cluster_us", 0.01, 20},      {"cluster_kib_us", 1e-4, 2}, {"counts[0]", 0.5, 8},
    {"counts[1]", 0.5, 8},         {"row_us[0]", 1e-8, 1e-3},   {"row_us[1]", 1e-8, 1e-3},
    {"adding.launch_us", 0.1, 20}, {"adding.part_us", 1e-3, 2}, {"adding.bytes_per_us", 5e5, 5e7},
    {"adding.least_us", 0.1, 20},
};
static const plx_gemm_rate_range of_tile[] = {
    {"full", 0.02, 1}, {"alone", 0.02, 1}, {"start_us", 0.1, 20}, {"round_us", 0.1, 60}, {"inner_us", 1e-7, 1e-3}};

enum { SCALARS = sizeof scalars / sizeof scalars[0], OF_TILE = sizeof of_tile / sizeof of_tile[0] };
_Static_assert(sizeof(kernel_rates) == (SCALARS + OF_TILE * PLX_GEMM_CP_ASYNC_TILES) * sizeof(double),
               "a kernel's rates are doubles alone, in this order");

static size_t list(const kernel_rates *kernel, size_t tiles, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rate_ranges ranges = {scalars, SCALARS, of_tile, OF_TILE, tiles};
    return plx_gemm_list_rates(&ranges, kernel, rates, capacity);
}

static size_t async_copy_rates(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    return plx_gemm_is_opencl(device) ? 0 : list(&copied_rates, PLX_GEMM_CP_ASYNC_TILES, rates, capacity);
}

static size_t many_blocks_rates(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    return plx_gemm_is_opencl(device) ? 0 : list(&many_rates, PLX_GEMM_MANY_TILES, rates, capacity);
}

static double expect(const plx_gemm_tilings *cuts, const plx_problem *problem, const plx_device_info *device,
                     const double *rates)
{
    kernel_rates kernel = {.tiles = {{.full = 0.0}}};
    plx_gemm_tiling cut;
    if (!plx_gemm_modelled_tiling(cuts, problem, device, &cut))
        return 0.0;
    if (rates == NULL)
        return plx_gemm_cp_async_cost(problem, device, &cut);
    memcpy(&kernel, rates, (SCALARS + OF_TILE * cuts->tile_count) * sizeof *rates);
    return cost_by(problem, device, &cut, &kernel);
}

static double expect_async_copy(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    return expect(plx_gemm_async_copy_tilings(device), problem, device, rates);
}

static double expect_many_blocks(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    return expect(&plx_gemm_many_tilings, problem, device, rates);
}

const plx_time_model plx_gemm_async_copy_model = {.rates = async_copy_rates, .expect = expect_async_copy};
const plx_time_model plx_gemm_many_blocks_model = {.rates = many_blocks_rates, .expect = expect_many_blocks};
