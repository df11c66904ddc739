/* Results that were computed elsewhere: however they lie, right ones are ok and wrong ones are wrong, by the promise
 * that they make; what can't be judged says why. */
#include "judge_support.h"

#include <parallax/half.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- products to be judged ----------------------------------------------------------------- */

enum { M = 5, N = 7, K = 300 };

static float a[M * K], b[K * N], old[M * N], c[M * N];

static float drawn(uint64_t seed, uint64_t index)
{
    return (float)((double)(int64_t)(plx_random(seed, 7, index) >> 11) * 0x1p-52 - 1.0);
}

/* Sums rounded to a type after each step, from the first term on. */
static double rounded_sum(plx_dtype dtype, int64_t row, int64_t col, int64_t first, int64_t end)
{
    double sum = 0.0;
    for (int64_t l = first; l < end; ++l)
        sum = plx_rounded_to(dtype, sum + plx_rounded_to(dtype, (double)a[row * K + l] * (double)b[l * N + col]));
    return sum;
}

static void make_product(void)
{
    for (int i = 0; i < M * K; ++i)
        a[i] = drawn(1, (uint64_t)i);
    for (int i = 0; i < K * N; ++i)
        b[i] = drawn(2, (uint64_t)i);
    for (int i = 0; i < M * N; ++i) {
        old[i] = drawn(3, (uint64_t)i);
        c[i] = (float)rounded_sum(PLX_F32, i / N, i % N, 0, K);
    }
}

static plx_strided matrix(plx_dtype dtype, const void *data, int64_t rows, int64_t cols)
{
    return (plx_strided){.dtype = dtype, .rank = 2, .size = {rows, cols}, .stride = {cols, 1}, .data = data};
}

static plx_problem product(double alpha, double beta)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, M, N, K);
    problem.of.gemm.alpha = alpha;
    problem.of.gemm.beta = beta;
    return problem;
}

