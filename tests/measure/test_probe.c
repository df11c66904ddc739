/* The probes' sweeps, and the verdicts on made-up measurements. */
#define _POSIX_C_SOURCE 200809L

#include "kernels/recipe.h"
#include "tests/fakes/devices.h"
#include "study/probe/probe.h"

#include <parallax/plugin.h>

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_POINTS = 8 };

static const plx_device_info gpu = {.features = PLX_FEATURE_LOCAL_MEMORY, .warp = 32, .units = 100};
static const plx_device_info cpu = {.features = PLX_FEATURE_CPU, .warp = 1, .units = 2};

/* ---- verdicts ------------------------------------------------------------------ */

typedef struct sample {
    plx_probe_sweep sweep;
    plx_probe_point points[MOST_POINTS];
} sample;

static void start(sample *s)
{
    memset(s, 0, sizeof *s);
    (void)snprintf(s->sweep.probe, sizeof s->sweep.probe, "partition");
    (void)snprintf(s->sweep.name, sizeof s->sweep.name, "regions");
    (void)snprintf(s->sweep.phenomenon, sizeof s->sweep.phenomenon, "partition camping");
    s->sweep.points = s->points;
}

static plx_probe_point *add(sample *s, plx_probe_role role, const char *series, double median, double half)
{
    plx_probe_point *point = &s->points[s->sweep.point_count++];
    assert_true(s->sweep.point_count <= MOST_POINTS);
    point->problem = plx_probe_of(PLX_I32, PLX_PROBE_PARTITION, 1024);
    point->role = role;
    point->time = (plx_timing){
        .measured = true, .median_ns = median, .low_ns = median - half, .high_ns = median + half, .samples = 20};
    (void)snprintf(point->series, sizeof point->series, "%s", series);
    (void)snprintf(point->label, sizeof point->label, "point %zu", s->sweep.point_count);
    return point;
}

static const plx_probe_verdict *judge(sample *s, const plx_device_info *device)
{
    plx_probe_judge(&s->sweep, device);
    return &s->sweep.verdict;
}

static void says(const plx_probe_verdict *verdict, const char *words)
{
    if (strstr(verdict->text, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, verdict->text);
}

static void four_times_as_slow_is_visible(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 4000, 20);
    add(&s, PLX_PROBE_SUSPECT, "", 2000, 20);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1010, 5);
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_VISIBLE);
    assert_true(verdict->ratio > 3.999 && verdict->ratio < 4.001);
    assert_true(verdict->low < 4.0 && verdict->low > 3.9 && verdict->high > 4.0 && verdict->high < 4.1);
    assert_int_equal(verdict->worst, 0);
    assert_int_equal(verdict->best, 2);
    says(verdict, "partition camping: visible on this device, worst/best 4.00 \302\261 0.04 (point 1 against point 3)");
}

static void equal_times_are_not_visible(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 1030, 10);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 10);
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_NOT_VISIBLE);
    says(verdict, "not visible on this device, worst/best 1.03 \302\261 0.02");
}

static void a_faster_suspect_is_not_visible(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 500, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    assert_int_equal(judge(&s, &gpu)->visibility, PLX_NOT_VISIBLE);
    s.sweep.symmetric = true; /* unless either direction counts */
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_VISIBLE);
    assert_int_equal(verdict->worst, 1);
    assert_true(verdict->ratio > 1.99 && verdict->ratio < 2.01 && verdict->low < verdict->high);
}

static void wide_intervals_are_too_noisy(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 1300, 200);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 100);
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_TOO_NOISY);
    says(verdict, "too noisy to tell");
}

/* What is neither suspect nor baseline has no say, but asides get a word. */
static void other_points_do_not_count(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_OTHER, "", 9000, 5);
    add(&s, PLX_PROBE_ASIDE, "", 5000, 5);
    add(&s, PLX_PROBE_SUSPECT, "", 1000, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_NOT_VISIBLE);
    says(verdict, "; point 2 5.00 ");
}

