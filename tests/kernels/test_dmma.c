/* How the f64 products on the matrix units cut problems into work, and what their recipes ask for. */
#include "kernel_support.h"

#include "kernels/gemm/device/f64/tiles.h"
#include "kernels/gemm/launch/tensor.h"
#include "kernels/gemm/device/common/tiles.h"

#include <stdlib.h>

/* ---- random problems --------------------------------------------------------------------- */

/* About as often small as large. */
static int64_t random_size(uint64_t *state, int most_bits)
{
    int bits = (int)(next_number(state) % (uint64_t)most_bits);
    return (int64_t)(next_number(state) % (UINT64_C(2) << bits));
}

static plx_problem random_problem(uint64_t *state)
{
    bool trans_a = next_number(state) % 2 != 0, trans_b = next_number(state) % 2 != 0;
    int64_t m = random_size(state, 15), n = random_size(state, 15), k = random_size(state, 18);
    plx_problem problem = plx_gemm_of(PLX_F64, trans_a, trans_b, m, n, k);
    problem.of.gemm.lda += random_size(state, 4);
    problem.of.gemm.ldb += random_size(state, 4);
    return problem;
}

/* ---- the cut --------------------------------------------------------------------------------- */

/* Every tile of C is made once, no part is empty, and a round is never fuller than it was planned. */
static void expect_whole(const char *kernel, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_schedule schedule = schedule_of(problem, kernel, device);
    const plx_dmma_tiling cut = plx_dmma_tiling_by(problem, device, &schedule);
    assert_int_equal(cut.work.tiles,
                     (p->m + cut.tile->rows - 1) / cut.tile->rows * ((p->n + cut.tile->cols - 1) / cut.tile->cols));
    assert_in_range(cut.work.whole, 0, cut.work.tiles);
    assert_int_equal(cut.work.items, cut.work.whole + (cut.work.tiles - cut.work.whole) * cut.work.parts);
    if (cut.work.whole < cut.work.tiles)
        assert_true(cut.work.parts > 1 && cut.work.parts <= (p->k + GEMM_DMMA_DEPTH - 1) / GEMM_DMMA_DEPTH);
    assert_true(plx_dmma_shared(cut.tile) <= device->max_shared_bytes);
    assert_true(schedule.us >= 0);
}

static void test_cuts_are_whole(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8);
    uint64_t state = 20261122;
    (void)unused;
    for (int i = 0; i < 5000; i++) {
        const plx_problem problem = random_problem(&state);
        expect_whole("dmma", &problem, &hopper);
        expect_whole("dmma", &problem, &ampere);
        expect_whole("dmma-bulk", &problem, &hopper);
    }
}

static plx_dmma_tiling bulk_cut(int64_t m, int64_t n, int64_t k)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem problem = plx_gemm_of(PLX_F64, false, false, m, n, k);
    const plx_schedule schedule = schedule_of(&problem, "dmma-bulk", &hopper);
    return plx_dmma_tiling_by(&problem, &hopper, &schedule);
}

static void test_what_leaves_units_idle_is_divided(void **unused)
{
    plx_dmma_tiling large = bulk_cut(8192, 8192, 8192), few = bulk_cut(64, 64, 65536), short_sum = bulk_cut(64, 64, 16);
    (void)unused;
    assert_int_equal(large.tile->rows, 128);
    assert_int_equal(large.work.tiles, 4096);
    assert_int_equal(large.work.whole, 4096 - 4096 % 132); /* the last four tiles */
    assert_true(few.work.whole == 0 && few.work.parts > 16);
    assert_int_equal(short_sum.work.parts, 1); /* one step has no parts */
}

/* ---- depth --------------------------------------------------------------------------------------- */

/* A term meets at most the products of its part and the other parts; no more than all products. */
static void test_depth_follows_the_cut(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    uint64_t state = 4711;
    int whole = 0, divided = 0;
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const plx_problem problem = random_problem(&state);
        int64_t k = problem.of.gemm.k, depth = row_named(PLX_GEMM, "dmma-bulk")->about.depth(&problem, &hopper);
        const plx_schedule schedule = schedule_of(&problem, "dmma-bulk", &hopper);
        const plx_dmma_tiling cut = plx_dmma_tiling_by(&problem, &hopper, &schedule);
        assert_true(depth <= k);
        if (cut.work.whole > 0 || cut.work.parts == 1) {
            assert_int_equal(depth, k);
            ++whole;
        } else {
            assert_true(depth * cut.work.parts >= k && depth >= cut.work.parts - 1);
            ++divided;
        }
    }
    assert_true(whole > 200 && divided > 200);
}

/* ---- recipes ---------------------------------------------------------------------------------------- */

static size_t steps_named(const plx_recipe *recipe, const char *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < recipe->step_count; i++)
        count += strcmp(recipe->steps[i].entry, entry) == 0;
    return count;
}

