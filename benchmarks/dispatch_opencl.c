/* OpenCL's own launch: clEnqueueNDRangeKernel, after clSetKernelArg for the buffers,
 * because OpenCL has no other way to say what a launch works on. */
#include "benchmarks/dispatch.h"

#include "backends/opencl/opencl.h"

#include <stdlib.h>

extern const plx_image plx_opencl_sources[];

/* Where a buffer and its offset in elements go. */
typedef struct place {
    cl_uint index;
    cl_mem memory;
    cl_long offset;
} place;

struct driver_launch {
    plx_plugin_queue *queue;
    cl_kernel kernel;
    size_t global[3], local[3];
    place places[PLX_MAX_OPERANDS];
    size_t place_count;
};

static const plx_device_info *info(const plx_session *session)
{
    return &session->info;
}

static void release(driver_launch *launch)
{
    if (launch != NULL && launch->kernel != NULL)
        (void)plx_cl.ReleaseKernel(launch->kernel);
    free(launch);
}

static plx_status pack(driver_launch *launch, const plx_step *step, plx_memory *const *memory, plx_error *error)
{
    cl_uint index = 0;
    plx_status status = PLX_OK;

    for (size_t i = 0; i < step->argument_count && status == PLX_OK; ++i) {
        const plx_argument *argument = &step->arguments[i];
        uint64_t bytes;
        size_t size;
        if (argument->kind == PLX_ARG_OPERAND) {
            launch->places[launch->place_count++] =
                (place){.index = index, .memory = memory[argument->operand]->buffer};
            index += 2;
        } else if (argument->kind == PLX_ARG_I64 || argument->kind == PLX_ARG_I32) {
            (void)plx_argument_bytes(argument, PLX_F32, &bytes, &size, error);
            status = PLX_CL(error, SetKernelArg, launch->kernel, index++, size, &bytes);
        } else {
            status = plx_fail(error, PLX_UNSUPPORTED, "an argument that this benchmark does not know");
        }
    }
    return status;
}

static plx_status load(plx_plugin_queue *queue, const plx_image *image, const plx_recipe *recipe,
                       plx_memory *const *memory, driver_launch **launch, plx_error *error)
{
    const plx_step *step = &recipe->steps[0];
    cl_program program = NULL;
    driver_launch *made = calloc(1, sizeof *made);

    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory");
    *launch = made;
    made->queue = queue;
    for (int axis = 0; axis < 3; ++axis) {
        made->local[axis] = step->block[axis];
        made->global[axis] = (size_t)step->grid[axis] * step->block[axis];
    }
    const plx_cl_source source = {.name = image->key, .text = image->bytes, .length = image->length};
    plx_status status = plx_cl_program(queue->session, &source, recipe->defines, &program, error);
    if (status == PLX_OK)
        status = plx_cl_kernel(queue->session, program, step->entry,
                               (uint64_t)step->block[0] * step->block[1] * step->block[2], &made->kernel, error);
    return status == PLX_OK ? pack(made, step, memory, error) : status;
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
        result = plx_cl.EnqueueNDRangeKernel(launch->queue->queue, launch->kernel, 3, NULL, launch->global,
                                             launch->local, 0, NULL, NULL);
    return result == CL_SUCCESS ? PLX_OK : plx_fail(error, PLX_FAILED, "clEnqueueNDRangeKernel: error %d", (int)result);
}

const driver the_driver = {
    .backend = "opencl",
    .what = "clSetKernelArg for the buffers, clEnqueueNDRangeKernel",
    .api = "OpenCL",
    .images = plx_opencl_sources,
    .slots = {.probe = plx_cl_probe, .open = plx_cl_open, .close = plx_cl_close, PLX_CL_MEMORY_SLOTS},
    .info = info,
    .load = load,
    .enqueue = enqueue,
    .release = release,
};
