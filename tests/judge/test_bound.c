/* The bound itself: that there is one at every length, which one it is, and where it tells
 * nothing. */
#include "judge_support.h"

#include <math.h>
#include <string.h>

/* ---- kernels that declare depths ------------------------------------------------------- */

static int64_t loop_depth(const plx_problem *problem, const plx_device_info *info)
{
    (void)info;
    return problem->op == PLX_GEMM ? problem->of.gemm.k : problem->of.reduce.n;
}

static int64_t tree_depth(const plx_problem *problem, const plx_device_info *info)
{
    int64_t height = 0;
    while (INT64_C(1) << height < loop_depth(problem, info))
        ++height;
    return height;
}

static int64_t endless_depth(const plx_problem *problem, const plx_device_info *info)
{
    (void)problem;
    (void)info;
    return INT64_MAX;
}

static int64_t negative_depth(const plx_problem *problem, const plx_device_info *info)
{
    (void)problem;
    (void)info;
    return -1;
}

static const plx_kernel plain = {.name = "plain", .accumulator_f32 = PLX_F32, .depth = loop_depth};
static const plx_kernel tree = {.name = "tree", .accumulator_f32 = PLX_F32, .depth = tree_depth};
static const plx_device_info device = {.units = 1};

/* ---- the bound --------------------------------------------------------------------------- */

/* What plx_bound_of() needs of a sum that no memory would hold. */
static plx_inputs endless(plx_dtype dtype, int64_t terms, plx_input input)
{
    plx_inputs made = {.problem = plx_reduce_of(dtype, PLX_SUM, terms), .input = input};
    made.operation = plx_operation_of(PLX_REDUCE);
    made.operation->extents(&made.problem, made.extents);
    return made;
}

/* As long as sums can be, there is a bound: n u for a loop, and for a tree by its depth. */
static void test_a_bound_has_no_end(void **state)
{
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64};
    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        double unit = plx_unit_roundoff(dtypes[i]), before = 0.0;
        for (int power = 4; power < 62; ++power) {
            plx_inputs inputs = endless(dtypes[i], INT64_C(1) << power, PLX_INPUT_POSITIVE);
            plx_bound loop = plx_bound_of(&inputs, &plain, &device), high = plx_bound_of(&inputs, &tree, &device);
            assert_true(isfinite(loop.gamma) && loop.gamma > before);
            assert_true(loop.gamma <= ldexp(unit, power) && loop.gamma > 0.99 * ldexp(unit, power));
            assert_true(high.gamma >= power * unit && high.gamma < 1.001 * power * unit);
            assert_int_equal(loop.kind, PLX_BOUND_DETERMINISTIC);
            assert_true(!loop.may_hide || loop.gamma * sqrt(ldexp(1.0, power)) >= 0.25);
            before = loop.gamma;
        }
    }
}

/* Random signs are what the sharper bound assumes, and what only this class of input has. */
static void test_the_probabilistic_bound_is_for_random_signs(void **state)
{
    (void)state;
    for (int input = 0; input < PLX_INPUT_COUNT; ++input) {
        plx_inputs inputs = endless(PLX_F32, 1 << 20, (plx_input)input);
        plx_bound bound = plx_bound_of(&inputs, &plain, &device);
        bool random = input == PLX_INPUT_UNIFORM;
        assert_int_equal(bound.kind, random ? PLX_BOUND_PROBABILISTIC : PLX_BOUND_DETERMINISTIC);
        assert_true(bound.gamma > 0.999 * (random ? 8.0 * 1024 : 1024.0 * 1024) * 0x1p-24 &&
                    bound.gamma < 1.001 * (random ? 8.0 * 1024 : 1024.0 * 1024) * 0x1p-24);
        inputs.from_arrays = true; /* a user's data may be anything */
        assert_int_equal(plx_bound_of(&inputs, &plain, &device).kind, PLX_BOUND_DETERMINISTIC);
    }
}

/* A loop over so many terms in f32 may lose them all: then a right result is no better
 * judged than zero.  Of a tree both are told apart. */
static void test_a_bound_that_zero_passes_judges_nothing(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_SUM, 16777300), PLX_INPUT_POSITIVE, 1);
    plx_reference_result reference = reference_of(&inputs, false);
    plx_bound loop = plx_bound_of(&inputs, &plain, &device), high = plx_bound_of(&inputs, &tree, &device);
    float right = (float)reference.of.value[0], zero = 0.0f, none = NAN;
    plx_error_measure found;
    (void)state;
    plx_judge_elements(&inputs, &reference, &loop, false, &zero, &found);
    assert_true(found.wrong == 0 && found.too_wide && found.max_over_bound <= 1.0);
    plx_judge_elements(&inputs, &reference, &loop, false, &right, &found);
    assert_true(found.wrong == 0 && found.too_wide);
    plx_judge_elements(&inputs, &reference, &loop, false, &none, &found);
    assert_int_equal(found.wrong, 1); /* NaN is wrong by any bound */
    plx_judge_elements(&inputs, &reference, &high, false, &right, &found);
    assert_true(found.wrong == 0 && !found.too_wide);
    plx_judge_elements(&inputs, &reference, &high, false, &zero, &found);
    assert_true(found.wrong == 1 && !found.too_wide);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

/* Data that cancels hides zero from any bound; that is no matter of the sum's length. */
static void test_data_that_cancels_is_judged(void **state)
{
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 20, 20, 512), PLX_INPUT_CANCELLING, 1);
    plx_reference_result reference = reference_of(&inputs, false);
    plx_bound bound = plx_bound_of(&inputs, &plain, &device);
    float right[400];
    plx_error_measure found;
    (void)state;
    for (int i = 0; i < 400; ++i)
        right[i] = (float)reference.of.value[i];
    plx_judge_elements(&inputs, &reference, &bound, false, right, &found);
    assert_true(found.wrong == 0 && !found.too_wide);
    assert_int_equal(found.compared, 400);
    assert_int_equal(found.bound, PLX_BOUND_DETERMINISTIC);
    assert_true(found.gamma > 514 * 0x1p-24 && found.gamma < 515 * 0x1p-24);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_an_impossible_depth_is_refused(void **state)
{
    plx_inputs sum = endless(PLX_F32, 100, PLX_INPUT_POSITIVE), all = endless(PLX_I32, 100, PLX_INPUT_POSITIVE);
    plx_kernel claims = plain;
    char reason[200] = "";
    (void)state;
    assert_true(plx_depth_is_possible(&sum, &plain, plain.depth(&sum.problem, &device), reason, sizeof reason));
    claims.depth = endless_depth;
    assert_false(plx_depth_is_possible(&sum, &claims, claims.depth(&sum.problem, &device), reason, sizeof reason));
    assert_non_null(strstr(reason, "9223372036854775807"));
    assert_non_null(strstr(reason, "100 additions"));
    assert_true(plx_depth_is_possible(&all, &claims, claims.depth(&all.problem, &device), reason,
                                      sizeof reason)); /* rounds nothing */
    claims.depth = negative_depth;
    assert_false(plx_depth_is_possible(&sum, &claims, claims.depth(&sum.problem, &device), reason, sizeof reason));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bound_has_no_end),
        cmocka_unit_test(test_the_probabilistic_bound_is_for_random_signs),
        cmocka_unit_test(test_a_bound_that_zero_passes_judges_nothing),
        cmocka_unit_test(test_data_that_cancels_is_judged),
        cmocka_unit_test(test_an_impossible_depth_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
