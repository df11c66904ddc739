/* wgmma-elected, without a device: its tiles cover C, what its launches ask for is there, its maps bring each
 * block its share, and it leaves to others what it does not multiply. */
#include "kernel_support.h"

#include "kernels/arithmetic.h"
#include "kernels/gemm/plan/plan.h"
#include "kernels/gemm/plan/family.h"
#include "kernels/gemm/launch/tensor.h"
#include "kernels/gemm/device/tensor/wgmma-elected.h"

enum { A, B, C, MOST_CONFIGS = 128 };

/* Places of the arguments that the launch counts with. */
enum {
    X,
    EDGE_X,
    Y,
    EDGE_Y,
    WHOLE,
    REST,
    RESULT,
    TYPE,
    M,
    N,
    K,
    LDC,
    ALPHA,
    BETA,
    CLUSTER_ROWS,
    CLUSTER_COLS,
    PARTS,
    DOWN,
    ACROSS,
    ORDER,
    STAGES,
    OUTS,
    FLAGS,
    COUNT,
    STRIDE_C,
    PARTIALS,
    RANGES,
    SHARED,
    ARGUMENTS
};

static plx_problem product(plx_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    return plx_gemm_of(dtype, false, true, m, n, k);
}

static int64_t value_of(const plx_step *step, int place)
{
    return step->arguments[place].value;
}

static int64_t covered(int64_t clusters, int64_t of_cluster, int64_t side)
{
    return clusters * of_cluster * side;
}

/* The launch that adds the sums of ranges has a thread for each four of them, and finds them where the product's
 * launch was told to leave them, in scratch memory that is large enough. */
static void expect_sum(const plx_recipe *recipe, const plx_step *product, int64_t area, int64_t tiles)
{
    const plx_step *sum = &recipe->steps[recipe->step_count - 1];
    const plx_argument *left = &product->arguments[PARTIALS];
    const int64_t turned = 7, partials = 8, ranges = 9; /* places of arguments */
    assert_string_equal(sum->entry, "gemm_wgmma_elected_sum");
    assert_int_equal((int64_t)sum->grid[0] * value_of(product, RANGES), tiles);
    assert_int_equal(sum->grid[1], quotient_up(area / 4, sum->block[0]));
    assert_int_equal(value_of(sum, turned), (value_of(product, FLAGS) & GEMM_ELECTED_TRANSPOSED) != 0);
    assert_int_equal(value_of(sum, ranges), value_of(product, RANGES));
    assert_int_equal(left->kind, PLX_ARG_SCRATCH);
    assert_int_equal(left->value, value_of(sum, partials));
    assert_int_equal(recipe->scratch_bytes, (uint64_t)(left->value + tiles * area * 4));
}

/* Each range has some of k and clusters of its own, which all run at once. */
static void expect_ranges(const plx_problem *problem, const plx_step *step, int64_t parts, int64_t tiles)
{
    const int64_t ranges = value_of(step, RANGES);
    assert_in_range(ranges, 2, (problem->of.gemm.k + 63) / 64);
    assert_int_equal(value_of(step, COUNT), ranges);
    assert_int_equal(parts, 1);
    assert_int_equal(step->grid[0], tiles);
    assert_int_equal(value_of(step, FLAGS) & (GEMM_ELECTED_ONE_X | GEMM_ELECTED_ONE_Y),
                     GEMM_ELECTED_ONE_X | GEMM_ELECTED_ONE_Y);
}

/* Equal shares of `side` lines, or of the 64 steps along k of an operand that lies across.  The second map's box is
 * what the operand has of the last share: rows behind its end are not asked for. */
static void expect_shares(const plx_tensor_map *maps, bool inner, int64_t side, int64_t shares)
{
    const plx_tensor_map *map = &maps[0], *edge = &maps[1];
    const uint64_t left = map->height % map->box_height;
    assert_int_equal(map->box_width, 64);
    assert_int_equal(map->box_height * shares, inner ? side : 64);
    assert_int_equal(edge->box_height, inner && left > 0 ? left : map->box_height);
    assert_true(edge->operand == map->operand && edge->box_width == 64 && edge->height == map->height);
}

/* Blocks of a cluster bring equal shares of what they share, and cover C; none has more shared memory than
 * there is. */
