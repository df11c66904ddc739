/* What timing is made of: queues that take turns, samples, and the reading of
 * clocks.  Private to libparallax; studies use measure.c through measure.h, which this does not know. */
#ifndef PLX_TIMING_H
#define PLX_TIMING_H

#include "base/clock.h"
#include "study/run/run.h"

#include <parallax/compare.h>

/* ---- queues that take turns (timed_queues.c) --------------------------------------- */

/* Launches of one queue follow each other, those of several may overlap.  A point in time is
 * an event in each of them. */
typedef struct plx_timed_queues {
    plx_backend *backend;
    size_t count;
    plx_queue *queue[PLX_MAX_QUEUES]; /* NULL: the backend's own */
    plx_event *from[PLX_MAX_QUEUES], *to[PLX_MAX_QUEUES];
} plx_timed_queues;

/* To be closed on failure as well. */
plx_status plx_timed_queues_open(plx_timed_queues *queues, plx_backend *backend, size_t count);
void plx_timed_queues_close(plx_timed_queues *queues);
/* Until all are empty. */
plx_status plx_timed_queues_wait(const plx_timed_queues *queues);
/* The queues are empty when they start. */
plx_status plx_timed_queues_start(const plx_timed_queues *queues);
plx_status plx_timed_queues_stop(const plx_timed_queues *queues);
/* From the start to the stop of the queue that took longest. */
plx_status plx_timed_queues_elapsed(const plx_timed_queues *queues, double *nanoseconds);

/* ---- samples (samples.c) ---------------------------------------------------------- */

/* One batch of launches: its time, and the state the device was in. */
typedef struct plx_sample {
    double time_ns;            /* of one launch, on the clock that is believed */
    double device_ns, host_ns; /* on either clock; what a device says may be nonsense */
    double clock_mhz;          /* the lower one of what was said before and after; 0: not known */
    uint32_t throttle;         /* PLX_THROTTLE_ bits of either */
    bool disturbed;            /* the system took a processor from a thread of ours meanwhile */
} plx_sample;

/* Marks what was taken while the device ran slower than it typically does: throttled for
 * another reason than idleness or a setting, or with a clock 3 % below that of the
 * fastest tenth.  Returns how many are kept.  When too few would be left for an interval
 * all are kept, and *throttled says so. */
size_t plx_samples_filter(const plx_sample *samples, size_t count, bool *keep, bool *throttled);
/* Takes the disturbed ones out of those that are kept, if enough are left for an interval.  Returns how many it took.
 */
size_t plx_samples_leave_disturbed(const plx_sample *samples, size_t count, bool *keep);
/* Median and interval on both clocks, of what is kept. */
void plx_timing_of_samples(const plx_sample *samples, size_t count, plx_timing *timing);

/* How the times that are kept lie. */
void plx_spread_of_samples(const plx_sample *samples, size_t count, plx_spread *spread);

/* Sorts the samples: their median and its 95 % interval. */
void plx_interval_of(double *samples, size_t count, plx_interval *interval);
/* Adds to the intervals what samples of one process can't show: how far the next one's
 * will be from them. */
void plx_timing_widen(plx_timing *timing);

/* Adds what a source of telemetry says now to a sample: the lower clock, all reasons. */
void plx_sample_note(plx_sample *sample, const plx_telemetry *state);

enum { PLX_MAX_SAMPLES = 600 };

/* ---- what a device says of itself (watch.c) ------------------------------------------ */

/* Starts as {.source = ...}. */
typedef struct plx_watch {
    plx_backend *source; /* tells; NULL: nobody does, and nothing is ever due */
    bool asked;
    plx_telemetry state; /* that was told last */
    double answered_ns, took_ns;
} plx_watch;

/* Whether it is time to ask again: what asking takes stays a small part of all. */
bool plx_watch_is_due(const plx_watch *watch, double now_ns);
void plx_watch_ask(plx_watch *watch);

/* ---- which clock to believe (clock_fit.c) -------------------------------------------- */

typedef enum plx_clock_fit {
    PLX_CLOCK_FITS = 0,
    PLX_CLOCK_SILENT, /* nothing, NaN, infinite or negative */
    PLX_CLOCK_LONG,   /* more than the host saw */
    PLX_CLOCK_SHORT   /* less than the host saw, by more than the overhead */
} plx_clock_fit;

/* Whether the device's time of a batch fits the host's, of which `overhead_ns` may have
 * been no work of the device. */
plx_clock_fit plx_clock_fit_of(double device_ns, double host_ns, double overhead_ns);
const char *plx_clock_fit_text(plx_clock_fit fit); /* "" for one that fits */
/* Judges the device's clock by all samples of a candidate, and sets their time_ns. */
plx_clock_fit plx_samples_believe(plx_sample *samples, size_t count, size_t batch, double overhead_ns);
/* Several times what launching and waiting cost, seen with batches of nothing; and that
 * for batches without a launch ahead, which find the device idle. */
plx_status plx_clock_overhead(const plx_timed_queues *queues, double *overhead_ns);
double plx_clock_overhead_idle(double overhead_ns);
/* One batch of nothing, of which the overhead is several. */
double plx_clock_empty(double overhead_ns);

#endif
