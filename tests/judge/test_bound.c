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

/* ---- sums in 16 bits, against all ways to add ------------------------------------------------ */

static int64_t depth_of_row(const plx_problem *problem, const plx_device_info *info)
{
    (void)info;
    return problem->of.matvec.cols;
}

static const plx_kernel in_f16 = {.name = "in_f16", .accumulator_f32 = PLX_F16, .depth = depth_of_row};
static const plx_kernel in_f32 = {.name = "in_f32", .accumulator_f32 = PLX_F32, .depth = depth_of_row};

/* Each step is rounded to the nearest: what double holds is exact, also a product and a sum. */
typedef struct summing {
    plx_dtype kept;
    bool fused; /* a product is rounded with the sum that it is added to */
} summing;

enum { FEW = 4, ROWS = 300, WAYS = 6 };

static double product_at(const plx_inputs *inputs, int64_t row, int64_t term)
{
    const plx_dtype dtype = inputs->problem.dtype;
    return plx_element_value(dtype, inputs->data[0], row * inputs->extents[0].ld + term) *
           plx_element_value(dtype, inputs->data[1], term);
}

/* Of four terms in their order, in each way to set brackets; the last in pairs of products that are never fused. */
static double bracketed(const double p[FEW], int way, const summing *by)
{
    const plx_dtype t = by->kept;
    double r[FEW];
    for (int i = 0; i < FEW; ++i)
        r[i] = plx_rounded_to(t, p[i]);
    switch (way) {
    case 0: /* ((a b) c) d */
        r[0] = by->fused ? plx_rounded_to(t, r[0] + p[1]) : plx_rounded_to(t, r[0] + r[1]);
        r[0] = by->fused ? plx_rounded_to(t, r[0] + p[2]) : plx_rounded_to(t, r[0] + r[2]);
        return by->fused ? plx_rounded_to(t, r[0] + p[3]) : plx_rounded_to(t, r[0] + r[3]);
    case 1: /* (a b) (c d) */
        return plx_rounded_to(t, plx_rounded_to(t, r[0] + r[1]) + plx_rounded_to(t, r[2] + r[3]));
    case 2: /* (a (b c)) d */
        return plx_rounded_to(t, plx_rounded_to(t, r[0] + plx_rounded_to(t, r[1] + r[2])) + r[3]);
    case 3: /* a ((b c) d) */
        return plx_rounded_to(t, r[0] + plx_rounded_to(t, plx_rounded_to(t, r[1] + r[2]) + r[3]));
    case 4: /* a (b (c d)) */
        return plx_rounded_to(t, r[0] + plx_rounded_to(t, r[1] + plx_rounded_to(t, r[2] + r[3])));
    default: /* from 0 on */
        for (int i = 0; i < FEW; ++i)
            r[0] = i == 0 ? plx_rounded_to(t, 0.0 + p[0]) : plx_rounded_to(t, r[0] + r[i]);
        return r[0];
    }
}

static plx_error_measure judged_by(const plx_inputs *inputs, const plx_reference_result *reference,
                                   const plx_kernel *kernel, const uint16_t *result)
{
    const plx_bound bound = plx_bound_of(inputs, kernel, &device);
    plx_error_measure measure;
    plx_judge_elements(inputs, reference, &bound, false, result, &measure);
    return measure;
}

/* The largest error over the bound, of all orders of so few terms and all ways to bracket them; *wrong: how many
 * results were outside it. */
static double worst_of_all_orders(const plx_inputs *inputs, const plx_reference_result *reference, const summing *by,
                                  int64_t *wrong)
{
    static uint16_t result[ROWS];
    double worst = 0.0;
    *wrong = 0;
    for (int order = 0; order < FEW * FEW * FEW * FEW; ++order) {
        const int at[FEW] = {order % FEW, order / FEW % FEW, order / FEW / FEW % FEW, order / FEW / FEW / FEW};
        if ((1 << at[0] | 1 << at[1] | 1 << at[2] | 1 << at[3]) != (1 << FEW) - 1)
            continue;
        for (int way = 0; way < WAYS; ++way) {
            for (int64_t row = 0; row < ROWS; ++row) {
                double p[FEW];
                for (int i = 0; i < FEW; ++i)
                    p[i] = product_at(inputs, row, at[i]);
                plx_element_put(PLX_F16, result, row, bracketed(p, way, by));
            }
            const plx_error_measure found = judged_by(inputs, reference, &in_f16, result);
            *wrong += found.wrong;
            worst = fmax(worst, found.max_over_bound);
        }
    }
    return worst;
}

