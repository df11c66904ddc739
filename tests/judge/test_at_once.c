/* What study.h promises: studies from several threads at once, with one context.  Each thread does all of them, and
 * begins with another one.  tests/sanitizers runs it under ThreadSanitizer, which finds it if plx_judge_result_as()
 * counts its calls without a lock. */
#define _GNU_SOURCE /* mkdtemp, setenv */
#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 1, PATH = 600 };

static plx_context *context;
static char folder[PATH / 2];

/* A thread, and the files that are its own. */
typedef struct worker {
    size_t number;
    char path[PATH], other[PATH];
    char failure[PATH];
} worker;

static bool fails(worker *of, const char *what, const char *why)
{
    (void)snprintf(of->failure, sizeof of->failure, "%s: %s", what, why);
    return false;
}

/* ---- studies ------------------------------------------------------------------------------- */

static bool judges(worker *of)
{
    const float a[] = {1, 2, 3, 4}, b[] = {1, 0, 0, 1}, right[] = {1, 2, 3, 4}, wrong[] = {1, 2, 3, 5};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    const plx_strided operands[] = {{PLX_F32, 2, {2, 2}, {2, 1}, a}, {PLX_F32, 2, {2, 2}, {2, 1}, b}};
    plx_verdict verdict;
    plx_error error = {""};
    for (int i = 0; i < 2; i++) {
        const plx_strided result = {PLX_F32, 2, {2, 2}, {2, 1}, i == 0 ? right : wrong};
        if (plx_judge_result(&problem, operands, 2, &result, NULL, &verdict, &error) != PLX_OK)
            return fails(of, "judge", error.text);
        if (verdict.outcome != (i == 0 ? PLX_OUTCOME_OK : PLX_OUTCOME_WRONG))
            return fails(of, "judge", "another verdict");
    }
    return true;
}

static bool keeps_arrays(worker *of)
{
    int32_t numbers[] = {1, 2, 3, 4, 5, 6};
    const plx_array array = {.dtype = PLX_I32, .rank = 2, .rows = 2, .cols = 3, .data = numbers};
    plx_array read;
    plx_error error = {""};
    if (plx_npy_write(of->path, &array, &error) != PLX_OK || plx_npy_read(of->path, &read, &error) != PLX_OK)
        return fails(of, "npy", error.text);
    const bool same = memcmp(read.data, numbers, sizeof numbers) == 0;
    plx_array_free(&read);
    return same || fails(of, "npy", "other numbers");
}

static plx_status compare(const plx_problem *problem, double seconds, plx_results *results, plx_error *error)
{
    static const char *const backends[] = {"host"};
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .problems = problem,
                                         .problem_count = 1,
                                         .seed = 7,
                                         .no_timing = seconds == 0,
                                         .seconds_per_kernel = seconds};
    return plx_compare(context, &options, results, error);
}

/* Compared, written, read, and held against itself. */
static bool compares(worker *of)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, true, 20 + (int64_t)of->number, 30, 10);
    plx_results results = {.record_count = 0}, read = {.record_count = 0};
    plx_diff_results differences = {.count = 0};
    plx_error error = {""};
    plx_status status = compare(&problem, 0, &results, &error);
    const bool right = status == PLX_OK && results.record_count == 1 && results.records[0].outcome == PLX_OUTCOME_OK;
    if (status == PLX_OK)
        status = plx_results_write(&results, of->path, &error);
    if (status == PLX_OK)
        status = plx_results_read(of->path, &read, &error);
    const bool same =
        status == PLX_OK && read.record_count == 1 && memcmp(&read.records[0].problem, &problem, sizeof problem) == 0;
    if (status == PLX_OK)
        status = plx_diff(of->path, of->path, &(plx_diff_options){.threshold = 0}, &differences, &error);
    const bool none = status == PLX_OK && differences.compared == 1 && plx_diff_status(&differences) == 0;
    plx_diff_results_free(&differences);
    plx_results_free(&read);
    plx_results_free(&results);
    if (status != PLX_OK)
        return fails(of, "compare", error.text);
    return (right && same && none) || fails(of, "compare", "another result");
}

