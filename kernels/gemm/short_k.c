/* short-k: few terms, whose time goes into writing C. */
#include "cp_async.h"
#include "opencl.h"
#include "models.h"

#include "arithmetic.h"
#include "gemm/device/common/tiles.h"

#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands */

static int64_t across_of(const plx_gemm_problem *p)
{
    return quotient_up(p->n, GEMM_SHORT_COLS);
}

/* Blocks are counted in 32 bits. */
static plx_status count_blocks(const plx_gemm_problem *p, uint64_t *blocks, plx_error *error)
{
    int64_t count;
    if (__builtin_mul_overflow(quotient_up(p->m, GEMM_SHORT_ROWS), across_of(p), &count) || count > INT32_MAX)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    *blocks = (uint64_t)count;
    return PLX_OK;
}

static void add_product(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, A);
    plx_step_i64(step, p->lda);
    plx_step_i32(step, !p->trans_a);
    plx_step_operand(step, B);
    plx_step_i64(step, p->ldb);
    plx_step_i32(step, p->trans_b);
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i32(step, plx_gemm_has_terms(problem) ? (int32_t)p->k : 0);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
    plx_step_i32(step, (int32_t)across_of(p));
}

enum { shared_bytes = GEMM_SHORT_MOST * (GEMM_SHORT_ROWS + 4 + GEMM_SHORT_COLS) * 4 };

static void define_for_opencl(const plx_device_info *device, plx_recipe *recipe)
{
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 8)
        plx_recipe_define(recipe, "COPY_PTX", 1);
    plx_recipe_min_blocks_per_sm(recipe, device, GEMM_SHORT_THREADS, GEMM_SHORT_BLOCKS);
}

plx_status plx_gemm_short_k_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    uint64_t blocks = 0;
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    status = count_blocks(p, &blocks, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32");
    plx_step *step = plx_recipe_step(recipe, "gemm_short_k", GEMM_SHORT_THREADS, 1);
    step->grid[0] = blocks;
    step->dependent_launch = true;
    add_product(problem, step);
    define_for_opencl(device, recipe);
    return plx_recipe_check(recipe, shared_bytes, device, error);
}

/* ---- cost -------------------------------------------------------------------------- */

/* A launch, a block's terms, memory, the share of multiply-adds that is reached; and as how many bytes each
 * of C counts where its rows begin at 16 bytes, and anywhere. */
typedef struct short_rates {
    double start_us, term_us, bytes_per_us, share, counts[2];
} short_rates;

static const short_rates own_rates = {
#include "rates/cuda-9.0/short-k.h"
};

static double cost_by(const plx_problem *problem, const plx_device_info *device, const short_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double moved = 4.0 * (m * n * plx_gemm_of_rows(by->counts, 1.0, p) + m * k + k * n);
    const double rows = (double)quotient_up(p->m, GEMM_SHORT_ROWS) * GEMM_SHORT_ROWS;
    const double cols = (double)across_of(p) * GEMM_SHORT_COLS;
    const double multiplied = rows * cols * k / (units_of(device) * by->share * PLX_GEMM_FMA_PER_US);
    return by->start_us + by->term_us * k + moved / by->bytes_per_us + multiplied;
}

double plx_gemm_short_cost(const plx_problem *problem, const plx_device_info *device)
{
    return cost_by(problem, device, &own_rates);
}

/* ---- rates ------------------------------------------------------------------------------ */

static const plx_gemm_rate_range scalars[] = {{"start_us", 0.1, 20}, {"term_us", 1e-3, 2},  {"bytes_per_us", 5e5, 5e7},
                                              {"share", 0.02, 2},    {"counts[0]", 0.5, 8}, {"counts[1]", 0.5, 8}};

enum { SCALARS = sizeof scalars / sizeof scalars[0] };
_Static_assert(sizeof(short_rates) == SCALARS * sizeof(double), "the rates are doubles alone, in this order");

static size_t list(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rate_ranges ranges = {.scalars = scalars, .scalar_count = SCALARS};
    return plx_gemm_is_opencl(device) ? 0 : plx_gemm_list_rates(&ranges, &own_rates, rates, capacity);
}

static double expect(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    short_rates by = own_rates;
    if (rates != NULL)
        memcpy(&by, rates, sizeof by);
    return problem->config == 0 ? cost_by(problem, device, &by) : 0.0; /* it has no configurations */
}

const plx_time_model plx_gemm_short_k_model = {.rates = list, .expect = expect};

/* ---- schedule --------------------------------------------------------------------------- */

plx_status plx_gemm_short_k_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                     plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    const plx_status status = plx_gemm_is_opencl(device) ? PLX_OK : plx_needs_sm_90a(device, error);
    if (status == PLX_OK && plx_gemm_has_terms(problem) && p->k > GEMM_SHORT_MOST)
        return plx_fail(error, PLX_UNSUPPORTED, "k is more than %d", GEMM_SHORT_MOST);
    schedule->us = plx_gemm_short_cost(problem, device);
    schedule->paths[A] = schedule->paths[B] = PLX_PATH_CP_ASYNC;
    return status;
}
