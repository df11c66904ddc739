/* Verdicts: what follows from wrong bits, from counters, from devices that are gone, and whose fault it is.  One chip
 * is reached through several APIs: each is a viewpoint. */
#include "study/screen/screen.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_words[] = {"healthy", "degraded", "untested", "misconfigured", "faulty"};
const plx_names plx_verdict_names = {PLX_HEALTH_VERDICT_COUNT, verdict_words};
static const char *const seal_words[] = {"none", "identical", "changed", "wrong", "inputs"};
const plx_names plx_seal_names = {PLX_SEAL_STATE_COUNT, seal_words};

const char *plx_health_verdict_name(plx_health_verdict verdict)
{
    return (unsigned)verdict < PLX_HEALTH_VERDICT_COUNT ? verdict_words[verdict] : "unknown";
}

const char *plx_seal_state_name(plx_seal_state state)
{
    return (unsigned)state < PLX_SEAL_STATE_COUNT ? seal_words[state] : "unknown";
}

void plx_screen_blame(plx_screened_device *device, plx_health_verdict verdict, const char *format, ...)
{
    va_list arguments;
    if (verdict <= device->verdict && device->reason[0] != '\0')
        return;
    device->verdict = verdict > device->verdict ? verdict : device->verdict;
    va_start(arguments, format);
    (void)vsnprintf(device->reason, sizeof device->reason, format, arguments);
    va_end(arguments);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

double plx_median_of(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double plx_spread_of(const double *values, size_t count, double median)
{
    double spread = 0, *distances = malloc((count + 1) * sizeof *distances);
    for (size_t i = 0; distances != NULL && i < count; i++)
        distances[i] = fabs(values[i] - median);
    if (distances != NULL)
        spread = 1.4826 * plx_median_of(distances, count);
    free(distances);
    return spread;
}

/* Equals that hardly differ have hardly any spread: what is within a part of the median is none the slower for it. */
double plx_slow_limit(double median, double spread)
{
    static const double spreads = 6, part = 0.1;
    const double limit = median > 0 ? spreads * spread / median : 0;
    return 1 + (limit > part ? limit : part);
}

bool plx_same_way(const char *one, const char *other)
{
    const size_t length = strcspn(one, ":");
    return strcspn(other, ":") == length && strncmp(one, other, length) == 0;
}

/* ---- viewpoints ------------------------------------------------------------------------------ */

static bool is_wrong(const plx_screened_case *of)
{
    return of->outcome == PLX_OUTCOME_WRONG;
}

/* Cases of a backend that were judged, and those that were wrong. */
static size_t count_of(const plx_screened_device *device, const char *backend, bool wrong)
{
    size_t count = 0;
    for (size_t i = 0; i < device->case_count; i++) {
        const plx_screened_case *of = &device->cases[i];
        if (strcmp(of->backend, backend) == 0 && (is_wrong(of) || (!wrong && of->outcome == PLX_OUTCOME_OK)))
            count++;
    }
    return count;
}

typedef struct viewpoints {
    size_t judged, wrong;
    const char *one; /* that is wrong */
} viewpoints;

static viewpoints look(const plx_screened_device *device)
{
    viewpoints found = {0, 0, ""};
    for (size_t i = 0; i < device->backend_count; i++) {
        if (count_of(device, device->backends[i], false) == 0)
            continue;
        found.judged++;
        if (count_of(device, device->backends[i], true) == 0)
            continue;
        found.wrong++;
        found.one = device->backends[i];
    }
    return found;
}

static const plx_screened_case *first_wrong(const plx_screened_device *device)
{
    for (size_t i = 0; i < device->case_count; i++)
        if (is_wrong(&device->cases[i]))
            return &device->cases[i];
    return NULL;
}

/* Wrong from the first run on. */
static void judge_wrong(plx_screened_device *device)
{
    const plx_screened_case *wrong = first_wrong(device);
    const viewpoints seen = look(device);
    if (wrong == NULL)
        return;
    const char *op = plx_op_name(wrong->problem.op);
    if (seen.judged > seen.wrong)
        plx_screen_blame(
            device, PLX_MISCONFIGURED,
            "%s/%s is wrong through %s alone, and what other ways reach the same chip is right: %s, not the "
            "device: %.200s",
            op, wrong->kernel, seen.one,
            wrong->vendor ? "the vendor's library behind it" : "that API's compiler or driver", wrong->reason);
    else if (seen.wrong > 1)
        plx_screen_blame(device, PLX_FAULTY,
                         "wrong through all %zu ways that reach it, %s/%s first: the chip or its memory: %.200s",
                         seen.wrong, op, wrong->kernel, wrong->reason);
    else
        plx_screen_blame(device, PLX_FAULTY,
                         "%s/%s on %s is wrong, and no other API reaches the chip to tell it from its "
                         "driver: %.200s",
                         op, wrong->kernel, wrong->backend, wrong->reason);
}

/* Other bits than the same code gave before on the same operands. */
static void judge_faults(plx_screened_device *device)
{
    if (device->fault_count == 0)
        return;
    const plx_screen_fault *first = &device->faults[0];
    const plx_screened_case *of = &device->cases[first->which];
    plx_screen_blame(
        device, PLX_FAULTY,
        "%zu of %llu launches gave other bits than the same code on the same operands: the chip or its memory; "
        "first %s/%s on %s, %lld element%s from [%lld][%lld] on, %s in place of %s, bits %s%s%s; again in %llu of %llu",
        device->fault_count, (unsigned long long)device->launches, plx_op_name(of->problem.op), of->kernel, of->backend,
        (long long)first->elements, first->elements == 1 ? "" : "s", (long long)first->row, (long long)first->col,
        first->found, first->expected, first->bits, first->place[0] != '\0' ? ", " : "", first->place,
        (unsigned long long)first->again, (unsigned long long)first->of);
}

static void judge_seal(plx_screened_device *device)
{
    size_t changed = 0, inputs = 0;
    for (size_t i = 0; i < device->case_count; i++) {
        changed += device->cases[i].seal == PLX_SEAL_CHANGED;
        inputs += device->cases[i].seal == PLX_SEAL_INPUTS;
    }
    if (inputs > 0)
        plx_screen_blame(device, PLX_MISCONFIGURED,
                         "the operands of %zu cases are not the sealed ones: the host, or another "
                         "version, generates others",
                         inputs);
    if (changed > 0)
        plx_screen_blame(device, PLX_DEGRADED,
                         "%zu cases have other bits than were sealed, all within their bounds: something "
                         "beneath them has changed, such as the driver",
                         changed);
}

/* ---- counters -------------------------------------------------------------------------------------- */

/* Others' work on it is not what was screened: neither its time nor, where they share more than that, its bits. */
static void judge_use(plx_screened_device *device)
{
    const plx_health *before = &device->health_before, *after = &device->health_after;
    const uint32_t processes = before->processes > after->processes ? before->processes : after->processes;
    if (((before->known | after->known) & PLX_KNOWS_PART) != 0 && (before->part != 0 || after->part != 0))
        plx_screen_blame(device, PLX_UNTESTED,
                         "it is one part of a chip that is divided (MIG), and the other parts were not computed on: "
                         "screen the chip undivided");
    if (((before->known | after->known) & PLX_KNOWS_PROCESSES) != 0 && processes > 1)
        plx_screen_blame(device, PLX_UNTESTED,
                         "%u other process%s computed on it meanwhile: screen it when nobody else uses it",
                         (unsigned)(processes - 1), processes == 2 ? "" : "es");
}

static void judge_counters(plx_screened_device *device)
{
    const plx_health *before = &device->health_before, *after = &device->health_after;
    const uint32_t both = before->known & after->known;
    if ((both & PLX_KNOWS_UNCORRECTED) != 0 && after->uncorrected > before->uncorrected)
        plx_screen_blame(device, PLX_FAULTY, "%llu errors of memory that could not be corrected while it was screened",
                         (unsigned long long)(after->uncorrected - before->uncorrected));
    if ((after->known & PLX_KNOWS_ERRORS) != 0 && after->errors > before->errors)
        plx_screen_blame(device, PLX_FAULTY,
                         "its driver reported %llu errors while it was screened, the last an XID %u",
                         (unsigned long long)(after->errors - before->errors), (unsigned)after->last_error);
    if ((after->known & PLX_KNOWS_REMAPPED) != 0 && after->remap_failed)
        plx_screen_blame(device, PLX_FAULTY, "a row of its memory could not be remapped: it has no spare rows left");
    if ((after->known & PLX_KNOWS_REMAPPED) != 0 && after->remap_pending)
        plx_screen_blame(device, PLX_DEGRADED, "a row of its memory waits to be remapped: reset the device");
    if ((device->hottest.throttle & (PLX_THROTTLE_HEAT | PLX_THROTTLE_HARDWARE)) != 0)
        plx_screen_blame(device, PLX_DEGRADED,
                         "it was held back by %s while it was screened, at %.0f degrees and %.0f MHz",
                         (device->hottest.throttle & PLX_THROTTLE_HEAT) != 0 ? "heat" : "its board",
                         device->hottest.temperature_c, device->hottest.sm_clock_mhz);
}

/* ---- all ---------------------------------------------------------------------------------------------- */

static void judge_untested(plx_screened_device *device, double budget)
{
    const char *why = device->seconds >= 0.9 * budget
                          ? "the budget was spent before anything was proven; give more with --budget"
                          : "it has no kernel for any of the cases";
    for (size_t i = 0; i < device->case_count; i++) {
        const plx_screened_case *of = &device->cases[i];
        if (is_wrong(of) || (of->outcome == PLX_OUTCOME_OK && (of->runs > 0 || of->seal != PLX_SEAL_NONE)))
            return;
        if (of->outcome == PLX_OUTCOME_OK)
            why = "the budget was too small for one round; give more with --budget";
        else if (of->reason[0] != '\0')
            why = of->reason;
    }
    plx_screen_blame(device, PLX_UNTESTED, "%s", why);
}

/* What could not be run, though it can be elsewhere, leaves a gap. */
static void judge_failures(plx_screened_device *device)
{
    size_t failed = 0;
    const plx_screened_case *first = NULL;
    for (size_t i = 0; i < device->case_count; i++)
        if (device->cases[i].outcome == PLX_OUTCOME_FAILED && failed++ == 0)
            first = &device->cases[i];
    if (first != NULL)
        plx_screen_blame(device, PLX_UNTESTED, "%zu of %zu cases could not be run, first %s/%s on %s: %.200s", failed,
                         device->case_count, plx_op_name(first->problem.op), first->kernel, first->backend,
                         first->reason);
}

static void put_command(plx_screened_device *device, double budget, uint64_t seed)
{
    const plx_screened_case *of =
        device->fault_count > 0 ? &device->cases[device->faults[0].which] : first_wrong(device);
    if (of != NULL)
        plx_screen_command(device, of, budget, seed, device->command, sizeof device->command);
}

void plx_screen_judge(plx_screened_device *device, double budget, uint64_t seed)
{
    judge_untested(device, budget);
    judge_faults(device);
    judge_wrong(device);
    judge_counters(device);
    judge_failures(device);
    judge_use(device);
    judge_seal(device);
    put_command(device, budget, seed);
}
