/* Which cases a bench has: those of its sets and those that were asked for by shape, each
 * once. */
#include "study/bench/bench.h"
#include "study/bench/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct case_list {
    plx_bench_case *cases;
    size_t count;
    plx_error *error;
} case_list;

/* What two ask for has the wider limits. */
static bool merge(case_list *list, const plx_bench_case *wanted)
{
    for (size_t i = 0; i < list->count; i++) {
        plx_bench_case *known = &list->cases[i];
        if (known->shift != wanted->shift || memcmp(&known->problem, &wanted->problem, sizeof known->problem) != 0)
            continue;
        known->processor_flops = fmax(known->processor_flops, wanted->processor_flops);
        known->processor_bytes = fmax(known->processor_bytes, wanted->processor_bytes);
        return true;
    }
    return false;
}

static plx_status add(case_list *list, const plx_bench_case *given)
{
    plx_bench_case settled = *given;
    const plx_bench_case *wanted = &settled;
    if (given->problem.batch.batched) /* as files have it: dense strides are numbers there */
        plx_problem_normalise(&given->problem, &settled.problem);
    if (merge(list, wanted))
        return PLX_OK;
    plx_bench_case *grown = realloc(list->cases, (list->count + 1) * sizeof *grown);
    if (grown == NULL)
        return plx_fail(list->error, PLX_NO_MEMORY, "no memory for the list of cases");
    list->cases = grown;
    list->cases[list->count++] = *wanted;
    return PLX_OK;
}

static bool wants_op(const plx_bench_options *options, plx_op op)
{
    for (size_t i = 0; i < options->op_count; i++)
        if (options->ops[i] == op)
            return true;
    return options->op_count == 0;
}

static bool has_dtype(plx_op op, plx_dtype dtype)
{
    plx_op_info info;
    return plx_op_describe(op, &info) && (info.dtypes & PLX_DTYPE_BIT(dtype)) != 0;
}

/* The case in each compute type that is asked for: products in f32 have several. */
static plx_status add_with_computes(case_list *list, const plx_bench_options *options, plx_bench_case wanted)
{
    const bool several = wanted.problem.op == PLX_GEMM && wanted.problem.dtype == PLX_F32 && options->compute_count > 0;
    const size_t count = several ? options->compute_count : 1;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        wanted.problem.compute = several ? options->computes[i] : PLX_COMPUTE_PLAIN;
        status = add(list, &wanted);
    }
    return status;
}

/* The case with each element type that its operation has. */
static plx_status add_with_dtypes(case_list *list, const plx_bench_options *options, plx_bench_case wanted)
{
    static const plx_dtype by_default[] = {PLX_F32};
    const bool asked = options->dtype_count > 0;
    const plx_dtype *dtypes = asked ? options->dtypes : by_default;
    const size_t count = asked ? options->dtype_count : 1;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        wanted.problem.dtype = dtypes[i];
        if (has_dtype(wanted.problem.op, dtypes[i]))
            status = add_with_computes(list, options, wanted);
    }
    return status;
}

static plx_status add_set(case_list *list, const plx_bench_options *options, const char *set)
{
    plx_bench_case wanted = {.shift = 0};
    plx_set_case found;
    plx_status status = plx_set_check(set, list->error);
    if (status == PLX_OK)
        (void)plx_set_limits(set, &wanted.processor_flops, &wanted.processor_bytes);
    for (size_t i = 0; status == PLX_OK && plx_set_at(set, i, &found); i++) {
        wanted.problem = found.problem;
        wanted.shift = found.shift;
        if (wants_op(options, found.problem.op))
            status = add_with_dtypes(list, options, wanted);
    }
    return status;
}

static plx_status add_sets(case_list *list, const plx_bench_options *options)
{
    static const char *const by_default[] = {"quick"};
    const bool none = options->set_count == 0;
    const char *const *names = none ? by_default : options->sets;
    size_t count = !none ? options->set_count : options->compare.problem_count == 0 ? 1 : 0;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; i++)
        status = add_set(list, options, names[i]);
    return status;
}

plx_status plx_bench_cases(const plx_bench_options *options, plx_bench_case **cases, size_t *count, plx_error *error)
{
    case_list list = {.error = error};
    plx_status status = add_sets(&list, options);
    for (size_t i = 0; status == PLX_OK && i < options->compare.problem_count; i++)
        status = add(&list, &(plx_bench_case){.problem = options->compare.problems[i],
                                              .processor_flops = INFINITY,
                                              .processor_bytes = INFINITY});
    if (status == PLX_OK && list.count == 0)
        status = plx_fail(error, PLX_INVALID, "the sets have no case of that operation and element type");
    if (status != PLX_OK) {
        free(list.cases);
        return status;
    }
    *cases = list.cases;
    *count = list.count;
    return PLX_OK;
}
