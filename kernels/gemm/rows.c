/* The ladder of matrix products: what each kernel says of itself and how it is launched.
 * Every block computes one tile of C; blocks are numbered along x alone. */
#include "copied.h"
#include "mapless.h"
#include "no_terms.h"
#include "pipeline.h"
#include "recipe.h"

#include "dmma.h"
#include "tiles.h"

#include <stdio.h>
#include <string.h>

enum { NAIVE, SMEM_BLOCK, TILE_1D, TILE_2D, VECTORIZED, WARP_TILE, DOUBLE_BUFFER, BULK_PIPELINE, SPLIT_K, ASYNC_COPY, SHORT_K,
       FEW_ROWS, DMMA, DMMA_BULK, ROWS };

enum { A, B, C }; /* operands */

#define GEMM_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

/* ---- geometry ------------------------------------------------------------- */

static int64_t lanes(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 4 : 2;
}

/* What a kernel's launch follows from. */
typedef struct geometry {
    const char *entry;
    int64_t tile_rows, tile_cols; /* of C per block */
    uint32_t threads;
    int64_t shared; /* bytes, static */
} geometry;

/* Two tiles of `depth`, each row of them one pack longer than the tile's side. */
static int64_t shared_of_packs(int64_t depth)
{
    return 2 * depth * (GEMM_SIDE_PACKS + 1) * 16;
}

static geometry geometry_of_packs(const plx_problem *problem, const char *entry, int64_t threads,
                                  int64_t shared)
{
    int64_t side = GEMM_SIDE_PACKS * lanes(problem->dtype);
    return (geometry){entry, side, side, (uint32_t)threads, shared};
}

static const int64_t warps_across = GEMM_SIDE_PACKS / GEMM_WARP_PACKS;

static int64_t element_size(const plx_problem *problem)
{
    return problem->dtype == PLX_F32 ? 4 : 8;
}

/* Half of GEMM_BLOCK_SIDE where a work-group has too few threads for the whole. */
static int64_t block_side(const plx_device_info *device)
{
    bool whole = device->max_block_threads >= GEMM_BLOCK_SIDE * GEMM_BLOCK_SIDE &&
                 device->max_block[0] >= GEMM_BLOCK_SIDE * GEMM_BLOCK_SIDE;
    return whole ? GEMM_BLOCK_SIDE : GEMM_BLOCK_SIDE / 2;
}

/* Tiles that cover C; false when the launch would have more blocks than can be counted. */
static bool count_tiles(const plx_problem *problem, const geometry *shape, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0) {
        *tiles = 0;
        return true;
    }
    return !__builtin_mul_overflow((p->m - 1) / shape->tile_rows + 1, (p->n - 1) / shape->tile_cols + 1,
                                   tiles);
}

/* ---- depth ------------------------------------------------------------------ */

/* Every kernel here adds the k products of an element one after the other, in order, each
 * with one rounding; the zeros beyond the edge round nothing. */
static int64_t depth_of_k(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

/* ---- recipes ------------------------------------------------------------------ */

static double as_dtype(const plx_problem *problem, double scalar)
{
    return problem->dtype == PLX_F32 ? (double)(float)scalar : scalar;
}

bool plx_gemm_has_terms(const plx_problem *problem)
{
    return problem->of.gemm.k > 0 && as_dtype(problem, problem->of.gemm.alpha) != 0.0;
}

double plx_gemm_alpha(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return plx_gemm_has_terms(problem) ? p->alpha : plx_alpha_without_terms(as_dtype(problem, p->beta));
}

plx_status plx_gemm_start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                          plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    bool f32 = problem->dtype == PLX_F32;

    if (problem->compute != PLX_COMPUTE_PLAIN)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in the dtype's own arithmetic alone");
    if (!f32 && !(device->features & PLX_FEATURE_F64))
        return plx_fail(error, PLX_UNSUPPORTED, "this device has no 64-bit floating point");
    memset(recipe, 0, sizeof *recipe);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c%c", f32 ? "f32" : "f64",
                   p->trans_a ? 't' : 'n', p->trans_b ? 't' : 'n');
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d",
                   f32 ? "-DT=float -DPACK=float4 -DLANES=4"
                       : "-DT=double -DPACK=double2 -DLANES=2 -DNEEDS_F64",
                   (int)p->trans_a, (int)p->trans_b);
    return PLX_OK;
}

