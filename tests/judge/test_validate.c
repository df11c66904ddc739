/* The judge judged: plain loops pass, and every kind of wrong element is found. */
#define _POSIX_C_SOURCE 200809L
#include "validate_support.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- kernels to be judged ----------------------------------------------------------- */

static const plx_kernel wide = {
    .name = "wide",
    .accumulator_f32 = PLX_F64,
    .reproducibility = PLX_R1,
    .depth = plain_depth,
};
static int64_t tree_depth(const plx_problem *problem, const plx_device_info *info)
{
    int64_t height = 0;
    while (INT64_C(1) << height < plain_depth(problem, info))
        ++height;
    return height;
}

static const plx_kernel tree = {
    .name = "tree",
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R1,
    .depth = tree_depth,
};

static const plx_device_info flushing = {.units = 1, .features = PLX_FEATURE_FLUSHES_F32};

static void assert_caught(scene *s, int64_t element)
{
    judge(s);
    assert_int_equal(s->found.wrong, 1);
    assert_int_equal(s->found.first_bad, element);
    assert_true(s->found.max_over_bound > 1.0);
    assert_true(s->found.got[0] != '\0' && s->found.expected[0] != '\0');
}

/* ---- right results ----------------------------------------------------------------------- */

static void test_plain_loops_pass_every_class(void **state)
{
    (void)state;
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        for (uint64_t seed = 0; seed < 8; ++seed) {
            plx_problem problem = plx_gemm_of(PLX_F32, false, false, 19, 23, 77);
            problem.of.gemm.alpha = seed % 2 == 0 ? 1.0 : -2.0;
            problem.of.gemm.beta = seed % 3 == 0 ? 0.0 : 3.0;
            scene s = scene_of(problem, (plx_input)input, seed);
            judge(&s);
            assert_int_equal(s.found.wrong, 0);
            assert_int_equal(s.found.compared, 19 * 23);
            assert_true(s.found.max_over_bound <= 1.0);
            end(&s);
        }
}

/* A bound that nothing comes near would let everything pass. */
static void test_the_bound_is_not_slack(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 200, 200, 2), PLX_INPUT_POSITIVE, 1);
    (void)state;
    judge(&s);
    assert_true(s.found.max_over_bound > 0.3);
    end(&s);
}

/* ---- wrong results --------------------------------------------------------------------------- */

static void test_nan_is_caught(void **state)
{
    scene s = small_scene();
    (void)state;
    s.c[33 * 17 - 1] = NAN;
    assert_caught(&s, 33 * 17 - 1);
    assert_true(isinf(s.found.max_over_bound));
    end(&s);
}

static void test_infinity_is_caught(void **state)
{
    scene s = small_scene();
    (void)state;
    s.c[7] = -INFINITY;
    assert_caught(&s, 7);
    end(&s);
}

/* Just inside the bound passes, just outside does not: of every element. */
static void test_the_bound_is_where_it_should_be(void **state)
{
    scene s = small_scene();
    (void)state;
    for (int64_t e = 0; e < s.reference.count; ++e) {
        double allowed = s.bound.gamma * s.reference.of.magnitude[e], kept = (double)s.c[e];
        s.c[e] = (float)(s.reference.of.value[e] + 0.95 * allowed);
        judge(&s);
        assert_int_equal(s.found.wrong, 0);
        s.c[e] = (float)(s.reference.of.value[e] - 1.05 * allowed);
        assert_caught(&s, e);
        s.c[e] = (float)kept;
    }
    end(&s);
}

/* The largest error, over the magnitude of what was summed, of whichever element has it. */
static void test_errors_are_told_by_the_size_of_the_terms(void **state)
{
    scene s = small_scene();
    const int64_t e = s.reference.count / 2;
    const double magnitude = s.reference.of.magnitude[e], half = 0.5 * s.bound.gamma * magnitude;
    (void)state;
    s.c[e] = (float)(s.reference.of.value[e] + half);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    assert_true(fabs(s.found.max_over_terms / (half / magnitude) - 1) < 0.1);
    assert_true(s.found.max_over_terms <= s.found.gamma + s.found.narrowing);
    end(&s);
}

