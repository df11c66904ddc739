/* The ladder of matrix products: what each kernel says of itself. */
#include "launch/simt.h"
#include "plan/plan.h"

#include "gemm/device/ladder/coalesced.h"

#define GEMM_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))
/* What there are matrix units for. */
#define HALF_DTYPES (PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16))
/* Of kernels that turn what they read into f32, element by element. */
#define GEMM_ALL_DTYPES (GEMM_DTYPES | PLX_DEVICE_HALF_DTYPES)

/* Every kernel here adds the k products of an element one after the other, in order, each
 * with one rounding; the zeros beyond the edge round nothing. */
static int64_t depth_of_k(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

/* That of the schedules that a plan has. */
static int64_t depth_by(uint32_t kernel, const plx_problem *problem, const plx_device_info *device)
{
    const int64_t depth = plx_schedule_depth(&plx_gemm_ladder.rows[kernel], problem, device);
    return depth >= 0 ? depth : depth_of_k(problem, device);
}

#define DEPTH_OF(name, KERNEL)                                                     \
    static int64_t name(const plx_problem *problem, const plx_device_info *device) \
    {                                                                              \
        return depth_by(KERNEL, problem, device);                                  \
    }
DEPTH_OF(depth_of_split_k, PLX_GEMM_SPLIT_K)
DEPTH_OF(depth_of_stream_k, PLX_GEMM_STREAM_K)
DEPTH_OF(depth_of_async_copy, PLX_GEMM_ASYNC_COPY)
DEPTH_OF(depth_of_many_blocks, PLX_GEMM_MANY_BLOCKS)
DEPTH_OF(depth_of_few_rows, PLX_GEMM_FEW_ROWS)
DEPTH_OF(depth_of_matvec, PLX_GEMM_MATVEC)
DEPTH_OF(depth_of_dmma, PLX_GEMM_DMMA)
DEPTH_OF(depth_of_dmma_bulk, PLX_GEMM_DMMA_BULK)
DEPTH_OF(depth_of_wgmma_pipelined, PLX_GEMM_WGMMA_PIPELINED)
DEPTH_OF(depth_of_wgmma_cluster, PLX_GEMM_WGMMA_CLUSTER)
DEPTH_OF(depth_of_elected, PLX_GEMM_WGMMA_ELECTED)
DEPTH_OF(depth_of_mma_direct, PLX_GEMM_MMA_DIRECT)
DEPTH_OF(depth_of_wgmma_narrow, PLX_GEMM_WGMMA_NARROW)
DEPTH_OF(depth_of_wgmma_tf32, PLX_GEMM_WGMMA_TF32)
#undef DEPTH_OF

static const plx_row rows[PLX_GEMM_ROWS] = {
    ROW(PLX_GEMM_NAIVE,
        ABOUT(.name = "naive", .idea = "one thread per element of C", .gain = "the starting point",
              .limit = "every product reads A and B from memory, and the threads of a warp read 32 different rows of "
                       "A: 32 transactions where one would do",
              .needs = "", .dtypes = GEMM_ALL_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_k),
        .recipe = plx_gemm_naive_recipe),
    ROW(PLX_GEMM_COALESCED,
        ABOUT(.name = "coalesced",
              .idea = "neighbouring threads have neighbouring columns: a warp reads and writes along rows",
              .gain = "about 6 times: one transaction brings what the warp reads of B, where naive needs 32, and one "
                      "element of A serves all lanes",
              .limit = "every product still reads B from memory or a cache, for a single thread", .needs = "",
              .dtypes = GEMM_ALL_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_tiled_recipe,
        .form = &(const plx_gemm_geometry){"gemm_coalesced", GEMM_COALESCED_ROWS, GEMM_COALESCED_COLS,
                                           GEMM_COALESCED_ROWS *GEMM_COALESCED_COLS, 0}),
    ROW(PLX_GEMM_SMEM_BLOCK,
        ABOUT(.name = "smem-block", .idea = "blocks of A and B cached in shared memory",
              .gain =
                  "about 1.5 times: an element read from memory serves 32 threads of the block, not those of a warp",
              .limit = "two reads of shared memory for every multiplication; they take all the time", .needs = "",
              .dtypes = GEMM_ALL_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_smem_block_recipe),
    ROW(PLX_GEMM_TILE_1D,
        ABOUT(.name = "tile-1d", .idea = "each thread computes a column of 16 elements of C",
              .gain = "about 2 times: one element of B in a register serves 16 products, so that nearly half of the "
                      "shared-memory reads go",
              .limit = "still one read of shared memory, the element of A, for every multiplication", .needs = "",
              .dtypes = GEMM_ALL_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_tile_1d_recipe),
    ROW(PLX_GEMM_TILE_2D,
        ABOUT(.name = "tile-2d", .idea = "each thread computes a small square of C, operands in registers",
              .gain = "about 2 times: 8 + 8 elements read from shared memory serve 64 products",
              .limit = "4-byte accesses: as many instructions to move data as the memory pipes can take", .needs = "",
              .dtypes = GEMM_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_tile_2d_recipe),
    ROW(PLX_GEMM_VECTORIZED,
        ABOUT(.name = "vectorized", .idea = "16-byte accesses, A transposed while it is stored to shared memory",
              .gain = "about 1.3 times: a quarter of the instructions to move the same data",
              .limit = "a step of 8 along k is short: two barriers and the way from memory are not hidden",
              .needs = "operands that do not begin at, or step by, 16 bytes are read element by element",
              .dtypes = GEMM_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_vectorized_recipe),
    ROW(PLX_GEMM_WARP_TILE,
        ABOUT(.name = "warp-tile", .idea = "a level of tiling between block and thread: a square of C per warp",
              .gain = "about 1.3 times: the lanes of a warp share what they read, each element serves more products, "
                      "and steps of 32 along k need a quarter of the barriers",
              .limit = "between two steps everyone waits for the next tiles to come from memory",
              .needs = "operands that do not begin at, or step by, 16 bytes are read element by element",
              .dtypes = GEMM_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_warp_tile_recipe),
    ROW(PLX_GEMM_DOUBLE_BUFFER,
        ABOUT(.name = "double-buffer",
              .idea = "two shared-memory buffers: the next tiles load while these are multiplied",
              .gain = "about 1.1 times: the way from memory is hidden, and a step needs one barrier, not two",
              .limit = "the rate of multiply-add instructions, of which it issues little else",
              .needs = "33 KiB of shared memory; on NVIDIA before sm_80 the copies are not asynchronous",
              .dtypes = GEMM_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_k),
        .recipe = plx_gemm_double_buffer_recipe),
    ROW(PLX_GEMM_BULK_PIPELINE,
        ABOUT(.name = "bulk-pipeline", .idea = "four warps bring tiles with the copy engine, four others only multiply",
              .gain = "about 1.2 times: no address arithmetic and no barrier among the multiplications, and an operand "
                      "that lies the wrong way is transposed beside them, so that all layouts are level",
              .limit = "the rate of multiply-add instructions, 0.92 of what it issues; tiles of 128 x 128 leave a "
                       "device idle that they do not fill",
              .needs = "in CUDA compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied "
                       "first, or come as in async-copy where that is faster. In OpenCL NVIDIA's from 9.0 on, where "
                       "such operands come as in async-copy; elsewhere all threads bring, then multiply",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_k, .flags = PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_maps_recipe, .unaligned = plx_gemm_maps_unaligned,
        .spare = &rows[PLX_GEMM_DOUBLE_BUFFER]),
    ROW(PLX_GEMM_SPLIT_K,
        ABOUT(.name = "split-k", .idea = "smaller tiles, and parts of k in blocks of their own, added in a fixed order",
              .gain = "as many blocks as the device has room for, whatever the shape: up to 60 times for a small C "
                      "with a long k; nothing where C alone fills the device",
              .limit = "smaller tiles bring each operand more often, and parts must be added: a model of both chooses "
                       "tile and parts",
              .needs = "as bulk-pipeline; in CUDA another launch adds what clusters leave, in OpenCL of others than "
                       "NVIDIA all parts",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_split_k, .flags = PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_maps_recipe, .unaligned = plx_gemm_maps_unaligned,
        .depth = plx_gemm_split_k_depth, .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs,
        .model = &plx_gemm_model),
    ROW(PLX_GEMM_STREAM_K,
        ABOUT(.name = "stream-k",
              .idea = "the tiles past whole rounds of blocks are dealt evenly along k: each block has as many steps, "
                      "across the bounds of tiles, and pieces are added in a fixed order",
              .gain = "up to 1.25 times where the last round of tiles is mostly empty; nothing where it is full",
              .limit = "pieces go through L2 once, and each is a beginning and an end more",
              .needs = "CUDA on compute capability 9.0; operands as bulk-pipeline", .dtypes = PLX_DTYPE_BIT(PLX_F32),
              .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = depth_of_stream_k,
              .flags = PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_maps_recipe, .unaligned = plx_gemm_maps_unaligned,
        .depth = plx_gemm_stream_k_depth, .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs,
        .model = &plx_gemm_model),
    ROW(PLX_GEMM_ASYNC_COPY,
        ABOUT(.name = "async-copy",
              .idea = "operands as they lie: threads copy elements to their places in shared memory, asynchronously",
              .gain = "up to 2 times where operands do not begin at, or step by, 16 bytes and are read few times, for "
                      "nothing is copied first; tiles for thin products besides",
              .limit = "an instruction for each element of a tile: 0.03 slower than split-k where the copy engine can "
                       "take the operands as they lie",
              .needs = "in CUDA compute capability 9.0; in OpenCL NVIDIA's from 9.0 on, elsewhere all threads bring, "
                       "then multiply",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_async_copy, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_cp_async_recipe, .depth = plx_gemm_cp_async_depth,
        .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs, .model = &plx_gemm_model),
    ROW(PLX_GEMM_MANY_BLOCKS,
        ABOUT(.name = "many-blocks",
              .idea = "no warps apart for copies: small blocks whose threads all bring, then multiply, three to five "
                      "of them on a multiprocessor",
              .gain = "1.0 to 1.2 times where C is large and its terms are few, for about a third of such shapes",
              .limit = "tiles of 128 x 32 to 128 x 96, which bring each operand more often",
              .needs = "CUDA on compute capability 9.0", .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_many_blocks,
              .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32 | PLX_KERNEL_BATCHED),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_cp_async_recipe, .depth = plx_gemm_cp_async_depth,
        .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs, .model = &plx_gemm_model),
    ROW(PLX_GEMM_SHORT_K,
        ABOUT(.name = "short-k", .idea = "up to 32 terms are brought to shared memory at once, by many small blocks",
              .gain = "up to 1.5 times where C is large and its terms are few: some blocks write while others read",
              .limit = "the rate at which memory takes C", .needs = "in CUDA compute capability 9.0",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_k, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_short_k_recipe, .model = &plx_gemm_model),
    ROW(PLX_GEMM_FEW_ROWS,
        ABOUT(.name = "few-rows",
              .idea =
                  "where C has at most 16 rows or columns, no tiles: the long operand is read once, past shared memory",
              .gain = "up to eight rows cost little more than one, where a tile of 16 computes in vain",
              .limit = "the rate of memory; from 12 rows on the multiply-adds, which tiles do better",
              .needs = "in CUDA compute capability 9.0; in OpenCL another launch adds parts of k",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_few_rows, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_few_rows_recipe, .depth = plx_gemm_skinny_depth,
        .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs, .model = &plx_gemm_model),
    ROW(PLX_GEMM_MATVEC,
        ABOUT(.name = "matvec",
              .idea = "where C is a single row or column, matvec's kernels, as matvec's own choice has them",
              .gain = "up to 1.5 times over few-rows: 16-byte loads wherever rows begin, and panels of whole lines of "
                      "memory",
              .limit =
                  "the rate of memory; where elements of the vector or of C lie apart, a launch each that moves them",
              .needs = "", .dtypes = GEMM_DTYPES | HALF_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_matvec, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_matvec_recipe, .depth = plx_gemm_matvec_depth,
        .model = &plx_gemm_model, .spare = &rows[PLX_GEMM_TILE_1D]),
    ROW(PLX_GEMM_DMMA,
        ABOUT(.name = "dmma",
              .idea = "f64 on the matrix units; some warps copy while the others multiply, and only those that need "
                      "each other wait",
              .gain = "about 1.7 times: an instruction of a warp does 512 multiply-adds, at twice the rate of the "
                      "others, and no barrier stops the whole block",
              .limit = "copies of one element each, which take the copying warps all their time",
              .needs = "CUDA on compute capability 8.0 or 9.0, or NVIDIA's OpenCL from 9.0 on",
              .dtypes = PLX_DTYPE_BIT(PLX_F64), .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F64,
              .reproducibility = PLX_R1, .depth = depth_of_dmma),
        .schedule = plx_gemm_schedule, .recipe = plx_dmma_recipe, .model = &plx_gemm_model, .depth = plx_dmma_depth,
        .spare = &rows[PLX_GEMM_DOUBLE_BUFFER], .configs = plx_gemm_configs),
    ROW(PLX_GEMM_DMMA_BULK,
        ABOUT(.name = "dmma-bulk",
              .idea =
                  "bulk tensor copies: one thread asks for whole tiles, and what has no aligned rows is packed first",
              .gain = "about 1.1 times: the registers of the copying warps go to those that multiply, so that tiles "
                      "are larger and less is read",
              .limit = "the matrix units, or the power that they take",
              .needs = "compute capability 9.0; in OpenCL a driver that builds for sm_90a",
              .dtypes = PLX_DTYPE_BIT(PLX_F64), .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F64,
              .reproducibility = PLX_R1, .depth = depth_of_dmma_bulk),
        .schedule = plx_gemm_schedule, .recipe = plx_dmma_bulk_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_dmma_depth, .own_target = true,
        .without_own_target = &rows[PLX_GEMM_DMMA], .spare = &rows[PLX_GEMM_DOUBLE_BUFFER],
        .configs = plx_gemm_configs),
    ROW(PLX_GEMM_MMA_SYNC,
        ABOUT(.name = "mma-sync",
              .idea = "f16 and bf16 on the matrix units: fragments by ldmatrix, 4096 multiply-adds by an instruction "
                      "of a warp",
              .gain = "about 5 times the fastest kernel without matrix units, at half the bytes of f32",
              .limit = "fragments pass through registers, and every warp also copies and waits at the block's barrier; "
                       "where operands do not begin at, or step by, 16 bytes, loads of single elements",
              .needs = "CUDA on compute capability 8.0 or later, or NVIDIA's OpenCL on 9.0", .dtypes = HALF_DTYPES,
              .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = plx_units_depth),
        .recipe = plx_mma_sync_recipe),
    ROW(PLX_GEMM_WGMMA,
        ABOUT(.name = "wgmma",
              .idea = "a warpgroup multiplies straight from shared memory, where the copy engine brings tiles in the "
                      "order that the units read",
              .gain = "about 2 times: no fragments in registers, no address arithmetic, and 128 x 64 x 16 "
                      "multiply-adds by an instruction",
              .limit = "the warpgroup that multiplies also asks for the next tiles and waits for them; small tiles "
                       "bring each operand often",
              .needs = "compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied first; "
                       "in OpenCL a driver that builds for sm_90a, and such operands are read element by element",
              .dtypes = HALF_DTYPES, .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = plx_units_depth),
        .schedule = plx_gemm_schedule, .recipe = plx_wgmma_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .spare = &rows[PLX_GEMM_MMA_SYNC], .own_target = true),
    ROW(PLX_GEMM_WGMMA_PIPELINED,
        ABOUT(.name = "wgmma-pipelined",
              .idea = "one thread asks for tiles, two warpgroups multiply, blocks stay for all their tiles; parts of k "
                      "where a last round would leave units idle",
              .gain = "about 1.4 times: the units never wait for a tile, and C leaves while the next tile comes",
              .limit = "the matrix units, or the power that they take",
              .needs = "compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied first; "
                       "in OpenCL a driver that builds for sm_90a",
              .dtypes = HALF_DTYPES, .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_wgmma_pipelined),
        .schedule = plx_gemm_schedule, .recipe = plx_wgmma_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_wgmma_depth, .own_target = true,
        .spare = &rows[PLX_GEMM_MMA_SYNC], .configs = plx_gemm_configs),
    ROW(PLX_GEMM_WGMMA_CLUSTER,
        ABOUT(.name = "wgmma-cluster",
              .idea = "pairs of blocks share what they load of B: each brings half of it, to both; parts of k where a "
                      "last round would leave units idle",
              .gain = "a quarter less to read from L2: up to 1.03 times for large products, more where rows begin "
                      "within a sector of memory, none where L2 is no limit",
              .limit = "the matrix units, or the power that they take; pairs wait for each other",
              .needs = "CUDA on compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied "
                       "first",
              .dtypes = HALF_DTYPES, .flags = PLX_KERNEL_MATRIX_UNITS, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_wgmma_cluster),
        .schedule = plx_gemm_schedule, .recipe = plx_wgmma_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_wgmma_depth, .spare = &rows[PLX_GEMM_MMA_SYNC],
        .configs = plx_gemm_configs),
    ROW(PLX_GEMM_WGMMA_ELECTED,
        ABOUT(.name = "wgmma-elected",
              .idea = "an elected lane of a whole warp asks for tiles, of any width, either operand as the rows; two "
                      "warpgroups by turns; clusters that share what they load, or have parts of k",
              .gain = "up to 1.4 times where a tile of its own fills the multiprocessors, or rows are no whole lines "
                      "of memory; of language models' layers a few hundredths",
              .limit = "the matrix units, or the power that they take; few tiles with short k leave units idle",
              .needs = "CUDA on compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied "
                       "first",
              .dtypes = HALF_DTYPES, .flags = PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_elected),
        .schedule = plx_gemm_schedule, .recipe = plx_elected_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_elected_depth, .spare = &rows[PLX_GEMM_MMA_SYNC],
        .configs = plx_gemm_configs),
    ROW(PLX_GEMM_MMA_DIRECT,
        ABOUT(.name = "mma-direct",
              .idea = "mma-sync in tiles of 64 x 128 whose elements threads read wherever they begin, and write to C "
                      "in whole rows; parts of k where tiles are few",
              .gain = "of few terms, or of a small C with many, about twice: no launch copies operands to aligned "
                      "rows, and many blocks hide each other's waiting",
              .limit = "elements that begin anywhere are loaded one by one; a block has no tile on its way while it "
                       "multiplies",
              .needs = "CUDA on compute capability 8.0 or later, or NVIDIA's OpenCL on 9.0", .dtypes = HALF_DTYPES,
              .flags = PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_SPECIAL | PLX_KERNEL_BATCHED, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_mma_direct),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_direct_recipe, .model = &plx_gemm_model,
        .depth = plx_gemm_direct_depth, .spare = &rows[PLX_GEMM_MMA_SYNC], .configs = plx_gemm_configs),
    ROW(PLX_GEMM_WGMMA_NARROW,
        ABOUT(.name = "wgmma-narrow",
              .idea = "wgmma-pipelined in tiles of 64 x 16 to 64 x 64; few rows of C are columns of the transposed "
                      "product; in CUDA two blocks on a multiprocessor, and of few tiles clusters that share k",
              .gain = "of few rows about twice, of few columns a tenth: nearly all that is read is of use",
              .limit = "the rate of memory; where operands are copied first, that",
              .needs = "compute capability 9.0; operands that do not begin at, or step by, 16 bytes are copied first; "
                       "in OpenCL a driver that builds for sm_90a",
              .dtypes = HALF_DTYPES, .flags = PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_SPECIAL, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = depth_of_wgmma_narrow),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_narrow_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_gemm_narrow_depth, .own_target = true,
        .spare = &rows[PLX_GEMM_MMA_SYNC], .configs = plx_gemm_configs),
    ROW(PLX_GEMM_MMA_SYNC_TF32,
        ABOUT(.name = "mma-sync-tf32",
              .idea = "mma-sync with f32 multiplied as TF32: 11 digits of each factor, sums in f32",
              .gain = "about 3 times the fastest f32 kernel, half the rate of f16 for twice the bytes",
              .limit = "as mma-sync; operands whose rows do not run along k are read from shared memory one by one",
              .needs = "as mma-sync; asked for as compute type tf32", .dtypes = PLX_DTYPE_BIT(PLX_F32),
              .flags = PLX_KERNEL_MATRIX_UNITS, .compute = PLX_COMPUTE_TF32, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = plx_units_depth),
        .recipe = plx_mma_sync_recipe),
    ROW(PLX_GEMM_WGMMA_TF32,
        ABOUT(.name = "wgmma-tf32",
              .idea = "wgmma-pipelined with f32 multiplied as TF32: 11 digits of each factor, sums in f32",
              .gain = "6 to 7 times the fastest f32 kernel, half the rate of f16, for twice the bytes",
              .limit = "the matrix units and power; they read TF32 along k alone, but for one operand that may come "
                       "from registers: where both lie otherwise, the smaller is turned first",
              .needs = "compute capability 9.0; asked for as compute type tf32; operands that do not begin at, or step "
                       "by, 16 bytes are copied first; in OpenCL a driver that builds for sm_90a; batches in one "
                       "launch in CUDA, where no operand is copied or turned",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .flags = PLX_KERNEL_MATRIX_UNITS | PLX_KERNEL_BATCHED,
              .compute = PLX_COMPUTE_TF32, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_wgmma_tf32),
        .schedule = plx_gemm_schedule, .recipe = plx_wgmma_recipe, .model = &plx_gemm_model,
        .unaligned = plx_gemm_unaligned, .depth = plx_wgmma_depth, .own_target = true,
        .spare = &rows[PLX_GEMM_MMA_SYNC_TF32], .configs = plx_gemm_configs),
    ROW(PLX_GEMM_F16X3,
        ABOUT(.name = "f16x3",
              .idea = "f32 on the matrix units: each operand as two planes of f16, scaled by rows and columns, three "
                      "products of planes, sums that leave the units after every 32 terms",
              .gain = "3 to 4 times the fastest f32 kernel from 4096 rows, columns and terms on, at no larger error",
              .limit = "the matrix units, of whose products three make one, and power; the planes are written first; "
                       "operands that two planes do not hold (a wide range within a row) are multiplied as bf16x6, "
                       "infinities and the ends of the range without planes",
              .needs =
                  "CUDA on compute capability 9.0, or OpenCL: there the matrix units are used where the driver builds "
                  "for sm_90a, else the same products are made without them; asked for as compute type f16x3",
              .dtypes = PLX_DTYPE_BIT(PLX_F32), .flags = PLX_KERNEL_MATRIX_UNITS, .compute = PLX_COMPUTE_F16X3,
              .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1, .depth = plx_f16x3_depth),
        .schedule = plx_gemm_schedule, .recipe = plx_f16x3_recipe, .unaligned = plx_gemm_unaligned),
    ROW(PLX_GEMM_BF16X6,
        ABOUT(.name = "bf16x6",
              .idea = "three planes of bf16 for each operand, which lose nothing, and six products of them",
              .gain = "about 2 times the fastest f32 kernel, whatever the range within a row",
              .limit = "the matrix units, of whose products six make one; infinities and the ends of the range are "
                       "multiplied without planes",
              .needs = "as f16x3; asked for as compute type bf16x6", .dtypes = PLX_DTYPE_BIT(PLX_F32),
              .flags = PLX_KERNEL_MATRIX_UNITS, .compute = PLX_COMPUTE_BF16X6, .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R1, .depth = plx_bf16x6_depth),
        .schedule = plx_gemm_schedule, .recipe = plx_f16x3_recipe, .unaligned = plx_gemm_unaligned),
    ROW(PLX_GEMM_WARP_PER_PRODUCT,
        ABOUT(.name = "warp-per-product",
              .idea = "a warp has a whole product of up to 32 x 32, a block four of a batch",
              .gain = "1.2 times (32 x 32) to 5 times (16 x 16) where thousands of products are that small: no tile is "
                      "mostly empty",
              .limit = "memory; a single product occupies one warp", .needs = "CUDA; C of at most 32 x 32",
              .dtypes = PLX_DTYPE_BIT(PLX_F32) | HALF_DTYPES, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R1,
              .depth = depth_of_k, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_FOR_TF32 | PLX_KERNEL_BATCHED),
        .schedule = plx_gemm_schedule, .recipe = plx_gemm_warp_recipe, .model = &plx_gemm_model),
};

const plx_ladder plx_gemm_ladder = {
    .rows = rows,
    .count = PLX_GEMM_ROWS,
    .choose = plx_gemm_choose,
};
