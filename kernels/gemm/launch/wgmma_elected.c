/* wgmma-elected: products of f16 and bf16 in tiles of any width: tiles, and launches. */
#include "tensor.h"

#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-elected.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"

#include <math.h>

enum { A, B, C, LINE = 128 }; /* operands; bytes of a row of a stage */

/* ---- tiles ------------------------------------------------------------------------------------- */

enum {
    LEAST_STAGES = 3,
    MANY_STAGES = 6, /* from which on two blocks of C are worth their room */
    SOME_STAGES = 4, /* the same where each tile takes few k-tiles */
    FEW_K_TILES = 8,
    STAYS_IN_L2 = 12 << 20, /* bytes of an operand */
    MOST_SIDES = 4,         /* of a square, a group's height */
    MOST_STAGES = 24,
    MOST_AREA = 256 * 160 /* of a block's tile */
};

#define TILE(BLOCKS, COLS, MN_MAJOR) {BLOCKS, COLS, "gemm_wgmma_elected_" #BLOCKS "x" #COLS, MN_MAJOR},

/* A configuration's number has a tile's place, so that the two lists are one behind the other. */
const plx_elected_tile *plx_elected_tiles(size_t *count)
{
    static const plx_elected_tile tiles[] = {GEMM_ELECTED_TILES(TILE, false) GEMM_ELECTED_ACROSS_TILES(TILE, true)};
    *count = sizeof tiles / sizeof tiles[0];
    return tiles;
}

int32_t plx_elected_rows(const plx_elected_tiling *tiling)
{
    return 64 * tiling->tile->blocks * (tiling->ping_pong ? 1 : 2);
}

int32_t plx_elected_blocks(const plx_elected_tiling *tiling)
{
    return tiling->cluster_rows * tiling->cluster_cols * tiling->parts;
}

int32_t plx_elected_lines(const plx_elected_tiling *tiling)
{
    return tiling->y_inner ? tiling->tile->cols : 64 * (int32_t)quotient_up(tiling->tile->cols, 64);
}

static int64_t stage_bytes(const plx_elected_tiling *tiling)
{
    return 2 * GEMM_UNITS_DEPTH * ((int64_t)plx_elected_rows(tiling) + plx_elected_lines(tiling));
}

/* A stage has two barriers; all begins at a multiple of 1024. */
int64_t plx_elected_shared(const plx_elected_tiling *tiling)
{
    return 1024 + tiling->stages * (stage_bytes(tiling) + 16) + 2 * tiling->outs * GEMM_ELECTED_BLOCK +
           GEMM_ELECTED_ORDER;
}

/* A cluster lies within a group of 14 to 18 multiprocessors, and chips differ in their groups: of 132 some run 15
 * clusters of eight at once, others 13.  What does not fit waits until the first are done, which takes twice as long.
 * Where the device does not tell: as many as all that were seen run. */
int64_t plx_elected_slots(const plx_device_info *device, int32_t blocks)
{
    const int64_t units = plx_gemm_sms(device);
    const uint32_t told = blocks == 4 ? device->clusters[0] : blocks == 8 ? device->clusters[1] : 0;
    const int64_t taken = blocks <= 2 ? units : blocks <= 4 ? units * 29 / 33 : units * 26 / 33;
    return told > 0 ? told : larger(1, taken / blocks);
}

bool plx_elected_bulk(const plx_problem *problem)
{
    return plx_output_dtype(problem) != PLX_F32 && (float)problem->of.gemm.beta == 0.0f &&
           plx_units_rows_reached(problem) && (!problem->batch.batched || problem->batch.stride[C] % 8 == 0);
}

/* Stages and blocks of C, as many as there is room for; false where that is too little. */
static bool fill_shared(const plx_problem *problem, const plx_device_info *device, plx_elected_tiling *tiling)
{
    const int many = plx_units_k_tiles(problem) <= FEW_K_TILES ? SOME_STAGES : MANY_STAGES;
    int64_t stages[3] = {0};
    for (int outs = 1; outs <= 2; outs++) {
        tiling->outs = outs;
        tiling->stages = 0;
        const int64_t room = (int64_t)device->max_shared_bytes - plx_elected_shared(tiling);
        stages[outs] = room > 0 ? smaller(MOST_STAGES, room / (stage_bytes(tiling) + 16)) : 0;
    }
    tiling->outs = stages[2] >= many || stages[2] == stages[1] ? 2 : 1;
    tiling->stages = (int32_t)stages[tiling->outs];
    return tiling->stages >= LEAST_STAGES;
}

/* Whether clusters side by side follow each other, where there are few: neighbours share what there is more of, and
 * their requests for it are joined.  Those of a round go the way in which the blocks of their clusters lie, and those
 * of larger clusters side by side. */
