/* How the products of f16, bf16 and TF32 with wgmma cut a problem: which tile, and which tiles of C are
 * divided along k so that the last round of blocks leaves no multiprocessor idle. */
#include "wgmma.h"

#include "choose.h"
#include "configs.h"
#include "kernels/operation.h"
#include "tma.h"
#include "operand.h"
#include "gemm/device/common/tiles.h"
#include "gemm/device/common/tensor-tiles.h"

#include <stdio.h>

#define TILE_OF(entry, alone, busy, ...) \
    {                                    \
        entry, __VA_ARGS__, alone, busy  \
    }

/* Times are fitted to drawn products on an H200 (doc/experiments.md). */
static const plx_wgmma_tile single[] = {TILE_OF("gemm_wgmma", 0.25, 0.25, GEMM_WGMMA_64X128)};

static const plx_wgmma_tile pipelined[] = {
    TILE_OF("gemm_wgmma_pipelined_128x256", 0.56, 0.68, GEMM_WGMMA_128X256),
    TILE_OF("gemm_wgmma_pipelined_128x128", 0.26, 0.367, GEMM_WGMMA_128X128),
    TILE_OF("gemm_wgmma_pipelined_128x64", 0.186, 0.211, GEMM_WGMMA_128X64),
    TILE_OF("gemm_wgmma_pipelined_128x192", 0.37, 0.51, GEMM_WGMMA_128X192),
    TILE_OF("gemm_wgmma_pipelined_128x96", 0.20, 0.30, GEMM_WGMMA_128X96),
};

static const plx_wgmma_tile clustered[] = {
    TILE_OF("gemm_wgmma_cluster_128x256", 0.69, 0.686, GEMM_WGMMA_PAIR_128X256),
    TILE_OF("gemm_wgmma_cluster_128x128", 0.454, 0.388, GEMM_WGMMA_PAIR_128X128),
};

static const plx_wgmma_tile of_tf32[] = {
    TILE_OF("gemm_wgmma_tf32_128x256", 0.44, 0.69, GEMM_WGMMA_128X256),
    TILE_OF("gemm_wgmma_tf32_128x128", 0.26, 0.375, GEMM_WGMMA_128X128),
    TILE_OF("gemm_wgmma_tf32_128x64", 0.189, 0.245, GEMM_WGMMA_128X64),
    TILE_OF("gemm_wgmma_tf32_128x96", 0.20, 0.31, GEMM_WGMMA_128X96),
    TILE_OF("gemm_wgmma_tf32_128x192", 0.313, 0.53, GEMM_WGMMA_128X192),
};

typedef struct kernel_tiles {
    const plx_wgmma_tile *tiles;
    size_t count;
    int64_t most_parts;
} kernel_tiles;

static const kernel_tiles tiles_of[] = {
    [PLX_WGMMA] = {single, sizeof single / sizeof single[0], 1},
    [PLX_WGMMA_PIPELINED] = {pipelined, sizeof pipelined / sizeof pipelined[0], 16},
    [PLX_WGMMA_CLUSTER] = {clustered, sizeof clustered / sizeof clustered[0], 16},
    [PLX_WGMMA_TF32] = {of_tf32, sizeof of_tf32 / sizeof of_tf32[0], 16},
};

/* Microseconds, and bytes in one; of 16-bit elements, and of TF32. */
typedef struct wgmma_rates {
    double launch_us;  /* from its begin to its first product and from its last to its end */
    double next_us;    /* of each launch besides, in CUDA */
    double item_us;    /* from the last product of an item to the first of the next */
    double sum_rate;   /* of parts that are written and added */
    double write_us;   /* of a tile of C a column, where no bulk stores reach its rows */
    double copy_rate;  /* of operands that are copied to aligned rows first */
    double misaligned; /* more of a step all of whose rows begin within a sector of memory, 32 bytes */
    double turn_rate;  /* of an operand that is turned as it is copied, besides */
} wgmma_rates;

static const wgmma_rates of_halves = {2.35, 2.57, 0.85, 5.5e6, 0.0061, 4.0e6, 0.38, 3.3e6},
                         of_singles = {2.74, 2.73, 0.96, 8.2e6, 0.0066, 3.33e6, 0.59, 0};

