/* Operands on a device, once, as the inputs have them. */
#include "study/run/one_set.h"

/* Touched, whatever the driver defers; then from the host. */
static plx_status fill_operand(const plx_one_set *set, size_t operand, const void *data)
{
    plx_buffer *buffer = set->buffer[operand];
    plx_status status = PLX_OK;

    if (set->stride[operand] == 0)
        return PLX_OK;
    status = plx_fill(NULL, buffer, 0, 0, set->stride[operand]);
    if (status == PLX_OK && data != NULL)
        status = plx_upload(NULL, buffer, set->start[operand], data, set->bytes[operand]);
    return status;
}

plx_status plx_one_set_make(plx_one_set *set, plx_backend *backend, const plx_inputs *inputs, plx_error *error)
{
    plx_status status;

    *set = plx_operand_buffers_of(backend, inputs, inputs->shift, 0);
    status = plx_operand_buffers_make(set, 1);
    for (size_t i = 0; status == PLX_OK && i < set->count; ++i)
        status = fill_operand(set, i, inputs->data[i]);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    status = plx_explain(backend, status, error);
    if (status != PLX_OK)
        plx_one_set_free(set);
    return status;
}

void plx_one_set_free(plx_one_set *set)
{
    plx_operand_buffers_free(set);
}
