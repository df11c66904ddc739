/* Freivalds' test: whether a product too large to be recomputed is right, from
 * products with vectors of +1 and -1 alone.  Each round misses a wrong element with
 * probability at most 1/2.  (R. Freivalds, Probabilistic machines can use less
 * running time, IFIP 1977.) */
#include "core/judge.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 20 };

/* A matrix as the product sees it, after any transposition. */
typedef struct grid {
    const void *data;
    plx_dtype dtype;
    int64_t rows, cols, row_stride, col_stride;
} grid;

static grid grid_of(const plx_inputs *inputs, size_t operand, const void *data, bool transposed)
{
    const plx_extent *e = &inputs->extents[operand];
    if (transposed)
        return (grid){data, inputs->problem.dtype, e->cols, e->rows, 1, e->ld};
    return (grid){data, inputs->problem.dtype, e->rows, e->cols, e->ld, 1};
}

static double at(const grid *matrix, int64_t row, int64_t col)
{
    return plx_element_value(matrix->dtype, matrix->data,
                             row * matrix->row_stride + col * matrix->col_stride);
}

/* to[i][r] = sum over j of matrix[i][j] * x[j][r]; size[i] = sum of |matrix[i][j]| * weight[j].
 * ROUNDS vectors at once, so that the matrix is read once. */
static void multiply(const grid *matrix, const double *x, const double *weight, double *to, double *size)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (int64_t i = 0; i < matrix->rows; ++i) {
        double sums[ROUNDS] = {0.0}, total = 0.0;
        for (int64_t j = 0; j < matrix->cols; ++j) {
            double value = at(matrix, i, j);
            total += fabs(value) * weight[j];
            for (int r = 0; r < ROUNDS; ++r)
                sums[r] += value * x[j * ROUNDS + r];
        }
        for (int r = 0; r < ROUNDS; ++r)
            to[i * ROUNDS + r] = sums[r];
        size[i] = total;
    }
}

typedef struct work {
    double *x, *ones;       /* n */
    double *y, *y_size;     /* k: B x */
    double *z, *z_size;     /* m: A (B x) */
    double *w, *w_size;     /* m: C^ x */
    double *old, *old_size; /* m: C x */
} work;

static double *numbers(int64_t count, int64_t each)
{
    return calloc((size_t)(count > 0 ? count : 1) * (size_t)each, sizeof(double));
}

static bool work_make(work *w, int64_t m, int64_t n, int64_t k)
{
    *w = (work){numbers(n, ROUNDS), numbers(n, 1), numbers(k, ROUNDS), numbers(k, 1),
                numbers(m, ROUNDS), numbers(m, 1), numbers(m, ROUNDS), numbers(m, 1),
                numbers(m, ROUNDS), numbers(m, 1)};
    return w->x && w->ones && w->y && w->y_size && w->z && w->z_size && w->w && w->w_size && w->old &&
           w->old_size;
}

static void work_free(work *w)
{
    double *all[] = {w->x, w->ones, w->y, w->y_size, w->z, w->z_size, w->w, w->w_size, w->old, w->old_size};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static void draw(work *w, int64_t n, uint64_t seed)
{
    for (int64_t j = 0; j < n; ++j) {
        uint64_t bits = plx_random(seed, 256, (uint64_t)j);
        w->ones[j] = 1.0;
        for (int r = 0; r < ROUNDS; ++r)
            w->x[j * ROUNDS + r] = bits >> r & 1 ? 1.0 : -1.0;
    }
}

/* The bound of a row: its elements' bounds added up, and what f64 loses in this
 * test itself. */
static double row_bound(const plx_gemm_problem *p, const plx_bound *bound, double magnitude, double sum)
{
    double own = (double)(p->n + p->k + 8) * 0x1p-53;
    return bound->gamma * magnitude + bound->narrowing * (sum + bound->gamma * magnitude) +
           bound->underflow * (double)p->n + own * (magnitude + sum);
}

static void judge_rows(const plx_gemm_problem *p, double alpha, double beta, const plx_bound *bound,
                       const work *w, double *worst, int64_t *row)
{
    *worst = 0.0;
    *row = -1;
    for (int64_t i = 0; i < p->m; ++i) {
        double magnitude = fabs(alpha) * w->z_size[i] + fabs(beta) * w->old_size[i];
        double allowed = row_bound(p, bound, magnitude, w->w_size[i]);
        for (int r = 0; r < ROUNDS; ++r) {
            int64_t at_round = i * ROUNDS + r;
            double error = fabs(alpha * w->z[at_round] + beta * w->old[at_round] - w->w[at_round]);
            double excess = error == 0.0 ? 0.0 : error / allowed;
            if (!(excess <= *worst)) {
                *worst = isnan(excess) ? (double)INFINITY : excess;
                *row = i;
            }
        }
    }
}

plx_status plx_freivalds(const plx_inputs *inputs, const plx_bound *bound, const void *result, uint64_t seed,
                         double *worst, int64_t *row, plx_error *error)
{
    const plx_gemm_problem *p = &inputs->problem.of.gemm;
    grid a = grid_of(inputs, 0, inputs->data[0], p->trans_a),
         b = grid_of(inputs, 1, inputs->data[1], p->trans_b);
    grid c = grid_of(inputs, 2, result, false), old = grid_of(inputs, 2, inputs->data[2], false);
    double alpha, beta;
    work w;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    if (!work_make(&w, p->m, p->n, p->k)) {
        work_free(&w);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for Freivalds' test");
    }
    draw(&w, p->n, seed);
    multiply(&b, w.x, w.ones, w.y, w.y_size);
    multiply(&a, w.y, w.y_size, w.z, w.z_size);
    multiply(&c, w.x, w.ones, w.w, w.w_size);
    if (beta != 0.0)
        multiply(&old, w.x, w.ones, w.old, w.old_size);
    judge_rows(p, alpha, beta, bound, &w, worst, row);
    work_free(&w);
    return PLX_OK;
}
