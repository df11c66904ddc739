/* wgmma-elected: which tile, cluster and order of tiles a product takes, by the time that each should take.
 */
#include "wgmma_elected.h"

#include "configs.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "tma.h"
#include "operand.h"
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-elected.h"
#include "wgmma.h"

#include <math.h>
#include <stdio.h>

#define TILE(BLOCKS, COLS, ACROSS) {BLOCKS, COLS, "gemm_wgmma_elected_" #BLOCKS "x" #COLS, ACROSS},

/* A configuration's number has a tile's place, so that the two lists are one behind the other. */
static const plx_elected_tile tiles[] = {GEMM_ELECTED_TILES(TILE, false) GEMM_ELECTED_ACROSS_TILES(TILE, true)};
enum { TILES = sizeof tiles / sizeof tiles[0] };

/* Blocks of a cluster: one below the other, side by side. */
static const int32_t clusters[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
enum { CLUSTERS = sizeof clusters / sizeof clusters[0] };

enum {
    LEAST_STAGES = 3,
    MANY_STAGES = 6, /* from which on two blocks of C are worth their room */
    MOST_STAGES = 24,
    MOST_AREA = 256 * 160 /* of a block's tile */
};

#define MOST (INT32_MAX - 65536) /* indices are 32 bits wide in the device code */

/* ---- the model ----------------------------------------------------------------------- */

/* Fitted to 13600 times of 172 products on two H100 (doc/experiments.md): clocks, microseconds, bytes and
 * flops in one. */
static const struct {
    double clock;        /* MHz */
    double unit;         /* clocks of the units for 32 sums of 64 products each */
    double least_step;   /* clocks */
    double l2_rate;      /* what all multiprocessors together get */
    double gaps;         /* more of that where rows are no whole lines of memory */
    double latency;      /* clocks that all stages of the ring bridge */
    double of_cluster;   /* more of that in clusters */
    double end;          /* clocks of a tile's end */
    double slow_element; /* for an element of C that does not leave by bulk stores */
    double narrow;       /* what is seen of an end that writes parts of lines of C while the other warpgroup
                            multiplies */
    double flops_rate;   /* what the limit of power leaves */
    double line_power;   /* of a line that is brought, in sums */
    double launch_us;
    double overlap;            /* what is seen of the lesser of multiplying and of reading memory */
    double copy_us, copy_rate; /* of operands that are copied to aligned rows first */
    double across;             /* times all, where an operand lies across k: of 117 products of layers on an H200 */
} rates = {1750, 0.9, 171, 13.6e6, 1.6, 1050, 1.86, 2110, 0.4, 0.28, 888e6, 5, 3.95, 0.21, 4.5, 4.0e6, 1.08};

/* More of all but memory, for what blocks of a cluster wait for each other: of 2, 4 and 8. */
static const double more_of_cluster[] = {[1] = 0, [2] = 0.063, [4] = 0.082, [8] = 0.059};

/* The product that is multiplied. */
static int64_t rows_of(const plx_gemm_problem *p, bool turned)
{
    return turned ? p->n : p->m;
}

static int64_t cols_of(const plx_gemm_problem *p, bool turned)
{
    return turned ? p->m : p->n;
}

static int64_t steps_along_k(const plx_problem *problem)
{
    return plx_gemm_has_terms(problem) ? quotient_up(problem->of.gemm.k, GEMM_UNITS_DEPTH) : 0;
}

int32_t plx_elected_rows(const plx_elected_tiling *cut)
{
    return 64 * cut->tile->blocks * (cut->turns ? 1 : 2);
}

static int32_t blocks_of(const plx_elected_tiling *cut)
{
    return cut->cluster_rows * cut->cluster_cols;
}

int32_t plx_elected_lines(const plx_elected_tiling *cut)
{
    return cut->y_inner ? cut->tile->cols : 64 * (int32_t)quotient_up(cut->tile->cols, 64);
}

static int64_t stage_bytes(const plx_elected_tiling *cut)
{
    return 2 * GEMM_UNITS_DEPTH * ((int64_t)plx_elected_rows(cut) + plx_elected_lines(cut));
}

/* A stage has two barriers; all begins at a multiple of 1024. */
int64_t plx_elected_shared(const plx_elected_tiling *cut)
{
    return 1024 + cut->stages * (stage_bytes(cut) + 16) + 2 * cut->outs * GEMM_ELECTED_BLOCK + GEMM_ELECTED_ORDER;
}

int64_t plx_elected_slots(const plx_device_info *device, int32_t blocks)
{
    const int64_t units = device->units > 0 ? device->units : 1;
    const int64_t taken = blocks <= 2 ? units : units * 10 / 11;
    return larger(1, taken / blocks);
}

bool plx_elected_bulk(const plx_problem *problem)
{
    return plx_output_dtype(problem) != PLX_F32 && (float)problem->of.gemm.beta == 0.0f &&
           plx_wgmma_rows_reached(problem);
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double least(double a, double b)
{
    return a < b ? a : b;
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

/* A step takes the units, L2 and the ring. */
static double clocks_of_step(const plx_elected_tiling *cut, const plx_problem *problem, double active)
{
    const double rows = plx_elected_rows(cut), cols = cut->tile->cols;
    const double lines = rows / cut->cluster_cols + (double)plx_elected_lines(cut) / cut->cluster_rows;
    const double units = rows * cols / 32 * rates.unit;
    const double l2 =
        lines * (has_gaps(&problem->of.gemm) ? rates.gaps : 1) * 128 * active / rates.l2_rate * rates.clock;
    const double ring = rates.latency / cut->stages * (blocks_of(cut) > 1 ? rates.of_cluster : 1);
    return longest((const double[]){units, l2, ring, rates.least_step}, 4);
}

/* Lines that a block brings for each sum of a step. */
static double lines_for_sums(const plx_elected_tiling *cut)
{
    const double rows = plx_elected_rows(cut), cols = cut->tile->cols;
    return (rows / cut->cluster_cols + (double)plx_elected_lines(cut) / cut->cluster_rows) / (rows * cols);
}

/* Not less than what the limit of power leaves, whose root goes with what tiles overhang C; what comes from
 * L2 takes some of it. */
static double us_with_power(const plx_elected_tiling *cut, double us, double flops, double overhanging)
{
    const double least_us = sqrt(flops * overhanging) / rates.flops_rate * (1 + rates.line_power * lines_for_sums(cut));
    const double share = least(us, least_us) / most(us, least_us);
    return most(us, least_us) * (1 + pow(share, 12) / 12);
}

/* What a block spends on C, in `rounds` of tiles. */
static double clocks_of_ends(const plx_elected_tiling *cut, const plx_problem *problem, double rounds)
{
    const bool bulk = plx_elected_bulk(problem), narrow = bulk && !cut->turned && cut->tile->cols % 64 != 0;
    const double slow = bulk ? 0 : rates.slow_element * plx_elected_rows(cut) * cut->tile->cols;
    return (rates.end + slow) * (cut->turns ? 1 + (narrow ? rates.narrow : 0) * (rounds - 1) : rounds);
}

/* Pairs of multiprocessors share what comes to them: where a few have two blocks and the others one, those
 * are late. Clusters lie less evenly still. */
static double late_pairs(const plx_elected_tiling *cut, const plx_device_info *device)
{
    const double share =
        (double)cut->down * (double)cut->across * blocks_of(cut) / (device->units > 0 ? device->units : 1);
    return share > 0.5 && share < (blocks_of(cut) > 1 ? 0.8 : 0.6) ? 1.12 : 1;
}

static double us_of_copying(const plx_gemm_problem *p)
{
    const double elements =
        (p->lda % 8 != 0 ? (double)p->m * (double)p->k : 0) + (p->ldb % 8 != 0 ? (double)p->n * (double)p->k : 0);
    return elements > 0 ? rates.copy_us + 4 * elements / rates.copy_rate : 0;
}

static double us_of(const plx_elected_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, steps = (double)steps_along_k(problem);
    const double size = blocks_of(cut), items = (double)cut->down * (double)cut->across;
    const double slots = (double)plx_elected_slots(device, blocks_of(cut)), rounds = ceil(items / slots);
    const double area = items * size * plx_elected_rows(cut) * cut->tile->cols;
    const double bytes_of_c = plx_output_dtype(problem) == PLX_F32 ? 4 : 2;
    const double memory =
        (2 * (m + n) * k + bytes_of_c * m * n) / plx_units_memory_rate(device) * late_pairs(cut, device);
    double us = (rounds * steps * clocks_of_step(cut, problem, least(items, slots) * size) +
                 clocks_of_ends(cut, problem, rounds)) /
                rates.clock * (1 + more_of_cluster[blocks_of(cut)]);
    us = us_with_power(cut, us, 2 * m * n * k, area * steps * 2 * GEMM_UNITS_DEPTH);
    const double all = rates.launch_us + most(us, memory) + rates.overlap * least(us, memory) + us_of_copying(p);
    return cut->x_inner && cut->y_inner ? all : all * rates.across;
}

/* ---- the cut --------------------------------------------------------------------------- */

/* Stages and blocks of C, as many as there is room for; false where that is too little. */
static bool fill_shared(const plx_device_info *device, plx_elected_tiling *cut)
{
    int64_t stages[3] = {0};
    for (int outs = 1; outs <= 2; outs++) {
        cut->outs = outs;
        cut->stages = 0;
        const int64_t room = (int64_t)device->max_shared_bytes - plx_elected_shared(cut);
        stages[outs] = room > 0 ? smaller(MOST_STAGES, room / (stage_bytes(cut) + 16)) : 0;
    }
    cut->outs = stages[2] >= MANY_STAGES || stages[2] == stages[1] ? 2 : 1;
    cut->stages = (int32_t)stages[cut->outs];
    return cut->stages >= LEAST_STAGES;
}

/* As square a part of the product as there are blocks at once shares what they read; few rounds go row by
 * row. */
static int32_t order_of(const plx_elected_tiling *cut, const plx_device_info *device)
{
    const int64_t slots = plx_elected_slots(device, blocks_of(cut));
    const double rows = plx_elected_rows(cut), area = rows * cut->tile->cols;
    if (cut->down * cut->across <= 2 * slots)
        return 1;
    const double side = sqrt((double)device->units * area) / (cut->cluster_rows * rows);
    return (int32_t)least(most(1, round(side)), (double)cut->down);
}

#define EARLY_US 25 /* below which the next launch gains more by its early begin than neighbours lose */

/* What no cut with this tile, in these clusters, takes less than: the units alone, or memory alone. */
static double least_us(const plx_elected_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double rounds =
        ceil((double)cut->down * (double)cut->across / (double)plx_elected_slots(device, blocks_of(cut)));
    const double units = (double)plx_elected_rows(cut) * cut->tile->cols / 32 * rates.unit;
    const double multiplying = rounds * (double)steps_along_k(problem) * most(units, rates.least_step) / rates.clock;
    const double memory = 2 * (m + n) * k / plx_units_memory_rate(device);
    return rates.launch_us + most(multiplying, memory) + us_of_copying(p);
}

/* False, too, where it would take more than `limit` microseconds. */
static bool make_cut(const plx_problem *problem, const plx_device_info *device, double limit, plx_elected_tiling *cut)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t area = (int64_t)(64 * cut->tile->blocks * (cut->turns ? 1 : 2)) * cut->tile->cols;
    if (area > MOST_AREA || plx_elected_lines(cut) % cut->cluster_rows != 0 || !fill_shared(device, cut))
        return false;
    cut->down = quotient_up(rows_of(p, cut->turned), (int64_t)plx_elected_rows(cut) * cut->cluster_rows);
    cut->across = quotient_up(cols_of(p, cut->turned), (int64_t)cut->tile->cols * cut->cluster_cols);
    int64_t items;
    if (__builtin_mul_overflow(cut->down, cut->across, &items) || items > INT32_MAX / 2)
        return false;
    if (limit < INFINITY && least_us(cut, problem, device) > limit)
        return false;
    cut->order = order_of(cut, device);
    cut->us = us_of(cut, problem, device);
    cut->early = cut->us < EARLY_US;
    return true;
}

static plx_elected_tiling form_of(const plx_problem *problem, const plx_elected_tile *tile, bool turned, bool turns)
{
    const bool a_inner = !problem->of.gemm.trans_a, b_inner = problem->of.gemm.trans_b;
    return (plx_elected_tiling){.tile = tile,
                                .turned = turned,
                                .x_inner = turned ? b_inner : a_inner,
                                .y_inner = turned ? a_inner : b_inner,
                                .turns = turns};
}

typedef void visit_cut(void *data, const plx_elected_tiling *cut);

static void each_cluster(const plx_problem *problem, const plx_device_info *device, plx_elected_tiling cut,
                         const double *limit, visit_cut *visit, void *data)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        plx_elected_tiling made = cut;
        made.cluster_rows = clusters[i][0];
        made.cluster_cols = clusters[i][1];
        if (make_cut(problem, device, *limit, &made))
            visit(data, &made);
    }
}

