/* The ladder of reductions: what each kernel says of itself and how it is launched.
 *
 * The kernels of the first six rows write one partial per block and run again over the
 * partials until one is left.  `vector` needs two launches, `onepass` one. */
#include "recipe.h"

#include "tiles.h"

#include <string.h>

enum { GMEM, SMEM, SMEM_DYNAMIC, UNROLL4, UNROLL4_DYNAMIC, SHUFFLE, VECTOR, ONEPASS, ROWS };

enum { X, RESULT }; /* operands */

enum { SMALLEST_BLOCK = 64 };

#define REDUCE_DTYPES \
    (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

/* ---- geometry: what the launches and the error bound both follow --------- */

static uint32_t element_size(plx_dtype dtype)
{
    return dtype == PLX_I32 || dtype == PLX_F32 ? 4 : 8;
}

static int64_t lanes(plx_dtype dtype)
{
    return 16 / element_size(dtype);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_for(int64_t elements, int64_t per_block)
{
    return elements > 0 ? (elements - 1) / per_block + 1 : 1;
}

/* The largest power of two up to `wanted` that the device's blocks can have. */
static int64_t block_threads(const plx_device_info *device, int64_t wanted)
{
    while (wanted > 1 && ((uint64_t)wanted > device->max_block_threads ||
                          (uint64_t)wanted > device->max_block[0]))
        wanted /= 2;
    return wanted;
}

/* The height of a tree over `count` values. */
static int64_t levels(int64_t count)
{
    int64_t height = 0;
    for (int64_t reach = 1; reach < count && height < 62; reach *= 2)
        ++height;
    return height;
}

/* A kernel run over x, then over its own partials, until one block is enough. */
typedef struct passes {
    size_t count; /* one more than there is room for: n is too large */
    int64_t elements[PLX_MAX_STEPS], blocks[PLX_MAX_STEPS];
} passes;

static passes plan_passes(int64_t n, int64_t per_block)
{
    passes plan = {.count = 0};
    for (;;) {
        if (plan.count == PLX_MAX_STEPS)
            return (passes){.count = PLX_MAX_STEPS + 1};
        plan.elements[plan.count] = n;
        plan.blocks[plan.count] = n = blocks_for(n, per_block);
        ++plan.count;
        if (n == 1)
            return plan;
    }
}

typedef struct chunks {
    int64_t threads, loads, last_threads; /* last: of the block that joins the partials */
    int64_t per_block, blocks;
} chunks;

static chunks plan_chunks(const plx_problem *problem, const plx_device_info *device, int64_t threads,
                          int64_t loads, int64_t last_threads)
{
    chunks plan = {
        .threads = block_threads(device, threads),
        .loads = loads,
        .last_threads = block_threads(device, last_threads),
    };
    plan.per_block = plan.threads * loads * lanes(problem->dtype);
    plan.blocks = blocks_for(problem->of.reduce.n, plan.per_block);
    return plan;
}

static chunks plan_vector(const plx_problem *problem, const plx_device_info *device)
{
    return plan_chunks(problem, device, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS, REDUCE_LAST_BLOCK);
}

static chunks plan_onepass(const plx_problem *problem, const plx_device_info *device)
{
    return plan_chunks(problem, device, REDUCE_ONEPASS_BLOCK, REDUCE_ONEPASS_LOADS, REDUCE_ONEPASS_BLOCK);
}

/* ---- depth ---------------------------------------------------------------- */

/* Adding the identity rounds nothing, so no term meets more than n - 1 roundings. */
static int64_t at_most_all(const plx_problem *problem, int64_t depth)
{
    int64_t n = problem->of.reduce.n;
    return n > 0 ? smaller(depth, n - 1) : 0;
}

static int64_t depth_of_passes(const plx_problem *problem, const plx_device_info *device, int64_t fold)
{
    int64_t threads = block_threads(device, REDUCE_BLOCK), depth = 0;
    passes plan = plan_passes(problem->of.reduce.n, threads * fold);

    for (size_t i = 0; i < plan.count && i < PLX_MAX_STEPS; ++i)
        depth += levels(smaller(plan.elements[i], threads)) +
                 (plan.elements[i] > threads ? levels(fold) : 0);
    return at_most_all(problem, depth);
}

static int64_t depth_of_one(const plx_problem *problem, const plx_device_info *device)
{
    return depth_of_passes(problem, device, 1);
}

static int64_t depth_of_fold(const plx_problem *problem, const plx_device_info *device)
{
    return depth_of_passes(problem, device, REDUCE_FOLD);
}

/* Loads, lanes, an unaligned head and tail, the block's tree; then the partials: packs
 * one by one, lanes, a tail, the tree. */
static int64_t depth_of_chunks(const plx_problem *problem, const chunks *plan)
{
    int64_t width = lanes(problem->dtype);
    int64_t depth = levels(plan->loads) + levels(width) + 2 + levels(plan->threads);

    if (plan->blocks > 1)
        depth += blocks_for(plan->blocks / width, plan->last_threads) + levels(width) + 1 +
                 levels(plan->last_threads);
    return at_most_all(problem, depth);
}

static int64_t depth_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    chunks plan = plan_vector(problem, device);
    return depth_of_chunks(problem, &plan);
}

static int64_t depth_of_onepass(const plx_problem *problem, const plx_device_info *device)
{
    chunks plan = plan_onepass(problem, device);
    return depth_of_chunks(problem, &plan);
}

/* ---- what all recipes share ------------------------------------------------ */

/* How one element type is called in OpenCL C.  Integer sums are sums of unsigned
 * numbers, which wrap by definition. */
static const char *type_defines(const plx_problem *problem)
{
    bool sum = problem->of.reduce.reduction == PLX_SUM;

    switch (problem->dtype) {
    case PLX_I32:
        return sum ? "-DT=uint -DPACK=uint4 -DLANES=4 -DAS_T=as_uint"
                   : "-DT=int -DPACK=int4 -DLANES=4 -DAS_T=as_int -DLARGEST=INT_MAX -DSMALLEST=INT_MIN";
    case PLX_I64:
        return sum ? "-DT=ulong -DPACK=ulong2 -DLANES=2 -DAS_T=as_ulong"
                   : "-DT=long -DPACK=long2 -DLANES=2 -DAS_T=as_long -DLARGEST=LONG_MAX -DSMALLEST=LONG_MIN";
    case PLX_F32:
        return "-DT=float -DPACK=float4 -DLANES=4 -DAS_T=as_float -DFLOATING";
    default:
        return "-DT=double -DPACK=double2 -DLANES=2 -DAS_T=as_double -DFLOATING -DNEEDS_F64";
    }
}

static const char *dtype_word(plx_dtype dtype)
{
    switch (dtype) {
    case PLX_I32:
        return "i32";
    case PLX_I64:
        return "i64";
    case PLX_F32:
        return "f32";
    default:
        return "f64";
    }
}

static plx_status start(const plx_problem *problem, const plx_device_info *device, int64_t threads,
                        plx_recipe *recipe, plx_error *error)
{
    static const char *const words[] = {[PLX_SUM] = "sum", [PLX_MIN] = "min", [PLX_MAX] = "max"};
    static const char *const flags[] = {[PLX_SUM] = "-DSUM", [PLX_MIN] = "-DMIN", [PLX_MAX] = "-DMAX"};
    plx_reduction reduction = problem->of.reduce.reduction;

    if (problem->dtype == PLX_F64 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    if (threads < SMALLEST_BLOCK)
        return plx_fail(error, PLX_UNSUPPORTED, "needs blocks of at least %d threads; this device has %u",
                        SMALLEST_BLOCK, device->max_block_threads);
    memset(recipe, 0, sizeof *recipe);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%s", dtype_word(problem->dtype),
                   words[reduction]);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s %s -DBLOCK=%d%s", type_defines(problem),
                   flags[reduction], (int)threads,
                   device->features & PLX_FEATURE_NVIDIA_PTX ? " -DNVIDIA_PTX" : "");
    return PLX_OK;
}

