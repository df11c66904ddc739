/* Threads of the host backend: a few that sleep until there is work that is worth waking them for, and sleep
 * again behind it.  OpenMP's turn in circles at the end of every loop, which costs a hundred times what a
 * small kernel takes where another program runs beside.
 *
 * The caller begins by itself.  What is left after its first pieces is offered to the others once it has seen
 * that it takes longer than to wake them. */
#include "backends/host/host.h"

#include "base/team.h"

#include <parallax/floats.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { MOST_HELPERS = 1023 };

/* What waking a thread takes, several times over. */
static const double worth_waking_ns = 100e3;

/* One call of plx_host_each(). */
typedef struct job {
    int64_t count;
    void (*body)(void *data, int64_t index);
    void *data;
    _Atomic int64_t next;     /* the first that nobody has begun */
    uint32_t helpers, wanted; /* under the lock: that are in it, and that may come yet */
    struct job *other;        /* of those that are offered */
    pthread_cond_t left;      /* nobody is in it any more */
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t offered = PTHREAD_COND_INITIALIZER;
static job *jobs;             /* that are offered */
static uint32_t helper_count; /* threads that there are; they live as long as the process */

/* ---- how many ------------------------------------------------------------------------------ */

/* Of the start: a quota is seldom changed under a process that runs. */
static plx_host_limits limits;
static pthread_once_t limits_read = PTHREAD_ONCE_INIT;

static void read_limits(void)
{
    plx_host_limits_now(&limits);
}

uint32_t plx_host_threads(void)
{
#ifdef _OPENMP
    const uint32_t wanted = (uint32_t)omp_get_max_threads(); /* as OMP_NUM_THREADS or the caller says */
#else
    const uint32_t wanted = 1;
#endif
    (void)pthread_once(&limits_read, read_limits);
    return (uint32_t)plx_team((int)plx_host_threads_within(&limits, wanted));
}

/* ---- helpers ------------------------------------------------------------------------------- */

/* In the default floating-point environment, whatever the thread's is. */
static void make_piece(job *of, int64_t index)
{
    const plx_floats before = plx_floats_begin();
    of->body(of->data, index);
    plx_floats_back(before);
}

static void run(job *of)
{
    for (int64_t i = atomic_fetch_add(&of->next, 1); i < of->count; i = atomic_fetch_add(&of->next, 1))
        make_piece(of, i);
}

static job *job_that_wants(void)
{
    for (job *one = jobs; one != NULL; one = one->other)
        if (one->wanted > 0)
            return one;
    return NULL;
}

static void *help(void *unused)
{
    (void)unused;
    (void)pthread_mutex_lock(&lock);
    for (;;) {
        job *one = job_that_wants();
        if (one == NULL) {
            (void)pthread_cond_wait(&offered, &lock);
            continue;
        }
        one->wanted--;
        one->helpers++;
        (void)pthread_mutex_unlock(&lock);
        run(one);
        (void)pthread_mutex_lock(&lock);
        if (--one->helpers == 0)
            (void)pthread_cond_signal(&one->left);
    }
    return NULL;
}

/* Signals are for the threads of the program. */
static bool start_helper(void)
{
    sigset_t all, before;
    pthread_attr_t detached;
    pthread_t thread;
    bool started;
    if (pthread_attr_init(&detached) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&thread, &detached, help, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&detached);
    return started;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static void offer(job *one, uint32_t wanted)
{
    (void)pthread_mutex_lock(&lock);
    while (helper_count < wanted && helper_count < MOST_HELPERS && start_helper())
        helper_count++;
    one->wanted = wanted;
    one->other = jobs;
    jobs = one;
    for (uint32_t i = 0; i < wanted; i++)
        (void)pthread_cond_signal(&offered);
    (void)pthread_mutex_unlock(&lock);
}

/* Until all that came to help are gone; nobody comes any more. */
static void withdraw(job *one)
{
    (void)pthread_mutex_lock(&lock);
    for (job **at = &jobs; *at != NULL; at = &(*at)->other)
        if (*at == one) {
            *at = one->other;
            break;
        }
    while (one->helpers > 0)
        (void)pthread_cond_wait(&one->left, &lock);
    (void)pthread_mutex_unlock(&lock);
}

/* What this thread computed: not what else the machine did meanwhile. */
static double spent_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0 ? (double)now.tv_sec * 1e9 + (double)now.tv_nsec : 0;
}

/* One piece, then two, four ..., until it is seen what those that are left take; returns that.  What disturbs
 * adds to a piece's time: the least counts. */
static double begin(job *one)
{
    double before = spent_ns(), spent = 0, each = 0;
    int64_t made = 0;
    for (int64_t more = 1; made < one->count && spent < worth_waking_ns / 4; more *= 2) {
        const int64_t first = made, end = one->count - made < more ? one->count : made + more;
        while (made < end)
            make_piece(one, made++);
        const double now = spent_ns(), took = (now - before) / (double)(made - first);
        each = first == 0 || took < each ? took : each;
        spent += now - before;
        before = now;
    }
    atomic_store(&one->next, made);
    return each * (double)(one->count - made);
}

void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data)
{
    const uint32_t threads = count > 1 ? plx_host_threads() : 1;
    job one = {.count = count, .body = body, .data = data};
    atomic_init(&one.next, 0);
    if (threads < 2 || begin(&one) < worth_waking_ns) {
        run(&one);
        return;
    }
    const int64_t left = count - atomic_load(&one.next);
    (void)pthread_cond_init(&one.left, NULL);
    offer(&one, left < (int64_t)threads ? (uint32_t)left : threads - 1);
    run(&one);
    withdraw(&one);
    (void)pthread_cond_destroy(&one.left);
}
