/* What ends a study early: a signal handler says so, and every study looks between two pieces of work. */
#include "study/run/run.h"

#include <signal.h>

static volatile sig_atomic_t stopped;

void plx_studies_stop(bool stop)
{
    stopped = stop ? 1 : 0;
}

bool plx_studies_stopped(void)
{
    return stopped != 0;
}

void plx_results_note_stop(plx_results *results, size_t finished, size_t wanted)
{
    if (!plx_studies_stopped() || finished >= wanted)
        return;
    results->interrupted = true;
    results->finished = finished;
    results->wanted = wanted;
}