#define SHORT_STEPS 18
#define LATE_US 6.0        /* more of a launch after another in OpenCL, where none begins early */
#define FEW 64             /* columns, or rows, of C, where reading is what takes time: */
#define READ_US 3.0        /* and a launch */
#define COLUMNS_RATE 3.3e6 /* of operands */
#define ROWS_RATE 2.1e6    /* the same where few rows fill a part of each tile */

#define MOST (INT32_MAX - 65536) /* indices are 32 bits wide in the device code */

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a > 0 ? (a - 1) / b + 1 : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t element_bytes(const plx_problem *problem)
{
    return problem->dtype == PLX_F32 ? 4 : 2;
}

bool plx_wgmma_lies_across(const plx_problem *problem, uint32_t operand)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    return !stored.inner && (problem->dtype != PLX_F32 || plx_gemm_steps_by_units(&stored));
}

bool plx_wgmma_turns(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return problem->dtype == PLX_F32 && plx_wgmma_lies_across(problem, 1) &&
           (!plx_wgmma_lies_across(problem, 0) || p->n > p->m);
}

bool plx_wgmma_copy_turns(const plx_problem *problem, const plx_wgmma_tile *tile)
{
    return problem->dtype != PLX_F32 && tile->cols % GEMM_UNITS_DEPTH != 0 && plx_wgmma_lies_across(problem, 1);
}

/* Of the product that is multiplied. */
static int64_t rows_of(const plx_problem *problem)
{
    return plx_wgmma_turns(problem) ? problem->of.gemm.n : problem->of.gemm.m;
}

static int64_t cols_of(const plx_problem *problem)
{
    return plx_wgmma_turns(problem) ? problem->of.gemm.m : problem->of.gemm.n;
}

/* Elements of 128 bytes: a step along k. */
static int64_t depth_of_step(const plx_problem *problem)
{
    return GEMM_UNITS_DEPTH * 2 / element_bytes(problem);
}

static int64_t steps_along_k(const plx_problem *problem)
{
    return plx_gemm_has_terms(problem) ? quotient_up(problem->of.gemm.k, depth_of_step(problem)) : 0;
}

/* Tiles of 16-bit elements that are no multiple of 64 wide are for short sums: in longer ones more of them want more of
 * L2 than it gives, and were slower than their neighbours.  What is turned for them as it is copied has to be copied
 * anyway.  OpenCL has none. */
static bool takes_tile(const plx_problem *problem, const plx_device_info *device, const plx_wgmma_tile *tile)
{
    const plx_gemm_operand b = plx_gemm_operand_as(problem, 1);
    if (problem->dtype == PLX_F32 || tile->cols % GEMM_UNITS_DEPTH == 0)
        return true;
    return !(device->features & PLX_FEATURE_NVIDIA_PTX) && steps_along_k(problem) <= SHORT_STEPS &&
           (b.inner || !plx_gemm_steps_by_units(&b));
}

int64_t plx_wgmma_shared(const plx_wgmma_tile *tile)
{
    int64_t stages = (int64_t)tile->stages * (tile->rows + tile->cols) * GEMM_UNITS_DEPTH * 2;
    int64_t leaving = 2 * (int64_t)tile->rows * GEMM_UNITS_DEPTH * 2;
    return 1024 + stages + 1024 + leaving;
}

int64_t plx_wgmma_slots(const plx_wgmma_tile *tile, const plx_device_info *device)
{
    int64_t units = device->units > 0 ? device->units : 1;
    return units / tile->cluster > 0 ? units / tile->cluster : 1;
}

/* ---- the model ----------------------------------------------------------------------- */

double plx_units_late_us(const plx_device_info *device)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX ? LATE_US : 0;
}

double plx_units_memory_rate(const plx_device_info *device)
{
    return device->memory_bytes > UINT64_C(100) << 30 ? 4.2e6 : 3.1e6;
}

#define BEGIN_US 3.0 /* of a kernel that waits for memory */
#define SEEN 0.3     /* of what it does besides */

