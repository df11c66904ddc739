/* The judge judged: operations whose results are exact, zeros, NaN and payloads. */
#include "validate_support.h"

static void assert_exact(plx_problem problem, const void *result, bool right)
{
    plx_inputs inputs = inputs_of(problem, PLX_INPUT_SPECIAL, 1); /* NaN somewhere */
    plx_reference_result reference = reference_of(&inputs, false);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    plx_error_measure found;
    plx_judge_elements(&inputs, &reference, &bound, false, result, &found);
    assert_int_equal(found.wrong == 0, right);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_any_nan_is_the_maximum(void **state)
{
    const uint32_t other_nan = UINT32_C(0xffc12345);
    const float number = 1.0f;
    (void)state;
    assert_exact(plx_reduce_of(PLX_F32, PLX_MAX, 50), &other_nan, true);
    assert_exact(plx_reduce_of(PLX_F32, PLX_MAX, 50), &number, false);
}

static void test_minus_zero_is_not_zero(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_MIN, 50), PLX_INPUT_SPECIAL, 3);
    plx_reference_result reference = reference_of(&inputs, false);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    plx_error_measure found;
    float zeros[2] = {0.0f, -0.0f};
    (void)state;
    plx_judge_elements(&inputs, &reference, &bound, false, &zeros[0], &found);
    assert_int_equal(found.wrong, 1);
    plx_judge_elements(&inputs, &reference, &bound, false, &zeros[1], &found);
    assert_int_equal(found.wrong, 0);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

/* Right for +0 and -0. */
typedef struct zeros {
    bool plus, minus;
} zeros;

static zeros judge_zeros(const plx_inputs *inputs)
{
    static const double of_f64[2] = {0.0, -0.0};
    static const float of_f32[2] = {0.0f, -0.0f};
    bool narrow = inputs->problem.dtype == PLX_F32;
    plx_reference_result reference = reference_of(inputs, false);
    plx_bound bound = plx_bound_of(inputs, &plain, &device);
    plx_error_measure found[2];
    for (int i = 0; i < 2; ++i)
        plx_judge_elements(inputs, &reference, &bound, false, narrow ? (const void *)&of_f32[i] : &of_f64[i],
                           &found[i]);
    plx_reference_result_free(&reference);
    return (zeros){found[0].wrong == 0, found[1].wrong == 0};
}

static void test_a_sum_begins_with_plus_zero(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 40; ++n) {
        plx_inputs inputs = inputs_of(plx_reduce_of(n % 2 == 0 ? PLX_F32 : PLX_F64, PLX_SUM, n), PLX_INPUT_SPECIAL, 7);
        zeros right = judge_zeros(&inputs);
        assert_true(right.plus && !right.minus);
        plx_inputs_free(&inputs);
    }
}

/* One product of one term. */
static zeros judge_term(plx_op op, double a, double b, double c, double alpha, double beta)
{
    plx_array arrays[3] = {{.dtype = PLX_F64, .rank = 2, .rows = 1, .cols = 1, .data = &a},
                           {.dtype = PLX_F64, .rank = 2, .rows = 1, .cols = 1, .data = &b},
                           {.dtype = PLX_F64, .rank = 2, .rows = 1, .cols = 1, .data = &c}};
    plx_problem problem =
        op == PLX_GEMM ? plx_gemm_of(PLX_F64, false, false, 1, 1, 1) : plx_matvec_of(PLX_F64, false, 1, 1);
    plx_inputs inputs;
    plx_error error;
    if (op == PLX_GEMM) {
        problem.of.gemm.alpha = alpha;
        problem.of.gemm.beta = beta;
    } else {
        problem.of.matvec.alpha = alpha;
        problem.of.matvec.beta = beta;
    }
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, beta != 0.0 ? 3 : 2, 1, &inputs, &error), PLX_OK);
    zeros right = judge_zeros(&inputs);
    plx_inputs_free(&inputs);
    return right;
}

