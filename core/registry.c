/* The plugins of a context: listed when it is made; tried, loaded and probed when first needed. */
#define _POSIX_C_SOURCE 200809L

#include "core/inspect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- listing ----------------------------------------------------------- */

static int is_plugin_file(const struct dirent *file)
{
    static const char begin[] = "plx-", end[] = ".so";
    const size_t length = strlen(file->d_name);
    return length > sizeof begin - 1 + sizeof end - 1 && strncmp(file->d_name, begin, sizeof begin - 1) == 0 &&
           strcmp(file->d_name + length - (sizeof end - 1), end) == 0;
}

/* The order of a directory is an accident, and that of a locale is the user's. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Owns the path, also when it fails. */
static plx_status add_entry(plx_context *context, char *path)
{
    const size_t count = context->entry_count;
    plx_entry *entries = path != NULL ? realloc(context->entries, (count + 1) * sizeof *entries) : NULL;
    if (entries == NULL) {
        free(path);
        return plx_out_of_memory(NULL, "the list of plugins");
    }
    const char *slash = strrchr(path, '/');
    context->entries = entries;
    entries[count] = (plx_entry){
        .path = path,
        .file = slash != NULL ? slash + 1 : path,
        .probe = PLX_UNSUPPORTED, /* the answer of a refused plugin */
    };
    context->entry_count = count + 1;
    return PLX_OK;
}

static plx_status add_file(plx_context *context, const char *directory, const char *file)
{
    return add_entry(context, plx_text("%s/%s", directory, file));
}

plx_status plx_refuse_directory(plx_context *context, const char *directory, const char *reason)
{
    const plx_status status = add_entry(context, plx_text("%s", directory));
    if (status != PLX_OK)
        return status;
    plx_entry *entry = &context->entries[context->entry_count - 1];
    entry->tried = true;
    entry->refusal = plx_text("this directory is not searched: %s", reason);
    return entry->refusal != NULL ? PLX_OK : plx_out_of_memory(NULL, "the list of plugins");
}

/* A directory of the search path that is not there is no error. */
static plx_status list_directory(plx_context *context, const char *directory)
{
    struct dirent **files = NULL;
    plx_status status = PLX_OK;
    errno = 0;
    const int count = scandir(directory, &files, is_plugin_file, by_name);
    if (count < 0 && errno == ENOMEM)
        return plx_out_of_memory(NULL, "the list of plugins");
    for (int i = 0; i < count; i++) {
        if (status == PLX_OK)
            status = add_file(context, directory, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    return status;
}

plx_status plx_find_plugins(plx_context *context)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < context->directory_count; i++)
        status = list_directory(context, context->directories[i]);
    return status;
}

void plx_forget_plugins(plx_context *context)
{
    plx_calls_hold();
    for (size_t i = 0; i < context->entry_count; i++) {
        free(context->entries[i].path);
        plx_module_free(context->entries[i].module);
        free(context->entries[i].refusal);
        free(context->entries[i].devices);
    }
    plx_calls_release();
    free(context->entries);
    for (size_t i = 0; i < context->directory_count; i++)
        free(context->directories[i]);
    free(context->directories);
}

/* ---- trying ------------------------------------------------------------------------- */

/* From here to the public functions everything runs with the context's lock held. */

static plx_status refuse(const plx_context *context, plx_entry *entry, const plx_error *error)
{
    entry->name[0] = entry->version[0] = entry->summary[0] = '\0';
    entry->refusal = plx_text("%s", error->text);
    entry->tried = entry->refusal != NULL;
    return entry->tried ? PLX_OK : plx_out_of_memory(context, "the list of plugins");
}

static const plx_entry *entry_named(const plx_context *context, const char *name)
{
    for (size_t i = 0; i < context->entry_count; i++)
        if (strcmp(context->entries[i].name, name) == 0)
            return &context->entries[i];
    return NULL;
}

/* Of two plugins with one name the first counts. */
static plx_status enlist(plx_context *context, plx_entry *entry, const plx_inspection *found)
{
    plx_error error;
    const plx_entry *first = entry_named(context, found->name);
    if (first != NULL) {
        (void)plx_fail(&error, PLX_INVALID, "a plugin of the name %s was already loaded from %s", found->name,
                       first->path);
        return refuse(context, entry, &error);
    }
    entry->tried = true;
    memcpy(entry->name, found->name, sizeof entry->name);
    memcpy(entry->version, found->version, sizeof entry->version);
    memcpy(entry->summary, found->summary, sizeof entry->summary);
    const char *barred = plx_barred_reason(context, entry->name);
    if (barred != NULL || found->result == PLX_DEVICES_FAILED) {
        entry->probed = true;
        entry->probe = barred != NULL ? plx_fail(&entry->reason, PLX_FAILED, "%s", barred) : PLX_FAILED;
        if (barred == NULL)
            entry->reason = found->reason;
    }
    return PLX_OK;
}

