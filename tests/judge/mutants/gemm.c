/* Matrix products in f32: three that are right, and many that are not. */
#include "mutant.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A product taken apart.  Each mutant changes one thing of `plain`. */
typedef struct product {
    const plx_gemm_problem *p;
    float *a, *b, *c;
    float alpha, beta;
    int64_t m, n, k;
} product;

static product product_of(const mutant_call *call)
{
    const plx_gemm_problem *p = &call->problem->of.gemm;
    return (product){p, call->at[0], call->at[1], call->at[2], (float)p->alpha, (float)p->beta, p->m, p->n, p->k};
}

static float a_at(const product *g, int64_t i, int64_t p)
{
    return g->p->trans_a ? g->a[p * g->p->lda + i] : g->a[i * g->p->lda + p];
}

static float b_at(const product *g, int64_t p, int64_t j)
{
    return g->p->trans_b ? g->b[j * g->p->ldb + p] : g->b[p * g->p->ldb + j];
}

static float *c_at(const product *g, int64_t i, int64_t j)
{
    return &g->c[i * g->p->ldc + j];
}

static float dot(const product *g, int64_t i, int64_t j, int64_t first, int64_t last)
{
    float sum = 0.0f;
    for (int64_t p = first; p < last; ++p)
        sum += a_at(g, i, p) * b_at(g, p, j);
    return sum;
}

static bool has_terms(const product *g)
{
    return g->k > 0 && g->alpha != 0.0f;
}

static float scaled(const product *g, int64_t i, int64_t j, float sum)
{
    float result = has_terms(g) ? g->alpha * sum : -0.0f; /* to which C is added and stays as it is */
    if (!has_terms(g) && g->beta == 0.0f)
        return 0.0f;
    return g->beta == 0.0f ? result : result + g->beta * *c_at(g, i, j);
}

static float right_sum(const product *g, int64_t i, int64_t j)
{
    return g->alpha == 0.0f ? 0.0f : dot(g, i, j, 0, g->k);
}

/* Every element by a sum of its own. */
static void each(const mutant_call *call, float (*sum)(const product *g, int64_t i, int64_t j))
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.m; ++i)
        for (int64_t j = 0; j < g.n; ++j)
            *c_at(&g, i, j) = scaled(&g, i, j, g.alpha == 0.0f ? 0.0f : sum(&g, i, j));
}

/* Every element that is not left out. */
static void some(const mutant_call *call, bool (*wanted)(const product *g, int64_t i, int64_t j))
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.m; ++i)
        for (int64_t j = 0; j < g.n; ++j)
            if (wanted(&g, i, j))
                *c_at(&g, i, j) = scaled(&g, i, j, right_sum(&g, i, j));
}

static void right(const mutant_call *call)
{
    each(call, right_sum);
}

/* ---- right in another order ----------------------------------------------------------- */

static float reversed_sum(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = g->k; p-- > 0;)
        sum = fmaf(a_at(g, i, p), b_at(g, p, j), sum);
    return sum;
}
static void reversed(const mutant_call *call)
{
    each(call, reversed_sum);
}

static float halves(const product *g, int64_t i, int64_t j, int64_t first, int64_t last)
{
    int64_t middle = first + (last - first) / 2;
    if (last - first <= 1)
        return last > first ? a_at(g, i, first) * b_at(g, first, j) : 0.0f;
    return halves(g, i, j, first, middle) + halves(g, i, j, middle, last);
}
static float pairwise_sum(const product *g, int64_t i, int64_t j)
{
    return 0.0f + halves(g, i, j, 0, g->k);
}
static void pairwise(const mutant_call *call)
{
    each(call, pairwise_sum);
}

/* ---- zeros of the wrong sign ----------------------------------------------------------- */

static float first_and_rest(const product *g, int64_t i, int64_t j)
{
    return halves(g, i, j, 0, g->k);
}
static void begins_with_its_first(const mutant_call *call)
{
    each(call, first_and_rest);
}

static void minus_zero_of_c_lost(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = 0; !has_terms(&g) && i < g.m; ++i)
        for (int64_t j = 0; j < g.n; ++j)
            *c_at(&g, i, j) += 0.0f;
}

/* ---- elements left out or mixed up ----------------------------------------------------- */

static void nothing(const mutant_call *call)
{
    (void)call;
}

