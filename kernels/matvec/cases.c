/* What is tried of matvec, both ways: sizes at which blocks and grids end, and precision. */
#include "kernels/cases.h"

static void matvec_shape(plx_case_maker *m, bool trans, int64_t rows, int64_t cols, plx_input input)
{
    plx_problem problem = plx_matvec_of(m->dtype, trans, rows, cols);
    problem.of.matvec.lda += plx_case_padding(m, 0);
    plx_case_scalars(m, input, &problem.of.matvec.alpha, &problem.of.matvec.beta);
    plx_case_add(m, &problem, input);
}

static void matvec_precision(plx_case_maker *m, bool trans, int64_t k)
{
    plx_problem problem = plx_matvec_of(m->dtype, trans, trans ? k : 130, trans ? 130 : k);
    plx_case_add_precise(m, &problem);
}

/* One term each, and what without terms becomes of y. */
static void matvec_zeros(plx_case_maker *m, bool trans)
{
    plx_problem one = plx_matvec_of(m->dtype, trans, trans ? 1 : 130, trans ? 130 : 1);
    plx_problem none = plx_matvec_of(m->dtype, trans, 67, 131);

    plx_case_add_zeros(m, &one);
    none.of.matvec.alpha = 0.0;
    none.of.matvec.beta = 1.0;
    plx_case_add_zeros(m, &none);
}

static void make_one_way(plx_case_maker *m, bool trans)
{
    static const int64_t quick[][2] = {{0, 5},    {5, 0},    {1, 1},    {1, 1000},  {1000, 1},
                                       {31, 33},  {32, 64},  {65, 65},  {64, 32},   {129, 65},
                                       {33, 513}, {513, 33}, {8, 2049}, {2049, 17}, {255, 257}};
    const int64_t past_grid = 65535 * 32 + 1;
    plx_problem busy = plx_matvec_of(m->dtype, trans, 257, 2049);

    plx_case_add_busy(m, &busy);
    matvec_zeros(m, trans);
    for (size_t i = 0; i < PLX_CASE_TERMS; ++i)
        matvec_precision(m, trans, plx_case_terms[i]);
    for (int input = 0; input < PLX_INPUT_COUNT; ++input)
        for (int times = input == PLX_INPUT_SPECIAL ? 4 : 1; times > 0; --times)
            matvec_shape(m, trans, 67, 131, (plx_input)input);
    if (m->effort == PLX_QUICK) {
        for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
            matvec_shape(m, trans, quick[i][0], quick[i][1], plx_case_input(m));
        return;
    }
    for (size_t i = 0; i < PLX_CASE_SIZES; ++i)
        for (size_t step = 0; step < (m->effort == PLX_FULL ? (size_t)PLX_CASE_SIZES : 3); ++step)
            matvec_shape(m, trans, plx_case_sizes[i], plx_case_sizes[(i * 5 + 3 + step * 11) % PLX_CASE_SIZES],
                         plx_case_input(m));
    matvec_shape(m, trans, past_grid, 1, PLX_INPUT_INTEGER);
    matvec_shape(m, trans, 1, past_grid, PLX_INPUT_INTEGER);
    matvec_shape(m, trans, 3, 1000003, PLX_INPUT_UNIFORM);
}

/* Short rows without gaps, begun anywhere, and enough of them that large devices take them as one stream. */
static void matvec_stream(plx_case_maker *m)
{
    plx_problem problem = plx_matvec_of(m->dtype, false, 80001, m->dtype == PLX_F64 ? 11 : 21);
    const plx_input input = plx_case_input(m);
    plx_case_scalars(m, input, &problem.of.matvec.alpha, &problem.of.matvec.beta);
    plx_case_add(m, &problem, input);
}

static void make(plx_case_maker *m)
{
    make_one_way(m, false);
    make_one_way(m, true);
    matvec_stream(m);
}

static void make_large(plx_case_maker *m)
{
    plx_problem problem = plx_matvec_of(m->dtype, m->turn % 2 == 1, 46337, 46351);
    plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
}

/* One way in f32, the other in f64. */
static bool shows(size_t step, const plx_problem *problem)
{
    return problem->of.matvec.trans == ((step % 2 == 1) == (problem->dtype == PLX_F32));
}

const plx_op_cases plx_matvec_cases = {
    .make = make,
    .make_large = make_large,
    .weight = 3,
    .shows = shows,
};
