/* transpose/vector: a micro-tile per thread, 16-byte accesses both ways, in global and in local
 * memory.  The recipe defines WIDTH, the elements in a PACK, and SIZE, rows and columns of a tile. */
#include "batch.clh"

#define PACKS (SIZE / WIDTH) /* in a row of a tile; a power of two */
#define THREADS (PACKS * PACKS)

typedef union {
    PACK pack;
    T lane[WIDTH];
} sixteen_bytes;

/* `staged` holds the transposed tile: SIZE rows of PACKS packs.  Row j has pack r at
 * r ^ (j / WIDTH), so that neither the threads of a row nor those of a column of micro-tiles
 * meet in a bank. */
static int staged_pack(int j, int r)
{
    return j * PACKS + (r ^ (j / WIDTH));
}

/* Each thread reads a micro-tile of WIDTH x WIDTH elements and transposes it in its registers. */
INLINE void read_whole_tile(global const T *in, long ld_in, local PACK *staged)
{
    const int x = (int)get_local_id(0) % PACKS, y = (int)get_local_id(0) / PACKS;
    sixteen_bytes read[WIDTH];

#pragma unroll
    for (int k = 0; k < WIDTH; ++k)
        read[k].pack = *(global const PACK *)(in + (y * WIDTH + k) * ld_in + x * WIDTH);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
        sixteen_bytes transposed;
#pragma unroll
        for (int i = 0; i < WIDTH; ++i)
            transposed.lane[i] = read[i].lane[k];
        staged[staged_pack(x * WIDTH + k, y)] = transposed.pack;
    }
}

INLINE void write_whole_tile(global T *out, long ld_out, local const PACK *staged)
{
    const int x = (int)get_local_id(0) % PACKS, y = (int)get_local_id(0) / PACKS;

#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
        const int j = k * PACKS + y;
        *(global PACK *)(out + j * ld_out + x * WIDTH) = staged[staged_pack(j, x)];
    }
}

/* Element by element: a tile at the border, or rows that do not begin at 16 bytes. */
INLINE void read_any_tile(global const T *in, long ld_in, tile_place tile, local T *staged)
{
#pragma unroll 4
    for (int e = get_local_id(0); e < SIZE * SIZE; e += THREADS) {
        const int i = e / SIZE, j = e % SIZE;
        if (i < tile.height && j < tile.width)
            staged[staged_pack(j, i / WIDTH) * WIDTH + i % WIDTH] = in[i * ld_in + j];
    }
}

INLINE void write_any_tile(global T *out, long ld_out, tile_place tile, local const T *staged)
{
#pragma unroll 4
    for (int e = get_local_id(0); e < SIZE * SIZE; e += THREADS) {
        const int j = e / SIZE, i = e % SIZE;
        if (i < tile.height && j < tile.width)
            out[j * ld_out + i] = staged[staged_pack(j, i / WIDTH) * WIDTH + i % WIDTH];
    }
}

/* Whether all SIZE x SIZE elements exist and all their rows begin at multiples of 16 bytes:
 * the same for the whole work-group, and so that every compiler can see it, arithmetic on
 * arguments and the group alone, without a call or a jump.  When it does not see it,
 * PoCL 5.0 runs what follows the barrier as its last work-item, over and over. */
INLINE bool is_whole(tile_place tile, long rows, long cols, global const T *in, long ld_in, global const T *out,
                     long ld_out)
{
    const ulong misplaced =
        (ulong)(uintptr_t)in | (ulong)(uintptr_t)out | (ulong)ld_in * sizeof(T) | (ulong)ld_out * sizeof(T);
    return (rows - tile.row >= SIZE) & (cols - tile.col >= SIZE) & (misplaced % 16 == 0);
}

kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void transpose_vector(TRANSPOSE_BATCH_PARAMETERS)
{
    local PACK staged[SIZE * PACKS];
    const tile_place tile = tile_numbered(TILE_OF_PROBLEM, tiles, SIZE, rows, cols);
    const bool whole = is_whole(tile, rows, cols, in + IN_OF_PROBLEM, ld_in, out + OUT_OF_PROBLEM, ld_out);

    in += IN_OF_PROBLEM + tile.row * ld_in + tile.col;
    out += OUT_OF_PROBLEM + tile.col * ld_out + tile.row;
    if (whole)
        read_whole_tile(in, ld_in, staged);
    else
        read_any_tile(in, ld_in, tile, (local T *)staged);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (whole)
        write_whole_tile(out, ld_out, staged);
    else
        write_any_tile(out, ld_out, tile, (local const T *)staged);
}
