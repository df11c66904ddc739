/* gemm/wgmma-tf32: wgmma-pipelined for f32 that is multiplied as TF32.  The units read it along k alone:
 * operands that lie otherwise are turned first, so there is one form for all layouts, "nt". */
#include "entries.cuh"
#include "turn.cuh"
#include "wgmma-run.cuh"

/* The tile's numbers, which units.h has, are what comes last. */
#define TF32_ENTRY(tile, ...)                                                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1)                             \
        gemm_wgmma_tf32_##tile##_f32_nt(WGMMA_PARAMETERS)                                           \
    {                                                                                               \
        using Form = Tile<Tf32, true, true, __VA_ARGS__>;                                           \
        open_pipeline<Form>();                                                                      \
        grid_dependency_wait();                                                                     \
        run_pipeline<Form>(map_a, map_b, WGMMA_DESTINATION, k, partials, Cut{whole, parts, items}); \
    }

TF32_ENTRY(128x256, GEMM_WGMMA_128X256)
TF32_ENTRY(128x128, GEMM_WGMMA_128X128)
TF32_ENTRY(128x64, GEMM_WGMMA_128X64)
WGMMA_SUM_ENTRY(nt, false, true, wgmma_tf32, f32)
GEMM_REPACK_ENTRY(nt)
GEMM_TURN_ENTRY(nt)
GEMM_SCALE_ENTRY(nt)
