/* Carries out recipes: plan() does all that is slow, execute() only launches. */
#include "plugins/cuda/plan.h"

#include <stdlib.h>
#include <string.h>

/* An argument as cuLaunchKernel wants it: eight bytes at an address.  What is
 * known when planning lies in `value`; pointers are made for each call. */
typedef struct launch_argument {
    enum { KNOWN, OPERAND, SCRATCH } kind;
    uint32_t operand;
    uint64_t value; /* KNOWN: its bytes; SCRATCH: byte offset */
} launch_argument;

typedef struct launch {
    CUfunction function;
    unsigned int grid[3], block[3], shared_bytes;
    bool early; /* it may begin while what is before it in the queue ends */
    size_t argument_count;
    launch_argument arguments[PLX_MAX_ARGUMENTS];
} launch;

/* Constant once made, so that threads can share it. */
struct plx_plugin_plan {
    uint64_t scratch_bytes;
    size_t launch_count;
    launch launches[];
};

/* ---- early launches --------------------------------------------------- */

/* A kernel that waits by itself for what is before it in its queue may be started
 * while that still ends: the latency of a launch is spent in time that is lost
 * anyway.  Devices know it from compute capability 9.0 on. */
#if CUDA_VERSION >= 11080
static bool may_launch_early(const plx_session *session)
{
    return session->info.compute_major >= 9 && plx_cuda.LaunchKernelEx != NULL;
}

static plx_status launch_early(const launch *launched, plx_plugin_queue *queue, void **parameters,
                               plx_error *error)
{
    CUlaunchAttribute overlap = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig config = {
        .gridDimX = launched->grid[0],
        .gridDimY = launched->grid[1],
        .gridDimZ = launched->grid[2],
        .blockDimX = launched->block[0],
        .blockDimY = launched->block[1],
        .blockDimZ = launched->block[2],
        .sharedMemBytes = launched->shared_bytes,
        .hStream = queue->stream,
        .attrs = &overlap,
        .numAttrs = 1,
    };
    return PLX_CUDA(queue->session, error, LaunchKernelEx, &config, launched->function, parameters, NULL);
}
#else
static bool may_launch_early(const plx_session *session)
{
    (void)session;
    return false;
}

static plx_status launch_early(const launch *launched, plx_plugin_queue *queue, void **parameters,
                               plx_error *error)
{
    (void)launched;
    (void)queue;
    (void)parameters;
    return plx_fail(error, PLX_UNSUPPORTED, "built with a CUDA that knows no early launches");
}
#endif

/* ---- plan ------------------------------------------------------------ */

static plx_status pack_scalar(plx_dtype dtype, double scalar, uint64_t *value, plx_error *error)
{
    float narrow = (float)scalar;
    if (dtype == PLX_F32)
        memcpy(value, &narrow, sizeof narrow);
    else if (dtype == PLX_F64)
        memcpy(value, &scalar, sizeof scalar);
    else
        return plx_fail(error, PLX_UNSUPPORTED, "scalars of this element type are not supported");
    return PLX_OK;
}

/* Appends the argument to the launch; shared memory becomes no argument. */
static plx_status add_argument(launch *made, const plx_argument *argument, plx_dtype dtype,
                               plx_error *error)
{
    launch_argument *added = &made->arguments[made->argument_count];
    int32_t narrow = (int32_t)argument->value;
    memset(added, 0, sizeof *added);
    added->kind = KNOWN;
    switch (argument->kind) {
    case PLX_ARG_OPERAND:
        added->kind = OPERAND;
        added->operand = argument->operand;
        break;
    case PLX_ARG_SCRATCH:
        added->kind = SCRATCH;
        added->value = (uint64_t)argument->value;
        break;
    case PLX_ARG_I64:
        added->value = (uint64_t)argument->value;
        break;
    case PLX_ARG_I32:
        memcpy(&added->value, &narrow, sizeof narrow);
        break;
    case PLX_ARG_SCALAR:
        if (pack_scalar(dtype, argument->scalar, &added->value, error) != PLX_OK)
            return PLX_UNSUPPORTED;
        break;
    case PLX_ARG_SHARED:
        made->shared_bytes += (unsigned int)argument->value;
        return PLX_OK;
    }
    made->argument_count++;
    return PLX_OK;
}

