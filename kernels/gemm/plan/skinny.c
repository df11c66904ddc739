/* few-rows: which partitions of k there are, and what they cost. */
#include "arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "simt.h"

#include <math.h>
#include <stdio.h>

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

/* Waves of blocks: the multiprocessor that has most is the last. */
static double waves_of(const plx_gemm_skinny *f, double blocks, const plx_device_info *device, const few_rates *by)
{
    const double each = blocks / (double)plx_gemm_sms(device);
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
    const double load = least(blocks / (FULL * (double)plx_gemm_sms(device)), 1.0);
    const double bytes = 4.0 * ((double)f->many * (double)f->k + (double)f->count * (double)f->many);
    return by->start_us + joining(f, parts, by) +
           block_us(f, parts, power, load, by) * waves_of(f, blocks, device, by) + bytes / by->bytes_per_us[power];
}

/* ---- NVIDIA's OpenCL ---------------------------------------------------------------------- */

static const struct {
    double start_us, turn_us, stage_us, joining_us, part_us, block_bytes_per_us, beside;
    double bytes_per_us[POWERS], along[POWERS]; /* the latter K-major, as a share */
} opencl_rates = {
#include "rates/opencl-9.0/few-rows.h"
};

/* By CUDA's kernel as it was measured first: there is a barrier between loads and what is multiplied. */
static double opencl_cost(const plx_gemm_skinny *f, const plx_gemm_skinny_parts *parts, const plx_device_info *device)
{
    const int power = plx_gemm_skinny_power(f, device), size = 1 << power, loads = size >= 16 ? 4 : 8;
    const double blocks = (double)(parts->panels * parts->parts);
    const double turns = (double)quotient_up(parts->length, loads * (f->along ? 32 : GEMM_FEW_THREADS / 32));
    const double chunks = size <= PLX_GEMM_SKINNY_DIRECT ? 0.0 : (double)quotient_up(parts->length, GEMM_FEW_CHUNK);
    const double bytes = 4.0 * ((double)f->many * (double)f->k + (double)f->count * (double)f->many);
    const double moved = bytes / (opencl_rates.bytes_per_us[power] * (f->along ? opencl_rates.along[power] : 1.0));
    const double waiting = most(blocks / (opencl_rates.beside * (double)plx_gemm_sms(device)), 1.0) *
                           (opencl_rates.turn_us * turns + opencl_rates.stage_us * chunks);
    return opencl_rates.start_us +
           (parts->parts > 1 ? opencl_rates.joining_us + opencl_rates.part_us * (double)parts->parts : 0.0) +
           most(most(moved, bytes / (opencl_rates.block_bytes_per_us * blocks)), waiting);
}

/* ---- schedules ------------------------------------------------------------------------------ */

static double us_by(const plx_gemm_skinny *f, int64_t parts, const plx_device_info *device, const few_rates *by)
{
    const plx_gemm_skinny_parts made = plx_gemm_skinny_in(f, parts);
    return plx_gemm_is_opencl(device) ? opencl_cost(f, &made, device) : cost_by(f, &made, device, by);
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    return us_by(&f, schedule->split_k, device, rates);
}

/* OpenCL: as many partitions as give every multiprocessor its blocks. */
static int64_t filling_parts(const plx_gemm_skinny *f, const plx_device_info *device)
{
    enum { BLOCKS_PER_SM = 4 };
    const int64_t panels = plx_gemm_skinny_in(f, 1).panels;
    return larger(1, smaller(BLOCKS_PER_SM * plx_gemm_sms(device) / larger(panels, 1), plx_gemm_skinny_most(f)));
}

static plx_schedule schedule_in(const plx_gemm_search *search, const plx_gemm_skinny *f, int64_t parts)
{
    return (plx_schedule){.kernel = search->kernel,
                          .split_k = (int32_t)plx_gemm_skinny_in(f, parts).parts,
                          .us = us_by(f, parts, search->device, &own_rates)};
}

/* Only numbers of partitions that are made when they are asked for: nine terms have no six of a length. */
static void each(plx_gemm_search *search)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(search->problem);
    const int64_t most_parts = plx_gemm_skinny_most(&f);
    for (int64_t parts = 1; parts <= most_parts; ++parts) {
        const plx_schedule schedule = schedule_in(search, &f, parts);
        if (schedule.split_k == parts)
            search->visit(search, &schedule);
    }
}

static bool best(const plx_gemm_search *search, plx_schedule *schedule)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(search->problem);
    const bool opencl = plx_gemm_is_opencl(search->device);
    const int64_t most_parts = opencl ? 1 : plx_gemm_skinny_most(&f);
    *schedule = schedule_in(search, &f, f.k == 0 ? 0 : opencl ? filling_parts(&f, search->device) : 1);
    for (int64_t parts = 2; parts <= most_parts; ++parts) {
        const plx_schedule other = schedule_in(search, &f, parts);
        if (other.us < schedule->us)
            *schedule = other;
    }
    return true;
}

static plx_gemm_config config_of(const plx_schedule *schedule)
{
    return (plx_gemm_config){.parts = (uint32_t)schedule->split_k};
}

static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    (void)snprintf(name, size, "%dx%d/%d", 1 << plx_gemm_skinny_power(&f, device),
                   f.along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS, (int)schedule->split_k);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    const plx_status status =
        plx_gemm_is_opencl(device) ? plx_not_by_pocl(device, 5, 0, error) : plx_needs_sm_90a(device, error);
    if (status == PLX_OK && smaller(problem->of.gemm.m, problem->of.gemm.n) > GEMM_FEW_MOST)
        return plx_fail(error, PLX_UNSUPPORTED, "C has more than %d rows and columns", GEMM_FEW_MOST);
    return status;
}

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

const plx_gemm_family plx_gemm_few_rows_family = {
    .check = check,
    .each = each,
    .best = best,
    .none = "there is no such configuration",
    .config = config_of,
    .name = name_of,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
