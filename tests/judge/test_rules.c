/* Each rule by which timed launches are judged is needed: where it is left out, some kernel of the plugin liars that it
 * refuses is ok, or one that is honest pays for another. */
#define _DEFAULT_SOURCE
#include "study/judge/judge.h"

#include <parallax/tool.h>

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
    const char *cache;  /* bytes */
    const char *beside; /* another kernel, which takes turns with it */
    const char *added;  /* it is no plugin's: how many calls it leaves zero what must stay so */
} needed;

/* ---- launches of somebody's ---------------------------------------------------------------- */

static plx_status launches_of(void *data, const plx_problem *problem, const plx_device_info *device,
                              const plx_launch_list **list, plx_error *error)
{
    (void)problem, (void)device, (void)error;
    *list = data;
    return PLX_OK;
}

static void keep(void *data, const plx_launch_list *list)
{
    (void)data, (void)list;
}

static void add_launches(plx_context *context, const needed *one, plx_launch_list *list)
{
    *list = (plx_launch_list){.name = one->added, .language = "none", .code = "", .depth = one->k, .launch_count = 0};
    const plx_added_kernel added = {.op = PLX_GEMM,
                                    .about = {.name = one->liar,
                                              .idea = "",
                                              .gain = "",
                                              .limit = "",
                                              .needs = "",
                                              .dtypes = PLX_DTYPE_BIT(PLX_F32),
                                              .accumulator_f32 = PLX_F32,
                                              .reproducibility = PLX_R2},
                                    .data = list,
                                    .launches = launches_of,
                                    .release = keep};
    assert_int_equal(plx_context_add_kernel(context, &added), PLX_OK);
}

/* ---- one comparison ------------------------------------------------------------------------- */

static plx_record record_of(const needed *one)
{
    static const char *const backends[] = {"liars"};
    const char *kernels[] = {one->liar, one->beside};
    char folder[4096];
    const char *top = getenv("top_builddir"), *folders[] = {folder};
    const plx_context_options where = {.plugin_dirs = folders, .plugin_dir_count = 1};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, one->m, one->n, one->k);
    static uint64_t seed = 1;
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = kernels,
                                         .kernel_count = one->beside != NULL ? 2 : 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seed = ++seed,
                                         .seconds_per_kernel = 0.3};
    plx_launch_list list;
    plx_context *context;
    plx_results results;
    plx_error error;
    (void)snprintf(folder, sizeof folder, "%s/tests/fakes/.libs", top != NULL ? top : ".");
    if (one->cache != NULL)
        (void)setenv("LIARS_CACHE", one->cache, 1);
    else
        (void)unsetenv("LIARS_CACHE");
    assert_int_equal(plx_context_create(&where, &context), PLX_OK);
    if (one->added != NULL)
        add_launches(context, one, &list);
    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.record_count, options.kernel_count);
    const plx_record found = results.records[strcmp(results.records[0].kernel, one->liar) == 0 ? 0 : 1];
    assert_string_equal(found.kernel, one->liar);
    plx_results_free(&results);
    plx_context_destroy(context);
    return found;
}

static bool has_outcome(const needed *one, unsigned left_out, plx_outcome wanted)
{
    plx_record record = {.reason = ""};
    bool found = false;

    plx_rules_left_out = left_out;
    for (int i = 0; !found && i < TRIES; ++i) {
        record = record_of(one);
        found = record.outcome == wanted;
    }
    plx_rules_left_out = 0;
    if (!found)
        print_error("%s: %s\n", one->liar, record.reason);
    return found;
}

static void assert_needed(const needed *one)
{
    if (!has_outcome(one, 0, PLX_OUTCOME_WRONG))
        fail_msg("%s is not refused by all rules", one->liar);
    if (!has_outcome(one, one->rule, PLX_OUTCOME_OK))
        fail_msg("%s is refused without the rule that is for it", one->liar);
}

/* ---- rules ------------------------------------------------------------------------------------ */

#define NEEDED(name, ...)                 \
    static void name(void **unused)       \
    {                                     \
        const needed one = {__VA_ARGS__}; \
        (void)unused;                     \
        assert_needed(&one);              \
    }