/* A slow kernel beside a fast one is no phenomenon. */
static void series_are_compared_within(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "naive", 5000, 5);
    add(&s, PLX_PROBE_BASELINE, "naive", 5000, 5);
    add(&s, PLX_PROBE_SUSPECT, "padded", 1000, 5);
    add(&s, PLX_PROBE_BASELINE, "padded", 1000, 5);
    assert_int_equal(judge(&s, &gpu)->visibility, PLX_NOT_VISIBLE);
    s.points[2].time.median_ns = s.points[2].time.low_ns = s.points[2].time.high_ns = 3000;
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_VISIBLE);
    assert_int_equal(verdict->worst, 2);
    assert_int_equal(verdict->best, 3);
    says(verdict, "(point 3, padded against point 4, padded)");
}

/* One lucky baseline must not make all others suspicious. */
static void the_median_baseline_stands_for_all(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 1000, 5);
    add(&s, PLX_PROBE_BASELINE, "", 400, 5);
    add(&s, PLX_PROBE_BASELINE, "", 990, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    assert_int_equal(judge(&s, &gpu)->visibility, PLX_VISIBLE);
    s.sweep.median = true;
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_NOT_VISIBLE);
    assert_int_equal(verdict->best, 2);
    says(verdict, "worst/median 1.01");
}

static void missing_points_are_told(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    add(&s, PLX_PROBE_SUSPECT, "", 4000, 5);
    plx_probe_point *wrong = add(&s, PLX_PROBE_SUSPECT, "", 1000, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    wrong->outcome = PLX_OUTCOME_WRONG;
    wrong->time.measured = false;
    (void)snprintf(wrong->reason, sizeof wrong->reason, "7 of 9 elements");
    const plx_probe_verdict *verdict = judge(&s, &gpu);
    assert_int_equal(verdict->visibility, PLX_INCONCLUSIVE);
    says(verdict, "inconclusive, point 2 is wrong (7 of 9 elements)");
}

static void no_points_are_no_verdict(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    assert_int_equal(judge(&s, &gpu)->visibility, PLX_INCONCLUSIVE);
}

static void shared_memory_that_is_not_there_has_no_banks(void **unused)
{
    sample s;
    (void)unused;
    start(&s);
    s.sweep.of_shared = true;
    add(&s, PLX_PROBE_SUSPECT, "", 4000, 5);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    assert_int_equal(judge(&s, &gpu)->visibility, PLX_VISIBLE);
    const plx_probe_verdict *verdict = judge(&s, &cpu);
    assert_int_equal(verdict->visibility, PLX_NO_SUBJECT);
    says(verdict, "no shared memory of its own");
    says(verdict, "4.00");
}

/* ---- exit status ------------------------------------------------------------------ */

static void what_is_worst_decides_the_status(void **unused)
{
    sample s;
    plx_results results = {.sweeps = &s.sweep, .sweep_count = 1};
    (void)unused;
    start(&s);
    assert_int_equal(plx_probe_results_status(&results), 4);
    add(&s, PLX_PROBE_SUSPECT, "", 1000, 5)->outcome = PLX_OUTCOME_UNSUPPORTED;
    assert_int_equal(plx_probe_results_status(&results), 4);
    add(&s, PLX_PROBE_BASELINE, "", 1000, 5);
    assert_int_equal(plx_probe_results_status(&results), 0);
    results.unopened_count = 1;
    assert_int_equal(plx_probe_results_status(&results), 5);
    results.unopened_count = 0;
    s.points[0].outcome = PLX_OUTCOME_FAILED;
    assert_int_equal(plx_probe_results_status(&results), 5);
    s.points[1].outcome = PLX_OUTCOME_WRONG;
    assert_int_equal(plx_probe_results_status(&results), 1);
}

/* ---- sweeps --------------------------------------------------------------------- */

/* As a backend finds it: the rows that are there to be probed and have a recipe. */
static const char *kernel_of(const void *data, const plx_problem *problem, size_t which)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    const plx_device_info roomy = fake_gpu(9);
    (void)data;
    for (size_t i = 0; i < ladder->count; i++) {
        const plx_row *row = &ladder->rows[i];
        plx_recipe recipe;
        plx_error error;
        bool probed = problem->op == PLX_PROBE ? (row->about.flags & PLX_KERNEL_CEILING) == 0
                                               : (row->about.flags & PLX_KERNEL_PROBED) != 0;
        if (probed && plx_recipe_write(row, false, problem, &roomy, &recipe, &error) == PLX_OK && which-- == 0)
            return row->about.name;
    }
    return NULL;
}

