/* The ladder of matrix-vector products: what each kernel says of itself and how it is
 * launched.  x has `terms` elements and y `outputs`, whichever way A is taken. */
#include "recipe.h"

#include "tiles.h"

#include <stdio.h>
#include <string.h>

enum { ROW_PER_THREAD, ROW_SCATTERED, SHARED_X, SHARED_A_X, WARP_PER_ROW, VECTOR, SPLIT, ROWS };

enum { A, X, Y }; /* operands */

#define MATVEC_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

/* ---- geometry: what the launches and the error bound both follow ----------- */

static int64_t lanes(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 4 : 2;
}

static int64_t element_size(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 4 : 8;
}

static double as_dtype(plx_dtype dtype, double scalar)
{
    return dtype == PLX_F32 ? (double)(float)scalar : scalar;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static int64_t outputs_of(const plx_problem *problem)
{
    return problem->of.matvec.trans ? problem->of.matvec.cols : problem->of.matvec.rows;
}

/* 0 when alpha is: then A and x are not read. */
static int64_t terms_of(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    return as_dtype(problem->dtype, p->alpha) == 0.0 ? 0 : p->trans ? p->rows : p->cols;
}

/* Sums cut in chunks, so that the device is full whatever the shape. */
typedef struct chunks {
    int64_t items; /* rows or strips of columns: what a block of the first launch has a chunk of */
    int64_t count, terms; /* chunks, and the terms in each but the last */
} chunks;

enum { BLOCKS_PER_UNIT = 8, LEAST_TERMS_OF_ROW = 2048, LEAST_TERMS_OF_STRIP = 64 };

static chunks plan_chunks(const plx_problem *problem, const plx_device_info *device, int64_t outputs_per_item,
                          int64_t least_terms)
{
    int64_t terms = terms_of(problem), wanted = (int64_t)device->units * BLOCKS_PER_UNIT;
    chunks plan = {.items = quotient_up(outputs_of(problem), outputs_per_item)};
    int64_t count = clamp(quotient_up(wanted, plan.items > 0 ? plan.items : 1), 1,
                          clamp(quotient_up(terms, least_terms), 1, INT64_MAX));

    plan.terms = clamp(quotient_up(terms, count), 1, INT64_MAX);
    plan.count = clamp(quotient_up(terms, plan.terms), 1, INT64_MAX);
    return plan;
}

static chunks plan_split(const plx_problem *problem, const plx_device_info *device)
{
    return problem->of.matvec.trans ? plan_chunks(problem, device, 32, LEAST_TERMS_OF_STRIP)
                                    : plan_chunks(problem, device, 1, LEAST_TERMS_OF_ROW);
}

/* `vector` transposed. */
static chunks plan_strips(const plx_problem *problem, const plx_device_info *device)
{
    return plan_chunks(problem, device, 32 * lanes(problem->dtype), LEAST_TERMS_OF_STRIP);
}

/* ---- depth: additions that a term meets, its product's own rounding among them --- */

/* One thread adds them all. */
static int64_t depth_of_terms(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return terms_of(problem);
}

/* Adding zero rounds nothing, so no term meets more roundings than there are terms. */
static int64_t at_most_all(const plx_problem *problem, int64_t depth)
{
    return clamp(depth, 0, terms_of(problem));
}

/* The warps of a block take the rows in turn, and one adds what they have. */
static int64_t depth_of_strip(int64_t terms)
{
    return quotient_up(terms, MATVEC_WARPS) + MATVEC_WARPS - 1;
}

static int64_t depth_of_combine(const chunks *plan)
{
    return quotient_up(plan->count, MATVEC_SLICES) + MATVEC_SLICES - 1;
}

/* The lanes of a warp take the terms in turn; then a tree of five levels. */
static int64_t depth_of_warp(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    int64_t terms = terms_of(problem);
    return at_most_all(problem,
                       problem->of.matvec.trans ? depth_of_strip(terms) : quotient_up(terms, 32) + 5);
}

static int64_t depth_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    if (problem->of.matvec.trans) {
        chunks plan = plan_strips(problem, device);
        return at_most_all(problem, depth_of_strip(plan.terms) + depth_of_combine(&plan));
    }
    int64_t packs = terms_of(problem) / lanes(problem->dtype);
    return at_most_all(problem, quotient_up(packs, 32) * lanes(problem->dtype) + 1 + 5);
}

