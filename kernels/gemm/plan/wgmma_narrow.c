/* wgmma-narrow: which tiles, clusters and partitions of k there are, and what they cost. */
#include "kernels/arithmetic.h"
#include "tensor.h"

#include <stdio.h>

enum { MOST_PARTS = 127 };

/* ---- the cost ------------------------------------------------------------------------- */

/* Microseconds, and bytes in one. */
#define RATES(X)                                                                      \
    X(launch_us, 0.1, 20)                                                             \
    X(item_us, 0.01, 20)                                                              \
    X(write_rate, 1e5, 5e7)                                                           \
    X(cluster_us, 0.01, 20) /* to add up what its blocks have */                      \
    X(add_us, 0.1, 20)      /* another launch */                                      \
    X(add_rate, 1e5, 1e9)                                                             \
    X(copy_us, 0.1, 20)             /* another */                                     \
    X(copy_rate, 1e5, 5e7)          /* of operands that are packed first */           \
    X(fitted_memory_rate, 5e5, 5e7) /* of the device that the rates were fitted on */ \
    X(gaps, 1, 4)                   /* more of an operand whose rows are no whole lines of memory */
/* Of a tile: a k-tile where a multiprocessor waits for no other; bytes of all operands that are read where the smaller
 * one is K-major, where it is not, and where it is in lines that it does not fill; the share of that where the larger
 * one is MN-major and LARGE_READ bytes are to be read. */
#define TILE_RATES(X)        \
    X(step_us, 0.01, 5)      \
    X(along_rate, 1e5, 5e7)  \
    X(across_rate, 1e5, 5e7) \
    X(gaps_rate, 1e5, 5e7)   \
    X(larger_across, 0.1, 2)
typedef struct tile_rates {
    TILE_RATES(PLX_GEMM_FIELD)
} tile_rates;
typedef struct narrow_rates {
    RATES(PLX_GEMM_FIELD)
    plx_tensor_rates tensor;
    tile_rates tiles[PLX_NARROW_TILES];
} narrow_rates;

static const narrow_rates own_rates = {
#include "rates/cuda-9.0/wgmma-narrow.h"
};

#define LARGE_READ 1e9 /* bytes */
enum { LINE = 64 };    /* elements */

/* Operands whose rows are no multiple of 16 bytes apart, in a launch of their own. */
static double us_of_packing(const plx_narrow_product *of, double k, const plx_device_info *device,
                            const narrow_rates *by)
{
    const double rows = plx_gemm_steps_by_units(&of->a) ? 0 : (double)of->rows,
                 cols = plx_gemm_steps_by_units(&of->b) ? 0 : (double)of->cols;
    return rows + cols > 0
               ? by->copy_us + plx_tensor_late_us(device, &by->tensor) + 2 * 2 * (rows + cols) * k / by->copy_rate
               : 0;
}

/* More of an operand that is not packed and whose rows begin within lines of memory. */
static double gaps_of(const plx_gemm_operand *operand, const narrow_rates *by)
{
    return plx_gemm_steps_by_units(operand) && operand->ld % LINE != 0 ? by->gaps : 1;
}

/* Bytes of `bytes` that are read in a microsecond. */
static double read_rate(const plx_narrow_tile *tile, const plx_narrow_product *of, double bytes, const tile_rates *rate)
{
    const double share = of->a.inner || bytes < LARGE_READ ? 1 : rate->larger_across;
    return share * (of->b.inner ? rate->along_rate : of->cols >= tile->cols ? rate->across_rate : rate->gaps_rate);
}

/* What the multiprocessor with the most to do takes, or what it takes to read the operands; more where memory is slower
 * than that of the device that the rates were fitted on. */
