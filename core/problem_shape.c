/* Operations as applications see them, and what makes a problem: numbers of a shape, and words. */
#include "core/core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert(PLX_MAX_SHAPE <= PLX_MAX_OPERANDS, "a shape is no longer than the operands' names");

bool plx_op_describe(plx_op op, plx_op_info *info)
{
    const plx_operation *operation = plx_operation_of(op);
    if (operation == NULL)
        return false;
    const plx_problem empty = plx_problem_of(op, PLX_F32);
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(&empty, extents);

    *info = (plx_op_info){
        .name = operation->name,
        .summary = operation->summary,
        .shape_form = operation->shape_form,
        .shape_rank = plx_shape_rank(operation),
        .dtypes = operation->dtypes,
        .operand_count = operation->operand_count,
        .output = operation->output,
        .verb = operation->verb,
    };
    memcpy(info->default_shape, operation->default_shape, sizeof info->default_shape);
    for (size_t i = 0; i < operation->operand_count; i++)
        info->operands[i] = extents[i].name;
    return true;
}

plx_status plx_problem_reshape(plx_problem *problem, const int64_t *shape, size_t rank, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    if (operation == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    if (rank != plx_shape_rank(operation))
        return plx_fail(error, PLX_INVALID, "%s takes a shape of the form %s, not %zu number%s", operation->name,
                        operation->shape_form, rank, rank == 1 ? "" : "s");
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return plx_fail(error, PLX_INVALID, "%s: a size can't be negative", operation->name);
    }
    plx_problem reshaped = *problem;
    plx_shape_set(&reshaped, shape);
    plx_status status = plx_problem_check(&reshaped, error);
    if (status == PLX_OK)
        *problem = reshaped;
    return status;
}

void plx_problem_shape(const plx_problem *problem, int64_t shape[PLX_MAX_SHAPE])
{
    if (plx_operation_of(problem->op) != NULL)
        plx_shape_of(problem, shape);
}

/* ---- from words ---------------------------------------------------------- */

/* What is no field of one operation: types. */
enum { OUTPUT_DTYPE, COMPUTE, TYPE_SETTINGS };
static const plx_setting type_settings[TYPE_SETTINGS] = {
    [OUTPUT_DTYPE] = {"out-dtype", "TYPE", "of the result: f32, where inputs are f16 or bf16"},
    [COMPUTE] = {"compute", "TYPE", "arithmetic of products in f32: tf32, f16x3, bf16x6, all"},
};

static bool has_type_setting(const plx_operation *operation, int which)
{
    if (which == COMPUTE)
        return operation->f32_computes != 0;
    return plx_operation_computes(operation) && (operation->dtypes & PLX_HALF_DTYPES) != 0;
}

static const plx_field *next_setting(const plx_operation *operation, size_t *index)
{
    while (operation != NULL && *index < operation->field_count)
        if (operation->fields[(*index)++].option != NULL)
            return &operation->fields[*index - 1];
    return NULL;
}

/* ---- of batches ------- */

static const plx_setting batch_setting = {"batch", "N", "so many problems, one after the other"};
static const char *const stride_names[] = {"stride-a", "stride-b",  "stride-c",   "stride-x",
                                           "stride-y", "stride-in", "stride-out", "stride-result"};

static bool is_stride_of(const char *name, const char *operand)
{
    return strcasecmp(name + sizeof "stride-" - 1, operand) == 0;
}

/* NULL: there is no word for it. */
static const char *stride_name(const plx_operation *operation, size_t operand)
{
    plx_problem empty = plx_problem_of(operation->op, PLX_F32);
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(&empty, extents);
    for (size_t i = 0; i < sizeof stride_names / sizeof stride_names[0]; i++)
        if (is_stride_of(stride_names[i], extents[operand].name))
            return stride_names[i];
    return NULL;
}

static bool has_batches(const plx_operation *operation)
{
    return operation != NULL && operation->verb == NULL;
}

/* Those behind the others. */
static bool batch_setting_at(const plx_operation *operation, size_t index, plx_setting *setting)
{
    if (!has_batches(operation) || index > operation->operand_count)
        return false;
    const char *name = index > 0 ? stride_name(operation, index - 1) : NULL;
    *setting = index == 0
                   ? batch_setting
                   : (plx_setting){name, "N", "with --batch: elements from one to the next; 0: the same for all"};
    return index == 0 || name != NULL;
}

static plx_status batch_number(const char *name, const char *word, int64_t least, int64_t *number, plx_error *error)
{
    char *end;
    errno = 0;
    *number = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0)
        return plx_fail(error, PLX_INVALID, "--%s: '%.60s' is no whole number", name, word);
    if (*number < least)
        return plx_fail(error, PLX_INVALID, "--%s: '%.60s' is below %lld", name, word, (long long)least);
    return PLX_OK;
}

/* *known: it is a setting of a batch. */
static plx_status set_batch(plx_problem *problem, const char *name, const char *word, bool *known, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    const bool batched = problem->batch.batched;
    int64_t number = 0;
    *known = false;
    for (size_t i = 0; has_batches(operation) && i <= operation->operand_count; i++) {
        plx_setting setting;
        if (!batch_setting_at(operation, i, &setting) || strcmp(setting.name, name) != 0)
            continue;
        *known = true;
        const plx_status status = batch_number(name, word, i == 0 ? 1 : 0, &number, error);
        if (status != PLX_OK)
            return status;
        if (!batched)
            *problem = plx_batch_of(problem, 1);
        if (i == 0)
            problem->batch.count = number;
        else
            problem->batch.stride[i - 1] = number;
    }
    return PLX_OK;
}

