/* A plugin without hardware that does harm, each time in one way: $HOSTILE names it.
 *   SLOT-ACTION   a slot, or "constructor", "entry", "atexit", "destructor" or "thread", and what
 *                 happens there instead of what should: see actions[]
 *   any other     see the functions below: descriptors, texts, handles, counts and results that lie
 * Without $HOSTILE it is as good as any dummy.  tests/dispatch/test_hostile.sh has the list of all. */
#define _GNU_SOURCE
#include "dummy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/capability.h>
#endif

#include <parallax/floats.h>

static const char *kind(void)
{
    const char *wanted = getenv("HOSTILE");
    return wanted != NULL ? wanted : "";
}

static bool is(const char *wanted)
{
    return strcmp(kind(), wanted) == 0;
}

/* ---- what can happen anywhere ---------------------------------------------------- */

static void do_segv(void)
{
    (void)raise(SIGSEGV);
}

static void do_loop(void)
{
    for (;;)
        (void)nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
}

static void do_spin(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void do_exit(void)
{
    exit(0);
}

static void do_exit1(void)
{
    exit(1);
}

static void do_exit_at_once(void)
{
    _exit(0);
}

static void do_kill(void)
{
    (void)raise(SIGKILL);
}

static void do_stop(void)
{
    (void)raise(SIGSTOP);
}

static void do_overflow(void) /* of the stack */
{
    volatile char much[65536];
    much[0] = 1;
    if (much[0] == 1)
        do_overflow();
    much[1] = 2;
}

static void do_null(void)
{
    static volatile uintptr_t address = 8;
    *(volatile int *)address = 1; /* which is nowhere */
}

static void do_close(void) /* every file that is open */
{
    for (int i = 0; i < 256; i++)
        (void)close(i);
}

static void do_pipe(void)
{
    (void)raise(SIGPIPE);
}

static void do_alarm(void)
{
    (void)raise(SIGALRM);
}

static void do_real_time(void)
{
    (void)raise(SIGRTMIN + 3);
}

/* ---- what it changes of its process -------------------------------------------------- */

static void do_subnormals(void) /* become zero */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.control |= 0x8040;
#elif defined(__aarch64__)
    now.control |= 0x01000000;
#endif
    plx_floats_set(now);
}

static void do_rounding(void) /* upward */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.control |= 0x4000;
    now.x87 |= 0x0800;
#elif defined(__aarch64__)
    now.control |= 0x00400000;
#endif
    plx_floats_set(now);
}

static void do_precision(void) /* of x87: that of f32; and the masks of exceptions */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.x87 &= 0x0c3f;
#endif
    plx_floats_set(now);
}

static void do_locale(void)
{
    if (setlocale(LC_ALL, "C.UTF-8") == NULL)
        (void)setlocale(LC_ALL, "C.utf8");
}

static void do_thread_locale(void)
{
    (void)uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0));
}

static void do_directory(void)
{
    (void)!chdir("/");
}

static void do_umask(void)
{
    (void)umask(0777);
}

static void do_mask(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void do_handlers(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGSEGV, SIG_DFL);
}

static void set_timers(long microseconds)
{
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    (void)setitimer(ITIMER_REAL, &often, NULL);
    (void)setitimer(ITIMER_PROF, &often, NULL);
    (void)setitimer(ITIMER_VIRTUAL, &often, NULL);
}

static void do_timers(void)
{
    set_timers(900000);
}

static void do_alarms(void) /* which go off while it is at work */
{
    set_timers(500);
    for (volatile unsigned long i = 0; i < 100000000; i++)
        ;
}

static void do_limits(void)
{
    static const int lowered[] = {RLIMIT_AS, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_STACK};
    for (size_t i = 0; i < sizeof lowered / sizeof lowered[0]; i++) {
        struct rlimit now;
        if (getrlimit(lowered[i], &now) != 0)
            continue;
        now.rlim_cur = lowered[i] == RLIMIT_NOFILE ? 3 : 4096;
        (void)setrlimit(lowered[i], &now);
    }
}

static void do_hard_limits(void) /* which only root may raise again, so it drops what root may */
{
#if defined(__linux__)
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
    (void)syscall(SYS_capset, &header, data);
#endif
    (void)setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 40, (rlim_t)1 << 40});
}

