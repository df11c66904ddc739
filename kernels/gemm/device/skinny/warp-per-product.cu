/* gemm/warp-per-product: of a batch each warp has a whole product, of SIDE x SIDE at most.
 *
 * The warp loads DEPTH terms of both operands to shared memory, as many rows in memory at a time as fit into 32 lanes,
 * and multiplies them: a lane has SIDE / 4 rows of C and SIDE / 8 columns.  C leaves through shared memory as well, so
 * that lanes write neighbours.  What lies beyond the edges is never loaded, and meets nothing but itself. */
#include "gemm/device/common/write-element.cuh"
#include "gemm/device/skinny/warp-per-product.h"
#include "grid_dependency.cuh"

#include <type_traits>

enum { PRODUCTS = GEMM_WARP_PRODUCTS, DEPTH = GEMM_WARP_DEPTH, TOGETHER = 8 };

static __device__ __forceinline__ float widened(float x)
{
    return x;
}

static __device__ __forceinline__ float widened(__half x)
{
    return __half2float(x);
}

static __device__ __forceinline__ float widened(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

/* How 32 lanes have rows of `width` elements, 1 to 32: each lane one place in a row, of every `apart` rows one. */
struct Lanes {
    int along, first, apart;

    __device__ __forceinline__ explicit Lanes(int width)
    {
        const int log2 = width > 1 ? 32 - __clz(width - 1) : 0, lane = (int)threadIdx.x % 32;
        along = lane & ((1 << log2) - 1);
        first = lane >> log2;
        apart = 32 >> log2;
    }
};

/* An operand: element (outer, inner) lies at outer * ld + inner where its rows in memory run along k, else at
 * inner * ld + outer. */
template <class T> struct Small {
    const T *from;
    int64_t ld;
    bool inner;

    /* Terms k to k + depth of `outer` rows or columns, each term's in a line of PITCH. */
    template <int PITCH> __device__ __forceinline__ void load(float *to, int outer, int k, int depth) const
    {
        const int width = inner ? depth : outer, rows = inner ? outer : depth;
        const Lanes lanes(width);
        const T *at = from + (inner ? k : (int64_t)k * ld) + lanes.first * ld + lanes.along;
        const int64_t step = lanes.apart * ld;
        for (int row = lanes.first; row < rows; row += TOGETHER * lanes.apart) {
            float element[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i, at += step)
                element[i] = row + i * lanes.apart < rows && lanes.along < width ? widened(*at) : 0.0f;
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
                const int there = row + i * lanes.apart;
                if (there < rows && lanes.along < width)
                    to[inner ? lanes.along * PITCH + there : there * PITCH + lanes.along] = element[i];
            }
        }
    }
};

/* COUNT neighbours, 2 or a multiple of 4, from where as many begin. */
template <int COUNT> static __device__ __forceinline__ void load_neighbours(float (&x)[COUNT], const float *from)
{
    if constexpr (COUNT == 2) {
        const float2 both = *reinterpret_cast<const float2 *>(from);
        x[0] = both.x;
        x[1] = both.y;
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i += 4) {
            const float4 four = *reinterpret_cast<const float4 *>(from + i);
            x[i] = four.x;
            x[i + 1] = four.y;
            x[i + 2] = four.z;
            x[i + 3] = four.w;
        }
    }
}

template <class T, int SIDE>
static __device__ __forceinline__ void multiply_small(const Small<T> &a, const Small<T> &b, const Result &to, int k,
                                                      float *shared)
{
    constexpr int ROWS = SIDE / 4, COLS = SIDE / 8, PITCH = SIDE + 4;
    const int lane = (int)threadIdx.x % 32, row = lane / 8 * ROWS, col = lane % 8 * COLS;
    float *of_a = shared, *of_b = shared + DEPTH * PITCH;
    float sum[ROWS][COLS] = {};

    for (int first = 0; first < k; first += DEPTH) {
        const int depth = k - first < DEPTH ? k - first : DEPTH;
        __syncwarp(); /* the terms before have been multiplied */
        a.template load<PITCH>(of_a, (int)to.m, first, depth);
        b.template load<PITCH>(of_b, (int)to.n, first, depth);
        __syncwarp();
#pragma unroll 4
        for (int term = 0; term < depth; ++term) {
            float x[ROWS], y[COLS];
            load_neighbours(x, of_a + term * PITCH + row);
            load_neighbours(y, of_b + term * PITCH + col);
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
#pragma unroll
                for (int j = 0; j < COLS; ++j)
                    sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLS; ++j)
            shared[(row + i) * PITCH + col + j] = sum[i][j];
    __syncwarp();
    const Lanes lanes((int)to.n);
    for (int i = lanes.first; i < to.m; i += lanes.apart)
        write_element(to, i, lanes.along, shared[i * PITCH + lanes.along]);
}

template <class T, int SIDE>
static __device__ __forceinline__ void multiply_batch(Small<T> a, Small<T> b, Result to, int k, int64_t stride_a,
                                                      int64_t stride_b, int64_t stride_c, int count)
{
    __shared__ __align__(16) float shared[PRODUCTS][2 * DEPTH * (SIDE + 4)];
    const int warp = (int)threadIdx.x / 32;
    const int64_t problem = (int64_t)blockIdx.x * PRODUCTS + warp;
    static_assert(2 * DEPTH >= SIDE, "C has room where the operands were");

    grid_dependency_wait();
    if (problem >= count)
        return;
    a.from += problem * stride_a;
    b.from += problem * stride_b;
    to.c = static_cast<char *>(to.c) + problem * stride_c * bytes_of_element(to.type);
    multiply_small<T, SIDE>(a, b, to, k, shared[warp]);
}

#define WARP_ENTRY(SIDE, type, T)                                                                                      \
    extern "C" __global__ void __launch_bounds__(32 * GEMM_WARP_PRODUCTS) gemm_warp_per_product_##SIDE##_##type(       \
        const T *a, int64_t lda, int32_t a_inner, const T *b, int64_t ldb, int32_t b_inner, void *c, int type_of_c,    \
        int m, int n, int k, int64_t ldc, float alpha, float beta, int64_t stride_a, int64_t stride_b,                 \
        int64_t stride_c, int count)                                                                                   \
    {                                                                                                                  \
        multiply_batch<T, SIDE>(Small<T>{a, lda, a_inner != 0}, Small<T>{b, ldb, b_inner != 0},                        \
                                Result{c, type_of_c, m, n, ldc, alpha, beta}, k, stride_a, stride_b, stride_c, count); \
    }

WARP_ENTRY(16, f32, float)
WARP_ENTRY(32, f32, float)
WARP_ENTRY(16, f16, __half)
WARP_ENTRY(32, f16, __half)
WARP_ENTRY(16, bf16, __nv_bfloat16)
WARP_ENTRY(32, bf16, __nv_bfloat16)
