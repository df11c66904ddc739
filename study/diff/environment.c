/* In what the environments of two files differ, a line each. */
#include "study/diff/between_runs.h"
#include "study/diff/diff.h"

#include <stdlib.h>
#include <string.h>

static plx_status add_line(plx_diff_results *results, const char *line, plx_error *error)
{
    void *grown = realloc(results->environment, (results->environment_count + 1) * sizeof *results->environment);
    if (grown == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the environments");
    results->environment = grown;
    (void)snprintf(results->environment[results->environment_count++], sizeof *results->environment, "%s", line);
    return PLX_OK;
}

/* Clocks wander a little. */
static plx_status report(const plx_fact *before, const plx_fact *after, const char *whose, plx_diff_results *results,
                         plx_error *error)
{
    const char *absent = before->matters & PLX_FACT_LIMIT ? "none" : "unknown";
    char line[320];
    if (!(before->matters & PLX_FACT_REPORTED) || !plx_facts_differ(before, after, 0.03))
        return PLX_OK;
    (void)snprintf(line, sizeof line, "%s%s%.60s: %.110s, now %.110s", before->title, whose[0] != '\0' ? " of " : "",
                   whose, before->known ? before->text : absent, after->known ? after->text : absent);
    return add_line(results, line, error);
}

static plx_status tell_build(const plx_environment *before, const plx_environment *after, plx_diff_results *results,
                             plx_error *error)
{
    plx_fact one, other;
    plx_status status = PLX_OK;
    for (size_t i = 0;
         status == PLX_OK && plx_environment_fact(before, i, &one) && plx_environment_fact(after, i, &other); i++)
        status = report(&one, &other, "", results, error);
    return status;
}

static plx_status tell_device(const plx_study_device *before, const plx_study_device *after, plx_diff_results *results,
                              plx_error *error)
{
    plx_fact one, other;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && plx_device_fact(before, i, &one) && plx_device_fact(after, i, &other); i++)
        status = report(&one, &other, before->label, results, error);
    return status;
}

/* ---- devices ------------------------------------------------------------------------------ */

static bool same_device(const plx_study_device *one, const plx_study_device *other, bool by_label)
{
    size_t length = strcspn(one->label, ":");
    bool same_plugin = length == strcspn(other->label, ":") && strncmp(one->label, other->label, length) == 0;
    return same_plugin && (!by_label || strcmp(one->label, other->label) == 0) &&
           strcmp(one->info.name, other->info.name) == 0;
}

/* The device of that label and name, else of that plugin and name; NULL: none. */
static const plx_study_device *find_device(const plx_results *of, const plx_study_device *like)
{
    for (int by_label = 1; by_label >= 0; by_label--)
        for (size_t i = 0; i < of->device_count; i++)
            if (same_device(&of->devices[i], like, by_label == 1))
                return &of->devices[i];
    return NULL;
}

static plx_status tell_missing(const plx_results *of, const plx_results *other, const char *where,
                               plx_diff_results *results, plx_error *error)
{
    char line[320];
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < of->device_count; i++) {
        if (find_device(other, &of->devices[i]) != NULL)
            continue;
        (void)snprintf(line, sizeof line, "device %.40s, %.120s: only in the %s file", of->devices[i].label,
                       of->devices[i].info.name, where);
        status = add_line(results, line, error);
    }
    return status;
}

static plx_status tell_devices(const plx_results *before, const plx_results *after, plx_diff_results *results,
                               plx_error *error)
{
    plx_status status = tell_missing(before, after, "old", results, error);
    if (status == PLX_OK)
        status = tell_missing(after, before, "new", results, error);
    for (size_t i = 0; status == PLX_OK && i < before->device_count; i++) {
        const plx_study_device *other = find_device(after, &before->devices[i]);
        if (other != NULL)
            status = tell_device(&before->devices[i], other, results, error);
    }
    return status;
}

/* "cuda: NVIDIA H100, now NVIDIA H200: two chips", for each device of the old file and the first of its plugin in the
 * new one. */
