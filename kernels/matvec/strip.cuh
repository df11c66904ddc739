/* Transposed: a block has a strip of columns.  A row of its threads reads a row of the strip
 * side by side, the next row of threads the next; each thread keeps the sums of its columns,
 * SPAN of them: a pack, or one where rows do not begin at multiples of 16 bytes. */
#pragma once

#include "packs.cuh"

/* Where this thread stands in its block: `lane` of `width`, `row` of `height`. */
struct Place {
    int lane, width, row, height;
};

__device__ inline Place place_of(int width)
{
    const int thread = threadIdx.x;
    return {thread % width, width, thread / width, (int)blockDim.x / width};
}

/* Which column of the strip element q of a thread's is. */
template <int SPAN> __device__ int column_of(const Place &place, bool packed, int q)
{
    return packed ? place.lane * SPAN + q : place.lane + q * place.width;
}

/* SPAN elements of one row of the strip, `columns` of which exist. */
template <int SPAN, bool PACKED, class T>
__device__ void read_columns(const T *row, const Place &place, int64_t columns, T *to)
{
    if (PACKED) {
        const Pack<T> pack = read_once(row + place.lane * SPAN);
#pragma unroll
        for (int q = 0; q < SPAN; ++q)
            to[q] = pack.lane[q];
    } else {
        to[0] = row[place.lane]; /* which is there, or the thread would not be here */
#pragma unroll
        for (int q = 1; q < SPAN; ++q) {
            const int column = column_of<SPAN>(place, false, q);
            to[q] = column < columns ? row[column] : T(0);
        }
    }
}

/* STEPS rows, the block's height apart: started together, then used. */
template <int STEPS, int SPAN, bool PACKED, class T>
__device__ void add_rows(const T *row, int64_t lda, const T *x, const Place &place, int64_t columns, T *sum)
{
    T of_a[STEPS][SPAN], of_x[STEPS];

#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        read_columns<SPAN, PACKED>(row + s * place.height * lda, place, columns, of_a[s]);
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        of_x[s] = x[s * place.height];
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
#pragma unroll
        for (int q = 0; q < SPAN; ++q)
            sum[q] = fma(of_a[s][q], of_x[s], sum[q]);
}

/* The thread's share of rows first .. end-1 of the strip that begins at column `strip`. */
template <int STEPS, int SPAN, bool PACKED, class T>
__device__ void add_strip(const Matvec<T> &v, int64_t strip, int64_t first, int64_t end, const Place &place,
                          T *sum)
{
    const int64_t columns = v.outputs - strip;
    int64_t l = first + place.row;

    if (place.row >= place.height || place.lane >= columns)
        return;
    for (; l + (STEPS - 1) * place.height < end; l += STEPS * place.height)
        add_rows<STEPS, SPAN, PACKED>(v.a + l * v.lda + strip, v.lda, v.x + l, place, columns, sum);
    for (; l < end; l += place.height)
        add_rows<1, SPAN, PACKED>(v.a + l * v.lda + strip, v.lda, v.x + l, place, columns, sum);
}

/* The rows of the block joined, a tree of them; the strip's sums are then in `room`. */
template <int SPAN, class T> __device__ void join_rows(const Place &place, bool packed, const T *sum, T *room)
{
    const int length = place.width * SPAN;
    T *mine = room + place.row * length;
    int distance = 1;

    if (place.row < place.height)
#pragma unroll
        for (int q = 0; q < SPAN; ++q)
            mine[column_of<SPAN>(place, packed, q)] = sum[q];
    while (2 * distance < place.height)
        distance *= 2;
    for (; distance > 0; distance /= 2) {
        __syncthreads();
        if (place.row < distance && place.row + distance < place.height)
#pragma unroll
            for (int q = 0; q < SPAN; ++q)
                mine[place.lane + q * place.width] += mine[distance * length + place.lane + q * place.width];
    }
    __syncthreads();
}

/* Sums of rows first .. end-1 for the columns of a strip, `width` threads wide, in `room`,
 * which has a pack for each thread.  All threads of the block take part. */
template <int STEPS, int SPAN, class T>
__device__ void sum_strip(const Matvec<T> &v, int64_t strip, int64_t first, int64_t end, int width, T *room)
{
    const Place place = place_of(width);
    const bool packed = SPAN > 1 && is_aligned(v.a) && v.lda % SPAN == 0 && strip + width * SPAN <= v.outputs;
    T sum[SPAN] = {};

    if (packed)
        add_strip<STEPS, SPAN, SPAN == Pack<T>::lanes>(v, strip, first, end, place, sum);
    else
        add_strip<STEPS, SPAN, false>(v, strip, first, end, place, sum);
    join_rows<SPAN>(place, packed, sum, room);
}

/* The same with `span` known when it runs: a pack's lanes, STEPS of which are in flight, or 1. */
template <int STEPS, int SINGLE_STEPS, class T>
__device__ void sum_any_strip(const Matvec<T> &v, int64_t strip, int64_t first, int64_t end, int width,
                              int span, T *room)
{
    if (span == 1)
        sum_strip<SINGLE_STEPS, 1>(v, strip, first, end, width, room);
    else
        sum_strip<STEPS, Pack<T>::lanes>(v, strip, first, end, width, room);
}
