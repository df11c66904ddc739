/* The ladder of reductions: what each kernel says of itself and how it is launched.
 *
 * The kernels of the first nine rows write one partial per block and run again over the
 * partials until one is left.  `vector` needs two launches, `onepass` and `bulk` one.  `segments` alone takes batches,
 * and sums down columns; all others are given one vector at a time. */
#include "geometry.h"

#include "operation.h"

#include <string.h>

enum {
    INTERLEAVED,
    GMEM,
    DIVERGENT,
    BANK_CONFLICT,
    SMEM,
    SMEM_DYNAMIC,
    UNROLL4,
    UNROLL4_DYNAMIC,
    SHUFFLE,
    VECTOR,
    ONEPASS,
    BULK,
    SEGMENTS,
    ROWS
};

enum { X, RESULT }; /* operands */

enum { SMALLEST_BLOCK = 64 };

/* What all kernels say alike. */
#define REDUCE_KERNEL_OF(types) .dtypes = (types), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1
#define REDUCE_DTYPES \
    (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))
#define REDUCE_KERNEL REDUCE_KERNEL_OF(REDUCE_DTYPES)

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
    [PLX_F16] = {"f16", "-DT=float -DPACK=float4 -DPACK_WIDTH=4 -DAS_T=as_float -DAS_PACK=as_float4 -DFLOATING -DHALF",
                 NULL},
    [PLX_BF16] = {"bf16",
                  "-DT=float -DPACK=float4 -DPACK_WIDTH=4 -DAS_T=as_float -DAS_PACK=as_float4 -DFLOATING -DHALF", NULL},
    [PLX_F64] =
        {"f64", "-DT=double -DPACK=double2 -DPACK_WIDTH=2 -DAS_T=as_double -DAS_PACK=as_double2 -DFLOATING -DNEEDS_F64",
         NULL},
};

/* What memory holds of 16 bits (half.clh). */
static const char *memory_defines(const plx_problem *problem)
{
    const bool f16 = problem->dtype == PLX_F16;
    if (plx_output_dtype(problem) != problem->dtype)
        return f16 ? " -DIN_F16" : " -DIN_BF16";
    return f16 ? " -DIN_F16 -DOUT_F16" : " -DIN_BF16 -DOUT_BF16";
}

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
                   half ? memory_defines(problem) : "");
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

/* The form of these rows. */
typedef struct tree_kernel {
    const char *entry;
    int64_t items;       /* elements per thread */
    bool copies;         /* needs a scratch copy of what it reads */
    bool dynamic_shared; /* one element per thread, given by the launch */
    bool static_shared;  /* or by the kernel */
    bool shuffles;
} tree_kernel;