static bool outside_tile(const product *g, int64_t i, int64_t j)
{
    (void)g;
    return i / 8 != 1 || j / 16 != 1;
}
static void tile_zeroed(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = 8; i < 16 && i < g.m; ++i)
        for (int64_t j = 16; j < 32 && j < g.n; ++j)
            *c_at(&g, i, j) = 0.0f;
}

static void tile_missing(const mutant_call *call)
{
    some(call, outside_tile);
}

static bool not_ragged_row(const product *g, int64_t i, int64_t j)
{
    (void)j;
    return i < g->m / 32 * 32 || g->m < 32;
}
static void ragged_rows_missing(const mutant_call *call)
{
    some(call, not_ragged_row);
}

static bool not_ragged_column(const product *g, int64_t i, int64_t j)
{
    (void)i;
    return j < g->n / 32 * 32 || g->n < 32;
}
static void ragged_columns_missing(const mutant_call *call)
{
    some(call, not_ragged_column);
}

static bool not_corner(const product *g, int64_t i, int64_t j)
{
    return i != g->m - 1 || j != g->n - 1;
}
static void corner_missing(const mutant_call *call)
{
    some(call, not_corner);
}

static void one_element(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.m > 0 && g.n > 0)
        *c_at(&g, g.m / 2, g.n / 2) *= 1.001f;
}

static void swapped(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.m > 0 && g.n > 1) {
        float kept = *c_at(&g, 0, 0);
        *c_at(&g, 0, 0) = *c_at(&g, 0, 1);
        *c_at(&g, 0, 1) = kept;
    }
}

static void result_transposed(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = 0; g.m == g.n && i < g.m; ++i)
        for (int64_t j = 0; j < i; ++j) {
            float kept = *c_at(&g, i, j);
            *c_at(&g, i, j) = *c_at(&g, j, i);
            *c_at(&g, j, i) = kept;
        }
}

static float wrapped_row_sum(const product *g, int64_t i, int64_t j)
{
    return dot(g, i & 127, j, 0, g->k);
}
static void row_index_wraps(const mutant_call *call)
{
    each(call, wrapped_row_sum);
}

static float wrapped_column_sum(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j & 63, 0, g->k);
}
static void column_index_wraps(const mutant_call *call)
{
    each(call, wrapped_column_sum);
}

/* ---- terms left out or counted twice ------------------------------------------------------- */

static float without_last(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 0, g->k - 1);
}
static void last_k_dropped(const mutant_call *call)
{
    each(call, without_last);
}

static float without_first(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 1, g->k);
}
static void first_k_dropped(const mutant_call *call)
{
    each(call, without_first);
}

static float whole_fours(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 0, g->k / 4 * 4);
}
static void ragged_k_dropped(const mutant_call *call)
{
    each(call, whole_fours);
}

static float at_most_512(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 0, g->k < 512 ? g->k : 512);
}
static void long_k_dropped(const mutant_call *call)
{
    each(call, at_most_512);
}

static float one_twice(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 0, g->k) + (g->k > 32 ? a_at(g, i, 32) * b_at(g, 32, j) : 0.0f);
}
static void k_32_twice(const mutant_call *call)
{
    each(call, one_twice);
}

/* A stage of 16 k given back before it was read: the last four k of row 5 are already those of the
 * stage after next. */
static float overtaken(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p) {
        bool late = i == 5 && p >= 12 && p < 16 && p + 32 < g->k;
        sum += a_at(g, i, late ? p + 32 : p) * b_at(g, p, j);
    }
    return sum;
}
static void stage_overtaken(const mutant_call *call)
{
    each(call, overtaken);
}

static float one_too_many(const product *g, int64_t i, int64_t j)
{
    return dot(g, i, j, 0, g->k > 0 ? g->k + 1 : 0); /* without k there is no memory */
}
static void reads_past_k(const mutant_call *call)
{
    each(call, one_too_many);
}

/* ---- other arithmetic -------------------------------------------------------------------------- */

static float cut_sum(const product *g, int64_t i, int64_t j, int bits)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p)
        sum += mutant_cut(a_at(g, i, p), bits) * mutant_cut(b_at(g, p, j), bits);
    return sum;
}
static float tf32_sum(const product *g, int64_t i, int64_t j)
{
    return cut_sum(g, i, j, 10);
}
static void tf32_inputs(const mutant_call *call)
{
    each(call, tf32_sum);
}
/* Within the bound of f32 where 64 terms or more are summed. */
static float seventeen_bits_sum(const product *g, int64_t i, int64_t j)
{
    return cut_sum(g, i, j, 17);
}
static void inputs_of_17_bits(const mutant_call *call)
{
    each(call, seventeen_bits_sum);
}
static float bf16_sum(const product *g, int64_t i, int64_t j)
{
    return cut_sum(g, i, j, 7);
}
static void bf16_inputs(const mutant_call *call)
{
    each(call, bf16_sum);
}