static void do_streams(void)
{
    const int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        (void)dup2(nowhere, i);
    (void)close(nowhere);
}

static void do_nonblocking(void)
{
    for (int i = 0; i < 3; i++)
        (void)fcntl(i, F_SETFL, O_NONBLOCK);
}

static void do_banner(void)
{
    (void)!write(1, "BANNER\n", 7);
    (void)printf("BANNER\n");
    (void)fflush(stdout);
}

static void do_end_thread(void)
{
    pthread_exit(NULL);
}

extern char **environ;

static void do_forget(void) /* what the program was started with */
{
    for (size_t i = 0; environ[i] != NULL; i++)
        memset(environ[i], 'x', strlen(environ[i]));
    memset(program_invocation_name, 'x', strlen(program_invocation_name));
    (void)raise(SIGSEGV);
}

static const struct action {
    const char *name;
    void (*act)(void);
} actions[] = {
    {"segv", do_segv},
    {"null", do_null},
    {"abort", abort},
    {"loop", do_loop},
    {"spin", do_spin},
    {"exit", do_exit},
    {"exit1", do_exit1},
    {"exit-at-once", do_exit_at_once},
    {"kill", do_kill},
    {"stop", do_stop},
    {"overflow", do_overflow},
    {"close-files", do_close},
    {"pipe", do_pipe},
    {"alarm", do_alarm},
    {"real-time", do_real_time},
    {"subnormals", do_subnormals},
    {"rounding", do_rounding},
    {"precision", do_precision},
    {"locale", do_locale},
    {"thread-locale", do_thread_locale},
    {"directory", do_directory},
    {"umask", do_umask},
    {"mask", do_mask},
    {"handlers", do_handlers},
    {"timers", do_timers},
    {"alarms", do_alarms},
    {"limits", do_limits},
    {"hard-limits", do_hard_limits},
    {"streams", do_streams},
    {"nonblocking", do_nonblocking},
    {"banner", do_banner},
    {"end-thread", do_end_thread},
    {"forget", do_forget},
};

/* Does harm in this slot, when it is asked for. */
static void at(const char *slot)
{
    const size_t length = strlen(slot);
    if (strncmp(kind(), slot, length) != 0 || kind()[length] != '-')
        return;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(kind() + length + 1, actions[i].name) == 0)
            actions[i].act();
}

/* Whether the slot is to answer with a status that there is not. */
static bool answers(const char *slot, const char *what)
{
    const size_t length = strlen(slot);
    return strncmp(kind(), slot, length) == 0 && kind()[length] == '-' && strcmp(kind() + length + 1, what) == 0;
}

/* What a slot says instead of its own status; PLX_OK: nothing. */
static plx_status lie(const char *slot, plx_error *error)
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

static void begin_thread(void)
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

/* ---- devices ---------------------------------------------------------------------- */

static void spoil(plx_device_info *device)
{
    if (is("device-endless"))
        memset(device->name, 'd', sizeof device->name);
    if (is("device-endless-vendor"))
        memset(device->vendor, 'd', sizeof device->vendor);
    if (is("device-endless-api"))
        memset(device->api, 'd', sizeof device->api);
    if (is("device-endless-driver"))
        memset(device->driver, 'd', sizeof device->driver);
    if (is("device-endless-pci"))
        memset(device->pci, 'd', sizeof device->pci);
    if (is("device-capability"))
        device->compute_minor = UINT32_MAX;
    if (is("device-control"))
        (void)snprintf(device->name, sizeof device->name, "a\033]0;owned\007\033[31mb\nc\x80\xff");
    if (is("device-texts")) {
        (void)snprintf(device->vendor, sizeof device->vendor, "\033[31mv");
        (void)snprintf(device->api, sizeof device->api, "\033[31ma");
        (void)snprintf(device->driver, sizeof device->driver, "\033[31md\n");
        (void)snprintf(device->pci, sizeof device->pci, "\033[31mp");
    }
    if (is("device-bool"))
        memset(&device->has_uuid, 77, sizeof device->has_uuid);
    if (is("device-zero"))
        memset(device, 0, sizeof *device);
    if (is("device-ones"))
        memset(device, 0xff, sizeof *device);
    if (is("device-score"))
        device->score = INT32_MAX;
    if (is("device-cache"))
        device->l2_bytes = UINT64_MAX;
    if (is("device-reserved"))
        device->reserved[15] = UINT64_C(1) << 56;
    if (is("device-memory"))
        device->memory_bytes = device->max_alloc_bytes = UINT64_MAX;
}

