/* Problems: made, checked, and brought into the one form that can be compared. */
#include "core/core.h"

#include <string.h>

/* The smallest leading dimension of rows with this many elements. */
static int64_t tight(int64_t cols)
{
    return cols > 1 ? cols : 1;
}

/* memset, not an initialiser: the padding must be zero as well. */
static void clear(plx_problem *problem, plx_op op, plx_dtype dtype)
{
    memset(problem, 0, sizeof *problem);
    problem->op = op;
    problem->dtype = dtype;
}

plx_problem plx_reduce_of(plx_dtype dtype, plx_reduction reduction, int64_t n)
{
    plx_problem problem;
    clear(&problem, PLX_REDUCE, dtype);
    problem.of.reduce.n = n;
    problem.of.reduce.reduction = reduction;
    return problem;
}

plx_problem plx_transpose_of(plx_dtype dtype, int64_t rows, int64_t cols)
{
    plx_problem problem;
    clear(&problem, PLX_TRANSPOSE, dtype);
    problem.of.transpose.rows = rows;
    problem.of.transpose.cols = cols;
    problem.of.transpose.ld_in = tight(cols);
    problem.of.transpose.ld_out = tight(rows);
    return problem;
}

plx_problem plx_matvec_of(plx_dtype dtype, bool trans, int64_t rows, int64_t cols)
{
    plx_problem problem;
    clear(&problem, PLX_MATVEC, dtype);
    problem.of.matvec.rows = rows;
    problem.of.matvec.cols = cols;
    problem.of.matvec.lda = tight(cols);
    problem.of.matvec.trans = trans;
    problem.of.matvec.alpha = 1.0;
    return problem;
}

plx_problem plx_gemm_of(plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k)
{
    plx_problem problem;
    clear(&problem, PLX_GEMM, dtype);
    problem.of.gemm.m = m;
    problem.of.gemm.n = n;
    problem.of.gemm.k = k;
    problem.of.gemm.lda = tight(trans_a ? m : k);
    problem.of.gemm.ldb = tight(trans_b ? k : n);
    problem.of.gemm.ldc = tight(n);
    problem.of.gemm.trans_a = trans_a;
    problem.of.gemm.trans_b = trans_b;
    problem.of.gemm.alpha = 1.0;
    return problem;
}

static int64_t power_of_two(int64_t least)
{
    int64_t power = 1;
    while (power < least && power < (INT64_C(1) << 40))
        power *= 2;
    return power;
}

plx_problem plx_probe_of(plx_dtype dtype, plx_probe_pattern pattern, int64_t n)
{
    bool repeats = pattern == PLX_PROBE_PARTITION || pattern == PLX_PROBE_FMA || pattern == PLX_PROBE_BANKS || pattern == PLX_PROBE_BRANCH;
    bool strides = pattern == PLX_PROBE_GATHER || pattern == PLX_PROBE_BANKS || pattern == PLX_PROBE_BRANCH;
    plx_problem problem;
    clear(&problem, PLX_PROBE, dtype);
    problem.of.probe.pattern = pattern;
    problem.of.probe.n = n;
    problem.of.probe.repeat = repeats ? 1 : 0;
    problem.of.probe.stride = strides ? 1 : 0;
    problem.of.probe.regions = pattern == PLX_PROBE_PARTITION ? 1 : 0;
    problem.of.probe.span = pattern == PLX_PROBE_GATHER ? power_of_two(n) : 0;
    return problem;
}

plx_status plx_problem_check(const plx_problem *problem, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    error->text[0] = '\0';
    if (operation == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT)
        return plx_fail(error, PLX_INVALID, "%s: %d is no element type", operation->name,
                        (int)problem->dtype);
    if ((unsigned)problem->compute >= PLX_COMPUTE_COUNT)
        return plx_fail(error, PLX_INVALID, "%s: %d is no compute type", operation->name,
                        (int)problem->compute);
    if (problem->reserved != 0)
        return plx_fail(error, PLX_INVALID, "%s: the reserved field of the problem is not 0",
                        operation->name);
    return operation->check(problem, error);
}

/* A factor as the kernels see it.  -0 means the same as 0: not read. */
static double factor(plx_dtype dtype, double value)
{
    const double rounded = dtype == PLX_F32 ? (double)(float)value : value;
    return rounded == 0.0 ? 0.0 : rounded;
}

static void normalise_transpose(const plx_transpose_problem *from, plx_transpose_problem *to)
{
    to->rows = from->rows;
    to->cols = from->cols;
    to->ld_in = from->ld_in;
    to->ld_out = from->ld_out;
}

static void normalise_matvec(plx_dtype dtype, const plx_matvec_problem *from, plx_matvec_problem *to)
{
    to->rows = from->rows;
    to->cols = from->cols;
    to->lda = from->lda;
    to->trans = from->trans;
    to->alpha = factor(dtype, from->alpha);
    to->beta = factor(dtype, from->beta);
}

static void normalise_gemm(plx_dtype dtype, const plx_gemm_problem *from, plx_gemm_problem *to)
{
    to->m = from->m;
    to->n = from->n;
    to->k = from->k;
    to->lda = from->lda;
    to->ldb = from->ldb;
    to->ldc = from->ldc;
    to->trans_a = from->trans_a;
    to->trans_b = from->trans_b;
    to->alpha = factor(dtype, from->alpha);
    to->beta = factor(dtype, from->beta);
}

static void normalise_probe(const plx_probe_problem *from, plx_probe_problem *to)
{
    to->pattern = from->pattern;
    to->repeat = from->repeat;
    to->n = from->n;
    to->stride = from->stride;
    to->offset = from->offset;
    to->span = from->span;
    to->regions = from->regions;
}

void plx_problem_normalise(const plx_problem *problem, plx_problem *normal)
{
    clear(normal, problem->op, problem->dtype);
    normal->compute = problem->compute;
    switch (problem->op) {
    case PLX_REDUCE:
        normal->of.reduce.n = problem->of.reduce.n;
        normal->of.reduce.reduction = problem->of.reduce.reduction;
        break;
    case PLX_TRANSPOSE:
        normalise_transpose(&problem->of.transpose, &normal->of.transpose);
        break;
    case PLX_MATVEC:
        normalise_matvec(problem->dtype, &problem->of.matvec, &normal->of.matvec);
        break;
    case PLX_GEMM:
        normalise_gemm(problem->dtype, &problem->of.gemm, &normal->of.gemm);
        break;
    case PLX_PROBE:
        normalise_probe(&problem->of.probe, &normal->of.probe);
        break;
    case PLX_OP_COUNT:
        break;
    }
}
