/* The tables of results made by hand: what ranks, what is said, how wide they are; and standings. */
#define _POSIX_C_SOURCE 200809L
#include "tests/results/report_support.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static plx_status write_colour_table(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_table(results, to, 100, PLX_TABLE_COLOUR, error);
}

static plx_status write_all_pairs(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_table(results, to, 100, PLX_TABLE_ALL_PAIRS, error);
}

static void table_of_counters(void **state)
{
    (void)state;
    sample s;
    make_counted(&s);
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "134 M        16  2.05 k         4         10     97.5 %"));
    assert_non_null(strstr(text, "90 MB  2000 GB/s    88 MB\n"));
    assert_non_null(strstr(text, "   -          -    88 MB\n"));
    assert_non_null(strstr(text, "beta:0   2 kernels  not available from this API\n"));
    free(text);
    for (size_t i = 0; i < 2; i++) {
        s.records[i].counted = false;
        (void)snprintf(s.records[i].counters_reason, sizeof s.records[i].counters_reason, "run as root");
    }
    text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "alpha:0  2 kernels  run as root\n"));
    assert_null(strstr(text, "/request"));
    free(text);
    make_sample(&s);
    text = text_of(write_plain_table, &s.results);
    assert_null(strstr(text, "counters"));
    free(text);
}

/* ---- tables ------------------------------------------------------------------ */

static void table_ranks_what_passed(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "gemm f32 3x4x5 nt, uniform input, seed 7"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_non_null(strstr(line, "100 us"));
    assert_non_null(strstr(line, "+-1 %"));
    assert_non_null(strstr(line, "100 %"));
    assert_non_null(strstr(line, "2x"));
    assert_non_null(strstr(line, "0.25"));
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "50 %"));
    free(text);
}

/* The wrong kernel is the fastest: it shows neither a time nor a rank. */
static void table_ranks_nothing_else(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    char *text = text_of(write_plain_table, &s.results);
    line_with(text, "beta:0", "broken", line, sizeof line);
    assert_non_null(strstr(line, "wrong"));
    assert_non_null(strstr(line, "inexact"));
    assert_null(strstr(line, "us"));
    assert_null(strchr(line, '%'));
    assert_non_null(strstr(text, "    3 elements are outside the bound\n"));
    assert_null(
        strstr(text, "needs f64")); /* of all kernels one that is not for this problem, where its backend has others */
    assert_non_null(strstr(
        text, "not for this problem: 0 kernels for other types, 1 for other shapes or devices; -v shows each\n"));
    free(text);
    text = text_of(write_all_pairs, &s.results);
    line_with(text, "beta:0", "vector", line, sizeof line);
    assert_non_null(strstr(line, "unsupported"));
    assert_null(strchr(line, '%'));
    assert_non_null(strstr(text, "    needs f64, \"really\"\n"));
    free(text);
    s.records[3].named = true;
    text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "needs f64"));
    free(text);
    s.records[2].reason[0] = '\0';
    text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "3 of 12 elements wrong; first 5: got nan, expected 1.5"));
    free(text);
}

static void table_says_who_agrees(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "agreement: 1 of 1 pair agrees, 1 bit-identical\n"));
    assert_non_null(strstr(text, "alpha:0 naive, alpha:0 tiled: bit-identical, 12 elements"));
    assert_non_null(strstr(text, "beta:0 broken is wrong, so it disagrees with the other\n"));
    assert_null(strstr(text, "DISAGREE"));
    free(text);
    text = text_of(write_all_pairs, &s.results);
    assert_non_null(strstr(text, "alpha:0 naive, beta:0 broken: DISAGREE, 40 of the bound; first at 5: "
                                 "1.5, nan"));
    free(text);
    s.records[1].kernel_flags = PLX_KERNEL_VENDOR;
    text = text_of(write_plain_table, &s.results);
    assert_null(strstr(text, "agreement: "));
    assert_non_null(strstr(text, "agreement with libraries: 1 of 1 pair agrees, 1 bit-identical\n"));
    free(text);
}

/* Bits that agree with a right result's make no agreement of what is wrong otherwise, nor an error within the bound. */
static void table_counts_nothing_of_what_is_wrong_otherwise(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    s.pairs[1].agree = s.pairs[1].identical = true;
    s.records[2].error.wrong = 0;
    s.records[2].error.max_over_bound = 0.25;
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "agreement: 1 of 1 pair agrees, 1 bit-identical\n"));
    assert_non_null(strstr(
        text, "beta:0 broken is wrong for another reason than its values: what it agrees with does not count\n"));
    line_with(text, "beta:0", "broken", line, sizeof line);
    assert_null(strstr(line, "0.25"));
    free(text);
}

static int table_width;

