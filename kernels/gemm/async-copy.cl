/* gemm/async-copy: the pipeline on tiles of many shapes, operands as they lie (pipeline.clh). */
#include "pipeline.clh"

kernel PIPELINE_GROUP void gemm_async_copy(GEMM_PARAMETERS, PART_PARAMETERS)
{
    GEMM_OPERANDS;
    RUN_PART;
}
