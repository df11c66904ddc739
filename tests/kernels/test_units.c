/* The products on matrix units, of 16-bit elements and of planes that f32 is split into: what their recipes
 * ask of the copy engine and of memory, which of them is chosen, and how well planes must hold an operand. */
#include "units_support.h"

#include "kernels/gemm/plan/family.h"
#include "kernels/gemm/device/split-precision/panels.h"
#include "kernels/gemm/launch/tensor.h"

static const char *const bulk_kernels[] = {"wgmma", "wgmma-pipelined", "wgmma-cluster"};
enum { BULK_KERNELS = sizeof bulk_kernels / sizeof bulk_kernels[0] };

/* Rows of a box are a line of the swizzle; what it brings lies within what there is, or within scratch
 * memory. */
static void expect_boxes(const plx_recipe *recipe)
{
    for (size_t i = 0; i < recipe->map_count; i++) {
        const plx_tensor_map *map = &recipe->maps[i];
        const uint64_t bytes = map->dtype == PLX_F32 ? 4 : 2;
        assert_int_equal(map->swizzle, LINE);
        assert_int_equal(map->box_width * bytes, LINE);
        assert_int_equal(map->pitch % 16, 0);
        assert_true(map->pitch >= map->width * bytes);
        if (map->of_scratch) {
            assert_int_equal(map->pitch % LINE, 0);
            assert_true(map->offset >= PLX_SCRATCH_COUNTERS);
            assert_true(map->offset + map->height * map->pitch <= recipe->scratch_bytes);
        }
    }
}

/* ---- 16-bit elements ------------------------------------------------------------------ */

static void aligned_operands_are_taken_as_they_lie(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (size_t i = 0; i < BULK_KERNELS; i++)
        for (unsigned layout = 0; layout < 4; layout++) {
            const plx_problem problem = product(PLX_BF16, layout, 1024, 2048, 512);
            const plx_recipe recipe = recipe_of(&problem, bulk_kernels[i], &hopper);
            expect_boxes(&recipe);
            assert_null(step_named(&recipe, "repack"));
            assert_true(maps_operand(&recipe, A) && maps_operand(&recipe, B) && maps_operand(&recipe, C));
        }
}

/* A, B and C each by itself: of C rows that are 8 bytes further apart than a multiple of 16. */
static void what_the_copy_engine_cannot_reach_goes_another_way(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (size_t i = 0; i < BULK_KERNELS; i++)
        for (unsigned which = 0; which < 3; which++) {
            plx_problem problem = product(PLX_F16, 0, 520, 264, 136);
            int64_t *ld[] = {&problem.of.gemm.lda, &problem.of.gemm.ldb, &problem.of.gemm.ldc};
            *ld[which] += 4;
            const plx_recipe recipe = recipe_of(&problem, bulk_kernels[i], &hopper);
            expect_boxes(&recipe);
            for (unsigned operand = A; operand <= C; operand++)
                assert_int_equal(maps_operand(&recipe, operand), operand != which);
            assert_int_equal(step_named(&recipe, "repack") != NULL, which != C);
        }
}

static void operands_that_begin_anywhere_have_no_maps(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    const plx_problem problem = product(PLX_F16, 1, 520, 264, 136);
    (void)unused;
    for (size_t i = 0; i < BULK_KERNELS; i++) {
        const plx_recipe recipe = unaligned_recipe_of(&problem, bulk_kernels[i], &hopper);
        expect_boxes(&recipe);
        assert_false(maps_operand(&recipe, A) || maps_operand(&recipe, B) || maps_operand(&recipe, C));
        assert_non_null(step_named(&recipe, "repack"));
    }
}

/* Bulk stores write whole units of 16 bytes: where rows of C end within one, there are none. */
static void nothing_is_written_between_rows(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem half = product(PLX_F16, 0, 65, 61, 64), planes = product(PLX_F32, 0, 65, 63, 64);
    (void)unused;
    half.of.gemm.ldc = planes.of.gemm.ldc = 64;
    planes.compute = PLX_COMPUTE_F16X3;
    for (size_t i = 0; i < BULK_KERNELS; i++) {
        const plx_recipe recipe = recipe_of(&half, bulk_kernels[i], &hopper);
        assert_false(maps_operand(&recipe, C));
    }
    const plx_recipe recipe = recipe_of(&planes, "f16x3", &hopper);
    assert_false(maps_operand(&recipe, C));
}

