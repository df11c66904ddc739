/* few-rows: where C has few rows, or few columns, the other operand is read once. */
#include "simt.h"

#include "arithmetic.h"
#include "gemm/device/common/tiles.h"

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

enum { LEAST_PART_ACROSS = 128, LEAST_PART_ALONG = 512, MOST_PARTS = 64 };

static int64_t panels_of(const plx_gemm_skinny *f)
{
    return quotient_up(f->many, f->along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS);
}

/* A ticket for each panel, and room for what the parts leave. */
static bool has_room(const plx_gemm_skinny *f, int64_t parts)
{
    return parts == 1 || (panels_of(f) <= PLX_SCRATCH_COUNTERS / 4 &&
                          4.0 * (double)parts * (double)f->count * (double)f->many <= 256.0 * (1 << 20));
}

int64_t plx_gemm_skinny_most(const plx_gemm_skinny *f)
{
    const int64_t least = f->along && f->count <= PLX_GEMM_SKINNY_DIRECT ? LEAST_PART_ALONG : LEAST_PART_ACROSS;
    int64_t most = smaller(quotient_up(f->k, least), MOST_PARTS);
    while (most > 1 && !has_room(f, most))
        most--;
    return most;
}

plx_gemm_skinny_parts plx_gemm_skinny_in(const plx_gemm_skinny *f, int64_t parts)
{
    const int64_t length = parts > 0 ? quotient_up(f->k, parts) : 0;
    return (plx_gemm_skinny_parts){panels_of(f), length, length > 0 ? quotient_up(f->k, length) : 1};
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
    const plx_gemm_skinny_parts parts = plx_gemm_skinny_in(&f, recipe->schedule.split_k);
    const bool opencl = plx_gemm_is_opencl(device);
    const plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || f.count == 0)
        return status;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32");
    if (opencl)
        define_few(&f, device, recipe);
    plx_step *step = plx_recipe_step(recipe, opencl ? "gemm_few_rows" : entry_of(&f, device), GEMM_FEW_THREADS, 1);
    step->grid[0] = (uint64_t)parts.panels;
    step->grid[1] = (uint64_t)parts.parts;
    step->dependent_launch = true;
    add_product(problem, &f, &parts, step);
    if (!opencl)
        plx_step_scratch(step, 0, 4); /* tickets */
    else if (parts.parts > 1)
        add_sum(problem, &f, &parts, recipe);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS;
    if (parts.parts > 1)
        recipe->scratch_bytes += (uint64_t)(parts.parts * f.count * f.many) * 4;
    return plx_recipe_check(recipe, 0, device, error);
}
