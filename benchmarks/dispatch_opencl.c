/* OpenCL's own launch: clEnqueueNDRangeKernel, after clSetKernelArg for the buffers,
 * because OpenCL has no other way to say what a launch works on. */
#include "benchmarks/dispatch.h"

#include "backends/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

extern const plx_image plx_opencl_sources[];

/* Where a buffer and its offset in elements go. */
typedef struct place {
    cl_uint index;
    cl_mem memory;
    cl_long offset;
} place;

struct driver_launch {
    plx_session *session;
    plx_plugin_queue *queue;
    plx_memory *memory[PLX_MAX_OPERANDS];
    cl_kernel kernel;
    size_t global[3], local[3];
    place places[PLX_MAX_OPERANDS];
    size_t place_count;
};

static void release(driver_launch *launch)
{
    if (launch == NULL)
        return;
    if (launch->kernel != NULL)
        (void)plx_cl.ReleaseKernel(launch->kernel);
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (launch->memory[i] != NULL)
            plx_cl_free(launch->session, launch->memory[i]);
    if (launch->queue != NULL)
        plx_cl_queue_destroy(launch->queue);
    if (launch->session != NULL)
        plx_cl_close(launch->session);
    free(launch);
}

static plx_status pack(driver_launch *launch, const plx_step *step, uint64_t bytes, plx_error *error)
{
    cl_uint index = 0;
    plx_status status = PLX_OK;

    for (size_t i = 0; i < step->argument_count && status == PLX_OK; ++i) {
        const plx_argument *argument = &step->arguments[i];
        if (argument->kind == PLX_ARG_OPERAND) {
            plx_memory **memory = &launch->memory[argument->operand];
            status = plx_cl_alloc(launch->session, bytes, memory, error);
            if (status == PLX_OK)
                launch->places[launch->place_count++] =
                    (place){.index = index, .memory = plx_cl_buffer(*memory)};
            index += 2;
        } else if (argument->kind == PLX_ARG_I64) {
            cl_long value = argument->value;
            status = PLX_CL(error, SetKernelArg, launch->kernel, index++, sizeof value, &value);
        } else if (argument->kind == PLX_ARG_I32) {
            cl_int value = (cl_int)argument->value;
            status = PLX_CL(error, SetKernelArg, launch->kernel, index++, sizeof value, &value);
        } else {
            status = plx_fail(error, PLX_UNSUPPORTED, "an argument that this benchmark does not know");
        }
    }
    return status;
}

static plx_status load(driver_launch *launch, const plx_row *row, const plx_problem *problem,
                       uint64_t bytes, plx_error *error)
{
    plx_recipe recipe = {.step_count = 0};
    cl_program program = NULL;
    plx_status status = row->recipe(problem, plx_cl_info(launch->session), &recipe, error);
    const plx_step *step = &recipe.steps[0];

    if (status != PLX_OK)
        return status;
    if (recipe.step_count != 1 || recipe.scratch_bytes > 0)
        return plx_fail(error, PLX_UNSUPPORTED, "%s is no single launch", row->about.name);
    char name[160];
    (void)snprintf(name, sizeof name, "%s/%s", plx_ladder_name(problem->op), row->about.name);
    const plx_image *image = plx_image_find(plx_opencl_sources, name);
    if (image == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no OpenCL form", name);
    const plx_cl_text text = {image->bytes, image->length};
    status = plx_cl_program(launch->session, name, &text, 1, recipe.defines, &program, error);
    if (status == PLX_OK)
        status = plx_cl_kernel(launch->session, program, step->entry,
                               (uint64_t)step->block[0] * step->block[1] * step->block[2],
                               &launch->kernel, error);
    for (int axis = 0; axis < 3; ++axis) {
        launch->local[axis] = step->block[axis];
        launch->global[axis] = (size_t)step->grid[axis] * step->block[axis];
    }
    return status == PLX_OK ? pack(launch, step, bytes, error) : status;
}

static plx_status prepare(size_t device, const plx_row *row, const plx_problem *problem, uint64_t bytes,
                          driver_launch **launch, plx_error *error)
{
    plx_device_info ignored[1];
    size_t count = 0;
    driver_launch *made = calloc(1, sizeof *made);
    plx_status status;

    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory");
    status = plx_cl_probe(ignored, 1, &count, error); /* loads the library */
    if (status == PLX_OK)
        status = plx_cl_open(device, &made->session, error);
    if (status == PLX_OK)
        status = plx_cl_queue_create(made->session, &made->queue, error);
    if (status == PLX_OK)
        status = load(made, row, problem, bytes, error);
    if (status != PLX_OK) {
        release(made);
        return status;
    }
    *launch = made;
    return PLX_OK;
}

static plx_status enqueue(driver_launch *launch, plx_error *error)
{
    cl_int result = CL_SUCCESS;

    for (size_t i = 0; i < launch->place_count && result == CL_SUCCESS; ++i) {
        const place *to = &launch->places[i];
        result = plx_cl.SetKernelArg(launch->kernel, to->index, sizeof to->memory, &to->memory);
        if (result == CL_SUCCESS)
            result = plx_cl.SetKernelArg(launch->kernel, to->index + 1, sizeof to->offset, &to->offset);
    }
    if (result == CL_SUCCESS)
        result = plx_cl.EnqueueNDRangeKernel(plx_cl_command_queue(launch->queue), launch->kernel, 3, NULL,
                                             launch->global, launch->local, 0, NULL, NULL);
    return result == CL_SUCCESS
               ? PLX_OK
               : plx_fail(error, PLX_FAILED, "clEnqueueNDRangeKernel: error %d", (int)result);
}

static plx_status finish(driver_launch *launch, plx_error *error)
{
    return plx_cl_synchronize(launch->queue, error);
}

const driver the_driver = {
    .backend = "opencl",
    .what = "clSetKernelArg for the buffers, clEnqueueNDRangeKernel",
    .prepare = prepare,
    .enqueue = enqueue,
    .finish = finish,
    .release = release,
};
