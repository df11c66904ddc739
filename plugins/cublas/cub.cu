/* CUB's DeviceReduce and DeviceSegmentedReduce as a user calls them, over 64-bit lengths. */
#include "plugins/cublas/cub.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

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

/* ---- one reduction ---------------------------------------------------------------------------- */

/* A call with its temporary storage; without any it only says how much that is. */
struct Call {
    const plx_cub_call &of;
    void *storage;
    size_t &bytes;

    cudaStream_t stream() const
    {
        return static_cast<cudaStream_t>(of.stream);
    }
};

template <typename T> struct Whole {
    Call call;

    const T *x() const
    {
        return static_cast<const T *>(call.of.x);
    }

    T *result() const
    {
        return static_cast<T *>(call.of.result);
    }

    cudaError_t sum() const
    {
        return cub::DeviceReduce::Sum(call.storage, call.bytes, x(), result(), call.of.n, call.stream());
    }

    cudaError_t minimum() const
    {
        return cub::DeviceReduce::Min(call.storage, call.bytes, x(), result(), call.of.n, call.stream());
    }

    cudaError_t maximum() const
    {
        return cub::DeviceReduce::Max(call.storage, call.bytes, x(), result(), call.of.n, call.stream());
    }

    template <typename Op> cudaError_t reduce(Op op, T initial) const
    {
        return cub::DeviceReduce::Reduce(call.storage, call.bytes, x(), result(), call.of.n, op, initial,
                                         call.stream());
    }
};

/* ---- many in one launch: segments.h says where they lie ------------------------------------------ */

/* f(0), f(1), ... */
template <typename F> auto each(F f)
{
    return thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), f);
}

struct Result {
    plx_segments of;

    __host__ __device__ __forceinline__ int64_t operator()(int64_t segment) const
    {
        return plx_segment_result(&of, segment);
    }
};

/* Segments are read where they lie, by whole packs where they begin at one. */
struct Rows {
    /* Where a segment begins, or so many elements further on. */
    struct Place {
        plx_segments of;
        int64_t further;

        __host__ __device__ __forceinline__ int64_t operator()(int64_t segment) const
        {
            return plx_segment_of_rows(&of, segment) + further;
        }
    };

    template <typename T> static const T *elements(const plx_segments &, const T *x)
    {
        return x;
    }
};

/* Each element of a segment is found by itself. */
struct Columns {
    struct Place {
        plx_segments of;
        int64_t further;

        __host__ __device__ __forceinline__ int64_t operator()(int64_t segment) const
        {
            return plx_segment_of_columns(&of, segment) + further;
        }
    };

    struct Element {
        plx_segments of;

        __host__ __device__ __forceinline__ int64_t operator()(int64_t offset) const
        {
            return plx_segment_element(&of, offset);
        }
    };

    template <typename T> static auto elements(const plx_segments &of, const T *x)
    {
        return thrust::make_permutation_iterator(x, each(Element{of}));
    }
};

template <typename T, typename Lie> struct Segmented {
    Call call;

    const plx_segments &of() const
    {
        return call.of.segments;
    }

    auto x() const
    {
        return Lie::elements(of(), static_cast<const T *>(call.of.x));
    }

    auto result() const
    {
        return thrust::make_permutation_iterator(static_cast<T *>(call.of.result), each(Result{of()}));
    }

    auto place(int64_t further) const
    {
        return each(typename Lie::Place{of(), further});
    }

    cudaError_t sum() const
    {
        return cub::DeviceSegmentedReduce::Sum(call.storage, call.bytes, x(), result(), of().count, place(0),
                                               place(call.of.n), call.stream());
    }

    cudaError_t minimum() const
    {
        return cub::DeviceSegmentedReduce::Min(call.storage, call.bytes, x(), result(), of().count, place(0),
                                               place(call.of.n), call.stream());
    }

    cudaError_t maximum() const
    {
        return cub::DeviceSegmentedReduce::Max(call.storage, call.bytes, x(), result(), of().count, place(0),
                                               place(call.of.n), call.stream());
    }

    template <typename Op> cudaError_t reduce(Op op, T initial) const
    {
        return cub::DeviceSegmentedReduce::Reduce(call.storage, call.bytes, x(), result(), of().count, place(0),
                                                  place(call.of.n), op, initial, call.stream());
    }
};

template <typename T> using SegmentedRows = Segmented<T, Rows>;
template <typename T> using SegmentedColumns = Segmented<T, Columns>;

/* ---- types ----------------------------------------------------------------------------------------- */

template <template <typename> class Way, typename T> cudaError_t integers(const Call &call)
{
    const Way<T> way{call};
    return call.of.reduction == PLX_MIN ? way.minimum() : way.maximum();
}

template <template <typename> class Way, typename T> cudaError_t floats(const Call &call)
{
    const Way<T> way{call};
    const T infinity = std::numeric_limits<T>::infinity();
    if (call.of.reduction == PLX_SUM)
        return way.sum();
    return call.of.reduction == PLX_MIN ? way.reduce(Minimum(), infinity) : way.reduce(Maximum(), -infinity);
}

/* Sums of integers wrap, which unsigned ones may. */
template <template <typename> class Way> cudaError_t reduce(const Call &call)
{
    const bool is_sum = call.of.reduction == PLX_SUM;
    switch (call.of.dtype) {
    case PLX_I32:
        return is_sum ? Way<uint32_t>{call}.sum() : integers<Way, int32_t>(call);
    case PLX_I64:
        return is_sum ? Way<uint64_t>{call}.sum() : integers<Way, int64_t>(call);
    case PLX_F32:
        return floats<Way, float>(call);
    case PLX_F64:
        return floats<Way, double>(call);
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
    const plx_segments &segments = call->segments;
    const Call made{*call, storage, *bytes};
    const cudaError_t result = segments.count == 0  ? reduce<Whole>(made)
                               : segments.inner > 1 ? reduce<SegmentedColumns>(made)
                                                    : reduce<SegmentedRows>(made);
    return result == cudaSuccess ? nullptr : cudaGetErrorName(result);
}
