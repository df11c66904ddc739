/* wgmma, wgmma-pipelined, wgmma-cluster and wgmma-tf32: which tile, and which tiles of C are divided along k so that
 * the last wave of blocks leaves no multiprocessor idle; and what that costs. */
#include "gemm/device/common/tensor-tiles.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "tensor.h"

#include <math.h>
#include <stdio.h>

/* ---- the cost ------------------------------------------------------------------------- */

/* Microseconds, and bytes in one. */
#define RATES(X)                                                                                                   \
    X(launch_us, 0.1, 20)     /* from its begin to its first product and from its last to its end */               \
    X(next_us, 0.1, 20)       /* of each launch besides, in CUDA */                                                \
    X(item_us, 0.01, 20)      /* from the last product of an item to the first of the next */                      \
    X(sum_rate, 1e5, 5e7)     /* of parts that are written and added */                                            \
    X(write_us, 1e-4, 1)      /* of a tile of C a column, where no bulk stores reach its rows */                   \
    X(copy_rate, 1e5, 5e7)    /* of operands that are packed first */                                              \
    X(misaligned, 0.01, 4)    /* more of a k-tile all of whose rows begin within a sector of memory, 32 bytes */   \
    X(turn_rate, 1e5, 5e7)    /* of an operand that is transposed as it is packed, besides */                      \
    X(read_us, 0.1, 20)       /* of few columns, or rows, of C, where reading is what takes time: a launch, */     \
    X(columns_rate, 1e5, 5e7) /* operands, */                                                                      \
    X(rows_rate, 1e5, 5e7)    /* and those where few rows fill a part of each tile */                              \
    X(gaps, 1, 4)             /* more of all where K-major rows of 16-bit elements are no whole lines of memory */ \
    X(gaps_across, 1, 4)      /* more of a k-tile where such rows are those of operands across k */                \
    X(flops_rate, 1e7, 1e10)  /* of 16 bits: what the limit of power leaves */                                     \
    X(overlap, 1, 10)         /* the norm by which multiplying these and memory's time add up */                   \
    X(writes_seen, 0.01, 2)   /* of memory's time for C, in which they are not multiplied */
/* A k-tile where a multiprocessor has one tile, and where it has several, at the clocks and with the traffic of larger
 * products. */
#define TILE_RATES(X) \
    X(alone, 0.01, 5) \
    X(busy, 0.01, 5)
enum { MOST_TILES = 5 };
typedef struct tile_rates {
    TILE_RATES(PLX_GEMM_FIELD)
} tile_rates;
typedef struct wgmma_rates {
    RATES(PLX_GEMM_FIELD)
    plx_tensor_rates tensor;
    tile_rates tiles[MOST_TILES];
} wgmma_rates;

static const wgmma_rates single_rates = {
#include "rates/cuda-9.0/wgmma.h"
};
static const wgmma_rates pipelined_rates = {
#include "rates/cuda-9.0/wgmma-pipelined.h"
};
static const wgmma_rates cluster_rates = {
#include "rates/cuda-9.0/wgmma-cluster.h"
};
static const wgmma_rates tf32_rates = {
#include "rates/cuda-9.0/wgmma-tf32.h"
};

static const wgmma_rates *rates_of(uint32_t kernel)
{
    return plx_gemm_family_of(kernel)->rates.own;
}

enum { SHORT_K_TILES = 18, SKINNY = 64 };

/* Tiles of 16-bit elements that are no multiple of 64 wide pay for short sums alone: in longer ones more of them want
 * more of L2 than it gives.  They need B K-major, or packed anyway, for packing transposes it.  OpenCL has none. */
static bool takes_tile(const plx_problem *problem, const plx_device_info *device, const plx_wgmma_tile *tile)
{
    const plx_gemm_operand b = plx_gemm_operand_as(problem, 1);
    if (problem->dtype == PLX_F32 || tile->cols % GEMM_UNITS_DEPTH == 0)
        return true;
    return !(device->features & PLX_FEATURE_NVIDIA_PTX) && plx_units_k_tiles(problem) <= SHORT_K_TILES &&
           (b.inner || !plx_gemm_steps_by_units(&b));
}

/* Of a launch after another. */
static double next_us(const plx_device_info *device, const wgmma_rates *by)
{
    return by->next_us + plx_tensor_late_us(device, &by->tensor);
}

