/* The host backend: the processor as a device, and its threads.  Memory, queues and events
 * are those that every plugin can have.  It knows no operation. */
#ifndef PLX_BACKENDS_HOST_HOST_H
#define PLX_BACKENDS_HOST_HOST_H

#include <parallax/host_memory.h>

/* The slot of plx_plugin. */
plx_status plx_host_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);

/* Calls body(data, index) for every index below count, on several threads when
 * there are any.  The calls must not depend on each other's order. */
void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data);
/* How many threads plx_host_each() may use. */
uint32_t plx_host_threads(void);

#endif