static void define(plx_recipe *recipe, const char *option, int value)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " %s=%d", option, value);
}

/* Without alpha there is nothing to sum: the kernels read neither A nor B, and C becomes
 * beta * C. */
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

static plx_status finish(const plx_problem *problem, const plx_device_info *device, const geometry *shape,
                         plx_recipe *recipe, plx_error *error)
{
    int64_t tiles;

    if (!count_tiles(problem, shape, &tiles))
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    if (tiles == 0)
        return PLX_OK;
    plx_step *step = plx_recipe_step(recipe, shape->entry, shape->threads, 1);
    step->grid[0] = (uint64_t)tiles;
    add_arguments(problem, step);
    return plx_recipe_check(recipe, (uint64_t)shape->shared, device, error);
}

static plx_status recipe_of(const plx_problem *problem, const plx_device_info *device, const geometry *shape,
                            plx_recipe *recipe, plx_error *error)
{
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    return status == PLX_OK ? finish(problem, device, shape, recipe, error) : status;
}

static geometry naive_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return (geometry){"gemm_naive", GEMM_NAIVE_ROWS, GEMM_NAIVE_COLS, GEMM_NAIVE_ROWS * GEMM_NAIVE_COLS, 0};
}

static plx_status naive_recipe(const plx_problem *problem, const plx_device_info *device,
                               plx_recipe *recipe, plx_error *error)
{
    geometry shape = naive_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static geometry smem_block_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t side = block_side(device);
    return (geometry){"gemm_smem_block", side, side, (uint32_t)(side * side),
                      2 * side * (side + 1) * element_size(problem)};
}

static plx_status smem_block_recipe(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error)
{
    geometry shape = smem_block_geometry(problem, device);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    define(recipe, "-DSIDE", (int)shape.tile_rows);
    return finish(problem, device, &shape, recipe, error);
}

static geometry tile_1d_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t a_elements = GEMM_TILE_1D_SIDE * (GEMM_TILE_1D_DEPTH + 1);
    int64_t b_elements = GEMM_TILE_1D_DEPTH * (GEMM_TILE_1D_SIDE + 1);
    (void)device;
    return (geometry){"gemm_tile_1d", GEMM_TILE_1D_SIDE, GEMM_TILE_1D_SIDE,
                      GEMM_TILE_1D_SIDE * GEMM_TILE_1D_SIDE / GEMM_TILE_1D_ROWS,
                      (a_elements + b_elements) * element_size(problem)};
}

static plx_status tile_1d_recipe(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    geometry shape = tile_1d_geometry(problem, device);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    if (problem->dtype == PLX_F32)
        plx_recipe_min_blocks_per_sm(recipe, device, (int)shape.threads, GEMM_TILE_1D_BLOCKS);
    return finish(problem, device, &shape, recipe, error);
}

static geometry tile_2d_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t side = GEMM_SIDE_PACKS * lanes(problem->dtype);
    int64_t elements = side * (GEMM_TILE_2D_DEPTH + 1) + GEMM_TILE_2D_DEPTH * (side + 1);
    (void)device;
    return geometry_of_packs(problem, "gemm_tile_2d", GEMM_TILE_2D_THREADS_SIDE * GEMM_TILE_2D_THREADS_SIDE,
                             elements * element_size(problem));
}

