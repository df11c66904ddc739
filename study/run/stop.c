/* What ends a study early: a signal handler says so, and every study looks between two pieces of work.  And who is told
 * what is finished, in case that it never comes to such a place. */
#include "study/run/run.h"

#include "base/clock.h"

#include <signal.h>

static volatile sig_atomic_t stopped;

/* Who is told, since when, and what that took. */
static struct {
    plx_studies_seen *function;
    void *data;
    double since_ns, began_ns, spent_ns;
} told;

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

void plx_studies_tell(plx_studies_seen *function, void *data)
{
    told.function = function;
    told.data = data;
    told.since_ns = plx_now_ns();
    told.spent_ns = 0.0;
}

/* Where there is much to tell, each time takes long: then it is told less often. */
bool plx_results_are_told(void)
{
    static const double free_ns = 0.25e9, share = 0.05;

    if (told.function == NULL)
        return false;
    told.began_ns = plx_now_ns();
    return told.spent_ns < free_ns + share * (told.began_ns - told.since_ns);
}

void plx_results_tell(const plx_results *results, size_t finished, size_t wanted)
{
    plx_results so_far = *results;

    so_far.interrupted = true;
    so_far.finished = finished;
    so_far.wanted = wanted;
    told.function(told.data, &so_far);
    told.spent_ns += plx_now_ns() - told.began_ns;
}
