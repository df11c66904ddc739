/* bulk-pipeline, split-k and async-copy in OpenCL: tiles, parts of k and edges as in CUDA, but without
 * clusters. Operands are brought by maps that device code makes, or by asynchronous copies of elements,
 * wherever they begin. */
#include "simt.h"

#include "arithmetic.h"
#include "operand.h"
#include "gemm/device/common/tiles.h"

#include <stdio.h>

enum { A, B, C }; /* operands */
enum { SUM_THREADS = 128, MAP_BYTES = 128, SWIZZLE_BYTES = 1024 };
static const int64_t most_map_bytes = 64 << 20; /* each work-group makes its own maps */

static int64_t map_bytes(const plx_gemm_problem *p, const plx_gemm_tiling *tiling)
{
    int64_t tiles = quotient_up(p->m, tiling->tile->rows) * quotient_up(p->n, tiling->tile->cols); /* both below 2^31 */
    return tiles < most_map_bytes ? (tiles + tiling->edge_blocks) * tiling->cluster * tiling->clusters * 2 * MAP_BYTES
                                  : INT64_MAX;
}

bool plx_gemm_makes_maps(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    return plx_gemm_opencl_has_ptx(device) && device->compute_major == 9 && device->compute_minor == 0 &&
           plx_gemm_has_terms(problem) && plx_gemm_steps_by_units(&a) && plx_gemm_steps_by_units(&b);
}

/* ---- parts ---------------------------------------------------------------------- */

/* Without PTX the parts' sums are rows of C, each a whole number of units of 16 bytes. */
static int64_t pitch_of(const plx_gemm_problem *p)
{
    return (p->n + 3) / 4 * 4;
}

/* Room for a tile of each part's sums, and tickets for each tile and each group of its parts; one group is
 * none. */
bool plx_gemm_opencl_possible(const plx_problem *problem, const plx_gemm_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double tiles = (double)quotient_up(p->m, tiling->tile->rows) * (double)quotient_up(p->n, tiling->tile->cols) +
                   tiling->edge_blocks;
    double parts = (double)tiling->cluster * tiling->clusters, of_tile = 4.0 * tiling->tile->rows * tiling->tile->cols;
    return parts == 1 || (parts <= (double)plx_gemm_k_tiles(problem) && tiling->clusters > 1 &&
                          tiles * (1.0 + tiling->clusters) <= PLX_SCRATCH_COUNTERS / 4.0 &&
                          tiles * parts * of_tile <= 256.0 * (1 << 20));
}

/* ---- recipes ------------------------------------------------------------------- */

/* Those who ask the copy engine need few registers.  With 208 for the others of the largest tile the driver's
 * assembler puts loads behind the multiplications that they should run beside; with 224 it does not, in any
 * layout. */
enum { MANY_WITH_MAPS = 224, LARGE = 200 };

static void define_registers(const plx_gemm_tile *t, bool mapped, plx_recipe *recipe)
{
    const int many = mapped && t->registers > LARGE ? MANY_WITH_MAPS : t->registers;
    plx_recipe_define(recipe, "PIPELINE_PTX", 1);
    plx_recipe_define(recipe, "GROUPS", t->blocks);
    if (many > 0) {
        plx_recipe_define(recipe, "MANY_REGISTERS", many);
        plx_recipe_define(recipe, "FEW_REGISTERS", 256 - many);
    }
}

/* Where registers move, they are those of two blocks on a multiprocessor: 256 for a thread that multiplies
 * and one that brings.  Without PTX one pair of tiles is in local memory at a time. */
static int64_t define_tile(const plx_gemm_tile *t, bool fast, bool mapped, int stages, plx_recipe *recipe)
{
    plx_recipe_define(recipe, "TILE_ROWS", t->rows);
    plx_recipe_define(recipe, "TILE_COLS", t->cols);
    plx_recipe_define(recipe, "THREAD_ROWS", t->thread_rows);
    plx_recipe_define(recipe, "THREAD_COLS", t->thread_cols);
    plx_recipe_define(recipe, "STAGES", stages);
    if (fast)
        define_registers(t, mapped, recipe);
    return (int64_t)stages * (GEMM_PIPELINE_DEPTH * (t->rows + t->cols + 8) * 4 + 16) + 128;
}

/* With maps: rows of a stage are as long as the tile's side, and operands that are transposed land beside. */
static int64_t define_mapped_tile(const plx_gemm_tile *t, bool a_inner, bool b_inner, plx_recipe *recipe)
{
    const int landing = (a_inner ? t->rows : 0) + (b_inner ? t->cols : 0);
    const int landings = landing == 0 ? 0 : a_inner && b_inner ? t->landings_of_both : 2;
    const int stages = landing == 0 ? t->stages_direct : t->stages_transposed;
    plx_recipe_define(recipe, "LANDINGS", landings);
    return define_tile(t, true, true, stages, recipe) + (landings * landing - stages * 8) * GEMM_PIPELINE_DEPTH * 4 +
           8 * landings + 2 * MAP_BYTES + SWIZZLE_BYTES;
}