double plx_units_us_with_memory(const plx_problem *problem, const plx_device_info *device, double us)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double waiting = BEGIN_US + 2 * (m * k + n * k + m * n) / plx_units_memory_rate(device) + SEEN * us;
    return us > waiting ? us : waiting;
}

static const wgmma_rates *rates_of(const plx_problem *problem)
{
    return problem->dtype == PLX_F32 ? &of_singles : &of_halves;
}

/* Of a launch after another. */
static double next_us(const plx_problem *problem, const plx_device_info *device)
{
    return rates_of(problem)->next_us + plx_units_late_us(device);
}

/* Whether lines of an operand that is not copied are in five sectors, of two lines of memory, instead of
 * four. */
static bool is_misaligned(const plx_problem *problem, int64_t ld)
{
    const int64_t bytes = ld * element_bytes(problem);
    return bytes % 16 == 0 && bytes % 32 != 0;
}

/* What a step takes, of what it takes where all lines are whole sectors; blocks that share what they read
 * have time for more. */
static double slowdown(const plx_wgmma_tile *tile, const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int32_t lines =
        (is_misaligned(problem, p->lda) ? tile->rows : 0) + (is_misaligned(problem, p->ldb) ? tile->cols : 0);
    return tile->cluster > 1 ? 1 : 1 + rates_of(problem)->misaligned * lines / (tile->rows + tile->cols);
}

/* Microseconds of a step of tiles of which no multiprocessor has more than one: where all have one, they share L2. */
static double step_of_lone_tile(const plx_wgmma_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const plx_wgmma_tile *tile = cut->tile;
    const double share = (double)cut->items / (double)plx_wgmma_slots(tile, device), more = tile->busy - tile->alone;
    return problem->dtype == PLX_F32 || more < 0 ? tile->alone : tile->alone + share * more;
}

/* What the multiprocessor with the most to do takes: its tiles, and its parts of tiles. */
static double us_of(const plx_wgmma_tiling *cut, const plx_problem *problem, const plx_device_info *device)
{
    const int64_t steps = steps_along_k(problem);
    const plx_wgmma_tile *tile = cut->tile;
    const wgmma_rates *rates = rates_of(problem);
    int64_t slots = plx_wgmma_slots(tile, device), late = cut->items - cut->whole;
    int64_t tiles = quotient_up(cut->whole, slots), parts = quotient_up(late, slots);
    double all_steps = (double)(tiles * steps + parts * quotient_up(steps, cut->parts));
    double partial = (double)late * tile->cluster * tile->rows * tile->cols * 4;
    double us = rates->launch_us +
                all_steps * slowdown(tile, problem) *
                    (tiles + parts == 1 ? step_of_lone_tile(cut, problem, device) : tile->busy) +
                (double)(tiles + parts) * rates->item_us;
    if (plx_wgmma_copy_turns(problem, tile))
        us += 2 * (double)problem->of.gemm.n * (double)problem->of.gemm.k / rates->turn_rate;
    if (!plx_wgmma_tile_reached(problem, tile))
        us += (double)tiles * tile->cols * rates->write_us;
    return late == 0 ? us : us + next_us(problem, device) + 2 * partial / rates->sum_rate;
}

/* What a walk over the cuts of a kernel brings with it. */
typedef struct walk {
    const plx_problem *problem;
    const plx_device_info *device;
    void (*visit)(struct walk *walk, size_t tile, const plx_wgmma_tiling *cut);
    plx_wgmma_tiling best;
    plx_gemm_config config;    /* of the best; of keep_wanted: the one that is looked for */
    plx_gemm_listing *listing; /* of list */
} walk;

static plx_gemm_config config_of(size_t tile, const plx_wgmma_tiling *cut)
{
    return (plx_gemm_config){.tile = (uint32_t)tile, .parts = (uint32_t)cut->parts};
}

static void keep_better(walk *w, size_t tile, const plx_wgmma_tiling *cut)
{
    if (w->best.tile != NULL && cut->us >= w->best.us)
        return;
    w->best = *cut;
    w->config = config_of(tile, cut);
}

