/* The cost of a cut of split-k: a model of the device's time, in microseconds. */
#include "opencl.h"
#include "models.h"
#include "enumerate.h"

#include "arithmetic.h"
#include "gemm/device/simt/reduce-split-k.h"
#include "gemm/device/common/tiles.h"

#include <string.h>

const plx_gemm_tile plx_gemm_tiles[PLX_GEMM_TILES] = {
    {GEMM_TILE_128X128}, {GEMM_TILE_128X64}, {GEMM_TILE_64X64}, {GEMM_TILE_128X32}, {GEMM_TILE_32X128},
};

static const char *const entries[PLX_GEMM_TILES] = {
    "gemm_split_k_128x128", "gemm_split_k_128x64", "gemm_split_k_64x64", "gemm_split_k_128x32", "gemm_split_k_32x128",
};

/* Of a tile: shares of a multiprocessor's multiply-adds that two blocks beside each other reach, and one
 * alone; the microseconds of a round of blocks besides: the first operands, C; and those for each operand
 * that is transposed on its way. */
typedef struct tile_rates {
    double two, one, start_us, transposed_us;
} tile_rates;

typedef struct split_rates {
    double once_us; /* a launch */
    /* Where rows of C begin at units, and anywhere: as how many bytes each of C counts, and per byte of a
     * tile. */
    double counts[2], row_us[2];
    double bytes_per_us; /* of memory */
    double repack_us, repack_bytes_per_us;
    /* A cluster adds its tile through shared memory: two blocks on a multiprocessor, or one alone; per KiB.
     */
    double cluster_us, cluster_two_us, cluster_one_us;
    /* Of a block that computes edges: for each of its panels, and as it reads. */
    double edge_panel_us, edge_bytes_per_us;
    plx_gemm_adding adding;
    tile_rates tiles[PLX_GEMM_TILES];
} split_rates;

static const split_rates own_rates = {
#include "rates/cuda-9.0/split-k.h"
};

enum { BLOCKS_PER_SM = 2, ROUNDS_TO_DRIFT = 4, MOST_LEFT = 256 << 20 };

/* Clusters of four and eight leave places empty; in OpenCL parts are no clusters. */
static double places_of(const plx_device_info *device, int cluster)
{
    double share = plx_gemm_is_opencl(device) ? 1.0 : cluster >= 8 ? 0.91 : cluster >= 4 ? 0.919 : 1.0;
    return BLOCKS_PER_SM * units_of(device) * share;
}

/* Blocks that each have a multiprocessor to themselves: of clusters, too, not all have a place. */
static double places_alone(const plx_device_info *device, int cluster)
{
    return places_of(device, cluster) / BLOCKS_PER_SM;
}

/* What is left of a side beyond whole tiles, where that is an edge. */
static int64_t edge_of(int64_t count, int64_t side)
{
    int64_t rest = count % side;
    return count > side && rest <= GEMM_EDGE_MOST ? rest : 0;
}

int64_t plx_gemm_covered_rows(const plx_gemm_problem *problem, const plx_gemm_tiling *cut)
{
    return problem->m - (cut->edge_blocks > 0 ? edge_of(problem->m, cut->tile->rows) : 0);
}

int64_t plx_gemm_covered_columns(const plx_gemm_problem *problem, const plx_gemm_tiling *cut)
{
    return problem->n - (cut->edge_blocks > 0 ? edge_of(problem->n, cut->tile->cols) : 0);
}

static double tiles_of(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return ((double)((plx_gemm_covered_rows(p, cut) - 1) / cut->tile->rows) + 1.0) *
           ((double)((plx_gemm_covered_columns(p, cut) - 1) / cut->tile->cols) + 1.0);
}

/* Time of the last round, of `rest` blocks, after `rounds` whole ones.  At first a multiprocessor that has
 * two blocks is the last; over many rounds blocks come to end one by one, and those that are left are
 * spread. */
static double last_round(double rest, double units, double alone, double both, double rounds)
{
    double spread = alone + (both - alone) * (rest - units) / units;
    double drifted = rounds < ROUNDS_TO_DRIFT ? rounds / ROUNDS_TO_DRIFT : 1.0;
    if (rest <= 0)
        return 0;
    return rest <= units ? alone : both - (both - spread) * drifted;
}

/* Rounds of blocks, two on a multiprocessor at a time. */
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                          const tile_rates *rate)
{
    const plx_gemm_tile *t = cut->tile;
    int64_t steps = plx_gemm_k_tiles(problem), parts = (int64_t)cut->cluster * cut->clusters;
    double longest = (double)(steps / parts + (steps % parts != 0));
    double block = (double)t->rows * t->cols * GEMM_PIPELINE_DEPTH * longest / PLX_GEMM_FMA_PER_US;
    double blocks = tiles_of(&problem->of.gemm, cut) * (double)parts + cut->edge_blocks;
    double rounds = (double)(int64_t)(blocks / places_of(device, cut->cluster));
    double rest = blocks - rounds * places_of(device, cut->cluster);
    double both = BLOCKS_PER_SM * block / rate->two, alone = block / rate->one;
    return rounds * both + last_round(rest, places_alone(device, cut->cluster), alone, both, rounds);
}