static plx_status write_table_of_width(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_table(results, to, table_width, 0, error);
}

static int longest_line(const char *text)
{
    int longest = 0;
    for (const char *end; *text != '\0'; text = end + (*end != '\0')) {
        int width = 0;
        for (end = text; *end != '\0' && *end != '\n'; end++)
            width += ((unsigned char)*end & 0xc0) != 0x80;
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Columns are left out in the order that the manual has, and no word is broken. */
static void tables_fit_the_terminal(void **state)
{
    static const int widths[] = {60, 80, 100, 132};
    static const char *const columns[] = {"latency", "gain", "error/bound", "rate", "of ceiling", "of best"};
    size_t missing_before = SIZE_MAX;
    (void)state;
    sample s;
    make_sample(&s);
    for (size_t i = 0; i < 2; i++) {
        s.records[i].time.latency = (plx_interval){true, 120e3, 110e3, 130e3, 10};
        s.records[i].ceiling =
            (plx_ceiling){.applies = true, .kind = PLX_CEILING_UNITS_BF16, .value = 5, .fraction = 0.5};
    }
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        size_t missing = 0;
        table_width = widths[i];
        char *text = text_of(write_table_of_width, &s.results);
        if (longest_line(text) > widths[i])
            fail_msg("%d columns in a terminal of %d:\n%s", longest_line(text), widths[i], text);
        assert_non_null(strstr(text, "tiled"));
        assert_non_null(strstr(text, "100 us"));
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            const bool shown = strstr(text, columns[c]) != NULL;
            assert_true(shown || missing == c); /* none is left out while one before it is there */
            missing += !shown;
        }
        assert_true(missing <= missing_before);
        assert_true(widths[i] < 132 || missing == 0);
        missing_before = missing;
        free(text);
    }
    table_width = 0; /* a pipe */
    char *text = text_of(write_table_of_width, &s.results);
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        assert_non_null(strstr(text, columns[c]));
    free(text);
}

static size_t lines_with(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

static plx_status write_table_with_legend(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_table(results, to, 0, PLX_TABLE_LEGEND, error);
}

/* What has no error but that of rounding once says so, not that it takes all of its bound. */
static void table_says_rounded(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    s.records[0].error.max_over_bound = 0.99;
    s.records[0].error.max_ulp = 0.4999;
    s.records[1].error.max_ulp = 0.5001;
    char *text = text_of(write_plain_table, &s.results);
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "rounded"));
    assert_null(strstr(line, "0.99"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_null(strstr(line, "rounded"));
    assert_null(strstr(text, "the words"));
    free(text);
}

/* The words that stand in the table, and no others. */
static void legend_of_its_words(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.records[0].ceiling = (plx_ceiling){.applies = true, .kind = PLX_CEILING_FMA_F32, .value = 5, .fraction = 0.5};
    char *text = text_of(write_table_with_legend, &s.results);
    const char *legend = strstr(text, "\nthe words\n");
    assert_non_null(legend);
    assert_non_null(strstr(legend, "fma-f32 "));
    assert_non_null(strstr(legend, "gain "));
    assert_non_null(strstr(legend, "error/bound "));
    assert_null(strstr(legend, "fma-f64"));
    assert_null(strstr(legend, "rounded"));
    assert_null(strstr(legend, "noisy"));
    free(text);
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) { /* each has a meaning */
        s.records[0].ceiling.kind = (plx_ceiling_kind)kind;
        text = text_of(write_table_with_legend, &s.results);
        assert_non_null(strstr(strstr(text, "\nthe words\n"), plx_ceiling_name((plx_ceiling_kind)kind)));
        free(text);
    }
}

/* The ladder first, in its order, then the kernels for special shapes under a line of their own. */
static void table_of_two_groups_of_kernels(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.records[0].kernel_flags = PLX_KERNEL_SPECIAL;
    char *text = text_of(write_plain_table, &s.results);
    const char *head = strstr(text, "\nfor special shapes, beside the ladder:\n");
    assert_non_null(head);
    assert_true(strstr(text, "naive") > head);
    assert_true(strstr(text, "tiled") < head && strstr(text, "broken") < head);
    free(text);
    s.records[0].kernel_flags = 0;
    text = text_of(write_plain_table, &s.results);
    assert_null(strstr(text, "for special shapes"));
    free(text);
}