static void expect_box(const plx_tensor_map *map, uint32_t operand, bool of_scratch, uint64_t width, uint64_t height,
                       uint32_t box_height)
{
    assert_int_equal(map->operand, operand);
    assert_int_equal(map->of_scratch, of_scratch);
    assert_int_equal(map->width, width);
    assert_int_equal(map->height, height);
    assert_int_equal(map->box_height, box_height);
}

/* The units read one operand of TF32 along k alone; the other may pass through registers, and is the first of
 * the product, which is C turned where that is B. */
static void tf32_is_taken_as_it_lies(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = tf32_product(0, 520, 264, 136);
    plx_recipe recipe;
    (void)unused;
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 0, .parts = 1}); /* 128 x 256 */
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_string_equal(recipe.variant, "f32_nn");
    expect_box(&recipe.maps[0], B, false, 264, 136, 32);
    expect_box(&recipe.maps[1], A, false, 136, 520, 256);
    expect_box(&recipe.maps[2], C, false, 264, 520, 32);
    problem.of.gemm = tf32_product(1, 520, 264, 136).of.gemm;
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_string_equal(recipe.variant, "f32_nt");
    expect_box(&recipe.maps[0], A, false, 136, 520, 128);
    expect_box(&recipe.maps[1], B, false, 136, 264, 256);
    expect_box(&recipe.maps[2], C, false, 264, 520, 64);
    problem.of.gemm = tf32_product(3, 520, 264, 136).of.gemm;
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    assert_string_equal(recipe.variant, "f32_tt");
    expect_box(&recipe.maps[0], A, false, 520, 136, 32);
    expect_box(&recipe.maps[1], B, false, 136, 264, 256);
    expect_box(&recipe.maps[2], C, false, 264, 520, 64);
}

/* Where both operands lie across, the smaller one is turned. */
static void the_smaller_one_is_turned(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = tf32_product(2, 520, 264, 136);
    plx_recipe recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    (void)unused;
    expect_boxes(&recipe);
    assert_string_equal(recipe.variant, "f32_tt");
    assert_true(maps_operand(&recipe, A) && !maps_operand(&recipe, B));
    assert_int_equal(recipe.maps[1].width, 136);
    assert_int_equal(recipe.maps[1].height, 264);
    problem = tf32_product(2, 264, 520, 136);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_boxes(&recipe);
    assert_string_equal(recipe.variant, "f32_nn");
    assert_true(maps_operand(&recipe, B) && !maps_operand(&recipe, A));
    assert_int_equal(recipe.maps[1].width, 136);
    assert_int_equal(recipe.maps[1].height, 264);
}

/* The launch that copies operands: rows of A and of B, or none, and which are turned: 1 A, 2 B. */
static void expect_copies(const plx_recipe *recipe, const char *variant, int64_t of_a, int64_t of_b, int32_t turned)
{
    const plx_step *step = step_named(recipe, turned != 0 ? "turn" : "repack");
    expect_boxes(recipe);
    assert_string_equal(recipe->variant, variant);
    assert_null(step_named(recipe, turned != 0 ? "repack" : "turn"));
    assert_non_null(step);
    assert_int_equal(step->arguments[2].value, of_a);
    assert_int_equal(step->arguments[8].value, of_b);
    if (turned != 0)
        assert_int_equal(step->arguments[12].value, turned);
}

/* What is copied because of where its rows begin lies along k from then on; one launch copies both operands. */
static void tf32_is_turned_as_it_is_copied(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = tf32_product(2, 521, 263, 137);
    plx_recipe recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    (void)unused;
    expect_copies(&recipe, "f32_nt", 137, 137, 3);
    problem = tf32_product(0, 521, 263, 137);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_copies(&recipe, "f32_nt", 521, 137, 2);
    problem = tf32_product(3, 521, 263, 137);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_copies(&recipe, "f32_nt", 137, 263, 1);
    problem = tf32_product(1, 521, 263, 137);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_copies(&recipe, "f32_nt", 521, 263, 0);
    problem = tf32_product(2, 520, 263, 137);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_copies(&recipe, "f32_tt", 0, 137, 2);
    problem = tf32_product(2, 521, 264, 137);
    recipe = recipe_of(&problem, "wgmma-tf32", &hopper);
    expect_copies(&recipe, "f32_nn", 137, 0, 1);
}

