/* Which problems the kernels of an operation are tried on where nobody asks for one: large enough that a
 * launch is not what takes the time, and of the shapes for which single kernels are made. */
#include "study/attribute/attribute.h"

#include <parallax/bench.h>

typedef struct own_list {
    plx_own_problem *problems;
    size_t count;
} own_list;

static void add(own_list *list, const plx_problem *problem, plx_own whose)
{
    if (list->count < PLX_OWN_PROBLEMS)
        list->problems[list->count++] = (plx_own_problem){.problem = *problem, .whose = whose};
}

/* The shape that `compare` takes by itself, larger in each direction. */
static void add_large(own_list *list, plx_op op, const plx_op_info *info, plx_dtype dtype, plx_own whose)
{
    enum { LARGER = 4 };
    int64_t shape[PLX_MAX_SHAPE];
    plx_error ignored;
    plx_problem problem = plx_problem_of(op, dtype);
    if ((info->dtypes & PLX_DTYPE_BIT(dtype)) == 0)
        return;
    for (size_t i = 0; i < info->shape_rank; ++i)
        shape[i] = info->default_shape[i] * LARGER;
    if (plx_problem_reshape(&problem, shape, info->shape_rank, &ignored) == PLX_OK)
        add(list, &problem, whose);
}

static void add_special(own_list *list, plx_op op)
{
    plx_set_case found;
    for (size_t i = 0; plx_set_at("special", i, &found); ++i)
        if (found.problem.op == op)
            add(list, &found.problem, PLX_OWN_CHOSEN);
}

/* All kernels in each type that is asked for; else in f32, or where they don't take that in f64, and in f16,
 * which has code of its own. */
static void add_types(own_list *list, const plx_attribute_options *options, plx_op op, const plx_op_info *info)
{
    static const plx_dtype by_default[] = {PLX_F32, PLX_F64, PLX_F16};
    const bool asked = options->dtype_count > 0;
    const plx_dtype *dtypes = asked ? options->dtypes : by_default;
    const size_t count = asked ? options->dtype_count : sizeof by_default / sizeof by_default[0];
    for (size_t i = 0; i < count; ++i) {
        add_large(list, op, info, dtypes[i], asked || dtypes[i] == PLX_F16 ? PLX_OWN_EVERY : PLX_OWN_REST);
        if (dtypes[i] == PLX_F32)
            add_special(list, op);
    }
}

size_t plx_own_problems(const plx_attribute_options *options, plx_op op, plx_own_problem problems[PLX_OWN_PROBLEMS])
{
    own_list list = {.problems = problems};
    plx_op_info info;
    if (plx_op_describe(op, &info) && info.verb == NULL)
        add_types(&list, options, op, &info);
    return list.count;
}