static plx_status h_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    static size_t grown = 8;
    const plx_status lied = lie("probe", error);
    if (lied != PLX_OK)
        return lied;
    if (is("good-backend")) /* whoever tries it has read what it says of itself long before */
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (is("probe-none"))
        return PLX_OK;
    *count = is("probe-million") ? (size_t)1000000 : is("probe-huge") ? SIZE_MAX / 2 : 1;
    if (is("probe-grows"))
        *count = ++grown;
    if (is("probe-warning"))
        memset(error->text, 'w', sizeof error->text);
    for (size_t i = 0; i < *count && i < capacity; i++) {
        dummy_describe(&devices[i], "hostile device");
        spoil(&devices[i]);
    }
    return PLX_OK;
}

/* ---- handles ------------------------------------------------------------------------ */

static plx_status h_open(size_t device, plx_session **session, plx_error *error)
{
    const plx_status lied = lie("open", error);
    if (lied != PLX_OK || is("open-nothing"))
        return lied;
    return dummy_open(device, session, error);
}

static void h_close(plx_session *session)
{
    at("close");
    dummy_close(session);
}

static plx_status h_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    const plx_status lied = lie("alloc", error);
    return lied != PLX_OK || is("alloc-nothing") ? lied : dummy_alloc(session, bytes, memory, error);
}

static void h_free(plx_session *session, plx_memory *memory)
{
    at("free");
    dummy_free(session, memory);
}

static plx_status h_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    const plx_status lied = lie("queue", error);
    return lied != PLX_OK || is("queue-nothing") ? lied : dummy_queue_create(session, queue, error);
}

static void h_queue_destroy(plx_plugin_queue *queue)
{
    at("queue-destroy");
    dummy_queue_destroy(queue);
}

static plx_status h_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    const plx_status lied = lie("event", error);
    return lied != PLX_OK || is("event-nothing") ? lied : dummy_event_create(session, event, error);
}

static void h_event_destroy(plx_plugin_event *event)
{
    at("event-destroy");
    dummy_event_destroy(event);
}

/* ---- work in queues ------------------------------------------------------------------- */

static plx_status h_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    const plx_status lied = lie("synchronize", error);
    return lied != PLX_OK ? lied : dummy_synchronize(queue, error);
}

static plx_status h_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                           plx_error *error)
{
    const plx_status lied = lie("upload", error);
    return lied != PLX_OK || is("upload-nothing") ? lied : dummy_upload(queue, to, offset, from, bytes, error);
}

static plx_status h_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                             plx_error *error)
{
    const plx_status lied = lie("download", error);
    return lied != PLX_OK || is("download-nothing") ? lied : dummy_download(queue, to, from, offset, bytes, error);
}

static plx_status h_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                         plx_error *error)
{
    const plx_status lied = lie("fill", error);
    return lied != PLX_OK || is("fill-nothing") ? lied : dummy_fill(queue, memory, offset, pattern, bytes, error);
}

static plx_status h_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                         uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    const plx_status lied = lie("copy", error);
    return lied != PLX_OK || is("copy-nothing") ? lied
                                                : dummy_copy(queue, to, to_offset, from, from_offset, bytes, error);
}

static plx_status h_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    const plx_status lied = lie("record", error);
    return lied != PLX_OK ? lied : dummy_event_record(queue, event, error);
}

static plx_status h_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error)
{
    const plx_status lied = lie("elapsed", error);
    if (lied != PLX_OK)
        return lied;
    if (is("elapsed-nan"))
        *nanoseconds = (double)NAN;
    else if (is("elapsed-less"))
        *nanoseconds = -1e300;
    else
        return dummy_event_elapsed(from, to, nanoseconds, error);
    return PLX_OK;
}

/* ---- kernels ---------------------------------------------------------------------------- */

static int64_t h_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    at("depth");
    return is("depth-less") ? -5 : is("depth-most") ? INT64_MAX : 0;
}

/* Five megabytes without a zero, and then a page that can't be read. */
static const char *endless(void)
{
    static char *text;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)5 << 20;
    if (text != NULL)
        return text;
    text = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED || mprotect(text + bytes, page, PROT_NONE) != 0)
        abort();
    return memset(text, 'x', bytes);
}