static plx_verdict judged(const plx_problem *problem, const plx_strided *operands, size_t count, plx_strided result,
                          const plx_promise *promise)
{
    plx_verdict verdict = {.outcome = PLX_OUTCOME_COUNT};
    plx_error error = {.text = ""};
    if (plx_judge_result(problem, operands, count, &result, promise, &verdict, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return verdict;
}

static plx_verdict judge_c(const plx_promise *promise)
{
    const plx_problem problem = product(1.0, 0.0);
    const plx_strided operands[] = {matrix(PLX_F32, a, M, K), matrix(PLX_F32, b, K, N)};
    return judged(&problem, operands, 2, matrix(PLX_F32, c, M, N), promise);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_right_and_wrong(void **state)
{
    (void)state;
    make_product();
    plx_verdict verdict = judge_c(NULL);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_OK);
    assert_string_equal(verdict.reason, "");
    assert_int_equal(verdict.error.compared, M * N);
    assert_true(verdict.error.max_over_bound > 0.0 && verdict.error.max_over_bound < 0.1);

    /* What the bound allows of C[2][3], and twice that. */
    double size = 0.0;
    for (int l = 0; l < K; ++l)
        size += fabs((double)a[2 * K + l] * (double)b[l * N + 3]);
    const double bound = (K + 2) * 0x1p-24 * size;
    const float right = c[2 * N + 3];
    c[2 * N + 3] = (float)((double)right + 0.9 * bound);
    assert_int_equal(judge_c(NULL).outcome, PLX_OUTCOME_OK);
    c[2 * N + 3] = (float)((double)right + 2.0 * bound);
    verdict = judge_c(NULL);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_WRONG);
    assert_int_equal(verdict.error.wrong, 1);
    assert_int_equal(verdict.error.first_bad, 2 * N + 3);
    assert_non_null(strstr(verdict.reason, "C[2][3]"));
    assert_true(verdict.error.max_over_bound > 1.9 && verdict.error.max_over_bound < 2.1);
    c[2 * N + 3] = NAN;
    assert_int_equal(judge_c(NULL).outcome, PLX_OUTCOME_WRONG);
    c[2 * N + 3] = right;
}

/* The same numbers as views: transposed, backwards, with gaps, one for all. */
static void test_strides(void **state)
{
    static float turned[K * M], gaps[M * N * 3], backwards[M * N], apart[M * (N + 2)], one = 0.5F, ones[M];
    const plx_problem problem = product(1.0, 0.0);
    plx_strided operands[] = {matrix(PLX_F32, a, M, K), matrix(PLX_F32, b, K, N)};
    (void)state;
    make_product();
    for (int i = 0; i < M * K; ++i)
        turned[i % K * M + i / K] = a[i];
    for (int i = 0; i < M * N; ++i) {
        gaps[3 * i] = c[i];
        backwards[M * N - 1 - i] = c[i];
        apart[i / N * (N + 2) + i % N] = c[i];
    }
    operands[0] = (plx_strided){PLX_F32, 2, {M, K}, {1, M}, turned};
    const plx_strided spread = {PLX_F32, 2, {M, N}, {3 * N, 3}, gaps};
    const plx_strided reversed = {PLX_F32, 2, {M, N}, {-N, -1}, &backwards[M * N - 1]};
    const double error = judge_c(NULL).error.max_over_bound;
    plx_verdict verdict = judged(&problem, operands, 2, spread, NULL);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_OK);
    assert_true(verdict.error.max_over_bound == error);
    const plx_strided rows = {PLX_F32, 2, {M, N}, {N + 2, 1}, apart};
    verdict = judged(&problem, operands, 2, rows, NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_OK && verdict.error.max_over_bound == error);
    verdict = judged(&problem, operands, 2, reversed, NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_OK && verdict.error.max_over_bound == error);

    /* A number that stands for a vector; a vector as a column. */
    const plx_problem sums = plx_matvec_of(PLX_F32, false, M, K);
    for (int i = 0; i < M; ++i) {
        float sum = 0.0F;
        for (int l = 0; l < K; ++l)
            sum += a[i * K + l] * one;
        ones[i] = sum;
    }
    const plx_strided halves[] = {matrix(PLX_F32, a, M, K), {PLX_F32, 1, {K}, {0}, &one}};
    assert_int_equal(judged(&sums, halves, 2, matrix(PLX_F32, ones, M, 1), NULL).outcome, PLX_OUTCOME_OK);
    assert_int_equal(judged(&sums, halves, 2, matrix(PLX_F32, ones, 1, M), NULL).outcome, PLX_OUTCOME_OK);
    ones[M - 1] += 1.0F;
    verdict = judged(&sums, halves, 2, matrix(PLX_F32, ones, M, 1), NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_WRONG && verdict.error.first_bad == M - 1);
}

static void test_beta(void **state)
{
    const plx_problem problem = product(-1.5, 0.25);
    const plx_strided operands[] = {matrix(PLX_F32, a, M, K), matrix(PLX_F32, b, K, N), matrix(PLX_F32, old, M, N)};
    static float result[M * N];
    (void)state;
    make_product();
    for (int i = 0; i < M * N; ++i)
        result[i] = -1.5F * c[i] + 0.25F * old[i];
    assert_int_equal(judged(&problem, operands, 3, matrix(PLX_F32, result, M, N), NULL).outcome, PLX_OUTCOME_OK);
    assert_int_equal(judged(&problem, operands, 3, matrix(PLX_F32, c, M, N), NULL).outcome, PLX_OUTCOME_WRONG);
}

