/* Plans: a checked problem bound to a kernel, and its execution on operands. */
#include "core/core.h"
#include "core/tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ----------------------------------------------------------- */

/* Its own, or one that asks for less. */
static bool takes_compute(const plx_kernel *kernel, plx_compute compute)
{
    return kernel->compute == compute || (compute == PLX_COMPUTE_TF32 && (kernel->flags & PLX_KERNEL_FOR_TF32) != 0);
}

static bool takes_types(const plx_kernel *kernel, const plx_problem *problem)
{
    return (kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) != 0 && takes_compute(kernel, problem->compute);
}

/* A plugin has no choice to make among kernels that do not take such a problem. */
static plx_status check_any(const plx_backend *backend, const plx_problem *problem)
{
    const plx_kernel *kernel;
    const bool plain = problem->compute == PLX_COMPUTE_PLAIN;
    size_t count = 0;
    for (; (kernel = plx_module_kernel(backend->module, problem->op, count)) != NULL; count++)
        if (takes_types(kernel, problem))
            return PLX_OK;
    if (count == 0) /* it says so itself */
        return PLX_OK;
    return plx_context_fail(backend->context, PLX_UNSUPPORTED, "%s: no kernel of %s takes %s%s%s", backend->label,
                            plx_op_name(problem->op), plx_dtype_name(problem->dtype),
                            plain ? "" : " with compute type ", plain ? "" : plx_compute_name(problem->compute));
}

static plx_status ask_to_choose(plx_backend *backend, const plx_problem *given, size_t *index, plx_error *error)
{
    plx_entered call = plx_backend_enter(backend, PLX_CALL_CHOOSING);
    const plx_status status = backend->plugin->choose(backend->session, given, index, error);
    plx_leave(&call);
    return status;
}

/* The plugin's own choice for a problem in its one form; where it has none that takes a batch, for one of it. */
static plx_status default_kernel(plx_backend *backend, const plx_problem *problem, size_t *index)
{
    plx_error error = {.text = ""};
    plx_problem given = *problem;
    const char *op = plx_op_name(problem->op);
    if (check_any(backend, problem) != PLX_OK)
        return PLX_UNSUPPORTED;
    plx_batch_given_to_any(backend->module, &given);
    plx_status status = ask_to_choose(backend, &given, index, &error);
    if (status == PLX_UNSUPPORTED && plx_batch_given_without_device(&given))
        status = ask_to_choose(backend, &given, index, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "%s of %s", op, plx_dtype_name(problem->dtype));
    const plx_kernel *kernel = plx_module_kernel(backend->module, problem->op, *index);
    if (kernel == NULL || (kernel->flags & PLX_KERNEL_BASELINE) != 0)
        return plx_context_fail(backend->context, PLX_FAILED, "%s chose a %s kernel that %s", backend->label, op,
                                kernel == NULL ? "it does not have" : "is a baseline and computes something else");
    return PLX_OK;
}

/* A kernel with another arithmetic than the problem asks for would pass for something that it
 * is not. */
