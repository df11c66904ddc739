/* The probes' kernels.  Each serves one pattern; the parameters are swept by
 * whoever measures. */
#include "arithmetic.h"
#include "recipe.h"
#include "probe/tiles.h"
#include "probe/units.h"

#define INTEGERS (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64))
#define FLOATS (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

/* Which of the problem's numbers are arguments, in this order. */
enum { STRIDE = 1, OFFSET = 2, SPAN = 4, REGIONS = 8, REPEAT = 16 };

/* The form of a row. */
typedef struct probe_kernel {
    const char *entry;
    plx_probe_pattern pattern;
    uint32_t block_x, block_y; /* block_y 0: 1 */
    unsigned numbers;
    int64_t static_shared, dynamic_shared; /* elements */
    bool is_wide;                          /* a thread has 16 bytes of elements */
    bool is_chunked;                       /* a block for each element of output */
    bool whole_blocks;                     /* n must be a multiple of the block */
    bool on_units;                         /* a block makes a product on the matrix units */
} probe_kernel;

static void add_numbers(plx_step *step, const plx_probe_problem *p, unsigned numbers)
{
    if (numbers & STRIDE)
        plx_step_i64(step, p->stride);
    if (numbers & OFFSET)
        plx_step_i64(step, p->offset);
    if (numbers & SPAN)
        plx_step_i64(step, p->span);
    if (numbers & REGIONS)
        plx_step_i64(step, p->regions);
    if (numbers & REPEAT)
        plx_step_i32(step, p->repeat);
}

/* Of one launch over n threads, with in and out as first arguments; none without elements. */
static void add_launch(const plx_problem *problem, const probe_kernel *kernel, plx_recipe *recipe)
{
    const plx_probe_problem *p = &problem->of.probe;
    const int64_t size = element_size(problem->dtype);
    const uint32_t block_y = kernel->block_y > 0 ? kernel->block_y : 1;
    const int64_t per_block = kernel->on_units     ? PROBE_UNITS_ROWS * plx_probe_units_cols(p->pattern)
                              : kernel->is_chunked ? 1
                              : kernel->is_wide    ? kernel->block_x * pack_width(problem->dtype)
                                                   : (int64_t)kernel->block_x * block_y;
    if (p->n == 0)
        return;
    plx_step *step = plx_recipe_step(recipe, kernel->entry, kernel->block_x, block_y);
    step->grid[0] = (uint64_t)quotient_up(p->n, per_block);
    plx_step_operand(step, 0);
    plx_step_operand(step, 1);
    plx_step_i64(step, p->n);
    add_numbers(step, p, kernel->numbers);
    if (kernel->dynamic_shared > 0)
        plx_step_shared(step, kernel->dynamic_shared * size);
}

/* What a processor can do in several ways, which offset and stride number. */
static bool has_ways(plx_probe_pattern pattern)
{
    return pattern == PLX_PROBE_COPY || pattern == PLX_PROBE_READ || pattern == PLX_PROBE_FMA ||
           pattern == PLX_PROBE_LAUNCH;
}

static plx_status probe_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    static const struct type_words {
        const char *variant, *defines;
    } types[PLX_DTYPE_COUNT] = {
        [PLX_I32] = {"i32", "-DT=int -DUT=uint"},
        [PLX_I64] = {"i64", "-DT=long -DUT=ulong -DEIGHT_BYTES"},
        [PLX_F32] = {"f32", "-DT=float"},
        [PLX_F64] = {"f64", "-DT=double -DNEEDS_F64"},
    };
    const probe_kernel *kernel = recipe->form;
    const struct type_words *type = &types[problem->dtype];
    if (problem->of.probe.pattern != kernel->pattern)
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another pattern");
    if (has_ways(kernel->pattern) && (problem->of.probe.offset != 0 || problem->of.probe.stride != 0))
        return plx_fail(error, PLX_UNSUPPORTED, "has one way alone");
    if (kernel->whole_blocks && problem->of.probe.n % PROBE_BLOCK != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "has no guard: n must be a multiple of %d", PROBE_BLOCK);
    if (kernel->on_units && (device->compute_major < 8 || (device->features & PLX_FEATURE_NVIDIA_PTX) != 0))
        return plx_fail(error, PLX_UNSUPPORTED, "needs CUDA, and a device of compute capability 8.0 or later");
    if (problem->dtype == PLX_F64 && (device->features & PLX_FEATURE_F64) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the device has no f64");
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s", type->variant);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s%s", type->defines,
                   device->features & PLX_FEATURE_NVIDIA_PTX ? " -DNVIDIA_PTX" : "");
    add_launch(problem, kernel, recipe);
    return plx_recipe_check(recipe, (uint64_t)(kernel->static_shared * element_size(problem->dtype)), device, error);
}

