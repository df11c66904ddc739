/* The cost of a cut of split-k: a model of the device's time, in microseconds. */
#include "mapless.h"
#include "search.h"

#include "parts.h"
#include "tiles.h"

const plx_gemm_tile plx_gemm_tiles[PLX_GEMM_TILES] = {
    {GEMM_TILE_128X128}, {GEMM_TILE_128X64}, {GEMM_TILE_64X64}, {GEMM_TILE_128X32}, {GEMM_TILE_32X128},
};

static const char *const entries[PLX_GEMM_TILES] = {
    "gemm_split_k_128x128", "gemm_split_k_128x64", "gemm_split_k_64x64",
    "gemm_split_k_128x32",  "gemm_split_k_32x128",
};

/* Measured on one H200 (doc/experiments.md), in the order of the tiles: shares of a multiprocessor's
 * multiply-adds that they reach, two blocks beside each other and one alone; the microseconds of a round of
 * blocks besides: the first operands, C; and those for each operand that is transposed on its way. */
static const struct {
    double two, one, start_us, transposed_us;
} rates[PLX_GEMM_TILES] = {{0.822, 0.784, 5.52, 0.08},
                           {0.773, 0.722, 3.62, 0.08},
                           {0.657, 0.574, 2.43, 0.13},
                           {0.626, 0.570, 2.27, 0.43},
                           {0.580, 0.535, 2.14, 0.36}};

enum { SIDE_BY_SIDE = 2, ROUNDS_TO_DRIFT = 4, MOST_LEFT = 256 << 20 };
static const double once_us = 0.67; /* a launch */
/* By where rows of C begin: as how many bytes each of C counts, and per byte of a tile. */
static const double counts[PLX_ROWS_OF_C] = {1.0, 1.35, 1.65}, row_us[PLX_ROWS_OF_C] = {0.0, 0.7e-6, 20.8e-6};
static const double fma_per_us = 128 * 1980; /* of a multiprocessor */
static const double bytes_per_us = 3.05e6;   /* of memory */
static const double repack_us = 2.46, repack_bytes_per_us = 3.43e6;
/* A cluster adds its tile through shared memory: two blocks on a multiprocessor, or one alone. */
static const double cluster_two_us = 0.041 / 1024, cluster_one_us = 0.001 / 1024, /* per byte */
    cluster_us = 1.3;
/* A launch adds what clusters left; the cache takes and gives it. */
static const double add_us = 1.25, part_us = 0.058, added_bytes_per_us = 1.3e7;
static const double edge_bytes_per_us = 2.8e3; /* a block's that computes edges */

static double units_of(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}

/* Clusters of four and eight leave places empty. */
static double places_of(const plx_device_info *device, int cluster)
{
    double share = cluster >= 8 ? 0.91 : cluster >= 4 ? 0.9395 : 1.0;
    return SIDE_BY_SIDE * units_of(device) * share;
}

/* Blocks that each have a multiprocessor to themselves: of clusters, too, not all have a place. */
static double places_alone(const plx_device_info *device, int cluster)
{
    return places_of(device, cluster) / SIDE_BY_SIDE;
}

/* What is left of a side beyond whole tiles, where that is an edge. */
static int64_t edge_of(int64_t count, int64_t side)
{
    int64_t rest = count % side;
    return count > side && rest <= GEMM_EDGE_MOST ? rest : 0;
}

int64_t plx_gemm_covered_rows(const plx_gemm_problem *problem, const plx_gemm_cut *cut)
{
    return problem->m - (cut->edge_blocks > 0 ? edge_of(problem->m, cut->tile->rows) : 0);
}

int64_t plx_gemm_covered_columns(const plx_gemm_problem *problem, const plx_gemm_cut *cut)
{
    return problem->n - (cut->edge_blocks > 0 ? edge_of(problem->n, cut->tile->cols) : 0);
}

static double tiles_of(const plx_gemm_problem *p, const plx_gemm_cut *cut)
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
static double multiplying(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut,
                          size_t tile)
{
    const plx_gemm_tile *t = cut->tile;
    int64_t steps = plx_gemm_depth_steps(problem), parts = (int64_t)cut->cluster * cut->clusters;
    double longest = (double)(steps / parts + (steps % parts != 0));
    double block = (double)t->rows * t->cols * GEMM_PIPELINE_DEPTH * longest / fma_per_us;
    double blocks = tiles_of(&problem->of.gemm, cut) * (double)parts + cut->edge_blocks;
    double rounds = (double)(int64_t)(blocks / places_of(device, cut->cluster));
    double rest = blocks - rounds * places_of(device, cut->cluster);
    double both = SIDE_BY_SIDE * block / rates[tile].two, alone = block / rates[tile].one;
    return rounds * both + last_round(rest, places_alone(device, cut->cluster), alone, both, rounds);
}

