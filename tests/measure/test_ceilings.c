/* Which ceiling applies to a problem, what lies above it, and how long ceilings are kept. */
#define _XOPEN_SOURCE 700 /* mkdtemp, setenv */

#include "study/measure/ceiling.h"
#include "study/measure/timing.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_measures_ceilings_once),
        cmocka_unit_test(what_was_not_steady_is_kept_for_minutes),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
