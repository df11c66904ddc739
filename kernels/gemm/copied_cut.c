/* The cost of a cut of async-copy: a model of the device's time, in microseconds. */
#include "copied.h"
#include "mapless.h"
#include "search.h"

#include "tiles.h"

static const char *const entries[PLX_GEMM_COPIED_TILES] = {
    "gemm_async_copy_128x128", "gemm_async_copy_128x96", "gemm_async_copy_96x128", "gemm_async_copy_128x64",
    "gemm_async_copy_64x128",  "gemm_async_copy_256x48", "gemm_async_copy_48x256", "gemm_async_copy_64x64",
    "gemm_async_copy_128x32",  "gemm_async_copy_32x128", "gemm_async_copy_32x64",  "gemm_async_copy_64x32",
    "gemm_async_copy_128x16",  "gemm_async_copy_16x128",
};

/* Of a tile: shares of a multiprocessor's multiply-adds that blocks beside each other reach, and one alone;
 * the microseconds of a launch; and those that each round of blocks takes besides: first operands, C. */
typedef struct tile_rates {
    double full, alone, start_us, round_us;
} tile_rates;

/* Of a kernel, in the order of its tiles. */
typedef struct kernel_rates {
    tile_rates tiles[PLX_GEMM_COPIED_TILES];
    double bytes_per_us;                    /* of memory */
    double drift_us;                        /* after the first round */
    double alone_share;                     /* of a round's microseconds besides, for one block alone */
    double inner_us;                        /* per term of a row that is transposed as it is copied */
    double cluster_us, cluster_of_eight_us; /* the latter besides */
    /* By where rows of C begin: as how many bytes each of C counts, and per byte of a block's tile. */
    double counts[PLX_ROWS_OF_C], row_us[PLX_ROWS_OF_C];
} kernel_rates;

/* Fitted to 17000 timings of 605 drawn shapes on one H200 (doc/experiments.md). */
static const kernel_rates copied_rates = {
    .tiles = {{0.829, 0.621, 2.99, 6.59},
              {0.800, 0.716, 3.77, 5.33},
              {0.807, 0.702, 2.98, 4.94},
              {0.771, 0.587, 2.75, 3.86},
              {0.783, 0.629, 2.80, 3.73},
              {0.766, 0.584, 2.93, 5.48},
              {0.660, 0.561, 3.19, 4.49},
              {0.603, 0.429, 1.90, 3.33},
              {0.570, 0.425, 2.06, 3.34},
              {0.578, 0.465, 1.99, 2.51},
              {0.477, 0.389, 1.93, 2.02},
              {0.475, 0.400, 1.94, 2.19},
              {0.402, 0.281, 1.65, 2.07},
              {0.420, 0.280, 1.64, 1.78}},
    .bytes_per_us = 5.49e6,
    .drift_us = 1.47,
    .alone_share = 0.52,
    .inner_us = 41.6e-6,
    .cluster_us = 0.57,
    .cluster_of_eight_us = 0.89,
    .counts = {1.0, 1.35, 1.65},
    .row_us = {0.0, 10.3e-6, 41.1e-6},
};

/* NVIDIA's OpenCL: fitted to 13646 timings of 664 drawn and listed shapes in CUDA, whose kernel was the same
 * then but for its parts. */
static const kernel_rates opencl_rates = {
    .tiles = {{0.829, 0.573, 2.88, 7.60},
              {0.794, 0.669, 2.55, 6.89},
              {0.807, 0.742, 0.01, 10.28},
              {0.779, 0.495, 1.83, 6.56},
              {0.764, 0.545, 0.68, 6.70},
              {0.758, 0.621, 2.09, 9.90},
              {0.660, 0.511, 3.50, 6.69},
              {0.625, 0.541, 0.99, 3.71},
              {0.621, 0.520, 0.98, 4.26},
              {0.578, 0.519, 1.63, 3.10},
              {0.501, 0.372, 0.88, 2.71},
              {0.469, 0.371, 1.20, 2.55},
              {0.430, 0.305, 0.55, 3.53},
              {0.432, 0.282, 0.15, 3.31}},
    .bytes_per_us = 2.94e6,
    .drift_us = 2.37,
    .alone_share = 0.61,
    .inner_us = 27.6e-6,
    .counts = {1.0, 1.0, 1.0},
};

