/* wgmma-elected: which tile, cluster and order of tiles a product takes, by the time that each should take. */
#include "gemm/device/common/tensor-tiles.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "tensor.h"

#include <math.h>
#include <stdio.h>

/* Blocks of a cluster: one below the other, side by side, parts of k. */
static const int32_t clusters[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {4, 1, 1},
                                      {1, 4, 1}, {4, 2, 1}, {2, 4, 1}, {1, 1, 2}, {1, 1, 4},
                                      {1, 1, 8}, {2, 1, 2}, {1, 2, 2}, {2, 1, 4}, {1, 2, 4}};
enum { CLUSTERS = sizeof clusters / sizeof clusters[0], MOST_RANGES = 16 };

/* ---- the cost ------------------------------------------------------------------------- */

enum { LINE_BYTES = 128 }; /* of memory, and of 64 terms of a row */

/* Clocks, microseconds, bytes and flops in one. */
#define RATES(X)                                                                                                      \
    X(clock, 500, 4000)        /* MHz */                                                                              \
    X(unit, 0.1, 10)           /* clocks of the tensor cores for 32 sums of 64 products each */                       \
    X(least_step, 10, 1e4)     /* clocks */                                                                           \
    X(large_l2_rate, 1e6, 1e8) /* what all multiprocessors together get, where memory is large, */                    \
    X(small_l2_rate, 1e6, 1e8) /* and where it is not */                                                              \
    X(gaps, 1, 10)             /* more of that for an operand whose rows are no whole lines of memory */              \
    X(cut_lines, 1, 10)        /* more of that where tiles begin within lines of an operand that lies across k */     \
    X(own_rate, 1e4, 1e6)      /* what a multiprocessor gets, of multicasts too */                                    \
    X(lone, 1, 2)              /* more of that where the other of its pair has no block */                            \
    X(latency, 100, 1e4)       /* clocks that all stages of the ring bridge */                                        \
    X(ring_of_2, 1, 10)        /* more of that in clusters, whose blocks wait for each other */                       \
    X(ring_of_4, 1, 10)                                                                                               \
    X(ring_of_8, 1, 10)                                                                                               \
    X(end, 100, 1e5)              /* clocks of a tile's end */                                                        \
    X(slow_element, 0.01, 10)     /* for an element of C that does not leave by bulk stores */                        \
    X(exchange, 100, 1e5)         /* clocks of the exchange of parts */                                               \
    X(exchange_element, 1e-3, 10) /* more for an element that another has */                                          \
    X(adding_us, 0.1, 20)         /* to add ranges of k: another launch, */                                           \
    X(adding_rate, 1e5, 5e7)      /* and bytes of their sums */                                                       \
    X(narrow, 0.01, 2)            /* what is seen of an end that writes parts of lines of C while the other warpgroup \
                                     multiplies */                                                                    \
    X(flops_rate, 1e7, 1e10)      /* what the limit of power leaves */                                                \
    X(line_power, 0.01, 50)       /* of a line that is brought, in sums */                                            \
    X(large_cluster, 1, 2)        /* more of all that in clusters of four blocks and eight */                         \
    X(launch_us, 0.1, 20)                                                                                             \
    X(writing, 0.1, 2)      /* of memory's rate, what C gets */                                                       \
    X(again, 1, 2)          /* more of memory for an operand that clusters bring anew */                              \
    X(late_pairs, 1, 2)     /* more of memory where a few pairs of multiprocessors have two blocks */                 \
    X(overlap, 1, 10)       /* the norm that multiplying and memory's time add up by: 1, one after the other */       \
    X(overlap_turns, 1, 10) /* the same, where one warpgroup writes C while the other multiplies */                   \
    X(copy_us, 0.1, 20)                                                                                               \
    X(copy_rate, 1e5, 5e7) /* of operands that are packed first */
typedef struct elected_rates {
    RATES(PLX_GEMM_FIELD)
    plx_tensor_rates tensor;
} elected_rates;

static const elected_rates own_rates = {
#include "rates/cuda-9.0/wgmma-elected.h"
};

/* Blocks of a cluster wait for each other's stages. */
static double ring_of_cluster(int32_t blocks, const elected_rates *by)
{
    return blocks == 1 ? 1 : blocks == 2 ? by->ring_of_2 : blocks == 4 ? by->ring_of_4 : by->ring_of_8;
}

/* Of an operand as it is multiplied, a copy having whole lines: where its rows, or a tile's `width` of them, begin
 * within a line, each k-tile of a row that lies along k is in two lines; one that lies across k is cut at its ends. */
