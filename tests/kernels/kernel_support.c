/* What the tests of rows and recipes share. */
#include "kernel_support.h"

const plx_row *row_named(plx_op op, const char *kernel)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    for (size_t i = 0; i < ladder->count; ++i)
        if (strcmp(ladder->rows[i].about.name, kernel) == 0)
            return &ladder->rows[i];
    fail_msg("there is no %s/%s", plx_ladder_name(op), kernel);
    return NULL;
}

plx_recipe recipe_by(recipe_function *write, const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe recipe = {.step_count = 0};
    plx_error error = {.text = ""};
    if (write(problem, device, &recipe, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return recipe;
}

plx_status write_recipe(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_recipe *recipe, plx_error *error)
{
    return plx_recipe_write(row, row->recipe, problem, device, recipe, error);
}

plx_recipe recipe_of(const plx_problem *problem, const char *kernel, const plx_device_info *device)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (write_recipe(row_named(problem->op, kernel), problem, device, &recipe, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return recipe;
}

void expect_refusal_by(recipe_function *write, const plx_problem *problem, const plx_device_info *device,
                       const char *reason)
{
    plx_recipe recipe = {.step_count = 0};
    plx_error error = {.text = ""};
    assert_int_equal(write(problem, device, &recipe, &error), PLX_UNSUPPORTED);
    if (strstr(error.text, reason) == NULL)
        fail_msg("not \"%s\": %s", reason, error.text);
}

void expect_refusal(const plx_problem *problem, const char *kernel, const plx_device_info *device, const char *reason)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    assert_int_equal(write_recipe(row_named(problem->op, kernel), problem, device, &recipe, &error), PLX_UNSUPPORTED);
    if (strstr(error.text, reason) == NULL)
        fail_msg("not \"%s\": %s", reason, error.text);
}

/* splitmix64 */
uint64_t next_number(uint64_t *state)
{
    uint64_t mixed = (*state += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}