static const char *const many_entries[PLX_GEMM_MANY_TILES] = {
    "gemm_many_blocks_128x64", "gemm_many_blocks_64x128", "gemm_many_blocks_64x64",
    "gemm_many_blocks_128x32", "gemm_many_blocks_32x128",
};

static const kernel_rates many_rates = {
    .tiles = {{0.727, 0.492, 3.07, 4.51},
              {0.718, 0.481, 2.79, 4.17},
              {0.665, 0.434, 2.50, 2.73},
              {0.580, 0.371, 2.42, 2.97},
              {0.564, 0.353, 2.19, 2.51}},
    .bytes_per_us = 9.08e6,
    .drift_us = 1.07,
    .alone_share = 0.26,
    .inner_us = 51.3e-6,
    .cluster_us = 0.92,
    .cluster_of_eight_us = 1.56,
    .counts = {1.0, 1.35, 1.65},
    .row_us = {0.0, 6.9e-6, 29.9e-6},
};

static const kernel_rates *rates_of(const plx_device_info *device, const plx_gemm_cut *cut)
{
    return cut->all_bring ? &many_rates : plx_gemm_mapless(device) ? &opencl_rates : &copied_rates;
}

static const tile_rates *rates_of_tile(const kernel_rates *kernel, const plx_gemm_cut *cut)
{
    return &kernel->tiles[cut->tile - (cut->all_bring ? plx_gemm_many_tiles : plx_gemm_copied_tiles)];
}

enum { MOST_IN_CLUSTER = 8, CHUNK = 8, ROUNDS_TO_DRIFT = 4, PLAIN_TILE = 10 };
static const double fma_per_us = 128 * 1980; /* of a multiprocessor */

static double units_of(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}

static double tiles_of(const plx_gemm_problem *p, const plx_gemm_cut *cut)
{
    return ((double)((p->m - 1) / cut->tile->rows) + 1.0) * ((double)((p->n - 1) / cut->tile->cols) + 1.0);
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Clusters of four and eight leave places empty. */
static double share_of(const plx_device_info *device, int cluster)
{
    if (plx_gemm_mapless(device))
        return 1.0;
    return cluster >= 8 ? 0.91 : cluster >= 4 ? 0.919 : 1.0;
}

/* Microseconds for those of a tile's rows that are transposed as they are copied. */
static double copying(const plx_gemm_problem *p, const kernel_rates *kernel, const plx_gemm_tile *t,
                      double terms)
{
    return terms * kernel->inner_us * ((p->trans_a ? 0 : t->rows) + (p->trans_b ? t->cols : 0));
}

/* Terms of the longest part, as many as are multiplied. */
static double terms_of(const plx_problem *problem, const plx_gemm_cut *cut)
{
    int64_t k = problem->of.gemm.k, steps = plx_gemm_depth_steps(problem),
            parts = (int64_t)cut->cluster * cut->clusters;
    int64_t longest = (steps / parts + (steps % parts != 0)) * GEMM_PIPELINE_DEPTH;
    return longest < k ? (double)longest : (double)((k + CHUNK - 1) / CHUNK * CHUNK);
}

/* Time of the last round, of `of_unit` blocks to a multiprocessor, where `full` is that of `places`.  At
 * first the multiprocessor that has most is the last; over many rounds blocks come to end one by one, and
 * those that are left are spread. */
static double last_round(double of_unit, double places, double alone, double full, double rounds)
{
    double drifted = rounds < ROUNDS_TO_DRIFT ? rounds / ROUNDS_TO_DRIFT : 1.0;
    double whole = (double)(int64_t)of_unit, uneven = whole + (whole < of_unit ? 1.0 : 0.0);
    double beside = drifted * most(of_unit, 1.0) + (1.0 - drifted) * uneven;
    return of_unit <= 0.0 ? 0.0 : alone + (full - alone) * (beside - 1.0) / (places - 1.0);
}

/* Rounds of blocks: those that fill the device, and what is left of them. */
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    const kernel_rates *kernel = rates_of(device, cut);
    const tile_rates *rate = rates_of_tile(kernel, cut);
    const plx_gemm_tile *t = cut->tile;
    double terms = terms_of(problem, cut), copied = copying(&problem->of.gemm, kernel, t, terms);
    double work = (double)t->rows * t->cols * terms / fma_per_us;
    double written = 4.0 * t->rows * t->cols * kernel->row_us[plx_gemm_rows_of_c(&problem->of.gemm)];
    double besides = rate->round_us + t->blocks * written;
    double alone = work / rate->alone + copied + kernel->alone_share * besides;
    double full = most(alone, t->blocks * (work / rate->full + copied) + besides);
    double units = units_of(device) * share_of(device, cut->cluster);
    double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters;
    double rounds = (double)(int64_t)(blocks / (units * t->blocks));
    double of_unit = (blocks - rounds * units * t->blocks) / units; /* blocks of the last round */
    return rounds * full + last_round(of_unit, t->blocks, alone, full, rounds) +
           (rounds > 0.0 ? kernel->drift_us : 0.0);
}

