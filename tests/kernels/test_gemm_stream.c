/* stream-k, without a device: each step along k of each tile is in one piece, pieces are where the device
 * looks for them, and no tile is deeper than is said. */
#include "kernel_support.h"

#include "kernels/gemm/plan/simt.h"
#include "kernels/gemm/device/common/tiles.h"

static plx_device_info hopper; /* set by main */

static int64_t some_size(uint64_t *state, unsigned most_bits)
{
    const int64_t size = INT64_C(1) << next_number(state) % most_bits;
    return size + (int64_t)(next_number(state) % (uint64_t)size);
}

static plx_problem some_problem(uint64_t *state)
{
    const uint64_t layout = next_number(state);
    return plx_gemm_of(PLX_F32, layout & 1, layout >> 1 & 1, some_size(state, 13), some_size(state, 13),
                       some_size(state, 13));
}

static plx_gemm_tiling some_cut(uint64_t *state)
{
    return (plx_gemm_tiling){.tile = &plx_gemm_stream_tile[next_number(state) % PLX_GEMM_STREAM_TILES],
                             .cluster = 1,
                             .clusters = 1,
                             .waves = 1 + (int)(next_number(state) % 2),
                             .eighths = 1 + (int)(next_number(state) % PLX_GEMM_STREAM_EIGHTHS)};
}

/* ---- the line --------------------------------------------------------------------------- */

/* Goes along the line as the device's blocks do, piece by piece.  Returns the depth of the deepest tile,
 * where all steps have `terms`. */
static int64_t walk(const plx_gemm_stream *s)
{
    int64_t at = 0, piece = 0, deepest = 0, longest = 0, pieces = 0;
    for (int64_t range = 0; range < s->ranges; ++range) {
        assert_int_equal(plx_gemm_stream_begin(s, range), at); /* no gap, nothing twice */
        const int64_t end = plx_gemm_stream_begin(s, range + 1);
        assert_true(end > at); /* no block without work */
        while (at < end) {
            const int64_t tile = at / s->steps, left = s->steps - at % s->steps;
            const int64_t length = end - at < left ? end - at : left;
            assert_int_equal(plx_gemm_stream_range(s, at), range);
            assert_int_equal(plx_gemm_stream_range(s, at + length - 1), range);
            assert_true(tile + range >= piece); /* each has a place of its own */
            assert_true(tile + range < plx_gemm_stream_pieces(s));
            piece = tile + range + 1;
            longest = at % s->steps == 0 || length > longest ? length : longest;
            pieces = at % s->steps == 0 ? 1 : pieces + 1;
            const int64_t depth = longest * GEMM_PIPELINE_DEPTH + pieces - 1;
            deepest = depth > deepest ? depth : deepest;
            at += length;
        }
    }
    assert_int_equal(at, (s->tiles - s->whole) * s->steps);
    return deepest;
}

static void every_step_is_in_one_piece(void **unused)
{
    uint64_t state = 3;
    int divided = 0;
    (void)unused;
    for (int i = 0; i < 300; ++i) {
        const plx_problem problem = some_problem(&state);
        const plx_gemm_tiling cut = some_cut(&state);
        const plx_gemm_stream s = plx_gemm_stream_of(&problem, &hopper, &cut);
        assert_true(s.whole >= 0 && s.whole <= s.tiles && (s.ranges == 0 || s.whole % 264 == 0));
        assert_true(s.tiles - s.whole < 264 * cut.waves);
        assert_int_equal(s.ranges == 0, s.whole == s.tiles);
        (void)walk(&s);
        divided += s.ranges > 0;
    }
    assert_true(divided > 200);
}

/* Of a tile the pieces are neighbours: the device adds so many from its first on. */
static void pieces_of_a_tile_are_neighbours(void **unused)
{
    uint64_t state = 5;
    (void)unused;
    for (int i = 0; i < 300; ++i) {
        const plx_problem problem = some_problem(&state);
        const plx_gemm_tiling cut = some_cut(&state);
        const plx_gemm_stream s = plx_gemm_stream_of(&problem, &hopper, &cut);
        int64_t next = 0;
        for (int64_t tile = 0; tile < s.tiles - s.whole; ++tile) {
            const int64_t first = tile + plx_gemm_stream_range(&s, tile * s.steps),
                          last = tile + plx_gemm_stream_range(&s, tile * s.steps + s.steps - 1);
            assert_true(first == next || first == next + 1); /* + 1: a range ended with the tile before */
            assert_true(last < plx_gemm_stream_pieces(&s));
            next = last + 1;
        }
    }
}