static plx_status check_kernel(const plx_backend *backend, const plx_problem *problem, const plx_kernel *kernel)
{
    const char *op = plx_op_name(problem->op);
    if ((kernel->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_context_fail(backend->context, PLX_UNSUPPORTED, "%s: %s/%s does not take %s", backend->label, op,
                                kernel->name, plx_dtype_name(problem->dtype));
    if (!takes_compute(kernel, problem->compute))
        return plx_context_fail(backend->context, PLX_UNSUPPORTED,
                                "%s: the compute type of %s/%s is %s, and the problem's is %s", backend->label, op,
                                kernel->name, plx_compute_name(kernel->compute), plx_compute_name(problem->compute));
    return PLX_OK;
}

/* ---- plans ------------------------------------------------------------- */

/* What can be known of the operands before any is given. */
static plx_status describe_operands(plx_plan *plan)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    memset(extents, 0, sizeof extents);
    plan->operation->extents(&plan->problem, extents);
    for (size_t i = 0; i < plan->operation->operand_count; i++) {
        const size_t size = plx_dtype_size(plx_operand_dtype(&plan->problem, i));
        int64_t elements;
        if (!plx_operand_elements(&plan->problem, i, &extents[i], &elements))
            return plx_context_fail(plan->backend->context, PLX_INVALID, "%s: %s is too large", plan->operation->name,
                                    extents[i].name);
        plan->operands[i].name = extents[i].name;
        plan->operands[i].bytes = (uint64_t)elements * size;
        plan->operands[i].element_mask = size - 1; /* sizes are powers of two */
        if (extents[i].access != PLX_READ)
            plan->operands[i].limits |= PLX_BUFFER_NEVER_WRITTEN;
        if (extents[i].access != PLX_WRITE)
            plan->operands[i].limits |= PLX_BUFFER_NEVER_READ;
    }
    return PLX_OK;
}

/* What the plugin is given: its configuration too. */
static plx_problem problem_of(const plx_plan *plan)
{
    plx_problem problem = plan->given;
    problem.config = plan->config;
    return problem;
}

/* So that who watches knows how long a call may take. */
static void note_work(plx_plan *plan)
{
    const double work = plx_problem_flops(&plan->problem) + plan->operation->bytes(&plan->problem);
    if (work > plx_backend_work(plan->backend))
        atomic_store_explicit(&plan->backend->most_work, work, memory_order_relaxed);
}

plx_status plx_plan_prepare(plx_plan *plan, size_t index)
{
    plan->operation = plx_operation_of(plan->problem.op);
    plan->kernel = plx_context_kernel(plan->backend->context, plan->backend->module, plan->problem.op, index);
    plan->kernel_index = index;
    atomic_init(&plan->references, 1);
    atomic_init(&plan->executed, false);
    note_work(plan);
    plx_status status = check_kernel(plan->backend, &plan->problem, plan->kernel);
    if (status == PLX_OK)
        status = describe_operands(plan);
    if (status == PLX_OK)
        plx_batch_plan(plan);
    return status;
}

/* What its plugin made of it. */
static void undo_plan(plx_plan *plan)
{
    plx_entered call = plx_plan_call(plan, PLX_CALL_RELEASING);
    plan->backend->plugin->plan_destroy(plan->plan);
    plx_leave(&call);
    plx_plan_destroy(plan->loop.turn);
}

plx_status plx_plan_end(plx_plan *plan)
{
    const plx_status status = plx_batch_finish(plan);
    if (status != PLX_OK)
        undo_plan(plan);
    return status;
}

static plx_status make_plan(plx_plan *plan, size_t index)
{
    plx_error error = {.text = ""};
    plx_backend *backend = plan->backend;
    plx_status status = plx_plan_prepare(plan, index);
    if (status != PLX_OK)
        return status;
    const plx_problem problem = problem_of(plan);
    const plx_added_kernel *added = plx_added_of(backend->context, backend->module, problem.op, index);
    if (added != NULL) {
        status = plx_added_plan(plan, added, NULL, &error);
    } else {
        plx_entered call = plx_plan_call(plan, PLX_CALL_PLANNING);
        status = backend->plugin->plan(backend->session, &problem, index, &plan->plan, &error);
        plx_leave(&call);
        backend->context->loaded();
    }
    status = plx_answered(status, plan->plan, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "%s/%s", plan->operation->name, plan->kernel->name);
    return plx_plan_end(plan);
}

static plx_status plan_named(plx_plan *plan, const char *name)
{
    size_t index = 0;
    const plx_status status = plx_kernel_find(plan->backend, &plan->problem, name, &index, &plan->config);
    return status == PLX_OK ? make_plan(plan, index) : status;
}

/* A file says what was chosen, and may say anything: a baseline is no answer to the problem. */
static plx_status plan_tuned(plx_plan *plan, const char *name)
{
    plx_status status = plan_named(plan, name);
    if (status == PLX_OK && (plan->kernel->flags & PLX_KERNEL_BASELINE) != 0) {
        undo_plan(plan);
        status =
            plx_context_fail(plan->backend->context, PLX_UNSUPPORTED, "it is a baseline and computes something else");
    }
    if (status != PLX_OK)
        plx_tuning_ignore(plan->backend, &plan->problem, name, plx_message(plan->backend->context));
    return status;
}

/* What was measured on this very device comes before what was measured on its like. */
static plx_status plan_best(plx_plan *plan)
{
    char tuned[64];
    size_t index = 0;
    if (plx_tuning_find_for(plan->backend, &plan->problem, tuned, sizeof tuned) ||
        plx_tuning_first_use(plan->backend, &plan->problem, tuned, sizeof tuned))
        if (plan_tuned(plan, tuned) == PLX_OK)
            return PLX_OK;
    plan->config = 0;
    plx_status status = plx_backend_usable(plan->backend);
    if (status == PLX_OK)
        status = default_kernel(plan->backend, &plan->problem, &index);
    return status == PLX_OK ? make_plan(plan, index) : status;
}

plx_status plx_plan_request(plx_backend *backend, const plx_problem *problem, plx_problem *normal)
{
    plx_error error = {.text = ""};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    status = plx_problem_check(problem, &error);
    if (status != PLX_OK)
        return plx_context_fail(backend->context, status, "%s", error.text);
    plx_problem_normalise(problem, normal);
    return PLX_OK;
}

plx_status plx_choose_untuned(plx_backend *backend, const plx_problem *problem, const plx_kernel **kernel)
{
    plx_problem normal = *problem;
    size_t index = 0;
    plx_status status = plx_plan_request(backend, problem, &normal);
    if (status == PLX_OK)
        status = default_kernel(backend, &normal, &index);
    if (status == PLX_OK)
        *kernel = plx_module_kernel(backend->module, problem->op, index);
    return status;
}

/* The tuned choice, where it can be planned; else NULL. */
static const plx_kernel *tuned_kernel(plx_backend *backend, const plx_problem *problem)
{
    char tuned[64];
    size_t index = 0;
    plx_problem normal = *problem;
    if (plx_plan_request(backend, problem, &normal) != PLX_OK ||
        !plx_tuning_find_for(backend, &normal, tuned, sizeof tuned) ||
        plx_supports(backend, problem, tuned) != PLX_OK ||
        plx_kernel_find(backend, &normal, tuned, &index, &normal.config) != PLX_OK)
        return NULL;
    const plx_kernel *kernel = plx_module_kernel(backend->module, problem->op, index);
    return (kernel->flags & PLX_KERNEL_BASELINE) == 0 ? kernel : NULL;
}

plx_status plx_choose(plx_backend *backend, const plx_problem *problem, const plx_kernel **kernel)
{
    const plx_kernel *tuned = tuned_kernel(backend, problem);
    if (tuned == NULL)
        return plx_choose_untuned(backend, problem, kernel);
    *kernel = tuned;
    return PLX_OK;
}

plx_status plx_plan_create(plx_backend *backend, const plx_problem *problem, const char *kernel, plx_plan **plan)
{
    plx_problem normal;
    plx_status status = plx_plan_request(backend, problem, &normal);
    if (status != PLX_OK)
        return status;
    plx_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(backend->context, "a plan");
    made->backend = backend;
    made->problem = normal;
    status = kernel == NULL || strcmp(kernel, "best") == 0 ? plan_best(made) : plan_named(made, kernel);
    if (status == PLX_OK) {
        plx_backend_hold(backend);
        *plan = made;
    } else {
        free(made);
    }
    return status;
}

/* Of a plugin that does not tell, by making a plan. */
static plx_status learn_support(plx_backend *backend, const plx_problem *problem, const char *kernel)
{
    plx_plan *plan = NULL;
    const plx_status status = plx_plan_create(backend, problem, kernel, &plan);
    if (status == PLX_OK)
        plx_plan_destroy(plan);
    return status;
}

plx_status plx_supports(plx_backend *backend, const plx_problem *problem, const char *kernel)
{
    plx_problem normal = *problem;
    plx_error error = {.text = ""};
    size_t index = 0;
    if (backend->plugin->supports == NULL)
        return learn_support(backend, problem, kernel);
    plx_status status = plx_plan_request(backend, problem, &normal);
    if (status == PLX_OK)
        status = plx_kernel_find(backend, &normal, kernel, &index, &normal.config);
    if (status == PLX_OK)
        status =
            check_kernel(backend, &normal, plx_context_kernel(backend->context, backend->module, normal.op, index));
    if (status != PLX_OK)
        return status;
    (void)plx_batch_given(backend, index, &normal);
    const plx_added_kernel *added = plx_added_of(backend->context, backend->module, normal.op, index);
    if (added != NULL) {
        status = plx_added_supports(backend, added, &normal, &error);
    } else {
        plx_entered call = plx_backend_enter(backend, PLX_CALL_SUPPORTING);
        status = backend->plugin->supports(backend->session, &normal, index, &error);
        plx_leave(&call);
    }
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "%s/%s", plx_op_name(normal.op), kernel);
    return PLX_OK;
}

