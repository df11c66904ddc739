/* The list of work of persistent blocks: tiles of C, and parts along k of those that would leave a last
 * round of blocks nearly empty. */
#pragma once

#include "gemm/device/common/tiles.h"

/* The first `whole` tiles of C are one item each, each later tile is `parts` items along k. */
struct Cut {
    int whole, parts, items;
};

struct Item {
    int row, col;     /* of the tile's first element in C */
    int first, steps; /* of DEPTH along k */
    int partial;      /* which partial tile it makes, or -1: it makes C */
};

/* GEMM_GROUP rows of tiles together, column by column: see tile_in_group().  In 32 bits: a
 * division of 64 bits before the first copy is seen in the time of a small product. */
static __device__ inline void place_tile(int tile, int m, int n, int rows, int cols, int *row, int *col)
{
    const int down = (m - 1) / rows + 1, across = (n - 1) / cols + 1;
    const int group = tile / (GEMM_GROUP * across), within = tile - group * GEMM_GROUP * across;
    const int left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    *row = (group * GEMM_GROUP + within % height) * rows;
    *col = within / height * cols;
}

/* Item `number` of a product m x n in tiles of rows x cols, whose k is `steps` stages. */
static __device__ inline Item item_at(const Cut &cut, int number, int m, int n, int rows, int cols, int steps)
{
    const int late = number - cut.whole;
    int tile = number;
    Item item = {0, 0, 0, steps, -1};

    if (late >= 0) {
        const int part = late % cut.parts, share = steps / cut.parts, more = steps % cut.parts;
        tile = cut.whole + late / cut.parts;
        item.first = part * share + (part < more ? part : more);
        item.steps = share + (part < more);
        item.partial = late;
    }
    place_tile(tile, m, n, rows, cols, &item.row, &item.col);
    return item;
}
