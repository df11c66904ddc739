/* wgmma for any number of columns that the units know: a warpgroup's product of 64 x COLS x 16, COLS a multiple of 8
 * up to 256, both operands from shared memory.  For sm_90a alone. */
#pragma once

#include "gemm/device/ptx/wgmma.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* The sums of eight columns, and their places in the text of an instruction: those of 8 N columns are N of them. */
#define SUMS_OF(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS_1 SUMS_OF(0)
#define PLACES_1 "%0, %1, %2, %3"
#define SUMS_2 SUMS_1, SUMS_OF(4)
#define PLACES_2 PLACES_1 ", %4, %5, %6, %7"
#define SUMS_3 SUMS_2, SUMS_OF(8)
#define PLACES_3 PLACES_2 ", %8, %9, %10, %11"
#define SUMS_4 SUMS_3, SUMS_OF(12)
#define PLACES_4 PLACES_3 ", %12, %13, %14, %15"
#define SUMS_5 SUMS_4, SUMS_OF(16)
#define PLACES_5 PLACES_4 ", %16, %17, %18, %19"
#define SUMS_6 SUMS_5, SUMS_OF(20)
#define PLACES_6 PLACES_5 ", %20, %21, %22, %23"
#define SUMS_7 SUMS_6, SUMS_OF(24)
#define PLACES_7 PLACES_6 ", %24, %25, %26, %27"
#define SUMS_8 SUMS_7, SUMS_OF(28)
#define PLACES_8 PLACES_7 ", %28, %29, %30, %31"
#define SUMS_9 SUMS_8, SUMS_OF(32)
#define PLACES_9 PLACES_8 ", %32, %33, %34, %35"
#define SUMS_10 SUMS_9, SUMS_OF(36)
#define PLACES_10 PLACES_9 ", %36, %37, %38, %39"
#define SUMS_11 SUMS_10, SUMS_OF(40)
#define PLACES_11 PLACES_10 ", %40, %41, %42, %43"
#define SUMS_12 SUMS_11, SUMS_OF(44)
#define PLACES_12 PLACES_11 ", %44, %45, %46, %47"
#define SUMS_13 SUMS_12, SUMS_OF(48)
#define PLACES_13 PLACES_12 ", %48, %49, %50, %51"
#define SUMS_14 SUMS_13, SUMS_OF(52)
#define PLACES_14 PLACES_13 ", %52, %53, %54, %55"
#define SUMS_15 SUMS_14, SUMS_OF(56)
#define PLACES_15 PLACES_14 ", %56, %57, %58, %59"
#define SUMS_16 SUMS_15, SUMS_OF(60)
#define PLACES_16 PLACES_15 ", %60, %61, %62, %63"
#define SUMS_17 SUMS_16, SUMS_OF(64)
#define PLACES_17 PLACES_16 ", %64, %65, %66, %67"
#define SUMS_18 SUMS_17, SUMS_OF(68)
#define PLACES_18 PLACES_17 ", %68, %69, %70, %71"
#define SUMS_19 SUMS_18, SUMS_OF(72)
#define PLACES_19 PLACES_18 ", %72, %73, %74, %75"
#define SUMS_20 SUMS_19, SUMS_OF(76)
#define PLACES_20 PLACES_19 ", %76, %77, %78, %79"
#define SUMS_21 SUMS_20, SUMS_OF(80)
#define PLACES_21 PLACES_20 ", %80, %81, %82, %83"
#define SUMS_22 SUMS_21, SUMS_OF(84)
#define PLACES_22 PLACES_21 ", %84, %85, %86, %87"
#define SUMS_23 SUMS_22, SUMS_OF(88)
#define PLACES_23 PLACES_22 ", %88, %89, %90, %91"
#define SUMS_24 SUMS_23, SUMS_OF(92)
#define PLACES_24 PLACES_23 ", %92, %93, %94, %95"
#define SUMS_25 SUMS_24, SUMS_OF(96)
#define PLACES_25 PLACES_24 ", %96, %97, %98, %99"
#define SUMS_26 SUMS_25, SUMS_OF(100)
#define PLACES_26 PLACES_25 ", %100, %101, %102, %103"
#define SUMS_27 SUMS_26, SUMS_OF(104)
#define PLACES_27 PLACES_26 ", %104, %105, %106, %107"
#define SUMS_28 SUMS_27, SUMS_OF(108)
#define PLACES_28 PLACES_27 ", %108, %109, %110, %111"
#define SUMS_29 SUMS_28, SUMS_OF(112)
#define PLACES_29 PLACES_28 ", %112, %113, %114, %115"
#define SUMS_30 SUMS_29, SUMS_OF(116)
#define PLACES_30 PLACES_29 ", %116, %117, %118, %119"
#define SUMS_31 SUMS_30, SUMS_OF(120)
#define PLACES_31 PLACES_30 ", %120, %121, %122, %123"
#define SUMS_32 SUMS_31, SUMS_OF(124)
#define PLACES_32 PLACES_31 ", %124, %125, %126, %127"

template <int COLS> struct Product;

