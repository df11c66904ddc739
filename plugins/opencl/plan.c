/* Carries out recipes: a plan is a kernel object per step with all arguments set
 * but those that change from call to call. */
#define _POSIX_C_SOURCE 200809L
#include "plugins/opencl/plan.h"

#include "backends/opencl/opencl.h"
#include "kernels/image.h"
#include "kernels/recipe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* kernels/<op>/<kernel>.cl with what it includes, under the key <op>/<kernel>; made by the build. */
extern const plx_image plx_opencl_sources[];

/* An argument pair (pointer, offset) that is known only when the plan runs, or for
 * scratch when the queue is known. */
typedef struct moving_argument {
    cl_uint index; /* of the pointer; the offset follows */
    bool scratch;
    uint32_t operand;
    uint64_t element_size;
} moving_argument;

typedef struct plan_step {
    cl_kernel kernel;
    size_t global[3], local[3];
    size_t moving_count;
    moving_argument moving[PLX_MAX_ARGUMENTS];
} plan_step;

struct plx_plugin_plan {
    pthread_mutex_t lock; /* a kernel object holds its arguments: set and enqueue are one act */
    uint64_t scratch_bytes;
    size_t step_count;
    plan_step steps[PLX_MAX_STEPS];
};

/* What planning needs to know of the problem. */
typedef struct planning {
    plx_session *session;
    const plx_problem *problem;
    const plx_row *row;
    cl_program program;
    uint64_t known_local_bytes; /* the recipe's */
} planning;

static const size_t element_sizes[PLX_DTYPE_COUNT] = {
    [PLX_I8] = 1,  [PLX_I16] = 2, [PLX_I32] = 4, [PLX_I64] = 8,
    [PLX_F32] = 4, [PLX_F64] = 8, [PLX_C64] = 8, [PLX_C128] = 16,
};

/* ---- arguments ------------------------------------------------------------- */

static plx_status set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value,
                               plx_error *error)
{
    return PLX_CL(error, SetKernelArg, kernel, index, size, value);
}

static plx_status set_scalar(cl_kernel kernel, cl_uint index, plx_dtype dtype, double scalar,
                             plx_error *error)
{
    cl_float single = (cl_float)scalar;
    if (dtype == PLX_F32)
        return set_argument(kernel, index, sizeof single, &single, error);
    if (dtype == PLX_F64)
        return set_argument(kernel, index, sizeof scalar, &scalar, error);
    return plx_fail(error, PLX_UNSUPPORTED, "scalars of this element type are not supported");
}

static plx_status set_fixed(cl_kernel kernel, cl_uint index, const plx_argument *argument, plx_dtype dtype,
                            plx_error *error)
{
    cl_long wide = argument->value;
    cl_int narrow = (cl_int)argument->value;
    switch (argument->kind) {
    case PLX_ARG_I64:
        return set_argument(kernel, index, sizeof wide, &wide, error);
    case PLX_ARG_I32:
        return set_argument(kernel, index, sizeof narrow, &narrow, error);
    case PLX_ARG_SHARED: /* local memory of no bytes is an error in OpenCL */
        return set_argument(kernel, index, argument->value > 0 ? (size_t)argument->value : 1, NULL, error);
    case PLX_ARG_MAP:
        return plx_fail(error, PLX_UNSUPPORTED, "OpenCL has no tensor maps");
    default:
        return set_scalar(kernel, index, dtype, argument->scalar, error);
    }
}

