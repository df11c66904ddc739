/* reduce/shuffle: unroll4 whose tree runs from register to register: NVIDIA's warp
 * shuffle by inline PTX, else the shuffles of sub-groups. */
#include "device.clh"

#ifndef NVIDIA_PTX
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

/* Sub-groups first; a short tree in local memory combines theirs.  A sub-group's size
 * and their number are powers of two, as BLOCK is. */
INLINE T reduce_sub_groups(T value, local T *tile)
{
    const int thread = get_local_id(0);

    for (uint distance = get_sub_group_size() / 2; distance > 0; distance /= 2)
        value = combine(value, sub_group_shuffle_xor(value, distance));
    if (get_sub_group_local_id() == 0)
        tile[get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = get_num_sub_groups() / 2; distance > 0; distance /= 2) {
        if (thread < distance)
            tile[thread] = combine(tile[thread], tile[thread + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tile[0];
}
#endif

/* Group b combines elements [b * BLOCK * 4, (b + 1) * BLOCK * 4) of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_shuffle(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const T value = combine_items(x + x_offset, n);
#ifdef NVIDIA_PTX
    const T total = reduce_block(value, tile, BLOCK);
#else
    const T total = reduce_sub_groups(value, tile);
#endif
    if (get_local_id(0) == 0)
        out[out_offset + get_group_id(0)] = finalize(total);
}
