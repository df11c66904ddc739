/* transpose/padded: the tile one column wider, so that a column of it meets every bank once. */
#include "turned.cuh"

/* Elements of a column lie 33 apart: in 32 different banks for 4 bytes each. */
template <class T> __device__ void transpose_padded(TRANSPOSE_PARAMETERS(T))
{
    grid_dependency_wait();
    turn_tile<TRANSPOSE_TILE + 1, false>(in, out, ld_in, ld_out, tile_downwards(tiles, TRANSPOSE_TILE, rows, cols));
}

TRANSPOSE_ENTRIES(padded)
