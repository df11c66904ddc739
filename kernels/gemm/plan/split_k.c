/* split-k: what a tiling costs. */
#include "arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "simt.h"

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

enum { BLOCKS_PER_SM = 2, WAVES_TO_DRIFT = 4 };

static double places_of(const plx_device_info *device, int cluster)
{
    return BLOCKS_PER_SM * (double)plx_gemm_sms(device) * plx_gemm_share_of_places(device, cluster);
}

/* Blocks that each have a multiprocessor to themselves: of clusters, too, not all have a place. */
static double places_alone(const plx_device_info *device, int cluster)
{
    return places_of(device, cluster) / BLOCKS_PER_SM;
}

static double tiles_of(const plx_gemm_problem *p, const plx_gemm_tiling *tiling)
{
    return ((double)((plx_gemm_covered_rows(p, tiling) - 1) / tiling->tile->rows) + 1.0) *
           ((double)((plx_gemm_covered_columns(p, tiling) - 1) / tiling->tile->cols) + 1.0);
}

/* Time of the last wave, of `rest` blocks, after `waves` whole ones.  At first a multiprocessor that has
 * two blocks is the last; over many waves blocks come to end one by one, and those that are left are
 * spread. */
static double last_wave(double rest, double units, double alone, double both, double waves)
{
    double spread = alone + (both - alone) * (rest - units) / units;
    double drifted = waves < WAVES_TO_DRIFT ? waves / WAVES_TO_DRIFT : 1.0;
    if (rest <= 0)
        return 0;
    return rest <= units ? alone : both - (both - spread) * drifted;
}

/* Waves of blocks, two on a multiprocessor at a time. */
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                          const tile_rates *rate)
{
    const double longest = (double)quotient_up(plx_gemm_k_tiles(problem), plx_gemm_partitions(tiling));
    const double block =
        (double)tiling->tile->rows * tiling->tile->cols * GEMM_PIPELINE_DEPTH * longest / PLX_GEMM_FMA_PER_US;
    const double blocks =
        tiles_of(&problem->of.gemm, tiling) * (double)plx_gemm_partitions(tiling) + tiling->edge_blocks;
    const double waves = (double)(int64_t)(blocks / places_of(device, tiling->cluster));
    const double rest = blocks - waves * places_of(device, tiling->cluster);
    const double both = BLOCKS_PER_SM * block / rate->two, alone = block / rate->one;
    return waves * both + last_wave(rest, places_alone(device, tiling->cluster), alone, both, waves);
}

static double waves_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    const double blocks =
        tiles_of(&problem->of.gemm, tiling) * tiling->cluster * tiling->clusters + tiling->edge_blocks;
    return rounded_up(blocks / places_of(device, tiling->cluster));
}

/* Blocks of each wave add their parts: in a cluster, then through memory. */
static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                      const split_rates *by)
{
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_joining(problem, tiling);
    double of_tile = 4.0 * tiling->tile->rows * tiling->tile->cols, tiles = tiles_of(&problem->of.gemm, tiling);
    double waves = waves_of(problem, device, tiling);
    bool alone = tiles * tiling->cluster * tiling->clusters <= places_alone(device, tiling->cluster);
    double in_cluster = by->cluster_us + of_tile / 1024 * (alone ? by->cluster_one_us : by->cluster_two_us);
    return (tiling->cluster > 1 ? waves * in_cluster : 0.0) +
           plx_gemm_adding_us(&problem->of.gemm, tiling, &by->adding);
}

/* A long operand of `count` rows or columns for an edge, of which each block has a panel at a time. */
static double edge(const plx_gemm_problem *p, const plx_gemm_tiling *tiling, int64_t count, bool along,
                   const split_rates *by)
{
    const int64_t panel = along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS, panels = quotient_up(count, panel);
    const double of_block = (double)quotient_up(panels, tiling->edge_blocks);
    const double bytes = 4.0 * (double)p->k * (double)(panels > 1 ? panel : count);
    return of_block * (by->edge_panel_us + bytes / by->edge_bytes_per_us);
}

/* Edges are read by few blocks, each at its own rate, beside the tiles. */
static double edges(const plx_gemm_problem *p, const plx_gemm_tiling *tiling, const split_rates *by)
{
    double below = p->m > plx_gemm_covered_rows(p, tiling) ? edge(p, tiling, p->n, p->trans_b, by) : 0.0;
    double beside = p->n > plx_gemm_covered_columns(p, tiling) ? edge(p, tiling, p->m, !p->trans_a, by) : 0.0;
    return below + beside;
}

