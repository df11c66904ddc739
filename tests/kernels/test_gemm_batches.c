/* Products of batches in one launch: which kernels take them, what their launches say, and what is left to the loop. */
#include "kernel_support.h"

#include "kernels/gemm/device/tensor/wgmma-batch.h"
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

/* ---- wgmma-tf32 ----------------------------------------------------------------------------- */

enum { NT, NN, TT, TN };

static plx_problem tf32_batch(int form, int64_t count, int64_t m, int64_t n, int64_t k)
{
    plx_problem one = plx_gemm_of(PLX_F32, form == TT || form == TN, form == NT || form == TT, m, n, k);
    one.compute = PLX_COMPUTE_TF32;
    const plx_problem dense = plx_batch_of(&one, count);
    plx_problem normal;
    plx_problem_normalise(&dense, &normal);
    return normal;
}

/* What wgmma-tf32-batch.cu reads behind its maps. */
typedef struct tf32_launch {
    int64_t m, n, k, ldc, tiles, items, flags, stride_c;
} tf32_launch;

static tf32_launch tf32_launch_of(const plx_step *step)
{
    const plx_argument *given = &step->arguments[3]; /* C, its type, m, n, k, ldc, alpha, beta and what follows */
    assert_int_equal(step->argument_count, 3 + 12 + 1);
    assert_int_equal(step->arguments[15].kind, PLX_ARG_SHARED);
    return (tf32_launch){given[2].value, given[3].value, given[4].value,  given[5].value,
                         given[8].value, given[9].value, given[10].value, given[11].value};
}

/* Persistent blocks have whole tiles of all problems; maps of what all have are one matrix deep. */
static void expect_tf32_batch(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_recipe recipe = recipe_of(problem, "wgmma-tf32", device);
    const plx_step *step = &recipe.steps[0];
    const tf32_launch launch = tf32_launch_of(step);
    const int64_t down = (p->m - 1) / (int64_t)step->tile_rows + 1, across = (p->n - 1) / (int64_t)step->tile_cols + 1;
    const int64_t count = problem->batch.count;

    assert_int_equal(recipe.step_count, 1);
    assert_int_equal(recipe.scratch_bytes, 0);
    assert_string_equal(recipe.code, "gemm/wgmma-tf32-batch");
    assert_int_equal(recipe.schedule.split_k, 1);
    assert_true(launch.m == p->m && launch.n == p->n && launch.k == p->k && launch.ldc == p->ldc);
    assert_int_equal(launch.tiles, down * across);
    assert_int_equal(launch.items, down * across * count);
    assert_int_equal(step->grid[0], launch.items < device->units ? launch.items : device->units);
    assert_int_equal(launch.stride_c, problem->batch.stride[2]);
    assert_int_equal(recipe.map_count, 3);
    for (size_t i = 0; i < recipe.map_count; i++) {
        const plx_tensor_map *map = &recipe.maps[i];
        const int64_t stride = problem->batch.stride[map->operand];
        assert_int_equal(map->depth, stride == 0 ? 1 : count);
        assert_int_equal(map->depth_pitch, stride == 0 ? 16 : 4 * stride);
    }
}

static void tf32_has_all_tiles_in_one_launch(void **unused)
{
    static const int64_t shapes[][4] = {{2048, 128, 128, 64}, {3, 1, 1, 4},       {64, 512, 512, 512},
                                        {5, 132, 261, 68},    {7, 300, 64, 1028}, {100, 8, 520, 36}};
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int form = NT; form <= TT; form++) {
            const int64_t *s = shapes[i];
            plx_problem problem = tf32_batch(form, s[0], s[1], s[2], s[3]);
            problem.of.gemm.lda = problem.of.gemm.ldb = 1040;
            problem.batch.stride[0] = problem.batch.stride[1] = 1040 * 1040;
            expect_tf32_batch(&problem, &hopper);
            problem.batch.stride[i % 2] = 0;
            expect_tf32_batch(&problem, &hopper);
        }
}

/* Which of the operands all have is said of the product that is multiplied: of nn, whose B^T is the first, by turns. */
static void tf32_says_what_all_problems_have(void **unused)
{
    static const char *const variants[] = {[NT] = "f32_nt", [NN] = "f32_nn", [TT] = "f32_tt"};
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (int form = NT; form <= TT; form++)
        for (int operand = 0; operand < 2; operand++) {
            plx_problem problem = tf32_batch(form, 16, 256, 256, 128);
            problem.batch.stride[operand] = 0;
            const plx_recipe recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
            const bool first = (operand == 0) != (form == NN);
            assert_string_equal(recipe.variant, variants[form]);
            assert_int_equal(recipe.maps[0].operand, form == NN);
            assert_int_equal(tf32_launch_of(&recipe.steps[0]).flags,
                             GEMM_WGMMA_BULK | (first ? GEMM_WGMMA_ONE_A : GEMM_WGMMA_ONE_B));
        }
}

/* Bulk stores need each C to begin at 16 bytes; where one does not, elements are written one by one. */
static void tf32_writes_c_wherever_it_begins(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = tf32_batch(NT, 16, 256, 256, 128);
    (void)unused;
    problem.batch.stride[2] += 2;
    plx_recipe recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_int_equal(tf32_launch_of(&recipe.steps[0]).flags, 0);
    assert_int_equal(recipe.maps[2].operand, recipe.maps[0].operand);
    problem.batch.stride[2] += 2;
    problem.of.gemm.beta = 0.5;
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_int_equal(tf32_launch_of(&recipe.steps[0]).flags, GEMM_WGMMA_BULK);
    assert_int_equal(recipe.maps[2].operand, 2);
    assert_int_equal(recipe.maps[2].depth_pitch, 4 * problem.batch.stride[2]);
}

