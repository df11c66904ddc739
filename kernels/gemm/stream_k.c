/* stream-k: how steps along k are dealt among blocks, and which deal is the best. */
#include "stream_k.h"

#include "arithmetic.h"
#include "configs.h"
#include "gemm/device/common/tiles.h"

#include <math.h>
#include <stdio.h>

enum {
    BLOCKS_PER_SM = 2,
    MOST_STEPS = INT32_MAX, /* of the line: the device counts them so */
    MOST_LEFT = 256 << 20   /* bytes */
};
_Static_assert(MOST_LEFT / (64 * 64 * 4) <= PLX_SCRATCH_COUNTERS / 4, "each tile that has room has a counter");

static const char *const entries[PLX_GEMM_STREAM_TILES] = {"gemm_stream_k_128x128", "gemm_stream_k_128x64",
                                                           "gemm_stream_k_64x64"};

const plx_gemm_tilings plx_gemm_stream_tilings = {
    .tiles = plx_gemm_tiles, .tile_count = PLX_GEMM_STREAM_TILES, .entries = entries};

/* ---- the line ----------------------------------------------------------------------- */

static int64_t tile_bytes(const plx_gemm_tiling *cut)
{
    return 4 * (int64_t)cut->tile->rows * cut->tile->cols;
}

/* Of the tiles those that whole rounds of blocks take. */
static int64_t whole_of(int64_t tiles, int64_t places, int waves)
{
    const int64_t rounds = tiles / places - (waves - 1);
    return rounds > 0 ? rounds * places : 0;
}

static bool has_room(const plx_gemm_stream *s, const plx_gemm_tiling *cut)
{
    return s->steps <= MOST_STEPS / (s->tiles - s->whole) &&
           (s->ranges + s->tiles - s->whole) * tile_bytes(cut) <= MOST_LEFT;
}

plx_gemm_stream plx_gemm_stream_of(const plx_problem *problem, const plx_device_info *device,
                                   const plx_gemm_tiling *cut)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t places = BLOCKS_PER_SM * (int64_t)(device->units > 0 ? device->units : 1);
    plx_gemm_stream s = {.tiles = quotient_up(p->m, cut->tile->rows) * quotient_up(p->n, cut->tile->cols),
                         .steps = plx_gemm_k_tiles(problem),
                         .base = 1};
    s.whole = whole_of(s.tiles, places, cut->waves);
    s.ranges = larger(places * cut->eighths / PLX_GEMM_STREAM_EIGHTHS, 1);
    if (s.whole == s.tiles || s.steps == 0 || !has_room(&s, cut)) {
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

uint64_t plx_gemm_stream_bytes(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, cut);
    return (uint64_t)(plx_gemm_stream_pieces(&s) * tile_bytes(cut));
}

void plx_gemm_step_stream(plx_step *step, const plx_gemm_stream *s, int64_t left_at)
{
    step->grid[0] = (uint64_t)(s->whole + s->ranges);
    plx_step_i32(step, (int32_t)s->whole);
    plx_step_i32(step, (int32_t)s->base);
    plx_step_i32(step, (int32_t)s->longer);
    plx_step_scratch(step, left_at, 16);
    plx_step_scratch(step, 0, 4);
}

/* The terms of a tile one after the other; or those of its longest piece, then its pieces. */
static int64_t depth_of(const plx_gemm_stream *s, int64_t k)
{
    const int64_t longest = s->base + (s->longer > 0);
    const int64_t most = quotient_up(s->steps - 1, s->base) + 1; /* pieces that a tile may have */
    if (s->whole > 0 || longest >= s->steps || s->ranges == 0)
        return k;
    return smaller(k, longest * GEMM_PIPELINE_DEPTH + most - 1);
}

int64_t plx_gemm_stream_k_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return p->k;
    const plx_gemm_tiling cut = plx_gemm_tiling_by(schedule, device);
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, &cut);
    return depth_of(&s, p->k);
}

