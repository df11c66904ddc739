/* What `check` tries of an operation: kernels/<op>/cases.c makes a list of problems, inputs and
 * circumstances that cover the sizes at which kernels break.  Private to the tree. */
#ifndef PLX_KERNELS_CASES_H
#define PLX_KERNELS_CASES_H

#include <parallax/half.h>
#include <parallax/study.h>

#include <stddef.h>

typedef struct plx_case {
    plx_problem problem;
    plx_input input;
    uint64_t seed;
    uint64_t shift; /* elements by which operands are misaligned */
    size_t busy;    /* so many more runs beside a busy queue */
    bool precision; /* the precision check as well */
    bool large;     /* needs gigabytes: for accelerators that have them */
    bool configs;   /* each kernel is tried in all its configurations, besides its own choice */
    bool drawn;     /* by another seed than the list's */
} plx_case;

/* A list of cases in the making; `turn` makes secondary choices rotate. */
typedef struct plx_case_maker {
    plx_case *list;
    size_t count;
    plx_dtype dtype;
    plx_compute compute;
    plx_effort effort;
    uint64_t seed, turn;
    bool out_of_memory;
} plx_case_maker;

typedef struct plx_op_cases {
    void (*make)(plx_case_maker *m);
    void (*make_large)(plx_case_maker *m); /* for full checks; NULL: none */
    size_t weight;                         /* how long a case takes beside those of others */
    /* Whether step `step` of a ladder shows this variant when each step shows one or two and
     * the ladder as a whole all; NULL: every step shows all. */
    bool (*shows)(size_t step, const plx_problem *problem);
    /* Where each kernel computes one of several forms: a small problem of each, and which
     * form a problem has.  form_count 0: every kernel computes all. */
    size_t form_count;
    plx_problem (*form)(plx_dtype dtype, size_t which);
    size_t (*form_of)(const plx_problem *problem);
} plx_op_cases;

/* NULL for what is no operation. */
const plx_op_cases *plx_cases_of(plx_op op);

/* ---- for kernels/<op>/cases.c (study/check/cases.c) -------------------------------------- */

/* Sizes around every power of two that a tile, a warp or a block may have, the same
 * around twice and three times a tile, primes, and nothing. */
enum { PLX_CASE_SIZES = 38 };
extern const int64_t plx_case_sizes[PLX_CASE_SIZES];
/* Lengths of sums for the precision check. */
enum { PLX_CASE_TERMS = 4 };
extern const int64_t plx_case_terms[PLX_CASE_TERMS];

void plx_case_add(plx_case_maker *m, const plx_problem *problem, plx_input input);
void plx_case_add_large(plx_case_maker *m, const plx_problem *problem, plx_input input);
void plx_case_add_precise(plx_case_maker *m, const plx_problem *problem);
/* Runs beside a busy queue, for one case of each kind; the others' turns stay theirs. */
void plx_case_add_busy(plx_case_maker *m, const plx_problem *problem);
/* In every configuration that a kernel has for it; the others' turns stay theirs. */
void plx_case_add_configs(plx_case_maker *m, const plx_problem *problem);
/* Zeros that have a sign to keep, whatever the seed; the others' turns stay theirs. */
void plx_case_add_zeros(plx_case_maker *m, const plx_problem *problem);
/* Of a reduction: zeros of one sign but for one, which is -0 if `minus`; `place` numbers where it stands. */
void plx_case_add_odd_zero(plx_case_maker *m, const plx_problem *problem, bool minus, uint64_t place);
/* What this turn takes. */
plx_input plx_case_input(const plx_case_maker *m);
int64_t plx_case_padding(const plx_case_maker *m, uint64_t salt);
void plx_case_scalars(const plx_case_maker *m, plx_input input, double *alpha, double *beta);
static inline bool plx_case_floating(const plx_case_maker *m)
{
    return m->dtype == PLX_F32 || m->dtype == PLX_F64 || plx_is_half(m->dtype);
}

#endif
