/* gemm/bulk-pipeline: four warps bring tiles by copies that run by themselves, four multiply (simt/mainloop.clh). */
#include "gemm/device/simt/mainloop.clh"

kernel PIPELINE_GROUP void gemm_bulk_pipeline(GEMM_PARAMETERS, PART_PARAMETERS)
{
    GEMM_OPERANDS;
    RUN_PART;
}
