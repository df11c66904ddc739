/* wgmma-narrow: how a problem is cut, how long that should take, and its launches. */
#include "wgmma_narrow.h"

#include "configs.h"
#include "opencl.h"
#include "tma.h"
#include "operand.h"
#include "ladder.h"
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-narrow-cl.h"
#include "gemm/device/tensor/wgmma-narrow.h"
#include "wgmma.h"

#include <stdio.h>

enum { A, B, C, TILES = 4, MOST_PARTS = 127, MOST_BLOCKS = 8 };

/* Rows and columns of a tile, microseconds of a step of 64 terms where a multiprocessor waits for no other, bytes of
 * all operands that are read in one where the smaller operand's rows run along k, where they don't, and where they are
 * in lines that it does not fill, the share of that where the larger operand's rows don't and LARGE_READ bytes are to
 * be read, and its entry point. */
static const struct {
    int32_t rows, cols;
    double step_us, along_rate, across_rate, gaps_rate, larger_across;
    const char *entry;
} tiles[TILES] = {
    {64, 16, 0.15, 4.2e6, 4.0e6, 3.5e6, 0.955, "gemm_wgmma_narrow_64x16"},
    {64, 32, 0.182, 4.2e6, 4.2e6, 3.2e6, 0.955, "gemm_wgmma_narrow_64x32"},
    {64, 64, 0.3, 4.2e6, 4.2e6, 2.9e6, 0.955, "gemm_wgmma_narrow_64x64"},
    {128, 16, 0.28, 4.15e6, 4.2e6, 4.0e6, 1, "gemm_wgmma_narrow_128x16"}, /* CUDA alone */
};

/* The first `whole` tiles of the product are an item of work each, each other tile is `parts` items, equal
 * shares of k.  An item is the work of a cluster of `blocks`, of more than one where no tile is divided. */
typedef struct narrow_cut {
    uint32_t tile, blocks;
    int64_t tiles, whole, parts, items;
    double us; /* that the product should take */
} narrow_cut;

/* The product that is multiplied: op(A) op(B), or where C has fewer rows than columns op(B)^T op(A)^T. */
typedef struct narrow_product {
    bool turned;
    int64_t rows, cols, steps;
    plx_gemm_operand a, b;
} narrow_product;

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static narrow_product product_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool turned = p->m < p->n;
    return (narrow_product){
        .turned = turned,
        .rows = turned ? p->n : p->m,
        .cols = turned ? p->m : p->n,
        .steps = plx_gemm_has_terms(problem) ? quotient_up(p->k, GEMM_UNITS_DEPTH) : 0,
        .a = plx_gemm_operand_as(problem, turned ? B : A),
        .b = plx_gemm_operand_as(problem, turned ? A : B),
    };
}

static int64_t units_of(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}

/* ---- the model ----------------------------------------------------------------------- */

/* Microseconds, and bytes in one; fitted to 510 timings of 90 drawn shapes and of a list on an H200, and what
 * is of clusters and of 16 columns to 30 of ten shapes. */
#define LAUNCH_US 3.2
#define ITEM_US 0.5
#define WRITE_RATE 0.95e6
#define CLUSTER_US 0.8 /* to add up what its blocks have */
#define ADD_US 3.0     /* another launch */
#define ADD_RATE 26e6
#define COPY_US 4.5     /* another */
#define COPY_RATE 4.0e6 /* of operands that are copied to aligned rows first */
#define LARGE_READ 1e9
#define FITTED_MEMORY_RATE 4.2e6 /* plx_units_memory_rate() of that device */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Operands whose rows are no multiple of 16 bytes apart, in a launch of their own. */
static double us_of_copying(const narrow_product *of, double k, const plx_device_info *device)
{
    const double rows = plx_gemm_steps_by_units(&of->a) ? 0 : (double)of->rows,
                 cols = plx_gemm_steps_by_units(&of->b) ? 0 : (double)of->cols;
    return rows + cols > 0 ? COPY_US + plx_units_late_us(device) + 2 * 2 * (rows + cols) * k / COPY_RATE : 0;
}

/* Bytes of `bytes` that are read in a microsecond. */
static double read_rate(const narrow_cut *cut, const narrow_product *of, double bytes)
{
    const double share = of->a.inner || bytes < LARGE_READ ? 1 : tiles[cut->tile].larger_across;
    if (of->b.inner)
        return share * tiles[cut->tile].along_rate;
    return share * (of->cols >= tiles[cut->tile].cols ? tiles[cut->tile].across_rate : tiles[cut->tile].gaps_rate);
}