static int64_t depth_of_split(const plx_problem *problem, const plx_device_info *device)
{
    chunks plan = plan_split(problem, device);
    int64_t of_chunk = problem->of.matvec.trans
                           ? depth_of_strip(plan.terms)
                           : quotient_up(plan.terms, 32 * MATVEC_WARPS) + 5 + MATVEC_WARPS - 1;
    return at_most_all(problem, of_chunk + depth_of_combine(&plan));
}

/* ---- what all recipes share ---------------------------------------------------- */

static plx_status start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                        plx_error *error)
{
    bool f32 = problem->dtype == PLX_F32, trans = problem->of.matvec.trans;

    if (!f32 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    memset(recipe, 0, sizeof *recipe);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c", f32 ? "f32" : "f64", trans ? 't' : 'n');
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS=%d%s",
                   f32 ? "-DT=float -DPACK=float4 -DLANES=4"
                       : "-DT=double -DPACK=double2 -DLANES=2 -DNEEDS_F64",
                   (int)trans, device->features & PLX_FEATURE_NVIDIA_PTX ? " -DNVIDIA_PTX" : "");
    return PLX_OK;
}

/* A sum without terms is 0, whatever alpha it would be multiplied with. */
static double alpha_of(const plx_problem *problem)
{
    return terms_of(problem) > 0 ? problem->of.matvec.alpha : 0.0;
}

static plx_step *add_product(const plx_problem *problem, plx_recipe *recipe, const char *entry,
                             int64_t threads, int64_t blocks)
{
    plx_step *step = plx_recipe_step(recipe, entry, (uint32_t)threads, 1);

    step->grid[0] = (uint64_t)blocks;
    plx_step_operand(step, A);
    plx_step_operand(step, X);
    plx_step_operand(step, Y);
    plx_step_i64(step, outputs_of(problem));
    plx_step_i64(step, terms_of(problem));
    plx_step_i64(step, problem->of.matvec.lda);
    plx_step_scalar(step, alpha_of(problem));
    plx_step_scalar(step, problem->of.matvec.beta);
    return step;
}

/* One launch, a block for every `per_block` elements of y. */
static plx_status single(const plx_problem *problem, const plx_device_info *device, const char *entry,
                         int64_t threads, int64_t per_block, int64_t shared_elements, plx_recipe *recipe,
                         plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    (void)add_product(problem, recipe, entry, threads, quotient_up(outputs_of(problem), per_block));
    return plx_recipe_check(recipe, (uint64_t)(shared_elements * element_size(problem->dtype)), device,
                            error);
}

/* ---- split and vector transposed: partial sums, then y ----------------------------- */

static void add_combine(const plx_problem *problem, const chunks *plan, const char *entry,
                        plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, entry, 32 * MATVEC_SLICES, 1);

    step->grid[0] = (uint64_t)quotient_up(outputs_of(problem), 32);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, (uint32_t)element_size(problem->dtype));
    plx_step_operand(step, Y);
    plx_step_i64(step, outputs_of(problem));
    plx_step_i64(step, plan->count);
    plx_step_scalar(step, alpha_of(problem));
    plx_step_scalar(step, problem->of.matvec.beta);
}

/* False when the device has no room for the partial sums, or the launch too many blocks. */
static bool has_room(const plx_problem *problem, const plx_device_info *device, const chunks *plan,
                     plx_recipe *recipe, int64_t *blocks)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    int64_t bytes;

    if (__builtin_mul_overflow(outputs_of(problem), plan->count * element_size(problem->dtype), &bytes) ||
        __builtin_add_overflow(bytes, PLX_SCRATCH_COUNTERS, &bytes) ||
        __builtin_mul_overflow(plan->items, plan->count, blocks))
        return false;
    recipe->scratch_bytes = (uint64_t)bytes;
    return most == 0 || recipe->scratch_bytes <= most;
}

