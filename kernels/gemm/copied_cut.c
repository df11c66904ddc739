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

/* Fitted to 13646 timings of 664 drawn and listed shapes on one H200 (doc/experiments.md), in the order of
 * the tiles: shares of a multiprocessor's multiply-adds that blocks beside each other reach, and one alone;
 * the microseconds of a launch; and those that each round of blocks takes besides: first operands, C. */
typedef struct tile_rates {
    double full, alone, start_us, round_us;
} tile_rates;

static const tile_rates rates[PLX_GEMM_COPIED_TILES] = {
    {0.829, 0.573, 2.88, 7.60}, {0.794, 0.669, 2.55, 6.89}, {0.807, 0.742, 0.01, 10.28},
    {0.779, 0.495, 1.83, 6.56}, {0.764, 0.545, 0.68, 6.70}, {0.758, 0.621, 2.09, 9.90},
    {0.660, 0.511, 3.50, 6.69}, {0.625, 0.541, 0.99, 3.71}, {0.621, 0.520, 0.98, 4.26},
    {0.578, 0.519, 1.63, 3.10}, {0.501, 0.372, 0.88, 2.71}, {0.469, 0.371, 1.20, 2.55},
    {0.430, 0.305, 0.55, 3.53}, {0.432, 0.282, 0.15, 3.31},
};

static const char *const many_entries[PLX_GEMM_MANY_TILES] = {
    "gemm_many_blocks_128x64", "gemm_many_blocks_64x128", "gemm_many_blocks_64x64",
    "gemm_many_blocks_128x32", "gemm_many_blocks_32x128",
};

/* Fitted to 390 timings of 98 drawn shapes of 8 to 420 terms and a C of at least 400000 elements. */
static const tile_rates many_rates[PLX_GEMM_MANY_TILES] = {
    {0.683, 0.338, 1.45, 6.80}, {0.680, 0.360, 1.63, 5.99}, {0.615, 0.382, 2.00, 3.88},
    {0.568, 0.322, 1.90, 4.88}, {0.570, 0.312, 2.03, 3.49},
};

static const tile_rates *rates_of(const plx_gemm_cut *cut)
{
    return cut->all_bring ? &many_rates[cut->tile - plx_gemm_many_tiles]
                          : &rates[cut->tile - plx_gemm_copied_tiles];
}

enum { MOST_IN_CLUSTER = 8, CHUNK = 8, ROUNDS_TO_DRIFT = 4, PLAIN_TILE = 10 };
static const double fma_per_us = 128 * 1980; /* of a multiprocessor */
static const double bytes_per_us = 2.94e6;   /* of memory */
static const double drift_us = 2.37;         /* after the first round */
static const double alone_share = 0.61;      /* of a round's microseconds besides, for one block alone */
/* A row of a tile that is transposed as it is copied: the lanes of a warp reach four rows at a time. */
static const double inner_us = 27.6e-6; /* per term */
static const double cluster_us = 0.66, cluster_of_eight_us = 0.74;
/* The last cluster of a tile reads what all left; they write at a rate of their own. */
static const double ticket_us = 1.49, ticket_byte_us = 14.9e-6, partial_bytes_per_us = 1.82e6;

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
static double copying(const plx_gemm_problem *p, const plx_gemm_tile *t, double terms)
{
    return terms * inner_us * ((p->trans_a ? 0 : t->rows) + (p->trans_b ? t->cols : 0));
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
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut,
                          const tile_rates *rate)
{
    const plx_gemm_tile *t = cut->tile;
    double terms = terms_of(problem, cut), copied = copying(&problem->of.gemm, t, terms);
    double work = (double)t->rows * t->cols * terms / fma_per_us;
    double alone = work / rate->alone + copied + alone_share * rate->round_us;
    double full = most(alone, t->blocks * (work / rate->full + copied) + rate->round_us);
    double units = units_of(device) * share_of(device, cut->cluster);
    double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters;
    double rounds = (double)(int64_t)(blocks / (units * t->blocks));
    double of_unit = (blocks - rounds * units * t->blocks) / units; /* blocks of the last round */
    return rounds * full + last_round(of_unit, t->blocks, alone, full, rounds) +
           (rounds > 0.0 ? drift_us : 0.0);
}

static double moving(const plx_gemm_problem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n) / bytes_per_us;
}

static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    if (plx_gemm_mapless(device))
        return plx_gemm_mapless_joining(problem, cut);
    double of_tile = 4.0 * cut->tile->rows * cut->tile->cols, tiles = tiles_of(&problem->of.gemm, cut);
    double in_cluster = cluster_us + (cut->cluster == MOST_IN_CLUSTER ? cluster_of_eight_us : 0.0);
    double left = of_tile * cut->clusters;
    return (cut->cluster > 1 ? in_cluster : 0.0) +
           (cut->clusters > 1 ? ticket_us + left * ticket_byte_us + 2.0 * tiles * left / partial_bytes_per_us
                              : 0.0);
}

double plx_gemm_copied_cost(const plx_problem *problem, const plx_device_info *device,
                            const plx_gemm_cut *cut)
{
    const tile_rates *rate = rates_of(cut);
    return rate->start_us + most(multiplying(problem, device, cut, rate), moving(&problem->of.gemm)) +
           joining(problem, device, cut);
}

static bool possible(const plx_problem *problem, const plx_gemm_cut *cut)
{
    double tiles = tiles_of(&problem->of.gemm, cut), of_tile = 4.0 * cut->tile->rows * cut->tile->cols;
    int quads = cut->tile->thread_rows * cut->tile->thread_cols / 4; /* of a thread: a cluster shares them */
    if ((int64_t)cut->cluster * cut->clusters > plx_gemm_depth_steps(problem) || cut->cluster > quads)
        return false;
    return cut->clusters == 1 || (tiles * cut->cluster <= PLX_SCRATCH_COUNTERS / 4.0 &&
                                  tiles * cut->clusters * of_tile <= 256.0 * (1 << 20));
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
