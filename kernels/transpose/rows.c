/* The ladder of transposes: what each kernel says of itself and how it is launched.
 * Kernels know elements by their size alone.  Tiles are counted in the grid's first
 * dimension, which reaches 2^31 - 1. */
#include "recipe.h"

#include "tiles.h"

#include <string.h>

enum { COPY, COPY_SHARED, NAIVE, COALESCED, PADDED, SWIZZLED, DIAGONAL, VECTOR, ROWS };

enum { IN, OUT }; /* operands */

#define ALL_DTYPES (PLX_DTYPE_BIT(PLX_DTYPE_COUNT) - 1)

/* An element of one size in OpenCL C, and the geometry of `vector` for it. */
typedef struct element {
    int64_t size;
    const char *variant, *defines;
    int64_t vector_tile;
} element;

static const element *element_of(plx_dtype dtype)
{
    static const element one = {1, "b1", "-DT=uchar -DPACK=uint4 -DWIDTH=16", TRANSPOSE_VECTOR_TILE_B1};
    static const element two = {2, "b2", "-DT=ushort -DPACK=uint4 -DWIDTH=8", TRANSPOSE_VECTOR_TILE_B2};
    static const element four = {4, "b4", "-DT=uint -DPACK=uint4 -DWIDTH=4", TRANSPOSE_VECTOR_TILE_B4};
    static const element eight = {8, "b8", "-DT=ulong -DPACK=ulong2 -DWIDTH=2", TRANSPOSE_VECTOR_TILE_B8};
    static const element sixteen = {16, "b16", "-DT=ulong2 -DPACK=ulong2 -DWIDTH=1",
                                    TRANSPOSE_VECTOR_TILE_B16};
    switch (dtype) {
    case PLX_I8:
        return &one;
    case PLX_I16:
        return &two;
    case PLX_I32:
    case PLX_F32:
        return &four;
    case PLX_C128:
        return &sixteen;
    default:
        return &eight;
    }
}

static int64_t tiles_for(int64_t length, int64_t tile)
{
    return length > 0 ? (length - 1) / tile + 1 : 0;
}

/* No term is summed. */
static int64_t no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

/* ---- recipes ---------------------------------------------------------------- */

static void add_arguments(plx_step *step, const plx_transpose_problem *p, int64_t across)
{
    plx_step_operand(step, IN);
    plx_step_operand(step, OUT);
    plx_step_i64(step, p->rows);
    plx_step_i64(step, p->cols);
    plx_step_i64(step, p->ld_in);
    plx_step_i64(step, p->ld_out);
    plx_step_i32(step, (int32_t)across);
}

/* One launch with a block per tile; none for a matrix without elements. */
static plx_status tile_recipe(const char *entry, int64_t tile, uint32_t block_x, uint32_t block_y,
                              int64_t shared, const plx_problem *problem, const plx_device_info *device,
                              plx_recipe *recipe, plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const element *moved = element_of(problem->dtype);
    int64_t across = tiles_for(p->cols, tile), down = tiles_for(p->rows, tile);

    memset(recipe, 0, sizeof *recipe);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s", moved->variant);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DSIZE=%d", moved->defines, (int)tile);
    if (across == 0 || down == 0)
        return PLX_OK;
    if (across > INT32_MAX / down)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "%lld x %lld elements are more than 2^31 - 1 tiles of %d x %d",
                        (long long)p->rows, (long long)p->cols, (int)tile, (int)tile);
    plx_step *step = plx_recipe_step(recipe, entry, block_x, block_y);
    step->grid[0] = (uint64_t)(across * down);
    add_arguments(step, p, across);
    return plx_recipe_check(recipe, (uint64_t)shared, device, error);
}

/* `columns` of shared memory beside each other; 0 for kernels without. */
static plx_status square_recipe(const char *entry, int64_t columns, const plx_problem *problem,
                                const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    int64_t shared = columns * TRANSPOSE_TILE * element_of(problem->dtype)->size;
    return tile_recipe(entry, TRANSPOSE_TILE, TRANSPOSE_TILE, TRANSPOSE_ROWS, shared, problem, device,
                       recipe, error);
}

/* A copy writes its rows one after the other, element (i, j) to out[i * cols + j].  They
 * fill the operand of a transpose exactly if that has no gaps between its own rows. */
static plx_status copy_fits(const plx_problem *problem, plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    if (p->cols > 1 && p->rows > 0 && p->ld_out > p->rows)
        return plx_fail(error, PLX_UNSUPPORTED, "a copy needs a dense output: ld_out %lld, not %lld",
                        (long long)p->rows, (long long)p->ld_out);
    return PLX_OK;
}

static plx_status copy_recipe(const plx_problem *problem, const plx_device_info *device,
                              plx_recipe *recipe, plx_error *error)
{
    plx_status status = copy_fits(problem, error);
    return status == PLX_OK ? square_recipe("transpose_copy", 0, problem, device, recipe, error) : status;
}

static plx_status copy_shared_recipe(const plx_problem *problem, const plx_device_info *device,
                                     plx_recipe *recipe, plx_error *error)
{
    plx_status status = copy_fits(problem, error);
    if (status != PLX_OK)
        return status;
    return square_recipe("transpose_copy_shared", TRANSPOSE_TILE, problem, device, recipe, error);
}

static plx_status naive_recipe(const plx_problem *problem, const plx_device_info *device,
                               plx_recipe *recipe, plx_error *error)
{
    return square_recipe("transpose_naive", 0, problem, device, recipe, error);
}

static plx_status coalesced_recipe(const plx_problem *problem, const plx_device_info *device,
                                   plx_recipe *recipe, plx_error *error)
{
    return square_recipe("transpose_coalesced", TRANSPOSE_TILE, problem, device, recipe, error);
}

