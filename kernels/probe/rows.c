/* The probes' kernels.  Each serves one pattern; the parameters are swept by
 * whoever measures. */
#include "recipe.h"
#include "probe/tiles.h"

#include <stdio.h>

#define INTEGERS (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64))
#define FLOATS (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

static int64_t no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

static uint64_t blocks_of(int64_t n, int64_t block)
{
    return (uint64_t)((n + block - 1) / block);
}

static plx_status wrong_pattern(plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "this kernel computes another pattern");
}

/* A recipe of one launch over n threads, with in and out as first arguments. */
static plx_step *begin(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                       const char *entry, uint32_t block_x, uint32_t block_y)
{
    static const struct type_words {
        const char *variant, *defines;
    } types[PLX_DTYPE_COUNT] = {
        [PLX_I32] = {"i32", "-DT=int -DUT=uint"},
        [PLX_I64] = {"i64", "-DT=long -DUT=ulong -DEIGHT_BYTES"},
        [PLX_F32] = {"f32", "-DT=float"},
        [PLX_F64] = {"f64", "-DT=double -DNEEDS_F64"},
    };
    const struct type_words *type = &types[problem->dtype];
    *recipe = (plx_recipe){.step_count = 0};
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s", type->variant);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s%s", type->defines,
                   device->features & PLX_FEATURE_NVIDIA_PTX ? " -DNVIDIA_PTX" : "");
    plx_step *step = plx_recipe_step(recipe, entry, block_x, block_y);
    step->grid[0] = blocks_of(problem->of.probe.n, (int64_t)block_x * block_y);
    plx_step_operand(step, 0);
    plx_step_operand(step, 1);
    plx_step_i64(step, problem->of.probe.n);
    return step;
}

static plx_status finish(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         uint64_t static_shared, plx_error *error)
{
    if (problem->of.probe.n == 0)
        recipe->step_count = 0;
    return plx_recipe_check(recipe, static_shared, device, error);
}

static plx_status coalescing(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                             plx_error *error)
{
    const plx_probe_problem *p = &problem->of.probe;
    if (p->pattern != PLX_PROBE_GATHER)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_coalescing", PROBE_BLOCK, 1);
    plx_step_i64(step, p->stride);
    plx_step_i64(step, p->offset);
    plx_step_i64(step, p->span);
    return finish(problem, device, recipe, 0, error);
}

static plx_status partition(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                            plx_error *error)
{
    const plx_probe_problem *p = &problem->of.probe;
    if (p->pattern != PLX_PROBE_PARTITION)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_partition", PROBE_PARTITION_BLOCK,
                           PROBE_PARTITION_BLOCK);
    plx_step_i64(step, p->regions);
    plx_step_i32(step, p->repeat);
    return finish(problem, device, recipe, 0, error);
}

static plx_status banks_of(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                           const char *entry, int pitch, plx_error *error)
{
    const plx_probe_problem *p = &problem->of.probe;
    if (p->pattern != PLX_PROBE_BANKS)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, entry, PROBE_BLOCK, 1);
    plx_step_i64(step, p->stride);
    plx_step_i32(step, p->repeat);
    uint64_t size = problem->dtype == PLX_I64 ? 8 : 4;
    return finish(problem, device, recipe, (uint64_t)pitch * PROBE_BANK_ROWS * size, error);
}

static plx_status banks(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                        plx_error *error)
{
    return banks_of(problem, device, recipe, "probe_banks", PROBE_BANK_COLUMNS, error);
}

static plx_status banks_padded(const plx_problem *problem, const plx_device_info *device,
                               plx_recipe *recipe, plx_error *error)
{
    return banks_of(problem, device, recipe, "probe_banks_padded", PROBE_BANK_COLUMNS + 1, error);
}

static plx_status shared_static(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_REVERSE)
        return wrong_pattern(error);
    (void)begin(problem, device, recipe, "probe_shared_static", PROBE_REVERSE, 1);
    return finish(problem, device, recipe, PROBE_REVERSE * 8, error);
}

static plx_status shared_dynamic(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_REVERSE)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_shared_dynamic", PROBE_REVERSE, 1);
    plx_step_shared(step, PROBE_REVERSE * (problem->dtype == PLX_I64 ? 8 : 4));
    return finish(problem, device, recipe, 0, error);
}

static plx_status divergence(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                             plx_error *error)
{
    const plx_probe_problem *p = &problem->of.probe;
    if (p->pattern != PLX_PROBE_BRANCH)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_divergence", PROBE_BLOCK, 1);
    plx_step_i64(step, p->stride);
    plx_step_i32(step, p->repeat);
    return finish(problem, device, recipe, 0, error);
}

static plx_status guard(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                        plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_GUARD)
        return wrong_pattern(error);
    (void)begin(problem, device, recipe, "probe_guard", PROBE_BLOCK, 1);
    return finish(problem, device, recipe, 0, error);
}

static plx_status no_guard(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                           plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_GUARD)
        return wrong_pattern(error);
    if (problem->of.probe.n % PROBE_BLOCK != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "has no guard: n must be a multiple of %d", PROBE_BLOCK);
    (void)begin(problem, device, recipe, "probe_no_guard", PROBE_BLOCK, 1);
    return finish(problem, device, recipe, 0, error);
}

static plx_status copy(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                       plx_error *error)
{
    const int64_t per_thread = problem->dtype == PLX_I64 ? 2 : 4;
    if (problem->of.probe.pattern != PLX_PROBE_COPY)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_copy", PROBE_COPY_BLOCK, 1);
    step->grid[0] = blocks_of(problem->of.probe.n, PROBE_COPY_BLOCK * per_thread);
    return finish(problem, device, recipe, 0, error);
}

