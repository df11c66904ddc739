/* The queues that timed launches go to in turn, and what the clocks say of all of them. */
#include "study/measure/timing.h"

plx_status plx_timed_queues_open(plx_timed_queues *queues, plx_backend *backend, size_t count)
{
    plx_status status = PLX_OK;

    *queues = (plx_timed_queues){.backend = backend};
    for (size_t i = 0; status == PLX_OK && i < count && i < PLX_MAX_QUEUES; ++i) {
        ++queues->count;
        if (i > 0) /* the first is the backend's own */
            status = plx_queue_create(backend, &queues->queue[i]);
        if (status == PLX_OK)
            status = plx_event_create(backend, &queues->from[i]);
        if (status == PLX_OK)
            status = plx_event_create(backend, &queues->to[i]);
    }
    return status;
}

void plx_timed_queues_close(plx_timed_queues *queues)
{
    for (size_t i = 0; i < queues->count; ++i) {
        plx_event_destroy(queues->from[i]);
        plx_event_destroy(queues->to[i]);
        plx_queue_destroy(queues->queue[i]);
    }
    queues->count = 0;
}

plx_status plx_timed_queues_wait(const plx_timed_queues *queues)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < queues->count; ++i)
        status = plx_synchronize(queues->backend, queues->queue[i]);
    return status;
}

static plx_status record(const plx_timed_queues *queues, plx_event *const *events)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < queues->count; ++i)
        status = plx_event_record(queues->queue[i], events[i]);
    return status;
}

plx_status plx_timed_queues_start(const plx_timed_queues *queues)
{
    return record(queues, queues->from);
}

plx_status plx_timed_queues_stop(const plx_timed_queues *queues)
{
    return record(queues, queues->to);
}

plx_status plx_timed_queues_elapsed(const plx_timed_queues *queues, double *nanoseconds)
{
    plx_status status = PLX_OK;

    *nanoseconds = 0.0;
    for (size_t i = 0; status == PLX_OK && i < queues->count; ++i) {
        double elapsed = 0.0;
        status = plx_event_elapsed(queues->from[i], queues->to[i], &elapsed);
        if (status == PLX_OK && elapsed > *nanoseconds)
            *nanoseconds = elapsed;
    }
    return status;
}
