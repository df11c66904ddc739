/* bulk-pipeline, split-k and async-copy in OpenCL: tiles, parts of k and edges as in CUDA, but without
 * clusters. Operands are brought by maps that device code makes, or by asynchronous copies of elements,
 * wherever they begin. */
#include "opencl.h"

#include "arithmetic.h"
#include "cp_async.h"
#include "operand.h"
#include "gemm/device/common/tiles.h"

#include <inttypes.h>
#include <stdio.h>

enum { A, B, C }; /* operands */
enum { SUM_THREADS = 128, MAP_BYTES = 128, SWIZZLE_BYTES = 1024 };
static const int64_t most_map_bytes = 64 << 20; /* each work-group makes its own maps */

bool plx_gemm_is_opencl(const plx_device_info *device)
{
    return device->compute_major == 0 || (device->features & PLX_FEATURE_NVIDIA_PTX);
}

bool plx_gemm_opencl_has_ptx(const plx_device_info *device)
{
    return (device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 9 && plx_has_large_shared(device);
}

static int64_t map_bytes(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    int64_t tiles = quotient_up(p->m, cut->tile->rows) * quotient_up(p->n, cut->tile->cols); /* both below 2^31 */
    return tiles < most_map_bytes ? (tiles + cut->edge_blocks) * cut->cluster * cut->clusters * 2 * MAP_BYTES
                                  : INT64_MAX;
}

bool plx_gemm_makes_maps(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    return plx_gemm_opencl_has_ptx(device) && device->compute_major == 9 && device->compute_minor == 0 &&
           plx_gemm_has_terms(problem) && plx_gemm_steps_by_units(&a) && plx_gemm_steps_by_units(&b);
}

/* ---- parts ---------------------------------------------------------------------- */

enum { PLAIN_TILE = 2 };

/* Without PTX the parts' sums are rows of C, each a whole number of units of 16 bytes. */
static int64_t pitch_of(const plx_gemm_problem *p)
{
    return (p->n + 3) / 4 * 4;
}

/* Room for a tile of each part's sums, and tickets for each tile and each group of its parts; one group is
 * none. */
bool plx_gemm_opencl_possible(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double tiles =
        (double)quotient_up(p->m, cut->tile->rows) * (double)quotient_up(p->n, cut->tile->cols) + cut->edge_blocks;
    double parts = (double)cut->cluster * cut->clusters, of_tile = 4.0 * cut->tile->rows * cut->tile->cols;
    return parts == 1 || (parts <= (double)plx_gemm_k_tiles(problem) && cut->clusters > 1 &&
                          tiles * (1.0 + cut->clusters) <= PLX_SCRATCH_COUNTERS / 4.0 &&
                          tiles * parts * of_tile <= 256.0 * (1 << 20));
}

/* Measured on one H200: a meeting, then the last to come reads what each has left.  All that is left costs
 * little while the cache holds it, beside the products of others; beyond, it goes through memory. */
static const double meeting_us = 2.0, read_bytes_per_us = 6.0e4;
static const double cached_bytes = 32e6, cached_bytes_per_us = 2.0e7, written_bytes_per_us = 1.7e6;

static double meeting(const plx_gemm_tiling *cut, double tiles, int count)
{
    double left = 4.0 * cut->tile->rows * cut->tile->cols * count, all = 2.0 * tiles * left;
    double beyond = all > cached_bytes ? all - cached_bytes : 0.0;
    return count > 1 ? meeting_us + left / read_bytes_per_us + (all - beyond) / cached_bytes_per_us +
                           beyond / written_bytes_per_us
                     : 0.0;
}

double plx_gemm_opencl_joining(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double tiles = (double)quotient_up(p->m, cut->tile->rows) * (double)quotient_up(p->n, cut->tile->cols);
    return meeting(cut, tiles * cut->clusters, cut->cluster) + meeting(cut, tiles, cut->clusters);
}

/* ---- split-k's cuts --------------------------------------------------------------- */

/* As async-copy's with the same tile: it is the same kernel there. */
static double copied_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    plx_gemm_tiling same = *cut;
    for (size_t tile = 0; tile < PLX_GEMM_CP_ASYNC_TILES; ++tile)
        if (plx_gemm_cp_async_tiles[tile].rows == cut->tile->rows &&
            plx_gemm_cp_async_tiles[tile].cols == cut->tile->cols)
            same.tile = &plx_gemm_cp_async_tiles[tile];
    return plx_gemm_cp_async_cost(problem, device, &same);
}

/* Work-groups of edges begin last, in the last round of those of tiles; but before further parts of k, which
 * have to wait where there are not places for all.  Beside code for edges that of tiles is slower: 1.04
 * to 1.06 times were measured. */
static double with_edges(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                         double us)
{
    static const double beside_edges = 1.05;
    const plx_gemm_problem *p = &problem->of.gemm;
    const double places = (double)cut->tile->blocks * (device->units > 0 ? device->units : 1);
    const double parts = (double)cut->cluster * cut->clusters, edges_us = plx_gemm_edges_us(problem, cut);
    const double groups = parts * (double)quotient_up(plx_gemm_covered_rows(p, cut), cut->tile->rows) *
                          (double)quotient_up(plx_gemm_covered_columns(p, cut), cut->tile->cols);
    const double rounds = (double)(int64_t)(groups / places), tiles_us = beside_edges * us;
    const bool waits = parts > 1 && groups + cut->edge_blocks > places * (rounds + 1.0);
    const double end = tiles_us * (waits ? 1.0 : rounds / (rounds + 1.0)) + edges_us;
    return tiles_us > end ? tiles_us : end;
}

