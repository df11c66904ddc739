/* The list of ladders, one for each operation, and what the plugins of devices do with them. */
#include "recipe.h"

#define OPERATION(name) extern const plx_ladder plx_##name##_ladder;
PLX_OPERATIONS
#undef OPERATION

static const struct {
    const char *name;
    const plx_ladder *ladder;
} ladders[PLX_OP_COUNT] = {
#define OPERATION(name) {#name, &plx_##name##_ladder},
    PLX_OPERATIONS
#undef OPERATION
};

const plx_ladder *plx_ladder_of(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].ladder : NULL;
}

const char *plx_ladder_name(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].name : NULL;
}

const plx_kernel *plx_ladder_kernel(plx_op op, size_t index)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    return ladder != NULL && index < ladder->count ? &ladder->rows[index].about : NULL;
}

plx_status plx_ladder_choose(const plx_problem *problem, const plx_device_info *device, size_t *index, plx_error *error)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    if (ladder == NULL || ladder->count == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "there are no kernels for this operation");
    *index = ladder->choose(problem, device);
    return PLX_OK;
}

plx_status plx_ladder_row(const plx_problem *problem, size_t index, const plx_row **row, plx_error *error)
{
    const plx_kernel *about = plx_ladder_kernel(problem->op, index);
    if (about == NULL)
        return plx_fail(error, PLX_NOT_FOUND, "there is no kernel %zu for this operation", index);
    if ((about->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "%s does not serve this element type", about->name);
    if (about->compute != problem->compute &&
        (problem->compute != PLX_COMPUTE_TF32 || (about->flags & PLX_KERNEL_FOR_TF32) == 0))
        return plx_fail(error, PLX_UNSUPPORTED, "%s is of another compute type", about->name);
    *row = &plx_ladder_of(problem->op)->rows[index];
    return PLX_OK;
}

void plx_recipe_code(const plx_recipe *recipe, plx_op op, const plx_row *row, char *key, size_t capacity)
{
    if (recipe->code[0] != '\0')
        (void)snprintf(key, capacity, "%s", recipe->code);
    else
        (void)snprintf(key, capacity, "%s/%s", plx_ladder_name(op), row->about.name);
}

plx_status plx_ladder_image(const plx_image *table, const char *api, plx_op op, const plx_row *row,
                            const plx_recipe *recipe, const plx_image **image, plx_error *error)
{
    char key[96];
    plx_recipe_code(recipe, op, row, key, sizeof key);
    *image = plx_image_find(table, key);
    if (*image == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no %s form", key, api);
    for (size_t i = 0; i < recipe->step_count; i++)
        if (plx_step_image(table, &recipe->steps[i], *image) == NULL)
            return plx_fail(error, PLX_UNSUPPORTED, "%s has no %s form", recipe->steps[i].code, api);
    return PLX_OK;
}

plx_status plx_recipe_has_one_code(const plx_recipe *recipe, plx_error *error)
{
    for (size_t i = 0; i < recipe->step_count; i++)
        if (recipe->steps[i].code != NULL)
            return plx_fail(error, PLX_UNSUPPORTED, "its launches are of more than one program");
    return PLX_OK;
}

const plx_image *plx_step_image(const plx_image *table, const plx_step *step, const plx_image *image)
{
    return step->code != NULL ? plx_image_find(table, step->code) : image;
}

plx_status plx_ladder_configs(const plx_problem *problem, const plx_device_info *device, size_t index,
                              plx_config *configs, size_t capacity, size_t *count, plx_error *error)
{
    const plx_row *row;
    plx_recipe recipe;
    plx_error reason;
    plx_status status = plx_ladder_row(problem, index, &row, error);
    if (status != PLX_OK && status != PLX_UNSUPPORTED)
        return status;
    const bool has = status == PLX_OK && row->configs != NULL &&
                     plx_recipe_write(row, false, problem, device, &recipe, &reason) == PLX_OK;
    *count = has ? row->configs(row, problem, device, configs, capacity) : 0;
    return PLX_OK;
}

plx_status plx_ladder_rates(const plx_problem *problem, const plx_device_info *device, size_t index, plx_rate *rates,
                            size_t capacity, size_t *count, plx_error *error)
{
    const plx_row *row;
    plx_status status = plx_ladder_row(problem, index, &row, error);
    if (status != PLX_OK && status != PLX_UNSUPPORTED)
        return status;
    const bool has = status == PLX_OK && row->model != NULL && row->model->rates != NULL;
    *count = has ? row->model->rates(row, device, rates, capacity) : 0;
    return PLX_OK;
}

plx_status plx_ladder_expect(const plx_problem *problem, const plx_device_info *device, size_t index,
                             const double *rates, double *us, plx_error *error)
{
    const plx_row *row;
    plx_status status = plx_ladder_row(problem, index, &row, error);
    if (status != PLX_OK)
        return status;
    *us = row->model != NULL ? row->model->expect(row, problem, device, rates) : 0.0;
    return *us > 0.0 ? PLX_OK : plx_fail(error, PLX_UNSUPPORTED, "%s has no model of this", row->about.name);
}
