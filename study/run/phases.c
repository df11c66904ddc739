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

const char *plx_check_phase_name(plx_check_phase phase)
{
    static const char *const names[PLX_CHECK_PHASE_COUNT] = {
        [PLX_CHECK_OTHER] = "other",      [PLX_CHECK_INPUTS] = "inputs", [PLX_CHECK_REFERENCE] = "references",
        [PLX_CHECK_PLAN] = "plans",       [PLX_CHECK_RUN] = "runs",      [PLX_CHECK_JUDGE] = "judgement",
        [PLX_CHECK_REPEAT] = "repetition", [PLX_CHECK_PAIRS] = "pairs",
    };
    return (unsigned)phase < PLX_CHECK_PHASE_COUNT ? names[phase] : "?";
}
