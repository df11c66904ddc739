/* A recipe of ours as launches that anybody could make: what given.c turns into a recipe again. */
#include "kernels/operation.h"
#include "kernels/recipe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The queue's scratch memory: counters that stay zero, and the rest. */
enum { COUNTERS = 0, REST = 1 };

static plx_given *next(plx_described_kernel *to, size_t step)
{
    plx_launch *launch = &to->list.launches[step];
    return launch->argument_count < PLX_MAX_GIVEN ? &to->arguments[step][launch->argument_count++] : NULL;
}

static void add_bytes(plx_described_kernel *to, size_t step, uint64_t bytes, size_t size, bool is_real)
{
    plx_given *given = next(to, step);
    if (given == NULL)
        return;
    uint64_t *value = &to->values[step][given - to->arguments[step]];
    *value = bytes;
    *given = (plx_given){.kind = PLX_GIVEN_BYTES, .size = size, .bytes = value, .is_real = is_real};
}

static void add_pointer(plx_described_kernel *to, size_t step, plx_given given)
{
    plx_given *added = next(to, step);
    if (added != NULL)
        *added = given;
}

/* With offsets a pointer is told the memory, and behind it by how many elements to go. */
static void add_scratch(plx_described_kernel *to, size_t step, const plx_argument *argument, bool offsets)
{
    const bool counters = argument->value < PLX_SCRATCH_COUNTERS;
    const uint64_t byte = (uint64_t)argument->value - (counters ? 0 : PLX_SCRATCH_COUNTERS);
    const plx_given piece = {
        .kind = PLX_GIVEN_PIECE, .which = counters ? COUNTERS : REST, .offset = offsets ? 0 : byte};
    /* Where nothing is needed the pointer is there all the same, and nowhere. */
    add_pointer(to, step, to->list.piece_count > 0 ? piece : (plx_given){.kind = PLX_GIVEN_NULL});
    if (offsets)
        add_bytes(to, step, byte / argument->operand, sizeof(int64_t), false);
}

static plx_status add_argument(plx_described_kernel *to, size_t step, const plx_argument *argument,
                               const plx_problem *problem, bool offsets, plx_error *error)
{
    uint64_t bytes = 0;
    size_t size = 0;
    plx_status status = PLX_OK;
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        add_pointer(to, step, (plx_given){.kind = PLX_GIVEN_OPERAND, .which = argument->operand});
        if (offsets)
            add_bytes(to, step, 0, sizeof(int64_t), false);
        return PLX_OK;
    case PLX_ARG_SCRATCH:
        add_scratch(to, step, argument, offsets);
        return PLX_OK;
    case PLX_ARG_SHARED:
        if (offsets)
            add_pointer(
                to, step,
                (plx_given){.kind = PLX_GIVEN_LOCAL, .size = argument->value > 0 ? (uint64_t)argument->value : 1});
        else
            to->list.launches[step].shared += (uint64_t)argument->value;
        return PLX_OK;
    case PLX_ARG_MAP:
        add_pointer(to, step, (plx_given){.kind = PLX_GIVEN_MAP, .which = argument->operand});
        return PLX_OK;
    case PLX_ARG_I64:
    case PLX_ARG_I32:
    case PLX_ARG_SCALAR:
        status = plx_argument_bytes(argument, problem->dtype, &bytes, &size, error);
        if (status == PLX_OK)
            add_bytes(to, step, bytes, size, argument->kind == PLX_ARG_SCALAR);
        return status;
    default:
        return plx_fail(error, PLX_UNSUPPORTED, "an argument of its launches has no form for others");
    }
}

static plx_status add_step(plx_described_kernel *to, const plx_recipe *recipe, size_t index, const plx_problem *problem,
                           bool offsets, plx_error *error)
{
    const plx_step *step = &recipe->steps[index];
    plx_launch *launch = &to->list.launches[index];
    plx_status status = PLX_OK;
    (void)snprintf(to->entries[index], sizeof to->entries[0], "%s%s%s", step->entry, offsets ? "" : "_",
                   offsets                 ? ""
                   : step->variant != NULL ? step->variant
                                           : recipe->variant);
    *launch = (plx_launch){
        .entry = to->entries[index], .cluster = {1, 1, 1}, .carveout = -1, .arguments = to->arguments[index]};
    if (!offsets) { /* what the launches of one API alone can be */
        launch->cluster[0] = step->cluster > 0 ? step->cluster : 1;
        launch->cooperative = step->cooperative;
        launch->dependent = step->dependent_launch;
    }
    memcpy(launch->grid, step->grid, sizeof launch->grid);
    memcpy(launch->block, step->block, sizeof launch->block);
    for (size_t i = 0; i < step->argument_count && status == PLX_OK; i++)
        status = add_argument(to, index, &step->arguments[i], problem, offsets, error);
    return status;
}

static void add_map(plx_launch_list *list, const plx_tensor_map *map)
{
    enum { LEAST = 16 };
#define HALF(type, name, ...) [type] = name,
    static const char *const types[PLX_DTYPE_COUNT] = {
        [PLX_I32] = "i32", [PLX_I64] = "i64", [PLX_F32] = "f32", [PLX_F64] = "f64", PLX_DEVICE_HALF_TYPES(HALF)};
#undef HALF
    const char *type = types[map->dtype];
    plx_given_map *to = &list->maps[list->map_count++];
    *to = (plx_given_map){.of_piece = map->of_scratch,
                          .which = map->of_scratch ? REST : map->operand,
                          .offset = map->offset - (map->of_scratch ? PLX_SCRATCH_COUNTERS : 0),
                          .rank = map->depth > 0 ? 3 : 2,
                          .swizzle = map->swizzle,
                          .size = {map->width, map->height, map->depth},
                          .stride = {map->pitch, map->depth_pitch},
                          .box = {map->box_width, map->box_height, map->depth > 0},
                          .step = {1, 1, map->depth > 0}};
    (void)snprintf(to->type, sizeof to->type, "%s", type != NULL ? type : "u8");
    if (!map->of_scratch)
        list->align[map->operand] = LEAST;
}

plx_status plx_describe_recipe(const plx_recipe *recipe, const plx_problem *problem, bool offsets,
                               plx_described_kernel **described, plx_error *error)
{
    enum { ALIGN = 256 };
    plx_described_kernel *made = calloc(1, sizeof *made);
    plx_status status =
        made != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for the description of a kernel");
    if (made != NULL && recipe->scratch_bytes > 0) {
        made->list.pieces[COUNTERS] =
            (plx_piece){.bytes = PLX_SCRATCH_COUNTERS, .align = ALIGN, .state = PLX_PIECE_ZERO_ONCE};
        made->list.pieces[REST] = (plx_piece){
            .bytes = recipe->scratch_bytes > PLX_SCRATCH_COUNTERS ? recipe->scratch_bytes - PLX_SCRATCH_COUNTERS : 0,
            .align = ALIGN,
            .state = PLX_PIECE_GARBAGE};
        made->list.piece_count = 2;
    }
    for (size_t i = 0; status == PLX_OK && i < recipe->map_count; i++)
        add_map(&made->list, &recipe->maps[i]);
    for (size_t i = 0; status == PLX_OK && i < PLX_MAX_OPERANDS; i++)
        if (recipe->aligned >> i & 1)
            made->list.align[i] = 16;
    for (size_t i = 0; status == PLX_OK && i < recipe->step_count; i++) {
        made->list.launch_count++;
        status = add_step(made, recipe, i, problem, offsets, error);
    }
    if (status == PLX_OK)
        *described = made;
    else
        free(made);
    return status;
}
