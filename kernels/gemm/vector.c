/* matvec: where C is a single row or column, the product is a matrix by a vector, and matvec's kernels
 * compute it, as matvec's own choice has it. */
#include "vector.h"

#include <stdio.h>
#include <string.h>

enum { A, B, C }; /* operands; matvec's are the matrix, the vector, the result */

/* The product as matvec sees it, and which of our operands its first two are. */
typedef struct vector_product {
    plx_problem problem;
    uint32_t matrix, vector;
} vector_product;

static vector_product product_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool column = p->n == 1; /* else a row: its transpose is one */
    vector_product made = {.matrix = column ? A : B, .vector = column ? B : A};

    memset(&made.problem, 0, sizeof made.problem);
    made.problem.op = PLX_MATVEC;
    made.problem.dtype = problem->dtype;
    made.problem.compute = problem->compute;
    made.problem.of.matvec = (plx_matvec_problem){
        .trans = column ? p->trans_a : !p->trans_b,
        .rows = column ? (p->trans_a ? p->k : p->m) : (p->trans_b ? p->n : p->k),
        .cols = column ? (p->trans_a ? p->m : p->k) : (p->trans_b ? p->k : p->n),
        .lda = column ? p->lda : p->ldb,
        .alpha = p->alpha,
        .beta = p->beta,
    };
    return made;
}

/* Whether the elements of the vector, and those of C, lie side by side. */
static bool is_dense(const plx_gemm_problem *p)
{
    const bool column = p->n == 1;
    const bool dense_vector =
        column ? p->trans_b || p->ldb == 1 || p->k <= 1 : !p->trans_a || p->lda == 1 || p->k <= 1;
    return dense_vector && (!column || p->ldc == 1 || p->m <= 1);
}

static const plx_row *row_of(const plx_problem *vector, const plx_device_info *device)
{
    return &plx_matvec_ladder.rows[plx_matvec_ladder.choose(vector, device)];
}

/* Our operands in the places of matvec's. */
static void rename_operands(const vector_product *product, plx_recipe *recipe)
{
    const uint32_t ours[] = {product->matrix, product->vector, C};

    for (size_t i = 0; i < recipe->step_count; i++)
        for (size_t j = 0; j < recipe->steps[i].argument_count; j++) {
            plx_argument *argument = &recipe->steps[i].arguments[j];
            if (argument->kind == PLX_ARG_OPERAND)
                argument->operand = ours[argument->operand];
        }
}

plx_status plx_gemm_matvec_recipe(const plx_problem *problem, const plx_device_info *device,
                                  plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;

    if (problem->compute != PLX_COMPUTE_PLAIN)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in the dtype's own arithmetic alone");
    if (p->m != 1 && p->n != 1)
        return plx_fail(error, PLX_UNSUPPORTED, "C is neither a single row nor a single column");
    if (!is_dense(p))
        return plx_fail(error, PLX_UNSUPPORTED, "the elements of a vector lie apart");
    const vector_product product = product_of(problem);
    const plx_row *row = row_of(&product.problem, device);
    plx_status status = plx_recipe_write(row, row->recipe, &product.problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    rename_operands(&product, recipe);
    (void)snprintf(recipe->code, sizeof recipe->code, "%s/%s", plx_ladder_name(PLX_MATVEC), row->about.name);
    return PLX_OK;
}

int64_t plx_gemm_matvec_depth(const plx_problem *problem, const plx_device_info *device)
{
    const vector_product product = product_of(problem);
    if (problem->of.gemm.m != 1 && problem->of.gemm.n != 1)
        return problem->of.gemm.k; /* not served */
    return row_of(&product.problem, device)->about.depth(&product.problem, device);
}