static float short_sum(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p)
        sum = mutant_cut(sum + a_at(g, i, p) * b_at(g, p, j), 10);
    return sum;
}
static void half_accumulator(const mutant_call *call)
{
    each(call, short_sum);
}

static float slightly_short_sum(const product *g, int64_t i, int64_t j)
{
    return mutant_cut(dot(g, i, j, 0, g->k), 19);
}
static void result_of_19_bits(const mutant_call *call)
{
    each(call, slightly_short_sum);
}

static float scaled_up_sum(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p)
        sum += a_at(g, i, p) * 256.0f * b_at(g, p, j);
    return sum / 256.0f;
}
static void overflows_early(const mutant_call *call)
{
    each(call, scaled_up_sum);
}

static float flushed(float value)
{
    return fabsf(value) < FLT_MIN ? 0.0f : value;
}
static float flushed_sum(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p)
        sum = flushed(sum + flushed(flushed(a_at(g, i, p)) * flushed(b_at(g, p, j))));
    return sum;
}
static void flushes_subnormals(const mutant_call *call)
{
    each(call, flushed_sum);
}

/* One level of Strassen's method on zero-padded blocks: small against the whole
 * product, not against each element. */
static float block(const product *g, bool first, int row, int col, int64_t i, int64_t j)
{
    int64_t m = (g->m + 1) / 2, n = (g->n + 1) / 2, k = (g->k + 1) / 2;
    int64_t y = first ? row * m + i : row * k + i, x = first ? col * k + j : col * n + j;
    if (first)
        return y < g->m && x < g->k ? a_at(g, y, x) : 0.0f;
    return y < g->k && x < g->n ? b_at(g, y, x) : 0.0f;
}

/* Blocks (row, col) and their signs; sign 0: no second block. */
typedef struct combination {
    int row, col, sign, other_row, other_col;
} combination;

static float combined(const product *g, bool first, const combination *c, int64_t i, int64_t j)
{
    float value = block(g, first, c->row, c->col, i, j);
    return c->sign == 0 ? value : value + (float)c->sign * block(g, first, c->other_row, c->other_col, i, j);
}

/* Where one result of a quarter lies, if the matrix has it. */
static void put_quarter(const product *g, int64_t i, int64_t j, float sum)
{
    if (i < g->m && j < g->n)
        *c_at(g, i, j) = scaled(g, i, j, g->alpha == 0.0f ? 0.0f : sum);
}

/* The results at one place of all four quarters, which share the seven products. */
static void strassen_at(const product *g, int64_t i, int64_t j)
{
    static const combination left[7] = {{0, 0, 1, 1, 1}, {1, 0, 1, 1, 1},  {0, 0, 0, 0, 0}, {1, 1, 0, 0, 0},
                                        {0, 0, 1, 0, 1}, {1, 0, -1, 0, 0}, {0, 1, -1, 1, 1}};
    static const combination rest[7] = {{0, 0, 1, 1, 1}, {0, 0, 0, 0, 0}, {0, 1, -1, 1, 1}, {1, 0, -1, 0, 0},
                                        {1, 1, 0, 0, 0}, {0, 0, 1, 0, 1}, {1, 0, 1, 1, 1}};
    const int64_t m = (g->m + 1) / 2, n = (g->n + 1) / 2, k = (g->k + 1) / 2;
    float part[7] = {0.0f};

    for (int r = 0; r < 7; ++r)
        for (int64_t p = 0; p < k; ++p)
            part[r] += combined(g, true, &left[r], i, p) * combined(g, false, &rest[r], p, j);
    put_quarter(g, i, j, part[0] + part[3] - part[4] + part[6]);
    put_quarter(g, i, n + j, part[2] + part[4]);
    put_quarter(g, m + i, j, part[1] + part[3]);
    put_quarter(g, m + i, n + j, part[0] - part[1] + part[2] + part[5]);
}
static void strassen(const mutant_call *call)
{
    const product g = product_of(call);
    for (int64_t i = 0; 2 * i < g.m; ++i)
        for (int64_t j = 0; 2 * j < g.n; ++j)
            strassen_at(&g, i, j);
}

