/* gemm/matvec: matvec's kernels compute the product; here vectors whose elements lie apart are brought to
 * where they lie beside each other, and the result to where C's do. */
#include "grid_dependency.cuh"
#include "gemm/device/common/tiles.h"

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* to[i * to_step] = from[i * from_step], and with beta what was there, times beta: rounded once to what `to`
 * holds, beyond its range infinite. */
template <class T, class To>
static __device__ void move_vector(const T *from, int64_t from_step, To *to, int64_t to_step, int64_t count, T beta)
{
    const int64_t threads = (int64_t)gridDim.x * GEMM_SCALE_THREADS;

    grid_dependency_wait();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * GEMM_SCALE_THREADS + threadIdx.x; i < count; i += threads) {
        const T moved = from[i * from_step];
        To *at = to + i * to_step;
        *at = To(beta == (T)0 ? moved : fma(beta, T(*at), moved));
    }
}

#define MOVE_VECTOR_ENTRY(name, T, To)                                                                              \
    extern "C" __global__ void __launch_bounds__(GEMM_SCALE_THREADS) gemm_##name(                                   \
        const T *__restrict__ from, int64_t from_step, To *__restrict__ to, int64_t to_step, int64_t count, T beta) \
    {                                                                                                               \
        move_vector(from, from_step, to, to_step, count, beta);                                                     \
    }

MOVE_VECTOR_ENTRY(move_vector_f32, float, float)
MOVE_VECTOR_ENTRY(move_vector_f64, double, double)
MOVE_VECTOR_ENTRY(scatter_f16_f32, float, __half)
MOVE_VECTOR_ENTRY(scatter_bf16_f32, float, __nv_bfloat16)

/* Elements of 16 bits, whatever they mean. */
extern "C" __global__ void __launch_bounds__(GEMM_SCALE_THREADS)
    gemm_gather_half_f32(const uint16_t *__restrict__ from, int64_t from_step, uint16_t *__restrict__ to,
                         int64_t to_step, int64_t count, float /* beta: 0 */)
{
    const int64_t threads = (int64_t)gridDim.x * GEMM_SCALE_THREADS;

    grid_dependency_wait();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * GEMM_SCALE_THREADS + threadIdx.x; i < count; i += threads)
        to[i * to_step] = from[i * from_step];
}
