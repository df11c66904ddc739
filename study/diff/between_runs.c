/* By how much equal runs differ from each other, by class of device: what one run alone can't tell.  A process gets
 * other pages, other neighbours and another clock than the one before, and all its samples share them.
 *
 * Measured with equal runs of bench; doc/performance.md, Between runs, names them, and tests/results/test_equal_runs.sh
 * repeats it. */
#include "study/diff/between_runs.h"

#include "base/run_to_run.h"

#include <math.h>
#include <string.h>

/* The standard error of a run's median, as a part of it: of an accelerator, and of a processor that no other process
 * uses.  Those of a processor are the same through OpenCL and without. */
static const double of_accelerator = 0.005, of_processor = 0.08;

/* Where others leave a part of the processors, that and so much times the logarithm of the part. */
static const double of_part = 0.3;

/* Every backend names a processor by what the system calls it, some with a word of their own before that. */
static bool is_processor(const plx_environment *environment, const plx_study_device *device)
{
    return (device->info.features & PLX_FEATURE_CPU) != 0 ||
           (environment->cpu[0] != '\0' && strstr(device->info.name, environment->cpu) != NULL);
}

/* Of the processors; where nobody knows what others took, by how many processes wanted one. */
static double part_left(const plx_environment *environment)
{
    const plx_activity *now = &environment->activity;
    const double processors = fmax((double)environment->threads, 1);
    if (!now->known)
        return 1;
    return now->others >= 0 ? fmax(1 - now->others / processors, 0.05) : 1 / (1 + now->load_begin / processors);
}

static double error_of(const plx_environment *environment, const plx_study_device *device)
{
    char text[64];
    if (!is_processor(environment, device))
        return of_accelerator;
    const bool busy = plx_environment_is_busy(environment, text, sizeof text);
    return hypot(of_processor, busy ? of_part * log(part_left(environment)) : 0);
}

double plx_between_runs_ratio(const plx_results *before, const plx_study_device *device, const plx_results *after,
                              const plx_study_device *other)
{
    static const double reach = 2.576; /* of 99 % */
    const double one = error_of(&before->environment, device), two = error_of(&after->environment, other);
    return exp(reach * sqrt(one * one + two * two));
}

/* Samples within a run: their standard deviation, as a part of their median, and how much is known of it before the
 * first is taken, as if so many had told it. */
static const double of_samples = 0.25, known_before = 8;

/* Few samples tell little of their noise: what samples do otherwise stands beside it, each with the weight of what it
 * rests on (a moderated t-test; Smyth 2004). */
static plx_noise moderated(plx_noise few, size_t samples)
{
    const double before = 1.2533 * of_samples / sqrt((double)samples); /* of a median */
    const double freedom = few.freedom + known_before;
    return (plx_noise){sqrt((few.freedom * few.error * few.error + known_before * before * before) / freedom), freedom};
}

/* What the interval was widened by (plx_timing_widen): no sample tells it, so it has not their few degrees of freedom.
 * Where the interval is too narrow for that, it never was. */
static double widened_by(const plx_interval *time)
{
    const double by = plx_run_to_run_ns(time->median_ns);
    return fmin(time->high_ns - time->median_ns, time->median_ns - time->low_ns) < by ? 0 : by;
}

plx_noise plx_noise_of_one_run(const plx_results *results, const plx_record *record, const plx_interval *time,
                               bool moderate)
{
    enum { FEW = 6 };
    const double between = error_of(&results->environment, &results->devices[record->device]);
    const bool few = time->samples >= 2 && time->samples < FEW;
    const double by = widened_by(time), known = hypot(between, by / (1.96 * time->median_ns));
    plx_noise noise = plx_noise_of(time->low_ns + by, time->high_ns - by, time->samples);
    if (few && moderate && isfinite(noise.error))
        return plx_noise_with(moderated(noise, time->samples), known);
    plx_noise both = plx_noise_with(noise, known);
    if (few) /* that they are near to each other may be an accident, which no other noise mends */
        both.freedom = noise.freedom;
    return both;
}
