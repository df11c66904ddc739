/* stream-k: which deals of k-tiles there are, and what they cost. */
#include "gemm/device/common/tiles.h"
#include "simt.h"

#include <math.h>
#include <stdio.h>

/* ---- the cost ------------------------------------------------------------------------- */

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
static double joining(const plx_gemm_stream *s, const plx_gemm_tiling *tiling, double blocks, const stream_rates *by)
{
    const double tile = 4.0 * tiling->tile->rows * tiling->tile->cols, tiles = (double)(s->tiles - s->whole);
    const double pieces = (double)plx_gemm_stream_pieces(s);
    const double cut_pieces = s->ranges >= s->tiles - s->whole ? pieces : 2.0 * (double)(s->ranges - 1);
    const double each = blocks * 2.0 * cut_pieces / (double)s->ranges; /* moved for a multiprocessor */
    const double last = pieces / tiles;                                /* read by the last of a tile */
    return cut_pieces > 0 ? by->join_us + (each + last) * tile / by->unit_bytes_per_us : 0.0;
}

/* The ranges.  After whole waves two of them may come to one multiprocessor, however few they are. */
static double streaming(const plx_device_info *device, const plx_gemm_tiling *tiling, const plx_gemm_stream *s,
                        double start, const stream_rates *by)
{
    const tile_rates *rate = &by->tiles[tiling->tile - plx_gemm_stream_tile];
    const double ranges = (double)s->ranges;
    const double range = plx_gemm_k_tile_us(tiling) * (double)(s->base + (s->longer > 0));
    const double pieces = (double)plx_gemm_stream_pieces(s) / ranges;
    const bool alone = s->whole == 0 && ranges <= (double)plx_gemm_sms(device);
    if (s->ranges == 0)
        return 0.0;
    return (alone ? range / rate->one : BLOCKS_PER_SM * range / rate->two) + start * most(pieces, 1.0) +
           joining(s, tiling, alone ? 1.0 : BLOCKS_PER_SM, by);
}

/* Waves of whole tiles, two on a multiprocessor at a time. */
static double whole_tiles(const plx_device_info *device, const plx_gemm_tiling *tiling, const plx_gemm_stream *s,
                          double start, const stream_rates *by)
{
    const tile_rates *rate = &by->tiles[tiling->tile - plx_gemm_stream_tile];
    const double places = BLOCKS_PER_SM * (double)plx_gemm_sms(device);
    const double waves = rounded_up((double)s->whole / places);
    return waves * (BLOCKS_PER_SM * plx_gemm_k_tile_us(tiling) * (double)s->steps / rate->two + start);
}

static double cost_by(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                      const stream_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const tile_rates *rate = &by->tiles[tiling->tile - plx_gemm_stream_tile];
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, tiling);
    const double start = rate->start_us + (!p->trans_a + p->trans_b) * rate->transposed_us +
                         BLOCKS_PER_SM * plx_gemm_writing_us(by->row_us, p, tiling);
    const plx_gemm_terms terms = {
        .launch = by->once_us,
        .math = whole_tiles(device, tiling, &s, start, by) + streaming(device, tiling, &s, start, by),
        .memory = plx_gemm_moving_us(p, by->counts, by->bytes_per_us),
        .pack = plx_gemm_packing_us(problem, by->repack_us, by->repack_bytes_per_us),
    };
    return plx_gemm_us(&terms);
}

double plx_gemm_stream_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    return cost_by(problem, device, tiling, &own_rates);
}

static const plx_gemm_rate_range scalars[] = {
    {"once_us", 0.05, 20},     {"counts[0]", 0.5, 8},
    {"counts[1]", 0.5, 8},     {"row_us[0]", 1e-8, 1e-3},
    {"row_us[1]", 1e-8, 1e-3}, {"bytes_per_us", 5e5, 5e7},
    {"repack_us", 0.05, 20},   {"repack_bytes_per_us", 5e5, 5e7},
    {"join_us", 0.05, 20},     {"unit_bytes_per_us", 1e3, 1e6},
};
static const plx_gemm_rate_range of_tile[] = {
    {"two", 0.02, 1}, {"one", 0.02, 1}, {"start_us", 0.1, 60}, {"transposed_us", 0.01, 20}};

static double us(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates)
{
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    return cost_by(problem, device, &tiling, rates);
}

/* ---- schedules ------------------------------------------------------------------------- */

/* "128x64/264": what is beyond whole waves is dealt among 264 blocks; "128x64/264x2": a wave more. */
static void name_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                    size_t size)
{
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, &tiling);
    (void)snprintf(name, size, "%dx%d/%lld%s", tiling.tile->rows, tiling.tile->cols, (long long)s.ranges,
                   tiling.waves > 1 ? "x2" : "");
}

static plx_gemm_config config_of(const plx_schedule *s)
{
    return (plx_gemm_config){.tile = s->tile, .cluster = (uint32_t)s->waves, .parts = (uint32_t)s->eighths};
}

static void visit(plx_gemm_search *search, const plx_gemm_tiling *tiling)
{
    const plx_gemm_tiles *of = plx_gemm_tiles_of(PLX_GEMM_STREAM_K, search->device);
    plx_schedule schedule = plx_gemm_schedule_by(PLX_GEMM_STREAM_K, of, tiling);
    schedule.us = plx_gemm_stream_cost(search->problem, search->device, tiling);
    search->visit(search, &schedule);
}

/* Those that differ from the one before. */
static void each(plx_gemm_search *search)
{
    const plx_gemm_tiles *of = plx_gemm_tiles_of(PLX_GEMM_STREAM_K, search->device);
    for (size_t tile = 0; tile < of->count; ++tile) {
        int64_t whole = -1; /* for the first waves */
        for (int waves = 1; waves <= 2; ++waves) {
            int64_t ranges = -1, before = whole;
            for (int eighths = 1; eighths <= PLX_GEMM_STREAM_EIGHTHS; ++eighths) {
                plx_gemm_tiling tiling = plx_gemm_tiling_of(of, tile, 1, 1);
                tiling.waves = waves;
                tiling.eighths = eighths;
                const plx_gemm_stream s = plx_gemm_stream_of(search->problem, search->device, &tiling);
                if (s.whole != before && s.ranges != ranges)
                    visit(search, &tiling);
                ranges = s.ranges;
                whole = s.whole;
            }
        }
    }
}

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status = plx_gemm_check_f32(problem, device, error);
    if (status == PLX_OK && plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "is for CUDA: in OpenCL split-k takes its place");
    return status;
}

const plx_gemm_family plx_gemm_stream_k_family = {
    .check = check,
    .each = each,
    .none = "there is no such configuration",
    .paths = plx_gemm_paths_by_maps,
    .config = config_of,
    .name = name_of,
    .us = us,
    .rates = {PLX_GEMM_SCALARS(scalars), PLX_GEMM_OF_TILE(of_tile, PLX_GEMM_STREAM_TILES), &own_rates},
};