/* Of what tiles cover. */
static double cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    plx_problem tiled = *problem;
    tiled.of.gemm.m = plx_gemm_covered_rows(&problem->of.gemm, cut);
    tiled.of.gemm.n = plx_gemm_covered_columns(&problem->of.gemm, cut);
    const double us = plx_gemm_makes_maps(problem, device) ? plx_gemm_mapped_cost(problem, device, cut)
                                                           : copied_cost(&tiled, device, cut);
    return cut->edge_blocks > 0 ? with_edges(problem, device, cut, us) : us;
}

const plx_gemm_tilings *plx_gemm_opencl_split_k_tilings(const plx_device_info *device)
{
    static const plx_gemm_tilings fast = {.tiles = plx_gemm_tiles,
                                          .tile_count = PLX_GEMM_TILES,
                                          .takes_edges = true,
                                          .possible = plx_gemm_opencl_possible,
                                          .cost = cost},
                                  plain = {.tiles = plx_gemm_tiles,
                                           .tile_count = PLX_GEMM_TILES,
                                           .possible = plx_gemm_opencl_possible,
                                           .plain_tile = PLAIN_TILE};
    return plx_gemm_opencl_has_ptx(device) ? &fast : &plain;
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
static void add_parts(const plx_problem *problem, const plx_gemm_tiling *cut, bool fast, plx_recipe *recipe,
                      plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    int64_t steps = plx_gemm_has_terms(problem) ? plx_gemm_k_tiles(problem) : 0;
    int64_t parts = (int64_t)cut->cluster * cut->clusters;
    int64_t of_part = fast ? (int64_t)step->grid[0] * cut->tile->rows * cut->tile->cols : p->m * pitch_of(p);

    step->grid[1] = (uint64_t)parts;
    plx_step_i32(step, (int32_t)(steps / parts));
    plx_step_i32(step, (int32_t)(steps % parts));
    plx_step_i32(step, cut->cluster);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 4);
    plx_step_scratch(step, 0, 4);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, cut));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, cut));
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
static void add_maps(const plx_problem *problem, const plx_gemm_tiling *cut, plx_recipe *recipe, plx_step *step)
{
    add_map(problem, A, cut->tile->rows, recipe, step);
    add_map(problem, B, cut->tile->cols, recipe, step);
    plx_step_scratch(step, (int64_t)recipe->scratch_bytes, 1);
    recipe->scratch_bytes += step->grid[0] * step->grid[1] * 2 * MAP_BYTES;
}

static plx_status start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;

    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    if (p->m > PLX_MOST_OF_MAP || p->n > PLX_MOST_OF_MAP || p->k > PLX_MOST_OF_MAP)
        return plx_fail(error, PLX_UNSUPPORTED, "its coordinates reach %" PRId64 " rows, columns and terms",
                        (int64_t)PLX_MOST_OF_MAP);
    return plx_gemm_start(problem, device, recipe, error);
}

plx_status plx_gemm_opencl_recipe(const plx_problem *problem, const plx_device_info *device, const char *entry,
                                  const plx_gemm_tiling *asked, bool aligned, plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = asked->tile;
    const bool fast = plx_gemm_opencl_has_ptx(device);
    plx_gemm_tiling cut = *asked;
    uint32_t threads = (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols));
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (!plx_gemm_has_terms(problem))
        cut.edge_blocks = 0; /* tiles write all of C */
    const bool mapped = aligned && plx_gemm_makes_maps(problem, device) && map_bytes(p, &cut) <= most_map_bytes;
    int64_t tiles = quotient_up(plx_gemm_covered_rows(p, &cut), t->rows) *
                    quotient_up(plx_gemm_covered_columns(p, &cut), t->cols); /* both below 2^31 */
    if (tiles > INT32_MAX - cut.edge_blocks)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than it counts");
    if (!fast && (threads % (uint32_t)t->rows != 0 || threads % (uint32_t)t->cols != 0))
        return plx_fail(error, PLX_UNSUPPORTED, "tiles of %d x %d need NVIDIA's OpenCL", t->rows, t->cols);
    if (!fast && cut.cluster > 1)
        return plx_fail(error, PLX_UNSUPPORTED, "parts are added in one round but in NVIDIA's OpenCL");
    if (!plx_gemm_opencl_possible(problem, &cut))
        return plx_fail(error, PLX_UNSUPPORTED, "there is no room for so many parts of k");
    int64_t local = mapped ? define_mapped_tile(t, !p->trans_a, p->trans_b, recipe)
                           : define_tile(t, fast, false, fast ? t->stages_direct : 1, recipe);
    if (cut.edge_blocks > 0)
        plx_recipe_define(recipe, "EDGES", 1);
    if (fast && cut.cluster * cut.clusters > 1 && p->ldc % 4 != 0)
        plx_recipe_define(recipe, "JOINS_ROWS", 1);
    plx_step *step = plx_recipe_step(recipe, entry, threads + (fast ? GEMM_PIPELINE_BRINGERS : 0), 1);
    step->grid[0] = (uint64_t)(tiles + cut.edge_blocks);
    plx_step_tile(step, t->rows, t->cols);
    plx_gemm_step_operands(step);
    plx_gemm_step_sizes(problem, step);
    add_parts(problem, &cut, fast, recipe, step);
    if (mapped)
        add_maps(problem, &cut, recipe, step);
    if (fast)
        recipe->known_local_bytes = (uint64_t)local;
    return plx_recipe_check(recipe, fast ? 0 : (uint64_t)local, device, error);
}