static plx_status make_launch(plx_session *session, const plx_image *image, const plx_recipe *recipe,
                              const plx_step *step, plx_dtype dtype, launch *made, plx_error *error)
{
    char entry[128];
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    plx_status status = PLX_OK;
    made->early = step->early && may_launch_early(session);
    for (int axis = 0; axis < 3; axis++) {
        made->grid[axis] = (unsigned int)step->grid[axis];
        made->block[axis] = step->block[axis];
    }
    for (size_t i = 0; i < step->argument_count && status == PLX_OK; i++)
        status = add_argument(made, &step->arguments[i], dtype, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(entry, sizeof entry, "%s_%s", step->entry, recipe->variant);
    status = plx_cuda_function(session, image->key, image->bytes, entry, &made->function, error);
    if (status != PLX_OK)
        return status;
    return plx_cuda_function_prepare(session, made->function, entry, threads, made->shared_bytes,
                                     error);
}

static plx_status find_image(plx_op op, const plx_row *row, const plx_image **image, plx_error *error)
{
    char key[96];
    (void)snprintf(key, sizeof key, "%s/%s", plx_ladder_name(op), row->about.name);
    *image = plx_image_find(plx_cuda_images, key);
    if (*image == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no CUDA form", key);
    return PLX_OK;
}

static plx_status make_plan(plx_session *session, const plx_problem *problem, const plx_row *row,
                            const plx_recipe *recipe, plx_plugin_plan **plan, plx_error *error)
{
    const plx_image *image = NULL;
    plx_plugin_plan *made;
    plx_status status = find_image(problem->op, row, &image, error);
    if (status == PLX_OK)
        status = plx_cuda_enter(session, error);
    if (status != PLX_OK)
        return status;
    made = calloc(1, sizeof *made + recipe->step_count * sizeof made->launches[0]);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->scratch_bytes = recipe->scratch_bytes;
    made->launch_count = recipe->step_count;
    for (size_t i = 0; i < recipe->step_count && status == PLX_OK; i++)
        status = make_launch(session, image, recipe, &recipe->steps[i], problem->dtype,
                             &made->launches[i], error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    *plan = made;
    return PLX_OK;
}

plx_status plx_cuda_recipe(plx_session *session, const plx_problem *problem, size_t kernel,
                           plx_recipe *recipe, plx_error *error)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    const plx_row *row;
    plx_status status;
    if (ladder == NULL || kernel >= ladder->count)
        return plx_fail(error, PLX_NOT_FOUND, "the cuda plugin has no kernel %zu for this operation",
                        kernel);
    row = &ladder->rows[kernel];
    if ((row->about.dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "%s does not serve this element type",
                        row->about.name);
    if (row->about.compute != problem->compute)
        return plx_fail(error, PLX_UNSUPPORTED, "%s is of another compute type", row->about.name);
    memset(recipe, 0, sizeof *recipe);
    status = row->recipe(problem, &session->info, recipe, error);
    return status == PLX_OK ? plx_recipe_check(recipe, 0, &session->info, error) : status;
}

plx_status plx_cuda_plan(plx_session *session, const plx_problem *problem, size_t kernel,
                         plx_plugin_plan **plan, plx_error *error)
{
    plx_recipe recipe;
    plx_status status = plx_cuda_recipe(session, problem, kernel, &recipe, error);
    if (status != PLX_OK)
        return status;
    return make_plan(session, problem, &plx_ladder_of(problem->op)->rows[kernel], &recipe, plan,
                     error);
}

void plx_cuda_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

/* ---- execute --------------------------------------------------------- */

/* Enqueues one kernel; `addresses` are the operands'. */
static plx_status start(const launch *launched, plx_plugin_queue *queue, CUdeviceptr *addresses,
                        plx_error *error)
{
    CUdeviceptr scratch[PLX_MAX_ARGUMENTS];
    void *parameters[PLX_MAX_ARGUMENTS];
    for (size_t i = 0; i < launched->argument_count; i++) {
        const launch_argument *argument = &launched->arguments[i];
        switch (argument->kind) {
        case KNOWN:
            parameters[i] = (void *)&argument->value; /* only read by the driver */
            break;
        case OPERAND:
            parameters[i] = &addresses[argument->operand];
            break;
        case SCRATCH:
            scratch[i] = queue->scratch + argument->value;
            parameters[i] = &scratch[i];
            break;
        }
    }
    if (launched->early)
        return launch_early(launched, queue, parameters, error);
    return PLX_CUDA(queue->session, error, LaunchKernel, launched->function, launched->grid[0],
                    launched->grid[1], launched->grid[2], launched->block[0], launched->block[1],
                    launched->block[2], launched->shared_bytes, queue->stream, parameters, NULL);
}

plx_status plx_cuda_execute(plx_plugin_plan *plan, plx_plugin_queue *queue,
                            const plx_operand *operands, size_t count, plx_error *error)
{
    CUdeviceptr addresses[PLX_MAX_OPERANDS] = {0};
    plx_status status;
    if (plan->launch_count == 0)
        return PLX_OK;
    status = plx_cuda_enter(queue->session, error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < count && i < PLX_MAX_OPERANDS; i++)
        if (operands[i].memory != NULL)
            addresses[i] = operands[i].memory->address + operands[i].offset;
    if (plan->scratch_bytes > queue->scratch_bytes)
        status = plx_cuda_scratch_grow(queue, plan->scratch_bytes, PLX_SCRATCH_COUNTERS, error);
    for (size_t i = 0; i < plan->launch_count && status == PLX_OK; i++)
        status = start(&plan->launches[i], queue, addresses, error);
    return status;
}
