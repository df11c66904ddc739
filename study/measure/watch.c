/* The state of a device while samples are taken: what it said last before a sample, and what it
 * says next.  Nothing runs while it is asked, for 10 us on one machine and 2 ms on another. */
#include "study/measure/timing.h"

/* It is asked again after so many times as long as it took to answer. */
static const double pause = 10.0;

bool plx_watch_is_due(const plx_watch *watch, double now_ns)
{
    return watch->source != NULL && (!watch->asked || now_ns - watch->answered_ns >= pause * watch->took_ns);
}

void plx_watch_ask(plx_watch *watch)
{
    const double start = plx_now_ns();

    if (plx_backend_telemetry(watch->source, &watch->state) != PLX_OK)
        watch->state = (plx_telemetry){.known = 0};
    watch->asked = true;
    watch->answered_ns = plx_now_ns();
    watch->took_ns = watch->answered_ns - start;
}