void plx_plan_destroy(plx_plan *plan)
{
    if (plan == NULL || plx_is_forked())
        return;
    undo_plan(plan);
    plx_backend_release(plan->backend);
    free(plan);
}

const plx_kernel *plx_plan_kernel(const plx_plan *plan)
{
    return plan->kernel;
}

int64_t plx_plan_depth(const plx_plan *plan)
{
    if (plan->is_added)
        return plan->depth;
    const plx_problem problem = problem_of(plan);
    plx_entered call = plx_plan_call(plan, PLX_CALL_DEPTH);
    const int64_t depth = plan->kernel->depth(&problem, &plan->backend->device);
    plx_leave(&call);
    return depth;
}

/* ---- execution --------------------------------------------------------- */

/* The slow half of check_operand(): says what is wrong. */
static plx_status bad_operand(const plx_plan *plan, size_t index, const plx_view *view)
{
    const plx_backend *backend = plan->backend;
    const char *op = plan->operation->name, *name = plan->operands[index].name;
    if (view->buffer == NULL)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: %s has no buffer", op, name);
    if (view->buffer->backend != backend)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: %s lies on %s, and the work on %s", op, name,
                                view->buffer->backend->label, backend->label);
    const uint64_t mask = plan->operands[index].element_mask;
    const unsigned limits = view->buffer->limits & plan->operands[index].limits;
    if (limits != 0 && plan->operands[index].bytes != 0)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: %s is %s, and its buffer may not be", op, name,
                                (limits & PLX_BUFFER_NEVER_WRITTEN) != 0 ? "written" : "read");
    if ((view->offset & mask) == 0 && ((view->buffer->begin + view->offset) & mask) != 0)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: %s begins at the address 0x%" PRIx64 ", which is no multiple of the %" PRIu64
                                " bytes of an element",
                                op, name, view->buffer->begin + view->offset, mask + 1);
    if ((view->offset & mask) != 0)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: %s starts at byte %" PRIu64 ", which is no multiple of the %" PRIu64
                                " bytes of an element",
                                op, name, view->offset, mask + 1);
    return plx_context_fail(backend->context, PLX_INVALID,
                            "%s: %s needs %" PRIu64 " bytes from byte %" PRIu64 " on, and its buffer has %" PRIu64, op,
                            name, plan->operands[index].bytes, view->offset, view->buffer->bytes);
}

