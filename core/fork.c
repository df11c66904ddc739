/* A fork leaves the child without the threads, the locks and the devices of the plugins that its
 * parent had loaded: whatever it asks of them may never come back.  So the child is told. */
#include "core/core.h"

#include <pthread.h>
#include <stdio.h>

static const char reason[] = "this process was forked from one that had loaded plugins, which do not survive "
                             "that; let it exec, or load them after the fork";

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list of backends */
static plx_backend *opened;
static atomic_bool forked;

static void before(void)
{
    plx_calls_hold();
    (void)pthread_mutex_lock(&lock);
}

static void after_in_parent(void)
{
    (void)pthread_mutex_unlock(&lock);
    plx_calls_release();
}

/* Each is lost, which all calls look at already. */
static void after_in_child(void)
{
    atomic_store(&forked, true);
    for (plx_backend *backend = opened; backend != NULL; backend = backend->next_opened) {
        (void)snprintf(backend->lost_reason, sizeof backend->lost_reason, "%s", reason);
        atomic_store(&backend->lost, true);
    }
    (void)pthread_mutex_unlock(&lock);
    plx_calls_release();
}

static void watch(void)
{
    (void)pthread_atfork(before, after_in_parent, after_in_child);
}

void plx_fork_watch(void)
{
    (void)pthread_once(&once, watch);
}

bool plx_is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

plx_status plx_fork_check(const plx_context *context)
{
    return plx_is_forked() ? plx_context_fail(context, PLX_FAILED, "%s", reason) : PLX_OK;
}

void plx_fork_add(plx_backend *backend)
{
    (void)pthread_mutex_lock(&lock);
    backend->next_opened = opened;
    opened = backend;
    (void)pthread_mutex_unlock(&lock);
}

void plx_fork_remove(const plx_backend *backend)
{
    (void)pthread_mutex_lock(&lock);
    plx_backend **at = &opened;
    while (*at != NULL && *at != backend)
        at = &(*at)->next_opened;
    if (*at != NULL)
        *at = backend->next_opened;
    (void)pthread_mutex_unlock(&lock);
}
