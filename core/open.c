/* Finds the device that "opencl:1", "cuda" or "auto" stands for, and opens it. */
#include "core/core.h"

#include "base/privileges.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LENGTH 64

/* "opencl:1" or "cuda:GPU-0a1b...", taken apart. */
typedef struct place {
    char name[NAME_LENGTH];
    bool has_device;
    size_t device;
    char chip[NAME_LENGTH]; /* a UUID or PCI address; "": a number, or none */
} place;

static plx_status parse(const plx_context *context, const char *where, place *found)
{
    const size_t length = strcspn(where, ":");
    if (length == 0 || length >= NAME_LENGTH)
        return plx_context_fail(context, PLX_INVALID,
                                "\"%.80s\" names no backend; give NAME, NAME:DEVICE "
                                "or auto",
                                where);
    memcpy(found->name, where, length);
    found->name[length] = '\0';
    found->has_device = where[length] == ':';
    found->device = 0;
    found->chip[0] = '\0';
    if (!found->has_device)
        return PLX_OK;
    const char *digits = where + length + 1;
    const size_t count = strspn(digits, "0123456789"), all = strlen(digits);
    if (plx_is_chip_word(digits) && all < NAME_LENGTH) {
        memcpy(found->chip, digits, all + 1);
        return PLX_OK;
    }
    if (count == 0 || count > 9 || digits[count] != '\0')
        return plx_context_fail(context, PLX_INVALID,
                                "\"%.80s\": a device number is expected behind the "
                                "colon, as in %s:0, or a UUID (GPU-...) or PCI address as 'parallax list' shows them",
                                where, found->name);
    found->device = (size_t)strtoul(digits, NULL, 10);
    return PLX_OK;
}

/* ---- names ------------------------------------------------------------- */

static size_t plugin_named(const plx_context *context, const char *name)
{
    size_t i = 0;
    while (i < context->entry_count && strcmp(context->entries[i].name, name) != 0)
        i++;
    return i;
}

/* Most are called as their files are, and then no other file need be tried. */
static plx_status find_plugin(plx_context *context, const char *name, size_t *plugin)
{
    plx_status status = plx_try_plugins(context, name);
    *plugin = plugin_named(context, name);
    if (status == PLX_OK && *plugin == context->entry_count) {
        status = plx_try_plugins(context, NULL);
        *plugin = plugin_named(context, name);
    }
    return status;
}

/* Why the file plx-NAME.so was refused; NULL when there is no such file. */
static const plx_entry *refused_file(const plx_context *context, const char *name)
{
    plx_line file = {.length = 0};
    plx_line_add(&file, "plx-%s.so", name);
    for (size_t i = 0; i < context->entry_count; i++)
        if (context->entries[i].refusal != NULL && strcmp(context->entries[i].file, file.text) == 0)
            return &context->entries[i];
    return NULL;
}

static const char *nearest_plugin(const plx_context *context, const char *name)
{
    const char *nearest = NULL;
    const char **names = calloc(context->entry_count + 1, sizeof *names);
    size_t count = 0;
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < context->entry_count; i++)
        if (context->entries[i].refusal == NULL)
            names[count++] = context->entries[i].name;
    names[count++] = "auto";
    nearest = plx_nearest_name(name, names, count);
    free(names);
    return nearest;
}

static plx_status unknown_name(const plx_context *context, const char *name)
{
    const plx_entry *refused = refused_file(context, name);
    if (refused != NULL)
        return plx_context_fail(context, PLX_NOT_FOUND, "the plugin %s was refused: %s", refused->path,
                                refused->refusal);
    plx_line known = {.length = 0};
    for (size_t i = 0; i < context->entry_count; i++)
        if (context->entries[i].refusal == NULL)
            plx_line_add(&known, "%s%s", known.length > 0 ? ", " : "", context->entries[i].name);
    const char *nearest = nearest_plugin(context, name);
    if (nearest != NULL)
        return plx_context_fail(context, PLX_NOT_FOUND,
                                "there is no backend \"%s\"; did you mean \"%s\"? "
                                "There are: %s",
                                name, nearest, known.length > 0 ? known.text : "none");
    return plx_context_fail(context, PLX_NOT_FOUND, "there is no backend \"%s\"; there are: %s", name,
                            known.length > 0 ? known.text : "none");
}

/* ---- devices ----------------------------------------------------------- */

static size_t best_device(const plx_entry *entry)
{
    size_t best = 0;
    for (size_t i = 1; i < entry->device_count; i++)
        if (entry->devices[i].score > entry->devices[best].score)
            best = i;
    return best;
}

/* A plugin that lists its devices. */
static plx_status find_entry(plx_context *context, const char *name, size_t *plugin, const plx_entry **found)
{
    const plx_status status = find_plugin(context, name, plugin);
    if (status != PLX_OK)
        return status;
    if (*plugin == context->entry_count)
        return unknown_name(context, name);
    const plx_entry *entry = plx_probed_entry(context, *plugin);
    if (entry == NULL)
        return PLX_NO_MEMORY;
    if (entry->refusal != NULL)
        return unknown_name(context, name);
    *found = entry;
    return PLX_OK;
}