static plx_status tile_2d_recipe(const plx_problem *problem, const plx_device_info *device,
                                 plx_recipe *recipe, plx_error *error)
{
    geometry shape = tile_2d_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static geometry vectorized_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_vectorized",
                             GEMM_TILE_2D_THREADS_SIDE * GEMM_TILE_2D_THREADS_SIDE,
                             shared_of_packs(GEMM_VECTORIZED_DEPTH));
}

static plx_status vectorized_recipe(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error)
{
    geometry shape = vectorized_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static geometry warp_tile_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_warp_tile", warps_across * warps_across * 32,
                             shared_of_packs(GEMM_WARP_TILE_DEPTH));
}

static plx_status warp_tile_recipe(const plx_problem *problem, const plx_device_info *device,
                                   plx_recipe *recipe, plx_error *error)
{
    geometry shape = warp_tile_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static geometry double_buffer_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_double_buffer", warps_across * warps_across * 32,
                             2 * shared_of_packs(GEMM_DOUBLE_BUFFER_DEPTH));
}

static plx_status double_buffer_recipe(const plx_problem *problem, const plx_device_info *device,
                                       plx_recipe *recipe, plx_error *error)
{
    geometry shape = double_buffer_geometry(problem, device);
    plx_status status = recipe_of(problem, device, &shape, recipe, error);
    if (status == PLX_OK && (device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 8)
        define(recipe, "-DASYNC_PTX", 1);
    return status;
}

/* ---- the choice ------------------------------------------------------------------ */

/* How a kernel fares: its speed on a device that it fills, and the blocks that fill one
 * multiprocessor.  Fewer blocks leave the device idle in proportion. */
typedef struct contender {
    size_t row;
    geometry (*geometry)(const plx_problem *problem, const plx_device_info *device);
    plx_status (*recipe)(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         plx_error *error);
    double speed;
    double blocks_per_unit;
} contender;

static const contender contenders[] = {
    {DOUBLE_BUFFER, double_buffer_geometry, double_buffer_recipe, 45.0, 2.0},
    {TILE_1D, tile_1d_geometry, tile_1d_recipe, 21.0, 3.0},
    {SMEM_BLOCK, smem_block_geometry, smem_block_recipe, 6.8, 2.0},
    {NAIVE, naive_geometry, naive_recipe, 0.5, 8.0},
};

/* Time in units of its own, for one step along k: rounds of blocks, times a block's work. */
static double cost(const contender *kernel, const plx_problem *problem, const plx_device_info *device)
{
    geometry shape = kernel->geometry(problem, device);
    double slots = kernel->blocks_per_unit * (device->units > 0 ? device->units : 1);
    double area = (double)shape.tile_rows * (double)shape.tile_cols;
    int64_t tiles;

    if (!count_tiles(problem, &shape, &tiles))
        return (double)INT64_MAX;
    double rounds = tiles > 0 ? (double)(int64_t)(((double)tiles - 1.0) / slots) + 1.0 : 0.0;
    return rounds * area * slots / kernel->speed;
}

static bool runs(plx_status (*recipe)(const plx_problem *, const plx_device_info *, plx_recipe *, plx_error *),
                 const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe ignored;
    plx_error reason;
    return recipe(problem, device, &ignored, &reason) == PLX_OK;
}

/* The kernels of compute capability 9.0, whose models tell microseconds. */
typedef struct modelled {
    size_t row;
    plx_status (*recipe)(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                         plx_error *error);
    double (*cost)(const plx_problem *problem, const plx_device_info *device);
} modelled;

static double split_k_cost(const plx_problem *problem, const plx_device_info *device)
{
    plx_gemm_cut cut = plx_gemm_best_cut(problem, device);
    return plx_gemm_cut_cost(problem, device, &cut);
}

static double async_copy_cost(const plx_problem *problem, const plx_device_info *device)
{
    plx_gemm_cut cut = plx_gemm_copied_best_cut(problem, device);
    return plx_gemm_copied_cost(problem, device, &cut);
}

static const modelled models[] = {
    {SPLIT_K, plx_gemm_split_k_recipe, split_k_cost},
    {ASYNC_COPY, plx_gemm_async_copy_recipe, async_copy_cost},
    {SHORT_K, plx_gemm_short_k_recipe, plx_gemm_short_cost},
    {FEW_ROWS, plx_gemm_few_rows_recipe, plx_gemm_few_cost},
};

/* Where split-k would take whole tiles, the kernel that knows no parts. */
static size_t plainest(const plx_problem *problem, const plx_device_info *device, size_t row)
{
    plx_gemm_cut cut = plx_gemm_best_cut(problem, device);
    bool whole = cut.tile == &plx_gemm_tiles[0] && cut.cluster * cut.clusters == 1 && cut.edge_blocks == 0;
    return row == SPLIT_K && whole ? BULK_PIPELINE : row;
}

/* False where there are none. */
static bool choose_modelled(const plx_problem *problem, const plx_device_info *device, size_t *row)
{
    double least = 0.0;
    bool any = false;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (!runs(models[i].recipe, problem, device))
            continue;
        double cost = models[i].cost(problem, device);
        if (any && cost >= least)
            continue;
        *row = models[i].row;
        least = cost;
        any = true;
    }
    if (any)
        *row = plainest(problem, device, *row);
    return any;
}

