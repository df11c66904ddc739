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
enum { CLUSTERS = sizeof clusters / sizeof clusters[0] };

/* ---- the cost ------------------------------------------------------------------------- */

/* Clocks, microseconds, bytes and flops in one. */
#define RATES(X)                                                                                                      \
    X(clock, 500, 4000)           /* MHz */                                                                           \
    X(unit, 0.1, 10)              /* clocks of the tensor cores for 32 sums of 64 products each */                    \
    X(least_step, 10, 1e4)        /* clocks */                                                                        \
    X(l2_rate, 1e6, 1e8)          /* what all multiprocessors together get */                                         \
    X(gaps, 1, 4)                 /* more of that where rows are no whole lines of memory */                          \
    X(latency, 100, 1e4)          /* clocks that all stages of the ring bridge */                                     \
    X(of_cluster, 1, 5)           /* more of that in clusters */                                                      \
    X(end, 100, 1e5)              /* clocks of a tile's end */                                                        \
    X(slow_element, 0.01, 10)     /* for an element of C that does not leave by bulk stores */                        \
    X(exchange, 100, 1e5)         /* clocks of the exchange of parts */                                               \
    X(exchange_element, 1e-3, 10) /* more for an element that another has */                                          \
    X(narrow, 0.01, 2)            /* what is seen of an end that writes parts of lines of C while the other warpgroup \
                                     multiplies */                                                                    \
    X(flops_rate, 1e7, 1e10)      /* what the limit of power leaves */                                                \
    X(line_power, 0.1, 50)        /* of a line that is brought, in sums */                                            \
    X(launch_us, 0.1, 20)                                                                                             \
    X(overlap, 0.01, 1) /* what is seen of the lesser of multiplying and of reading memory */                         \
    X(copy_us, 0.1, 20)                                                                                               \
    X(copy_rate, 1e5, 5e7) /* of operands that are packed first */                                                    \
    X(across, 1, 2)        /* times all, where an operand is MN-major */                                              \
    X(more_of_2, 1e-3, 1)  /* more of all but memory, for what blocks of a cluster wait for each other */             \
    X(more_of_4, 1e-3, 1)                                                                                             \
    X(more_of_8, 1e-3, 1)                                                                                             \
    X(late_pairs, 1, 2) /* more of memory where a few pairs of multiprocessors have two blocks */
typedef struct elected_rates {
    RATES(PLX_GEMM_FIELD)
    plx_tensor_rates tensor;
} elected_rates;

static const elected_rates own_rates = {
#include "rates/cuda-9.0/wgmma-elected.h"
};

static double more_of_cluster(int32_t blocks, const elected_rates *by)
{
    return blocks == 1 ? 0 : blocks == 2 ? by->more_of_2 : blocks == 4 ? by->more_of_4 : by->more_of_8;
}

/* Of operands as they are multiplied: a copy's rows are whole lines. */
static bool has_gaps(const plx_gemm_problem *p)
{
    return (p->lda % 8 == 0 && p->lda % 64 != 0) || (p->ldb % 8 == 0 && p->ldb % 64 != 0);
}

/* Of times that overlap: a little more than the longest, where others are nearly as long. */
static double longest(const double *times, size_t count)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        all = most(all, times[i]);
    for (size_t i = 0; i < count; i++) {
        const double share = times[i] / all, square = share * share;
        sum += square * square * share;
    }
    return all * pow(sum, 1.0 / 5);
}

/* A k-tile takes the units, L2 and the ring. */
static double clocks_of_k_tile(const plx_elected_tiling *tiling, const elected_rates *by, const plx_problem *problem,
                               double active)
{
    const double rows = plx_elected_rows(tiling), cols = tiling->tile->cols;
    const double lines = rows / tiling->cluster_cols + (double)plx_elected_lines(tiling) / tiling->cluster_rows;
    const double units = rows * cols / 32 * by->unit;
    const double l2 = lines * (has_gaps(&problem->of.gemm) ? by->gaps : 1) * 128 * active / by->l2_rate * by->clock;
    const double ring = by->latency / tiling->stages * (plx_elected_blocks(tiling) > 1 ? by->of_cluster : 1);
    return longest((const double[]){units, l2, ring, by->least_step}, 4);
}

/* Lines that a block brings for each sum of a step. */
static double lines_for_sums(const plx_elected_tiling *tiling)
{
    const double rows = plx_elected_rows(tiling), cols = tiling->tile->cols;
    return (rows / tiling->cluster_cols + (double)plx_elected_lines(tiling) / tiling->cluster_rows) / (rows * cols);
}

