/* The judge and elements of 16 bits: what is generated, the bound of results that are narrower than
 * their sums, and where those become infinite. */
#include "judge_support.h"

#include <parallax/half.h>

#include <math.h>
#include <stdlib.h>

static const plx_dtype halves[] = {PLX_F16, PLX_BF16};
enum { HALVES = sizeof halves / sizeof halves[0] };

static int fraction_bits(plx_dtype dtype)
{
    return dtype == PLX_F16 ? 10 : 7;
}

/* ---- inputs ------------------------------------------------------------------------------ */

static const uint16_t *elements_of(const plx_inputs *inputs, size_t operand)
{
    return inputs->data[operand];
}

/* Every bit of the fraction is both 0 and 1 somewhere, also in the numbers next to 1. */
static void uniform_numbers_have_full_mantissas(void **state)
{
    (void)state;
    for (size_t t = 0; t < HALVES; ++t) {
        plx_inputs inputs = inputs_of(plx_reduce_of(halves[t], PLX_SUM, 4096), PLX_INPUT_UNIFORM, 3);
        const uint16_t all = (uint16_t)((1 << fraction_bits(halves[t])) - 1);
        uint16_t ones = 0, zeros = 0;
        for (int i = 0; i < 4096; ++i) {
            const double value = plx_element_value(halves[t], inputs.data[0], i);
            assert_true(fabs(value) < 1.0);
            if (fabs(value) >= 0.5) {
                ones |= elements_of(&inputs, 0)[i];
                zeros |= (uint16_t)~elements_of(&inputs, 0)[i];
            }
        }
        assert_int_equal(ones & all, all);
        assert_int_equal(zeros & all, all);
        plx_inputs_free(&inputs);
    }
}

/* Near the largest number, and among the subnormal ones; never beyond. */
static void extreme_numbers_reach_both_ends(void **state)
{
    (void)state;
    for (size_t t = 0; t < HALVES; ++t) {
        plx_inputs inputs = inputs_of(plx_gemm_of(halves[t], false, false, 8, 8, 64), PLX_INPUT_EXTREME, 1);
        const double least = ldexp(plx_smallest(halves[t]), fraction_bits(halves[t]));
        double largest = 0.0;
        int subnormal = 0;
        for (int i = 0; i < 8 * 64; ++i) {
            const double size = fabs(plx_element_value(halves[t], inputs.data[0], i));
            assert_true(isfinite(size));
            largest = fmax(largest, size);
            subnormal += size > 0.0 && size < least;
        }
        assert_true(largest > plx_largest(halves[t]) * (halves[t] == PLX_F16 ? 0.9 : 0x1p-12));
        assert_true(subnormal > 0);
        plx_inputs_free(&inputs);
    }
}

static void special_numbers_signal(void **state)
{
    (void)state;
    for (size_t t = 0; t < HALVES; ++t) {
        int signals = 0, quiet = 0;
        for (uint64_t seed = 0; seed < 16; ++seed) {
            plx_inputs inputs = inputs_of(plx_transpose_of(halves[t], 40, 41), PLX_INPUT_SPECIAL, seed);
            for (int i = 0; i < 40 * 41; ++i)
                if (plx_element_is_nan(halves[t], inputs.data[0], i)) {
                    const bool is_quiet = (elements_of(&inputs, 0)[i] >> (fraction_bits(halves[t]) - 1) & 1) != 0;
                    signals += !is_quiet;
                    quiet += is_quiet;
                }
            plx_inputs_free(&inputs);
        }
        assert_true(signals > 0 && quiet > 0);
    }
}

/* As many different ones as 16 bits have finite numbers. */
static void moved_numbers_can_be_told_apart(void **state)
{
    (void)state;
    for (size_t t = 0; t < HALVES; ++t) {
        plx_inputs inputs = inputs_of(plx_transpose_of(halves[t], 200, 300), PLX_INPUT_INTEGER, 1);
        unsigned char *seen = calloc(1 << 16, 1);
        assert_non_null(seen);
        for (int i = 0; i < 200 * 300; ++i)
            assert_int_equal(seen[elements_of(&inputs, 0)[i]]++, 0);
        free(seen);
        plx_inputs_free(&inputs);
    }
}

/* ---- results ------------------------------------------------------------------------------- */

static int64_t depth_of_two(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 2;
}

static const plx_kernel in_f32 = {
    .dtypes = PLX_DTYPE_BIT(PLX_F16) | PLX_DTYPE_BIT(PLX_BF16), .accumulator_f32 = PLX_F32, .depth = depth_of_two};

/* What the judge says of `got` as the sum of two numbers and one so small that f32 can't hold all three: else
 * the bytes of the exact sum would be demanded. */