static void keep_wanted(walk *w, size_t tile, const plx_wgmma_tiling *cut)
{
    const plx_gemm_config config = config_of(tile, cut);
    if (plx_gemm_config_number(&config) == plx_gemm_config_number(&w->config))
        w->best = *cut;
}

/* Every part has a step at least. */
static void each_of_tile(walk *w, const plx_wgmma_tile *tile, size_t place, int64_t most_parts)
{
    int64_t steps = steps_along_k(w->problem), tiles;

    if (__builtin_mul_overflow(quotient_up(rows_of(w->problem), (int64_t)tile->rows * tile->cluster),
                               quotient_up(cols_of(w->problem), tile->cols), &tiles) ||
        tiles > MOST)
        return;
    int64_t over = tiles % plx_wgmma_slots(tile, w->device);
    for (int64_t parts = 1; parts <= smaller(most_parts, steps) && (parts == 1 || over > 0); parts++) {
        int64_t whole = parts == 1 ? tiles : tiles - over;
        plx_wgmma_tiling cut = {tile, tiles, whole, parts, whole + (tiles - whole) * parts, 0};
        cut.us = us_of(&cut, w->problem, w->device);
        w->visit(w, place, &cut);
    }
}

static void each_cut(plx_wgmma_kernel kernel, walk *w)
{
    const plx_gemm_problem *p = &w->problem->of.gemm;
    const kernel_tiles *of = &tiles_of[kernel];

    if (p->m > MOST || p->n > MOST || p->k > MOST)
        return;
    for (size_t i = 0; i < of->count; i++)
        if (takes_tile(w->problem, w->device, &of->tiles[i]))
            each_of_tile(w, &of->tiles[i], i, of->most_parts);
}

static bool find_cut(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device, walk *w)
{
    *w = (walk){.problem = problem, .device = device, .visit = keep_better};
    if (problem->config != 0) {
        w->visit = keep_wanted;
        w->config = plx_gemm_config_of(problem);
    }
    each_cut(kernel, w);
    return w->best.tile != NULL;
}

plx_wgmma_tiling plx_wgmma_tiling_by(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                                     const plx_schedule *schedule)
{
    const plx_wgmma_tile *tile = &tiles_of[kernel].tiles[schedule->tile];
    const int64_t parts = schedule->split_k;
    const int64_t tiles =
        quotient_up(rows_of(problem), (int64_t)tile->rows * tile->cluster) * quotient_up(cols_of(problem), tile->cols);
    const int64_t whole = parts == 1 ? tiles : tiles - tiles % plx_wgmma_slots(tile, device);
    return (plx_wgmma_tiling){tile, tiles, whole, parts, whole + (tiles - whole) * parts, schedule->us};
}

/* Operands whose rows are no multiple of 16 bytes apart, and that of TF32 which must run along k and does
 * not, in a launch of their own. */
static double us_of_copying(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t bytes = element_bytes(problem);
    const bool both_across =
                   problem->dtype == PLX_F32 && plx_wgmma_lies_across(problem, 0) && plx_wgmma_lies_across(problem, 1),
               turns = plx_wgmma_turns(problem);
    double k = (double)p->k, elements = 0;
    if (p->lda * bytes % 16 != 0 || (both_across && turns))
        elements += (double)p->m * k;
    if (p->ldb * bytes % 16 != 0 || (both_across && !turns))
        elements += (double)p->n * k;
    return elements > 0 ? next_us(problem, device) + 2 * elements * (double)bytes / rates_of(problem)->copy_rate : 0;
}

/* Of few rows or columns, to read the operands once: no cut takes less. */
static double us_of_reading(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double bytes = (double)element_bytes(problem) * ((double)p->m + (double)p->n) * (double)p->k;
    if (p->m > FEW && p->n > FEW)
        return 0;
    return READ_US + bytes / (p->m < p->n ? ROWS_RATE : COLUMNS_RATE);
}

#define GAPS 1.4 /* more of all where rows of 16-bit elements run along k and are no whole lines of memory */

