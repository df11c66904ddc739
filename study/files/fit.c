/* The shape of a problem, taken from the arrays that a user brought. */
#include "base/text.h"
#include "kernels/operation.h"

#include <parallax/study.h>

#include <assert.h>

static const char *extent_name(const plx_operation *operation, const plx_extent *extents, size_t index)
{
    return index < operation->operand_count ? extents[index].name : "one more";
}

/* "x", "A, B" or "A, B, C": what has to be brought. */
static void wanted_names(const plx_operation *operation, const plx_extent *extents, size_t count, plx_line *line)
{
    for (size_t i = 0; i < count; i++)
        plx_line_add(line, "%s%s", i > 0 ? ", " : "", extent_name(operation, extents, i));
}

static plx_status check_count(const plx_operation *operation, const plx_extent *extents, size_t count, plx_error *error)
{
    bool reads_output = extents[operation->output].access == PLX_READ_WRITE;
    size_t wanted = operation->operand_count - (reads_output ? 0 : 1);
    if (count == wanted)
        return PLX_OK;
    plx_line names = {.length = 0};
    wanted_names(operation, extents, wanted, &names);
    const char *why = "";
    if (reads_output && count + 1 == wanted)
        why = ", because beta is not 0";
    else if (!reads_output && count == wanted + 1)
        why = ", because beta is 0 or there is none";
    return plx_fail(error, PLX_INVALID, "%s takes %zu array%s (%s), not %zu%s", operation->name, wanted,
                    wanted == 1 ? "" : "s", names.text, count, why);
}

/* "f32 f64 i32": what an operation computes with. */
static void dtype_names(const plx_operation *operation, plx_line *line)
{
    for (unsigned dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
        if ((operation->dtypes & PLX_DTYPE_BIT(dtype)) != 0)
            plx_line_add(line, "%s%s", line->length > 0 ? " " : "", plx_dtype_name((plx_dtype)dtype));
}

static plx_status check_type(const plx_array *array, const plx_operation *operation, const char *name, plx_error *error)
{
    plx_line names = {.length = 0};
    if (array->type[0] == '\0' || !plx_operation_computes(operation))
        return PLX_OK;
    dtype_names(operation, &names);
    return plx_fail(error, PLX_INVALID,
                    "%s is %.15s, and %s takes %s; transpose takes any element of 1, 2, 4, 8 or 16 bytes", name,
                    array->type, operation->name, names.text);
}

static plx_status check_dtypes(const plx_problem *problem, const plx_extent *extents, const plx_array *arrays,
                               size_t count, plx_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const plx_dtype wanted = plx_operand_dtype(problem, i);
        const plx_status status = check_type(&arrays[i], plx_operation_of(problem->op), extents[i].name, error);
        if (status != PLX_OK)
            return status;
        if (arrays[i].dtype != wanted)
            return plx_fail(error, PLX_INVALID, "%s is %s, not %s", extents[i].name, plx_dtype_name(arrays[i].dtype),
                            plx_dtype_name(wanted));
    }
    return PLX_OK;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* What an array is of each problem, and whether it has them all. */
typedef struct piece {
    int64_t rows, cols, count;
    bool has_batch;
} piece;

static bool is_vector(const plx_operation *operation, const plx_problem *problem, size_t operand)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(problem, extents);
    return extents[operand].rows == 1 && operand != operation->output
               ? true
               : operand == operation->output && operation->output_rank < 2;
}

static piece piece_of(const plx_array *array, bool vector)
{
    const int64_t planes = array->rank == 3 ? array->planes : 1;
    piece of = {.rows = array->rows, .cols = array->cols, .count = planes, .has_batch = array->rank == 3};
    if (!vector)
        return of;
    of = (piece){.rows = 1, .cols = array->cols, .count = array->rows, .has_batch = array->rank == 2};
    if (array->rank == 3) /* vectors that came as columns, or as rows */
        of = (piece){.rows = array->rows, .cols = array->cols, .count = planes, .has_batch = true};
    return of;
}

static bool wants_batch(const plx_operation *operation, const plx_problem *problem, const plx_array *arrays,
                        size_t count)
{
    bool some = problem->batch.batched;
    for (size_t i = 0; i < count && operation->output_rank > 0; i++) /* a reduction takes all elements else */
        some = some || arrays[i].rank == 3;
    return some;
}

