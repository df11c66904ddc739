/* The statistics of timings, which samples are believed, which ceiling applies, and how
 * many buffers take turns: all of it without a device and without a clock. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */

#include "study/measure/ceiling.h"
#include "study/measure/timed_sets.h"
#include "base/text.h"
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* ---- ceilings ------------------------------------------------------------------------ */

static const plx_ceilings device = {.value = {[PLX_CEILING_COPY] = 4000,
                                              [PLX_CEILING_READ] = 4500,
                                              [PLX_CEILING_FMA_F32] = 60000,
                                              [PLX_CEILING_FMA_F64] = 30000,
                                              [PLX_CEILING_LAUNCH] = 2500,
                                              [PLX_CEILING_UNITS_F16] = 800000,
                                              [PLX_CEILING_UNITS_BF16] = 780000,
                                              [PLX_CEILING_UNITS_TF32] = 400000,
                                              [PLX_CEILING_UNITS_F64] = 60000}};

static plx_ceiling ceiling_of(plx_problem problem, double time_ns)
{
    const plx_workload workload = plx_workload_of(plx_operation_of(problem.op), &problem);
    return plx_ceiling_of(&device, &workload, time_ns);
}

static void expect(plx_ceiling found, plx_ceiling_kind kind, double fraction)
{
    assert_true(found.applies);
    assert_string_equal(plx_ceiling_name(found.kind), plx_ceiling_name(kind));
    assert_true(found.value == device.value[kind]);
    assert_true(found.fraction > fraction * 0.9999 && found.fraction < fraction * 1.0001);
    assert_int_equal(found.over[0] != '\0', found.fraction > 1.0);
}

static void each_problem_has_its_ceiling(void **unused)
{
    (void)unused;
    expect(ceiling_of(plx_reduce_of(PLX_F32, PLX_SUM, 1 << 28), 250e3), PLX_CEILING_READ,
           (double)(1 << 28) * 4 / 4500 / 250e3);
    expect(ceiling_of(plx_transpose_of(PLX_F64, 4096, 4096), 100e3), PLX_CEILING_COPY,
           4096.0 * 4096 * 16 / 4000 / 100e3);
    expect(ceiling_of(plx_matvec_of(PLX_F32, true, 8192, 8192), 80e3), PLX_CEILING_READ,
           (8192.0 * 8192 + 2 * 8192) * 4 / 4500 / 80e3);
    expect(ceiling_of(plx_gemm_of(PLX_F32, false, false, 1024, 1024, 1024), 50e3), PLX_CEILING_FMA_F32,
           2 * 1073741824.0 / 60000 / 50e3);
    expect(ceiling_of(plx_gemm_of(PLX_F64, false, false, 1024, 1024, 1024), 100e3), PLX_CEILING_FMA_F64,
           2 * 1073741824.0 / 30000 / 100e3);
    expect(ceiling_of(plx_reduce_of(PLX_F32, PLX_SUM, 1000), 5e3), PLX_CEILING_LAUNCH, 0.5);
}

/* A thin product is bound by memory: the smaller side of the roofline. */
static void a_thin_product_is_bound_by_memory(void **unused)
{
    const double bytes = (4096.0 * 4096 + 2 * 4096.0 * 2) * 4;
    (void)unused;
    expect(ceiling_of(plx_gemm_of(PLX_F32, false, false, 4096, 2, 4096), 30e3), PLX_CEILING_READ, bytes / 4500 / 30e3);
}

static void what_nobody_measured_does_not_apply(void **unused)
{
    const plx_ceilings none = {.value = {0}};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 20);
    const plx_workload workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &problem);
    (void)unused;
    assert_false(plx_ceiling_of(&none, &workload, 1e3).applies);
    assert_false(plx_ceiling_of(&device, &workload, 0.0).applies);
}

static void expect_cause(plx_workload workload, double time_ns, const char *words)
{
    const plx_ceiling found = plx_ceiling_of(&device, &workload, time_ns);
    assert_true(found.fraction > 1.0);
    if (strstr(found.over, words) == NULL)
        fail_msg("\"%s\" does not speak of \"%s\"", found.over, words);
}

