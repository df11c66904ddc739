/* Batches: a kernel that takes one problem at a time is executed as often as there are problems, with operands further
 * on each time; a reduction along an axis that is not the last turns its input first, so that what it adds up lies in a
 * row.  One plan does for all. */
#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a plugin is given ---------------------------------------------------------------- */

static bool takes_batches(const plx_kernel *kernel)
{
    return (kernel->flags & PLX_KERNEL_BATCHED) != 0;
}

static void take_one(plx_problem *problem)
{
    memset(&problem->batch, 0, sizeof problem->batch);
    if (problem->op == PLX_REDUCE)
        problem->of.reduce.inner = 0;
}

static bool along_first_axis(const plx_problem *problem)
{
    return problem->op == PLX_REDUCE && problem->of.reduce.inner > 1;
}

static bool is_one(const plx_problem *problem)
{
    return !problem->batch.batched && !along_first_axis(problem);
}

bool plx_batch_given_without_device(plx_problem *problem)
{
    const bool was_one = is_one(problem);
    if (!was_one)
        take_one(problem);
    return !was_one;
}

/* A kernel may take batches, and not this one: on this device, of these strides. */
static bool refuses(plx_backend *backend, size_t kernel, const plx_problem *problem)
{
    plx_error why;
    if (backend->plugin->supports == NULL)
        return false;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_SUPPORTING);
    const plx_status status = backend->plugin->supports(backend->session, problem, kernel, &why);
    plx_leave(&call);
    return status == PLX_UNSUPPORTED;
}

bool plx_batch_given(plx_backend *backend, size_t kernel, plx_problem *problem)
{
    const plx_kernel *about = plx_context_kernel(backend->context, backend->module, problem->op, kernel);
    if (is_one(problem))
        return true;
    const bool whole = takes_batches(about) && !refuses(backend, kernel, problem);
    if (!whole)
        take_one(problem);
    return whole;
}

void plx_batch_given_to_any(const plx_module *module, plx_problem *problem)
{
    const plx_kernel *kernel;
    for (size_t i = 0; (kernel = plx_module_kernel(module, problem->op, i)) != NULL; i++)
        if (takes_batches(kernel))
            return;
    take_one(problem);
}

/* ---- plans ----------------------------------------------------------------------------------- */

void plx_batch_plan(plx_plan *plan)
{
    const plx_problem *problem = &plan->problem;
    plx_extent extents[PLX_MAX_OPERANDS];
    plx_loop *loop = &plan->loop;
    plan->given = *problem;
    plan->given.config = plan->config;
    memset(loop, 0, sizeof *loop);
    if (plx_batch_given(plan->backend, plan->kernel_index, &plan->given))
        return;
    memset(extents, 0, sizeof extents);
    plan->operation->extents(problem, extents);
    loop->count = plx_problem_count(problem);
    loop->inner = along_first_axis(problem) ? problem->of.reduce.inner : 0;
    for (size_t i = 0; i < plan->operation->operand_count; i++)
        loop->step[i] = (uint64_t)plx_batch_stride(problem, i, &extents[i]) * (plan->operands[i].element_mask + 1);
}

/* The input of one reduction along the first axis, which becomes the last. */
plx_status plx_batch_finish(plx_plan *plan)
{
    plx_loop *loop = &plan->loop;
    const plx_reduce_problem *reduce = &plan->problem.of.reduce;
    if (loop->inner == 0 || reduce->n == 0)
        return PLX_OK;
    const plx_problem turn = plx_transpose_of(plan->problem.dtype, reduce->n, reduce->inner);
    loop->turned_bytes = (uint64_t)reduce->n * (uint64_t)reduce->inner * (plan->operands[0].element_mask + 1);
    const plx_status status = plx_plan_create(plan->backend, &turn, NULL, &loop->turn);
    if (status == PLX_OK)
        return PLX_OK;
    char why[400];
    (void)snprintf(why, sizeof why, "%s", plx_message(plan->backend->context));
    return plx_context_fail(
        plan->backend->context, status,
        "%s: reduce/%s adds up what lies in a row, and x, to be reduced along another axis than its "
        "last, can't be transposed: %s",
        plan->backend->label, plan->kernel->name, why);
}

/* ---- the memory for what is turned -------------------------------------------------------------- */

