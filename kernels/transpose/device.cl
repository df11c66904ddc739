/* What the transposes of this folder share in OpenCL: which tile a group has.
 * The recipe defines T, the element, for `vector` PACK, 16 bytes of them, and REGISTERS where
 * it limits them (recipe.h). */

/* For functions that ask for their work-item: an OpenCL that runs work-items as loops
 * (PoCL) can only turn them into such when they are inlined. */
#define INLINE static inline __attribute__((always_inline))

/* NVIDIA's assembler would not heed a limit to registers beside this (recipe.h). */
#ifdef REGISTERS
#define WORK_GROUP(threads)
#else
#define WORK_GROUP(threads) __attribute__((reqd_work_group_size(threads, 1, 1)))
#endif

/* Where a tile begins in `in`, and how much of it lies inside. */
typedef struct tile_place {
    long row, col;
    int height, width;
} tile_place;

INLINE tile_place tile_at(uint down, uint right, int size, long rows, long cols)
{
    tile_place tile;
    tile.row = (long)down * size;
    tile.col = (long)right * size;
    tile.height = (int)min(rows - tile.row, (long)size);
    tile.width = (int)min(cols - tile.col, (long)size);
    return tile;
}

/* Groups take the tiles row by row; `across` tiles lie side by side. */
INLINE tile_place tile_in_order(int across, int size, long rows, long cols)
{
    const uint group = get_group_id(0);
    return tile_at(group / (uint)across, group % (uint)across, size, rows, cols);
}

/* Groups take the tiles column by column; `down` tiles lie one above the other.  What runs
 * at one time then writes a few rows of `out` in long pieces: memory likes its writes close
 * together better than its reads. */
INLINE tile_place tile_downwards(int down, int size, long rows, long cols)
{
    const uint group = get_group_id(0);
    return tile_at(group % (uint)down, group / (uint)down, size, rows, cols);
}

/* What one work-item holds of a tile: the elements in its column x and in the rows y,
 * y + TRANSPOSE_ROWS, and so on. */
typedef struct held_part {
    T at[TRANSPOSE_TILE / TRANSPOSE_ROWS];
} held_part;

/* All loads are under way before the first is waited for: that, and not the number of
 * work-items, is what hides the way to memory.  `in` is where the tile begins. */
INLINE held_part read_tile(global const T *restrict in, long ld, tile_place tile)
{
    const int x = get_local_id(0), y = get_local_id(1), height = x < tile.width ? tile.height : 0;
    held_part held;

    in += y * ld + x;
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        held.at[k / TRANSPOSE_ROWS] = y + k < height ? in[k * ld] : (T)0;
    return held;
}
