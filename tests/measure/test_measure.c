/* The statistics of timings, which samples are believed, which ceiling applies, and how
 * many buffers take turns: all of it without a device and without a clock. */

#include "base/text.h"
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

/* ---- medians and intervals --------------------------------------------------------- */

static void the_median_lies_in_its_interval(void **unused)
{
    double samples[] = {5, 3, 9, 1, 7, 2, 8, 6, 4};
    plx_interval interval;
    (void)unused;
    plx_interval_of(samples, 9, &interval);
    assert_true(interval.measured);
    assert_int_equal(interval.samples, 9);
    assert_true(interval.median_ns == 5.0);
    assert_true(interval.low_ns == 2.0 && interval.high_ns == 8.0); /* P(Bin(9, 1/2) <= 1) = 2.0 % */
    assert_true(samples[0] == 1.0 && samples[8] == 9.0);
}

static void few_samples_have_the_widest_interval(void **unused)
{
    double samples[] = {3, 1, 2, 4};
    plx_interval interval;
    (void)unused;
    plx_interval_of(samples, 4, &interval);
    assert_true(interval.median_ns == 2.5);
    assert_true(interval.low_ns == 1.0 && interval.high_ns == 4.0);
    plx_interval_of(samples, 0, &interval);
    assert_false(interval.measured);
}

/* The same two speeds: in turns, or one half of the time each. */
static void a_drifting_device_is_not_known_better_by_a_longer_look(void **unused)
{
    enum { COUNT = 200 };
    double turns[COUNT], halves[COUNT];
    plx_interval of_turns, of_halves;
    (void)unused;
    for (int i = 0; i < COUNT; i++) {
        turns[i] = 100 + i % 2 + (i * 37 % 100) * 0.01;
        halves[i] = 100 + (i >= COUNT / 2) + (i * 37 % 100) * 0.01;
    }
    plx_interval_of(turns, COUNT, &of_turns);
    plx_interval_of(halves, COUNT, &of_halves);
    assert_true(of_halves.high_ns - of_halves.low_ns > 2 * (of_turns.high_ns - of_turns.low_ns));
    assert_true(of_halves.low_ns < 100.7 && of_halves.high_ns > 101.3);
}

/* ---- samples ------------------------------------------------------------------------- */

enum { TAKEN = 40 };

static void take(plx_sample *samples)
{
    for (int i = 0; i < TAKEN; i++)
        samples[i] = (plx_sample){.time_ns = 100 + i % 3, .host_ns = 200 + i % 5, .clock_mhz = 1980};
}

static void all_are_kept_while_nothing_happens(void **unused)
{
    plx_sample samples[TAKEN];
    plx_timing timing = {.measured = false};
    (void)unused;
    take(samples);
    for (int i = 0; i < TAKEN; i++) /* neither of them slows anything down for a while */
        samples[i].throttle = i % 2 ? PLX_THROTTLE_IDLE : PLX_THROTTLE_SETTING;
    samples[5].clock_mhz = 1950; /* within 3 % */
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_int_equal(timing.samples, TAKEN);
    assert_int_equal(timing.dropped, 0);
    assert_false(timing.throttled);
    assert_true(timing.median_ns == 101.0);
    assert_true(timing.host.measured && timing.host.samples == TAKEN);
    assert_true(timing.host.median_ns == 202.0);
}

static void throttled_samples_are_dropped(void **unused)
{
    static const uint32_t reasons[] = {PLX_THROTTLE_POWER, PLX_THROTTLE_HEAT, PLX_THROTTLE_HARDWARE,
                                       PLX_THROTTLE_OTHER};
    plx_sample samples[TAKEN];
    plx_timing timing = {.measured = false};
    (void)unused;
    take(samples);
    for (int i = 0; i < 4; i++) {
        samples[i * 7].throttle = reasons[i] | PLX_THROTTLE_IDLE;
        samples[i * 7].time_ns = 1000;
        samples[i * 7].host_ns = 1000;
    }
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_int_equal(timing.dropped, 4);
    assert_int_equal(timing.samples, TAKEN - 4);
    assert_int_equal(timing.host.samples, TAKEN - 4);
    assert_true(timing.high_ns < 1000);
    assert_false(timing.throttled);
}

static void disturbed_samples_are_left_out_while_enough_are_there(void **unused)
{
    plx_sample samples[TAKEN];
    plx_timing timing = {.measured = false};
    (void)unused;
    take(samples);
    for (int i = 6; i < TAKEN; i++) {
        samples[i].disturbed = true;
        samples[i].time_ns = 5000;
    }
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_int_equal(timing.disturbed, TAKEN - 6);
    assert_int_equal(timing.samples, 6);
    assert_true(timing.high_ns < 1000);
    samples[5].disturbed = true; /* five are no interval */
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_int_equal(timing.disturbed, 0);
    assert_int_equal(timing.samples, TAKEN);
}

