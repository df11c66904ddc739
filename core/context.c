/* A context: the plugins that were found, and what is to be said of them. */
#define _POSIX_C_SOURCE 200809L

#include "core/core.h"
#include "core/tuning.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static atomic_uint_least64_t last_serial;

static void nothing_to_do(void)
{
}

static bool make_locks(plx_context *context)
{
    if (pthread_mutex_init(&context->lock, NULL) != 0)
        return false;
    if (pthread_mutex_init(&context->first_use, NULL) == 0)
        return true;
    (void)pthread_mutex_destroy(&context->lock);
    return false;
}

plx_status plx_tool_context_create(const plx_context_options *options, const plx_tool_options *tool,
                                   plx_context **context)
{
    plx_status status = plx_fork_check(NULL);
    if (status != PLX_OK)
        return status;
    plx_context *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(NULL, "a context");
    if (!make_locks(made)) {
        free(made);
        return plx_out_of_memory(NULL, "a lock");
    }
    atomic_init(&made->tunes_on_first_use, plx_tunes_on_first_use_by_default());
    atomic_init(&made->holders, 1);
    made->try_anew = options != NULL && options->try_anew;
    made->loaded = tool != NULL && tool->loaded != NULL ? tool->loaded : nothing_to_do;
    made->serial = atomic_fetch_add(&last_serial, 1) + 1;
    status = plx_barred_copy(made, tool);
    if (status == PLX_OK)
        status = plx_find_directories(made, options);
    if (status == PLX_OK)
        status = plx_find_plugins(made);
    if (status == PLX_OK)
        *context = made;
    else
        plx_context_destroy(made);
    return status;
}

plx_status plx_context_create(const plx_context_options *options, plx_context **context)
{
    return plx_tool_context_create(options, NULL, context);
}

/* Memory under a name. */
struct plx_kept {
    struct plx_kept *next;
    char name[32];
    max_align_t bytes[];
};

void *plx_context_memory(plx_context *context, const char *name, size_t bytes)
{
    (void)pthread_mutex_lock(&context->lock);
    struct plx_kept *found = context->kept;
    while (found != NULL && strcmp(found->name, name) != 0)
        found = found->next;
    if (found == NULL && bytes <= SIZE_MAX / 2 && (found = calloc(1, sizeof *found + bytes)) != NULL) {
        (void)snprintf(found->name, sizeof found->name, "%s", name);
        found->next = context->kept;
        context->kept = found;
    }
    (void)pthread_mutex_unlock(&context->lock);
    return found != NULL ? found->bytes : NULL;
}

void plx_context_destroy(plx_context *context)
{
    if (context != NULL)
        plx_context_release(context);
}

void plx_context_release(plx_context *context)
{
    if (atomic_fetch_sub(&context->holders, 1) > 1)
        return;
    while (context->kept != NULL) {
        struct plx_kept *next = context->kept->next;
        free(context->kept);
        context->kept = next;
    }
    plx_forget_plugins(context);
    plx_tuning_forget(context);
    plx_barred_forget(context);
    plx_added_forget(context);
    (void)pthread_mutex_destroy(&context->first_use);
    (void)pthread_mutex_destroy(&context->lock);
    free(context);
}

size_t plx_plugin_count(const plx_context *context)
{
    return context->entry_count;
}

/* Why there is no entry: the message is there. */
static plx_status no_entry(const plx_context *context, size_t plugin)
{
    return plugin < context->entry_count ? PLX_NO_MEMORY : PLX_INVALID;
}

plx_status plx_plugin_at(plx_context *context, size_t plugin, plx_plugin_report *report)
{
    const plx_status status = plx_fork_check(context);
    if (status != PLX_OK)
        return status;
    const plx_entry *entry = plx_probed_entry(context, plugin);
    if (entry == NULL)
        return no_entry(context, plugin);
    const bool loaded = entry->refusal == NULL;
    *report = (plx_plugin_report){
        .name = loaded ? entry->name : entry->file,
        .path = entry->path,
        .version = entry->version,
        .summary = entry->summary,
        .loaded = loaded,
        .probe = entry->probe,
        .reason = loaded ? entry->reason.text : entry->refusal,
        .device_count = entry->device_count,
    };
    return PLX_OK;
}

void plx_plugin_changes(const plx_context *context, size_t plugin, char *text, size_t capacity)
{
    const plx_module *module = plugin < context->entry_count ? context->entries[plugin].module : NULL;
    if (capacity > 0)
        text[0] = '\0';
    if (capacity > 0 && module != NULL)
        plx_conduct_text(module->conduct, text, capacity);
}

plx_status plx_device_at(plx_context *context, size_t plugin, size_t device, plx_device_info *info)
{
    const plx_entry *entry = plx_probed_entry(context, plugin);
    if (entry == NULL)
        return no_entry(context, plugin);
    if (device >= entry->device_count)
        return plx_context_fail(context, PLX_INVALID, "%s has %zu devices, so there is no number %zu",
                                entry->refusal == NULL ? entry->name : entry->file, entry->device_count, device);
    *info = entry->devices[device];
    return PLX_OK;
}

bool plx_same_device(const plx_device_info *a, const plx_device_info *b)
{
    if ((a->features & b->features & PLX_FEATURE_CPU) != 0)
        return true;
    if (a->has_uuid && b->has_uuid)
        return memcmp(a->uuid, b->uuid, sizeof a->uuid) == 0;
    return a->pci[0] != '\0' && strcasecmp(a->pci, b->pci) == 0;
}

const plx_kernel *plx_kernel_at(const plx_context *context, size_t plugin, plx_op op, size_t kernel)
{
    if (plugin >= context->entry_count || (unsigned)op >= PLX_OP_COUNT)
        return NULL;
    const plx_entry *entry = plx_loaded_entry((plx_context *)(uintptr_t)context, plugin); /* each is made by us */
    return entry != NULL && entry->module != NULL ? plx_context_kernel(context, entry->module, op, kernel) : NULL;
}
