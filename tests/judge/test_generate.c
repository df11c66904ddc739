/* Generated input: reproducible to the byte, and what each class promises. */
#include "judge_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static uint64_t hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_inputs(const plx_inputs *inputs)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        if (inputs->data[i] != NULL)
            hash = hash * 31 +
                   hash_bytes(inputs->data[i], (size_t)inputs->elements[i] * plx_dtype_size(inputs->problem.dtype));
    return hash;
}

static void use_threads(int count)
{
#ifdef _OPENMP
    omp_set_num_threads(count);
#else
    (void)count;
#endif
}

/* Large enough for several chunks. */
static plx_problem padded_gemm(plx_dtype dtype)
{
    plx_problem problem = plx_gemm_of(dtype, true, false, 403, 211, 503);
    problem.of.gemm.lda += 3;
    problem.of.gemm.ldc += 1;
    problem.of.gemm.beta = 0.5;
    return problem;
}

static void test_any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        for (int dtype = PLX_F32; dtype <= PLX_F64; ++dtype) {
            uint64_t hashes[2];
            for (int i = 0; i < 2; ++i) {
                use_threads(i == 0 ? 1 : 4);
                plx_inputs inputs = inputs_of(padded_gemm((plx_dtype)dtype), (plx_input)input, 7);
                hashes[i] = hash_inputs(&inputs);
                plx_inputs_free(&inputs);
            }
            assert_int_equal(hashes[0], hashes[1]);
        }
}

/* A seed means the same bytes in every version and on every machine. */
static void test_bytes_do_not_change(void **state)
{
    static const uint64_t expected[PLX_INPUT_COUNT] = {
        [PLX_INPUT_UNIFORM] = UINT64_C(0x9bbe9b682eee403a),    [PLX_INPUT_POSITIVE] = UINT64_C(0x103776903bf0cd3a),
        [PLX_INPUT_INTEGER] = UINT64_C(0x779f5e0530907a96),    [PLX_INPUT_GRADED] = UINT64_C(0xc5574ff93aa38052),
        [PLX_INPUT_CANCELLING] = UINT64_C(0x1240a1a0d22634a5), [PLX_INPUT_EXTREME] = UINT64_C(0xd8cd577062293bbd),
        [PLX_INPUT_SPECIAL] = UINT64_C(0xbb4f750a425685e8),
    };
    (void)state;
    for (int input = 0; input < PLX_INPUT_COUNT; ++input) {
        plx_problem problem = plx_gemm_of(PLX_F32, false, true, 37, 41, 43);
        problem.of.gemm.beta = 1.0;
        plx_inputs inputs = inputs_of(problem, (plx_input)input, 12345);
        assert_int_equal(hash_inputs(&inputs), expected[input]);
        plx_inputs_free(&inputs);
    }
}

static void test_seeds_and_operands_differ(void **state)
{
    (void)state;
    plx_inputs one = inputs_of(plx_gemm_of(PLX_F32, false, false, 50, 50, 50), PLX_INPUT_UNIFORM, 1);
    plx_inputs two = inputs_of(plx_gemm_of(PLX_F32, false, false, 50, 50, 50), PLX_INPUT_UNIFORM, 2);
    assert_memory_not_equal(one.data[0], two.data[0], 2500 * sizeof(float));
    assert_memory_not_equal(one.data[0], one.data[1], 2500 * sizeof(float));
    plx_inputs_free(&one);
    plx_inputs_free(&two);
}

static void test_padding_is_nan_and_changes_nothing_else(void **state)
{
    plx_problem dense = plx_matvec_of(PLX_F64, false, 31, 17), padded = dense;
    (void)state;
    padded.of.matvec.lda = 20;
    plx_inputs a = inputs_of(dense, PLX_INPUT_UNIFORM, 3), b = inputs_of(padded, PLX_INPUT_UNIFORM, 3);
    for (int row = 0; row < 31; ++row) {
        assert_memory_equal((double *)a.data[0] + row * 17, (double *)b.data[0] + row * 20, 17 * sizeof(double));
        for (int col = 17; row < 30 && col < 20; ++col)
            assert_true(isnan(((double *)b.data[0])[row * 20 + col]));
    }
    plx_inputs_free(&a);
    plx_inputs_free(&b);
}

static void test_uniform_has_full_mantissas(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_SUM, 4096), PLX_INPUT_UNIFORM, 1);
    const float *x = inputs.data[0];
    uint32_t ones = 0, zeros = 0;
    double sum = 0.0;
    int odd = 0;
    (void)state;
    for (int i = 0; i < 4096; ++i) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        ones |= bits;
        zeros |= ~bits;
        odd += (int)(bits & 1);
        assert_true(fabsf(x[i]) < 1.0f && x[i] != 0.0f);
        sum += (double)x[i];
    }
    assert_int_equal(ones & zeros & UINT32_C(0x807fffff), UINT32_C(0x807fffff)); /* sign and mantissa */
    assert_in_range(odd, 1800, 2300);
    assert_true(fabs(sum) < 4.0 * sqrt(4096.0 / 3.0));
    plx_inputs_free(&inputs);
}