/* Eleven pairs that agree and one that does not. */
static void table_of_many_pairs_shows_exceptions(void **state)
{
    enum { PAIRS = 12 };
    (void)state;
    sample s;
    plx_pair pairs[PAIRS];
    make_sample(&s);
    for (size_t i = 0; i + 1 < PAIRS; i++)
        pairs[i] = s.pairs[0];
    pairs[PAIRS - 1] = s.pairs[1];
    s.results.pairs = pairs;
    s.results.pair_count = PAIRS;
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "agreement: 11 of 11 pairs agree, 11 bit-identical; -v shows each\n"));
    assert_int_equal(lines_with(text, "bit-identical, 12 elements"), 0);
    assert_int_equal(lines_with(text, "DISAGREE"), 0);
    assert_int_equal(lines_with(text, "broken is wrong, so it disagrees with the other"), 1);
    free(text);
    text = text_of(write_all_pairs, &s.results);
    assert_non_null(strstr(text, "agreement: 11 of 11 pairs agree, 11 bit-identical\n"));
    assert_int_equal(lines_with(text, "bit-identical, 12 elements"), 11);
    assert_int_equal(lines_with(text, "DISAGREE"), 1);
    free(text);
}

static void table_without_times(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    for (size_t i = 0; i < RECORDS; i++)
        s.records[i].time.measured = false;
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "error/bound"));
    assert_null(strstr(text, "of best"));
    free(text);
}

/* What `check` reports: each row is the worst of many cases, and says which. */
static void table_of_worst_cases(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    for (size_t i = 0; i < RECORDS; i++)
        s.records[i].time.measured = false;
    s.records[1].problem = plx_gemm_of(PLX_F64, true, true, 6, 7, 8);
    s.records[1].input = PLX_INPUT_GRADED;
    s.records[1].seed = 3;
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "\ngemm\n"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_non_null(strstr(line, "  f64 6x7x8 tt, graded input, seed 3"));
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "  f32 3x4x5 nt, uniform input, seed 7"));
    free(text);
}

/* A copy is a baseline: faster than the best transpose, but not the best. */
static void table_with_baselines(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    s.records[0].time.median_ns = 50e3;
    s.records[0].kernel_flags = PLX_KERNEL_BASELINE;
    char *text = text_of(write_plain_table, &s.results);
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "ok (copy)"));
    assert_non_null(strstr(line, "200 %"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_non_null(strstr(line, "100 %"));
    free(text);
}

/* Bytes or operations, whichever there are more of. */
static void table_shows_the_rate_that_counts(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    s.records[0].gflops = 10 * s.records[0].gbps;
    char *text = text_of(write_plain_table, &s.results);
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "0.01 GFLOP/s"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_non_null(strstr(line, "0.002 GB/s"));
    free(text);
}

/* Half the interval in percent is never a power of ten. */
static void table_shows_wide_intervals(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    s.records[0].time.low_ns = s.records[0].time.median_ns / 2;
    s.records[0].time.high_ns = s.records[0].time.low_ns + 86.4 * s.records[0].time.median_ns;
    char *text = text_of(write_plain_table, &s.results);
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, "+-4320 %"));
    free(text);
}

static void table_of_groups(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.records[1].group = 1;
    s.records[1].problem = plx_gemm_of(PLX_F64, false, false, 6, 7, 8);
    s.records[1].from_files = true;
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "gemm f64 6x7x8 nn, input from files"));
    free(text);
}

static void colour_only_when_asked(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    char *plain = text_of(write_plain_table, &s.results), *colour = text_of(write_colour_table, &s.results);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colour, "\033[31mwrong\033[0m"));
    free(plain);
    free(colour);
}

static plx_status write_slower(const plx_results *unused, FILE *to, plx_error *error)
{
    plx_difference slower = {.change = PLX_CHANGE_SLOWER, .timed = true, .old_ns = 2e3, .new_ns = 3e3, .ratio = 1.5};
    const plx_diff_results diff = {.differences = &slower, .count = 1};
    (void)unused;
    return plx_diff_write_table(&diff, to, error);
}

static void symbols_follow_the_locale(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    char *differences = text_of(write_slower, &s.results);
    assert_non_null(strstr(differences, "2 us, now 3 us"));
    free(differences);
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    char *text = text_of(write_plain_table, &s.results);
    assert_non_null(strstr(text, "\u00b5s"));
    assert_non_null(strstr(text, "\u00b1"
                                 "1 %"));
    free(text);
    differences = text_of(write_slower, &s.results);
    assert_non_null(strstr(differences, "2 \u00b5s, now 3 \u00b5s"));
    free(differences);
    assert_non_null(setlocale(LC_CTYPE, "C"));
    text = text_of(write_plain_table, &s.results);
    for (const char *at = text; *at != '\0'; at++)
        assert_true((unsigned char)*at < 0x80 || strstr(text, "Chip \xff") != NULL);
    assert_null(strstr(text, "\u00b5"));
    free(text);
}

/* ---- standings ------------------------------------------------------------------- */

enum { RACERS = 12 };

