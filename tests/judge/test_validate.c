/* The judge judged: plain loops pass, and every kind of wrong element is found. */
#define _POSIX_C_SOURCE 200809L
#include "judge_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- kernels to be judged ----------------------------------------------------------- */

static int64_t plain_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->op == PLX_GEMM ? problem->of.gemm.k : problem->op == PLX_REDUCE ? problem->of.reduce.n : 0;
}

static const plx_kernel plain = {
    .name = "plain",
    .accumulator_f32 = PLX_F32,
    .reproducibility = PLX_R1,
    .depth = plain_depth,
};
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
static const plx_device_info device = {.units = 1};
static const plx_device_info flushing = {.units = 1, .features = PLX_FEATURE_FLUSHES_F32};

static float narrowed(float value, bool narrow)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (narrow && isfinite(value))
        bits &= UINT32_C(0xffffe000); /* 10 mantissa bits: TF32, cut off */
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* C = alpha A B + beta C in f32, dense and untransposed. */
static float *multiply(const plx_inputs *inputs, bool narrow)
{
    const plx_gemm_problem *p = &inputs->problem.of.gemm;
    const float *a = inputs->data[0], *b = inputs->data[1], *old = inputs->data[2];
    float *c = malloc(sizeof *c * (size_t)(p->m * p->n + 1));

    assert_non_null(c);
    for (int64_t i = 0; i < p->m; ++i)
        for (int64_t j = 0; j < p->n; ++j) {
            float sum = 0.0f;
            for (int64_t k = 0; k < p->k; ++k)
                sum += narrowed(a[i * p->k + k], narrow) * narrowed(b[k * p->n + j], narrow);
            sum = (float)p->alpha * sum;
            if (old != NULL)
                sum += (float)p->beta * old[i * p->n + j];
            c[i * p->n + j] = sum;
        }
    return c;
}

/* A product, its reference and a right result. */
typedef struct scene {
    plx_inputs inputs;
    plx_reference_result reference;
    plx_bound bound;
    float *c;
    plx_error_measure found;
} scene;

static scene scene_of(plx_problem problem, plx_input input, uint64_t seed)
{
    scene s = {.inputs = inputs_of(problem, input, seed)};
    s.reference = reference_of(&s.inputs, false);
    s.bound = plx_bound_of(&s.inputs, &plain, &device);
    s.c = multiply(&s.inputs, false);
    return s;
}

static void judge(scene *s)
{
    plx_error error = {.text = ""};
    assert_int_equal(plx_judge(&s->inputs, &s->reference, &s->bound, false, s->c, &s->found, &error), PLX_OK);
}

static void end(scene *s)
{
    free(s->c);
    plx_reference_result_free(&s->reference);
    plx_inputs_free(&s->inputs);
}

static scene small_scene(void)
{
    return scene_of(plx_gemm_of(PLX_F32, false, false, 33, 17, 40), PLX_INPUT_UNIFORM, 1);
}

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

/* ---- exact operations ---------------------------------------------------------------------------- */

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
    const plx_kernel of_tf32 = {
        .name = "tf32", .compute = PLX_COMPUTE_TF32, .accumulator_f32 = PLX_F32, .depth = plain_depth};
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
        cmocka_unit_test(test_a_swallowed_nan_is_caught),
        cmocka_unit_test(test_a_wide_accumulator_has_a_narrow_bound),
        cmocka_unit_test(test_flushing_is_forgiven_only_where_it_happens),
        cmocka_unit_test(test_what_the_order_decides_is_counted),
        cmocka_unit_test(test_any_nan_is_the_maximum),
        cmocka_unit_test(test_minus_zero_is_not_zero),
        cmocka_unit_test(test_a_sum_begins_with_plus_zero),
        cmocka_unit_test(test_zeros_of_products_have_their_sign),
        cmocka_unit_test(test_transposed_payloads_must_match),
        cmocka_unit_test(test_a_baseline_is_judged_as_a_copy),
        cmocka_unit_test(test_tf32_is_not_f32),
        cmocka_unit_test(test_tf32_loses_more_of_subnormal_factors),
        cmocka_unit_test(test_a_sample_and_freivalds_pass_what_is_right),
        cmocka_unit_test(test_freivalds_finds_what_the_sample_misses),
        cmocka_unit_test(test_freivalds_finds_any_wrong_integer),
        cmocka_unit_test(test_freivalds_does_not_add_up_the_worst),
        cmocka_unit_test(test_freivalds_sees_transposed_operands),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_agreement_of_what_was_only_sampled),
        cmocka_unit_test(test_the_median_and_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
