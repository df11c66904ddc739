/* What is tried of reduce: every length at which threads, blocks and grids end. */
#include "kernels/cases.h"

static void reduce_length(plx_case_maker *m, plx_reduction reduction, int64_t n, plx_input input)
{
    plx_problem problem = plx_reduce_of(m->dtype, reduction, n);
    plx_case_add(m, &problem, input);
}

/* Two seeds reach both halves of EXTREME, four every kind of SPECIAL. */
static void reduce_classes(plx_case_maker *m, plx_reduction reduction, int64_t n)
{
    for (int input = 0; input < PLX_INPUT_COUNT; ++input) {
        int times = input == PLX_INPUT_SPECIAL ? 4 : input == PLX_INPUT_EXTREME ? 2 : 1;
        for (int i = 0; i < times; ++i)
            reduce_length(m, reduction, n, (plx_input)input);
    }
}

/* f32 sees every reduction, each other dtype one of them. */
static bool quick_reduction(plx_dtype dtype, plx_reduction reduction)
{
    if (dtype == PLX_I32)
        return reduction == PLX_SUM;
    return dtype == PLX_F32 || reduction == (dtype == PLX_F64 ? PLX_MIN : PLX_MAX);
}

static void reduce_busily(plx_case_maker *m, plx_reduction reduction)
{
    plx_problem problem = plx_reduce_of(m->dtype, reduction, 70001);
    plx_case_add_busy(m, &problem);
}

/* Nothing but -0: one term, one of each thread of a block, and some more. */
static void reduce_zeros(plx_case_maker *m)
{
    static const int64_t lengths[] = {1, 1024, 2083};

    for (size_t i = 0; plx_case_floating(m) && i < sizeof lengths / sizeof lengths[0]; ++i) {
        plx_problem problem = plx_reduce_of(m->dtype, PLX_SUM, lengths[i]);
        plx_case_add_zeros(m, &problem);
    }
}

/* Minima and maxima of zeros, for each of which -0 is less than +0: of -0 alone, and of zeros of one sign but for one
 * that stands where threads, blocks and tails begin or end. */
static void reduce_signs(plx_case_maker *m, plx_reduction reduction)
{
    static const int64_t lengths[] = {1, 2, 1024, 2083};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        plx_problem problem = plx_reduce_of(m->dtype, reduction, lengths[i]);
        plx_case_add_zeros(m, &problem);
        for (uint64_t place = 0; lengths[i] > 1 && place < 3; ++place) {
            plx_case_add_odd_zero(m, &problem, false, place);
            plx_case_add_odd_zero(m, &problem, true, place);
        }
    }
}

static void make(plx_case_maker *m)
{
    static const int64_t quick[] = {0, 1, 2, 33, 255, 1024, 1025, 4097, 65539};
    static const int64_t longer[] = {4097, 16384, 65535, 65537, 262143, 1000003, (1 << 22) + 1, (1 << 24) + 3};

    reduce_zeros(m);
    for (int r = 0; r < PLX_REDUCTION_COUNT; ++r) {
        if (m->effort == PLX_QUICK && !quick_reduction(m->dtype, (plx_reduction)r))
            continue;
        reduce_busily(m, (plx_reduction)r);
        reduce_classes(m, (plx_reduction)r, m->effort == PLX_QUICK ? 2083 : 70001);
        if (m->effort == PLX_QUICK) {
            for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
                reduce_length(m, (plx_reduction)r, quick[i], plx_case_input(m));
            continue;
        }
        for (size_t i = 0; i < PLX_CASE_SIZES; ++i)
            reduce_length(m, (plx_reduction)r, plx_case_sizes[i], plx_case_input(m));
        for (size_t i = 0; i < sizeof longer / sizeof longer[0]; ++i)
            reduce_length(m, (plx_reduction)r, longer[i], plx_case_input(m));
        for (size_t i = 0; m->effort == PLX_FULL && i < PLX_CASE_SIZES; ++i)
            reduce_classes(m, (plx_reduction)r, plx_case_sizes[i]);
    }
    if (plx_case_floating(m)) {
        reduce_signs(m, PLX_MIN);
        reduce_signs(m, PLX_MAX);
    }
}

static void make_large(plx_case_maker *m)
{
    for (int r = 0; r < PLX_REDUCTION_COUNT; ++r) {
        plx_problem problem = plx_reduce_of(m->dtype, (plx_reduction)r, (INT64_C(1) << 31) + 77);
        plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
    }
}

/* Of the dtypes beside f32 one for each step; whoever has no sum in f32 has one in i32. */
static bool shows(size_t step, const plx_problem *problem)
{
    const plx_dtype least = step % 2 == 0 ? PLX_F64 : PLX_I64;

    if (problem->dtype == PLX_F32)
        return (size_t)problem->of.reduce.reduction == step % PLX_REDUCTION_COUNT;
    return problem->dtype == (step % PLX_REDUCTION_COUNT == PLX_SUM ? least : PLX_I32);
}

const plx_op_cases plx_reduce_cases = {
    .make = make,
    .make_large = make_large,
    .weight = 2,
    .shows = shows,
};
