/* CUB's DeviceReduce as a user calls it, over 64-bit lengths. */
#include "plugins/cublas/cub.h"

#include <cub/device/device_reduce.cuh>

#include <cmath>
#include <limits>

namespace
{

/* IEEE 754-2019 minimum and maximum: NaN wins, -0 is less than +0.  CUB's own are
 * `a < b ? a : b`, which forgets a NaN. */
struct Minimum {
    template <typename T> __host__ __device__ __forceinline__ T operator()(T a, T b) const
    {
        if (a != a || a < b)
            return a;
        return a == b && signbit(a) ? a : b;
    }
};

struct Maximum {
    template <typename T> __host__ __device__ __forceinline__ T operator()(T a, T b) const
    {
        if (a != a || a > b)
            return a;
        return a == b && signbit(b) ? a : b;
    }
};

template <typename T> cudaError_t sum(const plx_cub_call &call, void *storage, size_t &bytes)
{
    return cub::DeviceReduce::Sum(storage, bytes, static_cast<const T *>(call.x), static_cast<T *>(call.result), call.n,
                                  static_cast<cudaStream_t>(call.stream));
}

template <typename T> cudaError_t integers(const plx_cub_call &call, void *storage, size_t &bytes)
{
    const T *x = static_cast<const T *>(call.x);
    T *result = static_cast<T *>(call.result);
    cudaStream_t stream = static_cast<cudaStream_t>(call.stream);
    if (call.reduction == PLX_MIN)
        return cub::DeviceReduce::Min(storage, bytes, x, result, call.n, stream);
    return cub::DeviceReduce::Max(storage, bytes, x, result, call.n, stream);
}

template <typename T> cudaError_t floats(const plx_cub_call &call, void *storage, size_t &bytes)
{
    const T *x = static_cast<const T *>(call.x);
    T *result = static_cast<T *>(call.result);
    cudaStream_t stream = static_cast<cudaStream_t>(call.stream);
    const T infinity = std::numeric_limits<T>::infinity();
    if (call.reduction == PLX_MIN)
        return cub::DeviceReduce::Reduce(storage, bytes, x, result, call.n, Minimum(), infinity, stream);
    return cub::DeviceReduce::Reduce(storage, bytes, x, result, call.n, Maximum(), -infinity, stream);
}

/* Sums of integers wrap, which unsigned ones may. */
cudaError_t reduce(const plx_cub_call &call, void *storage, size_t &bytes)
{
    const bool is_sum = call.reduction == PLX_SUM;
    switch (call.dtype) {
    case PLX_I32:
        return is_sum ? sum<uint32_t>(call, storage, bytes) : integers<int32_t>(call, storage, bytes);
    case PLX_I64:
        return is_sum ? sum<uint64_t>(call, storage, bytes) : integers<int64_t>(call, storage, bytes);
    case PLX_F32:
        return is_sum ? sum<float>(call, storage, bytes) : floats<float>(call, storage, bytes);
    case PLX_F64:
        return is_sum ? sum<double>(call, storage, bytes) : floats<double>(call, storage, bytes);
    default:
        return cudaErrorNotSupported;
    }
}

} // namespace

extern "C" const char *plx_cub_missing(void)
{
    return nullptr;
}

extern "C" const char *plx_cub_reduce(const plx_cub_call *call, void *storage, size_t *bytes)
{
    const cudaError_t result = reduce(*call, storage, *bytes);
    return result == cudaSuccess ? nullptr : cudaGetErrorName(result);
}
