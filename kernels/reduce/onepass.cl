/* reduce/onepass: one launch; the group that finishes last joins the partials. */

/* Orders this thread's global writes before, or its reads after, what follows, for
 * the whole device.  OpenCL C 1.2 promises that for one work-group only; the partials
 * are volatile and the tickets atomic besides. */
static void fence_device(void)
{
#ifdef NVIDIA_PTX
    asm volatile("membar.gl;" ::: "memory");
#else
    mem_fence(CLK_GLOBAL_MEM_FENCE);
#endif
}

/* Publishes a group's partial and draws a ticket; thread 0 learns whether it was the
 * last, and then puts the counter back to zero. */
INLINE bool is_last_group(T total, volatile global T *partials, volatile global uint *tickets)
{
    partials[get_group_id(0)] = total;
    fence_device(); /* the partial is visible before its ticket */
    if (atomic_inc(tickets) != get_num_groups(0) - 1)
        return false;
    (void)atomic_xchg(tickets, 0u);
    return true;
}

/* The order in which the partials are joined depends on their number alone, not on
 * which group comes last. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_onepass(global const T *x, long x_offset, global T *result, long result_offset,
                    volatile global T *partials, long partials_offset, volatile global uint *tickets,
                    long tickets_offset, long n)
{
    local T tile[BLOCK];
    local int last;
    const int thread = get_local_id(0);
    const bool alone = get_num_groups(0) == 1;
    T total = reduce_block(reduce_packs(x + x_offset, n), tile, BLOCK);

    partials += partials_offset;
    if (thread == 0)
        last = !alone && is_last_group(total, partials, tickets + tickets_offset);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last) {
        fence_device(); /* and the partials are read after it */
        total = reduce_block(reduce_partials(partials, get_num_groups(0), BLOCK), tile, BLOCK);
    }
    if (thread == 0 && (alone || last))
        result[result_offset] = finish(total);
}
