/* reduce/segments: many sums by one launch, of rows or of the columns of matrices.  Some threads share the terms of
 * each: some side by side along a row, or some below each other in a stripe of columns. */
#include "device.clh"
#include "segments.h"

/* A problem is n rows of `inner` columns; its parts have `length` rows, its stripes `width` columns. */
#define SEGMENTS_PARAMETERS                                                                                         \
    long n, long count, long x_stride, long out_stride, long inner, long length, int parts, int stripes, int width, \
        int height, int turns

/* The result of `along` threads, a power of two, `apart` from each other, in the first of them.  All threads take
 * part; `tile` has room for one value of each. */
INLINE T reduce_threads(T value, int rank, int apart, int along, local T *tile)
{
    const int thread = get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE); /* whoever used the tile before has done so */
    tile[thread] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = along / 2; distance > 0; distance /= 2) {
        if (rank < distance)
            tile[thread] = combine(tile[thread], tile[thread + distance * apart]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return tile[thread];
}

/* A thread adds every along-th term, REDUCE_SEGMENTS_LOADS of them by a tree. */
#define SEGMENTS_KERNEL(name, FROM, READ, TO, WRITE)                                                                 \
    kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void name(                                             \
        global const FROM *restrict x, long x_offset, global TO *restrict out, long out_offset, SEGMENTS_PARAMETERS) \
    {                                                                                                                \
        local T tile[BLOCK];                                                                                         \
        const bool down = inner > 1;                                                                                 \
        const int thread = get_local_id(0), groups = BLOCK / (width * height), group = thread / (width * height);    \
        const int across = thread % width, rank = down ? thread / width % height : across;                           \
        const int along = down ? height : width, apart = down ? width : 1;                                           \
        const uint block = (uint)get_group_id(0), above = block / (uint)stripes, part = above % (uint)parts;         \
        const long column = down ? (long)(block % (uint)stripes) * width + across : 0;                               \
        const long first_row = part * length, rows = min(length, n - first_row);                                     \
        const long to = part * inner + column;                                                                       \
                                                                                                                     \
        for (int turn = 0; turn < turns; ++turn) {                                                                   \
            const long problem = ((long)(above / (uint)parts) * turns + turn) * groups + group;                      \
            const bool has = problem < count && column < inner;                                                      \
            global const FROM *from = x + x_offset + problem * x_stride + first_row * inner + column;                \
            const long end = has ? rows : 0;                                                                         \
            T value = IDENTITY;                                                                                      \
            for (long i = rank; i < end; i += (long)REDUCE_SEGMENTS_LOADS * along) {                                 \
                T loaded[REDUCE_SEGMENTS_LOADS];                                                                     \
                UNROLL for (int k = 0; k < REDUCE_SEGMENTS_LOADS; ++k) loaded[k] =                                   \
                    i + (long)k * along < end ? READ(from[(i + (long)k * along) * inner]) : IDENTITY;                \
                UNROLL for (int half_way = REDUCE_SEGMENTS_LOADS / 2; half_way > 0; half_way /= 2)                   \
                    UNROLL for (int k = 0; k < half_way; ++k) loaded[k] = combine(loaded[k], loaded[k + half_way]);  \
                value = combine(value, loaded[0]);                                                                   \
            }                                                                                                        \
            value = reduce_threads(value, rank, apart, along, tile);                                                 \
            if (has && rank == 0)                                                                                    \
                out[out_offset + problem * out_stride + to] = WRITE(finalize(value));                                \
        }                                                                                                            \
    }

#define AS_IT_IS(value) (value)

/* By one launch to the result; of elements of 16 bits by one to partials in f32, and by another from there. */
SEGMENTS_KERNEL(reduce_segments, IN, FROM_IN, OUT, TO_OUT)
#ifdef HALF
SEGMENTS_KERNEL(reduce_segments_part, IN, FROM_IN, T, AS_IT_IS)
SEGMENTS_KERNEL(reduce_segments_last, T, AS_IT_IS, OUT, TO_OUT)
#endif
