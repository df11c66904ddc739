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
        if (!plx_operand_elements(&inputs->problem, i, &inputs->extents[i], &inputs->elements[i]))
            return plx_fail(error, PLX_INVALID, "%s: %s is too large", operation->name, inputs->extents[i].name);
        else
            inputs->apart[i] = plx_batch_stride(&inputs->problem, i, &inputs->extents[i]);
    inputs->count = plx_problem_count(&inputs->problem);
    return PLX_OK;
}

plx_inputs plx_inputs_at(const plx_inputs *inputs, int64_t which)
{
    plx_inputs one = *inputs;

    if (!plx_inputs_is_batch(inputs))
        return one;
    one.problem = plx_batch_one(&inputs->problem);
    one.count = 1;
    if (which > 0) /* each has other numbers */
        one.seed = plx_random(inputs->seed, 256, (uint64_t)which);
    for (size_t i = 0; i < inputs->operation->operand_count; ++i) {
        const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, i));
        one.apart[i] = 0;
        (void)plx_operand_elements(&one.problem, i, &one.extents[i], &one.elements[i]);
        if (inputs->data[i] != NULL)
            one.data[i] = (char *)inputs->data[i] + (size_t)(which * inputs->apart[i]) * size;
    }
    return one;
}

/* Row number `index`, in the order in which they lie: problem by problem, or the first rows of all, then the second. */
static int64_t row_place(const plx_inputs *inputs, int64_t index)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    const int64_t apart = inputs->apart[inputs->operation->output], count = plx_inputs_count(inputs);

    if (count == 1)
        return index * output->ld;
    if (apart >= (output->rows - 1) * output->ld + output->cols)
        return index / output->rows * apart + index % output->rows * output->ld;
    return index / count * output->ld + index % count * apart;
}

bool plx_output_gap(const plx_inputs *inputs, int64_t index, int64_t *first, int64_t *end)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];

    if (output->cols == 0 || index + 1 >= plx_inputs_count(inputs) * output->rows)
        return false;
    *first = row_place(inputs, index) + output->cols;
    *end = row_place(inputs, index + 1);
    return true;
}

/* A vector has one index, a single number none. */
void plx_output_element_text(const plx_inputs *inputs, int64_t index, char *text, size_t capacity)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    const bool matrix = inputs->problem.op == PLX_GEMM || inputs->problem.op == PLX_TRANSPOSE;
    const int64_t each = plx_output_each(inputs), within = index % each;
    char batch[32] = "", row[32] = "", col[32] = "";

    if (plx_inputs_is_batch(inputs))
        (void)snprintf(batch, sizeof batch, "[%lld]", (long long)(index / each));
    if (matrix || output->rows > 1)
        (void)snprintf(row, sizeof row, "[%lld]", (long long)(within / output->cols));
    if (matrix || output->cols > 1)
        (void)snprintf(col, sizeof col, "[%lld]", (long long)(within % output->cols));
    (void)snprintf(text, capacity, "%s%s%s%s", output->name, batch, row, col);
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
    const plx_status status = plx_host_memory_has("an operand takes", (double)bytes, error);
    if (status != PLX_OK)
        return status;
    inputs->data[operand] = plx_large_alloc(bytes);
    if (inputs->data[operand] == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %s of %s (%llu bytes)", inputs->extents[operand].name,
                        inputs->operation->name, (unsigned long long)bytes);
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

/* ---- from arrays ------------------------------------------------------------------- */

plx_strided plx_strided_of(const plx_array *array)
{
    plx_strided lying = {.dtype = array->dtype, .rank = array->rank, .data = array->data};

    if (array->rank == 1) {
        lying.size[0] = array->cols;
        lying.stride[0] = 1;
    } else if (array->rank == 2) {
        lying.size[0] = array->rows;
        lying.size[1] = array->cols;
        lying.stride[0] = array->cols;
        lying.stride[1] = 1;
    } else if (array->rank == 3) {
        lying.size[0] = array->planes;
        lying.size[1] = array->rows;
        lying.size[2] = array->cols;
        lying.stride[0] = array->rows * array->cols;
        lying.stride[1] = array->cols;
        lying.stride[2] = 1;
    }
    return lying;
}

/* Any array as rows and columns; a vector is one row. */
typedef struct view {
    int64_t rows, cols, row_stride, col_stride;
} view;

