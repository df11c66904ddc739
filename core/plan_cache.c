/* The plans that a backend keeps for plx_run(): a few, the least recently used
 * makes room.  Plans are counted, so that one that makes room while another thread
 * executes it lives until that thread is done. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 64

typedef struct cached {
    uint64_t hash;
    uint64_t used; /* larger is more recent; 0: empty */
    plx_plan *plan;
} cached;

struct plx_plan_cache {
    pthread_mutex_t lock;
    uint64_t clock;
    atomic_uint tuning; /* the context's tuning_changes when the plans were made */
    plx_plan *retired;  /* that may be at work in queues that can't be waited for here */
    cached places[CAPACITY];
};

plx_plan_cache *plx_plan_cache_create(void)
{
    plx_plan_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL && pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        cache = NULL;
    }
    return cache;
}

void plx_plan_cache_destroy(plx_plan_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < CAPACITY; i++)
        plx_plan_destroy(cache->places[i].plan);
    while (cache->retired != NULL) {
        plx_plan *next = cache->retired->retired;
        plx_plan_destroy(cache->retired);
        cache->retired = next;
    }
    (void)pthread_mutex_destroy(&cache->lock);
    free(cache);
}

void plx_plan_runs_in(plx_plan *plan, const plx_queue *queue)
{
    uint_least64_t before = atomic_load_explicit(&plan->ran_in, memory_order_relaxed);
    if (queue == NULL || queue->shared || before == queue->serial || before == PLX_RAN_IN_MANY)
        return;
    /* of two threads the second finds the first's queue, and then they are many */
    if (!atomic_compare_exchange_strong(&plan->ran_in, &before, before == 0 ? queue->serial : PLX_RAN_IN_MANY))
        atomic_store(&plan->ran_in, PLX_RAN_IN_MANY);
}

static bool wait_for(plx_backend *backend, plx_queue *queue)
{
    plx_error error = {.text = ""};
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_WAITING);
    const plx_status status = backend->plugin->synchronize(queue->queue, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    return status == PLX_OK;
}

static void retire(plx_plan *plan)
{
    plx_plan_cache *cache = plan->backend->plans;
    (void)pthread_mutex_lock(&cache->lock);
    plan->retired = cache->retired;
    cache->retired = plan;
    (void)pthread_mutex_unlock(&cache->lock);
}

/* What the plan enqueued may still run: in the backend's own queue, and in the caller's, which can be waited for; in
 * one of another thread, or while it is captured, it can't. */
static void release(plx_plan *plan, plx_queue *queue)
{
    plx_backend *backend = plan->backend;
    if (atomic_fetch_sub(&plan->references, 1) != 1 || plx_is_forked())
        return;
    (void)wait_for(backend, backend->own_queue);
    const uint64_t ran_in = atomic_load(&plan->ran_in);
    if (ran_in == 0 || (queue != NULL && ran_in == queue->serial && wait_for(backend, queue)))
        plx_plan_destroy(plan);
    else
        retire(plan);
}

void plx_plan_release(plx_plan *plan)
{
    release(plan, NULL);
}

/* FNV-1a over 8-byte words, folded; the problem's size is a multiple of 8. */
static uint64_t hash_of(const plx_problem *problem)
{
    uint64_t words[sizeof *problem / sizeof(uint64_t)];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    _Static_assert(sizeof words == sizeof *problem, "a problem is made of whole words");
    memcpy(words, problem, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

/* With the lock held. */
static plx_plan *find(plx_plan_cache *cache, uint64_t hash, const plx_problem *problem)
{
    for (size_t i = 0; i < CAPACITY; i++) {
        cached *place = &cache->places[i];
        if (place->used != 0 && place->hash == hash && memcmp(&place->plan->problem, problem, sizeof *problem) == 0) {
            place->used = ++cache->clock;
            atomic_fetch_add(&place->plan->references, 1);
            return place->plan;
        }
    }
    return NULL;
}

/* With the lock held.  Returns the plan that made room, or NULL. */
static plx_plan *insert(plx_plan_cache *cache, uint64_t hash, plx_plan *plan)
{
    cached *place = &cache->places[0];
    for (size_t i = 1; i < CAPACITY; i++)
        if (cache->places[i].used < place->used)
            place = &cache->places[i];
    plx_plan *displaced = place->plan;
    atomic_fetch_add(&plan->references, 1); /* the cache's own and the caller's */
    *place = (cached){.hash = hash, .used = ++cache->clock, .plan = plan};
    return displaced;
}

/* With the lock held: empties the cache into `plans`, which has room for all. */
static size_t take_all(plx_plan_cache *cache, plx_plan *plans[CAPACITY])
{
    size_t count = 0;
    for (size_t i = 0; i < CAPACITY; i++) {
        if (cache->places[i].plan != NULL)
            plans[count++] = cache->places[i].plan;
        cache->places[i] = (cached){.used = 0};
    }
    return count;
}

/* What was tuned since the plans were made may be faster. */
static void forget_old_choices(plx_backend *backend, plx_queue *queue)
{
    plx_plan_cache *cache = backend->plans;
    plx_plan *plans[CAPACITY];
    size_t count = 0;
    const unsigned now = atomic_load_explicit(&backend->context->tuning_changes, memory_order_acquire);
    if (atomic_load_explicit(&cache->tuning, memory_order_acquire) == now)
        return;
    (void)pthread_mutex_lock(&cache->lock);
    if (atomic_exchange(&cache->tuning, now) != now)
        count = take_all(cache, plans);
    (void)pthread_mutex_unlock(&cache->lock);
    while (count > 0)
        release(plans[--count], queue);
}

/* Planning is slow and happens without the lock; of two threads that planned the
 * same problem the first one's plan stays. */
static plx_status plan_anew(plx_backend *backend, plx_queue *queue, uint64_t hash, const plx_problem *problem,
                            plx_plan **plan)
{
    plx_plan_cache *cache = backend->plans;
    plx_plan *made = NULL, *superfluous = NULL;
    const plx_status status = plx_plan_create(backend, problem, NULL, &made);
    if (status != PLX_OK)
        return status;
    (void)pthread_mutex_lock(&cache->lock);
    plx_plan *found = find(cache, hash, problem);
    if (found != NULL)
        superfluous = made;
    else
        superfluous = insert(cache, hash, made);
    (void)pthread_mutex_unlock(&cache->lock);
    if (superfluous != NULL)
        release(superfluous, queue);
    *plan = found != NULL ? found : made;
    return PLX_OK;
}

/* The header is checked here, so that the problem can be normalised; the rest when
 * a plan is made, because what is in the cache has been checked. */
plx_status plx_plan_obtain(plx_backend *backend, plx_queue *queue, const plx_problem *problem, plx_plan **plan)
{
    plx_problem normal;
    const bool is_torn = problem->batch.count != 0 && !problem->batch.batched; /* which the one form would not show */
    if (plx_operation_of(problem->op) == NULL || problem->config != 0 || is_torn) {
        plx_error error = {.text = ""};
        const plx_status status = plx_problem_check(problem, &error);
        return plx_context_fail(backend->context, status, "%s", error.text);
    }
    plx_problem_normalise(problem, &normal);
    const uint64_t hash = hash_of(&normal);
    forget_old_choices(backend, queue);
    (void)pthread_mutex_lock(&backend->plans->lock);
    plx_plan *found = find(backend->plans, hash, &normal);
    (void)pthread_mutex_unlock(&backend->plans->lock);
    if (found == NULL)
        return plan_anew(backend, queue, hash, &normal, plan);
    *plan = found;
    return PLX_OK;
}
