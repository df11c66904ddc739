/* gemm/bf16x6, and what gemm/f16x3 takes where two planes of f16 do not hold an operand: the product of three planes of
 * bf16, and on matrix units in the same launch that without planes; f16x3.cl has all else.  CUDA: f16x3.cu. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/split-precision/split.clh"

/* All products of planes but the three smallest. */
#define PLANES 3
#define SMALL 5
#define OF_A 0x10120
#define OF_B 0x01102
#define SMALL_SCALE 1.0f
#define SCALED 0
#define IS_TAKEN (*IN_THIRDS != 0 && *THIRD_LOST == 0)
#define PLANES_ENTRY gemm_bf16x6
#ifdef ROWS
#undef ROWS /* the recipe's are f16x3's */
#undef STAGES
#define ROWS GEMM_PLANES_SIDE
#define COLS GEMM_PLANES_SIDE
#define STAGES GEMM_BF16X6_STAGES
#define GOES_WITHOUT
#define MEET asm volatile("bar.sync 1, 128;" ::: "memory") /* of a warpgroup */
#include "gemm/device/split-precision/without-planes.clh"
#include "gemm/device/split-precision/planes.clh"
#else
#include "gemm/device/split-precision/planes-plain.clh"
#endif