static void test_positive_is_positive(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F64, PLX_SUM, 1000), PLX_INPUT_POSITIVE, 1);
    (void)state;
    for (int i = 0; i < 1000; ++i)
        assert_true(((double *)inputs.data[0])[i] > 0.0 && ((double *)inputs.data[0])[i] < 1.0);
    plx_inputs_free(&inputs);
}

/* Every sum of products of the integers is below 2^22, so f32 never rounds. */
static void test_integers_sum_exactly(void **state)
{
    static const int64_t lengths[] = {1, 64, 4096, 300000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 3, 4, lengths[i]), PLX_INPUT_INTEGER, 9);
        plx_reference_result reference = reference_of(&inputs, false);
        double largest = 0.0;
        for (int64_t e = 0; e < reference.count; ++e) {
            assert_true(reference.of.magnitude[e] <= 0x1p22);
            assert_true(reference.of.value[e] == rint(reference.of.value[e]));
            largest = fmax(largest, fabs(reference.of.value[e]));
        }
        assert_true(largest > 0.0);
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
}

static void test_moved_integers_tell_positions_apart(void **state)
{
    plx_inputs inputs = inputs_of(plx_transpose_of(PLX_F32, 60, 70), PLX_INPUT_INTEGER, 1);
    (void)state;
    for (int i = 0; i < 4200; ++i)
        assert_true(((float *)inputs.data[0])[i] == (float)i);
    plx_inputs_free(&inputs);
}

static void test_graded_lines_differ_by_powers_of_two(void **state)
{
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 300, 8, 30), PLX_INPUT_GRADED, 1);
    double largest[3] = {0.0, 0.0, 0.0};
    (void)state;
    for (int row = 0; row < 300; ++row)
        for (int p = 0; p < 30; ++p)
            largest[row / 100] = fmax(largest[row / 100], fabs((double)((float *)inputs.data[0])[row * 30 + p]));
    assert_true(largest[1] < largest[0] * 0x1p-9 && largest[1] > largest[0] * 0x1p-11);
    assert_true(largest[2] < largest[1] * 0x1p-9 && largest[2] > largest[1] * 0x1p-11);
    plx_inputs_free(&inputs);
}

static void assert_cancels(plx_problem problem)
{
    plx_inputs inputs = inputs_of(problem, PLX_INPUT_CANCELLING, 11);
    plx_reference_result reference = reference_of(&inputs, false);
    for (int64_t e = 0; e < reference.count; ++e)
        assert_true(reference.of.magnitude[e] >= 1e6 * fabs(reference.of.value[e]));
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_cancelling_cancels(void **state)
{
    plx_problem with_beta = plx_gemm_of(PLX_F32, true, true, 20, 30, 64);
    (void)state;
    with_beta.of.gemm.beta = 1.0;
    assert_cancels(plx_gemm_of(PLX_F32, false, false, 20, 30, 64));
    assert_cancels(plx_gemm_of(PLX_F64, false, true, 20, 30, 2));
    assert_cancels(with_beta);
    assert_cancels(plx_matvec_of(PLX_F32, true, 101, 40));
    assert_cancels(plx_reduce_of(PLX_F32, PLX_SUM, 1001));
    assert_cancels(plx_reduce_of(PLX_F64, PLX_SUM, 1 << 16));
}

/* Huge and tiny results, none of which depends on the order of the sum. */
static void assert_extreme(plx_problem problem, double huge, double tiny)
{
    double largest = 0.0, smallest = (double)INFINITY;
    for (uint64_t seed = 0; seed < 2; ++seed) {
        plx_inputs inputs = inputs_of(problem, PLX_INPUT_EXTREME, seed);
        plx_reference_result reference = reference_of(&inputs, false);
        for (int64_t e = 0; e < reference.count; ++e) {
            assert_true(isfinite(reference.of.magnitude[e]) && isfinite(reference.of.value[e]));
            largest = fmax(largest, reference.of.magnitude[e]);
            smallest = fmin(smallest, reference.of.magnitude[e]);
        }
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
    assert_true(largest > huge && smallest < tiny);
}

static void test_extreme_reaches_both_ends(void **state)
{
    (void)state;
    assert_extreme(plx_gemm_of(PLX_F32, false, false, 8, 9, 100), 1e35, 1e-34);
    assert_extreme(plx_gemm_of(PLX_F64, true, false, 8, 9, 100), 1e304, 1e-302);
    assert_extreme(plx_matvec_of(PLX_F32, true, 33, 20), 1e35, 1e-34);
    assert_extreme(plx_reduce_of(PLX_F32, PLX_SUM, 1000), 1e35, 1e-33);
}

static int count_special(const plx_reference_result *reference)
{
    int special = 0;
    for (int64_t e = 0; e < reference->count; ++e)
        special += !isfinite(reference->of.value[e]);
    return special;
}

static void test_special_leaves_most_results_finite(void **state)
{
    int nan = 0, inf = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 32; ++seed) {
        plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 67, 70, 37), PLX_INPUT_SPECIAL, seed);
        plx_reference_result reference = reference_of(&inputs, false);
        int special = count_special(&reference);
        assert_true(special > 0 && special < reference.count / 4);
        for (int64_t e = 0; e < reference.count; ++e) {
            nan += isnan(reference.of.value[e]) != 0;
            inf += isinf(reference.of.value[e]) != 0;
        }
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
    assert_true(nan > 0 && inf > 0);
}

