/* Launches that others wrote, as a recipe like those of our own kernels. */
#include "kernels/operation.h"
#include "kernels/recipe.h"

#include <inttypes.h>
#include <string.h>

const plx_row plx_given_row = {.about = {.name = "a kernel from a file"}};

static plx_status add_argument(plx_step *step, const plx_launch_list *list, size_t operands, const plx_given *given,
                               plx_error *error)
{
    static const plx_argument_kind kinds[PLX_GIVEN_KINDS] = {
        [PLX_GIVEN_BYTES] = PLX_ARG_BYTES, [PLX_GIVEN_OPERAND] = PLX_ARG_POINTER, [PLX_GIVEN_PIECE] = PLX_ARG_PIECE,
        [PLX_GIVEN_NULL] = PLX_ARG_NULL,   [PLX_GIVEN_LOCAL] = PLX_ARG_SHARED,    [PLX_GIVEN_MAP] = PLX_ARG_GIVEN_MAP,
    };
    const bool value = given->kind == PLX_GIVEN_BYTES || given->kind == PLX_GIVEN_LOCAL;
    if ((unsigned)given->kind >= PLX_GIVEN_KINDS || (given->kind == PLX_GIVEN_OPERAND && given->which >= operands) ||
        (given->kind == PLX_GIVEN_PIECE && given->which >= list->piece_count) ||
        (given->kind == PLX_GIVEN_MAP && given->which >= list->map_count) || given->size > INT32_MAX)
        return plx_fail(error, PLX_INVALID, "%.60s has an argument that is none", step->entry);
    step->arguments[step->argument_count++] = (plx_argument){
        .kind = kinds[given->kind],
        .operand = given->which,
        .value = (int64_t)(value ? given->size : given->offset),
        .given = given,
    };
    return PLX_OK;
}

/* Dynamic shared memory is an argument in a recipe, and none of the kernel's. */
static plx_status add_step(plx_recipe *recipe, const plx_launch_list *list, size_t operands, const plx_launch *launch,
                           plx_error *error)
{
    plx_step *step = plx_recipe_step(recipe, launch->entry, launch->block[0], launch->block[1]);
    plx_status status = PLX_OK;
    step->block[2] = launch->block[2];
    memcpy(step->grid, launch->grid, sizeof step->grid);
    const uint64_t together = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    if (together > 1) {
        step->cluster = launch->cluster[0];
        step->cluster_y = launch->cluster[1];
        step->cluster_z = launch->cluster[2];
    }
    step->cooperative = launch->cooperative;
    step->dependent_launch = launch->dependent;
    step->carveout = launch->carveout + 1;
    for (size_t i = 0; i < launch->argument_count && status == PLX_OK; i++)
        status = add_argument(step, list, operands, &launch->arguments[i], error);
    if (launch->shared > INT32_MAX)
        return plx_fail(error, PLX_UNSUPPORTED, "needs %" PRIu64 " bytes of shared memory", launch->shared);
    if (status == PLX_OK && launch->shared > 0)
        plx_step_shared(step, (int64_t)launch->shared);
    return status;
}

plx_status plx_recipe_of_launches(const plx_launch_list *list, const plx_problem *problem,
                                  const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    const size_t operands = plx_operation_of(problem->op)->operand_count;
    plx_status status = PLX_OK;
    *recipe = (plx_recipe){.step_count = 0};
    for (size_t i = 0; i < list->piece_count; i++)
        if (list->pieces[i].state == PLX_PIECE_MAP &&
            (list->pieces[i].map >= list->map_count || list->pieces[i].bytes != PLX_MAP_BYTES))
            return plx_fail(error, PLX_INVALID, "piece %zu has a tensor map that is none", i);
    for (size_t i = 0; i < list->launch_count && status == PLX_OK; i++)
        status = add_step(recipe, list, operands, &list->launches[i], error);
    return status == PLX_OK ? plx_recipe_check(recipe, 0, device, error) : status;
}
