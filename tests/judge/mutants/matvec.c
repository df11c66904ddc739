/* Matrix-vector products in f32. */
#include "mutant.h"

#include <math.h>

typedef struct product {
    const plx_matvec_problem *p;
    float *a, *x, *y;
    float alpha, beta;
    int64_t length, terms; /* of y, of each sum */
} product;

static product product_of(const mutant_call *call)
{
    const plx_matvec_problem *p = &call->problem->of.matvec;
    return (product){p,
                     call->at[0],
                     call->at[1],
                     call->at[2],
                     (float)p->alpha,
                     (float)p->beta,
                     p->trans ? p->cols : p->rows,
                     p->trans ? p->rows : p->cols};
}

static float term(const product *g, int64_t i, int64_t j)
{
    return (g->p->trans ? g->a[j * g->p->lda + i] : g->a[i * g->p->lda + j]) * g->x[j];
}

static float sum_of(const product *g, int64_t i, int64_t first, int64_t last)
{
    float sum = 0.0f;
    for (int64_t j = first; j < last; ++j)
        sum += term(g, i, j);
    return sum;
}

static bool has_terms(const product *g)
{
    return g->terms > 0 && g->alpha != 0.0f;
}

static void store(const product *g, int64_t i, float sum)
{
    float result = has_terms(g) ? g->alpha * sum : g->beta == 0.0f ? 0.0f : -0.0f;
    g->y[i] = g->beta == 0.0f ? result : result + g->beta * g->y[i];
}

static void right_row(const product *g, int64_t i)
{
    store(g, i, g->alpha == 0.0f ? 0.0f : sum_of(g, i, 0, g->terms));
}

static void right(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i)
        right_row(&g, i);
}

/* A sum begins with +0, so here is a zero of the wrong sign. */
static void begins_with_its_first(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i) {
        float sum = has_terms(&g) ? term(&g, i, 0) : 0.0f;
        for (int64_t j = 1; has_terms(&g) && j < g.terms; ++j)
            sum += term(&g, i, j);
        store(&g, i, sum);
    }
}

static void minus_zero_of_y_lost(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = 0; !has_terms(&g) && i < g.length; ++i)
        g.y[i] += 0.0f;
}

static void reversed(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i) {
        float sum = 0.0f;
        for (int64_t j = g.alpha == 0.0f ? 0 : g.terms; j-- > 0;)
            sum += term(&g, i, j);
        store(&g, i, sum);
    }
}

/* Up to here elements go missing. */
static void limited(const mutant_call *call, int64_t terms)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i)
        store(&g, i, g.alpha == 0.0f ? 0.0f : sum_of(&g, i, 0, g.terms < terms ? g.terms : terms));
}

static void long_x_cut_off(const mutant_call *call)
{
    limited(call, 256);
}
static void last_column_dropped(const mutant_call *call)
{
    limited(call, product_of(call).terms - 1);
}

static void last_row_missing(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i + 1 < g.length; ++i)
        right_row(&g, i);
}

/* Rows 513 apart: all of them only when 513 = 27 * 19 and their number have no factor
 * in common. */
static void some_rows_twice(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i)
        right_row(&g, i * 513 % g.length);
}

static void lda_ignored(const mutant_call *call)
{
    plx_problem problem = *call->problem;
    mutant_call other = *call;
    problem.of.matvec.lda = problem.of.matvec.cols;
    other.problem = &problem;
    right(&other);
}

static void square_transposed(const mutant_call *call)
{
    plx_problem problem = *call->problem;
    mutant_call other = *call;
    if (problem.of.matvec.rows == problem.of.matvec.cols)
        problem.of.matvec.trans = !problem.of.matvec.trans;
    other.problem = &problem;
    right(&other);
}

static void reads_y_without_beta(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i)
        g.y[i] = (g.alpha == 0.0f ? 0.0f : g.alpha * sum_of(&g, i, 0, g.terms)) + g.beta * g.y[i];
}

static void without_terms_nothing(const mutant_call *call)
{
    if (product_of(call).terms > 0)
        right(call);
}

static void destroys_x(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    if (g.terms > 0 && g.x != NULL)
        g.x[g.terms - 1] = 0.0f;
}

static void writes_a_whole_warp(const mutant_call *call)
{
    product g = product_of(call);
    right(call);
    for (int64_t i = g.length; g.length > 0 && i % 32 != 0; ++i)
        g.y[i] = 0.0f;
}

static void another_order_each_time(const mutant_call *call)
{
    if (call->runs_before % 2 == 0)
        right(call);
    else
        reversed(call);
}

static void f32_through_tf32(const mutant_call *call)
{
    product g = product_of(call);
    for (int64_t i = 0; i < g.length; ++i) {
        float sum = 0.0f;
        for (int64_t j = 0; g.alpha != 0.0f && j < g.terms; ++j)
            sum += mutant_cut(g.p->trans ? g.a[j * g.p->lda + i] : g.a[i * g.p->lda + j], 10) * mutant_cut(g.x[j], 10);
        store(&g, i, sum);
    }
}

static int64_t depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.matvec.trans ? problem->of.matvec.rows : problem->of.matvec.cols;
}

static int64_t tree_depth(const plx_problem *problem, const plx_device_info *device)
{
    int64_t steps = 1;
    while ((INT64_C(1) << steps) < depth(problem, device))
        ++steps;
    return depth(problem, device) > 0 ? steps : 0;
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
#define MUTANT(title, function, rule, class) ROW(title, function, rule, class, depth)

static const mutant rows[] = {
    MUTANT("right", right, "", ""),
    MUTANT("right-reversed", reversed, "", ""),
    ROW("loop-that-says-tree", right, BY_TRIED_DEPTH, "", tree_depth),
    ROW("loop-from-the-end-that-says-tree", reversed, BY_TRIED_DEPTH, "", tree_depth),
    MUTANT("begins-with-its-first", begins_with_its_first, BY_BOUND, ""),
    MUTANT("minus-zero-of-y-lost", minus_zero_of_y_lost, BY_BOUND, "special"),
    MUTANT("long-x-cut-off", long_x_cut_off, BY_BOUND, ""),
    MUTANT("last-column-dropped", last_column_dropped, BY_BOUND, "uniform"),
    MUTANT("last-row-missing", last_row_missing, BY_BOUND, "uniform"),
    MUTANT("some-rows-twice", some_rows_twice, BY_BOUND, ""),
    MUTANT("lda-ignored", lda_ignored, BY_BOUND, ""),
    MUTANT("square-transposed", square_transposed, BY_BOUND, ""),
    MUTANT("reads-y-without-beta", reads_y_without_beta, BY_BOUND, ""),
    MUTANT("without-terms-nothing", without_terms_nothing, BY_BOUND, ""),
    MUTANT("destroys-x", destroys_x, BY_INPUT, ""),
    MUTANT("writes-a-whole-warp", writes_a_whole_warp, BY_CANARY, ""),
    MUTANT("another-order-each-time", another_order_each_time, BY_REPEAT, ""),
    MUTANT("f32-through-tf32", f32_through_tf32, BY_BOUND, "uniform"),
};

const mutant_list matvec_mutants = {rows, MUTANT_COUNT(rows)};
