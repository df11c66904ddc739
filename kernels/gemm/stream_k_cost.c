/* The cost of a cut of stream-k: a model of the device's time, in microseconds. */
#include "models.h"
#include "stream_k.h"

#include "gemm/device/common/tiles.h"

#include <string.h>

/* Of a tile, as in split-k's model: shares of a multiprocessor's multiply-adds that two blocks beside each
 * other reach, and one alone; the microseconds of a round of blocks besides; those for each operand that is
 * transposed on its way. */
typedef struct tile_rates {
    double two, one, start_us, transposed_us;
} tile_rates;

typedef struct stream_rates {
    double once_us; /* a launch */
    /* Where rows of C begin at units, and anywhere: as how many bytes each of C counts, and per byte of a
     * tile. */
    double counts[2], row_us[2];
    double bytes_per_us; /* of memory */
    double repack_us, repack_bytes_per_us;
    /* To leave a piece, to fence, to count, and to find it the last; what a multiprocessor gives and takes of
     * L2. */
    double join_us, unit_bytes_per_us;
    tile_rates tiles[PLX_GEMM_STREAM_TILES];
} stream_rates;

static const stream_rates own_rates = {
#include "rates/cuda-9.0/stream-k.h"
};

enum { BLOCKS_PER_SM = 2 };

/* A range's pieces, but where ranges begin and end with tiles, go out and come in once; then those of a whole
 * tile come in for the last. */
static double joining(const plx_gemm_stream *s, const plx_gemm_tiling *cut, double blocks, const stream_rates *by)
{
    const double tile = 4.0 * cut->tile->rows * cut->tile->cols, tiles = (double)(s->tiles - s->whole);
    const double pieces = (double)plx_gemm_stream_pieces(s);
    const double cut_pieces = s->ranges >= s->tiles - s->whole ? pieces : 2.0 * (double)(s->ranges - 1);
    const double each = blocks * 2.0 * cut_pieces / (double)s->ranges; /* moved for a multiprocessor */
    const double last = pieces / tiles;                                /* read by the last of a tile */
    return cut_pieces > 0 ? by->join_us + (each + last) * tile / by->unit_bytes_per_us : 0.0;
}

/* A multiprocessor's time for a step along k of a tile, were all its multiply-adds of use. */
static double step_us(const plx_gemm_tiling *cut)
{
    return (double)cut->tile->rows * cut->tile->cols * GEMM_PIPELINE_DEPTH / PLX_GEMM_FMA_PER_US;
}

/* The ranges.  After whole rounds two of them may come to one multiprocessor, however few they are. */
static double streaming(const plx_device_info *device, const plx_gemm_tiling *cut, const plx_gemm_stream *s,
                        double start, const stream_rates *by)
{
    const tile_rates *rate = &by->tiles[cut->tile - plx_gemm_tiles];
    const double ranges = (double)s->ranges;
    const double range = step_us(cut) * (double)(s->base + (s->longer > 0));
    const double pieces = (double)plx_gemm_stream_pieces(s) / ranges;
    const bool alone = s->whole == 0 && ranges <= units_of(device);
    if (s->ranges == 0)
        return 0.0;
    return (alone ? range / rate->one : BLOCKS_PER_SM * range / rate->two) + start * most(pieces, 1.0) +
           joining(s, cut, alone ? 1.0 : BLOCKS_PER_SM, by);
}

/* Rounds of whole tiles, two on a multiprocessor at a time. */
static double whole_tiles(const plx_device_info *device, const plx_gemm_tiling *cut, const plx_gemm_stream *s,
                          double start, const stream_rates *by)
{
    const tile_rates *rate = &by->tiles[cut->tile - plx_gemm_tiles];
    const double places = BLOCKS_PER_SM * units_of(device);
    const double rounds = (double)(int64_t)((double)s->whole / places + 0.999999);
    return rounds * (BLOCKS_PER_SM * step_us(cut) * (double)s->steps / rate->two + start);
}

static double moving(const plx_gemm_problem *p, const stream_rates *by)
{
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * plx_gemm_of_rows(by->counts, 1.0, p)) / by->bytes_per_us;
}

static double repacking(const plx_problem *problem, const stream_rates *by)
{
    const double bytes = plx_gemm_repacked_bytes(problem);
    return bytes > 0 ? by->repack_us + 2.0 * bytes / by->repack_bytes_per_us : 0.0;
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                      const stream_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const tile_rates *rate = &by->tiles[cut->tile - plx_gemm_tiles];
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, cut);
    const double start = rate->start_us + (!p->trans_a + p->trans_b) * rate->transposed_us +
                         BLOCKS_PER_SM * plx_gemm_writing_us(by->row_us, p, cut);
    const double us = whole_tiles(device, cut, &s, start, by) + streaming(device, cut, &s, start, by);
    return by->once_us + most(us, moving(p, by)) + repacking(problem, by);
}

double plx_gemm_stream_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    return cost_by(problem, device, cut, &own_rates);
}

/* ---- rates ------------------------------------------------------------------------------ */

static const plx_gemm_rate_range scalars[] = {
    {"once_us", 0.05, 20},     {"counts[0]", 0.5, 8},
    {"counts[1]", 0.5, 8},     {"row_us[0]", 1e-8, 1e-3},
    {"row_us[1]", 1e-8, 1e-3}, {"bytes_per_us", 5e5, 5e7},
    {"repack_us", 0.05, 20},   {"repack_bytes_per_us", 5e5, 5e7},
    {"join_us", 0.05, 20},     {"unit_bytes_per_us", 1e3, 1e6},
};
static const plx_gemm_rate_range of_tile[] = {
    {"two", 0.02, 1}, {"one", 0.02, 1}, {"start_us", 0.1, 60}, {"transposed_us", 0.01, 20}};

enum { SCALARS = sizeof scalars / sizeof scalars[0], OF_TILE = sizeof of_tile / sizeof of_tile[0] };
_Static_assert(sizeof(stream_rates) == (SCALARS + OF_TILE * PLX_GEMM_STREAM_TILES) * sizeof(double),
               "the rates are doubles alone, in this order");

static size_t list(const plx_device_info *device, plx_rate *rates, size_t capacity)
{
    const plx_gemm_rate_ranges ranges = {scalars, SCALARS, of_tile, OF_TILE, PLX_GEMM_STREAM_TILES};
    (void)device;
    return plx_gemm_list_rates(&ranges, &own_rates, rates, capacity);
}

static double expect(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    stream_rates by = own_rates;
    if (p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem) ||
        (problem->config != 0 && !plx_gemm_is_stream(problem)))
        return 0.0;
    const plx_gemm_tiling cut = plx_gemm_best_stream(problem, device);
    if (rates != NULL)
        memcpy(&by, rates, sizeof by);
    return cost_by(problem, device, &cut, &by);
}

const plx_time_model plx_gemm_stream_k_model = {.rates = list, .expect = expect};