static bool is_right(plx_dtype dtype, double first, double second, double got)
{
    const plx_device_info device = {.units = 1};
    uint16_t terms[3], result = 0;
    plx_array array = {.dtype = dtype, .rank = 1, .rows = 1, .cols = 3, .data = terms};
    const plx_problem problem = plx_reduce_of(dtype, PLX_SUM, 3);
    plx_inputs inputs;
    plx_error error = {.text = ""};
    plx_error_measure measure;

    plx_element_put(dtype, terms, 0, first);
    plx_element_put(dtype, terms, 1, second);
    plx_element_put(dtype, terms, 2, first > 1024 ? 0x1p-24 : 0);
    plx_element_put(dtype, &result, 0, got);
    assert_int_equal(plx_inputs_from_arrays(&problem, &array, 1, 1, &inputs, &error), PLX_OK);
    plx_reference_result reference = reference_of(&inputs, false);
    const plx_bound bound = plx_bound_of(&inputs, &in_f32, &device);
    plx_judge_elements(&inputs, &reference, &bound, false, &result, &measure);
    assert_int_equal(measure.compared, 1);
    assert_int_equal(measure.indeterminate, 0);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
    return measure.wrong == 0;
}

static void f16_becomes_infinite_at_65520(void **state)
{
    const double inf = (double)INFINITY;
    (void)state;
    assert_true(is_right(PLX_F16, 65504, 8, 65504));
    assert_false(is_right(PLX_F16, 65504, 8, inf)); /* too early */
    assert_false(is_right(PLX_F16, 65504, 8, -inf));
    assert_true(is_right(PLX_F16, 65504, 16, inf)); /* a sum just below and one just above */
    assert_true(is_right(PLX_F16, 65504, 16, 65504));
    assert_false(is_right(PLX_F16, 65504, 16, -inf));
    assert_true(is_right(PLX_F16, 65504, 17, inf));
    assert_false(is_right(PLX_F16, 65504, 17, 65504)); /* it saturates, within u_out of the result */
    assert_false(is_right(PLX_F16, 65504, 32, 65504));
    assert_true(is_right(PLX_F16, -65504, -65504, -inf));
    assert_false(is_right(PLX_F16, -65504, -65504, inf));
    assert_false(is_right(PLX_F16, -65504, -65504, -65504));
    assert_false(is_right(PLX_F16, 65504, 32, (double)NAN));
}

/* Half a unit of the result, and the little that the sum may be off. */
static void results_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    assert_true(is_right(PLX_F16, 2048, 1.25, 2050));
    assert_false(is_right(PLX_F16, 2048, 1.25, 2048)); /* cut off */
    assert_true(is_right(PLX_F16, 2048, 0.75, 2048));
    assert_false(is_right(PLX_F16, 2048, 0.75, 2050));
    assert_true(is_right(PLX_BF16, 256, 1.25, 258));
    assert_false(is_right(PLX_BF16, 256, 1.25, 256));
    assert_true(is_right(PLX_F16, 0x1p-24, 0x1p-24, 0x1p-23)); /* exact, though subnormal */
    assert_false(is_right(PLX_F16, 0x1p-24, 0x1p-24, 0.0));
    assert_false(is_right(PLX_F16, 0x1p-24, 0x1p-24, 0x1p-24));
}

/* In a pair what is infinite is as far away as the least that is. */
static void pairs_at_the_end_of_the_range(void **state)
{
    const plx_device_info device = {.units = 1};
    static const struct {
        double second;
        bool agree;
    } sums[] = {{16, true}, {4096, false}};
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i) {
        uint16_t terms[3] = {plx_f16_of(65504), plx_f16_of(sums[i].second), plx_f16_of(0x1p-24)}, finite = 0x7bff,
                 infinite = 0x7c00;
        plx_array array = {.dtype = PLX_F16, .rank = 1, .rows = 1, .cols = 3, .data = terms};
        const plx_problem problem = plx_reduce_of(PLX_F16, PLX_SUM, 3);
        plx_inputs inputs;
        plx_error error = {.text = ""};
        plx_pair pair = {.first = 0};
        assert_int_equal(plx_inputs_from_arrays(&problem, &array, 1, 1, &inputs, &error), PLX_OK);
        plx_reference_result reference = reference_of(&inputs, false);
        const plx_bound bound = plx_bound_of(&inputs, &in_f32, &device);
        const double lowest = sums[i].agree ? 65504 : 61440;
        finite = plx_f16_of(lowest);
        plx_agree(&inputs, &reference, false, &(plx_judged_result){&finite, bound},
                  &(plx_judged_result){&infinite, bound}, &pair);
        assert_int_equal(pair.agree, sums[i].agree);
        assert_false(pair.identical);
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
}

/* Of a large product whose every other row leaves the range: those rows are left to the sample, and
 * in the others no infinity is right. */