static void what_tf32_cannot_reach_is_left(void **unused)
{
    static const char reach[] =
        "takes batches whose rows and problems begin at multiples of 16 bytes, and others one at a time";
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    plx_problem problem = tf32_batch(NT, 8, 128, 128, 66);
    (void)unused;
    expect_refusal(&problem, "wgmma-tf32", &hopper, reach);
    for (int operand = 0; operand < 2; operand++) {
        problem = tf32_batch(NT, 8, 128, 128, 64);
        problem.batch.stride[operand] += 2;
        expect_refusal(&problem, "wgmma-tf32", &hopper, reach);
    }
    problem = tf32_batch(TN, 8, 128, 128, 64);
    expect_refusal(&problem, "wgmma-tf32", &hopper,
                   "takes batches with one operand across k at most, and others one at a time");
    problem = tf32_batch(NT, 2, 512, 512, 16384);
    expect_refusal(&problem, "wgmma-tf32", &hopper, "divides k where tiles are few, one problem at a time");
    problem = tf32_batch(NT, 8, 128, 128, 64);
    expect_refusal(&problem, "wgmma-tf32", &opencl, "takes one problem at a time in OpenCL");
    problem.of.gemm.alpha = 0;
    expect_refusal(&problem, "wgmma-tf32", &hopper, "takes one problem at a time");
    problem = tf32_batch(NT, 8, 128, 128, 0);
    expect_refusal(&problem, "wgmma-tf32", &hopper, "takes one problem at a time");
    problem = tf32_batch(NT, INT64_C(1) << 20, 8, 8, 8); /* where operands begin anywhere, no kernel has room */
    assert_int_equal(status_of("wgmma-tf32", &problem, &hopper), PLX_UNSUPPORTED);
}

/* A batch's tiles are whole: other configurations are of single problems. */
static void tf32_lists_what_batches_may_be_asked_for(void **unused)
{
    enum { MOST = 64 };
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = tf32_batch(NT, 4, 512, 512, 512);
    plx_config configs[MOST];
    (void)unused;
    const size_t count = configs_of("wgmma-tf32", &problem, &hopper, configs, MOST);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_null(strchr(configs[i].name, '/'));
        problem.config = configs[i].number;
        expect_tf32_batch(&problem, &hopper);
    }
}

/* ---- operands that begin anywhere, and the choice ---------------------------------------------- */

/* many-blocks has f32's, as they lie. */
static void unaligned_batches_of_tf32_are_not_packed(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem problem = tf32_batch(NN, 16, 256, 256, 256);
    (void)unused;
    const plx_recipe recipe = unaligned_recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_string_equal(recipe.code, "gemm/many-blocks");
    assert_int_equal(recipe.map_count, 0);
    expect_problems(&recipe, &problem);
}

/* Four times the problems take more than twice as long. */
static void time_counts_all_problems(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    double before = 0;
    (void)unused;
    for (int64_t count = 132; count <= 132 * 64; count *= 4) {
        const plx_problem problem = tf32_batch(NT, count, 128, 128, 512);
        const double us = schedule_of(&problem, "wgmma-tf32", &hopper).us;
        assert_true(before == 0 || us > 2 * before);
        before = us;
    }
}

static void tf32_is_chosen_where_it_is_faster(void **unused)
{
    static const int64_t shapes[][4] = {{2048, 128, 128, 64}, {16, 4096, 4096, 128}, {64, 512, 512, 512}};
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8);
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const int64_t *s = shapes[i];
        const plx_problem problem = tf32_batch(NT, s[0], s[1], s[2], s[3]);
        plx_problem plain = problem;
        plain.compute = PLX_COMPUTE_PLAIN;
        assert_int_equal(plx_gemm_choose(&problem, &hopper), PLX_GEMM_WGMMA_TF32);
        assert_int_not_equal(plx_gemm_choose(&problem, &ampere), PLX_GEMM_WGMMA_TF32);
        assert_int_not_equal(plx_gemm_choose(&plain, &hopper), PLX_GEMM_WGMMA_TF32);
    }
    const plx_problem tiny = tf32_batch(NT, 4096, 16, 16, 16);
    assert_int_equal(plx_gemm_choose(&tiny, &hopper), PLX_GEMM_WARP_PER_PRODUCT);
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
        cmocka_unit_test(tf32_has_all_tiles_in_one_launch),
        cmocka_unit_test(tf32_says_what_all_problems_have),
        cmocka_unit_test(tf32_writes_c_wherever_it_begins),
        cmocka_unit_test(what_tf32_cannot_reach_is_left),
        cmocka_unit_test(tf32_lists_what_batches_may_be_asked_for),
        cmocka_unit_test(unaligned_batches_of_tf32_are_not_packed),
        cmocka_unit_test(time_counts_all_problems),
        cmocka_unit_test(tf32_is_chosen_where_it_is_faster),
        cmocka_unit_test(unaligned_batches_are_not_packed),
        cmocka_unit_test(one_launch_is_chosen_where_problems_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
