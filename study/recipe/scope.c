/* The names that an expression of a recipe may use. */
#include "study/recipe/recipe.h"

#include <string.h>

void plx_known_add(plx_known *known, const char *name, int64_t value)
{
    if (known->count < PLX_SCOPE_NAMES)
        known->names[known->count++] = (plx_named_number){name, value};
}

bool plx_known_has(const plx_known *known, const char *name)
{
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->names[i].name, name) == 0)
            return true;
    return false;
}

plx_scope plx_known_scope(const plx_known *known)
{
    return (plx_scope){known->names, known->count, known->has_factors, known->alpha, known->beta};
}

/* Sizes, leading dimensions and transpositions. */
static void add_fields(plx_known *known, const plx_operation *operation, const plx_problem *problem)
{
    for (size_t i = 0; i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (field->kind == PLX_FIELD_SIZE || field->kind == PLX_FIELD_PITCH || field->kind == PLX_FIELD_FLAG)
            plx_known_add(known, field->name, problem != NULL ? plx_field_integer(problem, field) : 0);
    }
}

static int64_t bounded(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void add_device(plx_known *known, const plx_device_info *device)
{
    static const plx_device_info none;
    const plx_device_info *of = device != NULL ? device : &none;
    plx_known_add(known, "cc", (int64_t)of->compute_major * 10 + of->compute_minor);
    plx_known_add(known, "sms", of->units);
    plx_known_add(known, "warp", of->warp);
    plx_known_add(known, "shared_max", bounded(of->max_shared_bytes));
    plx_known_add(known, "l2", bounded(of->l2_bytes));
}

void plx_known_begin(plx_known *known, plx_op op, const plx_problem *problem, const plx_device_info *device)
{
    const plx_operation *operation = plx_operation_of(op);
    *known = (plx_known){.has_factors = plx_field_of_kind(operation, PLX_FIELD_ALPHA) != NULL};
    add_fields(known, operation, problem);
    plx_known_add(known, "esize", problem != NULL ? (int64_t)plx_element_size(problem->dtype) : 0);
    plx_known_add(known, "osize", problem != NULL ? (int64_t)plx_element_size(plx_output_dtype(problem)) : 0);
    add_device(known, device);
    if (problem != NULL)
        plx_problem_scalars(problem, &known->alpha, &known->beta);
}