/* An averaged error of 5e-4 lets this pass. */
static void test_a_zeroed_tile_is_caught(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 512, 512, 512), PLX_INPUT_UNIFORM, 1);
    (void)state;
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    for (int i = 8; i < 16; ++i)
        memset(&s.c[i * 512 + 16], 0, 16 * sizeof(float));
    judge(&s);
    assert_int_equal(s.found.wrong, 8 * 16);
    assert_int_equal(s.found.compared, 512 * 512);
    assert_int_equal(s.found.first_bad, 8 * 512 + 16);
    assert_string_equal(s.found.got, "0");
    end(&s);
}

static void drop_last_k(scene *s)
{
    const plx_gemm_problem *p = &s->inputs.problem.of.gemm;
    const float *a = s->inputs.data[0], *b = s->inputs.data[1];
    for (int64_t e = 0; e < p->m * p->n; ++e)
        s->c[e] -= a[e / p->n * p->k + p->k - 1] * b[(p->k - 1) * p->n + e % p->n];
}

/* "0.5 % relative or 0.001 absolute" lets both pass where nothing cancels. */
static void test_a_dropped_last_k_is_caught(void **state)
{
    static const plx_input inputs[] = {PLX_INPUT_UNIFORM, PLX_INPUT_POSITIVE};
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 20, 20, 1024), inputs[i], 5);
        drop_last_k(&s);
        judge(&s);
        assert_true(s.found.wrong > 330); /* the rest of the last products are smaller than the bound */
        assert_true(s.found.first_bad >= 0 && s.found.first_bad < 20);
        end(&s);
    }
}

/* A sum of one and very many very small numbers, added in order: all of them are lost.
 * A kernel that declares the depth of its loop may do that; one that boasts of a tree
 * may not. */
static void test_a_boasted_depth_is_caught(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_SUM, 4097), PLX_INPUT_POSITIVE, 1);
    plx_bound honest = plx_bound_of(&inputs, &plain, &device), boastful = plx_bound_of(&inputs, &tree, &device);
    plx_error_measure found;
    plx_reference_result reference;
    float *x = inputs.data[0], sum = 0.0f;
    (void)state;
    x[0] = 1.0f;
    for (int i = 1; i < 4097; ++i)
        x[i] = i % 2 == 0 ? 0x1.fp-26f : 0x1.fp-25f;
    for (int i = 0; i < 4097; ++i)
        sum += x[i];
    assert_true(sum == 1.0f);
    reference = reference_of(&inputs, false);
    plx_judge_elements(&inputs, &reference, &honest, false, &sum, &found);
    assert_int_equal(found.wrong, 0);
    assert_true(found.max_over_bound > 0.5); /* the bound is not far above what can happen */
    plx_judge_elements(&inputs, &reference, &boastful, false, &sum, &found);
    assert_int_equal(found.wrong, 1);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_swapped_elements_are_caught(void **state)
{
    scene s = small_scene();
    float kept = s.c[3];
    (void)state;
    s.c[3] = s.c[4];
    s.c[4] = kept;
    judge(&s);
    assert_int_equal(s.found.wrong, 2);
    end(&s);
}

static void test_small_integers_must_be_exact(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 9, 9, 100), PLX_INPUT_INTEGER, 2);
    (void)state;
    assert_true(s.bound.rounded_once);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    s.c[5] = nextafterf(s.c[5], 1e30f);
    assert_caught(&s, 5);
    assert_true(isinf(s.found.max_over_bound));
    end(&s);
}

static void test_one_product_must_be_rounded_correctly(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 9, 9, 1), PLX_INPUT_UNIFORM, 2);
    (void)state;
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    s.c[80] = nextafterf(s.c[80], 0.0f);
    assert_caught(&s, 80);
    end(&s);
}

