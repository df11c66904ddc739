/* gemm/wgmma-pipelined: one work-item asks the copy engine for tiles of the operands, two warpgroups multiply them, and
 * none waits for more than what it needs next; work-groups stay for all their tiles.  CUDA: wgmma-pipelined.cu, whose
 * tensor maps the driver encodes; here every work-group makes its own.
 *
 * The recipe defines a program for each tile, layout and type of C. */
#include "gemm/device/common/problem.clh"

#define SUM_ENTRY gemm_wgmma_pipelined_sum
#include "gemm/device/tensor/persistent.clh"
#include "gemm/device/common/pack-operands.clh"
