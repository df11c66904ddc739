/* The reference of gemm: walks C in blocks of 16 x 64, packs what it needs of A and B as f64, and
 * keeps three sums per element: the product, its rounding error, and the magnitude. */
#include "kernels/reference.h"

#include "compensated.h"

enum { BLOCK_ROWS = 16, BLOCK_COLS = 64, BLOCK_DEPTH = 32 };

/* Everything that one call of the reference needs to know. */
typedef struct gemm_job {
    plx_dtype dtype;
    const plx_gemm_problem *p;
    double alpha, beta;
    int64_t k; /* 0 when alpha is: then A and B are not read */
    const void *a, *b, *c;
    int64_t first; /* the output element that has index 0 in `to` */
    const plx_reference *to;
} gemm_job;

/* A block of C at (row, col) while it is summed. */
typedef struct gemm_block {
    int64_t row, col, rows, cols;
    double sum[BLOCK_ROWS][BLOCK_COLS], tail[BLOCK_ROWS][BLOCK_COLS], magnitude[BLOCK_ROWS][BLOCK_COLS];
    double a[BLOCK_ROWS][BLOCK_DEPTH], b[BLOCK_DEPTH][BLOCK_COLS]; /* packed, zero beyond the edge */
} gemm_block;

static double element(plx_dtype dtype, const void *from, int64_t index)
{
    return dtype == PLX_F32 ? (double)((const float *)from)[index] : ((const double *)from)[index];
}

static double element_of_a(const gemm_job *job, int64_t row, int64_t inner)
{
    const plx_gemm_problem *p = job->p;
    return element(job->dtype, job->a, p->trans_a ? inner * p->lda + row : row * p->lda + inner);
}

static double element_of_b(const gemm_job *job, int64_t inner, int64_t col)
{
    const plx_gemm_problem *p = job->p;
    return element(job->dtype, job->b, p->trans_b ? col * p->ldb + inner : inner * p->ldb + col);
}

static void pack(const gemm_job *job, gemm_block *block, int64_t inner, int64_t depth)
{
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t l = 0; l < depth; l++)
            block->a[i][l] = element_of_a(job, block->row + i, inner + l);
    for (int64_t l = 0; l < depth; l++) {
        for (int64_t j = 0; j < block->cols; j++)
            block->b[l][j] = element_of_b(job, inner + l, block->col + j);
        for (int64_t j = block->cols; j < BLOCK_COLS; j++)
            block->b[l][j] = 0.0;
    }
}

/* Products of two f32 are exact in f64: there is no error to keep. */
static inline void add_row_f32(gemm_block *block, int64_t i, int64_t l)
{
    double a = block->a[i][l];
    for (int j = 0; j < BLOCK_COLS; j++) {
        double product = a * block->b[l][j];
        block->sum[i][j] += product;
        block->magnitude[i][j] += fabs(product);
    }
}

static inline void add_row_f64(gemm_block *block, int64_t i, int64_t l)
{
    double a = block->a[i][l];
    for (int j = 0; j < BLOCK_COLS; j++) {
        plx_compensated product = plx_product_of(a, block->b[l][j]);
        plx_compensated sum = plx_sum_of(block->sum[i][j], product.value);
        block->sum[i][j] = sum.value;
        block->tail[i][j] += sum.tail + product.tail;
        block->magnitude[i][j] += fabs(product.value);
    }
}

static inline void multiply_packed(plx_dtype dtype, gemm_block *block, int64_t depth)
{
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t l = 0; l < depth; l++)
            if (dtype == PLX_F32)
                add_row_f32(block, i, l);
            else
                add_row_f64(block, i, l);
}

/* The same with the processor's wide registers and its fma, where it has them. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__FMA__)
__attribute__((target("avx2,fma"), flatten)) static void multiply_packed_wide(plx_dtype dtype,
                                                                              gemm_block *block,
                                                                              int64_t depth)
{
    if (dtype == PLX_F32)
        multiply_packed(PLX_F32, block, depth);
    else
        multiply_packed(PLX_F64, block, depth);
}

static bool has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define multiply_packed_wide multiply_packed
static bool has_wide(void)
{
    return false;
}
#endif

static plx_reference_sum sum_again(const gemm_job *job, int64_t row, int64_t col)
{
    plx_plain_sum sum = {0.0, 0.0, 0.0, false};

    for (int64_t l = 0; l < job->k; l++)
        plx_plain_add(&sum, element_of_a(job, row, l), element_of_b(job, l, col));
    return plx_plain_result(&sum);
}

static void finish_element(const gemm_job *job, const gemm_block *block, int64_t i, int64_t j)
{
    int64_t row = block->row + i, col = block->col + j, at = row * job->p->n + col - job->first;
    plx_reference_sum sum = {{block->sum[i][j], block->tail[i][j]}, block->magnitude[i][j]};
    double c = job->beta != 0.0 ? element(job->dtype, job->c, row * job->p->ldc + col) : 0.0;

    if (plx_is_spoiled(&sum))
        sum = sum_again(job, row, col);
    plx_compensated result =
        plx_finish_sum(&sum, job->alpha, job->beta, c, (double)job->k,
                       plx_range_of(job->dtype == PLX_F32), &job->to->magnitude[at]);
    job->to->value[at] = result.value;
    job->to->tail[at] = result.tail;
}

static void reference_block(const gemm_job *job, gemm_block *block)
{
    bool wide = has_wide();

    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < BLOCK_COLS; j++)
            block->sum[i][j] = block->tail[i][j] = block->magnitude[i][j] = 0.0;
    for (int64_t inner = 0; inner < job->k; inner += BLOCK_DEPTH) {
        int64_t depth = job->k - inner < BLOCK_DEPTH ? job->k - inner : BLOCK_DEPTH;
        pack(job, block, inner, depth);
        if (wide)
            multiply_packed_wide(job->dtype, block, depth);
        else
            multiply_packed(job->dtype, block, depth);
    }
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < block->cols; j++)
            finish_element(job, block, i, j);
}

static void reference_rectangle(const gemm_job *job, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    gemm_block block;

    for (int64_t j = 0; j < cols; j += BLOCK_COLS)
        for (int64_t i = 0; i < rows; i += BLOCK_ROWS) {
            block.row = row + i;
            block.col = col + j;
            block.rows = rows - i < BLOCK_ROWS ? rows - i : BLOCK_ROWS;
            block.cols = cols - j < BLOCK_COLS ? cols - j : BLOCK_COLS;
            reference_block(job, &block);
        }
}

/* A run of elements is the end of a row, whole rows, and the beginning of a row. */
static void gemm_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                           int64_t count, plx_reference *reference)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    gemm_job job = {.dtype = problem->dtype, .p = p, .first = first, .to = reference};
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
};
