/* Which kernel takes a product on matrix units, and what else takes it. */
#include "units_support.h"

#include "kernels/gemm/plan/family.h"
#include "kernels/gemm/device/tensor/mma-direct.h"

/* ---- what is chosen -------------------------------------------------------------------- */

static void matrix_units_are_taken_where_they_may_be(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8);
    plx_problem problem = product(PLX_F16, 0, 4096, 4096, 4096);
    (void)unused;
    expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_PIPELINED);
    expect_choice(&problem, &ampere, PLX_GEMM_MMA_SYNC);
    problem = product(PLX_F32, 0, 4096, 4096, 4096);
    assert_false(plx_gemm_choose(&problem, &hopper) == PLX_GEMM_F16X3); /* not unless it is asked for */
    problem.compute = PLX_COMPUTE_F16X3;
    expect_choice(&problem, &hopper, PLX_GEMM_F16X3);
    problem.compute = PLX_COMPUTE_BF16X6;
    expect_choice(&problem, &hopper, PLX_GEMM_BF16X6);
}

static void expect_direct(const plx_problem *problem, uint64_t tiles, uint64_t parts)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_recipe recipe = recipe_of(problem, "mma-direct", &hopper);
    assert_int_equal(recipe.map_count, 0);
    assert_int_equal(recipe.step_count, parts > 1 ? 2 : 1);
    assert_int_equal(recipe.steps[0].grid[0], tiles * parts);
    assert_int_equal(recipe.scratch_bytes,
                     PLX_SCRATCH_COUNTERS + (parts > 1 ? tiles * parts * GEMM_DIRECT_ROWS * GEMM_DIRECT_COLS * 4 : 0));
    if (parts > 1)
        assert_int_equal(recipe.steps[1].grid[0], tiles);
}

/* Rows of any length and beginning are no reason for another launch; parts of k are, where tiles are few. */
static void few_terms_and_few_tiles_are_taken_as_they_lie(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    plx_problem long_sums = product(PLX_BF16, 0, 56, 41, 78502);
    expect_choice(&long_sums, &hopper, PLX_GEMM_MMA_DIRECT);
    for (unsigned layout = 0; layout < 4; layout++) {
        plx_problem problem = product(PLX_BF16, layout, 41, 35073, 20);
        problem.of.gemm.lda += 3;
        expect_direct(&problem, 275, 1);
        expect_choice(&problem, &hopper, PLX_GEMM_MMA_DIRECT);
        problem = product(PLX_F16, layout, 56, 141, 785026);
        problem.config = plx_gemm_config_number(&(plx_gemm_config){.parts = 15}); /* the number 14 */
        expect_direct(&problem, 2, 192);
        assert_int_equal(depth_of("mma-direct", &problem, &hopper), 64 * 64 / 8 * 11 + 23 + 7);
        problem.config = plx_gemm_config_number(&(plx_gemm_config){.parts = 1});
        expect_direct(&problem, 2, 1);
        assert_int_equal(depth_of("mma-direct", &problem, &hopper), (785026 + 7) / 8 * 11);
        problem = product(PLX_F16, layout, 2048, 2048, 2048);
        expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_PIPELINED);
    }
}

/* Expected microseconds: whatever the kernel, and more where memory is slower. */
static void no_product_takes_less_than_to_bring_its_operands(void **unused)
{
    plx_device_info devices[] = {fake_gpu(9), fake_gpu(9)};
    const plx_problem problem = product(PLX_BF16, 1, 128, 10240, 8192);
    const double bytes = 2.0 * (128.0 * 8192 + 10240.0 * 8192 + 128.0 * 10240);
    double us[2][4];
    (void)unused;
    devices[1].memory_bytes = UINT64_C(80) << 30;
    for (int i = 0; i < 2; i++) {
        us[i][0] = schedule_of(&problem, "wgmma-pipelined", &devices[i]).us;
        us[i][1] = schedule_of(&problem, "wgmma-cluster", &devices[i]).us;
        us[i][2] = schedule_of(&problem, "mma-direct", &devices[i]).us;
        us[i][3] = schedule_of(&problem, "wgmma-narrow", &devices[i]).us;
        for (int kernel = 0; kernel < 4; kernel++)
            assert_true(us[i][kernel] > bytes / (i == 0 ? 4.8e6 : 3.35e6)); /* what the chips' memory has at most */
    }
    assert_true(us[1][0] > us[0][0] && us[1][1] > us[0][1] && us[1][3] > us[0][3]);
}

