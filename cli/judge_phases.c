/* Where the time of a judgement goes.  One process at a time works on it, the judge or the one that it waits for, and
 * says what it does from now on; so what a process was at when it was ended has taken the time until then. */
#include "judged.h"

#include "base/clock.h"
#include "base/text.h"

#include <string.h>

const char *const judged_phases[JUDGED_PHASES] = {
    [JUDGED_OTHER] = "other",       [JUDGED_PROCESS] = "process",   [JUDGED_COMPILE] = "compile",
    [JUDGED_DEVICES] = "devices",   [JUDGED_FUNCTION] = "function", [JUDGED_BACKENDS] = "backends",
    [JUDGED_CASES] = "cases",       [JUDGED_DRAW] = "drawn",        [JUDGED_SHAPES] = "shapes",
    [JUDGED_TIMING] = "timing",     [JUDGED_CEILINGS] = "ceilings", [JUDGED_CAPTURE] = "capture",
    [JUDGED_SANITIZE] = "sanitize",
};

void judged_begin(judged *to)
{
    to->began = to->since = 1e-9 * plx_now_ns();
}

/* A process that is ended in here has lost a phase's time, and counted none twice. */
judged_phase judged_turn(judged *to, judged_phase phase)
{
    const judged_phase before = to->phase;
    const double now = 1e-9 * plx_now_ns(), took = now - to->since;
    to->since = now;
    to->seconds[before] += took;
    to->phase = phase;
    return before;
}

void judged_turn_by(judged *to, const char *what)
{
    if (to->phase != JUDGED_SHAPES && to->phase != JUDGED_TIMING && to->phase != JUDGED_CEILINGS)
        return;
    const judged_phase phase = strncmp(what, "timing", 6) == 0                ? JUDGED_TIMING
                               : strncmp(what, "measuring ceilings", 18) == 0 ? JUDGED_CEILINGS
                                                                              : JUDGED_SHAPES;
    if (phase != to->phase)
        (void)judged_turn(to, phase);
}

double judged_took(const judged *of)
{
    return of->since - of->began;
}

void judged_say_phases(const judged *of)
{
    char text[400] = "";
    size_t length = 0;
    for (int i = 0; i < JUDGED_PHASES; i++)
        if (of->seconds[i] >= 0.005)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s %s %.2f", length > 0 ? "," : ":",
                                       judged_phases[i], of->seconds[i]);
    cli_say("%.2f seconds%s", judged_took(of), text);
}
