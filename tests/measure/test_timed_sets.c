/* How many sets of operands take turns, where they lie, and what damages them. */

#include "study/measure/timed_sets.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

/* ---- buffers ---------------------------------------------------------------------------- */

static void sets_exceed_four_times_the_cache(void **unused)
{
    const uint64_t mib = 1 << 20, cache = 60 * mib;
    const plx_device_info roomy = {.memory_bytes = 100000 * mib, .max_alloc_bytes = 100000 * mib};
    (void)unused;
    for (uint64_t bytes = 256; bytes < 2000 * mib; bytes *= 3) {
        const size_t sets = plx_timed_sets_count(bytes, bytes, cache, &roomy);
        assert_true(sets >= 2 && (sets * bytes > 4 * cache || sets == 8192));
    }
    assert_int_equal(plx_timed_sets_count(0, 0, cache, &roomy), 1);
}

static void buffers_leave_room(void **unused)
{
    const uint64_t mib = 1 << 20;
    const plx_device_info tight = {.memory_bytes = 400 * mib, .max_alloc_bytes = 60 * mib};
    (void)unused;
    assert_int_equal(plx_timed_sets_count(10 * mib, 5 * mib, 60 * mib, &tight), 10); /* a quarter of the memory */
    assert_int_equal(plx_timed_sets_count(25 * mib, 25 * mib, 60 * mib, &tight), 2); /* one allocation */
    assert_int_equal(plx_timed_sets_count(300 * mib, 200 * mib, 60 * mib, &tight), 1);
}

/* A device or a host that is too small says so before there is any memory. */
static void operands_fit_or_it_is_said(void **unused)
{
    const plx_device_info small = {.name = "small", .memory_bytes = UINT64_C(1) << 30};
    const plx_device_info processor = {.name = "processor", .features = PLX_FEATURE_CPU, .memory_bytes = 1};
    const plx_device_info silent = {.name = "silent"};
    plx_problem problem = plx_problem_of(PLX_REDUCE, PLX_F32);
    plx_inputs inputs;
    plx_error error = {.text = ""};
    (void)unused;
    problem.of.reduce.n = (INT64_C(1) << 28) - 2; /* and a result: 4 bytes below 1 GiB */
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&small, &inputs, &error), PLX_OK);
    problem.of.reduce.n += 2;
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&small, &inputs, &error), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "small has 1.0 GiB"));
    /* What lies in host memory twice is two thirds of it. */
    problem.of.reduce.n = (int64_t)(plx_host_memory() / 3 * 2 / 4);
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&silent, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&processor, &inputs, &error), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "twice on a processor"));
}

static plx_timed_sets *sets_of(plx_backend *backend, const plx_inputs *inputs, bool hot, size_t queues)
{
    plx_timed_sets *list = NULL, *found = NULL;
    plx_error error = {.text = ""};
    assert_int_equal(plx_timed_sets_for(&list, backend, inputs, hot, queues, &found, &error), PLX_OK);
    assert_ptr_equal(list, found);
    return found;
}

static void with_sums(plx_context **context, plx_backend **backend, plx_inputs *inputs)
{
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000);
    plx_error error = {.text = ""};
    assert_int_equal(plx_context_create(NULL, context), PLX_OK);
    assert_int_equal(plx_open(*context, "host", backend), PLX_OK);
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 7, inputs, &error), PLX_OK);
}

static void turn(plx_timed_sets *sets, plx_timed_user *user, size_t launches)
{
    assert_int_equal(plx_timed_sets_begin(sets, user), PLX_OK);
    assert_int_equal(plx_timed_sets_renew(sets, launches), PLX_OK);
    assert_int_equal(sets->launches, launches);
}

