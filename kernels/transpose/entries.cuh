/* The entry points of this directory's kernels: transpose_<kernel>_<size>, one for each size of
 * element, as kernels.c spells them.  A kernel file ends with the line that makes its own. */
#pragma once

#include <cstdint>

/* X(size, SIZE, T, ...): SIZE as in the names of tiles.h. */
#define TRANSPOSE_SIZES(X, ...)           \
    TRANSPOSE_SMALL_SIZES(X, __VA_ARGS__) \
    X(b16, B16, uint4, __VA_ARGS__)

/* Those below 16 bytes, where an operand may start off alignment. */
#define TRANSPOSE_SMALL_SIZES(X, ...) \
    X(b1, B1, uint8_t, __VA_ARGS__)   \
    X(b2, B2, uint16_t, __VA_ARGS__)  \
    X(b4, B4, uint32_t, __VA_ARGS__)  \
    X(b8, B8, uint64_t, __VA_ARGS__)

#define TRANSPOSE_PARAMETERS(T) \
    const T *in, T *out, int64_t rows, int64_t cols, int64_t ld_in, int64_t ld_out, int tiles
#define TRANSPOSE_ARGUMENTS in, out, rows, cols, ld_in, ld_out, tiles

/* transpose_<kernel><T>() of kernels with tiles of 32 x 32; `tiles` lie side by side, or one above
 * the other. */
#define TRANSPOSE_ENTRIES(kernel) TRANSPOSE_SIZES(TRANSPOSE_ENTRY, kernel)

#define TRANSPOSE_ENTRY(size, SIZE, T, kernel)                                   \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_TILE *TRANSPOSE_ROWS) \
        transpose_##kernel##_##size(TRANSPOSE_PARAMETERS(T))                     \
    {                                                                            \
        transpose_##kernel<T>(TRANSPOSE_ARGUMENTS);                              \
    }
