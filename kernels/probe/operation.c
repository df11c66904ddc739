/* probe, described without a device: small computations whose results are exact
 * and whose time says what memory does to a kernel. */
#include "operation.h"
#include "probe/tiles.h"
#include "probe/units.h"

#include <inttypes.h>
#include <stdint.h>

static int64_t elements_of_units(plx_probe_pattern pattern)
{
    return (PROBE_UNITS_ROWS + plx_probe_units_cols(pattern)) * plx_probe_units_depth(pattern);
}

/* Elements of the input that the pattern reaches. */
static int64_t input_elements(const plx_problem *problem)
{
    const plx_probe_problem *p = &problem->of.probe;
    switch (p->pattern) {
    case PLX_PROBE_GATHER:
        return p->span;
    case PLX_PROBE_PARTITION:
        return p->regions * (PROBE_REGION_BYTES / (int64_t)plx_element_size(problem->dtype));
    case PLX_PROBE_BANKS:
        return PROBE_BANK_ROWS * PROBE_BANK_COLUMNS;
    case PLX_PROBE_READ:
        return p->n * (PROBE_READ_BYTES / (int64_t)plx_element_size(problem->dtype));
    default:
        return plx_probe_on_units(p->pattern) ? elements_of_units(p->pattern) : p->n;
    }
}

static plx_status check_numbers(const plx_probe_problem *p, plx_error *error)
{
    const int64_t most = INT64_C(1) << 40;
    if (p->n > most)
        return plx_fail(error, PLX_INVALID, "probe: n is %" PRId64 ", it must be in 0..2^40", p->n);
    if (p->stride < 0 || p->stride > (INT64_C(1) << 20) || p->offset < 0 || p->offset > most)
        return plx_fail(error, PLX_INVALID,
                        "probe: stride %" PRId64 ", offset %" PRId64 ": they must be in 0..2^20 and 0..2^40", p->stride,
                        p->offset);
    if (p->pattern == PLX_PROBE_GATHER && (p->span < 1 || p->span > most || (p->span & (p->span - 1)) != 0))
        return plx_fail(error, PLX_INVALID, "probe: span is %" PRId64 ", it must be a power of two", p->span);
    if (p->pattern == PLX_PROBE_PARTITION && (p->regions < 1 || p->regions > (INT64_C(1) << 20)))
        return plx_fail(error, PLX_INVALID, "probe: regions is %" PRId64 ", it must be in 1..2^20", p->regions);
    if (p->repeat < 0)
        return plx_fail(error, PLX_INVALID, "probe: repeat is %" PRId32 ", it can't be negative", p->repeat);
    return PLX_OK;
}

static plx_status probe_check(const plx_problem *problem, plx_error *error)
{
    const plx_probe_pattern pattern = problem->of.probe.pattern;
    const bool integers = problem->dtype == PLX_I32 || problem->dtype == PLX_I64;
    const bool floats = problem->dtype == PLX_F32 || problem->dtype == PLX_F64;
    if (plx_probe_on_units(pattern) && problem->dtype != (pattern == PLX_PROBE_UNITS_F64 ? PLX_F64 : PLX_F32))
        return plx_fail(error, PLX_INVALID, "probe: elements of products on matrix units are f32, of units-f64 f64");
    if (pattern == PLX_PROBE_FMA || plx_probe_on_units(pattern) ? !floats : !integers)
        return plx_fail(error, PLX_INVALID, "probe: elements are i32 or i64, of multiply-adds f32 or f64");
    return check_numbers(&problem->of.probe, error);
}

static plx_extent vector(const char *name, plx_access access, int64_t n)
{
    return (plx_extent){name, access, 1, n, n > 0 ? n : 1, -1};
}

static void probe_extents(const plx_problem *problem, plx_extent *extents)
{
    extents[0] = vector("in", PLX_READ, input_elements(problem));
    extents[1] = vector("out", PLX_WRITE, problem->of.probe.n);
}

