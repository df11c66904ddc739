/* What is tried of transpose: every pair of sizes at which tiles and grids end. */
#include "kernels/cases.h"

static void transpose_shape(plx_case_maker *m, int64_t rows, int64_t cols, plx_input input)
{
    plx_problem problem = plx_transpose_of(m->dtype, rows, cols);
    problem.of.transpose.ld_in += plx_case_padding(m, 0);
    problem.of.transpose.ld_out += m->turn % 2 == 0 ? 0 : plx_case_padding(m, 1); /* copies have no place for padding */
    plx_case_add(m, &problem, input);
}

static void make(plx_case_maker *m)
{
    static const int64_t quick[][2] = {{0, 5},   {1, 1},   {1, 300}, {300, 1},  {7, 8},     {31, 33},  {32, 32},
                                       {33, 31}, {64, 64}, {63, 65}, {65, 129}, {128, 130}, {3, 1025}, {257, 255}};
    const int64_t past_grid = 65535 * 32 + 1;
    plx_problem busy = plx_transpose_of(m->dtype, 257, 255);

    plx_case_add_busy(m, &busy);
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        transpose_shape(m, 67, 131, (plx_input)input);
    if (m->effort == PLX_QUICK) {
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            transpose_shape(m, quick[i][0], quick[i][1], plx_case_input(m));
        return;
    }
    for (size_t i = 0; i < PLX_CASE_SIZES; ++i)
        for (size_t step = 0; step < (m->effort == PLX_FULL ? (size_t)PLX_CASE_SIZES : 3); ++step)
            transpose_shape(m, plx_case_sizes[i], plx_case_sizes[(i * 5 + 3 + step * 11) % PLX_CASE_SIZES],
                            plx_case_input(m));
    transpose_shape(m, past_grid, 1, PLX_INPUT_INTEGER);
    transpose_shape(m, 1, past_grid, PLX_INPUT_INTEGER);
    transpose_shape(m, 2 * past_grid, 2, PLX_INPUT_UNIFORM);
}

static void make_large(plx_case_maker *m)
{
    plx_problem problem = plx_transpose_of(m->dtype, 46337, 46351); /* more than 2^31 elements */
    if (plx_dtype_size(m->dtype) <= 4)
        plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
}

/* f32, and one dtype of another size. */
static bool shows(size_t step, const plx_problem *problem)
{
    static const plx_dtype others[] = {PLX_I8, PLX_I16, PLX_F64, PLX_C128};
    return problem->dtype == PLX_F32 || problem->dtype == others[step % (sizeof others / sizeof others[0])];
}

const plx_op_cases plx_transpose_cases = {
    .make = make,
    .make_large = make_large,
    .weight = 3,
    .shows = shows,
};
