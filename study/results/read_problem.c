/* Reads the problem of a record, of a case that was left out, of a point of a probe. */
#include "study/results/read.h"

#include "study/results/results.h"

#include "kernels/operation.h"

#include <math.h>
#include <string.h>

/* PLX_TAKEN_UNKNOWN: this version has no word for it. */
static plx_taken take_choice(plx_reader *from, const plx_field *field, plx_problem *problem)
{
    char name[32];
    plx_read_text(from, field->name, name, sizeof name);
    for (int i = 0; i < field->value_count; i++) {
        if (strcmp(name, field->values[i]) == 0) {
            plx_field_set_integer(problem, field, i);
            return PLX_TAKEN;
        }
    }
    return name[0] == '\0' ? PLX_TAKEN : PLX_TAKEN_UNKNOWN;
}

/* What is not there stays as it is. */
static plx_taken take_field(plx_reader *from, const plx_field *field, plx_problem *problem)
{
    if (field->kind == PLX_FIELD_CHOICE)
        return take_choice(from, field, problem);
    if (plx_field_is_factor(field)) {
        plx_field_set_factor(problem, field,
                             plx_read_number(from, field->name, plx_field_factor(problem, field)));
        return PLX_TAKEN;
    }
    const int64_t before = plx_field_integer(problem, field);
    const int64_t value = field->kind == PLX_FIELD_FLAG ? plx_read_flag(from, field->name, before != 0)
                                                        : plx_read_integer(from, field->name, before);
    plx_field_set_integer(problem, field, value);
    if (plx_field_integer(problem, field) != value ||
        (field->value_count > 0 && (value < 0 || value >= field->value_count)))
        from->wrong = field->name;
    return PLX_TAKEN;
}

/* What does not follow from the size, or the leading dimensions, for which that comes first. */
static plx_taken take_fields(plx_reader *from, const plx_operation *operation, bool pitches,
                             plx_problem *problem)
{
    plx_taken taken = PLX_TAKEN;
    for (size_t i = 0; i < operation->field_count && taken == PLX_TAKEN; i++) {
        const plx_field *field = &operation->fields[i];
        if (field->kind != PLX_FIELD_SIZE && (field->kind == PLX_FIELD_PITCH) == pitches)
            taken = take_field(from, field, problem);
    }
    return taken;
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

/* Files of before have neither: then they are as the inputs are. */
static plx_taken take_types(plx_reader *from, plx_problem *problem)
{
    char output[32], compute[32];
    plx_dtype dtype;
    plx_read_text(from, "output_dtype", output, sizeof output);
    plx_read_text(from, "compute", compute, sizeof compute);
    if (output[0] != '\0' && !plx_dtype_from_name(output, &dtype))
        return PLX_TAKEN_UNKNOWN;
    if (output[0] != '\0' && dtype != problem->dtype)
        problem->output = PLX_OUTPUT(dtype);
    if (compute[0] != '\0' && !plx_compute_from_name(compute, &problem->compute))
        return PLX_TAKEN_UNKNOWN;
    return PLX_TAKEN;
}

plx_taken plx_read_problem(plx_reader *from, plx_problem *problem)
{
    char op_name[32], dtype_name[32];
    plx_op op;
    plx_dtype dtype;
    plx_error error;
    int64_t sizes[PLX_MAX_SHAPE];
    const json_t *shape = plx_json_at(from->of, "shape");
    plx_read_text(from, "op", op_name, sizeof op_name);
    plx_read_text(from, "dtype", dtype_name, sizeof dtype_name);
    if (from->wrong != NULL)
        return PLX_TAKEN_WRONG;
    if (!plx_op_from_name(op_name, &op) || !plx_dtype_from_name(dtype_name, &dtype))
        return PLX_TAKEN_UNKNOWN;
    const plx_operation *operation = plx_operation_of(op);
    *problem = plx_problem_of(op, dtype);
    plx_taken taken = take_types(from, problem);
    if (taken == PLX_TAKEN)
        taken = take_fields(from, operation, false, problem);
    if (taken != PLX_TAKEN)
        return taken;
    if (!is_shape(shape, sizes) || plx_problem_reshape(problem, sizes, json_array_size(shape), &error) != PLX_OK)
        from->wrong = "shape";
    (void)take_fields(from, operation, true, problem);
    if (from->wrong == NULL && plx_problem_check(problem, &error) != PLX_OK)
        from->wrong = "leading dimensions";
    return from->wrong == NULL ? PLX_TAKEN : PLX_TAKEN_WRONG;
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
