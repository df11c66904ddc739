/* few-rows: where C has few rows, or few columns, the other operand is read once. */
#include "skinny.h"

#include "arithmetic.h"
#include "configs.h"
#include "opencl.h"
#include "gemm/device/common/tiles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands */

static plx_gemm_skinny few_rows(const plx_gemm_problem *p)
{
    return (plx_gemm_skinny){.x = A,
                             .p = B,
                             .count = p->m,
                             .many = p->n,
                             .k = p->k,
                             .x_few = p->trans_a ? 1 : p->lda,
                             .x_k = p->trans_a ? p->lda : 1,
                             .ldp = p->ldb,
                             .out_few = p->ldc,
                             .out_many = 1,
                             .along = p->trans_b};
}

static plx_gemm_skinny few_columns(const plx_gemm_problem *p)
{
    return (plx_gemm_skinny){.x = B,
                             .p = A,
                             .count = p->n,
                             .many = p->m,
                             .k = p->k,
                             .x_few = p->trans_b ? p->ldb : 1,
                             .x_k = p->trans_b ? 1 : p->ldb,
                             .ldp = p->lda,
                             .out_few = 1,
                             .out_many = p->ldc,
                             .along = !p->trans_a};
}

plx_gemm_skinny plx_gemm_skinny_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_gemm_skinny product = p->m <= p->n ? few_rows(p) : few_columns(p);
    if (!plx_gemm_has_terms(problem))
        product.k = 0;
    product.parts = problem->config != 0 ? plx_gemm_config_of(problem).parts : 0;
    return product;
}

/* The kernels are made for powers of two; in CUDA along k from four on, for fewer take no less time. */
int plx_gemm_skinny_power(const plx_gemm_skinny *f, const plx_device_info *device)
{
    int power = f->along && !plx_gemm_is_opencl(device) ? 2 : 0;
    while (1 << power < f->count && 1 << power < GEMM_FEW_MOST)
        ++power;
    return power;
}

/* ---- geometry ------------------------------------------------------------------ */

enum {
    BLOCKS_PER_UNIT = 4, /* in OpenCL */
    LEAST_PART_ACROSS = 128,
    LEAST_PART_ALONG = 512,
    MOST_PARTS = 64
};

static int64_t panels_of(const plx_gemm_skinny *f)
{
    return quotient_up(f->many, f->along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS);
}

static int64_t most_parts(const plx_gemm_skinny *f)
{
    int64_t least = f->along && f->count <= PLX_GEMM_FEW_DIRECT ? LEAST_PART_ALONG : LEAST_PART_ACROSS;
    int64_t most = quotient_up(f->k, least);
    return most < MOST_PARTS ? most : MOST_PARTS;
}

/* A ticket for each panel, and room for what the parts leave. */
static bool has_room(const plx_gemm_skinny *f, int64_t parts)
{
    return parts == 1 || (panels_of(f) <= PLX_SCRATCH_COUNTERS / 4 &&
                          4.0 * (double)parts * (double)f->count * (double)f->many <= 256.0 * (1 << 20));
}

static plx_gemm_skinny_parts in_parts(const plx_gemm_skinny *f, int64_t parts)
{
    const int64_t length = parts > 0 ? quotient_up(f->k, parts) : 0;
    return (plx_gemm_skinny_parts){panels_of(f), length, length > 0 ? quotient_up(f->k, length) : 1};
}

/* OpenCL: as many parts of k as give every multiprocessor its blocks. */
static int64_t filling_parts(const plx_gemm_skinny *f, const plx_device_info *device)
{
    const int64_t wanted = BLOCKS_PER_UNIT * (int64_t)(device->units > 0 ? device->units : 1);
    const int64_t panels = panels_of(f);
    return larger(1, smaller(wanted / larger(panels, 1), most_parts(f)));
}

/* CUDA: those that take the least time by the model. */
static int64_t best_parts(const plx_gemm_skinny *f, const plx_device_info *device)
{
    int64_t best = 1;
    double least = INFINITY;
    for (int64_t parts = 1; parts <= most_parts(f) && has_room(f, parts); ++parts) {
        const plx_gemm_skinny_parts made = in_parts(f, parts);
        const double us = plx_gemm_skinny_parts_cost(f, &made, device);
        if (us >= least)
            continue;
        least = us;
        best = parts;
    }
    return best;
}

plx_gemm_skinny_parts plx_gemm_skinny_parts_of(const plx_gemm_skinny *f, const plx_device_info *device)
{
    if (f->k == 0 || f->parts > 0)
        return in_parts(f, f->parts);
    return in_parts(f, plx_gemm_is_opencl(device) ? filling_parts(f, device) : best_parts(f, device));
}

/* ---- depth ----------------------------------------------------------------------- */

/* A thread's share, chunk by chunk; then those of the threads that have the same columns. */
int64_t plx_gemm_skinny_share(int64_t k, bool along)
{
    int64_t sharers = along ? 32 : GEMM_FEW_THREADS / 32, chunks = k / GEMM_FEW_CHUNK, rest = k % GEMM_FEW_CHUNK;
    int64_t depth = chunks * (GEMM_FEW_CHUNK / sharers) + quotient_up(rest, sharers) + (along ? 5 : 3);
    return depth < k ? depth : k;
}

int64_t plx_gemm_skinny_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_skinny_parts parts = in_parts(&f, schedule->split_k);
    (void)device;
    int64_t depth = plx_gemm_skinny_share(parts.length, f.along) + parts.parts - 1;
    return depth < f.k ? depth : f.k;
}