static void expect_launch(const plx_problem *problem, const plx_device_info *device, const plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool sums = strcmp(recipe->steps[recipe->step_count - 1].entry, "gemm_wgmma_elected_sum") == 0;
    const plx_step *step = &recipe->steps[recipe->step_count - 1 - sums];
    const bool turned = value_of(step, FLAGS) & GEMM_ELECTED_TRANSPOSED;
    const int64_t cluster_rows = value_of(step, CLUSTER_ROWS), cluster_cols = value_of(step, CLUSTER_COLS),
                  parts = value_of(step, PARTS), in_cluster = cluster_rows * cluster_cols * parts,
                  tiles = value_of(step, DOWN) * value_of(step, ACROSS) * value_of(step, COUNT);
    const bool x_inner = turned ? p->trans_b : !p->trans_a, y_inner = turned ? !p->trans_a : p->trans_b;
    int blocks, cols;

    assert_int_equal(step->argument_count, ARGUMENTS);
    assert_int_equal(sscanf(step->entry, "gemm_wgmma_elected_%dx%d", &blocks, &cols), 2);
    const int rows = 64 * blocks * (value_of(step, FLAGS) & GEMM_ELECTED_PING_PONG ? 1 : 2);
    const int lines = y_inner ? cols : (cols + 63) / 64 * 64;
    expect_shares(&recipe->maps[X], x_inner, rows, cluster_cols);
    expect_shares(&recipe->maps[Y], y_inner, cols, cluster_rows);
    assert_string_equal(step->variant + strlen(step->variant) - 2, x_inner   ? y_inner ? "nt" : "nn"
                                                                   : y_inner ? "tt"
                                                                             : "tn");
    assert_true((step->code == NULL) == (x_inner && y_inner));
    assert_int_equal(step->cluster, in_cluster > 1 ? in_cluster : 0);
    assert_int_equal(step->grid[0] % (uint64_t)in_cluster, 0);
    assert_true(sums == (value_of(step, RANGES) > 1));
    if (sums) {
        expect_ranges(problem, step, parts, tiles * in_cluster);
        expect_sum(recipe, step, (int64_t)rows * cols, tiles * in_cluster);
    }
    if (parts > 1) { /* each has some of k, a cluster one tile, and there is room for its sums */
        assert_true(parts == 2 || parts == 4 || parts == 8);
        assert_true(blocks * cols <= GEMM_ELECTED_MOST_PARTED);
        assert_true(parts <= (p->k + 63) / 64 && (value_of(step, FLAGS) & GEMM_ELECTED_PING_PONG) == 0);
        assert_int_equal(step->grid[0], tiles * in_cluster);
        assert_true((int64_t)rows * cols * 4 <= value_of(step, STAGES) * 128 * (rows + lines));
    }
    assert_in_range(step->grid[0], 1, device->units);
    assert_in_range(value_of(step, ORDER), 1, value_of(step, DOWN));
    assert_in_range(value_of(step, STAGES), 2, 24);
    assert_true(value_of(step, STAGES) * 128 * (rows + lines) < value_of(step, SHARED));
    assert_true((uint64_t)value_of(step, SHARED) <= device->max_shared_bytes);
    for (int back = 0; back < 2; back++) { /* all of C, by no cluster too many */
        assert_true((covered(value_of(step, DOWN) - back, cluster_rows, rows) >= (turned ? p->n : p->m)) == !back);
        assert_true((covered(value_of(step, ACROSS) - back, cluster_cols, cols) >= (turned ? p->m : p->n)) == !back);
    }
}

static void every_configuration_covers_c(void **unused)
{
    static const int64_t sides[][3] = {{1, 8, 8},         {64, 32768, 512},   {1000, 2112, 7168}, {3824, 288, 4688},
                                       {4096, 4096, 512}, {100, 128256, 320}, {7, 1280, 5120},    {33, 65, 17}};
    const plx_device_info hopper = fake_gpu(9);
    static plx_config configs[MOST_CONFIGS];
    size_t turned = 0, clustered = 0, in_ranges = 0;
    (void)unused;
    for (size_t i = 0; i < 4 * sizeof sides / sizeof sides[0]; i++) {
        const int64_t *side = sides[i / 4];
        plx_problem problem = plx_gemm_of(i % 8 < 4 ? PLX_F16 : PLX_BF16, i & 2, i & 1, side[0], side[1], side[2]);
        const size_t count = configs_of("wgmma-elected", &problem, &hopper, configs, MOST_CONFIGS);
        assert_in_range(count, 2, MOST_CONFIGS);
        for (size_t j = 0; j < count; j++) {
            problem.config = configs[j].number;
            const plx_recipe recipe = recipe_of(&problem, "wgmma-elected", &hopper);
            expect_launch(&problem, &hopper, &recipe);
            turned += strchr(configs[j].name, 't') != NULL;
            clustered += recipe.steps[0].cluster > 1;
            in_ranges += strchr(configs[j].name, '/') != NULL;
        }
    }
    assert_true(turned > 0 && clustered > 0 && in_ranges > 0);
}

