/* A problem in words: its shape, and its variant. */
#include "base/format.h"

#include <parallax/parallax.h>

#include <inttypes.h>
#include <string.h>

void plx_shape_text(const plx_problem *problem, char *text, size_t capacity)
{
    int64_t shape[PLX_MAX_SHAPE] = {0};
    plx_op_info info;
    size_t length = 0;
    text[0] = '\0';
    if (!plx_op_describe(problem->op, &info))
        return;
    plx_problem_shape(problem, shape);
    for (size_t i = 0; i < info.shape_rank && length < capacity; i++)
        length +=
            (size_t)snprintf(text + length, capacity - length, "%s%" PRId64, i > 0 ? "x" : "", shape[i]);
}

static void factors_text(double alpha, double beta, char *text, size_t capacity)
{
    char number[2][32];
    plx_number_text(alpha, 6, number[0], sizeof number[0]);
    plx_number_text(beta, 6, number[1], sizeof number[1]);
    bool a = !(alpha == 1.0), b = !(beta == 0.0);
    (void)snprintf(text, capacity, "%s%s%s%s", a ? ", alpha " : "", a ? number[0] : "", b ? ", beta " : "",
                   b ? number[1] : "");
}

/* ", lda 300", where rows are further apart than they have to be. */
static void add_pitch(char *text, size_t capacity, const char *name, int64_t pitch, int64_t smallest)
{
    const size_t length = strlen(text);
    if (pitch != (smallest > 1 ? smallest : 1))
        (void)snprintf(text + length, capacity - length, ", %s %" PRId64, name, pitch);
}

static void pitches_text(const plx_problem *problem, char *text, size_t capacity)
{
    const plx_transpose_problem *t = &problem->of.transpose;
    const plx_gemm_problem *g = &problem->of.gemm;
    switch (problem->op) {
    case PLX_TRANSPOSE:
        add_pitch(text, capacity, "ld_in", t->ld_in, t->cols);
        add_pitch(text, capacity, "ld_out", t->ld_out, t->rows);
        break;
    case PLX_MATVEC:
        add_pitch(text, capacity, "lda", problem->of.matvec.lda, problem->of.matvec.cols);
        break;
    case PLX_GEMM:
        add_pitch(text, capacity, "lda", g->lda, g->trans_a ? g->m : g->k);
        add_pitch(text, capacity, "ldb", g->ldb, g->trans_b ? g->k : g->n);
        add_pitch(text, capacity, "ldc", g->ldc, g->n);
        break;
    case PLX_REDUCE:
    case PLX_PROBE:
    case PLX_OP_COUNT:
        break;
    }
}

void plx_layout_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity)
{
    text[0] = '\0';
    pitches_text(problem, text, capacity);
    const size_t length = strlen(text);
    if (shift > 0)
        (void)snprintf(text + length, capacity - length, ", shift %" PRIu64, shift);
}

static void probe_text(const plx_probe_problem *probe, char *text, size_t capacity)
{
    static const char *const patterns[PLX_PROBE_PATTERN_COUNT] = {
        [PLX_PROBE_GATHER] = "gather",   [PLX_PROBE_PARTITION] = "partition", [PLX_PROBE_BANKS] = "banks",
        [PLX_PROBE_REVERSE] = "reverse", [PLX_PROBE_BRANCH] = "branch",       [PLX_PROBE_GUARD] = "guard",
        [PLX_PROBE_COPY] = "copy",       [PLX_PROBE_READ] = "read",           [PLX_PROBE_FMA] = "fma",
        [PLX_PROBE_LAUNCH] = "launch",
    };
    bool known = (unsigned)probe->pattern < PLX_PROBE_PATTERN_COUNT;
    (void)snprintf(text, capacity, "%s, stride %" PRId64 ", offset %" PRId64, known ? patterns[probe->pattern] : "?",
                   probe->stride, probe->offset);
}

void plx_variant_text(const plx_problem *problem, char *text, size_t capacity)
{
    char factors[96] = "";
    text[0] = '\0';
    switch (problem->op) {
    case PLX_REDUCE:
        (void)snprintf(text, capacity, "%s", plx_reduction_name(problem->of.reduce.reduction));
        break;
    case PLX_MATVEC:
        factors_text(problem->of.matvec.alpha, problem->of.matvec.beta, factors, sizeof factors);
        (void)snprintf(text, capacity, "%s%s", problem->of.matvec.trans ? "t" : "n", factors);
        break;
    case PLX_GEMM:
        factors_text(problem->of.gemm.alpha, problem->of.gemm.beta, factors, sizeof factors);
        (void)snprintf(text, capacity, "%s%s%s", problem->of.gemm.trans_a ? "t" : "n",
                       problem->of.gemm.trans_b ? "t" : "n", factors);
        break;
    case PLX_PROBE:
        probe_text(&problem->of.probe, text, capacity);
        break;
    case PLX_TRANSPOSE:
    case PLX_OP_COUNT:
        break;
    }
}

void plx_problem_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity)
{
    char shape[80], variant[128], layout[128];
    plx_shape_text(problem, shape, sizeof shape);
    plx_variant_text(problem, variant, sizeof variant);
    plx_layout_text(problem, shift, layout, sizeof layout);
    (void)snprintf(text, capacity, "%s %s %s%s%s%s", plx_op_name(problem->op), plx_dtype_name(problem->dtype),
                   shape, variant[0] != '\0' ? " " : "", variant, layout);
}