static void define(plx_recipe *recipe, const char *name, int64_t value)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " -D%s=%d", name, (int)value);
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

/* ---- gmem to shuffle --------------------------------------------------------- */

typedef struct tree_kernel {
    const char *entry;
    int64_t fold;         /* elements per thread */
    bool copies;          /* needs a scratch copy of what it reads */
    bool dynamic_shared;  /* one element per thread, given by the launch */
    bool static_shared;   /* or by the kernel */
} tree_kernel;

/* Odd and even passes write to two areas in turn, the last one to the result. */
static void add_passes(const tree_kernel *kernel, const passes *plan, uint32_t threads, uint32_t size,
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

static plx_status tree_recipe(const tree_kernel *kernel, const plx_problem *problem,
                              const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    int64_t threads = block_threads(device, REDUCE_BLOCK);
    uint32_t size = element_size(problem->dtype);
    plx_status status = start(problem, device, threads, recipe, error);
    if (status != PLX_OK)
        return status;
    passes plan = plan_passes(problem->of.reduce.n, threads * kernel->fold);
    if (plan.count > PLX_MAX_STEPS)
        return plx_fail(error, PLX_UNSUPPORTED, "%lld elements need more than %d passes of this kernel",
                        (long long)problem->of.reduce.n, PLX_MAX_STEPS);
    add_passes(kernel, &plan, (uint32_t)threads, size, recipe);
    return check(recipe, kernel->static_shared ? threads * size : 0, device, error);
}

static plx_status gmem_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    static const tree_kernel kernel = {.entry = "reduce_gmem", .fold = 1, .copies = true};
    return tree_recipe(&kernel, problem, device, recipe, error);
}

