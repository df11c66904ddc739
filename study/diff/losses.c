/* What the new file lacks, by the backends of the old one: fifty records that are gone are one device that is. */
#include "study/diff/diff.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const plx_diff_loss *loss, const char *backend, const char *device)
{
    return strcmp(loss->backend, backend) == 0 && strcmp(loss->device, device) == 0;
}

static plx_diff_loss *find(plx_diff_results *results, const char *backend, const char *device)
{
    for (size_t i = 0; i < results->loss_count; i++)
        if (is_of(&results->losses[i], backend, device))
            return &results->losses[i];
    return NULL;
}

static plx_diff_loss *find_or_add(plx_diff_results *results, const char *backend, const char *device)
{
    plx_diff_loss *found = find(results, backend, device);
    if (found != NULL)
        return found;
    plx_diff_loss *grown = realloc(results->losses, (results->loss_count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    results->losses = grown;
    found = &grown[results->loss_count++];
    *found = (plx_diff_loss){.results = 0};
    (void)snprintf(found->backend, sizeof found->backend, "%s", backend);
    (void)snprintf(found->device, sizeof found->device, "%s", device);
    return found;
}

static plx_status count_lost(plx_diff_results *results, plx_error *error)
{
    for (size_t i = 0; i < results->count; i++) {
        const plx_difference *lost = &results->differences[i];
        if (lost->change != PLX_CHANGE_VANISHED && lost->change != PLX_CHANGE_UNTIMED)
            continue;
        plx_diff_loss *loss = find_or_add(results, lost->backend, lost->device);
        if (loss == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory for what is missing");
        loss->gone += lost->change == PLX_CHANGE_VANISHED;
        loss->untimed += lost->change == PLX_CHANGE_UNTIMED;
    }
    return PLX_OK;
}

static void count_all(plx_diff_results *results, const plx_results *before, const plx_match *matches, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const plx_record *was = matches[i].before, *is = matches[i].after;
        plx_diff_loss *loss = was == NULL ? NULL : find(results, was->backend, before->devices[was->device].info.name);
        if (loss == NULL || was->outcome != PLX_OUTCOME_OK)
            continue;
        loss->results++;
        loss->times += is != NULL && is->outcome == PLX_OUTCOME_OK && was->time.measured;
    }
}

/* Devices of a plugin and a name; their numbers change with what else is plugged in. */
static size_t devices_like(const plx_results *of, const plx_diff_loss *loss)
{
    const size_t length = strcspn(loss->backend, ":");
    size_t found = 0;
    for (size_t i = 0; i < of->device_count; i++) {
        const plx_study_device *device = &of->devices[i];
        found += strcspn(device->label, ":") == length && strncmp(device->label, loss->backend, length) == 0 &&
                 strcmp(device->info.name, loss->device) == 0;
    }
    return found;
}

plx_status plx_diff_losses(const plx_results *before, const plx_results *after, const plx_match *matches, size_t count,
                           plx_diff_results *results, plx_error *error)
{
    plx_status status = count_lost(results, error);
    count_all(results, before, matches, count);
    for (size_t i = 0; i < results->loss_count; i++)
        results->losses[i].device_gone =
            devices_like(after, &results->losses[i]) < devices_like(before, &results->losses[i]);
    return status;
}
