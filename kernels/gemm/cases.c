/* What is tried of gemm, in its four ways: sizes at which tiles end in each dimension, and precision. */
#include "kernels/cases.h"
#include "kernels/operation.h"

static void gemm_shape(plx_case_maker *m, int way, int64_t rows, int64_t cols, int64_t depth, plx_input input)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, rows, cols, depth);
    problem.of.gemm.lda += plx_case_padding(m, 0);
    problem.of.gemm.ldb += plx_case_padding(m, 1);
    problem.of.gemm.ldc += plx_case_padding(m, 2);
    plx_case_scalars(m, input, &problem.of.gemm.alpha, &problem.of.gemm.beta);
    plx_case_add(m, &problem, input);
}

static void gemm_precision(plx_case_maker *m, int way, int64_t k)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 66, 70, k);
    plx_case_add_precise(m, &problem);
}

/* One term each, and what without terms becomes of C: k is 0, or alpha. */
static void gemm_zeros(plx_case_maker *m, int way)
{
    for (int64_t k = 0; k <= 2; ++k) {
        plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 66, 70, k);
        problem.of.gemm.alpha = k == 2 ? 0.0 : 1.0;
        problem.of.gemm.beta = k == 1 ? 0.0 : 1.0;
        plx_case_add_zeros(m, &problem);
    }
}

/* C is a row or a column: where it and the vector have no gaps, the matrix alone is padded. */
static void gemm_vector(plx_case_maker *m, int way, const int64_t *shape, bool gaps)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, shape[0], shape[1], shape[2]);
    const plx_input input = plx_case_input(m);
    *(shape[1] == 1 ? &problem.of.gemm.lda : &problem.of.gemm.ldb) += plx_case_padding(m, 0);
    if (gaps) {
        *(shape[1] == 1 ? &problem.of.gemm.ldb : &problem.of.gemm.lda) += 3;
        problem.of.gemm.ldc += 5;
    }
    plx_case_scalars(m, input, &problem.of.gemm.alpha, &problem.of.gemm.beta);
    if (gaps) /* a result that is moved is added there */
        problem.of.gemm.beta = 2.0;
    plx_case_add(m, &problem, input);
}

static void gemm_vectors(plx_case_maker *m, int way)
{
    static const int64_t shapes[][3] = {{1, 301, 77}, {301, 1, 77}, {1, 9, 40003}, {9, 1, 40003}, {1, 5, 0}, {5, 1, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        gemm_vector(m, way, shapes[i], false);
        gemm_vector(m, way, shapes[i], true);
    }
}

static void gemm_busily(plx_case_maker *m, int way)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 129, 130, 257);
    plx_case_add_busy(m, &problem);
}

/* Sizes past whole tiles and with a few parts of k: for tiles, and for few rows or columns. */
static void gemm_configs(plx_case_maker *m, int way)
{
    plx_problem problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 130, 261, 227);
    problem.of.gemm.alpha = 1.5;
    problem.of.gemm.beta = -0.75;
    plx_case_add_configs(m, &problem);
    problem =
        plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, way % 2 == 0 ? 7 : 261, way % 2 == 0 ? 261 : 7, 1030);
    problem.of.gemm.ldc += 3;
    plx_case_add_configs(m, &problem);
    problem = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, 70, 300, 33); /* rows of C between sectors */
    plx_case_add_configs(m, &problem);
}

/* Each row and problem begins at a multiple of 16 bytes, as some kernels want of a batch that they take in one launch:
 * with one A or B for all, or with each C where it likes. */
static plx_problem gemm_batch(const plx_case_maker *m, int way, int64_t count, int64_t rows, int64_t cols,
                              int64_t depth)
{
    const plx_problem one = plx_gemm_of(m->dtype, (way & 1) != 0, (way & 2) != 0, rows, cols, depth);
    plx_problem batch = plx_batch_of(&one, count);
    if (way == 0 || way == 3)
        batch.batch.stride[way == 0 ? 0 : 1] = 0;
    if (way == 2)
        batch.batch.stride[2] = rows * cols + 2;
    batch.of.gemm.beta = way / 2;
    return batch;
}

/* Several tiles of each problem, in all configurations, and more problems than multiprocessors. */
static void gemm_batches(plx_case_maker *m, int way)
{
    plx_problem batch = gemm_batch(m, way, 3, 136, 264, 72);
    plx_case_add_configs(m, &batch);
    plx_case_add(m, &batch, PLX_INPUT_INTEGER);
    if (m->effort == PLX_QUICK)
        return;
    batch = gemm_batch(m, way, 150, 40, 72, 24);
    plx_case_add(m, &batch, PLX_INPUT_INTEGER);
}