/* A device with fewer multiprocessors, as a part of one is. */
static void small_devices_get_no_more_blocks_than_fit(void **unused)
{
    plx_device_info part = fake_gpu(9);
    static plx_config configs[MOST_CONFIGS];
    plx_problem problem = product(PLX_BF16, 1000, 2112, 7168);
    (void)unused;
    part.units = 16;
    const size_t count = configs_of("wgmma-elected", &problem, &part, configs, MOST_CONFIGS);
    assert_true(count > 0);
    for (size_t i = 0; i < count && i < MOST_CONFIGS; i++) {
        problem.config = configs[i].number;
        const plx_recipe recipe = recipe_of(&problem, "wgmma-elected", &part);
        expect_launch(&problem, &part, &recipe);
    }
}

/* Multiprocessors of a device that is not whole lie in groups that clusters do not fill. */
static void clusters_leave_multiprocessors_over(void **unused)
{
    plx_device_info hopper = fake_gpu(9);
    (void)unused;
    assert_int_equal(plx_elected_slots(&hopper, 1), 132);
    assert_int_equal(plx_elected_slots(&hopper, 2), 66);
    assert_int_equal(plx_elected_slots(&hopper, 4), 29);
    assert_int_equal(plx_elected_slots(&hopper, 8), 13);
    hopper.clusters[0] = 30;
    hopper.clusters[1] = 15;
    assert_int_equal(plx_elected_slots(&hopper, 2), 66);
    assert_int_equal(plx_elected_slots(&hopper, 4), 30);
    assert_int_equal(plx_elected_slots(&hopper, 8), 15);
}

static plx_recipe in_config(plx_problem problem, uint32_t tile, int cluster, bool turned)
{
    const plx_device_info hopper = fake_gpu(9);
    problem.config = plx_gemm_config_number(
        &(plx_gemm_config){.tile = tile, .cluster = (uint32_t)cluster, .parts = 1, .edge_blocks = turned ? 3 : 2});
    return recipe_of(&problem, "wgmma-elected", &hopper);
}

static void expect_map(const plx_tensor_map *map, uint32_t operand, uint64_t width, uint64_t height, uint32_t box_width,
                       uint32_t box_height, uint32_t swizzle)
{
    assert_false(map->of_scratch);
    assert_int_equal(map->operand, operand);
    assert_int_equal(map->width, width);
    assert_int_equal(map->height, height);
    assert_int_equal(map->box_width, box_width);
    assert_int_equal(map->box_height, box_height);
    assert_int_equal(map->swizzle, swizzle);
}

/* Tile 9 is 64 x 112, in clusters of two rows and one column of blocks (2 << 3 | 1). */
static void turned_products_have_b_as_rows(void **unused)
{
    const plx_problem problem = product(PLX_BF16, 500, 600, 320);
    plx_recipe recipe = in_config(problem, 9, 2 << 3 | 1, false);
    (void)unused;
    assert_string_equal(recipe.steps[0].entry, "gemm_wgmma_elected_1x112");
    assert_string_equal(recipe.steps[0].variant, "bf16_nt");
    expect_map(&recipe.maps[X], A, 320, 500, 64, 64, 128);
    expect_map(&recipe.maps[EDGE_X], A, 320, 500, 64, 52, 128);
    expect_map(&recipe.maps[Y], B, 320, 600, 64, 56, 128);
    expect_map(&recipe.maps[EDGE_Y], B, 320, 600, 64, 40, 128);
    expect_map(&recipe.maps[WHOLE], C, 600, 500, 64, 64, 128);
    expect_map(&recipe.maps[REST], C, 600, 500, 48, 64, 0);
    recipe = in_config(problem, 9, 2 << 3 | 1, true);
    expect_map(&recipe.maps[X], B, 320, 600, 64, 64, 128);
    expect_map(&recipe.maps[Y], A, 320, 500, 64, 56, 128);
    expect_map(&recipe.maps[WHOLE], C, 600, 500, 64, 64, 128);
    expect_map(&recipe.maps[REST], C, 600, 500, 64, 48, 128);
}

