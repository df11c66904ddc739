/* few-rows: where C has few rows, or few columns, the other operand is read once. */
#include "mapless.h"

#include "configs.h"
#include "tiles.h"

#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands */

/* The product with its short side first: out(i, j) = sum of x(i, k) p(k, j). */
typedef struct few {
    uint32_t x, p; /* operands */
    int64_t count, many, k;
    int64_t x_few, x_k, ldp, out_few, out_many; /* steps */
    bool along;                                 /* p's rows run along k */
    int64_t parts;                              /* that a configuration says; 0: the model's */
} few;

static few few_rows(const plx_gemm_problem *p)
{
    return (few){.x = A,
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

static few few_columns(const plx_gemm_problem *p)
{
    return (few){.x = B,
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

static few few_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    few product = p->m <= p->n ? few_rows(p) : few_columns(p);
    if (!plx_gemm_has_terms(problem))
        product.k = 0;
    product.parts = problem->config != 0 ? plx_gemm_config_of(problem).parts : 0;
    return product;
}

/* The kernels are made for powers of two; in CUDA along k from four on, for fewer take no less time. */
static int kernel_size(const few *f, const plx_device_info *device)
{
    int size = f->along && !plx_gemm_mapless(device) ? 4 : 1;
    while (size < f->count && size < GEMM_FEW_MOST)
        size *= 2;
    return size;
}

static int power_of(int size)
{
    int power = 0;
    while (1 << power < size)
        ++power;
    return power;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* ---- geometry ------------------------------------------------------------------ */

/* Up to DIRECT_MOST rows or columns, shorter parts gain nothing along k; in OpenCL x is read where it lies.
 */
enum {
    BLOCKS_PER_UNIT = 2, /* beside each other; in OpenCL twice as many */
    LEAST_PART_ACROSS = 128,
    LEAST_PART_ALONG = 512,
    MOST_PARTS = 64,
    DIRECT_MOST = 2
};

typedef struct few_parts {
    int64_t panels, length, parts;
} few_parts;

static int64_t panels_of(const few *f)
{
    return quotient_up(f->many, f->along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS);
}

static int64_t most_parts(const few *f)
{
    int64_t least = f->along && f->count <= DIRECT_MOST ? LEAST_PART_ALONG : LEAST_PART_ACROSS;
    int64_t most = quotient_up(f->k, least);
    return most < MOST_PARTS ? most : MOST_PARTS;
}

/* As many parts of k as give every multiprocessor its blocks. */
static few_parts parts_of(const few *f, const plx_device_info *device)
{
    int64_t beside = plx_gemm_mapless(device) ? 2 * BLOCKS_PER_UNIT : BLOCKS_PER_UNIT;
    int64_t wanted = beside * (int64_t)(device->units > 0 ? device->units : 1);
    int64_t panels = panels_of(f), most = most_parts(f), parts = wanted / (panels > 0 ? panels : 1);
    parts = parts < 1 ? 1 : parts > most ? most : parts;
    parts = f->parts > 0 ? f->parts : parts;
    int64_t length = parts > 0 ? quotient_up(f->k, parts) : 0;
    return (few_parts){panels, length, length > 0 ? quotient_up(f->k, length) : 1};
}

/* ---- depth ----------------------------------------------------------------------- */

/* A thread's share, chunk by chunk; then those of the threads that have the same columns. */
int64_t plx_gemm_few_share(int64_t k, bool along)
{
    int64_t sharers = along ? 32 : GEMM_FEW_THREADS / 32, chunks = k / GEMM_FEW_CHUNK,
            rest = k % GEMM_FEW_CHUNK;
    int64_t depth = chunks * (GEMM_FEW_CHUNK / sharers) + quotient_up(rest, sharers) + (along ? 5 : 3);
    return depth < k ? depth : k;
}

int64_t plx_gemm_few_depth(const plx_problem *problem, const plx_device_info *device)
{
    const few f = few_of(problem);
    const few_parts parts = parts_of(&f, device);
    int64_t depth = plx_gemm_few_share(parts.length, f.along) + parts.parts - 1;
    return depth < f.k ? depth : f.k;
}

/* ---- recipe ------------------------------------------------------------------------ */

static void add_product(const plx_problem *problem, const few *f, const few_parts *parts, plx_step *step)
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
static void add_sum(const plx_problem *problem, const few *f, const few_parts *parts, plx_recipe *recipe)
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
static void define_few(const few *f, const plx_device_info *device, plx_recipe *recipe)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " -DFEW=%d -DALONG=%d%s",
                   kernel_size(f, device), (int)f->along,
                   plx_gemm_mapless_fast(device) ? " -DSHUFFLE_PTX" : "");
}

static const char *const entries[2][5] = {
    {"gemm_few_1_across", "gemm_few_2_across", "gemm_few_4_across", "gemm_few_8_across",
     "gemm_few_16_across"},
    {NULL, NULL, "gemm_few_4_along", "gemm_few_8_along", "gemm_few_16_along"},
};

static const char *entry_of(const few *f, const plx_device_info *device)
{
    return entries[f->along][power_of(kernel_size(f, device))];
}

plx_status plx_gemm_few_rows_recipe(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error)
{
    const few f = few_of(problem);
    const few_parts parts = parts_of(&f, device);
    const bool mapless = plx_gemm_mapless(device);
    plx_status status = mapless ? plx_not_by_pocl(device, 5, 0, error) : plx_needs_sm_90a(device, error);
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    if (status == PLX_OK)
        status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || f.count == 0)
        return status;
    if (f.count > GEMM_FEW_MOST)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more than %d rows and columns", GEMM_FEW_MOST);
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32");
    if (mapless)
        define_few(&f, device, recipe);
    plx_step *step =
        plx_recipe_step(recipe, mapless ? "gemm_few_rows" : entry_of(&f, device), GEMM_FEW_THREADS, 1);
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

/* ---- cost -------------------------------------------------------------------------- */

enum { SIZES = 5 }; /* of kernels: 1, 2, 4, 8, 16 rows or columns */

/* Microseconds, and bytes in one of them.  Of two numbers, the second is along k. */
typedef struct few_rates {
    double start_us;            /* a launch */
    double turn_us[2];          /* loads of a turn, and */
    double work_us[2];          /* what is multiplied, for each term that a thread has of each row */
    double stage_us;            /* x through shared memory, for a chunk that all wait for */
    double end_us[2];           /* sums of threads become one, for each row */
    double joining_us, part_us; /* parts, and each of them */
    double block_bytes_per_us;  /* that one block reads */
    double beside;              /* blocks of a multiprocessor that wait together */
    /* Of the long operand, by size of the kernel; and as a share of it along k. */
    double bytes_per_us[SIZES], along[SIZES];
} few_rates;

/* Fitted to 898 timings of 160 shapes on one H200 (doc/experiments.md). */
static const few_rates in_cuda = {
    .start_us = 2.3,
    .turn_us = {0.377, 0.670},
    .work_us = {0.0104, 0.0092},
    .end_us = {0.333, 0.300},
    .joining_us = 1.03,
    .part_us = 0.156,
    .block_bytes_per_us = 39.9e3,
    .beside = 1.28,
    .bytes_per_us = {3.3e6, 4.15e6, 4.05e6, 3.8e6, 3.8e6},
    .along = {1.0, 1.0, 1.0, 1.0, 1.0},
};

/* NVIDIA's OpenCL, by CUDA's kernel as it was measured first. */
static const few_rates in_opencl = {
    .start_us = 3.3,
    .turn_us = {0.7, 0.7},
    .stage_us = 2.0,
    .joining_us = 1.5,
    .part_us = 0.1,
    .block_bytes_per_us = 7.0e3,
    .beside = 2.0,
    .bytes_per_us = {4.4e6, 4.0e6, 3.2e6, 2.25e6, 1.2e6},
    .along = {0.45, 0.45, 0.73, 0.73, 0.73},
};

static const few_rates *rates_of(const plx_device_info *device)
{
    return plx_gemm_mapless(device) ? &in_opencl : &in_cuda;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* What a block waits for: loads of a turn and their products, x, and the sums of its threads. */
static double waiting(const few *f, const few_parts *parts, const plx_device_info *device)
{
    const few_rates *rates = rates_of(device);
    int size = kernel_size(f, device), loads = size >= 16 || (f->along && !plx_gemm_mapless(device)) ? 4 : 8;
    double turns = (double)quotient_up(parts->length, loads * (f->along ? 32 : GEMM_FEW_THREADS / 32));
    double chunks = size <= DIRECT_MOST ? 0.0 : (double)quotient_up(parts->length, GEMM_FEW_CHUNK);
    double units = device->units > 0 ? device->units : 1;
    double rounds = (double)(parts->panels * parts->parts) / (rates->beside * units);
    double work = rates->work_us[f->along] * loads * size;
    return most(rounds, 1.0) * ((rates->turn_us[f->along] + work) * turns + rates->stage_us * chunks +
                                rates->end_us[f->along] * size);
}

double plx_gemm_few_cost(const plx_problem *problem, const plx_device_info *device)
{
    const few f = few_of(problem);
    const few_parts parts = parts_of(&f, device);
    const few_rates *rates = rates_of(device);
    const int size = power_of(kernel_size(&f, device));
    double bytes = 4.0 * ((double)f.many * (double)f.k + (double)f.count * (double)f.many);
    double joining = parts.parts > 1 ? rates->joining_us + rates->part_us * (double)parts.parts : 0.0;
    double reached = bytes / (rates->block_bytes_per_us * (double)(parts.panels * parts.parts));
    double moved = bytes / (rates->bytes_per_us[size] * (f.along ? rates->along[size] : 1.0));
    return rates->start_us + joining + most(most(moved, reached), waiting(&f, &parts, device));
}

/* ---- configurations ------------------------------------------------------------------- */

/* A ticket for each panel, and room for what the parts leave. */
static bool has_room(const few *f, int64_t parts)
{
    return parts == 1 || (panels_of(f) <= PLX_SCRATCH_COUNTERS / 4 &&
                          4.0 * (double)parts * (double)f->count * (double)f->many <= 256.0 * (1 << 20));
}

/* Only numbers of parts that are made when they are asked for: nine terms have no six parts of a length. */
size_t plx_gemm_few_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                            size_t capacity)
{
    few f = few_of(problem);
    plx_problem cut = *problem;
    plx_gemm_config config = {.parts = (uint32_t)parts_of(&f, device).parts};
    plx_gemm_listing listing = {configs, capacity, .own = plx_gemm_config_number(&config)};

    if (f.k == 0 || f.count == 0)
        return 0;
    for (int64_t parts = 1; parts <= most_parts(&f) && has_room(&f, parts); ++parts) {
        f.parts = parts;
        config.parts = (uint32_t)parts;
        cut.config = plx_gemm_config_number(&config);
        if (parts_of(&f, device).parts == parts)
            plx_gemm_list(&listing, &config, plx_gemm_few_cost(&cut, device), "%dx%d/%d",
                          kernel_size(&f, device), f.along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS, (int)parts);
    }
    return listing.count;
}