static double moving(const plx_gemm_problem *p, const split_rates *by)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * plx_gemm_of_rows(by->counts, 1.0, p)) / by->bytes_per_us;
}

static double rounds_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters + cut->edge_blocks;
    return (double)(int64_t)(blocks / places_of(device, cut->cluster) + 0.999999);
}

double plx_gemm_of_rows(const double at_units_and_anywhere[2], double at_sectors, const plx_gemm_problem *p)
{
    return p->ldc % 8 == 0 ? at_sectors : at_units_and_anywhere[p->ldc % 4 != 0];
}

/* Parts lie in whole units. */
double plx_gemm_writing_us(const double at_units_and_anywhere[2], const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return cut->clusters > 1
               ? 0.0
               : 4.0 * cut->tile->rows * cut->tile->cols * plx_gemm_of_rows(at_units_and_anywhere, 0.0, p);
}

double plx_gemm_adding_us(const plx_gemm_problem *p, const plx_gemm_tiling *cut, const plx_gemm_adding *by)
{
    return cut->clusters > 1 ? by->launch_us + by->part_us * cut->clusters +
                                   8.0 * (double)p->m * (double)p->n * cut->clusters / by->bytes_per_us
                             : 0.0;
}

double plx_gemm_least_us(const plx_gemm_tiling *cut, const plx_gemm_adding *by)
{
    return cut->clusters > 1 ? by->least_us : 0.0;
}

/* Blocks of each round add their parts: in a cluster, then through memory. */
static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                      const split_rates *by)
{
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_joining(problem, cut);
    double of_tile = 4.0 * cut->tile->rows * cut->tile->cols, tiles = tiles_of(&problem->of.gemm, cut);
    double rounds = rounds_of(problem, device, cut);
    bool alone = tiles * cut->cluster * cut->clusters <= places_alone(device, cut->cluster);
    double in_cluster = by->cluster_us + of_tile / 1024 * (alone ? by->cluster_one_us : by->cluster_two_us);
    return (cut->cluster > 1 ? rounds * in_cluster : 0.0) + plx_gemm_adding_us(&problem->of.gemm, cut, &by->adding);
}

/* The same for all cuts.  Where operands begin is known only at the call: those whose rows step by units are
 * taken to begin so. */
static double repacking(const plx_problem *problem, const split_rates *by)
{
    double bytes = plx_gemm_repacked_bytes(problem);
    return bytes > 0 ? by->repack_us + 2.0 * bytes / by->repack_bytes_per_us : 0.0;
}

/* A long operand of `count` rows or columns for an edge, of which each block has a panel at a time. */
static double edge(const plx_gemm_problem *p, const plx_gemm_tiling *cut, int64_t count, bool along,
                   const split_rates *by)
{
    const int64_t panel = along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS, panels = quotient_up(count, panel);
    const double of_block = (double)quotient_up(panels, cut->edge_blocks);
    const double bytes = 4.0 * (double)p->k * (double)(panels > 1 ? panel : count);
    return of_block * (by->edge_panel_us + bytes / by->edge_bytes_per_us);
}

/* Edges are read by few blocks, each at its own rate, beside the tiles. */
static double edges(const plx_gemm_problem *p, const plx_gemm_tiling *cut, const split_rates *by)
{
    double below = p->m > plx_gemm_covered_rows(p, cut) ? edge(p, cut, p->n, p->trans_b, by) : 0.0;
    double beside = p->n > plx_gemm_covered_columns(p, cut) ? edge(p, cut, p->m, !p->trans_a, by) : 0.0;
    return below + beside;
}

double plx_gemm_edges_us(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    return cut->edge_blocks > 0 ? edges(&problem->of.gemm, cut, &own_rates) : 0.0;
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                      const split_rates *by)
{
    const tile_rates *rate = &by->tiles[cut->tile - plx_gemm_tiles];
    double beside = most(moving(&problem->of.gemm, by), edges(&problem->of.gemm, cut, by));
    double transposed = !problem->of.gemm.trans_a + problem->of.gemm.trans_b;
    double written = BLOCKS_PER_SM * plx_gemm_writing_us(by->row_us, &problem->of.gemm, cut);
    double starts = (rate->start_us + transposed * rate->transposed_us + written) * rounds_of(problem, device, cut);
    const double us = by->once_us + starts + most(multiplying(problem, device, cut, rate), beside) +
                      joining(problem, device, cut, by) + repacking(problem, by);
    return most(us, plx_gemm_least_us(cut, &by->adding));
}

static double cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    return cost_by(problem, device, cut, &own_rates);
}

