/* The f64 products on the tensor cores: tiles, and launches. */
#include "tensor.h"

#include "gemm/device/common/tiles.h"
#include "gemm/device/f64/tiles.h"
#include "kernels/arithmetic.h"

#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands */

enum { ELEMENT = 8, LINE = 128 };
enum { MAPS = 2, MAP_BYTES = 128 }; /* of A and of B */

/* ---- tiles -------------------------------------------------------------------------------- */

#define TILE(entry, SIZE, registers)                                                                              \
    {                                                                                                             \
        entry, SIZE##_ROWS, SIZE##_COLS, {SIZE##_WARPS}, SIZE##_THREADS, SIZE##_STAGES, SIZE##_BLOCKS, registers, \
    }
#define BULK_TILE(entry, SIZE) TILE(entry, SIZE, SIZE##_REGISTERS)

static const plx_dmma_tile copied[PLX_DMMA_TILES] = {
    TILE("gemm_dmma_large", GEMM_DMMA_LARGE, 0),
    TILE("gemm_dmma_small", GEMM_DMMA_SMALL, 0),
    TILE("gemm_dmma_tiny", GEMM_DMMA_TINY, 0),
};

static const plx_dmma_tile bulk[PLX_DMMA_BULK_TILES] = {
    BULK_TILE("gemm_dmma_bulk_large", GEMM_DMMA_BULK_LARGE),
    BULK_TILE("gemm_dmma_bulk_middle", GEMM_DMMA_BULK_MIDDLE),
    BULK_TILE("gemm_dmma_bulk_square", GEMM_DMMA_BULK_SQUARE),
    BULK_TILE("gemm_dmma_bulk_small", GEMM_DMMA_BULK_SMALL),
    BULK_TILE("gemm_dmma_bulk_tiny", GEMM_DMMA_BULK_TINY),
    BULK_TILE("gemm_dmma_bulk_flat", GEMM_DMMA_BULK_FLAT),
    BULK_TILE("gemm_dmma_bulk_tall", GEMM_DMMA_BULK_TALL),
};

const plx_dmma_tile *plx_dmma_tiles(uint32_t kernel, size_t *count)
{
    *count = kernel == PLX_GEMM_DMMA ? PLX_DMMA_TILES : PLX_DMMA_BULK_TILES;
    return kernel == PLX_GEMM_DMMA ? copied : bulk;
}

int64_t plx_dmma_k_tiles(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return p->alpha == 0.0 ? 0 : quotient_up(p->k, GEMM_DMMA_DEPTH);
}

uint64_t plx_dmma_shared(const plx_dmma_tile *tile)
{
    uint64_t stage = (uint64_t)(tile->rows + tile->cols) * GEMM_DMMA_DEPTH * 8;
    return (uint64_t)tile->stages * (stage + 16) + 1024;
}

int32_t plx_dmma_slices(int64_t parts)
{
    int32_t slices = 1;
    while (slices < 16 && parts >= 12 * (int64_t)slices)
        slices *= 2;
    return slices;
}

bool plx_dmma_count_tiles(const plx_dmma_tile *tile, const plx_problem *problem, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return !__builtin_mul_overflow(quotient_up(p->m, tile->rows), quotient_up(p->n, tile->cols), tiles) &&
           *tiles <= PLX_GEMM_MOST_INDEX;
}

plx_dmma_tiling plx_dmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                   const plx_schedule *schedule)
{
    size_t count;
    const plx_dmma_tile *tile = &plx_dmma_tiles(schedule->kernel, &count)[schedule->tile];
    int64_t tiles = 0;
    (void)plx_dmma_count_tiles(tile, problem, &tiles);
    return (plx_dmma_tiling){tile,
                             plx_gemm_divide(tiles, schedule->split_k, plx_gemm_sms(device) * schedule->ctas_per_sm)};
}

/* ---- OpenCL ----------------------------------------------------------------------------- */

/* What CUDA's device code has as templates. */
static void define_tile(const plx_dmma_tile *tile, plx_recipe *recipe)
{
    size_t used = strlen(recipe->defines);

    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used,
                   " -DENTRY=%s -DTILE_ROWS=%d -DTILE_COLS=%d -DSTAGES=%d -DCONSUMERS_DOWN=%d -DCONSUMERS_ACROSS=%d",
                   tile->entry, tile->rows, tile->cols, tile->stages, tile->warps[0], tile->warps[1]);
    recipe->known_local_bytes = plx_dmma_shared(tile);
}

/* As many registers as the blocks side by side leave to each thread: a quarter of a multiprocessor has a
 * quarter of them, and of the warps. */
static int64_t registers_of(const plx_dmma_tile *tile)
{
    enum { REGISTERS = 65536, AT_ONCE = 8, QUARTERS = 4, WARP = 32 };
    const int64_t warps = (int64_t)tile->threads / WARP * tile->blocks;
    const int64_t threads = (warps + QUARTERS - 1) / QUARTERS * QUARTERS * WARP;
    return REGISTERS / threads / AT_ONCE * AT_ONCE;
}

