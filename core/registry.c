/* The plugins of a context: loaded when it is made, probed when first asked. */
#define _POSIX_C_SOURCE 200809L

#include "core/core.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ----------------------------------------------------------- */

static int is_plugin_file(const struct dirent *file)
{
    static const char begin[] = "plx-", end[] = ".so";
    const size_t length = strlen(file->d_name);
    return length > sizeof begin - 1 + sizeof end - 1 && strncmp(file->d_name, begin, sizeof begin - 1) == 0 &&
           strcmp(file->d_name + length - (sizeof end - 1), end) == 0;
}

/* The order of a folder is an accident, and that of a locale is the user's. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static const plx_entry *entry_named(const plx_context *context, const char *name)
{
    for (size_t i = 0; i < context->entry_count; i++)
        if (context->entries[i].plugin != NULL && strcmp(context->entries[i].plugin->name, name) == 0)
            return &context->entries[i];
    return NULL;
}

/* Fills a new entry; owns `path` from here on. */
static plx_status load_entry(plx_context *context, plx_entry *entry, char *path)
{
    plx_error error = {.text = ""};
    memset(entry, 0, sizeof *entry);
    entry->path = path;
    entry->file = strrchr(path, '/') + 1;
    entry->probe = PLX_UNSUPPORTED; /* the answer of a refused plugin */
    entry->plugin = malloc(sizeof *entry->plugin);
    if (entry->plugin == NULL)
        return plx_out_of_memory(NULL, "the list of plugins");
    if (plx_plugin_load(path, entry->plugin, &error) == PLX_OK) {
        const plx_entry *first = entry_named(context, entry->plugin->name);
        if (first == NULL)
            return PLX_OK;
        (void)plx_fail(&error, PLX_INVALID, "a plugin of the name %s was already loaded from %s",
                       entry->plugin->name, first->path);
    }
    free(entry->plugin);
    entry->plugin = NULL;
    entry->refusal = plx_text("%s", error.text);
    return entry->refusal != NULL ? PLX_OK : plx_out_of_memory(NULL, "the list of plugins");
}

static plx_status add_file(plx_context *context, const char *folder, const char *file)
{
    const size_t count = context->entry_count;
    plx_entry *entries = realloc(context->entries, (count + 1) * sizeof *entries);
    if (entries == NULL)
        return plx_out_of_memory(NULL, "the list of plugins");
    context->entries = entries;
    char *path = plx_text("%s/%s", folder, file);
    if (path == NULL)
        return plx_out_of_memory(NULL, "the list of plugins");
    const plx_status status = load_entry(context, &entries[count], path);
    context->entry_count = count + 1;
    return status;
}

/* A folder of the search path that is not there is no error. */
static plx_status load_folder(plx_context *context, const char *folder)
{
    struct dirent **files = NULL;
    plx_status status = PLX_OK;
    errno = 0;
    const int count = scandir(folder, &files, is_plugin_file, by_name);
    if (count < 0 && errno == ENOMEM)
        return plx_out_of_memory(NULL, "the list of plugins");
    for (int i = 0; i < count; i++) {
        if (status == PLX_OK)
            status = add_file(context, folder, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    return status;
}

plx_status plx_load_plugins(plx_context *context)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < context->folder_count; i++)
        status = load_folder(context, context->folders[i]);
    return status;
}

void plx_forget_plugins(plx_context *context)
{
    for (size_t i = 0; i < context->entry_count; i++) {
        free(context->entries[i].path);
        free(context->entries[i].plugin);
        free(context->entries[i].refusal);
        free(context->entries[i].devices);
    }
    free(context->entries);
    for (size_t i = 0; i < context->folder_count; i++)
        free(context->folders[i]);
    free(context->folders);
}

/* ---- probing ----------------------------------------------------------- */

/* A plugin is one per process, however many contexts share it, and probe() is
 * called once at a time. */
static pthread_mutex_t probing = PTHREAD_MUTEX_INITIALIZER;

/* One device that can't be says that the driver, or the plugin, is not to be trusted. */
static plx_status take_devices(plx_entry *entry, plx_device_info *devices, size_t count)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; i++)
        status = plx_device_check(i, &devices[i], &entry->reason);
    if (status != PLX_OK) {
        free(devices);
        return status;
    }
    entry->devices = devices;
    entry->device_count = count;
    return PLX_OK;
}

/* Asks again with more room until all devices fit. */
static plx_status probe_all(plx_entry *entry)
{
    size_t capacity = 8;
    for (;;) {
        size_t count = 0;
        plx_device_info *devices = calloc(capacity, sizeof *devices);
        if (devices == NULL)
            return plx_fail(&entry->reason, PLX_NO_MEMORY, "no host memory for the list of devices");
        entry->reason.text[0] = '\0';
        const plx_status status = entry->plugin->probe(devices, capacity, &count, &entry->reason);
        if (status == PLX_OK && count > 0 && count <= capacity)
            return take_devices(entry, devices, count);
        free(devices);
        if (status != PLX_OK)
            return status;
        if (count == 0)
            return plx_fail(&entry->reason, PLX_NO_DEVICE, "it lists no device and gives no reason");
        if (count > SIZE_MAX / 2 / sizeof *devices)
            return plx_fail(&entry->reason, PLX_FAILED, "it lists more devices than there can be");
        capacity = count;
    }
}

static void probe_once(plx_entry *entry)
{
    (void)pthread_mutex_lock(&probing);
    entry->probe = probe_all(entry);
    (void)pthread_mutex_unlock(&probing);
    entry->reason.text[sizeof entry->reason.text - 1] = '\0';
    if (entry->probe != PLX_OK && entry->reason.text[0] == '\0')
        (void)plx_fail(&entry->reason, entry->probe, "%s; it gives no reason", plx_strerror(entry->probe));
}

const plx_entry *plx_probed_entry(plx_context *context, size_t plugin)
{
    if (plugin >= context->entry_count)
        return NULL;
    plx_entry *entry = &context->entries[plugin];
    (void)pthread_mutex_lock(&context->lock);
    if (!entry->probed && entry->plugin != NULL)
        probe_once(entry);
    entry->probed = true;
    (void)pthread_mutex_unlock(&context->lock);
    return entry;
}
