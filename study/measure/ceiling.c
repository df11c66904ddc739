/* Which ceiling bounds a problem, and what to say of a time that breaks through it. */
#include "study/measure/ceiling.h"

#include "base/format.h"

#include <stdio.h>

/* ---- what a problem asks for ------------------------------------------------------- */

/* The bytes of the operands that are written. */
static double written_bytes(const plx_operation *operation, const plx_problem *problem)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    const plx_extent *output = &extents[operation->output];

    operation->extents(problem, extents);
    return (double)output->rows * (double)output->cols * (double)plx_dtype_size(plx_output_dtype(problem));
}

/* Below a tenth of writing, what only reads is the fairer measure. */
static plx_ceiling_kind memory_ceiling(const plx_operation *operation, const plx_problem *problem)
{
    const double bytes = operation->bytes(problem);
    return written_bytes(operation, problem) < 0.1 * bytes ? PLX_CEILING_READ : PLX_CEILING_COPY;
}

/* No device moves as many bytes as it multiplies: below one operation for each byte the
 * units for it are no bound, and nobody has to measure them. */
plx_workload plx_workload_of(const plx_operation *operation, const plx_problem *problem)
{
    plx_workload workload = {.bytes = operation->bytes(problem),
                             .memory = memory_ceiling(operation, problem),
                             .arithmetic = PLX_CEILING_COUNT,
                             .units = PLX_CEILING_COUNT,
                             .products = 1.0};

    if (problem->dtype == PLX_F32 || problem->dtype == PLX_F64 || plx_is_half(problem->dtype))
        workload.flops = plx_problem_flops(problem);
    if (workload.flops > workload.bytes)
        workload.arithmetic = problem->dtype == PLX_F64 ? PLX_CEILING_FMA_F64 : PLX_CEILING_FMA_F32;
    return workload;
}

/* The matrix units for these operands, and how many products they make of one; PLX_CEILING_COUNT: none. */
static plx_ceiling_kind units_of(const plx_problem *problem, double *products)
{
    static const struct by_compute {
        plx_ceiling_kind units;
        double products;
    } computes[PLX_COMPUTE_COUNT] = {
        [PLX_COMPUTE_PLAIN] = {PLX_CEILING_COUNT, 1.0},
        [PLX_COMPUTE_TF32] = {PLX_CEILING_UNITS_TF32, 1.0},
        [PLX_COMPUTE_F16X3] = {PLX_CEILING_UNITS_F16, 3.0},
        [PLX_COMPUTE_BF16X6] = {PLX_CEILING_UNITS_BF16, 6.0},
    };
    *products = computes[problem->compute].products;
    switch (problem->dtype) {
    case PLX_F16:
        return PLX_CEILING_UNITS_F16;
    case PLX_BF16:
        return PLX_CEILING_UNITS_BF16;
    case PLX_F64:
        return PLX_CEILING_UNITS_F64;
    default:
        return computes[problem->compute].units;
    }
}

/* A library for a GPU does not tell what it computes on: there f64 may be products on units.  Processors have other
 * units for 16 bits alone. */
void plx_workload_by(plx_workload *workload, const plx_problem *problem, const plx_kernel *kernel, bool processor)
{
    const bool vendor = (kernel->flags & PLX_KERNEL_VENDOR) != 0;
    const bool may = vendor && !processor && problem->op == PLX_GEMM && problem->dtype == PLX_F64;

    workload->processor = processor;
    workload->on_units = (kernel->flags & PLX_KERNEL_MATRIX_UNITS) != 0;
    if (workload->arithmetic != PLX_CEILING_COUNT && (workload->on_units || may))
        workload->units = units_of(problem, &workload->products);
    workload->on_units = workload->on_units && workload->units != PLX_CEILING_COUNT;
    workload->other_units = (vendor && (!processor || plx_is_half(problem->dtype))) ||
                            (kernel->compute != PLX_COMPUTE_PLAIN && !workload->on_units);
}

static double value_of(const plx_ceilings *ceilings, plx_ceiling_kind kind)
{
    return (unsigned)kind < PLX_CEILING_COUNT ? ceilings->value[kind] : 0.0;
}

uint32_t plx_workload_kinds(const plx_workload *workload, const plx_ceilings *ceilings)
{
    const uint32_t units = workload->units < PLX_CEILING_COUNT ? UINT32_C(1) << workload->units : 0;
    const bool plain = units == 0 || !workload->on_units ||
                       ((ceilings->tried & units) != 0 && !(value_of(ceilings, workload->units) > 0.0));
    uint32_t kinds = UINT32_C(1) << workload->memory | UINT32_C(1) << PLX_CEILING_LAUNCH | units;

    return plain && workload->arithmetic < PLX_CEILING_COUNT ? kinds | UINT32_C(1) << workload->arithmetic : kinds;
}

/* By more than this times nothing is faster than a ceiling that applies. */
static const double incredible = 2.0;
/* The same on a processor, which may have been at others' work when its ceiling was measured. */
static const double incredible_if_shared = 10.0;
/* What two measurements of the same may differ by. */
static const double noise = 1.02;

/* ---- the roofline ------------------------------------------------------------------ */

/* The shortest time that this ceiling allows; 0 where it allows any. */
static double least_time(const plx_ceilings *ceilings, const plx_workload *workload, plx_ceiling_kind kind)
{
    const double value = value_of(ceilings, kind);

    if (!(value > 0.0))
        return 0.0;
    if (kind == PLX_CEILING_LAUNCH)
        return value;
    if (kind == workload->memory)
        return workload->bytes / value;
    return workload->flops * (kind == workload->units ? workload->products : 1.0) / value;
}