/* The largest dimension shrinks until the product is affordable. */
static void gemm_sizes(plx_case_maker *m, int way, size_t i, size_t j, size_t k, double limit)
{
    while ((double)plx_case_sizes[i] * (double)plx_case_sizes[j] * (double)plx_case_sizes[k] > limit) {
        size_t *largest = i >= j && i >= k ? &i : j >= k ? &j : &k;
        --*largest;
    }
    gemm_shape(m, way, plx_case_sizes[i], plx_case_sizes[j], plx_case_sizes[k], plx_case_input(m));
}

/* Every class of input; where results have two types, which take turns, for both of them. */
static void gemm_inputs(plx_case_maker *m, int way)
{
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        for (int times = plx_is_half(m->dtype) ? 2 : 1; times > 0; --times)
            gemm_shape(m, way, 67, 70, 37, (plx_input)input);
}

static void gemm_quick(plx_case_maker *m)
{
    static const int64_t quick[][3] = {{0, 5, 3},    {5, 0, 3},      {4, 3, 0},      {1, 1, 1},     {2, 3, 1},
                                       {7, 8, 15},   {16, 17, 16},   {31, 33, 32},   {33, 31, 65},  {64, 64, 64},
                                       {65, 63, 17}, {127, 129, 33}, {128, 128, 64}, {129, 257, 9}, {1, 300, 40},
                                       {300, 1, 40}, {1, 1, 513},    {255, 130, 70}};
    /* A device that compiles for each way of transposing has three of them to do. */
    int first = m->dtype == PLX_F32 ? 0 : 2, second = m->dtype == PLX_F32 ? 3 : 2;
    static const int64_t column[] = {301, 1, 77};

    for (int way = first;; way = second) {
        gemm_busily(m, way);
        gemm_zeros(m, way);
        gemm_vectors(m, way);
        gemm_configs(m, way);
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            gemm_shape(m, way, quick[i][0], quick[i][1], quick[i][2], plx_case_input(m));
        gemm_inputs(m, way);
        for (size_t i = 0; i < PLX_CASE_TERMS; ++i)
            gemm_precision(m, way, plx_case_terms[i]);
        if (way == second)
            break;
    }
    gemm_vector(m, 0, column, true); /* both its vectors have gaps */
    gemm_batches(m, first);
    if (second != first)
        gemm_batches(m, second);
}

static void make(plx_case_maker *m)
{
    double limit = m->effort == PLX_FULL ? 3e8 : 8e6;
    const int64_t past_grid = 65535 * 16 + 1;

    if (m->effort == PLX_QUICK) {
        gemm_quick(m);
        return;
    }
    for (int way = 0; way < 4; ++way) {
        gemm_busily(m, way);
        gemm_zeros(m, way);
        gemm_vectors(m, way);
        gemm_configs(m, way);
        for (size_t i = 0; i < PLX_CASE_TERMS; ++i)
            gemm_precision(m, way, plx_case_terms[i]);
        for (int input = 0; input < PLX_INPUT_COUNT; ++input)
            for (int times = input == PLX_INPUT_SPECIAL ? 4 : 1; times > 0; --times)
                gemm_shape(m, way, 67, 70, 37, (plx_input)input);
        for (size_t i = 0; i < PLX_CASE_SIZES; ++i)
            for (size_t step = 0; step < (m->effort == PLX_FULL ? 6u : 1u); ++step)
                gemm_sizes(m, way, (i * 7 + step * 13 + (size_t)way) % PLX_CASE_SIZES,
                           (i * 11 + 5 + step * 3) % PLX_CASE_SIZES, (i + step * 5) % PLX_CASE_SIZES, limit);
    }
    gemm_shape(m, 0, past_grid, 1, 1, PLX_INPUT_INTEGER);
    gemm_shape(m, 0, 1, past_grid, 1, PLX_INPUT_INTEGER);
    gemm_shape(m, 3, 2, 3, 100003, PLX_INPUT_UNIFORM);
    for (int way = 0; way < 4; ++way)
        gemm_batches(m, way);
}

static void make_large(plx_case_maker *m)
{
    plx_problem problem = plx_gemm_of(m->dtype, false, false, 46337, 46351, 3); /* 2^31 elements of C */
    plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
    problem = plx_gemm_of(m->dtype, false, true, 8193, 8191, 8209); /* for Freivalds' test */
    plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
    plx_case_add_large(m, &problem, PLX_INPUT_INTEGER);
}

/* One way in f32, and every other step f64. */
static bool shows(size_t step, const plx_problem *problem)
{
    return problem->dtype == PLX_F32 ? problem->of.gemm.trans_a == (step % 2 == 1) : step % 2 == 1;
}

const plx_op_cases plx_gemm_cases = {
    .make = make,
    .make_large = make_large,
    .weight = 8,
    .shows = shows,
};
