/* The reference of gemm: tiles of C, spread over the threads; each packs what it needs of A and B
 * as f64, and keeps three sums per element: the product, its rounding error, and the magnitude.
 * The terms of an element are added one after the other, whatever the tiles. */
#include "kernels/reference.h"

#include "compensated.h"

#include <string.h>

/* Tiles of SIDE x SIDE or smaller are computed by LANES rows and as many columns, DEPTH terms at a time. */
enum { LANES = 4, SIDE = 64, DEPTH = 64, MANY_TILES = 32 };

/* Everything that one call of the reference needs to know. */
typedef struct gemm_job {
    plx_dtype dtype, output;
    const plx_gemm_problem *p;
    double alpha, beta;
    int64_t k; /* 0 when alpha is: then A and B are not read */
    const void *a, *b, *c;
    int64_t first; /* the output element that has index 0 in `to` */
    const plx_reference *to;
} gemm_job;

/* A tile of C at (row, col) while it is summed; whole packs of LANES. */
typedef struct gemm_tile {
    int64_t row, col, rows, cols;
    double sum[SIDE][SIDE], tail[SIDE][SIDE], magnitude[SIDE][SIDE];
    double a[SIDE / LANES][DEPTH][LANES], b[SIDE / LANES][DEPTH][LANES]; /* packed, zero beyond the edge */
} gemm_tile;

static double element_of_a(const gemm_job *job, int64_t row, int64_t inner)
{
    const plx_gemm_problem *p = job->p;
    return plx_real_element(job->dtype, job->a, p->trans_a ? inner * p->lda + row : row * p->lda + inner);
}

static double element_of_b(const gemm_job *job, int64_t inner, int64_t col)
{
    const plx_gemm_problem *p = job->p;
    return plx_real_element(job->dtype, job->b, p->trans_b ? col * p->ldb + inner : inner * p->ldb + col);
}

/* Numbers that are computed with at once, in one register where the processor has such. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lanes_bits __attribute__((vector_size(LANES * sizeof(int64_t))));

/* ---- packing ------------------------------------------------------------------------- */

/* `count` rows of A or columns of B whose terms lie one behind the other, from the element `first` on. */
static inline void pack_along(plx_dtype dtype, const void *from, int64_t first, int64_t pitch, int64_t count,
                              int64_t depth, double to[][DEPTH][LANES])
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t l = 0; l < depth; l++)
            to[i / LANES][l][i % LANES] = plx_real_element(dtype, from, first + i * pitch + l);
}

/* The same where they lie side by side. */
static inline void pack_across(plx_dtype dtype, const void *from, int64_t first, int64_t pitch, int64_t count,
                               int64_t depth, double to[][DEPTH][LANES])
{
    const int64_t whole = count / LANES * LANES;

    for (int64_t l = 0; l < depth; l++) {
        for (int64_t i = 0; i < whole; i += LANES)
            for (int64_t lane = 0; lane < LANES; lane++)
                to[i / LANES][l][lane] = plx_real_element(dtype, from, first + l * pitch + i + lane);
        for (int64_t i = whole; i < count; i++)
            to[i / LANES][l][i % LANES] = plx_real_element(dtype, from, first + l * pitch + i);
    }
}

static inline void pack(plx_dtype dtype, const gemm_job *job, gemm_tile *tile, int64_t inner, int64_t depth)
{
    const plx_gemm_problem *p = job->p;

    if (p->trans_a)
        pack_across(dtype, job->a, inner * p->lda + tile->row, p->lda, tile->rows, depth, tile->a);
    else
        pack_along(dtype, job->a, tile->row * p->lda + inner, p->lda, tile->rows, depth, tile->a);
    if (p->trans_b)
        pack_along(dtype, job->b, tile->col * p->ldb + inner, p->ldb, tile->cols, depth, tile->b);
    else
        pack_across(dtype, job->b, inner * p->ldb + tile->col, p->ldb, tile->cols, depth, tile->b);
}

/* Sums of nothing, and zeros where the last packs are beyond the edge. */
static void clear(gemm_tile *tile)
{
    for (int64_t i = 0; i < (tile->rows + LANES - 1) / LANES * LANES; i++)
        for (int64_t j = 0; j < (tile->cols + LANES - 1) / LANES * LANES; j++)
            tile->sum[i][j] = tile->tail[i][j] = tile->magnitude[i][j] = 0.0;
    if (tile->rows % LANES != 0)
        memset(tile->a[tile->rows / LANES], 0, sizeof tile->a[0]);
    if (tile->cols % LANES != 0)
        memset(tile->b[tile->cols / LANES], 0, sizeof tile->b[0]);
}

