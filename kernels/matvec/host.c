/* The reference matrix-vector product.  Every element of y is summed by one
 * thread in the order of its terms. */
#include "kernels/host.h"
#include "kernels/wide.h"

enum { COLUMNS = 64, ELEMENTS_PER_TASK = 1 << 15 };

typedef struct matvec_call {
    const plx_matvec_problem *problem;
    plx_dtype dtype, output;
    const void *a, *x;
    void *y;
    double alpha, beta;
    int64_t rows_per_task;
} matvec_call;

/* The product of two f32, or narrower, is exact in f64; that of two f64 has an error to keep. */
static inline void add_term(plx_dtype dtype, host_wide *sum, double a, double x)
{
    if (dtype == PLX_F64)
        host_wide_add_product(sum, a, x);
    else
        host_wide_add(sum, a * x);
}

static void finish(const matvec_call *call, int64_t index, host_wide sum)
{
    double old = call->beta == 0 ? 0 : host_load(call->output, call->y, index);
    host_store(call->output, call->y, index, host_wide_scaled(sum, call->alpha, call->beta, old));
}

static inline host_wide row_sum(const matvec_call *call, int64_t row, plx_dtype dtype)
{
    host_wide sum = {0, 0};
    int64_t start = row * call->problem->lda;
    for (int64_t j = 0; j < call->problem->cols; j++)
        add_term(dtype, &sum, host_load(dtype, call->a, start + j), host_load(dtype, call->x, j));
    return sum;
}

/* y = A x: some rows. */
static void rows_task(void *data, int64_t index)
{
    const matvec_call *call = data;
    int64_t first = index * call->rows_per_task;
    int64_t end = first + smaller(call->rows_per_task, call->problem->rows - first);
    for (int64_t row = first; row < end; row++) {
        host_wide sum = {0, 0};
        if (call->alpha != 0)
            sum = call->dtype == PLX_F64   ? row_sum(call, row, PLX_F64)
                  : call->dtype == PLX_F32 ? row_sum(call, row, PLX_F32)
                                           : row_sum(call, row, call->dtype);
        finish(call, row, sum);
    }
}

static inline void column_sums(const matvec_call *call, int64_t first, int64_t count, host_wide *sums, plx_dtype dtype)
{
    for (int64_t row = 0; row < call->problem->rows; row++) {
        double x = host_load(dtype, call->x, row);
        int64_t start = row * call->problem->lda + first;
        for (int64_t j = 0; j < count; j++)
            add_term(dtype, &sums[j], host_load(dtype, call->a, start + j), x);
    }
}

/* y = A^T x: some columns, so that A is read along its rows. */
static void columns_task(void *data, int64_t index)
{
    const matvec_call *call = data;
    int64_t first = index * COLUMNS;
    int64_t count = smaller(COLUMNS, call->problem->cols - first);
    host_wide sums[COLUMNS] = {{0, 0}};
    if (call->alpha != 0 && call->dtype == PLX_F64)
        column_sums(call, first, count, sums, PLX_F64);
    else if (call->alpha != 0 && call->dtype == PLX_F32)
        column_sums(call, first, count, sums, PLX_F32);
    else if (call->alpha != 0)
        column_sums(call, first, count, sums, call->dtype);
    for (int64_t j = 0; j < count; j++)
        finish(call, first + j, sums[j]);
}

static plx_status matvec_run(const plx_problem *problem, void *const *at, plx_error *error)
{
    (void)error;
    const plx_matvec_problem *shape = &problem->of.matvec;
    int64_t terms = shape->trans ? shape->rows : shape->cols;
    matvec_call call = {.problem = shape,
                        .dtype = problem->dtype,
                        .output = plx_output_dtype(problem),
                        .a = at[0],
                        .x = at[1],
                        .y = at[2],
                        .alpha = terms == 0 ? 0 : host_factor(problem->dtype, shape->alpha),
                        .beta = host_factor(problem->dtype, shape->beta),
                        .rows_per_task = 1 + ELEMENTS_PER_TASK / (terms + 1)};
    if (shape->trans)
        plx_host_each(quotient_up(shape->cols, COLUMNS), columns_task, &call);
    else
        plx_host_each(quotient_up(shape->rows, call.rows_per_task), rows_task, &call);
    return PLX_OK;
}

static int64_t matvec_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->of.matvec.trans ? problem->of.matvec.rows : problem->of.matvec.cols;
}

const host_kernel host_matvec = {
    .about = {.name = "reference",
              .idea = "each element summed by one thread, in twice f64",
              .gain = "none is meant: it is the judge's colleague, not a competitor",
              .limit = "one addition after the other in each row",
              .needs = "",
              .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_HALF_DTYPES,
              .compute = PLX_COMPUTE_PLAIN,
              .accumulator_f32 = PLX_F64,
              .reproducibility = PLX_R1,
              .depth = matvec_depth},
    .run = matvec_run,
};