static inline bool operand_fits(const plx_plan *plan, size_t index, const plx_view *view)
{
    const plx_buffer *buffer = view->buffer;
    const uint64_t bytes = plan->operands[index].bytes;
    if (buffer == NULL || bytes == 0)
        return bytes == 0 && (buffer == NULL || buffer->backend == plan->backend);
    return buffer->backend == plan->backend &&
           ((buffer->begin + view->offset) & plan->operands[index].element_mask) == 0 &&
           (buffer->limits & plan->operands[index].limits) == 0 && view->offset <= buffer->bytes &&
           bytes <= buffer->bytes - view->offset;
}

static inline bool overlap(const plx_plan *plan, const plx_view *views, size_t a, size_t b)
{
    return plx_buffers_overlap(views[a].buffer, views[a].offset, plan->operands[a].bytes, views[b].buffer,
                               views[b].offset, plan->operands[b].bytes);
}

static plx_status check_operands(const plx_plan *plan, const plx_view *views, plx_operand *operands)
{
    const plx_operation *operation = plan->operation;
    const size_t output = operation->output;
    for (size_t i = 0; i < operation->operand_count; i++) {
        if (!operand_fits(plan, i, &views[i]))
            return bad_operand(plan, i, &views[i]);
        const bool empty = plan->operands[i].bytes == 0;
        operands[i].memory = empty ? NULL : views[i].buffer->memory;
        operands[i].offset = empty ? 0 : views[i].offset + views[i].buffer->base;
    }
    for (size_t i = 0; i < operation->operand_count; i++)
        if (i != output && overlap(plan, views, i, output))
            return plx_context_fail(plan->backend->context, PLX_INVALID, "%s: the output %s overlaps the input %s",
                                    operation->name, plan->operands[output].name, plan->operands[i].name);
    return PLX_OK;
}

