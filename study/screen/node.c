/* The devices of one machine against each other: equals have the same bits, and about the same speed. */
#include "study/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_EQUALS = 3 };

static bool same_model(const plx_screened_device *a, const plx_screened_device *b)
{
    return strcmp(a->info.name, b->info.name) == 0 && a->info.units == b->info.units;
}

/* The same code on the same operands; NULL: the device has none. */
static const plx_screened_case *twin_of(const plx_screened_device *device, const plx_screened_case *of)
{
    for (size_t i = 0; i < device->case_count; i++) {
        const plx_screened_case *one = &device->cases[i];
        if (plx_same_way(one->backend, of->backend) && strcmp(one->kernel, of->kernel) == 0 &&
            one->input == of->input && one->digest[0] != '\0' &&
            memcmp(&one->problem, &of->problem, sizeof one->problem) == 0)
            return one;
    }
    return NULL;
}

/* How many of its equals have these bits, and how many have others. */
static void count_votes(const plx_screen *screen, const plx_screened_device *device, const plx_screened_case *of,
                        size_t *same, size_t *others)
{
    *same = *others = 0;
    for (size_t i = 0; i < screen->device_count; i++) {
        const plx_screened_device *other = &screen->devices[i];
        const plx_screened_case *twin = other != device && same_model(other, device) ? twin_of(other, of) : NULL;
        if (twin != NULL)
            ++*(strcmp(twin->digest, of->digest) == 0 ? same : others);
    }
}

/* In a vote of two nobody is the odd one: both are named. */
static void vote_on_bits(plx_screen *screen, plx_screened_device *device)
{
    for (size_t i = 0; i < device->case_count; i++) {
        plx_screened_case *of = &device->cases[i];
        size_t same, others;
        if (of->digest[0] == '\0' || (of->reproducibility == PLX_R2 && !plx_is_exact(&of->problem)))
            continue;
        count_votes(screen, device, of, &same, &others);
        if (others == 0 || same > others)
            continue;
        plx_screen_blame(device, same + 1 < others || others == 1 ? PLX_FAULTY : PLX_MISCONFIGURED,
                         "%s/%s on %s: %zu of its %zu equals here have other bits of the same code and operands",
                         plx_op_name(of->problem.op), of->kernel, of->backend, others, same + others);
        plx_screen_command(device, of, screen->budget, screen->seed, device->command, sizeof device->command);
        return;
    }
}

/* Wrong in the same way on every equal: it is the code. */
static void clear_devices(plx_screen *screen, plx_screened_device *device)
{
    size_t equals = 0, alike = 0;
    for (size_t i = 0; i < screen->device_count; i++) {
        const plx_screened_device *other = &screen->devices[i];
        for (size_t k = 0; other != device && same_model(other, device) && k < device->case_count; k++) {
            const plx_screened_case *of = &device->cases[k],
                                    *twin = of->outcome == PLX_OUTCOME_WRONG ? twin_of(other, of) : NULL;
            equals += twin != NULL;
            alike += twin != NULL && strcmp(twin->digest, of->digest) == 0;
        }
    }
    if (equals == 0 || alike < equals || device->fault_count > 0 || device->verdict != PLX_FAULTY)
        return;
    device->verdict = PLX_MISCONFIGURED;
    (void)snprintf(
        device->reason, sizeof device->reason,
        "the other devices of this model here give the same wrong bits: a kernel, a library or the driver, no device");
}

/* The mean over its cases of the time over the median of its equals; 0: not known. */
static double slowness(const plx_screen *screen, const plx_screened_device *device, double *limit)
{
    double sum = 0, *times = malloc((screen->device_count + 1) * sizeof *times);
    size_t cases = 0;
    *limit = 1;
    for (size_t k = 0; times != NULL && k < device->case_count; k++) {
        size_t count = 0;
        const plx_screened_case *of = &device->cases[k];
        for (size_t i = 0; of->launch_ns > 0 && i < screen->device_count; i++) {
            const plx_screened_case *twin =
                same_model(&screen->devices[i], device) ? twin_of(&screen->devices[i], of) : NULL;
            if (twin != NULL && twin->launch_ns > 0)
                times[count++] = twin->launch_ns;
        }
        if (count < LEAST_EQUALS)
            continue;
        const double median = plx_median_of(times, count),
                     allowed = plx_slow_limit(median, plx_spread_of(times, count, median));
        sum += of->launch_ns / median;
        *limit += (allowed - *limit) / (double)++cases;
    }
    free(times);
    return cases > 0 ? sum / (double)cases : 0;
}

static bool reaches(const plx_screened_device *device, const char *label)
{
    for (size_t i = 0; i < device->backend_count; i++)
        if (strcmp(device->backends[i], label) == 0)
            return true;
    return false;
}

/* Wrong copies that end there, on either side. */
static size_t count_wrong(const plx_screen *screen, const char *label)
{
    size_t count = 0;
    for (size_t i = 0; i < screen->copy_count; i++)
        count += screen->copies[i].outcome == PLX_OUTCOME_WRONG &&
                 (strcmp(screen->copies[i].from, label) == 0 || strcmp(screen->copies[i].to, label) == 0);
    return count;
}

/* Of the two ends the one that has more wrong copies; both, where that does not tell. */
static void vote_on_copies(plx_screen *screen)
{
    for (size_t i = 0; i < screen->copy_count; i++) {
        const plx_screened_copy *copy = &screen->copies[i];
        const size_t from = count_wrong(screen, copy->from), to = count_wrong(screen, copy->to);
        for (size_t k = 0; copy->outcome == PLX_OUTCOME_WRONG && k < screen->device_count; k++)
            if ((reaches(&screen->devices[k], copy->from) && from >= to) ||
                (reaches(&screen->devices[k], copy->to) && to >= from))
                plx_screen_blame(&screen->devices[k], PLX_FAULTY,
                                 "a copy from %s to %s changed %llu bytes: the device, or a link "
                                 "to it",
                                 copy->from, copy->to, (unsigned long long)copy->differing);
    }
}

void plx_screen_vote(plx_screen *screen)
{
    for (size_t i = 0; i < screen->device_count; i++) {
        plx_screened_device *device = &screen->devices[i];
        double limit;
        clear_devices(screen, device);
        if (device->verdict == PLX_HEALTHY)
            vote_on_bits(screen, device);
        const double slow = slowness(screen, device, &limit);
        if (slow > limit)
            plx_screen_blame(device, PLX_DEGRADED,
                             "%.2f times as slow as the median of its equals here (more than %.2f is not "
                             "by chance)",
                             slow, limit);
    }
    vote_on_copies(screen);
}

plx_health_verdict plx_screen_verdict(const plx_screen *screen)
{
    plx_health_verdict worst = screen->device_count > 0 ? PLX_HEALTHY : PLX_UNTESTED;
    for (size_t i = 0; i < screen->device_count; i++)
        if (screen->devices[i].verdict > worst)
            worst = screen->devices[i].verdict;
    return worst;
}