/* Sets what is known now; notes the rest in the step. */
static plx_status prepare_arguments(plan_step *to, const plx_step *from, plx_dtype dtype, plx_error *error)
{
    cl_uint index = 0;
    for (size_t i = 0; i < from->argument_count; i++) {
        const plx_argument *argument = &from->arguments[i];
        plx_status status = PLX_OK;
        if (argument->kind == PLX_ARG_OPERAND) {
            to->moving[to->moving_count++] = (moving_argument){
                .index = index, .operand = argument->operand, .element_size = element_sizes[dtype]};
            index += 2;
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            cl_long offset = argument->value / (int64_t)argument->operand;
            to->moving[to->moving_count++] = (moving_argument){.index = index, .scratch = true};
            status = set_argument(to->kernel, index + 1, sizeof offset, &offset, error);
            index += 2;
        } else {
            status = set_fixed(to->kernel, index++, argument, dtype, error);
        }
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

/* ---- steps ------------------------------------------------------------------- */

static plx_status check_local_memory(const planning *this, cl_kernel kernel, const char *entry,
                                     plx_error *error)
{
    cl_ulong bytes = 0;
    const plx_device_info *info = plx_cl_info(this->session);
    uint64_t known = this->known_local_bytes;
    uint64_t most = known > info->max_shared_bytes ? known : info->max_shared_bytes;
    plx_status status = PLX_CL(error, GetKernelWorkGroupInfo, kernel, plx_cl_device(this->session),
                               CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (status == PLX_OK && bytes > most)
        status = plx_fail(error, PLX_UNSUPPORTED, "%s needs %llu bytes of local memory; %s has %llu", entry,
                          (unsigned long long)bytes, info->name, (unsigned long long)most);
    return status;
}

/* On failure too the kernel, when there is one, belongs to the step. */
static plx_status prepare_step(const planning *this, const plx_step *from, plan_step *to, plx_error *error)
{
    uint64_t threads = (uint64_t)from->block[0] * from->block[1] * from->block[2];
    plx_status status = plx_cl_kernel(this->session, this->program, from->entry, threads, &to->kernel, error);
    if (status != PLX_OK)
        return status;
    for (int axis = 0; axis < 3; axis++) {
        to->local[axis] = from->block[axis];
        to->global[axis] = (size_t)from->grid[axis] * from->block[axis];
    }
    status = prepare_arguments(to, from, this->problem->dtype, error);
    if (status == PLX_OK)
        status = check_local_memory(this, to->kernel, from->entry, error);
    return status;
}

/* ---- programs ------------------------------------------------------------------ */

static plx_status build_program(planning *this, const char *defines, plx_error *error)
{
    char name[160];
    (void)snprintf(name, sizeof name, "%s/%s", plx_ladder_name(this->problem->op), this->row->about.name);
    const plx_image *image = plx_image_find(plx_opencl_sources, name);
    if (!image)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no OpenCL form", name);
    const plx_cl_text text = {image->bytes, image->length};
    plx_status status = plx_cl_program(this->session, name, &text, 1, defines, &this->program, error);
    bool lacks_f64 =
        this->problem->dtype == PLX_F64 && !(plx_cl_info(this->session)->features & PLX_FEATURE_F64);
    if (status == PLX_BUILD_FAILED && lacks_f64)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no f64 arithmetic", plx_cl_info(this->session)->name);
    return status;
}

/* ---- plans ----------------------------------------------------------------------- */

void plx_opencl_plan_destroy(plx_plugin_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kernel)
            (void)plx_cl.ReleaseKernel(plan->steps[i].kernel);
    (void)pthread_mutex_destroy(&plan->lock);
    free(plan);
}

static plx_status prepare_steps(planning *this, const plx_recipe *recipe, plx_plugin_plan *plan,
                                plx_error *error)
{
    if (recipe->step_count == 0)
        return PLX_OK;
    this->known_local_bytes = recipe->known_local_bytes;
    plx_status status = build_program(this, recipe->defines, error);
    while (status == PLX_OK && plan->step_count < recipe->step_count) {
        size_t next = plan->step_count++;
        status = prepare_step(this, &recipe->steps[next], &plan->steps[next], error);
    }
    return status;
}

static plx_status make_plan(planning *this, const plx_recipe *recipe, plx_plugin_plan **plan,
                            plx_error *error)
{
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    (void)pthread_mutex_init(&made->lock, NULL);
    made->scratch_bytes = recipe->scratch_bytes;
    plx_status status = prepare_steps(this, recipe, made, error);
    if (status != PLX_OK) {
        plx_opencl_plan_destroy(made);
        return status;
    }
    *plan = made;
    return PLX_OK;
}

/* How the kernel runs the problem, before anything is compiled. */
static plx_status find_recipe(plx_session *session, const plx_problem *problem, size_t kernel,
                              plx_recipe *recipe, plx_error *error)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    if (!ladder || kernel >= ladder->count)
        return plx_fail(error, PLX_NOT_FOUND, "the opencl plugin has no kernel %zu for this operation",
                        kernel);
    const plx_row *row = &ladder->rows[kernel];
    if (!(row->about.dtypes & PLX_DTYPE_BIT(problem->dtype)))
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no variant for this element type", row->about.name);
    if (row->about.compute != problem->compute)
        return plx_fail(error, PLX_UNSUPPORTED, "%s does not compute in the arithmetic asked for",
                        row->about.name);
    *recipe = (plx_recipe){.step_count = 0};
    plx_status status = row->recipe(problem, plx_cl_info(session), recipe, error);
    return status == PLX_OK ? plx_recipe_check(recipe, 0, plx_cl_info(session), error) : status;
}

plx_status plx_opencl_supports(plx_session *session, const plx_problem *problem, size_t kernel,
                               plx_error *error)
{
    plx_recipe recipe;
    return find_recipe(session, problem, kernel, &recipe, error);
}

plx_status plx_opencl_plan(plx_session *session, const plx_problem *problem, size_t kernel,
                           plx_plugin_plan **plan, plx_error *error)
{
    plx_recipe recipe;
    plx_status status = find_recipe(session, problem, kernel, &recipe, error);
    if (status != PLX_OK)
        return status;
    planning this = {
        .session = session, .problem = problem, .row = &plx_ladder_of(problem->op)->rows[kernel]};
    return make_plan(&this, &recipe, plan, error);
}

/* ---- running ------------------------------------------------------------------------ */

static plx_status set_moving(const plan_step *step, const plx_operand *operands, cl_mem scratch,
                             plx_error *error)
{
    for (size_t i = 0; i < step->moving_count; i++) {
        const moving_argument *argument = &step->moving[i];
        const plx_operand *operand = &operands[argument->operand];
        cl_mem memory = argument->scratch ? scratch : plx_cl_buffer(operand->memory);
        plx_status status = set_argument(step->kernel, argument->index, sizeof memory, &memory, error);
        if (status == PLX_OK && !argument->scratch) {
            cl_long offset = (cl_long)(operand->offset / argument->element_size);
            status = set_argument(step->kernel, argument->index + 1, sizeof offset, &offset, error);
        }
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

static plx_status run_steps(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                            cl_mem scratch, plx_error *error)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        const plan_step *step = &plan->steps[i];
        plx_status status = set_moving(step, operands, scratch, error);
        if (status == PLX_OK)
            status = plx_cl_launch(queue, step->kernel, step->global, step->local, error);
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

plx_status plx_opencl_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                              size_t count, plx_error *error)
{
    (void)count; /* the core has checked it */
    cl_mem scratch = NULL;
    plx_status status = plx_cl_ready(queue, error);
    if (status == PLX_OK && plan->scratch_bytes > 0)
        status = plx_cl_scratch(queue, plan->scratch_bytes, PLX_SCRATCH_COUNTERS, &scratch, error);
    if (status != PLX_OK)
        return status;
    (void)pthread_mutex_lock(&plan->lock);
    status = run_steps(plan, queue, operands, scratch, error);
    (void)pthread_mutex_unlock(&plan->lock);
    return status;
}