static double gaps_of(int64_t ld, bool inner, int32_t width, const elected_rates *by)
{
    if (ld % 8 != 0)
        return 1;
    if (inner)
        return ld % GEMM_UNITS_DEPTH != 0 ? by->gaps : 1;
    return ld % GEMM_UNITS_DEPTH != 0 || width % GEMM_UNITS_DEPTH != 0 ? 1 + by->cut_lines * GEMM_UNITS_DEPTH / width
                                                                       : 1;
}

enum { TIMES = 5 }; /* that a k-tile takes, of which the longest counts */

static double longest(const double times[TIMES])
{
    double all = 0;
    for (size_t i = 0; i < TIMES; i++)
        all = most(all, times[i]);
    return all;
}

/* Of times that overlap: a little more than the longest, where others are nearly as long. */
static double overlapping(const double times[TIMES])
{
    const double all = longest(times);
    double sum = 0;
    for (size_t i = 0; i < TIMES; i++) {
        const double share = times[i] / all, square = share * share;
        sum += square * square * share;
    }
    return all * pow(sum, 1.0 / 5);
}

/* Lines of memory of a k-tile that a block brings from L2: those that it multicasts and its part of others'. */
static double lines_from_l2(const plx_elected_tiling *tiling, const elected_rates *by, const plx_gemm_problem *p)
{
    const int64_t ld_x = tiling->transposed ? p->ldb : p->lda, ld_y = tiling->transposed ? p->lda : p->ldb;
    const int32_t rows = plx_elected_rows(tiling);
    return (double)rows / tiling->cluster_cols * gaps_of(ld_x, tiling->x_inner, rows, by) +
           (double)plx_elected_lines(tiling) / tiling->cluster_rows *
               gaps_of(ld_y, tiling->y_inner, tiling->tile->cols, by);
}

/* Clocks of a k-tile: it takes the units, L2, the way to the multiprocessor and the ring.  A multiprocessor gets 64
 * bytes in a clock and no more, multicast or not; where the other of its pair is idle it gets some of that one's. */
static void clocks_of_k_tile(const plx_elected_tiling *tiling, const elected_rates *by, const plx_problem *problem,
                             const plx_device_info *device, double times[TIMES])
{
    const int32_t blocks = plx_elected_blocks(tiling);
    const double active = least((double)tiling->items, (double)plx_elected_slots(device, blocks)) * blocks;
    const double rows = plx_elected_rows(tiling), lines = rows + plx_elected_lines(tiling);
    const double units = rows * tiling->tile->cols / 32 * by->unit;
    const double l2_rate = plx_tensor_is_large(device) ? by->large_l2_rate : by->small_l2_rate;
    const double l2 = lines_from_l2(tiling, by, &problem->of.gemm) * LINE_BYTES * active / l2_rate * by->clock;
    const double own_rate = by->own_rate * (active <= (double)plx_gemm_sms(device) / 2 ? by->lone : 1);
    times[0] = units;
    times[1] = l2;
    times[2] = lines * LINE_BYTES / own_rate * by->clock;
    times[3] = by->latency / tiling->stages * ring_of_cluster(blocks, by);
    times[4] = by->least_step;
}

/* Lines that a block brings for each sum of a step. */
static double lines_for_sums(const plx_elected_tiling *tiling)
{
    const double rows = plx_elected_rows(tiling), cols = tiling->tile->cols;
    return (rows / tiling->cluster_cols + (double)plx_elected_lines(tiling) / tiling->cluster_rows) / (rows * cols);
}

/* What a block spends on C, in `waves` of tiles. */
static double clocks_of_ends(const plx_elected_tiling *tiling, const elected_rates *by, const plx_problem *problem,
                             double waves)
{
    const bool bulk = plx_elected_bulk(problem), narrow = bulk && !tiling->transposed && tiling->tile->cols % 64 != 0;
    const double slow = bulk ? 0 : by->slow_element * plx_elected_rows(tiling) * tiling->tile->cols;
    const double away = 1 - 1.0 / tiling->parts; /* of the sums that it adds, those that others have */
    if (tiling->parts > 1)
        return by->exchange + by->exchange_element * plx_elected_rows(tiling) * tiling->tile->cols * away;
    return by->end * (tiling->ping_pong ? 1 + (narrow ? by->narrow : 0) * (waves - 1) : waves) + slow * waves;
}

/* Pairs of multiprocessors share what comes to them: where a few have two blocks and the others one, those
 * are late. Clusters lie less evenly still. */
static double late_pairs(const plx_elected_tiling *tiling, const elected_rates *by, const plx_device_info *device)
{
    const double share = (double)tiling->items * plx_elected_blocks(tiling) / (double)plx_gemm_sms(device);
    return share > 0.5 && share < (plx_elected_blocks(tiling) > 1 ? 0.8 : 0.6) ? by->late_pairs : 1;
}

