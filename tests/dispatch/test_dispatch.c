/* What the dispatcher checks, caches and reports, by the dummy plugin. */
#define _POSIX_C_SOURCE 200809L

#include "dispatch_bench.h"

plx_backend *open_device(plx_context *context, const char *where)
{
    plx_backend *backend = NULL;
    assert_int_equal(plx_open(context, where, &backend), PLX_OK);
    return backend;
}

static int set_up(void **state)
{
    fixture *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->directory = directory_make();
    directory_add(made->directory, DUMMY_GOOD, "good");
    made->context = context_of(made->directory);
    made->backend = open_device(made->context, "dummy-good:0");
    made->dummy = controls_of(DUMMY_GOOD);
    *state = made;
    return 0;
}

/* Whatever a test did, nothing may be left alive in the plugin. */
static int tear_down(void **state)
{
    fixture *made = *state;
    plx_close(made->backend);
    plx_context_destroy(made->context);
    directory_remove(made->directory);
    assert_int_equal(atomic_load(&made->dummy->fail), 0);
    assert_int_equal(atomic_load(&made->dummy->sessions), 0);
    assert_int_equal(atomic_load(&made->dummy->memories), 0);
    assert_int_equal(atomic_load(&made->dummy->queues), 0);
    assert_int_equal(atomic_load(&made->dummy->events), 0);
    assert_int_equal(atomic_load(&made->dummy->plans), 0);
    free(made);
    return 0;
}

plx_buffer *new_buffer(plx_backend *backend, uint64_t bytes)
{
    plx_buffer *buffer = NULL;
    assert_int_equal(plx_buffer_create(backend, bytes, &buffer), PLX_OK);
    assert_int_equal(plx_buffer_bytes(buffer), bytes);
    return buffer;
}

void expect(const fixture *bench, plx_status status, plx_status expected, const char *part)
{
    if (status != expected)
        fail_msg("%s instead of %s: %s", plx_strerror(status), plx_strerror(expected), plx_message(bench->context));
    assert_contains(plx_message(bench->context), part);
}

plx_status sum_of(fixture *bench, plx_buffer *buffer, int64_t n)
{
    return plx_reduce(bench->backend, PLX_I32, PLX_SUM, n, (plx_view){buffer, 4}, (plx_view){buffer, 0});
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BENCH(data_goes_there_and_back),
        WITH_BENCH(ranges_are_checked),
        WITH_BENCH(fills_are_made_of_words),
        WITH_BENCH(copies_may_not_overlap_or_change_device),
        WITH_BENCH(buffers_may_be_empty_or_too_large),
        WITH_BENCH(queues_belong_to_their_backend),
        WITH_BENCH(time_passes_between_two_events_of_one_queue),
        WITH_BENCH(the_four_elements_are_summed),
        WITH_BENCH(operands_are_checked),
        WITH_BENCH(a_matrix_needs_no_more_than_its_last_element),
        WITH_BENCH(nothing_is_executed_for_an_empty_output),
        WITH_BENCH(bad_problems_are_refused),
        WITH_BENCH(kernels_are_found_by_name),
        WITH_BENCH(types_that_a_plugin_does_not_take_are_not_offered),
        WITH_BENCH(configurations_are_found_by_name),
        WITH_BENCH(problems_that_mean_the_same_share_a_plan),
        WITH_BENCH(what_is_tuned_ends_plans_that_were_chosen),
        WITH_BENCH(a_plan_that_makes_room_is_not_at_work),
        WITH_BENCH(a_run_takes_its_queue),
        WITH_BENCH(the_cache_is_bounded_and_keeps_the_recent),
        WITH_BENCH(failures_are_told_with_what_was_tried),
        WITH_BENCH(what_is_supported_is_told),
        WITH_BENCH(counters_come_with_an_execution),
        WITH_BENCH(a_lost_device_runs_nothing_more),
        WITH_BENCH(a_failed_open_leaves_nothing),
        WITH_BENCH(threads_share_a_plan_on_their_own_queues),
        WITH_BENCH(threads_share_the_backends_own_queue),
        WITH_BENCH(a_forked_child_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
