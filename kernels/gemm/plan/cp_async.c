/* async-copy and many-blocks: what a tiling costs. */
#include "gemm/device/common/tiles.h"
#include "kernels/operation.h"
#include "simt.h"

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

static const kernel_rates opencl_rates = {
#include "rates/opencl-9.0/async-copy.h"
};

static const kernel_rates *rates_of(const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    return tiling->all_produce ? &many_rates : plx_gemm_is_opencl(device) ? &opencl_rates : &copied_rates;
}

static const tile_rates *rates_of_tile(const kernel_rates *kernel, const plx_gemm_tiling *tiling)
{
    return &kernel->tiles[tiling->tile - (tiling->all_produce ? plx_gemm_many_tile : plx_gemm_cp_async_tile)];
}

enum { CHUNK = 8, WAVES_TO_DRIFT = 4, PAIR = 2, SHORT_TERMS = 384 };

static double blocks_of(const plx_problem *problem, const plx_gemm_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (((double)((p->m - 1) / tiling->tile->rows) + 1.0) * ((double)((p->n - 1) / tiling->tile->cols) + 1.0)) *
           tiling->cluster * tiling->clusters * (double)plx_problem_count(problem);
}

static double moving_us(const plx_problem *problem, const kernel_rates *kernel)
{
    return (double)plx_problem_count(problem) *
           plx_gemm_moving_us(&problem->of.gemm, kernel->counts, kernel->bytes_per_us);
}

static double places_of(const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    return (double)plx_gemm_sms(device) * plx_gemm_share_of_places(device, tiling->cluster);
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
static double longest_of(const plx_problem *problem, const plx_gemm_tiling *tiling)
{
    int64_t k = problem->of.gemm.k, steps = plx_gemm_k_tiles(problem),
            parts = (int64_t)tiling->cluster * tiling->clusters;
    int64_t longest = (steps / parts + (steps % parts != 0)) * GEMM_PIPELINE_DEPTH;
    return longest < k ? (double)longest : (double)((k + CHUNK - 1) / CHUNK * CHUNK);
}

/* Time of the last wave, of `of_unit` blocks to a multiprocessor, where `full` is that of `places`.  At
 * first the multiprocessor that has most is the last; over many waves blocks come to end one by one, and
 * those that are left are spread.  After a whole wave two short blocks of a multiprocessor often end
 * together, and two others take their places while a neighbour has none: `together`, how often. */
static double last_wave(double of_unit, double places, double alone, double full, double waves, double together)
{
    double drifted = waves < WAVES_TO_DRIFT ? waves / WAVES_TO_DRIFT : 1.0;
    double whole = (double)(int64_t)of_unit, uneven = whole + (whole < of_unit ? 1.0 : 0.0);
    if (waves >= 1.0 && places == PAIR)
        uneven += together * (places - uneven);
    double beside = drifted * most(of_unit, 1.0) + (1.0 - drifted) * uneven;
    return of_unit <= 0.0 ? 0.0 : alone + (full - alone) * (beside - 1.0) / (places - 1.0);
}

/* Rounds of blocks: those that fill the device, and what is left of them. */
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                          const kernel_rates *kernel)
{
    const tile_rates *rate = rates_of_tile(kernel, tiling);
    const plx_gemm_tile *t = tiling->tile;
    double terms = longest_of(problem, tiling), copied = copying(&problem->of.gemm, rate, t, terms);
    double work = (double)t->rows * t->cols * terms / PLX_GEMM_FMA_PER_US;
    double written = plx_gemm_writing_us(kernel->row_us, &problem->of.gemm, tiling);
    double besides = rate->round_us + t->blocks * written;
    double alone = work / rate->alone + copied + kernel->alone_share * besides;
    double full = most(alone, t->blocks * (work / rate->full + copied) + besides);
    double units = places_of(device, tiling);
    double blocks = blocks_of(problem, tiling);
    double waves = (double)(int64_t)(blocks / (units * t->blocks));
    double of_unit = (blocks - waves * units * t->blocks) / units; /* blocks of the last wave */
    const double together = terms <= SHORT_TERMS ? 0.5 : 0.0;      /* measured on drawn shapes (doc/experiments.md) */
    return waves * full + last_wave(of_unit, t->blocks, alone, full, waves, together) +
           (waves > 0.0 ? kernel->drift_us : 0.0);
}