static bool goes_along_rows(const plx_elected_tiling *tiling, bool one_round)
{
    const int32_t blocks = plx_elected_blocks(tiling);
    const bool is_high = tiling->across < tiling->down;
    if (!one_round || blocks == 1)
        return is_high;
    if (blocks == 2 && tiling->cluster_cols == 2)
        return is_high || tiling->down > 2;
    if (blocks == 2 && tiling->cluster_rows == 2)
        return is_high && tiling->across <= 2;
    return true;
}

/* Whether X stays in L2, and groups of rows of clusters would bring Y again, which does not, or cut the rows of C,
 * which are written best from their begin to their end. */
static bool is_one_group(const plx_problem *problem, const plx_elected_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double x = 2.0 * (double)(tiling->transposed ? p->n : p->m) * (double)p->k,
                 y = 2.0 * (double)(tiling->transposed ? p->m : p->n) * (double)p->k;
    return x <= STAYS_IN_L2 && (y > STAYS_IN_L2 || tiling->transposed);
}

/* As square a part of the product as there are blocks at once shares what they read, in groups of equal height. */
int32_t plx_elected_order(const plx_problem *problem, const plx_elected_tiling *tiling, const plx_device_info *device)
{
    const int64_t slots = plx_elected_slots(device, plx_elected_blocks(tiling)),
                  clusters = tiling->down * tiling->across;
    const double rows = plx_elected_rows(tiling), area = rows * tiling->tile->cols;
    if (clusters <= 2 * slots && goes_along_rows(tiling, clusters <= slots))
        return 1;
    const double side = fmax(1, sqrt((double)device->units * area) / (tiling->cluster_rows * rows)),
                 down = (double)tiling->down;
    const bool one = down <= MOST_SIDES * side && is_one_group(problem, tiling);
    return (int32_t)ceil(down / (one ? 1 : fmax(1, round(down / side))));
}

/* The parts of a tile's sums are exchanged where its stages were, when the only tile of a cluster is done. */
static bool parts_fit(const plx_problem *problem, const plx_device_info *device, const plx_elected_tiling *tiling)
{
    const int64_t area = (int64_t)plx_elected_rows(tiling) * tiling->tile->cols;
    const bool can_be = tiling->tile->blocks * tiling->tile->cols <= GEMM_ELECTED_MOST_PARTED;
    return tiling->parts == 1 || (can_be && !tiling->ping_pong && tiling->parts <= plx_units_k_tiles(problem) &&
                                  area * (int64_t)sizeof(float) <= tiling->stages * stage_bytes(tiling) &&
                                  tiling->items <= plx_elected_slots(device, plx_elected_blocks(tiling)));
}

/* Ranges are for products that leave multiprocessors idle: all run at once, in clusters without parts of k. */
static bool ranges_fit(const plx_problem *problem, const plx_device_info *device, const plx_elected_tiling *tiling)
{
    return tiling->ranges == 1 ||
           (!problem->batch.batched && tiling->parts == 1 && tiling->ranges <= plx_units_k_tiles(problem) &&
            tiling->items <= plx_elected_slots(device, plx_elected_blocks(tiling)));
}

bool plx_elected_fill(const plx_problem *problem, const plx_device_info *device, plx_elected_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t rows = tiling->transposed ? p->n : p->m, cols = tiling->transposed ? p->m : p->n;
    const int64_t area = (int64_t)plx_elected_rows(tiling) * tiling->tile->cols;
    if (area > MOST_AREA || plx_elected_lines(tiling) % tiling->cluster_rows != 0 ||
        !fill_shared(problem, device, tiling))
        return false;
    tiling->down = quotient_up(rows, (int64_t)plx_elected_rows(tiling) * tiling->cluster_rows);
    tiling->across = quotient_up(cols, (int64_t)tiling->tile->cols * tiling->cluster_cols);
    return !__builtin_mul_overflow(tiling->down, tiling->across, &tiling->items) &&
           !__builtin_mul_overflow(tiling->items, plx_problem_count(problem) * tiling->ranges, &tiling->items) &&
           tiling->items <= INT32_MAX / 2 && parts_fit(problem, device, tiling) && ranges_fit(problem, device, tiling);
}

plx_elected_tiling plx_elected_form(const plx_problem *problem, const plx_elected_tile *tile, bool transposed,
                                    bool ping_pong)
{
    const bool a_inner = !problem->of.gemm.trans_a, b_inner = problem->of.gemm.trans_b;
    return (plx_elected_tiling){.tile = tile,
                                .transposed = transposed,
                                .x_inner = transposed ? b_inner : a_inner,
                                .y_inner = transposed ? a_inner : b_inner,
                                .ping_pong = ping_pong,
                                .parts = 1,
                                .ranges = 1};
}

