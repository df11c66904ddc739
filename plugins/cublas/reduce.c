/* Reductions by CUB.  Its temporary storage is the queue's scratch memory: a plan
 * is shared by queues, and two of them must not meet in one storage. */
#include "plugins/cublas/reduce.h"
#include "plugins/cublas/cub.h"

/* What every policy of CUB's DeviceReduce for 4 and 8 bytes keeps to: a block has
 * at least so many threads, at most so many warps and items a thread, and a unit
 * gets at least SUBSCRIPTION blocks and at most that many times RESIDENT. */
enum { THREADS = 256, WARPS = 20, ITEMS = 20, SUBSCRIPTION = 5, RESIDENT = 8 };

/* Within a block: five steps in each warp, then one warp's sum after the other. */
enum { BLOCK_TREE = 5 + WARPS - 1 };

/* Tiles are dealt evenly to the blocks, and a thread sums its items of all its
 * tiles, in the worst case one after the other; a last block sums the blocks' sums
 * in the same way, and the initial value is added. */
int64_t plx_cub_depth(const plx_problem *problem, const plx_device_info *device)
{
    const int64_t n = problem->of.reduce.n, units = device->units;
    if (problem->of.reduce.reduction != PLX_SUM)
        return 0;
    if (units == 0)
        return n;
    int64_t first = n / (units * SUBSCRIPTION * THREADS) + 2 * ITEMS + BLOCK_TREE;
    int64_t second = units * SUBSCRIPTION * RESIDENT / THREADS + 2 * ITEMS + BLOCK_TREE;
    int64_t depth = first + second + 1;
    return depth < n ? depth : n;
}

/* One block sums a segment, by the same policies. */
int64_t plx_cub_segment_depth(const plx_problem *problem, const plx_device_info *device)
{
    const int64_t n = problem->of.reduce.n, depth = n / THREADS + 2 * ITEMS + BLOCK_TREE + 1;
    (void)device;
    if (problem->of.reduce.reduction != PLX_SUM)
        return 0;
    return depth < n ? depth : n;
}

bool plx_cub_is_segmented(const plx_problem *problem)
{
    return problem->batch.batched || problem->of.reduce.inner > 1;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Bits that hold any number below it. */
static int bits_of(int64_t count)
{
    int bits = 0;
    while (bits < 62 && INT64_C(1) << bits < count)
        bits++;
    return bits;
}

static int64_t problems_of(const plx_problem *problem)
{
    return problem->batch.batched ? problem->batch.count : 1;
}

static plx_cub_call call_of(const plx_problem *problem)
{
    const plx_reduce_problem *reduce = &problem->of.reduce;
    plx_cub_call call = {.dtype = problem->dtype, .reduction = reduce->reduction, .n = reduce->n};
    if (plx_cub_is_segmented(problem)) {
        const int64_t inner = reduce->inner > 1 ? reduce->inner : 1;
        call.segments = (plx_segments){.count = problems_of(problem) * inner,
                                       .inner = inner,
                                       .stride_x = problem->batch.stride[0],
                                       .stride_result = problem->batch.stride[1],
                                       .row_bits = bits_of(reduce->n),
                                       .column_bits = bits_of(inner)};
    }
    return call;
}

/* A launch has fewer than 2^31 segments, and the offset of an element, one behind the last too, has 63 bits. */
static plx_status check_segments(const plx_problem *problem, plx_error *error)
{
    const int64_t problems = problems_of(problem), inner = problem->of.reduce.inner > 1 ? problem->of.reduce.inner : 1;
    if (!plx_cub_is_segmented(problem))
        return plx_fail(error, PLX_UNSUPPORTED, "CUB's segments are for batches, and for reductions along an axis");
    if (inner > INT32_MAX / problems)
        return plx_fail(error, PLX_UNSUPPORTED, "CUB takes at most 2147483647 segments");
    if (bits_of(problem->of.reduce.n) + bits_of(inner) + bits_of(problems) > 62)
        return plx_fail(error, PLX_UNSUPPORTED, "CUB's segments are of at most 2^62 elements in all");
    return PLX_OK;
}

static plx_status check(plx_session *session, const plx_cub_call *call, const char *failure, plx_error *error)
{
    if (failure == NULL)
        return PLX_OK;
    return plx_fail(error, PLX_FAILED, "CUB's %s failed on %s: %s",
                    call->segments.count > 0 ? "DeviceSegmentedReduce" : "DeviceReduce", session->info.name, failure);
}

plx_status plx_cub_plan(plx_session *session, const plx_problem *problem, bool segmented, uint64_t *bytes,
                        plx_error *error)
{
    const char *missing = plx_cub_missing();
    size_t needed = 0;
    if (missing != NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "this build has no CUB: %s", missing);
    plx_status status = segmented ? check_segments(problem, error) : PLX_OK;
    if (status != PLX_OK)
        return status;
    const plx_cub_call call = call_of(problem);
    plx_cuda_thread thread;
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = check(session, &call, plx_cub_reduce(&call, NULL, &needed), error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        *bytes = needed;
    return status;
}

plx_status plx_cub_execute(plx_plugin_queue *queue, const plx_problem *problem, uint64_t bytes, const void *x,
                           void *result, plx_error *error)
{
    plx_cub_call call = call_of(problem);
    size_t given = (size_t)bytes;
    plx_status status = plx_cuda_scratch_grow(queue, bytes, 0, error);
    if (status != PLX_OK)
        return status;
    call.x = x;
    call.result = result;
    call.stream = queue->stream;
    return check(queue->session, &call, plx_cub_reduce(&call, (void *)(uintptr_t)queue->scratch, &given), error);
}
