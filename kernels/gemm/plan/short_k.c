/* short-k: what few terms cost. */
#include "arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "simt.h"

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
    const double cols = (double)quotient_up(p->n, GEMM_SHORT_COLS) * GEMM_SHORT_COLS;
    const plx_gemm_terms terms = {
        .launch = by->start_us + by->term_us * k,
        .math = rows * cols * k / ((double)plx_gemm_sms(device) * by->share * PLX_GEMM_FMA_PER_US),
        .memory = moved / by->bytes_per_us,
        .overlap = 1.0,
    };
    return plx_gemm_us(&terms);
}

double plx_gemm_short_cost(const plx_problem *problem, const plx_device_info *device)
{
    return cost_by(problem, device, &own_rates);
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    (void)schedule;
    return cost_by(problem, device, rates);
}

static void each(plx_gemm_search *search)
{
    const plx_schedule schedule = {.kernel = search->kernel,
                                   .us = plx_gemm_short_cost(search->problem, search->device)};
    search->visit(search, &schedule);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = plx_gemm_check_f32(problem, device, error);
    if (status == PLX_OK && plx_gemm_has_terms(problem) && problem->of.gemm.k > GEMM_SHORT_MOST)
        return plx_fail(error, PLX_UNSUPPORTED, "k is more than %d", GEMM_SHORT_MOST);
    return status;
}

static const plx_gemm_rate_range scalars[] = {{"start_us", 0.1, 20}, {"term_us", 1e-3, 2},  {"bytes_per_us", 5e5, 5e7},
                                              {"share", 0.02, 2},    {"counts[0]", 0.5, 8}, {"counts[1]", 0.5, 8}};

const plx_gemm_family plx_gemm_short_k_family = {
    .check = check,
    .each = each,
    .none = "",
    .paths = plx_gemm_paths_by_threads,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
