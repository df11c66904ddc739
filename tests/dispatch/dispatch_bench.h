/* What the tests of the dispatcher share: a backend of the dummy plugin, and the cases by what they are about. */
#ifndef PLX_TESTS_DISPATCH_BENCH_H
#define PLX_TESTS_DISPATCH_BENCH_H

#include "dummy_support.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef DUMMY_TELLS
#define DUMMY_TELLS true /* what it supports */
#endif

/* What every test starts from. */
typedef struct fixture {
    char *directory;
    plx_context *context;
    plx_backend *backend;
    dummy_state *dummy;
} fixture;

plx_backend *open_device(plx_context *context, const char *where);
plx_buffer *new_buffer(plx_backend *backend, uint64_t bytes);
/* That this is the status, and that its line has that part. */
void expect(const fixture *bench, plx_status status, plx_status expected, const char *part);
/* Of n elements from byte 4 on, to the first four bytes. */
plx_status sum_of(fixture *bench, plx_buffer *buffer, int64_t n);

#define CASE(name) void name(void **state)

/* dispatch_transfers.c */
CASE(data_goes_there_and_back);
CASE(ranges_are_checked);
CASE(fills_are_made_of_words);
CASE(copies_may_not_overlap_or_change_device);
CASE(buffers_may_be_empty_or_too_large);
CASE(queues_belong_to_their_backend);
CASE(time_passes_between_two_events_of_one_queue);

/* dispatch_plans.c */
CASE(the_four_elements_are_summed);
CASE(operands_are_checked);
CASE(a_matrix_needs_no_more_than_its_last_element);
CASE(nothing_is_executed_for_an_empty_output);
CASE(bad_problems_are_refused);
CASE(kernels_are_found_by_name);
CASE(configurations_are_found_by_name);
CASE(types_that_a_plugin_does_not_take_are_not_offered);
CASE(problems_that_mean_the_same_share_a_plan);
CASE(what_is_tuned_ends_plans_that_were_chosen);
CASE(a_plan_that_makes_room_is_not_at_work);
CASE(a_run_takes_its_queue);
CASE(the_cache_is_bounded_and_keeps_the_recent);

/* dispatch_failures.c */
CASE(failures_are_told_with_what_was_tried);
CASE(what_is_supported_is_told);
CASE(counters_come_with_an_execution);
CASE(a_lost_device_runs_nothing_more);
CASE(a_failed_open_leaves_nothing);
CASE(threads_share_a_plan_on_their_own_queues);
CASE(threads_share_the_backends_own_queue);
CASE(a_forked_child_is_told);

#endif
