/* Products on the matrix units, of operands that stay in shared memory or in registers, again and again: what
 * the units can give.  A block multiplies 64 x K by K x 256 whole numbers from -128 to 127, K elements being
 * 128 bytes, so that the sums are exact as long as they are few; their bits are as mixed as those of random
 * numbers, on which the units' power depends. sm_90a: wgmma; elsewhere: mma.sync, a quarter of the columns at
 * a time.  Both leave a thread the same sums. */
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "tiles.h"

struct Tf32 {
    float value;
};

#define ROWS PROBE_UNITS_ROWS
#define COLS PROBE_UNITS_COLS
#define LINE PROBE_UNITS_LINE

template <class T> using Sum = typename std::conditional<std::is_same<T, int8_t>::value, int, float>::type;

/* ---- operands ------------------------------------------------------------------------ */

static __device__ __forceinline__ int last_byte(float element)
{
    return (signed char)(__float_as_uint(element) & 0xff);
}

static __device__ __forceinline__ void store(Tf32 *to, int number)
{
    to->value = (float)number;
}
static __device__ __forceinline__ void store(__half *to, int number)
{
    *to = __int2half_rn(number);
}
static __device__ __forceinline__ void store(__nv_bfloat16 *to, int number)
{
    *to = __float2bfloat16((float)number);
}
static __device__ __forceinline__ void store(int8_t *to, int number)
{
    *to = (int8_t)number;
}

/* Rows of 128 bytes; swizzled for wgmma: 16 bytes go where their number, and the row's in its group of eight,
 * say. */
static __device__ __forceinline__ int place_of(int row, int byte)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    return row * LINE + (byte ^ (row % 8 << 4));
#else
    return row * LINE + byte;
#endif
}

