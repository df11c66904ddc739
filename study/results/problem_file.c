/* The problem of a record, of a case that was left out, of a point of a probe, in files. */
#include "study/results/archive.h"

#include "study/results/results.h"

#include "kernels/operation.h"

#include <math.h>
#include <string.h>

/* What is not there stays as it is. */
static void choice_field(plx_archive *archive, const plx_field *field, plx_problem *problem)
{
    const plx_names names = {field->value_count, field->values};
    const int64_t before = plx_field_integer(problem, field);
    if (plx_archive_reads(archive) && !plx_archive_has(archive, field->name))
        return;
    const int value = plx_archive_name(archive, field->name, &names, (int)before, -1);
    if (value >= 0)
        plx_field_set_integer(problem, field, value);
    archive->unknown = archive->unknown || value < 0;
}

static void integer_field(plx_archive *archive, const plx_field *field, plx_problem *problem)
{
    const int64_t before = plx_field_integer(problem, field);
    if (field->kind == PLX_FIELD_INTEGER && field->option != NULL && before == field->initial &&
        !(plx_archive_reads(archive) && plx_archive_has(archive, field->name)))
        return; /* what is as it is without the option is not written */
    const int64_t value = field->kind == PLX_FIELD_FLAG
                              ? plx_archive_flag(archive, field->name, before != 0, before != 0)
                              : plx_archive_integer(archive, field->name, before, before);
    plx_field_set_integer(problem, field, value);
    if (plx_field_integer(problem, field) != value ||
        (field->value_count > 0 && (value < 0 || value >= field->value_count)))
        plx_archive_refuse(archive, field->name);
}

static void factor_field(plx_archive *archive, const plx_field *field, plx_problem *problem)
{
    const double before = plx_field_factor(problem, field);
    plx_field_set_factor(problem, field, plx_archive_signed(archive, field->name, before, before));
}

static void field_of(plx_archive *archive, const plx_field *field, plx_problem *problem)
{
    if (field->kind == PLX_FIELD_CHOICE)
        choice_field(archive, field, problem);
    else if (plx_field_is_factor(field))
        factor_field(archive, field, problem);
    else
        integer_field(archive, field, problem);
}

/* What else has a type: not written where it is as the inputs are, which older files mean as well. */
static void type_fields(plx_archive *archive, plx_problem *problem)
{
    char output[32] = "", compute[32] = "";
    plx_dtype dtype = plx_output_dtype(problem);
    if (dtype != problem->dtype)
        (void)snprintf(output, sizeof output, "%s", plx_dtype_name(dtype));
    if (problem->compute != PLX_COMPUTE_PLAIN)
        (void)snprintf(compute, sizeof compute, "%s", plx_compute_name(problem->compute));
    plx_archive_remark(archive, "output_dtype", output, sizeof output);
    plx_archive_remark(archive, "compute", compute, sizeof compute);
    if (!plx_archive_reads(archive))
        return;
    if (output[0] != '\0' && !plx_dtype_from_name(output, &dtype))
        archive->unknown = true;
    else if (output[0] != '\0' && dtype != problem->dtype)
        problem->output = PLX_OUTPUT(dtype);
    if (compute[0] != '\0' && !plx_compute_from_name(compute, &problem->compute))
        archive->unknown = true;
}

/* What does not follow from the size, or the leading dimensions, for which that comes first. */
static void read_fields(plx_archive *archive, const plx_operation *operation, bool pitches, plx_problem *problem)
{
    for (size_t i = 0; i < operation->field_count && !plx_archive_fails(archive); i++) {
        const plx_field *field = &operation->fields[i];
        if (field->kind != PLX_FIELD_SIZE && (field->kind == PLX_FIELD_PITCH) == pitches)
            field_of(archive, field, problem);
    }
}

/* Of a batch: how many, and the strides of all operands.  Not written where there is none, which older files mean. */
static void write_batch(plx_archive *archive, const plx_operation *operation, const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    if (!problem->batch.batched || operation == NULL)
        return;
    operation->extents(problem, extents);
    plx_json_integer(archive->to, "batch", problem->batch.count);
    plx_json_list(archive->to, "strides");
    for (size_t i = 0; i < operation->operand_count; i++)
        plx_json_integer(archive->to, NULL, plx_batch_stride(problem, i, &extents[i]));
    plx_json_list_end(archive->to);
}

