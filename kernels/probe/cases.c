/* What is tried of the probes: every pattern at lengths at which blocks end. */
#include "kernels/cases.h"
#include "probe/units.h"

static bool has_type(const plx_case_maker *m, plx_probe_pattern pattern)
{
    if (plx_probe_on_units(pattern))
        return m->dtype == (pattern == PLX_PROBE_UNITS_F64 ? PLX_F64 : PLX_F32);
    return (pattern == PLX_PROBE_FMA) == plx_case_floating(m);
}

/* Every pattern at one size: each kernel serves one of them. */
static void probe_length(plx_case_maker *m, int64_t n)
{
    static const int64_t strides[] = {0, 1, 2, 3, 31, 32, 33, 513}, offsets[] = {0, 1, 31, 1000003};
    static const int32_t repeats[] = {0, 1, 7, 8, 33, 100};
    static const int64_t regions[] = {1, 2, 3, 64};

    for (int pattern = 0; pattern < PLX_PROBE_PATTERN_COUNT; ++pattern) {
        plx_problem problem = plx_probe_of(m->dtype, (plx_probe_pattern)pattern, n);
        plx_probe_problem *p = &problem.of.probe;
        p->stride *= strides[m->turn % (sizeof strides / sizeof strides[0])];
        p->repeat *= repeats[m->turn / 2 % (sizeof repeats / sizeof repeats[0])];
        p->regions *= regions[m->turn / 3 % (sizeof regions / sizeof regions[0])];
        if (!has_type(m, p->pattern) || (pattern == PLX_PROBE_READ && n > 2560))
            continue;
        if (plx_probe_on_units(p->pattern) && p->repeat > 8)
            p->repeat = 5; /* more would not be exact */
        if (pattern == PLX_PROBE_GATHER)
            p->offset = offsets[m->turn / 5 % (sizeof offsets / sizeof offsets[0])];
        plx_case_add(m, &problem, PLX_INPUT_UNIFORM);
    }
}

/* Whole blocks as well, which the kernel without a guard needs. */
static void make(plx_case_maker *m)
{
    static const int64_t quick[] = {0, 1, 63, 64, 65, 255, 256, 1023, 1024, 1025, 2560, 65539, 66560};

    for (size_t i = 0; i < sizeof quick / sizeof quick[0]; ++i)
        probe_length(m, quick[i]);
    for (size_t i = 0; m->effort != PLX_QUICK && i < PLX_CASE_SIZES; ++i)
        probe_length(m, plx_case_sizes[i]);
    for (int64_t blocks = 1; m->effort == PLX_FULL && blocks < 200; ++blocks)
        probe_length(m, blocks * 256);
}

static void make_large(plx_case_maker *m)
{
    if (plx_case_floating(m))
        return;
    plx_problem problem = plx_probe_of(m->dtype, PLX_PROBE_GUARD, (INT64_C(1) << 31) + 77);
    plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
    problem = plx_probe_of(m->dtype, PLX_PROBE_GATHER, (INT64_C(1) << 31) + 77);
    problem.of.probe.stride = 513;
    if (m->dtype == PLX_I32) /* its span is 2^32 elements */
        plx_case_add_large(m, &problem, PLX_INPUT_UNIFORM);
}

static bool shows(size_t step, const plx_problem *problem)
{
    return problem->dtype != PLX_I64 || step % 4 == 1;
}

/* A kernel computes one of the patterns. */
static plx_problem small_form(plx_dtype dtype, size_t pattern)
{
    return plx_probe_of(pattern == PLX_PROBE_UNITS_F64 ? PLX_F64 : dtype, (plx_probe_pattern)pattern, 256);
}

static size_t form_of(const plx_problem *problem)
{
    return (size_t)problem->of.probe.pattern;
}

const plx_op_cases plx_probe_cases = {
    .make = make,
    .make_large = make_large,
    .weight = 1,
    .shows = shows,
    .form_count = PLX_PROBE_PATTERN_COUNT,
    .form = small_form,
    .form_of = form_of,
};