/* More, where memory is slower than that of the device that the rates were fitted on; the same of all cuts. */
static double us_of_slower_memory(const narrow_product *of, double k, const plx_device_info *device)
{
    const double bytes = 2 * k * ((double)of->rows + (double)of->cols);
    return bytes / plx_units_memory_rate(device) - bytes / FITTED_MEMORY_RATE;
}

/* What the multiprocessor with the most to do takes, or what it takes to read the operands. */
static double us_of(const narrow_cut *cut, const narrow_product *of, const plx_problem *problem,
                    const plx_device_info *device)
{
    const int64_t units = units_of(device), late = cut->items - cut->whole;
    const int64_t whole = quotient_up(cut->whole * cut->blocks, units), parts = quotient_up(late, units);
    const double steps =
        (double)(whole * quotient_up(of->steps, cut->blocks) + parts * quotient_up(of->steps, cut->parts));
    const double k = (double)problem->of.gemm.k, cols = tiles[cut->tile].cols;
    const double passes = (double)quotient_up(of->cols, tiles[cut->tile].cols);
    const double bytes = 2 * k * ((double)of->rows * passes + (double)of->cols);
    const double reading = larger(bytes / read_rate(cut, of, bytes), steps * tiles[cut->tile].step_us);
    const double writing = (double)of->rows * (double)of->cols * 2 / WRITE_RATE;
    const double adding = (double)late * tiles[cut->tile].rows * cols * 8 / ADD_RATE;
    const double us = us_of_copying(of, k, device) + LAUNCH_US + (double)(whole + parts) * ITEM_US + reading + writing +
                      us_of_slower_memory(of, k, device);
    if (cut->blocks > 1)
        return us + CLUSTER_US;
    return late == 0 ? us : us + ADD_US + plx_units_late_us(device) + adding;
}

/* ---- the cut --------------------------------------------------------------------------- */

static plx_gemm_config config_of(const narrow_cut *cut)
{
    return (plx_gemm_config){
        .tile = cut->tile, .cluster = cut->blocks > 1 ? cut->blocks : 0, .parts = (uint32_t)cut->parts};
}

/* In OpenCL the driver launches none. */
static bool has_clusters(const plx_device_info *device)
{
    return !(device->features & PLX_FEATURE_NVIDIA_PTX);
}

/* Whether the tiles of C can be counted in 32 bits, with their parts; each part has a step at least.  Clusters
 * are for tiles that leave multiprocessors idle.  Parts are added in tiles of GEMM_NARROW_PART_ROWS; OpenCL has no
 * others. */
static bool make_cut(const plx_problem *problem, const narrow_product *of, const plx_device_info *device, uint32_t tile,
                     uint32_t blocks, int64_t parts, narrow_cut *cut)
{
    const int64_t units = units_of(device);
    int64_t count;
    if (tiles[tile].rows != GEMM_NARROW_PART_ROWS && (parts > 1 || !has_clusters(device)))
        return false;
    if (__builtin_mul_overflow(quotient_up(of->rows, tiles[tile].rows), quotient_up(of->cols, tiles[tile].cols),
                               &count) ||
        count > INT32_MAX / 2)
        return false;
    const int64_t over = count % units, whole = parts == 1 ? count : count - over;
    if (parts > 1 && (parts > of->steps || over == 0))
        return false;
    if (blocks > 1 && (blocks > of->steps || blocks * count > units || !has_clusters(device)))
        return false;
    *cut = (narrow_cut){tile, blocks, count, whole, parts, whole + (count - whole) * parts, 0};
    cut->us = us_of(cut, of, problem, device);
    return true;
}

typedef void visit_cut(void *data, const narrow_cut *cut);

static void each_cut(const plx_problem *problem, const plx_device_info *device, visit_cut *visit, void *data)
{
    const narrow_product of = product_of(problem);
    narrow_cut cut;
    for (uint32_t tile = 0; tile < TILES; tile++) {
        for (int64_t parts = 1; parts <= MOST_PARTS; parts++)
            if (make_cut(problem, &of, device, tile, 1, parts, &cut))
                visit(data, &cut);
        for (uint32_t blocks = 2; blocks <= MOST_BLOCKS; blocks *= 2)
            if (make_cut(problem, &of, device, tile, blocks, 1, &cut))
                visit(data, &cut);
    }
}

typedef struct choice {
    uint32_t wanted; /* number of a configuration, or 0 */
    bool any;
    narrow_cut cut;
} choice;

static void choose(void *data, const narrow_cut *cut)
{
    choice *c = data;
    const plx_gemm_config config = config_of(cut);
    if (c->wanted != 0 && c->wanted != plx_gemm_config_number(&config))
        return;
    if (c->any && cut->us >= c->cut.us)
        return;
    c->cut = *cut;
    c->any = true;
}

