/* mma-direct: how a problem is cut, how long that should take, and its launches. */
#include "mma_direct.h"

#include "configs.h"
#include "gemm/device/tensor/mma-direct.h"
#include "tma.h"
#include "ladder.h"
#include "gemm/device/common/tensor-tiles.h"
#include "wgmma.h"

#include <stdio.h>

enum { TILE_BYTES = GEMM_DIRECT_ROWS * GEMM_DIRECT_COLS * 4, QUADS_OF_BLOCK = 32 };

/* Each tile of C is `parts` items, equal shares of k. */
typedef struct direct_cut {
    uint32_t number; /* of its parts, below */
    int64_t tiles, parts;
    double us; /* that the product should take */
} direct_cut;

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

/* Numbers of parts: 1, 2, 3, 4, 6, 8, 12 and so on. */
enum { MOST_NUMBERS = 18 };

static int64_t parts_numbered(uint32_t number)
{
    if (number == 0)
        return 1;
    return number % 2 == 1 ? INT64_C(2) << number / 2 : INT64_C(3) << (number / 2 - 1);
}

static int64_t steps_of(const plx_problem *problem)
{
    return plx_gemm_has_terms(problem) ? quotient_up(problem->of.gemm.k, GEMM_UNITS_DEPTH) : 0;
}

/* Blocks that run side by side. */
static int64_t slots_of(const plx_device_info *device)
{
    return GEMM_DIRECT_BLOCKS * (int64_t)(device->units > 0 ? device->units : 1);
}

/* ---- the model ----------------------------------------------------------------------- */

/* Microseconds, and bytes in one; fitted to 150 timings of 86 drawn shapes on an H200, deviation 0.17. */
#define START_US 1.1
#define ITEM_US 1.1      /* an item without its steps: to write C, or its part */
#define STEP_US 1.1      /* of 64 terms */
#define LOADS_US 0.7     /* in a step, for LOADED elements that a thread loads one by one */
#define BESIDE 1.4       /* what two blocks of a multiprocessor take, of what one takes */
#define WRITE_RATE 1.4e6 /* of C */
#define ADD_US 4.3       /* another launch */
#define ADD_RATE 8.7e6   /* of parts that are written and added */
#define ADDED_US 0.07    /* for 64 parts of a tile */
#define LOADED 16

/* How often in a step a thread loads LOADED elements of an operand, of which `outer` and `terms` are in a
 * tile. */
static int64_t loads_of(bool inner, int64_t outer, int64_t terms, int64_t ld)
{
    const int64_t padded = quotient_up(terms, 16) * 16, along = inner ? padded : outer, rows = inner ? outer : padded;
    int64_t across = 1;
    if (ld % 8 == 0) /* by 16 bytes */
        return 0;
    while (across < along)
        across *= 2;
    return quotient_up(rows * across, LOADED * GEMM_DIRECT_THREADS);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t loads_of_step(const plx_gemm_problem *p)
{
    const int64_t terms = smaller(p->k, GEMM_UNITS_DEPTH);
    const int64_t of_a = loads_of(!p->trans_a, smaller(p->m, GEMM_DIRECT_ROWS), terms, p->lda),
                  of_b = loads_of(p->trans_b, smaller(p->n, GEMM_DIRECT_COLS), terms, p->ldb);
    return of_a > of_b ? of_a : of_b;
}

static double us_of_adding(const direct_cut *cut, const plx_gemm_problem *p, const plx_device_info *device)
{
    const int64_t cols = smaller(quotient_up(p->n, 8) * 8, GEMM_DIRECT_COLS);
    const double bytes = (double)(cut->tiles * cut->parts) * GEMM_DIRECT_ROWS * (double)cols * 4;
    return cut->parts == 1 ? 0
                           : ADD_US + plx_units_late_us(device) + 2 * bytes / ADD_RATE +
                                 (double)quotient_up(cut->parts, 64) * ADDED_US;
}

/* What the multiprocessor with the most items takes, or what it takes to write C. */
static double us_of(const direct_cut *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t items = quotient_up(cut->tiles * cut->parts, slots_of(device) / GEMM_DIRECT_BLOCKS);
    const double steps = (double)quotient_up(steps_of(problem), cut->parts);
    const double item = ITEM_US + steps * (STEP_US + (double)loads_of_step(p) * LOADS_US);
    const double multiplying = ((double)(items / 2) * BESIDE + (double)(items % 2)) * item;
    const double writing = (double)p->m * (double)p->n * 2 / WRITE_RATE;
    const double us = START_US + (multiplying > writing ? multiplying : writing) + us_of_adding(cut, p, device);
    return device->compute_major == 9 ? plx_units_us_with_memory(problem, device, us) : us;
}

/* ---- the cut --------------------------------------------------------------------------- */

/* Whether C has tiles that can be counted, as blocks in 32 bits. */
static bool count_tiles(const plx_problem *problem, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return !__builtin_mul_overflow(quotient_up(p->m, GEMM_DIRECT_ROWS), quotient_up(p->n, GEMM_DIRECT_COLS), tiles) &&
           *tiles <= INT32_MAX;
}

/* Parts have a step at least, and all of them run at once, or nearly. */
static bool make_cut(const plx_problem *problem, const plx_device_info *device, uint32_t number, direct_cut *cut)
{
    *cut = (direct_cut){.number = number, .parts = parts_numbered(number)};
    if (!count_tiles(problem, &cut->tiles))
        return false;
    if (cut->parts > 1 && (cut->parts > steps_of(problem) || cut->tiles > 2 * slots_of(device) / cut->parts))
        return false;
    cut->us = us_of(cut, problem, device);
    return true;
}

static uint32_t number_of_config(const direct_cut *cut)
{
    return plx_gemm_config_number(&(plx_gemm_config){.parts = cut->number + 1});
}

/* What problem->config says, or what should take the least time. */
static bool cut_of(const plx_problem *problem, const plx_device_info *device, direct_cut *best)
{
    bool any = false;
    for (uint32_t number = 0; number < MOST_NUMBERS; number++) {
        direct_cut cut;
        if (!make_cut(problem, device, number, &cut) ||
            (problem->config != 0 && problem->config != number_of_config(&cut)) || (any && cut.us >= best->us))
            continue;
        *best = cut;
        any = true;
    }
    return any;
}

plx_status plx_gemm_direct_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                    plx_error *error)
{
    direct_cut cut;
    plx_status status = plx_needs_mma_sync(device, error);
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    if (status == PLX_OK)
        status = plx_gemm_check_sizes(&problem->of.gemm, error);
    if (status == PLX_OK && !cut_of(problem, device, &cut))
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    if (status != PLX_OK)
        return status;
    schedule->split_k = (int32_t)cut.parts;
    schedule->us = cut.us;
    return PLX_OK;
}

