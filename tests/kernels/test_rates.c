/* The rates of the products' models: what is in use is what was generated, in its order; and a fit finds
 * rates again from the times that follow from them. */
#include "kernel_support.h"

#include "base/sha256.h"
#include "kernels/gemm/plan/family.h"
#include "study/tune/rates.h"

#include <math.h>
#include <stdlib.h>

static const char *const generated[] = {"async-copy", "many-blocks", "split-k", "stream-k", "short-k", "few-rows"};
enum { GENERATED = sizeof generated / sizeof generated[0], MOST_RATES = 128 };
/* Of the tensor cores, and of vectors: not of f32 alone. */
static const char *const others[] = {"matvec",        "dmma",          "dmma-bulk",    "wgmma",      "wgmma-pipelined",
                                     "wgmma-cluster", "wgmma-elected", "wgmma-narrow", "mma-direct", "wgmma-tf32"};
/* Tables that no kernel's model lists. */
static const char *const shared[] = {"cuda-9.0/clusters", "opencl-9.0/async-copy", "opencl-9.0/few-rows",
                                     "opencl-9.0/partitions", "opencl-9.0/split-k"};
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static plx_device_info hopper; /* set by main */

static size_t rates_of(const char *kernel, plx_rate *rates)
{
    const plx_row *row = row_named(PLX_GEMM, kernel);
    const size_t count = row->model->rates(row, &hopper, rates, MOST_RATES);
    assert_in_range(count, 1, MOST_RATES);
    return count;
}

/* ---- what was generated --------------------------------------------------------------- */

static char *text_of(const char *kernel)
{
    char path[512], *text = calloc(1, 1 << 16);
    (void)snprintf(path, sizeof path, "%s/kernels/gemm/plan/rates/%s.h", getenv("top_srcdir"), kernel);
    FILE *from = fopen(path, "r");
    if (from == NULL)
        fail_msg("%s can't be read", path);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 16) - 1, from), 1, (1 << 16) - 2);
    (void)fclose(from);
    return text;
}

/* Where it is from, and nobody typed into what stands behind the first two lines. */
static void assert_untouched(const char *kernel, const char *first, const char *second, const char *lines)
{
    char hex[2 * PLX_SHA256_BYTES + 1];
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256 hash;
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, lines, strlen(lines));
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, hex);
    const bool in_cuda = strncmp(kernel, "cuda", 4) == 0;
    if (strncmp(first, "/* By ", 6) != 0 || (in_cuda && strstr(first, "`parallax tune gemm") == NULL) ||
        strstr(first, "times") == NULL || strstr(first, "NVIDIA H") == NULL)
        fail_msg("%s.h does not say by what command, on which device and to which times it was fitted", kernel);
    if (strstr(first, " 20") == NULL && strstr(first, "driver ") == NULL)
        fail_msg("%s.h does not say when", kernel);
    if (strstr(second, hex) == NULL)
        fail_msg("%s.h was changed by hand: generate it anew", kernel);
}

static void assert_in_use(const char *kernel, const char *lines)
{
    plx_rate rates[MOST_RATES];
    const size_t count = rates_of(kernel, rates);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        double value;
        int length = 0;
        if (sscanf(lines, ".%63[^ ] = %lf,\n%n", name, &value, &length) != 2 || length == 0)
            fail_msg("%s.h has no line for %s", kernel, rates[i].name);
        assert_string_equal(name, rates[i].name);
        assert_true(value == rates[i].value && value >= rates[i].least && value <= rates[i].most);
        lines += length;
    }
    assert_string_equal(lines, "");
}

static void check_table(const char *table, const char *kernel)
{
    char *text = text_of(table), *second = strchr(text, '\n'),
         *lines = second != NULL ? strchr(second + 1, '\n') : NULL;
    assert_non_null(lines);
    *lines = '\0';
    assert_untouched(table, text, second + 1, lines + 1);
    if (kernel != NULL)
        assert_in_use(kernel, lines + 1);
    free(text);
}

static void check_kernel(const char *kernel)
{
    char table[64];
    (void)snprintf(table, sizeof table, "cuda-9.0/%s", kernel);
    check_table(table, kernel);
}

static void what_is_in_use_was_generated(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < GENERATED; i++)
        check_kernel(generated[i]);
    for (size_t i = 0; i < COUNT(others); i++)
        check_kernel(others[i]);
    for (size_t i = 0; i < COUNT(shared); i++)
        check_table(shared[i], NULL);
}

/* ---- the fit -------------------------------------------------------------------------------- */

enum { PROBLEMS = 150, OF_EACH = 12, TIMES = PROBLEMS * OF_EACH, MOST_CONFIGS = 4096 };

typedef struct timed {
    const plx_row *row;
    plx_problem problems[TIMES]; /* with their configurations */
    double us[TIMES];
} timed;

static double expect(void *data, size_t time, const double *rates)
{
    const timed *all = data;
    return all->row->model->expect(all->row, &all->problems[time], &hopper, rates);
}