/* Those that may take no more than `limit`, which may shrink on the way. */
static void each_cut(const plx_problem *problem, const plx_device_info *device, const double *limit, visit_cut *visit,
                     void *data)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m <= 0 || p->n <= 0 || p->m > MOST || p->n > MOST || p->k > MOST || steps_along_k(problem) == 0)
        return;
    const bool a_inner = !p->trans_a, b_inner = p->trans_b;
    for (size_t i = 0; i < TILES && (a_inner || b_inner); i++)
        for (int form = 0; form < 4 && tiles[i].across == (a_inner != b_inner); form++)
            each_cluster(problem, device, form_of(problem, &tiles[i], form & 1, form >> 1), limit, visit, data);
}

/* Of a cluster's blocks, and of how the product is multiplied, numbers below 128. */
static plx_gemm_config config_of(const plx_elected_tiling *cut)
{
    return (plx_gemm_config){
        .tile = (uint32_t)(cut->tile - tiles),
        .cluster = (uint32_t)(cut->cluster_rows << 3 | cut->cluster_cols),
        .parts = 1,
        .edge_blocks = (uint32_t)cut->turned | (uint32_t)cut->turns << 1,
    };
}

static uint32_t number_of(const plx_elected_tiling *cut)
{
    const plx_gemm_config config = config_of(cut);
    return plx_gemm_config_number(&config);
}