static bool has_gaps(const plx_gemm_problem *p)
{
    return !p->trans_a && p->trans_b && p->lda % 8 == 0 && p->ldb % 8 == 0 && (p->lda % 64 != 0 || p->ldb % 64 != 0);
}

static double us_of_product(const plx_problem *problem, const plx_device_info *device, const plx_wgmma_tiling *cut)
{
    const double reading = us_of_reading(problem);
    const double us = (cut->us > reading ? cut->us : reading) + us_of_copying(problem, device);
    if (problem->dtype == PLX_F32)
        return us;
    return plx_units_us_with_memory(problem, device, has_gaps(&problem->of.gemm) ? GAPS * us : us);
}

/* ---- schedules --------------------------------------------------------------------- */

static plx_wgmma_kernel kernel_of(const plx_schedule *schedule)
{
    switch (schedule->kernel) {
    case PLX_GEMM_WGMMA:
        return PLX_WGMMA;
    case PLX_GEMM_WGMMA_PIPELINED:
        return PLX_WGMMA_PIPELINED;
    case PLX_GEMM_WGMMA_CLUSTER:
        return PLX_WGMMA_CLUSTER;
    default:
        return PLX_WGMMA_TF32;
    }
}

plx_operand_path plx_units_path(const plx_problem *problem, uint32_t operand, bool unaligned)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    return unaligned || !plx_gemm_steps_by_units(&stored) ? PLX_PATH_PACKED : PLX_PATH_TMA;
}

/* The units read `second` of the product of TF32 along k alone, and so an operand of a tile that turns it; what is
 * turned is copied. */
static plx_operand_path path_of(const plx_problem *problem, uint32_t operand, bool second, bool turns, bool unaligned)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    const bool steps = plx_gemm_steps_by_units(&stored);
    if (!stored.inner && (stored.dtype == PLX_F32 ? second || !steps : turns))
        return PLX_PATH_PACKED_TRANSPOSED;
    return plx_units_path(problem, operand, unaligned);
}

static void find_paths(const plx_problem *problem, bool unaligned, plx_schedule *schedule)
{
    const plx_wgmma_tile *tile = &tiles_of[kernel_of(schedule)].tiles[schedule->tile];
    const bool turns = plx_wgmma_turns(problem);
    schedule->transposed = turns;
    schedule->paths[0] = path_of(problem, 0, turns, false, unaligned);
    schedule->paths[1] = path_of(problem, 1, !turns, plx_wgmma_copy_turns(problem, tile), unaligned);
    schedule->paths[2] = !unaligned && plx_wgmma_tile_reached(problem, tile) ? PLX_PATH_TMA : PLX_PATH_LOADS;
}

plx_status plx_units_check(const plx_problem *problem, plx_error *error)
{
    if (!plx_is_half(problem->dtype) || problem->compute != PLX_COMPUTE_PLAIN)
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f16 and bf16 alone");
    return PLX_OK;
}

static plx_status check(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                        plx_error *error)
{
    const bool has_twin = kernel == PLX_WGMMA_PIPELINED || kernel == PLX_WGMMA_TF32;
    const plx_status status = has_twin ? plx_needs_9_0(device, error) : plx_needs_sm_90a(device, error);
    if (status != PLX_OK)
        return status;
    if (kernel != PLX_WGMMA_TF32)
        return plx_units_check(problem, error);
    if (problem->dtype != PLX_F32 || problem->compute != PLX_COMPUTE_TF32)
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f32 as TF32 alone");
    return PLX_OK;
}

/* Where there is nothing to multiply, no tile is better than others. */
static plx_status schedule_of(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                              plx_schedule *schedule, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    walk w;
    plx_status status = check(kernel, problem, device, error);
    schedule->split_k = 1;
    schedule->us = (double)INT64_MAX;
    if (status != PLX_OK || p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return status;
    status = plx_gemm_check_sizes(p, error);
    if (status != PLX_OK)
        return status;
    if (!find_cut(kernel, problem, device, &w))
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    schedule->tile = (uint32_t)(w.best.tile - tiles_of[kernel].tiles);
    schedule->split_k = (int32_t)w.best.parts;
    schedule->cluster_rows = w.best.tile->cluster;
    schedule->us = us_of_product(problem, device, &w.best);
    find_paths(problem, false, schedule);
    return PLX_OK;
}

plx_status plx_wgmma_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                              plx_error *error)
{
    if (device->features & PLX_FEATURE_NVIDIA_PTX) { /* OpenCL's has one tile, and threads bring */
        const plx_status status = plx_needs_9_0(device, error);
        return status == PLX_OK ? plx_units_check(problem, error) : status;
    }
    return schedule_of(PLX_WGMMA, problem, device, schedule, error);
}

