/* The ladder of matrix-vector products: what each kernel says of itself. */
#include "launch.h"

/* What all kernels say alike. */
#define MATVEC_KERNEL_OF(types) .dtypes = (types), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1
#define MATVEC_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))
#define MATVEC_KERNEL MATVEC_KERNEL_OF(MATVEC_DTYPES)
/* Of kernels that turn what they read into f32. */
#define MATVEC_KERNEL_OF_ALL MATVEC_KERNEL_OF(MATVEC_DTYPES | PLX_DEVICE_HALF_DTYPES)

static const plx_row rows[ROWS] = {
    ROW(ROW_PER_THREAD,
        ABOUT(.name = "row-per-thread", .idea = "one thread per row, A read with stride N",
              .gain = "the starting point",
              .limit = "neighbouring threads read A a row apart: a warp touches 32 lines at a time, and only a cache "
                       "that keeps them until their other elements are wanted saves it",
              .needs = "", MATVEC_KERNEL_OF_ALL, .flags = PLX_KERNEL_PROBED, .depth = plx_matvec_depth_of_terms),
        .recipe = plx_matvec_single_recipe,
        .form = &(const plx_matvec_single){"matvec_row_per_thread", MATVEC_BLOCK, MATVEC_BLOCK, MATVEC_BLOCK, 0}),
    ROW(ROW_SCATTERED,
        ABOUT(.name = "row-scattered", .idea = "rows dealt to threads 513 apart, modulo the row count",
              .gain = "none: a deliberate cache-miss case, several times slower when transposed, where neighbours "
                      "would have read side by side",
              .limit = "every access of a warp is a line of its own", .needs = "", MATVEC_KERNEL,
              .depth = plx_matvec_depth_of_terms),
        .recipe = plx_matvec_row_scattered_recipe,
        .form = &(const plx_matvec_single){"matvec_row_scattered", MATVEC_BLOCK, MATVEC_BLOCK, MATVEC_BLOCK, 0}),
    ROW(SHARED_X,
        ABOUT(.name = "shared-x", .idea = "x staged through shared memory",
              .gain = "over row-per-thread about the same where there are caches, several times without",
              .limit = "A, read as before: x was never the problem where a cache holds it", .needs = "", MATVEC_KERNEL,
              .depth = plx_matvec_depth_of_terms),
        .recipe = plx_matvec_single_recipe,
        .form = &(const plx_matvec_single){"matvec_shared_x", MATVEC_BLOCK, MATVEC_BLOCK, MATVEC_BLOCK, MATVEC_BLOCK}),
    ROW(SHARED_A_X,
        ABOUT(.name = "shared-a-x", .idea = "tiles of A staged as well, so that A is read along rows",
              .gain =
                  "up to several times with caches, 10 to 20 times without: every byte of a line is used when it comes",
              .limit = "one thread per row is too few to keep the memory busy, and all wait for each tile", .needs = "",
              MATVEC_KERNEL, .depth = plx_matvec_depth_of_terms),
        .recipe = plx_matvec_single_recipe,
        .form = &(const plx_matvec_single){"matvec_shared_a_x", MATVEC_TILE_ROWS, MATVEC_TILE_ROWS, MATVEC_TILE_ROWS,
                                           MATVEC_TILE_ROWS *(MATVEC_TILE_DEPTH + 1) + MATVEC_TILE_DEPTH}),
    ROW(WARP_PER_ROW,
        ABOUT(.name = "warp-per-row", .idea = "a warp per row, its lanes side by side; no staging",
              .gain = "up to several times: 32 times as many threads read, each with 8 loads on the way, and nobody "
                      "waits at a barrier",
              .limit = "memory bandwidth, where there are rows enough to fill the device", .needs = "",
              MATVEC_KERNEL_OF_ALL, .depth = plx_matvec_depth_of_warp),
        .recipe = plx_matvec_single_recipe,
        .form =
            &(const plx_matvec_single){"matvec_warp_per_row", 32 * MATVEC_WARPS, MATVEC_WARPS, 32, 32 * MATVEC_WARPS}),
    ROW(VECTOR,
        ABOUT(.name = "vector",
              .idea = "16-byte loads wherever rows begin, some rows per block, x reused from registers; transposed, "
                      "panels of whole lines of memory",
              .gain = "a little: a quarter of the load instructions for A, a sixteenth for x; transposed, where panels "
                      "were pieces of lines, up to half",
              .limit = "memory bandwidth; with few rows or columns, the blocks that there are", .needs = "",
              MATVEC_KERNEL_OF_ALL, .flags = PLX_KERNEL_BATCHED, .depth = plx_matvec_depth_of_vector),
        .recipe = plx_matvec_vector_recipe),
    ROW(SPLIT,
        ABOUT(.name = "split", .idea = "long rows split over blocks, partials combined in a fixed order",
              .gain =
                  "for 1 x N and few-row shapes as many times as the device has blocks to spare; for many rows nothing",
              .limit = "memory bandwidth, and the last block, which waits for all others",
              .needs = "scratch memory for the partial sums", MATVEC_KERNEL_OF_ALL, .depth = plx_matvec_depth_of_split,
              .flags = PLX_KERNEL_SPECIAL),
        .recipe = plx_matvec_split_recipe),
    ROW(TALL_SKINNY,
        ABOUT(.name = "tall-skinny",
              .idea = "short rows: a few lanes for each, in packs wherever it begins; many very short ones as one "
                      "stream through shared memory",
              .gain = "for 8 to 100 columns up to several times: a warp's loads are full, whatever a row has",
              .limit = "memory bandwidth", .needs = "A as it lies, not transposed", MATVEC_KERNEL_OF_ALL,
              .depth = plx_matvec_depth_of_tall_skinny, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_BATCHED),
        .recipe = plx_matvec_tall_skinny_recipe),
};

const plx_ladder plx_matvec_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = plx_matvec_choose,
};