/* Maps within what the copy engine takes and within the scratch memory, each matrix its own. */
static void expect_maps(const plx_recipe *recipe, const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    uint64_t end = PLX_SCRATCH_COUNTERS;

    assert_int_equal(recipe->map_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const plx_tensor_map *map = &recipe->maps[i];
        assert_int_equal(map->operand, i);
        assert_int_equal(map->width * map->height, i == 0 ? p->m * p->k : p->k * p->n);
        assert_true(map->pitch % 16 == 0 && map->pitch >= map->width * 8);
        if (!map->of_scratch)
            continue;
        assert_true(map->pitch % 128 == 0 && map->offset % 128 == 0 && map->offset >= end);
        end = map->offset + map->height * map->pitch;
    }
    assert_true(end == PLX_SCRATCH_COUNTERS || end <= recipe->scratch_bytes);
}

/* Every row of both operands has warps enough, and goes where its map looks for it. */
static void expect_packing(const plx_recipe *recipe, const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_step *step = &recipe->steps[0];
    const int64_t ld[2] = {p->lda, p->ldb};

    assert_string_equal(step->entry, "gemm_dmma_bulk_pack");
    assert_int_equal(step->grid[1], 2);
    for (size_t i = 0; i < 2; i++) {
        const plx_argument *of = &step->arguments[6 * i];
        const plx_tensor_map *map = &recipe->maps[i];
        uint64_t pieces = (map->width + GEMM_DMMA_PACK_PIECE - 1) / GEMM_DMMA_PACK_PIECE;
        assert_int_equal(of[0].operand, i);
        assert_int_equal(of[1].value, map->offset);
        assert_int_equal(of[2].value, map->height);
        assert_int_equal(of[3].value, map->width);
        assert_int_equal(of[4].value, ld[i]);
        assert_int_equal(of[5].value * 8, map->pitch);
        assert_true(step->grid[0] * (GEMM_DMMA_PACK_THREADS / 32) >= map->height * pieces);
    }
}

static void test_recipes_pack_what_has_no_aligned_rows(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    uint64_t state = 1;
    int packed = 0;
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const plx_problem problem = random_problem(&state);
        const plx_gemm_problem *p = &problem.of.gemm;
        const plx_recipe aligned = recipe_of(&problem, "dmma-bulk", &hopper),
                         unaligned = unaligned_recipe_of(&problem, "dmma-bulk", &hopper);
        if (p->m == 0 || p->n == 0 || p->k == 0) {
            assert_int_equal(aligned.map_count, 0); /* of what may not be there */
            assert_int_equal(aligned.step_count, p->m > 0 && p->n > 0 ? 1 : 0);
            continue;
        }
        expect_maps(&aligned, &problem);
        expect_maps(&unaligned, &problem);
        assert_int_equal(aligned.maps[0].of_scratch, p->lda % 2 != 0);
        assert_int_equal(aligned.maps[1].of_scratch, p->ldb % 2 != 0);
        assert_true(unaligned.maps[0].of_scratch && unaligned.maps[1].of_scratch);
        assert_int_equal(steps_named(&aligned, "gemm_dmma_bulk_pack"), p->lda % 2 != 0 || p->ldb % 2 != 0);
        assert_int_equal(steps_named(&unaligned, "gemm_dmma_bulk_pack"), 1);
        expect_packing(&unaligned, &problem);
        ++packed;
    }
    assert_true(packed > 1000);
}

/* The number that OpenCL's compiler is told. */
static int64_t told(const plx_recipe *recipe, const char *name)
{
    const char *at = strstr(recipe->defines, name);
    assert_non_null(at);
    return strtol(at + strlen(name), NULL, 10);
}

/* Registers and local memory for the blocks that the tile is meant for; the warps make up its tile. */
static void expect_program(const plx_recipe *recipe, const plx_dmma_tile *tile, const plx_step *step)
{
    enum { WARP = 32, QUARTERS = 4, OF_A_QUARTER = 16384 }; /* registers, of a multiprocessor */
    const int64_t down = told(recipe, "-DCONSUMERS_DOWN="), across = told(recipe, "-DCONSUMERS_ACROSS="),
                  threads = told(recipe, "-DTHREADS="), most = told(recipe, "-DMOST_REGISTERS=");
    assert_true(strlen(recipe->defines) + 1 < sizeof recipe->defines); /* nothing was cut off */
    assert_int_equal(threads, step->block[0]);
    assert_true(tile->rows % (16 * down) == 0 && tile->cols % (16 * across) == 0);
    assert_true(WARP * down * across < threads && 3 * WARP <= threads); /* two warps of it make maps */
    assert_true(most * WARP * ((threads / WARP * tile->blocks - 1) / QUARTERS + 1) <= OF_A_QUARTER);
    assert_true(recipe->known_local_bytes * (uint64_t)tile->blocks <= 227 << 10);
    if (tile->registers > 0)
        assert_true(WARP * down * across * told(recipe, "-DMANY_REGISTERS=") +
                        (threads - WARP * down * across) * GEMM_DMMA_BULK_COPYING_REGISTERS <=
                    most * threads);
}

