/* A problem in words: its shape, and its variant. */
#include "core/core.h"

#include "base/format.h"

#include <inttypes.h>

void plx_shape_text(const plx_problem *problem, char *text, size_t capacity)
{
    int64_t shape[PLX_MAX_SHAPE] = {0};
    plx_op_info info;
    size_t length = 0;
    text[0] = '\0';
    if (!plx_op_describe(problem->op, &info))
        return;
    plx_problem_shape(problem, shape);
    for (size_t i = 0; i < info.shape_rank && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%" PRId64, i > 0 ? "x" : "", shape[i]);
}

/* ", lda 300", where rows are further apart than they have to be. */
static void pitches_text(const plx_problem *problem, plx_line *line)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    int64_t shape[PLX_MAX_SHAPE] = {0};
    plx_problem tight = *problem;
    if (operation == NULL)
        return;
    plx_shape_of(problem, shape);
    plx_shape_set(&tight, shape);
    for (size_t i = 0; i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (field->kind == PLX_FIELD_PITCH && plx_field_integer(problem, field) != plx_field_integer(&tight, field))
            plx_line_add(line, ", %s %" PRId64, field->name, plx_field_integer(problem, field));
    }
}

/* ", stride of B 0", where they do not follow each other without a gap. */
static void strides_text(const plx_problem *problem, plx_line *line)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_problem dense = *problem;
    if (operation == NULL || !problem->batch.batched)
        return;
    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; i++) {
        const int64_t stride = plx_batch_stride(problem, i, &extents[i]);
        dense.batch.stride[i] = PLX_STRIDE_DENSE;
        if (stride != plx_batch_stride(&dense, i, &extents[i]))
            plx_line_add(line, ", stride of %s %" PRId64, extents[i].name, stride);
    }
}

void plx_layout_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity)
{
    plx_line line = {.length = 0};
    pitches_text(problem, &line);
    strides_text(problem, &line);
    if (shift > 0)
        plx_line_add(&line, ", shift %" PRIu64, shift);
    (void)snprintf(text, capacity, "%s", line.text);
}

static void add_factor(plx_line *line, const char *name, double value)
{
    char number[32];
    plx_number_text(value, 6, number, sizeof number);
    plx_line_add(line, "%s%s %s", line->length > 0 ? ", " : "", name, number);
}

static void add_integer(plx_line *line, const plx_field *field, int64_t value)
{
    const bool known = field->kind == PLX_FIELD_FLAG || (value >= 0 && value < field->value_count);
    if (field->values == NULL && value != 0)
        plx_line_add(line, "%s%s %" PRId64, line->length > 0 ? ", " : "", field->name, value);
    else if (field->values != NULL) /* flags stand next to each other: "nt" */
        plx_line_add(line, "%s%s", line->length > 0 && field->kind != PLX_FIELD_FLAG ? ", " : "",
                     known ? field->values[value] : "unknown");
}

void plx_variant_text(const plx_problem *problem, char *text, size_t capacity)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_line line = {.length = 0};
    for (size_t i = 0; operation != NULL && i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (plx_field_is_factor(field)) {
            const double value = plx_field_factor(problem, field);
            if (!(value == field->initial))
                add_factor(&line, field->name, value);
        } else if (field->kind != PLX_FIELD_SIZE && field->kind != PLX_FIELD_PITCH) {
            add_integer(&line, field, plx_field_integer(problem, field));
        }
    }
    if (plx_output_dtype(problem) != problem->dtype)
        plx_line_add(&line, "%sto %s", line.length > 0 ? ", " : "", plx_dtype_name(plx_output_dtype(problem)));
    if (problem->compute != PLX_COMPUTE_PLAIN)
        plx_line_add(&line, "%s%s", line.length > 0 ? ", " : "", plx_compute_name(problem->compute));
    if (problem->batch.batched)
        plx_line_add(&line, "%sbatch %" PRId64, line.length > 0 ? ", " : "", problem->batch.count);
    (void)snprintf(text, capacity, "%s", line.text);
}

bool plx_problem_is_scaled(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    for (size_t i = 0; operation != NULL && i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (plx_field_is_factor(field) && !(plx_field_factor(problem, field) == field->initial))
            return true;
    }
    return false;
}

void plx_problem_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity)
{
    char shape[80], variant[128], layout[128];
    plx_shape_text(problem, shape, sizeof shape);
    plx_variant_text(problem, variant, sizeof variant);
    plx_layout_text(problem, shift, layout, sizeof layout);
    (void)snprintf(text, capacity, "%s %s %s%s%s%s", plx_op_name(problem->op), plx_dtype_name(problem->dtype), shape,
                   variant[0] != '\0' ? " " : "", variant, layout);
}