/* ---- NaN and Inf -------------------------------------------------------------------------------- */

static float without_nan(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p) {
        float term = a_at(g, i, p) * b_at(g, p, j);
        sum += isnan(term) ? 0.0f : term;
    }
    return sum;
}
static void nan_swallowed(const mutant_call *call)
{
    each(call, without_nan);
}

static float inf_is_nan(const product *g, int64_t i, int64_t j)
{
    float sum = dot(g, i, j, 0, g->k);
    return isinf(sum) ? NAN : sum;
}
static void inf_becomes_nan(const mutant_call *call)
{
    each(call, inf_is_nan);
}

static float clamped_sum(const product *g, int64_t i, int64_t j)
{
    float sum = dot(g, i, j, 0, g->k);
    return isinf(sum) ? copysignf(FLT_MAX, sum) : sum;
}
static void inf_clamped(const mutant_call *call)
{
    each(call, clamped_sum);
}

static float skipping_sum(const product *g, int64_t i, int64_t j)
{
    float sum = 0.0f;
    for (int64_t p = 0; p < g->k; ++p)
        if (a_at(g, i, p) != 0.0f && b_at(g, p, j) != 0.0f)
            sum += a_at(g, i, p) * b_at(g, p, j);
    return sum;
}
static void zeros_skipped(const mutant_call *call)
{
    each(call, skipping_sum);
}

/* ---- scalars --------------------------------------------------------------------------------------- */

static void with_scalars(const mutant_call *call, float (*result)(const product *g, float sum, float old))
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.m; ++i)
        for (int64_t j = 0; j < g.n; ++j)
            *c_at(&g, i, j) = result(&g, right_sum(&g, i, j), *c_at(&g, i, j));
}
static float old_or_zero(const product *g, float old)
{
    return g->beta == 0.0f ? 0.0f : old;
}

static float no_beta(const product *g, float sum, float old)
{
    (void)old;
    return g->alpha * sum;
}
static void beta_ignored(const mutant_call *call)
{
    with_scalars(call, no_beta);
}

static float beta_squared(const product *g, float sum, float old)
{
    return g->alpha * sum + g->beta * g->beta * old_or_zero(g, old);
}
static void beta_twice(const mutant_call *call)
{
    with_scalars(call, beta_squared);
}

static float beta_times_nan(const product *g, float sum, float old)
{
    return g->alpha * sum + g->beta * old;
}
static void reads_c_without_beta(const mutant_call *call)
{
    with_scalars(call, beta_times_nan);
}

static float no_alpha(const product *g, float sum, float old)
{
    return sum + g->beta * old_or_zero(g, old);
}
static void alpha_ignored(const mutant_call *call)
{
    with_scalars(call, no_alpha);
}

static float alpha_everywhere(const product *g, float sum, float old)
{
    return g->alpha * (sum + g->beta * old_or_zero(g, old));
}
static void alpha_on_c(const mutant_call *call)
{
    with_scalars(call, alpha_everywhere);
}

static void reads_a_without_alpha(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.m; ++i)
        for (int64_t j = 0; j < g.n; ++j)
            *c_at(&g, i, j) = g.alpha * dot(&g, i, j, 0, g.k) + (g.beta == 0.0f ? 0.0f : g.beta * *c_at(&g, i, j));
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static void with_leading_dimensions(const mutant_call *call, bool tight_a, bool tight_b, bool tight_c)
{
    plx_problem problem = *call->problem;
    mutant_call other = *call;
    plx_gemm_problem *p = &problem.of.gemm;

    p->lda = tight_a ? (p->trans_a ? p->m : p->k) : p->lda;
    p->ldb = tight_b ? (p->trans_b ? p->k : p->n) : p->ldb;
    p->ldc = tight_c ? p->n : p->ldc;
    other.problem = &problem;
    right(&other);
}
static void lda_ignored(const mutant_call *call)
{
    with_leading_dimensions(call, true, false, false);
}
static void ldb_ignored(const mutant_call *call)
{
    with_leading_dimensions(call, false, true, false);
}
static void ldc_ignored(const mutant_call *call)
{
    with_leading_dimensions(call, false, false, true);
}