static void above_the_ceiling_there_is_a_cause(void **unused)
{
    const plx_problem large = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24);
    const plx_problem product = plx_gemm_of(PLX_F64, false, false, 512, 512, 512);
    plx_workload workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &large);
    const double least = workload.bytes / 4500;
    (void)unused;
    expect_cause(workload, least / 1.5, "clock");
    expect_cause(workload, least / 1.01, "noise");
    workload = plx_workload_of(plx_operation_of(PLX_GEMM), &product);
    expect_cause(workload, workload.flops / 30000 / 2, "clock");
}

/* What stays in a cache, computes on other units or overlaps is not bounded by what was measured without: nothing
 * is ahead of a ceiling by more than noise. */
static void a_ceiling_that_is_about_something_else_bounds_nothing(void **unused)
{
    const plx_problem large = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24), small = plx_reduce_of(PLX_F32, PLX_SUM, 100);
    const plx_problem product = plx_gemm_of(PLX_F64, false, false, 512, 512, 512);
    plx_workload workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &large);
    const double least = workload.bytes / 4500;
    (void)unused;
    workload.cached = true;
    expect(plx_ceiling_of(&device, &workload, 1.5 * least), PLX_CEILING_READ,
           1 / 1.5); /* slower than memory all the same */
    expect(plx_ceiling_of(&device, &workload, least / 1.5), PLX_CEILING_LAUNCH, 2500 * 1.5 / least);
    workload = plx_workload_of(plx_operation_of(PLX_GEMM), &product);
    workload.other_units = true;
    workload.cached = true; /* does not explain arithmetic */
    expect(plx_ceiling_of(&device, &workload, workload.flops / 15000), PLX_CEILING_FMA_F64, 0.5);
    expect(plx_ceiling_of(&device, &workload, workload.flops / 60000), PLX_CEILING_LAUNCH,
           2500 * 60000 / workload.flops);
    workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &small);
    workload.queues = 2;
    assert_false(plx_ceiling_of(&device, &workload, 1300).applies &&
                 plx_ceiling_of(&device, &workload, 1300).fraction > 1);
}

/* Twice as fast is no result, but where the ceiling is about something else. */
static bool refuted(plx_workload workload, double time_ns, plx_ceiling_kind expected)
{
    plx_ceiling_kind kind = PLX_CEILING_COUNT;
    char reason[512] = "";
    const bool found = plx_ceiling_refutes(&device, &workload, time_ns, &kind, reason, sizeof reason);
    assert_int_equal(found, strstr(reason, "error of measurement") != NULL);
    assert_true(!found || kind == expected);
    assert_null(strstr(reason, "e+")); /* durations have units, not powers of ten */
    return found;
}

static plx_workload workload_by(plx_dtype dtype, plx_compute compute, uint32_t flags)
{
    const plx_kernel kernel = {.name = "by", .flags = flags, .compute = compute};
    plx_problem problem = plx_gemm_of(dtype, false, false, 1024, 1024, 1024);
    problem.compute = compute;
    plx_workload workload = plx_workload_of(plx_operation_of(PLX_GEMM), &problem);
    plx_workload_by(&workload, &problem, &kernel, false);
    return workload;
}

/* Where a kernel tells that it computes on matrix units, their ceiling is its own: of each type, and of all the
 * products that it makes of one. */