/* ---- the best ------------------------------------------------------------------------- */

static plx_gemm_tiling cut_of(size_t tile, int waves, int eighths)
{
    return (plx_gemm_tiling){.entry = entries[tile],
                             .tile = &plx_gemm_tiles[tile],
                             .cluster = 1,
                             .clusters = 1,
                             .waves = waves,
                             .eighths = eighths};
}

/* Calls visit with every cut that differs from the one before. */
static void each_cut(const plx_problem *problem, const plx_device_info *device, plx_gemm_tiling_visit *visit,
                     void *data)
{
    for (size_t tile = 0; tile < PLX_GEMM_STREAM_TILES; ++tile) {
        int64_t whole = -1; /* for the first waves */
        for (int waves = 1; waves <= 2; ++waves) {
            int64_t ranges = -1, before = whole;
            for (int eighths = 1; eighths <= PLX_GEMM_STREAM_EIGHTHS; ++eighths) {
                const plx_gemm_tiling cut = cut_of(tile, waves, eighths);
                const plx_gemm_stream s = plx_gemm_stream_of(problem, device, &cut);
                if (s.whole != before && s.ranges != ranges)
                    visit(data, &cut);
                ranges = s.ranges;
                whole = s.whole;
            }
        }
    }
}

typedef struct search {
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_tiling best; /* so far */
    double least;
} search;

static void consider(void *data, const plx_gemm_tiling *cut)
{
    search *found = data;
    const double us = plx_gemm_stream_cost(found->problem, found->device, cut);
    if (us < found->least) {
        found->least = us;
        found->best = *cut;
    }
}

static bool is_one(const plx_gemm_config *config)
{
    return config->tile < PLX_GEMM_STREAM_TILES && config->cluster >= 1 && config->cluster <= 2 && config->parts >= 1 &&
           config->parts <= PLX_GEMM_STREAM_EIGHTHS;
}

bool plx_gemm_is_stream(const plx_problem *problem)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    return problem->config != 0 && is_one(&config);
}

plx_gemm_tiling plx_gemm_best_stream(const plx_problem *problem, const plx_device_info *device)
{
    search found = {problem, device, cut_of(0, 1, PLX_GEMM_STREAM_EIGHTHS), INFINITY};
    const plx_gemm_config config = plx_gemm_config_of(problem);
    if (plx_gemm_is_stream(problem))
        return cut_of(config.tile, (int)config.cluster, (int)config.parts);
    each_cut(problem, device, consider, &found);
    return found.best;
}

/* ---- configurations --------------------------------------------------------------------- */

static plx_gemm_config config_of(const plx_gemm_tiling *cut)
{
    return (plx_gemm_config){.tile = (uint32_t)(cut->tile - plx_gemm_tiles),
                             .cluster = (uint32_t)cut->waves,
                             .parts = (uint32_t)cut->eighths};
}

typedef struct walk {
    plx_gemm_listing listing;
    const plx_problem *problem;
    const plx_device_info *device;
} walk;

/* "128x64/264": what is beyond whole rounds is dealt among 264 blocks; "128x64/264x2": a round more. */
static void list(void *data, const plx_gemm_tiling *cut)
{
    walk *w = data;
    const plx_gemm_config config = config_of(cut);
    const plx_gemm_stream s = plx_gemm_stream_of(w->problem, w->device, cut);
    plx_gemm_list(&w->listing, &config, plx_gemm_stream_cost(w->problem, w->device, cut), "%dx%d/%lld%s",
                  cut->tile->rows, cut->tile->cols, (long long)s.ranges, cut->waves > 1 ? "x2" : "");
}

size_t plx_gemm_stream_k_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                 size_t capacity)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return 0;
    const plx_gemm_tiling own = plx_gemm_best_stream(problem, device);
    const plx_gemm_config config = config_of(&own);
    walk w = {{configs, capacity, .own = plx_gemm_config_number(&config)}, problem, device};
    each_cut(problem, device, list, &w);
    return w.listing.count;
}