static double us_of(const plx_narrow_tiling *tiling, const plx_narrow_product *of, const plx_problem *problem,
                    const plx_device_info *device, const narrow_rates *by)
{
    const plx_narrow_tile *tile = tiling->tile;
    const plx_gemm_work *work = &tiling->work;
    const tile_rates *rate = &by->tiles[tile - plx_narrow_tiles];
    const int64_t units = plx_gemm_sms(device), residual = work->items - work->whole;
    const int64_t whole = quotient_up(work->whole * tiling->blocks, units), parts = quotient_up(residual, units);
    const double k_tiles =
        (double)(whole * quotient_up(of->steps, tiling->blocks) + parts * quotient_up(of->steps, work->parts));
    const double k = (double)problem->of.gemm.k, passes = (double)quotient_up(of->cols, tile->cols);
    const double bytes =
        2 * k * ((double)of->rows * passes * gaps_of(&of->a, by) + (double)of->cols * gaps_of(&of->b, by));
    const double once = 2 * k * ((double)of->rows + (double)of->cols);
    const double adding = (double)residual * tile->rows * (double)tile->cols * 8 / by->add_rate;
    const plx_gemm_terms terms = {
        .launch = us_of_packing(of, k, device, by) + by->launch_us + (double)(whole + parts) * by->item_us,
        .math = k_tiles * rate->step_us,
        .memory = bytes / read_rate(tile, of, bytes, rate),
        .join = (double)of->rows * (double)of->cols * 2 / by->write_rate,
        .pack = once / plx_tensor_memory_rate(device, &by->tensor) - once / by->fitted_memory_rate,
    };
    const double us = plx_gemm_us(&terms);
    if (tiling->blocks > 1)
        return us + by->cluster_us;
    return residual == 0 ? us : us + by->add_us + plx_tensor_late_us(device, &by->tensor) + adding;
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_narrow_product of = plx_narrow_product_of(problem);
    plx_narrow_tiling tiling;
    return plx_narrow_tiling_by(&of, device, schedule, &tiling) ? us_of(&tiling, &of, problem, device, rates) : 0.0;
}

/* ---- schedules -------------------------------------------------------------------------- */

static void visit(plx_gemm_search *search, const plx_narrow_product *of, uint32_t tile, int32_t blocks, int32_t parts)
{
    plx_schedule schedule = {
        .kernel = search->kernel, .tile = tile, .cluster_k = blocks, .split_k = parts, .transposed = of->transposed};
    plx_narrow_tiling tiling;
    if (!plx_narrow_tiling_by(of, search->device, &schedule, &tiling))
        return;
    schedule.us = us_of(&tiling, of, search->problem, search->device, &own_rates);
    search->visit(search, &schedule);
}

static void each(plx_gemm_search *search)
{
    const plx_narrow_product of = plx_narrow_product_of(search->problem);
    for (uint32_t tile = 0; tile < PLX_NARROW_TILES; tile++) {
        for (int32_t parts = 1; parts <= MOST_PARTS && (parts == 1 || parts <= of.steps); parts++)
            visit(search, &of, tile, 1, parts);
        for (int32_t blocks = 2; blocks <= PLX_NARROW_MOST_BLOCKS; blocks *= 2)
            visit(search, &of, tile, blocks, 1);
    }
}

static plx_gemm_config config_of(const plx_schedule *s)
{
    return (plx_gemm_config){
        .tile = s->tile, .cluster = s->cluster_k > 1 ? (uint32_t)s->cluster_k : 0, .parts = (uint32_t)s->split_k};
}

/* "64x16/3": what full waves of tiles leave is divided into three parts; "64x16c4": four blocks of a cluster
 * have a tile; "16x64" where the product is transposed. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    const int rows = plx_narrow_tiles[schedule->tile].rows, cols = plx_narrow_tiles[schedule->tile].cols;
    char parts[24] = "";
    (void)problem;
    (void)device;
    if (schedule->split_k > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)schedule->split_k);
    else if (schedule->cluster_k > 1)
        (void)snprintf(parts, sizeof parts, "c%d", (int)schedule->cluster_k);
    (void)snprintf(name, size, "%dx%d%s", schedule->transposed ? cols : rows, schedule->transposed ? rows : cols,
                   parts);
}

static void paths(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule)
{
    (void)device;
    schedule->paths[0] = plx_units_path(problem, 0, unaligned);
    schedule->paths[1] = plx_units_path(problem, 1, unaligned);
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    plx_status status = plx_needs_9_0(device, error);
    if (status == PLX_OK)
        status = plx_units_check(problem, error);
    return status == PLX_OK && plx_gemm_has_work(problem) ? plx_gemm_check_sizes(&problem->of.gemm, error) : status;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE) PLX_TENSOR_RATES(PLX_GEMM_TENSOR_RANGE)},
                                 of_tile[] = {TILE_RATES(PLX_GEMM_RANGE)};

const plx_gemm_family plx_gemm_narrow_family = {
    .check = check,
    .each = each,
    .none = "C has more tiles than can be counted",
    .paths = paths,
    .config = config_of,
    .name = name_of,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_NARROW_TILES), &own_rates},
};
