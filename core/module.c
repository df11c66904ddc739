/* Loads one plugin file, shakes hands with it, and copies what it says of itself. */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include "core/core.h"

#include "base/address_limit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* How the C library says that it had no memory for its own tables. */
static bool lacks_memory(const char *said)
{
    static const char *const words[] = {"annot allocate", "cannot create", "cannot extend", "out of memory"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(said, words[i]) != NULL)
            return true;
    /* It says so, too, where a file system lets nothing be executed. */
    return plx_has_address_limit() && strstr(said, "failed to map segment") != NULL;
}

static plx_status no_memory_to_load(plx_error *error)
{
    char limit[PLX_ADDRESS_LIMIT_TEXT];
    return plx_fail(error, PLX_NO_MEMORY, "no host memory to load it%s", plx_address_limit(limit));
}

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
    const char *after =
        said + sizeof missing - 3; /* where no library is named it is the plugin, whose file was there */
    if (strncmp(said, missing + 2, sizeof missing - 3) == 0 &&
        (*after == '\0' || strstr(after, "No such file") != NULL))
        return no_memory_to_load(error);
    const char *symbol = strstr(said, undefined);
    if (symbol != NULL)
        return plx_fail(error, PLX_INVALID, "it uses the symbol %s, which nothing provides",
                        symbol + sizeof undefined - 1);
    const char *end = strstr(said, missing);
    if (end != NULL)
        return plx_fail(error, PLX_INVALID,
                        "it needs the library %.*s, which can't be opened; install "
                        "it or add its directory to LD_LIBRARY_PATH",
                        (int)(end - said), said);
    if (lacks_memory(said))
        return no_memory_to_load(error);
    return plx_fail(error, PLX_INVALID, "the dynamic loader refuses it: %s", said);
}

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    return length > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* ---- the optional slots' stand-ins ---------------------------------------- */

static plx_status no_counters(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                              plx_counters *counters, plx_error *error)
{
    (void)plan;
    (void)queue;
    (void)operands;
    (void)count;
    (void)counters;
    return plx_fail(error, PLX_UNSUPPORTED, "not available from this API");
}

static plx_status no_health(plx_session *session, plx_health *health, plx_error *error)
{
    (void)session;
    (void)health;
    return plx_fail(error, PLX_UNSUPPORTED, "not available from this API");
}

static plx_status no_copy_between(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_session *other,
                                  plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)to;
    (void)to_offset;
    (void)other;
    (void)from;
    (void)from_offset;
    (void)bytes;
    return plx_fail(error, PLX_UNSUPPORTED, "this API copies nothing from device to device");
}

static plx_status no_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    (void)session;
    (void)telemetry;
    return plx_fail(error, PLX_UNSUPPORTED, "not available from this API");
}

static plx_status no_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                          plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    return plx_fail(error, PLX_UNSUPPORTED, "this backend gives no device code as text");
}

static plx_status no_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                               plx_plugin_plan **plan, plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    (void)plan;
    return plx_fail(error, PLX_UNSUPPORTED, "this backend takes no device code as text");
}

static plx_status no_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                              plx_error *error)
{
    (void)plan;
    (void)facts;
    (void)capacity;
    (void)count;
    return plx_fail(error, PLX_UNSUPPORTED, "this backend does not describe its launches");
}

static plx_status no_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                  plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                                  plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    (void)form;
    (void)found;
    (void)capacity;
    (void)count;
    return plx_fail(error, PLX_UNSUPPORTED, "this backend counts no instructions");
}

/* Whoever asks makes a plan where there is no `supports`: it has no stand-in. */
static void fill_optional(plx_plugin *plugin)
{
    if (plugin->count == NULL)
        plugin->count = no_counters;
    if (plugin->telemetry == NULL)
        plugin->telemetry = no_telemetry;
    if (plugin->health == NULL)
        plugin->health = no_health;
    if (plugin->copy_between == NULL)
        plugin->copy_between = no_copy_between;
    if (plugin->code == NULL)
        plugin->code = no_code;
    if (plugin->plan_code == NULL)
        plugin->plan_code = no_plan_code;
    if (plugin->launches == NULL)
        plugin->launches = no_launches;
    if (plugin->instructions == NULL)
        plugin->instructions = no_instructions;
    plx_module_fill_native(plugin);
}

