/* matvec/narrow: rows too short for a block or a warp.  A few lanes have a row, so that a
 * warp's loads cover neighbouring rows.  Where rows do not begin at multiples of 16 bytes
 * but follow each other without a gap, a block takes a run of them as one stream of packs to
 * shared memory, and each thread sums one row from there. */
#include "packs.cuh"

enum { NARROW_THREADS = 32 * MATVEC_WARPS };

/* MATVEC_ROWS rows, `apart` rows from each other, as a group of `width` lanes has them.
 * Beyond the last row the first of all stands in. */
template <class T> struct Group {
    const T *row[MATVEC_ROWS];
    int64_t first;
    int lane, width, apart;
};

template <class T> __device__ Group<T> group_of(const Matvec<T> &v, int width)
{
    const int levels = 31 - __clz(width); /* a power of two */
    Group<T> group;
    group.width = width;
    group.apart = NARROW_THREADS >> levels;
    group.lane = threadIdx.x & (width - 1);
    group.first = (int64_t)blockIdx.x * (group.apart * MATVEC_ROWS) + (threadIdx.x >> levels);
#pragma unroll
    for (int r = 0; r < MATVEC_ROWS; ++r) {
        const int64_t i = group.first + r * group.apart;
        group.row[r] = v.a + (i < v.outputs ? i : 0) * v.lda;
    }
    return group;
}

/* The packs up to `end`: a pack of each row and of x started together, then used. */
template <bool X_ALIGNED, class T>
__device__ void add_all_packs(const Group<T> &group, const T *x, int64_t end, T *sum)
{
    constexpr int L = Pack<T>::lanes;

    for (int64_t at = group.lane * L; at < end; at += group.width * L) {
        Pack<T> of_a[MATVEC_ROWS];
#pragma unroll
        for (int r = 0; r < MATVEC_ROWS; ++r)
            of_a[r] = read_once(group.row[r] + at);
        const Pack<T> of_x = read_often<X_ALIGNED>(x + at);
#pragma unroll
        for (int r = 0; r < MATVEC_ROWS; ++r)
#pragma unroll
            for (int q = 0; q < L; ++q)
                sum[r] = fma(of_a[r].lane[q], of_x.lane[q], sum[r]);
    }
}

/* Elements from `at` on that are in no pack. */
template <class T> __device__ void add_singles(const Group<T> &group, const T *x, int64_t at, int64_t end, T *sum)
{
    for (at += group.lane; at < end; at += group.width) {
        const T of_x = x[at];
#pragma unroll
        for (int r = 0; r < MATVEC_ROWS; ++r)
            sum[r] = fma(group.row[r][at], of_x, sum[r]);
    }
}

template <class T> __device__ void narrow_rows(Matvec<T> v, int32_t width)
{
    wait_for_queue();
    const Group<T> group = group_of(v, width);
    const bool packed = is_aligned(v.a) && v.lda % Pack<T>::lanes == 0;
    const int64_t in_packs = packed ? v.terms - v.terms % Pack<T>::lanes : 0;
    T sum[MATVEC_ROWS] = {};

    if (is_aligned(v.x))
        add_all_packs<true>(group, v.x, in_packs, sum);
    else
        add_all_packs<false>(group, v.x, in_packs, sum);
    add_singles(group, v.x, in_packs, v.terms, sum);
    for (int distance = width / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int r = 0; r < MATVEC_ROWS; ++r)
            sum[r] += __shfl_down_sync(ALL_LANES, sum[r], distance);
    if (group.lane == 0)
#pragma unroll
        for (int r = 0; r < MATVEC_ROWS; ++r)
            if (group.first + r * group.apart < v.outputs)
                write_output(v.y + group.first + r * group.apart, v.alpha, v.beta, sum[r]);
}

/* ---- one stream ------------------------------------------------------------------ */

