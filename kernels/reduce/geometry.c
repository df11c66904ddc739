/* The geometry of the reductions, and the depth of their sums. */
#include "geometry.h"

#include "operation.h"

/* One at least. */
static int64_t blocks_for(int64_t elements, int64_t per_block)
{
    return larger(quotient_up(elements, per_block), 1);
}

int64_t plx_reduce_block_threads(const plx_device_info *device, int64_t wanted)
{
    while (wanted > 1 && ((uint64_t)wanted > device->max_block_threads || (uint64_t)wanted > device->max_block[0]))
        wanted /= 2;
    return wanted;
}

plx_reduce_passes plx_reduce_plan_passes(int64_t n, int64_t per_block)
{
    plx_reduce_passes plan = {.count = 0};
    for (;;) {
        if (plan.count == PLX_MAX_STEPS)
            return (plx_reduce_passes){.count = PLX_MAX_STEPS + 1};
        plan.elements[plan.count] = n;
        plan.blocks[plan.count] = n = blocks_for(n, per_block);
        ++plan.count;
        if (n == 1)
            return plan;
    }
}

static plx_reduce_tiling plan_tiling(const plx_problem *problem, const plx_device_info *device, int64_t threads,
                                     int64_t loads, int64_t blocks_per_unit, int64_t share_tiles)
{
    plx_reduce_tiling plan = {.threads = plx_reduce_block_threads(device, threads), .loads = loads};
    int64_t at_once = (device->units > 0 ? device->units : 1) * blocks_per_unit;
    int64_t tiles = blocks_for(problem->of.reduce.n, plan.threads * loads * pack_width(problem->dtype));
    bool is_long = tiles / share_tiles >= at_once * REDUCE_SHARES;
    plan.blocks = smaller(tiles, is_long ? at_once * REDUCE_SHARES : at_once);
    plan.rounds = blocks_for(tiles, plan.blocks);
    return plan;
}

plx_reduce_tiling plx_reduce_plan_vector(const plx_problem *problem, const plx_device_info *device)
{
    return plan_tiling(problem, device, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS, REDUCE_VECTOR_PER_UNIT,
                       REDUCE_VECTOR_SHARE_TILES);
}

static int64_t stages_that_fit(const plx_device_info *device, int64_t stage_bytes)
{
    enum { RESERVE = 4096 }; /* for the block's tree and the barriers */
    int64_t room = (int64_t)device->max_shared_bytes - RESERVE;
    return room > 0 ? smaller(room / stage_bytes, REDUCE_BULK_STAGES) : 0;
}

bool plx_reduce_copies_in_bulk(const plx_device_info *device)
{
    return is_hopper_or_later(device) && (!is_nvidia_opencl(device) || plx_has_large_shared(device));
}

plx_reduce_ring plx_reduce_plan_bulk(const plx_problem *problem, const plx_device_info *device)
{
    plx_reduce_ring plan = {
        .tiles = plan_tiling(problem, device, REDUCE_BULK_BLOCK, REDUCE_BULK_LOADS, REDUCE_BULK_PER_UNIT,
                             REDUCE_BULK_SHARE_TILES),
        .stages = REDUCE_BULK_STAGES,
    };
    plan.stage_bytes = plan.tiles.threads * REDUCE_BULK_LOADS * 16;
    plan.threads = plan.tiles.threads + 32;
    if (!is_nvidia_opencl(device)) /* which gives more than it tells of */
        plan.stages = stages_that_fit(device, plan.stage_bytes);
    return plan;
}

/* ---- segments ---- */

static int64_t power_above(int64_t value)
{
    return INT64_C(1) << levels(value);
}

static int64_t power_below(int64_t value)
{
    return value > 1 ? power_above(value / 2 + 1) : 1;
}

/* Threads of a row: of a very short one each has an element of several rows, of others several of one, so many
 * threads side by side that they read whole sectors of memory. */
static int64_t threads_of_row(int64_t n, int64_t threads, int64_t size)
{
    enum { SECTOR = 32, WARP = 32, WANTED = 4 };
    if (n > REDUCE_SEGMENTS_OF_WARP)
        return threads;
    return n <= WARP ? power_above(n) : smaller(larger(power_above(quotient_up(n, WANTED)), SECTOR / size), WARP);
}

/* Columns of a stripe: a line of memory, more where there are so few rows that they would leave threads without work.
 */
static int64_t columns_of_stripe(int64_t n, int64_t inner, int64_t threads, int64_t size)
{
    enum { LINE = 128 };
    int64_t rows = power_below(larger(n, 1) / REDUCE_SEGMENTS_LOADS);
    return smaller(smaller(power_above(inner), larger(LINE / size, threads / smaller(rows, threads))), threads);
}

/* `size`: bytes of what is read. */
static plx_reduce_segments plan_whole(int64_t n, int64_t inner, int64_t problems, int64_t threads, int64_t size)
{
    plx_reduce_segments plan = {
        .threads = threads, .inner = inner, .height = 1, .turns = 1, .stripes = 1, .parts = 1, .length = n};
    if (inner > 1) {
        plan.width = columns_of_stripe(n, inner, threads, size);
        plan.height = smaller(power_above(quotient_up(n, REDUCE_SEGMENTS_LOADS)), threads / plan.width);
        plan.stripes = quotient_up(inner, plan.width);
    } else {
        plan.width = threads_of_row(n, threads, size);
        plan.turns = n <= plan.width ? REDUCE_SEGMENTS_TURNS : 1;
    }
    plan.together = threads / (plan.width * plan.height) * plan.turns;
    if (__builtin_mul_overflow(quotient_up(problems, plan.together), plan.stripes, &plan.blocks))
        plan.blocks = INT64_MAX;
    return plan;
}