static void define_bulk(const plx_dmma_tile *tile, plx_recipe *recipe)
{
    enum { COUNTED_BESIDES = LINE };
    plx_recipe_define(recipe, "THREADS", tile->threads);
    plx_recipe_define(recipe, "MOST_REGISTERS", registers_of(tile));
    if (tile->registers > 0)
        plx_recipe_define(recipe, "MANY_REGISTERS", tile->registers);
    recipe->known_local_bytes += MAPS * MAP_BYTES + COUNTED_BESIDES;
}

static plx_status start(uint32_t kernel, const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                        const plx_dmma_tiling *tiling, plx_error *error)
{
    const plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || !plx_gemm_is_opencl(device))
        return status;
    define_tile(tiling->tile, recipe);
    if (kernel == PLX_GEMM_DMMA_BULK)
        define_bulk(tiling->tile, recipe);
    else if (tiling->tile->blocks > 1)
        plx_recipe_min_blocks_per_sm(recipe, device, (int)tiling->tile->threads, tiling->tile->blocks);
    return PLX_OK;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Reserves bytes of scratch memory and returns where they begin; 0 for none. */
static int64_t reserve(plx_recipe *recipe, uint64_t bytes)
{
    if (bytes == 0)
        return 0;
    uint64_t begin = recipe->scratch_bytes > 0 ? recipe->scratch_bytes : PLX_SCRATCH_COUNTERS;
    recipe->scratch_bytes = begin + (bytes + LINE - 1) / LINE * LINE;
    return (int64_t)begin;
}

/* Where the partial tiles lie. */
static int64_t reserve_partials(plx_recipe *recipe, const plx_dmma_tiling *tiling)
{
    return reserve(recipe, (uint64_t)(tiling->work.items - tiling->work.whole) * (uint64_t)tiling->tile->rows *
                               (uint64_t)tiling->tile->cols * ELEMENT);
}

static plx_step *add_product(plx_recipe *recipe, const plx_dmma_tiling *tiling, const plx_device_info *device)
{
    plx_step *step = plx_recipe_step(recipe, tiling->tile->entry, tiling->tile->threads, 1);
    int64_t slots = plx_gemm_sms(device) * tiling->tile->blocks;

    step->grid[0] = (uint64_t)(tiling->work.items < slots ? tiling->work.items : slots);
    step->dependent_launch = true;
    plx_step_tile(step, tiling->tile->rows, tiling->tile->cols);
    return step;
}

static void add_work(plx_step *step, const plx_dmma_tiling *tiling, const plx_device_info *device, int64_t partials)
{
    plx_step_scratch(step, partials, ELEMENT);
    plx_step_i32(step, (int32_t)tiling->work.whole);
    plx_step_i32(step, (int32_t)tiling->work.parts);
    plx_step_i32(step, (int32_t)tiling->work.items);
    if (!plx_gemm_is_opencl(device)) /* OpenCL's has it declared */
        plx_step_shared(step, (int64_t)plx_dmma_shared(tiling->tile));
}

/* Adds up the parts of the tiles from `whole` on; with none, C becomes beta * C. */
static void add_sum(plx_recipe *recipe, const char *entry, const plx_problem *problem, const plx_dmma_tiling *tiling,
                    int64_t whole, int64_t parts, int64_t partials)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step *step = plx_recipe_step(recipe, entry, GEMM_DMMA_SUM_THREADS, 1);
    const int64_t pairs = (int64_t)tiling->tile->rows * tiling->tile->cols / 2;
    const int32_t slices = plx_dmma_slices(parts), at_once = GEMM_DMMA_SUM_THREADS / slices;

    step->grid[0] = (uint64_t)(tiling->work.tiles - whole);
    step->grid[1] = (uint64_t)((pairs + at_once - 1) / at_once);
    step->dependent_launch = true;
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, partials, ELEMENT);
    plx_step_i32(step, (int32_t)whole);
    plx_step_i32(step, (int32_t)parts);
    plx_step_i32(step, slices);
    plx_step_i32(step, tiling->tile->rows);
    plx_step_i32(step, tiling->tile->cols);
}

/* ---- dmma ----------------------------------------------------------------------------------- */

plx_status plx_dmma_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                           plx_error *error)
{
    const plx_dmma_tiling tiling = plx_dmma_tiling_by(problem, device, &recipe->schedule);
    const plx_status status = start(PLX_GEMM_DMMA, problem, device, recipe, &tiling, error);
    if (status != PLX_OK || tiling.work.tiles == 0) /* C has no element */
        return status;
    int64_t partials = reserve_partials(recipe, &tiling);
    plx_step *step = add_product(recipe, &tiling, device);
    plx_gemm_step_operands(step);
    plx_gemm_step_sizes(problem, step);
    add_work(step, &tiling, device, partials);
    if (tiling.work.items > tiling.work.whole)
        add_sum(recipe, "gemm_dmma_sum", problem, &tiling, tiling.work.whole, tiling.work.parts, partials);
    return plx_recipe_check(recipe, 0, device, error);
}

/* ---- dmma-bulk ---------------------------------------------------------------------------------- */