/* wgmma-pipelined in tiles of 128 x 96. */
static plx_problem in_tiles_of_96(unsigned layout, int64_t m, int64_t n, int64_t k)
{
    plx_problem problem = product(PLX_BF16, layout, m, n, k);
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 4, .parts = 1});
    return problem;
}

/* Lines of B that run across k are 64 columns: for a tile of another width B is turned as it is copied. */
static void a_tile_of_96_has_b_along_k(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        const plx_problem problem = in_tiles_of_96(layout, 521, 263, 137);
        const plx_recipe recipe = recipe_of(&problem, "wgmma-pipelined", &hopper);
        const bool across = (layout & 1) == 0;
        expect_copies(&recipe, layout & 2 ? "bf16_tt" : "bf16_nt", layout & 2 ? 137 : 521, across ? 137 : 263,
                      across ? 2 : 0);
        assert_non_null(step_named(&recipe, "128x96"));
        expect_box(&recipe.maps[1], B, true, 137, 263, 96);
    }
}

/* What is not copied is not turned; in 16 bits the tile's last columns fill half a block, which no bulk store takes. */
static void a_tile_of_96_takes_what_lies_along_k(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    plx_problem problem = in_tiles_of_96(1, 520, 264, 136);
    plx_recipe recipe = recipe_of(&problem, "wgmma-pipelined", &hopper);
    plx_error error;
    (void)unused;
    assert_int_equal(recipe.step_count, 1);
    expect_box(&recipe.maps[1], B, false, 136, 264, 96);
    assert_false(maps_operand(&recipe, C));
    problem.output = PLX_OUTPUT(PLX_F32);
    recipe = recipe_of(&problem, "wgmma-pipelined", &hopper);
    assert_true(maps_operand(&recipe, C));
    const plx_row *row = row_named(PLX_GEMM, "wgmma-pipelined");
    assert_int_not_equal(plx_recipe_write(row, false, &problem, &opencl, &recipe, &error), PLX_OK);
    problem = in_tiles_of_96(0, 520, 264, 136);
    assert_int_not_equal(plx_recipe_write(row, false, &problem, &hopper, &recipe, &error), PLX_OK);
}

/* 100 tiles of pairs, of which 66 run side by side: those of the last round have parts for each of the two blocks. */
static void pairs_have_parts_of_their_own(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = product(PLX_BF16, 0, 2560, 2560, 2560);
    (void)unused;
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 0, .parts = 3}); /* 128 x 256 */
    const plx_recipe recipe = recipe_of(&problem, "wgmma-cluster", &hopper);
    const plx_step *sum = step_named(&recipe, "wgmma_cluster_sum");
    assert_non_null(sum);
    assert_int_equal(sum->grid[0], 2 * 34);
    assert_int_equal(recipe.scratch_bytes, PLX_SCRATCH_COUNTERS + UINT64_C(34) * 3 * 2 * 128 * 256 * 4);
    assert_int_equal(recipe.steps[0].grid[0], 132);
}

/* Where C has no element, there is nothing to launch, but the kernel's code is known. */
static void of_nothing_there_is_nothing_to_do(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem none = product(PLX_F32, 0, 0, 63, 64);
    (void)unused;
    none.compute = PLX_COMPUTE_BF16X6;
    const plx_recipe recipe = recipe_of(&none, "bf16x6", &hopper);
    assert_int_equal(recipe.step_count, 0);
    assert_string_equal(recipe.code, "gemm/f16x3");
}

/* C of f32 has 32 columns in a line, where one of 16 bits has 64. */
static void the_result_has_the_type_that_was_asked_for(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = product(PLX_BF16, 0, 512, 512, 512);
    (void)unused;
    for (int f32 = 0; f32 < 2; f32++) {
        problem.output = f32 ? PLX_OUTPUT(PLX_F32) : 0;
        const plx_recipe recipe = recipe_of(&problem, "wgmma-pipelined", &hopper);
        expect_boxes(&recipe);
        for (size_t i = 0; i < recipe.map_count; i++)
            if (recipe.maps[i].operand == C)
                assert_int_equal(recipe.maps[i].dtype, f32 ? PLX_F32 : PLX_BF16);
    }
}

