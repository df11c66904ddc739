/* Who tells the state of a device, and what that means for a sample. */
#define _POSIX_C_SOURCE 200809L
#include "study/measure/timing.h"

#include <time.h>

double plx_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool tells(plx_backend *backend)
{
    plx_telemetry state;
    return plx_backend_telemetry(backend, &state) == PLX_OK && state.known != 0;
}

plx_backend *plx_telemetry_source(plx_backend *backend, plx_backend *const *others, size_t count)
{
    if (tells(backend))
        return backend;
    for (size_t i = 0; i < count; ++i)
        if (others[i] != backend &&
            plx_same_device(plx_backend_device(others[i]), plx_backend_device(backend)) && tells(others[i]))
            return others[i];
    return NULL;
}

void plx_sample_note(plx_sample *sample, const plx_telemetry *state)
{
    if (state->known & PLX_KNOWS_THROTTLE)
        sample->throttle |= state->throttle;
    if ((state->known & PLX_KNOWS_SM_CLOCK) == 0 || !(state->sm_clock_mhz > 0.0))
        return;
    if (!(sample->clock_mhz > 0.0) || state->sm_clock_mhz < sample->clock_mhz)
        sample->clock_mhz = state->sm_clock_mhz;
}
