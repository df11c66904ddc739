/* diff: significance, false alarms over many records with noise of several kinds, and several runs. */
#define _POSIX_C_SOURCE 200809L

#include "study/diff/significance.h"

#include "diff_support.h"

/* ---- significance ----------------------------------------------------------------- */

static void tails_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_near(plx_student_tails(0, 3), 1, 1e-12);
    assert_near(plx_student_tails(1, 1), 0.5, 1e-12); /* Cauchy */
    assert_near(plx_student_tails(12.7062, 1), 0.05, 1e-6);
    assert_near(plx_student_tails(-2.22814, 10), 0.05, 1e-6);
    assert_near(plx_student_tails(4.58689, 10), 0.001, 1e-7);
    assert_near(plx_student_tails(1.95996, 1e6), 0.05, 1e-5);
    assert_near(plx_student_tails(sqrt(2.0), 2), 1 - sqrt(0.5), 1e-12);
    assert_near(plx_student_tails(INFINITY, 4), 0, 0);
}

static void holm_asks_more_of_many(void **state)
{
    double p[] = {0.01, 0.04, 0.03, 0.005, 0.9};
    size_t order[5];
    (void)state;
    plx_holm(p, order, 5);
    assert_near(p[3], 0.025, 1e-15);
    assert_near(p[0], 0.04, 1e-15);
    assert_near(p[2], 0.09, 1e-15);
    assert_near(p[1], 0.09, 1e-15); /* never below the one before */
    assert_near(p[4], 0.9, 1e-15);
}

static void noise_needs_samples(void **state)
{
    plx_noise one = plx_noise_of(99, 101, 1), few = plx_noise_of(99, 101, 3), many = plx_noise_of(99, 101, 100);
    (void)state;
    assert_near(plx_medians_differ(100, one, 500, many), 1, 0);
    assert_true(plx_medians_differ(100, few, 103, few) > plx_medians_differ(100, many, 103, many));
    assert_true(plx_medians_differ(100, many, 100.2, many) > 0.5);
    plx_noise none = plx_noise_of(100, 100, 50);
    assert_near(plx_medians_differ(100, none, 100, none), 1, 0);
    assert_near(plx_medians_differ(100, none, 101, none), 0, 0);
}

/* ---- false alarms -------------------------------------------------------------------------- */

/* Marsaglia's xorshift: the same noise on every machine. */
static uint64_t noise_state;

