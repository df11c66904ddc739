/* Shapes of problems: from numbers, from arrays, and back. */
#include <parallax/half.h>
#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void every_operation_is_described(void **state)
{
    (void)state;
    for (int op = 0; op < PLX_OP_COUNT; op++) {
        plx_op_info info;
        assert_true(plx_op_describe((plx_op)op, &info));
        assert_string_equal(info.name, plx_op_name((plx_op)op));
        assert_true(info.summary[0] != '\0' && info.shape_form[0] != '\0');
        assert_in_range(info.shape_rank, 1, PLX_MAX_SHAPE);
        assert_in_range(info.operand_count, 2, PLX_MAX_OPERANDS);
        assert_true(info.output < info.operand_count && info.dtypes != 0);
        for (size_t i = 0; i < info.operand_count; i++)
            assert_true(info.operands[i][0] != '\0');
    }
    plx_op_info info;
    assert_false(plx_op_describe(PLX_OP_COUNT, &info));
}

static void numbers_in_and_out(void **state)
{
    (void)state;
    plx_error error = {""};
    plx_problem problem = plx_gemm_of(PLX_F32, true, false, 1, 1, 1);
    int64_t shape[PLX_MAX_SHAPE] = {0};
    problem.of.gemm.alpha = 3;
    assert_int_equal(plx_problem_reshape(&problem, (int64_t[]){5, 6, 7}, 3, &error), PLX_OK);
    assert_true(problem.of.gemm.m == 5 && problem.of.gemm.n == 6 && problem.of.gemm.k == 7);
    assert_true(problem.of.gemm.lda == 5 && problem.of.gemm.ldb == 6 && problem.of.gemm.ldc == 6);
    assert_true(problem.of.gemm.trans_a && problem.of.gemm.alpha == 3.0);
    plx_problem_shape(&problem, shape);
    assert_true(shape[0] == 5 && shape[1] == 6 && shape[2] == 7);
}

/* A shape that is refused leaves the problem as it was. */
static void refused_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t shape[3];
        size_t rank;
    } cases[] = {{{5, 6}, 2}, {{5, 6, -7}, 3}, {{INT64_MAX, INT64_MAX, 1}, 3}, {{1, 1, 1}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 3, 4), before = problem;
        plx_error error = {""};
        assert_int_equal(plx_problem_reshape(&problem, cases[i].shape, cases[i].rank, &error), PLX_INVALID);
        assert_true(error.text[0] != '\0');
        assert_memory_equal(&problem, &before, sizeof before);
    }
}

static plx_array array_of(int64_t rows, int64_t cols)
{
    return (plx_array){.dtype = PLX_F32, .rank = rows == 1 ? 1 : 2, .rows = rows, .cols = cols};
}

static void shapes_from_arrays(void **state)
{
    (void)state;
    plx_error error = {""};
    plx_array gemm[] = {array_of(7, 5), array_of(6, 7), array_of(5, 6)};
    plx_problem problem = plx_gemm_of(PLX_F32, true, true, 0, 0, 0);
    assert_int_equal(plx_problem_fit(&problem, gemm, 2, &error), PLX_OK);
    assert_true(problem.of.gemm.m == 5 && problem.of.gemm.n == 6 && problem.of.gemm.k == 7);
    problem.of.gemm.beta = 1;
    assert_int_equal(plx_problem_fit(&problem, gemm, 3, &error), PLX_OK);

    plx_array matvec[] = {array_of(4, 9), array_of(4, 1)}; /* x as a column */
    problem = plx_matvec_of(PLX_F32, true, 0, 0);
    assert_int_equal(plx_problem_fit(&problem, matvec, 2, &error), PLX_OK);
    assert_true(problem.of.matvec.rows == 4 && problem.of.matvec.cols == 9);

    plx_array matrix = array_of(3, 4);
    problem = plx_reduce_of(PLX_F32, PLX_SUM, 0);
    assert_int_equal(plx_problem_fit(&problem, &matrix, 1, &error), PLX_OK);
    assert_true(problem.of.reduce.n == 12);
    problem = plx_transpose_of(PLX_F32, 0, 0);
    assert_int_equal(plx_problem_fit(&problem, &matrix, 1, &error), PLX_OK);
    assert_true(problem.of.transpose.rows == 3 && problem.of.transpose.cols == 4);
}

static void expect_no_fit(plx_problem problem, const plx_array *arrays, size_t count, const char *reason)
{
    plx_problem before = problem;
    plx_error error = {""};
    assert_int_equal(plx_problem_fit(&problem, arrays, count, &error), PLX_INVALID);
    if (strstr(error.text, reason) == NULL)
        fail_msg("\"%s\", not \"%s\"", error.text, reason);
    assert_memory_equal(&problem, &before, sizeof before);
}

