/* Products that multiply in plain f32 instructions: tiles of C, partitions of k, and where their operands come from. */
#ifndef PLX_KERNELS_GEMM_SIMT_H
#define PLX_KERNELS_GEMM_SIMT_H

#include "launch.h"

/* A tile of C, as device/common/tiles.h lists them. */
typedef struct plx_gemm_tile {
    int rows, cols, thread_rows, thread_cols, stages_transposed, stages_direct, landings_of_both, registers, blocks;
    const char *entry; /* CUDA's; OpenCL has one for all tiles */
} plx_gemm_tile;

/* The tiles that a kernel has on a device. */
typedef struct plx_gemm_tiles {
    const plx_gemm_tile *tiles;
    size_t count;
    bool takes_edges; /* the kernel has the arguments for partitions and edges */
    bool all_produce; /* no threads do nothing but load operands */
} plx_gemm_tiles;

/* How a product is tiled: tiles of C, and k in partitions, each a block of its own.  The partitions of a cluster
 * are added through shared memory, the sums of clusters through scratch memory by another launch. */
typedef struct plx_gemm_tiling {
    const plx_gemm_tile *tile;
    int cluster, clusters; /* partitions of k: cluster * clusters, at most plx_gemm_k_tiles() */
    int edge_blocks;       /* after those of the tiles, for rows and columns past the last whole one; or 0 */
    bool takes_edges, all_produce;
    /* stream-k: the tiles beyond whole waves of blocks, and those of waves - 1 waves more, are dealt among eighths of
     * the places of a wave; 0: no such. */
    int waves, eighths;
} plx_gemm_tiling;

/* ---- tiles (simt.c) ----------------------------------------------------------------------------- */

#define PLX_GEMM_TILES 5 /* of split-k */
#define PLX_GEMM_STREAM_TILES 3
#define PLX_GEMM_CP_ASYNC_TILES 18
#define PLX_GEMM_OPENCL_TILES 14 /* the first of them: those that OpenCL has */
#define PLX_GEMM_MANY_TILES 11
extern const plx_gemm_tile plx_gemm_split_k_tile[PLX_GEMM_TILES], plx_gemm_stream_tile[PLX_GEMM_STREAM_TILES],
    plx_gemm_cp_async_tile[PLX_GEMM_CP_ASYNC_TILES], plx_gemm_many_tile[PLX_GEMM_MANY_TILES];
/* Of bulk-pipeline, split-k, stream-k, async-copy or many-blocks; NULL: of another kernel. */
const plx_gemm_tiles *plx_gemm_tiles_of(uint32_t kernel, const plx_device_info *device);
/* With a tile, partitions of k in clusters, and no edges. */
plx_gemm_tiling plx_gemm_tiling_of(const plx_gemm_tiles *of, size_t tile, int cluster, int clusters);
/* The one that a schedule says. */
plx_gemm_tiling plx_gemm_tiling_by(const plx_schedule *schedule, const plx_device_info *device);

/* k-tiles: of GEMM_PIPELINE_DEPTH terms. */
int64_t plx_gemm_k_tiles(const plx_problem *problem);
/* The part of C that tiles cover: all of it but edges. */
int64_t plx_gemm_covered_rows(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling);
int64_t plx_gemm_covered_columns(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling);
/* Tiles that cover that. */
int64_t plx_gemm_tile_count(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling);
/* Partitions of k. */
static inline int64_t plx_gemm_partitions(const plx_gemm_tiling *tiling)
{
    return (int64_t)tiling->cluster * tiling->clusters;
}
/* Whether each partition has a k-tile, each tile its counter, and what clusters leave its room. */
bool plx_gemm_possible(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling);
/* Scratch memory for what clusters leave, and the launch that adds it, where there are several: rows of the
 * part of C that tiles cover. */
uint64_t plx_gemm_partial_bytes(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling);
void plx_gemm_add_partitions(const plx_problem *problem, const plx_gemm_tiling *tiling, int64_t partial_at,
                             plx_recipe *recipe);
/* The arguments of how long partitions are: k-tiles of each, and how many have one more. */
void plx_gemm_step_partitions(const plx_problem *problem, const plx_gemm_tiling *tiling, plx_step *step);

/* ---- stream-k: k-tiles of the last tiles stand in one line, in equal ranges, a block each (stream_k.c) ---- */

#define PLX_GEMM_STREAM_EIGHTHS 8

typedef struct plx_gemm_stream {
    int64_t tiles, whole; /* of C; those that have a block each */
    int64_t steps;        /* of a tile */
    int64_t ranges;       /* of the line of steps of the others; 0: there are no others */
    int64_t base, longer; /* the first `longer` ranges have base + 1 steps, the others `base` */
} plx_gemm_stream;

