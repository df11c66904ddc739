/* Runs plans: sets the arguments that change from call to call, and enqueues.  A call that the plan can't take is its
 * spare's, or that of one for operands that begin anywhere. */
#define _POSIX_C_SOURCE 200809L
#include "plugins/opencl/map.h"
#include "plugins/opencl/parts.h"
#include "plugins/opencl/plan.h"

/* The counters are zero when scratch memory is made; launches leave them so. */
static plx_status prepare_piece(plx_opencl_piece *piece, plx_plugin_queue *queue, plx_error *error)
{
    const uint64_t zeros = piece->byte < PLX_SCRATCH_COUNTERS ? PLX_SCRATCH_COUNTERS - piece->byte : 0;
    const uint64_t bytes = zeros < piece->memory->bytes ? zeros : piece->memory->bytes;
    if (piece->is_ready || bytes == 0)
        return PLX_OK;
    const plx_status status = plx_cl_fill(queue, piece->memory, 0, 0, bytes / 4 * 4, error);
    piece->is_ready = status == PLX_OK;
    return status;
}

/* As the recipe wants operands to begin; the buffers themselves begin at more than that. */
static plx_status check_places(const plx_plugin_plan *plan, const plx_operand *operands, size_t count, plx_error *error)
{
    for (size_t i = 0; i < count && i < PLX_MAX_OPERANDS; i++)
        if (plan->align[i] > 1 && operands[i].memory != NULL && operands[i].offset % plan->align[i] != 0)
            return plx_fail(error, PLX_UNSUPPORTED, "operand %zu begins at no multiple of %u bytes", i,
                            (unsigned)plan->align[i]);
    return PLX_OK;
}

static plx_status ready_pieces(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error)
{
    const plx_queue_pieces *of = NULL;
    const plx_status status = plx_pieces_make(&plan->given, queue, &of, error);
    return status == PLX_OK ? plx_pieces_begin(&plan->given, of, error) : status;
}

static plx_status set_given(plx_plugin_plan *plan, const plx_opencl_step *step, const plx_opencl_moving *argument,
                            const plx_operand *operand, plx_plugin_queue *queue, plx_error *error)
{
    const plx_queue_pieces *of = plx_pieces_of(&plan->given, queue);
    const plx_memory *piece = argument->scratch && of != NULL ? of->memory[argument->operand] : NULL;
    cl_mem place = NULL;
    const plx_status status = argument->scratch
                                  ? plx_cl_place(plan->places, piece != NULL ? piece->buffer : NULL, argument->byte,
                                                 argument->bytes, &place, error)
                                  : plx_cl_place(plan->places, plx_cl_buffer(operand), operand->offset + argument->byte,
                                                 argument->bytes, &place, error);
    return status == PLX_OK ? plx_opencl_set_argument(step->kernel, argument->index, sizeof place, &place, error)
                            : status;
}

/* Of text: what begins where the argument does. */
static plx_status set_pointer(plx_plugin_plan *plan, const plx_opencl_step *step, const plx_opencl_moving *argument,
                              const plx_operand *operand, plx_plugin_queue *queue, plx_error *error)
{
    cl_mem place = NULL;
    plx_status status = PLX_OK;
    if (argument->scratch) {
        plx_opencl_piece *piece = plx_opencl_piece_at(plan, argument->byte);
        status = piece != NULL ? prepare_piece(piece, queue, error)
                               : plx_fail(error, PLX_FAILED, "a piece of scratch memory is missing");
        place = piece != NULL ? piece->memory->buffer : NULL;
    } else {
        status = plx_cl_place(plan->places, plx_cl_buffer(operand), operand->offset, argument->bytes, &place, error);
    }
    return status == PLX_OK ? plx_opencl_set_argument(step->kernel, argument->index, sizeof place, &place, error)
                            : status;
}

static plx_status tell_memory(cl_kernel kernel, plx_opencl_moving *argument, const plx_memory *memory, plx_error *error)
{
    const cl_mem buffer = memory != NULL ? memory->buffer : NULL;
    const uint64_t serial = memory != NULL ? memory->serial : 0;
    if (serial != 0 && serial == argument->told_serial)
        return PLX_OK;
    argument->told_serial = 0;
    const plx_status status = plx_opencl_set_argument(kernel, argument->index, sizeof buffer, &buffer, error);
    if (status == PLX_OK)
        argument->told_serial = serial;
    return status;
}

static plx_status tell_offset(cl_kernel kernel, plx_opencl_moving *argument, uint64_t offset, plx_error *error)
{
    if (offset == argument->told_offset)
        return PLX_OK;
    const cl_long elements = (cl_long)(offset / argument->element_size);
    argument->told_offset = UINT64_MAX;
    const plx_status status = plx_opencl_set_argument(kernel, argument->index + 1, sizeof elements, &elements, error);
    if (status == PLX_OK)
        argument->told_offset = offset;
    return status;
}

