/* Loads one plugin file and shakes hands with it. */
#include "core/core.h"

#include <dlfcn.h>
#include <string.h>

/* What the loader says, in plainer words where its form is known. */
static plx_status explain_loader(const char *path, const char *said, plx_error *error)
{
    static const char undefined[] = "undefined symbol: ";
    static const char missing[] = ": cannot open shared object file";
    if (said == NULL)
        return plx_fail(error, PLX_INVALID, "the dynamic loader refuses it");
    const size_t length = strlen(path);
    if (strncmp(said, path, length) == 0 && said[length] == ':')
        said += length + 1 + strspn(said + length + 1, " ");
    const char *symbol = strstr(said, undefined);
    if (symbol != NULL)
        return plx_fail(error, PLX_INVALID, "it uses the symbol %s, which nothing provides",
                        symbol + sizeof undefined - 1);
    const char *end = strstr(said, missing);
    if (end != NULL)
        return plx_fail(error, PLX_INVALID, "it needs the library %.*s, which can't be opened; install "
                        "it or add its folder to LD_LIBRARY_PATH", (int)(end - said), said);
    return plx_fail(error, PLX_INVALID, "the dynamic loader refuses it: %s", said);
}

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && length <= 32 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

typedef void (*slot_function)(void);

typedef struct slot {
    const char *name;
    size_t offset;
} slot;

#define SLOT(field) {#field, offsetof(plx_plugin, field)}

static const slot slots[] = {
    SLOT(probe),         SLOT(open),         SLOT(close),         SLOT(alloc),        SLOT(free),
    SLOT(queue_create),  SLOT(queue_destroy), SLOT(synchronize),  SLOT(upload),       SLOT(download),
    SLOT(fill),          SLOT(copy),         SLOT(event_create),  SLOT(event_destroy), SLOT(event_record),
    SLOT(event_elapsed), SLOT(kernel),       SLOT(choose),        SLOT(plan),         SLOT(plan_destroy),
    SLOT(execute),       SLOT(count),        SLOT(telemetry),
};

/* The name of a slot that was left empty; NULL when none was. */
static const char *empty_slot(const plx_plugin *plugin)
{
    if (plugin->version == NULL)
        return "version";
    if (plugin->summary == NULL)
        return "summary";
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        slot_function function;
        memcpy(&function, (const char *)plugin + slots[i].offset, sizeof function);
        if (function == NULL)
            return slots[i].name;
    }
    return NULL;
}

/* The ABI number first: nothing behind it can be trusted before that agrees. */
static plx_status check_descriptor(const plx_plugin *plugin, plx_error *error)
{
    if (plugin == NULL)
        return plx_fail(error, PLX_INVALID, PLX_PLUGIN_ENTRY "() returned no descriptor");
    if (plugin->abi != PLX_PLUGIN_ABI)
        return plx_fail(error, PLX_INVALID, "it was built for plugin ABI %lu, this library has ABI %lu; "
                        "rebuild it against this version", (unsigned long)plugin->abi,
                        (unsigned long)PLX_PLUGIN_ABI);
    if (plugin->size != sizeof(plx_plugin))
        return plx_fail(error, PLX_INVALID, "its descriptor has %lu bytes, this library's has %lu; "
                        "rebuild it against this version", (unsigned long)plugin->size,
                        (unsigned long)sizeof(plx_plugin));
    if (plugin->name == NULL)
        return plx_fail(error, PLX_INVALID, "its descriptor leaves \"name\" empty");
    if (!is_name(plugin->name))
        return plx_fail(error, PLX_INVALID, "its name \"%.64s\" is not made of 1 to 32 of a-z, 0-9 and -",
                        plugin->name);
    if (strcmp(plugin->name, "auto") == 0 || strcmp(plugin->name, "all") == 0)
        return plx_fail(error, PLX_INVALID, "its name \"%s\" has a meaning of its own", plugin->name);
    const char *empty = empty_slot(plugin);
    if (empty != NULL)
        return plx_fail(error, PLX_INVALID, "its descriptor leaves \"%s\" empty", empty);
    return PLX_OK;
}

static plx_status shake_hands(void *module, const plx_plugin **plugin, plx_error *error)
{
    plx_plugin_entry_function entry;
    void *symbol = dlsym(module, PLX_PLUGIN_ENTRY);
    if (symbol == NULL)
        return plx_fail(error, PLX_INVALID, "it has no symbol " PLX_PLUGIN_ENTRY
                        ", so it is no Parallax plugin");
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function */
    const plx_plugin *descriptor = entry();
    const plx_status status = check_descriptor(descriptor, error);
    if (status == PLX_OK)
        *plugin = descriptor;
    return status;
}

plx_status plx_plugin_load(const char *path, const plx_plugin **plugin, plx_error *error)
{
    plx_status status = plx_elf_check(path, error);
    if (status != PLX_OK)
        return status;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        return explain_loader(path, dlerror(), error);
    status = shake_hands(module, plugin, error);
    if (status != PLX_OK)
        (void)dlclose(module);
    return status;
}