static void spread_is_of_what_is_kept(void **unused)
{
    plx_sample samples[TAKEN];
    plx_spread spread;
    (void)unused;
    take(samples);
    for (int i = 0; i < TAKEN; i++)
        samples[i].time_ns = 100 + i;
    samples[0].disturbed = true;
    plx_spread_of_samples(samples, TAKEN, &spread);
    assert_true(spread.known);
    assert_true(spread.least > 100 && spread.least < 102);
    assert_true(spread.most > 100 + TAKEN - 2 && spread.most < 100 + TAKEN);
    assert_true(spread.least < spread.lower && spread.lower < spread.middle && spread.middle < spread.upper &&
                spread.upper < spread.most);
    plx_spread_of_samples(samples, 0, &spread);
    assert_false(spread.known);
}

/* What says what a kernel does is cut, where it has to be, behind a word. */
static void texts_end_with_a_word(void **unused)
{
    char fitted[16];
    (void)unused;
    plx_text_words("as long as fits", fitted, sizeof fitted);
    assert_string_equal(fitted, "as long as fits");
    plx_text_words("longer than what fits", fitted, sizeof fitted);
    assert_string_equal(fitted, "longer than…");
    plx_text_words("µµµµµµµµµµµµ", fitted, sizeof fitted);
    assert_true(plx_is_utf8(fitted) && strlen(fitted) > 8);
}

static void samples_at_a_lower_clock_are_dropped(void **unused)
{
    plx_sample samples[TAKEN];
    bool keep[TAKEN], throttled;
    (void)unused;
    take(samples);
    for (int i = 10; i < TAKEN; i++)
        samples[i].clock_mhz = 1700; /* most of them: still not the typical clock */
    samples[12].clock_mhz = 0;       /* nobody said */
    assert_int_equal(plx_samples_filter(samples, TAKEN, keep, &throttled), 11);
    assert_false(throttled);
    assert_true(keep[0] && keep[9] && keep[12]);
    assert_false(keep[10] || keep[TAKEN - 1]);
}

static void one_odd_reading_is_not_the_usual_clock(void **unused)
{
    plx_sample samples[TAKEN];
    bool keep[TAKEN], throttled;
    (void)unused;
    take(samples);
    samples[3].clock_mhz = 4000;
    assert_int_equal(plx_samples_filter(samples, TAKEN, keep, &throttled), TAKEN);
}

static void when_all_are_throttled_all_are_kept_and_it_is_said(void **unused)
{
    plx_sample samples[TAKEN];
    plx_timing timing = {.measured = false};
    (void)unused;
    take(samples);
    for (int i = 0; i < TAKEN - 5; i++) /* five do not make an interval */
        samples[i].throttle = PLX_THROTTLE_POWER;
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_true(timing.throttled);
    assert_int_equal(timing.samples, TAKEN);
    assert_int_equal(timing.dropped, 0);
    samples[0].throttle = 0; /* six do */
    plx_timing_of_samples(samples, TAKEN, &timing);
    assert_false(timing.throttled);
    assert_int_equal(timing.samples, 6);
}

/* Medians that were seen in two runs of one compare on an H200, with their intervals. */
static void two_runs_lie_within_their_intervals(void **unused)
{
    static const double runs[][6] = {
        {89754, 89579, 89929, 90124, 89966, 90282}, {5506.5, 5438, 5575, 5864.5, 5811, 5918},
        {7001, 6918, 7084, 7510.5, 7408, 7613},     {35548, 35521, 35575, 35458, 35412, 35504},
        {4206, 4197, 4215, 4344, 4337, 4351},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const double *r = runs[i];
        plx_timing one = {.measured = true, .median_ns = r[0], .low_ns = r[1], .high_ns = r[2]};
        plx_timing other = {.measured = true, .median_ns = r[3], .low_ns = r[4], .high_ns = r[5]};
        plx_timing_widen(&one);
        plx_timing_widen(&other);
        assert_true(one.low_ns <= other.high_ns && other.low_ns <= one.high_ns);
        assert_true(one.low_ns > 0.9 * r[0] && one.high_ns < 1.1 * r[0]);
    }
}