static plx_promise promise_of(const char *name, const char *word)
{
    plx_promise promise = {.sums = PLX_SUMS_ANY};
    plx_error error = {.text = ""};
    if (plx_promise_set(&promise, name, word, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return promise;
}

/* What each promise allows, and what it does not. */
static void test_promises(void **state)
{
    const plx_promise wide = promise_of("accumulator", "f64"), half = promise_of("accumulator", "f16"),
                      brain = promise_of("accumulator", "bf16"), pairwise = promise_of("sums", "pairwise"),
                      shallow = promise_of("sums", "2");
    (void)state;
    make_product();
    assert_int_equal(judge_c(&wide).outcome, PLX_OUTCOME_WRONG);
    assert_int_equal(judge_c(&pairwise).outcome, PLX_OUTCOME_OK);
    const double any = judge_c(NULL).error.max_over_bound;
    assert_true(judge_c(&pairwise).error.max_over_bound > 1.5 * any);
    assert_true(judge_c(&shallow).error.max_over_bound > 50.0 * any);
    for (int i = 0; i < M * N; ++i)
        c[i] = (float)rounded_sum(PLX_F64, i / N, i % N, 0, K);
    assert_int_equal(judge_c(&wide).outcome, PLX_OUTCOME_OK);
    for (int i = 0; i < M * N; ++i)
        c[i] = (float)rounded_sum(PLX_F16, i / N, i % N, 0, K);
    assert_int_equal(judge_c(NULL).outcome, PLX_OUTCOME_WRONG);
    assert_int_not_equal(judge_c(&half).outcome, PLX_OUTCOME_WRONG);
    assert_true(judge_c(&half).error.max_over_bound < 0.5);
    for (int i = 0; i < M * N; ++i)
        c[i] = (float)rounded_sum(PLX_BF16, i / N, i % N, 0, K);
    assert_int_equal(judge_c(NULL).outcome, PLX_OUTCOME_WRONG);
    /* bf16 loses so much in 300 steps that zero would pass as well. */
    assert_int_equal(judge_c(&brain).outcome, PLX_OUTCOME_NOT_JUDGED);
    assert_true(judge_c(&brain).error.max_over_bound < 1.0);
}

/* Four parts of the sum, each rounded to bf16 before they are added in it. */
static void test_narrow_parts(void **state)
{
    static uint16_t x[64], y[64], sum;
    const plx_problem problem = plx_matvec_of(PLX_BF16, false, 1, 64);
    const plx_strided operands[] = {{PLX_BF16, 2, {1, 64}, {64, 1}, x}, {PLX_BF16, 1, {64}, {1}, y}};
    const plx_strided result = {PLX_BF16, 1, {1}, {1}, &sum};
    const plx_promise parts = promise_of("narrow-parts", "4");
    double all = 0.0, size = 0.0;
    (void)state;
    for (int i = 0; i < 64; ++i) {
        x[i] = plx_bf16_of((double)drawn(5, (uint64_t)i));
        y[i] = plx_bf16_of((double)drawn(6, (uint64_t)i));
        size += fabs(plx_bf16_value(x[i]) * plx_bf16_value(y[i]));
    }
    for (int part = 0; part < 4; ++part) {
        double one = 0.0;
        for (int i = 16 * part; i < 16 * part + 16; ++i)
            one += plx_bf16_value(x[i]) * plx_bf16_value(y[i]);
        all += one;
    }
    /* As far off as four roundings of a part of the size of all terms can bring it. */
    sum = plx_bf16_of(all + 3.0 * 0x1p-8 * size);
    assert_int_equal(judged(&problem, operands, 2, result, NULL).outcome, PLX_OUTCOME_WRONG);
    assert_int_equal(judged(&problem, operands, 2, result, &parts).outcome, PLX_OUTCOME_OK);
    sum = plx_bf16_of(all + 6.0 * 0x1p-8 * size);
    assert_int_equal(judged(&problem, operands, 2, result, &parts).outcome, PLX_OUTCOME_WRONG);
}

/* Where all terms are zeros, the first of them may begin the sum. */
static void test_zeros(void **state)
{
    float terms[] = {-0.0F, -0.0F}, sum = -0.0F, moved[] = {-0.0F, 0.0F};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 2), move = plx_transpose_of(PLX_F32, 1, 2);
    const plx_strided x = {PLX_F32, 1, {2}, {1}, terms};
    (void)state;
    assert_int_equal(judged(&problem, &x, 1, (plx_strided){.dtype = PLX_F32, .data = &sum}, NULL).outcome,
                     PLX_OUTCOME_OK);
    sum = 0.0F;
    assert_int_equal(judged(&problem, &x, 1, (plx_strided){.dtype = PLX_F32, .data = &sum}, NULL).outcome,
                     PLX_OUTCOME_OK);
    const plx_strided row = matrix(PLX_F32, terms, 1, 2);
    assert_int_equal(judged(&move, &row, 1, matrix(PLX_F32, moved, 2, 1), NULL).outcome, PLX_OUTCOME_WRONG);
}

/* f16 that stops at its largest number instead of infinity. */
static void test_saturated(void **state)
{
    uint16_t x[2] = {plx_f16_of(60000.0), plx_f16_of(60000.0)}, sum = plx_f16_of(65504.0);
    const plx_problem problem = plx_reduce_of(PLX_F16, PLX_SUM, 2);
    const plx_strided operand = {PLX_F16, 1, {2}, {1}, x}, result = {.dtype = PLX_F16, .data = &sum};
    (void)state;
    assert_int_equal(judged(&problem, &operand, 1, result, NULL).outcome, PLX_OUTCOME_WRONG);
    sum = plx_f16_of(INFINITY);
    assert_int_equal(judged(&problem, &operand, 1, result, NULL).outcome, PLX_OUTCOME_OK);
}

/* No bound holds where f16 sums may overflow. */
static void test_range(void **state)
{
    float x[2] = {60000.0F, -60000.0F}, sum = 0.0F;
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 2);
    const plx_strided operand = {PLX_F32, 1, {2}, {1}, x}, result = {.dtype = PLX_F32, .data = &sum};
    const plx_promise half = promise_of("accumulator", "f16");
    (void)state;
    const plx_verdict verdict = judged(&problem, &operand, 1, result, &half);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_NOT_JUDGED);
    assert_non_null(strstr(verdict.reason, "f16"));
}

