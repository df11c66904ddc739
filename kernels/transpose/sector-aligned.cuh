/* What transpose/sector-aligned computes, and transpose/vector where its operands start off alignment. */
#pragma once

#include "batch.cuh"

/* A sector, 32 bytes, that two blocks write a part of each costs much more than one that is
 * written whole.  So column j of a tile begins at the row `begin(j)`, 1 to RUN rows below the
 * first that the tile reads, where row j of `out` has a multiple of RUN elements: 32 bytes or
 * more.  It has HEIGHT rows from there on.  RUN + HEIGHT rows are read; the RUN that the
 * neighbour reads too come from a cache. */
template <class T, int WIDTH, int HEIGHT, int RUN> struct SectorAligned {
    static constexpr int depth = RUN + HEIGHT, step = TRANSPOSE_SECTOR_ALIGNED_THREADS / WIDTH;
    static constexpr int gap = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    static_assert(TRANSPOSE_SECTOR_ALIGNED_THREADS % WIDTH == 0 && depth % step == 0, "whole rows at a time");
    static_assert(HEIGHT % 32 == 0 && (RUN & (RUN - 1)) == 0, "a warp writes 32 elements of a row");
    T at[depth][WIDTH + gap];
};

/* All loads are under way before the first is waited for. */
template <class T, int WIDTH, int HEIGHT, int RUN>
__device__ void read_sector_aligned(const T *__restrict__ in, int64_t ld_in, int64_t rows, int64_t first, int width,
                                    SectorAligned<T, WIDTH, HEIGHT, RUN> &staged)
{
    constexpr int depth = staged.depth, step = staged.step;
    const int x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;
    T held[depth / step];

    in += (first + y) * ld_in + x;
#pragma unroll
    for (int k = 0; k < depth; k += step) {
        const int64_t row = first + y + k;
        held[k / step] = row >= 0 && row < rows && x < width ? in[k * ld_in] : T();
    }
#pragma unroll
    for (int k = 0; k < depth; k += step)
        staged.at[y + k][x] = held[k / step];
}

/* `out` points to the row of the tile's first column. */
template <class T, int WIDTH, int HEIGHT, int RUN>
__device__ void write_sector_aligned(T *__restrict__ out, int64_t ld_out, int64_t rows, int64_t first, int width,
                                     const SectorAligned<T, WIDTH, HEIGHT, RUN> &staged)
{
    constexpr int warps = TRANSPOSE_SECTOR_ALIGNED_THREADS / 32;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned place = (unsigned)((uintptr_t)out / sizeof(T)) + (unsigned)first;

#pragma unroll
    for (int n = 0; n < WIDTH; n += warps) {
        const int j = n + warp, begin = RUN - (int)((place + j * (unsigned)ld_out) % RUN);
#pragma unroll
        for (int k = 0; k < HEIGHT; k += 32) {
            const int i = begin + k + lane;
            const int64_t row = first + i;
            if (row >= 0 && row < rows && j < width)
                out[j * ld_out + row] = staged.at[i][j];
        }
    }
}

/* For after grid_dependency_wait(). */
template <class T, int WIDTH, int HEIGHT, int RUN>
__device__ void transpose_sector_aligned(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                         int64_t ld_in, int64_t ld_out, int down, const Batch &batch)
{
    __shared__ SectorAligned<T, WIDTH, HEIGHT, RUN> staged;
    const unsigned number = batch.move(in, out);
    const int64_t first = (int64_t)(number % (unsigned)down) * HEIGHT - RUN;
    const int64_t col = (int64_t)(number / (unsigned)down) * WIDTH;
    const int width = tile_part(cols - col, WIDTH);

    read_sector_aligned(in + col, ld_in, rows, first, width, staged);
    __syncthreads();
    write_sector_aligned(out + col * ld_out, ld_out, rows, first, width, staged);
}