plx_status plx_wgmma_pipelined_schedule(const plx_problem *problem, const plx_device_info *device,
                                        plx_schedule *schedule, plx_error *error)
{
    return schedule_of(PLX_WGMMA_PIPELINED, problem, device, schedule, error);
}

plx_status plx_wgmma_cluster_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                      plx_error *error)
{
    return schedule_of(PLX_WGMMA_CLUSTER, problem, device, schedule, error);
}

plx_status plx_wgmma_tf32_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                   plx_error *error)
{
    return schedule_of(PLX_WGMMA_TF32, problem, device, schedule, error);
}

plx_status plx_wgmma_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                               plx_error *error)
{
    (void)device;
    (void)error;
    find_paths(problem, true, schedule);
    return PLX_OK;
}

/* ---- configurations ----------------------------------------------------------------- */

/* "128x256/3": the tiles that full rounds leave are divided into three parts. */
static void list(walk *w, size_t tile, const plx_wgmma_tiling *cut)
{
    const plx_gemm_config config = config_of(tile, cut);
    char parts[24] = "";
    if (cut->parts > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)cut->parts);
    const bool turns = plx_wgmma_turns(w->problem);
    plx_gemm_list(w->listing, &config, us_of_product(w->problem, w->device, cut), "%dx%d%s",
                  turns ? cut->tile->cols : cut->tile->rows, turns ? cut->tile->rows : cut->tile->cols, parts);
}

static size_t list_all(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                       plx_gemm_listing listing)
{
    walk w = {.problem = problem, .device = device, .visit = keep_better, .listing = &listing};
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0 || steps_along_k(problem) == 0)
        return 0;
    each_cut(kernel, &w);
    listing.own = plx_gemm_config_number(&w.config);
    w.visit = list;
    each_cut(kernel, &w);
    return listing.count;
}

size_t plx_wgmma_pipelined_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                   size_t capacity)
{
    return list_all(PLX_WGMMA_PIPELINED, problem, device, (plx_gemm_listing){configs, capacity, .own = 0});
}

size_t plx_wgmma_cluster_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                 size_t capacity)
{
    return list_all(PLX_WGMMA_CLUSTER, problem, device, (plx_gemm_listing){configs, capacity, .own = 0});
}

size_t plx_wgmma_tf32_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                              size_t capacity)
{
    return list_all(PLX_WGMMA_TF32, problem, device, (plx_gemm_listing){configs, capacity, .own = 0});
}

/* ---- depth ----------------------------------------------------------------------------- */

/* What the units add at a time is a sum of 8 products or more with what was there before: each of these 9
 * loses less than u of the largest when it is aligned to that one, and the result less than 2 u when it is
 * cut off. */
enum { AT_A_TIME = 8, LOST_AT_A_TIME = AT_A_TIME + 1 + 2 };

int64_t plx_units_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return quotient_up(problem->of.gemm.k, AT_A_TIME) * LOST_AT_A_TIME;
}

/* A tile that is divided is added up from its parts, each rounded once more. */
int64_t plx_wgmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t depth = plx_units_depth(problem, device);
    if (schedule->split_k <= 1)
        return depth;
    const plx_wgmma_tiling cut = plx_wgmma_tiling_by(kernel_of(schedule), problem, device, schedule);
    if (cut.whole > 0)
        return depth + cut.parts - 1;
    const int64_t terms = quotient_up(steps_along_k(problem), cut.parts) * depth_of_step(problem);
    return terms / AT_A_TIME * LOST_AT_A_TIME + cut.parts - 1;
}
