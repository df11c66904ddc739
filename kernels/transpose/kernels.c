/* The ladder of transposes: what each kernel says of itself and how it is launched.
 * Kernels know elements by their size alone.  Tiles are counted in the grid's first
 * dimension, which reaches 2^31 - 1. */
#include "geometry.h"

#include "operation.h"

enum { COPY, COPY_SHARED, NAIVE, COALESCED, PADDED, SWIZZLED, DIAGONAL, VECTOR, SECTOR_ALIGNED, TALL_SKINNY, ROWS };

enum { IN, OUT }; /* operands */

/* What all kernels say alike. */
#define TRANSPOSE_KERNEL                                                                                 \
    .dtypes = PLX_DTYPE_BIT(PLX_DTYPE_COUNT) - 1, .accumulator_f32 = PLX_F32, .reproducibility = PLX_R0, \
    .depth = plx_no_depth

/* ---- recipes ---------------------------------------------------------------- */

/* A matrix cut into tiles, with a block for each. */
typedef struct tiling {
    const char *entry;
    int64_t height, width; /* of a tile */
    int64_t above;         /* rows by which the tiles begin above the matrix */
    uint32_t block_x, block_y;
    int64_t shared;
    bool downwards; /* numbered column by column, else row by row */
    bool batched;   /* the kernel takes batches: the tiles of one problem after those of the one before */
} tiling;

static void add_arguments(plx_step *step, const plx_transpose_problem *p, int64_t side)
{
    plx_step_operand(step, IN);
    plx_step_operand(step, OUT);
    plx_step_i64(step, p->rows);
    plx_step_i64(step, p->cols);
    plx_step_i64(step, p->ld_in);
    plx_step_i64(step, p->ld_out);
    plx_step_i32(step, (int32_t)side);
}

/* `number`: tiles of one problem. */
static void add_batch(plx_step *step, const plx_problem *problem, int64_t number)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_TRANSPOSE)->extents(problem, extents);
    plx_step_i32(step, (int32_t)number);
    plx_step_i64(step, plx_batch_stride(problem, IN, &extents[IN]));
    plx_step_i64(step, plx_batch_stride(problem, OUT, &extents[OUT]));
}

/* One launch, which becomes *step; none, and NULL, for a matrix without elements. */
static plx_status tile_recipe(const tiling *tiles, const plx_problem *problem, plx_recipe *recipe, plx_step **step,
                              plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);

    *step = NULL;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s", moved->variant);
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s", moved->defines);
    if (p->rows == 0 || p->cols == 0)
        return PLX_OK;
    int64_t across = quotient_up(p->cols, tiles->width);
    int64_t down = plx_transpose_tiles_from(tiles->above, p->rows, tiles->height);
    int64_t count = plx_problem_count(problem);
    if (across > INT32_MAX / down || across * down > INT32_MAX / count)
        return plx_fail(error, PLX_UNSUPPORTED, "%lld of %lld x %lld elements are more than 2^31 - 1 tiles of %d x %d",
                        (long long)count, (long long)p->rows, (long long)p->cols, (int)tiles->height,
                        (int)tiles->width);
    *step = plx_recipe_step(recipe, tiles->entry, tiles->block_x, tiles->block_y);
    (*step)->grid[0] = (uint64_t)(across * down * count);
    (*step)->dependent_launch = true;
    if (tiles->above == 0 && !problem->batch.batched)
        plx_step_tile(*step, tiles->width, tiles->height);
    add_arguments(*step, p, tiles->downwards ? down : across);
    if (tiles->batched)
        add_batch(*step, problem, across * down);
    return PLX_OK;
}

/* The form of the kernels with tiles of 32 x 32. */
typedef struct square {
    const char *entry;
    int64_t columns; /* of shared memory beside each other; 0: none */
    bool by_rows;    /* tiles are numbered row by row */
    bool copies;
    bool batched;
} square;

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

static plx_status square_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error)
{
    const square *kernel = recipe->form;
    const tiling tiles = {
        .entry = kernel->entry,
        .height = TRANSPOSE_TILE,
        .width = TRANSPOSE_TILE,
        .block_x = TRANSPOSE_TILE,
        .block_y = TRANSPOSE_ROWS,
        .shared = kernel->columns * TRANSPOSE_TILE * plx_transpose_element(problem->dtype)->size,
        .downwards = !kernel->by_rows,
        .batched = kernel->batched,
    };
    plx_step *step;
    plx_status status = kernel->copies ? copy_fits(problem, error) : PLX_OK;
    if (status == PLX_OK)
        status = tile_recipe(&tiles, problem, recipe, &step, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "SIZE", TRANSPOSE_TILE);
    return plx_recipe_check(recipe, (uint64_t)tiles.shared, device, error);
}

