/* The processor as a device, and its memory. */
#define _POSIX_C_SOURCE 200809L
#include "backends/host/host.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 };

/* ---- device ------------------------------------------------------------ */

plx_status plx_host_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    error->text[0] = '\0';
    if (capacity > 0)
        plx_host_describe(&devices[0]);
    *count = 1;
    return PLX_OK;
}

plx_status plx_host_open(size_t device, plx_session **session, plx_error *error)
{
    if (device != 0)
        return plx_fail(error, PLX_NOT_FOUND, "the processor is one device, number 0; there is no %zu",
                        device);
    plx_session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a session");
    plx_host_describe(&made->device);
    *session = made;
    return PLX_OK;
}

void plx_host_close(plx_session *session)
{
    free(session);
}

/* ---- memory ------------------------------------------------------------ */

plx_status plx_host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    void *data = NULL;
    plx_memory *made = NULL;
    uint64_t most = session->device.max_alloc_bytes; /* more would be granted, and end the process later */
    if (most > 0 && bytes > most)
        return plx_fail(error, PLX_NO_MEMORY, "%" PRIu64 " bytes are more than the machine's %" PRIu64, bytes,
                        most);
    if (bytes > SIZE_MAX - ALIGNMENT || (made = malloc(sizeof *made)) == NULL ||
        posix_memalign(&data, ALIGNMENT, bytes > 0 ? (size_t)bytes : 1) != 0) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %" PRIu64 " bytes", bytes);
    }
    *made = (plx_memory){.data = data, .bytes = bytes};
    *memory = made;
    return PLX_OK;
}

void plx_host_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    if (memory != NULL)
        free(memory->data);
    free(memory);
}
