/* Which thread is in a call of which backend: what a program has to say when one of them ends the process,
 * or does not come back. */
#include "core/core.h"

enum { MOST_THREADS = 256 };

static plx_call_slot slots[MOST_THREADS], nobodys;

_Thread_local plx_call_slot *plx_own_slot;

/* ---- whose slot it is ------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* A thread that a plugin ended leaves its call noted, for that call does not come back. */
static void give_back(void *slot)
{
    plx_call_slot *own = slot;
    if (atomic_load(&own->backend) != NULL && atomic_exchange(&own->guarded, false))
        plx_guard_abandoned();
    atomic_store(&own->taken, false);
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, give_back) == 0;
}

static plx_call_slot *take(void)
{
    (void)pthread_once(&once, make_key);
    for (size_t i = 0; has_key && i < MOST_THREADS; i++) {
        bool taken = false;
        if (!atomic_compare_exchange_strong(&slots[i].taken, &taken, true))
            continue;
        if (pthread_setspecific(key, &slots[i]) == 0)
            return &slots[i];
        give_back(&slots[i]);
        break;
    }
    return &nobodys;
}

plx_call_slot *plx_call_slot_take(void)
{
    plx_own_slot = take();
    return plx_own_slot;
}

/* ---- what they are in ----------------------------------------------------------------------- */

/* Without the functions of stdio: a signal handler calls it. */
static size_t append(char *to, size_t at, size_t capacity, const char *from)
{
    while (from != NULL && *from != '\0' && at + 1 < capacity)
        to[at++] = *from++;
    to[at] = '\0';
    return at;
}

/* False: the thread is in none. */
static bool read_slot(size_t thread, plx_call *call)
{
    plx_call_slot *slot = &slots[thread];
    const char *backend = atomic_load_explicit(&slot->backend, memory_order_acquire),
               *op = atomic_load_explicit(&slot->op, memory_order_relaxed);
    if (backend == NULL)
        return false;
    call->number = atomic_load_explicit(&slot->number, memory_order_relaxed);
    call->work = atomic_load_explicit(&slot->work, memory_order_relaxed);
    call->thread = thread;
    call->own = slot == plx_own_slot;
    (void)append(call->backend, 0, sizeof call->backend, backend);
    (void)append(call->what, 0, sizeof call->what, atomic_load_explicit(&slot->what, memory_order_relaxed));
    size_t length = append(call->kernel, 0, sizeof call->kernel, op);
    length = append(call->kernel, length, sizeof call->kernel, op != NULL ? "/" : NULL);
    (void)append(call->kernel, length, sizeof call->kernel, atomic_load_explicit(&slot->kernel, memory_order_relaxed));
    return true;
}

/* Held while the texts of calls are read, and while what may hold such texts is freed. */
static pthread_mutex_t texts = PTHREAD_MUTEX_INITIALIZER;

void plx_calls_hold(void)
{
    (void)pthread_mutex_lock(&texts);
}

void plx_calls_release(void)
{
    (void)pthread_mutex_unlock(&texts);
}

/* A signal handler can't wait: without the lock only the thread's own call is sure to stay. */
size_t plx_calls(plx_call *calls, size_t capacity)
{
    const plx_call_slot *own = plx_own_slot;
    size_t count = 0;
    if (capacity > 0 && own >= slots && own < slots + MOST_THREADS)
        count = read_slot((size_t)(own - slots), &calls[0]);
    if (pthread_mutex_trylock(&texts) != 0)
        return count;
    for (size_t i = 0; count < capacity && i < MOST_THREADS; i++)
        if (&slots[i] != own && read_slot(i, &calls[count]))
            count++;
    (void)pthread_mutex_unlock(&texts);
    return count;
}