/* `count` elements to shared memory; both ends at multiples of 16 bytes. */
template <class T> __device__ void copy_packs(const T *from, T *to, int count)
{
    constexpr int L = Pack<T>::lanes, ROUND = MATVEC_STREAM_ROWS * L;
    const int in_packs = count - count % L;
    int at = threadIdx.x * L;

    for (; at + (MATVEC_STREAM_STEPS - 1) * ROUND < in_packs; at += MATVEC_STREAM_STEPS * ROUND) {
        Pack<T> loaded[MATVEC_STREAM_STEPS];
#pragma unroll
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            loaded[s] = read_once(from + at + s * ROUND);
#pragma unroll
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            *reinterpret_cast<Pack<T> *>(to + at + s * ROUND) = loaded[s];
    }
    for (; at < in_packs; at += ROUND)
        *reinterpret_cast<Pack<T> *>(to + at) = read_once(from + at);
    if (in_packs + threadIdx.x < count)
        to[in_packs + threadIdx.x] = from[in_packs + threadIdx.x];
}

template <class T> __device__ void copy_singles(const T *from, T *to, int count)
{
#pragma unroll 8
    for (int at = threadIdx.x; at < count; at += MATVEC_STREAM_ROWS)
        to[at] = from[at];
}

/* One row times x.  Where rows are an even number of elements apart, neighbouring threads
 * begin at neighbouring columns: otherwise they would meet in the same banks. */
template <class T> __device__ T sum_of_row(const T *row, const T *x, int terms)
{
    T sum[MATVEC_STREAM_SUMS] = {};
    int column = terms % 2 == 0 ? threadIdx.x % terms : 0;

    for (int l = 0; l < terms; l += MATVEC_STREAM_SUMS)
#pragma unroll
        for (int u = 0; u < MATVEC_STREAM_SUMS; ++u)
            if (l + u < terms) {
                sum[u] = fma(row[column], x[column], sum[u]);
                column = column + 1 < terms ? column + 1 : 0;
            }
#pragma unroll
    for (int distance = MATVEC_STREAM_SUMS / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int u = 0; u < distance; ++u)
            sum[u] += sum[u + distance];
    return sum[0];
}

template <class T> __device__ void narrow_stream(Matvec<T> v)
{
    wait_for_queue();
    extern __shared__ __align__(16) unsigned char memory[];
    const int terms = (int)v.terms, thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * MATVEC_STREAM_ROWS;
    const int rows = (int)min((int64_t)MATVEC_STREAM_ROWS, v.outputs - first);
    const T *from = v.a + first * terms;
    T *tile = reinterpret_cast<T *>(memory), *x = tile + MATVEC_STREAM_ROWS * terms;

    copy_singles(v.x, x, terms);
    if (is_aligned(from))
        copy_packs(from, tile, rows * terms);
    else
        copy_singles(from, tile, rows * terms);
    __syncthreads();
    if (thread < rows)
        write_output(v.y + first + thread, v.alpha, v.beta, sum_of_row(tile + thread * terms, x, terms));
}

extern "C" __global__ void __launch_bounds__(NARROW_THREADS, MATVEC_NARROW_BLOCKS)
matvec_narrow_f32_n(MATVEC_PARAMETERS(float), int32_t width)
{
    narrow_rows(Matvec<float>MATVEC_ARGUMENTS, width);
}

extern "C" __global__ void __launch_bounds__(NARROW_THREADS, MATVEC_NARROW_BLOCKS)
matvec_narrow_f64_n(MATVEC_PARAMETERS(double), int32_t width)
{
    narrow_rows(Matvec<double>MATVEC_ARGUMENTS, width);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STREAM_ROWS)
matvec_narrow_stream_f32_n(MATVEC_PARAMETERS(float))
{
    narrow_stream(Matvec<float>MATVEC_ARGUMENTS);
}

extern "C" __global__ void __launch_bounds__(MATVEC_STREAM_ROWS)
matvec_narrow_stream_f64_n(MATVEC_PARAMETERS(double))
{
    narrow_stream(Matvec<double>MATVEC_ARGUMENTS);
}
