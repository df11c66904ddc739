/* Helpers with which the operations write their recipes. */
#include "recipe.h"

#include "arithmetic.h"
#include "operation.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plx_step *plx_recipe_step(plx_recipe *recipe, const char *entry, uint32_t block_x, uint32_t block_y)
{
    recipe->more_steps = recipe->more_steps || recipe->step_count == PLX_MAX_STEPS;
    recipe->step_count -= recipe->step_count == PLX_MAX_STEPS;
    plx_step *step = &recipe->steps[recipe->step_count++];
    memset(step, 0, offsetof(plx_step, arguments));
    step->entry = entry;
    step->grid[0] = step->grid[1] = step->grid[2] = 1;
    step->block[0] = block_x;
    step->block[1] = block_y;
    step->block[2] = 1;
    return step;
}

static plx_argument *add_argument(plx_step *step, plx_argument_kind kind)
{
    step->more_arguments = step->more_arguments || step->argument_count == PLX_MAX_ARGUMENTS;
    step->argument_count -= step->argument_count == PLX_MAX_ARGUMENTS;
    plx_argument *argument = &step->arguments[step->argument_count++];
    *argument = (plx_argument){.kind = kind};
    return argument;
}

void plx_step_operand(plx_step *step, uint32_t operand)
{
    add_argument(step, PLX_ARG_OPERAND)->operand = operand;
}

void plx_step_scratch(plx_step *step, int64_t byte_offset, uint32_t element_size)
{
    assert(byte_offset % element_size == 0);
    plx_argument *argument = add_argument(step, PLX_ARG_SCRATCH);
    argument->value = byte_offset;
    argument->operand = element_size;
}

void plx_step_i64(plx_step *step, int64_t value)
{
    add_argument(step, PLX_ARG_I64)->value = value;
}

void plx_step_i32(plx_step *step, int32_t value)
{
    add_argument(step, PLX_ARG_I32)->value = value;
}

void plx_step_scalar(plx_step *step, double value)
{
    add_argument(step, PLX_ARG_SCALAR)->scalar = value;
}

void plx_step_shared(plx_step *step, int64_t bytes)
{
    add_argument(step, PLX_ARG_SHARED)->value = bytes;
}

void plx_step_map(plx_recipe *recipe, plx_step *step, const plx_tensor_map *map)
{
    recipe->more_maps = recipe->more_maps || recipe->map_count == PLX_MAX_MAPS;
    recipe->map_count -= recipe->map_count == PLX_MAX_MAPS;
    add_argument(step, PLX_ARG_MAP)->operand = (uint32_t)recipe->map_count;
    recipe->maps[recipe->map_count++] = *map;
}

plx_status plx_needs_sm_90a(const plx_device_info *device, plx_error *error)
{
    if (device->compute_major != 9 || device->compute_minor != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "needs compute capability 9.0; this device has %u.%u",
                        device->compute_major, device->compute_minor);
    if (device->features & PLX_FEATURE_NVIDIA_PTX)
        return plx_fail(error, PLX_UNSUPPORTED, "needs CUDA: it has no OpenCL form");
    return PLX_OK;
}

int plx_pocl_version(const plx_device_info *device)
{
    static const char name[] = "PoCL ";
    const char *at = strstr(device->api, name);
    return at != NULL ? (int)strtol(at + sizeof name - 1, NULL, 10) : 0;
}

plx_status plx_not_by_pocl(const plx_device_info *device, int first, int last, plx_error *error)
{
    const int version = plx_pocl_version(device);
    if (version < first || (last != 0 && version > last))
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "PoCL %d compiles it wrong; PoCL 3.1 does not", version);
}

bool plx_has_large_shared(const plx_device_info *device)
{
    return device->compute_major == 9 || device->compute_major == 10;
}

/* What a multiprocessor of NVIDIA has; a thread gets registers in eights. */
enum { REGISTERS_PER_UNIT = 65536, REGISTERS_AT_ONCE = 8, SHARED_PER_UNIT = 228 << 10, SHARED_AT_ONCE = 4 << 10 };

