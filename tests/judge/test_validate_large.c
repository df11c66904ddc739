/* The judge judged: results of which it looks at a sample, agreement of two, and medians. */
#define _POSIX_C_SOURCE 200809L
#include "validate_support.h"

/* ---- large products ------------------------------------------------------------------------------------ */

static scene large_scene(plx_problem problem)
{
    double kept = plx_reference_limit;
    scene s;
    plx_reference_limit = 1.0;
    s = scene_of(problem, PLX_INPUT_UNIFORM, 1);
    plx_reference_limit = kept;
    assert_non_null(s.reference.sample);
    return s;
}

static void test_a_sample_and_freivalds_pass_what_is_right(void **state)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 150, 170, 90);
    (void)state;
    problem.of.gemm.alpha = -1.5;
    problem.of.gemm.beta = 0.5;
    scene s = large_scene(problem);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    assert_int_equal(s.found.compared, 150 * 170);
    end(&s);
}

static void test_freivalds_finds_what_the_sample_misses(void **state)
{
    scene s = large_scene(plx_gemm_of(PLX_F32, false, false, 200, 190, 60));
    (void)state;
    for (int64_t e = 200 * 95 + 20; e < 200 * 95 + 40; ++e) {
        bool sampled = false;
        float kept = s.c[e];
        for (int64_t i = 0; i < s.reference.count; ++i)
            sampled = sampled || s.reference.sample[i] == e;
        if (sampled)
            continue;
        s.c[e] += 1.0f;
        judge(&s);
        assert_int_equal(s.found.wrong, 1);
        assert_int_equal(s.found.first_bad, e);
        s.c[e] = NAN;
        judge(&s);
        assert_int_equal(s.found.wrong, 1);
        assert_int_equal(s.found.first_bad, e);
        s.c[e] = kept;
    }
    end(&s);
}

/* Of integers nothing is rounded: one element that is wrong by one shows in any row. */
static void test_freivalds_finds_any_wrong_integer(void **state)
{
    double kept = plx_reference_limit;
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 120, 1500, 40), PLX_INPUT_INTEGER, 3);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    float *c = multiply(&inputs, false);
    plx_error_measure found;
    plx_error error;
    plx_reference_result reference;
    (void)state;
    plx_reference_limit = 1.0;
    reference = reference_of(&inputs, false);
    plx_reference_limit = kept;
    assert_non_null(reference.sample);
    assert_int_equal(plx_judge(&inputs, &reference, &bound, false, c, &found, &error), PLX_OK);
    assert_int_equal(found.wrong, 0);
    for (uint64_t i = 0; i < 100; ++i) {
        int64_t e = (int64_t)(plx_random(11, 0, i) % (120 * 1500));
        c[e] += 1.0f;
        assert_int_equal(plx_judge(&inputs, &reference, &bound, false, c, &found, &error), PLX_OK);
        assert_true(found.wrong > 0);
        assert_int_equal(found.first_bad, e);
        c[e] -= 1.0f;
    }
    free(c);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static plx_status freivalds(const plx_inputs *inputs, const plx_bound *bound, const void *result, double *worst,
                            int64_t *row)
{
    plx_error error = {.text = ""};
    plx_projection *projection;
    plx_freivalds_finding found = {.row = -1};
    plx_status status = plx_freivalds_prepare(inputs, 1, &projection, &error);

    if (status == PLX_OK) {
        status = plx_freivalds(inputs, projection, bound, result, &found, &error);
        *worst = found.worst;
        *row = found.row;
        plx_freivalds_free(projection);
    }
    return status;
}

/* The errors of a long row's elements rarely all point one way. */
static void test_freivalds_does_not_add_up_the_worst(void **state)
{
    scene s = large_scene(plx_gemm_of(PLX_F32, false, false, 40, 4000, 30));
    double worst, element = 0.0;
    int64_t row;
    (void)state;
    for (int64_t p = 0; p < 30; ++p)
        element += fabs((double)((float *)s.inputs.data[0])[7 * 30 + p] *
                        (double)((float *)s.inputs.data[1])[p * 4000 + 1234]);
    s.c[7 * 4000 + 1234] += (float)(1500.0 * s.bound.gamma * element); /* of 4000 in the row */
    assert_int_equal(freivalds(&s.inputs, &s.bound, s.c, &worst, &row), PLX_OK);
    assert_true(worst > 1.0);
    assert_int_equal(row, 7);
    end(&s);
}

