/* Makes the launches of a plan: finds the function, takes the arguments, and sees that the device can launch it so. */
#include "plugins/cuda/launch.h"

#include "kernels/operation.h"
#include "plugins/cuda/code.h"
#include "plugins/cuda/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Devices know launches with attributes, and clusters, from compute capability 9.0 on. */
static bool has_attributes(const plx_session *session)
{
#if CUDA_VERSION >= 11080
    return session->info.compute_major >= 9 && plx_cuda.LaunchKernelEx != NULL;
#else
    (void)session;
    return false;
#endif
}

/* ---- arguments -------------------------------------------------------- */

/* Bytes that others wrote are the launch's from now on. */
static plx_status take_bytes(plx_cuda_argument *added, const plx_given *given, plx_error *error)
{
    const size_t pointers = given->pointer_count * sizeof *given->pointers;
    if (given->size > PLX_CUDA_MOST_OF_STRUCTS)
        return plx_fail(error, PLX_UNSUPPORTED, "an argument of %llu bytes; %d are the most",
                        (unsigned long long)given->size, PLX_CUDA_MOST_OF_STRUCTS);
    *added = (plx_cuda_argument){.kind = BYTES, .value = given->size, .pointer_count = given->pointer_count};
    added->bytes = calloc(1, given->size + 8);
    added->pointers = malloc(pointers + 8);
    if (added->bytes == NULL || added->pointers == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    memcpy(added->bytes, given->bytes, given->size);
    if (pointers > 0)
        memcpy(added->pointers, given->pointers, pointers);
    return PLX_OK;
}

/* Appends the argument to the launch; shared memory becomes no argument. */
static plx_status add_argument(plx_cuda_launch *made, const plx_argument *argument, plx_dtype dtype, plx_error *error)
{
    plx_cuda_argument *added = &made->arguments[made->argument_count];
    size_t size;
    if (argument->kind == PLX_ARG_SHARED) {
        made->shared_bytes += (unsigned int)argument->value;
        return PLX_OK;
    }
    made->argument_count++;
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        *added = (plx_cuda_argument){.kind = OPERAND, .which = argument->operand};
        return PLX_OK;
    case PLX_ARG_SCRATCH:
        *added = (plx_cuda_argument){.kind = SCRATCH, .value = (uint64_t)argument->value};
        return PLX_OK;
    case PLX_ARG_MAP:
    case PLX_ARG_GIVEN_MAP:
        *added = (plx_cuda_argument){.kind = MAP, .which = argument->operand};
        return PLX_OK;
    case PLX_ARG_POINTER:
    case PLX_ARG_PIECE:
        *added = (plx_cuda_argument){.kind = argument->kind == PLX_ARG_PIECE ? PIECE : POINTER,
                                     .which = argument->operand,
                                     .value = (uint64_t)argument->value};
        return PLX_OK;
    case PLX_ARG_NULL:
        *added = (plx_cuda_argument){.kind = KNOWN, .value = 0};
        return PLX_OK;
    case PLX_ARG_BYTES:
        return take_bytes(added, argument->given, error);
    default:
        *added = (plx_cuda_argument){.kind = KNOWN};
        return plx_argument_bytes(argument, dtype, &added->value, &size, error);
    }
}

/* The same for text that takes pointers with offsets: each piece of shared memory is an argument, its address
 * within the block's. */
static plx_status add_offset_argument(plx_cuda_launch *made, const plx_argument *argument, const plx_problem *problem,
                                      uint64_t shared_start, plx_error *error)
{
    enum { SHARED_ALIGNMENT = 16 };
    plx_cuda_argument *added = &made->arguments[made->argument_count];
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        added[0] = (plx_cuda_argument){.kind = BASE, .which = argument->operand};
        added[1] = (plx_cuda_argument){.kind = ELEMENTS,
                                       .which = argument->operand,
                                       .value = plx_element_size(plx_operand_dtype(problem, argument->operand))};
        made->argument_count += 2;
        return PLX_OK;
    case PLX_ARG_SCRATCH:
        added[0] = (plx_cuda_argument){.kind = SCRATCH};
        added[1] = (plx_cuda_argument){.kind = KNOWN, .value = (uint64_t)argument->value / argument->operand};
        made->argument_count += 2;
        return PLX_OK;
    case PLX_ARG_SHARED:
        made->shared_bytes = (made->shared_bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT * SHARED_ALIGNMENT;
        added[0] = (plx_cuda_argument){.kind = KNOWN, .value = shared_start + made->shared_bytes};
        made->argument_count++;
        made->shared_bytes += (unsigned int)argument->value;
        return PLX_OK;
    default:
        return add_argument(made, argument, problem->dtype, error);
    }
}

/* ---- the function ------------------------------------------------------ */

static plx_status find_function(plx_session *session, const plx_cuda_loaded *code, const plx_recipe *recipe,
                                const plx_step *step, plx_cuda_launch *made, plx_error *error)
{
    if (code->convention == PLX_CONVENTION_OFFSETS || code->list != NULL)
        (void)snprintf(made->entry, sizeof made->entry, "%s", step->entry);
    else
        (void)snprintf(made->entry, sizeof made->entry, "%s_%s", step->entry,
                       step->variant != NULL ? step->variant : recipe->variant);
    if (code->image == NULL)
        return plx_cuda_text_function(session, code->text, code->list != NULL ? step->entry : made->entry,
                                      &made->function, error);
    const plx_image *image = plx_step_image(plx_cuda_images, step, code->image);
    return plx_cuda_function(session, image->key, image->bytes, made->entry, &made->function, error);
}