static void writes_past_the_end(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.m > 0 && g.n > 0)
        *(c_at(&g, g.m - 1, g.n - 1) + 1) = 0.0f;
}

static void writes_far_past_the_end(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.m > 0 && g.n > 0)
        *(c_at(&g, g.m - 1, g.n - 1) + 1000) = 1.0f;
}

static void writes_before_the_start(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.c != NULL)
        g.c[-1] = 0.0f;
}

static void writes_the_padding(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = 0; i + 1 < g.m && g.n > 0 && g.p->ldc > g.n; ++i)
        g.c[i * g.p->ldc + g.n] = 0.0f;
}

static void destroys_a(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.a != NULL && g.m > 0 && g.k > 0)
        g.a[0] = 0.0f;
}

static void borrows_b(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.b != NULL && g.n > 0 && g.k > 0)
        g.b[(g.p->trans_b ? g.n : g.k) > 1 ? g.p->ldb : 0] += 1.0f;
}

static void writes_past_the_end_of_a(const mutant_call *call)
{
    product g = product_of(call);
    int64_t rows = g.p->trans_a ? g.k : g.m, cols = g.p->trans_a ? g.m : g.k;
    right(call);
    if (rows > 0 && cols > 0)
        g.a[(rows - 1) * g.p->lda + cols] = 0.0f;
}

/* ---- from run to run ------------------------------------------------------------------------------------
 */

static void forgets_the_second_time(const mutant_call *call)
{
    if (call->runs_before == 0)
        right(call);
}

static void another_order_each_time(const mutant_call *call)
{
    if (call->runs_before % 2 == 0)
        right(call);
    else
        reversed(call);
}

static void forgets_now_and_then(const mutant_call *call)
{
    if (call->runs_before % 6 != 5)
        right(call);
}

/* ---- the list ---------------------------------------------------------------------------------------------
 */

static int64_t plain_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.gemm.k;
}

static int64_t tree_depth(const plx_problem *problem, const plx_device_info *device)
{
    int64_t depth = 1;
    (void)device;
    while ((INT64_C(1) << depth) < problem->of.gemm.k)
        ++depth;
    return depth + 1;
}

/* If it were believed, every result would be right. */
static int64_t endless_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return INT64_MAX;
}

static int64_t negative_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return -1;
}

/* Each product rounded apart: twice as many roundings as terms is possible. */
static int64_t largest_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return 2 * problem->of.gemm.k;
}

static float another_function(const product *g, int64_t i, int64_t j)
{
    return 1.5f * right_sum(g, i, j) + 3.0f;
}
static void computes_something_else(const mutant_call *call)
{
    each(call, another_function);
}

#define ROW(title, function, rule, class, depth_of) \
    {                                               \
        .about = {.name = title,                    \
                  .idea = "",                       \
                  .gain = class,                    \
                  .limit = rule,                    \
                  .needs = "",                      \
                  .dtypes = PLX_DTYPE_BIT(PLX_F32), \
                  .accumulator_f32 = PLX_F32,       \
                  .reproducibility = PLX_R1,        \
                  .depth = depth_of},               \
        .run = function                             \
    }
#define MUTANT(title, function, rule, class) ROW(title, function, rule, class, plain_depth)

