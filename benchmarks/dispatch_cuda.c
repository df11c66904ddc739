/* The CUDA driver's own launch, in the form that Parallax uses, on parameters that are packed
 * already. */
#include "benchmarks/dispatch.h"

#include "backends/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

extern const plx_image plx_cuda_images[];

struct driver_launch {
    plx_session *session;
    plx_plugin_queue *queue;
    plx_memory *memory[PLX_MAX_OPERANDS];
    CUfunction function;
    plx_step step;
    uint64_t values[PLX_MAX_ARGUMENTS];
    void *parameters[PLX_MAX_ARGUMENTS];
};

static void release(driver_launch *launch)
{
    if (launch == NULL)
        return;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (launch->memory[i] != NULL)
            plx_cuda_free(launch->session, launch->memory[i]);
    if (launch->queue != NULL)
        plx_cuda_queue_destroy(launch->queue);
    if (launch->session != NULL)
        plx_cuda_close(launch->session);
    free(launch);
}

static plx_status pack(driver_launch *launch, uint64_t bytes, plx_error *error)
{
    for (size_t i = 0; i < launch->step.argument_count; ++i) {
        const plx_argument *argument = &launch->step.arguments[i];
        launch->parameters[i] = &launch->values[i];
        if (argument->kind == PLX_ARG_OPERAND) {
            plx_memory **memory = &launch->memory[argument->operand];
            plx_status status = plx_cuda_alloc(launch->session, bytes, memory, error);
            if (status != PLX_OK)
                return status;
            launch->values[i] = (*memory)->address;
        } else if (argument->kind == PLX_ARG_I64 || argument->kind == PLX_ARG_I32) {
            launch->values[i] = (uint64_t)argument->value; /* of an int the low half, which lies first */
        } else {
            return plx_fail(error, PLX_UNSUPPORTED, "an argument that this benchmark does not know");
        }
    }
    return PLX_OK;
}

static plx_status load(driver_launch *launch, const plx_row *row, const plx_problem *problem,
                       plx_error *error)
{
    char key[96], entry[128];
    plx_recipe recipe = {.step_count = 0};
    const plx_image *image;
    plx_status status = row->recipe(problem, &launch->session->info, &recipe, error);

    if (status != PLX_OK)
        return status;
    if (recipe.step_count != 1 || recipe.scratch_bytes > 0)
        return plx_fail(error, PLX_UNSUPPORTED, "%s is no single launch", row->about.name);
    launch->step = recipe.steps[0];
    (void)snprintf(key, sizeof key, "%s/%s", plx_ladder_name(problem->op), row->about.name);
    (void)snprintf(entry, sizeof entry, "%s_%s", launch->step.entry, recipe.variant);
    image = plx_image_find(plx_cuda_images, key);
    if (image == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no CUDA form", key);
    return plx_cuda_function(launch->session, key, image->bytes, entry, &launch->function, error);
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
    status = plx_cuda_probe(ignored, 1, &count, error); /* loads the driver */
    if (status == PLX_OK)
        status = plx_cuda_open(device, &made->session, error);
    if (status == PLX_OK)
        status = plx_cuda_enter(made->session, error);
    if (status == PLX_OK)
        status = plx_cuda_queue_create(made->session, &made->queue, error);
    if (status == PLX_OK)
        status = load(made, row, problem, error);
    if (status == PLX_OK)
        status = pack(made, bytes, error);
    if (status != PLX_OK) {
        release(made);
        return status;
    }
    *launch = made;
    return PLX_OK;
}

static CUresult launch_plainly(const driver_launch *launch)
{
    const plx_step *step = &launch->step;
    return plx_cuda.LaunchKernel(launch->function, (unsigned)step->grid[0], (unsigned)step->grid[1],
                                 (unsigned)step->grid[2], step->block[0], step->block[1], step->block[2], 0,
                                 launch->queue->stream, (void **)launch->parameters, NULL);
}

#if CUDA_VERSION >= 11080
static CUresult launch_early(const driver_launch *launch)
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

static bool may_launch_early(const driver_launch *launch)
{
    return launch->step.early && launch->session->info.compute_major >= 9 && plx_cuda.LaunchKernelEx != NULL;
}
#else
static CUresult launch_early(const driver_launch *launch)
{
    return launch_plainly(launch);
}

static bool may_launch_early(const driver_launch *launch)
{
    (void)launch;
    return false;
}
#endif

static plx_status enqueue(driver_launch *launch, plx_error *error)
{
    CUresult result = may_launch_early(launch) ? launch_early(launch) : launch_plainly(launch);
    return result == CUDA_SUCCESS ? PLX_OK : plx_fail(error, PLX_FAILED, "the launch failed: %d", (int)result);
}

static plx_status finish(driver_launch *launch, plx_error *error)
{
    return plx_cuda_synchronize(launch->queue, error);
}

const driver the_driver = {
    .backend = "cuda",
    .what = "cuLaunchKernel, or cuLaunchKernelEx where launches may begin early",
    .prepare = prepare,
    .enqueue = enqueue,
    .finish = finish,
    .release = release,
};