static void free_sweeps(plx_probe_sweep *sweeps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(sweeps[i].points);
    free(sweeps);
}

static plx_probe_list sweeps_of(size_t probe, const plx_device_info *device, bool quick)
{
    plx_probe_list list = {NULL, 0};
    plx_error error = {""};
    const plx_probe_subject subject = {.device = device, .quick = quick, .kernel = kernel_of};
    if (plx_probe_sweeps(probe, &subject, &list, &error) != PLX_OK)
        fail_msg("%s: %s", plx_probe_name(probe), error.text);
    assert_true(list.count > 0);
    return list;
}

static size_t count_role(const plx_probe_sweep *sweep, plx_probe_role role)
{
    size_t count = 0;
    for (size_t i = 0; i < sweep->point_count; i++)
        count += sweep->points[i].role == role;
    return count;
}

/* What runs a point is looked up by its name. */
static void assert_kernel(const plx_probe_point *point)
{
    const plx_ladder *ladder = plx_ladder_of(point->problem.op);
    for (size_t i = 0; i < ladder->count; i++)
        if (strcmp(ladder->rows[i].about.name, point->kernel) == 0 &&
            (ladder->rows[i].about.dtypes & PLX_DTYPE_BIT(point->problem.dtype)) != 0)
            return;
    fail_msg("%s has no kernel %s for %s", plx_ladder_name(point->problem.op), point->kernel, point->label);
}

static void assert_sweep(const plx_probe_sweep *sweep)
{
    assert_true(sweep->title[0] != '\0' && sweep->axis[0] != '\0' && sweep->phenomenon[0] != '\0');
    assert_true(count_role(sweep, PLX_PROBE_SUSPECT) > 0);
    assert_true(count_role(sweep, PLX_PROBE_BASELINE) > 0);
    for (size_t i = 0; i < sweep->point_count; i++) {
        plx_error error = {""};
        if (plx_problem_check(&sweep->points[i].problem, &error) != PLX_OK)
            fail_msg("%s/%s, %s: %s", sweep->probe, sweep->name, sweep->points[i].label, error.text);
        assert_kernel(&sweep->points[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(sweep->points[i].label, sweep->points[j].label) == 0)
                assert_string_not_equal(sweep->points[i].series, sweep->points[j].series);
    }
}

static void every_point_is_a_valid_problem(void **unused)
{
    size_t probes = 0;
    (void)unused;
    for (; plx_probe_name(probes) != NULL; probes++)
        for (int way = 0; way < 4; way++) {
            plx_probe_list list = sweeps_of(probes, way < 2 ? &gpu : &cpu, way % 2 == 0);
            for (size_t i = 0; i < list.count; i++)
                assert_sweep(&list.sweeps[i]);
            free_sweeps(list.sweeps, list.count);
            assert_non_null(plx_probe_summary(probes));
        }
    assert_int_equal(probes, 5);
    assert_null(plx_probe_summary(probes));
}

static size_t probe_named(const char *name)
{
    size_t probe = 0;
    while (plx_probe_name(probe) != NULL && strcmp(plx_probe_name(probe), name) != 0)
        probe++;
    assert_non_null(plx_probe_name(probe));
    return probe;
}

/* Which kernels are swept is said by their rows, in the order of the ladders. */
static void sweeps_are_of_the_kernels_that_say_so(void **unused)
{
    static const struct sides {
        const char *probe;
        size_t sweep;
        const char *kernels[3];
    } all[] = {{"partition", 2, {"naive", "coalesced", "padded"}},
               {"partition", 3, {"row-per-thread"}},
               {"banks", 0, {"banks", "banks-padded"}},
               {"shared", 0, {"shared-static", "shared-dynamic"}},
               {"divergence", 1, {"no-guard", "guard"}}};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        plx_probe_list list = sweeps_of(probe_named(all[i].probe), &gpu, true);
        const plx_probe_sweep *sweep = &list.sweeps[all[i].sweep];
        const size_t sides = all[i].kernels[1] == NULL ? 1 : all[i].kernels[2] == NULL ? 2 : 3;
        size_t found = 0;
        for (size_t p = 0; p < sweep->point_count; p++)
            if (p == 0 || strcmp(sweep->points[p].kernel, sweep->points[p - 1].kernel) != 0)
                assert_string_equal(sweep->points[p].kernel, all[i].kernels[found++ % sides]);
        assert_true(found > 0);
        free_sweeps(list.sweeps, list.count);
    }
}