/* Without terms, beta * C is made by a kernel that reads neither A nor B. */
static void without_terms_c_is_scaled(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = product(PLX_F16, 0, 100, 100, 100);
    (void)unused;
    problem.of.gemm.alpha = 1e-60; /* 0 as f32 */
    problem.of.gemm.beta = 2;
    for (size_t i = 0; i <= BULK_KERNELS; i++) {
        const char *kernel = i < BULK_KERNELS ? bulk_kernels[i] : "wgmma-narrow";
        const plx_recipe recipe = recipe_of(&problem, kernel, &hopper);
        assert_string_equal(recipe.code, "gemm/mma-sync");
        assert_int_equal(recipe.step_count, 1);
        assert_int_equal(recipe.map_count, 0);
    }
}

/* ---- planes ----------------------------------------------------------------------------- */

/* The bound is that of plain sums, from the length on for which doc/validation.md says so. */
static void planes_are_as_good_as_plain_sums(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (int64_t k = 1; k < INT64_C(1) << 31; k += k / 7 + 1) {
        plx_problem problem = product(PLX_F32, 0, 64, 64, k);
        const double share = plx_f16x3_share(k);
        problem.compute = PLX_COMPUTE_F16X3;
        assert_true(share >= 0x1p-11 && share <= 0x1p-5);
        if (k >= 80)
            assert_int_equal(plx_f16x3_depth(&problem, &hopper), k);
        else
            assert_true(plx_f16x3_depth(&problem, &hopper) <= 2 * k + 64);
        assert_true(plx_bf16x6_depth(&problem, &hopper) <= (k >= 80 ? k : 2 * k + 64));
    }
}

static void planes_lie_apart(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (unsigned form = 0; form < 8; form++) {
        plx_problem problem = product(PLX_F32, form, 129, form & 4 ? 256 : 257, 67);
        problem.compute = form & 1 ? PLX_COMPUTE_F16X3 : PLX_COMPUTE_BF16X6;
        const plx_recipe recipe = recipe_of(&problem, form & 1 ? "f16x3" : "bf16x6", &hopper);
        expect_boxes(&recipe);
        assert_false(maps_operand(&recipe, A) || maps_operand(&recipe, B));
        assert_int_equal(maps_operand(&recipe, C), problem.of.gemm.n % 4 == 0);
    }
}

/* The flag that planes of f16 are lost is a counter, which the last launch leaves at zero: nothing else
 * clears it where rows and columns are split whole. */
static void short_operands_are_split_in_one_launch(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    (void)unused;
    for (int64_t k = GEMM_PANEL_MOST; k <= GEMM_PANEL_MOST + 1; k++) {
        const bool whole = k == GEMM_PANEL_MOST;
        plx_problem problem = product(PLX_F32, 2, 1024, 1000, k);
        problem.compute = PLX_COMPUTE_F16X3;
        const plx_recipe recipe = recipe_of(&problem, "f16x3", &hopper);
        const plx_step *panel = step_named(&recipe, "panel");
        assert_int_equal(panel != NULL, whole);
        assert_int_equal(step_named(&recipe, "clear") == NULL, whole);
        assert_int_equal(step_named(&recipe, "half") == NULL, whole);
        assert_string_equal(recipe.steps[recipe.step_count - 1].entry, "gemm_planes_without");
        if (whole) /* A and B run across k: of each as many blocks as its columns need */
            assert_int_equal(panel->grid[0], 1024 / GEMM_PANEL_SIDE);
    }
}

/* Half as high, with a warpgroup less, where whole ones leave multiprocessors idle. */
static void few_tiles_are_flat(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem few = product(PLX_F32, 0, 1024, 1024, 1024), many = product(PLX_F32, 0, 4096, 4096, 1024);
    (void)unused;
    few.compute = many.compute = PLX_COMPUTE_F16X3;
    const plx_recipe of_few = recipe_of(&few, "f16x3", &hopper), of_many = recipe_of(&many, "f16x3", &hopper);
    const plx_step *flat = step_named(&of_few, "f16x3_flat");
    assert_non_null(flat);
    assert_int_equal(flat->grid[0], 128);
    assert_int_equal(flat->block[0], 256);
    expect_boxes(&of_few);
    assert_null(step_named(&of_many, "flat"));
    assert_int_equal(step_named(&of_many, "f16x3")->block[0], 384);
}

static const plx_argument *argument_of(const plx_step *step, plx_argument_kind kind)
{
    for (size_t i = 0; i < step->argument_count; i++)
        if (step->arguments[i].kind == kind)
            return &step->arguments[i];
    return NULL;
}