static plx_status aligned_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error)
{
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);
    int64_t side = moved->vector_tile, packs = side * moved->size / 16;
    const tiling tiles = {
        .entry = "transpose_vector",
        .height = side,
        .width = side,
        .block_x = (uint32_t)(packs * packs),
        .block_y = 1,
        .shared = side * side * moved->size,
        .downwards = true,
        .batched = true,
    };
    plx_step *step;
    plx_status status = tile_recipe(&tiles, problem, recipe, &step, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "SIZE", side);
    if (moved->size < 16) /* else every start is aligned */
        recipe->aligned = UINT32_C(1) << IN | UINT32_C(1) << OUT;
    return plx_recipe_check(recipe, (uint64_t)tiles.shared, device, error);
}

/* A row of the tile in shared memory ends in a gap of 4 bytes, or of one element. */
static plx_status tall_recipe(const char *entry, const plx_problem *problem, const plx_device_info *device,
                              plx_recipe *recipe, plx_error *error)
{
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);
    int64_t width = moved->sector_aligned.width, height = moved->sector_aligned.height, run = moved->sector_aligned.run;
    int64_t gap = moved->size < 4 ? 4 : moved->size;
    const tiling tiles = {
        .entry = entry,
        .height = height,
        .width = width,
        .above = run - 1,
        .block_x = TRANSPOSE_SECTOR_ALIGNED_THREADS,
        .block_y = 1,
        .shared = (height + run) * (width * moved->size + gap),
        .downwards = true,
        .batched = true,
    };
    plx_step *step;
    plx_status status = tile_recipe(&tiles, problem, recipe, &step, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "ACROSS", width);
    plx_recipe_define(recipe, "HEIGHT", height);
    plx_recipe_define(recipe, "RUN", run);
    return plx_recipe_check(recipe, (uint64_t)tiles.shared, device, error);
}

static plx_status sector_aligned_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                        plx_error *error)
{
    return tall_recipe("transpose_sector_aligned", problem, device, recipe, error);
}

/* vector's other tiles, of elements that begin anywhere. */
enum { ALIGNED_TILES, UNALIGNED_TILES };

static plx_status vector_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                   plx_error *error)
{
    (void)problem;
    (void)device;
    (void)error;
    schedule->tile = UNALIGNED_TILES;
    return PLX_OK;
}

static plx_status vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error)
{
    return recipe->schedule.tile == UNALIGNED_TILES ? tall_recipe("transpose_unaligned", problem, device, recipe, error)
                                                    : aligned_recipe(problem, device, recipe, error);
}

static plx_status tall_skinny_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);
    int64_t capacity = moved->tall_skinny_capacity;
    int64_t shorter = plx_transpose_tall_skinny_part(p->rows < p->cols ? p->rows : p->cols);
    int64_t length = plx_transpose_tall_skinny_length(capacity, shorter);
    const tiling tiles = {
        .entry = "transpose_tall_skinny",
        .height = p->rows < p->cols ? shorter : length,
        .width = p->rows < p->cols ? length : shorter,
        .block_x = TRANSPOSE_TALL_SKINNY_THREADS,
        .block_y = 1,
        .shared = (capacity + capacity / 2) * moved->size,
        .downwards = true,
        .batched = true,
    };
    plx_step *step;
    plx_status status = tile_recipe(&tiles, problem, recipe, &step, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "CAPACITY", capacity);
    plx_recipe_min_blocks_per_sm(recipe, device, TRANSPOSE_TALL_SKINNY_THREADS, TRANSPOSE_TALL_SKINNY_BLOCKS);
    if (step != NULL) {
        plx_step_i32(step, (int32_t)tiles.height);
        plx_step_i32(step, (int32_t)tiles.width);
    }
    return plx_recipe_check(recipe, (uint64_t)tiles.shared, device, error);
}

/* ---- the ladder ---------------------------------------------------------------- */