/* Sixteenths: nothing rounds, so each element has one right value. */
static void test_exact(void **state)
{
    const plx_problem problem = product(1.0, 0.0), scaled = product(-0.5, 2.0), third = product(1.0 / 3.0, 0.0);
    const plx_strided operands[] = {matrix(PLX_F32, a, M, K), matrix(PLX_F32, b, K, N), matrix(PLX_F32, old, M, N)};
    const plx_promise half = promise_of("accumulator", "f16");
    static float result[M * N];
    (void)state;
    for (int i = 0; i < M * K; ++i)
        a[i] = (float)(int)(plx_random(1, 8, (uint64_t)i) % 33) / 16.0F - 1.0F;
    for (int i = 0; i < K * N; ++i)
        b[i] = 4096.0F * ((float)(int)(plx_random(2, 8, (uint64_t)i) % 33) - 16.0F);
    for (int i = 0; i < M * N; ++i) {
        c[i] = (float)rounded_sum(PLX_F64, i / N, i % N, 0, K);
        old[i] = 256.0F * (float)i;
        result[i] = -0.5F * c[i] + 2.0F * old[i];
    }
    plx_verdict verdict = judged(&problem, operands, 2, matrix(PLX_F32, c, M, N), NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_OK && verdict.error.bound == PLX_BOUND_EXACT);
    verdict = judged(&scaled, operands, 3, matrix(PLX_F32, result, M, N), NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_OK && verdict.error.bound == PLX_BOUND_EXACT);
    /* A third is no such number, and f16 holds no such sums. */
    for (int i = 0; i < M * N; ++i)
        result[i] = (float)(1.0 / 3.0) * c[i];
    assert_int_equal(judged(&third, operands, 2, matrix(PLX_F32, result, M, N), NULL).error.bound,
                     PLX_BOUND_DETERMINISTIC);
    assert_int_equal(judged(&problem, operands, 2, matrix(PLX_F32, c, M, N), &half).error.bound,
                     PLX_BOUND_DETERMINISTIC);
    c[11] = nextafterf(c[11], 1e9F);
    verdict = judged(&problem, operands, 2, matrix(PLX_F32, c, M, N), NULL);
    assert_true(verdict.outcome == PLX_OUTCOME_WRONG && verdict.error.first_bad == 11 && verdict.error.wrong == 1);
    /* One element with one digit more, and sums may round. */
    a[3] += 0x1p-20F;
    assert_int_equal(judged(&problem, operands, 2, matrix(PLX_F32, c, M, N), NULL).error.bound,
                     PLX_BOUND_DETERMINISTIC);
}