/* ---- the descriptor ------------------------------------------------------- */

typedef void (*slot_function)(void);

typedef struct slot {
    const char *name;
    size_t offset;
} slot;

#define SLOT(field)                         \
    {                                       \
#field, offsetof(plx_plugin, field) \
    }

static const slot required[] = {
    SLOT(version),       SLOT(summary),      SLOT(probe),         SLOT(open),          SLOT(close),
    SLOT(alloc),         SLOT(free),         SLOT(queue_create),  SLOT(queue_destroy), SLOT(synchronize),
    SLOT(upload),        SLOT(download),     SLOT(fill),          SLOT(copy),          SLOT(event_create),
    SLOT(event_destroy), SLOT(event_record), SLOT(event_elapsed), SLOT(kernel),        SLOT(choose),
    SLOT(plan),          SLOT(plan_destroy), SLOT(execute),
};

/* Where what is required ends; more than any descriptor will ever have. */
enum { LEAST_BYTES = offsetof(plx_plugin, count), MOST_BYTES = 65536 };

_Static_assert(sizeof(slot_function) == sizeof(const char *), "a slot is a pointer");

/* The ABI number first, then the size: nothing behind them can be trusted before they agree. */
static plx_status check_version(const plx_plugin *given, plx_error *error)
{
    if (given->abi != PLX_PLUGIN_ABI)
        return plx_fail(error, PLX_INVALID,
                        "it was built for plugin ABI %lu, and this library takes %lu; rebuild it against this version",
                        (unsigned long)given->abi, (unsigned long)PLX_PLUGIN_ABI);
    if (given->size < LEAST_BYTES || given->size > MOST_BYTES || given->size % sizeof(slot_function) != 0)
        return plx_fail(error, PLX_INVALID,
                        "its descriptor says that it has %lu bytes; what is required takes %d, "
                        "and this library's has %zu",
                        (unsigned long)given->size, LEAST_BYTES, sizeof(plx_plugin));
    return PLX_OK;
}

static plx_status take_name(const char *given, char *name, size_t capacity, plx_error *error)
{
    if (given == NULL)
        return plx_fail(error, PLX_INVALID, "its descriptor leaves \"name\" empty");
    const size_t length = strnlen(given, capacity);
    (void)snprintf(name, capacity, "%.*s", (int)length, given);
    plx_text_clean(name, capacity);
    if (length == capacity || !is_name(name))
        return plx_fail(error, PLX_INVALID, "its name \"%s\" is not made of 1 to 32 of a-z, 0-9 and -", name);
    if (strcmp(name, "auto") == 0 || strcmp(name, "all") == 0)
        return plx_fail(error, PLX_INVALID, "its name \"%s\" has a meaning of its own", name);
    return PLX_OK;
}

static plx_status check_required(const plx_plugin *plugin, plx_error *error)
{
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        slot_function function;
        memcpy(&function, (const char *)plugin + required[i].offset, sizeof function);
        if (function == NULL)
            return plx_fail(error, PLX_INVALID, "its descriptor leaves \"%s\" empty", required[i].name);
    }
    return PLX_OK;
}

/* ---- its texts -------------------------------------------------------------- */

/* Copies what ends within `capacity` bytes, cleaned. */
static plx_status take_text(const char *given, const char *what, char *copy, size_t capacity, plx_error *error)
{
    const size_t length = strnlen(given, capacity);
    if (length == capacity)
        return plx_fail(error, PLX_INVALID, "its descriptor's \"%s\" has no end within %zu bytes", what, capacity - 1);
    memcpy(copy, given, length + 1);
    plx_text_clean(copy, capacity);
    return PLX_OK;
}

static plx_status take_texts(plx_module *module, plx_error *error)
{
    plx_plugin *slots = &module->slots;
    plx_status status = take_text(slots->version, "version", module->version, sizeof module->version, error);
    if (status == PLX_OK)
        status = take_text(slots->summary, "summary", module->summary, sizeof module->summary, error);
    slots->name = module->name;
    slots->version = module->version;
    slots->summary = module->summary;
    return status;
}

