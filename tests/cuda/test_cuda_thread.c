/* The calling thread belongs to others: its current context and its mode of capture after each call of the
 * plugin are those before it, whatever they were and however the call went.  On the fake driver. */
#define _GNU_SOURCE

#include "cuda_fixture.h"

#include <stdlib.h>

/* What one test needs of all that a plugin is called for. */
typedef struct calls {
    plx_session *session;
    plx_plugin_queue *queue;
    plx_memory *memory, *other;
    plx_plugin_event *first, *last;
    plx_plugin_plan *plan;
    plx_code code;
} calls;

static const plx_problem sum = {.op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce = {.n = 300, .reduction = PLX_SUM}};

static plx_status open_it(calls *it)
{
    return plugin->open(0, &it->session, &error);
}
static plx_status make_queue(calls *it)
{
    return plugin->queue_create(it->session, &it->queue, &error);
}
static plx_status allocate(calls *it)
{
    return plugin->alloc(it->session, 4096, &it->memory, &error);
}
static plx_status allocate_more(calls *it)
{
    return plugin->alloc(it->session, 4096, &it->other, &error);
}
static plx_status make_first(calls *it)
{
    return plugin->event_create(it->session, &it->first, &error);
}
static plx_status make_last(calls *it)
{
    return plugin->event_create(it->session, &it->last, &error);
}
static plx_status make_plan(calls *it)
{
    return plugin->plan(it->session, &sum, 0, &it->plan, &error);
}
static plx_status record_first(calls *it)
{
    return plugin->event_record(it->queue, it->first, &error);
}
static plx_status record_last(calls *it)
{
    return plugin->event_record(it->queue, it->last, &error);
}
static plx_status synchronize(calls *it)
{
    return plugin->synchronize(it->queue, &error);
}

static plx_status upload(calls *it)
{
    static const char bytes[64];
    return plugin->upload(it->queue, it->memory, 0, bytes, sizeof bytes, &error);
}

static plx_status download(calls *it)
{
    static char bytes[64];
    return plugin->download(it->queue, bytes, it->memory, 0, sizeof bytes, &error);
}

static plx_status fill(calls *it)
{
    return plugin->fill(it->queue, it->memory, 0, 0, 64, &error);
}

static plx_status copy(calls *it)
{
    return plugin->copy(it->queue, it->other, 0, it->memory, 0, 64, &error);
}

static plx_status execute(calls *it)
{
    const plx_operand operands[] = {{it->memory, 0}, {it->other, 0}};
    return plugin->execute(it->plan, it->queue, operands, 2, &error);
}

static plx_status elapsed(calls *it)
{
    double nanoseconds;
    return plugin->event_elapsed(it->first, it->last, &nanoseconds, &error);
}

static plx_status launches(calls *it)
{
    plx_launch_facts facts[4];
    size_t count;
    return plugin->launches(it->plan, facts, 4, &count, &error);
}

static plx_status take_code(calls *it)
{
    const plx_status status = plugin->code(it->session, &sum, 0, &it->code, &error);
    return status == PLX_UNSUPPORTED ? PLX_OK : status; /* a build without texts */
}

static plx_status plan_code(calls *it)
{
    plx_plugin_plan *plan = NULL;
    if (it->code.text == NULL)
        return PLX_OK;
    const plx_status status = plugin->plan_code(it->session, &sum, 0, &it->code, &plan, &error);
    if (status == PLX_OK)
        plugin->plan_destroy(plan);
    return status;
}

static plx_status end_plan(calls *it)
{
    plugin->plan_destroy(it->plan);
    return PLX_OK;
}

static plx_status end_events(calls *it)
{
    plugin->event_destroy(it->first);
    plugin->event_destroy(it->last);
    return PLX_OK;
}

static plx_status end_memory(calls *it)
{
    plugin->free(it->session, it->memory);
    plugin->free(it->session, it->other);
    return PLX_OK;
}

static plx_status end_queue(calls *it)
{
    plugin->queue_destroy(it->queue);
    return PLX_OK;
}

static plx_status close_it(calls *it)
{
    plugin->close(it->session);
    free(it->code.text);
    return PLX_OK;
}

