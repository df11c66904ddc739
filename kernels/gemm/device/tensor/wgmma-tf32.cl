/* gemm/wgmma-tf32: wgmma-pipelined for f32 that is multiplied as TF32, which the units read from local memory along k
 * alone.  CUDA: wgmma-tf32.cu, which tells the forms; here the recipe says by TRANS_A, TRANS_B and TURNED how the
 * product that is multiplied lies in memory. */
#include "gemm/device/common/problem.clh"

#define SUM_ENTRY gemm_wgmma_tf32_sum
#include "gemm/device/tensor/persistent.clh"
#include "gemm/device/common/pack-operands.clh"
#include "gemm/device/common/pack-transposed.clh"
