/* --axis: a reduction along one of the dimensions of an array, as the library has it: outer x n x inner. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The sizes of an array, from the first dimension on. */
typedef struct sizes {
    int64_t at[3];
    int rank;
} sizes;

static sizes sizes_of(const plx_array *array)
{
    const int64_t all[] = {array->planes, array->rows, array->cols};
    sizes of = {.rank = array->rank};
    for (int i = 0; i < of.rank; i++)
        of.at[i] = all[3 - of.rank + i];
    return of;
}

/* The same elements in another shape. */
static void reshape(plx_array *array, const sizes *to)
{
    array->rank = to->rank;
    array->cols = to->rank > 0 ? to->at[to->rank - 1] : 1;
    array->rows = to->rank > 1 ? to->at[to->rank - 2] : 1;
    array->planes = to->rank > 2 ? to->at[0] : 1;
}

static int read_axis(const char *word, const sizes *of, int *axis)
{
    char *end;
    const long given = strtol(word, &end, 10);
    const long counted = given < 0 ? given + of->rank : given;
    if (end == word || *end != '\0')
        return cli_wrong_usage("--axis: '%s' is no whole number", word);
    if (counted < 0 || counted >= of->rank)
        return cli_wrong_usage("--axis %s: x has %d dimension%s, from 0 on, and no such axis", word, of->rank,
                               of->rank == 1 ? "" : "s");
    *axis = (int)counted;
    return CLI_OK;
}

static int64_t product(const sizes *of, int first, int end)
{
    int64_t all = 1;
    for (int i = first; i < end; i++)
        all *= of->at[i]; /* an array's elements can be counted */
    return all;
}

int cli_axis_apply(const cli_options *options, plx_problem *problem, cli_work *work)
{
    plx_array *x = &work->inputs[0];
    const sizes of = sizes_of(x);
    int axis = 0;
    if (options->axis == NULL)
        return CLI_OK;
    if (problem->op != PLX_REDUCE || work->input_count != 1)
        return cli_wrong_usage("--axis is for reduce, with one --in");
    if (problem->batch.batched || problem->of.reduce.inner != 0)
        return cli_wrong_usage("--axis says what --batch and --inner say: one or the other");
    const int status = read_axis(options->axis, &of, &axis);
    if (status != CLI_OK)
        return status;
    const int64_t outer = product(&of, 0, axis), inner = product(&of, axis + 1, of.rank);
    sizes without = {.rank = 0}, with = {.rank = 0};
    for (int i = 0; i < of.rank; i++)
        if (i != axis)
            without.at[without.rank++] = of.at[i];
    reshape(&work->without_axis, &without);
    const plx_problem along =
        plx_reduce_along_of(problem->dtype, problem->of.reduce.reduction, outer, of.at[axis], inner);
    problem->of.reduce.inner = inner == 1 ? 0 : along.of.reduce.inner;
    if (outer != 1)
        *problem = plx_batch_of(problem, outer);
    if (outer != 1)
        with.at[with.rank++] = outer;
    with.at[with.rank++] = of.at[axis];
    if (inner != 1)
        with.at[with.rank++] = inner;
    reshape(x, &with);
    return CLI_OK;
}

void cli_axis_result(const cli_options *options, plx_array *result)
{
    const plx_array *like = &options->work.without_axis;
    if (options->axis == NULL)
        return;
    const sizes shape = sizes_of(like);
    reshape(result, &shape);
}

void cli_axis_judged(const cli_options *options, plx_array *result)
{
    const plx_problem *problem = &options->work.problems[0];
    const sizes is = sizes_of(result), wanted = sizes_of(&options->work.without_axis);
    sizes to = {.rank = 0};
    if (options->axis == NULL || memcmp(&is, &wanted, sizeof is) != 0)
        return; /* the judge says what does not fit */
    if (problem->batch.batched)
        to.at[to.rank++] = problem->batch.count;
    if (problem->of.reduce.inner > 1)
        to.at[to.rank++] = problem->of.reduce.inner;
    reshape(result, &to);
}