static plx_status probe_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    (void)problem;
    (void)inputs;
    return plx_fail(error, PLX_INVALID, "probe: takes no input files, its data are generated");
}

static double flops_on_units(const plx_probe_problem *p)
{
    const int64_t cols = plx_probe_units_cols(p->pattern), outputs = PROBE_UNITS_ROWS * cols;
    const double blocks = (double)((p->n + outputs - 1) / outputs);
    return 2.0 * (double)(outputs * plx_probe_units_depth(p->pattern)) * (double)p->repeat * blocks;
}

static double probe_flops(const plx_problem *problem)
{
    const plx_probe_problem *p = &problem->of.probe;
    if (plx_probe_on_units(p->pattern))
        return flops_on_units(p);
    return p->pattern == PLX_PROBE_FMA ? 2.0 * PROBE_FMA_CHAINS * (double)p->repeat * (double)p->n : 0.0;
}

static double probe_bytes(const plx_problem *problem)
{
    if (problem->of.probe.pattern == PLX_PROBE_READ)
        return (double)problem->of.probe.n * (PROBE_READ_BYTES + (double)plx_element_size(problem->dtype));
    if (problem->of.probe.pattern == PLX_PROBE_LAUNCH)
        return (double)problem->of.probe.n * (double)plx_element_size(problem->dtype);
    return 2.0 * (double)problem->of.probe.n * (double)plx_element_size(problem->dtype);
}

static const char *const patterns[] = {
    [PLX_PROBE_GATHER] = "gather",
    [PLX_PROBE_PARTITION] = "partition",
    [PLX_PROBE_BANKS] = "banks",
    [PLX_PROBE_REVERSE] = "reverse",
    [PLX_PROBE_BRANCH] = "branch",
    [PLX_PROBE_GUARD] = "guard",
    [PLX_PROBE_COPY] = "copy",
    [PLX_PROBE_READ] = "read",
    [PLX_PROBE_FMA] = "fma",
    [PLX_PROBE_LAUNCH] = "launch",
    [PLX_PROBE_UNITS_F16] = "units-f16",
    [PLX_PROBE_UNITS_BF16] = "units-bf16",
    [PLX_PROBE_UNITS_TF32] = "units-tf32",
    [PLX_PROBE_UNITS_I8] = "units-i8",
    [PLX_PROBE_UNITS_F64] = "units-f64",
};

static const plx_field fields[] = {
    {.name = "n", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(probe.n)},
    {.name = "pattern",
     .kind = PLX_FIELD_INTEGER,
     PLX_FIELD_AT(probe.pattern),
     .values = patterns,
     .value_count = PLX_PROBE_PATTERN_COUNT},
    {.name = "repeat", .kind = PLX_FIELD_INTEGER, PLX_FIELD_AT(probe.repeat)},
    {.name = "stride", .kind = PLX_FIELD_INTEGER, PLX_FIELD_AT(probe.stride)},
    {.name = "offset", .kind = PLX_FIELD_INTEGER, PLX_FIELD_AT(probe.offset)},
    {.name = "span", .kind = PLX_FIELD_INTEGER, PLX_FIELD_AT(probe.span), .initial = 1},
    {.name = "regions", .kind = PLX_FIELD_INTEGER, PLX_FIELD_AT(probe.regions), .initial = 1},
};

const plx_operation plx_probe_operation = {
    .op = PLX_PROBE,
    .name = "probe",
    .summary = "what memory does to a kernel, and what a device can do at most",
    .dtypes = PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64),
    .operand_count = 2,
    .output = 1,
    .output_rank = 1,
    .shape_form = "N",
    .verb = "probe",
    .default_shape = {1 << 20},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .check = probe_check,
    .extents = probe_extents,
    .fit = probe_fit,
    .flops = probe_flops,
    .bytes = probe_bytes,
};
