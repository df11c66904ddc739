/* The reference of products: its tiles and threads change no bit of what a plain loop gives. */
#include "judge_support.h"

#include "kernels/compensated.h"
#include "kernels/wide.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct one_element {
    double value, tail, magnitude;
} one_element;

/* The terms one after the other; alpha 1, no beta. */
static one_element by_plain_loop(const plx_inputs *inputs, int64_t row, int64_t col)
{
    const plx_gemm_problem *p = &inputs->problem.of.gemm;
    const plx_dtype dtype = inputs->problem.dtype;
    plx_reference_sum sum = {{0.0, 0.0}, 0.0};
    one_element found;

    for (int64_t l = 0; l < p->k; ++l) {
        const double a = plx_element_value(dtype, inputs->data[0], p->trans_a ? l * p->lda + row : row * p->lda + l);
        const double b = plx_element_value(dtype, inputs->data[1], p->trans_b ? col * p->ldb + l : l * p->ldb + col);
        const plx_compensated product = plx_product_of(a, b), total = plx_sum_of(sum.sum.value, product.value);
        sum.sum.value = total.value;
        sum.sum.tail += dtype == PLX_F64 ? total.tail + product.tail : 0.0;
        sum.magnitude += fabs(product.value);
    }
    const plx_compensated result =
        plx_finish_sum(&sum, 1.0, 0.0, 0.0, (double)p->k, plx_range_of(dtype == PLX_F32), &found.magnitude);
    found.value = result.value;
    found.tail = result.tail;
    return found;
}

static void assert_plain(const plx_inputs *inputs, const plx_reference *of, int64_t entry, int64_t element)
{
    const int64_t cols = inputs->problem.of.gemm.n;
    const one_element expected = by_plain_loop(inputs, element / cols, element % cols);
    assert_memory_equal(&of->value[entry], &expected.value, sizeof expected.value);
    assert_memory_equal(&of->tail[entry], &expected.tail, sizeof expected.tail);
    assert_memory_equal(&of->magnitude[entry], &expected.magnitude, sizeof expected.magnitude);
}

static plx_problem gemm_of(plx_dtype dtype, int layout, const int64_t *shape)
{
    plx_problem problem = plx_gemm_of(dtype, (layout & 1) != 0, (layout & 2) != 0, shape[0], shape[1], shape[2]);
    problem.of.gemm.lda += 3;
    problem.of.gemm.ldb += 1;
    return problem;
}

/* Around the edges of packs and tiles, few and many of them. */
static const int64_t shapes[][3] = {{1, 1, 1},   {3, 5, 63},    {4, 4, 64},      {65, 7, 65},
                                    {2, 130, 9}, {257, 33, 70}, {129, 191, 130}, {700, 450, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void test_all_elements_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    for (int i = 0; i < 8 * SHAPES; ++i) {
        const plx_dtype dtype = i / SHAPES % 2 == 0 ? PLX_F32 : PLX_F64;
        plx_inputs inputs = inputs_of(gemm_of(dtype, i / SHAPES / 2, shapes[i % SHAPES]), PLX_INPUT_UNIFORM, 3);
        plx_reference_result reference = reference_of(&inputs, false);
        for (int64_t e = 0; e < reference.count; ++e)
            assert_plain(&inputs, &reference.of, e, e);
        plx_reference_result_free(&reference);
        plx_inputs_free(&inputs);
    }
}

/* A run that begins and ends within rows: what lies beside it is left alone. */
static void test_a_run_anywhere_has_the_same_elements(void **state)
{
    static const int64_t shape[] = {70, 90, 40}, runs[][2] = {{0, 1}, {89, 2}, {95, 700}, {6299, 1}, {30, 40}};
    double value[1000], tail[1000], magnitude[1000];

    (void)state;
    plx_inputs inputs = inputs_of(gemm_of(PLX_F32, 2, shape), PLX_INPUT_UNIFORM, 4);
    const plx_host_operands operands = {{inputs.data[0], inputs.data[1]}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        plx_reference to = {NULL, value, tail, magnitude};
        value[runs[i][1]] = 12.0;
        plx_reference_make(&inputs.problem, &operands, runs[i][0], runs[i][1], &to);
        for (int64_t e = 0; e < runs[i][1]; ++e)
            assert_plain(&inputs, &to, e, runs[i][0] + e);
        assert_true(value[runs[i][1]] == 12.0);
    }
    plx_inputs_free(&inputs);
}

/* Over after so many questions. */
typedef struct patience {
    atomic_int asked;
    int most;
} patience;

static bool is_over(void *data)
{
    patience *p = data;
    return atomic_fetch_add(&p->asked, 1) >= p->most;
}

/* What is over is left at once, however much there was to do, and is no reference. */
static void test_a_reference_that_takes_too_long_is_given_up(void **state)
{
    static const int64_t shape[] = {4000, 600, 444};
    plx_inputs inputs = inputs_of(gemm_of(PLX_F32, 0, shape), PLX_INPUT_UNIFORM, 5);
    plx_error error = {.text = ""};

    (void)state;
    for (int sample = 0; sample < 2; sample++) {
        plx_reference_result made = {.count = 0};
        patience little = {.most = 3}, enough = {.most = 1000000};
        const plx_until soon = {is_over, &little}, never = {is_over, &enough};
        const double limit = sample ? 1e6 : 1e12;
        assert_int_equal(plx_reference_result_within(&inputs, false, limit, &soon, &made, &error), PLX_FAILED);
        assert_non_null(strstr(error.text, "before the reference was complete"));
        assert_true(made.count == 0 && made.of.value == NULL && made.sample == NULL);
        assert_int_equal(plx_reference_result_within(&inputs, false, limit, &never, &made, &error), PLX_OK);
        assert_true((made.sample != NULL) == (sample == 1));
        assert_true(atomic_load(&enough.asked) >= 60); /* so it is asked again and again */
        for (int64_t e = 0; e < made.count; e += 97)
            assert_plain(&inputs, &made.of, e, made.sample != NULL ? made.sample[e] : e);
        plx_reference_result_free(&made);
    }
    plx_inputs_free(&inputs);
}

/* Also where what is below it is no multiple of the smallest number, and was rounded to half a place. */
static void test_a_small_product_is_rounded_once(void **state)
{
    uint64_t drawn = 1;
    (void)state;
    for (int i = 0; i < 20000; ++i) {
        double factor[2];
        for (int j = 0; j < 2; ++j) {
            drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            factor[j] = 1.0 + ldexp((double)(drawn >> 12), -52);
        }
        const double a = ldexp(factor[0], -1030 + i % 70), b = i % 2 == 0 ? factor[1] : -factor[1], expected = a * b;
        const plx_compensated sum = plx_scaled_sum(1.0, plx_product_of(a, b), 0.0, 0.0);
        host_wide wide = {0.0, 0.0};
        host_wide_add_product(&wide, a, b);
        const double of_host = host_wide_scaled(wide, 1.0, 0.0, 0.0);
        assert_memory_equal(&sum.value, &expected, sizeof expected);
        assert_memory_equal(&of_host, &expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_elements_are_those_of_a_plain_loop),
        cmocka_unit_test(test_a_run_anywhere_has_the_same_elements),
        cmocka_unit_test(test_a_small_product_is_rounded_once),
        cmocka_unit_test(test_a_reference_that_takes_too_long_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
