/* The rounds when all is sampled: with nothing left to chance in the others, these alone find who keeps what he left,
 * and who works ahead; they are eight, whatever they find, and none where they are dear. */
#define _DEFAULT_SOURCE
#include "study/measure/runner.h"

#include "base/clock.h"

#include <parallax/tool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* Where others have the processors, rounds take so long that only a few are made: such a run tells nothing. */
static bool was_crowded(double wall_ns, clock_t worked)
{
    return 1e9 * (double)worked / (double)CLOCKS_PER_SEC < 0.7 * wall_ns;
}

static plx_outcome outcome_of(const char *liar, unsigned left_out, char *reason, size_t capacity, bool *crowded)
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
    const double start = plx_now_ns();
    const clock_t worked = clock();
    plx_rules_left_out = left_out;
    const plx_status status = plx_compare(context, &options, &results, &error);
    plx_rules_left_out = 0;
    *crowded = was_crowded(plx_now_ns() - start, clock() - worked);
    if (status != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.record_count, 1);
    const plx_outcome outcome = results.records[0].outcome;
    (void)snprintf(reason, capacity, "%s", results.records[0].reason);
    plx_results_free(&results);
    plx_context_destroy(context);
    return outcome;
}

static void assert_outcome(const char *liar, unsigned left_out, plx_outcome wanted)
{
    enum { TRIES = 10 };
    bool crowded = true;
    char reason[512] = "";
    plx_outcome outcome = PLX_OUTCOME_NOT_RUN;
    for (int i = 0; crowded && outcome != wanted && i < TRIES; i++)
        outcome = outcome_of(liar, left_out, reason, sizeof reason, &crowded);
    if (outcome != wanted)
        fail_msg("%s: outcome %d, not %d: %s", liar, (int)outcome, (int)wanted, reason);
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

/* A kernel that is being timed, and what that takes. */
typedef struct timed {
    plx_context *context;
    plx_candidate candidate;
    plx_inputs inputs;
    plx_references references;
    plx_timed_sets *sets;
    plx_runner *runner;
} timed;

static void start(timed *t, const char *name, int64_t side)
{
    static const plx_trial_effort effort = {.repeat = false};
    static const plx_timing_rules generous = {.limit_ns = 1e8, .queues = 1};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, side, side, side);
    plx_error error;
    *t = (timed){.context = context_of_liars(), .candidate = {.outcome = PLX_OUTCOME_NOT_RUN}};
    t->runner = calloc(1, sizeof *t->runner);
    assert_non_null(t->runner);
    assert_int_equal(plx_open(t->context, "liars", &t->candidate.backend), PLX_OK);
    t->candidate.kernel = kernel_named(t->candidate.backend, name, &t->candidate.step);
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 7, &t->inputs, &error), PLX_OK);
    plx_candidate_run(&t->candidate, &t->inputs, &t->references, &effort);
    assert_int_equal(t->candidate.outcome, PLX_OUTCOME_OK);
    plx_runner_start(t->runner, &t->candidate, &t->sets, &t->inputs, &t->references, &generous);
    assert_false(t->runner->done);
    t->runner->all = t->runner;
    t->runner->all_count = 1;
}

static void end(timed *t, const plx_timing_rules *rules)
{
    plx_runner_finish(t->runner, rules);
    plx_timed_sets_free(t->sets);
    plx_candidate_clear(&t->candidate);
    plx_references_free(&t->references);
    plx_inputs_free(&t->inputs);
    plx_close(t->candidate.backend);
    plx_context_destroy(t->context);
    free(t->runner);
}

/* Looks of the closing rounds within this limit. */
static size_t looks_within(const char *name, int64_t side, double limit_ns, bool *refused)
{
    const plx_timing_rules rules = {.limit_ns = limit_ns, .queues = 1};
    timed t;
    plx_error error;
    start(&t, name, side);
    assert_int_equal(plx_runner_look_more(t.runner, &rules, &error), PLX_OK);
    const size_t looks = t.runner->looks;
    *refused = t.runner->done;
    end(&t, &rules);
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

/* ---- a busy machine ---------------------------------------------------------------------------- */

/* Whether a kernel is said to work when it is read, where so many reads behind a launch take longer. */
static bool is_late(const char *times)
{
    const plx_timing_rules rules = {.limit_ns = 1e8, .queues = 1};
    timed t;
    plx_error error;
    plx_rules_left_out = PLX_RULE_CLOSING | PLX_RULE_GHOST | PLX_RULE_FOLLOW;
    start(&t, "honest", 32);
    assert_int_equal(setenv("LIARS_LATE", times, 1), 0);
    assert_int_equal(plx_runner_close(t.runner, &rules, &error), PLX_OK);
    assert_int_equal(unsetenv("LIARS_LATE"), 0);
    plx_rules_left_out = 0;
    const bool found = t.candidate.outcome != PLX_OUTCOME_OK;
    end(&t, &rules);
    return found;
}

static void a_busy_machine_is_no_work(void **unused)
{
    (void)unused;
    assert_false(is_late("10"));
    assert_true(is_late("100000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_shows_who_keeps_it),
        cmocka_unit_test(the_decoy_shows_who_works_ahead),
        cmocka_unit_test(they_are_eight),
        cmocka_unit_test(none_follows_what_is_found),
        cmocka_unit_test(none_is_made_where_all_are_dear),
        cmocka_unit_test(a_busy_machine_is_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