static void test_special_values_must_match(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 40, 40, 20), PLX_INPUT_SPECIAL, 2); /* +Inf */
    int64_t infinite = -1;
    (void)state;
    for (int64_t e = 0; e < s.reference.count; ++e)
        if (isinf(s.reference.of.value[e]))
            infinite = e;
    assert_true(infinite >= 0);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    s.c[infinite] = -s.c[infinite];
    assert_caught(&s, infinite);
    s.c[infinite] = NAN;
    assert_caught(&s, infinite);
    s.c[infinite] = FLT_MAX;
    assert_caught(&s, infinite);
    end(&s);
}

static void test_a_swallowed_nan_is_caught(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 40, 40, 20), PLX_INPUT_SPECIAL, 1);
    int64_t where = -1;
    (void)state;
    for (int64_t e = 0; e < s.reference.count; ++e)
        if (isnan(s.reference.of.value[e]))
            where = e;
    assert_true(where >= 0);
    s.c[where] = 0.0f;
    assert_caught(&s, where);
    end(&s);
}

static double nan_of(uint32_t bits)
{
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    return (double)nan;
}

static const plx_kernel of_tf32 = {
    .name = "tf32", .compute = PLX_COMPUTE_TF32, .accumulator_f32 = PLX_F32, .depth = plain_depth};

/* 0x7f800001 is a NaN whose payload TF32 has no bits for. */
static void test_tf32_may_cut_a_nan_to_an_infinity(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 40, 40, 20), PLX_INPUT_SPECIAL, 1);
    int64_t where = 0;
    (void)state;
    while (!isnan(s.reference.of.value[where]))
        ++where;
    s.c[where] = INFINITY;
    s.reference.of.value[where] = nan_of(0x7f800001);
    assert_caught(&s, where);
    s.bound.cut_nans = plx_bound_of(&s.inputs, &of_tf32, &device).cut_nans;
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    s.reference.of.value[where] = nan_of(0xff801fff);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    s.c[where] = FLT_MAX;
    assert_caught(&s, where);
    s.c[where] = INFINITY;
    s.reference.of.value[where] = nan_of(0x7f802001); /* nine bits of a payload are left */
    assert_caught(&s, where);
    s.reference.of.value[where] = nan_of(0x7fc00000); /* of an infinity less another one */
    assert_caught(&s, where);
    end(&s);
}

/* ---- bounds of other arithmetics ------------------------------------------------------------- */

static void test_a_wide_accumulator_has_a_narrow_bound(void **state)
{
    scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 30, 30, 500), PLX_INPUT_UNIFORM, 3);
    plx_bound narrow = plx_bound_of(&s.inputs, &wide, &device);
    (void)state;
    assert_true(narrow.gamma < s.bound.gamma * 1e-6);
    assert_true(narrow.narrowing == 0x1p-24);
    s.bound = narrow;
    judge(&s);
    assert_true(s.found.wrong > 0); /* f32 sums are not f64 sums */
    for (int64_t e = 0; e < s.reference.count; ++e)
        s.c[e] = (float)s.reference.of.value[e];
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    end(&s);
}

/* A device that flushes gives 0 for a subnormal; one that does not may not. */
static void test_flushing_is_forgiven_only_where_it_happens(void **state)
{
    const float a[2] = {0x1p-70f, 0x1p-70f}, b[2] = {0x1p-60f, 0x1p-60f};
    const plx_array arrays[] = {{.dtype = PLX_F32, .rank = 2, .rows = 1, .cols = 2, .data = (void *)(uintptr_t)a},
                                {.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 1, .data = (void *)(uintptr_t)b}};
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 1, 1, 2);
    plx_error error;
    float zero = 0.0f;
    scene s = {.c = &zero};
    (void)state;
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 2, 1, &s.inputs, &error), PLX_OK);
    s.reference = reference_of(&s.inputs, false);
    s.bound = plx_bound_of(&s.inputs, &plain, &device);
    judge(&s);
    assert_int_equal(s.found.wrong, 1);
    s.bound = plx_bound_of(&s.inputs, &plain, &flushing);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    plx_reference_result_free(&s.reference);
    plx_inputs_free(&s.inputs);
}

