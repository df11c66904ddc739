/* gemm/matvec: matvec's kernels compute the product; here vectors whose elements lie apart are brought to
 * where they lie beside each other, and the result to where C's do. */
#include "grid_dependency.cuh"
#include "tiles.h"

#include <cstdint>

/* to[i * to_step] = from[i * from_step], and with beta what was there, times beta. */
template <class T>
static __device__ void move_vector(const T *from, int64_t from_step, T *to, int64_t to_step, int64_t count, T beta)
{
    const int64_t threads = (int64_t)gridDim.x * GEMM_SCALE_THREADS;

    grid_dependency_wait();
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * GEMM_SCALE_THREADS + threadIdx.x; i < count; i += threads) {
        const T moved = from[i * from_step];
        T *at = to + i * to_step;
        *at = beta == (T)0 ? moved : fma(beta, *at, moved);
    }
}

#define MOVE_VECTOR_ENTRY(type, T)                                                                      \
    extern "C" __global__ void __launch_bounds__(GEMM_SCALE_THREADS)                                     \
        gemm_move_vector_##type(const T *__restrict__ from, int64_t from_step, T *__restrict__ to,      \
                                int64_t to_step, int64_t count, T beta)                                 \
    {                                                                                                   \
        move_vector(from, from_step, to, to_step, count, beta);                                         \
    }

MOVE_VECTOR_ENTRY(f32, float)
MOVE_VECTOR_ENTRY(f64, double)