/* Work-groups make their maps behind the planes, those of one launch behind those of the other; each type of planes has
 * a program, and the tile of f16 is the recipe's. */
static void planes_have_maps_of_work_groups_in_opencl(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9), hopper = fake_gpu(9);
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++)
        for (int64_t side = 1000; side <= 4096; side += 3096) {
            plx_problem problem = product(PLX_F32, layout, side, side, side);
            problem.compute = PLX_COMPUTE_F16X3;
            const plx_recipe recipe = recipe_of(&problem, "f16x3", &opencl),
                             twin = recipe_of(&problem, "f16x3", &hopper);
            const plx_step *half = step_named(&recipe, "gemm_f16x3"), *third = step_named(&recipe, "bf16x6");
            expect_boxes(&recipe);
            assert_int_equal(recipe.map_count, twin.map_count);
            assert_string_equal(recipe.code, "gemm/f16x3");
            assert_null(half->code);
            assert_string_equal(third->code, "gemm/bf16x6");
            assert_null(argument_of(half, PLX_ARG_SHARED));
            assert_non_null(strstr(recipe.defines, side == 1000 ? "-DENTRY=gemm_f16x3_flat" : "-DENTRY=gemm_f16x3 "));
            assert_non_null(strstr(recipe.defines, side == 1000 ? "-DROWS=64 -DSTAGES=4" : "-DROWS=128 -DSTAGES=3"));
            assert_true(recipe.known_local_bytes > 200 << 10 && recipe.known_local_bytes <= 227 << 10);
            assert_true(recipe.scratch_bytes >= twin.scratch_bytes + (half->grid[0] + third->grid[0]) * 3 * 128);
        }
}

/* Elsewhere in OpenCL the same launches, without maps. */
static void planes_are_multiplied_without_units(void **unused)
{
    const plx_device_info devices[] = {fake_gpu(0), fake_opencl_gpu(8), fake_opencl_gpu(10)};
    plx_problem problem = product(PLX_F32, 1, 100, 70, 50);
    (void)unused;
    problem.compute = PLX_COMPUTE_BF16X6;
    for (int i = 0; i < 3; i++) {
        const plx_recipe recipe = recipe_of(&problem, "bf16x6", &devices[i]);
        const plx_step *product_of_thirds = step_named(&recipe, "bf16x6");
        assert_int_equal(recipe.map_count, 0);
        assert_null(strstr(recipe.defines, "ROWS"));
        assert_int_equal(product_of_thirds->grid[0], 4 * 3);
        assert_int_equal(product_of_thirds->block[0], 128);
    }
}

/* ---- few columns, or few rows --------------------------------------------------------------- */

static plx_recipe narrow_recipe(const plx_problem *problem, bool unaligned)
{
    const plx_device_info hopper = fake_gpu(9);
    return unaligned ? unaligned_recipe_of(problem, "wgmma-narrow", &hopper)
                     : recipe_of(problem, "wgmma-narrow", &hopper);
}

/* A map of the product's first or second operand: rows of a line each, of as many columns as the tile has
 * where they run along k. */
static void expect_narrow_map(const plx_tensor_map *map, const plx_problem *problem, uint32_t operand, uint32_t side)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool inner = operand == A ? !p->trans_a : p->trans_b;
    const uint64_t outer = (uint64_t)(operand == A ? p->m : p->n), k = (uint64_t)p->k;
    expect_box(map, operand, false, inner ? k : outer, inner ? outer : k, inner ? side : 64);
    assert_int_equal(map->box_width, inner ? 64 : side > 64 ? 64 : side); /* a line has 128 bytes */
    assert_int_equal(map->swizzle, 2 * map->box_width);
}

/* Few rows are columns of the product of B^T and A^T: where A's rows run along k, its are those of B there.
 */