static void test_special_zeros_have_both_signs(void **state)
{
    plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_MIN, 100), PLX_INPUT_SPECIAL, 3);
    plx_reference_result reference = reference_of(&inputs, false);
    (void)state;
    assert_true(*(float *)reference.of.exact == 0.0f && signbit(*(float *)reference.of.exact));
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

/* Of 32 seeds two have zeros of one sign but for one, each of them another sign. */
static void test_one_zero_of_another_sign(void **state)
{
    static const int64_t lengths[] = {2, 33, 2083};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
        for (uint64_t seed = 0; seed < 4 * 32; ++seed) {
            const bool minus = seed % 32 == PLX_SEED_ODD_MINUS, plus = seed % 32 == PLX_SEED_ODD_PLUS;
            int64_t negative = 0;
            if (!minus && !plus)
                continue;
            plx_inputs inputs = inputs_of(plx_reduce_of(PLX_F32, PLX_MIN, lengths[i]), PLX_INPUT_SPECIAL, seed);
            const float *x = inputs.data[0];
            for (int64_t at = 0; at < lengths[i]; ++at) {
                assert_true(x[at] == 0.0f);
                negative += signbit(x[at]) != 0;
            }
            assert_int_equal(negative, minus ? 1 : lengths[i] - 1);
            plx_inputs_free(&inputs);
        }
}

static void test_moved_nans_carry_payloads(void **state)
{
    uint64_t different = 0, first = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 16; ++seed) {
        plx_inputs inputs = inputs_of(plx_transpose_of(PLX_F64, 67, 131), PLX_INPUT_SPECIAL, 4 * seed + 1);
        for (int i = 0; i < 67 * 131; ++i) {
            uint64_t bits;
            memcpy(&bits, (double *)inputs.data[0] + i, sizeof bits);
            if (!isnan(((double *)inputs.data[0])[i]))
                continue;
            first = first == 0 ? bits : first;
            different |= bits ^ first;
        }
        plx_inputs_free(&inputs);
    }
    assert_true(different != 0);
}

/* What the NaN of an operand are: bit 0 for one that is quiet, bit 1 for one that signals; and
 * the same, 2 bits further, for those with a minus. */
static unsigned kinds_of_nan(plx_dtype dtype, const void *data, int64_t count)
{
    const int width = dtype == PLX_F32 ? 32 : 64, fraction = dtype == PLX_F32 ? 23 : 52;
    unsigned kinds = 0;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t bits = dtype == PLX_F32 ? ((const uint32_t *)data)[i] : ((const uint64_t *)data)[i];
        uint64_t magnitude = bits & ~(UINT64_C(1) << (width - 1));
        bool quiet = (bits >> (fraction - 1) & 1) != 0;
        if (magnitude <= ((UINT64_C(1) << (width - 1 - fraction)) - 1) << fraction)
            continue;
        kinds |= (quiet ? 1u : 2u) << (bits == magnitude ? 0 : 2);
    }
    return kinds;
}

/* A conversion on the way would make them quiet. */
static void test_special_nans_signal_too(void **state)
{
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64};
    (void)state;
    for (size_t d = 0; d < 2; ++d) {
        const plx_problem problems[] = {plx_transpose_of(dtypes[d], 67, 131), plx_reduce_of(dtypes[d], PLX_SUM, 8777),
                                        plx_matvec_of(dtypes[d], false, 67, 131),
                                        plx_gemm_of(dtypes[d], false, false, 67, 131, 67)};
        for (size_t p = 0; p < sizeof problems / sizeof problems[0]; ++p) {
            unsigned kinds = 0;
            for (uint64_t seed = 0; seed < 64; ++seed) {
                plx_inputs inputs = inputs_of(problems[p], PLX_INPUT_SPECIAL, seed);
                kinds |= kinds_of_nan(dtypes[d], inputs.data[0], inputs.elements[0]);
                plx_inputs_free(&inputs);
            }
            assert_int_equal(kinds & 10, 10); /* both signs of those that signal */
            assert_true(p > 0 || kinds == 15);
        }
    }
}