/* ---- sums ---------------------------------------------------------------------------- */

static inline void load(lanes *to, const double *from)
{
    memcpy(to, from, sizeof *to);
}

static inline void store(double *to, const lanes *from)
{
    memcpy(to, from, sizeof *from);
}

/* Products of two f32, and of what is narrower, are exact in f64: there is no error to keep. */
static inline void add_products(lanes *sum, lanes *magnitude, double a, const lanes *b)
{
    const int64_t bits = INT64_MAX; /* all but the sign */
    const lanes_bits absolute = {bits, bits, bits, bits};
    const lanes product = a * *b;

    *sum += product;
    *magnitude += (lanes)((lanes_bits)product & absolute);
}

/* LANES rows and as many columns, whose sums stay in registers. */
static inline void multiply_f32(gemm_tile *tile, int64_t i, int64_t j, int64_t depth)
{
    const double(*a)[LANES] = tile->a[i / LANES], (*b)[LANES] = tile->b[j / LANES];
    lanes sum[LANES] = {{0}}, magnitude[LANES] = {{0}}, factors;

    for (int r = 0; r < LANES; r++) {
        load(&sum[r], &tile->sum[i + r][j]);
        load(&magnitude[r], &tile->magnitude[i + r][j]);
    }
    for (int64_t l = 0; l < depth; l++) {
        load(&factors, b[l]);
        add_products(&sum[0], &magnitude[0], a[l][0], &factors);
        add_products(&sum[1], &magnitude[1], a[l][1], &factors);
        add_products(&sum[2], &magnitude[2], a[l][2], &factors);
        add_products(&sum[3], &magnitude[3], a[l][3], &factors);
    }
    for (int r = 0; r < LANES; r++) {
        store(&tile->sum[i + r][j], &sum[r]);
        store(&tile->magnitude[i + r][j], &magnitude[r]);
    }
}

/* What rounding the products loses. */
static inline void errors_of(lanes *to, double a, const lanes *b, const lanes *product)
{
    for (int i = 0; i < LANES; i++)
        (*to)[i] = fma(a, (*b)[i], -(*product)[i]);
}

static inline void multiply_f64(gemm_tile *tile, int64_t i, int64_t j, int64_t depth)
{
    const int64_t bits = INT64_MAX; /* all but the sign */
    const lanes_bits absolute = {bits, bits, bits, bits};
    lanes sum, tail, magnitude, b, error = {0};

    load(&sum, &tile->sum[i][j]);
    load(&tail, &tile->tail[i][j]);
    load(&magnitude, &tile->magnitude[i][j]);
    for (int64_t l = 0; l < depth; l++) {
        const double a = tile->a[i / LANES][l][i % LANES];
        load(&b, tile->b[j / LANES][l]);
        const lanes product = a * b;
        errors_of(&error, a, &b, &product);
        const lanes total = sum + product, part = total - sum;
        tail += ((sum - (total - part)) + (product - part)) + error;
        sum = total;
        magnitude += (lanes)((lanes_bits)product & absolute);
    }
    store(&tile->sum[i][j], &sum);
    store(&tile->tail[i][j], &tail);
    store(&tile->magnitude[i][j], &magnitude);
}

static inline void multiply(plx_dtype dtype, gemm_tile *tile, int64_t depth)
{
    for (int64_t j = 0; j < tile->cols; j += LANES)
        if (dtype == PLX_F64)
            for (int64_t i = 0; i < tile->rows; i++)
                multiply_f64(tile, i, j, depth);
        else
            for (int64_t i = 0; i < tile->rows; i += LANES)
                multiply_f32(tile, i, j, depth);
}

/* ---- results ------------------------------------------------------------------------- */

static plx_reference_sum sum_again(const gemm_job *job, int64_t row, int64_t col)
{
    plx_plain_sum sum = {0.0, 0.0, 0.0, false};

    for (int64_t l = 0; l < job->k; l++)
        plx_plain_add(&sum, element_of_a(job, row, l), element_of_b(job, l, col));
    return plx_plain_result(&sum);
}

static inline void finish_element(const gemm_job *job, const gemm_tile *tile, int64_t i, int64_t j)
{
    int64_t row = tile->row + i, col = tile->col + j, at = row * job->p->n + col - job->first;
    plx_reference_sum sum = {{tile->sum[i][j], tile->tail[i][j]}, tile->magnitude[i][j]};
    double c = job->beta != 0.0 ? plx_real_element(job->output, job->c, row * job->p->ldc + col) : 0.0;

    if (plx_is_spoiled(&sum))
        sum = sum_again(job, row, col);
    plx_compensated result = plx_finish_sum(&sum, job->alpha, job->beta, c, (double)job->k,
                                            plx_range_of(job->dtype != PLX_F64), &job->to->magnitude[at]);
    job->to->value[at] = result.value;
    job->to->tail[at] = result.tail;
}

