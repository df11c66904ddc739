/* transpose/diagonal: swizzled, with the blocks taken in diagonal order: what runs at one time is
 * spread over the partitions of memory. */
#include "turned.cuh"

/* Blocks that run at one time have different rows and different columns of tiles, so
 * neither their reads nor their writes are all a multiple of ld apart.  For each `down`
 * the blocks pass through every `right` once, whatever the two numbers are. */
template <class T> __device__ void transpose_diagonal(TRANSPOSE_PARAMETERS(T))
{
    grid_dependency_wait();
    const unsigned high = gridDim.x / (unsigned)tiles, down = blockIdx.x % high;
    const unsigned right = (blockIdx.x / high + down) % (unsigned)tiles;
    turn_tile<TRANSPOSE_TILE, true>(in, out, ld_in, ld_out, tile_at(down, right, TRANSPOSE_TILE, rows, cols));
}

TRANSPOSE_ENTRIES(diagonal)
