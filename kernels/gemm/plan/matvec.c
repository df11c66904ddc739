/* matvec: which of matvec's kernels takes a single row or column of C, and what that costs. */
#include "arithmetic.h"
#include "kernels/operation.h"
#include "simt.h"

/* Of launches of each kind, of 16 bits as it stands to the other kernels' models; the matrix; sectors of vectors with
 * gaps, read or written. */
#define RATES(X)              \
    X(start_us, 0.1, 20)      \
    X(move_us, 0.1, 20)       \
    X(start_half_us, 0.1, 20) \
    X(move_half_us, 0.1, 20)  \
    X(bytes_per_us, 5e5, 5e7) \
    X(sector_bytes, 1, 256)
typedef struct vector_rates {
    RATES(PLX_GEMM_FIELD)
} vector_rates;

static const vector_rates own_rates = {
#include "rates/cuda-9.0/matvec.h"
};

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const vector_rates *by = rates;
    const plx_gemm_problem *p = &problem->of.gemm;
    const double moved = (double)p->k + (p->n == 1 ? (double)p->m : 0.0);
    const double matrix = (double)element_size(problem->dtype) * (double)p->k * (double)(p->n == 1 ? p->m : p->n);
    const bool is_half = plx_is_half(problem->dtype);
    const plx_gemm_terms terms = {
        .launch = (is_half ? by->start_half_us : by->start_us) +
                  (is_half ? by->move_half_us : by->move_us) * plx_gemm_matvec_moves(problem),
        .memory = (matrix + by->sector_bytes * moved) / by->bytes_per_us,
    };
    (void)device;
    (void)schedule;
    return plx_gemm_us(&terms);
}

static void each(plx_gemm_search *search)
{
    const plx_gemm_vector product = plx_gemm_vector_of(search->problem);
    const plx_schedule schedule = {
        .kernel = search->kernel,
        .tile = (uint32_t)plx_matvec_ladder.choose(&product.problem, search->device), /* matvec's kernel */
        .us = us(search->problem, search->device, NULL, &own_rates)};
    search->visit(search, &schedule);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    (void)device;
    if (problem->compute != PLX_COMPUTE_PLAIN && problem->compute != PLX_COMPUTE_TF32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in the dtype's own arithmetic alone");
    if (p->m != 1 && p->n != 1)
        return plx_fail(error, PLX_UNSUPPORTED, "C is neither a single row nor a single column");
    if (plx_gemm_matvec_moves(problem) > 0 && !plx_gemm_has_terms(problem))
        return plx_fail(error, PLX_UNSUPPORTED, "vectors are not moved where there is nothing to sum");
    return PLX_OK;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE)};

const plx_gemm_family plx_gemm_matvec_family = {
    .check = check, .each = each, .none = "", .us = us, .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates}};
