/* The launches of f32 products on the matrix units: the largest of each row and column, the planes, their
 * product, and those that do the work where planes do not hold an operand. */
#include "tensor.h"

#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/common/tiles.h"
#include "gemm/device/split-precision/panels.h"
#include "gemm/device/split-precision/planes-cl.h"
#include "simt.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

/* ---- scratch memory ------------------------------------------------------------------ */

/* The flag that planes of f16 are lost is a counter: the first launch finds it 0, the last leaves it so. */
enum { LINE = 128 /* bytes */, HALF_LOST = 0, FLAG_BYTES = 8, MOST_PLANES = 3 };

/* An operand's planes one behind the other, each of `rows` rows of `pitch` elements, with as many steps along
 * k as the copy engine brings. */
typedef struct planes {
    plx_gemm_operand stored;
    int64_t range, at; /* bytes of scratch memory; `range`: the largest magnitudes */
    int64_t rows, pitch;
} planes;

typedef struct layout {
    planes a, b;
    int64_t third_lost;
    uint64_t bytes;
} layout;

static bool reserve(uint64_t *bytes, uint64_t count, int64_t *at)
{
    const uint64_t begin = *bytes;
    *at = (int64_t)begin;
    return !__builtin_add_overflow(begin, count + (LINE - count % LINE) % LINE, bytes) && *bytes < INT64_MAX;
}

static int64_t in_steps(int64_t count)
{
    return (count + GEMM_UNITS_DEPTH - 1) / GEMM_UNITS_DEPTH * GEMM_UNITS_DEPTH;
}

static bool reserve_planes(planes *of, uint64_t *bytes)
{
    uint64_t all;
    of->rows = in_steps(of->stored.rows);
    of->pitch = in_steps(of->stored.cols);
    return MOST_PLANES * of->rows <= PLX_MOST_OF_MAP &&
           !__builtin_mul_overflow((uint64_t)of->rows * MOST_PLANES * 2, (uint64_t)of->pitch, &all) &&
           all < INT64_MAX && reserve(bytes, all, &of->at);
}

static bool lay_out(const plx_problem *problem, layout *made)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    *made = (layout){.a = {.stored = plx_gemm_operand_as(problem, A)},
                     .b = {.stored = plx_gemm_operand_as(problem, B)},
                     .bytes = PLX_SCRATCH_COUNTERS};
    if (!reserve(&made->bytes, FLAG_BYTES, &made->third_lost) ||
        !reserve(&made->bytes, (uint64_t)(p->m + p->n) * 4, &made->a.range))
        return false;
    made->b.range = made->a.range + p->m * 4;
    return reserve_planes(&made->a, &made->bytes) && reserve_planes(&made->b, &made->bytes);
}

/* ---- splitting ------------------------------------------------------------------------- */

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static void pass_flags(plx_step *step, const layout *at)
{
    plx_step_scratch(step, HALF_LOST, 4);
    plx_step_scratch(step, at->third_lost, 4);
}

/* `scaled`: the largest magnitudes are found; else it is known that two planes of f16 are not to be taken. */
static void add_clear(const plx_gemm_problem *p, const layout *at, bool scaled, plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_planes_clear", GEMM_SPLIT_THREADS, 1);
    const int64_t words = scaled ? p->m + p->n : 0;
    step->grid[0] = quotient_up((uint64_t)words + 1, GEMM_SPLIT_THREADS);
    step->dependent_launch = true;
    plx_step_scratch(step, at->a.range, 4);
    plx_step_i64(step, words);
    pass_flags(step, at);
    plx_step_i32(step, !scaled);
}

static void pass_source(plx_step *step, const planes *of)
{
    plx_step_operand(step, of->stored.operand);
    plx_step_i64(step, of->stored.rows);
    plx_step_i64(step, of->stored.cols);
    plx_step_i64(step, of->stored.ld);
    plx_step_i32(step, of->stored.inner);
    plx_step_scratch(step, of->range, 4);
}

/* Blocks whose warps take a piece of a row each. */
static uint64_t blocks_by_rows(int64_t rows, int64_t cols, uint64_t piece)
{
    return quotient_up((uint64_t)rows * quotient_up((uint64_t)cols, piece), GEMM_SPLIT_THREADS / 32);
}

static uint64_t blocks_that_range(const planes *of)
{
    const plx_gemm_operand *s = &of->stored;
    return s->inner
               ? blocks_by_rows(s->rows, s->cols, GEMM_RANGE_PIECE)
               : quotient_up((uint64_t)s->cols, GEMM_SPLIT_THREADS) * quotient_up((uint64_t)s->rows, GEMM_RANGE_ROWS);
}

