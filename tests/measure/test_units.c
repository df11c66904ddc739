/* The probe of matrix units finds what was planted in units that are not there, and says when one loses more
 * than the bound assumes. */
#define _POSIX_C_SOURCE 200809L

#include "study/probe/units.h"
#include "study/measure/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = PLX_UNIT_SIDE };

/* A unit that is not there: how it adds, and what else it does. */
typedef struct planted {
    plx_unit_model model;
    plx_dtype dtype;
    bool swaps;           /* takes the second half of k first */
    bool rounds_products; /* to 16 bits */
} planted;

static double factor(const planted *unit, double value)
{
    const double lowest = unit->dtype == PLX_F16 ? 0x1p-14 : 0x1p-126;
    double units;
    if (unit->model.factors == PLX_SUBNORMALS_FLUSHED && fabs(value) < lowest)
        return 0.0;
    if (unit->dtype != PLX_F32 || value == 0.0)
        return value;
    units = ldexp(value, 10 - ilogb(value));
    units = unit->model.operands == PLX_ROUNDING_NEAREST ? nearbyint(units) : trunc(units);
    return ldexp(units, ilogb(value) - 10);
}

static plx_status multiply(void *data, const double *a, const double *b, float *c, plx_error *error)
{
    const planted *unit = data;
    double x[SIDE], y[SIDE];
    (void)error;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            for (int l = 0; l < SIDE; l++) {
                const int from = unit->swaps ? (l + SIDE / 2) % SIDE : l;
                x[l] = factor(unit, a[i * SIDE + from]);
                y[l] = factor(unit, b[j * SIDE + from]);
                if (unit->rounds_products) {
                    x[l] = (double)(float)(x[l] * y[l] * (1.0 + 0x1p-10));
                    y[l] = 1.0;
                }
            }
            c[i * SIDE + j] = plx_unit_sum(&unit->model, x, y, SIDE);
        }
    return PLX_OK;
}

static planted unit_of(plx_dtype dtype, int at_once, int digits, plx_rounding rounding)
{
    return (planted){.dtype = dtype,
                     .model = {.exact_products = true,
                               .operands = dtype == PLX_F32 ? PLX_ROUNDING_TO_ZERO : PLX_ROUNDING_NONE,
                               .at_once = at_once,
                               .in_order = true,
                               .digits = digits,
                               .digits_of_sum = digits,
                               .by_exponents = true,
                               .aligned = rounding,
                               .result = rounding,
                               .factors = PLX_SUBNORMALS_KEPT,
                               .results = dtype == PLX_F16 ? PLX_SUBNORMALS_UNKNOWN : PLX_SUBNORMALS_KEPT}};
}

static plx_matrix_unit found_in(planted *unit, double assumed)
{
    const plx_unit_subject subject = {unit->dtype, PLX_COMPUTE_PLAIN, multiply, unit};
    plx_matrix_unit found = {.assumed = assumed, .problem = {.dtype = unit->dtype}};
    plx_error error = {.text = ""};
    assert_int_equal(plx_unit_find(&subject, &found, &error), PLX_OK);
    plx_unit_judge(&found);
    return found;
}

static void same(const plx_unit_model *found, const plx_unit_model *expected)
{
    assert_int_equal(found->exact_products, expected->exact_products);
    assert_int_equal(found->operands, expected->operands);
    assert_int_equal(found->at_once, expected->at_once);
    assert_int_equal(found->in_order, expected->in_order);
    assert_int_equal(found->digits, expected->digits);
    assert_int_equal(found->digits_of_sum, expected->digits_of_sum);
    assert_int_equal(found->by_exponents, expected->by_exponents);
    assert_int_equal(found->aligned, expected->aligned);
    assert_int_equal(found->result, expected->result);
    assert_int_equal(found->wide_between, expected->wide_between);
    assert_int_equal(found->factors, expected->factors);
    assert_int_equal(found->results, expected->results);
}

static void is_found(planted unit)
{
    const plx_matrix_unit found = found_in(&unit, 1e6);
    same(&found.model, &unit.model);
    assert_int_equal(found.outcome, PLX_OUTCOME_OK);
    assert_true(found.compared > 0 && found.predicted == found.compared);
}

/* `make check` takes each size and each number of digits once, the types in turn, and each rounding of either kind;
 * check-full all of them with each other. */