/* Each multiprocessor at its best rate, and rounds of blocks that are not rounded up; of tiles that leave edges to
 * others. */
static double least_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    const tile_rates *rate = &own_rates.tiles[cut->tile - plx_gemm_tiles];
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_gemm_tiling covering = *cut;
    covering.edge_blocks = 1;
    const double tiles = tiles_of(p, &covering), area = (double)cut->tile->rows * cut->tile->cols;
    const double work = tiles * area * GEMM_PIPELINE_DEPTH * (double)plx_gemm_k_tiles(problem);
    const double multiplied = work / (PLX_GEMM_FMA_PER_US * units_of(device) * most(rate->one, rate->two));
    const double rounds = most(1.0, tiles * cut->cluster * cut->clusters / (BLOCKS_PER_SM * units_of(device)));
    const double in_cluster =
        own_rates.cluster_us + 4.0 * area / 1024 * least(own_rates.cluster_one_us, own_rates.cluster_two_us);
    return own_rates.once_us + rounds * (rate->start_us + (cut->cluster > 1 ? in_cluster : 0.0)) +
           most(multiplied, moving(p, &own_rates)) + plx_gemm_adding_us(p, cut, &own_rates.adding) +
           repacking(problem, &own_rates);
}

/* A launch that does not begin early, and maps that each round of blocks makes. */
double plx_gemm_mapped_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    static const double launch_us = 0.4, maps_us = 0.6;
    split_rates by = own_rates;
    by.adding.least_us = 0.0; /* no other launch adds parts */
    return launch_us + maps_us * rounds_of(problem, device, cut) + cost_by(problem, device, cut, &by);
}

bool plx_gemm_has_room(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return cut->clusters == 1 || 4.0 * (double)p->m * (double)(p->n + 3) * cut->clusters <= MOST_LEFT;
}

static bool possible(const plx_problem *problem, const plx_gemm_tiling *cut)
{
    return (int64_t)cut->cluster * cut->clusters <= plx_gemm_k_tiles(problem) &&
           plx_gemm_has_room(&problem->of.gemm, cut);
}

const plx_gemm_tilings *plx_gemm_split_k_tilings(const plx_device_info *device)
{
    static const plx_gemm_tilings with_maps = {.tiles = plx_gemm_tiles,
                                               .tile_count = PLX_GEMM_TILES,
                                               .entries = entries,
                                               .takes_edges = true,
                                               .possible = possible,
                                               .cost = cost,
                                               .least = least_of};
    return plx_gemm_is_opencl(device) ? plx_gemm_opencl_split_k_tilings(device) : &with_maps;
}

/* ---- rates ------------------------------------------------------------------------------ */

static const plx_gemm_rate_range scalars[] = {
    {"once_us", 0.05, 20},           {"counts[0]", 0.5, 8},
    {"counts[1]", 0.5, 8},           {"row_us[0]", 1e-8, 1e-3},
    {"row_us[1]", 1e-8, 1e-3},       {"bytes_per_us", 5e5, 5e7},
    {"repack_us", 0.05, 20},         {"repack_bytes_per_us", 5e5, 5e7},
    {"cluster_us", 0.01, 20},        {"cluster_two_us", 1e-4, 2},
    {"cluster_one_us", 1e-4, 2},     {"edge_panel_us", 0.01, 50},
    {"edge_bytes_per_us", 100, 1e5}, {"adding.launch_us", 0.1, 20},
    {"adding.part_us", 1e-3, 2},     {"adding.bytes_per_us", 5e5, 5e7},
    {"adding.least_us", 0.1, 20},
};
static const plx_gemm_rate_range of_tile[] = {
    {"two", 0.02, 1}, {"one", 0.02, 1}, {"start_us", 0.1, 60}, {"transposed_us", 0.01, 20}};

enum { SCALARS = sizeof scalars / sizeof scalars[0], OF_TILE = sizeof of_tile / sizeof of_tile[0] };
_Static_assert(sizeof(split_rates) == (SCALARS + OF_TILE * PLX_GEMM_TILES) * sizeof(double),
               "the rates are doubles alone, in this order");

static size_t list(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rate_ranges ranges = {scalars, SCALARS, of_tile, OF_TILE, PLX_GEMM_TILES};
    return plx_gemm_is_opencl(device) ? 0 : plx_gemm_list_rates(&ranges, &own_rates, rates, capacity);
}

static double expect(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    const plx_gemm_tilings *cuts = plx_gemm_split_k_tilings(device);
    split_rates by;
    plx_gemm_tiling cut;
    if (!plx_gemm_modelled_tiling(cuts, problem, device, &cut))
        return 0.0;
    if (rates == NULL || plx_gemm_is_opencl(device))
        return cuts->cost(problem, device, &cut);
    memcpy(&by, rates, sizeof by);
    return cost_by(problem, device, &cut, &by);
}

const plx_time_model plx_gemm_split_k_model = {.rates = list, .expect = expect};