static void few_rows_are_columns_of_the_transposed_product(void **unused)
{
    static const char *const straight[] = {"bf16_nn", "bf16_nt", "bf16_tn", "bf16_tt"}, *const turned[] = {
                                                                                            "bf16_tt", "bf16_nt",
                                                                                            "bf16_tn", "bf16_nn"};
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++)
        for (int rows = 0; rows < 2; rows++) {
            plx_problem problem = product(PLX_BF16, layout, rows ? 16 : 8192, rows ? 8192 : 16, 640);
            problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 0, .parts = 1});
            const plx_recipe recipe = narrow_recipe(&problem, false);
            assert_string_equal(recipe.variant, (rows ? turned : straight)[layout]);
            assert_string_equal(recipe.steps[0].entry, "gemm_wgmma_narrow_64x16");
            expect_narrow_map(&recipe.maps[0], &problem, rows ? B : A, 64);
            expect_narrow_map(&recipe.maps[1], &problem, rows ? A : B, 16);
            assert_int_equal(recipe.step_count, 1);
            assert_int_equal(recipe.steps[0].grid[0], 128); /* tiles, of 132 multiprocessors */
        }
}

/* Rows that a tile has and the operand has not are not asked for, where they are rows in memory. */
static void narrow_boxes_are_no_larger_than_the_operand(void **unused)
{
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        const plx_problem problem = product(PLX_BF16, layout, 7, 8192, 640);
        const plx_recipe recipe = narrow_recipe(&problem, false);
        const plx_tensor_map *few = &recipe.maps[1];
        assert_int_equal(few->operand, A);
        assert_int_equal(few->box_height, layout & 2 ? 64 : 7);
    }
    const plx_problem more = product(PLX_BF16, 1, 20, 8192, 640);
    assert_in_range(narrow_recipe(&more, false).maps[1].box_height, 16, 20);
}

/* Each operand by itself: what the copy engine can't reach is copied first. */
static void narrow_tiles_take_operands_as_they_lie(void **unused)
{
    (void)unused;
    for (unsigned form = 0; form < 16; form++) {
        plx_problem problem = product(PLX_F16, form, 3000, 24, 320);
        problem.of.gemm.lda += form & 4 ? 1 : 0;
        problem.of.gemm.ldb += form & 8 ? 4 : 0;
        const plx_recipe as_known = narrow_recipe(&problem, false), anywhere = narrow_recipe(&problem, true);
        assert_int_equal(maps_operand(&as_known, A), !(form & 4));
        assert_int_equal(maps_operand(&as_known, B), !(form & 8));
        assert_int_equal(step_named(&as_known, "repack") != NULL, (form & 12) != 0);
        assert_false(maps_operand(&anywhere, A) || maps_operand(&anywhere, B));
        assert_non_null(step_named(&anywhere, "repack"));
    }
}

/* One tile in parts, and two that are left of full rounds. */
static void narrow_tiles_are_divided_along_k(void **unused)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_problem problem = product(PLX_F16, 1, 5, 60, 100 * 64);
    (void)unused;
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 1, .parts = 30});
    plx_recipe recipe = narrow_recipe(&problem, false);
    assert_int_equal(recipe.step_count, 2);
    assert_int_equal(recipe.steps[0].grid[0], 30);
    assert_int_equal(recipe.steps[1].grid[0], 1);
    assert_int_equal(recipe.scratch_bytes, PLX_SCRATCH_COUNTERS + 30 * 64 * 32 * 4);
    assert_int_equal(depth_of("wgmma-narrow", &problem, &hopper), 4 * 64 / 8 * 11 + 3 + 7); /* 30 by 8 warps */
    problem = product(PLX_F16, 1, (2 * 132 + 2) * 64, 60, 100 * 64);
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 2, .parts = 5});
    recipe = narrow_recipe(&problem, false);
    assert_int_equal(recipe.steps[0].grid[0], 2 * 132 + 2 * 5);
    assert_int_equal(recipe.steps[1].grid[0], 2);
    assert_int_equal(recipe.scratch_bytes, PLX_SCRATCH_COUNTERS + 2 * 5 * 64 * 64 * 4);
    assert_int_equal(depth_of("wgmma-narrow", &problem, &hopper), 100 * 64 / 8 * 11 + 4);
}

/* The blocks of a cluster have shares of k of one tile, and need neither another launch nor scratch; only as many
 * as run at once, and in CUDA. */