static void a_kernel_on_matrix_units_has_their_ceiling(void **unused)
{
    static const struct {
        plx_dtype dtype;
        plx_compute compute;
        plx_ceiling_kind units;
        double products;
    } rows[] = {{PLX_F16, PLX_COMPUTE_PLAIN, PLX_CEILING_UNITS_F16, 1},
                {PLX_BF16, PLX_COMPUTE_PLAIN, PLX_CEILING_UNITS_BF16, 1},
                {PLX_F64, PLX_COMPUTE_PLAIN, PLX_CEILING_UNITS_F64, 1},
                {PLX_F32, PLX_COMPUTE_TF32, PLX_CEILING_UNITS_TF32, 1},
                {PLX_F32, PLX_COMPUTE_F16X3, PLX_CEILING_UNITS_F16, 3},
                {PLX_F32, PLX_COMPUTE_BF16X6, PLX_CEILING_UNITS_BF16, 6}};
    const plx_ceilings unmeasured = {.value = {[PLX_CEILING_FMA_F32] = 60000, [PLX_CEILING_FMA_F64] = 30000}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const plx_workload workload = workload_by(rows[i].dtype, rows[i].compute, PLX_KERNEL_MATRIX_UNITS);
        const double least = workload.flops * rows[i].products / device.value[rows[i].units];
        const uint32_t kinds = plx_workload_kinds(&workload, &device);
        expect(plx_ceiling_of(&device, &workload, 2 * least), rows[i].units, 0.5);
        expect(plx_ceiling_of(&device, &workload, least / 1.5), rows[i].units, 1.5);
        assert_true((kinds >> rows[i].units & 1) != 0 && (kinds >> workload.arithmetic & 1) == 0);
        assert_false(refuted(workload, least / 1.9, rows[i].units));
        assert_true(refuted(workload, least / 2.1, rows[i].units));
        /* Where the units can't be measured, plain multiply-adds bound what is not ahead of them. */
        const plx_ceilings tried = {.tried = UINT32_C(1) << rows[i].units};
        assert_true((plx_workload_kinds(&workload, &tried) >> workload.arithmetic & 1) != 0);
        const double plain = workload.flops / unmeasured.value[workload.arithmetic];
        assert_int_equal(plx_ceiling_of(&unmeasured, &workload, 2 * plain).kind, workload.arithmetic);
        assert_false(plx_ceiling_of(&unmeasured, &workload, plain / 7).applies);
    }
    assert_int_equal(workload_by(PLX_F32, PLX_COMPUTE_PLAIN, PLX_KERNEL_MATRIX_UNITS).units, PLX_CEILING_COUNT);
    assert_int_equal(workload_by(PLX_F16, PLX_COMPUTE_PLAIN, 0).units, PLX_CEILING_COUNT);
}

/* It does not tell: f64 on whichever units are as fast as it is, and what is far ahead of all is bounded by none. */
static void a_library_is_on_the_units_that_are_as_fast(void **unused)
{
    const plx_workload f64 = workload_by(PLX_F64, PLX_COMPUTE_PLAIN, PLX_KERNEL_VENDOR);
    const plx_workload f16 = workload_by(PLX_F16, PLX_COMPUTE_PLAIN, PLX_KERNEL_VENDOR | PLX_KERNEL_MATRIX_UNITS);
    const double least = f16.flops / 800000;
    (void)unused;
    expect(plx_ceiling_of(&device, &f64, f64.flops / 27000), PLX_CEILING_FMA_F64, 0.9);
    expect(plx_ceiling_of(&device, &f64, f64.flops / 54000), PLX_CEILING_UNITS_F64, 0.9);
    expect(plx_ceiling_of(&device, &f64, f64.flops / 66000), PLX_CEILING_UNITS_F64, 1.1); /* and then it is raised */
    expect(plx_ceiling_of(&device, &f16, least / 0.9), PLX_CEILING_UNITS_F16, 0.9);
    assert_int_equal(plx_ceiling_of(&device, &f16, least / 2.1).kind, PLX_CEILING_LAUNCH);
    assert_false(refuted(f16, least / 2.1, PLX_CEILING_UNITS_F16));
}

/* What was reached is a ceiling, if it is so by more than noise. */
static void a_ceiling_that_was_passed_is_false(void **unused)
{
    plx_ceiling found = {.applies = true, .kind = PLX_CEILING_READ, .value = 4500, .fraction = 1.01};
    (void)unused;
    assert_false(plx_ceiling_is_false(&found));
    found.fraction = 1.5;
    assert_true(plx_ceiling_is_false(&found));
    assert_true(plx_ceiling_reached(&found) == 6750);
    found.kind = PLX_CEILING_LAUNCH;
    assert_true(plx_ceiling_reached(&found) == 3000);
    found.applies = false;
    assert_false(plx_ceiling_is_false(&found));
}