/* Into this process: what it says now must be what it said when it was tried. */
static plx_status load(const plx_context *context, plx_entry *entry)
{
    plx_error error = {.text = ""};
    plx_status status = plx_module_load(entry->path, &entry->module, &error);
    if (status == PLX_OK && entry->name[0] != '\0' && strcmp(entry->name, entry->module->name) != 0)
        status = plx_fail(&error, PLX_INVALID, "it called itself %s when it was tried, and now %s", entry->name,
                          entry->module->name);
    if (status == PLX_OK)
        return PLX_OK;
    plx_module_free(entry->module);
    entry->module = NULL;
    if (status == PLX_NO_MEMORY) /* says nothing of the plugin */
        return plx_out_of_memory(context, entry->file);
    plx_text_clean(error.text, sizeof error.text);
    return refuse(context, entry, &error);
}

/* Where there is no process to try it in it is loaded at once. */
static plx_status load_untried(plx_context *context, plx_entry *entry, plx_inspection *found)
{
    const plx_status status = load(context, entry);
    const plx_module *module = entry->module;
    if (status != PLX_OK || module == NULL)
        return status;
    memcpy(found->name, module->name, sizeof found->name);
    memcpy(found->version, module->version, sizeof found->version);
    memcpy(found->summary, module->summary, sizeof found->summary);
    return enlist(context, entry, found);
}

static plx_status take_inspection(plx_context *context, plx_entry *entry, plx_inspection *found)
{
    if (found->result == PLX_REFUSED)
        return refuse(context, entry, &found->reason);
    return found->result == PLX_NOT_INSPECTED ? load_untried(context, entry, found) : enlist(context, entry, found);
}

/* Whether the entry's file is plx-NAME.so; every one is that of no name. */
static bool has_name(const plx_entry *entry, const char *name)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    return name == NULL ||
           (strncmp(entry->file + 4, name, length) == 0 && strcmp(entry->file + 4 + length, ".so") == 0);
}

static plx_status try_entries(plx_context *context, const char *name)
{
    plx_status status = PLX_OK;
    plx_inspection *found = calloc(context->entry_count + 1, sizeof *found);
    if (found == NULL)
        return plx_out_of_memory(context, "the list of plugins");
    for (size_t i = 0; i < context->entry_count; i++)
        if (!context->entries[i].tried && has_name(&context->entries[i], name))
            found[i].path = context->entries[i].path;
    plx_inspect(found, context->entry_count, context->try_anew);
    for (size_t i = 0; i < context->entry_count; i++) {
        if (status == PLX_OK && found[i].path != NULL)
            status = take_inspection(context, &context->entries[i], &found[i]);
        free(found[i].files);
    }
    free(found);
    return status;
}

/* ---- devices ---------------------------------------------------------------------------- */

/* A plugin is one per process, however many contexts share it, and probe() is
 * called once at a time. */
static pthread_mutex_t probing = PTHREAD_MUTEX_INITIALIZER;

static void probe_once(const plx_context *context, plx_entry *entry)
{
    (void)pthread_mutex_lock(&probing);
    entry->probe = plx_module_devices(entry->module, &entry->devices, &entry->device_count, &entry->reason);
    (void)pthread_mutex_unlock(&probing);
    context->loaded();
    entry->probed = true;
}

/* ---- what others ask for ------------------------------------------------------------------ */

plx_status plx_try_plugins(plx_context *context, const char *name)
{
    (void)pthread_mutex_lock(&context->lock);
    const plx_status status = try_entries(context, name);
    (void)pthread_mutex_unlock(&context->lock);
    return status;
}

/* One whose devices can't be asked for is of no use, and not loaded. */
static plx_status make_ready(plx_context *context, plx_entry *entry, bool probe)
{
    plx_status status = entry->tried ? PLX_OK : try_entries(context, NULL);
    const bool useless = entry->probed && entry->probe != PLX_OK;
    if (status == PLX_OK && entry->refusal == NULL && entry->module == NULL && !useless)
        status = load(context, entry);
    if (status == PLX_OK && probe && !entry->probed && entry->module != NULL)
        probe_once(context, entry);
    return status;
}

static const plx_entry *ready_entry(plx_context *context, size_t plugin, bool probe)
{
    if (plugin >= context->entry_count) {
        (void)plx_context_fail(context, PLX_INVALID, "there are %zu plugins, so there is no number %zu",
                               context->entry_count, plugin);
        return NULL;
    }
    (void)pthread_mutex_lock(&context->lock);
    const plx_status status = make_ready(context, &context->entries[plugin], probe);
    (void)pthread_mutex_unlock(&context->lock);
    return status == PLX_OK ? &context->entries[plugin] : NULL;
}

const plx_entry *plx_loaded_entry(plx_context *context, size_t plugin)
{
    return ready_entry(context, plugin, false);
}

const plx_entry *plx_probed_entry(plx_context *context, size_t plugin)
{
    return ready_entry(context, plugin, true);
}