bool plx_op_setting(plx_op op, size_t index, plx_setting *setting)
{
    const plx_operation *operation = plx_operation_of(op);
    const plx_field *field;
    for (size_t at = 0; (field = next_setting(operation, &at)) != NULL; index--)
        if (index == 0) {
            *setting = (plx_setting){.name = field->option, .argument = field->argument, .help = field->help};
            return true;
        }
    for (int i = 0; operation != NULL && i < TYPE_SETTINGS; i++)
        if (has_type_setting(operation, i) && index-- == 0) {
            *setting = type_settings[i];
            return true;
        }
    return batch_setting_at(operation, index, setting);
}

/* "unknown reduction 'mux'; did you mean 'max'?  There are: sum, min, max" */
static plx_status unknown_value(const plx_field *field, const char *word, plx_error *error)
{
    const char *nearest = plx_nearest_name(word, field->values, (size_t)field->value_count);
    plx_line line = {.length = 0};
    plx_line_add(&line, "unknown %s '%.60s'; ", field->name, word);
    if (nearest != NULL)
        plx_line_add(&line, "did you mean '%s'?  There are: ", nearest);
    else
        plx_line_add(&line, "there are: ");
    for (int i = 0; i < field->value_count; i++)
        plx_line_add(&line, "%s%s", i > 0 ? ", " : "", field->values[i]);
    return plx_fail(error, PLX_INVALID, "%s", line.text);
}

static plx_status set_choice(plx_problem *problem, const plx_field *field, const char *word, plx_error *error)
{
    for (int i = 0; i < field->value_count; i++) {
        if (strcmp(field->values[i], word) == 0) {
            plx_field_set_integer(problem, field, i);
            return PLX_OK;
        }
    }
    return unknown_value(field, word, error);
}

static plx_status set_number(plx_problem *problem, const plx_field *field, const char *word, plx_error *error)
{
    char *end;
    const double factor = strtod(word, &end);
    bool whole = end != word && *end == '\0';
    if (plx_field_is_factor(field) && whole) {
        plx_field_set_factor(problem, field, factor);
        return PLX_OK;
    }
    errno = 0;
    const long long integer = strtoll(word, &end, 10);
    whole = end != word && *end == '\0' && errno == 0;
    if (plx_field_is_factor(field) || !whole)
        return plx_fail(error, PLX_INVALID, "--%s: '%.60s' is no %snumber", field->option, word,
                        plx_field_is_factor(field) ? "" : "whole ");
    plx_field_set_integer(problem, field, integer);
    if (plx_field_integer(problem, field) != integer)
        return plx_fail(error, PLX_INVALID, "--%s: '%.60s' is too large", field->option, word);
    return PLX_OK;
}

static plx_status unknown_type(const char *name, const char *word, const char *(*name_of)(size_t), plx_error *error)
{
    plx_line line = {.length = 0};
    for (size_t i = 0; name_of(i) != NULL; i++)
        plx_line_add(&line, "%s%s", i > 0 ? ", " : "", name_of(i));
    return plx_fail(error, PLX_INVALID, "--%s: unknown type '%.60s'; there are: %s", name, word, line.text);
}

static const char *dtype_name(size_t index)
{
    return index < PLX_DTYPE_COUNT ? plx_dtype_name((plx_dtype)index) : NULL;
}

static const char *compute_name(size_t index)
{
    return index < PLX_COMPUTE_COUNT ? plx_compute_name((plx_compute)index) : NULL;
}

/* Whether they go together is said once the problem is checked. */
static plx_status set_type(plx_problem *problem, int which, const char *word, plx_error *error)
{
    plx_dtype dtype;
    const char *name = type_settings[which].name;
    if (which == COMPUTE)
        return plx_compute_from_name(word, &problem->compute) ? PLX_OK : unknown_type(name, word, compute_name, error);
    if (!plx_dtype_from_name(word, &dtype))
        return unknown_type(name, word, dtype_name, error);
    problem->output = PLX_OUTPUT(dtype);
    return PLX_OK;
}

/* With the settings that the operation has. */
static plx_status unknown_setting(plx_op op, const char *name, plx_error *error)
{
    plx_line line = {.length = 0};
    plx_setting setting;
    for (size_t i = 0; plx_op_setting(op, i, &setting); i++)
        plx_line_add(&line, "%s--%s", i > 0 ? ", " : ", which takes ", setting.name);
    return plx_fail(error, PLX_NOT_FOUND, "--%s means nothing to %s%s", name, plx_op_name(op), line.text);
}

plx_status plx_problem_set(plx_problem *problem, const char *name, const char *word, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    const plx_field *field;
    for (size_t at = 0; (field = next_setting(operation, &at)) != NULL;) {
        if (strcmp(field->option, name) != 0)
            continue;
        if (field->kind == PLX_FIELD_FLAG) {
            plx_field_set_integer(problem, field, 1);
            return PLX_OK;
        }
        return field->kind == PLX_FIELD_CHOICE ? set_choice(problem, field, word, error)
                                               : set_number(problem, field, word, error);
    }
    for (int i = 0; operation != NULL && i < TYPE_SETTINGS; i++)
        if (has_type_setting(operation, i) && strcmp(type_settings[i].name, name) == 0)
            return set_type(problem, i, word, error);
    bool known;
    const plx_status status = set_batch(problem, name, word, &known, error);
    if (known)
        return status;
    return unknown_setting(problem->op, name, error);
}
