/* transpose/sector-aligned: tiles.  Every row of `out` is written from the beginning of a
 * sector on: no two groups write parts of one.  The
 * recipe defines ACROSS, HEIGHT and RUN. */
#include "batch.clh"

/* A sector, 32 bytes, that two work-groups write a part of each costs much more than one that
 * is written whole.  So column j of a tile begins at the row `begin`, 1 to RUN rows below the
 * first that the tile reads, where row j of `out` has a multiple of RUN elements: 32 bytes or
 * more.  It has HEIGHT rows from there on.  RUN + HEIGHT rows are read; the RUN that the
 * neighbour reads too come from a cache. */
#define DEPTH (RUN + HEIGHT)
#define STEP (TRANSPOSE_SECTOR_ALIGNED_THREADS / ACROSS)
#define PITCH (ACROSS + (4 / sizeof(T) > 1 ? 4 / sizeof(T) : 1))

/* All loads are under way before the first is waited for. */
INLINE void read_sector_aligned(global const T *in, long ld_in, long rows, long first, int width, local T *staged)
{
    const int x = (int)get_local_id(0) % ACROSS, y = (int)get_local_id(0) / ACROSS;
    T held[DEPTH / STEP];

#pragma unroll
    for (int k = 0; k < DEPTH; k += STEP) {
        const long row = first + y + k;
        held[k / STEP] = row >= 0 && row < rows && x < width ? in[(first + y) * ld_in + x + k * ld_in] : (T)0;
    }
#pragma unroll
    for (int k = 0; k < DEPTH; k += STEP)
        staged[(y + k) * PITCH + x] = held[k / STEP];
}

/* `out` points to the row of the tile's first column. */
INLINE void write_sector_aligned(global T *out, long ld_out, long rows, long first, int width, local const T *staged)
{
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
    const uint place = (uint)((ulong)(uintptr_t)out / sizeof(T)) + (uint)first;

#pragma unroll
    for (int n = 0; n < ACROSS; n += TRANSPOSE_SECTOR_ALIGNED_THREADS / 32) {
        const int j = n + warp, begin = RUN - (int)((place + (uint)j * (uint)ld_out) % RUN);
#pragma unroll
        for (int k = 0; k < HEIGHT; k += 32) {
            const int i = begin + k + lane;
            const long row = first + i;
            if (row >= 0 && row < rows && j < width)
                out[j * ld_out + row] = staged[i * PITCH + j];
        }
    }
}

kernel __attribute__((reqd_work_group_size(TRANSPOSE_SECTOR_ALIGNED_THREADS, 1, 1))) void
transpose_sector_aligned(TRANSPOSE_BATCH_PARAMETERS)
{
    local T staged[DEPTH * PITCH];
    const uint number = TILE_OF_PROBLEM;
    const long first = (long)(number % (uint)tiles) * HEIGHT - RUN, col = (long)(number / (uint)tiles) * ACROSS;
    const int width = (int)min(cols - col, (long)ACROSS);

    read_sector_aligned(in + IN_OF_PROBLEM + col, ld_in, rows, first, width, staged);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_sector_aligned(out + OUT_OF_PROBLEM + col * ld_out, ld_out, rows, first, width, staged);
}
