/* Failures of a plugin; threads; a child of fork(). */
#define _POSIX_C_SOURCE 200809L

#include "base/coverage.h"
#include "dispatch_bench.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- failures ---------------------------------------------------------- */

void failures_are_told_with_what_was_tried(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 4096), *second = NULL;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    plx_plan *plan = NULL, *made = NULL;
    plx_event *event = NULL;
    plx_queue *queue = NULL;
    char host[4096];
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &made), PLX_OK);
    atomic_int *fail = &bench->dummy->fail;
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_upload(NULL, buffer, 0, memset(host, 0, sizeof host), 4096), PLX_FAILED,
           "dummy-good:0: upload of 4096 bytes failed: it was told to fail");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_download(NULL, host, buffer, 0, 16), PLX_FAILED, "download of 16 bytes failed");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_fill(NULL, buffer, 0, 0, 16), PLX_FAILED, "fill of 16 bytes failed");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_copy(NULL, buffer, 0, buffer, 16, 16), PLX_FAILED, "copy of 16 bytes failed");
    atomic_store(fail, PLX_NO_MEMORY);
    expect(bench, plx_buffer_create(bench->backend, 16, &second), PLX_NO_MEMORY, "allocation of 16 bytes");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_event_create(bench->backend, &event), PLX_FAILED, "event");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_queue_create(bench->backend, &queue), PLX_FAILED, "queue");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_FAILED, "work in a queue failed");
    atomic_store(fail, PLX_BUILD_FAILED);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_BUILD_FAILED,
           "dummy-good:0: reduce/one-by-one failed: it was told to fail");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_execute(made, NULL, (const plx_view[]){{buffer, 4}, {buffer, 0}}, 2), PLX_FAILED,
           "reduce/one-by-one failed");
    atomic_store(fail, 12345);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_FAILED, "told to fail");
    assert_true(second == NULL && event == NULL && queue == NULL && plan == NULL);
    assert_int_equal(plx_execute(made, NULL, (const plx_view[]){{buffer, 4}, {buffer, 0}}, 2), PLX_OK);
    plx_plan_destroy(made);
    plx_buffer_destroy(buffer);
}

/* Without a plan where the plugin tells, and else by one that is given back. */
void what_is_supported_is_told(void **state)
{
    fixture *bench = *state;
    const plx_problem lucky = plx_reduce_of(PLX_I32, PLX_SUM, 12), unlucky = plx_reduce_of(PLX_I32, PLX_SUM, 131313);
    const plx_problem gemm = plx_gemm_of(PLX_F32, false, false, 1, 1, 1);
    const plx_problem negative = plx_reduce_of(PLX_I32, PLX_SUM, -1);
    const long before = atomic_load(&bench->dummy->plans_made);
    assert_int_equal(plx_supports(bench->backend, &lucky, "one-by-one"), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made) - before, DUMMY_TELLS ? 0 : 1);
    expect(bench, plx_supports(bench->backend, &unlucky, "one-by-one"), PLX_UNSUPPORTED,
           "dummy-good:0: reduce/one-by-one is not supported: it brings bad luck");
    expect(bench, plx_supports(bench->backend, &lucky, "one-by-on"), PLX_NOT_FOUND, "did you mean");
    expect(bench, plx_supports(bench->backend, &gemm, "wide"), PLX_UNSUPPORTED, "does not take f32");
    expect(bench, plx_supports(bench->backend, &negative, "one-by-one"), PLX_INVALID, "-1");
}