/* Their twins in NVIDIA's OpenCL, by a model of their own; false where there are none. */
static bool choose_mapless(const plx_problem *problem, const plx_device_info *device, size_t *row)
{
    if (!plx_gemm_mapless_fast(device) || !runs(plx_gemm_split_k_recipe, problem, device))
        return false;
    plx_gemm_cut cut = plx_gemm_mapless_cut(problem, device);
    *row = cut.tile == &plx_gemm_tiles[0] && cut.clusters == 1 ? BULK_PIPELINE : SPLIT_K;
    if (runs(plx_gemm_few_rows_recipe, problem, device) &&
        plx_gemm_few_cost(problem, device) < plx_gemm_mapless_cost(problem, device, &cut))
        *row = FEW_ROWS;
    return true;
}

/* f64 in CUDA where there are matrix units for it at full rate; false elsewhere. */
static bool choose_dmma(const plx_problem *problem, const plx_device_info *device, size_t *row)
{
    bool fast = device->compute_major == 9 || (device->compute_major == 8 && device->compute_minor == 0);

    if (!fast || !runs(plx_dmma_recipe, problem, device))
        return false;
    *row = DMMA;
    if (runs(plx_dmma_bulk_recipe, problem, device) &&
        plx_dmma_clocks(PLX_DMMA_BULK, problem, device) <= plx_dmma_clocks(PLX_DMMA, problem, device))
        *row = DMMA_BULK;
    return true;
}

static size_t gemm_choose(const plx_problem *problem, const plx_device_info *device)
{
    size_t best = NAIVE;
    double least = 0.0;
    bool any = false;

    if (choose_dmma(problem, device, &best))
        return best;
    if (plx_gemm_mapless(device) ? choose_mapless(problem, device, &best)
                                 : choose_modelled(problem, device, &best))
        return best;
    for (size_t i = 0; i < sizeof contenders / sizeof contenders[0]; i++) {
        plx_recipe recipe;
        plx_error error;
        double time = cost(&contenders[i], problem, device);
        if ((any && time >= least) || contenders[i].recipe(problem, device, &recipe, &error) != PLX_OK)
            continue;
        best = contenders[i].row;
        least = time;
        any = true;
    }
    return best;
}