/* Whether lines of an operand that is not copied are in five sectors, of two lines of memory, instead of
 * four. */
static bool is_misaligned(const plx_problem *problem, int64_t ld)
{
    const int64_t bytes = ld * plx_units_bytes(problem);
    return bytes % 16 == 0 && bytes % 32 != 0;
}

/* Rows of 16-bit elements that the copy engine reaches and that are no whole lines of memory. */
static bool has_gaps(const plx_gemm_problem *p)
{
    return p->lda % 8 == 0 && p->ldb % 8 == 0 && (p->lda % 64 != 0 || p->ldb % 64 != 0);
}

static bool is_k_major(const plx_gemm_problem *p)
{
    return !p->trans_a && p->trans_b;
}

/* What a k-tile takes, of what it takes where all lines are whole sectors and rows whole lines; blocks that share what
 * they read have time for more. */
static double slowdown(const plx_wgmma_tile *tile, const plx_problem *problem, const wgmma_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double across = problem->dtype != PLX_F32 && has_gaps(p) && !is_k_major(p) ? by->gaps_across : 1;
    const int32_t lines =
        (is_misaligned(problem, p->lda) ? tile->rows : 0) + (is_misaligned(problem, p->ldb) ? tile->cols : 0);
    return tile->cluster > 1 ? 1 : across * (1 + by->misaligned * lines / (tile->rows + tile->cols));
}

/* Microseconds of a k-tile where no multiprocessor has more than one tile: where all have one, they share L2. */
static double k_tile_of_lone_tile(const plx_wgmma_tiling *tiling, const plx_problem *problem,
                                  const plx_device_info *device, const tile_rates *rate)
{
    const double share = (double)tiling->work.items / (double)plx_wgmma_slots(tiling->tile, device),
                 more = rate->busy - rate->alone;
    return problem->dtype == PLX_F32 || more < 0 ? rate->alone : rate->alone + share * more;
}

/* What the multiprocessor with the most to do takes: its tiles, and its parts of tiles. */
static double us_of_tiles(const plx_wgmma_tiling *tiling, const plx_problem *problem, const plx_device_info *device,
                          const wgmma_rates *by, const tile_rates *rate)
{
    const plx_wgmma_tile *tile = tiling->tile;
    const plx_gemm_work *work = &tiling->work;
    const int64_t k_tiles = plx_units_k_tiles(problem), slots = plx_wgmma_slots(tile, device);
    const int64_t residual = work->items - work->whole;
    const int64_t tiles = quotient_up(work->whole, slots), parts = quotient_up(residual, slots);
    const double all = (double)(tiles * k_tiles + parts * quotient_up(k_tiles, work->parts));
    double us = by->launch_us +
                all * slowdown(tile, problem, by) *
                    (tiles + parts == 1 ? k_tile_of_lone_tile(tiling, problem, device, rate) : rate->busy) +
                (double)(tiles + parts) * by->item_us;
    if (plx_wgmma_packs_transposed(problem, tile))
        us += 2 * (double)problem->of.gemm.n * (double)problem->of.gemm.k / by->turn_rate;
    if (!plx_wgmma_tile_reached(problem, tile))
        us += (double)tiles * tile->cols * by->write_us;
    return us;
}

/* To add the parts of tiles, in a launch of its own. */
static double us_of_adding(const plx_wgmma_tiling *tiling, const plx_device_info *device, const wgmma_rates *by)
{
    const plx_wgmma_tile *tile = tiling->tile;
    const int64_t parts = tiling->work.items - tiling->work.whole;
    const double bytes = (double)parts * tile->cluster * tile->rows * tile->cols * 4;
    return parts == 0 ? 0 : next_us(device, by) + 2 * bytes / by->sum_rate;
}

/* Operands whose rows are no multiple of 16 bytes apart, and that of TF32 which must be K-major and is not, in a launch
 * of their own. */
static double us_of_packing(const plx_problem *problem, const plx_device_info *device, const wgmma_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t bytes = plx_units_bytes(problem);
    const bool both =
                   problem->dtype == PLX_F32 && plx_wgmma_is_mn_major(problem, 0) && plx_wgmma_is_mn_major(problem, 1),
               transposes = plx_wgmma_transposes(problem);
    const double k = (double)p->k;
    double elements = 0;
    if (p->lda * bytes % 16 != 0 || (both && transposes))
        elements += (double)p->m * k;
    if (p->ldb * bytes % 16 != 0 || (both && !transposes))
        elements += (double)p->n * k;
    return elements > 0 ? next_us(device, by) + 2 * elements * (double)bytes / by->copy_rate : 0;
}