/* Without PTX another launch adds the parts. */
static void add_sum(const plx_problem *problem, int parts, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step *sum = plx_recipe_step(recipe, "gemm_add_parts", SUM_THREADS, 1);

    sum->grid[0] = (uint64_t)((p->m * (pitch_of(p) / 4) - 1) / SUM_THREADS + 1);
    plx_step_operand(sum, C);
    plx_step_i64(sum, p->m);
    plx_step_i64(sum, p->n);
    plx_step_i64(sum, p->ldc);
    plx_step_scalar(sum, plx_gemm_alpha(problem));
    plx_step_scalar(sum, p->beta);
    plx_step_scratch(sum, PLX_SCRATCH_COUNTERS, 4);
    plx_step_i32(sum, parts);
}

/* Parts are as long as each other, the first ones a step longer. */
static void add_parts(const plx_problem *problem, const plx_gemm_tiling *tiling, bool fast, plx_recipe *recipe,
                      plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t parts = plx_gemm_partitions(tiling);
    int64_t of_part = fast ? (int64_t)step->grid[0] * tiling->tile->rows * tiling->tile->cols : p->m * pitch_of(p);

    step->grid[1] = (uint64_t)parts;
    plx_gemm_step_partitions(problem, tiling, step);
    plx_step_i32(step, tiling->cluster);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 4);
    plx_step_scratch(step, 0, 4);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, tiling));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, tiling));
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS + (parts > 1 ? (uint64_t)(of_part * parts) * 4 : 0);
    if (!fast)
        plx_recipe_define(recipe, "SUM_THREADS", SUM_THREADS);
    if (!fast && parts > 1)
        add_sum(problem, (int)parts, recipe);
}

/* A box is `side` by GEMM_PIPELINE_DEPTH along k. */
static void add_map(const plx_problem *problem, uint32_t operand, int side, plx_recipe *recipe, plx_step *step)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    const plx_tensor_map map = plx_gemm_map_of_boxes(&stored, side);
    plx_step_map(recipe, step, &map);
}

/* Each work-group makes them in a place of its own. */
static void add_maps(const plx_problem *problem, const plx_gemm_tiling *tiling, plx_recipe *recipe, plx_step *step)
{
    add_map(problem, A, tiling->tile->rows, recipe, step);
    add_map(problem, B, tiling->tile->cols, recipe, step);
    plx_gemm_add_places_of_maps(recipe, step);
}

static plx_status start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    const plx_status status = plx_gemm_check_sizes(&problem->of.gemm, error);
    return status == PLX_OK ? plx_gemm_start(problem, device, recipe, error) : status;
}

plx_status plx_gemm_opencl_recipe(const plx_problem *problem, const plx_device_info *device, const char *entry,
                                  const plx_gemm_tiling *asked, bool aligned, plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = asked->tile;
    const bool fast = plx_gemm_opencl_has_ptx(device);
    plx_gemm_tiling tiling = *asked;
    uint32_t threads = (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols));
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (!plx_gemm_has_terms(problem))
        tiling.edge_blocks = 0; /* tiles write all of C */
    const bool mapped = aligned && plx_gemm_makes_maps(problem, device) && map_bytes(p, &tiling) <= most_map_bytes;
    const int64_t tiles = plx_gemm_tile_count(p, &tiling); /* both factors below 2^31 */
    if (tiles > INT32_MAX - tiling.edge_blocks)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than it counts");
    if (!fast && (threads % (uint32_t)t->rows != 0 || threads % (uint32_t)t->cols != 0))
        return plx_fail(error, PLX_UNSUPPORTED, "tiles of %d x %d need NVIDIA's OpenCL", t->rows, t->cols);
    if (!fast && tiling.cluster > 1)
        return plx_fail(error, PLX_UNSUPPORTED, "parts are added in one round but in NVIDIA's OpenCL");
    if (!plx_gemm_opencl_possible(problem, &tiling))
        return plx_fail(error, PLX_UNSUPPORTED, "there is no room for so many parts of k");
    int64_t local = mapped ? define_mapped_tile(t, !p->trans_a, p->trans_b, recipe)
                           : define_tile(t, fast, false, fast ? t->stages_direct : 1, recipe);
    if (tiling.edge_blocks > 0)
        plx_recipe_define(recipe, "EDGES", 1);
    if (fast && tiling.cluster * tiling.clusters > 1 && p->ldc % 4 != 0)
        plx_recipe_define(recipe, "JOINS_ROWS", 1);
    plx_step *step = plx_recipe_step(recipe, entry, threads + (fast ? GEMM_PIPELINE_BRINGERS : 0), 1);
    step->grid[0] = (uint64_t)(tiles + tiling.edge_blocks);
    plx_step_tile(step, t->rows, t->cols);
    plx_gemm_step_operands(step);
    plx_gemm_step_sizes(problem, step);
    add_parts(problem, &tiling, fast, recipe, step);
    if (mapped)
        add_maps(problem, &tiling, recipe, step);
    if (fast)
        recipe->known_local_bytes = (uint64_t)local;
    return plx_recipe_check(recipe, fast ? 0 : (uint64_t)local, device, error);
}
