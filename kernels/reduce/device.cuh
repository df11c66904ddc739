/* What the reductions of this directory share in CUDA: the three ways to combine two
 * elements, the warp's and block's trees, and 16-byte reading. */
#pragma once

#include "entries.cuh"
#include "grid_dependency.cuh"
#include "pack.cuh"
#include "tiles.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#define ALL_LANES 0xffffffffu

/* i32 and i64 sums use unsigned elements: they wrap by definition. */
template <class Element> struct Sum {
    using T = Element;
    static __device__ T identity()
    {
        return T(0);
    }
    static __device__ T combine(T a, T b)
    {
        return a + b;
    }
    /* A sum begins with +0 (parallax/types.h), wherever a kernel began. */
    static __device__ T finalize(T value)
    {
        return value + T(0);
    }
};

/* Devices of compute capability 8.0 and later have both for f32, with these very rules: one
 * instruction where the comparisons are eight. */
#if __CUDA_ARCH__ >= 800
#define HAS_MINIMUM 1
#else
#define HAS_MINIMUM 0
#endif

template <bool MINIMUM> __device__ float one_instruction(float a, float b)
{
    float combined = a;
#if HAS_MINIMUM
    if constexpr (MINIMUM)
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(combined) : "f"(a), "f"(b));
    else
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(combined) : "f"(a), "f"(b));
#else
    (void)b;
#endif
    return combined;
}

/* IEEE 754-2019 minimum and maximum: NaN wins from either side, -0 is less than +0. */
template <class Element, bool MINIMUM> struct Extremum {
    using T = Element;
    using Limits = std::numeric_limits<T>;
    static constexpr bool floating = !Limits::is_integer;
    static constexpr T nothing =
        MINIMUM ? (floating ? Limits::infinity() : Limits::max()) : (floating ? -Limits::infinity() : Limits::min());
    static constexpr T nan = Limits::quiet_NaN(); /* 0 for integers, which never use it */

    static __device__ T identity()
    {
        return nothing;
    }

    static __device__ T combine(T a, T b)
    {
        if constexpr (HAS_MINIMUM && std::is_same<T, float>::value) {
            return one_instruction<MINIMUM>(a, b);
        } else {
            bool first = MINIMUM ? a < b : a > b;
            if constexpr (floating)
                first = first || a != a || (a == b && (signbit(a) != 0) == MINIMUM);
            return first ? a : b;
        }
    }

    /* One NaN, whatever NaNs went in: the same bits on every backend. */
    static __device__ T finalize(T value)
    {
        return value != value ? nan : value;
    }
};

template <class Element> using Min = Extremum<Element, true>;
template <class Element> using Max = Extremum<Element, false>;

/* The result of a warp's 32 values, in lane 0. */
template <class R> __device__ typename R::T reduce_warp(typename R::T value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = R::combine(value, __shfl_down_sync(ALL_LANES, value, distance));
    return value;
}