typedef struct choice {
    uint32_t wanted; /* number of a configuration, or 0 */
    double limit;
    plx_elected_tiling cut;
} choice;

static void choose(void *data, const plx_elected_tiling *cut)
{
    choice *c = data;
    if (c->wanted != 0 ? c->wanted == number_of(cut) : c->cut.tile == NULL || cut->us < c->cut.us)
        c->cut = *cut;
    if (c->wanted == 0)
        c->limit = least(c->limit, c->cut.us);
}

static bool find_cut(const plx_problem *problem, const plx_device_info *device, double limit, plx_elected_tiling *cut)
{
    choice c = {.wanted = problem->config, .limit = problem->config != 0 ? INFINITY : limit};
    each_cut(problem, device, &c.limit, choose, &c);
    *cut = c.cut;
    return cut->tile != NULL;
}

plx_elected_tiling plx_elected_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                         const plx_schedule *schedule)
{
    plx_elected_tiling cut = form_of(problem, &tiles[schedule->tile], schedule->transposed, schedule->ping_pong);
    cut.cluster_rows = schedule->cluster_rows;
    cut.cluster_cols = schedule->cluster_cols;
    (void)make_cut(problem, device, INFINITY, &cut);
    return cut;
}

/* ---- schedule --------------------------------------------------------------------- */