static double uniform(void)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 7;
    noise_state ^= noise_state << 17;
    return ((double)(noise_state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

typedef enum noise_kind { NORMAL, SKEWED, OUTLIERS, NOISE_KINDS } noise_kind;

static double sample_of(noise_kind kind, double spread)
{
    if (kind == SKEWED)
        return 1000 * exp(spread * -log(uniform()));
    if (kind == OUTLIERS && uniform() < 0.1)
        return 1000 * (1 + 10 * spread * uniform());
    return 1000 * exp(spread * normal());
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The ranks of the 95 % interval, as the core takes them: P(Bin(n, 1/2) <= rank) <= 2.5 %. */
static size_t lower_rank(size_t count)
{
    double term = exp2(-(double)count), sum = term;
    size_t rank = 0;
    while (sum <= 0.025) {
        term *= (double)(count - rank) / (double)(rank + 1);
        sum += term;
        if (sum <= 0.025)
            rank++;
        else
            break;
    }
    return rank;
}

/* A median and its interval of samples that are taken until the interval is narrower than
 * 1 %, or until there are as many as the time allows. */
static void add_noisy(json_t *root, int n, noise_kind kind, double spread, size_t most, double factor)
{
    double samples[120], sorted[120], median = 0, low = 0, high = 0;
    size_t count = 0;
    while (count < most) {
        samples[count++] = factor * sample_of(kind, spread);
        if (count < most && (count < 12 || count % 4 != 0))
            continue;
        memcpy(sorted, samples, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, rising);
        low = sorted[lower_rank(count)];
        high = sorted[count - 1 - lower_rank(count)];
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        if (high - low < 0.01 * median)
            break;
    }
    json_t *record = add_record(root, n, median, 0, (int)count);
    json_object_set_new(json_object_get(record, "time"), "ci95_ns", json_pack("[f, f]", low, high));
}

/* Records with noise of every kind, few samples and many; the record `slow`, if any, is
 * slower by a tenth. */
static json_t *noisy_file(uint64_t seed, int count, int slow)
{
    static const double spreads[] = {0.003, 0.01, 0.03, 0.1};
    static const size_t most[] = {3, 5, 12, 40, 120};
    json_t *root = empty_file();
    noise_state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < count; i++)
        add_noisy(root, i + 1, (noise_kind)(i % NOISE_KINDS), i == slow ? 0.003 : spreads[i / 3 % 4],
                  i == slow ? 40 : most[i / 12 % 5], i == slow ? 1.1 : 1);
    return root;
}

static void noise_alone_rarely_alarms(void **state)
{
    enum { RUNS = 40, RECORDS = 1000 };
    size_t alarmed = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        json_t *before = noisy_file(2 * run + 1, RECORDS, -1), *after = noisy_file(2 * run + 2, RECORDS, -1);
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.timed, RECORDS);
        alarmed += results.count > 0;
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
    printf("%zu of %d diffs of %d records each alarmed\n", alarmed, (int)RUNS, (int)RECORDS);
    assert_true(alarmed <= 2); /* 1 % of them are expected at most */
}

static void one_slow_record_among_a_thousand_is_found(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 5; run++) {
        json_t *before = noisy_file(100 + run, 1000, 499), *after = noisy_file(200 + run, 1000, 499);
        json_t *old = json_array_get(json_object_get(before, "records"), 499);
        double median = json_number_value(json_object_get(json_object_get(old, "time"), "median_ns"));
        json_t *interval = json_object_get(json_object_get(old, "time"), "ci95_ns");
        json_object_set_new(json_object_get(old, "time"), "median_ns", json_real(median / 1.1));
        json_array_set_new(interval, 0, json_real(json_number_value(json_array_get(interval, 0)) / 1.1));
        json_array_set_new(interval, 1, json_real(json_number_value(json_array_get(interval, 1)) / 1.1));
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.counts[PLX_CHANGE_SLOWER], 1);
        assert_non_null(strstr(results.differences[0].problem, " 500 "));
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
}

/* A kernel of 13 us whose samples lie in two heaps, four parts of a hundred apart: half of its interval is what the
 * next run may differ by, and 17 samples tell the other half.  8 % more are found among 13 records, 3 % are none. */
static void what_differs_between_runs_is_no_noise_of_few_samples(void **state)
{
    enum { RECORDS = 13 };
    const double median = 13000, half = 0.02 * median + (0.0015 * median + 200);
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        json_t *before = empty_file(), *after = empty_file();
        for (int i = 0; i < RECORDS; i++) {
            add_record(before, i + 1, median, half, 17);
            add_record(after, i + 1, median * (i != 4 ? 1 : slow ? 1.08 : 1.03), half, 17);
        }
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.counts[PLX_CHANGE_SLOWER], slow);
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
}

/* ---- several runs -------------------------------------------------------------------------------- */

enum { SIDE = 5, FEW_RECORDS = 25 };

static char run_paths[2 * SIDE][80];

/* Runs that differ by much more than the samples of one do. */
static void write_runs(uint64_t seed, double between, double slower)
{
    noise_state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int run = 0; run < 2 * SIDE; run++) {
        json_t *root = empty_file();
        for (int i = 0; i < FEW_RECORDS; i++) {
            const double median = sample_of(NORMAL, between) * (i == 7 && run >= SIDE ? slower : 1);
            add_record(root, i + 1, median, 0.002 * median, 40);
        }
        (void)snprintf(run_paths[run], sizeof run_paths[run], "%s/run%d.json", directory, run);
        assert_int_equal(json_dump_file(root, run_paths[run], 0), 0);
        json_decref(root);
    }
}

