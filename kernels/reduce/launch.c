/* How reductions are launched: blocks, arguments, scratch memory. */
#include "launch.h"

#include "operation.h"

#include <stdio.h>

enum { X, RESULT }; /* operands */

enum { SMALLEST_BLOCK = 64 };

/* ---- what all recipes share ------------------------------------------------ */

/* How an element type is called in CUDA's entry points and in OpenCL C.  Integer sums are sums of
 * unsigned numbers, which wrap by definition. */
static const struct element {
    const char *word, *defines, *sum_defines;
} element_words[PLX_DTYPE_COUNT] = {
    [PLX_I32] =
        {"i32",
         "-DT=int -DPACK=int4 -DPACK_WIDTH=4 -DAS_T=as_int -DAS_PACK=as_int4 -DLARGEST=INT_MAX -DSMALLEST=INT_MIN",
         "-DT=uint -DPACK=uint4 -DPACK_WIDTH=4 -DAS_T=as_uint -DAS_PACK=as_uint4"},
    [PLX_I64] = {"i64",
                 "-DT=long -DPACK=long2 -DPACK_WIDTH=2 -DAS_T=as_long -DAS_PACK=as_long2 -DLARGEST=LONG_MAX "
                 "-DSMALLEST=LONG_MIN",
                 "-DT=ulong -DPACK=ulong2 -DPACK_WIDTH=2 -DAS_T=as_ulong -DAS_PACK=as_ulong2"},
    [PLX_F32] = {"f32", "-DT=float -DPACK=float4 -DPACK_WIDTH=4 -DAS_T=as_float -DAS_PACK=as_float4 -DFLOATING", NULL},
    [PLX_F64] =
        {"f64", "-DT=double -DPACK=double2 -DPACK_WIDTH=2 -DAS_T=as_double -DAS_PACK=as_double2 -DFLOATING -DNEEDS_F64",
         NULL},
#define HALF(type, name, ...)                                                                                       \
    [type] = {name, "-DT=float -DPACK=float4 -DPACK_WIDTH=4 -DAS_T=as_float -DAS_PACK=as_float4 -DFLOATING -DHALF", \
              NULL},
    PLX_DEVICE_HALF_TYPES(HALF)
#undef HALF
};

static plx_status start(const plx_problem *problem, const plx_device_info *device, int64_t threads, plx_recipe *recipe,
                        plx_error *error)
{
    static const char *const words[] = {[PLX_SUM] = "sum", [PLX_MIN] = "min", [PLX_MAX] = "max"};
    static const char *const flags[] = {[PLX_SUM] = "-DSUM", [PLX_MIN] = "-DMIN", [PLX_MAX] = "-DMAX"};
    const struct element *of = &element_words[problem->dtype];
    plx_reduction reduction = problem->of.reduce.reduction;
    bool ptx = (device->features & PLX_FEATURE_NVIDIA_PTX) != 0;
    bool half = plx_is_half(problem->dtype);
    bool has_minimum = ptx && device->compute_major >= 8 && reduction != PLX_SUM && (problem->dtype == PLX_F32 || half);

    if (problem->dtype == PLX_F64 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    if (threads < SMALLEST_BLOCK)
        return plx_fail(error, PLX_UNSUPPORTED, "needs blocks of at least %d threads; this device has %u",
                        SMALLEST_BLOCK, device->max_block_threads);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%s",
                   half ? plx_element_words_of(problem)->variant : of->word, words[reduction]);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s %s -DBLOCK=%d%s%s%s",
                   reduction == PLX_SUM && of->sum_defines != NULL ? of->sum_defines : of->defines, flags[reduction],
                   (int)threads, ptx ? " -DNVIDIA_PTX" : "", has_minimum ? " -DHAS_MINIMUM" : "",
                   half ? plx_element_words_of(problem)->memory : "");
    return PLX_OK;
}

/* Takes `elements` of scratch memory and returns where they begin, in bytes. */
static int64_t take_scratch(plx_recipe *recipe, int64_t elements, uint32_t size)
{
    uint64_t at = recipe->scratch_bytes ? recipe->scratch_bytes : PLX_SCRATCH_COUNTERS;
    at = (at + 255) / 256 * 256;
    recipe->scratch_bytes = at + (uint64_t)elements * size;
    return (int64_t)at;
}

static plx_status check(const plx_recipe *recipe, int64_t static_shared, const plx_device_info *device,
                        plx_error *error)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;

    if (most != 0 && recipe->scratch_bytes > most)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs %llu bytes of scratch memory; one allocation on this device has at most %llu",
                        (unsigned long long)recipe->scratch_bytes, (unsigned long long)most);
    return plx_recipe_check(recipe, (uint64_t)static_shared, device, error);
}

/* ---- interleaved to shuffle --------------------------------------------------------- */

