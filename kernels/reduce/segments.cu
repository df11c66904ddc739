/* reduce/segments: many sums by one launch, of rows or of the columns of matrices.  Some threads share the terms of
 * each: a few, a warp or a block side by side along a row, or some below each other in a stripe of columns. */
#include "half.cuh"
#include "segments.h"

/* A thread's share of n terms, `distance` elements apart: every step-th from `first` on.  Its loads do not wait for
 * each other; past the end the identity stands in. */
template <class R, class In>
__device__ typename R::T combine_share(const In *x, int64_t distance, int64_t first, int64_t step, int64_t n)
{
    using T = typename R::T;
    constexpr int LOADS = REDUCE_SEGMENTS_LOADS;
    T value = R::identity();

    for (int64_t i = first; i < n; i += LOADS * step) {
        const In *from = x + i * distance;
        const bool whole = i + (LOADS - 1) * step < n;
        T loaded[LOADS];
        if (whole) {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = T(from[k * step * distance]);
        } else {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = i + k * step < n ? T(from[k * step * distance]) : R::identity();
        }
#pragma unroll
        for (int width = LOADS / 2; width > 0; width /= 2)
            for (int k = 0; k < width; ++k)
                loaded[k] = R::combine(loaded[k], loaded[k + width]);
        value = R::combine(value, loaded[0]);
    }
    return value;
}

/* The result of `width` neighbouring lanes, a power of two, in the first of them.  Whole warps take part. */
template <class R> __device__ typename R::T reduce_lanes(typename R::T value, int width)
{
    for (int distance = width / 2; distance > 0; distance /= 2)
        value = R::combine(value, __shfl_down_sync(ALL_LANES, value, distance));
    return value;
}

/* The result of `height` threads, a power of two, `width` apart, in the first of them.  All threads take part. */
template <class R> __device__ typename R::T reduce_column(typename R::T value, int y, int width, int height)
{
    __shared__ typename R::T tile[REDUCE_SEGMENTS_BLOCK];
    const int thread = threadIdx.x;

    tile[thread] = value;
    for (int distance = height / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (y < distance)
            tile[thread] = R::combine(tile[thread], tile[thread + distance * width]);
    }
    return tile[thread];
}

/* What all threads of a launch are told: `count` problems, strides apart, of n rows and `inner` columns; of each the
 * parts of `length` rows, with stripes of `width` columns. */
struct Segments {
    int64_t n, count, x_stride, out_stride, inner, length;
    int parts, stripes, width, height;
};

/* Which of them a block has. */
struct Place {
    int64_t block, first_row, rows; /* block: counted without parts and stripes */
    int64_t first_column;
    int64_t to; /* where its part's results begin, behind the problem's */

    __device__ explicit Place(const Segments &s)
    {
        const unsigned above = blockIdx.x / (unsigned)s.stripes, part = above % (unsigned)s.parts;
        block = above / (unsigned)s.parts;
        first_column = (int64_t)(blockIdx.x % (unsigned)s.stripes) * s.width;
        first_row = part * s.length;
        rows = min(s.length, s.n - first_row);
        to = part * s.inner;
    }
};

template <class R, class In, class Out> __device__ void reduce_columns(const In *x, Out *out, const Segments &s)
{
    const Place at(s);
    const int thread = threadIdx.x, wide = 31 - __clz(s.width), high = 31 - __clz(s.height);
    const int y = thread >> wide & (s.height - 1), number = thread >> (wide + high);
    const int64_t problem = (at.block << (31 - __clz(REDUCE_SEGMENTS_BLOCK)) >> (wide + high)) + number;
    const int64_t column = at.first_column + (thread & (s.width - 1));
    const bool has = problem < s.count && column < s.inner;
    const In *from = x + problem * s.x_stride + at.first_row * s.inner + column;

    const typename R::T share = combine_share<R>(from, s.inner, y, s.height, has ? at.rows : 0);
    const typename R::T total = reduce_column<R>(share, y, s.width, s.height);
    if (has && y == 0)
        out[problem * s.out_stride + at.to + column] = Out(R::finalize(total));
}