/* Each work-group makes its own, in a place that nothing else has. */
static void test_opencl_makes_its_maps(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9);
    uint64_t state = 20;
    int divided = 0;
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const plx_problem problem = random_problem(&state);
        const plx_recipe recipe = recipe_of(&problem, "dmma-bulk", &opencl);
        if (recipe.map_count == 0)
            continue;
        expect_maps(&recipe, &problem);
        const plx_schedule schedule = schedule_of(&problem, "dmma-bulk", &opencl);
        const plx_dmma_tiling cut = plx_dmma_tiling_by(&problem, &opencl, &schedule);
        const plx_step *step = &recipe.steps[steps_named(&recipe, "gemm_dmma_bulk_pack")];
        const plx_argument *places = &step->arguments[2], *partials = &step->arguments[10];
        const uint64_t room = step->grid[0] * 2 * 128,
                       parts = (uint64_t)((cut.work.items - cut.work.whole) * cut.tile->rows * cut.tile->cols) * 8;
        assert_true(places->kind == PLX_ARG_SCRATCH && partials->kind == PLX_ARG_SCRATCH);
        assert_int_equal(places->value % 128, 0);
        assert_true((uint64_t)places->value + room <= recipe.scratch_bytes);
        assert_true(parts == 0 || (uint64_t)places->value >= (uint64_t)partials->value + parts ||
                    (uint64_t)partials->value >= (uint64_t)places->value + room);
        for (size_t j = 0; j < 2; j++)
            assert_true(!recipe.maps[j].of_scratch ||
                        (uint64_t)places->value >=
                            recipe.maps[j].offset + recipe.maps[j].height * recipe.maps[j].pitch);
        expect_program(&recipe, cut.tile, step);
        divided += parts > 0;
    }
    assert_true(divided > 100);
}

/* Every pair of a tile has its threads, and every thread a pair. */
static void test_parts_are_added(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    uint64_t state = 3;
    int64_t most_slices = 0;
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        const plx_problem problem = random_problem(&state);
        const plx_recipe recipe = recipe_of(&problem, "dmma-bulk", &hopper);
        if (steps_named(&recipe, "gemm_dmma_bulk_sum") == 0)
            continue;
        const plx_step *step = &recipe.steps[recipe.step_count - 1];
        const int64_t parts = step->arguments[8].value, slices = step->arguments[9].value,
                      pairs = step->arguments[10].value * step->arguments[11].value / 2;
        assert_true(slices >= 1 && GEMM_DMMA_SUM_THREADS % slices == 0 && (slices == 1 || slices <= parts));
        assert_int_equal(step->grid[1], (pairs * slices - 1) / GEMM_DMMA_SUM_THREADS + 1);
        most_slices = slices > most_slices ? slices : most_slices;
    }
    assert_true(most_slices > 1);
}

static void test_refusals(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8), volta = fake_gpu(7), opencl = fake_opencl_gpu(9),
                          older = fake_opencl_gpu(8), other = fake_gpu(0);
    plx_device_info small = fake_gpu(8);
    const plx_problem square = plx_gemm_of(PLX_F64, false, false, 512, 512, 512),
                      long_row = plx_gemm_of(PLX_F64, false, false, 1, INT64_C(1) << 31, 1);
    (void)unused;
    small.max_shared_bytes = 49152;
    (void)recipe_of(&square, "dmma", &ampere);
    expect_refusal(&square, "dmma", &volta, "7.0");
    expect_refusal(&square, "dmma", &older, "in OpenCL compute capability 9.0");
    expect_refusal(&square, "dmma", &other, "matrix units");
    expect_refusal(&square, "dmma", &small, "shared memory");
    expect_refusal(&square, "dmma-bulk", &ampere, "9.0");
    (void)recipe_of(&square, "dmma-bulk", &opencl);
    expect_refusal(&square, "dmma-bulk", &older, "9.0");
    expect_refusal(&long_row, "dmma", &hopper, "2^31");
    expect_refusal(&long_row, "dmma-bulk", &hopper, "2^31");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts_are_whole),
        cmocka_unit_test(test_what_leaves_units_idle_is_divided),
        cmocka_unit_test(test_depth_follows_the_cut),
        cmocka_unit_test(test_recipes_pack_what_has_no_aligned_rows),
        cmocka_unit_test(test_opencl_makes_its_maps),
        cmocka_unit_test(test_parts_are_added),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