static void find_paths(const plx_problem *problem, bool unaligned, plx_schedule *schedule)
{
    schedule->paths[0] = plx_units_path(problem, 0, unaligned);
    schedule->paths[1] = plx_units_path(problem, 1, unaligned);
    schedule->paths[2] = !unaligned && plx_elected_bulk(problem) ? PLX_PATH_TMA : PLX_PATH_LOADS;
}

plx_status plx_elected_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_elected_tiling cut;
    plx_status status = plx_needs_sm_90a(device, error);
    const double limit = schedule->us > 0 ? schedule->us : INFINITY;
    schedule->us = INFINITY;
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    if (status == PLX_OK && p->trans_a && !p->trans_b)
        return plx_fail(error, PLX_UNSUPPORTED, "takes one operand across k at most: A as it is, or B transposed");
    if (status != PLX_OK || p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return status;
    status = plx_gemm_check_sizes(p, error);
    if (status == PLX_OK && !find_cut(problem, device, limit, &cut))
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    if (status != PLX_OK)
        return status;
    *schedule = (plx_schedule){.kernel = schedule->kernel,
                               .tile = (uint32_t)(cut.tile - tiles),
                               .split_k = 1,
                               .cluster_rows = cut.cluster_rows,
                               .cluster_cols = cut.cluster_cols,
                               .transposed = cut.turned,
                               .ping_pong = cut.turns,
                               .us = cut.us};
    find_paths(problem, false, schedule);
    return PLX_OK;
}