static void no_time_becomes_negative(void **unused)
{
    plx_timing timing = {.measured = true, .median_ns = 100, .low_ns = 90, .high_ns = 110};
    (void)unused;
    plx_timing_widen(&timing);
    assert_true(timing.low_ns > 0 && timing.low_ns < 90 && timing.high_ns > 110);
    assert_false(timing.host.measured || timing.latency.measured);
}

static void a_sample_takes_the_worst_of_before_and_after(void **unused)
{
    plx_sample sample = {.throttle = 0};
    plx_telemetry state = {
        .known = PLX_KNOWS_SM_CLOCK | PLX_KNOWS_THROTTLE, .sm_clock_mhz = 1500, .throttle = PLX_THROTTLE_POWER};
    (void)unused;
    plx_sample_note(&sample, &state);
    state = (plx_telemetry){.known = PLX_KNOWS_SM_CLOCK, .sm_clock_mhz = 1800, .throttle = PLX_THROTTLE_HEAT};
    plx_sample_note(&sample, &state); /* its reasons are not known */
    assert_true(sample.clock_mhz == 1500.0);
    assert_int_equal(sample.throttle, PLX_THROTTLE_POWER);
    state = (plx_telemetry){.sm_clock_mhz = 300};
    plx_sample_note(&sample, &state);
    assert_true(sample.clock_mhz == 1500.0);
}

/* A machine where asking takes 10 us, and one where it takes 2 ms. */
static void a_device_is_asked_again_after_ten_times_as_long_as_it_takes(void **unused)
{
    int anybody;
    plx_backend *somebody = (plx_backend *)(void *)&anybody;
    plx_watch watch = {.source = NULL};
    (void)unused;
    assert_false(plx_watch_is_due(&watch, 1e9)); /* nobody tells */
    watch.source = somebody;
    assert_true(plx_watch_is_due(&watch, 0.0));
    watch = (plx_watch){.source = somebody, .asked = true, .answered_ns = 5e6, .took_ns = 10e3};
    assert_false(plx_watch_is_due(&watch, 5.05e6));
    assert_true(plx_watch_is_due(&watch, 5.2e6));
    watch.took_ns = 2e6;
    assert_false(plx_watch_is_due(&watch, 24e6));
    assert_true(plx_watch_is_due(&watch, 26e6));
}

/* ---- clocks ------------------------------------------------------------------------------ */

static void a_clock_is_believed_within_what_the_host_saw(void **unused)
{
    const double overhead = 100e3;
    (void)unused;
    assert_int_equal(plx_clock_fit_of(900e3, 1e6, overhead), PLX_CLOCK_FITS);
    assert_int_equal(plx_clock_fit_of(890e3, 1e6, overhead), PLX_CLOCK_FITS);
    assert_int_equal(plx_clock_fit_of(870e3, 1e6, overhead), PLX_CLOCK_SHORT);
    assert_int_equal(plx_clock_fit_of(1e3, 1e6, overhead), PLX_CLOCK_SHORT);
    assert_int_equal(plx_clock_fit_of(49e3, 100e3, overhead), PLX_CLOCK_SHORT); /* too short to tell */
    assert_int_equal(plx_clock_fit_of(51e3, 100e3, overhead), PLX_CLOCK_FITS);
    assert_int_equal(plx_clock_fit_of(1.03e6, 1e6, overhead), PLX_CLOCK_FITS);
    assert_int_equal(plx_clock_fit_of(1.05e6, 1e6, overhead), PLX_CLOCK_LONG);
    assert_int_equal(plx_clock_fit_of(2e-304, 1e6, 1e12), PLX_CLOCK_SHORT);
    /* A sample is 25 times as long as the overhead: then the tolerance is 6 %. */
    assert_int_equal(plx_clock_fit_of(0.945 * 25 * overhead, 25 * overhead, overhead), PLX_CLOCK_FITS);
    assert_int_equal(plx_clock_fit_of(0.935 * 25 * overhead, 25 * overhead, overhead), PLX_CLOCK_SHORT);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(plx_clock_fit_of((double[]){0, -1e6, (double)NAN, (double)INFINITY}[i], 1e6, overhead),
                         PLX_CLOCK_SILENT);
}

static plx_clock_fit believe(plx_sample *samples, double device_ns)
{
    for (int i = 0; i < TAKEN; i++)
        samples[i] = (plx_sample){.device_ns = device_ns, .host_ns = 1000 + i % 3};
    samples[7].host_ns = 90000; /* the host was held up */
    return plx_samples_believe(samples, TAKEN, 1000, 50e3);
}

