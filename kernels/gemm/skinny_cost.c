/* The cost of few-rows: a model of the device's time, in microseconds. */
#include "skinny.h"

#include "arithmetic.h"
#include "opencl.h"
#include "models.h"
#include "gemm/device/common/tiles.h"

#include <string.h>

enum { POWERS = 5 }; /* of kernels: 1, 2, 4, 8, 16 rows or columns */

/* ---- CUDA ----------------------------------------------------------------------------------- */

/* Of CUDA's kernel, microseconds, and bytes in one of them.  Of two numbers, the second is along k. */
typedef struct few_rates {
    double start_us;            /* a launch */
    double turn_us[2];          /* loads of a turn where other blocks load little, and */
    double busy[2];             /* by how much of that longer where all do */
    double work_us[2];          /* what is multiplied, for each term that a thread has of each row */
    double stage_us[2];         /* x through shared memory, for a chunk that all wait for */
    double end_us[2];           /* sums of threads become one, for each row */
    double beside[2];           /* blocks of a multiprocessor that take no longer than one */
    double uneven;              /* where it has more than two, by how many some have more than the others */
    double joining_us, part_us; /* parts, each of them, and */
    double part_bytes_per_us;   /* what they leave */
    double bytes_per_us[POWERS];
} few_rates;

static const few_rates own_rates = {
#include "rates/cuda-9.0/few-rows.h"
};

/* A turn's loads, then a chunk's, are under way while the ones before are multiplied (skinny/streaming.cuh). */
static double block_us(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts, int power, double load,
                       const few_rates *by)
{
    const int size = 1 << power, loads = size >= 16 ? 4 : 8, chunk = f->along && size <= 8 ? 512 : 256;
    const double turns = (double)quotient_up(parts->length, loads * (f->along ? 32 : GEMM_FEW_THREADS / 32));
    const double turn = by->turn_us[f->along] * (1.0 + by->busy[f->along] * load);
    return turns * (turn + by->work_us[f->along] * loads * size) +
           by->stage_us[f->along] * (double)quotient_up(parts->length, chunk) + by->end_us[f->along] * size;
}

static double joining(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts, const few_rates *by)
{
    const double left = 4.0 * (double)parts->parts * (double)f->count * (double)f->many;
    return parts->parts > 1 ? by->joining_us + by->part_us * (double)parts->parts + 2.0 * left / by->part_bytes_per_us
                            : 0.0;
}

/* Rounds of blocks: the multiprocessor that has most is the last. */
static double rounds_of(const plx_gemm_skinny *f, double blocks, const plx_device_info *device, const few_rates *by)
{
    const double each = blocks / units_of(device);
    const double most_of_one = each <= 1.0 ? 1.0 : each <= 2.0 ? 2.0 : each + by->uneven;
    return most(most_of_one / by->beside[f->along], 1.0);
}

/* And memory, for not all of it is hidden. */
static double cost_by(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts, const plx_device_info *device,
                      const few_rates *by)
{
    enum { FULL = 2 }; /* blocks on a multiprocessor that load as much as it can */
    const int power = plx_gemm_skinny_power(f, device);
    const double blocks = (double)(parts->panels * parts->parts);
    const double load = least(blocks / (FULL * units_of(device)), 1.0);
    const double bytes = 4.0 * ((double)f->many * (double)f->k + (double)f->count * (double)f->many);
    return by->start_us + joining(f, parts, by) +
           block_us(f, parts, power, load, by) * rounds_of(f, blocks, device, by) + bytes / by->bytes_per_us[power];
}

/* ---- NVIDIA's OpenCL ---------------------------------------------------------------------- */