static plx_status chunked(const plx_problem *problem, const plx_device_info *device, const chunks *plan,
                          const char *entry, const char *combine_entry, int64_t shared_elements,
                          plx_recipe *recipe, plx_error *error)
{
    int64_t blocks;
    plx_status status = start(problem, device, recipe, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    if (!has_room(problem, device, plan, recipe, &blocks))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the partial sums of %lld elements of y in %lld chunks do not fit on this device",
                        (long long)outputs_of(problem), (long long)plan->count);
    plx_step *step = add_product(problem, recipe, entry, 32 * MATVEC_WARPS, blocks);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, (uint32_t)element_size(problem->dtype));
    plx_step_i64(step, plan->count);
    plx_step_i64(step, plan->terms);
    add_combine(problem, plan, combine_entry, recipe);
    return plx_recipe_check(recipe, (uint64_t)(shared_elements * element_size(problem->dtype)), device,
                            error);
}

/* ---- one recipe per row -------------------------------------------------------------- */

static plx_status row_per_thread_recipe(const plx_problem *problem, const plx_device_info *device,
                                        plx_recipe *recipe, plx_error *error)
{
    return single(problem, device, "matvec_row_per_thread", MATVEC_BLOCK, MATVEC_BLOCK, 0, recipe, error);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* From MATVEC_SCATTER on, the first distance that visits every row once. */
static int64_t scatter_of(int64_t outputs)
{
    int64_t scatter = MATVEC_SCATTER;
    while (common_divisor(scatter, outputs) != 1)
        scatter++;
    return scatter;
}

static plx_status row_scattered_recipe(const plx_problem *problem, const plx_device_info *device,
                                       plx_recipe *recipe, plx_error *error)
{
    plx_status status =
        single(problem, device, "matvec_row_scattered", MATVEC_BLOCK, MATVEC_BLOCK, 0, recipe, error);
    int64_t outputs = outputs_of(problem), farthest;

    if (status != PLX_OK || outputs == 0)
        return status;
    int64_t scatter = scatter_of(outputs);
    if (__builtin_mul_overflow(outputs - 1, scatter, &farthest))
        return plx_fail(error, PLX_UNSUPPORTED, "%lld rows are too many to deal out", (long long)outputs);
    plx_step_i64(&recipe->steps[0], scatter);
    return PLX_OK;
}

static plx_status shared_x_recipe(const plx_problem *problem, const plx_device_info *device,
                                  plx_recipe *recipe, plx_error *error)
{
    return single(problem, device, "matvec_shared_x", MATVEC_BLOCK, MATVEC_BLOCK, MATVEC_BLOCK, recipe,
                  error);
}

static plx_status shared_a_x_recipe(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error)
{
    int64_t elements = MATVEC_TILE_ROWS * (MATVEC_TILE_DEPTH + 1) + MATVEC_TILE_DEPTH;
    return single(problem, device, "matvec_shared_a_x", MATVEC_TILE_ROWS, MATVEC_TILE_ROWS, elements, recipe,
                  error);
}

static plx_status warp_per_row_recipe(const plx_problem *problem, const plx_device_info *device,
                                      plx_recipe *recipe, plx_error *error)
{
    int64_t threads = 32 * MATVEC_WARPS, per_block = problem->of.matvec.trans ? 32 : MATVEC_WARPS;
    return single(problem, device, "matvec_warp_per_row", threads, per_block, threads, recipe, error);
}

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    int64_t threads = 32 * MATVEC_VECTOR_WARPS;

    if (!problem->of.matvec.trans)
        return single(problem, device, "matvec_vector", threads, MATVEC_VECTOR_WARPS * MATVEC_VECTOR_ROWS,
                      threads, recipe, error);
    chunks plan = plan_strips(problem, device);
    return chunked(problem, device, &plan, "matvec_vector", "matvec_vector_combine",
                   32 * MATVEC_WARPS * lanes(problem->dtype), recipe, error);
}

static plx_status split_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    chunks plan = plan_split(problem, device);
    return chunked(problem, device, &plan, "matvec_split", "matvec_split_combine", 32 * MATVEC_WARPS, recipe,
                   error);
}

/* ---- the choice ----------------------------------------------------------------------- */

