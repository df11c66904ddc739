/* Kernels that are wrong in one way each, and a few that are right though they add
 * in another order, in a plugin without hardware.  The judge must catch the former
 * by the expected rule and pass the latter. */
#ifndef PLX_TESTS_MUTANT_H
#define PLX_TESTS_MUTANT_H

#include <parallax/plugin.h>

/* One call: where the operands lie, and how often this plan ran before. */
typedef struct mutant_call {
    const plx_problem *problem;
    void *at[PLX_MAX_OPERANDS]; /* NULL: no elements */
    size_t runs_before;
} mutant_call;

/* about.limit holds words of the reason with which the judge must refuse it, "" for
 * a kernel that is right; about.gain the class of input that must reveal it among
 * others, "" for any. */
typedef struct mutant {
    plx_kernel about;
    void (*run)(const mutant_call *call);
} mutant;

typedef struct mutant_list {
    const mutant *rows;
    size_t count;
} mutant_list;

extern const mutant_list gemm_mutants, matvec_mutants, reduce_mutants, transpose_mutants;
extern const mutant_list half_mutants; /* behind those of gemm */

#define MUTANT_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* What the judge says. */
#define BY_BOUND "outside the bound"
#define BY_CANARY "wrote outside"
#define BY_PADDING "wrote between the rows"
#define BY_INPUT "changed its input"
#define BY_REPEAT "second run gave other bits"
#define BY_BUSY "next to a busy queue gave other bits"
#define BY_PRECISION "precision check"
#define BY_IMPOSSIBLE_DEPTH "impossible depth"
#define BY_TRIED_DEPTH "depth that it declares is too small"

/* Cuts the mantissa of an f32 down to this many bits. */
float mutant_cut(float value, int bits);

#endif
