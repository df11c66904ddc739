/* What follows from the table of fields of an operation's problem, the same for all. */
#include "kernels/operation.h"

#include <string.h>

int64_t plx_field_integer(const plx_problem *problem, const plx_field *field)
{
    const char *at = (const char *)problem + field->offset;
    bool flag;
    int32_t narrow;
    int64_t wide;
    if (field->kind == PLX_FIELD_FLAG) {
        memcpy(&flag, at, sizeof flag);
        return flag;
    }
    if (field->bytes == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

void plx_field_set_integer(plx_problem *problem, const plx_field *field, int64_t value)
{
    char *at = (char *)problem + field->offset;
    const bool flag = value != 0;
    const int32_t narrow = (int32_t)value;
    if (field->kind == PLX_FIELD_FLAG)
        memcpy(at, &flag, sizeof flag);
    else if (field->bytes == sizeof narrow)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

double plx_field_factor(const plx_problem *problem, const plx_field *field)
{
    double value;
    memcpy(&value, (const char *)problem + field->offset, sizeof value);
    return value;
}

void plx_field_set_factor(plx_problem *problem, const plx_field *field, double value)
{
    memcpy((char *)problem + field->offset, &value, sizeof value);
}

const plx_field *plx_field_of_kind(const plx_operation *operation, plx_field_kind kind)
{
    for (size_t i = 0; i < operation->field_count; i++)
        if (operation->fields[i].kind == kind)
            return &operation->fields[i];
    return NULL;
}

/* ---- shapes ------------------------------------------------------------------------------- */

size_t plx_shape_rank(const plx_operation *operation)
{
    size_t rank = 0;
    for (size_t i = 0; i < operation->field_count; i++)
        rank += operation->fields[i].kind == PLX_FIELD_SIZE;
    return rank;
}

void plx_shape_of(const plx_problem *problem, int64_t *shape)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    for (size_t i = 0; i < operation->field_count; i++)
        if (operation->fields[i].kind == PLX_FIELD_SIZE)
            *shape++ = plx_field_integer(problem, &operation->fields[i]);
}

void plx_shape_set(plx_problem *problem, const int64_t *shape)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    for (size_t i = 0; i < operation->field_count; i++)
        if (operation->fields[i].kind == PLX_FIELD_SIZE)
            plx_field_set_integer(problem, &operation->fields[i], *shape++);
    if (plx_field_of_kind(operation, PLX_FIELD_PITCH) == NULL)
        return;
    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (field->kind == PLX_FIELD_PITCH)
            plx_field_set_integer(problem, field, extents[field->operand].cols > 1 ? extents[field->operand].cols : 1);
    }
}

/* ---- checks ------------------------------------------------------------------------------- */

/* "f32, f64 or f16" of the bits of PLX_DTYPE_BIT(). */
static void list_dtypes(uint32_t dtypes, char *list, size_t size)
{
    static const char *const names[PLX_DTYPE_COUNT] = {"i8",
                                                       "i16",
                                                       "i32",
                                                       "i64",
                                                       "f32",
                                                       "f64",
                                                       "c64",
                                                       "c128",
#define HALF(type, name, ...) [type] = name,
                                                       PLX_HALF_TYPES(HALF)
#undef HALF
    };
    size_t length = 0;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT && length < size; i++) {
        const uint32_t left = dtypes >> i;
        if (left & 1)
            length += (size_t)snprintf(list + length, size - length, "%s%s",
                                       length == 0 ? ""
                                       : left > 1  ? ", "
                                                   : " or ",
                                       names[i]);
    }
}

/* A wider result than the inputs is for elements of 16 bits that are computed with. */
static plx_status check_output(const plx_operation *operation, const plx_problem *problem, plx_error *error)
{
    const bool computes = plx_operation_computes(operation);
    const plx_dtype output = plx_output_dtype(problem);
    if (output == problem->dtype || (output == PLX_F32 && plx_is_half(problem->dtype) && computes))
        return PLX_OK;
    char halves[64] = "";
    list_dtypes(operation->dtypes & PLX_HALF_DTYPES, halves, sizeof halves);
    return plx_fail(error, PLX_INVALID, "%s: the result is of the inputs' type%s%s", operation->name,
                    computes ? ", or f32 where they are " : "", computes ? halves : "");
}