static void arrays_that_do_not_fit(void **state)
{
    (void)state;
    plx_array arrays[] = {array_of(5, 7), array_of(6, 7), array_of(9, 9), array_of(9, 9)};
    plx_problem gemm = plx_gemm_of(PLX_F32, false, false, 0, 0, 0);
    expect_no_fit(gemm, arrays, 2, "7");
    gemm = plx_gemm_of(PLX_F32, false, true, 0, 0, 0);
    expect_no_fit(gemm, arrays, 1, "takes 2 arrays (A, B), not 1");
    expect_no_fit(gemm, arrays, 3, "beta is 0");
    gemm.of.gemm.beta = 1;
    expect_no_fit(gemm, arrays, 2, "takes 3 arrays (A, B, C), not 2, because beta is not 0");
    expect_no_fit(gemm, arrays, 3, "C is 9 x 9, but has to be 5 x 6");
    expect_no_fit(gemm, arrays, 4, "not 4");
    gemm.of.gemm.beta = 0;
    arrays[1].dtype = PLX_F64;
    expect_no_fit(gemm, arrays, 2, "B is f64, not f32");
    expect_no_fit(plx_reduce_of(PLX_F32, PLX_SUM, 0), arrays, 2, "takes 1 array (x), not 2");
}

/* Every setting of every operation can be set by some word, and none by nonsense. */
static void words(void **state)
{
    (void)state;
    size_t settings = 0;
    for (int op = 0; op < PLX_OP_COUNT; op++) {
        plx_setting setting;
        for (size_t i = 0; plx_op_setting((plx_op)op, i, &setting); i++, settings++) {
            const char *good = strcmp(setting.name, "reduce") == 0                              ? "max"
                               : strcmp(setting.name, "out-dtype") == 0                         ? "f32"
                               : strcmp(setting.name, "compute") == 0                           ? "bf16x6"
                               : setting.argument != NULL && strcmp(setting.argument, "N") == 0 ? "2"
                                                                                                : "2.5";
            const plx_dtype dtype = strcmp(setting.name, "out-dtype") == 0 ? PLX_F16
                                    : strcmp(setting.name, "compute") == 0 ? PLX_F32
                                                                           : PLX_F64;
            plx_problem problem = plx_problem_of((plx_op)op, dtype), before = problem;
            plx_error error = {""};
            if (setting.argument != NULL) {
                assert_int_equal(plx_problem_set(&problem, setting.name, "maxx", &error), PLX_INVALID);
                assert_memory_equal(&problem, &before, sizeof before);
            }
            assert_int_equal(plx_problem_set(&problem, setting.name, good, &error), PLX_OK);
            assert_memory_not_equal(&problem, &before, sizeof before);
            assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
        }
    }
    assert_int_equal(settings, 27);
    plx_error error;
    plx_problem problem = plx_problem_of(PLX_GEMM, PLX_F32);
    assert_int_equal(plx_problem_set(&problem, "trans", NULL, &error), PLX_NOT_FOUND);
    assert_int_equal(plx_problem_set(&problem, "trans-a", NULL, &error), PLX_OK);
    assert_int_equal(plx_problem_set(&problem, "beta", "-1", &error), PLX_OK);
    assert_int_equal(plx_problem_reshape(&problem, (int64_t[]){5, 6, 7}, 3, &error), PLX_OK);
    plx_problem same = plx_gemm_of(PLX_F32, true, false, 5, 6, 7);
    same.of.gemm.beta = -1;
    assert_memory_equal(&problem, &same, sizeof same);
}

/* All types of 16 bits behind others: ", f16 or bf16". */
static void add_halves(char *text)
{
    for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
        if (plx_is_half((plx_dtype)dtype)) {
            strcat(text, PLX_HALF_DTYPES >> dtype > 1 ? ", " : " or ");
            strcat(text, plx_dtype_name((plx_dtype)dtype));
        }
}

/* What only a table of fields can miss. */
static void refused_problems(void **state)
{
    (void)state;
    plx_error error;
    plx_problem problem = plx_reduce_of(PLX_F32, (plx_reduction)PLX_REDUCTION_COUNT, 1);
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    problem = plx_reduce_of(PLX_I8, PLX_SUM, 1);
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    char taken[200] = "reduce takes i32, i64, f32, f64";
    add_halves(taken);
    assert_string_equal(error.text, taken);
    problem = plx_transpose_of(PLX_F32, 3, 4);
    problem.of.transpose.ld_out = 2;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    problem = plx_matvec_of(PLX_F32, false, -1, 4);
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    problem = plx_matvec_of(PLX_F32, false, 3, 4);
    problem.compute = PLX_COMPUTE_TF32;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    problem = plx_gemm_of(PLX_F64, false, false, 3, 4, 5);
    problem.compute = PLX_COMPUTE_TF32;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    problem.dtype = PLX_F32;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
    problem.compute = PLX_COMPUTE_F16X3;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
    problem.dtype = PLX_F16;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
}