/* Odd and even passes write to two areas in turn, the last one to the result. */
static void add_passes(const plx_reduce_tree *kernel, const plx_reduce_passes *plan, uint32_t threads, uint32_t size,
                       plx_recipe *recipe)
{
    int64_t area[2] = {0, 0}, copy = 0;

    for (size_t i = 0; i < 2 && i + 1 < plan->count; ++i)
        area[i] = take_scratch(recipe, plan->blocks[i], size);
    if (kernel->copies)
        copy = take_scratch(recipe, plan->elements[0], size);
    for (size_t i = 0; i < plan->count; ++i) {
        plx_step *step = plx_recipe_step(recipe, kernel->entry, threads, 1);
        step->grid[0] = (uint64_t)plan->blocks[i];
        if (i == 0)
            plx_step_operand(step, X);
        else
            plx_step_scratch(step, area[(i - 1) % 2], size);
        if (kernel->copies)
            plx_step_scratch(step, copy, size);
        if (i + 1 == plan->count)
            plx_step_operand(step, RESULT);
        else
            plx_step_scratch(step, area[i % 2], size);
        plx_step_i64(step, plan->elements[i]);
        if (kernel->dynamic_shared)
            plx_step_shared(step, (int64_t)threads * size);
    }
}

plx_status plx_reduce_tree_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    const plx_reduce_tree *kernel = recipe->form;
    int64_t threads = plx_reduce_block_threads(device, REDUCE_BLOCK);
    uint32_t size = (uint32_t)element_size(problem->dtype);
    if (kernel->shuffles && !(device->features & PLX_FEATURE_SHUFFLE))
        return plx_fail(error, PLX_UNSUPPORTED, "this device offers no shuffles to OpenCL C");
    plx_status status = start(problem, device, threads, recipe, error);
    if (status != PLX_OK)
        return status;
    plx_reduce_passes plan = plx_reduce_plan_passes(problem->of.reduce.n, threads * kernel->items);
    if (plan.count > PLX_MAX_STEPS)
        return plx_fail(error, PLX_UNSUPPORTED, "%lld elements need more than %d passes of this kernel",
                        (long long)problem->of.reduce.n, PLX_MAX_STEPS);
    add_passes(kernel, &plan, (uint32_t)threads, size, recipe);
    return check(recipe, kernel->static_shared ? threads * size : 0, device, error);
}

/* ---- vector to bulk -------------------------------------------------------------- */

plx_status plx_reduce_vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    const bool half = plx_is_half(problem->dtype);
    uint32_t size = (uint32_t)sum_size(problem->dtype);
    plx_reduce_tiling plan = plx_reduce_plan_vector(problem, device);
    plx_status status = start(problem, device, plan.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "LOADS", plan.loads);

    const char *whole = half ? "reduce_half" : "reduce_vector", *part = half ? "reduce_half_part" : whole;
    plx_step *step = plx_recipe_step(recipe, plan.blocks == 1 ? whole : part, (uint32_t)plan.threads, 1);
    step->dependent_launch = true;
    step->grid[0] = (uint64_t)plan.blocks;
    plx_step_operand(step, X);
    if (plan.blocks == 1) {
        plx_step_operand(step, RESULT);
        plx_step_i64(step, problem->of.reduce.n);
        return check(recipe, plan.threads * size, device, error);
    }
    int64_t partials = take_scratch(recipe, plan.blocks, size);
    plx_step_scratch(step, partials, size);
    plx_step_i64(step, problem->of.reduce.n);

    step = plx_recipe_step(recipe, half ? "reduce_half_last" : "reduce_vector_last", (uint32_t)plan.threads, 1);
    step->dependent_launch = true;
    plx_step_scratch(step, partials, size);
    plx_step_operand(step, RESULT);
    plx_step_i64(step, plan.blocks);
    return check(recipe, plan.threads * size, device, error);
}

/* The one launch of a kernel whose last block joins the partials. */
static plx_step *add_whole(const plx_problem *problem, const plx_reduce_tiling *plan, int64_t threads,
                           const char *entry, plx_recipe *recipe)
{
    uint32_t size = (uint32_t)element_size(problem->dtype);
    plx_step *step = plx_recipe_step(recipe, entry, (uint32_t)threads, 1);

    step->dependent_launch = true;
    step->grid[0] = (uint64_t)plan->blocks;
    plx_step_operand(step, X);
    plx_step_operand(step, RESULT);
    plx_step_scratch(step, take_scratch(recipe, plan->blocks, size), size);
    plx_step_scratch(step, 0, (uint32_t)sizeof(uint32_t)); /* the tickets */
    plx_step_i64(step, problem->of.reduce.n);
    return step;
}

plx_status plx_reduce_onepass_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error)
{
    plx_reduce_tiling plan = plx_reduce_plan_vector(problem, device);
    plx_status status = start(problem, device, plan.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "LOADS", plan.loads);
    (void)add_whole(problem, &plan, plan.threads, "reduce_onepass", recipe);
    return check(recipe, plan.threads * element_size(problem->dtype) + 8, device, error);
}

enum { BULK_LOCAL_KIB = 224 };

/* CUDA gets its ring with the launch; in OpenCL it is a static array, which NVIDIA's
 * compiler takes at sizes that the device does not tell of. */