void counters_come_with_an_execution(void **state)
{
    fixture *bench = *state;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    const plx_view operands[2] = {{buffer, 16}, {buffer, 0}};
    const int32_t x[4] = {1, 20, 300, 4000};
    int32_t result = 0;
    plx_plan *plan = NULL;
    plx_counters counters = {.global_load_sectors = -1};
    plx_error error = {.text = ""};
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffer, 16, x, sizeof x), PLX_OK);
    expect(bench, plx_count(plan, NULL, operands, 1, &counters, &error), PLX_INVALID, "takes 2 operands");
    expect(bench, plx_count(plan, NULL, (const plx_view[]){{buffer, 52}, {buffer, 0}}, 2, &counters, &error),
           PLX_INVALID, "x needs 16 bytes from byte 52");
    atomic_store(&bench->dummy->fail, PLX_UNSUPPORTED);
    expect(bench, plx_count(plan, NULL, operands, 2, &counters, &error), PLX_UNSUPPORTED,
           "dummy-good:0: counting reduce/one-by-one is not supported: it was told to fail");
    assert_string_equal(error.text, "it was told to fail");
    assert_true(counters.global_load_sectors < 0);
    assert_int_equal(plx_count(plan, NULL, operands, 2, &counters, &error), PLX_OK);
    assert_true(counters.global_load_sectors > 63 && counters.global_load_sectors < 65);
    assert_int_equal(plx_download(NULL, &result, buffer, 0, 4), PLX_OK);
    assert_int_equal(result, 4321);
    plx_plan_destroy(plan);
    plx_buffer_destroy(buffer);
}

void a_lost_device_runs_nothing_more(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *buffer = new_buffer(bench->backend, 64), *second = NULL, *there = new_buffer(other, 4);
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    const plx_view operands[] = {{buffer, 4}, {buffer, 0}};
    plx_plan *plan = NULL, *next = NULL;
    plx_queue *queue = NULL;
    plx_event *event = NULL, *later = NULL;
    int32_t host = 0;
    static const char why[] = "dummy-good:0: upload of 4 bytes failed: it was told to fail";
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &event), PLX_OK);
    assert_int_equal(plx_event_record(NULL, event), PLX_OK);
    atomic_store(&bench->dummy->fail, PLX_DEVICE_LOST);
    expect(bench, plx_upload(NULL, buffer, 0, &host, 4), PLX_DEVICE_LOST, why);
    const long before = atomic_load(&bench->dummy->executions);
    expect(bench, plx_execute(plan, NULL, operands, 2), PLX_DEVICE_LOST, why);
    expect(bench, plx_run(bench->backend, NULL, &problem, operands, 2), PLX_DEVICE_LOST, why);
    expect(bench, plx_upload(NULL, buffer, 0, &host, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_download(NULL, &host, buffer, 0, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_fill(NULL, buffer, 0, 0, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_copy(NULL, buffer, 0, buffer, 8, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_buffer_create(bench->backend, 4, &second), PLX_DEVICE_LOST, why);
    expect(bench, plx_queue_create(bench->backend, &queue), PLX_DEVICE_LOST, why);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_create(bench->backend, &later), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_record(NULL, event), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_elapsed(event, event, &(double){0}), PLX_DEVICE_LOST, why);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &next), PLX_DEVICE_LOST, why);
    assert_int_equal(atomic_load(&bench->dummy->executions), before);
    assert_int_equal(plx_upload(NULL, there, 0, &host, 4), PLX_OK);
    plx_event_destroy(event);
    plx_plan_destroy(plan);
    plx_buffer_destroy(buffer);
    plx_buffer_destroy(there);
    plx_close(other);
}

void a_failed_open_leaves_nothing(void **state)
{
    fixture *bench = *state;
    plx_backend *other = NULL;
    atomic_store(&bench->dummy->fail, PLX_FAILED);
    expect(bench, plx_open(bench->context, "dummy-good:2", &other), PLX_FAILED,
           "dummy-good:2: opening the device failed: it was told to fail");
    assert_null(other);
    assert_int_equal(atomic_load(&bench->dummy->sessions), 1);
}

/* ---- threads ----------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 2000 };

typedef struct load {
    fixture *bench;
    plx_plan *plan; /* shared; NULL: the backend's own queue and cache */
    int64_t first;
    long wrong;
} load;

/* What ThreadSanitizer has to find: counted without a lock when $PLANTED_RACE is set, and before any lock
 * is taken, which would put the threads in an order. */
static long unguarded;