/* Four bytes and an operation take a nanosecond at most: what takes less than a launch needs no ceiling but that. */
static void a_launch_bounds_what_is_small(void **unused)
{
    const plx_problem ten = plx_reduce_of(PLX_F32, PLX_SUM, 10), many = plx_reduce_of(PLX_F32, PLX_SUM, 1000000);
    const plx_workload small = plx_workload_of(plx_operation_of(PLX_REDUCE), &ten);
    const plx_workload large = plx_workload_of(plx_operation_of(PLX_REDUCE), &many);
    (void)unused;
    assert_true(plx_ceiling_is_launch(&small, 40));
    assert_false(plx_ceiling_is_launch(&small, 5));
    assert_false(plx_ceiling_is_launch(&small, 0));
    assert_false(plx_ceiling_is_launch(&large, 10000));
}

/* Half an interval above a quarter of the median is not ranked, a whole one above the median is no result. */
static void what_spreads_too_much_is_noise(void **unused)
{
    plx_timing time = {.measured = true, .median_ns = 10000, .low_ns = 8000, .high_ns = 13000};
    (void)unused;
    assert_true(plx_timing_counts(&time) && !plx_timing_is_noisy(&time));
    time.high_ns = 13001;
    assert_true(plx_timing_counts(&time) && plx_timing_is_noisy(&time));
    time.high_ns = 18001;
    assert_true(!plx_timing_counts(&time) && plx_timing_is_noisy(&time));
    time = (plx_timing){.measured = true, .median_ns = 500, .low_ns = 320, .high_ns = 680}; /* ±36 % of a short one */
    assert_true(plx_timing_counts(&time) && plx_timing_is_noisy(&time));
    time = (plx_timing){.measured = true, .median_ns = 500, .low_ns = 490, .high_ns = 510};
    plx_timing_widen(&time); /* what differs from run to run makes no time noisy by itself */
    assert_true(time.low_ns < 400 && time.high_ns > 600 && !plx_timing_is_noisy(&time));
    time.high_ns = (double)NAN;
    assert_true(!plx_timing_counts(&time) && plx_timing_is_noisy(&time));
    time = (plx_timing){.measured = false};
    assert_true(!plx_timing_counts(&time) && !plx_timing_is_noisy(&time));
}

static void far_above_the_ceiling_is_an_error_of_measurement(void **unused)
{
    const plx_problem large = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24), small = plx_reduce_of(PLX_F32, PLX_SUM, 100);
    const plx_problem product = plx_gemm_of(PLX_F64, false, false, 512, 512, 512);
    plx_workload workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &large);
    const double least = workload.bytes / 4500;
    (void)unused;
    assert_false(refuted(workload, least / 1.9, PLX_CEILING_READ));
    assert_true(refuted(workload, least / 2.1, PLX_CEILING_READ));
    workload.cached = true;
    assert_false(refuted(workload, least / 2.1, PLX_CEILING_READ));
    assert_true(refuted(workload, 1000, PLX_CEILING_LAUNCH)); /* no cache makes a launch shorter */
    workload.processor = true;                                /* where it waited for a busy processor, once */
    assert_false(refuted(workload, 1000, PLX_CEILING_LAUNCH));
    workload.processor = false;
    workload.cached = false;
    workload.reused = true;
    assert_false(refuted(workload, least / 2.1, PLX_CEILING_READ));
    workload = plx_workload_of(plx_operation_of(PLX_REDUCE), &small);
    assert_false(refuted(workload, 1300, PLX_CEILING_LAUNCH));
    assert_true(refuted(workload, 1200, PLX_CEILING_LAUNCH));
    workload.queues = 2;
    assert_false(refuted(workload, 1200, PLX_CEILING_LAUNCH));
    assert_true(refuted(workload, 600, PLX_CEILING_LAUNCH));
    workload = plx_workload_of(plx_operation_of(PLX_GEMM), &product);
    assert_true(refuted(workload, workload.flops / 30000 / 2.1, PLX_CEILING_FMA_F64));
    workload.other_units = true;
    assert_false(refuted(workload, workload.flops / 30000 / 2.1, PLX_CEILING_FMA_F64));
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