/* The result is of the inputs' type, or f32 where they have 16 bits and are computed with. */
static void results_of_other_types(void **state)
{
    (void)state;
    static const plx_op computes[] = {PLX_REDUCE, PLX_MATVEC, PLX_GEMM};
    plx_error error;
    size_t allowed = 0, halves = 0;
    for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
        halves += plx_is_half((plx_dtype)dtype);
    for (size_t i = 0; i < sizeof computes / sizeof computes[0]; i++)
        for (int dtype = 0; dtype < PLX_DTYPE_COUNT; dtype++)
            for (int output = 0; output < PLX_DTYPE_COUNT; output++) {
                plx_problem problem = plx_problem_of(computes[i], (plx_dtype)dtype), normal;
                const plx_status plain = plx_problem_check(&problem, &error);
                const bool half = plx_is_half((plx_dtype)dtype);
                problem.output = PLX_OUTPUT(output);
                assert_int_equal(plx_problem_check(&problem, &error),
                                 plain == PLX_OK && (output == dtype || (half && output == PLX_F32)) ? PLX_OK
                                                                                                     : PLX_INVALID);
                allowed += plx_problem_check(&problem, &error) == PLX_OK;
                plx_problem_normalise(&problem, &normal);
                assert_int_equal(normal.output, output == dtype ? 0 : PLX_OUTPUT(output));
                assert_int_equal(plx_output_dtype(&normal), output);
            }
    assert_int_equal(allowed, 4 + 2 + 2 + 3 * 2 * halves);
    plx_problem moved = plx_transpose_of(PLX_F16, 3, 4);
    moved.output = PLX_OUTPUT(PLX_F32);
    assert_int_equal(plx_problem_check(&moved, &error), PLX_INVALID);
    moved.output = PLX_DTYPE_COUNT + 1;
    assert_int_equal(plx_problem_check(&moved, &error), PLX_INVALID);
}

/* Operands are measured by what their own elements are. */
static void the_wider_result_is_measured(void **state)
{
    (void)state;
    const int64_t largest = INT64_MAX / 4; /* f32 that can be counted in bytes */
    plx_error error;
    plx_problem problem = plx_gemm_of(PLX_BF16, false, false, 2, 1, 1);
    problem.of.gemm.ldc = largest;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
    problem.output = PLX_OUTPUT(PLX_F32);
    assert_int_equal(plx_problem_check(&problem, &error), PLX_INVALID);
    assert_non_null(strstr(error.text, "C has 2 rows"));
    problem.of.gemm.ldc = largest - 1;
    assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
}

static void problems_in_words(void **state)
{
    (void)state;
    char text[128];
    plx_problem problem = plx_gemm_of(PLX_F32, true, false, 5, 6, 7);
    problem.of.gemm.alpha = 2;
    problem.of.gemm.beta = 0.5;
    problem.of.gemm.ldb = 9;
    plx_variant_text(&problem, text, sizeof text);
    assert_string_equal(text, "tn, alpha 2, beta 0.5");
    plx_layout_text(&problem, 3, text, sizeof text);
    assert_string_equal(text, ", ldb 9, shift 3");
    problem = plx_transpose_of(PLX_F32, 5, 6);
    plx_variant_text(&problem, text, sizeof text);
    assert_string_equal(text, "");
    problem = plx_reduce_of(PLX_F32, PLX_MAX, 5);
    plx_variant_text(&problem, text, sizeof text);
    assert_string_equal(text, "max");
    problem = plx_gemm_of(PLX_BF16, false, true, 5, 6, 7);
    problem.output = PLX_OUTPUT(PLX_F32);
    plx_variant_text(&problem, text, sizeof text);
    assert_string_equal(text, "nt, to f32");
    problem = plx_gemm_of(PLX_F32, false, false, 5, 6, 7);
    problem.compute = PLX_COMPUTE_BF16X6;
    plx_variant_text(&problem, text, sizeof text);
    assert_string_equal(text, "nn, bf16x6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_described),
        cmocka_unit_test(numbers_in_and_out),
        cmocka_unit_test(refused_numbers),
        cmocka_unit_test(shapes_from_arrays),
        cmocka_unit_test(arrays_that_do_not_fit),
        cmocka_unit_test(words),
        cmocka_unit_test(refused_problems),
        cmocka_unit_test(results_of_other_types),
        cmocka_unit_test(the_wider_result_is_measured),
        cmocka_unit_test(problems_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
