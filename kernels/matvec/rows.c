/* The ladder of matrix-vector products: what each kernel says of itself and how it is
 * launched.  x has `terms` elements and y `outputs`, whichever way A is taken. */
#include "recipe.h"

#include "tiles.h"

#include <stdio.h>
#include <string.h>

enum { ROW_PER_THREAD, ROW_SCATTERED, SHARED_X, SHARED_A_X, WARP_PER_ROW, VECTOR, SPLIT, NARROW, ROWS };

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

/* Blocks that the device runs side by side, about, of 256 threads and of a strip's. */
enum { BLOCKS_PER_UNIT = 4, STRIPS_PER_UNIT = 2 };

enum { ALIKE_THREADS = 32 * MATVEC_WARPS };

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t levels(int64_t count)
{
    int64_t height = 0;
    while (INT64_C(1) << height < count)
        ++height;
    return height;
}

static int64_t packs_of(const plx_problem *problem, int64_t elements)
{
    return quotient_up(elements, lanes(problem->dtype));
}

/* How many rows further on one begins as this one does, against 16 bytes. */
static int64_t period_of(const plx_problem *problem)
{
    int64_t period = 1, lda = problem->of.matvec.lda % lanes(problem->dtype);

    while (outputs_of(problem) > 1 && period * lda % lanes(problem->dtype) != 0)
        period *= 2;
    return period;
}

/* Blocks of MATVEC_ROWS rows, `period` apart; some may be empty. */
static int64_t alike_items(const plx_problem *problem)
{
    int64_t period = period_of(problem);
    return quotient_up(outputs_of(problem), period * MATVEC_ROWS) * period;
}

/* A strip of columns: `width` threads side by side with `span` columns each, `height` such
 * rows of threads. */
typedef struct strips {
    int64_t threads, span, width, height, items;
} strips;

static int64_t strip_threads(const plx_device_info *device)
{
    return device->max_block_threads >= MATVEC_STRIP_THREADS ? MATVEC_STRIP_THREADS : MATVEC_STRIP_THREADS / 2;
}

/* A wider strip leaves no threads over, a narrower one reads pieces of lines of memory. */
static int64_t width_of_strip(const strips *plan, int64_t across, int64_t wanted)
{
    int64_t width = smaller(across, plan->span > 1 ? wanted + wanted % 2 : quotient_up(wanted, 32) * 32);

    if (width > plan->threads / 4)
        width = width > plan->threads / 2 ? plan->threads : plan->threads / 2;
    return larger(width, 1);
}

/* Strips at least so wide that there are no more than `most`, and that a thread has rows
 * enough to keep loads in flight. */
static strips plan_strips(const plx_problem *problem, const plx_device_info *device, int64_t most)
{
    bool packed = problem->of.matvec.lda % lanes(problem->dtype) == 0;
    strips plan = {.threads = strip_threads(device), .span = packed ? lanes(problem->dtype) : 1};
    int64_t steps = packed ? MATVEC_STRIP_STEPS : MATVEC_STRIP_SINGLE_STEPS;
    int64_t across = quotient_up(outputs_of(problem), plan.span);
    int64_t busy = quotient_up(plan.threads, larger(terms_of(problem) / steps, 1));

    plan.width = width_of_strip(&plan, across, larger(quotient_up(across, most), busy));
    plan.height = plan.threads / plan.width;
    plan.items = quotient_up(across, plan.width);
    return plan;
}

/* `vector` transposed: no more strips than run side by side. */
static strips plan_vector(const plx_problem *problem, const plx_device_info *device)
{
    return plan_strips(problem, device, larger((int64_t)device->units * STRIPS_PER_UNIT, 1));
}

/* Sums cut in chunks, so that the device is full whatever the shape.  A chunk has `length`
 * packs of a row or terms of a strip; the last may have fewer. */
typedef struct chunks {
    int64_t count, length;
    int64_t units, blocks_of_unit, outputs_of_unit; /* as the last blocks take them */
    int64_t threads, slices;
} chunks;

static void cut(chunks *plan, int64_t length, int64_t count, int64_t multiple)
{
    plan->length = quotient_up(quotient_up(length, larger(count, 1)), multiple) * multiple;
    plan->length = larger(plan->length, multiple);
    plan->count = larger(quotient_up(length, plan->length), 1);
}

/* As many slices as leave a thread for each output of the largest group. */
static int64_t slices_of(const chunks *plan, int64_t outputs)
{
    int64_t units = quotient_up(plan->units, smaller(larger(plan->units, 1), MATVEC_TICKETS)), slices = 1;
    int64_t together = plan->outputs_of_unit > outputs / larger(units, 1) ? outputs : plan->outputs_of_unit * units;

    while (2 * slices <= plan->count && plan->threads / (2 * slices) >= together)
        slices *= 2;
    return slices;
}