static plx_diff_results diff_of_runs(size_t a_side)
{
    const char *old[SIDE], *new[SIDE];
    plx_diff_results results;
    plx_error error = {""};
    for (size_t i = 0; i < a_side; i++) {
        old[i] = run_paths[i];
        new[i] = run_paths[SIDE + i];
    }
    if (plx_diff_runs(old, a_side, new, a_side, NULL, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return results;
}

/* The noise is that between runs, where there are several; of one alone nobody can know. */
static void equal_runs_are_no_regression(void **state)
{
    enum { PAIRS = 40 };
    size_t alarmed = 0;
    (void)state;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        write_runs(300 + pair, 0.1, 1);
        plx_diff_results single = diff_of_runs(1), several = diff_of_runs(SIDE);
        assert_true(single.count > 0);
        assert_int_equal(several.timed, FEW_RECORDS);
        alarmed += several.count > 0;
        plx_diff_results_free(&single);
        plx_diff_results_free(&several);
    }
    printf("%zu of %d pairs of equal runs alarmed\n", alarmed, (int)PAIRS);
    assert_true(alarmed <= 2);
}

static void a_slower_kernel_is_found_between_runs(void **state)
{
    (void)state;
    for (uint64_t pair = 0; pair < 20; pair++) {
        write_runs(400 + pair, 0.01, 1.15);
        plx_diff_results several = diff_of_runs(SIDE);
        assert_int_equal(several.counts[PLX_CHANGE_SLOWER], 1);
        assert_non_null(strstr(several.differences[0].problem, " 8 "));
        plx_diff_results_free(&several);
    }
    for (int run = 0; run < 2 * SIDE; run++)
        (void)unlink(run_paths[run]);
}

/* One run of ten that something else held up hides no slower kernel, and makes none. */
static void one_run_that_was_held_up_hides_nothing(void **state)
{
    enum { MANY = 10 };
    char path[2][MANY][80];
    const char *sides[2][MANY];
    plx_error error = {""};
    (void)state;
    noise_state = 77;
    for (int side = 0; side < 2; side++)
        for (int run = 0; run < MANY; run++) {
            const double held_up = run == 3 + side ? 1.6 : 1;
            json_t *root = one(sample_of(NORMAL, 0.02) * held_up * (side == 1 ? 1.15 : 1), 2, 40);
            (void)snprintf(path[side][run], sizeof path[side][run], "%s/held-%d-%d.json", directory, side, run);
            sides[side][run] = path[side][run];
            assert_int_equal(json_dump_file(root, path[side][run], 0), 0);
            json_decref(root);
        }
    for (int with = 0; with < 2; with++) { /* the old ones with themselves, and with the new ones */
        plx_diff_results results;
        assert_int_equal(plx_diff_runs(sides[0], MANY, sides[with], MANY, NULL, &results, &error), PLX_OK);
        assert_int_equal(results.counts[PLX_CHANGE_SLOWER], with);
        plx_diff_results_free(&results);
    }
    for (int run = 0; run < 2 * MANY; run++)
        (void)unlink(path[run / MANY][run % MANY]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_the_tables),
        cmocka_unit_test(holm_asks_more_of_many),
        cmocka_unit_test(noise_needs_samples),
        cmocka_unit_test(noise_alone_rarely_alarms),
        cmocka_unit_test(one_slow_record_among_a_thousand_is_found),
        cmocka_unit_test(what_differs_between_runs_is_no_noise_of_few_samples),
        cmocka_unit_test(equal_runs_are_no_regression),
        cmocka_unit_test(a_slower_kernel_is_found_between_runs),
        cmocka_unit_test(one_run_that_was_held_up_hides_nothing),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
