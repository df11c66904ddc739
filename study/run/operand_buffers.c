/* Operands on a device: how they lie, and their memory. */
#include "study/run/operand_buffers.h"

/* Sets begin where any vector access may, and where any device lets a buffer begin within another. */
enum { ALIGNMENT = 512 };

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Less than any machine has: the limits of a container are not read for each small problem. */
static const double always_there = 0x1p28;

plx_status plx_operands_fit(const plx_device_info *device, const plx_inputs *inputs, plx_error *error)
{
    const bool in_host = (device->features & PLX_FEATURE_CPU) != 0;
    double bytes = 0;

    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        bytes += (double)inputs->elements[i] * (double)plx_dtype_size(plx_inputs_dtype(inputs, i));
    if (bytes <= always_there)
        return PLX_OK;
    if (!in_host && device->memory_bytes > 0 && bytes > (double)device->memory_bytes)
        return plx_fail(error, PLX_NO_MEMORY, "the operands take %.1f GiB, and %s has %.1f GiB of memory",
                        bytes / 0x1p30, device->name, (double)device->memory_bytes / 0x1p30);
    return plx_host_memory_could_have(in_host ? "the operands and a result, twice on a processor, take"
                                              : "the operands and a result take",
                                      in_host ? 2 * bytes : bytes, error);
}

plx_status plx_inputs_make_for(const plx_device_info *device, const plx_problem *problem, const plx_array *arrays,
                               size_t count, plx_input input, uint64_t seed, plx_inputs *inputs, plx_error *error)
{
    plx_inputs described;
    plx_status status = plx_inputs_describe(problem, &described, error);

    if (status == PLX_OK)
        status = plx_operands_fit(device, &described, error);
    return status == PLX_OK ? plx_inputs_make(problem, arrays, count, input, seed, inputs, error) : status;
}

plx_operand_buffers plx_operand_buffers_of(plx_backend *backend, const plx_inputs *inputs, uint64_t shift,
                                           uint64_t guard)
{
    plx_operand_buffers made = {.backend = backend, .count = inputs->operation->operand_count};

    for (size_t i = 0; i < made.count; ++i) {
        const size_t size = plx_dtype_size(plx_inputs_dtype(inputs, i));
        made.start[i] = guard + shift * size;
        made.bytes[i] = (uint64_t)inputs->elements[i] * size;
        if (made.bytes[i] > 0 || guard > 0)
            made.stride[i] = aligned(made.start[i] + made.bytes[i] + guard);
    }
    return made;
}

/* All of them together, for none is written to before all are made. */
plx_status plx_operand_buffers_room(const plx_operand_buffers *operands, size_t sets, plx_error *error)
{
    double bytes = 0;

    if ((plx_backend_device(operands->backend)->features & PLX_FEATURE_CPU) == 0)
        return PLX_OK;
    for (size_t i = 0; i < operands->count; ++i)
        bytes += (double)operands->stride[i] * (double)sets;
    return plx_host_memory_has("operands on the processor take", bytes, error);
}

plx_status plx_operand_buffers_make(plx_operand_buffers *operands, size_t sets)
{
    plx_error error;
    plx_status status = plx_operand_buffers_room(operands, sets, &error);

    operands->sets = sets;
    for (size_t i = 0; status == PLX_OK && i < operands->count; ++i)
        status = plx_buffer_create(operands->backend, operands->stride[i] * sets, &operands->buffer[i]);
    if (status != PLX_OK)
        plx_operand_buffers_free(operands);
    return status;
}

void plx_operand_buffers_free(plx_operand_buffers *operands)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i) {
        plx_buffer_destroy(operands->buffer[i]);
        operands->buffer[i] = NULL;
    }
}

uint64_t plx_operand_offset(const plx_operand_buffers *operands, size_t operand, size_t set)
{
    return operands->stride[operand] > 0 ? set * operands->stride[operand] + operands->start[operand] : 0;
}

void plx_operand_views(const plx_operand_buffers *operands, size_t set, plx_view *views)
{
    for (size_t i = 0; i < operands->count; ++i)
        views[i] = (plx_view){operands->buffer[i], plx_operand_offset(operands, i, set)};
}

plx_status plx_buffer_double(plx_buffer *buffer, uint64_t have, uint64_t bytes)
{
    plx_status status = PLX_OK;

    for (; status == PLX_OK && have < bytes; have *= 2)
        status = plx_copy(NULL, buffer, have, buffer, 0, have < bytes - have ? have : bytes - have);
    return status;
}
