/* What the plugins that call a vendor's library have in common. */
#include "kernels/vendor.h"

const plx_kernel *plx_vendor_kernel(const plx_kernel *table, size_t count, plx_op op, size_t index)
{
    return (size_t)op < count && index == 0 && table[op].name != NULL ? &table[op] : NULL;
}

plx_status plx_vendor_choose(const plx_kernel *first, const char *library, size_t *kernel, plx_error *error)
{
    if (first == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no such operation", library);
    *kernel = 0;
    return PLX_OK;
}

void plx_vendor_stand_back(plx_device_info *devices, size_t count)
{
    enum { ABOVE_ALL_SCORES = 100000 };
    for (size_t i = 0; i < count; i++)
        devices[i].score -= ABOVE_ALL_SCORES;
}

static int64_t terms_of(const plx_problem *problem)
{
    const plx_matvec_problem *v = &problem->of.matvec;
    switch (problem->op) {
    case PLX_GEMM:
        return problem->of.gemm.k;
    case PLX_MATVEC:
        return v->trans ? v->rows : v->cols;
    case PLX_REDUCE:
        return problem->of.reduce.n;
    default: /* no sums */
        return 0;
    }
}

int64_t plx_vendor_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return terms_of(problem);
}

bool plx_vendor_is_empty(const plx_problem *problem)
{
    const plx_gemm_problem *g = &problem->of.gemm;
    const plx_matvec_problem *v = &problem->of.matvec;
    const plx_transpose_problem *t = &problem->of.transpose;
    switch (problem->op) {
    case PLX_GEMM:
        return g->m == 0 || g->n == 0;
    case PLX_MATVEC:
        return (v->trans ? v->cols : v->rows) == 0;
    case PLX_TRANSPOSE:
        return t->rows == 0 || t->cols == 0;
    default:
        return false;
    }
}

bool plx_vendor_has_no_terms(const plx_problem *problem)
{
    const bool scaled_away = (problem->op == PLX_GEMM && problem->of.gemm.alpha == 0) ||
                             (problem->op == PLX_MATVEC && problem->of.matvec.alpha == 0);
    return scaled_away || (problem->op != PLX_TRANSPOSE && terms_of(problem) == 0);
}