static const mutant rows[] = {
    ROW("right", right, "", "", plain_depth),
    ROW("right-reversed", reversed, "", "", plain_depth),
    ROW("right-pairwise", pairwise, "", "", tree_depth),
    ROW("right-and-deepest", right, "", "", largest_depth),
    ROW("right-for-large-outputs", right, "", "", plain_depth),
    ROW("begins-with-its-first", begins_with_its_first, BY_BOUND, "", tree_depth),
    MUTANT("minus-zero-of-c-lost", minus_zero_of_c_lost, BY_BOUND, "special"),
    MUTANT("writes-nothing", nothing, BY_BOUND, "uniform"),
    MUTANT("tile-zeroed", tile_zeroed, BY_BOUND, "positive"),
    MUTANT("tile-missing", tile_missing, BY_BOUND, "uniform"),
    MUTANT("ragged-rows-missing", ragged_rows_missing, BY_BOUND, ""),
    MUTANT("ragged-columns-missing", ragged_columns_missing, BY_BOUND, ""),
    MUTANT("corner-missing", corner_missing, BY_BOUND, "uniform"),
    MUTANT("one-element", one_element, BY_BOUND, ""),
    MUTANT("swapped", swapped, BY_BOUND, "uniform"),
    MUTANT("result-transposed", result_transposed, BY_BOUND, ""),
    MUTANT("row-index-wraps", row_index_wraps, BY_BOUND, ""),
    MUTANT("column-index-wraps", column_index_wraps, BY_BOUND, ""),
    MUTANT("last-k-dropped", last_k_dropped, BY_BOUND, "uniform"),
    MUTANT("first-k-dropped", first_k_dropped, BY_BOUND, "uniform"),
    MUTANT("ragged-k-dropped", ragged_k_dropped, BY_BOUND, ""),
    MUTANT("long-k-dropped", long_k_dropped, BY_BOUND, ""),
    MUTANT("k-32-twice", k_32_twice, BY_BOUND, ""),
    MUTANT("stage-overtaken", stage_overtaken, BY_BOUND, ""),
    MUTANT("reads-past-k", reads_past_k, BY_BOUND, "uniform"),
    MUTANT("tf32-inputs", tf32_inputs, BY_BOUND, "uniform"),
    MUTANT("inputs-of-17-bits", inputs_of_17_bits, BY_PRECISION, "uniform"),
    ROW("something-else-endlessly-deep", computes_something_else, BY_IMPOSSIBLE_DEPTH, "", endless_depth),
    ROW("something-else-negatively-deep", computes_something_else, BY_IMPOSSIBLE_DEPTH, "", negative_depth),
    ROW("loop-that-says-tree", right, BY_TRIED_DEPTH, "", tree_depth),
    ROW("loop-from-the-end-that-says-tree", reversed, BY_TRIED_DEPTH, "", tree_depth),
    MUTANT("bf16-inputs", bf16_inputs, BY_BOUND, "uniform"),
    MUTANT("half-accumulator", half_accumulator, BY_BOUND, ""),
    MUTANT("result-of-19-bits", result_of_19_bits, BY_BOUND, ""),
    MUTANT("overflows-early", overflows_early, BY_BOUND, "extreme"),
    MUTANT("flushes-subnormals", flushes_subnormals, BY_BOUND, "extreme"),
    MUTANT("strassen", strassen, BY_BOUND, "graded"),
    MUTANT("nan-swallowed", nan_swallowed, BY_BOUND, "special"),
    MUTANT("inf-becomes-nan", inf_becomes_nan, BY_BOUND, "special"),
    MUTANT("inf-clamped", inf_clamped, BY_BOUND, "special"),
    MUTANT("zeros-skipped", zeros_skipped, BY_BOUND, "special"),
    MUTANT("beta-ignored", beta_ignored, BY_BOUND, ""),
    MUTANT("beta-twice", beta_twice, BY_BOUND, ""),
    MUTANT("reads-c-without-beta", reads_c_without_beta, BY_BOUND, "uniform"),
    MUTANT("alpha-ignored", alpha_ignored, BY_BOUND, ""),
    MUTANT("alpha-on-c", alpha_on_c, BY_BOUND, ""),
    MUTANT("reads-a-without-alpha", reads_a_without_alpha, BY_BOUND, ""),
    MUTANT("lda-ignored", lda_ignored, BY_BOUND, ""),
    MUTANT("ldb-ignored", ldb_ignored, BY_BOUND, ""),
    MUTANT("ldc-ignored", ldc_ignored, BY_PADDING, ""),
    MUTANT("writes-past-the-end", writes_past_the_end, BY_CANARY, ""),
    MUTANT("writes-far-past-the-end", writes_far_past_the_end, BY_CANARY, ""),
    MUTANT("writes-before-the-start", writes_before_the_start, BY_CANARY, ""),
    MUTANT("writes-the-padding", writes_the_padding, BY_PADDING, ""),
    MUTANT("destroys-a", destroys_a, BY_INPUT, ""),
    MUTANT("borrows-b", borrows_b, BY_INPUT, ""),
    MUTANT("writes-past-the-end-of-a", writes_past_the_end_of_a, BY_CANARY, ""),
    MUTANT("forgets-the-second-time", forgets_the_second_time, BY_REPEAT, ""),
    MUTANT("another-order-each-time", another_order_each_time, BY_REPEAT, ""),
    MUTANT("forgets-now-and-then", forgets_now_and_then, BY_BUSY, ""),
};

const mutant_list gemm_mutants = {rows, MUTANT_COUNT(rows)};