/* Five megabytes that end. */
static const char *megabytes(void)
{
    static char *text;
    if (text == NULL && (text = calloc(1, (5 << 20) + 1)) != NULL)
        memset(text, 'm', 5 << 20);
    return text;
}

static const char *garbage(void)
{
    return (const char *)(uintptr_t)8;
}

static const char terminal[] = "a\033]0;owned\007\033[31mb\nc\x80\xff";

/* A text of the kernel or the descriptor, where $HOSTILE is PREFIX-... */
static const char *text_of(const char *prefix, const char *right)
{
    return answers(prefix, "none")        ? NULL
           : answers(prefix, "empty")     ? ""
           : answers(prefix, "endless")   ? endless()
           : answers(prefix, "megabytes") ? megabytes()
           : answers(prefix, "garbage")   ? garbage()
           : answers(prefix, "control")   ? terminal
                                          : right;
}

static const plx_kernel *h_kernel(plx_op op, size_t index)
{
    static plx_kernel made[2];
    static size_t calls;
    at("kernel");
    calls++;
    if (op != PLX_REDUCE || is("kernel-no-rows"))
        return dummy_kernel(op, index + (is("kernel-no-rows") ? 1000 : 0));
    if (is("kernel-garbage"))
        return (const plx_kernel *)(uintptr_t)8;
    if (is("kernel-vanishes") && calls > 2)
        return NULL;
    if (index > 0 && !is("kernel-endless") && !(is("kernel-twice") && index < 2) &&
        !(is("kernel-many") && index < 100000))
        return NULL;
    plx_kernel *kernel = &made[index > 0];
    *kernel = *dummy_kernel(PLX_REDUCE, 0);
    kernel->name = text_of("name", kernel->name);
    kernel->idea = text_of("idea", "an idea");
    kernel->gain = text_of("gain", "a gain");
    kernel->limit = text_of("limit", "a limit");
    kernel->needs = text_of("needs", "");
    kernel->depth = is("depth-none") ? NULL : h_depth;
    if (is("kernel-enums")) {
        kernel->compute = (plx_compute)99;
        kernel->accumulator_f32 = (plx_dtype)99;
        kernel->reproducibility = (plx_reproducibility)99;
    }
    if (is("kernel-sums"))
        kernel->accumulator_f32 = (plx_dtype)99;
    if (is("kernel-class"))
        kernel->reproducibility = (plx_reproducibility)99;
    if (is("kernel-bits"))
        kernel->dtypes = kernel->flags = UINT32_MAX;
    if (is("kernel-baseline"))
        kernel->flags = PLX_KERNEL_BASELINE;
    return kernel;
}

static plx_status h_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const plx_status lied = lie("choose", error);
    if (lied != PLX_OK || is("choose-nothing"))
        return lied;
    if (is("choose-far")) {
        *kernel = SIZE_MAX;
        return PLX_OK;
    }
    return dummy_choose(session, problem, kernel, error);
}

static plx_status h_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                         plx_error *error)
{
    const plx_status lied = lie("plan", error);
    return lied != PLX_OK || is("plan-nothing") ? lied : dummy_plan(session, problem, kernel, plan, error);
}

static void h_plan_destroy(plx_plugin_plan *plan)
{
    at("plan-destroy");
    dummy_plan_destroy(plan);
}

static plx_status h_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                            plx_error *error)
{
    begin_thread();
    const plx_status lied = lie("execute", error);
    if (lied != PLX_OK || is("execute-nothing"))
        return lied;
    const plx_status status = dummy_execute(plan, queue, operands, count, error);
    if (is("execute-remark"))
        memset(error->text, 'r', sizeof error->text);
    if (is("execute-zero"))
        return dummy_fill(queue, operands[1].memory, operands[1].offset, 0, 4, error);
    return status;
}

/* ---- what is optional -------------------------------------------------------------------- */

static plx_status h_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    const plx_status lied = lie("telemetry", error);
    if (lied != PLX_OK)
        return lied;
    if (is("telemetry-ones")) {
        memset(telemetry, 0xff, sizeof *telemetry);
        memset(telemetry->reserved, 0, sizeof telemetry->reserved);
        return PLX_OK;
    }
    if (is("telemetry-reserved")) {
        telemetry->reserved[7] = 1;
        return PLX_OK;
    }
    return dummy_telemetry(session, telemetry, error);
}