double plx_gemm_edges_us(const plx_problem *problem, const plx_gemm_tiling *tiling)
{
    return tiling->edge_blocks > 0 ? edges(&problem->of.gemm, tiling, &own_rates) : 0.0;
}

static plx_gemm_terms terms_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                               const split_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const tile_rates *rate = &by->tiles[tiling->tile - plx_gemm_split_k_tile];
    const double transposed = !p->trans_a + p->trans_b;
    const double written = BLOCKS_PER_SM * plx_gemm_writing_us(by->row_us, p, tiling);
    const double wave_us = rate->start_us + transposed * rate->transposed_us + written;
    return (plx_gemm_terms){
        .launch = by->once_us + wave_us * waves_of(problem, device, tiling),
        .math = multiplying(problem, device, tiling, rate),
        .memory = most(plx_gemm_moving_us(p, by->counts, by->bytes_per_us), edges(p, tiling, by)),
        .join = joining(problem, device, tiling, by),
        .pack = plx_gemm_packing_us(problem, by->repack_us, by->repack_bytes_per_us),
        .least = plx_gemm_adding_least(tiling, &by->adding),
    };
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                      const split_rates *by)
{
    const plx_gemm_terms terms = terms_of(problem, device, tiling, by);
    return plx_gemm_us(&terms);
}

double plx_gemm_split_k_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    return cost_by(problem, device, tiling, &own_rates);
}

/* Each multiprocessor at its best rate, and waves of blocks that are not rounded up; of tiles that leave edges to
 * others. */
double plx_gemm_split_k_least(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    const tile_rates *rate = &own_rates.tiles[tiling->tile - plx_gemm_split_k_tile];
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_gemm_tiling covering = *tiling;
    covering.edge_blocks = 1;
    const double tiles = tiles_of(p, &covering), area = (double)tiling->tile->rows * tiling->tile->cols;
    const double work = tiles * area * GEMM_PIPELINE_DEPTH * (double)plx_gemm_k_tiles(problem);
    const double multiplied = work / (PLX_GEMM_FMA_PER_US * (double)plx_gemm_sms(device) * most(rate->one, rate->two));
    const double waves =
        most(1.0, tiles * tiling->cluster * tiling->clusters / (BLOCKS_PER_SM * (double)plx_gemm_sms(device)));
    const double in_cluster =
        own_rates.cluster_us + 4.0 * area / 1024 * least(own_rates.cluster_one_us, own_rates.cluster_two_us);
    return own_rates.once_us + waves * (rate->start_us + (tiling->cluster > 1 ? in_cluster : 0.0)) +
           most(multiplied, plx_gemm_moving_us(p, own_rates.counts, own_rates.bytes_per_us)) +
           plx_gemm_adding_us(p, tiling, &own_rates.adding) +
           plx_gemm_packing_us(problem, own_rates.repack_us, own_rates.repack_bytes_per_us);
}

double plx_gemm_split_k_longest(const plx_problem *problem, const plx_device_info *device,
                                const plx_gemm_tiling *tiling)
{
    const tile_rates *rate = &own_rates.tiles[tiling->tile - plx_gemm_split_k_tile];
    const double longest = (double)quotient_up(plx_gemm_k_tiles(problem), plx_gemm_partitions(tiling));
    (void)device;
    return own_rates.once_us + rate->start_us + plx_gemm_k_tile_us(tiling) * longest / most(rate->one, rate->two);
}

/* A launch that does not begin early, and maps that each wave of blocks makes. */
double plx_gemm_mapped_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    static const struct {
        double launch_us, maps_us;
    } besides = {
#include "rates/opencl-9.0/split-k.h"
    };
    split_rates by = own_rates;
    by.adding.least_us = 0.0; /* no other launch adds partitions */
    return besides.launch_us + besides.maps_us * waves_of(problem, device, tiling) +
           cost_by(problem, device, tiling, &by);
}

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

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    return cost_by(problem, device, &tiling, rates);
}

const plx_gemm_family plx_gemm_split_k_family = {
    .check = plx_gemm_check_f32,
    .each = plx_gemm_each_simt,
    .best = plx_gemm_best_simt,
    .none = "there is no such configuration",
    .paths = plx_gemm_paths_by_maps,
    .config = plx_gemm_config_of_simt,
    .name = plx_gemm_name_simt,
    .is_checked = true,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_GEMM_TILES), &own_rates},
};