static bool is_whole(void)
{
    const char *form = getenv("CHECK_FORM");
    return form != NULL && strcmp(form, "full") == 0;
}

static void finds_groups_and_digits(void **unused)
{
    static const plx_dtype dtypes[] = {PLX_F16, PLX_BF16, PLX_F32};
    (void)unused;
    for (size_t i = 0; i < 3; i++)
        for (size_t size = 0; size < 5; size++)
            for (size_t digits = 0; digits <= 3; digits++)
                if (is_whole() || (size % 4 == digits && size % 3 == i))
                    is_found(unit_of(dtypes[i], 4 << size, (int)digits, PLX_ROUNDING_TO_ZERO));
}

static void finds_fewer_digits_than_f32_has(void **unused)
{
    planted unit = unit_of(PLX_F16, 16, -10, PLX_ROUNDING_TO_ZERO);
    (void)unused;
    const plx_matrix_unit found = found_in(&unit, 1e6);
    assert_int_equal(found.model.digits, -10);
    assert_false(found.model.exact_products);
    assert_int_equal(found.outcome, PLX_OUTCOME_NOT_JUDGED);
}

static void finds_roundings(void **unused)
{
    (void)unused;
    for (int aligned = PLX_ROUNDING_TO_ZERO; aligned < PLX_ROUNDING_COUNT; aligned++)
        for (int result = PLX_ROUNDING_TO_ZERO; result < PLX_ROUNDING_COUNT; result++) {
            if (!is_whole() && result != aligned && result != aligned + 1)
                continue;
            planted unit = unit_of(PLX_BF16, 8, 2, (plx_rounding)aligned);
            unit.model.result = (plx_rounding)result;
            is_found(unit);
        }
    planted unit = unit_of(PLX_F32, 8, 1, PLX_ROUNDING_TO_ZERO);
    unit.model.operands = PLX_ROUNDING_NEAREST;
    is_found(unit);
}

static void finds_other_ways_to_align(void **unused)
{
    planted unit = unit_of(PLX_F16, 16, 2, PLX_ROUNDING_TO_ZERO);
    (void)unused;
    unit.model.by_exponents = false;
    is_found(unit);
    unit.model.digits_of_sum = 1;
    is_found(unit);
    unit.model.wide_between = true;
    is_found(unit);
}

static void finds_flushed_subnormals(void **unused)
{
    planted unit = unit_of(PLX_BF16, 16, 2, PLX_ROUNDING_TO_ZERO);
    (void)unused;
    unit.model.factors = PLX_SUBNORMALS_FLUSHED;
    is_found(unit);
    unit.model.results = PLX_SUBNORMALS_FLUSHED;
    is_found(unit);
    unit = unit_of(PLX_F16, 16, 2, PLX_ROUNDING_TO_ZERO);
    unit.model.factors = PLX_SUBNORMALS_FLUSHED;
    is_found(unit);
}

static void finds_chains_of_multiply_adds(void **unused)
{
    planted unit = unit_of(PLX_F16, 1, PLX_ALL_DIGITS, PLX_ROUNDING_NONE);
    (void)unused;
    unit.model.result = PLX_ROUNDING_NEAREST;
    is_found(unit);
    assert_true(found_in(&unit, 64).loses == 64.0);
}

static void does_not_believe_what_it_can_not_predict(void **unused)
{
    planted unit = unit_of(PLX_F16, 16, 2, PLX_ROUNDING_TO_ZERO);
    (void)unused;
    unit.swaps = true;
    plx_matrix_unit found = found_in(&unit, 1e6);
    assert_false(found.model.in_order);
    assert_int_equal(found.outcome, PLX_OUTCOME_NOT_JUDGED);
    unit.swaps = false;
    unit.rounds_products = true;
    found = found_in(&unit, 1e6);
    assert_false(found.model.exact_products);
    assert_int_equal(found.outcome, PLX_OUTCOME_NOT_JUDGED);
}

/* 64 products in groups of 8 with a digit more: each of 9 numbers loses 1, the sum 2. */
static void compares_with_the_bound(void **unused)
{
    planted unit = unit_of(PLX_F16, 8, 1, PLX_ROUNDING_TO_ZERO);
    (void)unused;
    plx_matrix_unit found = found_in(&unit, 88);
    assert_true(found.loses == 88.0);
    assert_int_equal(found.outcome, PLX_OUTCOME_OK);
    unit.model.digits = unit.model.digits_of_sum = 0;
    found = found_in(&unit, 88);
    assert_true(found.loses == 8 * (9 * 2 + 2));
    assert_int_equal(found.outcome, PLX_OUTCOME_WRONG);
    assert_non_null(strstr(found.verdict, "does not hold"));
}