static float to_tf32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= UINT32_C(0xffffe000);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Within the bound all, but not alike. */
static void test_likeness(void **state)
{
    enum { ROWS = 8, COLS = 8, TERMS = 8192 };
    static float x[ROWS * TERMS], y[TERMS * COLS], z[ROWS * COLS];
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, ROWS, COLS, TERMS);
    plx_problem as_tf32 = problem;
    const plx_strided operands[] = {matrix(PLX_F32, x, ROWS, TERMS), matrix(PLX_F32, y, TERMS, COLS)},
                      result = matrix(PLX_F32, z, ROWS, COLS);
    plx_promise typical = {.typical = true};
    (void)state;
    as_tf32.compute = PLX_COMPUTE_TF32;
    for (int i = 0; i < ROWS * TERMS; ++i) {
        x[i] = drawn(11, (uint64_t)i);
        y[i] = drawn(12, (uint64_t)i);
    }
    for (int how = 0; how < 4; ++how) {
        for (int i = 0; i < ROWS * COLS; ++i) {
            double sum = 0.0;
            for (int l = 0; l < TERMS; ++l) {
                const float p = x[i / COLS * TERMS + l], q = y[l * COLS + i % COLS];
                const double term = how == 1 ? (double)to_tf32(p) * (double)to_tf32(q)
                                    : how == 2
                                        ? plx_rounded_to(PLX_BF16, (double)p) * plx_rounded_to(PLX_BF16, (double)q)
                                        : (double)p * (double)q;
                sum += term;
                sum = how == 0 ? (double)(float)sum : sum;
            }
            z[i] = how == 3 ? (float)(sum + 0.02 * (double)drawn(13, (uint64_t)i)) : (float)sum;
        }
        const plx_verdict plain = judged(&problem, operands, 2, result, NULL),
                          strict = judged(&problem, operands, 2, result, &typical),
                          asked = judged(&as_tf32, operands, 2, result, &typical);
        static const plx_like likes[] = {PLX_LIKE_OWN, PLX_LIKE_ROUNDED, PLX_LIKE_ROUNDED, PLX_LIKE_ROUGHER};
        assert_int_equal(plain.outcome, PLX_OUTCOME_OK);
        assert_int_equal(plain.likeness.like, likes[how]);
        assert_int_equal(strict.outcome, how == 0 ? PLX_OUTCOME_OK : PLX_OUTCOME_WRONG);
        assert_true((asked.likeness.like == PLX_LIKE_FINER) == (how == 0));
        assert_int_equal(asked.outcome, how == 2 ? PLX_OUTCOME_WRONG : PLX_OUTCOME_OK);
        if (how == 1 || how == 2) {
            assert_int_equal(plain.likeness.model, how == 1 ? PLX_MODEL_TF32_CUT : PLX_MODEL_BF16);
            assert_true(plain.likeness.explained[plain.likeness.model] > 0.99);
            assert_non_null(strstr(strict.reason, how == 1 ? "like tf32, cut off" : "like bf16"));
        }
    }
}

