/* What the reductions of this folder share in CUDA: the three ways to join two
 * elements, the warp's and block's trees, and 16-byte reading. */
#pragma once

#include "tiles.h"

#include <cstdint>
#include <limits>

#define ALL_LANES 0xffffffffu

/* i32 and i64 sums use unsigned elements: they wrap by definition. */
template <class Element> struct Sum {
    using T = Element;
    static __device__ T identity() { return T(0); }
    static __device__ T join(T a, T b) { return a + b; }
    static __device__ T finish(T value) { return value; }
};

/* IEEE 754-2019 minimum and maximum: NaN wins from either side, -0 is less than +0. */
template <class Element, bool MINIMUM> struct Extremum {
    using T = Element;
    using Limits = std::numeric_limits<T>;
    static constexpr bool floating = !Limits::is_integer;
    static constexpr T nothing = MINIMUM ? (floating ? Limits::infinity() : Limits::max())
                                         : (floating ? -Limits::infinity() : Limits::min());
    static constexpr T nan = Limits::quiet_NaN(); /* 0 for integers, which never use it */

    static __device__ T identity() { return nothing; }

    static __device__ T join(T a, T b)
    {
        bool first = MINIMUM ? a < b : a > b;
        if constexpr (floating)
            first = first || a != a || (a == b && (signbit(a) != 0) == MINIMUM);
        return first ? a : b;
    }

    /* One NaN, whatever NaNs went in: the same bits on every backend. */
    static __device__ T finish(T value) { return value != value ? nan : value; }
};

template <class Element> using Min = Extremum<Element, true>;
template <class Element> using Max = Extremum<Element, false>;

/* The result of a warp's 32 values, in lane 0. */
template <class R> __device__ typename R::T reduce_warp(typename R::T value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = R::join(value, __shfl_down_sync(ALL_LANES, value, distance));
    return value;
}

/* The result of a block's BLOCK values, in thread 0.  All threads take part. */
template <class R, int BLOCK> __device__ typename R::T reduce_block(typename R::T value)
{
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps, and one warp can join their results");
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

/* 16 bytes, read by one instruction. */
template <class Element> struct alignas(16) Pack {
    static constexpr int lanes = 16 / sizeof(Element);
    Element lane[lanes];
};

template <class R>
__device__ Pack<typename R::T> join_packs(Pack<typename R::T> a, Pack<typename R::T> b)
{
#pragma unroll
    for (int i = 0; i < a.lanes; ++i)
        a.lane[i] = R::join(a.lane[i], b.lane[i]);
    return a;
}

template <class R> __device__ typename R::T fold_pack(Pack<typename R::T> pack)
{
#pragma unroll
    for (int width = pack.lanes / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
            pack.lane[i] = R::join(pack.lane[i], pack.lane[i + width]);
    return pack.lane[0];
}

template <class R> __device__ Pack<typename R::T> identity_pack()
{
    Pack<typename R::T> pack;
#pragma unroll
    for (int i = 0; i < pack.lanes; ++i)
        pack.lane[i] = R::identity();
    return pack;
}

/* What this thread reads of its block's BLOCK * LOADS packs.  x need only be aligned
 * to its element: packs begin at the first multiple of 16 bytes, and the few elements
 * before and behind them go to block 0. */
template <class R, int BLOCK, int LOADS>
__device__ typename R::T reduce_packs(const typename R::T *__restrict__ x, int64_t n)
{
    using T = typename R::T;
    const int thread = threadIdx.x;
    const int64_t to_boundary = (int64_t)((16 - (uintptr_t)x % 16) % 16 / sizeof(T));
    const int64_t head = to_boundary < n ? to_boundary : n;
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(x + head);
    const int64_t count = (n - head) / Pack<T>::lanes, end = head + count * Pack<T>::lanes;
    const int64_t first = (int64_t)blockIdx.x * (BLOCK * LOADS) + thread;
    Pack<T> loaded[LOADS];

#pragma unroll
    for (int k = 0; k < LOADS; ++k)
        loaded[k] = first + k * BLOCK < count ? packs[first + k * BLOCK] : identity_pack<R>();
#pragma unroll
    for (int width = LOADS / 2; width > 0; width /= 2)
        for (int k = 0; k < width; ++k)
            loaded[k] = join_packs<R>(loaded[k], loaded[k + width]);
    T value = fold_pack<R>(loaded[0]);
    if (blockIdx.x == 0 && thread < head)
        value = R::join(value, x[thread]);
    if (blockIdx.x == 0 && thread < n - end)
        value = R::join(value, x[end + thread]);
    return value;
}

/* 16 bytes from the L2 cache, where what other blocks wrote can be seen. */
template <class Element> __device__ Pack<Element> load_from_l2(const Pack<Element> *from)
{
    const int4 bits = __ldcg(reinterpret_cast<const int4 *>(from));
    Pack<Element> pack;
    memcpy(&pack, &bits, sizeof pack);
    return pack;
}

/* One block's share per thread of `count` partials, in an order that depends on
 * nothing but count.  partials is aligned to 16 bytes. */
template <class R, int BLOCK>
__device__ typename R::T reduce_partials(const typename R::T *partials, int64_t count)
{
    using T = typename R::T;
    const Pack<T> *packs = reinterpret_cast<const Pack<T> *>(partials);
    const int64_t whole = count / Pack<T>::lanes, end = whole * Pack<T>::lanes;
    Pack<T> sum = identity_pack<R>();

#pragma unroll 8
    for (int64_t i = threadIdx.x; i < whole; i += BLOCK)
        sum = join_packs<R>(sum, load_from_l2(packs + i));
    T value = fold_pack<R>(sum);
    if (threadIdx.x < count - end)
        value = R::join(value, __ldcg(partials + end + threadIdx.x));
    return value;
}
