/* Products on the tensor cores: how they are tiled, and what their launches have in common. */
#ifndef PLX_KERNELS_GEMM_TENSOR_H
#define PLX_KERNELS_GEMM_TENSOR_H

#include "launch.h"
#include "operand.h"

#define PLX_GEMM_MOST_INDEX (INT32_MAX - 65536) /* indices are 32 bits wide in the device code */

/* ---- f16, bf16 and TF32 (mma.c) ------------------------------------------------------------------ */

/* PLX_UNSUPPORTED with a sentence where the problem is not one of f16 or bf16. */
plx_status plx_units_check(const plx_problem *problem, plx_error *error);
/* The variant of the kernels that multiply f16 and bf16 alone. */
plx_status plx_units_start(const plx_problem *problem, plx_recipe *recipe, plx_error *error);
/* Names it by the operands as they are multiplied. */
void plx_units_name_variant(const plx_problem *problem, bool trans_a, bool trans_b, plx_recipe *recipe);
/* The launches of a product that has no elements, or no terms; else whether its sizes can be multiplied, and
 * `multiplies`. */
plx_status plx_units_without_terms(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   bool *multiplies, plx_error *error);
/* Bytes of an element of C, and of the operands in memory. */
int64_t plx_units_bytes_of_result(const plx_problem *problem);
int64_t plx_units_bytes(const plx_problem *problem);
/* k-tiles, of 128 bytes; 0 when there is nothing to sum. */
int64_t plx_units_depth_of_k_tile(const plx_problem *problem);
int64_t plx_units_k_tiles(const plx_problem *problem);
/* Whether bulk stores reach the rows of C, if it begins at 16 bytes, and write nothing between them: they
 * write whole units of 16 bytes. */
bool plx_units_rows_reached(const plx_problem *problem);
/* Of a batch, PLX_UNSUPPORTED with a sentence where the copy engine does not find all operands as they lie. */
plx_status plx_units_check_batch(const plx_problem *problem, plx_error *error);
/* Makes a map that of a batch's matrices, one behind the other, or of the one that all problems have. */
void plx_units_set_depth(const plx_problem *problem, plx_tensor_map *map);
bool plx_units_is_one(const plx_problem *problem, uint32_t operand);
/* PACKED where the copy engine can't read its rows, TMA elsewhere. */
plx_operand_path plx_units_path(const plx_problem *problem, uint32_t operand, bool unaligned);

/* ---- wgmma, wgmma-pipelined, wgmma-cluster and wgmma-tf32 (wgmma.c) -------------------------------- */

/* A tile of C that a block computes. */
typedef struct plx_wgmma_tile {
    const char *entry;
    int32_t rows, cols, stages;
    int32_t cluster; /* blocks, one tile above the other, that share what they load of B */
} plx_wgmma_tile;

typedef struct plx_wgmma_tiles {
    const plx_wgmma_tile *tiles;
    size_t count;
    int64_t most_parts;
    const char *sum; /* the launch that adds parts */
} plx_wgmma_tiles;

/* Tiles of a cluster together are one item of work; of a batch, those of all problems. */
typedef struct plx_wgmma_tiling {
    const plx_wgmma_tile *tile;
    plx_gemm_work work;
} plx_wgmma_tiling;

const plx_wgmma_tiles *plx_wgmma_tiles_of(uint32_t kernel);
plx_wgmma_tiling plx_wgmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                     const plx_schedule *schedule);
/* Tiles of all problems, those of a cluster as one; false where they can't be counted in 32 bits. */
bool plx_wgmma_count_tiles(const plx_problem *problem, const plx_wgmma_tile *tile, int64_t *tiles);
/* Bytes that a block takes: the stages, their barriers, what leaves, and room to begin at 1024. */
int64_t plx_wgmma_shared(const plx_wgmma_tile *tile);
/* Blocks, or clusters of them, that run side by side. */
int64_t plx_wgmma_slots(const plx_wgmma_tile *tile, const plx_device_info *device);
/* Whether operand 0, A, or 1, B, is MN-major where it is multiplied: one of TF32 that must be packed anyway, because
 * of where its rows begin, is transposed as it is packed. */
bool plx_wgmma_is_mn_major(const plx_problem *problem, uint32_t operand);
/* Whether the kernel multiplies B^T by A^T and transposes what it writes to C: TF32, where B is MN-major, and
 * A is not or is the smaller. */
bool plx_wgmma_transposes(const plx_problem *problem);
/* Of the product that is multiplied. */
int64_t plx_wgmma_rows(const plx_problem *problem);
int64_t plx_wgmma_cols(const plx_problem *problem);
/* Whether bulk stores reach a tile's columns, which leave in blocks of 128 bytes, in all problems. */
bool plx_wgmma_tile_reached(const plx_problem *problem, const plx_wgmma_tile *tile);
/* Whether B is transposed as it is packed for this tile: of 16 bits, MN-major lines are 64 elements. */
bool plx_wgmma_packs_transposed(const plx_problem *problem, const plx_wgmma_tile *tile);

/* ---- wgmma-elected: tiles of any width (wgmma_elected.c) ------------------------------------------- */

/* What a warpgroup multiplies. */
typedef struct plx_elected_tile {
    int32_t blocks, cols; /* times 64 rows, columns */
    const char *entry;
    bool mn_major; /* also for operands that are */
} plx_elected_tile;