/* Fewer than 32 elements, and what is not rounded, tell nothing. */
static void test_no_likeness(void **state)
{
    float x[2] = {0.1F, 0.2F}, sum = 0.3F, turned[2] = {0.1F, 0.2F};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 2), move = plx_transpose_of(PLX_F32, 1, 2);
    const plx_strided operand = {PLX_F32, 1, {2}, {1}, x}, row = matrix(PLX_F32, x, 1, 2);
    (void)state;
    const plx_verdict verdict = judged(&problem, &operand, 1, (plx_strided){.dtype = PLX_F32, .data = &sum}, NULL);
    assert_true(verdict.likeness.measured && verdict.likeness.like == PLX_LIKE_UNKNOWN);
    assert_non_null(strstr(verdict.likeness.text, "can't tell: fewer than 32 elements"));
    assert_false(judged(&move, &row, 1, matrix(PLX_F32, turned, 2, 1), NULL).likeness.measured);
}

/* ---- what is refused -------------------------------------------------------------------------- */

static void refuses(const char *word, const plx_problem *problem, const plx_strided *operands, size_t count,
                    plx_strided result, const plx_promise *promise)
{
    plx_verdict verdict = {.outcome = PLX_OUTCOME_COUNT};
    plx_error error = {.text = ""};
    assert_int_equal(plx_judge_result(problem, operands, count, &result, promise, &verdict, &error), PLX_INVALID);
    if (strstr(error.text, word) == NULL)
        fail_msg("no \"%s\" in: %s", word, error.text);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_COUNT);
}

static void test_refusals(void **state)
{
    const plx_problem problem = product(1.0, 0.0), added = product(1.0, 1.0), unread = product((double)NAN, 0.0),
                      endless = product(1e300, 0.0), move = plx_transpose_of(PLX_F32, M, K);
    plx_problem none = problem, negative = problem;
    const plx_strided right[] = {matrix(PLX_F32, a, M, K), matrix(PLX_F32, b, K, N)},
                      turned[] = {matrix(PLX_F32, a, K, M), matrix(PLX_F32, b, K, N)},
                      wide[] = {matrix(PLX_F64, a, M, K), matrix(PLX_F32, b, K, N)},
                      gone[] = {matrix(PLX_F32, NULL, M, K), matrix(PLX_F32, b, K, N)},
                      cube[] = {{PLX_F32, 3, {2, M, K}, {0, K, 1}, a}, matrix(PLX_F32, b, K, N)};
    const plx_strided result = matrix(PLX_F32, c, M, N);
    const plx_promise half = promise_of("accumulator", "f16"), parts = promise_of("narrow-parts", "2"),
                      deep = {.sums = PLX_SUMS_DEPTH}, odd = {.sums = (plx_sums)9},
                      sequential = promise_of("sums", "sequential");
    (void)state;
    none.op = (plx_op)77;
    negative.of.gemm.m = -1;
    refuses("no operation", &none, right, 2, result, NULL);
    refuses("negative", &negative, right, 2, result, NULL);
    refuses("reads 2 operands", &problem, right, 1, result, NULL);
    refuses("because beta is not 0", &added, right, 2, result, NULL);
    refuses("alpha is no number", &unread, right, 2, result, NULL);
    refuses("alpha is infinite", &endless, right, 2, result, NULL);
    refuses("A has 300 x 5 elements", &problem, turned, 2, result, NULL);
    refuses("A is f64", &problem, wide, 2, result, NULL);
    refuses("A has no data", &problem, gone, 2, result, NULL);
    refuses("3 dimensions", &problem, cube, 2, result, NULL);
    refuses("the result has 7 x 5", &problem, right, 2, matrix(PLX_F32, c, N, M), NULL);
    refuses("the result is f16", &problem, right, 2, matrix(PLX_F16, c, M, N), NULL);
    refuses("no narrower than its sums", &problem, right, 2, result, &parts);
    refuses("depth", &problem, right, 2, result, &deep);
    refuses("sums", &problem, right, 2, result, &odd);
    refuses("nothing to promise", &move, right, 1, matrix(PLX_F32, c, K, M), &sequential);
    const plx_problem f64 = plx_reduce_of(PLX_F64, PLX_SUM, 1);
    const plx_strided one = {.dtype = PLX_F64, .data = a};
    refuses("sums of f64 are kept in f64", &f64, &one, 1, one, &half);
}

