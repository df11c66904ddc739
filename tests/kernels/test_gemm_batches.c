/* Products of batches in one launch: which kernels take them, what their launches say, and what is left to the loop. */
#include "kernel_support.h"

#include "kernels/gemm/plan/plan.h"
#include "kernels/operation.h"

enum { AT_ONCE = 65535 };

static plx_problem batch(plx_dtype dtype, int64_t count, int64_t m, int64_t n, int64_t k)
{
    const plx_problem one = plx_gemm_of(dtype, false, true, m, n, k), dense = plx_batch_of(&one, count);
    plx_problem normal;
    plx_problem_normalise(&dense, &normal);
    return normal;
}

static plx_status status_of(const char *kernel, const plx_problem *problem, const plx_device_info *device)
{
    plx_recipe recipe;
    plx_error error;
    return plx_recipe_write(row_named(PLX_GEMM, kernel), false, problem, device, &recipe, &error);
}

/* The last four arguments of each launch: strides, and the first problem's number. */
static void expect_problems(const plx_recipe *recipe, const plx_problem *problem)
{
    int64_t first = 0;
    for (size_t i = 0; i < recipe->step_count; i++) {
        const plx_step *step = &recipe->steps[i];
        size_t end = step->argument_count;
        while (step->arguments[end - 1].kind == PLX_ARG_SHARED)
            end--;
        const plx_argument *last = &step->arguments[end - 4];
        for (int operand = 0; operand < 3; operand++)
            assert_int_equal(last[operand].value, problem->batch.stride[operand]);
        assert_int_equal(last[3].value, first);
        assert_in_range(step->grid[2], 1, AT_ONCE);
        first += (int64_t)step->grid[2];
    }
    assert_int_equal(first, problem->batch.count);
}

static void blocks_along_z_have_a_problem_each(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (int half = 0; half < 2; half++)
        for (int64_t count = 2; count < 300000; count *= 300) {
            plx_problem problem = batch(half ? PLX_BF16 : PLX_F32, count, 48, 40, 24);
            problem.batch.stride[1] = 0;
            const plx_recipe recipe = recipe_of(&problem, half ? "mma-direct" : "many-blocks", &hopper);
            assert_int_equal(recipe.step_count, (count + AT_ONCE - 1) / AT_ONCE);
            expect_problems(&recipe, &problem);
        }
}

/* Persistent blocks have the tiles of all problems; its maps are as deep. */
static void elected_has_all_tiles_in_one_launch(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = batch(PLX_BF16, 2048, 128, 128, 64);
    problem.batch.stride[1] = 0;
    (void)unused;
    const plx_recipe recipe = recipe_of(&problem, "wgmma-elected", &hopper);
    assert_int_equal(recipe.step_count, 1);
    assert_in_range(recipe.steps[0].grid[0], hopper.units / 2, hopper.units);
    for (size_t i = 0; i < recipe.map_count; i++) {
        const plx_tensor_map *map = &recipe.maps[i];
        assert_int_equal(map->depth, map->operand == 1 ? 1 : 2048);
        assert_int_equal(map->depth_pitch, map->operand == 1 ? 16 : 2 * problem.batch.stride[map->operand]);
    }
}

static void what_it_cannot_reach_is_left(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = batch(PLX_F16, 8, 128, 128, 64);
    (void)unused;
    assert_int_equal(status_of("wgmma-elected", &problem, &hopper), PLX_OK);
    problem.batch.stride[0] += 4;
    assert_int_equal(status_of("wgmma-elected", &problem, &hopper), PLX_UNSUPPORTED);
    assert_int_equal(status_of("mma-direct", &problem, &hopper), PLX_OK);
    problem.of.gemm.alpha = 0; /* is scaled by another kernel's code */
    assert_int_equal(status_of("mma-direct", &problem, &hopper), PLX_UNSUPPORTED);
    problem = batch(PLX_F32, INT64_C(1) << 20, 8, 8, 8); /* more than launches have room for */
    assert_int_equal(status_of("many-blocks", &problem, &hopper), PLX_UNSUPPORTED);
    problem.batch.count = 8;
    assert_int_equal(status_of("many-blocks", &problem, &hopper), PLX_OK);
    assert_int_equal(status_of("split-k", &problem, &hopper), PLX_UNSUPPORTED); /* takes none */
}

/* Operands that begin at no multiple of 16 bytes are mma-direct's, as they lie. */
static void unaligned_batches_are_not_packed(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem problem = batch(PLX_BF16, 16, 256, 256, 256);
    plx_recipe recipe;
    plx_error error;
    (void)unused;
    assert_int_equal(plx_recipe_write(row_named(PLX_GEMM, "wgmma-elected"), true, &problem, &hopper, &recipe, &error),
                     PLX_OK);
    assert_string_equal(recipe.code, "gemm/mma-direct");
    expect_problems(&recipe, &problem);
}

static void one_launch_is_chosen_where_problems_are_small(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    const plx_problem small = batch(PLX_F32, 256, 64, 64, 64), attention = batch(PLX_BF16, 2048, 128, 128, 64),
                      large = batch(PLX_F32, 4, 8192, 8192, 8192);
    assert_int_equal(plx_gemm_choose(&small, &hopper), PLX_GEMM_MANY_BLOCKS);
    const size_t kernel = plx_gemm_choose(&attention, &hopper);
    assert_true(kernel == PLX_GEMM_MMA_DIRECT || kernel == PLX_GEMM_WGMMA_ELECTED);
    const plx_problem one = plx_batch_one(&large);
    assert_int_equal(plx_gemm_choose(&large, &hopper), plx_gemm_choose(&one, &hopper));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_along_z_have_a_problem_each),
        cmocka_unit_test(elected_has_all_tiles_in_one_launch),
        cmocka_unit_test(what_it_cannot_reach_is_left),
        cmocka_unit_test(unaligned_batches_are_not_packed),
        cmocka_unit_test(one_launch_is_chosen_where_problems_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