/* Where there is no room for copies of the operands, what takes them as they lie. */
static void what_cannot_be_had_is_not_chosen(void **unused)
{
    plx_device_info hopper = fake_gpu(9);
    const plx_problem problem = product(PLX_BF16, 0, 2049, 2047, 1023);
    (void)unused;
    expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_PIPELINED);
    hopper.max_alloc_bytes = 1 << 20;
    expect_choice(&problem, &hopper, PLX_GEMM_MMA_DIRECT);
}

/* A row or a column is read once, where that takes less than tiles do, the moves of vectors among it. */
static void rows_and_columns_are_not_tiled(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8);
    (void)unused;
    plx_problem problem = product(PLX_BF16, 0, 767, 1, 13343);
    expect_choice(&problem, &hopper, PLX_GEMM_MATVEC);
    expect_choice(&problem, &ampere, PLX_GEMM_MMA_SYNC); /* where nothing was measured */
    problem.of.gemm.ldb = problem.of.gemm.ldc = 32;
    expect_choice(&problem, &hopper, PLX_GEMM_MATVEC);
    problem = product(PLX_F16, 2, 406, 1, 167851);
    problem.output = PLX_OUTPUT(PLX_F32);
    expect_choice(&problem, &hopper, PLX_GEMM_MATVEC);
    problem = product(PLX_BF16, 2, 1, 2, 889); /* its move takes as long as all of mma-direct */
    problem.of.gemm.lda = problem.of.gemm.ldb = 32;
    assert_int_not_equal(plx_gemm_choose(&problem, &hopper), PLX_GEMM_MATVEC);
    problem = product(PLX_BF16, 0, 2, 767, 13343);
    assert_int_not_equal(plx_gemm_choose(&problem, &hopper), PLX_GEMM_MATVEC);
    problem = product(PLX_F32, 0, 4096, 1, 4096);
    problem.compute = PLX_COMPUTE_TF32; /* plain f32 is more exact */
    expect_choice(&problem, &hopper, PLX_GEMM_MATVEC);
    problem.compute = PLX_COMPUTE_F16X3; /* asked for by name */
    assert_int_not_equal(plx_gemm_choose(&problem, &hopper), PLX_GEMM_MATVEC);
}

static void few_rows_or_columns_are_taken_by_narrow_tiles(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        plx_problem problem = product(PLX_BF16, layout, 16, 8192, 8192);
        expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_NARROW);
        expect_choice(&problem, &opencl, PLX_GEMM_WGMMA_NARROW);
        problem = product(PLX_F16, layout, 8192, 32, 8192);
        expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_NARROW);
        problem = product(PLX_F16, layout, 48, 6528, 10024);
        expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_ELECTED);
    }
}

/* Where they are asked for: TF32 gives up digits. */
static void tf32_is_taken_where_it_is_asked_for(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8), opencl = fake_opencl_gpu(9);
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        plx_problem problem = product(PLX_F32, layout, 4096, 4096, 4096);
        assert_int_not_equal(plx_gemm_choose(&problem, &hopper), PLX_GEMM_WGMMA_TF32);
        assert_int_not_equal(plx_gemm_choose(&problem, &ampere), PLX_GEMM_MMA_SYNC_TF32);
        assert_int_not_equal(plx_gemm_choose(&problem, &opencl), PLX_GEMM_MMA_SYNC_TF32);
        problem.compute = PLX_COMPUTE_TF32;
        expect_choice(&problem, &hopper, PLX_GEMM_WGMMA_TF32);
        expect_choice(&problem, &ampere, PLX_GEMM_MMA_SYNC_TF32);
        expect_choice(&problem, &opencl, PLX_GEMM_WGMMA_TF32);
    }
}

