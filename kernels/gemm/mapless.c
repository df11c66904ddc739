/* bulk-pipeline and split-k in OpenCL: tiles and parts of k as in CUDA, but operands are brought by
 * asynchronous copies of elements, wherever they begin, and parts are added by a launch of their own. */
#include "mapless.h"

#include "configs.h"
#include "tiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands */
enum { SUM_THREADS = 128 };

bool plx_gemm_mapless(const plx_device_info *device)
{
    return device->compute_major == 0 || (device->features & PLX_FEATURE_NVIDIA_PTX);
}

bool plx_gemm_mapless_fast(const plx_device_info *device)
{
    return (device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 9 &&
           plx_has_large_shared(device);
}

/* ---- cost ---------------------------------------------------------------------- */

/* Measured on one H200 (doc/performance.md), in the order of plx_gemm_tiles: shares of a multiprocessor's
 * multiply-adds, two blocks beside each other and one alone, and the microseconds of a launch besides. */
static const struct {
    double two, one, start_us;
} rates[PLX_GEMM_TILES] = {
    {0.79, 0.74, 7.0}, {0.70, 0.65, 5.5}, {0.62, 0.56, 4.5}, {0.60, 0.54, 4.5}, {0.58, 0.54, 4.5}};

enum { SIDE_BY_SIDE = 2, MOST_PARTS = 64, PLAIN_TILE = 2, PLAIN_STEPS = 4, PLAIN_PARTS = 8 };
static const double fma_per_us = 128 * 1980; /* of a multiprocessor */
static const double round_us = 2.5;          /* each round after the first */
static const double bytes_per_us = 4.0e6;    /* of memory */
static const double sum_us = 3.0, sum_bytes_per_us = 2.5e6; /* the launch that adds parts */

static int64_t tiles_of(int64_t count, int64_t side)
{
    return (count - 1) / side + 1;
}

/* Rounds of blocks, two on a multiprocessor at a time. */
static double multiplying(double blocks, double units, double block_us, size_t tile)
{
    double places = SIDE_BY_SIDE * units, whole = (double)(int64_t)(blocks / places);
    double rest = blocks - whole * places, both = SIDE_BY_SIDE * block_us / rates[tile].two;
    double last = rest <= 0 ? 0 : rest <= units ? block_us / rates[tile].one : both;
    return rates[tile].start_us + whole * both + last + (whole + (rest > 0) - 1) * round_us;
}

double plx_gemm_mapless_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = cut->tile;
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, parts = cut->clusters;
    double units = device->units > 0 ? device->units : 1;
    double steps = (double)((plx_gemm_depth_steps(problem) - 1) / cut->clusters + 1);
    double blocks = (double)tiles_of(p->m, t->rows) * (double)tiles_of(p->n, t->cols) * parts;
    double block_us = (double)t->rows * t->cols * GEMM_PIPELINE_DEPTH * steps / fma_per_us;
    double moving = 4.0 * (m * k + k * n + m * n) / bytes_per_us;
    double multiply = multiplying(blocks, units, block_us, (size_t)(t - plx_gemm_tiles));
    double adding = cut->clusters > 1 ? sum_us + 8.0 * m * n * parts / sum_bytes_per_us : 0.0;
    return (multiply > moving ? multiply : moving) + adding;
}

/* Scratch bytes of the parts' sums: rows of C, each a whole number of units of 16 bytes. */
static int64_t pitch_of(const plx_gemm_problem *p)
{
    return (p->n + 3) / 4 * 4;
}

static bool has_room(const plx_gemm_problem *p, int parts)
{
    return parts == 1 || (double)p->m * (double)pitch_of(p) * parts * 4.0 <= 256.0 * (1 << 20);
}

/* Where nothing was measured: parts that are worth a launch. */
static plx_gemm_cut plain_cut(const plx_problem *problem)
{
    int64_t parts = plx_gemm_depth_steps(problem) / PLAIN_STEPS;
    parts = parts < 1 || !has_room(&problem->of.gemm, PLAIN_PARTS) ? 1 : parts < PLAIN_PARTS ? parts : PLAIN_PARTS;
    return (plx_gemm_cut){
        .entry = "gemm_split_k", .tile = &plx_gemm_tiles[PLAIN_TILE], .cluster = 1, .clusters = (int)parts};
}

static plx_gemm_cut cut_of(size_t tile, int parts)
{
    return (plx_gemm_cut){
        .entry = "gemm_split_k", .tile = &plx_gemm_tiles[tile], .cluster = 1, .clusters = parts};
}

void plx_gemm_mapless_each_cut(const plx_problem *problem, plx_gemm_cut_visit *visit, void *data)
{
    int64_t steps = plx_gemm_depth_steps(problem);
    for (size_t tile = 0; tile < PLX_GEMM_TILES; ++tile)
        for (int parts = 1; parts <= MOST_PARTS && parts <= steps && has_room(&problem->of.gemm, parts); ++parts) {
            const plx_gemm_cut cut = cut_of(tile, parts);
            visit(data, &cut);
        }
}

/* The best so far. */
typedef struct search {
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_cut best;
    double least;
} search;

static void consider(void *data, const plx_gemm_cut *cut)
{
    search *found = data;
    double cost = plx_gemm_mapless_cost(found->problem, found->device, cut);
    if (cost < found->least) {
        found->least = cost;
        found->best = *cut;
    }
}

plx_gemm_cut plx_gemm_mapless_cut(const plx_problem *problem, const plx_device_info *device)
{
    search found = {problem, device, cut_of(0, 1), 0.0};
    if (problem->config != 0) {
        const plx_gemm_config config = plx_gemm_config_of(problem);
        return cut_of(config.tile, (int)config.parts);
    }
    if (!plx_gemm_mapless_fast(device))
        return plain_cut(problem);
    found.least = plx_gemm_mapless_cost(problem, device, &found.best);
    plx_gemm_mapless_each_cut(problem, consider, &found);
    return found.best;
}