/* Where blocks are fewer than the device has room for, and the terms so many that each part still keeps them busy. */
static void cut(plx_reduce_segments *plan, const plx_device_info *device)
{
    int64_t n = plan->length, wanted = larger(device->units, 1) * REDUCE_SEGMENTS_PER_UNIT;
    int64_t least = plan->inner > 1 ? plan->height * REDUCE_SEGMENTS_LOADS : plan->threads * REDUCE_SEGMENTS_LOADS * 4;
    int64_t parts = smaller(wanted / plan->blocks, n / least);
    if (parts < 2 || plan->together > 1)
        return;
    plan->length = quotient_up(n, parts);
    plan->parts = quotient_up(n, plan->length);
    plan->blocks *= plan->parts;
}

static int64_t columns_of(const plx_problem *problem)
{
    return larger(problem->of.reduce.inner, 1);
}

plx_reduce_segments plx_reduce_plan_segments(const plx_problem *problem, const plx_device_info *device)
{
    const int64_t threads = plx_reduce_block_threads(device, REDUCE_SEGMENTS_BLOCK);
    plx_reduce_segments plan = plan_whole(problem->of.reduce.n, columns_of(problem), plx_problem_count(problem),
                                          threads, element_size(problem->dtype));
    cut(&plan, device);
    return plan;
}

plx_reduce_segments plx_reduce_plan_joining(const plx_problem *problem, const plx_device_info *device)
{
    const plx_reduce_segments first = plx_reduce_plan_segments(problem, device);
    return plan_whole(first.parts, first.inner, plx_problem_count(problem), first.threads, sum_size(problem->dtype));
}

/* ---- depth ---------------------------------------------------------------- */

/* Adding the identity rounds nothing, so no term meets more than n - 1 roundings. */
static int64_t at_most_all(const plx_problem *problem, int64_t depth)
{
    int64_t n = problem->of.reduce.n;
    return n > 0 ? smaller(depth, n - 1) : 0;
}

static int64_t depth_of_passes(const plx_problem *problem, const plx_device_info *device, int64_t items)
{
    int64_t threads = plx_reduce_block_threads(device, REDUCE_BLOCK), depth = 0;
    plx_reduce_passes plan = plx_reduce_plan_passes(problem->of.reduce.n, threads * items);

    for (size_t i = 0; i < plan.count && i < PLX_MAX_STEPS; ++i)
        depth += levels(smaller(plan.elements[i], threads)) + (plan.elements[i] > threads ? levels(items) : 0);
    return at_most_all(problem, depth);
}

int64_t plx_reduce_depth_of_one(const plx_problem *problem, const plx_device_info *device)
{
    return depth_of_passes(problem, device, 1);
}

int64_t plx_reduce_depth_of_fold(const plx_problem *problem, const plx_device_info *device)
{
    return depth_of_passes(problem, device, REDUCE_ITEMS);
}

/* The same of 16 bits: a lane's elements are added one after the other, and the partials are f32. */
static int64_t depth_of_halves(const plx_problem *problem, const plx_reduce_tiling *plan)
{
    int64_t tree = levels(plan->threads), width = pack_width(PLX_F32);
    int64_t depth = plan->loads * plan->rounds + levels(pack_width(problem->dtype)) + 2 + tree;

    if (plan->blocks > 1)
        depth += blocks_for(plan->blocks / width, plan->threads) - 1 + levels(width) + 1 + tree;
    return at_most_all(problem, depth);
}

/* A tile's loads, tile after tile, lanes, an unaligned head and tail, the block's tree;
 * then the partials: packs one by one, lanes, a tail, the tree. */
static int64_t depth_of_tiling(const plx_problem *problem, const plx_reduce_tiling *plan, int64_t threads)
{
    int64_t width = pack_width(problem->dtype), tree = levels(threads);
    int64_t depth = levels(plan->loads) + plan->rounds - 1 + levels(width) + 2 + tree;

    if (plan->blocks > 1)
        depth += blocks_for(plan->blocks / width, threads) - 1 + levels(width) + 1 + tree;
    return at_most_all(problem, depth);
}

int64_t plx_reduce_depth_of_vector(const plx_problem *problem, const plx_device_info *device)
{
    plx_reduce_tiling plan = plx_reduce_plan_vector(problem, device);
    if (element_size(problem->dtype) == 2)
        return depth_of_halves(problem, &plan);
    return depth_of_tiling(problem, &plan, plan.threads);
}

int64_t plx_reduce_depth_of_bulk(const plx_problem *problem, const plx_device_info *device)
{
    plx_reduce_ring plan = plx_reduce_plan_bulk(problem, device);
    return depth_of_tiling(problem, &plan.tiles, plan.threads);
}

/* A thread's elements are joined eight by eight, these one after the other; then a tree of the threads. */
static int64_t depth_of_part(const plx_reduce_segments *plan)
{
    const int64_t threads = plan->inner > 1 ? plan->height : plan->width;
    const int64_t each = quotient_up(plan->length, threads), rounds = quotient_up(each, REDUCE_SEGMENTS_LOADS);
    return levels(smaller(each, REDUCE_SEGMENTS_LOADS)) + larger(rounds - 1, 0) +
           levels(smaller(plan->length, threads));
}

int64_t plx_reduce_depth_of_segments(const plx_problem *problem, const plx_device_info *device)
{
    const plx_reduce_segments plan = plx_reduce_plan_segments(problem, device);
    const plx_reduce_segments last = plx_reduce_plan_joining(problem, device);
    return at_most_all(problem, depth_of_part(&plan) + (plan.parts > 1 ? depth_of_part(&last) : 0));
}
