/* reduce/vector: 16-byte loads, eight of them in flight in every thread, as many groups
 * as keep the chip busy, and one more to combine the partials. */
#include "device.clh"

#ifndef HALF
/* Group b combines its tiles of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_vector(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T total = reduce_block(reduce_packs(x + x_offset, n), tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset + get_group_id(0)] = finalize(total);
}

/* One group combines the n partials. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_vector_last(global const T *partials, long partials_offset, global T *out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T sum = reduce_partials(partials + partials_offset, n, BLOCK);
    const T total = reduce_block(sum, tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset] = finalize(total);
}
#else
#define HALF_WIDTH 8 /* elements of 16 bytes */

/* As reduce_packs(): elements become f32 as they are read, and a lane of each pack of a tile is combined
 * one after the other. */
INLINE T reduce_half_packs(global const IN *x, long n)
{
    const long thread = get_local_id(0), to_boundary = (long)((16 - (uintptr_t)x % 16) % 16 / sizeof(IN));
    const long head = min(to_boundary, n), count = (n - head) / HALF_WIDTH, end = head + count * HALF_WIDTH;
    global const uint4 *packs = (global const uint4 *)(x + head);
    T of_lane[HALF_WIDTH];

#pragma unroll
    for (int q = 0; q < HALF_WIDTH; ++q)
        of_lane[q] = IDENTITY;
    for (long tile = (long)get_group_id(0) * (BLOCK * LOADS); tile < count;
         tile += (long)get_num_groups(0) * (BLOCK * LOADS)) {
        global const uint4 *from = packs + tile + thread;
        const long left = count - tile - thread;
        uint4 loaded[LOADS]; /* all on their way before the first is waited for */
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (k * BLOCK < left)
                loaded[k] = from[k * BLOCK];
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (k * BLOCK < left) {
                ushort lane[HALF_WIDTH];
                vstore8(as_ushort8(loaded[k]), 0, lane);
#pragma unroll
                for (int q = 0; q < HALF_WIDTH; ++q)
                    of_lane[q] = combine(of_lane[q], FROM_IN(lane[q]));
            }
    }
#pragma unroll
    for (int width = HALF_WIDTH / 2; width > 0; width /= 2)
        for (int q = 0; q < width; ++q)
            of_lane[q] = combine(of_lane[q], of_lane[q + width]);
    T value = of_lane[0];
    if (get_group_id(0) == 0 && thread < head)
        value = combine(value, FROM_IN(x[thread]));
    if (get_group_id(0) == 0 && thread < n - end)
        value = combine(value, FROM_IN(x[end + thread]));
    return value;
}

/* By one group to the result, by several to partials in f32, and those to it. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_half(global const IN *restrict x, long x_offset, global OUT *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T total = reduce_block(reduce_half_packs(x + x_offset, n), tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset] = TO_OUT(finalize(total));
}

kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_half_part(global const IN *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T total = reduce_block(reduce_half_packs(x + x_offset, n), tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset + get_group_id(0)] = finalize(total);
}

kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_half_last(global const T *partials, long partials_offset, global OUT *out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T total = reduce_block(reduce_partials(partials + partials_offset, n, BLOCK), tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset] = TO_OUT(finalize(total));
}
#endif
