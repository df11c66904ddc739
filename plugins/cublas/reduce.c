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

static plx_cub_call call_of(const plx_problem *problem)
{
    return (plx_cub_call){
        .dtype = problem->dtype, .reduction = problem->of.reduce.reduction, .n = problem->of.reduce.n};
}

static plx_status check(plx_session *session, const char *failure, plx_error *error)
{
    if (failure == NULL)
        return PLX_OK;
    return plx_fail(error, PLX_FAILED, "CUB's DeviceReduce failed on %s: %s", session->info.name, failure);
}

plx_status plx_cub_plan(plx_session *session, const plx_problem *problem, uint64_t *bytes, plx_error *error)
{
    const plx_cub_call call = call_of(problem);
    const char *missing = plx_cub_missing();
    size_t needed = 0;
    if (missing != NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "this build has no CUB: %s", missing);
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = check(session, plx_cub_reduce(&call, NULL, &needed), error);
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
    return check(queue->session, plx_cub_reduce(&call, (void *)(uintptr_t)queue->scratch, &given), error);
}