template <class T> static __device__ __forceinline__ void bring(unsigned char *shared, const float *in)
{
    constexpr int K = LINE / sizeof(T);
    for (int i = threadIdx.x; i < (ROWS + COLS) * K; i += PROBE_UNITS_BLOCK)
        store((T *)(shared + place_of(i / K, i % K * (int)sizeof(T))), last_byte(in[i]));
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- wgmma --------------------------------------------------------------------------- */

/* An operand that lies along k in rows of 128 bytes with the 128-byte swizzle. */
static __device__ __forceinline__ uint64_t operand_at(uint32_t address)
{
    return (uint64_t)((address & 0x3ffff) >> 4) | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

#define AT_8(how, i)                                                                                                   \
    how(sum[i]), how(sum[i + 1]), how(sum[i + 2]), how(sum[i + 3]), how(sum[i + 4]), how(sum[i + 5]), how(sum[i + 6]), \
        how(sum[i + 7])
#define AT_32(how, i) AT_8(how, i), AT_8(how, i + 8), AT_8(how, i + 16), AT_8(how, i + 24)
#define AT_128(how) AT_32(how, 0), AT_32(how, 32), AT_32(how, 64), AT_32(how, 96)
#define FLOATS(x) "+f"(x)
#define INTEGERS(x) "+r"(x)
#define PLACES                                                                                               \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "  \
    "%22, %23, "                                                                                             \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "   \
    "%44, %45, "                                                                                             \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "   \
    "%66, %67, "                                                                                             \
    "%68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, "   \
    "%88, %89, "                                                                                             \
    "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "     \
    "%108, %109, "                                                                                           \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, " \
    "%127}, "                                                                                                \
    "%128, %129, "
#define WGMMA(kind, how, scales) \
    asm volatile("wgmma.mma_async.sync.aligned.m64n256" kind " " PLACES scales ";" : AT_128(how) : "l"(a), "l"(b))

/* sum += 64 x 32 bytes of A times as many of B. */
template <class T> static __device__ __forceinline__ void multiply_add(Sum<T> (&sum)[128], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA("k8.f32.tf32.tf32", FLOATS, "1, 1, 1");
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA("k16.f32.f16.f16", FLOATS, "1, 1, 1, 0, 0");
    else if constexpr (std::is_same<T, int8_t>::value)
        WGMMA("k32.s32.s8.s8", INTEGERS, "1");
    else
        WGMMA("k16.f32.bf16.bf16", FLOATS, "1, 1, 1, 0, 0");
}

template <class T>
static __device__ __forceinline__ void multiply(Sum<T> (&sum)[128], const unsigned char *shared, int repeat)
{
    const uint32_t begin = (uint32_t)__cvta_generic_to_shared(shared);
    const uint64_t a = operand_at(begin), b = operand_at(begin + ROWS * LINE);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int r = 0; r < repeat; r++) {
#pragma unroll
        for (int step = 0; step < LINE / 32; step++)
            multiply_add<T>(sum, a + 2 * step, b + 2 * step);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#else

/* ---- mma.sync ------------------------------------------------------------------------ */

#define MMA(kind, how)                                                                                       \
    asm volatile("mma.sync.aligned." kind " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : how(sum[0]), how(sum[1]), how(sum[2]), how(sum[3])                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define FLOATS(x) "+f"(x)
#define INTEGERS(x) "+r"(x)

/* sum += 16 x 32 bytes of A times as many of eight columns. */
template <class T>
static __device__ __forceinline__ void multiply_add(Sum<T> *sum, const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    if constexpr (std::is_same<T, Tf32>::value)
        MMA("m16n8k8.row.col.f32.tf32.tf32.f32", FLOATS);
    else if constexpr (std::is_same<T, __half>::value)
        MMA("m16n8k16.row.col.f32.f16.f16.f32", FLOATS);
    else if constexpr (std::is_same<T, int8_t>::value)
        MMA("m16n8k32.row.col.s32.s8.s8.s32", INTEGERS);
    else
        MMA("m16n8k16.row.col.f32.bf16.bf16.f32", FLOATS);
}

static __device__ __forceinline__ uint32_t word_at(const unsigned char *shared, int row, int byte)
{
    return *(const uint32_t *)(shared + place_of(row, byte));
}

/* Lane l has of A rows l / 4 and 8 further, of B column l / 4, and of both bytes 4 (l % 4) and 16 further. */
template <class T>
static __device__ __forceinline__ void multiply(Sum<T> (&sum)[128], const unsigned char *shared, int repeat)
{
    constexpr int AT_ONCE = 8;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, byte = lane % 4 * 4;
    __syncthreads();
#pragma unroll
    for (int first = 0; first < COLS / 8; first += AT_ONCE)
        for (int step = 0; step < LINE; step += 32) {
            const uint32_t a[4] = {word_at(shared, row, step + byte), word_at(shared, row + 8, step + byte),
                                   word_at(shared, row, step + byte + 16), word_at(shared, row + 8, step + byte + 16)};
            uint32_t b[AT_ONCE][2];
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                const int col = ROWS + 8 * (first + j) + lane / 4;
                b[j][0] = word_at(shared, col, step + byte);
                b[j][1] = word_at(shared, col, step + byte + 16);
            }
            for (int r = 0; r < repeat; r++)
#pragma unroll
                for (int j = 0; j < AT_ONCE; j++)
                    multiply_add<T>(sum + 4 * (first + j), a, b[j]);
        }
}

#endif

/* ---- all of it ------------------------------------------------------------------------- */

template <class T> static __device__ __forceinline__ void units(const float *in, float *out, long long n, int repeat)
{
    __shared__ __align__(1024) unsigned char shared[(ROWS + COLS) * LINE];
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    const long long first = (long long)blockIdx.x * (ROWS * COLS);
    Sum<T> sum[128];
#pragma unroll
    for (int i = 0; i < 128; i++)
        sum[i] = 0;
    bring<T>(shared, in);
    multiply<T>(sum, shared, repeat);
#pragma unroll
    for (int i = 0; i < 128; i++) {
        const long long at = first + (row + i / 2 % 2 * 8) * COLS + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (at < n)
            out[at] = (float)sum[i];
    }
}

#define UNITS_ENTRY(name, T)                                                           \
    extern "C" __global__ void __launch_bounds__(PROBE_UNITS_BLOCK)                    \
        probe_units_##name##_f32(const float *in, float *out, long long n, int repeat) \
    {                                                                                  \
        units<T>(in, out, n, repeat);                                                  \
    }