plx_elected_tiling plx_elected_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                         const plx_schedule *schedule)
{
    size_t count;
    plx_elected_tiling tiling = plx_elected_form(problem, &plx_elected_tiles(&count)[schedule->tile],
                                                 schedule->transposed, schedule->ping_pong);
    tiling.cluster_rows = schedule->cluster_rows;
    tiling.cluster_cols = schedule->cluster_cols;
    tiling.parts = schedule->cluster_k;
    tiling.ranges = (int32_t)larger(schedule->split_k, 1);
    (void)plx_elected_fill(problem, device, &tiling);
    tiling.order = plx_elected_order(problem, &tiling, device);
    return tiling;
}

/* ---- maps ------------------------------------------------------------------------------ */

/* A block's share of its tile's rows or columns, 64 terms of each, and what there is of the last share; of an operand
 * that lies across k some of the terms, of 64 rows or columns, of which there are no fewer at the edge. */
static void add_operand(const plx_problem *problem, const plx_gemm_operand *stored, int32_t side, int32_t shares,
                        plx_recipe *recipe, plx_step *step)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = 64;
    map.box_height = (uint32_t)((stored->inner ? side : GEMM_UNITS_DEPTH) / shares);
    map.swizzle = LINE;
    plx_units_set_depth(problem, &map);
    plx_step_map(recipe, step, &map);
    const uint32_t left = (uint32_t)(map.height % map.box_height);
    if (stored->inner && left > 0)
        map.box_height = left;
    plx_step_map(recipe, step, &map);
}

/* Of 64 rows of the product WIDTH columns; what is narrower than a line of C lies without swizzle. */
static plx_tensor_map map_of_result(const plx_problem *problem, const plx_elected_tiling *tiling, int32_t width)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool narrow = width < 64 && !tiling->transposed;
    plx_tensor_map map = {
        .operand = C,
        .dtype = plx_output_dtype(problem),
        .width = (uint64_t)p->n,
        .height = (uint64_t)p->m,
        .pitch = (uint64_t)p->ldc * 2,
        .box_width = narrow ? (uint32_t)width : 64,
        .box_height = tiling->transposed ? (uint32_t)width : 64,
        .swizzle = narrow ? 0 : LINE,
    };
    plx_units_set_depth(problem, &map);
    return map;
}

/* Where C does not leave by bulk stores, another map stands in the place of its two, which nothing reads. */
static void add_maps(const plx_problem *problem, const plx_elected_tiling *tiling, const plx_gemm_operand *a,
                     const plx_gemm_operand *b, bool bulk, plx_recipe *recipe, plx_step *step)
{
    const int32_t cols = tiling->tile->cols;
    add_operand(problem, tiling->transposed ? b : a, plx_elected_rows(tiling), tiling->cluster_cols, recipe, step);
    add_operand(problem, tiling->transposed ? a : b, cols, tiling->cluster_rows, recipe, step);
    const plx_tensor_map first = recipe->maps[0];
    const plx_tensor_map whole = bulk ? map_of_result(problem, tiling, 64) : first,
                         rest = bulk && cols % 64 != 0 ? map_of_result(problem, tiling, cols % 64) : whole;
    plx_step_map(recipe, step, &whole);
    plx_step_map(recipe, step, &rest);
}

/* ---- the launch -------------------------------------------------------------------------- */

static int32_t flags_of(const plx_problem *problem, const plx_elected_tiling *tiling, bool bulk, bool early)
{
    const uint32_t x = tiling->transposed ? B : A, y = tiling->transposed ? A : B;
    const bool ranges = tiling->ranges > 1;
    return (ranges || plx_units_is_one(problem, x) ? GEMM_ELECTED_ONE_X : 0) |
           (ranges || plx_units_is_one(problem, y) ? GEMM_ELECTED_ONE_Y : 0) |
           (tiling->ping_pong ? GEMM_ELECTED_PING_PONG : 0) | (tiling->transposed ? GEMM_ELECTED_TRANSPOSED : 0) |
           (bulk ? GEMM_ELECTED_BULK : 0) | (early ? GEMM_ELECTED_EARLY : 0);
}