/* What problem->config says, or what should take the least time. */
static bool cut_of(const plx_problem *problem, const plx_device_info *device, narrow_cut *cut)
{
    choice c = {.wanted = problem->config};
    each_cut(problem, device, choose, &c);
    *cut = c.cut;
    return c.any;
}

/* ---- schedule ------------------------------------------------------------------------- */

static void find_paths(const plx_problem *problem, bool unaligned, plx_schedule *schedule)
{
    schedule->paths[A] = plx_units_path(problem, A, unaligned);
    schedule->paths[B] = plx_units_path(problem, B, unaligned);
}

plx_status plx_gemm_narrow_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                    plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    narrow_cut cut;
    plx_status status = plx_needs_9_0(device, error);
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    if (status == PLX_OK && plx_gemm_has_terms(problem) && p->m > 0 && p->n > 0)
        status = plx_gemm_check_sizes(p, error);
    if (status == PLX_OK && !cut_of(problem, device, &cut))
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    if (status != PLX_OK)
        return status;
    schedule->tile = cut.tile;
    schedule->cluster_k = (int32_t)cut.blocks;
    schedule->split_k = (int32_t)cut.parts;
    schedule->transposed = p->m < p->n;
    schedule->us = cut.us;
    find_paths(problem, false, schedule);
    return PLX_OK;
}

plx_status plx_gemm_narrow_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                     plx_error *error)
{
    (void)device;
    (void)error;
    find_paths(problem, true, schedule);
    return PLX_OK;
}

/* The cut that a schedule says. */
static narrow_cut cut_by(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const narrow_product of = product_of(problem);
    narrow_cut cut = {.tile = schedule->tile};
    (void)make_cut(problem, &of, device, schedule->tile, (uint32_t)schedule->cluster_k, schedule->split_k, &cut);
    return cut;
}

/* ---- configurations ----------------------------------------------------------------- */

typedef struct list_of {
    plx_gemm_listing listing;
    bool turned;
} list_of;

/* "64x16/3": what full rounds of tiles leave is divided into three parts; "64x16c4": four blocks of a cluster
 * have a tile; "16x64" where the product is turned. */
static void list(void *data, const narrow_cut *cut)
{
    list_of *l = data;
    const plx_gemm_config config = config_of(cut);
    const int rows = tiles[cut->tile].rows, cols = tiles[cut->tile].cols;
    char parts[24] = "";
    if (cut->parts > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)cut->parts);
    else if (cut->blocks > 1)
        (void)snprintf(parts, sizeof parts, "c%d", (int)cut->blocks);
    plx_gemm_list(&l->listing, &config, cut->us, "%dx%d%s", l->turned ? cols : rows, l->turned ? rows : cols, parts);
}

size_t plx_gemm_narrow_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity)
{
    const narrow_product of = product_of(problem);
    narrow_cut own;
    if (of.cols == 0 || of.steps == 0 || !cut_of(problem, device, &own))
        return 0;
    const plx_gemm_config config = config_of(&own);
    list_of l = {{configs, capacity, .own = plx_gemm_config_number(&config)}, of.turned};
    each_cut(problem, device, list, &l);
    return l.listing.count;
}

/* ---- depth ----------------------------------------------------------------------------- */

/* Parts are added by ADDERS warps, each every so many, and then their sums. */
static int64_t depth_of_adding(int64_t parts)
{
    return quotient_up(parts, GEMM_NARROW_ADDERS) - 1 + smaller(parts, GEMM_NARROW_ADDERS) - 1;
}

/* Of parts, or blocks, that have equal shares of k. */
static int64_t depth_of_share(const plx_problem *problem, const plx_device_info *device, int64_t shares)
{
    plx_problem share = *problem;
    if (shares > 1)
        share.of.gemm.k = quotient_up(product_of(problem).steps, shares) * GEMM_UNITS_DEPTH;
    return plx_units_depth(&share, device);
}

int64_t plx_gemm_narrow_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const narrow_cut cut = cut_by(problem, device, schedule);
    if (cut.parts == 1)
        return depth_of_share(problem, device, cut.blocks) + cut.blocks - 1;
    return depth_of_share(problem, device, cut.whole > 0 ? 1 : cut.parts) + depth_of_adding(cut.parts);
}

/* ---- the launches ----------------------------------------------------------------------- */

static void add_result(const plx_problem *problem, plx_step *step, bool with_k)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, C);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    if (with_k)
        plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
}