static chunks plan_row_chunks(const plx_problem *problem, const plx_device_info *device)
{
    int64_t period = period_of(problem), items = alike_items(problem);
    int64_t packs = packs_of(problem, terms_of(problem));
    int64_t wanted = (int64_t)device->units * BLOCKS_PER_UNIT / larger(smaller(items, outputs_of(problem)), 1);
    chunks plan = {.threads = ALIKE_THREADS};

    cut(&plan, packs, smaller(wanted, packs / ALIKE_THREADS), ALIKE_THREADS);
    plan.units = items / period;
    plan.blocks_of_unit = period * plan.count;
    plan.outputs_of_unit = period * MATVEC_ROWS;
    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

/* `split` transposed: a strip for each ticket where there are columns enough, and not so
 * narrow that lines of memory are read in pieces. */
static strips plan_split_strips(const plx_problem *problem, const plx_device_info *device)
{
    int64_t line = 128 / element_size(problem->dtype);
    return plan_strips(problem, device, clamp(outputs_of(problem) / line, 1, MATVEC_TICKETS));
}

static chunks plan_strip_chunks(const plx_problem *problem, const plx_device_info *device)
{
    strips strip = plan_split_strips(problem, device);
    int64_t steps = strip.span > 1 ? MATVEC_STRIP_STEPS : MATVEC_STRIP_SINGLE_STEPS, terms = terms_of(problem);
    int64_t wanted = (int64_t)device->units * STRIPS_PER_UNIT / larger(strip.items, 1);
    chunks plan = {.threads = strip.threads};

    cut(&plan, terms, smaller(wanted, terms / (strip.height * steps)), strip.height);
    plan.units = strip.items;
    plan.blocks_of_unit = plan.count;
    plan.outputs_of_unit = strip.width * strip.span;
    plan.slices = slices_of(&plan, outputs_of(problem));
    return plan;
}

static chunks plan_split(const plx_problem *problem, const plx_device_info *device)
{
    return problem->of.matvec.trans ? plan_strip_chunks(problem, device) : plan_row_chunks(problem, device);
}

/* `narrow`: lanes that have a row, a power of two, one for each pack up to a warp. */
static int64_t width_of_row(const plx_problem *problem)
{
    return INT64_C(1) << levels(clamp(packs_of(problem, terms_of(problem)), 1, 32));
}

/* A row of a run and x, which comes to shared memory as well. */
static int64_t stream_elements(int64_t terms)
{
    return (MATVEC_STREAM_ROWS + 1) * terms;
}

enum { MOST_OF_STREAM = 48 * 1024 }; /* bytes, so that several runs fit on a unit */

/* Whether `narrow` takes rows as one stream: they are not packed, and without gaps. */
static bool is_stream(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    int64_t terms = terms_of(problem), size = element_size(problem->dtype);

    return !p->trans && p->lda % lanes(problem->dtype) != 0 && p->lda == p->cols && terms > 0 &&
           terms <= MOST_OF_STREAM / size / (MATVEC_STREAM_ROWS + 1);
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

/* A last block's threads take the chunks in turn; then a tree of the slices. */
static int64_t depth_of_combine(const chunks *plan)
{
    return quotient_up(plan->count, plan->slices) + levels(plan->slices);
}

/* The rows of a block's threads take the terms in turn; then a tree of them. */
static int64_t depth_of_columns(const strips *plan, int64_t terms)
{
    return quotient_up(terms, plan->height) + levels(plan->height);
}

/* The threads of a block take the packs in turn, and one element each that is in no pack;
 * then a tree of five levels, and one thread adds what the warps have. */
static int64_t depth_of_rows(const plx_problem *problem, int64_t packs)
{
    return quotient_up(packs, ALIKE_THREADS) * lanes(problem->dtype) + 1 + 5 + MATVEC_WARPS - 1;
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
    strips plan = plan_vector(problem, device);
    int64_t terms = terms_of(problem);
    return at_most_all(problem, problem->of.matvec.trans ? depth_of_columns(&plan, terms)
                                                         : depth_of_rows(problem, packs_of(problem, terms)));
}

static int64_t depth_of_split(const plx_problem *problem, const plx_device_info *device)
{
    chunks plan = plan_split(problem, device);
    strips strip = plan_split_strips(problem, device);
    int64_t of_chunk = problem->of.matvec.trans ? depth_of_columns(&strip, plan.length)
                                                : depth_of_rows(problem, plan.length);
    return at_most_all(problem, of_chunk + depth_of_combine(&plan));
}

/* One thread has a row of a stream, in several sums.  Else some lanes have it, in packs and
 * a few elements or, when A does not begin at a multiple of 16 bytes, in elements only. */
static int64_t depth_of_narrow(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    int64_t terms = terms_of(problem), width = width_of_row(problem), pack = lanes(problem->dtype);

    if (is_stream(problem))
        return at_most_all(problem, quotient_up(terms, MATVEC_STREAM_SUMS) + levels(MATVEC_STREAM_SUMS));
    int64_t packed = quotient_up(terms / pack, width) * pack + quotient_up(terms % pack, width);
    return at_most_all(problem, larger(packed, quotient_up(terms, width)) + levels(width));
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

/* ---- strips, and sums cut in chunks ------------------------------------------------ */

static void add_strips(plx_recipe *recipe, plx_step *step, const strips *plan)
{
    size_t used = strlen(recipe->defines);

    plx_step_i32(step, (int32_t)plan->width);
    plx_step_i32(step, (int32_t)plan->span);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " -DSPAN=%d -DSTRIP_THREADS=%d",
                   (int)plan->span, (int)plan->threads);
}

/* False when the device has no room for the partial sums, or the launch too many blocks. */
static bool has_room(const plx_problem *problem, const plx_device_info *device, const chunks *plan,
                     plx_recipe *recipe, int64_t *blocks)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    int64_t bytes;

    if (__builtin_mul_overflow(outputs_of(problem), plan->count * element_size(problem->dtype), &bytes) ||
        __builtin_add_overflow(bytes, PLX_SCRATCH_COUNTERS, &bytes) ||
        __builtin_mul_overflow(plan->units, plan->blocks_of_unit, blocks))
        return false;
    recipe->scratch_bytes = (uint64_t)bytes;
    return most == 0 || recipe->scratch_bytes <= most;
}

static plx_status add_chunked(const plx_problem *problem, const plx_device_info *device, const chunks *plan,
                              const char *entry, plx_recipe *recipe, plx_error *error)
{
    int64_t blocks;

    if (!has_room(problem, device, plan, recipe, &blocks))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the partial sums of %lld elements of y in %lld chunks do not fit on this device",
                        (long long)outputs_of(problem), (long long)plan->count);
    plx_step *step = add_product(problem, recipe, entry, plan->threads, blocks);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, (uint32_t)element_size(problem->dtype));
    plx_step_scratch(step, 0, 4);
    plx_step_i64(step, plan->count);
    plx_step_i64(step, plan->length);
    plx_step_i64(step, plan->units);
    plx_step_i64(step, plan->blocks_of_unit);
    plx_step_i64(step, plan->outputs_of_unit);
    plx_step_i32(step, (int32_t)plan->slices);
    return PLX_OK;
}

