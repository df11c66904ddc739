/* The references of the probes: plain C, exact. */
#include "kernels/reference.h"
#include "probe/plain.h"
#include "probe/tiles.h"
#include "probe/units.h"

#include <math.h>
#include <string.h>

/* Elements as unsigned 64-bit words: arithmetic modulo 2^64, cut on store. */
static uint64_t load(const plx_problem *problem, const void *in, int64_t i)
{
    return problem->dtype == PLX_I64 ? ((const uint64_t *)in)[i] : ((const uint32_t *)in)[i];
}

static uint64_t partition_sum(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    const int64_t width = PROBE_REGION_BYTES / (int64_t)plx_element_size(problem->dtype);
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
    const int64_t chunk = PROBE_READ_BYTES / (int64_t)plx_element_size(problem->dtype);
    uint64_t sum = 0;
    for (int64_t k = 0; k < chunk; k++)
        sum += load(problem, in, i * chunk + k);
    return sum;
}

static double factor_of(const plx_problem *problem)
{
    return problem->of.probe.stride == 0 ? PROBE_FMA_FACTOR : PROBE_PLAIN_FACTOR;
}

static float chains_f32(const plx_problem *problem, float x)
{
    const double factor = factor_of(problem);
    float sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        float a = x + (float)chain;
        for (int32_t r = 0; r < problem->of.probe.repeat; r++)
            a = fmaf(a, (float)factor, (float)PROBE_FMA_TERM);
        sum = chain == 0 ? a : sum + a;
    }
    return sum;
}

static double chains_f64(const plx_problem *problem, double x)
{
    const double factor = factor_of(problem);
    double sum = 0;
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++) {
        double a = x + (double)chain;
        for (int32_t r = 0; r < problem->of.probe.repeat; r++)
            a = fma(a, factor, PROBE_FMA_TERM);
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

static void chains_reference(const plx_problem *problem, const void *in, int64_t first, int64_t count, void *exact)
{
    for (int64_t i = 0; i < count; i++)
        if (problem->dtype == PLX_F64)
            ((double *)exact)[i] = chains_f64(problem, ((const double *)in)[first + i]);
        else
            ((float *)exact)[i] = chains_f32(problem, ((const float *)in)[first + i]);
}

/* What is multiplied of an element: the last byte of its bits, from -128 to 127. */
static int64_t last_byte(const plx_problem *problem, const void *in, int64_t i)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (problem->dtype == PLX_F64)
        memcpy(&wide, (const double *)in + i, sizeof wide);
    else
        memcpy(&narrow, (const float *)in + i, sizeof narrow);
    const int64_t byte = (int64_t)((wide | narrow) & 0xff);
    return byte < 128 ? byte : byte - 256;
}

static int64_t product_on_units(const plx_problem *problem, const void *in, int64_t i)
{
    const plx_probe_problem *p = &problem->of.probe;
    const int64_t depth = plx_probe_units_depth(p->pattern), cols = plx_probe_units_cols(p->pattern);
    const int64_t row = i / cols % PROBE_UNITS_ROWS, col = i % cols;
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; k++)
        sum += last_byte(problem, in, row * depth + k) * last_byte(problem, in, (PROBE_UNITS_ROWS + col) * depth + k);
    return p->repeat * sum;
}

static void units_reference(const plx_problem *problem, const void *in, int64_t first, int64_t count, void *exact)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t product = product_on_units(problem, in, first + i);
        if (problem->dtype == PLX_F64)
            ((double *)exact)[i] = (double)product;
        else
            ((float *)exact)[i] = (float)product;
    }
}

static void probe_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                            plx_reference *reference)
{
    if (plx_probe_on_units(problem->of.probe.pattern)) {
        units_reference(problem, operands->at[0], first, count, reference->exact);
        return;
    }
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

const plx_op_reference plx_probe_reference = {
    .exact = plx_always_exact,
    .make = probe_reference,
};
