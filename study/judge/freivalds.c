/* Freivalds' test: whether a product too large to be recomputed is right, from
 * products with vectors of +1 and -1 alone.  Each round misses a wrong element with
 * probability at most 1/2.  (R. Freivalds, Probabilistic machines can use less
 * running time, IFIP 1977.) */
#include "study/judge/judge.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 20 };

/* A matrix of m x n elements, each the sum of k products. */
typedef struct product {
    int64_t m, n, k;
} product;

static product product_of(const plx_inputs *inputs)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    return (product){output->rows, output->cols, plx_sum_length(inputs)};
}

/* A matrix as the product sees it, after any transposition. */
typedef struct grid {
    const void *data;
    plx_dtype dtype;
    int64_t rows, cols, row_stride, col_stride;
} grid;

/* The terms of the sums lie along the rows of the first factor and the columns of the second. */
static grid grid_of(const plx_inputs *inputs, size_t operand, const void *data)
{
    const plx_extent *e = &inputs->extents[operand];
    if (e->sum_axis == (operand == 0 ? 0 : 1))
        return (grid){data, plx_inputs_dtype(inputs, operand), e->cols, e->rows, 1, e->ld};
    return (grid){data, plx_inputs_dtype(inputs, operand), e->rows, e->cols, e->ld, 1};
}

static double at(const grid *matrix, int64_t row, int64_t col)
{
    return plx_element_value(matrix->dtype, matrix->data, row * matrix->row_stride + col * matrix->col_stride);
}

/* What one matrix gives: its products with the vectors, and the sizes of its rows. */
typedef struct images {
    double *products; /* rows x ROUNDS */
    double *sizes, *squares;
} images;

/* All but C^ x is the same for every result. */
typedef struct plx_projection {
    double *x, *ones;    /* n x ROUNDS, n */
    images bx, abx, old; /* B x, A (B x), C x */
} work;

static double *numbers(int64_t count, int64_t each)
{
    return calloc((size_t)(count > 0 ? count : 1) * (size_t)each, sizeof(double));
}

static bool images_make(images *of, int64_t rows)
{
    *of = (images){numbers(rows, ROUNDS), numbers(rows, 1), numbers(rows, 1)};
    return of->products != NULL && of->sizes != NULL && of->squares != NULL;
}

static void images_free(images *of)
{
    free(of->products);
    free(of->sizes);
    free(of->squares);
}

static bool work_make(work *w, const product *p)
{
    bool made;

    *w = (work){.x = numbers(p->n, ROUNDS), .ones = numbers(p->n, 1)};
    made = images_make(&w->bx, p->k);
    made = images_make(&w->abx, p->m) && made;
    made = images_make(&w->old, p->m) && made;
    return made && w->x != NULL && w->ones != NULL;
}

static void work_free(work *w)
{
    free(w->x);
    free(w->ones);
    images_free(&w->bx);
    images_free(&w->abx);
    images_free(&w->old);
}

/* products[i][r] = sum over j of matrix[i][j] * x[j][r]; sizes[i] = sum of |matrix[i][j]| *
 * weight[j]; squares[i] = sum of matrix[i][j]^2.  ROUNDS vectors at once, so that the
 * matrix is read once. */
static void multiply(const grid *matrix, const double *x, const double *weight, const images *to)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(plx_team_threads())
#endif
    for (int64_t i = 0; i < matrix->rows; ++i) {
        const plx_floats before = plx_floats_begin();
        double sums[ROUNDS] = {0.0}, total = 0.0, square = 0.0;
        for (int64_t j = 0; j < matrix->cols; ++j) {
            double value = at(matrix, i, j);
            total += fabs(value) * weight[j];
            square += value * value;
            for (int r = 0; r < ROUNDS; ++r)
                sums[r] += value * x[j * ROUNDS + r];
        }
        for (int r = 0; r < ROUNDS; ++r)
            to->products[i * ROUNDS + r] = sums[r];
        to->sizes[i] = total;
        to->squares[i] = square;
        plx_floats_back(before);
    }
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

/* The elements of a row may be wrong by gamma S each.  With random signs those errors add
 * up like a random walk: beyond UNLIKELY times the root of the sum of their squares with a
 * probability below 2 exp(-UNLIKELY^2 / 2), which is 3e-14 (W. Hoeffding, JASA 58, 1963).
 * S is at most the product of the norms of a row of A and a column of B. */
static const double UNLIKELY = 8.0;

typedef struct row_size {
    double magnitude; /* sum of S over the row */
    double spread;    /* at least the root of the sum of S^2 */
    double sum;       /* of |result| */
} row_size;