/* Rows no longer than the threads that share one: these take several, whose loads do not wait for each other. */
template <class R, class In, class Out> __device__ void reduce_short_rows(const In *x, Out *out, const Segments &s)
{
    using T = typename R::T;
    constexpr int TURNS = REDUCE_SEGMENTS_TURNS;
    const int lane = threadIdx.x & (s.width - 1), levels = 31 - __clz(s.width);
    const int apart = REDUCE_SEGMENTS_BLOCK >> levels;
    const int64_t first = (int64_t)blockIdx.x * (apart * TURNS) + (threadIdx.x >> levels);
    T value[TURNS];

#pragma unroll
    for (int k = 0; k < TURNS; ++k) {
        const int64_t problem = first + k * apart;
        value[k] = problem < s.count && lane < s.n ? T(x[problem * s.x_stride + lane]) : R::identity();
    }
#pragma unroll
    for (int k = 0; k < TURNS; ++k) {
        const int64_t problem = first + k * apart;
        const T total = reduce_lanes<R>(value[k], s.width);
        if (problem < s.count && lane == 0)
            out[problem * s.out_stride] = Out(R::finalize(total));
    }
}

template <class R, class In, class Out> __device__ void reduce_rows(const In *x, Out *out, const Segments &s)
{
    const Place at(s);
    const bool whole = s.width == REDUCE_SEGMENTS_BLOCK;
    const int lane = threadIdx.x & (s.width - 1), levels = 31 - __clz(s.width);
    const int64_t problem = at.block * (REDUCE_SEGMENTS_BLOCK >> levels) + (threadIdx.x >> levels);
    const bool has = problem < s.count;
    const In *from = x + problem * s.x_stride + at.first_row;

    const typename R::T share = combine_share<R>(from, 1, lane, s.width, has ? at.rows : 0);
    const typename R::T total = whole ? reduce_block<R, REDUCE_SEGMENTS_BLOCK>(share) : reduce_lanes<R>(share, s.width);
    if (has && lane == 0)
        out[problem * s.out_stride + at.to] = Out(R::finalize(total));
}

template <class R, class In, class Out> __device__ void reduce_segments(const In *x, Out *out, const Segments &s)
{
    grid_dependency_wait();
    if (s.inner > 1)
        reduce_columns<R>(x, out, s);
    else if (s.n <= s.width)
        reduce_short_rows<R>(x, out, s);
    else
        reduce_rows<R>(x, out, s);
}

#define SEGMENTS_ENTRY(entry, R, In, Out)                                                                           \
    extern "C" __global__ void __launch_bounds__(REDUCE_SEGMENTS_BLOCK)                                             \
        reduce_##entry(const In *x, Out *out, int64_t n, int64_t count, int64_t x_stride, int64_t out_stride,       \
                       int64_t inner, int64_t length, int parts, int stripes, int width, int height, int)           \
    {                                                                                                               \
        reduce_segments<R>(x, out, {n, count, x_stride, out_stride, inner, length, parts, stripes, width, height}); \
    }

/* By one launch to the result; of elements of 16 bits by one to partials in f32, and by another from there. */
#define SEGMENTS_WHOLE(variant, R, ...) SEGMENTS_ENTRY(segments_##variant, R, R::T, R::T)
#define SEGMENTS_HALF(variant, R, In, Out, ...)           \
    SEGMENTS_ENTRY(segments_##variant, R, In, Out)        \
    SEGMENTS_ENTRY(segments_part_##variant, R, In, float) \
    SEGMENTS_ENTRY(segments_last_##variant, R, float, Out)

REDUCE_VARIANTS(SEGMENTS_WHOLE, )
REDUCE_HALF_VARIANTS(SEGMENTS_HALF, )