static plx_problem some_problem(uint64_t *state)
{
    const uint64_t layout = next_number(state);
    return plx_gemm_of(PLX_F32, layout & 1, layout >> 1 & 1, 1 + (int64_t)(next_number(state) % 4000),
                       1 + (int64_t)(next_number(state) % 4000), 64 + (int64_t)(next_number(state) % 6000));
}

/* Between a and b. */
static double number_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * (double)(next_number(state) % 100001) / 100000.0;
}

/* The times of configurations of problems by these rates, and noise. */
static void make_times(timed *all, const char *kernel, const double *rates, double noise, uint64_t *state)
{
    static plx_config configs[MOST_CONFIGS];
    const plx_row *row = row_named(PLX_GEMM, kernel);
    all->row = row;
    for (size_t i = 0; i < TIMES; i += OF_EACH) {
        const plx_problem problem = some_problem(state);
        const size_t listed = row->configs != NULL ? row->configs(row, &problem, &hopper, configs, MOST_CONFIGS) : 0;
        const size_t count = listed < MOST_CONFIGS ? listed : MOST_CONFIGS;
        for (size_t j = i; j < i + OF_EACH; j++) {
            all->problems[j] = problem;
            all->problems[j].config = count > 0 ? configs[next_number(state) % count].number : 0;
            all->us[j] = expect(all, j, rates) * number_between(state, 1.0 - noise, 1.0 + noise);
        }
    }
}

static double typical_error(timed *all, const double *rates)
{
    double sum = 0.0;
    for (size_t i = 0; i < TIMES; i++)
        sum += pow(log(expect(all, i, rates) / all->us[i]), 2.0);
    return sqrt(sum / TIMES);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static void the_fit_finds_rates_again(void **unused)
{
    static timed all;
    plx_rate rates[MOST_RATES];
    plx_error error = {.text = ""};
    double known[MOST_RATES], fitted[MOST_RATES], again[MOST_RATES];
    uint64_t state = 5;
    (void)unused;
    for (size_t k = 0; k < GENERATED; k++) {
        const size_t count = rates_of(generated[k], rates);
        for (size_t j = 0; j < count; j++)
            known[j] = fmin(rates[j].value * number_between(&state, 0.7, 1.4), 0.9 * rates[j].most);
        make_times(&all, generated[k], known, 0.02, &state);
        plx_fit fit = {rates, count, all.us, TIMES, expect, &all, 0.0, 0.0};
        assert_int_equal(plx_fit_rates(&fit, fitted, &error), PLX_OK);
        assert_true(fit.before > 0.05 && fit.after < 0.02);
        assert_int_equal(plx_fit_rates(&fit, again, &error), PLX_OK);
        assert_memory_equal(fitted, again, count * sizeof *fitted);
        for (size_t j = 0; j < count; j++) /* of most importance to the time */
            if ((ends_with(rates[j].name, ".full") || ends_with(rates[j].name, ".two")) &&
                fabs(log(fitted[j] / known[j])) > 0.05)
                fail_msg("%s, %s: fitted %g, known %g", generated[k], rates[j].name, fitted[j], known[j]);
        make_times(&all, generated[k], known, 0.0, &state); /* others than were fitted to */
        assert_true(typical_error(&all, fitted) < 0.02);
    }
}

/* A few times that are ten times too long, as of a disturbed machine, change little. */
static void outliers_change_little(void **unused)
{
    static timed all;
    plx_rate rates[MOST_RATES];
    plx_error error = {.text = ""};
    double known[MOST_RATES], fitted[MOST_RATES];
    uint64_t state = 7;
    (void)unused;
    const size_t count = rates_of("split-k", rates);
    for (size_t j = 0; j < count; j++)
        known[j] = rates[j].value;
    make_times(&all, "split-k", known, 0.02, &state);
    for (size_t i = 0; i < TIMES; i += 50)
        all.us[i] *= 10.0;
    plx_fit fit = {rates, count, all.us, TIMES, expect, &all, 0.0, 0.0};
    assert_int_equal(plx_fit_rates(&fit, fitted, &error), PLX_OK);
    make_times(&all, "split-k", known, 0.0, &state);
    assert_true(typical_error(&all, fitted) < 0.02);
}

/* A configuration that there is not, has no expectation. */
static void bad_configurations_are_refused(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 300, 200, 100);
    (void)unused;
    for (size_t k = 0; k < GENERATED; k++) {
        const plx_row *row = row_named(PLX_GEMM, generated[k]);
        problem.config = 0;
        assert_true(row->model->expect(row, &problem, &hopper, NULL) > 0.0);
        problem.config = UINT32_MAX;
        assert_true(row->model->expect(row, &problem, &hopper, NULL) == 0.0);
        problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 100, .cluster = 1, .parts = 1});
        assert_true(row->model->expect(row, &problem, &hopper, NULL) == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_use_was_generated),
        cmocka_unit_test(the_fit_finds_rates_again),
        cmocka_unit_test(outliers_change_little),
        cmocka_unit_test(bad_configurations_are_refused),
    };
    hopper = fake_gpu(9);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
