/* gemm/split-k: the pipeline on smaller tiles, and with parts of k in work-groups of their own.  The last
 * of a tile's parts to end adds them in their order; with no PIPELINE_PTX a launch after them does. */
#include "gemm/device/simt/mainloop.clh"

kernel PIPELINE_GROUP void gemm_split_k(GEMM_PARAMETERS, PART_PARAMETERS)
{
    GEMM_OPERANDS;
    RUN_PART;
}
