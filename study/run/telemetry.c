/* Who tells the state of a device. */
#include "study/run/run.h"

static bool reports(plx_backend *backend)
{
    plx_telemetry state;
    return plx_backend_telemetry(backend, &state) == PLX_OK && state.known != 0;
}

plx_backend *plx_telemetry_source(plx_backend *backend, plx_backend *const *others, size_t count)
{
    if (reports(backend))
        return backend;
    for (size_t i = 0; i < count; ++i)
        if (others[i] != backend && plx_same_device(plx_backend_device(others[i]), plx_backend_device(backend)) &&
            reports(others[i]))
            return others[i];
    return NULL;
}

void plx_backends_changes(const plx_open_backends *opened, plx_results *results)
{
    for (size_t i = 0; i < opened->count && i < results->device_count; ++i)
        plx_plugin_changes(opened->context, plx_backend_plugin(opened->backends[i]), results->devices[i].changes,
                           sizeof results->devices[i].changes);
}

void plx_backend_throttle(plx_backend *backend, plx_backend *const *others, size_t count, plx_study_device *device)
{
    plx_backend *source = plx_telemetry_source(backend, others, count);
    plx_telemetry now = {.known = 0};

    if (source == NULL || plx_backend_telemetry(source, &now) != PLX_OK)
        return;
    device->throttle_known = (now.known & PLX_KNOWS_THROTTLE) != 0;
    device->throttle_begin = device->throttle_known ? now.throttle : 0;
}

void plx_backends_environment(const plx_open_backends *opened, plx_results *results)
{
    for (size_t i = 0; i < opened->count; ++i) {
        plx_backend *source = plx_telemetry_source(opened->backends[i], opened->backends, opened->count);
        if (source != NULL)
            (void)plx_backend_telemetry(source, &results->devices[i].environment);
    }
    plx_backends_changes(opened, results);
    results->environment.activity = plx_activity_since(&opened->began);
}