/* ---- buffers ---------------------------------------------------------------------------- */

static void sets_exceed_four_times_the_cache(void **unused)
{
    const uint64_t mib = 1 << 20, cache = 60 * mib;
    const plx_device_info roomy = {.memory_bytes = 100000 * mib, .max_alloc_bytes = 100000 * mib};
    (void)unused;
    for (uint64_t bytes = 256; bytes < 2000 * mib; bytes *= 3) {
        const size_t sets = plx_timed_sets_count(bytes, bytes, cache, &roomy);
        assert_true(sets >= 2 && (sets * bytes > 4 * cache || sets == 8192));
    }
    assert_int_equal(plx_timed_sets_count(0, 0, cache, &roomy), 1);
}

static void buffers_leave_room(void **unused)
{
    const uint64_t mib = 1 << 20;
    const plx_device_info tight = {.memory_bytes = 400 * mib, .max_alloc_bytes = 60 * mib};
    (void)unused;
    assert_int_equal(plx_timed_sets_count(10 * mib, 5 * mib, 60 * mib, &tight), 10); /* a quarter of the memory */
    assert_int_equal(plx_timed_sets_count(25 * mib, 25 * mib, 60 * mib, &tight), 2); /* one allocation */
    assert_int_equal(plx_timed_sets_count(300 * mib, 200 * mib, 60 * mib, &tight), 1);
}

/* A device or a host that is too small says so before there is any memory. */
static void operands_fit_or_it_is_said(void **unused)
{
    const plx_device_info small = {.name = "small", .memory_bytes = UINT64_C(1) << 30};
    const plx_device_info processor = {.name = "processor", .features = PLX_FEATURE_CPU, .memory_bytes = 1};
    const plx_device_info silent = {.name = "silent"};
    plx_problem problem = plx_problem_of(PLX_REDUCE, PLX_F32);
    plx_inputs inputs;
    plx_error error = {.text = ""};
    (void)unused;
    problem.of.reduce.n = (INT64_C(1) << 28) - 2; /* and a result: 4 bytes below 1 GiB */
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&small, &inputs, &error), PLX_OK);
    problem.of.reduce.n += 2;
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&small, &inputs, &error), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "small has 1.0 GiB"));
    /* What lies in host memory twice is two thirds of it. */
    problem.of.reduce.n = (int64_t)(plx_host_memory() / 3 * 2 / 4);
    assert_int_equal(plx_inputs_describe(&problem, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&silent, &inputs, &error), PLX_OK);
    assert_int_equal(plx_operands_fit(&processor, &inputs, &error), PLX_NO_MEMORY);
    assert_non_null(strstr(error.text, "twice on a processor"));
}

static plx_timed_sets *sets_of(plx_backend *backend, const plx_inputs *inputs, bool hot, size_t queues)
{
    plx_timed_sets *list = NULL, *found = NULL;
    plx_error error = {.text = ""};
    assert_int_equal(plx_timed_sets_for(&list, backend, inputs, hot, queues, &found, &error), PLX_OK);
    assert_ptr_equal(list, found);
    return found;
}

static void with_sums(plx_context **context, plx_backend **backend, plx_inputs *inputs)
{
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000);
    plx_error error = {.text = ""};
    assert_int_equal(plx_context_create(NULL, context), PLX_OK);
    assert_int_equal(plx_open(*context, "host", backend), PLX_OK);
    assert_int_equal(plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 7, inputs, &error), PLX_OK);
}

static void turn(plx_timed_sets *sets, plx_timed_user *user, size_t launches)
{
    assert_int_equal(plx_timed_sets_begin(sets, user), PLX_OK);
    assert_int_equal(plx_timed_sets_renew(sets, launches), PLX_OK);
    assert_int_equal(sets->launches, launches);
}

