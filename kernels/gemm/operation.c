/* gemm, described without a device: C = alpha * op(A) * op(B) + beta * C. */
#include "operation.h"

#define GEMM_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_HALF_DTYPES)

/* ---- shape ------------------------------------------------------------- */

static void gemm_extents(const plx_problem *problem, plx_extent *extents)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    extents[0] =
        (plx_extent){"A", PLX_READ, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, p->lda, p->trans_a ? 0 : 1};
    extents[1] =
        (plx_extent){"B", PLX_READ, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, p->ldb, p->trans_b ? 1 : 0};
    extents[2] = (plx_extent){"C", beta != 0.0 ? PLX_READ_WRITE : PLX_WRITE, p->m, p->n, p->ldc, -1};
}

static plx_status gemm_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    int64_t m = p->trans_a ? inputs[0].cols : inputs[0].rows;
    int64_t k = p->trans_a ? inputs[0].rows : inputs[0].cols;
    int64_t k_of_b = p->trans_b ? inputs[1].cols : inputs[1].rows;
    int64_t n = p->trans_b ? inputs[1].rows : inputs[1].cols;

    if (k != k_of_b)
        return plx_fail(
            error, PLX_INVALID, "gemm: %s is %lldx%lld and %s is %lldx%lld; the inner sizes %lld and %lld differ",
            p->trans_a ? "A transposed" : "A", (long long)m, (long long)k, p->trans_b ? "B transposed" : "B",
            (long long)k_of_b, (long long)n, (long long)k, (long long)k_of_b);
    plx_shape_set(problem, (const int64_t[]){m, n, k});
    return PLX_OK;
}

/* ---- cost -------------------------------------------------------------- */

static double gemm_flops(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return 2.0 * (double)p->m * (double)p->n * (double)p->k;
}

static const char *const transposed[] = {"n", "t"};

static const plx_field fields[] = {
    {.name = "m", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(gemm.m)},
    {.name = "n", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(gemm.n)},
    {.name = "k", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(gemm.k)},
    {.name = "trans_a",
     .kind = PLX_FIELD_FLAG,
     PLX_FIELD_AT(gemm.trans_a),
     .values = transposed,
     .option = "trans-a",
     .help = "gemm: A is transposed"},
    {.name = "trans_b",
     .kind = PLX_FIELD_FLAG,
     PLX_FIELD_AT(gemm.trans_b),
     .values = transposed,
     .option = "trans-b",
     .help = "gemm: B is transposed"},
    PLX_FIELD_ALPHA_AT(gemm.alpha),
    PLX_FIELD_BETA_AT(gemm.beta),
    {.name = "lda", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(gemm.lda), .operand = 0},
    {.name = "ldb", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(gemm.ldb), .operand = 1},
    {.name = "ldc", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(gemm.ldc), .operand = 2},
};

const plx_operation plx_gemm_operation = {
    .op = PLX_GEMM,
    .name = "gemm",
    .summary = "matrix product: C = alpha * op(A) * op(B) + beta * C",
    .dtypes = GEMM_DTYPES,
    .f32_computes = 1u << PLX_COMPUTE_TF32 | 1u << PLX_COMPUTE_F16X3 | 1u << PLX_COMPUTE_BF16X6,
    .operand_count = 3,
    .output = 2,
    .output_rank = 2,
    .shape_form = "MxNxK",
    .default_shape = {512, 512, 512},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .extents = gemm_extents,
    .fit = gemm_fit,
    .flops = gemm_flops,
    .bytes = plx_operand_bytes,
};