/* In an order in which each has what it needs; those that only give back come last. */
static const struct entry {
    const char *name;
    plx_status (*call)(calls *it);
} entries[] = {
    {"open", open_it},        {"queue_create", make_queue},   {"alloc", allocate},
    {"alloc", allocate_more}, {"event_create", make_first},   {"event_create", make_last},
    {"upload", upload},       {"download", download},         {"fill", fill},
    {"copy", copy},           {"event_record", record_first}, {"plan", make_plan},
    {"execute", execute},     {"event_record", record_last},  {"event_elapsed", elapsed},
    {"launches", launches},   {"synchronize", synchronize},   {"code", take_code},
    {"plan_code", plan_code}, {"plan_destroy", end_plan},     {"event_destroy", end_events},
    {"free", end_memory},     {"queue_destroy", end_queue},   {"close", close_it},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

static void assert_unchanged(const struct entry *entry, void *context, int mode)
{
    if (current_context() != context)
        fail_msg("%s leaves another context current", entry->name);
    if (capture_mode() != mode)
        fail_msg("%s leaves another mode of capture", entry->name);
}

/* Each entry, after each of its calls of the driver has failed once, with that result. */
static void try_each(void *context, int mode, int result)
{
    calls it = {.session = NULL};
    for (size_t i = 0; i < ENTRIES; i++) {
        for (size_t failing = 1; result != 0; failing++) {
            fake->failing_call = failing;
            fake->failing_result = result;
            const plx_status status = i + 5 < ENTRIES ? entries[i].call(&it) : PLX_OK;
            const bool did_fail = fake->failing_call == 0;
            fake->failing_call = 0;
            assert_unchanged(&entries[i], context, mode);
            if (!did_fail || status == PLX_OK) /* what was made is made again below */
                break;
        }
        assert_int_equal(entries[i].call(&it), PLX_OK);
        assert_unchanged(&entries[i], context, mode);
    }
}

static void with_each_context(int result)
{
    void *const before[] = {NULL, other_context(0), other_context(1)};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        make_current(before[i]);
        try_each(before[i], CAPTURE_GLOBAL, result);
    }
    make_current(NULL);
}

/* Broken once: without the second half of plx_cuda_put_back(), in plx_cuda_leave() without the test of
 * `changed`, and each plx_cuda_leave() of queue.c, session.c and plan.c left out: the entry is named. */
static void the_context_of_the_thread_is_restored(void **unused)
{
    (void)unused;
    with_each_context(0);
}

static void it_is_restored_after_failures(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        with_each_context((const int[]){UNKNOWN, OUT_OF_MEMORY, NOT_FOUND}[i]);
}

/* Broken once: without the first half of plx_cuda_put_back(). */
static void so_is_the_mode_of_capture(void **unused)
{
    (void)unused;
    set_capture_mode(CAPTURE_THREAD_LOCAL);
    try_each(NULL, CAPTURE_THREAD_LOCAL, UNKNOWN);
    set_capture_mode(CAPTURE_GLOBAL);
}

/* The session's own context is current before, as in every program that uses the CUDA runtime: nothing is
 * set. */
static void a_context_that_is_current_stays(void **unused)
{
    calls it = {.session = NULL};
    void *const own = other_context(-1);
    (void)unused;
    make_current(own);
    for (size_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(entries[i].call(&it), PLX_OK);
        assert_unchanged(&entries[i], own, CAPTURE_GLOBAL);
    }
    make_current(NULL);
}

/* A dead context is not entered, and so not left. */
static void a_sticky_error_restores_it_too(void **unused)
{
    calls it = {.session = NULL};
    void *const before = other_context(0);
    size_t lost = 0;
    (void)unused;
    make_current(before);
    for (size_t i = 0; i < ENTRIES; i++) {
        if (entries[i].call == execute)
            fail_next("cuLaunchKernel", ILLEGAL_ADDRESS);
        const plx_status status = entries[i].call(&it);
        lost += status == PLX_DEVICE_LOST;
        assert_true(status == PLX_OK || status == PLX_DEVICE_LOST);
        assert_unchanged(&entries[i], before, CAPTURE_GLOBAL);
    }
    assert_true(lost > 0);
    make_current(NULL);
}

/* What is loaded, allocated and waited for while another thread captures does not end its capture.
 * Broken once: plx_cuda_enter() in place of plx_cuda_enter_relaxed() in alloc, free, plan and synchronize: the capture
 * is broken. */
static void captures_of_others_survive(void **unused)
{
    calls it = {.session = NULL};
    (void)unused;
    make_current(other_context(0));
    void *const stream = begin_capture(CAPTURE_GLOBAL);
    make_current(NULL);
    for (size_t i = 0; i < ENTRIES; i++)
        if (entries[i].call(&it) != PLX_OK)
            fail_msg("%s: %s", entries[i].name, error.text);
    make_current(other_context(0));
    assert_int_equal(end_capture(stream), 0);
    make_current(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_context_of_the_thread_is_restored),
        cmocka_unit_test(it_is_restored_after_failures),
        cmocka_unit_test(so_is_the_mode_of_capture),
        cmocka_unit_test(a_context_that_is_current_stays),
        cmocka_unit_test(a_sticky_error_restores_it_too),
        cmocka_unit_test(captures_of_others_survive),
    };
    return cmocka_run_group_tests(tests, start_with_fake, NULL);
}