/* The result of a block's BLOCK values, in thread 0.  All threads take part. */
template <class R, int BLOCK> __device__ typename R::T reduce_block(typename R::T value)
{
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps, and one warp can combine their results");
    __shared__ typename R::T of_warp[BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    value = reduce_warp<R>(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (warp == 0)
        value = reduce_warp<R>(lane < BLOCK / 32 ? of_warp[lane] : R::identity());
    return value;
}

/* REDUCE_ITEMS elements of x per thread, REDUCE_BLOCK apart, combined.  Their loads do not wait for
 * each other; past the end the identity stands in, so no tail is lost. */
template <class R> __device__ typename R::T combine_items(const typename R::T *__restrict__ x, int64_t n)
{
    static_assert(REDUCE_ITEMS == 4, "the four values are combined by name");
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * (REDUCE_BLOCK * REDUCE_ITEMS) + thread;
    typename R::T value[REDUCE_ITEMS];

#pragma unroll
    for (int k = 0; k < REDUCE_ITEMS; ++k)
        value[k] = first + k * REDUCE_BLOCK < n ? x[first + k * REDUCE_BLOCK] : R::identity();
    return R::combine(R::combine(value[0], value[1]), R::combine(value[2], value[3]));
}

/* The tree over the block's tile of REDUCE_BLOCK elements in shared memory, to out[block].  Within
 * the last warp __syncwarp does. */
template <class R> __device__ void combine_tile(typename R::T *tile, typename R::T *out)
{
    const int thread = threadIdx.x;

    __syncthreads();
    for (int distance = REDUCE_BLOCK / 2; distance >= 32; distance /= 2) {
        if (thread < distance)
            tile[thread] = R::combine(tile[thread], tile[thread + distance]);
        __syncthreads();
    }
    if (thread >= 32)
        return;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if (thread < distance)
            tile[thread] = R::combine(tile[thread], tile[thread + distance]);
        __syncwarp();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finalize(tile[0]);
}

/* ---- packs ------------------------------------------------------------------------- */

template <class R> __device__ Pack<typename R::T> combine_packs(Pack<typename R::T> a, Pack<typename R::T> b)
{
#pragma unroll
    for (int i = 0; i < a.width; ++i)
        a.lane[i] = R::combine(a.lane[i], b.lane[i]);
    return a;
}

template <class R> __device__ typename R::T combine_lanes(Pack<typename R::T> pack)
{
#pragma unroll
    for (int width = pack.width / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
            pack.lane[i] = R::combine(pack.lane[i], pack.lane[i + width]);
    return pack.lane[0];
}

template <class R> __device__ Pack<typename R::T> identity_pack()
{
    Pack<typename R::T> pack;
#pragma unroll
    for (int i = 0; i < pack.width; ++i)
        pack.lane[i] = R::identity();
    return pack;
}

/* An array of elements as 16-byte packs.  It need only be aligned to its element: the
 * packs begin at the first multiple of 16 bytes. */
template <class T> struct Packed {
    const T *x;
    int64_t n, head, count; /* elements, those before the packs, packs */

    __device__ Packed(const T *elements, int64_t number) : x(elements), n(number)
    {
        const int64_t before = to_boundary(x);
        head = before < n ? before : n;
        count = (n - head) / Pack<T>::width;
    }

    __device__ const Pack<T> *packs() const
    {
        return reinterpret_cast<const Pack<T> *>(x + head);
    }
    __device__ int64_t end() const
    {
        return head + count * Pack<T>::width;
    }
};

/* Block 0 adds the few elements before and behind the packs to its threads' values. */
template <class R> __device__ typename R::T combine_ends(typename R::T value, const Packed<typename R::T> &all)
{
    if (blockIdx.x == 0 && threadIdx.x < all.head)
        value = R::combine(value, all.x[threadIdx.x]);
    if (blockIdx.x == 0 && threadIdx.x < all.n - all.end())
        value = R::combine(value, all.x[all.end() + threadIdx.x]);
    return value;
}

/* The tree over a thread's `LOADS` packs, a power of two. */
template <class R, int LOADS> __device__ Pack<typename R::T> combine_loaded(Pack<typename R::T> (&loaded)[LOADS])
{
#pragma unroll
    for (int width = LOADS / 2; width > 0; width /= 2)
        for (int k = 0; k < width; ++k)
            loaded[k] = combine_packs<R>(loaded[k], loaded[k + width]);
    return loaded[0];
}

/* What this thread reads of x: its block takes tiles of BLOCK * LOADS packs, as many
 * apart as there are blocks.  A thread's loads do not wait for each other. */
template <class R, int BLOCK, int LOADS> __device__ typename R::T reduce_packs(const typename R::T *x, int64_t n)
{
    using T = typename R::T;
    constexpr int TILE = BLOCK * LOADS;
    const Packed<T> all(x, n);
    Pack<T> sum = identity_pack<R>();

    for (int64_t tile = (int64_t)blockIdx.x * TILE; tile < all.count; tile += (int64_t)gridDim.x * TILE) {
        const Pack<T> *from = all.packs() + tile + threadIdx.x;
        const int64_t left = all.count - tile - threadIdx.x;
        Pack<T> loaded[LOADS];
        if (tile + TILE <= all.count) {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = load_streaming(from + k * BLOCK);
        } else {
#pragma unroll
            for (int k = 0; k < LOADS; ++k)
                loaded[k] = k * BLOCK < left ? load_streaming(from + k * BLOCK) : identity_pack<R>();
        }
        sum = combine_packs<R>(sum, combine_loaded<R, LOADS>(loaded));
    }
    return combine_ends<R>(combine_lanes<R>(sum), all);
}

/* One block's share per thread of `count` partials, in an order that depends on
 * nothing but count.  partials is aligned to 16 bytes. */
template <class R, int BLOCK> __device__ typename R::T reduce_partials(const typename R::T *partials, int64_t count)
{
    using T = typename R::T;
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(partials);
    const int64_t whole = count / Pack<T>::width, end = whole * Pack<T>::width;
    Pack<T> sum = identity_pack<R>();

#pragma unroll 8
    for (int64_t i = threadIdx.x; i < whole; i += BLOCK)
        sum = combine_packs<R>(sum, load_from_l2(packs + i));
    T value = combine_lanes<R>(sum);
    if (threadIdx.x < count - end)
        value = R::combine(value, __ldcg(partials + end + threadIdx.x));
    return value;
}

/* Publishes a block's partial and draws a ticket; true in all threads of the block
 * that drew the last one, which then may read every partial.  atomicInc wraps, so the
 * counter is zero again after the last ticket. */
template <class T> __device__ bool is_last_block(T total, T *partials, unsigned *tickets)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        __threadfence(); /* the partial is visible before its ticket */
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); /* and the partials are read after it */
    }
    __syncthreads();
    return last;
}

/* Combines the threads' values of all blocks into *result.  The order depends on the
 * number of blocks alone, not on which of them comes last. */
template <class R, int BLOCK>
__device__ void reduce_grid(typename R::T value, typename R::T *result, typename R::T *partials, unsigned *tickets)
{
    typename R::T total = reduce_block<R, BLOCK>(value);

    if (gridDim.x > 1) {
        if (!is_last_block(total, partials, tickets))
            return;
        total = reduce_block<R, BLOCK>(reduce_partials<R, BLOCK>(partials, gridDim.x));
    }
    if (threadIdx.x == 0)
        *result = R::finalize(total);
}