static const plx_row rows[ROWS] = {
    ROW(COPY,
        ABOUT(.name = "copy", .idea = "no transpose: each block copies a 32 x 32 tile, both sides along rows",
              .gain = "none: the practical upper limit of what moves each element once, to measure the others by",
              .limit = "the bandwidth of memory", .needs = "an output without gaps between its rows",
              .flags = PLX_KERNEL_BASELINE, TRANSPOSE_KERNEL),
        .recipe = square_recipe, .form = &(const square){"transpose_copy", .by_rows = true, .copies = true}),
    ROW(COPY_SHARED,
        ABOUT(.name = "copy-shared", .idea = "the same copy through a tile in shared memory",
              .gain = "none: the difference to copy is the price of the detour and its barrier, nearly nothing",
              .limit = "the bandwidth of memory", .needs = "an output without gaps between its rows",
              .flags = PLX_KERNEL_BASELINE, TRANSPOSE_KERNEL),
        .recipe = square_recipe,
        .form = &(const square){"transpose_copy_shared", .columns = TRANSPOSE_TILE, .by_rows = true, .copies = true}),
    ROW(NAIVE,
        ABOUT(.name = "naive", .idea = "reads along rows, writes along columns",
              .gain = "the starting point of the transposes",
              .limit = "a warp's 32 writes go to 32 rows: as many transactions, each for one element; caches that hold "
                       "the rest until the neighbours come soften it",
              .needs = "", TRANSPOSE_KERNEL, .flags = PLX_KERNEL_PROBED),
        .recipe = square_recipe, .form = &(const square){"transpose_naive", .columns = 0}),
    ROW(COALESCED,
        ABOUT(.name = "coalesced",
              .idea = "turns a 32 x 32 tile in shared memory, so that reads and writes both run along rows",
              .gain = "a warp's writes become one 128-byte transaction instead of 32: up to several times faster",
              .limit = "the column of the tile that a warp reads lies in a single bank of shared memory: 32 accesses "
                       "one after the other",
              .needs = "", TRANSPOSE_KERNEL, .flags = PLX_KERNEL_PROBED),
        .recipe = square_recipe, .form = &(const square){"transpose_coalesced", .columns = TRANSPOSE_TILE}),
    ROW(PADDED,
        ABOUT(.name = "padded",
              .idea = "the tile one column wider, so that the elements of a column lie in different banks",
              .gain = "no bank conflicts for 4 bytes: nearly the speed of copy",
              .limit = "the bandwidth of memory; 4-byte accesses and their addresses", .needs = "", TRANSPOSE_KERNEL,
              .flags = PLX_KERNEL_PROBED),
        .recipe = square_recipe, .form = &(const square){"transpose_padded", .columns = TRANSPOSE_TILE + 1}),
    ROW(SWIZZLED,
        ABOUT(.name = "swizzled", .idea = "no padding: column j of row i is kept at j XOR i",
              .gain = "as free of conflicts as padded, without its unused column; rows stay aligned, which wider "
                      "accesses will need",
              .limit = "as padded", .needs = "", TRANSPOSE_KERNEL, .flags = PLX_KERNEL_BATCHED),
        .recipe = square_recipe,
        .form = &(const square){"transpose_swizzled", .columns = TRANSPOSE_TILE, .batched = true}),
    ROW(DIAGONAL,
        ABOUT(.name = "diagonal", .idea = "swizzled, with the blocks taken in diagonal order",
              .gain = "spreads what runs at one time over all partitions of memory where ld is a multiple of their "
                      "period; chips that hash their addresses gain nothing and lose some locality",
              .limit = "as swizzled, and a division more per block", .needs = "", TRANSPOSE_KERNEL),
        .recipe = square_recipe,
        .form = &(const square){"transpose_diagonal", .columns = TRANSPOSE_TILE, .by_rows = true}),
    ROW(VECTOR,
        ABOUT(.name = "vector",
              .idea = "16-byte accesses both ways: 64 x 64 tiles (for 4 bytes), a square per thread turned in "
                      "registers, packs of 16 bytes swizzled in shared memory",
              .gain = "a quarter of the memory instructions for 4-byte elements, a sixteenth for bytes, and more bytes "
                      "in flight per thread: the larger the smaller the element",
              .limit = "the bandwidth of memory; tiles at the border and rows that do not begin at 16 bytes go element "
                       "by element",
              .needs = "", TRANSPOSE_KERNEL, .flags = PLX_KERNEL_BATCHED),
        .recipe = vector_recipe, .unaligned = vector_unaligned),
    ROW(SECTOR_ALIGNED,
        ABOUT(.name = "sector-aligned",
              .idea = "swizzled with larger tiles, 64 x 64 for 4 bytes, each of whose columns begins where its row of "
                      "the output has a multiple of 32 bytes, the sector",
              .gain = "odd leading dimensions lose their price: no sector is written by two blocks; nothing where rows "
                      "are aligned anyway",
              .limit = "the bandwidth of memory; an eighth more is read, though not from memory", .needs = "",
              TRANSPOSE_KERNEL, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_BATCHED),
        .recipe = sector_aligned_recipe),
    ROW(TALL_SKINNY,
        ABOUT(.name = "tall-skinny",
              .idea = "tiles as narrow as the matrix: threads are dealt to elements in the order of memory, whatever "
                      "the length of a row",
              .gain = "no idle threads where a side is short or fills its last tile badly; loses to square tiles where "
                      "both are long",
              .limit = "the bandwidth of memory; a multiplication per element for its place", .needs = "",
              TRANSPOSE_KERNEL, .flags = PLX_KERNEL_SPECIAL | PLX_KERNEL_BATCHED),
        .recipe = tall_skinny_recipe),
};