/* What was too small: work in the queue, or a graph, may still use it. */
struct plx_outgrown {
    plx_memory *memory;
    plx_outgrown *next;
};

static void give_back(plx_backend *backend, plx_memory *memory)
{
    plx_entered call = plx_backend_enter(backend, PLX_CALL_FREEING);
    backend->plugin->free(backend->session, memory);
    plx_leave(&call);
}

void plx_batch_queue_end(plx_queue *queue)
{
    if (queue->turned != NULL)
        give_back(queue->backend, queue->turned);
    while (queue->outgrown != NULL) {
        plx_outgrown *next = queue->outgrown->next;
        give_back(queue->backend, queue->outgrown->memory);
        free(queue->outgrown);
        queue->outgrown = next;
    }
}

static plx_status put_aside(plx_queue *queue)
{
    if (queue->turned == NULL)
        return PLX_OK;
    plx_outgrown *old = malloc(sizeof *old);
    if (old == NULL)
        return plx_out_of_memory(queue->backend->context, "a queue");
    *old = (plx_outgrown){.memory = queue->turned, .next = queue->outgrown};
    queue->outgrown = old;
    queue->turned = NULL;
    queue->turned_bytes = 0;
    return PLX_OK;
}

plx_status plx_batch_reserve(const plx_plan *plan, plx_queue *queue)
{
    plx_error error = {.text = ""};
    plx_backend *backend = plan->backend;
    const uint64_t bytes = plan->loop.turned_bytes;
    plx_memory *memory = NULL;
    if (bytes <= queue->turned_bytes)
        return PLX_OK;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_ALLOCATION);
    plx_status status = backend->plugin->alloc(backend->session, bytes, &memory, &error);
    plx_leave(&call);
    status = plx_answered(status, memory, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error,
                                  "allocation of %" PRIu64 " bytes, for an input that is turned", bytes);
    status = put_aside(queue);
    if (status != PLX_OK) {
        give_back(backend, memory);
        return status;
    }
    queue->turned = memory;
    queue->turned_bytes = bytes;
    return PLX_OK;
}

/* ---- execution ------------------------------------------------------------------------------------ */

/* One launch of a plan, whatever its problem's batch. */
static plx_status launch(plx_plan *plan, plx_queue *queue, const plx_operand *operands, plx_error *error)
{
    plx_entered call = plx_plan_execution(plan);
    const plx_status status =
        plan->backend->plugin->execute(plan->plan, queue->queue, operands, plan->operation->operand_count, error);
    plx_leave(&call);
    return status;
}

static void move(plx_operand *operand, uint64_t step)
{
    if (operand->memory != NULL) /* what is empty stays where it is */
        operand->offset += step;
}

/* x[n][inner] becomes [inner][n], of which each row is reduced. */
static plx_status reduce_columns(plx_plan *plan, plx_queue *queue, const plx_operand *operands, plx_error *error)
{
    const plx_loop *loop = &plan->loop;
    const uint64_t in_size = plan->operands[0].element_mask + 1, out_size = plan->operands[1].element_mask + 1;
    plx_operand turned = {.memory = loop->turn != NULL ? queue->turned : NULL, .offset = 0};
    plx_operand row[] = {turned, operands[1]};
    plx_status status = PLX_OK;
    if (loop->turn != NULL)
        status = launch(loop->turn, queue, (const plx_operand[]){operands[0], turned}, error);
    for (int64_t i = 0; i < loop->inner && status == PLX_OK; i++) {
        status = launch(plan, queue, row, error);
        move(&row[0], (uint64_t)plan->given.of.reduce.n * in_size);
        move(&row[1], out_size);
    }
    return status;
}

plx_status plx_batch_execute(plx_plan *plan, plx_queue *queue, const plx_operand *operands, plx_error *error)
{
    const plx_loop *loop = &plan->loop;
    plx_operand at[PLX_MAX_OPERANDS];
    plx_status status = PLX_OK;
    memcpy(at, operands, sizeof at);
    for (int64_t i = 0; i < loop->count && status == PLX_OK; i++) {
        status = (loop->inner > 0 ? reduce_columns : launch)(plan, queue, at, error);
        for (size_t j = 0; j < plan->operation->operand_count; j++)
            move(&at[j], loop->step[j]);
    }
    return status;
}