/* Arrays that have a dimension for the batch agree on it; those without are the same for all problems. */
static plx_status fit_batch(const plx_operation *operation, plx_problem *problem, const plx_array *arrays, size_t count,
                            piece *pieces, plx_error *error)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    int64_t known = problem->batch.batched ? problem->batch.count : -1;
    const bool was = problem->batch.batched;
    operation->extents(problem, extents);
    for (size_t i = 0; i < count; i++) {
        pieces[i] = piece_of(&arrays[i], is_vector(operation, problem, i));
        if (!pieces[i].has_batch)
            continue;
        if (known >= 0 && known != pieces[i].count)
            return plx_fail(error, PLX_INVALID, "%s: %s is for a batch of %lld, and %s of %lld", operation->name,
                            extents[i].name, (long long)pieces[i].count, was ? "--batch is" : "others are",
                            (long long)known);
        known = pieces[i].count;
    }
    if (!was)
        *problem = plx_batch_of(problem, known);
    for (size_t i = 0; i < count; i++)
        if (!pieces[i].has_batch)
            problem->batch.stride[i] = 0;
    return PLX_OK;
}

/* Without a batch a vector may be the elements of anything. */
static plx_status fit_pieces(const plx_operation *operation, plx_problem *problem, const plx_array *arrays,
                             size_t count, piece *pieces, plx_error *error)
{
    if (wants_batch(operation, problem, arrays, count))
        return fit_batch(operation, problem, arrays, count, pieces, error);
    for (size_t i = 0; i < count; i++) {
        const int64_t planes = arrays[i].rank == 3 ? arrays[i].planes : 1;
        pieces[i] = (piece){.rows = arrays[i].rows, .cols = arrays[i].cols};
        if (__builtin_mul_overflow(planes, arrays[i].rows, &pieces[i].rows))
            return plx_fail(error, PLX_INVALID, "%s: an array is too large", operation->name);
    }
    return PLX_OK;
}

/* The arrays against what the fitted problem says of its operands.  A vector may come
 * as a row, as a column, or flattened from a matrix: its elements are what counts. */
static plx_status check_extents(const plx_operation *operation, const plx_problem *problem, const piece *arrays,
                                size_t count, plx_error *error)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(problem, extents);
    for (size_t i = 0; i < count; i++) {
        const piece *array = &arrays[i];
        bool same = array->rows == extents[i].rows && array->cols == extents[i].cols;
        if (!same && extents[i].rows == 1)
            same = array->rows == 0 || array->cols == 0
                       ? extents[i].cols == 0
                       : extents[i].cols / array->cols == array->rows && extents[i].cols % array->cols == 0;
        if (!same)
            return plx_fail(error, PLX_INVALID, "%s: %s is %lld x %lld, but has to be %lld x %lld", operation->name,
                            extents[i].name, (long long)array->rows, (long long)array->cols, (long long)extents[i].rows,
                            (long long)extents[i].cols);
    }
    return PLX_OK;
}

plx_status plx_problem_fit(plx_problem *problem, const plx_array *arrays, size_t count, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    if (operation == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(problem, extents);
    plx_status status = check_count(operation, extents, count, error);
    if (status == PLX_OK)
        status = check_dtypes(problem, extents, arrays, count, error);
    if (status != PLX_OK)
        return status;

    plx_problem fitted = *problem;
    piece pieces[PLX_MAX_OPERANDS];
    assert(count <= PLX_MAX_OPERANDS); /* check_count */
    status = fit_pieces(operation, &fitted, arrays, count, pieces, error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        extents[i].rows = pieces[i].rows;
        extents[i].cols = pieces[i].cols;
        extents[i].ld = pieces[i].cols > 0 ? pieces[i].cols : 1;
    }
    status = operation->fit(&fitted, extents, error);
    if (status == PLX_OK)
        status = plx_problem_check(&fitted, error);
    if (status == PLX_OK)
        status = check_extents(operation, &fitted, pieces, count, error);
    if (status == PLX_OK)
        *problem = fitted;
    return status;
}