/* 256 blocks of 32 x 32 threads on 1, 2, 4 ... 64 regions of ints. */
static void partition_has_the_published_set_up(void **unused)
{
    plx_probe_list list = sweeps_of(probe_named("partition"), &gpu, true);
    const plx_probe_sweep *sweep = &list.sweeps[0];
    int64_t regions = 1;
    (void)unused;
    assert_int_equal(sweep->point_count, 7);
    for (size_t i = 0; i < sweep->point_count; i++, regions *= 2) {
        assert_int_equal(sweep->points[i].problem.dtype, PLX_I32);
        assert_int_equal(sweep->points[i].problem.of.probe.n, 256 * 1024);
        assert_int_equal(sweep->points[i].problem.of.probe.regions, regions);
    }
    free_sweeps(list.sweeps, list.count);
}

/* All of 0 .. 32, once for each of the kernels and dtypes. */
static void banks_has_every_stride(void **unused)
{
    plx_probe_list list = sweeps_of(probe_named("banks"), &gpu, false);
    (void)unused;
    assert_int_equal(list.count, 2);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.sweeps[i].point_count, 66);
        assert_true(list.sweeps[i].of_shared);
        for (int64_t j = 0; j < 66; j++)
            assert_int_equal(list.sweeps[i].points[j].problem.of.probe.stride, j % 33);
    }
    assert_int_equal(list.sweeps[0].points[0].problem.dtype, PLX_I32);
    assert_int_equal(list.sweeps[1].points[0].problem.dtype, PLX_I64);
    free_sweeps(list.sweeps, list.count);
}

/* Two devices with warps of different width have different baselines. */
static void alternate_warps_follow_the_device(void **unused)
{
    plx_device_info wide = gpu;
    (void)unused;
    wide.warp = 64;
    plx_probe_list list = sweeps_of(probe_named("divergence"), &wide, false);
    for (size_t i = 0; i < list.sweeps[0].point_count; i++) {
        const plx_probe_point *point = &list.sweeps[0].points[i];
        assert_int_equal(strcmp(point->label, "alternate warps") == 0, point->problem.of.probe.stride == 64);
        assert_int_equal(point->role == PLX_PROBE_BASELINE, point->problem.of.probe.stride >= 64);
    }
    free_sweeps(list.sweeps, list.count);
}

static void there_is_no_sixth_probe(void **unused)
{
    plx_probe_list list = {NULL, 0};
    plx_error error;
    (void)unused;
    const plx_probe_subject subject = {.device = &gpu, .kernel = kernel_of};
    assert_int_equal(plx_probe_sweeps(5, &subject, &list, &error), PLX_NOT_FOUND);
}

/* ---- reports ---------------------------------------------------------------------- */

typedef plx_status writer(const plx_results *results, FILE *to, plx_error *error);

static char *written(writer *write, sample *s)
{
    plx_study_device device = {.label = "fast:0"};
    plx_results results = {.devices = &device, .device_count = 1, .sweeps = &s->sweep, .sweep_count = 1};
    char *text = NULL;
    size_t length = 0;
    plx_error error;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    assert_int_equal(write(&results, to, &error), PLX_OK);
    assert_int_equal(fclose(to), 0);
    return text;
}