static plx_record racer(size_t group, const char *backend, size_t device, uint32_t flags, double microseconds)
{
    plx_record record = timed_record(backend, device, "k", microseconds);
    record.group = group;
    record.kernel_flags = flags;
    record.problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000 + (int64_t)group);
    record.shift = group;
    return record;
}

/* Chip one: two libraries and two backends of ours.  Ratios of alpha: 4, 0.5, 1. */
static plx_results race(plx_study_device *devices, plx_record *records)
{
    memset(devices, 0, 2 * sizeof *devices);
    devices[1].physical = 1;
    records[0] = racer(0, "alpha:0", 0, 0, 100);
    records[1] = racer(0, "lib:0", 0, PLX_KERNEL_VENDOR, 600);
    records[2] = racer(0, "other:0", 0, PLX_KERNEL_VENDOR, 400);
    records[3] = racer(0, "alpha:0", 0, 0, 300);                 /* not our fastest */
    records[4] = racer(0, "alpha:0", 0, PLX_KERNEL_BASELINE, 1); /* a copy */
    records[5] = racer(0, "far:0", 1, PLX_KERNEL_VENDOR, 2);     /* elsewhere */
    records[6] = racer(1, "alpha:0", 0, 0, 100);
    records[7] = racer(1, "lib:0", 0, PLX_KERNEL_VENDOR, 50);
    records[8] = racer(2, "alpha:0", 0, 0, 100);
    records[9] = racer(2, "lib:0", 0, PLX_KERNEL_VENDOR, 100);
    records[10] = racer(2, "beta:0", 0, 0, 50);
    records[11] = racer(2, "lib:0", 0, PLX_KERNEL_VENDOR, 1);
    fail_record(&records[11], PLX_OUTCOME_WRONG, "fast and wrong");
    return (plx_results){.devices = devices, .device_count = 2, .records = records, .record_count = RACERS};
}

static void standings_are_geometric_means(void **unused)
{
    plx_study_device devices[2];
    plx_record records[RACERS];
    const plx_results results = race(devices, records);
    plx_standing *found;
    plx_error error;
    size_t count;
    (void)unused;
    assert_int_equal(plx_results_standings(&results, &found, &count, &error), PLX_OK);
    assert_int_equal(count, 2);
    assert_string_equal(found[0].backend, "alpha:0");
    assert_string_equal(found[0].variant, "sum");
    assert_int_equal(found[0].problems, 3);
    assert_int_equal(found[0].ahead, 2);
    assert_true(fabs(found[0].mean - cbrt(4 * 0.5 * 1)) < 1e-12);
    assert_true(fabs(found[0].least - 0.5) < 1e-12 && fabs(found[0].most - 4) < 1e-12);
    assert_int_equal(found[0].least_at, 6);
    assert_string_equal(found[1].backend, "beta:0");
    assert_int_equal(found[1].problems, 1);
    assert_true(fabs(found[1].mean - 2) < 1e-12);
    free(found);
}

static void standings_as_a_table(void **unused)
{
    plx_study_device devices[2];
    plx_record records[RACERS];
    plx_results results = race(devices, records);
    char *text = NULL;
    size_t size;
    plx_error error;
    (void)unused;
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(plx_results_write_standings(&results, to, &error), PLX_OK);
    (void)fclose(to);
    assert_non_null(strstr(text, "1.260  0.500  4.000   67 %  1001, shift 1\n"));
    free(text);
    results.record_count = 1; /* nobody beside it: nothing is said */
    to = open_memstream(&text, &size);
    assert_int_equal(plx_results_write_standings(&results, to, &error), PLX_OK);
    (void)fclose(to);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_counters),
        cmocka_unit_test(table_ranks_what_passed),
        cmocka_unit_test(table_ranks_nothing_else),
        cmocka_unit_test(table_says_who_agrees),
        cmocka_unit_test(tables_fit_the_terminal),
        cmocka_unit_test(table_counts_nothing_of_what_is_wrong_otherwise),
        cmocka_unit_test(table_without_times),
        cmocka_unit_test(table_of_worst_cases),
        cmocka_unit_test(table_of_two_groups_of_kernels),
        cmocka_unit_test(table_says_rounded),
        cmocka_unit_test(legend_of_its_words),
        cmocka_unit_test(table_of_many_pairs_shows_exceptions),
        cmocka_unit_test(table_with_baselines),
        cmocka_unit_test(table_shows_the_rate_that_counts),
        cmocka_unit_test(table_shows_wide_intervals),
        cmocka_unit_test(table_of_groups),
        cmocka_unit_test(colour_only_when_asked),
        cmocka_unit_test(symbols_follow_the_locale),
        cmocka_unit_test(standings_are_geometric_means),
        cmocka_unit_test(standings_as_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
