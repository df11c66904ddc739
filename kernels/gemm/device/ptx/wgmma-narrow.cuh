/* wgmma with 16 and 32 columns, and operands in lines of 32 and 64 bytes, besides what ptx/wgmma.cuh has; and a load
 * besides what copies.cuh has.  For sm_90a alone. */
#pragma once

#include "gemm/device/ptx/copies.cuh"
#include "gemm/device/ptx/wgmma.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* An operand whose outer index runs along lines of LINE bytes, which hold all of it, with the swizzle of as many. */
template <int LINE> static __device__ __forceinline__ uint64_t operand_across(uint32_t address)
{
    constexpr uint64_t EIGHT_LINES = 8 * LINE, SWIZZLE = LINE == 128 ? 1 : LINE == 64 ? 2 : 3;
    return (uint64_t)((address & 0x3ffff) >> 4) | EIGHT_LINES >> 4 << 16 | EIGHT_LINES >> 4 << 32 | SWIZZLE << 62;
}

/* From what an instruction multiplies to what the next one does: 16 lines. */
template <int LINE> constexpr uint64_t NEXT_ACROSS = 16 * LINE >> 4;

#define SUMS_8(i)                                                                                           \
    "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
        "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define PLACES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define PLACES_16 PLACES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"

/* COLS columns; the places in the text of what comes after the sums. */
#define WGMMA(COLS, TYPE, PLACES, A, B, TRANS_A, TRANS_B, ...)                                                     \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #COLS "k16.f32." TYPE "." TYPE " {" PLACES "}, %" #A ", %" #B \
                 ", 1, 1, 1, %" #TRANS_A ", %" #TRANS_B ";\n"                                                      \
                 : __VA_ARGS__                                                                                     \
                 : "l"(a), "l"(b), "n"(A_INNER ? 0 : 1), "n"(B_INNER ? 0 : 1))

template <class T, bool A_INNER, bool B_INNER>
static __device__ __forceinline__ void multiply_add(float (&sum)[8], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, __half>::value)
        WGMMA(16, "f16", PLACES_8, 8, 9, 10, 11, SUMS_8(0));
    else
        WGMMA(16, "bf16", PLACES_8, 8, 9, 10, 11, SUMS_8(0));
}

template <class T, bool A_INNER, bool B_INNER>
static __device__ __forceinline__ void multiply_add(float (&sum)[16], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, __half>::value)
        WGMMA(32, "f16", PLACES_16, 16, 17, 18, 19, SUMS_8(0), SUMS_8(8));
    else
        WGMMA(32, "bf16", PLACES_16, 16, 17, 18, 19, SUMS_8(0), SUMS_8(8));
}

#undef WGMMA
#undef SUMS_8
#undef PLACES_8
#undef PLACES_16

/* ---- clusters ------------------------------------------------------------------ */

static __device__ __forceinline__ float2 load_cluster2(uint32_t from)
{
    float2 v;
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(from) : "memory");
    return v;
}

#endif