/* The largest error of sums made for it comes near what a unit may lose, and not beyond. */
static void loses_what_it_says(void **unused)
{
    double a[SIDE], b[SIDE];
    (void)unused;
    for (int digits = 0; digits <= 2; digits++) {
        const planted unit = unit_of(PLX_F16, 16, digits, PLX_ROUNDING_TO_ZERO);
        const double next = ldexp(1.0, -23 - digits), lost = next * (1 - 0x1p-10);
        for (int l = 0; l < SIDE; l++) {
            a[l] = l == 0 ? 1.0 : lost;
            b[l] = 1.0;
        }
        const double exact = 1.0 + (SIDE - 1) * lost;
        const double error = (exact - (double)plx_unit_sum(&unit.model, a, b, SIDE)) / 0x1p-24;
        const double loses = plx_unit_loses(&unit.model, SIDE);
        assert_true(error <= loses * exact && error > 0.8 * (loses - 4 * 2 - 4 * ldexp(1.0, 1 - digits)));
    }
}

/* What runs kernels, on one that there is everywhere: the host's sums are in f64. */
static void runs_kernels(void **unused)
{
    plx_context *context;
    plx_backend *backend;
    plx_matrix_unit found;
    (void)unused;
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    assert_int_equal(plx_open(context, "host", &backend), PLX_OK);
    const plx_kernel *kernel = plx_kernel_at(context, plx_backend_plugin(backend), PLX_GEMM, 0);
    assert_non_null(kernel);
    plx_unit_probe(backend, kernel, PLX_BF16, &found);
    assert_int_equal(found.outcome, PLX_OUTCOME_OK);
    assert_true(found.model.exact_products && found.predicted == found.compared);
    assert_int_equal(found.model.at_once, 0);
    assert_int_equal(found.model.result, PLX_ROUNDING_NEAREST);
    assert_int_equal(found.model.factors, PLX_SUBNORMALS_KEPT);
    plx_close(backend);
    plx_context_destroy(context);
}

static void goes_through_a_file(void **unused)
{
    planted unit = unit_of(PLX_BF16, 16, 2, PLX_ROUNDING_TO_ZERO);
    plx_study_device device = {.label = "cuda:0"};
    plx_matrix_unit found = found_in(&unit, 88);
    const plx_results written = {.devices = &device, .device_count = 1, .units = &found, .unit_count = 1};
    plx_results read;
    plx_error error = {.text = ""};
    char path[] = "units-XXXXXX";
    (void)unused;
    assert_true(mkstemp(path) >= 0);
    found.problem = plx_gemm_of(PLX_BF16, false, true, SIDE, SIDE, SIDE);
    (void)snprintf(found.kernel, sizeof found.kernel, "wgmma");
    assert_int_equal(plx_results_write(&written, path, &error), PLX_OK);
    if (plx_results_read(path, &read, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(read.unit_count, 1);
    same(&read.units[0].model, &found.model);
    assert_string_equal(read.units[0].kernel, "wgmma");
    assert_string_equal(read.units[0].verdict, found.verdict);
    assert_int_equal(read.units[0].problem.dtype, PLX_BF16);
    assert_true(read.units[0].loses == found.loses && read.units[0].assumed == 88.0);
    assert_int_equal(plx_units_status(&read), 0);
    read.units[0].outcome = PLX_OUTCOME_WRONG;
    assert_int_equal(plx_units_status(&read), 1);
    plx_results_free(&read);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_groups_and_digits),
        cmocka_unit_test(finds_fewer_digits_than_f32_has),
        cmocka_unit_test(finds_roundings),
        cmocka_unit_test(finds_other_ways_to_align),
        cmocka_unit_test(finds_flushed_subnormals),
        cmocka_unit_test(finds_chains_of_multiply_adds),
        cmocka_unit_test(does_not_believe_what_it_can_not_predict),
        cmocka_unit_test(compares_with_the_bound),
        cmocka_unit_test(loses_what_it_says),
        cmocka_unit_test(runs_kernels),
        cmocka_unit_test(goes_through_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
