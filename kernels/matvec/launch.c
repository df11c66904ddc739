/* How matrix-vector products are launched: blocks, arguments, scratch memory.  x has `terms` elements and y `outputs`,
 * whichever way A is taken. */
#include "launch.h"

#include "no_terms.h"
#include "operation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { A, X, Y }; /* operands */

/* ---- what all recipes share ---------------------------------------------------- */

static void append(char *text, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t capacity, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + used, capacity - used, format, arguments);
    va_end(arguments);
}

static plx_status start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    const plx_element_words *words = plx_element_words_of(problem);
    bool trans = problem->of.matvec.trans;

    if (problem->dtype == PLX_F64 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c", words->variant, trans ? 't' : 'n');
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s%s -DTRANS=%d%s", words->defines,
                   plx_is_half(problem->dtype) ? " -DPACK=ushort8 -DPACK_WIDTH=8" : "", (int)trans,
                   device->features & PLX_FEATURE_NVIDIA_PTX ? " -DNVIDIA_PTX" : "");
    return PLX_OK;
}

static double alpha_of(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    return terms_of(problem) > 0 ? p->alpha : plx_alpha_without_terms(as_dtype(problem->dtype, p->beta));
}

static plx_step *add_product(const plx_problem *problem, plx_recipe *recipe, const char *entry, int64_t threads,
                             int64_t blocks)
{
    plx_step *step = plx_recipe_step(recipe, entry, (uint32_t)threads, 1);

    step->grid[0] = (uint64_t)blocks;
    step->dependent_launch = true;
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

/* Elements from an operand of one problem to that of the next. */
static void add_strides(plx_step *step, const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_MATVEC)->extents(problem, extents);
    for (size_t i = A; i <= Y; i++)
        plx_step_i64(step, plx_batch_stride(problem, i, &extents[i]));
}

/* As add_product(), of kernels that take batches: the blocks of one problem after those of the one before.  NULL where
 * those are more than can be counted. */
static plx_step *add_products(const plx_problem *problem, plx_recipe *recipe, const char *entry, int64_t threads,
                              int64_t blocks, plx_error *error)
{
    int64_t all;

    if (__builtin_mul_overflow(blocks, plx_problem_count(problem), &all)) {
        (void)plx_fail(error, PLX_UNSUPPORTED, "%lld problems of %lld blocks are too many",
                       (long long)plx_problem_count(problem), (long long)blocks);
        return NULL;
    }
    plx_step *step = add_product(problem, recipe, entry, threads, all);
    append(recipe->defines, sizeof recipe->defines, problem->batch.batched ? " -DBATCH" : "");
    plx_step_i32(step, (int32_t)blocks);
    add_strides(step, problem);
    return step;
}

/* What a block writes, where all of the result is one vector. */
static void set_tile(plx_step *step, const plx_problem *problem, int64_t outputs)
{
    if (!problem->batch.batched)
        plx_step_tile(step, 1, outputs);
}

plx_status plx_matvec_single_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    const plx_matvec_single *kernel = recipe->form;
    int64_t per_block = problem->of.matvec.trans ? kernel->per_block_transposed : kernel->per_block;
    plx_status status = start(problem, device, recipe, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    plx_step *step =
        add_product(problem, recipe, kernel->entry, kernel->threads, quotient_up(outputs_of(problem), per_block));
    plx_step_tile(step, 1, per_block);
    return plx_recipe_check(recipe, (uint64_t)(kernel->shared_elements * sum_size(problem->dtype)), device, error);
}

/* ---- panels, and sums cut in chunks ------------------------------------------------ */

static void add_stand(plx_step *step, const plx_matvec_stand *stand)
{
    plx_step_i32(step, (int32_t)stand->width);
    plx_step_i32(step, (int32_t)stand->height);
    plx_step_i32(step, (int32_t)stand->groups);
}

/* A pack of 16-bit elements has eight sums, which leave registers for fewer rows. */
static int64_t steps_of(const plx_problem *problem, const plx_matvec_block *block)
{
    const bool is_tall = block->threads == MATVEC_TALL_PANEL_THREADS;
    return plx_is_half(problem->dtype)
               ? smaller(block->steps, is_tall ? MATVEC_TALL_PANEL_STEPS_HALF : MATVEC_PANEL_STEPS_HALF)
               : block->steps;
}

/* Each shape of block is a kernel of its own. */
static void add_panels(const plx_problem *problem, plx_recipe *recipe, plx_step *step, const plx_matvec_panels *plan,
                       const plx_device_info *device)
{
    const plx_matvec_block *block = plan->block;

    plx_step_i32(step, (int32_t)plan->columns);
    add_stand(step, &plan->aligned);
    add_stand(step, &plan->shifted);
    append(recipe->variant, sizeof recipe->variant, "%s", block->suffix);
    append(recipe->defines, sizeof recipe->defines, " -DPANEL_THREADS=%d -DPANEL_PACKS=%d -DPANEL_STEPS=%d",
           (int)block->threads, (int)block->packs, (int)steps_of(problem, block));
    plx_recipe_min_blocks_per_sm(recipe, device, (int)block->threads, (int)block->blocks);
}

