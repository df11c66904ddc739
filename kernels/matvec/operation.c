/* matvec, described without a device: y = alpha * op(A) * x + beta * y.
 * The reference reads A along its rows in both directions: one dot product per element of
 * y, or, transposed, 64 neighbouring columns at a time. */
#include "operation.h"

#include "compensated.h"

#define MATVEC_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64))

/* alpha and beta as the kernels see them. */
static double as_dtype(plx_dtype dtype, double scalar)
{
    return dtype == PLX_F32 ? (double)(float)scalar : scalar;
}

/* ---- shape ------------------------------------------------------------- */

static plx_extent vector_extent(const char *name, plx_access access, int64_t length, int sum_axis)
{
    return (plx_extent){name, access, 1, length, length > 1 ? length : 1, sum_axis};
}

static void matvec_extents(const plx_problem *problem, plx_extent *extents)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    bool reads_y = as_dtype(problem->dtype, p->beta) != 0.0;

    extents[0] = (plx_extent){"A", PLX_READ, p->rows, p->cols, p->lda, p->trans ? 0 : 1};
    extents[1] = vector_extent("x", PLX_READ, p->trans ? p->rows : p->cols, 1);
    extents[2] = vector_extent("y", reads_y ? PLX_READ_WRITE : PLX_WRITE, p->trans ? p->cols : p->rows, -1);
}

/* x may also come as one column. */
static plx_status matvec_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    bool trans = problem->of.matvec.trans;
    int64_t needed = trans ? inputs[0].rows : inputs[0].cols;
    int64_t length = inputs[1].rows == 1 ? inputs[1].cols : inputs[1].rows;

    if (inputs[1].rows != 1 && inputs[1].cols != 1)
        return plx_fail(error, PLX_INVALID, "matvec: x is %lldx%lld, not a vector", (long long)inputs[1].rows,
                        (long long)inputs[1].cols);
    if (length != needed)
        return plx_fail(error, PLX_INVALID, "matvec: A%s is %lldx%lld and takes an x of %lld, not of %lld",
                        trans ? " (to be transposed)" : "", (long long)inputs[0].rows,
                        (long long)inputs[0].cols, (long long)needed, (long long)length);
    plx_shape_set(problem, (const int64_t[]){inputs[0].rows, inputs[0].cols});
    return PLX_OK;
}

/* ---- cost -------------------------------------------------------------- */

static double matvec_flops(const plx_problem *problem)
{
    return 2.0 * (double)problem->of.matvec.rows * (double)problem->of.matvec.cols;
}

/* ---- reference --------------------------------------------------------- */

enum { COLUMNS = 64 };

typedef struct matvec_job {
    plx_dtype dtype;
    const plx_matvec_problem *p;
    double alpha, beta;
    int64_t terms; /* 0 when alpha is: then A and x are not read */
    const void *a, *x, *y;
} matvec_job;

static double element(plx_dtype dtype, const void *from, int64_t index)
{
    return dtype == PLX_F32 ? (double)((const float *)from)[index] : ((const double *)from)[index];
}

static inline void add_product(plx_dtype dtype, plx_reference_sum *to, double a, double x)
{
    if (dtype == PLX_F32) { /* exact in f64: no error to keep */
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
        double x = element(job->dtype, job->x, l);
        for (int64_t j = 0; j < count; j++)
            add_product(job->dtype, &sums[j], element(job->dtype, job->a, l * job->p->lda + column + j), x);
    }
}

static inline void sum_row(const matvec_job *job, int64_t row, plx_reference_sum *sum)
{
    for (int64_t l = 0; l < job->terms; l++)
        add_product(job->dtype, sum, element(job->dtype, job->a, row * job->p->lda + l),
                    element(job->dtype, job->x, l));
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
__attribute__((target("avx2,fma"), flatten)) static void
sum_block_wide(const matvec_job *job, int64_t first, int64_t count, plx_reference_sum *sums)
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
                      element(job->dtype, job->a, job->p->trans ? l * job->p->lda + i : i * job->p->lda + l),
                      element(job->dtype, job->x, l));
    return plx_plain_result(&sum);
}

static void finish_element(const matvec_job *job, int64_t i, plx_reference_sum sum, plx_reference *to,
                           int64_t at)
{
    double y = job->beta != 0.0 ? element(job->dtype, job->y, i) : 0.0;

    if (plx_is_spoiled(&sum))
        sum = sum_again(job, i);
    plx_compensated result = plx_finish_sum(&sum, job->alpha, job->beta, y, (double)job->terms,
                                            plx_range_of(job->dtype == PLX_F32), &to->magnitude[at]);
    to->value[at] = result.value;
    to->tail[at] = result.tail;
}

static void matvec_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                             int64_t count, plx_reference *reference)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    matvec_job job = {.dtype = problem->dtype, .p = p};
    plx_reference_sum sums[COLUMNS];
    bool wide = has_wide();

    job.alpha = as_dtype(problem->dtype, p->alpha);
    job.beta = as_dtype(problem->dtype, p->beta);
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

static const char *const transposed[] = {"n", "t"};

static const plx_field fields[] = {
    {.name = "rows", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(matvec.rows)},
    {.name = "cols", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(matvec.cols)},
    {.name = "trans",
     .kind = PLX_FIELD_FLAG,
     PLX_FIELD_AT(matvec.trans),
     .values = transposed,
     .option = "trans",
     .help = "matvec: multiply by A transposed"},
    PLX_FIELD_ALPHA_AT(matvec.alpha),
    PLX_FIELD_BETA_AT(matvec.beta),
    {.name = "lda", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(matvec.lda), .operand = 0},
};

const plx_operation plx_matvec_operation = {
    .op = PLX_MATVEC,
    .name = "matvec",
    .summary = "matrix times vector: y = alpha * op(A) * x + beta * y",
    .dtypes = MATVEC_DTYPES,
    .operand_count = 3,
    .output = 2,
    .output_rank = 1,
    .shape_form = "RxC",
    .default_shape = {2048, 2048},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .extents = matvec_extents,
    .fit = matvec_fit,
    .flops = matvec_flops,
    .bytes = plx_operand_bytes,
    .exact = plx_never_exact,
    .reference = matvec_reference,
};