/* One launch serves both operands. */
static plx_step *add_both(plx_recipe *recipe, const char *entry, const layout *at, uint64_t of_a, uint64_t of_b)
{
    plx_step *step = plx_recipe_step(recipe, entry, GEMM_SPLIT_THREADS, 1);
    step->grid[0] = of_a > of_b ? of_a : of_b;
    step->grid[1] = 2;
    step->dependent_launch = true;
    pass_source(step, &at->a);
    pass_source(step, &at->b);
    return step;
}

static uint64_t blocks_that_split(const planes *of)
{
    return blocks_by_rows(of->rows, of->stored.cols, GEMM_SPLIT_PIECE);
}

static uint64_t blocks_that_split_panels(const planes *of)
{
    return quotient_up((uint64_t)(of->stored.inner ? of->rows : of->stored.cols), GEMM_PANEL_SIDE);
}

static void pass_planes(plx_step *step, const layout *at)
{
    plx_step_scratch(step, at->a.at, 2);
    plx_step_i64(step, at->a.rows);
    plx_step_i64(step, at->a.pitch);
    plx_step_scratch(step, at->b.at, 2);
    plx_step_i64(step, at->b.rows);
    plx_step_i64(step, at->b.pitch);
}

static plx_step *add_split(plx_recipe *recipe, const char *entry, const layout *at,
                           uint64_t (*blocks)(const planes *of))
{
    plx_step *step = add_both(recipe, entry, at, blocks(&at->a), blocks(&at->b));
    pass_planes(step, at);
    pass_flags(step, at);
    return step;
}

/* ---- products -------------------------------------------------------------------------- */

/* How many planes, of which type, how many stages of all of them, and rows of a tile; in OpenCL a program for
 * each type. */
typedef struct scheme {
    const char *entry, *program;
    plx_dtype dtype;
    int64_t planes, stages, rows;
} scheme;

static const scheme two_of_f16 = {"gemm_f16x3", NULL, PLX_F16, 2, GEMM_F16X3_STAGES, GEMM_PLANES_SIDE},
                    flat_of_f16 = {"gemm_f16x3_flat", NULL, PLX_F16, 2, GEMM_F16X3_FLAT_STAGES, GEMM_F16X3_FLAT_ROWS},
                    three_of_bf16 = {"gemm_bf16x6", "gemm/bf16x6", PLX_BF16, 3, GEMM_BF16X6_STAGES, GEMM_PLANES_SIDE};

static plx_tensor_map map_of(const planes *of, const scheme *taken, int64_t side)
{
    return (plx_tensor_map){
        .of_scratch = true,
        .offset = (uint64_t)of->at,
        .dtype = taken->dtype,
        .width = (uint64_t)of->stored.cols,
        .height = (uint64_t)(of->rows * taken->planes),
        .pitch = (uint64_t)of->pitch * 2,
        .box_width = GEMM_UNITS_DEPTH,
        .box_height = (uint32_t)(of->stored.inner ? side : GEMM_UNITS_DEPTH),
        .swizzle = 128,
    };
}

static plx_tensor_map map_of_result(const plx_gemm_problem *p)
{
    return (plx_tensor_map){.operand = C,
                            .dtype = PLX_F32,
                            .width = (uint64_t)p->n,
                            .height = (uint64_t)p->m,
                            .pitch = (uint64_t)p->ldc * 4,
                            .box_width = 32,
                            .box_height = 64,
                            .swizzle = 128};
}

static int64_t shared_bytes(const scheme *taken)
{
    const int64_t line = 2 * GEMM_UNITS_DEPTH, both = taken->rows + GEMM_PLANES_SIDE;
    return 1024 + taken->stages * taken->planes * both * line + 1024 + 2 * taken->rows * line;
}

/* Where C has no map, another stands in its place, which nothing reads. */
static void add_product(const plx_gemm_problem *p, const plx_device_info *device, const layout *at, const scheme *taken,
                        int64_t tiles, bool bulk, plx_recipe *recipe)
{
    const bool opencl = plx_gemm_is_opencl(device);
    const plx_tensor_map of_a = map_of(&at->a, taken, taken->rows), of_b = map_of(&at->b, taken, GEMM_PLANES_SIDE);
    const plx_tensor_map of_c = bulk ? map_of_result(p) : of_a;
    const int64_t units = plx_gemm_sms(device);
    const uint32_t threads = (uint32_t)(taken->rows / 64 * 128 + 128); /* warpgroups: one brings */
    plx_step *step = plx_recipe_step(recipe, taken->entry, threads, 1);

    step->grid[0] = (uint64_t)(tiles < units ? tiles : units);
    step->dependent_launch = true;
    plx_step_tile(step, taken->rows, GEMM_PLANES_SIDE);
    step->code = opencl ? taken->program : NULL;
    plx_step_map(recipe, step, &of_a);
    plx_step_map(recipe, step, &of_b);
    plx_step_map(recipe, step, &of_c);
    if (opencl)
        plx_gemm_add_places_of_maps(recipe, step);
    plx_step_i32(step, bulk);
    plx_step_i32(step, (int32_t)at->a.rows);
    plx_step_i32(step, (int32_t)at->b.rows);
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, at->a.range, 4);
    plx_step_scratch(step, at->b.range, 4);
    pass_flags(step, at);
    plx_step_i32(step, (int32_t)tiles);
    if (!opencl) { /* else the device code has fixed arrays */
        plx_step_shared(step, shared_bytes(taken));
        return;
    }
    plx_step_operand(step, A); /* what is done instead where planes do not hold them */
    plx_step_i64(step, p->lda);
    plx_step_operand(step, B);
    plx_step_i64(step, p->ldb);
}