/* One case is enough to tell a transpose that multiplies by 1 from one that moves. */
static void test_every_moved_case_with_nans_has_one_that_signals(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 64; ++seed) {
        plx_inputs inputs = inputs_of(plx_transpose_of(PLX_F32, 1 + (int64_t)seed, 33), PLX_INPUT_SPECIAL, seed);
        unsigned kinds = kinds_of_nan(PLX_F32, inputs.data[0], inputs.elements[0]);
        assert_int_equal((kinds & 10) != 0, seed % 4 < 2);
        plx_inputs_free(&inputs);
    }
}

static void test_what_alpha_hides_is_nan(void **state)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 5, 6, 7);
    (void)state;
    problem.of.gemm.alpha = 0.0;
    problem.of.gemm.beta = 2.0;
    plx_inputs inputs = inputs_of(problem, PLX_INPUT_UNIFORM, 1);
    for (int i = 0; i < 35; ++i)
        assert_true(isnan(((float *)inputs.data[0])[i]));
    for (int i = 0; i < 30; ++i)
        assert_true(isfinite(((float *)inputs.data[2])[i]));
    plx_inputs_free(&inputs);
}

static void test_without_beta_there_is_no_old_output(void **state)
{
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, 5, 6, 7), PLX_INPUT_UNIFORM, 1);
    (void)state;
    assert_non_null(inputs.data[0]);
    assert_null(inputs.data[2]);
    plx_inputs_free(&inputs);
}

static void test_arrays_become_operands(void **state)
{
    float a[6] = {1, 2, 3, 4, 5, 6}, x[3] = {1, 0, -1};
    plx_array arrays[] = {{.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 3, .data = a},
                          {.dtype = PLX_F32, .rank = 1, .rows = 1, .cols = 3, .data = x}};
    plx_problem problem = plx_matvec_of(PLX_F32, false, 2, 3);
    plx_inputs inputs;
    plx_error error;
    (void)state;
    problem.of.matvec.lda = 5;
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 2, 1, &inputs, &error), PLX_OK);
    plx_reference_result reference = reference_of(&inputs, false);
    assert_true(reference.of.value[0] == -2.0 && reference.of.value[1] == -2.0);
    plx_reference_result_free(&reference);
    plx_inputs_free(&inputs);
}

static void test_arrays_that_do_not_fit_are_refused(void **state)
{
    float a[6] = {0};
    plx_array arrays[] = {{.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 3, .data = a},
                          {.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 3, .data = a},
                          {.dtype = PLX_F32, .rank = 2, .rows = 2, .cols = 3, .data = a}};
    plx_problem problem = plx_matvec_of(PLX_F32, false, 2, 3);
    plx_inputs inputs;
    plx_error error;
    (void)state;
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 2, 1, &inputs, &error), PLX_INVALID);
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 1, 1, &inputs, &error), PLX_INVALID);
    problem = plx_transpose_of(PLX_F32, 2, 3);
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 2, 1, &inputs, &error), PLX_INVALID);
    problem = plx_transpose_of(PLX_I32, 2, 3);
    assert_int_equal(plx_inputs_from_arrays(&problem, arrays, 1, 1, &inputs, &error), PLX_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(test_bytes_do_not_change),
        cmocka_unit_test(test_seeds_and_operands_differ),
        cmocka_unit_test(test_padding_is_nan_and_changes_nothing_else),
        cmocka_unit_test(test_uniform_has_full_mantissas),
        cmocka_unit_test(test_positive_is_positive),
        cmocka_unit_test(test_integers_sum_exactly),
        cmocka_unit_test(test_moved_integers_tell_positions_apart),
        cmocka_unit_test(test_graded_lines_differ_by_powers_of_two),
        cmocka_unit_test(test_cancelling_cancels),
        cmocka_unit_test(test_extreme_reaches_both_ends),
        cmocka_unit_test(test_special_leaves_most_results_finite),
        cmocka_unit_test(test_special_zeros_have_both_signs),
        cmocka_unit_test(test_one_zero_of_another_sign),
        cmocka_unit_test(test_moved_nans_carry_payloads),
        cmocka_unit_test(test_special_nans_signal_too),
        cmocka_unit_test(test_every_moved_case_with_nans_has_one_that_signals),
        cmocka_unit_test(test_what_alpha_hides_is_nan),
        cmocka_unit_test(test_without_beta_there_is_no_old_output),
        cmocka_unit_test(test_arrays_become_operands),
        cmocka_unit_test(test_arrays_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
