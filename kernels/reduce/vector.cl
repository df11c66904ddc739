/* reduce/vector: 16-byte loads, eight of them in flight in every thread, as many groups
 * as keep the chip busy, and one more to combine the partials. */
#include "device.clh"

/* Group b combines its tiles of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_vector(global const T *restrict x, long x_offset, global T *restrict out, long out_offset,
                   long n)
{
    local T tile[BLOCK];
    const T total = reduce_block(reduce_packs(x + x_offset, n), tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset + get_group_id(0)] = finalize(total);
}

/* One group combines the n partials. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_vector_last(global const T *partials, long partials_offset, global T *out, long out_offset,
                        long n)
{
    local T tile[BLOCK];
    const T sum = reduce_partials(partials + partials_offset, n, BLOCK);
    const T total = reduce_block(sum, tile, BLOCK);

    if (get_local_id(0) == 0)
        out[out_offset] = finalize(total);
}