/* Rows of a box are lines of a stage, of 128 bytes at most: 64 terms, or outer indices of the tile. */
static void add_map(const plx_gemm_operand *stored, int32_t side, plx_recipe *recipe, plx_step *step)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = stored->inner ? GEMM_UNITS_DEPTH : (uint32_t)smaller(side, GEMM_UNITS_DEPTH);
    map.box_height = stored->inner ? (uint32_t)side : GEMM_UNITS_DEPTH;
    map.swizzle = 2 * map.box_width;
    plx_step_map(recipe, step, &map);
}

static void add_product(const plx_problem *problem, const plx_device_info *device, const narrow_cut *cut,
                        const narrow_product *of, int64_t partials, plx_recipe *recipe)
{
    const bool opencl = device->features & PLX_FEATURE_NVIDIA_PTX;
    const uint32_t threads = (uint32_t)GEMM_NARROW_THREADS(tiles[cut->tile].rows);
    plx_step *step = plx_recipe_step(recipe, tiles[cut->tile].entry, threads, 1);
    step->grid[0] = (uint64_t)(opencl ? smaller(cut->items, units_of(device)) : cut->items * cut->blocks);
    step->cluster = cut->blocks > 1 ? cut->blocks : 0;
    step->dependent_launch = true;
    add_map(&of->a, tiles[cut->tile].rows, recipe, step);
    add_map(&of->b, tiles[cut->tile].cols, recipe, step);
    if (opencl)
        plx_units_add_places_of_maps(recipe, step);
    add_result(problem, step, true);
    plx_step_i32(step, of->turned);
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)cut->whole);
    plx_step_i32(step, (int32_t)cut->parts);
    plx_step_i32(step, (int32_t)cut->items);
    if (opencl) /* its program has a fixed array */
        recipe->known_local_bytes = GEMM_NARROW_CL_LOCAL;
    else
        plx_step_shared(step, GEMM_NARROW_SHARED);
}

static void add_sum(const plx_problem *problem, const narrow_cut *cut, const narrow_product *of, int64_t partials,
                    plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_wgmma_narrow_sum", 32 * GEMM_NARROW_ADDERS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)(cut->tiles - cut->whole);
    step->grid[1] = (uint64_t)(GEMM_NARROW_PART_ROWS * tiles[cut->tile].cols / 4 / 32);
    step->dependent_launch = true;
    add_result(problem, step, false);
    plx_step_i32(step, of->turned);
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)cut->whole);
    plx_step_i32(step, (int32_t)cut->parts);
    plx_step_i32(step, tiles[cut->tile].cols);
}

/* Named by the operands of the product that is multiplied. */
static void name_variant(const plx_problem *problem, const narrow_product *of, plx_recipe *recipe)
{
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c%c", problem->dtype == PLX_F16 ? "f16" : "bf16",
                   of->a.inner ? 'n' : 't', of->b.inner ? 't' : 'n');
}

/* OpenCL compiles a program for each tile, layout of what is multiplied, and type of C. */
static void define_program(const plx_problem *problem, const narrow_cut *cut, const narrow_product *of,
                           plx_recipe *recipe)
{
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d -DENTRY=%s -DCOLS=%d",
                   plx_element_words_of(problem)->defines, !of->a.inner, of->b.inner, tiles[cut->tile].entry,
                   (int)tiles[cut->tile].cols);
}

static plx_status add_launches(const plx_problem *problem, const plx_device_info *device, const narrow_cut *cut,
                               narrow_product *of, plx_recipe *recipe, plx_error *error)
{
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    const plx_operand_path *paths = recipe->schedule.paths;
    if (!plx_gemm_take_path(&of->a, paths[of->a.operand], &scratch) ||
        !plx_gemm_take_path(&of->b, paths[of->b.operand], &scratch))
        return plx_fail(error, PLX_UNSUPPORTED, "its operands are too large to be copied to aligned rows");
    const int64_t partials = (int64_t)scratch;
    recipe->scratch_bytes =
        scratch + (uint64_t)(cut->items - cut->whole) * GEMM_NARROW_PART_ROWS * (uint64_t)tiles[cut->tile].cols * 4;
    plx_gemm_add_repack(recipe, device, &of->a, &of->b);
    add_product(problem, device, cut, of, partials, recipe);
    if (cut->items > cut->whole)
        add_sum(problem, cut, of, partials, recipe);
    return plx_wgmma_check_scratch(recipe, device, error);
}

plx_status plx_gemm_narrow_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    bool multiplies = false;
    plx_status status = plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_wgmma_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    const narrow_cut cut = cut_by(problem, device, &recipe->schedule);
    narrow_product of = product_of(problem);
    name_variant(problem, &of, recipe);
    define_program(problem, &cut, &of, recipe);
    return add_launches(problem, device, &cut, &of, recipe, error);
}