/* Of the units that it is on: the matrix units for sure, or where it is faster than the plain ones.  Without a
 * measurement of them the plain ones are all that is known. */
static plx_ceiling_kind arithmetic_of(const plx_ceilings *ceilings, const plx_workload *workload, double time_ns)
{
    if (!(value_of(ceilings, workload->units) > 0.0))
        return workload->arithmetic;
    return workload->on_units || time_ns < least_time(ceilings, workload, workload->arithmetic) ? workload->units
                                                                                                : workload->arithmetic;
}

/* The likely cause, most certain first. */
static const char *cause(const plx_ceiling *ceiling)
{
    if (ceiling->fraction <= noise)
        return "within the noise of both measurements";
    if (ceiling->kind == PLX_CEILING_LAUNCH)
        return "launches cost less now than when the ceiling was measured";
    return "the clock or the load of the device changed since the ceiling was measured";
}

/* What a time may be ahead of by more than noise: what the measured ceiling is not about. */
static bool is_exempt(const plx_workload *workload, plx_ceiling_kind kind)
{
    if (kind == PLX_CEILING_LAUNCH)
        return false;
    if (kind == workload->memory)
        return workload->cached || workload->reused;
    return workload->other_units || (kind == workload->arithmetic && workload->units != PLX_CEILING_COUNT);
}

/* Operands in a cache, other units than plain multiply-adds and launches that overlap are not bounded by what was
 * measured without: where a time is ahead of that it bounds nothing. */
static bool bounds(const plx_ceilings *ceilings, const plx_workload *workload, plx_ceiling_kind kind, double time_ns)
{
    const bool overlap = kind == PLX_CEILING_LAUNCH && workload->queues > 1;
    const double margin = kind == workload->units ? incredible : 1.0; /* so near it is on those units */
    return least_time(ceilings, workload, kind) <= margin * time_ns || !(overlap || is_exempt(workload, kind));
}

/* Launches in several queues overlap. */
static double least_believed(const plx_ceilings *ceilings, const plx_workload *workload, plx_ceiling_kind kind)
{
    const double queues = workload->queues > 1 ? (double)workload->queues : 1.0;
    const double margin = workload->processor ? incredible_if_shared : incredible;
    const double least = is_exempt(workload, kind) ? 0.0 : least_time(ceilings, workload, kind) / margin;
    if (kind == PLX_CEILING_LAUNCH && workload->processor) /* that it once waited makes no right time false */
        return 0.0;
    return kind == PLX_CEILING_LAUNCH ? least / queues : least;
}

/* "4610 GB/s", and a launch as the times beside it. */
static void put_value(const plx_ceilings *ceilings, plx_ceiling_kind kind, char *text, size_t capacity)
{
    char number[32];
    if (kind == PLX_CEILING_LAUNCH) {
        plx_duration_text(ceilings->value[kind], plx_micro(), text, capacity);
        return;
    }
    plx_plain_number_text(ceilings->value[kind], 4, number, sizeof number);
    (void)snprintf(text, capacity, "%s %s", number, plx_ceiling_unit(kind));
}

bool plx_ceiling_refutes(const plx_ceilings *ceilings, const plx_workload *workload, double time_ns,
                         plx_ceiling_kind *kind, char *reason, size_t capacity)
{
    const plx_ceiling_kind kinds[] = {workload->memory, arithmetic_of(ceilings, workload, time_ns), PLX_CEILING_LAUNCH};
    char duration[40], value[80];

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        if (!(time_ns < least_believed(ceilings, workload, kinds[i])))
            continue;
        *kind = kinds[i];
        plx_duration_text(time_ns, plx_micro(), duration, sizeof duration);
        put_value(ceilings, kinds[i], value, sizeof value);
        (void)snprintf(reason, capacity,
                       "not timed: %s is %.3g times as fast as the %s ceiling of this device allows (%s), which is an "
                       "error of measurement",
                       duration, least_time(ceilings, workload, kinds[i]) / time_ns, plx_ceiling_name(kinds[i]), value);
        return true;
    }
    return false;
}

plx_ceiling plx_ceiling_of(const plx_ceilings *ceilings, const plx_workload *workload, double time_ns)
{
    const plx_ceiling_kind kinds[] = {workload->memory, arithmetic_of(ceilings, workload, time_ns), PLX_CEILING_LAUNCH};
    plx_ceiling found = {.applies = false};
    double longest = 0.0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        const double least = least_time(ceilings, workload, kinds[i]);
        if (least > longest && bounds(ceilings, workload, kinds[i], time_ns)) {
            longest = least;
            found.kind = kinds[i];
        }
    }
    if (!(longest > 0.0) || !(time_ns > 0.0))
        return found;
    found.applies = true;
    found.value = ceilings->value[found.kind];
    found.fraction = longest / time_ns;
    if (found.fraction > 1.0)
        (void)snprintf(found.over, sizeof found.over, "%s", cause(&found));
    return found;
}

/* Four gigabytes and a thousand million operations in a second: the slowest processor's. */
bool plx_ceiling_is_launch(const plx_workload *workload, double launch_ns)
{
    return launch_ns > 0.0 && workload->bytes / 4 < launch_ns && workload->flops < launch_ns;
}

bool plx_ceiling_is_false(const plx_ceiling *ceiling)
{
    return ceiling->applies && ceiling->fraction > noise;
}

double plx_ceiling_reached(const plx_ceiling *ceiling)
{
    return ceiling->kind == PLX_CEILING_LAUNCH ? ceiling->value / ceiling->fraction
                                               : ceiling->value * ceiling->fraction;
}
