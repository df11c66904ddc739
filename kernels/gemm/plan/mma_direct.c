/* mma-direct: which partitions of k there are, and what they cost. */
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/mma-direct.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "tensor.h"

#include <stdio.h>

/* ---- the cost ------------------------------------------------------------------------- */

/* Microseconds, and bytes in one. */
#define RATES(X)                                                                                  \
    X(start_us, 0.1, 20)                                                                          \
    X(item_us, 0.05, 20)    /* an item without its k-tiles: to write C, or its part */            \
    X(step_us, 0.05, 20)    /* of a k-tile */                                                     \
    X(loads_us, 0.01, 20)   /* in a k-tile, for LOADED elements that a thread loads one by one */ \
    X(beside, 1, 2)         /* what two blocks of a multiprocessor take, of what one takes */     \
    X(write_rate, 1e5, 5e7) /* of C */                                                            \
    X(add_us, 0.1, 20)      /* another launch */                                                  \
    X(add_rate, 1e5, 5e7)   /* of parts that are written and added */                             \
    X(added_us, 1e-3, 5)    /* for 64 parts of a tile */                                          \
    X(batch, 1, 4)          /* times all of a batch, whose blocks find the problem that they are of */
typedef struct direct_rates {
    RATES(PLX_GEMM_FIELD)
    plx_tensor_rates tensor;
} direct_rates;

static const direct_rates own_rates = {
#include "rates/cuda-9.0/mma-direct.h"
};

enum { LOADED = 16 };

/* How often in a k-tile a thread loads LOADED elements of an operand, of which `outer` and `terms` are in a
 * tile. */
static int64_t loads_of(bool inner, int64_t outer, int64_t terms, int64_t ld)
{
    const int64_t padded = quotient_up(terms, 16) * 16, along = inner ? padded : outer, rows = inner ? outer : padded;
    int64_t across = 1;
    if (ld % 8 == 0) /* by 16 bytes */
        return 0;
    while (across < along)
        across *= 2;
    return quotient_up(rows * across, LOADED * GEMM_DIRECT_THREADS);
}

static int64_t loads_of_k_tile(const plx_gemm_problem *p)
{
    const int64_t terms = smaller(p->k, GEMM_UNITS_DEPTH);
    return larger(loads_of(!p->trans_a, smaller(p->m, GEMM_DIRECT_ROWS), terms, p->lda),
                  loads_of(p->trans_b, smaller(p->n, GEMM_DIRECT_COLS), terms, p->ldb));
}

static double us_of_adding(int64_t tiles, int64_t parts, const plx_gemm_problem *p, const plx_device_info *device,
                           const direct_rates *by)
{
    const int64_t cols = smaller(quotient_up(p->n, 8) * 8, GEMM_DIRECT_COLS);
    const double bytes = (double)(tiles * parts) * GEMM_DIRECT_ROWS * (double)cols * 4;
    return parts == 1 ? 0
                      : by->add_us + plx_tensor_late_us(device, &by->tensor) + 2 * bytes / by->add_rate +
                            (double)quotient_up(parts, 64) * by->added_us;
}

/* What the multiprocessor with the most items takes, or what it takes to write C. */
static double us_of(int64_t tiles, int64_t parts, const plx_problem *problem, const plx_device_info *device,
                    const direct_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double count = (double)plx_problem_count(problem);
    const int64_t items = quotient_up(tiles * parts * plx_problem_count(problem), plx_gemm_sms(device));
    const double k_tiles = (double)quotient_up(plx_units_k_tiles(problem), parts);
    const double item = by->item_us + k_tiles * (by->step_us + (double)loads_of_k_tile(p) * by->loads_us);
    const plx_gemm_terms terms = {
        .launch = by->start_us,
        .math = ((double)(items / 2) * by->beside + (double)(items % 2)) * item,
        .memory = count * (double)p->m * (double)p->n * 2 / by->write_rate,
        .join = us_of_adding(tiles, parts, p, device, by),
    };
    const double us = plx_gemm_us(&terms) * (problem->batch.batched ? by->batch : 1);
    return device->compute_major == 9 ? plx_tensor_us_with_memory(problem, device, us, GEMM_DIRECT_COLS, &by->tensor)
                                      : us;
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    int64_t tiles = 0;
    (void)plx_direct_count_tiles(problem, &tiles);
    return us_of(tiles, schedule->split_k, problem, device, rates);
}

/* ---- schedules -------------------------------------------------------------------------- */

/* Numbers of parts: 1, 2, 3, 4, 6, 8, 12 and so on. */
enum { MOST_NUMBERS = 18 };

static int64_t parts_numbered(uint32_t number)
{
    if (number == 0)
        return 1;
    return number % 2 == 1 ? INT64_C(2) << number / 2 : INT64_C(3) << (number / 2 - 1);
}

/* Parts have a k-tile at least, and all of them run at once, or nearly. */
static void each(plx_gemm_search *search)
{
    const int64_t slots = GEMM_DIRECT_BLOCKS * plx_gemm_sms(search->device);
    int64_t tiles;
    if (!plx_direct_count_tiles(search->problem, &tiles))
        return;
    for (uint32_t number = 0; number < MOST_NUMBERS; number++) {
        const int64_t parts = parts_numbered(number);
        if (parts > 1 &&
            (search->problem->batch.batched || parts > plx_units_k_tiles(search->problem) || tiles > 2 * slots / parts))
            continue;
        const plx_schedule schedule = {.kernel = search->kernel,
                                       .split_k = (int32_t)parts,
                                       .us = us_of(tiles, parts, search->problem, search->device, &own_rates)};
        search->visit(search, &schedule);
    }
}

static plx_gemm_config config_of(const plx_schedule *schedule)
{
    uint32_t number = 0;
    while (parts_numbered(number) < schedule->split_k)
        number++;
    return (plx_gemm_config){.parts = number + 1};
}

/* "64x128/8": each tile of C is made of eight parts. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    char parts[24] = "";
    (void)problem;
    (void)device;
    if (schedule->split_k > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)schedule->split_k);
    (void)snprintf(name, size, "%dx%d%s", GEMM_DIRECT_ROWS, GEMM_DIRECT_COLS, parts);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    plx_status status = plx_needs_mma_sync(device, error);
    if (status == PLX_OK && problem->batch.batched && plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "takes one problem at a time in OpenCL");
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    return status == PLX_OK ? plx_gemm_check_sizes(&problem->of.gemm, error) : status;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE) PLX_TENSOR_RATES(PLX_GEMM_TENSOR_RANGE)};

const plx_gemm_family plx_gemm_direct_family = {
    .check = check,
    .each = each,
    .none = "C has more tiles than can be counted",
    .config = config_of,
    .name = name_of,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), .own = &own_rates},
};
