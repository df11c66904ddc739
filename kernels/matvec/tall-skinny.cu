/* matvec/tall-skinny: for tall-skinny A, rows too short for a block or a warp.  A few lanes have a row, so
 * that a warp's loads cover neighbouring rows.  They read the packs that lie at multiples of 16 bytes,
 * wherever the row begins, and elements at its ends.  Where there are many rows without a gap
 * between them, a block takes a run of them as one stream of packs to shared memory, and each
 * thread sums one row from there. */
#include "batch.cuh"
#include "half.cuh"

enum { TALL_SKINNY_THREADS = 32 * MATVEC_WARPS };

/* ROWS rows, `apart` rows from each other, as a group of `width` lanes has them; `count` of
 * them exist.  All have the same alignment modulo 16 bytes. */
template <class In, int ROWS> struct Group {
    const In *row;
    int64_t first, distance; /* elements from a row to the next */
    int lane, width, apart, count;
};

template <int ROWS, class V> __device__ Group<typename V::In, ROWS> group_of(const V &v, unsigned number, int width)
{
    const int levels = 31 - __clz(width); /* a power of two */
    Group<typename V::In, ROWS> group;
    group.width = width;
    group.apart = TALL_SKINNY_THREADS >> levels; /* a multiple of a pack's lanes: so rows are co-aligned */
    group.lane = threadIdx.x & (width - 1);
    group.first = (int64_t)number * (group.apart * ROWS) + (threadIdx.x >> levels);
    group.row = v.a + group.first * v.lda;
    group.distance = group.apart * v.lda;
    group.count = 0;
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        group.count += group.first + r * group.apart < v.outputs;
    return group;
}

/* A pack of each row and of x. */
template <class In, int ROWS> struct Round {
    Pack<In> of_a[ROWS], of_x;
};

template <bool X_ALIGNED, class In, int ROWS>
__device__ void read_round(const Group<In, ROWS> &group, const In *x, int64_t at, Round<In, ROWS> &to)
{
    const In *row = group.row + at;

#pragma unroll
    for (int r = 0; r < ROWS; ++r, row += group.distance)
        if (r < group.count)
            to.of_a[r] = load_past_l1(row);
    to.of_x = load_cached<X_ALIGNED>(x + at);
}

template <class In, int ROWS, class T>
__device__ void add_round(const Group<In, ROWS> &group, const Round<In, ROWS> &round, T *sum)
{
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        if (r < group.count)
#pragma unroll
            for (int q = 0; q < Pack<In>::width; ++q)
                sum[r] = fma(lane_of(round.of_a[r], q), lane_of(round.of_x, q), sum[r]);
}

/* The packs from `at` on, the group's width apart: STEPS started together, then used.  What is
 * left of them are started together, too. */
template <bool X_ALIGNED, int STEPS, class In, int ROWS, class T>
__device__ void add_row_packs(const Group<In, ROWS> &group, const In *x, int64_t at, int64_t end, T *sum)
{
    const int step = group.width * Pack<In>::width;
    Round<In, ROWS> round[STEPS];

#pragma unroll 1
    for (; at + (STEPS - 1) * step < end; at += STEPS * step) {
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
            read_round<X_ALIGNED>(group, x, at + s * step, round[s]);
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
            add_round(group, round[s], sum);
    }
#pragma unroll
    for (int s = 0; s < STEPS - 1; ++s)
        if (at + s * step < end)
            read_round<X_ALIGNED>(group, x, at + s * step, round[s]);
#pragma unroll
    for (int s = 0; s < STEPS - 1; ++s)
        if (at + s * step < end)
            add_round(group, round[s], sum);
}

/* Element number `single` of those in no pack, before the `packs` elements that are and behind. */
template <class In, int ROWS, class T>
__device__ void add_single(const Group<In, ROWS> &group, const In *x, int single, int head, int64_t packs, T *sum)
{
    const int64_t at = single < head ? single : single + packs;
    const T of_x = x[at];
    const In *row = group.row + at;

#pragma unroll
    for (int r = 0; r < ROWS; ++r, row += group.distance)
        if (r < group.count)
            sum[r] = fma(T(*row), of_x, sum[r]);
}

template <int STEPS, class V, class In, int ROWS, class T>
__device__ void sum_group(const V &v, const Group<In, ROWS> &group, T *sum)
{
    constexpr int L = Pack<In>::width;
    const int head = (int)min(to_boundary(group.row), v.terms);
    const int64_t packs = (v.terms - head) / L * L, first = head + group.lane * L;

    for (int single = group.lane; single < v.terms - packs; single += group.width)
        add_single(group, v.x, single, head, packs, sum);
    if (v.lda % L == 0 && is_aligned(v.x + head)) /* the same for all groups */
        add_row_packs<true, STEPS>(group, v.x, first, head + packs, sum);
    else
        add_row_packs<false, STEPS>(group, v.x, first, head + packs, sum);
}