static double moving(const plx_gemm_problem *p, const kernel_rates *kernel)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * kernel->counts[plx_gemm_rows_of_c(p)]) / kernel->bytes_per_us;
}

static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    if (plx_gemm_mapless(device))
        return plx_gemm_mapless_joining(problem, cut);
    const kernel_rates *kernel = rates_of(device, cut);
    double in_cluster =
        kernel->cluster_us + (cut->cluster == MOST_IN_CLUSTER ? kernel->cluster_of_eight_us : 0.0);
    return (cut->cluster > 1 ? in_cluster : 0.0) + plx_gemm_adding_us(&problem->of.gemm, cut);
}

double plx_gemm_copied_cost(const plx_problem *problem, const plx_device_info *device,
                            const plx_gemm_cut *cut)
{
    const kernel_rates *kernel = rates_of(device, cut);
    return rates_of_tile(kernel, cut)->start_us +
           most(multiplying(problem, device, cut), moving(&problem->of.gemm, kernel)) +
           joining(problem, device, cut);
}

static bool possible(const plx_problem *problem, const plx_gemm_cut *cut)
{
    int quads = cut->tile->thread_rows * cut->tile->thread_cols / 4; /* of a thread: a cluster shares them */
    if ((int64_t)cut->cluster * cut->clusters > plx_gemm_depth_steps(problem) || cut->cluster > quads)
        return false;
    return plx_gemm_has_room(&problem->of.gemm, cut);
}

const plx_gemm_cuts *plx_gemm_async_copy_cuts(const plx_device_info *device)
{
#define COPIED_TILES .tiles = plx_gemm_copied_tiles, .tile_count = PLX_GEMM_COPIED_TILES, .entries = entries
    static const plx_gemm_cuts in_cuda = {COPIED_TILES, .possible = possible, .cost = plx_gemm_copied_cost},
                               fast = {COPIED_TILES, .possible = plx_gemm_mapless_possible,
                                       .cost = plx_gemm_copied_cost},
                               plain = {COPIED_TILES, .possible = plx_gemm_mapless_possible,
                                        .plain_tile = PLAIN_TILE};
#undef COPIED_TILES
    return !plx_gemm_mapless(device) ? &in_cuda : plx_gemm_mapless_fast(device) ? &fast : &plain;
}

const plx_gemm_cuts plx_gemm_many_cuts = {.tiles = plx_gemm_many_tiles,
                                          .tile_count = PLX_GEMM_MANY_TILES,
                                          .entries = many_entries,
                                          .all_bring = true,
                                          .possible = possible,
                                          .cost = plx_gemm_copied_cost};
