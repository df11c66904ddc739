/* Operands as they lie in memory, and their copies whose rows begin where the copy engine can read them. */
#include "operand.h"

#include "gemm/device/common/tiles.h"
#include "gemm/device/common/pack-transposed.h"

enum { A, B }; /* operands */

static int64_t element_bytes(const plx_gemm_operand *s)
{
    return s->dtype == PLX_F32 ? 4 : 2;
}

/* Elements in 16 bytes. */
static int64_t width_of(const plx_gemm_operand *s)
{
    return 16 / element_bytes(s);
}

plx_gemm_operand plx_gemm_operand_as(const plx_problem *problem, uint32_t operand)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (operand == A)
        return (plx_gemm_operand){.operand = A,
                                  .dtype = problem->dtype,
                                  .rows = p->trans_a ? p->k : p->m,
                                  .cols = p->trans_a ? p->m : p->k,
                                  .ld = p->lda,
                                  .inner = !p->trans_a};
    return (plx_gemm_operand){.operand = B,
                              .dtype = problem->dtype,
                              .rows = p->trans_b ? p->n : p->k,
                              .cols = p->trans_b ? p->k : p->n,
                              .ld = p->ldb,
                              .inner = p->trans_b};
}

/* A single row has no next one that could begin at a wrong place. */
bool plx_gemm_steps_by_units(const plx_gemm_operand *s)
{
    return s->rows == 1 || s->ld % width_of(s) == 0;
}

static int64_t rounded_up(int64_t value, int64_t unit)
{
    return value / unit * unit + (value % unit != 0 ? unit : 0);
}

static int64_t rows_of_copy(const plx_gemm_operand *s)
{
    return s->transposed ? s->cols : s->rows;
}

static int64_t cols_of_copy(const plx_gemm_operand *s)
{
    return s->transposed ? s->rows : s->cols;
}

static bool take_room(plx_gemm_operand *s, uint64_t *scratch_bytes)
{
    uint64_t bytes;
    s->repacked = true;
    s->pitch = rounded_up(cols_of_copy(s), GEMM_REPACK_PITCH / element_bytes(s));
    s->offset = (int64_t)*scratch_bytes;
    return !__builtin_mul_overflow((uint64_t)rows_of_copy(s) * (uint64_t)element_bytes(s), (uint64_t)s->pitch,
                                   &bytes) &&
           bytes / 16 < UINT64_C(1) << 31 && !__builtin_add_overflow(*scratch_bytes, bytes, scratch_bytes);
}

/* What its path asks for: nothing where the copy engine or threads take it as it lies. */
static bool take_path(plx_gemm_operand *s, plx_operand_path path, uint64_t *scratch_bytes)
{
    s->transposed = path == PLX_PATH_PACKED_TRANSPOSED;
    return (path != PLX_PATH_PACKED && !s->transposed) || take_room(s, scratch_bytes);
}

/* The steps of the map are elements; a lone row may have any pitch. */
plx_tensor_map plx_gemm_map_of(const plx_gemm_operand *s)
{
    int64_t pitch = s->repacked ? s->pitch : rounded_up(s->ld, width_of(s));
    return (plx_tensor_map){
        .of_scratch = s->repacked,
        .operand = s->operand,
        .offset = s->repacked ? (uint64_t)s->offset : 0,
        .dtype = s->dtype,
        .width = (uint64_t)cols_of_copy(s),
        .height = (uint64_t)rows_of_copy(s),
        .pitch = (uint64_t)(pitch * element_bytes(s)),
    };
}

plx_tensor_map plx_gemm_map_of_boxes(const plx_gemm_operand *s, int side)
{
    plx_tensor_map map = plx_gemm_map_of(s);
    map.box_width = s->inner ? GEMM_PIPELINE_DEPTH : (uint32_t)side;
    map.box_height = s->inner ? (uint32_t)side : GEMM_PIPELINE_DEPTH;
    map.swizzle = s->inner ? 128 : 0;
    return map;
}

uint64_t plx_gemm_blocks_for(int64_t items, int64_t per_block, const plx_device_info *device)
{
    int64_t blocks = items / per_block + 1, most = 8 * (int64_t)(device->units > 0 ? device->units : 1);
    return (uint64_t)(blocks < most ? blocks : most);
}

static void add_copy(plx_step *step, const plx_gemm_operand *s)
{
    plx_step_operand(step, s->operand);
    plx_step_scratch(step, s->offset, (uint32_t)element_bytes(s));
    plx_step_i64(step, s->repacked ? s->rows : 0);
    plx_step_i64(step, s->cols);
    plx_step_i64(step, s->ld);
    plx_step_i64(step, s->pitch);
}

static uint64_t blocks_of(const plx_gemm_operand *s, const plx_device_info *device)
{
    if (!s->repacked)
        return 0;
    if (!s->transposed)
        return plx_gemm_blocks_for(s->rows * (s->pitch / width_of(s)),
                                   GEMM_REPACK_THREADS * GEMM_REPACK_UNITS(element_bytes(s)), device);
    const int64_t tiles = ((s->rows - 1) / GEMM_TURN_SIDE + 1) * ((s->cols - 1) / GEMM_TURN_SIDE + 1);
    return plx_gemm_blocks_for(tiles, 1, device);
}

static void add_repack(plx_recipe *recipe, const plx_device_info *device, const plx_gemm_operand *a,
                       const plx_gemm_operand *b)
{
    const uint64_t of_a = blocks_of(a, device), of_b = blocks_of(b, device);
    const bool transposes = a->transposed || b->transposed;
    if (of_a == 0 && of_b == 0)
        return;
    plx_step *step = plx_recipe_step(recipe, transposes ? "gemm_turn" : "gemm_repack", GEMM_REPACK_THREADS, 1);
    step->grid[0] = of_a > of_b ? of_a : of_b;
    step->grid[1] = 2;
    step->dependent_launch = true;
    add_copy(step, a);
    add_copy(step, b);
    if (transposes)
        plx_step_i32(step, (a->transposed ? 1 : 0) | (b->transposed ? 2 : 0));
}

plx_status plx_gemm_pack(const plx_device_info *device, plx_gemm_operand *a, plx_gemm_operand *b, uint64_t *scratch,
                         plx_recipe *recipe, plx_error *error)
{
    const plx_operand_path *paths = recipe->schedule.paths;
    if (!take_path(a, paths[a->operand], scratch) || !take_path(b, paths[b->operand], scratch))
        return plx_fail(error, PLX_UNSUPPORTED, "its operands are too large to be copied to aligned rows");
    add_repack(recipe, device, a, b);
    return PLX_OK;
}