/* Bytes of shared memory for `elements` of the problem's type. */
static uint64_t shared_bytes(const plx_problem *problem, int64_t elements)
{
    return (uint64_t)(elements * element_size(problem->dtype));
}

/* What OpenCL without shuffles needs where rows are summed by warps. */
enum { ALIKE_ROOM = ALIKE_THREADS + MATVEC_WARPS * MATVEC_ROWS };

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

static plx_status vector_rows_recipe(const plx_problem *problem, const plx_device_info *device,
                                     plx_recipe *recipe, plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    plx_step *step = add_product(problem, recipe, "matvec_vector", ALIKE_THREADS, alike_items(problem));
    plx_step_i64(step, period_of(problem));
    return plx_recipe_check(recipe, shared_bytes(problem, ALIKE_ROOM), device, error);
}

static plx_status vector_columns_recipe(const plx_problem *problem, const plx_device_info *device,
                                        plx_recipe *recipe, plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    strips plan = plan_vector(problem, device);
    add_strips(recipe, add_product(problem, recipe, "matvec_vector", plan.threads, plan.items), &plan);
    return plx_recipe_check(recipe, shared_bytes(problem, plan.threads * plan.span), device, error);
}

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    return problem->of.matvec.trans ? vector_columns_recipe(problem, device, recipe, error)
                                    : vector_rows_recipe(problem, device, recipe, error);
}

static plx_status split_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    chunks plan = plan_split(problem, device);
    strips strip = plan_split_strips(problem, device);
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    status = add_chunked(problem, device, &plan, "matvec_split", recipe, error);
    if (status != PLX_OK)
        return status;
    if (problem->of.matvec.trans)
        add_strips(recipe, &recipe->steps[0], &strip);
    else
        plx_step_i64(&recipe->steps[0], period_of(problem));
    return plx_recipe_check(
        recipe, shared_bytes(problem, problem->of.matvec.trans ? strip.threads * strip.span : ALIKE_ROOM),
        device, error);
}