static view view_of(const plx_strided *array)
{
    if (array->rank == 3) /* which only a vector that is the elements of anything can be */
        return (view){array->size[0] * array->size[1], array->size[2], array->stride[1], array->stride[2]};
    if (array->rank == 2)
        return (view){array->size[0], array->size[1], array->stride[0], array->stride[1]};
    if (array->rank == 1)
        return (view){1, array->size[0], 0, array->stride[0]};
    return (view){1, 1, 0, 0};
}

/* A vector may come as a row or as a column, a matrix to reduce in any shape. */
static bool view_fits(const plx_extent *extent, const view *of)
{
    if (of->rows == extent->rows && of->cols == extent->cols)
        return true;
    if (extent->rows != 1)
        return false;
    if (of->rows == 0 || of->cols == 0)
        return extent->cols == 0;
    return extent->cols / of->cols == of->rows && extent->cols % of->cols == 0;
}

static plx_status check_strided(const char *name, const plx_strided *array, plx_error *error)
{
    bool empty = false;

    if (array->rank < 0 || array->rank > 3)
        return plx_fail(error, PLX_INVALID, "%s: an array of %d dimensions; there are 0 to 3", name, array->rank);
    for (int i = 0; i < array->rank; ++i) {
        if (array->size[i] < 0)
            return plx_fail(error, PLX_INVALID, "%s: a size can't be negative", name);
        empty = empty || array->size[i] == 0;
    }
    if (!empty && array->data == NULL)
        return plx_fail(error, PLX_INVALID, "%s has no data", name);
    return PLX_OK;
}

/* An operand that all problems of a batch share comes once, without a dimension for them. */
static bool has_batch(const plx_inputs *inputs, size_t operand)
{
    return plx_inputs_is_batch(inputs) && inputs->apart[operand] != 0;
}

static plx_strided strided_at(const plx_strided *array, int64_t which)
{
    plx_strided one = *array;

    one.rank = array->rank - 1;
    for (int i = 0; i < one.rank; ++i) {
        one.size[i] = array->size[i + 1];
        one.stride[i] = array->stride[i + 1];
    }
    if (array->data != NULL)
        one.data = (const char *)array->data + which * array->stride[0] * (int64_t)plx_dtype_size(array->dtype);
    return one;
}

static plx_status check_batch(const plx_inputs *inputs, const plx_strided *array, const char *name, plx_error *error)
{
    if (array->rank > 0 && array->size[0] == inputs->count)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%s has %lld in its first dimension, and the batch is of %lld", name,
                    (long long)(array->rank > 0 ? array->size[0] : 1), (long long)inputs->count);
}

/* Matrices without an element follow each other at no distance, as if all shared one; the array may have them all. */
static bool is_batch_of_nothing(const plx_inputs *inputs, size_t operand, const plx_strided *array)
{
    const plx_extent *extent = &inputs->extents[operand];

    return plx_inputs_is_batch(inputs) && (extent->rows == 0 || extent->cols == 0) && array->rank > 1 &&
           array->size[0] == inputs->count && (array->rank == 3 || extent->rows == 1);
}

static plx_status check_one(const plx_extent *extent, const plx_strided *array, const char *name, plx_error *error)
{
    const view of = view_of(array);

    if (array->rank == 3 && array->size[0] != 1 && extent->rows != 1)
        return plx_fail(error, PLX_INVALID, "%s has 3 dimensions, and the problem is no batch", name);
    if (array->rank == 3 && array->size[0] > 1 && array->stride[0] != array->size[1] * array->stride[1])
        return plx_fail(error, PLX_INVALID, "%s has gaps between its matrices, and its elements are to be one vector",
                        name);
    if (view_fits(extent, &of))
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%s has %lld x %lld elements, and has to have %lld x %lld here", name,
                    (long long)of.rows, (long long)of.cols, (long long)extent->rows, (long long)extent->cols);
}

plx_status plx_strided_check(const plx_inputs *inputs, size_t operand, const plx_strided *array, const char *name,
                             plx_error *error)
{
    const plx_dtype dtype = plx_inputs_dtype(inputs, operand);
    plx_status status = check_strided(name, array, error);
    plx_strided one = *array;

    if (status != PLX_OK)
        return status;
    if (array->dtype != dtype)
        return plx_fail(error, PLX_INVALID, "%s is %s, and has to be %s here", name,
                        (unsigned)array->dtype < PLX_DTYPE_COUNT ? plx_dtype_name(array->dtype) : "of no type",
                        plx_dtype_name(dtype));
    if (has_batch(inputs, operand)) {
        status = check_batch(inputs, array, name, error);
        if (status != PLX_OK)
            return status;
        one = strided_at(array, 0);
    } else if (is_batch_of_nothing(inputs, operand, array)) {
        one = strided_at(array, 0);
    }
    return check_one(&inputs->extents[operand], &one, name, error);
}