/* Of a tiling that has waves and eighths.  Where a line would be too long to be counted, or its pieces too many
 * for their room, each tile has a block. */
plx_gemm_stream plx_gemm_stream_of(const plx_problem *problem, const plx_device_info *device,
                                   const plx_gemm_tiling *tiling);
/* Where a range begins in the line; `ranges` itself: where the line ends. */
int64_t plx_gemm_stream_begin(const plx_gemm_stream *stream, int64_t range);
/* The range that a step of the line is in. */
int64_t plx_gemm_stream_range(const plx_gemm_stream *stream, int64_t step);
/* Pieces of tiles: one more wherever a range or a tile of the line ends before the last, at most. */
int64_t plx_gemm_stream_pieces(const plx_gemm_stream *stream);
/* Scratch memory for what they leave. */
uint64_t plx_gemm_stream_bytes(const plx_problem *problem, const plx_device_info *device,
                               const plx_gemm_tiling *tiling);
/* The launch's blocks, and its arguments from the steps of a tile on. */
void plx_gemm_step_stream(plx_step *step, const plx_gemm_stream *stream, int64_t partial_at);

/* ---- OpenCL (opencl.c) ---------------------------------------------------------------------------- */

/* Whether bulk-pipeline and split-k load these operands there by maps, which device code makes, where they begin at
 * multiples of 16 bytes. */
bool plx_gemm_makes_maps(const plx_problem *problem, const plx_device_info *device);
/* Whether there is room for what partitions leave there. */
bool plx_gemm_opencl_possible(const plx_problem *problem, const plx_gemm_tiling *tiling);
/* What bulk-pipeline, split-k and async-copy are there; with maps where `aligned` and plx_gemm_makes_maps(). */
plx_status plx_gemm_opencl_recipe(const plx_problem *problem, const plx_device_info *device, const char *entry,
                                  const plx_gemm_tiling *tiling, bool aligned, plx_recipe *recipe, plx_error *error);

/* ---- few-rows: C has few rows, or few columns (skinny.c) ------------------------------------------ */

/* The product with its short side first: out(i, j) = sum of x(i, k) p(k, j). */
typedef struct plx_gemm_skinny {
    uint32_t x, p; /* operands */
    int64_t count, many, k;
    int64_t x_few, x_k, ldp, out_few, out_many; /* steps */
    bool along;                                 /* p is K-major */
} plx_gemm_skinny;

/* Panels of p, each of which a block takes for `length` of k's terms. */
typedef struct plx_gemm_skinny_parts {
    int64_t panels, length, parts;
} plx_gemm_skinny_parts;

/* Up to so many rows or columns shorter partitions gain nothing along k; in OpenCL x is read where it lies. */
#define PLX_GEMM_SKINNY_DIRECT 2

plx_gemm_skinny plx_gemm_skinny_of(const plx_problem *problem);
/* As many partitions as it says, or as are made when they are asked for: nine terms have no six of a length. */
plx_gemm_skinny_parts plx_gemm_skinny_in(const plx_gemm_skinny *product, int64_t parts);
/* The most that there is room for. */
int64_t plx_gemm_skinny_most(const plx_gemm_skinny *product);
/* The kernel is made for 2^this rows or columns. */
int plx_gemm_skinny_power(const plx_gemm_skinny *product, const plx_device_info *device);

/* ---- matvec: C is a single row or column (matvec.c) ------------------------------------------------ */

/* The product as matvec sees it, which of our operands its first two are, and from element to element of the
 * others. */
typedef struct plx_gemm_vector {
    plx_problem problem;
    uint32_t matrix, vector;
    int64_t vector_step, result_step;
} plx_gemm_vector;

plx_gemm_vector plx_gemm_vector_of(const plx_problem *problem);
/* Launches that move vectors: 0, 1 or 2. */
int plx_gemm_matvec_moves(const plx_problem *problem);

/* ---- the ladder's first kernels, whose blocks each compute one tile (ladder.c) ---------------------- */

/* What a kernel's launch follows from. */
typedef struct plx_gemm_geometry {
    const char *entry;
    int64_t tile_rows, tile_cols; /* of C per block */
    uint32_t threads;
    int64_t shared; /* bytes, static */
} plx_gemm_geometry;

/* Tiles that cover C; false when the launch would have more blocks than can be counted. */
bool plx_gemm_count_tiles(const plx_problem *problem, const plx_gemm_geometry *shape, int64_t *tiles);
typedef plx_gemm_geometry plx_gemm_geometry_function(const plx_problem *problem, const plx_device_info *device);
plx_gemm_geometry_function plx_gemm_naive_geometry, plx_gemm_smem_block_geometry, plx_gemm_tile_1d_geometry,
    plx_gemm_double_buffer_geometry;

#endif