/* Timed, with the ceilings and the gains that all threads keep in one file each. */
static bool times(worker *of)
{
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000 + (int64_t)of->number);
    plx_results results = {.record_count = 0};
    plx_gain gain;
    plx_error error = {""};
    const plx_status status = compare(&problem, 0.005, &results, &error);
    if (status != PLX_OK)
        return fails(of, "time", error.text);
    plx_gains_store(&results);
    (void)plx_gains_find(&results.devices[0].info, "host", PLX_REDUCE, "reference", &gain);
    const bool right = results.record_count == 1 && results.records[0].outcome == PLX_OUTCOME_OK;
    plx_results_free(&results);
    return right || fails(of, "time", "another result");
}

static bool checks(worker *of)
{
    static const char *const backends[] = {"host"};
    const plx_op op = PLX_TRANSPOSE;
    const plx_dtype dtype = PLX_I8;
    const plx_check_options options = {.backends = backends,
                                       .backend_count = 1,
                                       .ops = &op,
                                       .op_count = 1,
                                       .dtypes = &dtype,
                                       .dtype_count = 1,
                                       .effort = PLX_QUICK,
                                       .only_case = 3 + of->number,
                                       .limit_repeats = true};
    plx_check_counts counts;
    plx_results results = {.record_count = 0};
    plx_error error = {""};
    if (plx_check(context, &options, &counts, &results, &error) != PLX_OK)
        return fails(of, "check", error.text);
    plx_results_free(&results);
    return counts.ok == 1 || fails(of, "check", "not one case is ok");
}

static void remove_files(const char *directory)
{
    char command[PATH + 20];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0)
        (void)fprintf(stderr, "%s: not removed\n", directory);
}

/* Whose results nobody made. */
static bool challenges(worker *of)
{
    const plx_op op = PLX_TRANSPOSE;
    const plx_challenge_options wanted = {.ops = &op, .op_count = 1, .seed = of->number, .batches = true};
    const plx_challenge_judging judging = {.save_failure = NULL};
    plx_judged *judged = NULL;
    size_t written = 0, count = 0;
    plx_error error = {""};
    plx_status status = plx_challenge_write(of->other, &wanted, &written, &error);
    if (status == PLX_OK)
        status = plx_challenge_judge(of->other, &judging, &judged, &count, &error);
    const bool as_expected = status == PLX_OK && count == written && plx_judged_status(judged, count) == 1;
    free(judged);
    remove_files(of->other);
    if (status != PLX_OK)
        return fails(of, "challenge", error.text);
    return as_expected || fails(of, "challenge", "another verdict");
}

static bool (*const studies[])(worker *of) = {judges, compares, challenges, checks, times, keeps_arrays};
enum { STUDIES = sizeof studies / sizeof studies[0] };

/* ---- threads --------------------------------------------------------------------------------- */

static void *run_worker(void *data)
{
    worker *of = data;
    for (size_t i = 0; i < ROUNDS * STUDIES && of->failure[0] == '\0'; i++)
        (void)studies[(i + of->number) % STUDIES](of);
    return NULL;
}

static void studies_at_once(void **state)
{
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        (void)snprintf(workers[i].path, PATH, "%s/%zu.npy", folder, i);
        (void)snprintf(workers[i].other, PATH, "%s/challenge-%zu", folder, i);
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_string_equal(workers[i].failure, "");
}

static int start(void **state)
{
    const char *build = getenv("top_builddir");
    char plugins[PATH];
    const char *const directories[] = {plugins};
    const plx_context_options options = {.plugin_dirs = directories, .plugin_dir_count = 1};
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/plx-at-once-XXXXXX",
                   getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    (void)snprintf(plugins, sizeof plugins, "%s/.libs", build != NULL ? build : ".");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)setenv("XDG_CACHE_HOME", folder, 1);
    (void)unsetenv("PLX_NO_CACHE");
    return plx_context_create(&options, &context) == PLX_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    plx_context_destroy(context);
    remove_files(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(studies_at_once)};
    return cmocka_run_group_tests(tests, start, stop);
}