#define PRODUCT_TEXT(COLS, TYPE, N, A, B, ADD, TRANS_A, TRANS_B)                                    \
    asm volatile("{\n"                                                                              \
                 ".reg .pred add;\n"                                                                \
                 "setp.ne.u32 add, %" #ADD ", 0;\n"                                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #COLS "k16.f32." TYPE "." TYPE " {" PLACES_##N \
                 "}, %" #A ", %" #B ", add, 1, 1, %" #TRANS_A ", %" #TRANS_B ";\n"                  \
                 "}"                                                                                \
                 : SUMS_##N                                                                         \
                 : "l"(a), "l"(b), "r"(add), "n"(A_INNER ? 0 : 1), "n"(B_INNER ? 0 : 1))

/* sum = a b, or with `add` that is added; the sums lie as multiply_add() says.  A, B, ...: the places of what comes
 * after them. */
#define PRODUCT(COLS, N, ...)                                                                                       \
    template <> struct Product<COLS> {                                                                              \
        template <class T, bool A_INNER, bool B_INNER>                                                              \
        static __device__ __forceinline__ void add_to(float (&sum)[COLS / 2], uint64_t a, uint64_t b, uint32_t add) \
        {                                                                                                           \
            if constexpr (std::is_same<T, __half>::value)                                                           \
                PRODUCT_TEXT(COLS, "f16", N, __VA_ARGS__);                                                          \
            else                                                                                                    \
                PRODUCT_TEXT(COLS, "bf16", N, __VA_ARGS__);                                                         \
        }                                                                                                           \
    };

PRODUCT(8, 1, 4, 5, 6, 7, 8)
PRODUCT(16, 2, 8, 9, 10, 11, 12)
PRODUCT(24, 3, 12, 13, 14, 15, 16)
PRODUCT(32, 4, 16, 17, 18, 19, 20)
PRODUCT(40, 5, 20, 21, 22, 23, 24)
PRODUCT(48, 6, 24, 25, 26, 27, 28)
PRODUCT(56, 7, 28, 29, 30, 31, 32)
PRODUCT(64, 8, 32, 33, 34, 35, 36)
PRODUCT(72, 9, 36, 37, 38, 39, 40)
PRODUCT(80, 10, 40, 41, 42, 43, 44)
PRODUCT(88, 11, 44, 45, 46, 47, 48)
PRODUCT(96, 12, 48, 49, 50, 51, 52)
PRODUCT(104, 13, 52, 53, 54, 55, 56)
PRODUCT(112, 14, 56, 57, 58, 59, 60)
PRODUCT(120, 15, 60, 61, 62, 63, 64)
PRODUCT(128, 16, 64, 65, 66, 67, 68)
PRODUCT(136, 17, 68, 69, 70, 71, 72)
PRODUCT(144, 18, 72, 73, 74, 75, 76)
PRODUCT(152, 19, 76, 77, 78, 79, 80)
PRODUCT(160, 20, 80, 81, 82, 83, 84)
PRODUCT(168, 21, 84, 85, 86, 87, 88)
PRODUCT(176, 22, 88, 89, 90, 91, 92)
PRODUCT(184, 23, 92, 93, 94, 95, 96)
PRODUCT(192, 24, 96, 97, 98, 99, 100)
PRODUCT(200, 25, 100, 101, 102, 103, 104)
PRODUCT(208, 26, 104, 105, 106, 107, 108)
PRODUCT(216, 27, 108, 109, 110, 111, 112)
PRODUCT(224, 28, 112, 113, 114, 115, 116)
PRODUCT(232, 29, 116, 117, 118, 119, 120)
PRODUCT(240, 30, 120, 121, 122, 123, 124)
PRODUCT(248, 31, 124, 125, 126, 127, 128)
PRODUCT(256, 32, 128, 129, 130, 131, 132)

#undef PRODUCT
#undef PRODUCT_TEXT
#undef SUMS_OF
#undef SUMS_1
#undef PLACES_1
#undef SUMS_2
#undef PLACES_2
#undef SUMS_3
#undef PLACES_3
#undef SUMS_4
#undef PLACES_4
#undef SUMS_5
#undef PLACES_5
#undef SUMS_6
#undef PLACES_6
#undef SUMS_7
#undef PLACES_7
#undef SUMS_8
#undef PLACES_8
#undef SUMS_9
#undef PLACES_9
#undef SUMS_10
#undef PLACES_10
#undef SUMS_11
#undef PLACES_11
#undef SUMS_12
#undef PLACES_12
#undef SUMS_13
#undef PLACES_13
#undef SUMS_14
#undef PLACES_14
#undef SUMS_15
#undef PLACES_15
#undef SUMS_16
#undef PLACES_16
#undef SUMS_17
#undef PLACES_17
#undef SUMS_18
#undef PLACES_18
#undef SUMS_19
#undef PLACES_19
#undef SUMS_20
#undef PLACES_20
#undef SUMS_21
#undef PLACES_21
#undef SUMS_22
#undef PLACES_22
#undef SUMS_23
#undef PLACES_23
#undef SUMS_24
#undef PLACES_24
#undef SUMS_25
#undef PLACES_25
#undef SUMS_26
#undef PLACES_26
#undef SUMS_27
#undef PLACES_27
#undef SUMS_28
#undef PLACES_28
#undef SUMS_29
#undef PLACES_29
#undef SUMS_30
#undef PLACES_30
#undef SUMS_31
#undef PLACES_31
#undef SUMS_32
#undef PLACES_32

#endif