/* Of a batch to bring all problems, and C: no L2 keeps what is read but once. */
static double us_of_batch(const plx_problem *problem, const plx_device_info *device, const wgmma_rates *by)
{
    return by->tensor.begin_us + plx_operand_bytes(problem) / plx_tensor_memory_rate(device, &by->tensor);
}

/* Of few rows or columns, to read the operands once: no tiling takes less. */
static double us_of_reading(const plx_problem *problem, const wgmma_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double bytes = (double)plx_units_bytes(problem) * ((double)p->m + (double)p->n) * (double)p->k;
    if (p->m > SKINNY && p->n > SKINNY)
        return 0;
    return by->read_us + bytes / (p->m < p->n ? by->rows_rate : by->columns_rate);
}

/* Of 16 bits: what its tiles take at the limit of power, while memory brings operands; it takes C while a block
 * multiplies nothing. */
static double us_of_halves(const plx_wgmma_tiling *tiling, const plx_problem *problem, const plx_device_info *device,
                           const wgmma_rates *by, double us_of_its_tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_wgmma_tile *tile = tiling->tile;
    const double flops = 2 * (double)p->m * (double)p->n * (double)p->k * (double)plx_problem_count(problem);
    const double of_tiles = 2.0 * tile->rows * tile->cols * tile->cluster * (double)tiling->work.tiles * (double)p->k;
    const double of_c = plx_tensor_bytes_of_c(problem, tile->cols, &by->tensor);
    const double bytes =
        problem->batch.batched ? plx_operand_bytes(problem) : 2 * ((double)p->m + (double)p->n) * (double)p->k + of_c;
    const double rate = plx_tensor_memory_rate(device, &by->tensor), gaps = has_gaps(p) && is_k_major(p) ? by->gaps : 1;
    const double math =
        plx_tensor_us_with_power(gaps * (us_of_its_tiles - by->launch_us), flops, of_tiles, by->flops_rate);
    const double writing = by->writes_seen * of_c * (double)plx_problem_count(problem) / rate;
    return by->launch_us + plx_tensor_overlapped(math + writing, bytes / rate, by->overlap);
}

/* Of the tiling, and of the product that it is of. */
static double us_of(uint32_t kernel, const plx_wgmma_tiling *tiling, const plx_problem *problem,
                    const plx_device_info *device, const wgmma_rates *by)
{
    const tile_rates *rate = &by->tiles[tiling->tile - plx_wgmma_tiles_of(kernel)->tiles];
    const double of_tiles = us_of_tiles(tiling, problem, device, by, rate);
    const plx_gemm_terms terms = {
        .math = problem->dtype == PLX_F32 ? of_tiles : us_of_halves(tiling, problem, device, by, of_tiles),
        .memory = problem->batch.batched ? us_of_batch(problem, device, by) : us_of_reading(problem, by),
        .join = us_of_adding(tiling, device, by),
        .pack = us_of_packing(problem, device, by),
    };
    return plx_gemm_us(&terms);
}

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_wgmma_tiling tiling = plx_wgmma_tiling_by(problem, device, schedule);
    return us_of(schedule->kernel, &tiling, problem, device, rates);
}

/* ---- schedules -------------------------------------------------------------------------- */

typedef void visit_tiling(plx_gemm_search *search, const plx_schedule *schedule, const plx_wgmma_tiling *tiling);

/* Every part has a k-tile at least; of a batch no tile is divided. */
static void each_of_tile(plx_gemm_search *search, const plx_wgmma_tile *tile, size_t place, visit_tiling *visit)
{
    const plx_problem *problem = search->problem;
    const int64_t of_kernel = problem->batch.batched ? 1 : plx_wgmma_tiles_of(search->kernel)->most_parts;
    const int64_t most_parts = smaller(of_kernel, plx_units_k_tiles(problem));
    int64_t tiles;
    if (!plx_wgmma_count_tiles(problem, tile, &tiles))
        return;
    const int64_t slots = plx_wgmma_slots(tile, search->device), over = tiles % slots;
    for (int64_t parts = 1; parts <= most_parts && (parts == 1 || over > 0); parts++) {
        const plx_wgmma_tiling tiling = {tile, plx_gemm_divide(tiles, parts, slots)};
        const plx_schedule schedule = {.kernel = search->kernel,
                                       .tile = (uint32_t)place,
                                       .split_k = (int32_t)parts,
                                       .cluster_rows = tile->cluster};
        visit(search, &schedule, &tiling);
    }
}