static void test_freivalds_sees_transposed_operands(void **state)
{
    (void)state;
    for (int way = 0; way < 4; ++way) {
        plx_problem problem = plx_gemm_of(PLX_F64, (way & 1) != 0, (way & 2) != 0, 40, 50, 30);
        plx_inputs inputs = inputs_of(problem, PLX_INPUT_UNIFORM, 1);
        plx_reference_result reference = reference_of(&inputs, false);
        plx_bound bound = plx_bound_of(&inputs, &plain, &device);
        double worst;
        int64_t row;
        assert_int_equal(freivalds(&inputs, &bound, reference.of.value, &worst, &row), PLX_OK);
        assert_true(worst <= 1.0);
        reference.of.value[1234] += 1e-3;
        assert_int_equal(freivalds(&inputs, &bound, reference.of.value, &worst, &row), PLX_OK);
        assert_true(worst > 1.0);
        assert_int_equal(row, 1234 / 50);
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
}

/* ---- agreement
 * --------------------------------------------------------------------------------------------- */

static plx_pair agreement(const scene *s, const float *other)
{
    plx_judged_result first = {s->c, s->bound}, second = {other, s->bound};
    plx_pair pair = {.agree = false};
    plx_agree(&s->inputs, &s->reference, false, &first, &second, &pair);
    assert_true(pair.compared);
    assert_int_equal(pair.elements, s->reference.elements);
    return pair;
}

/* One kernel rounds a NaN to one, another cuts it off to an infinity: in TF32 either is right. */
static void test_agreement_of_a_nan_that_tf32_cuts_off(void **state)
{
    const uint32_t bits = 0x7f800101;
    scene s = small_scene();
    float nan, *other = malloc((size_t)s.reference.elements * sizeof *other);
    (void)state;
    assert_non_null(other);
    memcpy(other, s.c, (size_t)s.reference.elements * sizeof *other);
    memcpy(&nan, &bits, sizeof nan);
    s.reference.of.value[3] = (double)nan;
    s.c[3] = nan;
    other[3] = INFINITY;
    assert_false(agreement(&s, other).agree);
    s.bound.cut_nans = true;
    assert_true(agreement(&s, other).agree);
    other[3] = 1.0f;
    assert_false(agreement(&s, other).agree);
    free(other);
    end(&s);
}

static void test_agreement(void **state)
{
    scene s = small_scene();
    float *other = multiply(&s.inputs, false);
    plx_pair pair = agreement(&s, other);
    double allowed = 2.0 * s.bound.gamma * s.reference.of.magnitude[9];
    (void)state;
    assert_true(pair.identical && pair.agree && pair.first_different == -1 && pair.max_ulp == 0.0);
    other[9] = nextafterf(other[9], 1e30f);
    pair = agreement(&s, other);
    assert_true(!pair.identical && pair.agree && pair.first_different == 9);
    assert_true(pair.max_ulp > 0.4 && pair.max_ulp < 2.1 && pair.value_first[0] != '\0');
    other[9] = s.c[9] + (float)(1.1 * allowed);
    pair = agreement(&s, other);
    assert_true(!pair.agree && pair.max_over_bound > 1.0);
    other[9] = NAN;
    assert_false(agreement(&s, other).agree);
    s.c[9] = NAN;
    assert_true(agreement(&s, other).agree);
    s.c[9] = INFINITY;
    other[9] = -INFINITY;
    assert_false(agreement(&s, other).agree);
    free(other);
    end(&s);
}

static void test_agreement_of_what_was_only_sampled(void **state)
{
    scene s = large_scene(plx_gemm_of(PLX_F32, false, false, 100, 100, 50));
    float *other = multiply(&s.inputs, false);
    (void)state;
    other[5050] += 1e-7f;
    assert_true(agreement(&s, other).agree);
    other[5050] += 0.1f;
    assert_false(agreement(&s, other).agree);
    free(other);
    end(&s);
}

/* ---- statistics
 * ------------------------------------------------------------------------------------------------ */

static void test_the_median_and_its_interval(void **state)
{
    double samples[100];
    plx_timing timing = {.measured = false};
    (void)state;
    for (int i = 0; i < 100; ++i)
        samples[i] = (double)((i * 37) % 100); /* 0 .. 99, shuffled */
    plx_timing_of(samples, 100, &timing);
    assert_true(timing.median_ns == 49.5);
    assert_true(timing.low_ns == 39.0 && timing.high_ns == 60.0); /* ranks 40 and 61 of 100 */
    for (int i = 0; i < 10; ++i)
        samples[i] = (double)((i * 7) % 10); /* shuffled: what drifts has a wider interval */
    plx_timing_of(samples, 10, &timing);
    assert_true(timing.low_ns == 1.0 && timing.high_ns == 8.0); /* 97.9 % */
    plx_timing_of(samples, 1, &timing);
    assert_true(timing.low_ns == timing.median_ns && timing.samples == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sample_and_freivalds_pass_what_is_right),
        cmocka_unit_test(test_freivalds_finds_what_the_sample_misses),
        cmocka_unit_test(test_freivalds_finds_any_wrong_integer),
        cmocka_unit_test(test_freivalds_does_not_add_up_the_worst),
        cmocka_unit_test(test_freivalds_sees_transposed_operands),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_agreement_of_a_nan_that_tf32_cuts_off),
        cmocka_unit_test(test_agreement_of_what_was_only_sampled),
        cmocka_unit_test(test_the_median_and_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