static plx_status read_chunks(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_READ)
        return wrong_pattern(error);
    plx_step *step = begin(problem, device, recipe, "probe_read", PROBE_READ_BLOCK, 1);
    step->grid[0] = (uint64_t)problem->of.probe.n; /* a block for each chunk */
    return finish(problem, device, recipe, PROBE_READ_BLOCK * 8, error);
}

static plx_status multiply_add(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_FMA)
        return wrong_pattern(error);
    if (problem->dtype == PLX_F64 && (device->features & PLX_FEATURE_F64) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the device has no f64");
    plx_step *step = begin(problem, device, recipe, "probe_fma", PROBE_BLOCK, 1);
    plx_step_i32(step, problem->of.probe.repeat);
    return finish(problem, device, recipe, 0, error);
}

static plx_status launch(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         plx_error *error)
{
    if (problem->of.probe.pattern != PLX_PROBE_LAUNCH)
        return wrong_pattern(error);
    (void)begin(problem, device, recipe, "probe_launch", PROBE_BLOCK, 1);
    return finish(problem, device, recipe, 0, error);
}

/* The first row of each pattern, in the order of plx_probe_pattern. */
static size_t choose(const plx_problem *problem, const plx_device_info *device)
{
    static const size_t first[PLX_PROBE_PATTERN_COUNT] = {
        [PLX_PROBE_GATHER] = 0,  [PLX_PROBE_PARTITION] = 1, [PLX_PROBE_BANKS] = 2,
        [PLX_PROBE_REVERSE] = 4, [PLX_PROBE_BRANCH] = 6,    [PLX_PROBE_GUARD] = 7,
        [PLX_PROBE_COPY] = 9,    [PLX_PROBE_READ] = 10,     [PLX_PROBE_FMA] = 11,
        [PLX_PROBE_LAUNCH] = 12,
    };
    (void)device;
    return first[problem->of.probe.pattern];
}

#define PROBE_ROW_OF(types, marks, title, what, expect, bound, make)                                                   \
    {                                                                                                   \
        .about = {.name = (title),                                                                      \
                  .idea = (what),                                                                       \
                  .gain = (expect),                                                                     \
                  .limit = (bound),                                                                     \
                  .needs = "",                                                                          \
                  .dtypes = (types),                                                                    \
                  .flags = (marks),                                                                     \
                  .accumulator_f32 = PLX_F32,                                                           \
                  .reproducibility = PLX_R0,                                                            \
                  .depth = no_depth},                                                                   \
        .recipe = (make),                                                                               \
    }

#define PROBE_ROW(title, what, expect, bound, make) PROBE_ROW_OF(INTEGERS, 0, title, what, expect, bound, make)
#define CEILING_ROW(types, title, what, expect, bound, make)                                            \
    PROBE_ROW_OF(types, PLX_KERNEL_CEILING, title, what, expect, bound, make)

static const plx_row rows[] = {
    PROBE_ROW("coalescing", "reads element (i*stride + offset) mod span, writes element i",
              "stride 1 takes one 128-byte segment per warp of 4-byte elements, stride 32 takes 32",
              "the number of 32-byte sectors that a warp's loads touch", coalescing),
    PROBE_ROW("partition", "all blocks read a few regions of 256 bytes, past L1",
              "slow on one region where memory is partitioned coarsely: about 4 times on an RTX 2080 Ti",
              "how many L2 slices serve the regions", partition),
    PROBE_ROW("banks", "threads read shared memory a stride apart",
              "time grows with the number of threads that meet in one bank; the same word costs nothing",
              "shared memory serves 32 banks of 4 bytes in a cycle", banks),
    PROBE_ROW("banks-padded", "the same reads from rows that are one element wider",
              "a stride of 32 becomes free of conflicts", "a little more shared memory", banks_padded),
    PROBE_ROW("shared-static", "reverses runs of 64 through shared memory of a size known to the compiler",
              "the baseline of the pair", "the launch, for short inputs", shared_static),
    PROBE_ROW("shared-dynamic", "reverses runs of 64 through shared memory sized at launch",
              "none: the same result in the same time", "the launch, for short inputs", shared_dynamic),
    PROBE_ROW("divergence", "runs of `stride` threads take the two sides of a branch in turn",
              "alternate threads take twice the time of alternate warps: a split warp executes both sides",
              "instruction issue", divergence),
    PROBE_ROW("guard", "adds one to each element, with a boundary guard",
              "the price of a guard is lost in the memory traffic", "memory bandwidth", guard),
    PROBE_ROW("no-guard", "adds one to each element, without a guard",
              "what the guard costs", "memory bandwidth; whole blocks only", no_guard),
    CEILING_ROW(INTEGERS, "copy", "16 bytes read and written by each thread, once",
                "the ceiling of what reads and writes alike", "memory bandwidth, both ways", copy),
    CEILING_ROW(INTEGERS, "read", "64 KiB summed by each block, 128 bytes of each thread in flight",
                "the ceiling of what reads much and writes little", "memory bandwidth", read_chunks),
    CEILING_ROW(FLOATS, "fma", "sixteen independent multiply-adds in each thread, again and again",
                "the ceiling of arithmetic on the plain units", "the rate of multiply-adds", multiply_add),
    CEILING_ROW(INTEGERS, "launch", "writes one element",
                "the least time of a kernel with a result", "the launch", launch),
};

const plx_ladder plx_probe_ladder = {
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .choose = choose,
};
