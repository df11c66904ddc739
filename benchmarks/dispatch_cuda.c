/* The CUDA driver's own launch, in the form that Parallax uses, on parameters that are packed
 * already. */
#include "benchmarks/dispatch.h"

#include "backends/cuda/cuda.h"

#include <stdlib.h>

extern const plx_image plx_cuda_images[];

struct driver_launch {
    plx_plugin_queue *queue;
    CUfunction function;
    plx_step step;
    uint64_t values[PLX_MAX_ARGUMENTS];
    void *parameters[PLX_MAX_ARGUMENTS];
};

static const plx_device_info *info(const plx_session *session)
{
    return &session->info;
}

static void release(driver_launch *launch)
{
    free(launch);
}

static plx_status pack(driver_launch *launch, plx_memory *const *memory, plx_error *error)
{
    for (size_t i = 0; i < launch->step.argument_count; ++i) {
        const plx_argument *argument = &launch->step.arguments[i];
        launch->parameters[i] = &launch->values[i];
        if (argument->kind == PLX_ARG_OPERAND)
            launch->values[i] = memory[argument->operand]->address;
        else if (argument->kind == PLX_ARG_I64 || argument->kind == PLX_ARG_I32)
            launch->values[i] = (uint64_t)argument->value; /* of an int the low half, which lies first */
        else
            return plx_fail(error, PLX_UNSUPPORTED, "an argument that this benchmark does not know");
    }
    return PLX_OK;
}

static plx_status load(plx_plugin_queue *queue, const plx_image *image, const plx_recipe *recipe,
                       plx_memory *const *memory, driver_launch **launch, plx_error *error)
{
    char entry[128];
    driver_launch *made = calloc(1, sizeof *made);

    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory");
    *launch = made;
    made->queue = queue;
    made->step = recipe->steps[0];
    (void)snprintf(entry, sizeof entry, "%s_%s", made->step.entry, recipe->variant);
    plx_cuda_thread thread; /* stays so: the driver is called directly below */
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_function(queue->session, image->key, image->bytes, entry, &made->function, error);
    return status == PLX_OK ? pack(made, memory, error) : status;
}

static CUresult launch_plainly(const driver_launch *launch)
{
    const plx_step *step = &launch->step;
    return plx_cuda.LaunchKernel(launch->function, (unsigned)step->grid[0], (unsigned)step->grid[1],
                                 (unsigned)step->grid[2], step->block[0], step->block[1], step->block[2], 0,
                                 launch->queue->stream, (void **)launch->parameters, NULL);
}

#if CUDA_VERSION >= 11080
static CUresult launch_dependent(const driver_launch *launch)
{
    const plx_step *step = &launch->step;
    CUlaunchAttribute overlap = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig config = {
        .gridDimX = (unsigned)step->grid[0],
        .gridDimY = (unsigned)step->grid[1],
        .gridDimZ = (unsigned)step->grid[2],
        .blockDimX = step->block[0],
        .blockDimY = step->block[1],
        .blockDimZ = step->block[2],
        .hStream = launch->queue->stream,
        .attrs = &overlap,
        .numAttrs = 1,
    };
    return plx_cuda.LaunchKernelEx(&config, launch->function, (void **)launch->parameters, NULL);
}

static bool may_launch_dependent(const driver_launch *launch)
{
    return launch->step.dependent_launch && launch->queue->session->info.compute_major >= 9 &&
           plx_cuda.LaunchKernelEx != NULL;
}
#else
static CUresult launch_dependent(const driver_launch *launch)
{
    return launch_plainly(launch);
}

static bool may_launch_dependent(const driver_launch *launch)
{
    (void)launch;
    return false;
}
#endif

static plx_status enqueue(driver_launch *launch, plx_error *error)
{
    CUresult result = may_launch_dependent(launch) ? launch_dependent(launch) : launch_plainly(launch);
    return result == CUDA_SUCCESS ? PLX_OK : plx_fail(error, PLX_FAILED, "the launch failed: %d", (int)result);
}

const driver the_driver = {
    .backend = "cuda",
    .what = "cuLaunchKernel, or cuLaunchKernelEx for programmatic dependent launch",
    .api = "CUDA",
    .images = plx_cuda_images,
    .slots = {.probe = plx_cuda_probe, .open = plx_cuda_open, .close = plx_cuda_close, PLX_CUDA_MEMORY_SLOTS},
    .info = info,
    .load = load,
    .enqueue = enqueue,
    .release = release,
};
