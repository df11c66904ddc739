/* reduce/onepass: one launch; the group that finishes last combines the partials, so that nobody
 * waits for a second launch. */
#include "device.clh"

kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_onepass(global const T *x, long x_offset, global T *result, long result_offset, volatile global T *partials,
               long partials_offset, volatile global uint *tickets, long tickets_offset, long n)
{
    local T tile[BLOCK];
    local int last;

    reduce_grid(reduce_packs(x + x_offset, n), result + result_offset, partials + partials_offset,
                tickets + tickets_offset, tile, &last, BLOCK);
}