static plx_status h_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    const plx_status lied = lie("supports", error);
    return lied != PLX_OK ? lied : dummy_supports(session, problem, kernel, error);
}

static plx_status h_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                            size_t capacity, size_t *count, plx_error *error)
{
    static size_t grown = 1;
    const plx_status lied = lie("configs", error);
    if (lied != PLX_OK)
        return lied;
    if (strncmp(kind(), "configs-", 8) != 0)
        return dummy_configs(session, problem, kernel, configs, capacity, count, error);
    *count = is("configs-huge") ? SIZE_MAX / 4 : is("configs-million") ? (size_t)1000000 : 2;
    if (is("configs-grow"))
        *count = ++grown;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        configs[i] = (plx_config){.name = "same", .number = is("configs-number") ? 0 : 1};
        if (is("configs-text"))
            memset(configs[i].name, 'n', sizeof configs[i].name);
        if (is("configs-nameless"))
            configs[i].name[0] = '\0';
        if (is("configs-terminal"))
            (void)snprintf(configs[i].name, sizeof configs[i].name, "%s", terminal);
        if (is("configs-reserved"))
            configs[i].reserved = 1;
        if (is("configs-nan"))
            configs[i].expected_us = (double)NAN;
    }
    return PLX_OK;
}

/* A model of one rate; which can be false in each of its numbers. */
static plx_status h_rates(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates,
                          size_t capacity, size_t *count, plx_error *error)
{
    static size_t fewer = 3;
    const plx_status lied = lie("rates", error);
    (void)session;
    (void)problem;
    (void)kernel;
    if (lied != PLX_OK)
        return lied;
    *count = is("rates-huge") ? SIZE_MAX / 4 : is("rates-many") ? (size_t)2000 : 1;
    if (is("rates-fewer"))
        *count = --fewer;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        rates[i] = (plx_rate){.name = "speed", .value = 2, .least = 1, .most = 4};
        if (is("rates-text"))
            memset(rates[i].name, 'n', sizeof rates[i].name);
        if (is("rates-nameless"))
            rates[i].name[0] = '\0';
        if (is("rates-terminal"))
            (void)snprintf(rates[i].name, sizeof rates[i].name, "%s", terminal);
        if (is("rates-nan"))
            rates[i].value = (double)NAN;
        if (is("rates-zero"))
            rates[i].least = 0;
        if (is("rates-more"))
            rates[i].value = 5;
        if (is("rates-less"))
            rates[i].value = 0.5;
        if (is("rates-infinite"))
            rates[i].most = (double)INFINITY;
    }
    return PLX_OK;
}

static plx_status h_expect(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates,
                           double *us, plx_error *error)
{
    const plx_status lied = lie("expect", error);
    (void)session;
    (void)problem;
    (void)kernel;
    (void)rates;
    if (lied != PLX_OK || is("expect-nothing"))
        return lied;
    *us = is("expect-nan") ? (double)NAN : is("expect-infinite") ? (double)INFINITY : is("expect-less") ? -1 : 10;
    return PLX_OK;
}

/* Device code that is none, where $HOSTILE asks for it. */
static plx_status h_code(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                         plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    code->text = calloc(1, 8);
    code->reserved[0] = is("code-reserved") || is("code-newer");
    return code->text != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory");
}

static plx_status h_plan_code(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                              plx_plugin_plan **plan, plx_error *error)
{
    (void)code;
    return dummy_plan(session, problem, kernel, plan, error);
}

/* It writes nothing but what it has to say. */
static plx_status h_launches(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                             plx_error *error)
{
    (void)plan;
    (void)error;
    *count = 2;
    if (capacity > 1 && is("launches-reserved"))
        facts[1].reserved[2] = 1;
    return PLX_OK;
}

static plx_status h_instructions(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                                 plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                                 plx_error *error)
{
    (void)session;
    (void)problem;
    (void)kernel;
    (void)code;
    (void)form;
    (void)error;
    *count = 1;
    if (capacity > 0 && is("instructions-reserved"))
        found[0].reserved[0] = 1;
    return PLX_OK;
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
