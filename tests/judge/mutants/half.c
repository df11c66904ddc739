/* Matrix products of f16 and bf16: one that is right, and what goes wrong with 16 bits alone. */
#include "mutant.h"

#include <parallax/half.h>

#include <math.h>
#include <stdlib.h>

/* An element of an operand as a number, and back: each mutant changes one thing of a `how`. */
typedef struct how {
    float (*of_input)(plx_dtype dtype, uint16_t half);
    float (*added)(plx_dtype dtype, float sum, float product);
    uint16_t (*to_result)(plx_dtype dtype, float value);
} how;

static float value_of(plx_dtype dtype, uint16_t half)
{
    return (float)(dtype == PLX_F16 ? plx_f16_value(half) : plx_bf16_value(half));
}

static uint16_t half_of(plx_dtype dtype, float value)
{
    return dtype == PLX_F16 ? plx_f16_of((double)value) : plx_bf16_of((double)value);
}

static float plainly(plx_dtype dtype, float sum, float product)
{
    (void)dtype;
    return sum + product;
}

static float old_of(const plx_problem *problem, const void *c, int64_t at)
{
    const plx_dtype dtype = plx_output_dtype(problem);
    return dtype == PLX_F32 ? ((const float *)c)[at] : value_of(dtype, ((const uint16_t *)c)[at]);
}

static void store(const plx_problem *problem, const how *kind, void *c, int64_t at, float value)
{
    const plx_dtype dtype = plx_output_dtype(problem);
    if (dtype == PLX_F32)
        ((float *)c)[at] = value;
    else
        ((uint16_t *)c)[at] = kind->to_result(dtype, value);
}

/* An operand's lines along k as numbers, one behind the other: each element is read as `kind` says once, not
 * once for each result. */
static float *numbers_of(const mutant_call *call, const how *kind, size_t operand, int64_t lines)
{
    const plx_gemm_problem *p = &call->problem->of.gemm;
    const bool along = operand == 0 ? !p->trans_a : p->trans_b; /* k lies together */
    const int64_t ld = operand == 0 ? p->lda : p->ldb;
    const uint16_t *halves = call->at[operand];
    float *numbers = malloc((size_t)(lines * p->k + 1) * sizeof *numbers);
    if (numbers == NULL)
        abort();
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t l = 0; l < p->k; ++l)
            numbers[line * p->k + l] =
                kind->of_input(call->problem->dtype, halves[along ? line * ld + l : l * ld + line]);
    return numbers;
}

static float sum_of(const mutant_call *call, const how *kind, const float *a, const float *b)
{
    const int64_t k = call->problem->of.gemm.k;
    float sum = 0.0f;
    for (int64_t l = 0; l < k; ++l)
        sum = kind->added(call->problem->dtype, sum, a[l] * b[l]);
    return sum;
}

static void product(const mutant_call *call, how kind)
{
    const plx_gemm_problem *p = &call->problem->of.gemm;
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    const bool terms = p->k > 0 && alpha != 0.0f;
    float *a = terms ? numbers_of(call, &kind, 0, p->m) : NULL, *b = terms ? numbers_of(call, &kind, 1, p->n) : NULL;
    for (int64_t i = 0; i < p->m; ++i)
        for (int64_t j = 0; j < p->n; ++j) {
            const int64_t at = i * p->ldc + j;
            float result = terms          ? alpha * sum_of(call, &kind, a + i * p->k, b + j * p->k)
                           : beta != 0.0f ? -0.0f
                                          : 0.0f;
            if (beta != 0.0f)
                result += beta * old_of(call->problem, call->at[2], at);
            store(call->problem, &kind, call->at[2], at, result);
        }
    free(a);
    free(b);
}

static const how as_it_should_be = {value_of, plainly, half_of};