/* Of OpenCL without matrix units: the same products in plain C. */
static void add_product_without_units(const plx_gemm_problem *p, const layout *at, const scheme *taken, int64_t tiles,
                                      plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, taken->entry,
                                     GEMM_PLANES_PLAIN_SIDE * GEMM_PLANES_PLAIN_SIDE / GEMM_PLANES_PLAIN_COLS, 1);
    step->grid[0] = (uint64_t)tiles;
    step->code = taken->program;
    pass_planes(step, at);
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, at->a.range, 4);
    plx_step_scratch(step, at->b.range, 4);
    pass_flags(step, at);
}

static void add_plain(const plx_gemm_problem *p, const layout *at, int64_t tiles, plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_planes_without", GEMM_F16X3_PLAIN_THREADS, 1);
    step->grid[0] = (uint64_t)tiles;
    step->dependent_launch = true;
    plx_step_operand(step, A);
    plx_step_operand(step, B);
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, p->k);
    plx_step_i64(step, p->lda);
    plx_step_i64(step, p->ldb);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    pass_flags(step, at);
}

/* ---- recipes --------------------------------------------------------------------------- */

/* What a recipe is made of.  `units`: there are matrix units; `bulk`: the copy engine writes C; `taken`: how
 * planes of f16 are multiplied. */
typedef struct way {
    const plx_device_info *device;
    bool opencl, units, bulk;
    const scheme *taken;
    int64_t tiles, taken_tiles, plain_tiles;
} way;

static bool count_tiles(const plx_problem *problem, int64_t rows, int64_t cols, int64_t *tiles)
{
    const plx_gemm_geometry of = {"", rows, cols, 0, 0};
    return plx_gemm_count_tiles(problem, &of, tiles) && *tiles <= INT32_MAX - 65536;
}

/* The places of these two are the tiles. */
static const scheme *const schemes[] = {&two_of_f16, &flat_of_f16};

/* Flat tiles are half as large: where they take less than twice the rounds. */
bool plx_f16x3_is_flat(const plx_problem *problem, const plx_device_info *device)
{
    const uint64_t side_by_side = device->units > 0 ? (uint64_t)device->units : 1;
    int64_t flat, square;
    plx_error ignored;
    return plx_needs_9_0(device, &ignored) == PLX_OK &&
           count_tiles(problem, GEMM_PLANES_SIDE, GEMM_PLANES_SIDE, &square) &&
           count_tiles(problem, flat_of_f16.rows, GEMM_PLANES_SIDE, &flat) &&
           quotient_up((uint64_t)flat, side_by_side) < 2 * quotient_up((uint64_t)square, side_by_side);
}

/* False when C has more tiles than can be counted. */
static bool find_way(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, way *made)
{
    plx_error ignored;
    *made = (way){.device = device,
                  .opencl = plx_gemm_is_opencl(device),
                  .bulk = schedule->paths[C] == PLX_PATH_TMA,
                  .taken = schemes[schedule->tile]};
    made->units = plx_needs_9_0(device, &ignored) == PLX_OK;
    if (!count_tiles(problem, GEMM_PLANES_SIDE, GEMM_PLANES_SIDE, &made->tiles) ||
        !count_tiles(problem, GEMM_PLANES_PLAIN_SIDE, GEMM_PLANES_PLAIN_SIDE, &made->plain_tiles))
        return false;
    return count_tiles(problem, made->taken->rows, GEMM_PLANES_SIDE, &made->taken_tiles);
}

static void add_product_of(const plx_gemm_problem *p, const way *by, const layout *at, const scheme *taken,
                           int64_t tiles, plx_recipe *recipe)
{
    if (by->units)
        add_product(p, by->device, at, taken, tiles, by->bulk, recipe);
    else
        add_product_without_units(p, at, taken, by->plain_tiles, recipe);
}