plx_status plx_reduce_bulk_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    plx_reduce_ring plan = plx_reduce_plan_bulk(problem, device);
    plx_status status = start(problem, device, plan.tiles.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    if (device->compute_major == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "needs the copy engine of NVIDIA's compute capability 9.0 and later");
    if (!is_hopper_or_later(device))
        return plx_fail(error, PLX_UNSUPPORTED, "needs compute capability 9.0; this device has %u.%u",
                        device->compute_major, device->compute_minor);
    if (!plx_reduce_copies_in_bulk(device))
        return plx_fail(error, PLX_UNSUPPORTED, "needs %d KiB of local memory for a work-group", BULK_LOCAL_KIB);
    if (plan.stages < 2 || plan.tiles.threads < REDUCE_BULK_BLOCK)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs blocks of %d threads with two stages of %lld bytes; this device has %u and %llu",
                        REDUCE_BULK_BLOCK, (long long)plan.stage_bytes, device->max_block_threads,
                        (unsigned long long)device->max_shared_bytes);
    plx_recipe_define(recipe, "LOADS", plan.tiles.loads);
    plx_recipe_define(recipe, "STAGES", plan.stages);
    if (is_nvidia_opencl(device))
        recipe->known_local_bytes = BULK_LOCAL_KIB << 10;

    plx_step *step = add_whole(problem, &plan.tiles, plan.threads, "reduce_bulk", recipe);
    plx_step_i32(step, (int32_t)plan.stages);
    if (!is_nvidia_opencl(device))
        plx_step_shared(step, plan.stages * plan.stage_bytes);
    return check(recipe, plan.threads * element_size(problem->dtype) + 128, device, error);
}

/* ---- segments ---------------------------------------------------------------------- */

/* Elements from what a problem reads and writes to those of the next one. */
typedef struct strides {
    int64_t x, result;
} strides;

static strides strides_of(const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_REDUCE)->extents(problem, extents);
    return (strides){plx_batch_stride(problem, X, &extents[X]), plx_batch_stride(problem, RESULT, &extents[RESULT])};
}

/* Behind the two pointers: `n` terms of each sum. */
static void add_segments(plx_step *step, const plx_problem *problem, const plx_reduce_segments *plan, int64_t n,
                         strides apart)
{
    step->dependent_launch = true;
    step->grid[0] = (uint64_t)plan->blocks;
    plx_step_i64(step, n);
    plx_step_i64(step, plx_problem_count(problem));
    plx_step_i64(step, apart.x);
    plx_step_i64(step, apart.result);
    plx_step_i64(step, plan->inner);
    plx_step_i64(step, plan->length);
    plx_step_i32(step, (int32_t)plan->parts);
    plx_step_i32(step, (int32_t)plan->stripes);
    plx_step_i32(step, (int32_t)plan->width);
    plx_step_i32(step, (int32_t)plan->height);
    plx_step_i32(step, (int32_t)plan->turns);
}

/* One launch to partials, of each problem part after part, and one that joins them. */
static void add_parts(const plx_problem *problem, const plx_device_info *device, const plx_reduce_segments *plan,
                      plx_recipe *recipe)
{
    const bool half = plx_is_half(problem->dtype);
    const uint32_t size = (uint32_t)sum_size(problem->dtype), threads = (uint32_t)plan->threads;
    const plx_reduce_segments last = plx_reduce_plan_joining(problem, device);
    const strides apart = strides_of(problem);
    const int64_t of_problem = plan->parts * plan->inner;
    const int64_t partials = take_scratch(recipe, plx_problem_count(problem) * of_problem, size);

    plx_step *step = plx_recipe_step(recipe, half ? "reduce_segments_part" : "reduce_segments", threads, 1);
    plx_step_operand(step, X);
    plx_step_scratch(step, partials, size);
    add_segments(step, problem, plan, problem->of.reduce.n, (strides){apart.x, of_problem});
    step = plx_recipe_step(recipe, half ? "reduce_segments_last" : "reduce_segments", threads, 1);
    plx_step_scratch(step, partials, size);
    plx_step_operand(step, RESULT);
    add_segments(step, problem, &last, plan->parts, (strides){of_problem, apart.result});
}

plx_status plx_reduce_segments_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error)
{
    const plx_reduce_segments plan = plx_reduce_plan_segments(problem, device);
    plx_status status = start(problem, device, plan.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    if (plan.blocks > INT32_MAX)
        return plx_fail(error, PLX_UNSUPPORTED, "%lld sums of %lld elements need more than 2^31 - 1 blocks",
                        (long long)plx_problem_count(problem), (long long)problem->of.reduce.n);
    if (plan.parts > 1) {
        add_parts(problem, device, &plan, recipe);
    } else {
        plx_step *step = plx_recipe_step(recipe, "reduce_segments", (uint32_t)plan.threads, 1);
        plx_step_operand(step, X);
        plx_step_operand(step, RESULT);
        add_segments(step, problem, &plan, problem->of.reduce.n, strides_of(problem));
    }
    return check(recipe, plan.threads * sum_size(problem->dtype), device, error);
}
