// Threads `stride` elements apart read shared memory, row after row: the stride decides how
// many of a warp's threads meet in one bank, and stays the same in every round.
#include "tiles.h"

#define PITCH (PROBE_BANK_COLUMNS)

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_banks(global const T *in, long in_offset, global T *out, long out_offset, long n,
                        long stride, int repeat)
{
    local T tile[PROBE_BANK_ROWS * PITCH];
    int t = (int)get_local_id(0);
    for (int j = t; j < PROBE_BANK_ROWS * PROBE_BANK_COLUMNS; j += PROBE_BLOCK)
        tile[j / PROBE_BANK_COLUMNS * PITCH + j % PROBE_BANK_COLUMNS] = in[in_offset + j];
    barrier(CLK_LOCAL_MEM_FENCE);

    int base = (int)((t * stride) & (PROBE_BANK_BASE - 1));
    local const T *start = tile + base / PROBE_BANK_COLUMNS * PITCH + base % PROBE_BANK_COLUMNS;
    T sum = 0;
    int r = 0;
    for (; r + PROBE_BANK_UNROLL <= repeat; r += PROBE_BANK_UNROLL) {
        local const T *rows = start + (r & (PROBE_BANK_STEPS - 1)) * PITCH;
#pragma unroll
        for (int j = 0; j < PROBE_BANK_UNROLL; j++)
            sum += rows[j * PITCH];
    }
    for (; r < repeat; r++)
        sum += start[(r & (PROBE_BANK_STEPS - 1)) * PITCH];
    long i = (long)get_group_id(0) * PROBE_BLOCK + t;
    if (i < n)
        out[out_offset + i] = sum;
}
