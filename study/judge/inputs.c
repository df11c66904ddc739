/* The operands of a problem in host memory: generated, or taken from arrays. */
#include "study/judge/judge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int64_t plx_sum_length(const plx_inputs *inputs)
{
    return plx_summed_terms(inputs->operation, inputs->extents);
}

/* It shows in a problem of this form whose sizes all differ. */
size_t plx_summed_size(const plx_problem *like)
{
    static const int64_t different[PLX_MAX_SHAPE] = {3, 5, 7};
    const plx_operation *operation = plx_operation_of(like->op);
    const size_t rank = plx_shape_rank(operation);
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_problem problem = *like;
    size_t size = 0;

    assert(rank <= PLX_MAX_SHAPE);
    plx_shape_set(&problem, different);
    operation->extents(&problem, extents);
    while (size < rank && different[size] != plx_summed_terms(operation, extents))
        ++size;
    return size;
}

int plx_factor_count(const plx_inputs *inputs)
{
    int count = 0;
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        count += inputs->extents[i].sum_axis >= 0 ? 1 : 0;
    return count;
}

plx_status plx_inputs_describe(const plx_problem *problem, plx_inputs *inputs, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_status status = plx_problem_check(problem, error);

    if (status != PLX_OK)
        return status;
    *inputs = (plx_inputs){.operation = operation};
    plx_problem_normalise(problem, &inputs->problem); /* the scalars that kernels get */
    operation->extents(&inputs->problem, inputs->extents);
    for (size_t i = 0; i < operation->operand_count; ++i)
        if (!plx_extent_elements(inputs->extents[i].rows, inputs->extents[i].cols, inputs->extents[i].ld,
                                 plx_dtype_size(plx_inputs_dtype(inputs, i)), &inputs->elements[i]))
            return plx_fail(error, PLX_INVALID, "%s: %s is too large", operation->name,
                            inputs->extents[i].name);
    return PLX_OK;
}

static bool is_read(const plx_inputs *inputs, size_t operand)
{
    double alpha, beta;
    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    return operand != inputs->operation->output || beta != 0.0;
}

static plx_status reserve(plx_inputs *inputs, size_t operand, plx_error *error)
{
    uint64_t bytes = (uint64_t)inputs->elements[operand] * plx_dtype_size(plx_inputs_dtype(inputs, operand));

    if (bytes == 0)
        return PLX_OK;
    inputs->data[operand] = plx_large_alloc(bytes);
    if (inputs->data[operand] == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %s of %s (%llu bytes)",
                        inputs->extents[operand].name, inputs->operation->name, (unsigned long long)bytes);
    return PLX_OK;
}

static plx_status generate_one(plx_inputs *inputs, size_t operand, plx_error *error)
{
    plx_status status = reserve(inputs, operand, error);
    if (status == PLX_OK && inputs->data[operand] != NULL)
        plx_generate_operand(inputs, operand, inputs->data[operand]);
    return status;
}

plx_status plx_inputs_generate(const plx_problem *problem, plx_input input, uint64_t seed, plx_inputs *inputs,
                               plx_error *error)
{
    plx_inputs made;
    plx_status status = plx_inputs_describe(problem, &made, error);

    if (status != PLX_OK)
        return status;
    made.input = input;
    made.seed = seed;
    for (size_t i = 0; status == PLX_OK && i < made.operation->operand_count; ++i)
        if (is_read(&made, i))
            status = generate_one(&made, i, error);
    if (status == PLX_OK)
        *inputs = made;
    else
        plx_inputs_free(&made);
    return status;
}

/* A vector may come as a row or as a column, a matrix to reduce in any shape. */
static bool array_fits(const plx_extent *extent, const plx_array *array)
{
    if (array->rows == extent->rows && array->cols == extent->cols)
        return true;
    return extent->rows == 1 && array->rows * array->cols == extent->cols;
}

static plx_status copy_array(plx_inputs *inputs, size_t operand, const plx_array *array, plx_error *error)
{
    const plx_extent *extent = &inputs->extents[operand];
    plx_dtype dtype = plx_inputs_dtype(inputs, operand);
    size_t size = plx_dtype_size(dtype);
    plx_status status;

    if (array->dtype != dtype)
        return plx_fail(error, PLX_INVALID, "%s: the file has %s, the problem %s", extent->name,
                        plx_dtype_name(array->dtype), plx_dtype_name(dtype));
    if (!array_fits(extent, array))
        return plx_fail(error, PLX_INVALID, "%s: the file has %lld x %lld elements, the problem %lld x %lld",
                        extent->name, (long long)array->rows, (long long)array->cols, (long long)extent->rows,
                        (long long)extent->cols);
    status = reserve(inputs, operand, error);
    if (status != PLX_OK || inputs->data[operand] == NULL)
        return status;
    if (extent->ld > extent->cols) /* NaN between the rows */
        plx_generate_operand(inputs, operand, inputs->data[operand]);
    for (int64_t row = 0; row < extent->rows; ++row)
        memcpy((char *)inputs->data[operand] + (size_t)(row * extent->ld) * size,
               (const char *)array->data + (size_t)(row * extent->cols) * size, (size_t)extent->cols * size);
    return PLX_OK;
}

plx_status plx_inputs_from_arrays(const plx_problem *problem, const plx_array *arrays, size_t count,
                                  uint64_t seed, plx_inputs *inputs, plx_error *error)
{
    plx_inputs made;
    plx_status status = plx_inputs_describe(problem, &made, error);
    size_t next = 0;

    if (status != PLX_OK)
        return status;
    made.seed = seed;
    made.from_arrays = true;
    for (size_t i = 0; status == PLX_OK && i < made.operation->operand_count; ++i) {
        if (!is_read(&made, i))
            continue;
        if (next < count)
            status = copy_array(&made, i, &arrays[next++], error);
        else if (i == made.operation->output)
            status = generate_one(&made, i, error);
        else
            status = plx_fail(error, PLX_INVALID, "%s: no file was given for %s", made.operation->name,
                              made.extents[i].name);
    }
    if (status == PLX_OK && next < count)
        status = plx_fail(error, PLX_INVALID, "%s reads %zu operands here, %zu files were given",
                          made.operation->name, next, count);
    if (status == PLX_OK)
        *inputs = made;
    else
        plx_inputs_free(&made);
    return status;
}

plx_status plx_inputs_make(const plx_problem *problem, const plx_array *arrays, size_t count, plx_input input,
                           uint64_t seed, plx_inputs *inputs, plx_error *error)
{
    if (arrays != NULL && count > 0)
        return plx_inputs_from_arrays(problem, arrays, count, seed, inputs, error);
    return plx_inputs_generate(problem, input, seed, inputs, error);
}

void plx_inputs_write(plx_inputs *inputs, plx_term_of *term_of, const void *data)
{
    for (size_t i = 0; i < inputs->operation->operand_count; ++i) {
        const plx_extent *e = &inputs->extents[i];
        if (e->sum_axis < 0 || inputs->data[i] == NULL)
            continue;
        for (int64_t row = 0; row < e->rows; ++row)
            for (int64_t col = 0; col < e->cols; ++col)
                plx_element_put(inputs->problem.dtype, inputs->data[i], row * e->ld + col,
                                e->sum_axis == 0 ? term_of(data, i, row, col) : term_of(data, i, col, row));
    }
    inputs->from_arrays = true;
}

void plx_inputs_free(plx_inputs *inputs)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i) {
        free(inputs->data[i]);
        inputs->data[i] = NULL;
    }
}