/* Whether 3e38 + 3e38 - 3e38 overflows depends on the order. */
static void test_what_the_order_decides_is_counted(void **state)
{
    const float x[3] = {3e38f, 3e38f, -3e38f};
    const plx_array array = {.dtype = PLX_F32, .rank = 1, .rows = 1, .cols = 3, .data = (void *)(uintptr_t)x};
    plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 3);
    plx_error error;
    float result = INFINITY;
    scene s = {.c = &result};
    (void)state;
    assert_int_equal(plx_inputs_from_arrays(&problem, &array, 1, 1, &s.inputs, &error), PLX_OK);
    s.reference = reference_of(&s.inputs, false);
    s.bound = plx_bound_of(&s.inputs, &plain, &device);
    judge(&s);
    assert_int_equal(s.found.wrong, 0);
    assert_int_equal(s.found.indeterminate, 1);
    plx_reference_result_free(&s.reference);
    plx_inputs_free(&s.inputs);
}

/* ---- precision check --------------------------------------------------------------------------------- */

static void test_tf32_is_not_f32(void **state)
{
    static const int64_t lengths[] = {1, 2, 16, 64};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 60, 60, lengths[i]), PLX_INPUT_UNIFORM, i);
        float *narrow = multiply(&s.inputs, true);
        assert_true(plx_precision_error(&s.inputs, &s.reference, s.c) < 1.5);
        assert_true(plx_precision_error(&s.inputs, &s.reference, narrow) > 100.0);
        free(narrow);
        end(&s);
    }
}

/* Near underflow the digits that TF32 cuts off are not a part of a factor, but of the smallest normal number:
 * right as TF32, wrong as f32. */
static void test_tf32_loses_more_of_subnormal_factors(void **state)
{
    int missed = 0; /* without that part of the bound */
    (void)state;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        scene s = scene_of(plx_gemm_of(PLX_F32, false, false, 67, 70, 37), PLX_INPUT_EXTREME, seed);
        free(s.c);
        s.c = multiply(&s.inputs, true);
        judge(&s);
        assert_true(s.found.wrong > 0);
        s.inputs.problem.compute = PLX_COMPUTE_TF32;
        s.bound = plx_bound_of(&s.inputs, &of_tf32, &device);
        judge(&s);
        assert_int_equal(s.found.wrong, 0);
        s.bound = plx_bound_of(&s.inputs, &of_tf32, &device);
        s.bound.underflow -= 2.0 * 37 * 0x1p-136;
        judge(&s);
        missed += s.found.wrong > 0;
        end(&s);
    }
    assert_true(missed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_loops_pass_every_class),
        cmocka_unit_test(test_the_bound_is_not_slack),
        cmocka_unit_test(test_nan_is_caught),
        cmocka_unit_test(test_infinity_is_caught),
        cmocka_unit_test(test_the_bound_is_where_it_should_be),
        cmocka_unit_test(test_errors_are_told_by_the_size_of_the_terms),
        cmocka_unit_test(test_a_zeroed_tile_is_caught),
        cmocka_unit_test(test_a_dropped_last_k_is_caught),
        cmocka_unit_test(test_a_boasted_depth_is_caught),
        cmocka_unit_test(test_swapped_elements_are_caught),
        cmocka_unit_test(test_small_integers_must_be_exact),
        cmocka_unit_test(test_one_product_must_be_rounded_correctly),
        cmocka_unit_test(test_special_values_must_match),
        cmocka_unit_test(test_tf32_may_cut_a_nan_to_an_infinity),
        cmocka_unit_test(test_a_swallowed_nan_is_caught),
        cmocka_unit_test(test_a_wide_accumulator_has_a_narrow_bound),
        cmocka_unit_test(test_flushing_is_forgiven_only_where_it_happens),
        cmocka_unit_test(test_what_the_order_decides_is_counted),
        cmocka_unit_test(test_tf32_is_not_f32),
        cmocka_unit_test(test_tf32_loses_more_of_subnormal_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