/* An operand in memory. */
typedef struct stored {
    uint32_t operand;
    bool inner;                 /* whether the inner index runs along its rows */
    int64_t rows, width, pitch; /* elements */
    int32_t side;               /* of C's tile, along the operand's outer index */
} stored;

static stored stored_a(const plx_problem *problem, const plx_dmma_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (stored){A, !p->trans_a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, p->lda, tiling->tile->rows};
}

static stored stored_b(const plx_problem *problem, const plx_dmma_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (stored){B, p->trans_b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, p->ldb, tiling->tile->cols};
}

/* Where bulk copies find it: where it is, or packed in scratch memory. */
typedef struct reached {
    stored from;
    bool packed;
    int64_t at, pitch; /* scratch bytes, elements */
} reached;

/* Packed rows are a multiple of 128 bytes apart: else bulk copies fetch pieces of memory lines. */
static reached reach(plx_recipe *recipe, stored from)
{
    reached made = {
        .from = from, .packed = recipe->schedule.paths[from.operand] == PLX_PATH_PACKED, .pitch = from.pitch};
    if (made.packed) {
        made.pitch = (from.width * ELEMENT + LINE - 1) / LINE * LINE / ELEMENT;
        made.at = reserve(recipe, (uint64_t)from.rows * (uint64_t)made.pitch * ELEMENT);
    }
    return made;
}

static uint64_t blocks_that_pack(const reached *operand)
{
    int64_t pieces = (operand->from.width + GEMM_DMMA_PACK_PIECE - 1) / GEMM_DMMA_PACK_PIECE;
    if (!operand->packed)
        return 0;
    return ((uint64_t)operand->from.rows * (uint64_t)pieces - 1) / (GEMM_DMMA_PACK_THREADS / 32) + 1;
}

static void pass_packing(plx_step *step, const reached *operand)
{
    plx_step_operand(step, operand->from.operand);
    plx_step_scratch(step, operand->at, ELEMENT);
    plx_step_i64(step, operand->packed ? operand->from.rows : 0);
    plx_step_i64(step, operand->from.width);
    plx_step_i64(step, operand->from.pitch);
    plx_step_i64(step, operand->pitch);
}

/* One launch packs both. */
static void add_pack(plx_recipe *recipe, const reached *a, const reached *b)
{
    uint64_t blocks_a = blocks_that_pack(a), blocks_b = blocks_that_pack(b);

    if (blocks_a == 0 && blocks_b == 0)
        return;
    plx_step *step = plx_recipe_step(recipe, "gemm_dmma_bulk_pack", GEMM_DMMA_PACK_THREADS, 1);
    step->grid[0] = blocks_a > blocks_b ? blocks_a : blocks_b;
    step->grid[1] = 2;
    step->dependent_launch = true;
    pass_packing(step, a);
    pass_packing(step, b);
}

/* Boxes of 16 elements, a row of the stage: a tile of them where they run along k, else 16 of k. */
static plx_tensor_map map_of(const reached *operand)
{
    const stored *from = &operand->from;
    return (plx_tensor_map){
        .of_scratch = operand->packed,
        .operand = from->operand,
        .offset = (uint64_t)operand->at,
        .dtype = PLX_F64,
        .width = (uint64_t)from->width,
        .height = (uint64_t)from->rows,
        .pitch = (uint64_t)operand->pitch * ELEMENT,
        .box_width = GEMM_DMMA_DEPTH,
        .box_height = from->inner ? (uint32_t)from->side : GEMM_DMMA_DEPTH,
        .swizzle = LINE,
    };
}

static void add_products(const plx_problem *problem, const plx_device_info *device, const plx_dmma_tiling *tiling,
                         plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const reached a = reach(recipe, stored_a(problem, tiling)), b = reach(recipe, stored_b(problem, tiling));
    const plx_tensor_map map_a = map_of(&a), map_b = map_of(&b);
    int64_t partials = reserve_partials(recipe, tiling);

    add_pack(recipe, &a, &b);
    plx_step *step = add_product(recipe, tiling, device);
    plx_step_map(recipe, step, &map_a);
    plx_step_map(recipe, step, &map_b);
    if (plx_gemm_is_opencl(device))
        plx_step_scratch(step, reserve(recipe, step->grid[0] * MAPS * MAP_BYTES), 1);
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    add_work(step, tiling, device, partials);
    if (tiling->work.items > tiling->work.whole)
        add_sum(recipe, "gemm_dmma_bulk_sum", problem, tiling, tiling->work.whole, tiling->work.parts, partials);
}

plx_status plx_dmma_bulk_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error)
{
    const plx_dmma_tiling tiling = plx_dmma_tiling_by(problem, device, &recipe->schedule);
    const plx_status status = start(PLX_GEMM_DMMA_BULK, problem, device, recipe, &tiling, error);

    if (status != PLX_OK || tiling.work.tiles == 0) /* C has no element */
        return status;
    if (plx_gemm_has_terms(problem))
        add_products(problem, device, &tiling, recipe);
    else /* there may be no operand to map */
        add_sum(recipe, "gemm_dmma_bulk_sum", problem, &tiling, 0, 0, 0);
    return plx_recipe_check(recipe, 0, device, error);
}