static plx_status tell_chips(const plx_results *before, const plx_results *after, plx_diff_results *results,
                             plx_error *error)
{
    char line[320];
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < before->device_count; i++) {
        const char *label = before->devices[i].label;
        const size_t length = strcspn(label, ":");
        const plx_study_device *other = NULL;
        for (size_t j = 0; other == NULL && j < after->device_count; j++)
            if (strcspn(after->devices[j].label, ":") == length && strncmp(after->devices[j].label, label, length) == 0)
                other = &after->devices[j];
        if (other == NULL || plx_same_device(&before->devices[i].info, &other->info))
            continue;
        (void)snprintf(line, sizeof line, "%.*s: %.110s, now %.110s: two chips, whose times are no regression",
                       (int)length, label, before->devices[i].info.name, other->info.name);
        status = add_line(results, line, error);
    }
    return status;
}

static plx_status tell_seconds(const plx_results *before, const plx_results *after, plx_diff_results *results,
                               plx_error *error)
{
    char line[320];
    double one = before->bench != NULL ? before->bench->seconds : 0;
    double other = after->bench != NULL ? after->bench->seconds : 0;
    if (!(one > 0) || !(other > 0) || !(one < other || one > other))
        return PLX_OK;
    (void)snprintf(line, sizeof line, "seconds for each kernel: %.6g, now %.6g", one, other);
    return add_line(results, line, error);
}

/* ---- what this version can't read ------------------------------------------------------------ */

static plx_status tell_unknown(size_t count, const char *file, plx_diff_results *results, plx_error *error)
{
    char line[160];
    if (count == 0)
        return PLX_OK;
    (void)snprintf(line, sizeof line,
                   "%zu record%s of the %s file %s left out: of names that this version does not know", count,
                   count == 1 ? "" : "s", file, count == 1 ? "is" : "are");
    return add_line(results, line, error);
}

/* "the machine was busy (load 3.6 on 2 processors): the new file" */
static plx_status tell_busy(const plx_results *of, const char *file, plx_diff_results *results, plx_error *error)
{
    char load[64], line[160];
    if (!plx_environment_is_busy(&of->environment, load, sizeof load))
        return PLX_OK;
    (void)snprintf(line, sizeof line, "the machine of the %s file was busy (%s)", file, load);
    return add_line(results, line, error);
}

static bool has_runs(const plx_results *of)
{
    for (size_t i = 0; i < of->record_count; i++)
        if (of->records[i].time.runs > 1)
            return true;
    return false;
}

/* What a single run of each file can't tell of a processor, whose runs differ by much. */
static plx_status tell_single(const plx_results *before, const plx_results *after, plx_diff_results *results,
                              plx_error *error)
{
    plx_status status = PLX_OK;
    char line[320];
    for (size_t i = 0; !has_runs(before) && !has_runs(after) && status == PLX_OK && i < before->device_count; i++) {
        const plx_study_device *device = &before->devices[i], *other = find_device(after, device);
        const double ratio = other != NULL ? plx_between_runs_ratio(before, device, after, other) : 1;
        if (!(ratio > 1.1))
            continue;
        (void)snprintf(
            line, sizeof line,
            "%.40s: single runs there differ by a factor of up to %.2f, and less is no change; bench --runs 5 "
            "tells more",
            device->label, ratio);
        status = add_line(results, line, error);
    }
    return status;
}

plx_status plx_diff_environments(const plx_results *before, const plx_results *after, plx_diff_results *results,
                                 plx_error *error)
{
    plx_status status = tell_build(&before->environment, &after->environment, results, error);
    if (status == PLX_OK)
        status = tell_busy(before, "old", results, error);
    if (status == PLX_OK)
        status = tell_busy(after, "new", results, error);
    if (status == PLX_OK)
        status = tell_seconds(before, after, results, error);
    if (status == PLX_OK)
        status =
            results->across ? tell_chips(before, after, results, error) : tell_devices(before, after, results, error);
    if (status == PLX_OK && !results->across)
        status = tell_single(before, after, results, error);
    if (status == PLX_OK)
        status = tell_unknown(before->unknown, "old", results, error);
    return status == PLX_OK ? tell_unknown(after->unknown, "new", results, error) : status;
}
