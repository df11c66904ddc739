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
                             .range = (double)INFINITY,
                             .overflow = (double)INFINITY};
    plx_reference_result expected = reference_of(&inputs, false);
    double *result = calloc((size_t)expected.count, sizeof *result);
    assert_non_null(result);
    memcpy(result, expected.of.value, (size_t)expected.count * sizeof *result);
    assert_int_equal(plx_judge(&inputs, &expected, &bound, false, result, &first, &error), PLX_OK);
    assert_int_equal(first.wrong + first.indeterminate, 0);
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

/* All that judging has to say of one product, of a result that is a little off everywhere. */
typedef struct opinion {
    plx_error_measure measure;
    plx_pair pair;
    plx_freivalds_finding finding;
    plx_likeness likeness;
    float first[64]; /* of the operands */
    double reference[64], magnitude[64];
} opinion;

enum { ROWS = 300, COLS = 310, TERMS = 40 }; /* more elements than one thread takes at a time */

static float *loop_of(const plx_inputs *inputs, float factor)
{
    const float *a = inputs->data[0], *b = inputs->data[1];
    float *c = calloc((size_t)ROWS * COLS, sizeof *c);
    assert_non_null(c);
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t p = 0; p < TERMS; ++p)
            for (int64_t j = 0; j < COLS; ++j)
                c[i * COLS + j] += a[i * TERMS + p] * b[p * COLS + j] * factor;
    return c;
}

static void form_opinion(plx_input input, const float *result, const float *other, opinion *o)
{
    plx_error error = {.text = ""};
    plx_projection *projection = NULL;
    const plx_bound bound = {.kind = PLX_BOUND_DETERMINISTIC,
                             .gamma = 0x1p-16,
                             .underflow = 0x1p-140,
                             .range = (double)INFINITY,
                             .overflow = (double)INFINITY};
    const plx_judged_result first = {result, bound}, second = {other, bound};
    const plx_arithmetic by = {.accumulator = PLX_F32, .depth = TERMS, .compute = PLX_COMPUTE_PLAIN};
    plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, ROWS, COLS, TERMS), input, 7);
    plx_reference_result expected = reference_of(&inputs, false);
    memset(o, 0, sizeof *o);
    plx_judge_elements(&inputs, &expected, &bound, false, result, &o->measure);
    assert_int_equal(o->measure.indeterminate, 0);
    plx_agree(&inputs, &expected, false, &first, &second, &o->pair);
    o->likeness = plx_likeness_of(&inputs, &by, result);
    const plx_floats set = plx_floats_begin(); /* as those that call it do */
    assert_int_equal(plx_freivalds_prepare(&inputs, 1, &projection, &error), PLX_OK);
    assert_int_equal(plx_freivalds(&inputs, projection, &bound, result, &o->finding, &error), PLX_OK);
    plx_floats_back(set);
    plx_freivalds_free(projection);
    for (int64_t i = 0; i < 64; ++i) {
        o->first[i] = ((const float *)inputs.data[0])[i * ROWS * TERMS / 64];
        o->reference[i] = expected.of.value[i * ROWS * COLS / 64] + expected.of.tail[i * ROWS * COLS / 64];
        o->magnitude[i] = expected.of.magnitude[i * ROWS * COLS / 64];
    }
    plx_reference_result_free(&expected);
    plx_inputs_free(&inputs);
}

/* What judges, compares, projects, tells likeness and makes operands was seen to fail here without its
 * plx_floats_begin(). */
static void test_no_opinion_depends_on_it(void **state)
{
    static const plx_input kinds[] = {PLX_INPUT_UNIFORM, PLX_INPUT_POSITIVE, PLX_INPUT_GRADED, PLX_INPUT_CANCELLING,
                                      PLX_INPUT_EXTREME};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        plx_inputs inputs = inputs_of(plx_gemm_of(PLX_F32, false, false, ROWS, COLS, TERMS), kinds[i], 7);
        float *result = loop_of(&inputs, 1.0F), *other = loop_of(&inputs, 1.0F + 0x1p-20F);
        opinion before, spoilt;
        form_opinion(kinds[i], result, other, &before);
        spoil(true);
        form_opinion(kinds[i], result, other, &spoilt);
        mend();
        assert_memory_equal(&before, &spoilt, sizeof before);
        free(result);
        free(other);
        plx_inputs_free(&inputs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_proof_finds_what_it_must),
        cmocka_unit_test(test_references_and_verdicts_do_not_depend_on_it),
        cmocka_unit_test(test_no_opinion_depends_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