/* ---- recipes ---------------------------------------------------------------------------- */

static const plx_step *product_of(const plx_recipe *recipe)
{
    size_t i = 0;
    while (strstr(recipe->steps[i].entry, "repack") != NULL)
        ++i;
    return &recipe->steps[i];
}

/* The launch says what the deal says, its pieces have room, and the depth is that of the deepest tile. */
static void launches_are_as_dealt(void **unused)
{
    enum { STEPS = 8, WHOLE, BASE, LONGER, LEFT, CAME };
    const plx_row *row = row_named(PLX_GEMM, "stream-k");
    uint64_t state = 7;
    (void)unused;
    for (int i = 0; i < 300; ++i) {
        plx_problem problem = some_problem(&state);
        plx_config configs[64];
        const size_t count = row->configs(row, &problem, &hopper, configs, 64);
        assert_true(count > 0 && count <= 64);
        problem.config = configs[next_number(&state) % count].number;
        const plx_schedule schedule = schedule_of(&problem, "stream-k", &hopper);
        const plx_gemm_tiling cut = plx_gemm_tiling_by(&schedule, &hopper);
        const plx_gemm_stream s = plx_gemm_stream_of(&problem, &hopper, &cut);
        const plx_recipe recipe = recipe_of(&problem, "stream-k", &hopper);
        const plx_step *step = product_of(&recipe);
        const plx_argument *a = step->arguments;
        assert_int_equal(step->grid[0], s.whole + s.ranges);
        assert_true(a[STEPS].value == s.steps && a[WHOLE].value == s.whole && a[BASE].value == s.base &&
                    a[LONGER].value == s.longer && a[CAME].value == 0);
        assert_true((uint64_t)(a[LEFT].value + plx_gemm_stream_pieces(&s) * cut.tile->rows * cut.tile->cols * 4) <=
                    recipe.scratch_bytes);
        assert_true(a[LEFT].value >= (s.tiles - s.whole) * 4);
        const int64_t k = problem.of.gemm.k, depth = row->about.depth(&problem, &hopper), deepest = walk(&s);
        assert_true(depth <= k);
        assert_true(depth >= (s.whole > 0 ? k : deepest < k ? deepest : k));
    }
}

/* What can't be counted in 32 bits, or has no room, is not dealt: a block for each tile. */
static void what_has_no_room_is_whole(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, true, 128 * 263, 128, INT64_C(1) << 31);
    const plx_gemm_tiling cut = {
        .tile = &plx_gemm_stream_tile[0], .cluster = 1, .clusters = 1, .waves = 1, .eighths = 8};
    plx_gemm_stream s = plx_gemm_stream_of(&problem, &hopper, &cut);
    (void)unused;
    assert_true(s.whole == 263 && s.ranges == 0);
    assert_int_equal(plx_gemm_stream_bytes(&problem, &hopper, &cut), 0);
    problem.of.gemm.m = 128 * 31; /* 31 tiles of 2^26 steps are just below 2^31 */
    s = plx_gemm_stream_of(&problem, &hopper, &cut);
    assert_true(s.whole == 0 && s.ranges == 264);
    (void)walk(&s);
    problem.of.gemm.m = 128 * 32;
    s = plx_gemm_stream_of(&problem, &hopper, &cut);
    assert_int_equal(s.ranges, 0);
    plx_device_info many = hopper; /* the room for what pieces leave */
    many.units = 20000;
    problem = plx_gemm_of(PLX_F32, false, false, 128 * 200, 128 * 100, 4096);
    s = plx_gemm_stream_of(&problem, &many, &cut);
    assert_true(s.tiles == 20000 && s.ranges == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_in_one_piece),
        cmocka_unit_test(pieces_of_a_tile_are_neighbours),
        cmocka_unit_test(launches_are_as_dealt),
        cmocka_unit_test(what_has_no_room_is_whole),
    };
    hopper = fake_gpu(9);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
