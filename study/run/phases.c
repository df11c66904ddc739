/* Where a check spends its time: one clock that always runs for some phase. */
#include "base/clock.h"
#include "study/run/run.h"

plx_check_phase plx_phase_turn(plx_phase_timer *timer, plx_check_phase to)
{
    plx_check_phase from;
    double time;

    if (timer == NULL)
        return to;
    time = plx_now_ns() * 1e-9;
    from = timer->phase;
    if (timer->running)
        timer->seconds[from] += time - timer->since;
    timer->phase = to;
    timer->since = time;
    timer->running = true;
    return from;
}