/* Where its rows and columns are short, an operand is split in one launch. */
static void add_split_to_f16(const plx_gemm_problem *p, const layout *at, plx_recipe *recipe)
{
    const bool panels = p->k <= GEMM_PANEL_MOST;
    plx_step *step;
    if (!panels) {
        add_clear(p, at, true, recipe);
        (void)add_both(recipe, "gemm_planes_range", at, blocks_that_range(&at->a), blocks_that_range(&at->b));
    }
    step = panels ? add_split(recipe, "gemm_planes_panel", at, blocks_that_split_panels)
                  : add_split(recipe, "gemm_planes_half", at, blocks_that_split);
    plx_step_scalar(step, plx_f16x3_share(p->k));
}

/* The ways in the order in which they are tried; the flags say which of the products there is to do.  In
 * OpenCL, where no launch begins early, the product of f16 is one with what splits to bf16, that of bf16 one
 * with the plain one. */
static void add_steps(const plx_problem *problem, const way *by, const layout *at, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool scaled = problem->compute == PLX_COMPUTE_F16X3, merged = by->opencl && by->units;
    if (scaled)
        add_split_to_f16(p, at, recipe);
    else
        add_clear(p, at, false, recipe);
    if (!scaled || !merged)
        (void)add_split(recipe, "gemm_planes_third", at, blocks_that_split);
    if (scaled)
        add_product_of(p, by, at, by->taken, by->taken_tiles, recipe);
    add_product_of(p, by, at, &three_of_bf16, by->tiles, recipe);
    if (!merged)
        add_plain(p, at, by->tiles, recipe);
}

/* OpenCL compiles a program for each layout, and for each tile of planes of f16. */
static void define_planes(const plx_problem *problem, const way *by, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d -DENTRY=%s",
                   plx_element_words_of(problem)->defines, (int)p->trans_a, (int)p->trans_b, by->taken->entry);
    if (by->device->features & PLX_FEATURE_NVIDIA_PTX)
        plx_recipe_define(recipe, "NVIDIA_PTX", 1);
    if (!by->units)
        return;
    plx_recipe_define(recipe, "ROWS", by->taken->rows);
    plx_recipe_define(recipe, "STAGES", by->taken->stages);
    recipe->known_local_bytes = (uint64_t)shared_bytes(by->taken);
    if (shared_bytes(&three_of_bf16) > shared_bytes(by->taken))
        recipe->known_local_bytes = (uint64_t)shared_bytes(&three_of_bf16);
}

/* Of the launches without matrix units: the local memory of the product without planes, the largest. */
static uint64_t static_bytes(const way *by)
{
    enum { SIDE = GEMM_SIDE_PACKS * 4, PACK = 4, FLOAT_BYTES = 4 };
    return by->units ? 0 : 2 * GEMM_WARP_TILE_DEPTH * (SIDE + PACK) * FLOAT_BYTES;
}

static plx_status sum_terms(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                            plx_error *error)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    layout at;
    way by;
    plx_status status = plx_gemm_check_sizes(&problem->of.gemm, error);
    if (status != PLX_OK)
        return status;
    if (!find_way(problem, device, &recipe->schedule, &by) || !lay_out(problem, &at) || (most != 0 && at.bytes > most))
        return plx_fail(error, PLX_UNSUPPORTED, "the planes of its operands need more memory than this device has");
    recipe->scratch_bytes = at.bytes;
    if (by.opencl)
        define_planes(problem, &by, recipe);
    add_steps(problem, &by, &at, recipe);
    return plx_recipe_check(recipe, static_bytes(&by), device, error);
}

/* Where there is nothing to sum: async-copy's code has beta * C in CUDA, naive's in OpenCL. */
static plx_status scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    const bool opencl = plx_gemm_is_opencl(device);
    plx_problem plain = *problem;
    plain.compute = PLX_COMPUTE_PLAIN;
    const plx_status status = opencl ? plx_gemm_naive_recipe(&plain, device, recipe, error) : PLX_OK;
    (void)snprintf(recipe->code, sizeof recipe->code, "%s/%s", plx_ladder_name(PLX_GEMM),
                   opencl ? "naive" : "async-copy");
    if (!opencl)
        plx_gemm_add_scale(problem, device, recipe);
    return status;
}

plx_status plx_f16x3_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                            plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32_%c%c", p->trans_a ? 't' : 'n', p->trans_b ? 't' : 'n');
    (void)snprintf(recipe->code, sizeof recipe->code, "%s/f16x3", plx_ladder_name(PLX_GEMM));
    if (p->m == 0 || p->n == 0)
        return PLX_OK;
    return plx_gemm_has_terms(problem) ? sum_terms(problem, device, recipe, error)
                                       : scale(problem, device, recipe, error);
}

/* ---- schedule ---------------------------------------------------------------------- */
