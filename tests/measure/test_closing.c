/* The rounds when all is sampled: with nothing left to chance in the others, these alone find who keeps what he left,
 * and who works ahead; they are eight, whatever they find, and none where they are dear. */
#define _DEFAULT_SOURCE
#include "study/measure/runner.h"

#include <parallax/tool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A launch is as long as a sample, so a batch has one launch, on an idle machine and on a busy one. */
enum { SIDE = 256, LOOKS = 8 };

static plx_context *context_of_liars(void)
{
    const char *top = getenv("top_builddir");
    char folder[4096];
    const char *folders[] = {folder};
    const plx_context_options where = {.plugin_dirs = folders, .plugin_dir_count = 1};
    plx_context *context;
    (void)snprintf(folder, sizeof folder, "%s/tests/fakes/.libs", top != NULL ? top : ".");
    assert_int_equal(plx_context_create(&where, &context), PLX_OK);
    return context;
}

/* ---- who is found ----------------------------------------------------------------------------- */

static void assert_outcome(const char *liar, unsigned left_out, plx_outcome wanted)
{
    static const char *const backends[] = {"liars"};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, SIDE, SIDE, SIDE);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = &liar,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seconds_per_kernel = 0.1};
    plx_context *context = context_of_liars();
    plx_results results;
    plx_error error;
    plx_rules_left_out = left_out;
    const plx_status status = plx_compare(context, &options, &results, &error);
    plx_rules_left_out = 0;
    if (status != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.record_count, 1);
    if (results.records[0].outcome != wanted)
        fail_msg("%s: outcome %d, not %d: %s", liar, (int)results.records[0].outcome, (int)wanted,
                 results.records[0].reason);
    plx_results_free(&results);
    plx_context_destroy(context);
}

static void closing_rounds_alone_find(const char *liar)
{
    assert_outcome(liar, PLX_RULE_CHANCE, PLX_OUTCOME_WRONG);
    assert_outcome(liar, PLX_RULE_CHANCE | PLX_RULE_CLOSING, PLX_OUTCOME_OK);
}

static void what_stays_shows_who_keeps_it(void **unused)
{
    (void)unused;
    closing_rounds_alone_find("skips-what-it-left");
}

static void the_decoy_shows_who_works_ahead(void **unused)
{
    (void)unused;
    closing_rounds_alone_find("works-ahead-here");
}

/* ---- how many they are ------------------------------------------------------------------------- */

static const plx_kernel *kernel_named(plx_backend *backend, const char *name, size_t *step)
{
    const plx_kernel *kernel;
    for (*step = 0;
         (kernel = plx_kernel_at(plx_backend_context(backend), plx_backend_plugin(backend), PLX_GEMM, *step)) != NULL;
         ++*step)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    fail_msg("no kernel %s", name);
    return NULL;
}

/* Looks of the closing rounds within this limit. */
static size_t looks_within(const char *name, int64_t side, double limit_ns, bool *refused)
{
    static const plx_trial_effort effort = {.repeat = false};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, side, side, side);
    const plx_timing_rules generous = {.limit_ns = 1e8, .queues = 1}, rules = {.limit_ns = limit_ns, .queues = 1};
    plx_context *context = context_of_liars();
    plx_candidate candidate = {.outcome = PLX_OUTCOME_NOT_RUN};
    plx_runner *runner = calloc(1, sizeof *runner);
    plx_timed_sets *sets = NULL;
    plx_references references = {.kept = NULL};
    plx_inputs inputs;
    plx_error error;
    assert_non_null(runner);
    assert_int_equal(plx_open(context, "liars", &candidate.backend), PLX_OK);
    candidate.kernel = kernel_named(candidate.backend, name, &candidate.step);
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 7, &inputs, &error), PLX_OK);
    plx_candidate_run(&candidate, &inputs, &references, &effort);
    assert_int_equal(candidate.outcome, PLX_OUTCOME_OK);
    plx_runner_start(runner, &candidate, &sets, &inputs, &references, &generous);
    assert_false(runner->done);
    runner->all = runner;
    runner->all_count = 1;
    assert_int_equal(plx_runner_look_more(runner, &rules, &error), PLX_OK);
    const size_t looks = runner->looks;
    *refused = runner->done;
    plx_runner_finish(runner, &rules);
    plx_timed_sets_free(sets);
    plx_candidate_clear(&candidate);
    plx_references_free(&references);
    plx_inputs_free(&inputs);
    plx_close(candidate.backend);
    plx_context_destroy(context);
    free(runner);
    return looks;
}

static void they_are_eight(void **unused)
{
    bool refused;
    (void)unused;
    assert_int_equal(looks_within("honest", 32, 1e13, &refused), LOOKS);
    assert_false(refused);
}

static void none_follows_what_is_found(void **unused)
{
    bool refused;
    (void)unused;
    assert_true(looks_within("skips-what-it-left", SIDE, 1e13, &refused) < LOOKS);
    assert_true(refused);
}

/* No time at all, and each round takes longer than one that is always made. */
static void none_is_made_where_all_are_dear(void **unused)
{
    bool refused;
    (void)unused;
    assert_int_equal(looks_within("naps", 8, 0.0, &refused), 0);
    assert_false(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_shows_who_keeps_it),
        cmocka_unit_test(the_decoy_shows_who_works_ahead),
        cmocka_unit_test(they_are_eight),
        cmocka_unit_test(none_follows_what_is_found),
        cmocka_unit_test(none_is_made_where_all_are_dear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