/* Of B as it is k runs along the columns in memory; tile 29 is the third of those for such operands, 64 x 96. */
static void operands_across_k_come_in_whole_lines(void **unused)
{
    const plx_problem problem = plx_gemm_of(PLX_F16, false, false, 504, 600, 320);
    plx_recipe recipe = in_config(problem, 29, 2 << 3 | 2, false);
    (void)unused;
    assert_string_equal(recipe.steps[0].entry, "gemm_wgmma_elected_1x96");
    assert_string_equal(recipe.steps[0].variant, "f16_nn");
    assert_string_equal(recipe.steps[0].code, "gemm/wgmma-elected-across");
    expect_map(&recipe.maps[X], A, 320, 504, 64, 32, 128);
    expect_map(&recipe.maps[Y], B, 600, 320, 64, 32, 128);
    recipe = in_config(problem, 29, 2 << 3 | 2, true);
    assert_string_equal(recipe.steps[0].variant, "f16_tt");
    expect_map(&recipe.maps[X], B, 600, 320, 64, 32, 128);
    expect_map(&recipe.maps[Y], A, 320, 504, 64, 48, 128);
    for (int transposed = 0; transposed < 2; transposed++) {
        recipe = in_config(plx_gemm_of(PLX_F16, true, false, 504, 600, 320), 29, 2 << 3 | 2, transposed);
        assert_string_equal(recipe.steps[0].variant, "f16_tn");
        expect_map(&recipe.maps[X], transposed ? B : A, transposed ? 600 : 504, 320, 64, 32, 128);
        expect_map(&recipe.maps[Y], transposed ? A : B, transposed ? 504 : 600, 320, 64, 32, 128);
    }
}

static bool leaves_by_bulk_stores(const plx_recipe *recipe)
{
    const plx_step *step = &recipe->steps[recipe->step_count - 1];
    const bool bulk = value_of(step, FLAGS) & GEMM_ELECTED_BULK;
    assert_int_equal(recipe->maps[WHOLE].operand == C && !recipe->maps[WHOLE].of_scratch, bulk);
    return bulk;
}

/* Else threads write it: in f32, with what was there, or where rows begin at no multiple of 16 bytes. */
static void c_leaves_by_bulk_stores_where_it_can(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = product(PLX_F16, 512, 512, 512);
    (void)unused;
    plx_recipe recipe = recipe_of(&problem, "wgmma-elected", &hopper);
    assert_true(leaves_by_bulk_stores(&recipe));
    problem.of.gemm.beta = 0.5;
    recipe = recipe_of(&problem, "wgmma-elected", &hopper);
    assert_false(leaves_by_bulk_stores(&recipe));
    problem.of.gemm.beta = 0;
    problem.of.gemm.ldc = 516;
    recipe = recipe_of(&problem, "wgmma-elected", &hopper);
    assert_false(leaves_by_bulk_stores(&recipe));
    problem.of.gemm.ldc = 512;
    problem.output = PLX_OUTPUT(PLX_F32);
    recipe = recipe_of(&problem, "wgmma-elected", &hopper);
    assert_false(leaves_by_bulk_stores(&recipe));
}

/* Operands whose rows the copy engine can't read are copied, wherever they begin where that is not known. */
static void what_the_copy_engine_cannot_read_is_copied(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem odd = product(PLX_BF16, 300, 200, 63), even = product(PLX_BF16, 300, 200, 64);
    plx_recipe recipe = recipe_of(&odd, "wgmma-elected", &hopper);
    (void)unused;
    assert_int_equal(recipe.step_count, 2);
    assert_true(recipe.maps[X].of_scratch && recipe.maps[Y].of_scratch);
    assert_int_equal(recipe_of(&even, "wgmma-elected", &hopper).step_count, 1);
    recipe = unaligned_recipe_of(&even, "wgmma-elected", &hopper);
    assert_int_equal(recipe.step_count, 2);
    assert_true(recipe.maps[X].of_scratch && recipe.maps[Y].of_scratch);
    assert_false(leaves_by_bulk_stores(&recipe));
}