template <int ROWS, int STEPS, class V> __device__ void tall_skinny_rows(V v, const Batch &batch, int32_t width)
{
    using T = typename V::T;
    grid_dependency_wait();
    const unsigned number = batch.move(v);
    const Group<typename V::In, ROWS> group = group_of<ROWS>(v, number, width);
    T sum[ROWS] = {};

    sum_group<STEPS>(v, group, sum);
    for (int distance = width / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            sum[r] += __shfl_down_sync(ALL_LANES, sum[r], distance);
    if (group.lane == 0)
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (r < group.count)
                write_output(v.y + group.first + r * group.apart, v.alpha, v.beta, sum[r]);
}

/* ---- one stream ------------------------------------------------------------------ */

/* `count` elements to shared memory; both ends at multiples of 16 bytes. */
template <class T> __device__ void copy_packs(const T *from, T *to, int count)
{
    constexpr int L = Pack<T>::width, ROUND = MATVEC_STREAM_ROWS * L;
    const int in_packs = count - count % L;
    int at = threadIdx.x * L;

    for (; at + (MATVEC_STREAM_STEPS - 1) * ROUND < in_packs; at += MATVEC_STREAM_STEPS * ROUND) {
        Pack<T> loaded[MATVEC_STREAM_STEPS];
#pragma unroll
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            loaded[s] = load_past_l1(from + at + s * ROUND);
#pragma unroll
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            *reinterpret_cast<Pack<T> *>(to + at + s * ROUND) = loaded[s];
    }
    for (; at < in_packs; at += ROUND)
        *reinterpret_cast<Pack<T> *>(to + at) = load_past_l1(from + at);
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
template <class In> __device__ typename SumOf<In>::T sum_of_row(const In *row, const In *x, int terms)
{
    using T = typename SumOf<In>::T;
    T sum[MATVEC_STREAM_SUMS] = {};
    int column = terms % 2 == 0 ? threadIdx.x % terms : 0;

    for (int l = 0; l < terms; l += MATVEC_STREAM_SUMS)
#pragma unroll
        for (int u = 0; u < MATVEC_STREAM_SUMS; ++u)
            if (l + u < terms) {
                sum[u] = fma(T(row[column]), T(x[column]), sum[u]);
                column = column + 1 < terms ? column + 1 : 0;
            }
#pragma unroll
    for (int distance = MATVEC_STREAM_SUMS / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int u = 0; u < distance; ++u)
            sum[u] += sum[u + distance];
    return sum[0];
}

template <class V> __device__ void tall_skinny_stream(V v, const Batch &batch)
{
    using In = typename V::In;
    grid_dependency_wait();
    extern __shared__ __align__(16) unsigned char memory[];
    const int terms = (int)v.terms, thread = threadIdx.x;
    const int64_t first = (int64_t)batch.move(v) * MATVEC_STREAM_ROWS;
    const int rows = (int)min((int64_t)MATVEC_STREAM_ROWS, v.outputs - first);
    const In *from = v.a + first * terms;
    In *tile = reinterpret_cast<In *>(memory), *x = tile + MATVEC_STREAM_ROWS * terms;

    copy_singles(v.x, x, terms);
    if (is_aligned(from))
        copy_packs(from, tile, rows * terms);
    else
        copy_singles(from, tile, rows * terms);
    __syncthreads();
    if (thread < rows)
        write_output(v.y + first + thread, v.alpha, v.beta, sum_of_row(tile + thread * terms, x, terms));
}

#define TALL_SKINNY_ENTRY(type, In, Out, variant, ROWS, STEPS, BLOCKS)                                               \
    extern "C" __global__ void __launch_bounds__(TALL_SKINNY_THREADS, BLOCKS)                                        \
        matvec_tall_skinny_##type##_##variant(MATVEC_PARAMETERS_OF(In, Out), MATVEC_BATCH_PARAMETERS, int32_t width) \
    {                                                                                                                \
        tall_skinny_rows<ROWS, STEPS>(MATVEC_FROM(In, Out), MATVEC_BATCH, width);                                    \
    }

#define TALL_SKINNY_STREAM_ENTRY(type, In, Out, ...)                                                 \
    extern "C" __global__ void __launch_bounds__(MATVEC_STREAM_ROWS)                                 \
        matvec_tall_skinny_stream_##type##_n(MATVEC_PARAMETERS_OF(In, Out), MATVEC_BATCH_PARAMETERS) \
    {                                                                                                \
        tall_skinny_stream(MATVEC_FROM(In, Out), MATVEC_BATCH);                                      \
    }

TALL_SKINNY_ENTRY(f32, float, float, n, MATVEC_ROWS, 1, MATVEC_TALL_SKINNY_BLOCKS)
TALL_SKINNY_ENTRY(f64, double, double, n, MATVEC_ROWS, 1, MATVEC_TALL_SKINNY_BLOCKS_F64)
MATVEC_HALF_TYPES(TALL_SKINNY_ENTRY, n, MATVEC_ROWS, 1, MATVEC_TALL_SKINNY_BLOCKS_HALF)
MATVEC_ALL_TYPES(TALL_SKINNY_ENTRY, n_few, 1, MATVEC_TALL_SKINNY_FEW_STEPS, MATVEC_TALL_SKINNY_FEW_BLOCKS)
MATVEC_ALL_TYPES(TALL_SKINNY_STREAM_ENTRY)