/* Everything that can be said before the plugin is called. */
static plx_status check_call(const plx_plan *plan, const plx_queue *queue, const plx_view *operands, size_t count,
                             plx_operand *checked)
{
    const plx_status status = plx_queue_check(plan->backend, queue);
    if (status != PLX_OK)
        return status;
    if (count != plan->operation->operand_count)
        return plx_context_fail(plan->backend->context, PLX_INVALID, "%s takes %zu operands, and %zu were given",
                                plan->operation->name, plan->operation->operand_count, count);
    return check_operands(plan, operands, checked);
}

static inline bool has_no_output(const plx_plan *plan)
{
    return plan->operands[plan->operation->output].bytes == 0;
}

static plx_status execute_loop(plx_plan *plan, plx_queue *queue, const plx_operand *operands, plx_error *error)
{
    const plx_status status = plx_batch_reserve(plan, queue);
    if (status == PLX_OK)
        return plx_batch_execute(plan, queue, operands, error);
    return plx_fail(error, status, "%s", plx_message(plan->backend->context));
}

plx_status plx_execute(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count)
{
    plx_error error;
    plx_operand checked[PLX_MAX_OPERANDS];
    plx_backend *backend = plan->backend;
    queue = plx_queue_or_own(queue, backend);
    plx_status status = check_call(plan, queue, operands, count, checked);
    if (status != PLX_OK || has_no_output(plan))
        return status;
    error.text[0] = '\0';
    plx_queue_enter(queue);
    queue->op = plan->operation->name;
    queue->kernel = plan->kernel->name;
    if (plan->loop.count > 0) {
        status = execute_loop(plan, queue, checked, &error);
    } else {
        plx_entered call = plx_plan_execution(plan);
        status = backend->plugin->execute(plan->plan, queue->queue, checked, count, &error);
        plx_leave(&call);
    }
    plx_queue_leave(queue);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "%s/%s", plan->operation->name, plan->kernel->name);
    if (error.text[0] != '\0') {
        plx_backend_remarked(backend, &error, plan->operation->name, plan->kernel->name);
        plx_plan_remarked(plan, &error);
    }
    return PLX_OK;
}

plx_status plx_count(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count, plx_counters *counters,
                     plx_error *error)
{
    plx_operand checked[PLX_MAX_OPERANDS];
    plx_backend *backend = plan->backend;
    error->text[0] = '\0';
    queue = plx_queue_or_own(queue, backend);
    plx_status status = check_call(plan, queue, operands, count, checked);
    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_message(backend->context));
    if (has_no_output(plan))
        return plx_fail(error, PLX_UNSUPPORTED, "there is nothing to compute");
    if (plan->loop.count > 0)
        return plx_fail(error, PLX_UNSUPPORTED, "a batch that is many launches is not counted");
    plx_queue_enter(queue);
    plx_entered call = plx_plan_call(plan, PLX_CALL_COUNTING);
    status = backend->plugin->count(plan->plan, queue->queue, checked, count, counters, error);
    plx_leave(&call);
    plx_queue_leave(queue);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, error, "counting %s/%s", plan->operation->name, plan->kernel->name);
    return PLX_OK;
}