/* Operands in, and C out by clusters of tiles side by side. */
static double us_of_memory(const plx_elected_tiling *tiling, const plx_problem *problem, const plx_device_info *device,
                           const elected_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double cols = tiling->transposed ? (double)plx_elected_rows(tiling) * tiling->cluster_rows
                                           : (double)tiling->tile->cols * tiling->cluster_cols;
    const double x = (double)(tiling->transposed ? p->n : p->m) * (tiling->across > 1 ? by->again : 1),
                 y = (double)(tiling->transposed ? p->m : p->n) * (tiling->down > 1 ? by->again : 1);
    const double bytes = 2 * (x + y) * (double)p->k + plx_tensor_bytes_of_c(problem, cols, &by->tensor) / by->writing;
    return (double)plx_problem_count(problem) * bytes / plx_tensor_memory_rate(device, &by->tensor) *
           late_pairs(tiling, by, device);
}

static double us_of_packing(const plx_gemm_problem *p, const elected_rates *by)
{
    const double elements =
        (p->lda % 8 != 0 ? (double)p->m * (double)p->k : 0) + (p->ldb % 8 != 0 ? (double)p->n * (double)p->k : 0);
    return elements > 0 ? by->copy_us + 4 * elements / by->copy_rate : 0;
}

/* Of a block. */
static double k_tiles_of(const plx_problem *problem, const plx_elected_tiling *tiling)
{
    return (double)quotient_up(plx_units_k_tiles(problem), tiling->parts * tiling->ranges);
}

static double us_of_adding(const plx_elected_tiling *tiling, const elected_rates *by)
{
    const double sums =
        (double)tiling->items * plx_elected_blocks(tiling) * plx_elected_rows(tiling) * tiling->tile->cols;
    return tiling->ranges == 1 ? 0 : by->adding_us + 4 * sums / by->adding_rate;
}

static double us_of(const plx_elected_tiling *tiling, const plx_problem *problem, const plx_device_info *device,
                    const elected_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int32_t blocks = plx_elected_blocks(tiling);
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, k_tiles = k_tiles_of(problem, tiling);
    const double size = blocks, items = (double)tiling->items, count = (double)plx_problem_count(problem);
    const double slots = (double)plx_elected_slots(device, blocks), waves = ceil(items / slots);
    const double area = items * size * plx_elected_rows(tiling) * tiling->tile->cols;
    double k_tile[TIMES];
    clocks_of_k_tile(tiling, by, problem, device, k_tile);
    const double powered = plx_tensor_us_with_power(waves * k_tiles * overlapping(k_tile) / by->clock,
                                                    2 * m * n * k * count, area * k_tiles * 2 * GEMM_UNITS_DEPTH,
                                                    by->flops_rate / (1 + by->line_power * lines_for_sums(tiling)));
    const double math =
        (powered + clocks_of_ends(tiling, by, problem, waves) / by->clock) * (blocks > 2 ? by->large_cluster : 1);
    const double memory = us_of_memory(tiling, problem, device, by);
    const double norm = tiling->ping_pong && waves > 1 ? by->overlap_turns : by->overlap;
    return by->launch_us + plx_tensor_overlapped(math, memory, norm) + us_of_adding(tiling, by) + us_of_packing(p, by);
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_elected_tiling tiling = plx_elected_tiling_by(problem, device, schedule);
    return us_of(&tiling, problem, device, rates);
}

/* ---- schedules -------------------------------------------------------------------------- */

#define EARLY_US 25 /* below which the next launch gains more by its early begin than neighbours lose */

/* What none takes less than that us_of() tells, but without powers, which take long where thousands are compared: as if
 * what overlaps were hidden, and without the limit of power. */
static double least_us(const plx_elected_tiling *tiling, const plx_problem *problem, const plx_device_info *device)
{
    const elected_rates *by = &own_rates;
    const double waves = ceil((double)tiling->items / (double)plx_elected_slots(device, plx_elected_blocks(tiling)));
    double k_tile[TIMES];
    clocks_of_k_tile(tiling, by, problem, device, k_tile);
    const double multiplying = waves * k_tiles_of(problem, tiling) * longest(k_tile);
    const double math = (multiplying + clocks_of_ends(tiling, by, problem, waves)) / by->clock;
    return by->launch_us + most(math, us_of_memory(tiling, problem, device, by)) + us_of_adding(tiling, by) +
           us_of_packing(&problem->of.gemm, by);
}

