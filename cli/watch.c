/* A thread that looks whether calls into backends come back.  What takes long can't be told from what hangs,
 * so the time that a call may take grows with the work. */
#include "cli.h"

#include "base/privileges.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* SLOWEST: flops and bytes in a second, of a simulator. */
enum { SECONDS = 300, MOST_SECONDS = 1 << 30, MOST_CALLS = 256, SLOWEST = 10000000 };

/* For how many seconds each thread has been in the same call.  Counted, not read off a clock: while the
 * process or the machine sleeps no call gets on. */
typedef struct watched {
    uint64_t number;
    unsigned seconds;
} watched;

static unsigned seconds_allowed;

/* Between two pieces of work Ctrl-C is heeded; a compiler or a kernel can't be stopped within one. */
static void say_awaited(const plx_call *call)
{
    static bool is_said;
    if (is_said)
        return;
    is_said = true;
    cli_progress_end();
    cli_say("interrupted: waiting for %s (%s%s%s); Ctrl-C again ends at once, %s", call->backend, call->what,
            call->kernel[0] != '\0' ? ", " : "", call->kernel,
            cli_keeps() ? "with what is finished in its files" : "without what is finished");
}

static void look(watched *all)
{
    static plx_call calls[MOST_CALLS];
    bool is_in[MOST_CALLS] = {false};
    const size_t count = plx_calls(calls, MOST_CALLS);
    for (size_t i = 0; i < count; i++) {
        watched *one = &all[calls[i].thread % MOST_CALLS];
        is_in[calls[i].thread % MOST_CALLS] = true;
        one->seconds = one->number == calls[i].number ? one->seconds + 1 : 0;
        one->number = calls[i].number;
        if (one->seconds > 0 && plx_studies_stopped() && cli_interrupted_by_hand())
            say_awaited(&calls[i]);
        if (one->seconds >= seconds_allowed + calls[i].work / SLOWEST)
            cli_give_up(&calls[i], one->seconds);
    }
    for (size_t i = 0; i < MOST_CALLS; i++)
        if (!is_in[i])
            all[i] = (watched){.number = 0};
}

static void *watch(void *unused)
{
    static watched all[MOST_CALLS];
    const struct timespec second = {.tv_sec = 1};
    (void)unused;
    for (;;) {
        (void)nanosleep(&second, NULL);
        look(all);
        cli_progress_tick();
    }
    return NULL;
}

/* Without a thread nothing is watched. */
void cli_watch(void)
{
    static bool is_watched;
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    const char *said = plx_getenv("PLX_CALL_SECONDS");
    const unsigned long seconds = said != NULL ? strtoul(said, NULL, 10) : SECONDS;
    if (is_watched || seconds == 0 || seconds > MOST_SECONDS || pthread_attr_init(&attributes) != 0)
        return;
    is_watched = true;
    seconds_allowed = (unsigned)seconds;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, 1 << 17);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before); /* they are for the others */
    (void)pthread_create(&thread, &attributes, watch, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
}
