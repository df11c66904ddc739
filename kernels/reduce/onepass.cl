/* reduce/onepass: one launch; the group that finishes last joins the partials. */

#ifdef NVIDIA_PTX
/* Orders this thread's global writes before, or its reads after, what follows, for the
 * whole device.  With it volatile accesses are enough. */
static void fence_device(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

INLINE void publish(volatile global T *place, T value)
{
    *place = value;
}

#define collect_partials reduce_partials
#else
/* OpenCL C 1.2 orders memory within one work-group only; between groups its atomic
 * functions alone are no data race.  They know words of 32 bits. */
static void fence_device(void)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

#if LANES == 4
INLINE void publish(volatile global T *place, T value)
{
    (void)atomic_xchg((volatile global int *)place, as_int(value));
}

INLINE T collect(volatile global T *place)
{
    return AS_T(atomic_or((volatile global int *)place, 0));
}

INLINE PACK collect_pack(volatile global T *from)
{
    return (PACK)(collect(from), collect(from + 1), collect(from + 2), collect(from + 3));
}
#else
/* Nobody reads one word before both are there: the ticket is drawn after them. */
INLINE void publish(volatile global T *place, T value)
{
    volatile global int *words = (volatile global int *)place;
    const int2 halves = as_int2(value);
    (void)atomic_xchg(words, halves.x);
    (void)atomic_xchg(words + 1, halves.y);
}

INLINE T collect(volatile global T *place)
{
    volatile global int *words = (volatile global int *)place;
    return AS_T((int2)(atomic_or(words, 0), atomic_or(words + 1, 0)));
}

INLINE PACK collect_pack(volatile global T *from)
{
    return (PACK)(collect(from), collect(from + 1));
}
#endif

/* reduce_partials() by atomic reads: the same order. */
INLINE T collect_partials(volatile global T *partials, long count, int threads)
{
    const int thread = get_local_id(0);
    const long whole = count / LANES, end = whole * LANES;
    PACK sum = (PACK)(IDENTITY);

    for (long i = thread; i < whole; i += threads)
        sum = join_packs(sum, collect_pack(partials + i * LANES));
    T value = fold_pack(sum);
    if (thread < count - end)
        value = join(value, collect(partials + end + thread));
    return value;
}
#endif

/* Publishes a group's partial and draws a ticket; thread 0 learns whether it was the
 * last, and then puts the counter back to zero. */
INLINE bool is_last_group(T total, volatile global T *partials, volatile global uint *tickets)
{
    publish(partials + get_group_id(0), total);
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
        total = reduce_block(collect_partials(partials, get_num_groups(0), BLOCK), tile, BLOCK);
    }
    if (thread == 0 && (alone || last))
        result[result_offset] = finish(total);
}
