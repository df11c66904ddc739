/* probe, described without a device: small computations whose results are exact
 * and whose time says what memory does to a kernel. */
#include "operation.h"
#include "probe/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

static int64_t element_size(const plx_problem *problem)
{
    return problem->dtype == PLX_I64 || problem->dtype == PLX_F64 ? 8 : 4;
}

/* Elements of the input that the pattern reaches. */
static int64_t input_elements(const plx_problem *problem)
{
    const plx_probe_problem *p = &problem->of.probe;
    switch (p->pattern) {
    case PLX_PROBE_GATHER:
        return p->span;
    case PLX_PROBE_PARTITION:
        return p->regions * (PROBE_REGION_BYTES / element_size(problem));
    case PLX_PROBE_BANKS:
        return PROBE_BANK_ROWS * PROBE_BANK_COLUMNS;
    case PLX_PROBE_READ:
        return p->n * (PROBE_READ_BYTES / element_size(problem));
    default:
        return p->n;
    }
}

static plx_status check_numbers(const plx_probe_problem *p, plx_error *error)
{
    const int64_t most = INT64_C(1) << 40;
    if (p->n > most)
        return plx_fail(error, PLX_INVALID, "probe: n is %" PRId64 ", it must be in 0..2^40", p->n);
    if (p->stride < 0 || p->stride > (INT64_C(1) << 20) || p->offset < 0 || p->offset > most)
        return plx_fail(error, PLX_INVALID,
                        "probe: stride %" PRId64 ", offset %" PRId64 ": they must be in 0..2^20 and 0..2^40",
                        p->stride, p->offset);
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
    const bool integers = problem->dtype == PLX_I32 || problem->dtype == PLX_I64;
    const bool floats = problem->dtype == PLX_F32 || problem->dtype == PLX_F64;
    if (problem->of.probe.pattern == PLX_PROBE_FMA ? !floats : !integers)
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

static double probe_flops(const plx_problem *problem)
{
    const plx_probe_problem *p = &problem->of.probe;
    return p->pattern == PLX_PROBE_FMA ? 2.0 * PROBE_FMA_CHAINS * (double)p->repeat * (double)p->n : 0.0;
}

static double probe_bytes(const plx_problem *problem)
{
    if (problem->of.probe.pattern == PLX_PROBE_READ)
        return (double)problem->of.probe.n * (double)(PROBE_READ_BYTES + element_size(problem));
    if (problem->of.probe.pattern == PLX_PROBE_LAUNCH)
        return (double)problem->of.probe.n * (double)element_size(problem);
    return 2.0 * (double)problem->of.probe.n * (double)element_size(problem);
}

/* ---- reference ---------------------------------------------------------- */

/* Elements as unsigned 64-bit words: arithmetic modulo 2^64, cut on store. */
static uint64_t load(const plx_problem *problem, const void *in, int64_t i)
{
    return problem->dtype == PLX_I64 ? ((const uint64_t *)in)[i] : ((const uint32_t *)in)[i];
}

static uint64_t partition_sum(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    const int64_t width = PROBE_REGION_BYTES / element_size(problem);
    const int64_t block = PROBE_PARTITION_BLOCK * PROBE_PARTITION_BLOCK;
    int64_t region = i / block % p->regions * width;
    uint64_t sum = 0;
    for (int32_t r = 0; r < p->repeat; r++)
        sum += load(problem, in, region + (i % block + r) % width);
    return sum;
}

static uint64_t banks_sum(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    int64_t base = i % PROBE_BLOCK * p->stride % PROBE_BANK_BASE;
    uint64_t sum = 0;
    for (int32_t r = 0; r < p->repeat; r++)
        sum += load(problem, in, base + r % PROBE_BANK_STEPS * PROBE_BANK_COLUMNS);
    return sum;
}

static uint64_t reversed(const plx_problem *problem, const void *in, int64_t i)
{
    int64_t first = i / PROBE_REVERSE * PROBE_REVERSE, left = problem->of.probe.n - first;
    int64_t length = left < PROBE_REVERSE ? left : PROBE_REVERSE;
    return load(problem, in, first + length - 1 - (i - first));
}

static uint64_t branch(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    bool second = p->stride > 0 && i / p->stride % 2 == 1;
    uint64_t x = load(problem, in, i);
    for (int32_t r = 0; r < p->repeat; r++)
        x = second ? x * 22695477u + 1u : x * 1664525u + 1013904223u;
    return x;
}

static uint64_t chunk_sum(const plx_problem *problem, const void *in, int64_t i)
{
    const int64_t chunk = PROBE_READ_BYTES / element_size(problem);
    uint64_t sum = 0;
    for (int64_t k = 0; k < chunk; k++)
        sum += load(problem, in, i * chunk + k);
    return sum;
}

static float chains_f32(const plx_problem *problem, float x)
{
    float sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        float a = x + (float)chain;
        for (int32_t r = 0; r < problem->of.probe.repeat; r++)
            a = fmaf(a, (float)PROBE_FMA_FACTOR, (float)PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static double chains_f64(const plx_problem *problem, double x)
{
    double sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        double a = x + (double)chain;
        for (int32_t r = 0; r < problem->of.probe.repeat; r++)
            a = fma(a, PROBE_FMA_FACTOR, PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static uint64_t element(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    switch (p->pattern) {
    case PLX_PROBE_GATHER:
        return load(problem, in, (i * p->stride + p->offset) % p->span);
    case PLX_PROBE_PARTITION:
        return partition_sum(problem, in, i);
    case PLX_PROBE_BANKS:
        return banks_sum(problem, in, i);
    case PLX_PROBE_REVERSE:
        return reversed(problem, in, i);
    case PLX_PROBE_BRANCH:
        return branch(problem, in, i);
    case PLX_PROBE_COPY:
        return load(problem, in, i);
    case PLX_PROBE_READ:
        return chunk_sum(problem, in, i);
    case PLX_PROBE_LAUNCH:
        return 1;
    default:
        return load(problem, in, i) + 1;
    }
}

static void chains_reference(const plx_problem *problem, const void *in, int64_t first, int64_t count,
                             void *exact)
{
    for (int64_t i = 0; i < count; i++)
        if (problem->dtype == PLX_F64)
            ((double *)exact)[i] = chains_f64(problem, ((const double *)in)[first + i]);
        else
            ((float *)exact)[i] = chains_f32(problem, ((const float *)in)[first + i]);
}

static void probe_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                            int64_t count, plx_reference *reference)
{
    if (problem->of.probe.pattern == PLX_PROBE_FMA) {
        chains_reference(problem, operands->at[0], first, count, reference->exact);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t value = element(problem, operands->at[0], first + i);
        if (problem->dtype == PLX_I64)
            ((uint64_t *)reference->exact)[i] = value;
        else
            ((uint32_t *)reference->exact)[i] = (uint32_t)value;
    }
}

static const char *const patterns[] = {
    [PLX_PROBE_GATHER] = "gather",   [PLX_PROBE_PARTITION] = "partition", [PLX_PROBE_BANKS] = "banks",
    [PLX_PROBE_REVERSE] = "reverse", [PLX_PROBE_BRANCH] = "branch",       [PLX_PROBE_GUARD] = "guard",
    [PLX_PROBE_COPY] = "copy",       [PLX_PROBE_READ] = "read",           [PLX_PROBE_FMA] = "fma",
    [PLX_PROBE_LAUNCH] = "launch",
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
    .dtypes = PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) |
              PLX_DTYPE_BIT(PLX_F64),
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
    .exact = plx_always_exact,
    .reference = probe_reference,
};