static void large_products_have_rows_beyond_the_range(void **state)
{
    enum { M = 60, N = 90, K = 8 };
    static uint16_t a[M * K], b[K * N], c[M * N];
    const plx_device_info device = {.units = 1};
    const plx_problem problem = plx_gemm_of(PLX_F16, false, false, M, N, K);
    const plx_array arrays[] = {{.dtype = PLX_F16, .rank = 2, .rows = M, .cols = K, .data = a},
                                {.dtype = PLX_F16, .rank = 2, .rows = K, .cols = N, .data = b}};
    const double kept = plx_reference_limit;
    int64_t unsampled = 0;
    plx_error error = {.text = ""};
    plx_error_measure found;
    plx_inputs inputs;
    (void)state;
    for (int i = 0; i < M * K; ++i)
        a[i] = plx_f16_of(i / K % 2 == 1 ? 255 : 0.5);
    for (int i = 0; i < K * N; ++i)
        b[i] = plx_f16_of(255);
    for (int i = 0; i < M * N; ++i)
        c[i] = plx_f16_of(i / N % 2 == 1 ? K * 255.0 * 255.0 : K * 0.5 * 255.0);
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 2, 1, &inputs, &error), PLX_OK);
    plx_reference_limit = 1.0;
    plx_reference_result reference = reference_of(&inputs, false);
    plx_reference_limit = kept;
    assert_non_null(reference.sample);
    const plx_bound bound = plx_bound_of_depth(&inputs, &in_f32, K, &device);
    assert_int_equal(plx_judge(&inputs, &reference, &bound, false, c, &found, &error), PLX_OK);
    assert_int_equal(found.wrong, 0);
    assert_int_equal(found.indeterminate, M / 2 * N);
    for (int64_t i = 0; i < reference.count; ++i) /* of an even row, and not of the sample */
        if (reference.sample[i] == unsampled || unsampled / N % 2 == 1) {
            ++unsampled;
            i = -1;
        }
    c[unsampled] = 0x7c00;
    assert_int_equal(plx_judge(&inputs, &reference, &bound, false, c, &found, &error), PLX_OK);
    assert_int_equal(found.wrong, 1);
    assert_int_equal(found.first_bad, unsampled);
    c[unsampled] = c[0];
    c[N] = 0x7bff; /* a corner's neighbour below is of the sample: it saturates */
    assert_int_equal(plx_judge(&inputs, &reference, &bound, false, c, &found, &error), PLX_OK);
    assert_true(found.wrong > 0);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

/* The unit is that of f32: sums are kept in it, whatever the elements are. */
static void bounds_are_those_of_sums_in_f32(void **state)
{
    const plx_device_info device = {.units = 1};
    (void)state;
    for (size_t t = 0; t < HALVES; ++t) {
        plx_problem problem = plx_gemm_of(halves[t], false, false, 3, 3, 64);
        plx_inputs inputs = inputs_of(problem, PLX_INPUT_POSITIVE, 1);
        plx_bound bound = plx_bound_of_depth(&inputs, &in_f32, 64, &device);
        assert_true(bound.narrowing == plx_unit_roundoff(halves[t]));
        assert_true(bound.gamma < 70 * 0x1p-24);
        assert_true(bound.overflow == plx_overflow_threshold(halves[t]));
        plx_inputs_free(&inputs);
        problem.output = PLX_OUTPUT(PLX_F32);
        inputs = inputs_of(problem, PLX_INPUT_POSITIVE, 1);
        bound = plx_bound_of_depth(&inputs, &in_f32, 64, &device);
        assert_true(bound.narrowing == 0.0 && isinf(bound.overflow));
        plx_inputs_free(&inputs);
    }
    assert_true(plx_overflow_threshold(PLX_F16) == 65520.0);
    assert_true(plx_overflow_threshold(PLX_BF16) == 0x1.ffp127);
}

/* The smaller of the two bounds needs roundings to the nearest, which these units do not have. */
static void matrix_units_are_judged_by_their_depth(void **state)
{
    const plx_device_info device = {.units = 1};
    plx_kernel units = in_f32;
    char reason[256];
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_BF16, false, false, 3, 3, 64), PLX_INPUT_POSITIVE, 1);
    (void)state;
    units.flags = PLX_KERNEL_MATRIX_UNITS;
    assert_true(plx_bound_of_depth(&inputs, &in_f32, 128, &device).gamma < 68 * 0x1p-24);
    assert_true(plx_bound_of_depth(&inputs, &units, 128, &device).gamma > 128 * 0x1p-24);
    assert_false(plx_depth_is_possible(&inputs, &in_f32, 129, reason, sizeof reason));
    assert_true(plx_depth_is_possible(&inputs, &units, 129, reason, sizeof reason));
    assert_false(plx_depth_is_possible(&inputs, &units, 193, reason, sizeof reason));
    plx_inputs_free(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_numbers_have_full_mantissas),
        cmocka_unit_test(extreme_numbers_reach_both_ends),
        cmocka_unit_test(special_numbers_signal),
        cmocka_unit_test(moved_numbers_can_be_told_apart),
        cmocka_unit_test(f16_becomes_infinite_at_65520),
        cmocka_unit_test(results_are_rounded_to_the_nearest),
        cmocka_unit_test(pairs_at_the_end_of_the_range),
        cmocka_unit_test(large_products_have_rows_beyond_the_range),
        cmocka_unit_test(bounds_are_those_of_sums_in_f32),
        cmocka_unit_test(matrix_units_are_judged_by_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
