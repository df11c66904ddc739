/* The backends of a judgement, which one process opens once for all that it does on them: a program is then compiled
 * once.  One that was lost is opened anew, for what follows is not its fault. */
#include "judged.h"

#include <string.h>

static bool is_lost(plx_backend *backend)
{
    plx_telemetry ignored;
    return plx_backend_telemetry(backend, &ignored) == PLX_DEVICE_LOST;
}

/* Ahead of opening it again: what broke may be the process's own part of the device, which goes with its last user. */
static void close_lost(judged_backends *backends)
{
    size_t kept = 0;
    for (size_t i = 0; i < backends->count; i++)
        if (is_lost(backends->at[i]))
            plx_close(backends->at[i]);
        else
            backends->at[kept++] = backends->at[i];
    backends->count = kept;
}

plx_backend *judged_backend(const judged_backends *backends, const char *label)
{
    for (size_t i = 0; i < backends->count; i++)
        if (strcmp(plx_backend_label(backends->at[i]), label) == 0)
            return backends->at[i];
    return NULL;
}

void judged_backends_open(judged_backends *backends, plx_context *context, const char *const *labels, size_t count)
{
    close_lost(backends);
    for (size_t i = 0; i < count && backends->count < JUDGED_PEERS; i++)
        if (judged_backend(backends, labels[i]) == NULL &&
            plx_open(context, labels[i], &backends->at[backends->count]) == PLX_OK)
            backends->count++;
}

void judged_backends_close(judged_backends *backends)
{
    while (backends->count > 0)
        plx_close(backends->at[--backends->count]);
}
