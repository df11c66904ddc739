/* The state of a device before, while and after it is screened: clocks, power, heat, counters of its health. */
#include "study/screen/screen.h"

#include "base/clock.h"

/* A look takes up to a millisecond. */
static const double between_ns = 200e6;
/* What is said of how busy it is, is of the last second at most. */
static const double settled_ns = 2e9;

static void take_extremes(plx_telemetry *kept, const plx_telemetry *now)
{
    const uint32_t known = kept->known;
    if (known == 0) {
        *kept = *now;
        return;
    }
    kept->known |= now->known;
    kept->throttle |= now->throttle;
    if (now->temperature_c > kept->temperature_c)
        kept->temperature_c = now->temperature_c;
    if (now->power_w > kept->power_w)
        kept->power_w = now->power_w;
    if (now->sm_clock_mhz < kept->sm_clock_mhz)
        kept->sm_clock_mhz = now->sm_clock_mhz;
    if (now->memory_clock_mhz < kept->memory_clock_mhz)
        kept->memory_clock_mhz = now->memory_clock_mhz;
}

void plx_screen_watch_begin(plx_screen_watch *watch, const plx_open_backends *opened, plx_screened_device *device)
{
    *watch = (plx_screen_watch){.source = NULL, .begin_ns = plx_now_ns()};
    for (size_t i = 0; watch->source == NULL && i < opened->count; i++)
        watch->source = plx_telemetry_source(opened->backends[i], opened->backends, opened->count);
    device->utilisation = -1;
    if (watch->source == NULL)
        return;
    (void)plx_backend_telemetry(watch->source, &device->before);
    (void)plx_backend_health(watch->source, &device->health_before);
}

void plx_screen_watch_look(plx_screen_watch *watch, plx_screened_device *device)
{
    plx_telemetry now;
    plx_health health;
    const double time = plx_now_ns();
    if (watch->source == NULL || time - watch->last_ns < between_ns)
        return;
    watch->last_ns = time;
    if (plx_backend_telemetry(watch->source, &now) == PLX_OK)
        take_extremes(&device->hottest, &now);
    if (plx_backend_health(watch->source, &health) != PLX_OK || (health.known & PLX_KNOWS_UTILISATION) == 0 ||
        time - watch->begin_ns < settled_ns)
        return;
    watch->sum += health.utilisation;
    device->utilisation = watch->sum / (double)++watch->samples;
}

void plx_screen_watch_end(plx_screen_watch *watch, plx_screened_device *device)
{
    if (watch->source == NULL)
        return;
    (void)plx_backend_telemetry(watch->source, &device->after);
    (void)plx_backend_health(watch->source, &device->health_after);
}