/* The cut that a schedule says. */
static direct_cut cut_by(const plx_problem *problem, const plx_schedule *schedule)
{
    direct_cut cut = {.parts = schedule->split_k, .us = schedule->us};
    (void)count_tiles(problem, &cut.tiles);
    return cut;
}

/* "64x128/8": each tile of C is made of eight parts. */
size_t plx_gemm_direct_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity)
{
    plx_gemm_listing listing = {configs, capacity, .own = 0};
    const plx_gemm_problem *p = &problem->of.gemm;
    direct_cut cut;
    if (p->m == 0 || p->n == 0 || steps_of(problem) == 0 || !cut_of(problem, device, &cut))
        return 0;
    listing.own = number_of_config(&cut);
    for (uint32_t number = 0; number < MOST_NUMBERS; number++) {
        char parts[24] = "";
        if (!make_cut(problem, device, number, &cut))
            continue;
        if (cut.parts > 1)
            (void)snprintf(parts, sizeof parts, "/%d", (int)cut.parts);
        const plx_gemm_config config = {.parts = number + 1};
        plx_gemm_list(&listing, &config, cut.us, "%dx%d%s", GEMM_DIRECT_ROWS, GEMM_DIRECT_COLS, parts);
    }
    return listing.count;
}

/* ---- depth ----------------------------------------------------------------------------- */

/* Parts are added by ADDERS warps, each every so many, and then their sums. */
static int64_t depth_of_adding(int64_t parts)
{
    return quotient_up(parts, GEMM_DIRECT_ADDERS) - 1 + (parts < GEMM_DIRECT_ADDERS ? parts : GEMM_DIRECT_ADDERS) - 1;
}

int64_t plx_gemm_direct_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    if (schedule->split_k == 1)
        return plx_units_depth(problem, device);
    plx_problem part = *problem;
    part.of.gemm.k = quotient_up(steps_of(problem), schedule->split_k) * GEMM_UNITS_DEPTH;
    return plx_units_depth(&part, device) + depth_of_adding(schedule->split_k);
}

/* ---- the launches ----------------------------------------------------------------------- */

static void add_product(const plx_problem *problem, const direct_cut *cut, plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_mma_direct", GEMM_DIRECT_THREADS, 1);
    step->grid[0] = (uint64_t)(cut->tiles * cut->parts);
    step->dependent_launch = true;
    plx_step_tile(step, GEMM_DIRECT_ROWS, GEMM_DIRECT_COLS);
    plx_gemm_step_operands(step);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_gemm_step_sizes(problem, step);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_i32(step, (int32_t)cut->parts);
}

static void add_sum(const plx_problem *problem, const direct_cut *cut, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step *step = plx_recipe_step(recipe, "gemm_mma_direct_sum", 32 * GEMM_DIRECT_ADDERS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)cut->tiles;
    step->grid[1] = GEMM_DIRECT_ROWS * GEMM_DIRECT_COLS / 4 / QUADS_OF_BLOCK;
    step->dependent_launch = true;
    plx_step_operand(step, 2);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_i32(step, (int32_t)cut->parts);
}

/* OpenCL compiles one for each layout and type of C. */
static void define_program(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe)
{
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d",
                   plx_element_words_of(problem)->defines, (int)problem->of.gemm.trans_a,
                   (int)problem->of.gemm.trans_b);
    plx_recipe_min_blocks_per_sm(recipe, device, GEMM_DIRECT_THREADS, GEMM_DIRECT_BLOCKS);
}

plx_status plx_gemm_direct_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const direct_cut cut = cut_by(problem, &recipe->schedule);
    const plx_status status = plx_units_start(problem, recipe, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    define_program(problem, device, recipe);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS + (cut.parts > 1 ? (uint64_t)(cut.tiles * cut.parts) * TILE_BYTES : 0);
    add_product(problem, &cut, recipe);
    if (cut.parts > 1)
        add_sum(problem, &cut, recipe);
    return plx_recipe_check(recipe, GEMM_DIRECT_SHARED, device, error);
}