/* Tile 26 is 128 x 192, by turns: of few k-tiles each is over before the one ahead has left through a single block. */
static void short_sums_leave_through_two_blocks(void **unused)
{
    static const int64_t expected[][3] = {{512, 2, 4}, {513, 1, 5}, {4096, 1, 5}}; /* k, blocks of C, stages */
    (void)unused;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const plx_recipe recipe = in_config(product(PLX_BF16, 4096, 4096, expected[i][0]), 26, 1 << 3 | 1, false);
        const plx_step *step = &recipe.steps[recipe.step_count - 1];
        assert_string_equal(step->entry, "gemm_wgmma_elected_2x192");
        assert_int_equal(value_of(step, OUTS), expected[i][1]);
        assert_int_equal(value_of(step, STAGES), expected[i][2]);
    }
}

static int64_t order_of(int64_t m, int64_t n, int64_t k, bool turned)
{
    const plx_recipe recipe = in_config(product(PLX_BF16, m, n, k), 26, 1 << 3 | 1, turned);
    return value_of(&recipe.steps[recipe.step_count - 1], ORDER);
}

/* About as high as wide, and of equal height; one where it saves a Y that is too large for L2 from being brought again,
 * or the rows of C from being cut.  32 rows of tiles each time. */
static void groups_of_tiles_are_equal(void **unused)
{
    (void)unused;
    assert_int_equal(order_of(4096, 8192, 512, false), 16);
    assert_int_equal(order_of(4096, 32768, 512, false), 32);
    assert_int_equal(order_of(4096, 32768, 4096, false), 16); /* X does not stay there either */
    assert_int_equal(order_of(8192, 4096, 512, true), 32);
    assert_int_equal(order_of(8192, 4096, 4096, true), 16);
}

static void what_it_does_not_multiply_is_left_to_others(void **unused)
{
    const plx_device_info ampere = fake_gpu(8), opencl = fake_opencl_gpu(9);
    const plx_problem along = product(PLX_BF16, 4096, 4096, 4096);
    (void)unused;
    expect_refusal(&along, "wgmma-elected", &ampere, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&along, "wgmma-elected", &opencl, "needs CUDA: it has no OpenCL form");
}

/* Layers of language models, and rows that are no whole lines; not few rows with long sums of few columns. */
static void it_is_chosen_where_it_is_the_fastest(void **unused)
{
    static const int64_t its[][3] = {{4096, 32768, 512}, {4096, 24576, 1536}, {2544, 336, 4520}, {3824, 288, 4688}},
                         others[][3] = {{7, 1280, 5120}, {48, 2112, 7168}, {1, 4096, 4096}};
    plx_device_info devices[] = {fake_gpu(9), fake_gpu(9)};
    (void)unused;
    devices[1].memory_bytes = UINT64_C(80) << 30;
    for (int device = 0; device < 2; device++) {
        for (size_t i = 0; i < sizeof its / sizeof its[0]; i++) {
            const plx_problem problem = product(PLX_BF16, its[i][0], its[i][1], its[i][2]);
            assert_int_equal(plx_gemm_choose(&problem, &devices[device]), PLX_GEMM_WGMMA_ELECTED);
        }
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            const plx_problem problem = product(PLX_BF16, others[i][0], others[i][1], others[i][2]);
            assert_int_not_equal(plx_gemm_choose(&problem, &devices[device]), PLX_GEMM_WGMMA_ELECTED);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_configuration_covers_c),
        cmocka_unit_test(small_devices_get_no_more_blocks_than_fit),
        cmocka_unit_test(clusters_leave_multiprocessors_over),
        cmocka_unit_test(turned_products_have_b_as_rows),
        cmocka_unit_test(operands_across_k_come_in_whole_lines),
        cmocka_unit_test(c_leaves_by_bulk_stores_where_it_can),
        cmocka_unit_test(what_the_copy_engine_cannot_read_is_copied),
        cmocka_unit_test(short_sums_leave_through_two_blocks),
        cmocka_unit_test(groups_of_tiles_are_equal),
        cmocka_unit_test(what_it_does_not_multiply_is_left_to_others),
        cmocka_unit_test(it_is_chosen_where_it_is_the_fastest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