static void the_clock_is_chosen_by_all_samples(void **unused)
{
    plx_sample samples[TAKEN];
    (void)unused;
    assert_int_equal(believe(samples, 990), PLX_CLOCK_FITS);
    assert_true(samples[7].time_ns == 990 && samples[0].time_ns == 990);
    assert_int_equal(believe(samples, 800), PLX_CLOCK_SHORT);
    assert_true(samples[0].time_ns == 1000 && samples[1].time_ns == 1001);
    (void)believe(samples, 990);
    samples[3].device_ns = (double)NAN; /* one is enough */
    assert_int_equal(plx_samples_believe(samples, TAKEN, 1000, 50e3), PLX_CLOCK_SILENT);
    assert_true(samples[7].time_ns == 90000);
    samples[3].device_ns = 2000;
    assert_int_equal(plx_samples_believe(samples, TAKEN, 1000, 50e3), PLX_CLOCK_LONG);
}

/* ---- several problems ------------------------------------------------------------------ */

/* What differs in its compute type at most has the operands and the reference of the one before; a type that nothing
 * serves changes nothing for those behind it. */
static void problems_in_a_row_are_judged_by_their_own_operands(void **unused)
{
    enum { PROBLEMS = 5, PLAIN = 0, AGAIN = 1, NOBODYS = 2, OTHER = 3, LAST = 4 };
    const char *const host[] = {"host"};
    const plx_problem plain = plx_gemm_of(PLX_F32, false, false, 9, 7, 5);
    plx_problem problems[PROBLEMS] = {plain, plain, plain, plx_gemm_of(PLX_F32, false, false, 7, 9, 6), plain};
    const plx_compare_options options = {
        .backends = host, .backend_count = 1, .problems = problems, .problem_count = PROBLEMS, .no_timing = true};
    plx_context *context;
    plx_results results;
    plx_error error = {.text = ""};
    (void)unused;
    problems[NOBODYS].compute = PLX_COMPUTE_TF32;
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(results.record_count, PROBLEMS);
    for (size_t i = 0; i < PROBLEMS; i++) {
        const plx_record *record = &results.records[i];
        assert_int_equal(record->problem.compute, problems[i].compute);
        assert_int_equal(record->outcome, i == NOBODYS ? PLX_OUTCOME_UNSUPPORTED : PLX_OUTCOME_OK);
        assert_int_equal(record->error.compared, i == NOBODYS ? 0 : 63);
    }
    assert_true(results.records[PLAIN].error.max_over_bound > 0);
    assert_true(results.records[PLAIN].error.max_over_bound == results.records[AGAIN].error.max_over_bound);
    assert_true(results.records[PLAIN].error.max_over_bound == results.records[LAST].error.max_over_bound);
    assert_true(results.records[PLAIN].error.max_over_bound != results.records[OTHER].error.max_over_bound);
    plx_results_free(&results);
    plx_context_destroy(context);
}

static void memory_of_a_context_is_found_again(void **unused)
{
    plx_context *context;
    (void)unused;
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    int *one = plx_context_memory(context, "one", sizeof *one);
    assert_non_null(one);
    assert_int_equal(*one, 0);
    *one = 7;
    assert_ptr_equal(plx_context_memory(context, "one", sizeof *one), one);
    assert_ptr_not_equal(plx_context_memory(context, "other", sizeof *one), one);
    plx_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_lies_in_its_interval),
        cmocka_unit_test(few_samples_have_the_widest_interval),
        cmocka_unit_test(a_drifting_device_is_not_known_better_by_a_longer_look),
        cmocka_unit_test(all_are_kept_while_nothing_happens),
        cmocka_unit_test(throttled_samples_are_dropped),
        cmocka_unit_test(disturbed_samples_are_left_out_while_enough_are_there),
        cmocka_unit_test(spread_is_of_what_is_kept),
        cmocka_unit_test(texts_end_with_a_word),
        cmocka_unit_test(samples_at_a_lower_clock_are_dropped),
        cmocka_unit_test(one_odd_reading_is_not_the_usual_clock),
        cmocka_unit_test(when_all_are_throttled_all_are_kept_and_it_is_said),
        cmocka_unit_test(two_runs_lie_within_their_intervals),
        cmocka_unit_test(no_time_becomes_negative),
        cmocka_unit_test(a_sample_takes_the_worst_of_before_and_after),
        cmocka_unit_test(a_device_is_asked_again_after_ten_times_as_long_as_it_takes),
        cmocka_unit_test(problems_in_a_row_are_judged_by_their_own_operands),
        cmocka_unit_test(memory_of_a_context_is_found_again),
        cmocka_unit_test(a_clock_is_believed_within_what_the_host_saw),
        cmocka_unit_test(the_clock_is_chosen_by_all_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