/* Not less than what the limit of power leaves, whose root goes with what tiles overhang C; what comes from
 * L2 takes some of it. */
static double us_with_power(const plx_elected_tiling *tiling, const elected_rates *by, double us, double flops,
                            double overhanging)
{
    const double least_us = sqrt(flops * overhanging) / by->flops_rate * (1 + by->line_power * lines_for_sums(tiling));
    const double share = least(us, least_us) / most(us, least_us);
    return most(us, least_us) * (1 + pow(share, 12) / 12);
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
    return (by->end + slow) * (tiling->ping_pong ? 1 + (narrow ? by->narrow : 0) * (waves - 1) : waves);
}

/* Pairs of multiprocessors share what comes to them: where a few have two blocks and the others one, those
 * are late. Clusters lie less evenly still. */
static double late_pairs(const plx_elected_tiling *tiling, const elected_rates *by, const plx_device_info *device)
{
    const double share = (double)tiling->items * plx_elected_blocks(tiling) / (double)plx_gemm_sms(device);
    return share > 0.5 && share < (plx_elected_blocks(tiling) > 1 ? 0.8 : 0.6) ? by->late_pairs : 1;
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
    return (double)quotient_up(plx_units_k_tiles(problem), tiling->parts);
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
    const double bytes_of_c = (double)plx_units_bytes_of_result(problem);
    const double multiplying = (waves * k_tiles * clocks_of_k_tile(tiling, by, problem, least(items, slots) * size) +
                                clocks_of_ends(tiling, by, problem, waves)) /
                               by->clock * (1 + more_of_cluster(blocks, by));
    const plx_gemm_terms terms = {
        .launch = by->launch_us,
        .math = us_with_power(tiling, by, multiplying, 2 * m * n * k * count, area * k_tiles * 2 * GEMM_UNITS_DEPTH),
        .memory = count * (2 * (m + n) * k + bytes_of_c * m * n) / plx_tensor_memory_rate(device, &by->tensor) *
                  late_pairs(tiling, by, device),
        .overlap = by->overlap,
        .pack = us_of_packing(p, by),
    };
    const double all = plx_gemm_us(&terms);
    return tiling->x_inner && tiling->y_inner ? all : all * by->across;
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_elected_tiling tiling = plx_elected_tiling_by(problem, device, schedule);
    return us_of(&tiling, problem, device, rates);
}

/* ---- schedules -------------------------------------------------------------------------- */

#define EARLY_US 25 /* below which the next launch gains more by its early begin than neighbours lose */

/* What none with this tile, in these clusters, takes less than: the tensor cores alone, or memory alone. */
static double least_us(const plx_elected_tiling *tiling, const plx_problem *problem, const plx_device_info *device)
{
    const elected_rates *by = &own_rates;
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double waves = ceil((double)tiling->items / (double)plx_elected_slots(device, plx_elected_blocks(tiling)));
    const double units = (double)plx_elected_rows(tiling) * tiling->tile->cols / 32 * by->unit;
    const double multiplying = waves * k_tiles_of(problem, tiling) * most(units, by->least_step) / by->clock;
    const double memory = 2 * (m + n) * k / plx_tensor_memory_rate(device, &by->tensor);
    return by->launch_us + most(multiplying, memory) + us_of_packing(p, by);
}

static void each_cluster(plx_gemm_search *search, size_t place, plx_elected_tiling tiling)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        tiling.cluster_rows = clusters[i][0];
        tiling.cluster_cols = clusters[i][1];
        tiling.parts = clusters[i][2];
        if (!plx_elected_fill(search->problem, search->device, &tiling) ||
            (search->limit < INFINITY && least_us(&tiling, search->problem, search->device) > search->limit))
            continue;
        plx_schedule schedule = {.kernel = search->kernel,
                                 .tile = (uint32_t)place,
                                 .split_k = 1,
                                 .cluster_k = tiling.parts,
                                 .cluster_rows = tiling.cluster_rows,
                                 .cluster_cols = tiling.cluster_cols,
                                 .transposed = tiling.transposed,
                                 .ping_pong = tiling.ping_pong,
                                 .us = us_of(&tiling, search->problem, search->device, &own_rates)};
        schedule.early = schedule.us < EARLY_US;
        search->visit(search, &schedule);
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
        .parts = (uint32_t)s->cluster_k,
        .edge_blocks = (uint32_t)s->transposed | (uint32_t)s->ping_pong << 1,
    };
}

/* "128x176c2x1pt": rows and columns of C in a block's tile, tiles of a cluster in the product that is
 * multiplied, by turns (ping-pong), transposed.  "48x128k4t": k in four parts. */
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
    .most_listed = 64, /* there are hundreds */
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