/* The one device whose UUID or address that is; *device is set. */
static plx_status find_chip(const plx_context *context, const plx_entry *entry, const place *wanted, size_t *device)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->device_count; i++)
        if (plx_device_is(&entry->devices[i], wanted->chip)) {
            *device = i;
            count++;
        }
    if (count == 1)
        return PLX_OK;
    if (count > 1)
        return plx_context_fail(context, PLX_INVALID,
                                "%s:%s stands for %zu devices; give more of the UUID, as "
                                "'parallax list' shows it",
                                wanted->name, wanted->chip, count);
    return plx_context_fail(context, PLX_NOT_FOUND,
                            "none of the %zu devices that %s reaches is %s; 'parallax list' "
                            "shows their UUIDs and addresses; 'parallax doctor' names variables that hide devices",
                            entry->device_count, wanted->name, wanted->chip);
}

static plx_status open_named(plx_context *context, const place *wanted, plx_backend **backend)
{
    size_t plugin;
    const plx_entry *entry = NULL;
    const plx_status status = find_entry(context, wanted->name, &plugin, &entry);
    if (status != PLX_OK)
        return status;
    if (entry->probe != PLX_OK)
        return plx_context_fail(context, entry->probe, "%s: %s", wanted->name, entry->reason.text);
    if (wanted->chip[0] != '\0') {
        size_t chip = 0;
        const plx_status found = find_chip(context, entry, wanted, &chip);
        return found == PLX_OK ? plx_backend_open(context, plugin, chip, NULL, backend) : found;
    }
    if (wanted->device >= entry->device_count)
        return plx_context_fail(context, PLX_NOT_FOUND, "there is no device %s:%zu; %s has %zu, from %s:0 on",
                                wanted->name, wanted->device, wanted->name, entry->device_count, wanted->name);
    const size_t device = wanted->has_device ? wanted->device : best_device(entry);
    return plx_backend_open(context, plugin, device, NULL, backend);
}

/* Why no plugin offers itself. */
static plx_status nothing_to_open(plx_context *context)
{
    plx_line why = {.length = 0};
    for (size_t i = 0; i < context->entry_count; i++) {
        const plx_entry *entry = &context->entries[i];
        const bool loaded = entry->refusal == NULL;
        plx_line_add(&why, "%s%s: %s", why.length > 0 ? "; " : "", loaded ? entry->name : entry->file,
                     !loaded                  ? entry->refusal
                     : entry->probe != PLX_OK ? entry->reason.text
                                              : "only when asked for by name");
    }
    return plx_context_fail(context, PLX_NO_DEVICE, "no backend offers a device (%s)",
                            why.length > 0 ? why.text : "no plugin was found");
}

/* The highest score of all; of equals the first that was found. */
static plx_status open_auto(plx_context *context, plx_backend **backend)
{
    size_t best_plugin = 0, device = 0;
    int score = 0;
    for (size_t i = 0; i < context->entry_count; i++) {
        const plx_entry *entry = plx_probed_entry(context, i);
        if (entry == NULL)
            return PLX_NO_MEMORY;
        if (entry->device_count == 0)
            continue;
        const size_t candidate = best_device(entry);
        if (entry->devices[candidate].score > score) {
            score = entry->devices[candidate].score;
            best_plugin = i;
            device = candidate;
        }
    }
    if (score <= 0)
        return nothing_to_open(context);
    return plx_backend_open(context, best_plugin, device, NULL, backend);
}

plx_status plx_open(plx_context *context, const char *where, plx_backend **backend)
{
    place wanted;
    plx_status status = plx_fork_check(context);
    if (status != PLX_OK)
        return status;
    if (where == NULL || where[0] == '\0')
        where = plx_getenv("PLX_BACKEND");
    if (where == NULL || where[0] == '\0' || strcmp(where, "auto") == 0)
        return open_auto(context, backend);
    status = parse(context, where, &wanted);
    return status == PLX_OK ? open_named(context, &wanted, backend) : status;
}

plx_status plx_open_on(plx_context *context, const char *plugin, const plx_native_device *device, plx_backend **backend)
{
    size_t number;
    const plx_entry *entry = NULL;
    plx_status status = plx_fork_check(context);
    if (status == PLX_OK)
        status = plx_native_device_check(context, device);
    if (status == PLX_OK)
        status = find_entry(context, plugin, &number, &entry);
    if (status != PLX_OK)
        return status;
    if (entry->probe != PLX_OK)
        return plx_context_fail(context, PLX_NO_DEVICE, "%s: %s", plugin, entry->reason.text);
    return plx_backend_open(context, number, 0, device, backend);
}