static void each_tiling(plx_gemm_search *search, visit_tiling *visit)
{
    const plx_gemm_problem *p = &search->problem->of.gemm;
    const plx_wgmma_tiles *of = plx_wgmma_tiles_of(search->kernel);
    if (p->m > PLX_GEMM_MOST_INDEX || p->n > PLX_GEMM_MOST_INDEX || p->k > PLX_GEMM_MOST_INDEX)
        return;
    for (size_t i = 0; i < of->count; i++)
        if (takes_tile(search->problem, search->device, &of->tiles[i]))
            each_of_tile(search, &of->tiles[i], i, visit);
}

static void show(plx_gemm_search *search, const plx_schedule *schedule, const plx_wgmma_tiling *tiling)
{
    plx_schedule made = *schedule;
    made.us = us_of(made.kernel, tiling, search->problem, search->device, rates_of(made.kernel));
    search->visit(search, &made);
}

static void each(plx_gemm_search *search)
{
    each_tiling(search, show);
}

/* Of those that wait for memory alike the best is the one that multiplies fastest. */
typedef struct fastest {
    plx_schedule schedule;
    double us_of_tiles;
    bool found;
} fastest;

static void keep_fastest(plx_gemm_search *search, const plx_schedule *schedule, const plx_wgmma_tiling *tiling)
{
    fastest *f = search->data;
    const wgmma_rates *by = rates_of(schedule->kernel);
    const double us_of_these = us_of_tiles(tiling, search->problem, search->device, by, &by->tiles[schedule->tile]) +
                               us_of_adding(tiling, search->device, by);
    const double us_of_all = us_of(schedule->kernel, tiling, search->problem, search->device, by);
    if (f->found && (us_of_all > f->schedule.us || (us_of_all == f->schedule.us && us_of_these >= f->us_of_tiles)))
        return;
    *f = (fastest){*schedule, us_of_these, true};
    f->schedule.us = us_of_all;
}

/* Where there is nothing to multiply, no tile is better than others; OpenCL's wgmma has one. */
static bool best(const plx_gemm_search *search, plx_schedule *schedule)
{
    fastest f = {.found = false};
    plx_gemm_search own = *search;
    const uint32_t kernel = search->kernel;
    *schedule = (plx_schedule){.kernel = kernel, .split_k = 1, .us = INFINITY};
    if (!plx_gemm_has_work(search->problem) ||
        (kernel == PLX_GEMM_WGMMA && (search->device->features & PLX_FEATURE_NVIDIA_PTX)))
        return true;
    own.data = &f;
    each_tiling(&own, keep_fastest);
    if (f.found)
        *schedule = f.schedule;
    return f.found;
}

static plx_gemm_config config_of(const plx_schedule *s)
{
    return (plx_gemm_config){.tile = s->tile, .parts = (uint32_t)s->split_k};
}

/* "128x256/3": the tiles that full waves leave are divided into three parts. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    const plx_wgmma_tile *tile = &plx_wgmma_tiles_of(schedule->kernel)->tiles[schedule->tile];
    const bool transposes = plx_wgmma_transposes(problem);
    char parts[24] = "";
    (void)device;
    if (schedule->split_k > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)schedule->split_k);
    (void)snprintf(name, size, "%dx%d%s", transposes ? tile->cols : tile->rows, transposes ? tile->rows : tile->cols,
                   parts);
}

/* The tensor cores read `second` of the product of TF32 K-major alone, and so an operand of a tile that transposes it;
 * what is transposed is packed. */
static plx_operand_path path_of(const plx_problem *problem, uint32_t operand, bool second, bool transposes,
                                bool unaligned)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    const bool steps = plx_gemm_steps_by_units(&stored);
    if (!stored.inner && (stored.dtype == PLX_F32 ? second || !steps : transposes))
        return PLX_PATH_PACKED_TRANSPOSED;
    return plx_units_path(problem, operand, unaligned);
}