/* The first row of each pattern, in the order of plx_probe_pattern. */
static size_t choose(const plx_problem *problem, const plx_device_info *device)
{
    static const size_t first[PLX_PROBE_PATTERN_COUNT] = {
        [PLX_PROBE_GATHER] = 0,      [PLX_PROBE_PARTITION] = 1, [PLX_PROBE_BANKS] = 2,      [PLX_PROBE_REVERSE] = 4,
        [PLX_PROBE_BRANCH] = 6,      [PLX_PROBE_GUARD] = 7,     [PLX_PROBE_COPY] = 9,       [PLX_PROBE_READ] = 10,
        [PLX_PROBE_FMA] = 11,        [PLX_PROBE_LAUNCH] = 12,   [PLX_PROBE_UNITS_F16] = 13, [PLX_PROBE_UNITS_BF16] = 14,
        [PLX_PROBE_UNITS_TF32] = 15, [PLX_PROBE_UNITS_I8] = 16, [PLX_PROBE_UNITS_F64] = 17,
    };
    (void)device;
    return first[problem->of.probe.pattern];
}

#define PROBE_ROW_OF(types, marks, title, what, expect, bound, ...)         \
    {                                                                       \
        .about = {.name = (title),                                          \
                  .idea = (what),                                           \
                  .gain = (expect),                                         \
                  .limit = (bound),                                         \
                  .needs = "",                                              \
                  .dtypes = (types),                                        \
                  .flags = (marks),                                         \
                  .accumulator_f32 = PLX_F32,                               \
                  .reproducibility = PLX_R0,                                \
                  .depth = plx_no_depth},                                   \
        .recipe = probe_recipe, .form = &(const probe_kernel){__VA_ARGS__}, \
    }

#define PROBE_ROW(title, what, expect, bound, ...) PROBE_ROW_OF(INTEGERS, 0, title, what, expect, bound, __VA_ARGS__)
#define CEILING_ROW(types, title, what, expect, bound, ...) \
    PROBE_ROW_OF(types, PLX_KERNEL_CEILING, title, what, expect, bound, __VA_ARGS__)

#define UNITS_ROW(type, title, what, name, kind)                                            \
    CEILING_ROW(PLX_DTYPE_BIT(type), title, what, "the ceiling of products on these units", \
                "the rate of the units, or the power that the device may take", name, kind, \
                .block_x = PROBE_UNITS_BLOCK, .numbers = REPEAT, .on_units = true,          \
                .static_shared = (PROBE_UNITS_ROWS + PROBE_UNITS_COLS) * PROBE_UNITS_LINE / 4)