static double in_clusters(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                          const kernel_rates *kernel)
{
    const double of_tile = 4.0 * tiling->tile->rows * tiling->tile->cols / 1024;
    const double waves = rounded_up(blocks_of(problem, tiling) / (places_of(device, tiling) * tiling->tile->blocks));
    return tiling->cluster > 1 ? waves * (kernel->cluster_us + of_tile * kernel->cluster_kib_us) : 0.0;
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                      const kernel_rates *kernel)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_terms terms = {
        .launch = rates_of_tile(kernel, tiling)->start_us,
        .math = multiplying(problem, device, tiling, kernel),
        .memory = moving_us(problem, kernel),
        .join = plx_gemm_is_opencl(device)
                    ? plx_gemm_opencl_joining(problem, tiling)
                    : in_clusters(problem, device, tiling, kernel) + plx_gemm_adding_us(p, tiling, &kernel->adding),
        .least = plx_gemm_adding_least(tiling, &kernel->adding),
    };
    return plx_gemm_us(&terms);
}

double plx_gemm_cp_async_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    return cost_by(problem, device, tiling, rates_of(device, tiling));
}

/* Each multiprocessor at its best rate, and no more blocks on one than on another. */
double plx_gemm_cp_async_least(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    const kernel_rates *kernel = rates_of(device, tiling);
    const tile_rates *rate = rates_of_tile(kernel, tiling);
    const plx_gemm_problem *p = &problem->of.gemm;
    const double tiles = blocks_of(problem, tiling) / tiling->cluster / tiling->clusters,
                 area = (double)tiling->tile->rows * tiling->tile->cols;
    const double copied = copying(p, rate, tiling->tile, (double)p->k);
    const double work = area * (double)p->k / (PLX_GEMM_FMA_PER_US * most(rate->full, rate->alone)) + copied;
    const double waves = most(1.0, tiles * tiling->cluster * tiling->clusters / (double)plx_gemm_sms(device));
    const double besides = rate->round_us * least(kernel->alone_share, 1.0 / tiling->tile->blocks);
    const double in_cluster = kernel->cluster_us + 4.0 * area / 1024 * kernel->cluster_kib_us;
    return rate->start_us +
           most(tiles * work / (double)plx_gemm_sms(device) + waves * besides, moving_us(problem, kernel)) +
           (tiling->cluster > 1 ? in_cluster : 0.0) + plx_gemm_adding_us(p, tiling, &kernel->adding);
}

double plx_gemm_cp_async_longest(const plx_problem *problem, const plx_device_info *device,
                                 const plx_gemm_tiling *tiling)
{
    const tile_rates *rate = rates_of_tile(rates_of(device, tiling), tiling);
    const double terms = longest_of(problem, tiling);
    return rate->start_us + (double)tiling->tile->rows * tiling->tile->cols * terms / PLX_GEMM_FMA_PER_US /
                                most(rate->full, rate->alone);
}

static const plx_gemm_rate_range scalars[] = {
    {"bytes_per_us", 5e5, 5e7},    {"drift_us", 0.01, 20},      {"alone_share", 0.01, 1.5},
    {"cluster_us", 0.01, 20},      {"cluster_kib_us", 1e-4, 2}, {"counts[0]", 0.5, 8},
    {"counts[1]", 0.5, 8},         {"row_us[0]", 1e-8, 1e-3},   {"row_us[1]", 1e-8, 1e-3},
    {"adding.launch_us", 0.1, 20}, {"adding.part_us", 1e-3, 2}, {"adding.bytes_per_us", 5e5, 5e7},
    {"adding.least_us", 0.1, 20},
};
static const plx_gemm_rate_range of_tile[] = {
    {"full", 0.02, 1}, {"alone", 0.02, 1}, {"start_us", 0.1, 20}, {"round_us", 0.1, 60}, {"inner_us", 1e-7, 1e-3}};

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    return cost_by(problem, device, &tiling, rates);
}

static plx_status check_many(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    if (plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "has no OpenCL form");
    return plx_gemm_check_f32(problem, device, error);
}

#define FAMILY                                                                                         \
    .each = plx_gemm_each_simt, .best = plx_gemm_best_simt, .none = "there is no such configuration",  \
    .paths = plx_gemm_paths_by_threads, .config = plx_gemm_config_of_simt, .name = plx_gemm_name_simt, \
    .is_checked = true, .us = us
const plx_gemm_family plx_gemm_async_copy_family = {
    .check = plx_gemm_check_f32,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_GEMM_CP_ASYNC_TILES), &copied_rates},
    FAMILY,
};
const plx_gemm_family plx_gemm_many_blocks_family = {
    .check = check_many,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_GEMM_MANY_TILES), &many_rates},
    FAMILY,
};