static void add_work(const plx_problem *problem, const plx_elected_tiling *tiling, bool bulk, bool early,
                     int64_t partials, plx_step *step)
{
    plx_step_i32(step, tiling->cluster_rows);
    plx_step_i32(step, tiling->cluster_cols);
    plx_step_i32(step, tiling->parts);
    plx_step_i32(step, (int32_t)tiling->down);
    plx_step_i32(step, (int32_t)tiling->across);
    plx_step_i32(step, tiling->order);
    plx_step_i32(step, tiling->stages);
    plx_step_i32(step, tiling->outs);
    plx_step_i32(step, flags_of(problem, tiling, bulk, early));
    plx_step_i32(step, tiling->ranges > 1 ? tiling->ranges : (int32_t)plx_problem_count(problem));
    plx_step_i64(step, problem->batch.batched ? problem->batch.stride[C] : 0);
    if (tiling->ranges > 1)
        plx_step_scratch(step, partials, 16);
    else
        plx_step_i64(step, 0); /* no place: nothing is left */
    plx_step_i32(step, tiling->ranges);
    plx_step_shared(step, plx_elected_shared(tiling));
}

/* Of the operands that are multiplied, for which the kernels are compiled. */
static const char *variant_of(const plx_problem *problem, const plx_elected_tiling *tiling)
{
    const bool is_f16 = problem->dtype == PLX_F16;
    if (tiling->x_inner && tiling->y_inner)
        return is_f16 ? "f16_nt" : "bf16_nt";
    if (tiling->x_inner)
        return is_f16 ? "f16_nn" : "bf16_nn";
    if (tiling->y_inner)
        return is_f16 ? "f16_tt" : "bf16_tt";
    return is_f16 ? "f16_tn" : "bf16_tn";
}

/* Blocks stay for all their tiles. */
static void add_product(const plx_problem *problem, const plx_device_info *device, const plx_elected_tiling *tiling,
                        const plx_gemm_operand *a, const plx_gemm_operand *b, bool bulk, int64_t partials,
                        plx_recipe *recipe)
{
    const int32_t blocks = plx_elected_blocks(tiling);
    plx_step *step = plx_recipe_step(recipe, tiling->tile->entry, GEMM_ELECTED_THREADS, 1);
    step->grid[0] = (uint64_t)(smaller(tiling->items, plx_elected_slots(device, blocks)) * blocks);
    step->cluster = blocks > 1 ? (uint32_t)blocks : 0;
    step->dependent_launch = true;
    step->variant = variant_of(problem, tiling);
    step->code = tiling->tile->mn_major ? "gemm/wgmma-elected-across" : NULL;
    add_maps(problem, tiling, a, b, bulk, recipe, step);
    plx_gemm_step_result(problem, true, step);
    add_work(problem, tiling, bulk, recipe->schedule.early, partials, step);
}

static int64_t tiles_across(const plx_elected_tiling *tiling)
{
    return tiling->across * tiling->cluster_cols;
}

static int64_t tiles_of(const plx_elected_tiling *tiling)
{
    return tiling->down * tiling->cluster_rows * tiles_across(tiling);
}

static void add_sum(const plx_problem *problem, const plx_elected_tiling *tiling, int64_t partials, plx_recipe *recipe)
{
    const int32_t rows = plx_elected_rows(tiling), cols = tiling->tile->cols;
    plx_step *step = plx_recipe_step(recipe, "gemm_wgmma_elected_sum", GEMM_ELECTED_SUM_THREADS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)tiles_of(tiling);
    step->grid[1] = (uint64_t)quotient_up(rows * cols / 4, GEMM_ELECTED_SUM_THREADS);
    step->dependent_launch = true;
    plx_gemm_step_result(problem, false, step);
    plx_step_i32(step, tiling->transposed);
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, tiling->ranges);
    plx_step_i32(step, rows);
    plx_step_i32(step, cols);
    plx_step_i32(step, (int32_t)tiles_across(tiling));
}

static plx_status add_launches(const plx_problem *problem, const plx_device_info *device,
                               const plx_elected_tiling *tiling, plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    const plx_status status = plx_gemm_pack(device, &a, &b, &scratch, recipe, error);
    if (status != PLX_OK)
        return status;
    const int64_t partials = (int64_t)scratch;
    if (tiling->ranges > 1)
        scratch += (uint64_t)(tiles_of(tiling) * tiling->ranges * plx_elected_rows(tiling) * tiling->tile->cols) * 4;
    if (scratch > PLX_SCRATCH_COUNTERS)
        recipe->scratch_bytes = scratch;
    add_product(problem, device, tiling, &a, &b, recipe->schedule.paths[C] == PLX_PATH_TMA, partials, recipe);
    if (tiling->ranges > 1)
        add_sum(problem, tiling, partials, recipe);
    return plx_gemm_check_scratch(recipe, device, error);
}

plx_status plx_elected_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    bool multiplies = false;
    plx_status status = plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_units_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    const plx_elected_tiling tiling = plx_elected_tiling_by(problem, device, &recipe->schedule);
    return add_launches(problem, device, &tiling, recipe, error);
}