/* Odd and even passes write to two areas in turn, the last one to the result. */
static void add_passes(const tree_kernel *kernel, const plx_reduce_passes *plan, uint32_t threads, uint32_t size,
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

static plx_status tree_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    const tree_kernel *kernel = recipe->form;
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

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
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

static plx_status onepass_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
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
static plx_status bulk_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
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

static plx_status segments_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
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

/* ---- the ladder ------------------------------------------------------------------ */

static const plx_row rows[ROWS] = {
    ROW(INTERLEAVED,
        ABOUT(.name = "interleaved",
              .idea = "a tree over neighbours in global memory: each block of 1024 combines what is 1, 2, 4 ... apart, "
                      "on a scratch copy",
              .gain = "the starting point: 1024 elements in 10 steps instead of 1023, by all threads of a block",
              .limit = "every second, fourth ... thread works, so that all warps take part in each step with few of "
                       "their lanes, and their accesses are spread over as many transactions as before",
              .needs = "scratch memory of the size of the input", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_interleaved", .items = 1, .copies = true}),
    ROW(GMEM,
        ABOUT(.name = "gmem",
              .idea = "a tree in global memory: each block of 1024 folds its elements in halves, on a scratch copy",
              .gain = "the threads that work are neighbours, and so is what they read: whole warps fall idle, and a "
                      "step has half as many transactions as the one before",
              .limit = "every step of the tree loads and stores global memory, and half of the threads that were still "
                       "at work fall idle in each; the copy alone doubles the traffic",
              .needs = "scratch memory of the size of the input", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_gmem", .items = 1, .copies = true}),
    ROW(DIVERGENT,
        ABOUT(.name = "divergent",
              .idea = "shared memory, with the tree over neighbours that most textbooks begin with: threads 0, 2, 4 "
                      "... work, then 0, 4, 8 ...",
              .gain = "global memory is read once and written once per block instead of in each of the 10 steps, and "
                      "there is no scratch copy",
              .limit = "warps diverge: all 32 of them issue each of the 10 steps, most for one lane or two",
              .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_divergent", .items = 1, .static_shared = true}),
    ROW(BANK_CONFLICT,
        ABOUT(.name = "bank-conflict",
              .idea = "the same tree by the first threads of the block: thread t combines elements 2st and 2st + s",
              .gain = "no warp diverges before the last: those without work only wait at the barriers",
              .limit = "lanes read shared memory 2, 4 ... 32 elements apart: up to 32 of them meet in one bank, one "
                       "after the other",
              .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_bank_conflict", .items = 1, .static_shared = true}),
    ROW(SMEM,
        ABOUT(.name = "smem",
              .idea = "the tree folds in halves, as gmem's: neighbouring threads read neighbouring elements of shared "
                      "memory",
              .gain = "no bank conflicts: a warp's 32 reads are one pass through shared memory",
              .limit = "one load per thread in flight, then ten barriers at which most threads only wait", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_smem", .items = 1, .static_shared = true}),
    ROW(SMEM_DYNAMIC,
        ABOUT(.name = "smem-dynamic", .idea = "the same tree in shared memory whose size is given by the launch",
              .gain = "none expected: the same instructions run; it shows the launch parameter that a kernel needs "
                      "when the size is not known while compiling",
              .limit = "as smem", .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = tree_recipe, .form = &(const tree_kernel){"reduce_smem_dynamic", .items = 1, .dynamic_shared = true}),
    ROW(UNROLL4,
        ABOUT(.name = "unroll4",
              .idea = "each block folds the data of four while it loads them, then runs the tree once",
              .gain = "four independent loads hide each other's latency, and the barriers of one tree serve four times "
                      "the data: up to 4 times where those were the limit",
              .limit = "4-byte loads: half of the instructions only compute addresses and check the end", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_fold),
        .recipe = tree_recipe,
        .form = &(const tree_kernel){"reduce_unroll4", .items = REDUCE_ITEMS, .static_shared = true}),
    ROW(UNROLL4_DYNAMIC,
        ABOUT(.name = "unroll4-dynamic", .idea = "unroll4 with its shared memory sized by the launch",
              .gain = "none expected, as from smem to smem-dynamic", .limit = "as unroll4", .needs = "", REDUCE_KERNEL,
              .depth = plx_reduce_depth_of_fold),
        .recipe = tree_recipe,
        .form = &(const tree_kernel){"reduce_unroll4_dynamic", .items = REDUCE_ITEMS, .dynamic_shared = true}),
    ROW(SHUFFLE,
        ABOUT(.name = "shuffle",
              .idea = "unroll4 whose tree runs from register to register: lanes of a warp exchange values directly",
              .gain = "one barrier instead of six and 32 words of shared memory instead of 1024: blocks end sooner and "
                      "make room for the next",
              .limit = "still 4-byte loads, four per thread",
              .needs = "shuffles: CUDA, inline PTX in NVIDIA's OpenCL, or sub-group shuffles", REDUCE_KERNEL,
              .depth = plx_reduce_depth_of_fold),
        .recipe = tree_recipe,
        .form = &(const tree_kernel){"reduce_shuffle", .items = REDUCE_ITEMS, .static_shared = true, .shuffles = true}),
    ROW(VECTOR,
        ABOUT(.name = "vector",
              .idea = "16-byte loads, eight in flight in every thread, four blocks of 256 for each multiprocessor that "
                      "stay until all is read; a second launch of one block joins the partials",
              .gain = "a quarter of the load instructions and 8 times the bytes in flight, no block that has to be "
                      "started while memory waits: its bandwidth is reached",
              .limit = "the bandwidth of memory for large inputs, two launches for small ones", .needs = "",
              REDUCE_KERNEL_OF(REDUCE_DTYPES | PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16)),
              .depth = plx_reduce_depth_of_vector),
        .recipe = vector_recipe),
    ROW(ONEPASS,
        ABOUT(.name = "onepass",
              .idea =
                  "one launch: each block draws a ticket, and the last to finish joins the partials in a fixed order",
              .gain = "saves the second launch, a few microseconds: up to twice as fast on small inputs, the same on "
                      "large ones; where a launch may begin before the one before it ends, only below 8 MiB.  The "
                      "order of the sum does not depend on who comes last",
              .limit = "the launch itself below about a megabyte, the bandwidth of memory above", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_vector),
        .recipe = onepass_recipe),
    ROW(BULK,
        ABOUT(.name = "bulk",
              .idea = "onepass whose tiles are copied to shared memory in bulk, several on their way at any moment, "
                      "while the threads add up the one that has arrived",
              .gain =
                  "one instruction asks for 32 KiB, and the bytes in flight depend on shared memory, not on threads "
                  "and their registers: half a per cent more of the bandwidth of memory at 4 GiB, less below 2",
              .limit = "the bandwidth of memory; the ring of copies has to fill before the first addition, which small "
                       "inputs feel",
              .needs = "compute capability 9.0; in OpenCL besides as much local memory as 9.x and 10.x have",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_bulk),
        .recipe = bulk_recipe),
    ROW(SEGMENTS,
        ABOUT(.name = "segments",
              .idea =
                  "many sums in one launch: a few threads, a warp or a block for each row of a batch; down columns, "
                  "a stripe of them for a block, whose threads stand below each other and join by a tree; where "
                  "there are few sums of many terms, several blocks for each and a second launch",
              .gain =
                  "one launch in place of one for each sum, and no transposition of what is reduced along its first "
                  "axis: of short rows a thousand times less; nothing for a single long vector",
              .limit = "the bandwidth of memory; for small batches the launch", .needs = "",
              REDUCE_KERNEL_OF(REDUCE_DTYPES | PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16)),
              .flags = PLX_KERNEL_BATCHED | PLX_KERNEL_SPECIAL, .depth = plx_reduce_depth_of_segments),
        .recipe = segments_recipe),
};

/* ---- the choice -------------------------------------------------------------------- */

static int64_t mebibytes(const plx_problem *problem)
{
    return problem->of.reduce.n / (1024 * 1024 / element_size(problem->dtype));
}

static bool from_8_mebibytes(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return mebibytes(problem) >= 8;
}

static bool from_4_gibibytes(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return mebibytes(problem) >= 4096;
}

/* One launch less is worth most where the launch is most of the time; but a group may
 * rely on another's partial within a launch only where fences are known to reach the
 * whole device: NVIDIA's.  Where launches begin early, a second one costs less than a
 * ticket as soon as the first lasts longer than it takes to ask for one; from 4 GiB on
 * the copies in bulk are ahead.  From timings on an H200 and on PoCL. */
static const plx_preference preferences[] = {
    {PLX_ON_CUDA_9, from_4_gibibytes, BULK},
    {PLX_ON_CUDA_9, from_8_mebibytes, VECTOR},
    {PLX_ON_NVIDIA, NULL, ONEPASS},
    {PLX_ON_ANY, NULL, VECTOR},
    {PLX_ON_ANY, NULL, GMEM},
};

/* One after the other they keep the device as busy, and are read by wider loads. */
static bool are_long_rows(const plx_problem *problem)
{
    enum { LONG_ROW = 64 }; /* MiB */
    return problem->of.reduce.inner <= 1 && mebibytes(problem) >= LONG_ROW;
}

/* Of a batch, and of sums down columns, `segments`; where that does not take them, the core loops over one vector at a
 * time, for which the table is. */
static size_t choose_reduce(const plx_problem *problem, const plx_device_info *device)
{
    plx_problem one = plx_batch_one(problem);
    one.of.reduce.inner = 0;
    if ((problem->batch.batched || problem->of.reduce.inner > 1) && !are_long_rows(problem) &&
        plx_row_runs(&rows[SEGMENTS], problem, device))
        return SEGMENTS;
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], rows, &one, device);
}

const plx_ladder plx_reduce_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = choose_reduce,
};
