// out[i] = the sum of chunk i of the input; all loads of a thread are on their way before
// the first is added: what reading memory alone can give.
#include "entries.cuh"
#include "tiles.h"

/* 16 bytes of elements. */
template <class T> struct Vector;
template <> struct Vector<int> {
    using V = int4;
};
template <> struct Vector<long long> {
    using V = longlong2;
};

__device__ int plus(int sum, const int4 &v)
{
    return sum + v.x + v.y + v.z + v.w;
}

__device__ long long plus(long long sum, const longlong2 &v)
{
    return sum + v.x + v.y;
}

template <class T, class V> __device__ T own_share(const T *chunk)
{
    constexpr int width = 16 / sizeof(T);
    V loaded[PROBE_READ_LOADS];
    T sum = 0;
    if ((size_t)chunk % 16 == 0) {
#pragma unroll
        for (int k = 0; k < PROBE_READ_LOADS; k++)
            loaded[k] = __ldcs((const V *)chunk + k * PROBE_READ_BLOCK + threadIdx.x);
#pragma unroll
        for (int k = 0; k < PROBE_READ_LOADS; k++)
            sum = plus(sum, loaded[k]);
    } else
        for (int k = 0; k < PROBE_READ_LOADS * width; k++)
            sum += chunk[k * PROBE_READ_BLOCK + threadIdx.x];
    return sum;
}

template <class T, class V> __device__ void read_chunk(const T *in, T *out)
{
    __shared__ T sums[PROBE_READ_BLOCK / 32];
    T sum = own_share<T, V>(in + (long long)blockIdx.x * (PROBE_READ_BYTES / (int)sizeof(T)));
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < PROBE_READ_BLOCK / 32; warp++)
            sum += sums[warp];
        out[blockIdx.x] = sum;
    }
}

#define READ_ENTRY(type, T)                                                                                            \
    extern "C" __global__ void __launch_bounds__(PROBE_READ_BLOCK) probe_read_##type(const T *in, T *out, long long n) \
    {                                                                                                                  \
        read_chunk<T, Vector<T>::V>(in, out);                                                                          \
    }

PROBE_INTEGERS(READ_ENTRY)