NEEDED(data_that_is_fresh, PLX_RULE_FRESH, "replays-by-a-sample", 64, 64, 32, NULL, NULL, NULL)
NEEDED(outputs_that_look_like_results, PLX_RULE_PLAUSIBLE, "looks-for-nan", 64, 64, 32, NULL, NULL, NULL)
NEEDED(a_decoy, PLX_RULE_DECOY, "works-ahead-here", 64, 64, 32, NULL, NULL, NULL)
NEEDED(what_must_not_change, PLX_RULE_VERIFY, "changes-an-input", 64, 64, 32, NULL, NULL, NULL)
NEEDED(surroundings, PLX_RULE_VERIFY, "writes-behind", 64, 64, 32, NULL, NULL, NULL)
NEEDED(the_sets_of_others, PLX_RULE_BESIDE, "scribbles", 192, 192, 96, NULL, NULL, NULL)
NEEDED(sums_of_few_terms, PLX_RULE_FEW, "tf32-when-long", 24, 24, 16384, NULL, NULL, NULL)
NEEDED(integers, PLX_RULE_INTEGERS, "drops-a-term", 24, 24, 65536, NULL, NULL, NULL)
NEEDED(time_that_follows_work, PLX_RULE_FOLLOW, "skips-what-it-knows", 32, 32, 64, "16384", NULL, NULL)
NEEDED(results_that_are_there, PLX_RULE_READ, "works-in-the-download", 64, 64, 32, NULL, NULL, NULL)
NEEDED(places_that_are_drawn, PLX_RULE_PLACES, "works-in-pairs", 64, 64, 32, NULL, NULL, NULL)
NEEDED(rounds_without_launches, PLX_RULE_GHOST, "works-as-filled", 64, 64, 32, NULL, NULL, NULL)
NEEDED(memory_that_must_stay_zero, PLX_RULE_ZERO, "mine:counts", 64, 64, 32, NULL, NULL, "0")
NEEDED(memory_that_must_stay_zero_when_timed, PLX_RULE_ZERO, "mine:counts", 64, 64, 32, NULL, NULL, "64")

/* What another writes around inputs of the sets that they share is there until it is put right. */
static void the_blame_on_the_right_one(void **unused)
{
    const needed honest = {PLX_RULE_BLAME, "honest", 64, 64, 32, NULL, "writes-behind-an-input", NULL};
    (void)unused;
    if (!has_outcome(&honest, 0, PLX_OUTCOME_OK))
        fail_msg("an honest kernel is refused for what another did");
    if (!has_outcome(&honest, PLX_RULE_BLAME, PLX_OUTCOME_WRONG))
        fail_msg("an honest kernel is not refused without the rule that is for it");
}

/* Whether the honest kernel's time is that of the device's clock.  A launch is long beside what it costs the host,
 * which a busy machine makes long, too. */
static bool is_believed(unsigned left_out)
{
    const needed honest = {.liar = "honest", .m = 192, .n = 192, .k = 256};
    bool believed = false;

    plx_rules_left_out = left_out;
    for (int i = 0; !believed && i < (left_out != 0 ? TRIES : 1); ++i) {
        const plx_record record = record_of(&honest);
        believed = record.time.measured && record.time.device_clock;
    }
    plx_rules_left_out = 0;
    return believed;
}

/* A clock that tells 12 % less. */
static void a_clock_that_is_held_to_another(void **unused)
{
    (void)unused;
    (void)setenv("LIARS_CLOCK", "fast", 1);
    const bool with = is_believed(0), without = is_believed(PLX_RULE_CLOCK);
    (void)unsetenv("LIARS_CLOCK");
    assert_false(with);
    assert_true(without);
}

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
        cmocka_unit_test(places_that_are_drawn),
        cmocka_unit_test(rounds_without_launches),
        cmocka_unit_test(memory_that_must_stay_zero),
        cmocka_unit_test(memory_that_must_stay_zero_when_timed),
        cmocka_unit_test(the_blame_on_the_right_one),
        cmocka_unit_test(a_clock_that_is_held_to_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