static void test_zeros_of_products_have_their_sign(void **state)
{
    const double tiny = 0x1p-600;
    static const plx_op ops[] = {PLX_GEMM, PLX_MATVEC};
    const struct {
        double a, b, c, alpha, beta;
        zeros right;
    } cases[] = {
        {-0.0, 3.0, 0.0, 1.0, 0.0, {true, false}},   /* the sum begins with +0 */
        {-0.0, 3.0, -0.0, 1.0, 1.0, {true, false}},  /* and C is added to it */
        {0.0, 3.0, 0.0, -1.0, 0.0, {true, true}},    /* C may be cleared first */
        {-0.0, 3.0, -0.0, -1.0, 2.0, {false, true}}, /* -0 and -0 */
        {-0.0, 3.0, 0.0, -1.0, 2.0, {true, false}},  /* -0 and +0 */
        {5.0, 3.0, -0.0, 0.0, 1.0, {false, true}},   /* C alone */
        {5.0, 3.0, 0.0, 0.0, -1.0, {false, true}},   {5.0, 3.0, -0.0, 0.0, -1.0, {true, false}},
        {5.0, 3.0, -0.0, 0.0, 0.0, {true, false}},  /* nothing */
        {tiny, -tiny, 0.0, 1.0, 0.0, {true, true}}, /* not exact: it underflows */
        {tiny, -tiny, 0.0, 1.0, 1.0, {true, true}},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
        plx_op op = ops[i % 2];
        zeros right =
            judge_term(op, cases[i / 2].a, cases[i / 2].b, cases[i / 2].c, cases[i / 2].alpha, cases[i / 2].beta);
        if (right.plus != cases[i / 2].right.plus || right.minus != cases[i / 2].right.minus)
            fail_msg("case %zu of %s: %d %d", i / 2, op == PLX_GEMM ? "gemm" : "matvec", right.plus, right.minus);
    }
}

/* Payloads are data: a NaN is not a NaN where bytes are only moved. */
static void test_transposed_payloads_must_match(void **state)
{
    plx_problem problem = plx_transpose_of(PLX_F32, 20, 30);
    plx_inputs inputs = inputs_of(problem, PLX_INPUT_SPECIAL, 1);
    plx_reference_result reference = reference_of(&inputs, false);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    plx_error_measure found;
    uint32_t out[600];
    int64_t nan = -1;
    (void)state;
    for (int i = 0; i < 600; ++i) {
        memcpy(&out[i], (float *)inputs.data[0] + (i % 20 * 30 + i / 20), sizeof out[i]);
        if (plx_element_is_nan(PLX_F32, out, i))
            nan = i;
    }
    assert_true(nan >= 0);
    plx_judge_elements(&inputs, &reference, &bound, false, out, &found);
    assert_int_equal(found.wrong, 0);
    out[nan] ^= 1;
    plx_judge_elements(&inputs, &reference, &bound, false, out, &found);
    assert_int_equal(found.wrong, 1);
    assert_int_equal(found.first_bad, nan);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_a_baseline_is_judged_as_a_copy(void **state)
{
    plx_problem problem = plx_transpose_of(PLX_I16, 5, 7);
    problem.of.transpose.ld_in = 9;
    plx_inputs inputs = inputs_of(problem, PLX_INPUT_UNIFORM, 1);
    plx_reference_result reference = reference_of(&inputs, true);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    plx_error_measure found;
    int16_t copy[35];
    (void)state;
    for (int i = 0; i < 35; ++i)
        copy[i] = ((int16_t *)inputs.data[0])[i / 7 * 9 + i % 7];
    plx_judge_elements(&inputs, &reference, &bound, true, copy, &found);
    assert_int_equal(found.wrong, 0);
    copy[34] ^= 1;
    plx_judge_elements(&inputs, &reference, &bound, true, copy, &found);
    assert_int_equal(found.first_bad, 34);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_nan_is_the_maximum),         cmocka_unit_test(test_minus_zero_is_not_zero),
        cmocka_unit_test(test_a_sum_begins_with_plus_zero),    cmocka_unit_test(test_zeros_of_products_have_their_sign),
        cmocka_unit_test(test_transposed_payloads_must_match), cmocka_unit_test(test_a_baseline_is_judged_as_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
