/* Each rule by which timed launches are judged is needed: where it is left out, some kernel of the plugin liars that it
 * refuses is ok. */
#define _DEFAULT_SOURCE
#include "study/judge/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Chance is in each of them. */
enum { TRIES = 6 };

typedef struct needed {
    unsigned rule;
    const char *liar;
    int64_t m, n, k;
    const char *cache; /* bytes */
} needed;

static plx_outcome outcome_of(const needed *one, char reason[512])
{
    static const char *const backends[] = {"liars"};
    char folder[4096];
    const char *top = getenv("top_builddir"), *folders[] = {folder};
    const plx_context_options where = {.plugin_dirs = folders, .plugin_dir_count = 1};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, one->m, one->n, one->k);
    static uint64_t seed = 1;
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = &one->liar,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seed = ++seed,
                                         .seconds_per_kernel = 0.3};
    plx_context *context;
    plx_results results;
    plx_error error;
    (void)snprintf(folder, sizeof folder, "%s/tests/fakes/.libs", top != NULL ? top : ".");
    if (one->cache != NULL)
        (void)setenv("LIARS_CACHE", one->cache, 1);
    else
        (void)unsetenv("LIARS_CACHE");
    assert_int_equal(plx_context_create(&where, &context), PLX_OK);
    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.record_count, 1);
    const plx_outcome outcome = results.records[0].outcome;
    (void)snprintf(reason, 512, "%s", results.records[0].reason);
    plx_results_free(&results);
    plx_context_destroy(context);
    return outcome;
}

static bool has_outcome(const needed *one, unsigned left_out, plx_outcome wanted)
{
    char reason[512] = "";
    bool found = false;

    plx_rules_left_out = left_out;
    for (int i = 0; !found && i < TRIES; ++i)
        found = outcome_of(one, reason) == wanted;
    plx_rules_left_out = 0;
    if (!found)
        print_error("%s: %s\n", one->liar, reason);
    return found;
}

static void assert_needed(const needed *one)
{
    if (!has_outcome(one, 0, PLX_OUTCOME_WRONG))
        fail_msg("%s is not refused by all rules", one->liar);
    if (!has_outcome(one, one->rule, PLX_OUTCOME_OK))
        fail_msg("%s is refused without the rule that is for it", one->liar);
}

#define NEEDED(name, ...)                 \
    static void name(void **unused)       \
    {                                     \
        const needed one = {__VA_ARGS__}; \
        (void)unused;                     \
        assert_needed(&one);              \
    }

NEEDED(data_that_is_fresh, PLX_RULE_FRESH, "replays-by-a-sample", 64, 64, 32, NULL)
NEEDED(outputs_that_look_like_results, PLX_RULE_PLAUSIBLE, "looks-for-nan", 64, 64, 32, NULL)
NEEDED(a_decoy, PLX_RULE_DECOY, "works-ahead-here", 64, 64, 32, NULL)
NEEDED(what_must_not_change, PLX_RULE_VERIFY, "changes-an-input", 64, 64, 32, NULL)
NEEDED(surroundings, PLX_RULE_VERIFY, "writes-behind", 64, 64, 32, NULL)
NEEDED(the_sets_of_others, PLX_RULE_BESIDE, "scribbles", 192, 192, 96, NULL)
NEEDED(sums_of_few_terms, PLX_RULE_FEW, "tf32-when-long", 24, 24, 65536, NULL)
NEEDED(integers, PLX_RULE_INTEGERS, "drops-a-term", 24, 24, 65536, NULL)
NEEDED(time_that_follows_work, PLX_RULE_FOLLOW, "skips-what-it-knows", 32, 32, 64, "16384")
NEEDED(results_that_are_there, PLX_RULE_READ, "works-in-the-download", 64, 64, 32, NULL)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_that_is_fresh),
        cmocka_unit_test(outputs_that_look_like_results),
        cmocka_unit_test(a_decoy),
        cmocka_unit_test(what_must_not_change),
        cmocka_unit_test(surroundings),
        cmocka_unit_test(the_sets_of_others),
        cmocka_unit_test(sums_of_few_terms),
        cmocka_unit_test(integers),
        cmocka_unit_test(time_that_follows_work),
        cmocka_unit_test(results_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
