/* transpose/tall-skinny: for tall-skinny matrices.  Tiles as narrow as the matrix, numbered along the
 * memory of either side: no thread is idle because a side is short.  The recipe defines CAPACITY,
 * the elements of a tile. */
#include "batch.clh"

#define EACH (CAPACITY / TRANSPOSE_TALL_SKINNY_THREADS)

/* e / by for 0 <= e * by < 2^31, where `inverse` is 2^31 / by, rounded up. */
static int quotient(int e, uint inverse)
{
    return (int)((ulong)(uint)e * inverse >> 31);
}

static uint inverse_of(int by)
{
    return 0x7fffffffu / (uint)by + 1;
}

/* A tile of `height` x `width` elements: reads number them along its rows, writes along its
 * columns, and neither leaves a work-item idle because a side is short. */
kernel WORK_GROUP(TRANSPOSE_TALL_SKINNY_THREADS) void transpose_tall_skinny(TRANSPOSE_BATCH_PARAMETERS, int height,
                                                                            int width)
{
    local T staged[CAPACITY + CAPACITY / 2];
    const uint number = TILE_OF_PROBLEM;
    const long row = (long)(number % (uint)tiles) * height, col = (long)(number / (uint)tiles) * width;
    const int inside_rows = (int)min(rows - row, (long)height), inside_cols = (int)min(cols - col, (long)width);
    const uint by_width = inverse_of(width), by_height = inverse_of(height);
    const int item = get_local_id(0);
    /* Where element (i, j) is kept: the tile's shorter rows or columns one after the other, an
     * odd number of elements apart, so that a warp meets many banks both ways. */
    const int step_i = width <= height ? width | 1 : 1, step_j = width <= height ? 1 : height | 1;
    T held[EACH];

    in += IN_OF_PROBLEM + row * ld_in + col;
    out += OUT_OF_PROBLEM + col * ld_out + row;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int e = k * TRANSPOSE_TALL_SKINNY_THREADS + item, i = quotient(e, by_width), j = e - i * width;
        held[k] = i < inside_rows && j < inside_cols ? in[i * ld_in + j] : (T)0;
    }
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int e = k * TRANSPOSE_TALL_SKINNY_THREADS + item, i = quotient(e, by_width), j = e - i * width;
        if (i < inside_rows && j < inside_cols)
            staged[i * step_i + j * step_j] = held[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int e = k * TRANSPOSE_TALL_SKINNY_THREADS + item, j = quotient(e, by_height), i = e - j * height;
        if (i < inside_rows && j < inside_cols)
            out[j * ld_out + i] = staged[i * step_i + j * step_j];
    }
}
