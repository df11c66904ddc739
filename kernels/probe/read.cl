// out[i] = the sum of chunk i of the input; all loads of a thread are on their way before
// the first is added: what reading memory alone can give.
#include "tiles.h"

#ifdef EIGHT_BYTES
#define WIDTH 2
#define VECTOR long2
#define TOTAL(v) ((v).x + (v).y)
#else
#define WIDTH 4
#define VECTOR int4
#define TOTAL(v) ((v).x + (v).y + (v).z + (v).w)
#endif

T own_share(global const T *chunk, bool aligned)
{
    int thread = (int)get_local_id(0);
    VECTOR loaded[PROBE_READ_LOADS];
    T sum = 0;
    if (aligned) {
        global const VECTOR *vectors = (global const VECTOR *)chunk;
#pragma unroll
        for (int k = 0; k < PROBE_READ_LOADS; k++)
            loaded[k] = vectors[k * PROBE_READ_BLOCK + thread];
#pragma unroll
        for (int k = 0; k < PROBE_READ_LOADS; k++)
            sum += TOTAL(loaded[k]);
    } else
        for (int k = 0; k < PROBE_READ_LOADS * WIDTH; k++)
            sum += chunk[k * PROBE_READ_BLOCK + thread];
    return sum;
}

kernel __attribute__((reqd_work_group_size(PROBE_READ_BLOCK, 1, 1))) void
probe_read(global const T *in, long in_offset, global T *out, long out_offset, long n)
{
    local T sums[PROBE_READ_BLOCK];
    int thread = (int)get_local_id(0);
    long chunk = (long)get_group_id(0);
    sums[thread] = own_share(in + in_offset + chunk * (PROBE_READ_BYTES / (int)sizeof(T)), in_offset % WIDTH == 0);
    for (int distance = PROBE_READ_BLOCK / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thread < distance)
            sums[thread] += sums[thread + distance];
    }
    if (thread == 0)
        out[out_offset + chunk] = sums[0];
}