static row_size size_of(const work *w, const images *cx, double alpha, double beta, double frobenius, int64_t i)
{
    return (row_size){
        .magnitude = fabs(alpha) * w->abx.sizes[i] + fabs(beta) * w->old.sizes[i],
        .spread = fabs(alpha) * sqrt(w->abx.squares[i]) * frobenius + fabs(beta) * sqrt(w->old.squares[i]),
        .sum = cx->sizes[i],
    };
}

/* Where all numbers are multiples of one that f64 holds, nothing is lost, here or there; unless the result is
 * narrower, and rounded. */
static bool is_exact(const product *p, const plx_bound *bound, const row_size *row)
{
    return bound->unit > 0.0 && bound->narrowing == 0.0 && p->k > 1 && row->magnitude + row->sum < 0x1p53 * bound->unit;
}

/* The errors of a row's elements together, and what f64 loses in this test itself. */
static double row_bound(const product *p, const plx_bound *bound, const row_size *row)
{
    double own = (double)(p->n + p->k + 8) * 0x1p-53;

    if (is_exact(p, bound, row))
        return 0.0;
    return bound->gamma * fmin(row->magnitude, UNLIKELY * row->spread) +
           bound->narrowing * (row->sum + bound->gamma * row->magnitude) + bound->underflow * (double)p->n +
           own * (row->magnitude + row->sum);
}

static double frobenius_of(const work *w, int64_t k)
{
    double sum = 0.0;
    for (int64_t i = 0; i < k; ++i)
        sum += w->bx.squares[i];
    return sqrt(sum);
}

/* Of a row that holds infinities, which a result that is narrower than its sums may, nothing more is
 * known than what the sample says. */
static bool is_beyond(const plx_bound *bound, const row_size *row)
{
    return isinf(row->sum) && row->spread >= bound->overflow;
}

static void judge_rows(const product *p, double alpha, double beta, const plx_bound *bound, const work *w,
                       const images *cx, plx_freivalds_finding *found)
{
    double frobenius = frobenius_of(w, p->k), *worst = &found->worst;

    *found = (plx_freivalds_finding){.worst = 0.0, .row = -1};
    for (int64_t i = 0; i < p->m; ++i) {
        row_size size = size_of(w, cx, alpha, beta, frobenius, i);
        if (is_beyond(bound, &size)) {
            ++found->beyond;
            continue;
        }
        double allowed = row_bound(p, bound, &size);
        for (int r = 0; r < ROUNDS; ++r) {
            int64_t at_round = i * ROUNDS + r;
            double error =
                fabs(alpha * w->abx.products[at_round] + beta * w->old.products[at_round] - cx->products[at_round]);
            double excess = error == 0.0 ? 0.0 : error / allowed;
            if (!(excess <= *worst)) {
                *worst = isnan(excess) ? (double)INFINITY : excess;
                found->row = i;
            }
        }
    }
}

static void project(const plx_inputs *inputs, uint64_t seed, work *w)
{
    const size_t output = inputs->operation->output;
    grid a = grid_of(inputs, 0, inputs->data[0]), b = grid_of(inputs, 1, inputs->data[1]),
         old = grid_of(inputs, output, inputs->data[output]);
    double alpha, beta;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    draw(w, b.cols, seed);
    multiply(&b, w->x, w->ones, &w->bx);
    multiply(&a, w->bx.products, w->bx.sizes, &w->abx);
    if (beta != 0.0)
        multiply(&old, w->x, w->ones, &w->old);
}

plx_status plx_freivalds_prepare(const plx_inputs *inputs, uint64_t seed, plx_projection **projection, plx_error *error)
{
    const product p = product_of(inputs);
    work *made = calloc(1, sizeof *made);

    if (made == NULL || !work_make(made, &p)) {
        plx_freivalds_free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for Freivalds' test");
    }
    project(inputs, seed, made);
    *projection = made;
    return PLX_OK;
}

void plx_freivalds_free(plx_projection *projection)
{
    if (projection != NULL)
        work_free(projection);
    free(projection);
}

plx_status plx_freivalds(const plx_inputs *inputs, const plx_projection *projection, const plx_bound *bound,
                         const void *result, plx_freivalds_finding *found, plx_error *error)
{
    const product p = product_of(inputs);
    grid c = grid_of(inputs, inputs->operation->output, result);
    double alpha, beta;
    images cx;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    if (!images_make(&cx, p.m)) {
        images_free(&cx);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for Freivalds' test");
    }
    multiply(&c, projection->x, projection->ones, &cx);
    judge_rows(&p, alpha, beta, bound, projection, &cx, found);
    images_free(&cx);
    return PLX_OK;
}
