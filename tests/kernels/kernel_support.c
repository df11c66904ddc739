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

plx_schedule schedule_of(const plx_problem *problem, const char *kernel, const plx_device_info *device)
{
    plx_schedule schedule;
    plx_error error = {.text = ""};
    if (plx_schedule_resolve(row_named(problem->op, kernel), problem, device, &schedule, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return schedule;
}

plx_status write_recipe(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_recipe *recipe, plx_error *error)
{
    return plx_recipe_write(row, false, problem, device, recipe, error);
}

static plx_recipe either_recipe_of(const plx_problem *problem, const char *kernel, bool anywhere,
                                   const plx_device_info *device)
{
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (plx_recipe_write(row_named(problem->op, kernel), anywhere, problem, device, &recipe, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return recipe;
}

plx_recipe recipe_of(const plx_problem *problem, const char *kernel, const plx_device_info *device)
{
    return either_recipe_of(problem, kernel, false, device);
}

plx_recipe unaligned_recipe_of(const plx_problem *problem, const char *kernel, const plx_device_info *device)
{
    return either_recipe_of(problem, kernel, true, device);
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

size_t configs_of(const char *kernel, const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                  size_t capacity)
{
    const plx_row *row = row_named(PLX_GEMM, kernel);
    return row->configs(row, problem, device, configs, capacity);
}