static double moving(const plx_gemm_problem *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * counts[plx_gemm_rows_of_c(p)]) / bytes_per_us;
}

static double rounds_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    double blocks = tiles_of(&problem->of.gemm, cut) * cut->cluster * cut->clusters + cut->edge_blocks;
    return (double)(int64_t)(blocks / places_of(device, cut->cluster) + 0.999999);
}

plx_gemm_row_begin plx_gemm_rows_of_c(const plx_gemm_problem *p)
{
    return p->ldc % 8 == 0 ? PLX_AT_SECTORS : p->ldc % 4 == 0 ? PLX_AT_UNITS : PLX_ANYWHERE;
}

double plx_gemm_adding_us(const plx_gemm_problem *p, const plx_gemm_cut *cut)
{
    return cut->clusters > 1 ? add_us + part_us * cut->clusters +
                                   8.0 * (double)p->m * (double)p->n * cut->clusters / added_bytes_per_us
                             : 0.0;
}

/* Blocks of each round add their parts: in a cluster, then through memory. */
static double joining(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    double of_tile = 4.0 * cut->tile->rows * cut->tile->cols, tiles = tiles_of(&problem->of.gemm, cut);
    double rounds = rounds_of(problem, device, cut);
    bool alone = tiles * cut->cluster * cut->clusters <= places_alone(device, cut->cluster);
    double in_cluster = cluster_us + of_tile * (alone ? cluster_one_us : cluster_two_us);
    return (cut->cluster > 1 ? rounds * in_cluster : 0.0) + plx_gemm_adding_us(&problem->of.gemm, cut);
}

/* The same for all cuts.  Where operands begin is known only at the call: those whose rows step by units are
 * taken to begin so. */
static double repacking(const plx_problem *problem)
{
    double bytes = plx_gemm_repacked_bytes(problem);
    return bytes > 0 ? repack_us + 2.0 * bytes / repack_bytes_per_us : 0.0;
}

/* A long operand of `count` rows or columns for an edge, of which each block has a strip at a time. */
static double edge(const plx_gemm_problem *p, const plx_gemm_cut *cut, int64_t count, bool along)
{
    int64_t strip = along ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS, strips = (count - 1) / strip + 1;
    double blocks = (double)(strips < cut->edge_blocks ? strips : cut->edge_blocks);
    return 4.0 * (double)p->k * (double)count / (blocks * edge_bytes_per_us);
}

/* Edges are read by few blocks, each at its own rate, beside the tiles. */
static double edges(const plx_gemm_problem *p, const plx_gemm_cut *cut)
{
    double below = p->m > plx_gemm_covered_rows(p, cut) ? edge(p, cut, p->n, p->trans_b) : 0.0;
    double beside = p->n > plx_gemm_covered_columns(p, cut) ? edge(p, cut, p->m, !p->trans_a) : 0.0;
    return below + beside;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static double cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut)
{
    const size_t tile = (size_t)(cut->tile - plx_gemm_tiles);
    double beside = most(moving(&problem->of.gemm), edges(&problem->of.gemm, cut));
    double transposed = !problem->of.gemm.trans_a + problem->of.gemm.trans_b;
    double written = SIDE_BY_SIDE * 4.0 * cut->tile->rows * cut->tile->cols *
                     row_us[plx_gemm_rows_of_c(&problem->of.gemm)];
    double starts = (rates[tile].start_us + transposed * rates[tile].transposed_us + written) *
                    rounds_of(problem, device, cut);
    return once_us + starts + most(multiplying(problem, device, cut, tile), beside) +
           joining(problem, device, cut) + repacking(problem);
}

bool plx_gemm_has_room(const plx_gemm_problem *p, const plx_gemm_cut *cut)
{
    return cut->clusters == 1 || 4.0 * (double)p->m * (double)(p->n + 3) * cut->clusters <= MOST_LEFT;
}

static bool possible(const plx_problem *problem, const plx_gemm_cut *cut)
{
    return (int64_t)cut->cluster * cut->clusters <= plx_gemm_depth_steps(problem) &&
           plx_gemm_has_room(&problem->of.gemm, cut);
}

const plx_gemm_cuts *plx_gemm_split_k_cuts(const plx_device_info *device)
{
    static const plx_gemm_cuts with_maps = {.tiles = plx_gemm_tiles,
                                            .tile_count = PLX_GEMM_TILES,
                                            .entries = entries,
                                            .takes_edges = true,
                                            .possible = possible,
                                            .cost = cost};
    return plx_gemm_mapless(device) ? plx_gemm_mapless_split_k_cuts(device) : &with_maps;
}
