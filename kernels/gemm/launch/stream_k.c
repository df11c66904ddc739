/* stream-k: how k-tiles are dealt among blocks. */
#include "simt.h"

#include "arithmetic.h"
#include "gemm/device/common/tiles.h"

enum {
    BLOCKS_PER_SM = 2,
    MOST_STEPS = INT32_MAX, /* of the line: the device counts them so */
    MOST_LEFT = 256 << 20   /* bytes */
};
_Static_assert(MOST_LEFT / (64 * 64 * 4) <= PLX_SCRATCH_COUNTERS / 4, "each tile that has room has a counter");

static int64_t tile_bytes(const plx_gemm_tiling *tiling)
{
    return 4 * (int64_t)tiling->tile->rows * tiling->tile->cols;
}

/* Of the tiles those that whole rounds of blocks take. */
static int64_t whole_of(int64_t tiles, int64_t places, int waves)
{
    const int64_t rounds = tiles / places - (waves - 1);
    return rounds > 0 ? rounds * places : 0;
}

static bool has_room(const plx_gemm_stream *s, const plx_gemm_tiling *tiling)
{
    return s->steps <= MOST_STEPS / (s->tiles - s->whole) &&
           (s->ranges + s->tiles - s->whole) * tile_bytes(tiling) <= MOST_LEFT;
}

plx_gemm_stream plx_gemm_stream_of(const plx_problem *problem, const plx_device_info *device,
                                   const plx_gemm_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t places = BLOCKS_PER_SM * plx_gemm_sms(device);
    plx_gemm_stream s = {.tiles = quotient_up(p->m, tiling->tile->rows) * quotient_up(p->n, tiling->tile->cols),
                         .steps = plx_gemm_k_tiles(problem),
                         .base = 1};
    s.whole = whole_of(s.tiles, places, tiling->waves);
    s.ranges = larger(places * tiling->eighths / PLX_GEMM_STREAM_EIGHTHS, 1);
    if (s.whole == s.tiles || s.steps == 0 || !has_room(&s, tiling)) {
        s.whole = s.tiles;
        s.ranges = 0;
        return s;
    }
    const int64_t line = (s.tiles - s.whole) * s.steps;
    s.ranges = smaller(s.ranges, line);
    s.base = line / s.ranges;
    s.longer = line % s.ranges;
    return s;
}

int64_t plx_gemm_stream_begin(const plx_gemm_stream *s, int64_t range)
{
    return range * s->base + smaller(range, s->longer);
}

int64_t plx_gemm_stream_range(const plx_gemm_stream *s, int64_t step)
{
    const int64_t in_longer = s->longer * (s->base + 1);
    return step < in_longer ? step / (s->base + 1) : s->longer + (step - in_longer) / s->base;
}

int64_t plx_gemm_stream_pieces(const plx_gemm_stream *s)
{
    return s->ranges > 0 ? s->ranges + s->tiles - s->whole - 1 : 0;
}

uint64_t plx_gemm_stream_bytes(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, tiling);
    return (uint64_t)(plx_gemm_stream_pieces(&s) * tile_bytes(tiling));
}

void plx_gemm_step_stream(plx_step *step, const plx_gemm_stream *s, int64_t partial_at)
{
    step->grid[0] = (uint64_t)(s->whole + s->ranges);
    plx_step_i32(step, (int32_t)s->whole);
    plx_step_i32(step, (int32_t)s->base);
    plx_step_i32(step, (int32_t)s->longer);
    plx_step_scratch(step, partial_at, 16);
    plx_step_scratch(step, 0, 4);
}