/* Thin products that are asked for as TF32 run as plain f32's do, where that takes less time, with its bound. */
static void thin_products_in_tf32_are_of_plain_kernels(void **unused)
{
    static const struct {
        unsigned layout;
        int64_t m, n, k;
    } thin[] = {{2, 406, 1, 167851}, {2, 5, 461, 226560}, {1, 2, 2704, 1920}, {0, 1, 62452, 15}, {0, 41, 35073, 20}};
    const plx_device_info devices[] = {fake_gpu(9), fake_opencl_gpu(9)};
    (void)unused;
    for (size_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof thin / sizeof thin[0]; i++) {
            plx_problem problem = product(PLX_F32, thin[i].layout, thin[i].m, thin[i].n, thin[i].k);
            const plx_row *row = &plx_gemm_ladder.rows[plx_gemm_choose(&problem, &devices[d])];
            const plx_recipe plain = recipe_of(&problem, row->about.name, &devices[d]);
            const int64_t depth = row->about.depth(&problem, &devices[d]);
            char code[96], same[96];
            plx_error error;
            plx_recipe_code(&plain, PLX_GEMM, row, code, sizeof code);
            problem.compute = PLX_COMPUTE_TF32;
            expect_choice(&problem, &devices[d], (size_t)(row - plx_gemm_ladder.rows));
            assert_int_equal(plx_ladder_row(&problem, (size_t)(row - plx_gemm_ladder.rows), &row, &error), PLX_OK);
            const plx_recipe recipe = recipe_of(&problem, row->about.name, &devices[d]);
            plx_recipe_code(&recipe, PLX_GEMM, row, same, sizeof same);
            assert_string_equal(same, code);
            assert_int_equal(recipe.step_count, plain.step_count);
            assert_string_equal(recipe.steps[0].entry, plain.steps[0].entry);
            assert_string_equal(recipe.variant, plain.variant);
            assert_int_equal(row->about.depth(&problem, &devices[d]), depth);
        }
    const plx_device_info ampere = fake_gpu(8);
    plx_problem problem = product(PLX_F32, 0, 1, 62452, 15);
    problem.compute = PLX_COMPUTE_TF32;
    expect_choice(&problem, &ampere, PLX_GEMM_MMA_SYNC_TF32); /* where nothing was measured */
    const plx_row *row;
    plx_error error; /* the other way round would be less exact */
    problem.compute = PLX_COMPUTE_PLAIN;
    assert_int_equal(plx_ladder_row(&problem, PLX_GEMM_WGMMA_TF32, &row, &error), PLX_UNSUPPORTED);
    problem.compute = PLX_COMPUTE_F16X3;
    assert_int_equal(plx_ladder_row(&problem, PLX_GEMM_SPLIT_K, &row, &error), PLX_UNSUPPORTED);
}

/* A program for each layout and type of C; the local memory is the program's own, not the launch's. */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_units_are_taken_where_they_may_be),
        cmocka_unit_test(few_terms_and_few_tiles_are_taken_as_they_lie),
        cmocka_unit_test(no_product_takes_less_than_to_bring_its_operands),
        cmocka_unit_test(what_cannot_be_had_is_not_chosen),
        cmocka_unit_test(rows_and_columns_are_not_tiled),
        cmocka_unit_test(few_rows_or_columns_are_taken_by_narrow_tiles),
        cmocka_unit_test(tf32_is_taken_where_it_is_asked_for),
        cmocka_unit_test(thin_products_in_tf32_are_of_plain_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