static inline void sum_tile_of(plx_dtype dtype, const gemm_job *job, gemm_tile *tile)
{
    clear(tile);
    for (int64_t inner = 0; inner < job->k; inner += DEPTH) {
        int64_t depth = job->k - inner < DEPTH ? job->k - inner : DEPTH;
        pack(dtype, job, tile, inner, depth);
        multiply(dtype, tile, depth);
    }
    for (int64_t i = 0; i < tile->rows; i++)
        for (int64_t j = 0; j < tile->cols; j++)
            finish_element(job, tile, i, j);
}

/* Code for each type, which knows how its elements are read. */
static inline void sum_tile(const gemm_job *job, gemm_tile *tile)
{
    switch (job->dtype) {
    case PLX_F32:
        sum_tile_of(PLX_F32, job, tile);
        break;
    case PLX_F64:
        sum_tile_of(PLX_F64, job, tile);
        break;
#define CASE_OF_HALF(type, ...)       \
    case type:                        \
        sum_tile_of(type, job, tile); \
        break;
        PLX_HALF_TYPES(CASE_OF_HALF)
#undef CASE_OF_HALF
    default:
        break; /* no other type has products */
    }
}

/* The same with the processor's wide registers and its fma, where it has them. */
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2,fma"), flatten)) static void sum_tile_wide(const gemm_job *job, gemm_tile *tile)
{
    sum_tile(job, tile);
}

__attribute__((target("avx512f,avx2,fma"), flatten)) static void sum_tile_widest(const gemm_job *job, gemm_tile *tile)
{
    sum_tile(job, tile);
}

static void sum_tile_here(const gemm_job *job, gemm_tile *tile)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        sum_tile(job, tile);
    else if (!__builtin_cpu_supports("avx512f"))
        sum_tile_wide(job, tile);
    else
        sum_tile_widest(job, tile);
}
#else
static void sum_tile_here(const gemm_job *job, gemm_tile *tile)
{
    sum_tile(job, tile);
}
#endif

/* ---- tiles --------------------------------------------------------------------------- */

static int64_t tiles_of(int64_t count, int64_t size)
{
    return (count + size - 1) / size;
}

/* The side of tiles: shorter where there are few, so that there is one for every thread. */
static int64_t tile_side(int64_t rows, int64_t cols)
{
    int64_t side = SIDE;
    while (side > LANES && tiles_of(rows, side) * tiles_of(cols, side) < MANY_TILES)
        side /= 2;
    return side;
}

static void reference_tile(const gemm_job *job, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    gemm_tile tile;

    tile.row = row;
    tile.col = col;
    tile.rows = rows;
    tile.cols = cols;
    sum_tile_here(job, &tile);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void reference_rectangle(const gemm_job *job, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const int64_t side = tile_side(rows, cols), across = tiles_of(cols, side), count = across * tiles_of(rows, side);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (count > 1)
#endif
    for (int64_t i = 0; i < count; i++) {
        const int64_t down = i / across * side, right = i % across * side;
        const plx_floats before = plx_floats_begin(); /* of this thread */
        reference_tile(job, row + down, smaller(rows - down, side), col + right, smaller(cols - right, side));
        plx_floats_back(before);
    }
}

/* A run of elements is the end of a row, whole rows, and the beginning of a row. */
static void gemm_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                           plx_reference *reference)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    gemm_job job = {
        .dtype = problem->dtype, .output = plx_output_dtype(problem), .p = p, .first = first, .to = reference};
    int64_t end = first + count;

    plx_problem_scalars(problem, &job.alpha, &job.beta);
    job.k = job.alpha != 0.0 ? p->k : 0;
    job.a = operands->at[0];
    job.b = operands->at[1];
    job.c = operands->at[2];
    if (count <= 0)
        return;
    int64_t row = first / p->n, col = first % p->n, last_row = end / p->n, last_col = end % p->n;
    if (row == last_row) {
        reference_rectangle(&job, row, 1, col, count);
        return;
    }
    if (col > 0)
        reference_rectangle(&job, row++, 1, col, p->n - col);
    reference_rectangle(&job, row, last_row - row, 0, p->n);
    reference_rectangle(&job, last_row, 1, 0, last_col);
}

const plx_op_reference plx_gemm_reference = {
    .exact = plx_never_exact,
    .make = gemm_reference,
    .spreads = true,
};