/* Each thread sums ones of its own, n of them, and must get n. */
static void work(load *worker, plx_queue *queue, plx_buffer *buffer, int64_t n)
{
    const plx_view operands[] = {{buffer, 4}, {buffer, 0}};
    plx_status status;
    int32_t result = -1;
    if (worker->plan != NULL)
        status = plx_execute(worker->plan, queue, operands, 2);
    else
        status = sum_of(worker->bench, buffer, n);
    if (status == PLX_OK)
        status = plx_download(queue, &result, buffer, 0, 4);
    if (status == PLX_OK)
        status = plx_synchronize(worker->bench->backend, queue);
    worker->wrong += status != PLX_OK || result != n;
}

static void *run_worker(void *data)
{
    load *worker = data;
    plx_backend *backend = worker->bench->backend;
    plx_buffer *buffer = NULL;
    plx_queue *queue = NULL;
    if (getenv("PLANTED_RACE") != NULL)
        unguarded++;
    plx_status status = plx_buffer_create(backend, 404, &buffer);
    if (status == PLX_OK)
        status = plx_fill(NULL, buffer, 0, 1, 404);
    if (status == PLX_OK && worker->plan != NULL)
        status = plx_queue_create(backend, &queue);
    worker->wrong = status != PLX_OK;
    for (int64_t i = 0; i < ROUNDS && worker->wrong == 0; i++)
        work(worker, queue, buffer, worker->plan != NULL ? 50 : 1 + (worker->first + i) % 100);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
    return NULL;
}

static void run_workers(fixture *bench, plx_plan *plan)
{
    pthread_t threads[THREADS];
    load workers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (load){.bench = bench, .plan = plan, .first = (int64_t)i * 17};
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
}

void threads_share_a_plan_on_their_own_queues(void **state)
{
    fixture *bench = *state;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 50);
    plx_plan *plan = NULL;
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    run_workers(bench, plan);
    plx_plan_destroy(plan);
}

/* A hundred problems do not fit in the cache: plans come and go under the threads. */
void threads_share_the_backends_own_queue(void **state)
{
    fixture *bench = *state;
    run_workers(bench, NULL);
    assert_true(atomic_load(&bench->dummy->plans_made) > 100);
    assert_true(atomic_load(&bench->dummy->plans) <= 64);
}

/* ---- after a fork ----------------------------------------------------------- */

/* What a child meets: 0, or the line where it met something else. */
static int in_child(fixture *bench, plx_buffer *buffer)
{
    const float x = 1.0F;
    plx_backend *other = NULL;
    plx_context *context = NULL;
    plx_plugin_report report;
    (void)alarm(20); /* what would hang */
    if (plx_upload(NULL, buffer, 0, &x, sizeof x) != PLX_DEVICE_LOST ||
        strstr(plx_message(bench->context), "forked") == NULL)
        return __LINE__;
    if (plx_open(bench->context, "dummy-good", &other) != PLX_FAILED ||
        strstr(plx_message(bench->context), "forked") == NULL)
        return __LINE__;
    if (plx_plugin_at(bench->context, 0, &report) != PLX_FAILED)
        return __LINE__;
    if (plx_context_create(NULL, &context) != PLX_FAILED || strstr(plx_message(NULL), "forked") == NULL)
        return __LINE__;
    const long alive = atomic_load(&bench->dummy->memories), sessions = atomic_load(&bench->dummy->sessions);
    plx_buffer_destroy(buffer);
    plx_close(bench->backend); /* nothing of it reaches the plugin */
    return atomic_load(&bench->dummy->memories) == alive && atomic_load(&bench->dummy->sessions) == sessions ? 0
                                                                                                             : __LINE__;
}

void a_forked_child_is_told(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 16);
    const float x = 1.0F;
    int ended = -1;
    const pid_t child = fork();
    if (child == 0) {
        const int wrong = in_child(bench, buffer);
        plx_coverage_write();
        _exit(wrong != 0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(plx_upload(NULL, buffer, 0, &x, sizeof x), PLX_OK); /* the parent goes on */
    plx_buffer_destroy(buffer);
}