/* Copies as much of a descriptor as both sides know; what is beyond its end stays empty. */
static plx_status take_descriptor(const plx_plugin *given, plx_module *module, plx_error *error)
{
    plx_plugin *slots = &module->slots;
    if (given == NULL)
        return plx_fail(error, PLX_INVALID, PLX_PLUGIN_ENTRY "() returned no descriptor");
    plx_status status = check_version(given, error);
    if (status != PLX_OK)
        return status;
    memcpy(slots, given, given->size < sizeof *slots ? given->size : sizeof *slots);
    status = take_name(slots->name, module->name, sizeof module->name, error);
    if (status == PLX_OK)
        status = check_required(slots, error);
    if (status == PLX_OK)
        status = take_texts(module, error);
    if (status == PLX_OK)
        status = plx_module_copy_kernels(module, error);
    fill_optional(slots);
    return status;
}

/* What the code of a file does while it is loaded and asked who it is is undone after each step, before anything of
 * ours is done. */
static const plx_plugin *ask(plx_plugin_entry_function entry, const plx_module *module)
{
    plx_guarded guarded;
    plx_guard_begin(&guarded, module->conduct, PLX_CALL_LOADING, true);
    const plx_plugin *given = entry();
    plx_guard_end(&guarded);
    return given;
}

static plx_status shake_hands(void *handle, plx_module *module, plx_error *error)
{
    plx_plugin_entry_function entry;
    void *symbol = dlsym(handle, PLX_PLUGIN_ENTRY);
    if (symbol == NULL)
        return plx_fail(error, PLX_INVALID, "it has no symbol " PLX_PLUGIN_ENTRY ", so it is no Parallax plugin");
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function */
    return take_descriptor(ask(entry, module), module, error);
}

static void *open_file(const char *path, const plx_module *module)
{
    plx_guarded guarded;
    plx_guard_begin(&guarded, module->conduct, PLX_CALL_LOADING, true);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    plx_guard_end(&guarded);
    return handle;
}

static void close_file(void *handle, const plx_module *module)
{
    plx_guarded guarded;
    plx_guard_begin(&guarded, module->conduct, PLX_CALL_LOADING, true);
    (void)dlclose(handle);
    plx_guard_end(&guarded);
}

/* What can't be undone is refused, best where it is tried: in a process of its own.  And where limits were changed a
 * want of memory is no want of the host's. */
static plx_status check_conduct(const plx_module *module, plx_status status, plx_error *error)
{
    char what[400];
    const bool limited = status == PLX_NO_MEMORY && atomic_load(&module->conduct->first[PLX_PART_LIMITS]) != 0;
    if (!limited && (status != PLX_OK || atomic_load(&module->conduct->lasting) == 0))
        return status;
    plx_conduct_text(module->conduct, what, sizeof what);
    return plx_fail(error, PLX_INVALID, "it changes its process: %s", what);
}

static plx_status load(const char *path, plx_module *module, plx_error *error)
{
    plx_status status = plx_elf_check(path, error);
    if (status != PLX_OK)
        return status;
    plx_fork_watch();
    void *handle = open_file(path, module);
    status = handle != NULL ? shake_hands(handle, module, error) : explain_loader(path, dlerror(), error);
    if (status != PLX_OK && handle != NULL)
        close_file(handle, module);
    return check_conduct(module, status, error);
}

plx_status plx_module_load(const char *path, plx_module **module, plx_error *error)
{
    plx_module *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->conduct = calloc(1, sizeof *made->conduct);
    if (made == NULL || made->conduct == NULL) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plugin");
    }
    const plx_status status = load(path, made, error);
    if (status == PLX_OK)
        *module = made;
    else
        plx_module_free(made);
    return status;
}

/* Its file stays loaded. */
void plx_module_free(plx_module *module)
{
    if (module == NULL)
        return;
    plx_module_free_kernels(module);
    free(module->conduct);
    free(module);
}
