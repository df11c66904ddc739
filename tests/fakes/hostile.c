/* The descriptor of the hostile plugin (hostile.h), and what comes before and after everything. */
#define _GNU_SOURCE
#include "hostile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *kind(void)
{
    const char *wanted = getenv("HOSTILE");
    return wanted != NULL ? wanted : "";
}

bool is(const char *wanted)
{
    return strcmp(kind(), wanted) == 0;
}

/* Whether the slot is to answer with a status that there is not. */
bool answers(const char *slot, const char *what)
{
    const size_t length = strlen(slot);
    return strncmp(kind(), slot, length) == 0 && kind()[length] == '-' && strcmp(kind() + length + 1, what) == 0;
}

/* What a slot says instead of its own status; PLX_OK: nothing. */
plx_status lie(const char *slot, plx_error *error)
{
    at(slot);
    if (answers(slot, "status"))
        return (plx_status)77;
    if (answers(slot, "negative"))
        return (plx_status)-1;
    if (answers(slot, "silent"))
        return PLX_FAILED;
    if (answers(slot, "lost"))
        return plx_fail(error, PLX_DEVICE_LOST, "it fell off the bus");
    if (answers(slot, "endless")) {
        memset(error->text, 'e', sizeof error->text);
        return PLX_FAILED;
    }
    if (answers(slot, "control")) {
        (void)memcpy(error->text, "\033]0;owned\007\033[31m\nsecond line\r\t\x80\xff", 32);
        return PLX_FAILED;
    }
    return PLX_OK;
}

/* To whoever tries it (core/inspect.h): a line without an end, of as many bytes as fill a piece of memory. */
static void speak_for_the_trial(void)
{
    static const char line[] = "file\t123456789012345678";
    if (write(3, line, sizeof line - 1) > 0)
        do_kill();
}

/* ---- before and after everything ---------------------------------------------------- */

static void at_exit(void)
{
    at("atexit");
}

/* In a thread of its own, while the caller waits for what never comes. */
static void *thread(void *unused)
{
    (void)unused;
    at("thread");
    return NULL;
}

void begin_thread(void)
{
    pthread_t made;
    if (strncmp(kind(), "thread-", 7) == 0 && pthread_create(&made, NULL, thread, NULL) == 0)
        do_loop();
}

/* So that tests see how often it was loaded: a letter in this file each time. */
static void leave_trace(void)
{
    const char *trace = getenv("HOSTILE_TRACE");
    const int file = trace != NULL ? open(trace, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file >= 0) {
        (void)!write(file, "x", 1);
        (void)close(file);
    }
}

__attribute__((constructor)) static void begin(void)
{
    leave_trace();
    at("constructor");
    if (is("constructor-shows") && dlopen(getenv("HOSTILE_LIBRARY"), RTLD_NOW | RTLD_GLOBAL) == NULL)
        abort();
    if (is("constructor-says"))
        speak_for_the_trial();
    if (is("constructor-noise"))
        (void)fputs("\033[2Jnoise\n", stderr);
    if (strncmp(kind(), "atexit-", 7) == 0)
        (void)atexit(at_exit);
}

__attribute__((destructor)) static void end(void)
{
    at("destructor");
}

/* ---- the descriptor ------------------------------------------------------------------------ */

static plx_plugin hostile = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "hostile",
    .version = "6.6.6",
    .summary = "a plugin that does harm",
    .probe = h_probe,
    .open = h_open,
    .close = h_close,
    .alloc = h_alloc,
    .free = h_free,
    .queue_create = h_queue_create,
    .queue_destroy = h_queue_destroy,
    .synchronize = h_synchronize,
    .upload = h_upload,
    .download = h_download,
    .fill = h_fill,
    .copy = h_copy,
    .event_create = h_event_create,
    .event_destroy = h_event_destroy,
    .event_record = h_event_record,
    .event_elapsed = h_event_elapsed,
    .kernel = h_kernel,
    .choose = h_choose,
    .plan = h_plan,
    .plan_destroy = h_plan_destroy,
    .execute = h_execute,
    .count = dummy_count,
    .telemetry = h_telemetry,
    .supports = h_supports,
    .configs = h_configs,
    .rates = h_rates,
    .expect = h_expect,
};

static void leave_empty(void)
{
    static const struct slot {
        const char *name;
        size_t offset;
    } slots[] = {
        {"empty-probe", offsetof(plx_plugin, probe)},     {"empty-open", offsetof(plx_plugin, open)},
        {"empty-close", offsetof(plx_plugin, close)},     {"empty-alloc", offsetof(plx_plugin, alloc)},
        {"empty-kernel", offsetof(plx_plugin, kernel)},   {"empty-plan", offsetof(plx_plugin, plan)},
        {"empty-execute", offsetof(plx_plugin, execute)}, {"empty-free", offsetof(plx_plugin, free)},
    };
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        if (is(slots[i].name))
            memset((char *)&hostile + slots[i].offset, 0, sizeof(void *));
}

/* The first bytes of the descriptor, and then a page that can't be read. */
static const plx_plugin *cut_short(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        abort();
    return (const plx_plugin *)(void *)memcpy(pages + (page - bytes), &hostile, bytes);
}

const plx_plugin *plx_plugin_entry(void)
{
    at("entry");
    hostile.name = text_of("plugin", hostile.name);
    hostile.version = text_of("version", hostile.version);
    hostile.summary = text_of("summary", hostile.summary);
    if (is("good-backend")) /* as good as any, and described like many */
        hostile.summary = "a good backend";
    if (strncmp(kind(), "code-", 5) == 0 || is("launches-reserved") || is("instructions-reserved")) {
        hostile.code = h_code;
        hostile.plan_code = h_plan_code;
        hostile.launches = h_launches;
        hostile.instructions = h_instructions;
    }
    hostile.size =
        sizeof hostile + (is("code-newer") ? sizeof(void *) : 0); /* of a version to come, with one slot more */
    leave_empty();
    if (is("entry-none"))
        return NULL;
    if (is("entry-garbage"))
        return (const plx_plugin *)(const void *)garbage();
    if (is("entry-short")) /* it says that it is whole */
        return cut_short(64);
    if (is("entry-abi"))
        hostile.abi = 1;
    if (is("entry-size"))
        hostile.size = 8;
    if (is("entry-long"))
        hostile.size = UINT32_MAX;
    if (is("plugin-blank"))
        hostile.name = "two words";
    if (is("plugin-auto"))
        hostile.name = "auto";
    if (is("plugin-host"))
        hostile.name = "host";
    return &hostile;
}