static void narrow_tiles_are_shared_by_clusters(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    plx_problem problem = product(PLX_BF16, 0, 1000, 16, 30 * 64);
    (void)unused;
    assert_int_equal(recipe_of(&problem, "wgmma-narrow", &hopper).steps[0].cluster, 8);
    assert_int_equal(recipe_of(&problem, "wgmma-narrow", &opencl).steps[0].cluster, 0);
    problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 0, .cluster = 8, .parts = 1});
    const plx_recipe recipe = narrow_recipe(&problem, false);
    assert_int_equal(recipe.step_count, 1);
    assert_int_equal(recipe.steps[0].cluster, 8);
    assert_int_equal(recipe.steps[0].grid[0], 16 * 8);
    assert_int_equal(recipe.scratch_bytes, PLX_SCRATCH_COUNTERS);
    assert_int_equal(depth_of("wgmma-narrow", &problem, &hopper), 4 * 64 / 8 * 11 + 7); /* 30 steps by 8 blocks */
    problem = product(PLX_BF16, 0, 8192, 16, 8192);
    static plx_config configs[512];
    const size_t count = configs_of("wgmma-narrow", &problem, &hopper, configs, 512);
    assert_in_range(count, 3, 512);
    for (size_t i = 0; i < count; i++)
        assert_true(strchr(configs[i].name, 'c') == NULL || strcmp(configs[i].name, "128x16c2") == 0); /* 64 tiles */
}

/* Two warpgroups have 64 rows each; where A's lines run across k, a box is those of one. */
static void tiles_of_128_rows_are_for_cuda(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    static plx_config configs[512];
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        plx_problem problem = product(PLX_F16, layout, 1000, 9, 30 * 64);
        problem.config = plx_gemm_config_number(&(plx_gemm_config){.tile = 3, .cluster = 2, .parts = 1});
        const plx_recipe recipe = narrow_recipe(&problem, false);
        const plx_step *step = &recipe.steps[recipe.step_count - 1];
        assert_string_equal(step->entry, "gemm_wgmma_narrow_128x16");
        assert_int_equal(step->block[0], 2 * 128 + 32);
        assert_int_equal(step->grid[0], 8 * 2); /* a tile is a cluster's */
        assert_int_equal(step->cluster, 2);
        expect_narrow_map(&recipe.maps[0], &problem, A, 128);
        assert_int_equal(configs_of("wgmma-narrow", &problem, &opencl, configs, 512),
                         0); /* what is asked for isn't there */
        problem.config = 0;
        const size_t count = configs_of("wgmma-narrow", &problem, &opencl, configs, 512);
        assert_in_range(count, 1, 512);
        for (size_t i = 0; i < count; i++)
            assert_null(strstr(configs[i].name, "128"));
    }
    /* The smaller operand's rows of 16 bytes fill half a line of a stage: it is read as seldom as can be. */
    const plx_problem problem = product(PLX_BF16, 0, 8192, 8, 8192);
    assert_string_equal(recipe_of(&problem, "wgmma-narrow", &hopper).steps[0].entry, "gemm_wgmma_narrow_128x16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligned_operands_are_taken_as_they_lie),
        cmocka_unit_test(what_the_copy_engine_cannot_reach_goes_another_way),
        cmocka_unit_test(operands_that_begin_anywhere_have_no_maps),
        cmocka_unit_test(nothing_is_written_between_rows),
        cmocka_unit_test(tf32_is_taken_as_it_lies),
        cmocka_unit_test(the_smaller_one_is_turned),
        cmocka_unit_test(tf32_is_turned_as_it_is_copied),
        cmocka_unit_test(a_tile_of_96_has_b_along_k),
        cmocka_unit_test(a_tile_of_96_takes_what_lies_along_k),
        cmocka_unit_test(pairs_have_parts_of_their_own),
        cmocka_unit_test(of_nothing_there_is_nothing_to_do),
        cmocka_unit_test(the_result_has_the_type_that_was_asked_for),
        cmocka_unit_test(without_terms_c_is_scaled),
        cmocka_unit_test(planes_are_as_good_as_plain_sums),
        cmocka_unit_test(planes_lie_apart),
        cmocka_unit_test(short_operands_are_split_in_one_launch),
        cmocka_unit_test(few_tiles_are_flat),
        cmocka_unit_test(planes_have_maps_of_work_groups_in_opencl),
        cmocka_unit_test(planes_are_multiplied_without_units),
        cmocka_unit_test(few_rows_are_columns_of_the_transposed_product),
        cmocka_unit_test(narrow_boxes_are_no_larger_than_the_operand),
        cmocka_unit_test(narrow_tiles_take_operands_as_they_lie),
        cmocka_unit_test(narrow_tiles_are_divided_along_k),
        cmocka_unit_test(narrow_tiles_are_shared_by_clusters),
        cmocka_unit_test(tiles_of_128_rows_are_for_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
