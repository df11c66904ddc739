/* transpose/skewed: sector-aligned tiles.  Every row of `out` is written from the beginning of a
 * sector on: no two blocks write parts of one. */
#include "skewed.cuh"

#define SKEWED_ENTRY(size, SIZE, T, ...)                                                   \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_SKEWED_THREADS)                 \
        transpose_skewed_##size(TRANSPOSE_PARAMETERS(T))                                   \
    {                                                                                      \
        grid_dependency_wait();                                                            \
        transpose_skewed<T, TRANSPOSE_SKEWED_WIDTH_##SIZE, TRANSPOSE_SKEWED_HEIGHT_##SIZE, \
                         TRANSPOSE_SKEWED_RUN_##SIZE>(TRANSPOSE_ARGUMENTS);                \
    }

TRANSPOSE_SIZES(SKEWED_ENTRY)
