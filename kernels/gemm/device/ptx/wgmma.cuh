/* wgmma: a warpgroup's product of 64 x N x 16 (of TF32: 8) from shared memory, in PTX.  For sm_90a alone. */
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

/* An element of f32 that is multiplied as TF32: the units leave out its last 13 bits. */
struct Tf32 {
    float value;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- operands ------------------------------------------------------------------------ */

/* An operand in shared memory in rows of 128 bytes with the 128-byte swizzle, 1024 bytes from one group of
 * eight rows to the next.  INNER: the inner index runs along the rows; else 64 outer indices do, and
 * 64 x 64 of them lie from one block of 64 to the next. */
template <bool INNER> static __device__ __forceinline__ uint64_t operand_at(uint32_t address)
{
    constexpr uint64_t BLOCK = INNER ? 16 : 64 * 128, EIGHT_ROWS = 1024, SWIZZLE_128 = 1;
    return (uint64_t)((address & 0x3ffff) >> 4) | BLOCK >> 4 << 16 | EIGHT_ROWS >> 4 << 32 | SWIZZLE_128 << 62;
}

/* From what an instruction multiplies to what the next one does, as operand_at() counts: 32 bytes of a row,
 * or 16 rows. */
template <bool INNER> constexpr uint64_t NEXT_INNER = (INNER ? 32 : 16 * 128) >> 4;

/* ---- order --------------------------------------------------------------------------- */

/* Before the first product of a warpgroup that uses registers or memory that others wrote. */
static __device__ __forceinline__ void begin_products()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* The products since the last call are a group, which await_products() can wait for. */
static __device__ __forceinline__ void end_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Stands until at most PENDING groups are not complete. */
template <int PENDING> static __device__ __forceinline__ void await_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* The compiler may not read the sums before this place. */
template <int COUNT> static __device__ __forceinline__ void settle(float (&sum)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
        asm volatile("" : "+f"(sum[i])::"memory");
}

/* ---- products ------------------------------------------------------------------------ */

/* sum += a b.  Thread t of the warpgroup has rows t / 32 * 16 + t % 32 / 4 and 8 further, of every eight columns
 * 2 (t % 4) and the next: sum[4 j + 2 h + e] is row + 8 h, column 8 j + 2 (t % 4) + e. */
#define SUMS_8(i)                                                                                           \
    "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
        "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define PLACES_32                                                            \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define PLACES_48 PLACES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define PLACES_64                                                                                \
    PLACES_32 ", "                                                                               \
              "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
              "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define PLACES_96                                                                                \
    PLACES_64 ", "                                                                               \
              "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
              "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define PLACES_128                                                                                           \
    PLACES_96 ", "                                                                                           \
              "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
              "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

/* COLS columns; the places in the text of what comes after the sums.  Without ADD: sum = a b. */
#define WGMMA(COLS, TYPE, PLACES, A, B, TRANS_A, TRANS_B, ANY, ...)                                                \
    asm volatile("{\n"                                                                                             \
                 ".reg .pred add;\n"                                                                               \
                 "setp.ne.u32 add, %" #ANY ", 0;\n"                                                                \
                 "wgmma.mma_async.sync.aligned.m64n" #COLS "k16.f32." TYPE "." TYPE " {" PLACES "}, %" #A ", %" #B \
                 ", add, 1, 1, %" #TRANS_A ", %" #TRANS_B ";\n"                                                    \
                 "}"                                                                                               \
                 : __VA_ARGS__                                                                                     \
                 : "l"(a), "l"(b), "n"(A_INNER ? 0 : 1), "n"(B_INNER ? 0 : 1), "n"(ADD ? 1 : 0))

/* The same of TF32, whose operands can't be transposed. */
#define WGMMA_TF32(COLS, PLACES, A, B, ANY, ...)                                                          \
    asm volatile("{\n"                                                                                    \
                 ".reg .pred add;\n"                                                                      \
                 "setp.ne.u32 add, %" #ANY ", 0;\n"                                                       \
                 "wgmma.mma_async.sync.aligned.m64n" #COLS "k8.f32.tf32.tf32 {" PLACES "}, %" #A ", %" #B \
                 ", add, 1, 1;\n"                                                                         \
                 "}"                                                                                      \
                 : __VA_ARGS__                                                                            \
                 : "l"(a), "l"(b), "n"(ADD ? 1 : 0))

template <class T, bool A_INNER, bool B_INNER, bool ADD = true>
static __device__ __forceinline__ void multiply_add(float (&sum)[32], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA_TF32(64, PLACES_32, 32, 33, 34, SUMS_32(0));
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA(64, "f16", PLACES_32, 32, 33, 34, 35, 36, SUMS_32(0));
    else
        WGMMA(64, "bf16", PLACES_32, 32, 33, 34, 35, 36, SUMS_32(0));
}

template <class T, bool A_INNER, bool B_INNER, bool ADD = true>
static __device__ __forceinline__ void multiply_add(float (&sum)[48], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA_TF32(96, PLACES_48, 48, 49, 50, SUMS_32(0), SUMS_8(32), SUMS_8(40));
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA(96, "f16", PLACES_48, 48, 49, 50, 51, 52, SUMS_32(0), SUMS_8(32), SUMS_8(40));
    else
        WGMMA(96, "bf16", PLACES_48, 48, 49, 50, 51, 52, SUMS_32(0), SUMS_8(32), SUMS_8(40));
}

template <class T, bool A_INNER, bool B_INNER, bool ADD = true>
static __device__ __forceinline__ void multiply_add(float (&sum)[64], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA_TF32(128, PLACES_64, 64, 65, 66, SUMS_32(0), SUMS_32(32));
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA(128, "f16", PLACES_64, 64, 65, 66, 67, 68, SUMS_32(0), SUMS_32(32));
    else
        WGMMA(128, "bf16", PLACES_64, 64, 65, 66, 67, 68, SUMS_32(0), SUMS_32(32));
}

template <class T, bool A_INNER, bool B_INNER, bool ADD = true>
static __device__ __forceinline__ void multiply_add(float (&sum)[96], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA_TF32(192, PLACES_96, 96, 97, 98, SUMS_32(0), SUMS_32(32), SUMS_32(64));
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA(192, "f16", PLACES_96, 96, 97, 98, 99, 100, SUMS_32(0), SUMS_32(32), SUMS_32(64));
    else
        WGMMA(192, "bf16", PLACES_96, 96, 97, 98, 99, 100, SUMS_32(0), SUMS_32(32), SUMS_32(64));
}

template <class T, bool A_INNER, bool B_INNER, bool ADD = true>
static __device__ __forceinline__ void multiply_add(float (&sum)[128], uint64_t a, uint64_t b)
{
    if constexpr (std::is_same<T, Tf32>::value)
        WGMMA_TF32(256, PLACES_128, 128, 129, 130, SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
    else if constexpr (std::is_same<T, __half>::value)
        WGMMA(256, "f16", PLACES_128, 128, 129, 130, 131, 132, SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
    else
        WGMMA(256, "bf16", PLACES_128, 128, 129, 130, 131, 132, SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
}

/* The same with A in registers, 64 x 8 of it: lane l of warp w has of rows 16 w + l / 4 and 8 further the inner
 * elements l % 4, and then of both rows those 4 further. */
#define WGMMA_TF32_FROM_REGISTERS(COLS, PLACES, A0, A1, A2, A3, B, ...)                                                \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #COLS "k8.f32.tf32.tf32 {" PLACES "}, {%" #A0 ", %" #A1 ", %" #A2 \
                 ", %" #A3 "}, %" #B ", 1, 1, 1;\n"                                                                    \
                 : __VA_ARGS__                                                                                         \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

static __device__ __forceinline__ void multiply_add(float (&sum)[32], const unsigned (&a)[4], uint64_t b)
{
    WGMMA_TF32_FROM_REGISTERS(64, PLACES_32, 32, 33, 34, 35, 36, SUMS_32(0));
}

static __device__ __forceinline__ void multiply_add(float (&sum)[48], const unsigned (&a)[4], uint64_t b)
{
    WGMMA_TF32_FROM_REGISTERS(96, PLACES_48, 48, 49, 50, 51, 52, SUMS_32(0), SUMS_8(32), SUMS_8(40));
}

static __device__ __forceinline__ void multiply_add(float (&sum)[64], const unsigned (&a)[4], uint64_t b)
{
    WGMMA_TF32_FROM_REGISTERS(128, PLACES_64, 64, 65, 66, 67, 68, SUMS_32(0), SUMS_32(32));
}

static __device__ __forceinline__ void multiply_add(float (&sum)[96], const unsigned (&a)[4], uint64_t b)
{
    WGMMA_TF32_FROM_REGISTERS(192, PLACES_96, 96, 97, 98, 99, 100, SUMS_32(0), SUMS_32(32), SUMS_32(64));
}

static __device__ __forceinline__ void multiply_add(float (&sum)[128], const unsigned (&a)[4], uint64_t b)
{
    WGMMA_TF32_FROM_REGISTERS(256, PLACES_128, 128, 129, 130, 131, 132, SUMS_32(0), SUMS_32(32), SUMS_32(64),
                              SUMS_32(96));
}

#undef WGMMA
#undef WGMMA_TF32
#undef WGMMA_TF32_FROM_REGISTERS
#undef SUMS_8
#undef SUMS_32
#undef PLACES_32
#undef PLACES_48
#undef PLACES_64
#undef PLACES_96
#undef PLACES_128

#endif