/* By CUDA's kernel as it was measured first: there is a barrier between loads and what is multiplied. */
static double mapless_cost(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts, const plx_device_info *device)
{
    static const double start_us = 3.3, turn_us = 0.7, stage_us = 2.0, joining_us = 1.5, part_us = 0.1,
                        block_bytes_per_us = 7.0e3, beside = 2.0,
                        bytes_per_us[POWERS] = {4.4e6, 4.0e6, 3.2e6, 2.25e6, 1.2e6},
                        along[POWERS] = {0.45, 0.45, 0.73, 0.73, 0.73};
    const int power = plx_gemm_skinny_power(f, device), size = 1 << power, loads = size >= 16 ? 4 : 8;
    const double blocks = (double)(parts->panels * parts->parts);
    const double turns = (double)quotient_up(parts->length, loads * (f->along ? 32 : GEMM_FEW_THREADS / 32));
    const double chunks = size <= PLX_GEMM_FEW_DIRECT ? 0.0 : (double)quotient_up(parts->length, GEMM_FEW_CHUNK);
    const double bytes = 4.0 * ((double)f->many * (double)f->k + (double)f->count * (double)f->many);
    const double moved = bytes / (bytes_per_us[power] * (f->along ? along[power] : 1.0));
    const double waiting = most(blocks / (beside * units_of(device)), 1.0) * (turn_us * turns + stage_us * chunks);
    return start_us + (parts->parts > 1 ? joining_us + part_us * (double)parts->parts : 0.0) +
           most(most(moved, bytes / (block_bytes_per_us * blocks)), waiting);
}

/* ---- either ------------------------------------------------------------------------------- */

double plx_gemm_skinny_parts_cost(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts,
                                  const plx_device_info *device)
{
    return plx_gemm_is_opencl(device) ? mapless_cost(f, parts, device) : cost_by(f, parts, device, &own_rates);
}

double plx_gemm_skinny_cost(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_skinny_parts parts = plx_gemm_skinny_parts_of(&f, device);
    return plx_gemm_skinny_parts_cost(&f, &parts, device);
}

/* ---- rates ------------------------------------------------------------------------------ */

static const plx_gemm_rate_range scalars[] = {
    {"start_us", 0.1, 20},           {"turn_us[0]", 0.01, 20},
    {"turn_us[1]", 0.01, 20},        {"busy[0]", 1e-3, 10},
    {"busy[1]", 1e-3, 10},           {"work_us[0]", 1e-5, 1},
    {"work_us[1]", 1e-5, 1},         {"stage_us[0]", 1e-3, 20},
    {"stage_us[1]", 1e-3, 20},       {"end_us[0]", 1e-3, 20},
    {"end_us[1]", 1e-3, 20},         {"beside[0]", 0.5, 8},
    {"beside[1]", 0.5, 8},           {"uneven", 0.01, 4},
    {"joining_us", 0.01, 20},        {"part_us", 1e-3, 2},
    {"part_bytes_per_us", 1e4, 5e7}, {"bytes_per_us[0]", 1e5, 1e9},
    {"bytes_per_us[1]", 1e5, 1e9},   {"bytes_per_us[2]", 1e5, 1e9},
    {"bytes_per_us[3]", 1e5, 1e9},   {"bytes_per_us[4]", 1e5, 1e9},
};

enum { SCALARS = sizeof scalars / sizeof scalars[0] };
_Static_assert(sizeof(few_rates) == SCALARS * sizeof(double), "the rates are doubles alone, in this order");

static size_t list(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rate_ranges ranges = {.scalars = scalars, .scalar_count = SCALARS};
    return plx_gemm_is_opencl(device) ? 0 : plx_gemm_list_rates(&ranges, &own_rates, rates, capacity);
}

static double expect(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    few_rates by;
    if (problem->config != 0 && !plx_gemm_skinny_has(problem))
        return 0.0;
    if (rates == NULL || plx_gemm_is_opencl(device))
        return plx_gemm_skinny_cost(problem, device);
    memcpy(&by, rates, sizeof by);
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_skinny_parts parts = plx_gemm_skinny_parts_of(&f, device);
    return cost_by(&f, &parts, device, &by);
}

const plx_time_model plx_gemm_few_rows_model = {.rates = list, .expect = expect};
