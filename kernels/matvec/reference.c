/* The reference of matvec: reads A along its rows in both directions: one dot product per
 * element of y, or, transposed, 64 neighbouring columns at a time. */
#include "kernels/reference.h"

#include "compensated.h"

enum { COLUMNS = 64 };

typedef struct matvec_job {
    plx_dtype dtype, output;
    const plx_matvec_problem *p;
    double alpha, beta;
    int64_t terms; /* 0 when alpha is: then A and x are not read */
    const void *a, *x, *y;
} matvec_job;

static inline void add_product(plx_dtype dtype, plx_reference_sum *to, double a, double x)
{
    if (dtype != PLX_F64) { /* exact in f64: no error to keep */
        double product = a * x;
        to->sum.value += product;
        to->magnitude += fabs(product);
        return;
    }
    plx_compensated product = plx_product_of(a, x);
    plx_compensated sum = plx_sum_of(to->sum.value, product.value);
    to->sum.value = sum.value;
    to->sum.tail += sum.tail + product.tail;
    to->magnitude += fabs(product.value);
}

/* Columns column .. column+count-1 of A, count <= COLUMNS, each times x. */
static inline void sum_columns(const matvec_job *job, int64_t column, int64_t count, plx_reference_sum *sums)
{
    for (int64_t l = 0; l < job->terms; l++) {
        double x = plx_real_element(job->dtype, job->x, l);
        for (int64_t j = 0; j < count; j++)
            add_product(job->dtype, &sums[j], plx_real_element(job->dtype, job->a, l * job->p->lda + column + j), x);
    }
}

static inline void sum_row(const matvec_job *job, int64_t row, plx_reference_sum *sum)
{
    for (int64_t l = 0; l < job->terms; l++)
        add_product(job->dtype, sum, plx_real_element(job->dtype, job->a, row * job->p->lda + l),
                    plx_real_element(job->dtype, job->x, l));
}

static inline void sum_block(const matvec_job *job, int64_t first, int64_t count, plx_reference_sum *sums)
{
    for (int64_t i = 0; i < count; i++)
        sums[i] = (plx_reference_sum){{0.0, 0.0}, 0.0};
    if (job->p->trans)
        sum_columns(job, first, count, sums);
    else
        for (int64_t i = 0; i < count; i++)
            sum_row(job, first + i, &sums[i]);
}

/* The same with the processor's own fma, where it has one. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__FMA__)
__attribute__((target("avx2,fma"), flatten)) static void sum_block_wide(const matvec_job *job, int64_t first,
                                                                        int64_t count, plx_reference_sum *sums)
{
    sum_block(job, first, count, sums);
}

static bool has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define sum_block_wide sum_block
static bool has_wide(void)
{
    return false;
}
#endif

static plx_reference_sum sum_again(const matvec_job *job, int64_t i)
{
    plx_plain_sum sum = {0.0, 0.0, 0.0, false};

    for (int64_t l = 0; l < job->terms; l++)
        plx_plain_add(&sum,
                      plx_real_element(job->dtype, job->a, job->p->trans ? l * job->p->lda + i : i * job->p->lda + l),
                      plx_real_element(job->dtype, job->x, l));
    return plx_plain_result(&sum);
}

static void finish_element(const matvec_job *job, int64_t i, plx_reference_sum sum, plx_reference *to, int64_t at)
{
    double y = job->beta != 0.0 ? plx_real_element(job->output, job->y, i) : 0.0;

    if (plx_is_spoiled(&sum))
        sum = sum_again(job, i);
    plx_compensated result = plx_finish_sum(&sum, job->alpha, job->beta, y, (double)job->terms,
                                            plx_range_of(job->dtype != PLX_F64), &to->magnitude[at]);
    to->value[at] = result.value;
    to->tail[at] = result.tail;
}

static void matvec_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                             int64_t count, plx_reference *reference)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    matvec_job job = {.dtype = problem->dtype, .output = plx_output_dtype(problem), .p = p};
    plx_reference_sum sums[COLUMNS];
    bool wide = has_wide();

    plx_problem_scalars(problem, &job.alpha, &job.beta);
    job.terms = job.alpha != 0.0 ? (p->trans ? p->rows : p->cols) : 0;
    job.a = operands->at[0];
    job.x = operands->at[1];
    job.y = operands->at[2];
    for (int64_t done = 0; done < count; done += COLUMNS) {
        int64_t block = count - done < COLUMNS ? count - done : COLUMNS;
        if (wide)
            sum_block_wide(&job, first + done, block, sums);
        else
            sum_block(&job, first + done, block, sums);
        for (int64_t i = 0; i < block; i++)
            finish_element(&job, first + done + i, sums[i], reference, done + i);
    }
}

const plx_op_reference plx_matvec_reference = {
    .exact = plx_never_exact,
    .make = matvec_reference,
};
