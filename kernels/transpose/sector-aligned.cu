/* transpose/sector-aligned: tiles.  Every row of `out` is written from the beginning of a
 * sector on: no two blocks write parts of one. */
#include "sector-aligned.cuh"

#define SECTOR_ALIGNED_ENTRY(size, SIZE, T, ...)                                                                   \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_SECTOR_ALIGNED_THREADS)                                 \
        transpose_sector_aligned_##size(TRANSPOSE_BATCH_PARAMETERS(T))                                             \
    {                                                                                                              \
        grid_dependency_wait();                                                                                    \
        transpose_sector_aligned<T, TRANSPOSE_SECTOR_ALIGNED_WIDTH_##SIZE, TRANSPOSE_SECTOR_ALIGNED_HEIGHT_##SIZE, \
                                 TRANSPOSE_SECTOR_ALIGNED_RUN_##SIZE>(TRANSPOSE_ARGUMENTS, TRANSPOSE_BATCH);       \
    }

TRANSPOSE_SIZES(SECTOR_ALIGNED_ENTRY)