enum { MOST_OF_UNKNOWN_SIZE = 256 }; /* work-items, where a kernel does not say */

static void append(plx_recipe *recipe, const char *option, int64_t value)
{
    size_t used = strlen(recipe->defines);
    (void)snprintf(recipe->defines + used, sizeof recipe->defines - used, " %s=%" PRId64, option, value);
}

void plx_recipe_define(plx_recipe *recipe, const char *name, int64_t value)
{
    char option[64];
    (void)snprintf(option, sizeof option, "-D%s", name);
    append(recipe, option, value);
}

void plx_recipe_min_blocks_per_sm(plx_recipe *recipe, const plx_device_info *device, int threads, int blocks)
{
    int registers = REGISTERS_PER_UNIT / (threads * blocks) / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE;

    if (!(device->features & PLX_FEATURE_NVIDIA_PTX))
        return;
    if (threads <= MOST_OF_UNKNOWN_SIZE) {
        plx_recipe_define(recipe, "REGISTERS", registers);
        append(recipe, "-cl-nv-maxrregcount", registers);
    } else if (plx_has_large_shared(device)) { /* one more would not fit */
        plx_recipe_define(recipe, "LOCAL_BYTES",
                          SHARED_PER_UNIT / (blocks + 1) / SHARED_AT_ONCE * SHARED_AT_ONCE + SHARED_AT_ONCE);
        recipe->known_local_bytes = SHARED_PER_UNIT / (uint64_t)blocks - SHARED_AT_ONCE;
    }
}

const plx_element_words *plx_element_words_of(const plx_problem *problem)
{
    static const plx_element_words same[PLX_DTYPE_COUNT] = {
        [PLX_F32] = {"f32", "-DT=float -DPACK=float4 -DPACK_WIDTH=4", ""},
        [PLX_F64] = {"f64", "-DT=double -DPACK=double2 -DPACK_WIDTH=2 -DNEEDS_F64", ""},
#define HALF(type, name, NAME, ...) \
    [type] = {name, "-DT=float -DIN_" NAME " -DOUT_" NAME, " -DIN_" NAME " -DOUT_" NAME},
        PLX_DEVICE_HALF_TYPES(HALF)
#undef HALF
    };
    static const plx_element_words wider[PLX_DTYPE_COUNT] = {
#define HALF(type, name, NAME, ...) [type] = {name "_f32", "-DT=float -DIN_" NAME, " -DIN_" NAME},
        PLX_DEVICE_HALF_TYPES(HALF)
#undef HALF
    };
    return &(plx_output_dtype(problem) == problem->dtype ? same : wider)[problem->dtype];
}

/* ---- for the plugins ------------------------------------------------------ */

plx_status plx_schedule_resolve(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                                plx_schedule *schedule, plx_error *error)
{
    *schedule = (plx_schedule){.kernel = (uint32_t)(row - plx_ladder_of(problem->op)->rows)};
    return row->schedule != NULL ? row->schedule(problem, device, schedule, error) : PLX_OK;
}

plx_status plx_schedule_unaligned(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                                  plx_schedule *schedule, plx_error *error)
{
    if (row->unaligned == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s does not take operands that begin anywhere", row->about.name);
    return row->unaligned(problem, device, schedule, error);
}

plx_status plx_recipe_by(const plx_row *row, const plx_schedule *schedule, const plx_problem *problem,
                         const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    const plx_row *by = &plx_ladder_of(problem->op)->rows[schedule->kernel];
    memset(recipe, 0, offsetof(plx_recipe, maps)); /* maps and steps are empty: there is much room for them */
    recipe->step_count = 0;
    recipe->form = by->form;
    recipe->schedule = *schedule;
    const plx_status status = by->recipe(problem, device, recipe, error);
    if (by != row && recipe->code[0] == '\0')
        (void)snprintf(recipe->code, sizeof recipe->code, "%s/%s", plx_ladder_name(problem->op), by->about.name);
    return status == PLX_OK ? plx_recipe_check(recipe, 0, device, error) : status;
}

plx_status plx_recipe_write(const plx_row *row, bool anywhere, const plx_problem *problem,
                            const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    plx_schedule schedule;
    plx_status status = plx_schedule_resolve(row, problem, device, &schedule, error);
    if (status == PLX_OK && anywhere)
        status = plx_schedule_unaligned(row, problem, device, &schedule, error);
    return status == PLX_OK ? plx_recipe_by(row, &schedule, problem, device, recipe, error) : status;
}

static int64_t depth_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_row *by = &plx_ladder_of(problem->op)->rows[schedule->kernel];
    return by->depth != NULL ? by->depth(problem, device, schedule) : by->about.depth(problem, device);
}