static const plx_row rows[ROWS] = {
    [NAIVE] = {
        .about = {
            .name = "naive",
            .idea = "one thread per element of C",
            .gain = "the starting point",
            .limit = "every product reads A and B from memory, and the threads of a warp read 32 different "
                     "rows of A: 32 transactions where one would do",
            .needs = "",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = naive_recipe,
    },
    [SMEM_BLOCK] = {
        .about = {
            .name = "smem-block",
            .idea = "blocks of A and B cached in shared memory",
            .gain = "about 10 times: an element read from memory serves 32 threads, and comes along its row",
            .limit = "two reads of shared memory for every multiplication; they take all the time",
            .needs = "",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = smem_block_recipe,
    },
    [TILE_1D] = {
        .about = {
            .name = "tile-1d",
            .idea = "each thread computes a column of 16 elements of C",
            .gain = "about 2 times: one element of B in a register serves 16 products, so that nearly half "
                    "of the shared-memory reads go",
            .limit = "still one read of shared memory, the element of A, for every multiplication",
            .needs = "",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = tile_1d_recipe,
    },
    [TILE_2D] = {
        .about = {
            .name = "tile-2d",
            .idea = "each thread computes a small square of C, operands in registers",
            .gain = "about 2 times: 8 + 8 elements read from shared memory serve 64 products",
            .limit = "4-byte accesses: as many instructions to move data as the memory pipes can take",
            .needs = "",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = tile_2d_recipe,
    },
    [VECTORIZED] = {
        .about = {
            .name = "vectorized",
            .idea = "16-byte accesses, A transposed while it is stored to shared memory",
            .gain = "about 1.3 times: a quarter of the instructions to move the same data",
            .limit = "a step of 8 along k is short: two barriers and the way from memory are not hidden",
            .needs = "operands that do not begin at, or step by, 16 bytes are read element by element",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = vectorized_recipe,
    },
    [WARP_TILE] = {
        .about = {
            .name = "warp-tile",
            .idea = "a level of tiling between block and thread: a square of C per warp",
            .gain = "about 1.3 times: the lanes of a warp share what they read, each element serves more "
                    "products, and steps of 32 along k need a quarter of the barriers",
            .limit = "between two steps everyone waits for the next tiles to come from memory",
            .needs = "operands that do not begin at, or step by, 16 bytes are read element by element",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = warp_tile_recipe,
    },
    [DOUBLE_BUFFER] = {
        .about = {
            .name = "double-buffer",
            .idea = "two shared-memory buffers: the next tiles load while these are multiplied",
            .gain = "about 1.1 times: the way from memory is hidden, and a step needs one barrier, not two",
            .limit = "the rate of multiply-add instructions, of which it issues little else",
            .needs = "33 KiB of shared memory; on NVIDIA before sm_80 the copies are not asynchronous",
            .dtypes = GEMM_DTYPES,
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = double_buffer_recipe,
    },
    [BULK_PIPELINE] = {
        .about = {
            .name = "bulk-pipeline",
            .idea = "four warps bring tiles with the copy engine, four others only multiply",
            .gain = "about 1.2 times: no address arithmetic and no barrier among the multiplications, and an "
                    "operand that lies the wrong way is transposed beside them, so that all layouts are level",
            .limit = "the rate of multiply-add instructions, 0.92 of what it issues; tiles of 128 x 128 leave a "
                     "device idle that they do not fill",
            .needs = "in CUDA compute capability 9.0; operands that do not begin at, or step by, 16 bytes are "
                     "copied first. In OpenCL NVIDIA's from 9.0 on; elsewhere all threads bring, then multiply",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = plx_gemm_bulk_pipeline_recipe,
        .recipe_unaligned = plx_gemm_bulk_pipeline_unaligned,
        .spare = &rows[DOUBLE_BUFFER],
    },
    [SPLIT_K] = {
        .about = {
            .name = "split-k",
            .idea = "smaller tiles, and parts of k in blocks of their own, added in a fixed order",
            .gain = "as many blocks as the device has room for, whatever the shape: up to 60 times for a small C "
                    "with a long k; nothing where C alone fills the device",
            .limit = "smaller tiles bring each operand more often, and parts must be added: a model of both "
                     "chooses tile and parts",
            .needs = "as bulk-pipeline; in OpenCL another launch adds the parts",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = plx_gemm_split_k_depth,
        },
        .recipe = plx_gemm_split_k_recipe,
        .recipe_unaligned = plx_gemm_split_k_unaligned,
        .spare = &rows[DOUBLE_BUFFER],
    },
    [ASYNC_COPY] = {
        .about = {
            .name = "async-copy",
            .idea = "operands as they lie: threads copy elements to their places in shared memory, asynchronously",
            .gain = "up to 2 times where operands do not begin at, or step by, 16 bytes and are read few times, for "
                    "nothing is copied first; tiles for thin products besides",
            .limit = "an instruction for each element of a tile: 0.03 slower than split-k where the copy engine "
                     "can take the operands as they lie",
            .needs = "CUDA on compute capability 9.0",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = plx_gemm_async_copy_depth,
        },
        .recipe = plx_gemm_async_copy_recipe,
        .spare = &rows[DOUBLE_BUFFER],
    },
    [SHORT_K] = {
        .about = {
            .name = "short-k",
            .idea = "up to 32 terms are brought to shared memory at once, by many small blocks",
            .gain = "up to 1.5 times where C is large and its terms are few: some blocks write while others read",
            .limit = "the rate at which memory takes C",
            .needs = "CUDA on compute capability 9.0",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = depth_of_k,
        },
        .recipe = plx_gemm_short_k_recipe,
    },
    [FEW_ROWS] = {
        .about = {
            .name = "few-rows",
            .idea = "where C has at most 16 rows or columns, no tiles: the long operand is read once, past "
                    "shared memory",
            .gain = "for one to eight rows about as much as a tile of 32 would compute in vain; not for 16",
            .limit = "the rate of memory",
            .needs = "in CUDA compute capability 9.0; in OpenCL another launch adds parts of k",
            .dtypes = PLX_DTYPE_BIT(PLX_F32),
            .accumulator_f32 = PLX_F32,
            .reproducibility = PLX_R1,
            .depth = plx_gemm_few_depth,
        },
        .recipe = plx_gemm_few_rows_recipe,
        .spare = &rows[DOUBLE_BUFFER],
    },
    [DMMA] = {
        .about = {
            .name = "dmma",
            .idea = "f64 on the matrix units; some warps copy while the others multiply, and only those "
                    "that need each other wait",
            .gain = "about 1.7 times: an instruction of a warp does 512 multiply-adds, at twice the rate "
                    "of the others, and no barrier stops the whole block",
            .limit = "copies of one element each, which take the copying warps all their time",
            .needs = "CUDA on compute capability 8.0 or 9.0, or NVIDIA's OpenCL from 9.0 on",
            .dtypes = PLX_DTYPE_BIT(PLX_F64),
            .flags = PLX_KERNEL_MATRIX_UNITS,
            .accumulator_f32 = PLX_F64,
            .reproducibility = PLX_R1,
            .depth = plx_dmma_depth,
        },
        .recipe = plx_dmma_recipe,
        .spare = &rows[DOUBLE_BUFFER],
    },
    [DMMA_BULK] = {
        .about = {
            .name = "dmma-bulk",
            .idea = "bulk tensor copies: one thread asks for whole tiles, and what has no aligned rows is "
                    "packed first",
            .gain = "about 1.1 times: the registers of the copying warps go to those that multiply, so that "
                    "tiles are larger and less is read",
            .limit = "the matrix units, or the power that they take",
            .needs = "CUDA on compute capability 9.0",
            .dtypes = PLX_DTYPE_BIT(PLX_F64),
            .flags = PLX_KERNEL_MATRIX_UNITS,
            .accumulator_f32 = PLX_F64,
            .reproducibility = PLX_R1,
            .depth = plx_dmma_bulk_depth,
        },
        .recipe = plx_dmma_bulk_recipe,
        .recipe_unaligned = plx_dmma_bulk_recipe_unaligned,
        .spare = &rows[DOUBLE_BUFFER],
    },
};

const plx_ladder plx_gemm_ladder = {
    .rows = rows,
    .count = ROWS,
    .choose = gemm_choose,
};