/* What a block of panels has in shared memory. */
static int64_t panel_elements(const plx_problem *problem, const plx_matvec_panels *plan)
{
    return plan->block->threads * plan->block->packs * pack_width(problem->dtype);
}

/* False when the device has no room for the partial sums, or the launch too many blocks. */
static bool has_room(const plx_problem *problem, const plx_device_info *device, const plx_matvec_chunks *plan,
                     plx_recipe *recipe, int64_t *blocks)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    int64_t bytes;

    if (__builtin_mul_overflow(outputs_of(problem), plan->count * sum_size(problem->dtype), &bytes) ||
        __builtin_add_overflow(bytes, PLX_SCRATCH_COUNTERS, &bytes) ||
        __builtin_mul_overflow(plan->units, plan->blocks_of_unit, blocks))
        return false;
    recipe->scratch_bytes = (uint64_t)bytes;
    return most == 0 || recipe->scratch_bytes <= most;
}

static plx_status add_chunked(const plx_problem *problem, const plx_device_info *device, const plx_matvec_chunks *plan,
                              const char *entry, plx_recipe *recipe, plx_error *error)
{
    int64_t blocks;

    if (!has_room(problem, device, plan, recipe, &blocks))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the partial sums of %lld elements of y in %lld chunks do not fit on this device",
                        (long long)outputs_of(problem), (long long)plan->count);
    plx_step *step = add_product(problem, recipe, entry, plan->threads, blocks);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, (uint32_t)sum_size(problem->dtype));
    plx_step_scratch(step, 0, 4);
    plx_step_i64(step, plan->count);
    plx_step_i64(step, plan->length);
    plx_step_i64(step, plan->units);
    plx_step_i64(step, plan->blocks_of_unit);
    plx_step_i64(step, plan->outputs_of_unit);
    plx_step_i32(step, (int32_t)plan->slices);
    return PLX_OK;
}

/* Bytes of shared memory for so many sums. */
static uint64_t shared_bytes(const plx_problem *problem, int64_t sums)
{
    return (uint64_t)(sums * sum_size(problem->dtype));
}

/* What OpenCL without shuffles needs where rows are summed by warps. */
enum { COALIGNED_SCRATCH = COALIGNED_THREADS + MATVEC_WARPS * MATVEC_ROWS };

/* ---- one recipe per row -------------------------------------------------------------- */

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

plx_status plx_matvec_row_scattered_recipe(const plx_problem *problem, const plx_device_info *device,
                                           plx_recipe *recipe, plx_error *error)
{
    plx_status status = plx_matvec_single_recipe(problem, device, recipe, error);
    int64_t outputs = outputs_of(problem), farthest;

    if (status != PLX_OK || outputs == 0)
        return status;
    int64_t scatter = scatter_of(outputs);
    if (__builtin_mul_overflow(outputs - 1, scatter, &farthest))
        return plx_fail(error, PLX_UNSUPPORTED, "%lld rows are too many to deal out", (long long)outputs);
    plx_step_tile(&recipe->steps[0], 0, 0); /* a block's rows are dealt out */
    plx_step_i64(&recipe->steps[0], scatter);
    return PLX_OK;
}

static plx_status vector_rows_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    int64_t rows = plx_matvec_rows_of_vector(problem, device);
    plx_step *step = add_products(problem, recipe, "matvec_vector", COALIGNED_THREADS,
                                  plx_matvec_coaligned_items(problem, rows), error);
    if (step == NULL)
        return PLX_UNSUPPORTED;
    plx_step_i64(step, plx_matvec_period(problem));
    append(recipe->variant, sizeof recipe->variant, rows == MATVEC_ROWS ? "" : "_pair");
    append(recipe->defines, sizeof recipe->defines, rows == MATVEC_ROWS ? "" : " -DPAIR");
    return plx_recipe_check(recipe, shared_bytes(problem, COALIGNED_SCRATCH), device, error);
}

static plx_status vector_columns_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                        plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);

    if (status == PLX_OK && problem->batch.batched) /* batch.clh */
        status = plx_not_by_pocl(device, 5, 5, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    plx_matvec_panels plan = plx_matvec_plan_panels(problem, device);
    plx_step *step = add_products(problem, recipe, "matvec_vector", plan.block->threads, plan.items, error);
    if (step == NULL)
        return PLX_UNSUPPORTED;
    add_panels(problem, recipe, step, &plan, device);
    return plx_recipe_check(recipe, shared_bytes(problem, panel_elements(problem, &plan)), device, error);
}