static void right(const mutant_call *call)
{
    product(call, as_it_should_be);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static float in_halves(plx_dtype dtype, float sum, float term)
{
    return value_of(dtype, half_of(dtype, sum + term));
}
static void accumulates_in_halves(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.added = in_halves;
    product(call, kind);
}

static float of_rounded(plx_dtype dtype, float sum, float term)
{
    return sum + value_of(dtype, half_of(dtype, term));
}
static void products_rounded(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.added = of_rounded;
    product(call, kind);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static float without_low_bit(plx_dtype dtype, uint16_t half)
{
    return value_of(dtype, isfinite(value_of(dtype, half)) ? half & 0xfffe : half);
}
static void low_bit_lost(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.of_input = without_low_bit;
    product(call, kind);
}

static float without_subnormals(plx_dtype dtype, uint16_t half)
{
    const bool subnormal = (half & (dtype == PLX_F16 ? 0x7c00 : 0x7f80)) == 0;
    return subnormal ? copysignf(0.0f, value_of(dtype, half)) : value_of(dtype, half);
}
static void subnormals_flushed(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.of_input = without_subnormals;
    product(call, kind);
}

/* f16 read as bf16, and the other way round. */
static float as_the_other(plx_dtype dtype, uint16_t half)
{
    return value_of(dtype == PLX_F16 ? PLX_BF16 : PLX_F16, half);
}
static void types_mixed_up(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.of_input = as_the_other;
    product(call, kind);
}

/* ---- results --------------------------------------------------------------------------------- */

static uint16_t largest_at_most(plx_dtype dtype, float value)
{
    const uint16_t infinity = dtype == PLX_F16 ? 0x7c00 : 0x7f80, half = half_of(dtype, value);
    return (half & 0x7fff) == infinity && isfinite(value) ? (uint16_t)(half - 1) : half;
}
static void saturates(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.to_result = largest_at_most;
    product(call, kind);
}

static uint16_t toward_zero(plx_dtype dtype, float value)
{
    const uint16_t half = half_of(dtype, value);
    return isfinite(value) && fabsf(value_of(dtype, half)) > fabsf(value) ? (uint16_t)(half - 1) : half;
}
static void truncates(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.to_result = toward_zero;
    product(call, kind);
}

static uint16_t infinite_for_nan(plx_dtype dtype, float value)
{
    return isnan(value) ? (dtype == PLX_F16 ? 0x7c00 : 0x7f80) : half_of(dtype, value);
}
static void nan_becomes_inf(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.to_result = infinite_for_nan;
    product(call, kind);
}

static uint16_t subnormal_as_zero(plx_dtype dtype, float value)
{
    const uint16_t half = half_of(dtype, value);
    return (half & (dtype == PLX_F16 ? 0x7c00 : 0x7f80)) == 0 ? half & 0x8000 : half;
}
static void subnormal_results_flushed(const mutant_call *call)
{
    how kind = as_it_should_be;
    kind.to_result = subnormal_as_zero;
    product(call, kind);
}

/* ---- all --------------------------------------------------------------------------------------- */

static int64_t plain_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

#define ROW(title, function, rule, class, types) \
    {                                            \
        .about = {.name = title,                 \
                  .idea = "",                    \
                  .gain = class,                 \
                  .limit = rule,                 \
                  .needs = "",                   \
                  .dtypes = (types),             \
                  .accumulator_f32 = PLX_F32,    \
                  .reproducibility = PLX_R1,     \
                  .depth = plain_depth},         \
        .run = function                          \
    }
#define F16 PLX_DTYPE_BIT(PLX_F16)
#define BF16 PLX_DTYPE_BIT(PLX_BF16)

static const mutant rows[] = {
    ROW("half-right", right, "", "", F16 | BF16),
    ROW("accumulates-in-f16", accumulates_in_halves, BY_BOUND, "uniform", F16),
    ROW("accumulates-in-bf16", accumulates_in_halves, BY_BOUND, "uniform", BF16),
    ROW("f16-products-rounded", products_rounded, BY_BOUND, "uniform", F16),
    ROW("f16-low-bit-lost", low_bit_lost, BY_BOUND, "uniform", F16),
    ROW("bf16-low-bit-lost", low_bit_lost, BY_BOUND, "uniform", BF16),
    ROW("f16-subnormals-flushed", subnormals_flushed, BY_BOUND, "extreme", F16),
    ROW("f16-as-bf16", types_mixed_up, BY_BOUND, "uniform", F16),
    ROW("f16-saturates", saturates, BY_BOUND, "extreme", F16),
    ROW("f16-truncates", truncates, BY_BOUND, "", F16),
    ROW("bf16-truncates", truncates, BY_BOUND, "", BF16),
    ROW("f16-nan-becomes-inf", nan_becomes_inf, BY_BOUND, "special", F16),
    ROW("f16-subnormal-results-flushed", subnormal_results_flushed, BY_BOUND, "extreme", F16),
};

const mutant_list half_mutants = {rows, MUTANT_COUNT(rows)};