static plx_status smem_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    static const tree_kernel kernel = {.entry = "reduce_smem", .fold = 1, .static_shared = true};
    return tree_recipe(&kernel, problem, device, recipe, error);
}

static plx_status smem_dynamic_recipe(const plx_problem *problem, const plx_device_info *device,
                                      plx_recipe *recipe, plx_error *error)
{
    static const tree_kernel kernel = {.entry = "reduce_smem_dynamic", .fold = 1, .dynamic_shared = true};
    return tree_recipe(&kernel, problem, device, recipe, error);
}

static plx_status unroll4_recipe(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    static const tree_kernel kernel = {
        .entry = "reduce_unroll4", .fold = REDUCE_FOLD, .static_shared = true};
    return tree_recipe(&kernel, problem, device, recipe, error);
}

static plx_status unroll4_dynamic_recipe(const plx_problem *problem, const plx_device_info *device,
                                         plx_recipe *recipe, plx_error *error)
{
    static const tree_kernel kernel = {
        .entry = "reduce_unroll4_dynamic", .fold = REDUCE_FOLD, .dynamic_shared = true};
    return tree_recipe(&kernel, problem, device, recipe, error);
}

static plx_status shuffle_recipe(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    static const tree_kernel kernel = {
        .entry = "reduce_shuffle", .fold = REDUCE_FOLD, .static_shared = true};

    if (!(device->features & PLX_FEATURE_SHUFFLE))
        return plx_fail(error, PLX_UNSUPPORTED, "this device offers no shuffles to OpenCL C");
    return tree_recipe(&kernel, problem, device, recipe, error);
}

/* ---- vector and onepass -------------------------------------------------------- */

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    uint32_t size = element_size(problem->dtype);
    chunks plan = plan_vector(problem, device);
    plx_status status = start(problem, device, plan.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    define(recipe, "LOADS", plan.loads);
    define(recipe, "LAST_BLOCK", plan.last_threads);

    plx_step *step = plx_recipe_step(recipe, "reduce_vector", (uint32_t)plan.threads, 1);
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

    step = plx_recipe_step(recipe, "reduce_vector_last", (uint32_t)plan.last_threads, 1);
    plx_step_scratch(step, partials, size);
    plx_step_operand(step, RESULT);
    plx_step_i64(step, plan.blocks);
    return check(recipe, plan.last_threads * size, device, error);
}

static plx_status onepass_recipe(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    uint32_t size = element_size(problem->dtype);
    chunks plan = plan_onepass(problem, device);
    plx_status status = start(problem, device, plan.threads, recipe, error);
    if (status != PLX_OK)
        return status;
    define(recipe, "LOADS", plan.loads);

    plx_step *step = plx_recipe_step(recipe, "reduce_onepass", (uint32_t)plan.threads, 1);
    step->grid[0] = (uint64_t)plan.blocks;
    plx_step_operand(step, X);
    plx_step_operand(step, RESULT);
    plx_step_scratch(step, take_scratch(recipe, plan.blocks, size), size);
    plx_step_scratch(step, 0, (uint32_t)sizeof(uint32_t)); /* the tickets */
    plx_step_i64(step, problem->of.reduce.n);
    return check(recipe, plan.threads * size + 8, device, error);
}

