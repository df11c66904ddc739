/* The judge computes in the default floating-point environment, whatever its caller's and its threads' is,
 * and proves it. */
#include "judge_support.h"

#include <parallax/floats.h>

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void flush(void)
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.control |= 0x8040;
#elif defined(__aarch64__)
    now.control |= 0x01000000;
#endif
    plx_floats_set(now);
}

/* In the calling thread, and in those that work for it. */
static void spoil(bool flushing)
{
#ifdef _OPENMP
#pragma omp parallel
#endif
    {
        (void)fesetround(FE_UPWARD);
        if (flushing)
            flush();
    }
}

static void mend(void)
{
#ifdef _OPENMP
#pragma omp parallel
#endif
    plx_floats_set(plx_floats_normal());
}

static void test_the_proof_finds_what_it_must(void **state)
{
    static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    plx_error error = {.text = ""};
    (void)state;
    assert_int_equal(plx_floats_check(&error), PLX_OK);
    for (size_t i = 0; i < sizeof rounding / sizeof rounding[0]; ++i) {
        assert_int_equal(fesetround(rounding[i]), 0);
        const plx_status status = plx_floats_check(&error);
        mend();
        assert_int_equal(status, PLX_FAILED);
        assert_non_null(strstr(error.text, "does not round to the nearest"));
    }
#if defined(__x86_64__) || defined(__aarch64__)
    flush();
    const plx_status status = plx_floats_check(&error);
    mend();
    assert_int_equal(status, PLX_FAILED);
    assert_non_null(strstr(error.text, "subnormal"));
#endif
    assert_int_equal(plx_floats_check(&error), PLX_OK);
}

/* Sums of products below the range of normal numbers: A is made as small as that. */
static plx_inputs small_inputs(void)
{
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F64, false, false, 70, 90, 50), PLX_INPUT_UNIFORM, 5);
    volatile double *a = inputs.data[0];
    for (int64_t i = 0; i < inputs.elements[0]; ++i)
        a[i] = a[i] * 0x1p-1030;
    return inputs;
}

static void test_references_and_verdicts_do_not_depend_on_it(void **state)
{
    plx_error_measure first, second;
    plx_error error = {.text = ""};
    (void)state;
    plx_inputs inputs = small_inputs();
    const plx_bound bound = {.kind = PLX_BOUND_DETERMINISTIC,
                             .gamma = 0x1p-40,
                             .underflow = 0x1p-1070,
                             .overflow = (double)INFINITY};
    plx_reference_result expected = reference_of(&inputs, false);
    double *result = calloc((size_t)expected.count, sizeof *result);
    assert_non_null(result);
    memcpy(result, expected.of.value, (size_t)expected.count * sizeof *result);
    assert_int_equal(plx_judge(&inputs, &expected, &bound, false, result, &first, &error), PLX_OK);
    assert_int_equal(first.wrong, 0);
    for (int flushing = 0; flushing < 2; ++flushing) {
        spoil(flushing != 0);
        const plx_floats set = plx_floats_now();
        plx_reference_result found = reference_of(&inputs, false);
        const plx_status judged = plx_judge(&inputs, &expected, &bound, false, result, &second, &error);
        const bool stays = plx_floats_same(set, plx_floats_now());
        mend();
        assert_true(stays);
        assert_int_equal(judged, PLX_OK);
        assert_memory_equal(&first, &second, sizeof first);
        assert_memory_equal(found.of.value, expected.of.value, (size_t)found.count * sizeof(double));
        assert_memory_equal(found.of.tail, expected.of.tail, (size_t)found.count * sizeof(double));
        assert_memory_equal(found.of.magnitude, expected.of.magnitude, (size_t)found.count * sizeof(double));
        plx_reference_result_free(&found);
    }
    free(result);
    plx_reference_result_free(&expected);
    plx_inputs_free(&inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_proof_finds_what_it_must),
        cmocka_unit_test(test_references_and_verdicts_do_not_depend_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
