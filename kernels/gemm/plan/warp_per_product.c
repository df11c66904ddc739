/* warp-per-product: what a batch of small products costs. */
#include "family.h"

#include "gemm/device/skinny/warp-per-product.h"
#include "kernels/operation.h"

/* Microseconds of a launch, and of DEPTH terms that one warp loads and multiplies; bytes of memory in one; and those of
 * a multiprocessor for a product, without terms and for each, by its sides. */
typedef struct warp_rates {
    double start_us, depth_us, bytes_per_us;
    double small_us, small_term_us, large_us, large_term_us;
} warp_rates;

static const warp_rates own_rates = {
#include "rates/cuda-9.0/warp-per-product.h"
};

static double cost_by(const plx_problem *problem, const plx_device_info *device, const warp_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k, count = (double)plx_problem_count(problem);
    const bool small = p->m <= GEMM_WARP_SMALL_SIDE && p->n <= GEMM_WARP_SMALL_SIDE;
    const double of_one = small ? by->small_us + k * by->small_term_us : by->large_us + k * by->large_term_us;
    const double bytes = (m * k + n * k) * (plx_is_half(problem->dtype) ? 2 : 4) +
                         m * n * (plx_output_dtype(problem) == PLX_F32 ? 4 : 2);
    const plx_gemm_terms terms = {
        .launch = by->start_us + rounded_up(k / GEMM_WARP_DEPTH) * by->depth_us,
        .math = count * of_one / (double)plx_gemm_sms(device),
        .memory = count * bytes / by->bytes_per_us,
    };
    return plx_gemm_us(&terms);
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
                                   .us = cost_by(search->problem, search->device, &own_rates)};
    search->visit(search, &schedule);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "has no OpenCL form");
    if (p->m > GEMM_WARP_SIDE || p->n > GEMM_WARP_SIDE)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more than %d rows or columns", GEMM_WARP_SIDE);
    return plx_gemm_check_sizes(p, error);
}

static const plx_gemm_rate_range scalars[] = {
    {"start_us", 0.1, 20},      {"depth_us", 0.01, 20}, {"bytes_per_us", 5e5, 5e7}, {"small_us", 1e-3, 10},
    {"small_term_us", 1e-5, 1}, {"large_us", 1e-3, 10}, {"large_term_us", 1e-5, 1},
};

const plx_gemm_family plx_gemm_warp_family = {
    .check = check,
    .each = each,
    .none = "",
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