/* False where there is no such tiling. */
static bool visit_tiling(plx_gemm_search *search, size_t place, plx_elected_tiling *tiling)
{
    if (!plx_elected_fill(search->problem, search->device, tiling))
        return false;
    if (search->limit < INFINITY && least_us(tiling, search->problem, search->device) > search->limit)
        return true;
    plx_schedule schedule = {.kernel = search->kernel,
                             .tile = (uint32_t)place,
                             .split_k = tiling->ranges,
                             .cluster_k = tiling->parts,
                             .cluster_rows = tiling->cluster_rows,
                             .cluster_cols = tiling->cluster_cols,
                             .transposed = tiling->transposed,
                             .ping_pong = tiling->ping_pong,
                             .us = us_of(tiling, search->problem, search->device, &own_rates)};
    schedule.early = schedule.us < EARLY_US;
    search->visit(search, &schedule);
    return true;
}

static void each_cluster(plx_gemm_search *search, size_t place, plx_elected_tiling tiling)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        tiling.cluster_rows = clusters[i][0];
        tiling.cluster_cols = clusters[i][1];
        tiling.parts = clusters[i][2];
        tiling.ranges = 1;
        while (visit_tiling(search, place, &tiling) && tiling.ranges < MOST_RANGES)
            tiling.ranges++;
    }
}

static void each(plx_gemm_search *search)
{
    const plx_gemm_problem *p = &search->problem->of.gemm;
    const plx_schedule none = {.kernel = search->kernel, .us = INFINITY};
    const bool a_inner = !p->trans_a, b_inner = p->trans_b;
    size_t count;
    const plx_elected_tile *tiles = plx_elected_tiles(&count);
    if (!plx_gemm_has_work(search->problem))
        search->visit(search, &none);
    if (p->m <= 0 || p->n <= 0 || p->m > PLX_GEMM_MOST_INDEX || p->n > PLX_GEMM_MOST_INDEX ||
        p->k > PLX_GEMM_MOST_INDEX || plx_units_k_tiles(search->problem) == 0)
        return;
    for (size_t i = 0; i < count; i++)
        for (int form = 0; form < 4 && tiles[i].mn_major == !(a_inner && b_inner); form++)
            each_cluster(search, i, plx_elected_form(search->problem, &tiles[i], form & 1, form >> 1));
}

/* Of a cluster's blocks, and of how the product is multiplied, numbers below 128. */
static plx_gemm_config config_of(const plx_schedule *s)
{
    return (plx_gemm_config){
        .tile = s->tile,
        .cluster = (uint32_t)(s->cluster_rows << 3 | s->cluster_cols),
        .parts = (uint32_t)(s->split_k > 1 ? MOST_RANGES + s->split_k : s->cluster_k),
        .edge_blocks = (uint32_t)s->transposed | (uint32_t)s->ping_pong << 1,
    };
}

/* "128x176c2x1pt": rows and columns of C in a block's tile, tiles of a cluster in the product that is
 * multiplied, by turns (ping-pong), transposed.  "48x128k4t": k in four parts; "96x64c1x2/3": in three ranges. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    const plx_elected_tiling tiling = plx_elected_tiling_by(problem, device, schedule);
    const int rows = plx_elected_rows(&tiling), cols = tiling.tile->cols;
    char cluster[24] = "", parts[16] = "";
    if (tiling.cluster_rows * tiling.cluster_cols > 1)
        (void)snprintf(cluster, sizeof cluster, "c%dx%d", (int)tiling.cluster_rows, (int)tiling.cluster_cols);
    if (tiling.parts > 1)
        (void)snprintf(parts, sizeof parts, "k%d", (int)tiling.parts);
    if (tiling.ranges > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)tiling.ranges);
    (void)snprintf(name, size, "%dx%d%s%s%s%s", tiling.transposed ? cols : rows, tiling.transposed ? rows : cols,
                   cluster, parts, tiling.ping_pong ? "p" : "", tiling.transposed ? "t" : "");
}

static void paths(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule)
{
    (void)device;
    if (!plx_gemm_has_work(problem))
        return;
    schedule->paths[0] = plx_units_path(problem, 0, unaligned);
    schedule->paths[1] = plx_units_path(problem, 1, unaligned);
    schedule->paths[2] = !unaligned && plx_elected_bulk(problem) ? PLX_PATH_TMA : PLX_PATH_LOADS;
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_status status = plx_needs_sm_90a(device, error);
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    if (status == PLX_OK)
        status = plx_units_check_batch(problem, error);
    return status == PLX_OK && plx_gemm_has_work(problem) ? plx_gemm_check_sizes(p, error) : status;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE) PLX_TENSOR_RATES(PLX_GEMM_TENSOR_RANGE)};

const plx_gemm_family plx_elected_family = {
    .check = check,
    .each = each,
    .none = "C has more tiles than can be counted",
    .paths = paths,
    .config = config_of,
    .name = name_of,
    .lists_fastest = true, /* there are hundreds */
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