/* ---- schedule ---------------------------------------------------------------------- */

plx_status plx_gemm_few_rows_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                      plx_error *error)
{
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    const plx_status status =
        plx_gemm_is_opencl(device) ? plx_not_by_pocl(device, 5, 0, error) : plx_needs_sm_90a(device, error);
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    if (status != PLX_OK || f.count == 0)
        return status;
    if (f.count > GEMM_FEW_MOST)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more than %d rows and columns", GEMM_FEW_MOST);
    const plx_gemm_skinny_parts parts = plx_gemm_skinny_parts_of(&f, device);
    schedule->split_k = (int32_t)parts.parts;
    schedule->us = plx_gemm_skinny_parts_cost(&f, &parts, device);
    return PLX_OK;
}

/* ---- recipe ------------------------------------------------------------------------ */

static void add_product(const plx_problem *problem, const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts,
                        plx_step *step)
{
    plx_step_operand(step, f->x);
    plx_step_i64(step, f->x_few);
    plx_step_i64(step, f->x_k);
    plx_step_operand(step, f->p);
    plx_step_i64(step, f->ldp);
    plx_step_operand(step, C);
    plx_step_i64(step, f->out_few);
    plx_step_i64(step, f->out_many);
    plx_step_i32(step, (int32_t)f->count);
    plx_step_i64(step, f->many);
    plx_step_i64(step, f->k);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, problem->of.gemm.beta);
    plx_step_i64(step, parts->length);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 4);
}

/* OpenCL: a launch adds what parts leave; in CUDA the last block of a panel does. */
static void add_sum(const plx_problem *problem, const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts,
                    plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_few_rows_sum", GEMM_FEW_THREADS, 1);

    step->grid[0] = (uint64_t)quotient_up(f->count * f->many, GEMM_FEW_THREADS);
    plx_step_operand(step, C);
    plx_step_i64(step, f->out_few);
    plx_step_i64(step, f->out_many);
    plx_step_i32(step, (int32_t)f->count);
    plx_step_i64(step, f->many);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, problem->of.gemm.beta);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 4);
    plx_step_i32(step, (int32_t)parts->parts);
}

/* What CUDA has as entry points. */
static void define_few(const plx_gemm_skinny *f, const plx_device_info *device, plx_recipe *recipe)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " -DFEW=%d -DALONG=%d%s",
                   1 << plx_gemm_skinny_power(f, device), (int)f->along,
                   plx_gemm_opencl_has_ptx(device) ? " -DSHUFFLE_PTX" : "");
}

static const char *const entries[2][5] = {
    {"gemm_few_1_across", "gemm_few_2_across", "gemm_few_4_across", "gemm_few_8_across", "gemm_few_16_across"},
    {NULL, NULL, "gemm_few_4_along", "gemm_few_8_along", "gemm_few_16_along"},
};

static const char *entry_of(const plx_gemm_skinny *f, const plx_device_info *device)
{
    return entries[f->along][plx_gemm_skinny_power(f, device)];
}

plx_status plx_gemm_few_rows_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_skinny_parts parts = in_parts(&f, recipe->schedule.split_k);
    const bool mapless = plx_gemm_is_opencl(device);
    const plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || f.count == 0)
        return status;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32");
    if (mapless)
        define_few(&f, device, recipe);
    plx_step *step = plx_recipe_step(recipe, mapless ? "gemm_few_rows" : entry_of(&f, device), GEMM_FEW_THREADS, 1);
    step->grid[0] = (uint64_t)parts.panels;
    step->grid[1] = (uint64_t)parts.parts;
    step->dependent_launch = true;
    add_product(problem, &f, &parts, step);
    if (!mapless)
        plx_step_scratch(step, 0, 4); /* tickets */
    else if (parts.parts > 1)
        add_sum(problem, &f, &parts, recipe);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS;
    if (parts.parts > 1)
        recipe->scratch_bytes += (uint64_t)(parts.parts * f.count * f.many) * 4;
    return plx_recipe_check(recipe, 0, device, error);
}

/* ---- configurations ------------------------------------------------------------------- */

bool plx_gemm_skinny_has(const plx_problem *problem)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_config config = plx_gemm_config_of(problem);
    return config.tile == 0 && config.cluster == 0 && config.edge_blocks == 0 && f.parts >= 1 &&
           f.parts <= most_parts(&f) && has_room(&f, f.parts);
}

/* Only numbers of parts that are made when they are asked for: nine terms have no six parts of a length. */
size_t plx_gemm_few_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                            size_t capacity)
{
    plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    plx_problem cut = *problem;
    plx_gemm_config config = {.parts = (uint32_t)plx_gemm_skinny_parts_of(&f, device).parts};
    plx_gemm_listing listing = {configs, capacity, .own = plx_gemm_config_number(&config)};

    if (f.k == 0 || f.count == 0)
        return 0;
    for (int64_t parts = 1; parts <= most_parts(&f) && has_room(&f, parts); ++parts) {
        f.parts = parts;
        config.parts = (uint32_t)parts;
        cut.config = plx_gemm_config_number(&config);
        if (plx_gemm_skinny_parts_of(&f, device).parts == parts)
            plx_gemm_list(&listing, &config, plx_gemm_skinny_cost(&cut, device), "%dx%d/%d",
                          1 << plx_gemm_skinny_power(&f, device), f.along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS,
                          (int)parts);
    }
    return listing.count;
}