static plx_status check_compute(const plx_operation *operation, const plx_problem *problem, plx_error *error)
{
    const bool known = problem->dtype == PLX_F32 && (operation->f32_computes >> problem->compute & 1) != 0;
    if (problem->compute != PLX_COMPUTE_PLAIN && !known)
        return plx_fail(error, PLX_INVALID, "%s: the compute type is plain%s", operation->name,
                        operation->f32_computes != 0 ? ", or for f32 alone tf32, f16x3 or bf16x6" : " and no other");
    return check_output(operation, problem, error);
}

static plx_status check_types(const plx_operation *operation, const plx_problem *problem, plx_error *error)
{
    char list[128] = "";
    if (operation->dtypes & PLX_DTYPE_BIT(problem->dtype))
        return check_compute(operation, problem, error);
    list_dtypes(operation->dtypes, list, sizeof list);
    return plx_fail(error, PLX_INVALID, "%s takes %s", operation->name, list);
}

static plx_status check_field(const plx_operation *operation, const plx_problem *problem, const plx_field *field,
                              plx_error *error)
{
    const bool factor = plx_field_is_factor(field);
    const int64_t value = factor ? 0 : plx_field_integer(problem, field);
    if (field->kind == PLX_FIELD_SIZE && value < 0)
        return plx_fail(error, PLX_INVALID, "%s: %s is %lld, it can't be negative", operation->name, field->name,
                        (long long)value);
    if (!factor && field->kind != PLX_FIELD_FLAG && field->value_count > 0 &&
        (value < 0 || value >= field->value_count))
        return plx_fail(error, PLX_INVALID, "%s: %lld is no %s", operation->name, (long long)value, field->name);
    return PLX_OK;
}

static plx_status check_extent(const plx_operation *operation, const plx_extent *extent, plx_dtype dtype,
                               plx_error *error)
{
    int64_t elements;
    const int64_t least = extent->cols > 1 ? extent->cols : 1;
    if (extent->ld < least)
        return plx_fail(
            error, PLX_INVALID, "%s: the leading dimension of %s is %lld; for %lld columns it must be %lld or more",
            operation->name, extent->name, (long long)extent->ld, (long long)extent->cols, (long long)least);
    if (!plx_extent_elements(extent->rows, extent->cols, extent->ld, plx_element_size(dtype), &elements))
        return plx_fail(error, PLX_INVALID,
                        "%s: %s has %lld rows %lld elements apart, which does not fit in 63 bits of bytes",
                        operation->name, extent->name, (long long)extent->rows, (long long)extent->ld);
    return PLX_OK;
}

plx_status plx_operation_check(const plx_problem *problem, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_status status = check_types(operation, problem, error);
    for (size_t i = 0; i < operation->field_count && status == PLX_OK; i++)
        status = check_field(operation, problem, &operation->fields[i], error);
    if (status == PLX_OK && operation->check != NULL)
        status = operation->check(problem, error);
    if (status != PLX_OK)
        return status;
    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count && status == PLX_OK; i++)
        status = check_extent(operation, &extents[i], plx_operand_dtype(problem, i), error);
    return status == PLX_OK ? plx_batch_check(problem, extents, error) : status;
}

/* ---- factors ------------------------------------------------------------------------------ */

double plx_factor_rounded(plx_dtype dtype, double factor)
{
    return dtype == PLX_F32 || plx_is_half(dtype) ? (double)(float)factor : factor;
}

void plx_problem_scalars(const plx_problem *problem, double *alpha, double *beta)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    const plx_field *a = plx_field_of_kind(operation, PLX_FIELD_ALPHA);
    const plx_field *b = plx_field_of_kind(operation, PLX_FIELD_BETA);
    *alpha = a != NULL ? plx_factor_rounded(problem->dtype, plx_field_factor(problem, a)) : 1.0;
    *beta = b != NULL ? plx_factor_rounded(problem->dtype, plx_field_factor(problem, b)) : 0.0;
}
