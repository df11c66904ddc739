/* The ladder of reductions: what each kernel says of itself, and which is taken.
 *
 * The kernels of the first nine rows write one partial per block and run again over the
 * partials until one is left.  `vector` needs two launches, `onepass` and `bulk` one.  `segments` alone takes batches,
 * and sums down columns; all others are given one vector at a time. */
#include "launch.h"

#include "operation.h"

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

/* What all kernels say alike. */
#define REDUCE_KERNEL_OF(types) .dtypes = (types), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1
#define REDUCE_DTYPES \
    (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))
#define REDUCE_KERNEL REDUCE_KERNEL_OF(REDUCE_DTYPES)

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
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_interleaved", .items = 1, .copies = true}),
    ROW(GMEM,
        ABOUT(.name = "gmem",
              .idea = "a tree in global memory: each block of 1024 folds its elements in halves, on a scratch copy",
              .gain = "the threads that work are neighbours, and so is what they read: whole warps fall idle, and a "
                      "step has half as many transactions as the one before",
              .limit = "every step of the tree loads and stores global memory, and half of the threads that were still "
                       "at work fall idle in each; the copy alone doubles the traffic",
              .needs = "scratch memory of the size of the input", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = plx_reduce_tree_recipe, .form = &(const plx_reduce_tree){"reduce_gmem", .items = 1, .copies = true}),
    ROW(DIVERGENT,
        ABOUT(.name = "divergent",
              .idea = "shared memory, with the tree over neighbours that most textbooks begin with: threads 0, 2, 4 "
                      "... work, then 0, 4, 8 ...",
              .gain = "global memory is read once and written once per block instead of in each of the 10 steps, and "
                      "there is no scratch copy",
              .limit = "warps diverge: all 32 of them issue each of the 10 steps, most for one lane or two",
              .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_divergent", .items = 1, .static_shared = true}),
    ROW(BANK_CONFLICT,
        ABOUT(.name = "bank-conflict",
              .idea = "the same tree by the first threads of the block: thread t combines elements 2st and 2st + s",
              .gain = "no warp diverges before the last: those without work only wait at the barriers",
              .limit = "lanes read shared memory 2, 4 ... 32 elements apart: up to 32 of them meet in one bank, one "
                       "after the other",
              .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_bank_conflict", .items = 1, .static_shared = true}),
    ROW(SMEM,
        ABOUT(.name = "smem",
              .idea = "the tree folds in halves, as gmem's: neighbouring threads read neighbouring elements of shared "
                      "memory",
              .gain = "no bank conflicts: a warp's 32 reads are one pass through shared memory",
              .limit = "one load per thread in flight, then ten barriers at which most threads only wait", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_smem", .items = 1, .static_shared = true}),
    ROW(SMEM_DYNAMIC,
        ABOUT(.name = "smem-dynamic", .idea = "the same tree in shared memory whose size is given by the launch",
              .gain = "none expected: the same instructions run; it shows the launch parameter that a kernel needs "
                      "when the size is not known while compiling",
              .limit = "as smem", .needs = "", REDUCE_KERNEL, .depth = plx_reduce_depth_of_one),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_smem_dynamic", .items = 1, .dynamic_shared = true}),
    ROW(UNROLL4,
        ABOUT(.name = "unroll4",
              .idea = "each block folds the data of four while it loads them, then runs the tree once",
              .gain = "four independent loads hide each other's latency, and the barriers of one tree serve four times "
                      "the data: up to 4 times where those were the limit",
              .limit = "4-byte loads: half of the instructions only compute addresses and check the end", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_fold),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_unroll4", .items = REDUCE_ITEMS, .static_shared = true}),
    ROW(UNROLL4_DYNAMIC,
        ABOUT(.name = "unroll4-dynamic", .idea = "unroll4 with its shared memory sized by the launch",
              .gain = "none expected, as from smem to smem-dynamic", .limit = "as unroll4", .needs = "", REDUCE_KERNEL,
              .depth = plx_reduce_depth_of_fold),
        .recipe = plx_reduce_tree_recipe,
        .form = &(const plx_reduce_tree){"reduce_unroll4_dynamic", .items = REDUCE_ITEMS, .dynamic_shared = true}),
    ROW(SHUFFLE,
        ABOUT(.name = "shuffle",
              .idea = "unroll4 whose tree runs from register to register: lanes of a warp exchange values directly",
              .gain = "one barrier instead of six and 32 words of shared memory instead of 1024: blocks end sooner and "
                      "make room for the next",
              .limit = "still 4-byte loads, four per thread",
              .needs = "shuffles: CUDA, inline PTX in NVIDIA's OpenCL, or sub-group shuffles", REDUCE_KERNEL,
              .depth = plx_reduce_depth_of_fold),
        .recipe = plx_reduce_tree_recipe,
        .form =
            &(const plx_reduce_tree){"reduce_shuffle", .items = REDUCE_ITEMS, .static_shared = true, .shuffles = true}),
    ROW(VECTOR,
        ABOUT(.name = "vector",
              .idea = "16-byte loads, eight in flight in every thread, four blocks of 256 for each multiprocessor that "
                      "stay until all is read; a second launch of one block joins the partials",
              .gain = "a quarter of the load instructions and 8 times the bytes in flight, no block that has to be "
                      "started while memory waits: its bandwidth is reached",
              .limit = "the bandwidth of memory for large inputs, two launches for small ones", .needs = "",
              REDUCE_KERNEL_OF(REDUCE_DTYPES | PLX_DEVICE_HALF_DTYPES), .depth = plx_reduce_depth_of_vector),
        .recipe = plx_reduce_vector_recipe),
    ROW(ONEPASS,
        ABOUT(.name = "onepass",
              .idea =
                  "one launch: each block draws a ticket, and the last to finish joins the partials in a fixed order",
              .gain = "saves the second launch, a few microseconds: up to twice as fast on small inputs, the same on "
                      "large ones; where a launch may begin before the one before it ends, only below 8 MiB.  The "
                      "order of the sum does not depend on who comes last",
              .limit = "the launch itself below about a megabyte, the bandwidth of memory above", .needs = "",
              REDUCE_KERNEL, .depth = plx_reduce_depth_of_vector),
        .recipe = plx_reduce_onepass_recipe),
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
        .recipe = plx_reduce_bulk_recipe),
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
              REDUCE_KERNEL_OF(REDUCE_DTYPES | PLX_DEVICE_HALF_DTYPES),
              .flags = PLX_KERNEL_BATCHED | PLX_KERNEL_SPECIAL, .depth = plx_reduce_depth_of_segments),
        .recipe = plx_reduce_segments_recipe),
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