/* No order of four terms leaves the bound of sums in f16, the worst comes near it, and fewer digits do leave it. */
static void test_sums_in_f16_by_brute_force(void **state)
{
    static const plx_input classes[] = {PLX_INPUT_UNIFORM, PLX_INPUT_POSITIVE, PLX_INPUT_GRADED, PLX_INPUT_CANCELLING};
    static const summing apart = {PLX_F16, false}, fused = {PLX_F16, true}, fewer = {PLX_BF16, false};
    double worst = 0.0;
    int64_t wrong, of_fewer = 0;
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; ++i) {
        plx_inputs inputs = inputs_of(plx_matvec_of(PLX_F16, false, ROWS, FEW), classes[i], 3 + i);
        plx_reference_result reference = reference_of(&inputs, false);
        worst = fmax(worst, worst_of_all_orders(&inputs, &reference, &apart, &wrong));
        assert_int_equal(wrong, 0);
        (void)worst_of_all_orders(&inputs, &reference, &fused, &wrong);
        assert_int_equal(wrong, 0);
        (void)worst_of_all_orders(&inputs, &reference, &fewer, &wrong);
        of_fewer += wrong;
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
    assert_true(worst > 0.3 && worst <= 1.0);
    assert_true(of_fewer > ROWS);
}

static void add_up(const plx_inputs *inputs, int64_t terms, plx_dtype kept, uint16_t *result)
{
    for (int64_t row = 0; row < ROWS; ++row) {
        double sum = 0.0;
        for (int64_t i = 0; i < terms; ++i)
            sum = plx_rounded_to(kept, sum + plx_rounded_to(kept, product_at(inputs, row, i)));
        plx_element_put(PLX_F16, result, row, sum);
    }
}

/* Long loops keep within it; whoever says f32 and keeps f16 does not.  Where so many terms lose as much as a result of
 * zero, nothing is judged. */
static void test_loops_in_f16(void **state)
{
    static const int64_t lengths[] = {64, 256, 700};
    static uint16_t result[ROWS];
    (void)state;
    for (size_t i = 0; i < 6; ++i) {
        const int64_t terms = lengths[i / 2];
        plx_inputs inputs = inputs_of(plx_matvec_of(PLX_F16, false, ROWS, terms),
                                      i % 2 == 0 ? PLX_INPUT_UNIFORM : PLX_INPUT_POSITIVE, 11 + i);
        plx_reference_result reference = reference_of(&inputs, false);
        add_up(&inputs, terms, PLX_F16, result);
        assert_int_equal(judged_by(&inputs, &reference, &in_f16, result).wrong, 0);
        assert_true(judged_by(&inputs, &reference, &in_f32, result).wrong > 0);
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
    plx_inputs many = inputs_of(plx_matvec_of(PLX_F16, false, ROWS, 4000), PLX_INPUT_POSITIVE, 5);
    plx_reference_result reference = reference_of(&many, false);
    memset(result, 0, sizeof result);
    const plx_error_measure zero = judged_by(&many, &reference, &in_f16, result);
    assert_true(zero.wrong == 0 && zero.too_wide);
    plx_reference_result_free(&reference);
    plx_inputs_free(&many);
}

/* Integers beyond the 11 bits of a sum round: no bytes are demanded of them. */
static void test_integers_in_f16(void **state)
{
    plx_inputs inputs = inputs_of(plx_matvec_of(PLX_F16, false, 8, 512), PLX_INPUT_INTEGER, 2);
    (void)state;
    assert_true(plx_bound_of(&inputs, &in_f32, &device).unit > 0.0);
    const plx_bound bound = plx_bound_of(&inputs, &in_f16, &device);
    assert_true(bound.unit == 0.0 && !bound.rounded_once && !bound.signed_zeros);
    plx_inputs_free(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bound_has_no_end),
        cmocka_unit_test(test_the_probabilistic_bound_is_for_random_signs),
        cmocka_unit_test(test_a_bound_that_zero_passes_judges_nothing),
        cmocka_unit_test(test_data_that_cancels_is_judged),
        cmocka_unit_test(test_an_impossible_depth_is_refused),
        cmocka_unit_test(test_sums_in_f16_by_brute_force),
        cmocka_unit_test(test_loops_in_f16),
        cmocka_unit_test(test_integers_in_f16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
