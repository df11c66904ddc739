/* transpose/swizzled: no padding; the column index is XORed with the row: no bank conflicts, and no
 * shared memory for gaps. */
#include "turned.cuh"

/* Row i holds column j at j ^ i: a permutation of each row, which also puts the elements
 * of a column into 32 different banks. */
template <class T> __device__ void transpose_swizzled(TRANSPOSE_PARAMETERS(T))
{
    grid_dependency_wait();
    turn_tile<TRANSPOSE_TILE, true>(in, out, ld_in, ld_out, tile_downwards(tiles, TRANSPOSE_TILE, rows, cols));
}

TRANSPOSE_ENTRIES(swizzled)
