/* What the transposes of this directory share in CUDA: which tile a block has. */
#pragma once

#include "entries.cuh"
#include "grid_dependency.cuh"
#include "pack.cuh"
#include "tiles.h"

#include <cstdint>

/* Where a tile begins in `in`, and how much of it lies inside. */
struct Tile {
    int64_t row, col;
    int height, width;
};

static __device__ int tile_part(int64_t left, int size)
{
    return left < size ? (int)left : size;
}

static __device__ Tile tile_at(unsigned down, unsigned right, int size, int64_t rows, int64_t cols)
{
    const int64_t row = (int64_t)down * size, col = (int64_t)right * size;
    return {row, col, tile_part(rows - row, size), tile_part(cols - col, size)};
}

/* Blocks take the tiles row by row; `across` tiles lie side by side.  The grid has one
 * dimension, because its second ends at 65535. */
static __device__ Tile tile_in_order(int across, int size, int64_t rows, int64_t cols)
{
    const unsigned right = blockIdx.x % (unsigned)across, down = blockIdx.x / (unsigned)across;
    return tile_at(down, right, size, rows, cols);
}

/* Blocks take the tiles column by column; `down` tiles lie one above the other.  What runs
 * at one time then writes a few rows of `out` in long pieces: memory likes its writes close
 * together better than its reads. */
static __device__ Tile tile_downwards(int down, int size, int64_t rows, int64_t cols)
{
    const unsigned right = blockIdx.x / (unsigned)down, below = blockIdx.x % (unsigned)down;
    return tile_at(below, right, size, rows, cols);
}

/* What one thread holds of a tile: the elements in its column x and in the rows y,
 * y + TRANSPOSE_ROWS, and so on. */
template <class T> struct Held {
    T at[TRANSPOSE_TILE / TRANSPOSE_ROWS];
};

/* All loads are under way before the first is waited for: that, and not the number of
 * threads, is what hides the way to memory.  `in` is where the tile begins. */
template <class T> __device__ Held<T> read_tile(const T *__restrict__ in, int64_t ld, Tile tile)
{
    const int x = threadIdx.x, y = threadIdx.y, height = x < tile.width ? tile.height : 0;
    Held<T> held;

    in += y * ld + x;
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        held.at[k / TRANSPOSE_ROWS] = y + k < height ? in[k * ld] : T();
    return held;
}