/* Whether every row begins at a multiple of so many bytes, if the operands do; of a batch, in every problem. */
static bool rows_aligned(const plx_problem *problem, int64_t bytes)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    int64_t elements = bytes / plx_transpose_element(problem->dtype)->size;
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_operation_of(PLX_TRANSPOSE)->extents(problem, extents);
    return p->ld_in % elements == 0 && p->ld_out % elements == 0 &&
           plx_batch_stride(problem, IN, &extents[IN]) % elements == 0 &&
           plx_batch_stride(problem, OUT, &extents[OUT]) % elements == 0;
}

/* Bytes and pairs of them need the wide accesses more than whole tiles. */
static bool suits_vector(const plx_problem *problem, const plx_device_info *device)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);
    int64_t tile = moved->vector_tile;

    (void)device;
    if (moved->size < 4)
        return rows_aligned(problem, 16) && p->rows >= 2 * tile && p->cols >= 2 * tile;
    return rows_aligned(problem, 128) && p->rows % tile == 0 && p->cols % tile == 0;
}

/* By PoCL on two threads of an EPYC: from 1 MB on naive takes 1.1 to 1.7 times as long for elements of 4 bytes, most
 * where the sides are powers of two, whose columns meet in few lines of the caches.  For 8 bytes vector takes 1.1
 * to 1.7 times as long, and 5 times where it goes element by element. */
static bool suits_vector_of_processor(const plx_problem *problem, const plx_device_info *device)
{
    return plx_transpose_element(problem->dtype)->size == 4 && plx_transpose_elements(problem) >= 1 << 18 &&
           suits_vector(problem, device);
}

/* Sizes that were not timed take it where its tiles are three quarters full. */
static bool suits_sector_aligned(const plx_problem *problem, const plx_device_info *device)
{
    const plx_transpose_size *moved = plx_transpose_element(problem->dtype);

    (void)device;
    if (moved->known == NULL)
        return plx_transpose_elements(problem) >= 0.75 * plx_transpose_sector_aligned_tiles(problem) *
                                                      (double)moved->sector_aligned.height *
                                                      (double)moved->sector_aligned.width;
    double time = plx_transpose_time_sector_aligned(problem);
    return time <= plx_transpose_time_swizzled(problem) && time <= plx_transpose_time_tall_skinny(problem);
}

/* Sizes that were not timed take it where all its tiles are full. */
static bool suits_swizzled(const plx_problem *problem, const plx_device_info *device)
{
    const plx_transpose_problem *p = &problem->of.transpose;

    (void)device;
    if (plx_transpose_element(problem->dtype)->known == NULL)
        return p->rows % TRANSPOSE_TILE == 0 && p->cols % TRANSPOSE_TILE == 0;
    return plx_transpose_time_swizzled(problem) <= plx_transpose_time_tall_skinny(problem);
}

static bool has_short_side(const plx_problem *problem, const plx_device_info *device)
{
    const plx_transpose_problem *p = &problem->of.transpose;

    (void)device;
    return p->rows <= 8 || p->cols <= 8;
}

/* From timings on an H200, and of PoCL for processors, whose caches do what a tile is
 * for.  A device with little shared memory or small blocks gets a step that fits. */
static const plx_preference preferences[] = {
    {PLX_ON_PROCESSOR, has_short_side, TALL_SKINNY},
    {PLX_ON_PROCESSOR, suits_vector_of_processor, VECTOR},
    {PLX_ON_PROCESSOR, NULL, NAIVE},
    {PLX_ON_ANY, suits_vector, VECTOR},
    {PLX_ON_ANY, suits_sector_aligned, SECTOR_ALIGNED},
    {PLX_ON_ANY, suits_swizzled, SWIZZLED},
    {PLX_ON_ANY, NULL, TALL_SKINNY},
    {PLX_ON_ANY, NULL, SWIZZLED},
    {PLX_ON_ANY, NULL, NAIVE},
};

static size_t choose_transpose(const plx_problem *problem, const plx_device_info *device)
{
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], rows, problem, device);
}

const plx_ladder plx_transpose_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = choose_transpose,
};