/* Each product of a batch by its own operands; an operand that all share comes once.  Broken once: with the first
 * product's operands for all the second result is wrong. */
static void test_batch(void **state)
{
    enum { COUNT = 3, ROWS = 4, COLS = 5, TERMS = 6 };
    static float many[COUNT][ROWS][TERMS], shared[TERMS][COLS], results[COUNT][ROWS][COLS];
    const plx_problem one = plx_gemm_of(PLX_F32, false, false, ROWS, COLS, TERMS);
    plx_problem problem = plx_batch_of(&one, COUNT);
    problem.batch.stride[1] = 0;
    (void)state;
    for (int p = 0; p < COUNT; p++)
        for (int i = 0; i < ROWS * TERMS; i++)
            many[p][i / TERMS][i % TERMS] = (float)(i * 7 % 11 + p) * 0.37F;
    for (int i = 0; i < TERMS * COLS; i++)
        shared[i / COLS][i % COLS] = (float)(i * 5 % 13) * 0.11F;
    for (int p = 0; p < COUNT; p++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++)
                for (int k = 0; k < TERMS; k++)
                    results[p][i][j] += many[p][i][k] * shared[k][j];
    const plx_strided operands[] = {{PLX_F32, 3, {COUNT, ROWS, TERMS}, {ROWS * TERMS, TERMS, 1}, many},
                                    {PLX_F32, 2, {TERMS, COLS}, {COLS, 1}, shared}};
    const plx_strided result = {PLX_F32, 3, {COUNT, ROWS, COLS}, {ROWS * COLS, COLS, 1}, results};
    const plx_strided fewer = {PLX_F32, 3, {COUNT - 1, ROWS, COLS}, {ROWS * COLS, COLS, 1}, results};
    plx_verdict verdict = judged(&problem, operands, 2, result, NULL);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_OK);
    assert_int_equal(verdict.error.compared, COUNT * ROWS * COLS);
    refuses("has 2 in its first dimension, and the batch is of 3", &problem, operands, 2, fewer, NULL);
    results[1][2][3] *= 1.001F;
    verdict = judged(&problem, operands, 2, result, NULL);
    assert_int_equal(verdict.outcome, PLX_OUTCOME_WRONG);
    assert_int_equal(verdict.error.wrong, 1);
    assert_non_null(strstr(verdict.reason, "C[1][2][3]"));
}

/* Sums of no terms: operands without an element, with a dimension for the batch or, as if they were shared, without.
 * Broken once: with what lies at no distance taken as shared, the first form has a dimension too many. */
static void test_batch_of_nothing(void **state)
{
    enum { COUNT = 2, ROWS = 4, COLS = 5 };
    static float results[COUNT][ROWS][COLS];
    const plx_problem one = plx_gemm_of(PLX_F32, false, false, ROWS, COLS, 0), problem = plx_batch_of(&one, COUNT);
    const plx_strided many[] = {{PLX_F32, 3, {COUNT, ROWS, 0}, {0, 0, 1}, NULL},
                                {PLX_F32, 3, {COUNT, 0, COLS}, {0, COLS, 1}, NULL}};
    const plx_strided shared[] = {matrix(PLX_F32, NULL, ROWS, 0), matrix(PLX_F32, NULL, 0, COLS)};
    const plx_strided other[] = {{PLX_F32, 3, {COUNT + 1, ROWS, 0}, {0, 0, 1}, NULL}, shared[1]};
    const plx_strided result = {PLX_F32, 3, {COUNT, ROWS, COLS}, {ROWS * COLS, COLS, 1}, results};
    (void)state;
    assert_int_equal(judged(&problem, many, 2, result, NULL).outcome, PLX_OUTCOME_OK);
    assert_int_equal(judged(&problem, shared, 2, result, NULL).outcome, PLX_OUTCOME_OK);
    refuses("3 dimensions", &problem, other, 2, result, NULL);
    results[1][3][4] = 1;
    assert_int_equal(judged(&problem, many, 2, result, NULL).outcome, PLX_OUTCOME_WRONG);
}

