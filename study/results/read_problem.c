/* Reads the problem of a record, of a case that was left out, of a point of a probe. */
#include "study/results/read.h"

static bool is_known_reduction(plx_reader *from, plx_reduction *reduction)
{
    char name[32];
    plx_read_text(from, "reduction", name, sizeof name);
    *reduction = PLX_SUM;
    return name[0] == '\0' || plx_reduction_from_name(name, reduction);
}

static void take_factors(plx_reader *from, double *alpha, double *beta)
{
    *alpha = plx_read_number(from, "alpha", 1);
    *beta = plx_read_number(from, "beta", 0);
}

static void take_probe(plx_reader *from, plx_probe_problem *probe)
{
    int64_t pattern = plx_read_integer(from, "pattern", 0);
    if (pattern < 0 || pattern >= PLX_PROBE_PATTERN_COUNT)
        from->wrong = "pattern";
    else
        probe->pattern = (plx_probe_pattern)pattern;
    probe->repeat = (int32_t)plx_read_integer(from, "repeat", probe->repeat);
    probe->stride = plx_read_integer(from, "stride", probe->stride);
    probe->offset = plx_read_integer(from, "offset", probe->offset);
    probe->span = plx_read_integer(from, "span", probe->span);
    probe->regions = plx_read_integer(from, "regions", probe->regions);
}

/* What a problem of no size has. */
static plx_taken begin_problem(plx_reader *from, plx_op op, plx_dtype dtype, plx_problem *problem)
{
    plx_reduction reduction;
    bool known = is_known_reduction(from, &reduction);
    switch (op) {
    case PLX_REDUCE:
        *problem = plx_reduce_of(dtype, reduction, 0);
        return known ? PLX_TAKEN : PLX_TAKEN_UNKNOWN;
    case PLX_TRANSPOSE:
        *problem = plx_transpose_of(dtype, 0, 0);
        return PLX_TAKEN;
    case PLX_MATVEC:
        *problem = plx_matvec_of(dtype, plx_read_flag(from, "trans", false), 0, 0);
        return PLX_TAKEN;
    case PLX_GEMM:
        *problem = plx_gemm_of(dtype, plx_read_flag(from, "trans_a", false),
                               plx_read_flag(from, "trans_b", false), 0, 0, 0);
        return PLX_TAKEN;
    case PLX_PROBE:
        *problem = plx_probe_of(dtype, PLX_PROBE_GATHER, 0);
        take_probe(from, &problem->of.probe);
        return PLX_TAKEN;
    case PLX_OP_COUNT:
        break;
    }
    return PLX_TAKEN_UNKNOWN;
}

/* What its size does not say. */
static void end_problem(plx_reader *from, plx_problem *problem)
{
    plx_transpose_problem *t = &problem->of.transpose;
    plx_matvec_problem *v = &problem->of.matvec;
    plx_gemm_problem *g = &problem->of.gemm;
    if (problem->op == PLX_MATVEC) {
        take_factors(from, &v->alpha, &v->beta);
        v->lda = plx_read_integer(from, "lda", v->lda);
    } else if (problem->op == PLX_GEMM) {
        take_factors(from, &g->alpha, &g->beta);
        g->lda = plx_read_integer(from, "lda", g->lda);
        g->ldb = plx_read_integer(from, "ldb", g->ldb);
        g->ldc = plx_read_integer(from, "ldc", g->ldc);
    } else if (problem->op == PLX_TRANSPOSE) {
        t->ld_in = plx_read_integer(from, "ld_in", t->ld_in);
        t->ld_out = plx_read_integer(from, "ld_out", t->ld_out);
    }
}

static bool is_shape(const json_t *shape, int64_t sizes[PLX_MAX_SHAPE])
{
    size_t rank = json_array_size(shape);
    for (size_t i = 0; i < rank && rank <= PLX_MAX_SHAPE; i++) {
        if (!json_is_integer(json_array_get(shape, i)))
            return false;
        sizes[i] = (int64_t)json_integer_value(json_array_get(shape, i));
    }
    return json_is_array(shape) && rank <= PLX_MAX_SHAPE;
}

plx_taken plx_read_problem(plx_reader *from, plx_problem *problem)
{
    char op_name[32], dtype_name[32];
    plx_op op;
    plx_dtype dtype;
    plx_error error;
    int64_t sizes[PLX_MAX_SHAPE];
    const json_t *shape = plx_json_at(from->of, "shape");
    plx_read_text(from, "op", op_name, sizeof op_name);
    plx_read_text(from, "dtype", dtype_name, sizeof dtype_name);
    if (from->wrong != NULL)
        return PLX_TAKEN_WRONG;
    if (!plx_op_from_name(op_name, &op) || !plx_dtype_from_name(dtype_name, &dtype))
        return PLX_TAKEN_UNKNOWN;
    plx_taken taken = begin_problem(from, op, dtype, problem);
    if (taken != PLX_TAKEN)
        return taken;
    if (!is_shape(shape, sizes) || plx_problem_reshape(problem, sizes, json_array_size(shape), &error) != PLX_OK)
        from->wrong = "shape";
    end_problem(from, problem);
    if (from->wrong == NULL && plx_problem_check(problem, &error) != PLX_OK)
        from->wrong = "leading dimensions";
    return from->wrong == NULL ? PLX_TAKEN : PLX_TAKEN_WRONG;
}

