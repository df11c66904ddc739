/* transpose/coalesced: a tile in shared memory, so that both global accesses run along rows. */
#include "turned.cuh"

/* The tile is written by rows and read by columns: the 32 threads of a warp then read
 * addresses 32 elements apart, which all lie in one bank. */
template <class T> __device__ void transpose_coalesced(TRANSPOSE_PARAMETERS(T))
{
    grid_dependency_wait();
    turn_tile<TRANSPOSE_TILE, false>(in, out, ld_in, ld_out, tile_downwards(tiles, TRANSPOSE_TILE, rows, cols));
}

TRANSPOSE_ENTRIES(coalesced)