plx_status plx_elected_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                 plx_error *error)
{
    (void)device;
    (void)error;
    find_paths(problem, true, schedule);
    return PLX_OK;
}

/* ---- configurations ----------------------------------------------------------------- */

enum { LISTED = 64 }; /* those that should take the least time: there are hundreds */

typedef struct listed {
    plx_elected_tiling cuts[LISTED];
    size_t count;
} listed;

/* Keeps the list in order. */
static void insert(void *data, const plx_elected_tiling *cut)
{
    listed *l = data;
    size_t place = l->count;
    while (place > 0 && cut->us < l->cuts[place - 1].us) {
        if (place < LISTED)
            l->cuts[place] = l->cuts[place - 1];
        place--;
    }
    if (place < LISTED)
        l->cuts[place] = *cut;
    if (place < LISTED && l->count < LISTED)
        l->count++;
}

/* "128x176c2x1pt": rows and columns of C in a block's tile, blocks of a cluster in the product that is
 * multiplied, by turns (ping-pong), turned. */
static void list(plx_gemm_listing *listing, const plx_elected_tiling *cut)
{
    const plx_gemm_config config = config_of(cut);
    const int rows = plx_elected_rows(cut), cols = cut->tile->cols;
    char cluster[24] = "";
    if (blocks_of(cut) > 1)
        (void)snprintf(cluster, sizeof cluster, "c%dx%d", (int)cut->cluster_rows, (int)cut->cluster_cols);
    plx_gemm_list(listing, &config, cut->us, "%dx%d%s%s%s", cut->turned ? cols : rows, cut->turned ? rows : cols,
                  cluster, cut->turns ? "p" : "", cut->turned ? "t" : "");
}

size_t plx_elected_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                           size_t capacity)
{
    plx_elected_tiling own;
    listed l = {.count = 0};
    if (!find_cut(problem, device, INFINITY, &own) || isinf(own.us))
        return 0;
    const double all = INFINITY;
    each_cut(problem, device, &all, insert, &l);
    plx_gemm_listing listing = {configs, capacity, .own = number_of(&own)};
    for (size_t i = 0; i < l.count; i++)
        list(&listing, &l.cuts[i]);
    return listing.count;
}