static plx_status set_moving(plx_plugin_plan *plan, plx_opencl_step *step, const plx_operand *operands,
                             plx_plugin_queue *queue, plx_error *error)
{
    for (size_t i = 0; i < step->moving_count; i++) {
        plx_opencl_moving *argument = &step->moving[i];
        const plx_operand *operand = argument->scratch ? NULL : &operands[argument->operand];
        plx_status status =
            plan->is_given ? set_given(plan, step, argument, operand, queue, error)
            : plan->places != NULL
                ? set_pointer(plan, step, argument, operand, queue, error)
                : tell_memory(step->kernel, argument, argument->scratch ? &queue->scratch : operand->memory, error);
        if (status == PLX_OK && !argument->scratch && plan->places == NULL)
            status = tell_offset(step->kernel, argument, operand->offset + argument->byte, error);
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

static plx_status run_steps(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                            plx_error *error)
{
    const plx_status ready = ready_pieces(plan, queue, error);
    if (ready != PLX_OK)
        return ready;
    for (size_t i = 0; i < plan->step_count; i++) {
        plx_opencl_step *step = &plan->steps[i];
        if (plan->places != NULL)
            plx_cl_places_begin(plan->places);
        plx_status status = set_moving(plan, step, operands, queue, error);
        if (status == PLX_OK)
            status = plx_cl_launch(queue, step->kernel, step->global, step->local, error);
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

/* Memory that can't be had is an exception: nothing is compiled for it beforehand. */
static plx_status make_spare(plx_plugin_plan *plan, plx_error *error)
{
    plx_status status = PLX_OK;
    const size_t kernel = (size_t)(plan->row->spare - plx_ladder_of(plan->problem.op)->rows);
    (void)pthread_mutex_lock(&plan->lock);
    if (plan->spare == NULL)
        status = plx_opencl_plan(plan->session, &plan->problem, kernel, &plan->spare, error);
    (void)pthread_mutex_unlock(&plan->lock);
    return status;
}

static plx_status execute_spare(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                                size_t count, plx_error *error)
{
    const plx_error why = *error;
    plx_status status = make_spare(plan, error);
    if (status == PLX_OK)
        status = plx_opencl_execute(plan->spare, queue, operands, count, error);
    if (status != PLX_OK)
        return status;
    return plx_fail(error, PLX_OK, "%s ran instead: %.200s", plan->row->spare->about.name, why.text);
}

static plx_status execute_unaligned(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                                    size_t count, plx_error *error)
{
    if (plan->unaligned != NULL) {
        const plx_status status = plx_opencl_execute(plan->unaligned, queue, operands, count, error);
        if (status == PLX_OK && plan->instead[0] != '\0' && !atomic_exchange(&plan->told, true))
            return plx_fail(error, PLX_OK, "%s ran: an operand begins at no multiple of 16 bytes", plan->instead);
        return status;
    }
    (void)plx_fail(error, PLX_UNSUPPORTED, "an operand begins at no multiple of 16 bytes, and can't be copied");
    return execute_spare(plan, queue, operands, count, error);
}

plx_status plx_opencl_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                              plx_error *error)
{
    if (!plx_opencl_are_aligned(plan->aligned, operands, count))
        return execute_unaligned(plan, queue, operands, count, error);
    plx_status status = plx_cl_alive(queue->session, error);
    if (status == PLX_OK && plan->is_given)
        status = check_places(plan, operands, count, error);
    if (status == PLX_OK && plan->scratch_bytes > 0 && plan->places == NULL)
        status = plx_cl_scratch(queue, plan->scratch_bytes, PLX_SCRATCH_COUNTERS, error);
    if (status == PLX_NO_MEMORY && plan->row->spare != NULL)
        return execute_spare(plan, queue, operands, count, error);
    if (status != PLX_OK)
        return status;
    (void)pthread_mutex_lock(&plan->lock);
    status = run_steps(plan, queue, operands, error);
    (void)pthread_mutex_unlock(&plan->lock);
    return status;
}

plx_status plx_opencl_pieces_renew(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error)
{
    (void)pthread_mutex_lock(&plan->lock);
    const plx_status status = plx_pieces_renew(&plan->given, queue, error);
    (void)pthread_mutex_unlock(&plan->lock);
    return status;
}

plx_status plx_opencl_pieces_check(plx_plugin_plan *plan, plx_error *error)
{
    (void)pthread_mutex_lock(&plan->lock);
    const plx_status status = plx_pieces_check(&plan->given, error);
    (void)pthread_mutex_unlock(&plan->lock);
    return status;
}

/* What runs when memory can't be had needs none. */
plx_status plx_opencl_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error)
{
    uint64_t most = plan->places == NULL ? plan->scratch_bytes : 0;
    if (plan->unaligned != NULL && plan->unaligned->scratch_bytes > most)
        most = plan->unaligned->scratch_bytes;
    if (most > 0 && most < PLX_SCRATCH_COUNTERS)
        most = PLX_SCRATCH_COUNTERS;
    const plx_status status =
        queue != NULL && most > 0 ? plx_cl_scratch(queue, most, PLX_SCRATCH_COUNTERS, error) : PLX_OK;
    if (status == PLX_OK)
        *bytes = most;
    return status;
}