int64_t plx_schedule_depth(const plx_row *row, const plx_problem *problem, const plx_device_info *device)
{
    plx_schedule schedule;
    plx_error ignored;
    if (plx_schedule_resolve(row, problem, device, &schedule, &ignored) != PLX_OK)
        return -1;
    const int64_t depth = depth_of(problem, device, &schedule);
    if (row->unaligned == NULL || row->unaligned(problem, device, &schedule, &ignored) != PLX_OK)
        return depth;
    return larger(depth, depth_of(problem, device, &schedule));
}

plx_status plx_argument_bytes(const plx_argument *argument, plx_dtype dtype, uint64_t *bytes, size_t *size,
                              plx_error *error)
{
    const int32_t narrow = (int32_t)argument->value;
    const float single = (float)argument->scalar;
    const bool scalar = argument->kind == PLX_ARG_SCALAR;
    if (scalar && dtype != PLX_F32 && dtype != PLX_F64 && !plx_is_half(dtype))
        return plx_fail(error, PLX_UNSUPPORTED, "scalars of this element type are not supported");
    *size = argument->kind == PLX_ARG_I64 || (scalar && dtype == PLX_F64) ? 8 : 4;
    *bytes = 0;
    memcpy(bytes,
           !scalar ? (*size == 8 ? (const void *)&argument->value : &narrow)
                   : (*size == 8 ? (const void *)&argument->scalar : &single),
           *size);
    return PLX_OK;
}

/* ---- what the device has ----------------------------------------------- */

/* Text that was cut off fills its room to the end; snprintf() leaves it so. */
static bool is_cut_off(const char *text, size_t room)
{
    return strlen(text) + 1 >= room;
}

/* Whether it is all there. */
static plx_status check_room(const plx_recipe *recipe, plx_error *error)
{
    if (is_cut_off(recipe->defines, sizeof recipe->defines))
        return plx_fail(error, PLX_FAILED, "its options for OpenCL do not fit into the %zu bytes of plx_recipe.defines",
                        sizeof recipe->defines);
    if (is_cut_off(recipe->variant, sizeof recipe->variant) || is_cut_off(recipe->code, sizeof recipe->code))
        return plx_fail(error, PLX_FAILED, "the names of its entry points and code do not fit into a plx_recipe");
    if (recipe->more_steps)
        return plx_fail(error, PLX_FAILED, "it has more launches than the %d of PLX_MAX_STEPS", PLX_MAX_STEPS);
    if (recipe->more_maps)
        return plx_fail(error, PLX_FAILED, "it has more tensor maps than the %d of PLX_MAX_MAPS", PLX_MAX_MAPS);
    for (size_t i = 0; i < recipe->step_count; i++)
        if (recipe->steps[i].more_arguments)
            return plx_fail(error, PLX_FAILED, "%s has more arguments than the %d of PLX_MAX_ARGUMENTS",
                            recipe->steps[i].entry, PLX_MAX_ARGUMENTS);
    return PLX_OK;
}

static uint64_t dynamic_shared(const plx_step *step)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < step->argument_count; i++)
        if (step->arguments[i].kind == PLX_ARG_SHARED)
            bytes += (uint64_t)step->arguments[i].value;
    return bytes;
}