/* A part's terms one after the other, then the parts. */
int64_t plx_gemm_mapless_depth(const plx_problem *problem, const plx_device_info *device)
{
    plx_gemm_cut cut = plx_gemm_mapless_cut(problem, device);
    int64_t longest = ((plx_gemm_depth_steps(problem) - 1) / cut.clusters + 1) * GEMM_PIPELINE_DEPTH;
    int64_t depth = (longest < problem->of.gemm.k ? longest : problem->of.gemm.k) + cut.clusters - 1;
    return depth < problem->of.gemm.k ? depth : problem->of.gemm.k;
}

/* ---- recipes ------------------------------------------------------------------- */

static void define(plx_recipe *recipe, const char *option, int value)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " -D%s=%d", option, value);
}

/* Registers are those of two blocks on a multiprocessor: 256 for a thread that multiplies and one that
 * brings.  Without PTX one pair of tiles is in local memory at a time. */
static int64_t define_tile(const plx_gemm_tile *t, bool fast, plx_recipe *recipe)
{
    int stages = fast ? t->stages_direct : 1;

    define(recipe, "TILE_ROWS", t->rows);
    define(recipe, "TILE_COLS", t->cols);
    define(recipe, "THREAD_ROWS", t->thread_rows);
    define(recipe, "THREAD_COLS", t->thread_cols);
    define(recipe, "STAGES", stages);
    if (fast)
        define(recipe, "PIPELINE_PTX", 1);
    if (fast && t->registers > 0) {
        define(recipe, "MANY_REGISTERS", t->registers);
        define(recipe, "FEW_REGISTERS", 256 - t->registers);
    }
    return (int64_t)stages * (GEMM_PIPELINE_DEPTH * (t->rows + t->cols + 8) * 4 + 16) + 128;
}

static void add_arguments(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;

    plx_step_operand(step, A);
    plx_step_operand(step, B);
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, plx_gemm_has_terms(problem) ? p->k : 0);
    plx_step_i64(step, p->lda);
    plx_step_i64(step, p->ldb);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
}

/* Parts are as long as each other, the first ones a step longer. */
static void add_parts(const plx_problem *problem, int parts, plx_recipe *recipe, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    int64_t steps = plx_gemm_has_terms(problem) ? plx_gemm_depth_steps(problem) : 0, pitch = pitch_of(p);

    step->grid[1] = (uint64_t)parts;
    define(recipe, "SUM_THREADS", SUM_THREADS);
    plx_step_i32(step, (int32_t)(steps / parts));
    plx_step_i32(step, (int32_t)(steps % parts));
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 4);
    plx_step_i64(step, pitch);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS;
    if (parts == 1)
        return;
    recipe->scratch_bytes += (uint64_t)(p->m * pitch * parts) * 4;
    plx_step *sum = plx_recipe_step(recipe, "gemm_split_k_sum", SUM_THREADS, 1);
    sum->grid[0] = (uint64_t)((p->m * (pitch / 4) - 1) / SUM_THREADS + 1);
    plx_step_operand(sum, C);
    plx_step_i64(sum, p->m);
    plx_step_i64(sum, p->n);
    plx_step_i64(sum, p->ldc);
    plx_step_scalar(sum, plx_gemm_alpha(problem));
    plx_step_scalar(sum, p->beta);
    plx_step_scratch(sum, PLX_SCRATCH_COUNTERS, 4);
    plx_step_i64(sum, pitch);
    plx_step_i32(sum, parts);
}

static plx_status start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                        plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;

    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    if (p->m > PLX_MOST_OF_MAP || p->n > PLX_MOST_OF_MAP || p->k > PLX_MOST_OF_MAP)
        return plx_fail(error, PLX_UNSUPPORTED, "its coordinates reach %" PRId64 " rows, columns and terms",
                        (int64_t)PLX_MOST_OF_MAP);
    return plx_gemm_start(problem, device, recipe, error);
}

static plx_status recipe_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut,
                            plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = cut->tile;
    bool fast = plx_gemm_mapless_fast(device);
    uint32_t threads = (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols));
    plx_status status = start(problem, device, recipe, error);

    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    int64_t tiles = tiles_of(p->m, t->rows) * tiles_of(p->n, t->cols); /* both below 2^31 */
    if (tiles > INT32_MAX)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than it counts");
    int64_t local = define_tile(t, fast, recipe);
    plx_step *step = plx_recipe_step(recipe, cut->entry, threads + (fast ? GEMM_PIPELINE_BRINGERS : 0), 1);
    step->grid[0] = (uint64_t)tiles;
    add_arguments(problem, step);
    if (cut->takes_parts)
        add_parts(problem, cut->clusters, recipe, step);
    if (fast)
        recipe->known_local_bytes = (uint64_t)local;
    return plx_recipe_check(recipe, fast ? 0 : (uint64_t)local, device, error);
}

static const plx_gemm_cut whole_tiles = {
    .entry = "gemm_bulk_pipeline", .tile = &plx_gemm_tiles[0], .cluster = 1, .clusters = 1};

plx_status plx_gemm_mapless_bulk_pipeline(const plx_problem *problem, const plx_device_info *device,
                                          plx_recipe *recipe, plx_error *error)
{
    return recipe_of(problem, device, &whole_tiles, recipe, error);
}

plx_status plx_gemm_mapless_split_k(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error)
{
    plx_gemm_cut cut = plx_gemm_mapless_cut(problem, device);
    cut.takes_parts = true;
    return recipe_of(problem, device, &cut, recipe, error);
}
