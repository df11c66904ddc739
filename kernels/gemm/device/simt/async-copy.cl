/* gemm/async-copy: the pipeline on tiles of many shapes, operands as they lie (simt/mainloop.clh). */
#include "gemm/device/simt/mainloop.clh"

kernel PIPELINE_GROUP void gemm_async_copy(GEMM_PARAMETERS, PART_PARAMETERS)
{
    GEMM_OPERANDS;
    RUN_PART;
}
