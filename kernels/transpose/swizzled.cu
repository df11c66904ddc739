/* transpose/swizzled: no padding; the column index is XORed with the row: no bank conflicts, and no
 * shared memory for gaps. */
#include "batch.cuh"
#include "turned.cuh"

/* Row i holds column j at j ^ i: a permutation of each row, which also puts the elements
 * of a column into 32 different banks. */
template <class T> __device__ void transpose_swizzled(TRANSPOSE_PARAMETERS(T), const Batch &batch)
{
    grid_dependency_wait();
    const unsigned number = batch.move(in, out);
    turn_tile<TRANSPOSE_TILE, true>(in, out, ld_in, ld_out, tile_numbered(number, tiles, TRANSPOSE_TILE, rows, cols));
}

#define SWIZZLED_ENTRY(size, SIZE, T, ...)                                       \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_TILE *TRANSPOSE_ROWS) \
        transpose_swizzled_##size(TRANSPOSE_BATCH_PARAMETERS(T))                 \
    {                                                                            \
        transpose_swizzled<T>(TRANSPOSE_ARGUMENTS, TRANSPOSE_BATCH);             \
    }

TRANSPOSE_SIZES(SWIZZLED_ENTRY)