typedef struct plx_elected_tiling {
    const plx_elected_tile *tile;
    bool transposed;                    /* op(B)^T op(A)^T is multiplied */
    bool x_inner, y_inner;              /* the product's operands are K-major in memory */
    bool ping_pong;                     /* the warpgroups of a block have tiles of their own, by turns */
    int32_t cluster_rows, cluster_cols; /* tiles of a cluster */
    int32_t parts;                      /* of k, each a block of the cluster */
    int32_t ranges;                     /* of k, each other clusters'; a launch adds their sums */
    int32_t order;                      /* rows of clusters before the next column */
    int32_t stages, outs;               /* of the ring, blocks of C on their way for each warpgroup */
    int64_t down, across;               /* clusters that cover the product */
    int64_t items;                      /* clusters of tiles, of all problems and ranges */
} plx_elected_tiling;

const plx_elected_tile *plx_elected_tiles(size_t *count);
/* Of a tile, with clusters of these sizes; false where it has no room, or tiles can't be counted. */
bool plx_elected_fill(const plx_problem *problem, const plx_device_info *device, plx_elected_tiling *tiling);
plx_elected_tiling plx_elected_form(const plx_problem *problem, const plx_elected_tile *tile, bool transposed,
                                    bool ping_pong);
plx_elected_tiling plx_elected_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                         const plx_schedule *schedule);
int32_t plx_elected_order(const plx_problem *problem, const plx_elected_tiling *tiling, const plx_device_info *device);
/* Rows of a block's tile, blocks of a cluster. */
int32_t plx_elected_rows(const plx_elected_tiling *tiling);
int32_t plx_elected_blocks(const plx_elected_tiling *tiling);
/* Lines of 128 bytes of the columns' operand in a stage. */
int32_t plx_elected_lines(const plx_elected_tiling *tiling);
/* Bytes of shared memory that a block takes. */
int64_t plx_elected_shared(const plx_elected_tiling *tiling);
/* Clusters of so many blocks that run side by side, one to a multiprocessor: a few multiprocessors are left
 * over by larger ones. */
int64_t plx_elected_slots(const plx_device_info *device, int32_t blocks);
/* Whether C leaves by bulk stores where it begins at 16 bytes: in 16 bits, and without what was there before. */
bool plx_elected_bulk(const plx_problem *problem);

/* ---- wgmma-narrow: few columns of C, or few rows (wgmma_narrow.c) ---------------------------------- */

enum { PLX_NARROW_TILES = 4, PLX_NARROW_MOST_BLOCKS = 8 };
typedef struct plx_narrow_tile {
    int32_t rows, cols;
    const char *entry;
} plx_narrow_tile;
extern const plx_narrow_tile plx_narrow_tiles[PLX_NARROW_TILES];

/* The product that is multiplied: op(A) op(B), or where C has fewer rows than columns op(B)^T op(A)^T. */
typedef struct plx_narrow_product {
    bool transposed;
    int64_t rows, cols, steps;
    plx_gemm_operand a, b;
} plx_narrow_product;

/* An item is the work of a cluster of `blocks`, of more than one where no tile is divided. */
typedef struct plx_narrow_tiling {
    const plx_narrow_tile *tile;
    int64_t blocks;
    plx_gemm_work work;
} plx_narrow_tiling;

plx_narrow_product plx_narrow_product_of(const plx_problem *problem);
/* Whether the tiles of C can be counted in 32 bits, with their parts; each part has a k-tile at least. */
bool plx_narrow_tiling_by(const plx_narrow_product *of, const plx_device_info *device, const plx_schedule *schedule,
                          plx_narrow_tiling *tiling);

/* ---- mma-direct: tiles for operands that begin anywhere (mma.c) ------------------------------------ */

/* Whether C has tiles that can be counted, as blocks in 32 bits. */
bool plx_direct_count_tiles(const plx_problem *problem, int64_t *tiles);

/* ---- f64: dmma and dmma-bulk (dmma.c) --------------------------------------------------------------- */

typedef struct plx_dmma_tile {
    const char *entry;
    int32_t rows, cols;
    int32_t warps[2]; /* that multiply, down and across */
    uint32_t threads;
    int32_t stages, blocks; /* on a multiprocessor, side by side */
    int32_t registers;      /* of a thread that multiplies; 0: as the launch gives them */
} plx_dmma_tile;

/* Blocks take items in turn.  The parts are summed in their order afterwards. */
typedef struct plx_dmma_tiling {
    const plx_dmma_tile *tile;
    plx_gemm_work work;
} plx_dmma_tiling;

enum { PLX_DMMA_TILES = 3, PLX_DMMA_BULK_TILES = 7 };
const plx_dmma_tile *plx_dmma_tiles(uint32_t kernel, size_t *count);
/* False when there are too many tiles to count. */
bool plx_dmma_count_tiles(const plx_dmma_tile *tile, const plx_problem *problem, int64_t *tiles);
plx_dmma_tiling plx_dmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                   const plx_schedule *schedule);
/* k-tiles; 0 when there is nothing to sum. */
int64_t plx_dmma_k_tiles(const plx_problem *problem);
/* Bytes that a block takes: the stages, a pair of barriers each, and room to begin at 1024. */
uint64_t plx_dmma_shared(const plx_dmma_tile *tile);
/* Threads that share the parts of a pair of C's elements: a power of two, each with six parts at least. */
int32_t plx_dmma_slices(int64_t parts);

/* ---- f32 as planes of 16 bits (f16x3.c) ------------------------------------------------------------- */

/* What hi may leave to lo, as a share of an element's magnitude, so that the bound of a plain sum of k terms
 * holds (plan/depth.c): it is an argument of the launch. */
double plx_f16x3_share(int64_t k);
/* Roundings of a sum of k products: of planes of f16 with that share, and of planes of bf16. */
double plx_f16x3_depth_of_halves(double k, double share);
double plx_f16x3_depth_of_thirds(double k);
/* Whether tiles of planes of f16 are flat: half as large, where they take less than twice the waves. */
bool plx_f16x3_is_flat(const plx_problem *problem, const plx_device_info *device);

#endif