/* Of nvcc's code: a type of 16 bits that OpenCL alone computes with.  What only moves it knows its size alone. */
static plx_status check_type(const plx_cuda_loaded *code, const plx_problem *problem, plx_error *error)
{
    const bool is_there = !plx_is_half(problem->dtype) || (PLX_CUDA_HALF_DTYPES & PLX_DTYPE_BIT(problem->dtype)) != 0;
    if (is_there || code->image == NULL || !plx_operation_computes(plx_operation_of(problem->op)))
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "no code of CUDA C++ is built for this element type");
}

static plx_status add_arguments(plx_session *session, const plx_cuda_loaded *code, const plx_step *step,
                                const plx_problem *problem, plx_cuda_launch *made, plx_error *error)
{
    const bool offsets = code->convention == PLX_CONVENTION_OFFSETS;
    uint64_t shared_start = 0;
    plx_status status = offsets ? plx_cuda_dynamic_shared_start(session, made->function, &shared_start, error) : PLX_OK;
    for (size_t i = 0; i < step->argument_count && status == PLX_OK; i++)
        status = offsets ? add_offset_argument(made, &step->arguments[i], problem, shared_start, error)
                         : add_argument(made, &step->arguments[i], problem->dtype, error);
    return status;
}

/* As others' device code takes it. */
static size_t bytes_of(const plx_cuda_argument *argument)
{
    switch (argument->kind) {
    case MAP:
        return sizeof(plx_cuda_map_argument);
    case BYTES:
        return (size_t)argument->value;
    default:
        return sizeof(CUdeviceptr);
    }
}

/* Of launches that others wrote: a parameter of another width would be read from what lies behind the argument. */
static plx_status check_parameters(plx_session *session, const plx_cuda_launch *made, plx_error *error)
{
    size_t bytes[PLX_CUDA_MOST_ARGUMENTS], count = 0;
    bool known;
    const plx_status status =
        plx_cuda_function_parameters(session, made->function, bytes, PLX_CUDA_MOST_ARGUMENTS, &count, &known, error);
    if (status != PLX_OK || !known)
        return status;
    if (count != made->argument_count)
        return plx_fail(error, PLX_INVALID, "%.80s takes %zu arguments, the recipe gives %zu", made->entry, count,
                        made->argument_count);
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != bytes_of(&made->arguments[i]))
            return plx_fail(error, PLX_INVALID, "%.80s: parameter %zu has %zu bytes, the recipe gives %zu", made->entry,
                            i + 1, bytes[i], bytes_of(&made->arguments[i]));
    return PLX_OK;
}

/* Of launches that others wrote: what a function must be told before it is launched so. */
static plx_status set_attributes(plx_session *session, const plx_step *step, plx_cuda_launch *made, plx_error *error)
{
    plx_status status = PLX_OK;
    const unsigned together =
        made->cluster * (made->cluster_y > 1 ? made->cluster_y : 1) * (made->cluster_z > 1 ? made->cluster_z : 1);
    if (step->carveout > 0)
        status = PLX_CUDA(session, error, FuncSetAttribute, made->function,
                          CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, step->carveout - 1);
#if CUDA_VERSION >= 11080
    if (status == PLX_OK && together > 8)
        status = PLX_CUDA(session, error, FuncSetAttribute, made->function,
                          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
#else
    (void)together;
#endif
    return status;
}

plx_status plx_cuda_launch_make(plx_session *session, const plx_cuda_loaded *code, const plx_recipe *recipe,
                                const plx_step *step, const plx_problem *problem, plx_cuda_launch *made,
                                plx_error *error)
{
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    if (step->cluster > 0 && !has_attributes(session))
        return plx_fail(error, PLX_UNSUPPORTED, "needs clusters: compute capability 9.0, CUDA 11.8");
    if (step->cooperative && plx_cuda.LaunchKernelEx == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "cooperative launches need CUDA 11.8");
    made->tile_rows = step->tile_rows;
    made->tile_cols = step->tile_cols;
    made->cluster = step->cluster;
    made->cluster_y = step->cluster_y;
    made->cluster_z = step->cluster_z;
    made->cooperative = step->cooperative;
    made->dependent = step->dependent_launch && !code->plain && has_attributes(session);
    for (int axis = 0; axis < 3; axis++) {
        made->grid[axis] = (unsigned int)step->grid[axis];
        made->block[axis] = step->block[axis];
    }
    plx_status status = check_type(code, problem, error);
    if (status == PLX_OK)
        status = find_function(session, code, recipe, step, made, error);
    if (status == PLX_OK)
        status = add_arguments(session, code, step, problem, made, error);
    if (status == PLX_OK && code->list != NULL)
        status = check_parameters(session, made, error);
    if (status == PLX_OK)
        status = set_attributes(session, step, made, error);
    if (status != PLX_OK)
        return status;
    return plx_cuda_function_prepare(session, made->function, made->entry, threads, made->shared_bytes, error);
}

void plx_cuda_launch_free(plx_cuda_launch *made)
{
    for (size_t i = 0; i < made->argument_count; i++) {
        free(made->arguments[i].bytes);
        free(made->arguments[i].pointers);
    }
}