/* Else launches in two of them could meet on the same operands. */
static void each_queue_has_its_own_sets(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    for (size_t queues = 1; queues <= 7; queues++) {
        plx_timed_user user = {.turns = 0};
        plx_timed_sets *sets = sets_of(backend, &inputs, true, queues);
        assert_int_equal(sets->count, queues + 1); /* and the decoy */
        turn(sets, &user, 3 * queues);
        assert_int_equal(sets->used_count, queues);
        for (size_t i = 0; i < 3 * queues; i++) {
            size_t lanes = 0;
            for (size_t j = i / queues * queues; j < (i / queues + 1) * queues; j++)
                lanes += sets->sets[sets->order[j]].lane == i % queues ? 1 : 0;
            assert_int_equal(lanes, 1);
        }
        plx_timed_sets_free(sets);
    }
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Every set of a shifted operand lies as far off alignment as the first, and holds what its draw says. */
static void sets_start_where_the_inputs_say(void **unused)
{
    float back[1000];
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs, view;
    plx_timed_user user = {.turns = 0};
    plx_view views[2];
    plx_error error;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    inputs.shift = 3;
    plx_timed_sets *sets = sets_of(backend, &inputs, true, 4);
    for (size_t round = 0; round < 50; round++) {
        turn(sets, &user, 4);
        for (size_t i = 0; i < 4; i++) {
            const size_t set = sets->order[i];
            plx_timed_sets_views(sets, set, views);
            assert_int_equal(views[0].offset % 256, 12);
            assert_int_equal(views[1].offset % 256, 12);
            assert_int_equal(plx_download(NULL, back, views[0].buffer, views[0].offset, sizeof back), PLX_OK);
            assert_int_equal(plx_pool_view(sets->pool, sets->inputs, &sets->sets[set].draw, &view, &error), PLX_OK);
            assert_memory_equal(back, view.data[0], sizeof back);
            plx_pool_view_free(&sets->sets[set].draw, &view);
            plx_timed_sets_launched(sets, set);
        }
    }
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* What launches need of them, and no more memory of a processor; each has a place of its own, also when more come. */
static void sets_come_into_use_with_launches(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    assert_true(sets->made > 1000 && sets->count < 100);
    for (size_t launches = 10; launches <= 640; launches *= 4) {
        assert_int_equal(plx_timed_sets_reach(sets, launches), PLX_OK);
        turn(sets, &user, launches);
        assert_int_equal(sets->used_count, launches);
        assert_true(sets->count < 3 * launches + 100);
        for (size_t i = 0; i < sets->count; i++) {
            assert_true(sets->sets[i].place[0] < sets->count * sets->room[0]);
            for (size_t j = 0; j < i; j++)
                assert_int_not_equal(sets->sets[i].place[0] / sets->room[0], sets->sets[j].place[0] / sets->room[0]);
        }
    }
    assert_int_equal(plx_timed_sets_reach(sets, 1000000), PLX_OK);
    assert_int_equal(sets->count, sets->made);
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Memory of as much as the cache once for all backends of a processor. */
static void what_empties_the_cache_is_shared(void **unused)
{
    plx_context *context;
    plx_backend *backend, *other;
    plx_inputs inputs;
    plx_timed_user users[2] = {{.turns = 0}};
    plx_timed_sets *list = NULL, *first = NULL, *second = NULL;
    plx_error error = {.text = ""};
    (void)unused;
    with_sums(&context, &backend, &inputs);
    assert_int_equal(plx_open(context, "host", &other), PLX_OK);
    assert_int_equal(plx_timed_sets_for(&list, backend, &inputs, false, 1, &first, &error), PLX_OK);
    assert_int_equal(plx_timed_sets_for(&list, other, &inputs, false, 1, &second, &error), PLX_OK);
    assert_ptr_not_equal(first, second);
    turn(second, &users[1], 10);
    turn(first, &users[0], 10);
    assert_non_null(first->spare);
    assert_null(second->spare);
    plx_timed_sets_free(list);
    plx_inputs_free(&inputs);
    plx_close(other);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Between two launches on a set lie half of the others, and the order is another each time. */
static void sets_take_turns_in_another_order(void **unused)
{
    enum { LAUNCHES = 4000 };
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    size_t first[LAUNCHES], same = 0;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    for (int round = 0; round < 2; round++) {
        turn(sets, &user, LAUNCHES);
        for (size_t i = 0; i < LAUNCHES; i++)
            for (size_t j = i + 1; j < LAUNCHES && j - i < sets->used_count / 2; j++)
                assert_int_not_equal(sets->order[i], sets->order[j]);
        for (size_t i = 0; i < LAUNCHES; i++) {
            same += round > 0 && sets->order[i] == first[i] ? 1 : 0;
            first[i] = sets->order[i];
        }
    }
    assert_true(same < LAUNCHES / 10);
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* What was damaged is said, and where. */
static void damage_is_said(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_inputs inputs;
    plx_timed_user user = {.turns = 0};
    plx_error error;
    char violation[200];
    const float other = 0.5F;
    bool untouched;
    (void)unused;
    with_sums(&context, &backend, &inputs);
    plx_timed_sets *sets = sets_of(backend, &inputs, false, 1);
    turn(sets, &user, 2);
    const size_t set = sets->order[0];
    const uint64_t x = sets->sets[set].place[0], result = sets->sets[set].place[1];
    assert_int_equal(plx_timed_sets_verify(sets, set, violation, &error), PLX_OK);
    assert_string_equal(violation, "");
    assert_int_equal(plx_timed_sets_untouched(sets, set, &untouched, &error), PLX_OK);
    assert_true(untouched);
    const struct damage {
        plx_buffer *buffer;
        uint64_t offset;
        const char *words;
    } damages[] = {{sets->buffer[1], result - 4, "wrote before the start of result"},
                   {sets->buffer[1], result + 4, "wrote past the end of result"},
                   {sets->buffer[0], x - 4, "wrote before the start of x"},
                   {sets->buffer[0], x + 4000, "wrote past the end of x"},
                   {sets->buffer[0], x + 2000, "wrote to x of set"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        float kept;
        assert_int_equal(plx_download(NULL, &kept, damages[i].buffer, damages[i].offset, 4), PLX_OK);
        assert_int_equal(plx_upload(NULL, damages[i].buffer, damages[i].offset, &other, 4), PLX_OK);
        assert_int_equal(plx_timed_sets_verify(sets, set, violation, &error), PLX_OK);
        assert_non_null(strstr(violation, damages[i].words));
        assert_int_equal(plx_timed_sets_untouched(sets, set, &untouched, &error), PLX_OK);
        assert_int_equal(untouched, damages[i].buffer == sets->buffer[0]);
        assert_int_equal(plx_upload(NULL, damages[i].buffer, damages[i].offset, &kept, 4), PLX_OK);
    }
    plx_timed_sets_free(sets);
    plx_inputs_free(&inputs);
    plx_close(backend);
    plx_context_destroy(context);
}

/* ---- ceilings ---------------------------------------------------------------------------- */

static plx_ceilings ceilings_of_a_study(plx_context *context)
{
    const char *const host[] = {"host"};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000);
    const plx_compare_options options = {
        .backends = host, .backend_count = 1, .problems = &problem, .problem_count = 1, .seconds_per_kernel = 0.001};
    plx_results results;
    plx_error error = {.text = ""};
    if (plx_compare(context, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    const plx_ceilings ceilings = results.devices[0].ceilings;
    plx_results_free(&results);
    return ceilings;
}

/* Two measurements differ in some digit. */
static void a_context_measures_ceilings_once(void **unused)
{
    plx_context *context;
    (void)unused;
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    const plx_ceilings first = ceilings_of_a_study(context), second = ceilings_of_a_study(context);
    assert_true(first.tried != 0 && first.value[PLX_CEILING_LAUNCH] > 0);
    assert_int_equal(first.tried, second.tried);
    assert_memory_equal(first.value, second.value, sizeof first.value);
    plx_context_destroy(context);
}

/* What a cache of its own has after a value was written, and for how many seconds yet. */
static double kept_after(plx_backend *backend, double value, bool steady, long long *left)
{
    plx_ceilings ceilings = {.value = {[PLX_CEILING_READ] = value}}, kept = {.tried = 0};
    char path[400], line[2048] = "";
    plx_ceiling_write(backend, PLX_CEILING_READ, &ceilings, steady);
    (void)snprintf(path, sizeof path, "%s/parallax/ceilings.tsv", getenv("XDG_CACHE_HOME"));
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    for (int i = 0; i < 2; ++i)
        assert_non_null(fgets(line, sizeof line, from));
    assert_null(fgets(line, sizeof line, from)); /* one line of it alone */
    assert_int_equal(fclose(from), 0);
    *left = strtoll(line, NULL, 10) + 24LL * 3600 - (long long)time(NULL);
    plx_ceilings_read(backend, &kept);
    assert_int_equal(kept.tried, 1 << PLX_CEILING_READ);
    return kept.value[PLX_CEILING_READ];
}

/* And does not take the place of what was steady: what disturbs only makes it worse. */
static void what_was_not_steady_is_kept_for_minutes(void **unused)
{
    char home[] = "/tmp/parallax-ceilings-XXXXXX", command[64], *before = getenv("XDG_CACHE_HOME");
    plx_context *context;
    plx_backend *backend;
    long long left;
    (void)unused;
    before = before == NULL ? NULL : strdup(before);
    assert_non_null(mkdtemp(home));
    assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    assert_int_equal(plx_open(context, "host", &backend), PLX_OK);
    assert_true(kept_after(backend, 2, false, &left) == 2);
    assert_true(left > 0 && left <= 600);
    assert_true(kept_after(backend, 5, true, &left) == 5);
    assert_true(left > 23LL * 3600);
    assert_true(kept_after(backend, 3, false, &left) == 5);
    assert_true(left > 23LL * 3600);
    plx_close(backend);
    plx_context_destroy(context);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", home);
    assert_int_equal(system(command), 0);
    assert_int_equal(before == NULL ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before, 1), 0);
    free(before);
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
        cmocka_unit_test(a_context_measures_ceilings_once),
        cmocka_unit_test(what_was_not_steady_is_kept_for_minutes),
        cmocka_unit_test(problems_in_a_row_are_judged_by_their_own_operands),
        cmocka_unit_test(memory_of_a_context_is_found_again),
        cmocka_unit_test(each_problem_has_its_ceiling),
        cmocka_unit_test(a_thin_product_is_bound_by_memory),
        cmocka_unit_test(what_nobody_measured_does_not_apply),
        cmocka_unit_test(above_the_ceiling_there_is_a_cause),
        cmocka_unit_test(a_ceiling_that_is_about_something_else_bounds_nothing),
        cmocka_unit_test(a_kernel_on_matrix_units_has_their_ceiling),
        cmocka_unit_test(a_library_is_on_the_units_that_are_as_fast),
        cmocka_unit_test(a_ceiling_that_was_passed_is_false),
        cmocka_unit_test(a_launch_bounds_what_is_small),
        cmocka_unit_test(what_spreads_too_much_is_noise),
        cmocka_unit_test(far_above_the_ceiling_is_an_error_of_measurement),
        cmocka_unit_test(a_clock_is_believed_within_what_the_host_saw),
        cmocka_unit_test(the_clock_is_chosen_by_all_samples),
        cmocka_unit_test(sets_exceed_four_times_the_cache),
        cmocka_unit_test(buffers_leave_room),
        cmocka_unit_test(operands_fit_or_it_is_said),
        cmocka_unit_test(each_queue_has_its_own_sets),
        cmocka_unit_test(sets_start_where_the_inputs_say),
        cmocka_unit_test(sets_take_turns_in_another_order),
        cmocka_unit_test(sets_come_into_use_with_launches),
        cmocka_unit_test(what_empties_the_cache_is_shared),
        cmocka_unit_test(damage_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