static void paths(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule)
{
    const plx_wgmma_tile *tile = &plx_wgmma_tiles_of(schedule->kernel)->tiles[schedule->tile];
    const bool transposes = plx_wgmma_transposes(problem);
    (void)device;
    schedule->transposed = transposes;
    schedule->paths[0] = path_of(problem, 0, transposes, false, unaligned);
    schedule->paths[1] = path_of(problem, 1, !transposes, plx_wgmma_packs_transposed(problem, tile), unaligned);
    schedule->paths[2] = !unaligned && plx_wgmma_tile_reached(problem, tile) ? PLX_PATH_TMA : PLX_PATH_LOADS;
}

static plx_status check_halves(const plx_problem *problem, plx_error *error)
{
    const plx_status status = plx_units_check(problem, error);
    return status == PLX_OK && plx_gemm_has_work(problem) ? plx_gemm_check_sizes(&problem->of.gemm, error) : status;
}

static plx_status check_pipelined(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = plx_needs_9_0(device, error);
    return status == PLX_OK ? check_halves(problem, error) : status;
}

static plx_status check_cluster(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = plx_needs_sm_90a(device, error);
    return status == PLX_OK ? check_halves(problem, error) : status;
}

static plx_status check_single(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX ? check_pipelined(problem, device, error)
                                                     : check_cluster(problem, device, error);
}

/* Whose tiles are so few that it is faster to divide them along k, problem by problem. */
static bool is_better_divided(const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem one = plx_batch_one(problem);
    plx_schedule each, all;
    return problem->config == 0 && plx_gemm_has_work(problem) &&
           plx_gemm_find(PLX_GEMM_WGMMA_TF32, &one, device, INFINITY, &each) && each.split_k > 1 &&
           plx_gemm_find(PLX_GEMM_WGMMA_TF32, problem, device, INFINITY, &all) &&
           (double)plx_problem_count(problem) * each.us < all.us;
}

/* What one launch takes without another before it. */
static plx_status check_batch(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    if (!problem->batch.batched)
        return PLX_OK;
    if (device->features & PLX_FEATURE_NVIDIA_PTX)
        return plx_fail(error, PLX_UNSUPPORTED, "takes one problem at a time in OpenCL");
    if (problem->of.gemm.trans_a && !problem->of.gemm.trans_b)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "takes batches with one operand across k at most, and others one at a time");
    plx_status status = plx_units_check_batch(problem, error);
    if (status == PLX_OK)
        status = plx_gemm_check_batch(problem, error); /* of what takes operands that begin anywhere */
    if (status == PLX_OK && is_better_divided(problem, device))
        return plx_fail(error, PLX_UNSUPPORTED, "divides k where tiles are few, one problem at a time");
    return status;
}

static plx_status check_tf32(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    plx_status status = plx_needs_9_0(device, error);
    if (status != PLX_OK)
        return status;
    if (problem->dtype != PLX_F32 || problem->compute != PLX_COMPUTE_TF32)
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f32 as TF32 alone");
    status = check_batch(problem, device, error);
    return status == PLX_OK && plx_gemm_has_work(problem) ? plx_gemm_check_sizes(&problem->of.gemm, error) : status;
}

static const plx_gemm_rate_range scalars[] = {RATES(PLX_GEMM_RANGE) PLX_TENSOR_RATES(PLX_GEMM_TENSOR_RANGE)},
                                 of_tile[] = {TILE_RATES(PLX_GEMM_RANGE)};

#define FAMILY(check_of, rates_of, count)                                                                              \
    {                                                                                                                  \
        .check = check_of, .each = each, .best = best, .none = "C has more tiles than can be counted", .paths = paths, \
        .config = config_of, .name = name_of, .us = us,                                                                \
        .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, count), &rates_of},                             \
    }
const plx_gemm_family plx_wgmma_family = FAMILY(check_single, single_rates, 1),
                      plx_wgmma_pipelined_family = FAMILY(check_pipelined, pipelined_rates, 5),
                      plx_wgmma_cluster_family = FAMILY(check_cluster, cluster_rates, 2),
                      plx_wgmma_tf32_family = FAMILY(check_tf32, tf32_rates, 5);