/* One element after the other: those of a vector may lie in rows. */
static void gather_by_elements(const plx_extent *extent, size_t size, const view *of, const char *from, char *to)
{
    for (int64_t i = 0; i < of->rows; ++i)
        for (int64_t j = 0; j < of->cols; ++j) {
            const int64_t at = i * of->cols + j;
            const int64_t place = extent->rows == 1 ? at : i * extent->ld + j;
            memcpy(to + (size_t)place * size, from + (i * of->row_stride + j * of->col_stride) * (int64_t)size, size);
        }
}

static void gather(const plx_extent *extent, const plx_strided *array, char *to)
{
    const size_t size = plx_dtype_size(array->dtype);
    const view of = view_of(array);
    const char *from = array->data;

    if (of.rows != extent->rows || of.col_stride != 1) {
        gather_by_elements(extent, size, &of, from, to);
        return;
    }
    for (int64_t row = 0; row < of.rows && of.cols > 0; ++row)
        memcpy(to + (size_t)(row * extent->ld) * size, from + row * of.row_stride * (int64_t)size,
               (size_t)of.cols * size);
}

void plx_strided_gather(const plx_inputs *inputs, size_t operand, const plx_strided *array, void *to)
{
    const plx_extent *extent = &inputs->extents[operand];

    if (!has_batch(inputs, operand)) {
        gather(extent, array, to);
        return;
    }
    for (int64_t i = 0; i < inputs->count; ++i) {
        const plx_strided one = strided_at(array, i);
        gather(extent, &one, (char *)to + (size_t)(i * inputs->apart[operand]) * plx_dtype_size(array->dtype));
    }
}

static plx_status take_array(plx_inputs *inputs, size_t operand, const plx_strided *array, plx_error *error)
{
    const plx_extent *extent = &inputs->extents[operand];
    plx_status status = plx_strided_check(inputs, operand, array, extent->name, error);

    if (status == PLX_OK)
        status = reserve(inputs, operand, error);
    if (status != PLX_OK || inputs->data[operand] == NULL)
        return status;
    if (extent->ld > extent->cols || has_batch(inputs, operand)) /* NaN between the rows */
        plx_generate_operand(inputs, operand, inputs->data[operand]);
    plx_strided_gather(inputs, operand, array, inputs->data[operand]);
    return PLX_OK;
}

plx_status plx_inputs_from_strided(const plx_problem *problem, const plx_strided *arrays, size_t count, uint64_t seed,
                                   plx_inputs *inputs, plx_error *error)
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
            status = take_array(&made, i, &arrays[next++], error);
        else if (i == made.operation->output)
            status = generate_one(&made, i, error);
        else
            status = plx_fail(error, PLX_INVALID, "%s: no file was given for %s", made.operation->name,
                              made.extents[i].name);
        if (status == PLX_OK)
            made.grains[i] = plx_grain_of(&made, i);
    }
    if (status == PLX_OK && next < count)
        status = plx_fail(error, PLX_INVALID, "%s reads %zu operands here, %zu files were given", made.operation->name,
                          next, count);
    if (status == PLX_OK)
        *inputs = made;
    else
        plx_inputs_free(&made);
    return status;
}

/* Elements that are none of ours are moved, and not computed with. */
static plx_status check_types(const plx_problem *problem, const plx_array *arrays, size_t count, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);

    for (size_t i = 0; operation != NULL && plx_operation_computes(operation) && i < count; ++i)
        if (arrays[i].type[0] != '\0')
            return plx_fail(error, PLX_INVALID, "an operand is %.15s, which %s does not compute with", arrays[i].type,
                            operation->name);
    return PLX_OK;
}

plx_status plx_inputs_from_arrays(const plx_problem *problem, const plx_array *arrays, size_t count, uint64_t seed,
                                  plx_inputs *inputs, plx_error *error)
{
    plx_strided lying[PLX_MAX_OPERANDS];
    const size_t most = count < PLX_MAX_OPERANDS ? count : PLX_MAX_OPERANDS;
    const plx_status status = check_types(problem, arrays, most, error);

    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < most; ++i)
        lying[i] = plx_strided_of(&arrays[i]);
    return plx_inputs_from_strided(problem, lying, most, seed, inputs, error);
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