/* Products that are too large to be recomputed: Freivalds' test finds the one that is off, in whichever problem. */
static void test_large_batch(void **state)
{
    enum { COUNT = 3, SIDE = 64 };
    static float first[COUNT][SIDE][SIDE], second[COUNT][SIDE][SIDE], results[COUNT][SIDE][SIDE];
    const plx_problem one = plx_gemm_of(PLX_F32, false, false, SIDE, SIDE, SIDE), problem = plx_batch_of(&one, COUNT);
    const double limit = plx_reference_limit;
    (void)state;
    for (int i = 0; i < COUNT * SIDE * SIDE; i++) {
        (&first[0][0][0])[i] = (float)(i * 7 % 61 - 30) * 0.03F;
        (&second[0][0][0])[i] = (float)(i * 5 % 53 - 26) * 0.05F;
    }
    for (int p = 0; p < COUNT; p++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                for (int k = 0; k < SIDE; k++)
                    results[p][i][j] += first[p][i][k] * second[p][k][j];
    const plx_strided operands[] = {{PLX_F32, 3, {COUNT, SIDE, SIDE}, {SIDE * SIDE, SIDE, 1}, first},
                                    {PLX_F32, 3, {COUNT, SIDE, SIDE}, {SIDE * SIDE, SIDE, 1}, second}};
    const plx_strided result = {PLX_F32, 3, {COUNT, SIDE, SIDE}, {SIDE * SIDE, SIDE, 1}, results};
    plx_reference_limit = 1000;
    assert_int_equal(judged(&problem, operands, 2, result, NULL).outcome, PLX_OUTCOME_OK);
    for (int p = 0; p < COUNT; p++) {
        const float kept = results[p][35][41];
        results[p][35][41] += 1;
        const plx_verdict verdict = judged(&problem, operands, 2, result, NULL);
        assert_int_equal(verdict.outcome, PLX_OUTCOME_WRONG);
        char where[40];
        (void)snprintf(where, sizeof where, "C[%d][35][41]", p);
        assert_non_null(strstr(verdict.reason, where));
        results[p][35][41] = kept;
    }
    plx_reference_limit = limit;
}

static void test_words(void **state)
{
    plx_promise promise = {.sums = PLX_SUMS_ANY};
    plx_error error = {.text = ""};
    static const char *const bad[][2] = {{"sums", "0"},
                                         {"sums", "-1"},
                                         {"sums", "x"},
                                         {"sums", NULL},
                                         {"sums", "99999999999999999999"},
                                         {"accumulator", "i32"},
                                         {"accumulator", ""},
                                         {"narrow-parts", "0"},
                                         {"narrow-parts", "1e3"},
                                         {"other", "1"}};
    char text[200];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        assert_int_equal(plx_promise_set(&promise, bad[i][0], bad[i][1], &error), PLX_INVALID);
    assert_int_equal(plx_promise_set(&promise, "sums", "12", &error), PLX_OK);
    assert_int_equal(promise.depth, 12);
    assert_int_equal(plx_promise_set(&promise, "sums", "any", &error), PLX_OK);
    assert_int_equal(promise.depth, 0);
    const plx_problem problem = plx_matvec_of(PLX_F16, false, 3, 3);
    plx_promise_text(&problem, &promise, text, sizeof text);
    assert_string_equal(text, "sums in any order, kept in f32, in matrix units or not");
    assert_string_equal(plx_sums_name(PLX_SUMS_PAIRWISE), "pairwise");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_and_wrong),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_narrow_parts),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_saturated),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_batch_of_nothing),
        cmocka_unit_test(test_large_batch),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_likeness),
        cmocka_unit_test(test_no_likeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