/* `vector` when its rows alone fill the device, or when it may cut them; `split` for a few
 * long ones; else a warp per row. */
static size_t preferred(const plx_problem *problem, const plx_device_info *device)
{
    int64_t outputs = outputs_of(problem), terms = terms_of(problem), units = device->units;

    if (problem->of.matvec.trans)
        return terms < 4 * LEAST_TERMS_OF_STRIP ? WARP_PER_ROW
               : outputs < 32 * lanes(problem->dtype) ? SPLIT : VECTOR;
    if (outputs >= units * BLOCKS_PER_UNIT * MATVEC_VECTOR_ROWS)
        return VECTOR;
    return outputs < units * BLOCKS_PER_UNIT && terms >= 2 * LEAST_TERMS_OF_ROW ? SPLIT : WARP_PER_ROW;
}

static const plx_row rows[ROWS];

static size_t matvec_choose(const plx_problem *problem, const plx_device_info *device)
{
    const size_t order[] = {preferred(problem, device), WARP_PER_ROW, SHARED_X};
    plx_recipe recipe;
    plx_error error;

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (rows[order[i]].recipe(problem, device, &recipe, &error) == PLX_OK)
            return order[i];
    return ROW_PER_THREAD;
}

static const plx_row rows[ROWS] = {
    [ROW_PER_THREAD] = {
        .about = {
            .name = "row-per-thread",
            .idea = "one thread per row, A read with stride N",
            .gain = "the starting point",
            .limit = "neighbouring threads read A a row apart: a warp touches 32 lines at a time, and only a "
                     "cache that keeps them until their other elements are wanted saves it",
            .needs = "",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_terms,
        },
        .recipe = row_per_thread_recipe,
    },
    [ROW_SCATTERED] = {
        .about = {
            .name = "row-scattered",
            .idea = "rows dealt to threads 513 apart, modulo the row count",
            .gain = "none: a deliberate cache-miss case, several times slower when transposed, where "
                    "neighbours would have read side by side",
            .limit = "every access of a warp is a line of its own",
            .needs = "",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_terms,
        },
        .recipe = row_scattered_recipe,
    },
    [SHARED_X] = {
        .about = {
            .name = "shared-x",
            .idea = "x staged through shared memory",
            .gain = "over row-per-thread about the same where there are caches, several times without",
            .limit = "A, read as before: x was never the problem where a cache holds it",
            .needs = "",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_terms,
        },
        .recipe = shared_x_recipe,
    },
    [SHARED_A_X] = {
        .about = {
            .name = "shared-a-x",
            .idea = "tiles of A staged as well, so that A is read along rows",
            .gain = "up to several times with caches, 10 to 20 times without: every byte of a line is used "
                    "when it comes",
            .limit = "one thread per row is too few to keep the memory busy, and all wait for each tile",
            .needs = "",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_terms,
        },
        .recipe = shared_a_x_recipe,
    },
    [WARP_PER_ROW] = {
        .about = {
            .name = "warp-per-row",
            .idea = "a warp per row, its lanes side by side; no staging",
            .gain = "up to several times: 32 times as many threads read, each with 8 loads on the way, and "
                    "nobody waits at a barrier",
            .limit = "memory bandwidth, where there are rows enough to fill the device",
            .needs = "",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_warp,
        },
        .recipe = warp_per_row_recipe,
    },
    [VECTOR] = {
        .about = {
            .name = "vector",
            .idea = "16-byte loads, four rows per warp, x reused from registers",
            .gain = "a little: a quarter of the load instructions for A, a sixteenth for x",
            .limit = "memory bandwidth",
            .needs = "operands that do not begin at, or step by, 16 bytes are read element by element",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_vector,
        },
        .recipe = vector_recipe,
    },
    [SPLIT] = {
        .about = {
            .name = "split",
            .idea = "long rows split over blocks, partials combined in a fixed order",
            .gain = "for 1 x N and few-row shapes as many times as the device has blocks to spare; for many "
                    "rows nothing",
            .limit = "memory bandwidth, and a second launch",
            .needs = "scratch memory for the partial sums",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_split,
        },
        .recipe = split_recipe,
    },
};

const plx_ladder plx_matvec_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = matvec_choose,
};