static plx_status write_table(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_probe_write_table(results, to, 60, error);
}

static plx_status write_svg(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_probe_write_gnuplot(results, to, "svg", error);
}

static void two_points(sample *s)
{
    start(s);
    (void)snprintf(add(s, PLX_PROBE_SUSPECT, "", 4000, 5)->label, 48, "say \"one\", `id`");
    add(s, PLX_PROBE_BASELINE, "", 1000, 5);
    (void)judge(s, &gpu);
}

static void json_has_points_and_verdict(void **unused)
{
    sample s;
    (void)unused;
    two_points(&s);
    char *text = written(plx_results_write_json, &s);
    json_t *all = json_loads(text, 0, NULL);
    json_t *sweep = json_array_get(json_object_get(all, "sweeps"), 0);
    json_t *verdict = json_object_get(sweep, "verdict");
    assert_string_equal(json_string_value(json_object_get(all, "schema")), "parallax-probe/1");
    assert_int_equal(json_array_size(json_object_get(sweep, "points")), 2);
    assert_string_equal(json_string_value(json_object_get(verdict, "visibility")), "visible");
    assert_true(json_real_value(json_object_get(verdict, "ratio")) > 3.99);
    json_decref(all);
    free(text);
}

static void csv_quotes_its_fields(void **unused)
{
    sample s;
    (void)unused;
    two_points(&s);
    char *text = written(plx_probe_write_csv, &s);
    assert_non_null(strstr(text, "\"say \"\"one\"\", `id`\""));
    free(text);
}

/* Bars are in proportion, and every line of the verdict keeps to the width. */
static void the_table_has_bars(void **unused)
{
    sample s;
    char *text;
    size_t bars[2] = {0, 0};
    (void)unused;
    two_points(&s);
    text = written(write_table, &s);
    const char *first = strstr(text, "say"), *second = strstr(text, "point 2"), *verdict = strstr(text, "Verdict:");
    assert_true(first != NULL && second != NULL && verdict != NULL && first < second && second < verdict);
    for (const char *at = first; at < verdict; at++)
        bars[at >= second] += *at == '#';
    assert_true(bars[1] > 0 && bars[0] >= 3 * bars[1] && bars[0] <= 5 * bars[1]);
    for (const char *line = verdict; line != NULL; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 60);
    free(text);
}

/* gnuplot runs what stands between backquotes, and quotes end a string. */
static void a_plot_can_not_be_talked_into_anything(void **unused)
{
    sample s;
    (void)unused;
    two_points(&s);
    char *text = written(write_svg, &s);
    assert_null(strchr(text, '`'));
    assert_non_null(strstr(text, "\"say  one ,  id \""));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_times_as_slow_is_visible),
        cmocka_unit_test(equal_times_are_not_visible),
        cmocka_unit_test(a_faster_suspect_is_not_visible),
        cmocka_unit_test(wide_intervals_are_too_noisy),
        cmocka_unit_test(other_points_do_not_count),
        cmocka_unit_test(series_are_compared_within),
        cmocka_unit_test(the_median_baseline_stands_for_all),
        cmocka_unit_test(missing_points_are_told),
        cmocka_unit_test(no_points_are_no_verdict),
        cmocka_unit_test(shared_memory_that_is_not_there_has_no_banks),
        cmocka_unit_test(what_is_worst_decides_the_status),
        cmocka_unit_test(every_point_is_a_valid_problem),
        cmocka_unit_test(sweeps_are_of_the_kernels_that_say_so),
        cmocka_unit_test(partition_has_the_published_set_up),
        cmocka_unit_test(banks_has_every_stride),
        cmocka_unit_test(alternate_warps_follow_the_device),
        cmocka_unit_test(there_is_no_sixth_probe),
        cmocka_unit_test(json_has_points_and_verdict),
        cmocka_unit_test(csv_quotes_its_fields),
        cmocka_unit_test(the_table_has_bars),
        cmocka_unit_test(a_plot_can_not_be_talked_into_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