/* ---- the ladder ------------------------------------------------------------------ */

/* One launch less is worth most where the launch is most of the time, and costs nothing
 * where it is not.  A group may rely on another's partial within a launch only where
 * fences are known to reach the whole device: NVIDIA's, which have a compute capability. */
static size_t choose_reduce(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    return device->compute_major > 0 ? ONEPASS : VECTOR;
}

static const plx_row rows[ROWS] = {
    [GMEM] = {
        .about = {
            .name = "gmem",
            .idea = "a tree in global memory: each block of 1024 folds its elements in halves, on "
                    "a scratch copy",
            .gain = "the starting point: 1024 elements in 10 steps instead of 1023, by all threads "
                    "of a block",
            .limit = "every step of the tree loads and stores global memory, and half of the "
                     "threads that were still at work fall idle in each; the copy alone doubles "
                     "the traffic",
            .needs = "scratch memory of the size of the input",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_one,
        },
        .recipe = gmem_recipe,
    },
    [SMEM] = {
        .about = {
            .name = "smem",
            .idea = "the same tree in static shared memory",
            .gain = "global memory is read once and written once per block instead of in each of "
                    "the 10 steps: far fewer load and store transactions, and no scratch copy",
            .limit = "one load per thread in flight, then ten barriers at which most threads only "
                     "wait",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_one,
        },
        .recipe = smem_recipe,
    },
    [SMEM_DYNAMIC] = {
        .about = {
            .name = "smem-dynamic",
            .idea = "the same tree in shared memory whose size is given by the launch",
            .gain = "none expected: the same instructions run; it shows the launch parameter that "
                    "a kernel needs when the size is not known while compiling",
            .limit = "as smem",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_one,
        },
        .recipe = smem_dynamic_recipe,
    },
    [UNROLL4] = {
        .about = {
            .name = "unroll4",
            .idea = "each block folds the data of four while it loads them, then runs the tree "
                    "once",
            .gain = "four independent loads hide each other's latency, and the barriers of one "
                    "tree serve four times the data: up to 4 times where those were the limit",
            .limit = "4-byte loads: half of the instructions only compute addresses and check the "
                     "end",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_fold,
        },
        .recipe = unroll4_recipe,
    },
    [UNROLL4_DYNAMIC] = {
        .about = {
            .name = "unroll4-dynamic",
            .idea = "unroll4 with its shared memory sized by the launch",
            .gain = "none expected, as from smem to smem-dynamic",
            .limit = "as unroll4",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_fold,
        },
        .recipe = unroll4_dynamic_recipe,
    },
    [SHUFFLE] = {
        .about = {
            .name = "shuffle",
            .idea = "unroll4 whose tree runs from register to register: lanes of a warp exchange "
                    "values directly",
            .gain = "one barrier instead of six and 32 words of shared memory instead of 1024: "
                    "blocks end sooner and make room for the next",
            .limit = "still 4-byte loads, four per thread",
            .needs = "shuffles: CUDA, inline PTX in NVIDIA's OpenCL, or sub-group shuffles",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_fold,
        },
        .recipe = shuffle_recipe,
    },
    [VECTOR] = {
        .about = {
            .name = "vector",
            .idea = "16-byte loads, eight in flight in every thread, 32 KiB per block; a second "
                    "launch of one block joins the partials",
            .gain = "a quarter of the load instructions and 8 times the bytes in flight: enough to "
                    "keep memory busy at any moment, so the bandwidth of memory is reached",
            .limit = "the bandwidth of memory for large inputs, two launches for small ones",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_vector,
        },
        .recipe = vector_recipe,
    },
    [ONEPASS] = {
        .about = {
            .name = "onepass",
            .idea = "one launch: each block draws a ticket, and the last to finish joins the "
                    "partials in a fixed order",
            .gain = "saves the second launch, a few microseconds: up to twice as fast on small "
                    "inputs, the same on large ones; the order of the sum does not depend on who "
                    "comes last",
            .limit = "the launch itself below about a megabyte, the bandwidth of memory above",
            .needs = "",
            .dtypes = REDUCE_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_onepass,
        },
        .recipe = onepass_recipe,
    },
};

const plx_ladder plx_reduce_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = choose_reduce,
};