plx_status plx_matvec_vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    return problem->of.matvec.trans ? vector_columns_recipe(problem, device, recipe, error)
                                    : vector_rows_recipe(problem, device, recipe, error);
}

/* A row alone has kernels of its own. */
static void add_split_rows(const plx_problem *problem, plx_recipe *recipe)
{
    plx_step_i64(&recipe->steps[0], plx_matvec_period(problem));
    if (outputs_of(problem) > 1)
        return;
    append(recipe->variant, sizeof recipe->variant, "_alone");
    append(recipe->defines, sizeof recipe->defines, " -DALONE");
}

static plx_status split_rows_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    plx_matvec_chunks plan = plx_matvec_plan_split(problem, device);

    plx_status status = add_chunked(problem, device, &plan, "matvec_split", recipe, error);

    if (status != PLX_OK)
        return status;
    add_split_rows(problem, recipe);
    return plx_recipe_check(recipe, shared_bytes(problem, COALIGNED_SCRATCH), device, error);
}

static plx_status split_columns_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                       plx_error *error)
{
    plx_matvec_panels panels = plx_matvec_plan_chunked_panels(problem, device);
    plx_matvec_chunks plan = plx_matvec_plan_split(problem, device);
    plx_status status = add_chunked(problem, device, &plan, "matvec_split", recipe, error);

    if (status != PLX_OK)
        return status;
    add_panels(problem, recipe, &recipe->steps[0], &panels, device);
    return plx_recipe_check(recipe, shared_bytes(problem, panel_elements(problem, &panels)), device, error);
}

plx_status plx_matvec_split_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    status = plx_not_by_pocl(device, 5, 5, error);
    if (status != PLX_OK)
        return status;
    return problem->of.matvec.trans ? split_columns_recipe(problem, device, recipe, error)
                                    : split_rows_recipe(problem, device, recipe, error);
}

static plx_status tall_skinny_stream_recipe(const plx_problem *problem, const plx_device_info *device,
                                            plx_recipe *recipe, plx_error *error)
{
    plx_step *step = add_products(problem, recipe, "matvec_tall_skinny_stream", MATVEC_STREAM_ROWS,
                                  quotient_up(outputs_of(problem), MATVEC_STREAM_ROWS), error);
    if (step == NULL)
        return PLX_UNSUPPORTED;
    set_tile(step, problem, MATVEC_STREAM_ROWS);
    plx_step_shared(step, plx_matvec_stream_elements(terms_of(problem)) * element_size(problem->dtype));
    return plx_recipe_check(recipe, 0, device, error);
}

static int blocks_of_tall_skinny(const plx_problem *problem, bool few)
{
    if (few)
        return MATVEC_TALL_SKINNY_FEW_BLOCKS;
    if (plx_is_half(problem->dtype))
        return MATVEC_TALL_SKINNY_BLOCKS_HALF;
    return problem->dtype == PLX_F32 ? MATVEC_TALL_SKINNY_BLOCKS : MATVEC_TALL_SKINNY_BLOCKS_F64;
}

static plx_status tall_skinny_rows_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                          plx_error *error)
{
    bool few = plx_matvec_is_few(problem, device);
    int64_t width = plx_matvec_width_of_row(problem, device), rows = few ? 1 : MATVEC_ROWS;
    plx_step *step = add_products(problem, recipe, "matvec_tall_skinny", COALIGNED_THREADS,
                                  quotient_up(outputs_of(problem), COALIGNED_THREADS / width * rows), error);
    if (step == NULL)
        return PLX_UNSUPPORTED;
    set_tile(step, problem, COALIGNED_THREADS / width * rows);
    plx_step_i32(step, (int32_t)width);
    append(recipe->variant, sizeof recipe->variant, few ? "_few" : "");
    append(recipe->defines, sizeof recipe->defines, few ? " -DFEW" : "");
    plx_recipe_min_blocks_per_sm(recipe, device, COALIGNED_THREADS, blocks_of_tall_skinny(problem, few));
    return plx_recipe_check(recipe, shared_bytes(problem, COALIGNED_THREADS), device, error);
}

plx_status plx_matvec_tall_skinny_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                         plx_error *error)
{
    if (problem->of.matvec.trans)
        return plx_fail(error, PLX_UNSUPPORTED, "a tall-skinny matrix transposed has few columns: that is for split");
    plx_status status = start(problem, device, recipe, error);
    if (status != PLX_OK || outputs_of(problem) == 0)
        return status;
    return plx_matvec_is_stream(problem, device) ? tall_skinny_stream_recipe(problem, device, recipe, error)
                                                 : tall_skinny_rows_recipe(problem, device, recipe, error);
}