static plx_status narrow_stream_recipe(const plx_problem *problem, const plx_device_info *device,
                                       plx_recipe *recipe, plx_error *error)
{
    plx_step *step = add_product(problem, recipe, "matvec_narrow_stream", MATVEC_STREAM_ROWS,
                                 quotient_up(outputs_of(problem), MATVEC_STREAM_ROWS));
    plx_step_shared(step, (int64_t)shared_bytes(problem, stream_elements(terms_of(problem))));
    return plx_recipe_check(recipe, 0, device, error);
}

static plx_status narrow_rows_recipe(const plx_problem *problem, const plx_device_info *device,
                                     plx_recipe *recipe, plx_error *error)
{
    int64_t width = width_of_row(problem), rows = ALIKE_THREADS / width * MATVEC_ROWS;
    plx_step *step = add_product(problem, recipe, "matvec_narrow", ALIKE_THREADS,
                                 quotient_up(outputs_of(problem), rows));
    plx_step_i32(step, (int32_t)width);
    return plx_recipe_check(recipe, shared_bytes(problem, ALIKE_THREADS), device, error);
}

static plx_status narrow_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    if (problem->of.matvec.trans)
        return plx_fail(error, PLX_UNSUPPORTED, "a narrow matrix transposed has few columns: that is for split");
    plx_status status = start(problem, device, recipe, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    return is_stream(problem) ? narrow_stream_recipe(problem, device, recipe, error)
                              : narrow_rows_recipe(problem, device, recipe, error);
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
            .idea = "16-byte loads, four rows per block, x reused from registers",
            .gain = "a little: a quarter of the load instructions for A, a sixteenth for x",
            .limit = "memory bandwidth",
            .needs = "transposed, a matrix whose rows do not begin at multiples of 16 bytes is read element "
                     "by element",
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
            .limit = "memory bandwidth, and the last block, which waits for all others",
            .needs = "scratch memory for the partial sums",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_split,
        },
        .recipe = split_recipe,
    },
    [NARROW] = {
        .about = {
            .name = "narrow",
            .idea = "short rows: a few lanes for each, or runs of rows as one stream through shared memory",
            .gain = "for 8 to 100 columns up to several times: a warp's loads are full, whatever a row has",
            .limit = "memory bandwidth",
            .needs = "A as it lies, not transposed",
            .dtypes = MATVEC_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_narrow,
        },
        .recipe = narrow_recipe,
    },
};

/* ---- the choice ----------------------------------------------------------------------- */

/* Rows shorter than what a block reads in a round are for `narrow`. */
enum { SHORT_ROW = 512, LONG_ROW = 8192, LONG_COLUMN = 1024 };

static bool is_transposed(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.matvec.trans;
}

/* Strips of whole columns don't fill the device, or would have to be too narrow. */
static bool has_few_long_columns(const plx_problem *problem, const plx_device_info *device)
{
    bool packed = problem->of.matvec.lda % lanes(problem->dtype) == 0;
    bool few = packs_of(problem, outputs_of(problem)) < device->units;

    return problem->of.matvec.trans && (few || !packed) && terms_of(problem) >= LONG_COLUMN;
}

static bool has_short_rows(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return !problem->of.matvec.trans && terms_of(problem) <= SHORT_ROW;
}

static bool has_long_rows(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return !problem->of.matvec.trans && terms_of(problem) > SHORT_ROW;
}

static bool has_few_long_rows(const plx_problem *problem, const plx_device_info *device)
{
    int64_t units = device->units;
    return !problem->of.matvec.trans && terms_of(problem) >= LONG_ROW &&
           outputs_of(problem) < units * STRIPS_PER_UNIT * MATVEC_ROWS;
}

/* `vector` where its blocks fill the device, `split` where only chunks of the sums do.
 * From timings on an H200, and of PoCL for processors.  Small devices get a step that
 * fits. */
static const plx_preference preferences[] = {
    {PLX_ON_PROCESSOR, has_short_rows, ROW_PER_THREAD},
    {PLX_ON_PROCESSOR, has_long_rows, NARROW},
    {PLX_ON_ANY, has_few_long_columns, SPLIT},
    {PLX_ON_ANY, is_transposed, VECTOR},
    {PLX_ON_ANY, has_short_rows, NARROW},
    {PLX_ON_ANY, has_few_long_rows, SPLIT},
    {PLX_ON_ANY, NULL, VECTOR},
    {PLX_ON_ANY, NULL, WARP_PER_ROW},
    {PLX_ON_ANY, NULL, SHARED_X},
    {PLX_ON_ANY, NULL, ROW_PER_THREAD},
};

static size_t matvec_choose(const plx_problem *problem, const plx_device_info *device)
{
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], rows, problem, device);
}

const plx_ladder plx_matvec_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = matvec_choose,
};