/* Else launches in two of them could meet on the same operands. */
static void each_queue_has_its_own_sets(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    for (size_t queues = 1; queues <= 7; queues++) {
        plx_timed_user user = {.turns = 0};
        plx_timed_sets *sets = sets_of(backend, &inputs, true, queues);
        assert_int_equal(sets->count, queues + 1); /* and the decoy */
        turn(sets, &user, 3 * queues);
        assert_int_equal(sets->used_count, queues);
        for (size_t i = 0; i < 3 * queues; i++) {
            size_t lanes = 0;
            for (size_t j = i / queues * queues; j < (i / queues + 1) * queues; j++)
                lanes += sets->sets[sets->order[j]].lane == i % queues ? 1 : 0;
            assert_int_equal(lanes, 1);
        }
        plx_timed_sets_free(sets);
    }
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Every set of a shifted operand lies as far off alignment as the first, and holds what its draw says. */
static void sets_start_where_the_inputs_say(void **unused)
{
    float back[1000];
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs, view;
    plx_timed_user user = {.turns = 0};
    plx_view views[2];
    plx_error error;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    inputs.shift = 3;
    plx_timed_sets *sets = sets_of(backend, &inputs, true, 4);
    for (size_t round = 0; round < 50; round++) {
        turn(sets, &user, 4);
        for (size_t i = 0; i < 4; i++) {
            const size_t set = sets->order[i];
            plx_timed_sets_views(sets, set, views);
            assert_int_equal(views[0].offset % 256, 12);
            assert_int_equal(views[1].offset % 256, 12);
            assert_int_equal(plx_download(NULL, back, views[0].buffer, views[0].offset, sizeof back), PLX_OK);
            assert_int_equal(plx_pool_view(sets->pool, sets->inputs, &sets->sets[set].draw, &view, &error), PLX_OK);
            assert_memory_equal(back, view.data[0], sizeof back);
            plx_pool_view_free(&sets->sets[set].draw, &view);
            plx_timed_sets_launched(sets, set);
        }
    }
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* What launches need of them, and no more memory of a processor; each has a place of its own, also when more come. */
static void sets_come_into_use_with_launches(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    assert_true(sets->made > 1000 && sets->count < 100);
    for (size_t launches = 10; launches <= 640; launches *= 4) {
        assert_int_equal(plx_timed_sets_reach(sets, launches), PLX_OK);
        turn(sets, &user, launches);
        assert_int_equal(sets->used_count, launches);
        assert_true(sets->count < 3 * launches + 100);
        for (size_t i = 0; i < sets->count; i++) {
            assert_true(sets->sets[i].place[0] < sets->count * sets->room[0]);
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(sets->sets[i].place[0] / sets->room[0], sets->sets[j].place[0] / sets->room[0]);
        }
    }
    assert_int_equal(plx_timed_sets_reach(sets, 1000000), PLX_OK);
    assert_int_equal(sets->count, sets->made);
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Memory of as much as the cache once for all backends of a processor. */
static void what_empties_the_cache_is_shared(void **unused)
{
    plx_context *context;
    plx_backend *backend, *other;
    plx_inputs inputs;
    plx_timed_user users[2] = {{.turns = 0}};
    plx_timed_sets *list = NULL, *first = NULL, *second = NULL;
    plx_error error = {.text = ""};
    (void)unused;
    with_sums(&context, &backend, &inputs);
    assert_int_equal(plx_open(context, "host", &other), PLX_OK);
    assert_int_equal(plx_timed_sets_for(&list, backend, &inputs, false, 1, &first, &error), PLX_OK);
    assert_int_equal(plx_timed_sets_for(&list, other, &inputs, false, 1, &second, &error), PLX_OK);
    assert_ptr_not_equal(first, second);
    turn(second, &users[1], 10);
    turn(first, &users[0], 10);
    assert_non_null(first->spare);
    assert_null(second->spare);
    plx_timed_sets_free(list);
    plx_inputs_free(&inputs);
    plx_close(other);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Between two launches on a set lie half of the others, and the order is another each time. */
static void sets_take_turns_in_another_order(void **unused)
{
    enum { LAUNCHES = 4000 };
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    size_t first[LAUNCHES], same = 0;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    for (int round = 0; round < 2; round++) {
        turn(sets, &user, LAUNCHES);
        for (size_t i = 0; i < LAUNCHES; i++)
            for (size_t j = i + 1; j < LAUNCHES && j - i < sets->used_count / 2; j++)
                assert_int_not_equal(sets->order[i], sets->order[j]);
        for (size_t i = 0; i < LAUNCHES; i++) {
            same += round > 0 && sets->order[i] == first[i] ? 1 : 0;
            first[i] = sets->order[i];
        }
    }
    assert_true(same < LAUNCHES / 10);
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* What was damaged is said, and where. */
static void damage_is_said(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    plx_error error;
    char violation[200];
    const float other = 0.5F;
    bool untouched;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    turn(sets, &user, 2);
    const size_t set = sets->order[0];
    const uint64_t x = sets->sets[set].place[0], result = sets->sets[set].place[1];
    assert_int_equal(plx_timed_sets_verify(sets, set, violation, &error), PLX_OK);
    assert_string_equal(violation, "");
    assert_int_equal(plx_timed_sets_untouched(sets, set, &untouched, &error), PLX_OK);
    assert_true(untouched);
    const struct damage {
        plx_buffer *buffer;
        uint64_t offset;
        const char *words;
    } damages[] = {{sets->buffer[1], result - 4, "wrote before the start of result"},
                   {sets->buffer[1], result + 4, "wrote past the end of result"},
                   {sets->buffer[0], x - 4, "wrote before the start of x"},
                   {sets->buffer[0], x + 4000, "wrote past the end of x"},
                   {sets->buffer[0], x + 2000, "wrote to x of set"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        float kept;
        assert_int_equal(plx_download(NULL, &kept, damages[i].buffer, damages[i].offset, 4), PLX_OK);
        assert_int_equal(plx_upload(NULL, damages[i].buffer, damages[i].offset, &other, 4), PLX_OK);
        assert_int_equal(plx_timed_sets_verify(sets, set, violation, &error), PLX_OK);
        assert_non_null(strstr(violation, damages[i].words));
        assert_int_equal(plx_timed_sets_untouched(sets, set, &untouched, &error), PLX_OK);
        assert_int_equal(untouched, damages[i].buffer == sets->buffer[0]);
        assert_int_equal(plx_upload(NULL, damages[i].buffer, damages[i].offset, &kept, 4), PLX_OK);
    }
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_exceed_four_times_the_cache),
        cmocka_unit_test(buffers_leave_room),
        cmocka_unit_test(operands_fit_or_it_is_said),
        cmocka_unit_test(each_queue_has_its_own_sets),
        cmocka_unit_test(sets_start_where_the_inputs_say),
        cmocka_unit_test(sets_take_turns_in_another_order),
        cmocka_unit_test(sets_come_into_use_with_launches),
        cmocka_unit_test(what_empties_the_cache_is_shared),
        cmocka_unit_test(damage_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