static plx_status check_block(const plx_step *step, const plx_device_info *device, plx_error *error)
{
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    if (threads > device->max_block_threads)
        return plx_fail(error, PLX_UNSUPPORTED, "needs blocks of %" PRIu64 " threads; this device has at most %" PRIu32,
                        threads, device->max_block_threads);
    for (int axis = 0; axis < 3; axis++)
        if (step->block[axis] > device->max_block[axis])
            return plx_fail(error, PLX_UNSUPPORTED,
                            "needs %" PRIu32 " threads along axis %d; this device has at most %" PRIu64,
                            step->block[axis], axis, device->max_block[axis]);
    return PLX_OK;
}

static plx_status check_grid(const plx_step *step, const plx_device_info *device, plx_error *error)
{
    const uint64_t y = step->cluster_y > 1 ? step->cluster_y : 1, z = step->cluster_z > 1 ? step->cluster_z : 1;
    if (y * z > 1 && (step->cluster * y * z > 16 || step->grid[1] % y != 0 || step->grid[2] % z != 0))
        return plx_fail(error, PLX_FAILED, "%s has clusters of %" PRIu32 " x %" PRIu64 " x %" PRIu64 " blocks",
                        step->entry, step->cluster, y, z);
    if (step->cluster > (step->cluster_y > 0 ? 16 : 8) || (step->cluster != 0 && step->grid[0] % step->cluster != 0))
        return plx_fail(error, PLX_FAILED, "%s has %" PRIu64 " blocks in clusters of %" PRIu32, step->entry,
                        step->grid[0], step->cluster);
    for (int axis = 0; axis < 3; axis++)
        if (step->grid[axis] > device->max_grid[axis])
            return plx_fail(error, PLX_UNSUPPORTED,
                            "needs %" PRIu64 " blocks along axis %d; this device has at most %" PRIu64,
                            step->grid[axis], axis, device->max_grid[axis]);
    return PLX_OK;
}

static plx_status check_map(const plx_tensor_map *map, plx_error *error)
{
    if (map->width == 0 || map->height == 0 || map->box_width > 256 || map->box_height > 256 || map->offset % 16 != 0)
        return plx_fail(error, PLX_FAILED,
                        "a tensor map is of no matrix, begins at no multiple of 16 bytes, or has "
                        "boxes of %" PRIu32 " x %" PRIu32,
                        map->box_width, map->box_height);
    if (map->width > PLX_MOST_OF_MAP || map->height > PLX_MOST_OF_MAP)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs bulk copies from a matrix of %" PRIu64 " rows of %" PRIu64 "; they reach %d of each",
                        map->height, map->width, PLX_MOST_OF_MAP);
    if (map->pitch % 16 != 0 || map->pitch >= UINT64_C(1) << 40)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs bulk copies of rows that are %" PRIu64 " bytes apart; they take multiples of 16 "
                        "below 2^40",
                        map->pitch);
    if (map->depth > PLX_MOST_OF_MAP || map->depth_pitch % 16 != 0 || map->depth_pitch >= UINT64_C(1) << 40)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs bulk copies from %" PRIu64 " matrices %" PRIu64
                        " bytes apart; they take multiples of 16 "
                        "below 2^40",
                        map->depth, map->depth_pitch);
    return PLX_OK;
}

plx_status plx_recipe_check(const plx_recipe *recipe, uint64_t static_shared, const plx_device_info *device,
                            plx_error *error)
{
    plx_status status = check_room(recipe, error);
    for (size_t i = 0; status == PLX_OK && i < recipe->step_count; i++) {
        const plx_step *step = &recipe->steps[i];
        status = check_block(step, device, error);
        if (status == PLX_OK)
            status = check_grid(step, device, error);
        if (status != PLX_OK)
            return status;
        uint64_t shared = static_shared + dynamic_shared(step);
        if (shared > device->max_shared_bytes)
            return plx_fail(error, PLX_UNSUPPORTED,
                            "needs %" PRIu64 " bytes of shared memory per block; this device has %" PRIu64, shared,
                            device->max_shared_bytes);
    }
    for (size_t i = 0; status == PLX_OK && i < recipe->map_count; i++)
        status = check_map(&recipe->maps[i], error);
    return status;
}