static const plx_row rows[] = {
    PROBE_ROW("coalescing", "reads element (i*stride + offset) mod span, writes element i",
              "stride 1 takes one 128-byte segment per warp of 4-byte elements, stride 32 takes 32",
              "the number of 32-byte sectors that a warp's loads touch", "probe_coalescing", PLX_PROBE_GATHER,
              .block_x = PROBE_BLOCK, .numbers = STRIDE | OFFSET | SPAN),
    PROBE_ROW("partition", "all blocks read a few regions of 256 bytes, past L1",
              "slow on one region where memory is partitioned coarsely: about 4 times on an RTX 2080 Ti",
              "how many L2 slices serve the regions", "probe_partition", PLX_PROBE_PARTITION,
              .block_x = PROBE_PARTITION_BLOCK, .block_y = PROBE_PARTITION_BLOCK, .numbers = REGIONS | REPEAT),
    PROBE_ROW("banks", "threads read shared memory a stride apart",
              "time grows with the number of threads that meet in one bank; the same word costs nothing",
              "shared memory serves 32 banks of 4 bytes in a cycle", "probe_banks", PLX_PROBE_BANKS,
              .block_x = PROBE_BLOCK, .numbers = STRIDE | REPEAT,
              .static_shared = PROBE_BANK_ROWS * PROBE_BANK_COLUMNS),
    PROBE_ROW("banks-padded", "the same reads from rows that are one element wider",
              "a stride of 32 becomes free of conflicts", "a little more shared memory", "probe_banks_padded",
              PLX_PROBE_BANKS, .block_x = PROBE_BLOCK, .numbers = STRIDE | REPEAT,
              .static_shared = PROBE_BANK_ROWS * (PROBE_BANK_COLUMNS + 1)),
    PROBE_ROW("shared-static", "reverses runs of 64 through shared memory of a size known to the compiler",
              "the baseline of the pair", "the launch, for short inputs", "probe_shared_static", PLX_PROBE_REVERSE,
              .block_x = PROBE_REVERSE, .static_shared = PROBE_REVERSE),
    PROBE_ROW("shared-dynamic", "reverses runs of 64 through shared memory sized at launch",
              "none: the same result in the same time", "the launch, for short inputs", "probe_shared_dynamic",
              PLX_PROBE_REVERSE, .block_x = PROBE_REVERSE, .dynamic_shared = PROBE_REVERSE),
    PROBE_ROW("divergence", "runs of `stride` threads take the two sides of a branch in turn",
              "alternate threads take twice the time of alternate warps: a split warp executes both sides",
              "instruction issue", "probe_divergence", PLX_PROBE_BRANCH, .block_x = PROBE_BLOCK,
              .numbers = STRIDE | REPEAT),
    PROBE_ROW("guard", "adds one to each element, with a boundary guard",
              "the price of a guard is lost in the memory traffic", "memory bandwidth", "probe_guard", PLX_PROBE_GUARD,
              .block_x = PROBE_BLOCK),
    PROBE_ROW("no-guard", "adds one to each element, without a guard", "what the guard costs",
              "memory bandwidth; whole blocks only", "probe_no_guard", PLX_PROBE_GUARD, .block_x = PROBE_BLOCK,
              .whole_blocks = true),
    CEILING_ROW(INTEGERS, "copy", "16 bytes read and written by each thread, once",
                "the ceiling of what reads and writes alike", "memory bandwidth, both ways", "probe_copy",
                PLX_PROBE_COPY, .block_x = PROBE_COPY_BLOCK, .is_wide = true),
    CEILING_ROW(INTEGERS, "read", "64 KiB summed by each block, 128 bytes of each thread in flight",
                "the ceiling of what reads much and writes little", "memory bandwidth", "probe_read", PLX_PROBE_READ,
                .block_x = PROBE_READ_BLOCK, .is_chunked = true, .static_shared = PROBE_READ_BLOCK),
    CEILING_ROW(FLOATS, "fma", "sixteen independent multiply-adds in each thread, again and again",
                "the ceiling of arithmetic on the plain units", "the rate of multiply-adds", "probe_fma", PLX_PROBE_FMA,
                .block_x = PROBE_BLOCK, .numbers = REPEAT),
    CEILING_ROW(INTEGERS, "launch", "writes one element", "the least time of a kernel with a result", "the launch",
                "probe_launch", PLX_PROBE_LAUNCH, .block_x = PROBE_BLOCK),
    UNITS_ROW(PLX_F32, "units-f16", "products of f16 from registers and shared memory, again and again",
              "probe_units_f16", PLX_PROBE_UNITS_F16),
    UNITS_ROW(PLX_F32, "units-bf16", "the same of bf16", "probe_units_bf16", PLX_PROBE_UNITS_BF16),
    UNITS_ROW(PLX_F32, "units-tf32", "the same of TF32", "probe_units_tf32", PLX_PROBE_UNITS_TF32),
    UNITS_ROW(PLX_F32, "units-i8", "the same of 8-bit integers, summed in 32 bits", "probe_units_i8",
              PLX_PROBE_UNITS_I8),
    CEILING_ROW(PLX_DTYPE_BIT(PLX_F64), "units-f64", "the same of f64", "the ceiling of products on these units",
                "the rate of the units, or the power that the device may take", "probe_units_f64", PLX_PROBE_UNITS_F64,
                .block_x = PROBE_UNITS_BLOCK, .numbers = REPEAT, .on_units = true,
                .static_shared = (PROBE_UNITS_ROWS + PROBE_UNITS_F64_COLS) * PROBE_UNITS_LINE / 8),
};

const plx_ladder plx_probe_ladder = {
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .choose = choose,
};