static plx_status padded_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    return square_recipe("transpose_padded", TRANSPOSE_TILE + 1, problem, device, recipe, error);
}

static plx_status swizzled_recipe(const plx_problem *problem, const plx_device_info *device,
                                  plx_recipe *recipe, plx_error *error)
{
    return square_recipe("transpose_swizzled", TRANSPOSE_TILE, problem, device, recipe, error);
}

static plx_status diagonal_recipe(const plx_problem *problem, const plx_device_info *device,
                                  plx_recipe *recipe, plx_error *error)
{
    return square_recipe("transpose_diagonal", TRANSPOSE_TILE, problem, device, recipe, error);
}

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device,
                                plx_recipe *recipe, plx_error *error)
{
    const element *moved = element_of(problem->dtype);
    int64_t tile = moved->vector_tile, packs = tile * moved->size / 16;
    return tile_recipe("transpose_vector", tile, (uint32_t)(packs * packs), 1, tile * tile * moved->size,
                       problem, device, recipe, error);
}

/* ---- the ladder ---------------------------------------------------------------- */

/* Whether every row begins at a multiple of 16 bytes, if the operands do. */
static bool rows_aligned(const plx_problem *problem)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    int64_t width = 16 / element_of(problem->dtype)->size;
    return p->ld_in % width == 0 && p->ld_out % width == 0;
}

/* Few rows or columns leave most of a tile empty: then the caches do what the tile is
 * for.  `vector` pays when most tiles are whole and every row aligned. */
static size_t choose_transpose(const plx_problem *problem, const plx_device_info *device)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    int64_t shorter = p->rows < p->cols ? p->rows : p->cols;
    plx_recipe recipe;
    plx_error ignored;

    if (shorter <= TRANSPOSE_TILE / 4)
        return NAIVE;
    if (shorter >= 2 * element_of(problem->dtype)->vector_tile && rows_aligned(problem) &&
        vector_recipe(problem, device, &recipe, &ignored) == PLX_OK)
        return VECTOR;
    return swizzled_recipe(problem, device, &recipe, &ignored) == PLX_OK ? SWIZZLED : NAIVE;
}

static const plx_row rows[ROWS] = {
    [COPY] = {
        .about = {
            .name = "copy",
            .idea = "no transpose: each block copies a 32 x 32 tile, both sides along rows",
            .gain = "none: the practical upper limit of what moves each element once, to measure "
                    "the others by",
            .limit = "the bandwidth of memory",
            .needs = "an output without gaps between its rows",
            .dtypes = ALL_DTYPES,
            .flags = PLX_KERNEL_YARDSTICK,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = copy_recipe,
    },
    [COPY_SHARED] = {
        .about = {
            .name = "copy-shared",
            .idea = "the same copy through a tile in shared memory",
            .gain = "none: the difference to copy is the price of the detour and its barrier, "
                    "nearly nothing",
            .limit = "the bandwidth of memory",
            .needs = "an output without gaps between its rows",
            .dtypes = ALL_DTYPES,
            .flags = PLX_KERNEL_YARDSTICK,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = copy_shared_recipe,
    },
    [NAIVE] = {
        .about = {
            .name = "naive",
            .idea = "reads along rows, writes along columns",
            .gain = "the starting point of the transposes",
            .limit = "a warp's 32 writes go to 32 rows: as many transactions, each for one "
                     "element; caches that hold the rest until the neighbours come soften it",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = naive_recipe,
    },
    [COALESCED] = {
        .about = {
            .name = "coalesced",
            .idea = "turns a 32 x 32 tile in shared memory, so that reads and writes both run "
                    "along rows",
            .gain = "a warp's writes become one 128-byte transaction instead of 32: up to several "
                    "times faster",
            .limit = "the column of the tile that a warp reads lies in a single bank of shared "
                     "memory: 32 accesses one after the other",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = coalesced_recipe,
    },
    [PADDED] = {
        .about = {
            .name = "padded",
            .idea = "the tile one column wider, so that the elements of a column lie in different "
                    "banks",
            .gain = "no bank conflicts for 4 bytes: nearly the speed of copy",
            .limit = "the bandwidth of memory; 4-byte accesses and their addresses",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = padded_recipe,
    },
    [SWIZZLED] = {
        .about = {
            .name = "swizzled",
            .idea = "no padding: column j of row i is kept at j XOR i",
            .gain = "as free of conflicts as padded, without its unused column; rows stay aligned, "
                    "which wider accesses will need",
            .limit = "as padded",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = swizzled_recipe,
    },
    [DIAGONAL] = {
        .about = {
            .name = "diagonal",
            .idea = "swizzled, with the blocks taken in diagonal order",
            .gain = "spreads what runs at one time over all partitions of memory where ld is a "
                    "multiple of their period; chips that hash their addresses gain nothing and "
                    "lose some locality",
            .limit = "as swizzled, and a division more per block",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = diagonal_recipe,
    },
    [VECTOR] = {
        .about = {
            .name = "vector",
            .idea = "16-byte accesses both ways: 64 x 64 tiles (for 4 bytes), a square per thread "
                    "turned in registers, packs of 16 bytes swizzled in shared memory",
            .gain = "a quarter of the memory instructions for 4-byte elements, a sixteenth for "
                    "bytes, and more bytes in flight per thread: the larger the smaller the "
                    "element",
            .limit = "the bandwidth of memory; tiles at the border and rows that do not begin at "
                     "16 bytes go element by element",
            .needs = "",
            .dtypes = ALL_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R0,
            .depth = no_depth,
        },
        .recipe = vector_recipe,
    },
};

const plx_ladder plx_transpose_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = choose_transpose,
};