static void read_batch(plx_archive *archive, const plx_operation *operation, plx_problem *problem)
{
    const json_t *strides = json_object_get(archive->at[archive->depth], "strides");
    if (plx_archive_fails(archive) || !plx_archive_has(archive, "batch"))
        return;
    *problem = plx_batch_of(problem, plx_archive_integer(archive, "batch", 0, 0));
    if (json_array_size(strides) != operation->operand_count) {
        plx_archive_refuse(archive, "strides");
        return;
    }
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++) {
        const json_t *stride = json_array_get(strides, i);
        problem->batch.stride[i] = i < operation->operand_count ? (int64_t)json_integer_value(stride) : 0;
        if (i < operation->operand_count && !json_is_integer(stride))
            plx_archive_refuse(archive, "strides");
    }
}

static bool is_shape(const json_t *shape, int64_t sizes[PLX_MAX_SHAPE])
{
    size_t rank = json_array_size(shape);
    for (size_t i = 0; i < rank && rank <= PLX_MAX_SHAPE; i++) {
        if (!json_is_integer(json_array_get(shape, i)))
            return false;
        sizes[i] = (int64_t)json_integer_value(json_array_get(shape, i));
    }
    return json_is_array(shape) && rank <= PLX_MAX_SHAPE;
}

static void read_problem(plx_archive *archive, plx_problem *problem)
{
    char op_name[32], dtype_name[32];
    plx_op op = PLX_REDUCE;
    plx_dtype dtype = PLX_F32;
    plx_error error;
    int64_t sizes[PLX_MAX_SHAPE];
    const json_t *shape = json_object_get(archive->at[archive->depth], "shape");
    plx_archive_text(archive, "op", op_name, sizeof op_name);
    plx_archive_text(archive, "dtype", dtype_name, sizeof dtype_name);
    archive->unknown = !plx_op_from_name(op_name, &op) || !plx_dtype_from_name(dtype_name, &dtype);
    if (plx_archive_fails(archive))
        return;
    const plx_operation *operation = plx_operation_of(op);
    *problem = plx_problem_of(op, dtype);
    type_fields(archive, problem);
    read_fields(archive, operation, false, problem);
    if (plx_archive_fails(archive))
        return;
    if (!is_shape(shape, sizes) || plx_problem_reshape(problem, sizes, json_array_size(shape), &error) != PLX_OK)
        plx_archive_refuse(archive, "shape");
    read_fields(archive, operation, true, problem);
    read_batch(archive, operation, problem);
    if (archive->wrong == NULL && plx_problem_check(problem, &error) != PLX_OK)
        plx_archive_refuse(archive, "leading dimensions");
}

/* op, dtype, shape, and what else makes the problem differ from others. */
void plx_archive_problem(plx_archive *archive, plx_problem *problem)
{
    int64_t shape[PLX_MAX_SHAPE] = {0};
    if (plx_archive_reads(archive)) {
        read_problem(archive, problem);
        return;
    }
    const plx_operation *operation = plx_operation_of(problem->op);
    const size_t fields = operation != NULL ? operation->field_count : 0;
    plx_json_text(archive->to, "op", plx_op_name(problem->op));
    plx_json_text(archive->to, "dtype", plx_dtype_name(problem->dtype));
    type_fields(archive, problem);
    plx_json_list(archive->to, "shape");
    plx_problem_shape(problem, shape);
    for (size_t i = 0; fields > 0 && i < plx_shape_rank(operation); i++)
        plx_json_integer(archive->to, NULL, shape[i]);
    plx_json_list_end(archive->to);
    for (size_t i = 0; i < fields; i++)
        if (operation->fields[i].kind != PLX_FIELD_SIZE)
            field_of(archive, &operation->fields[i], problem);
    write_batch(archive, operation, problem);
}

uint64_t plx_archive_shift(plx_archive *archive, uint64_t shift)
{
    return plx_archive_reads(archive) || shift > 0 ? plx_archive_natural(archive, "shift", shift, 0) : shift;
}

/* Files have twelve digits of a number. */
bool plx_problem_is_read(const plx_problem *read, const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_problem like = *read;
    for (size_t i = 0; read->op == problem->op && i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        const double factor = plx_field_is_factor(field) ? plx_field_factor(problem, field) : 0;
        if (plx_field_is_factor(field) && fabs(plx_field_factor(read, field) - factor) <= 1e-11 * fabs(factor))
            plx_field_set_factor(&like, field, factor);
    }
    return memcmp(&like, problem, sizeof like) == 0;
}
