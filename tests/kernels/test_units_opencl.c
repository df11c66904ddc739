/* Kernels on matrix units in OpenCL C: their maps, their tiles, and what they leave to others. */
#include "units_support.h"

static const char *const bulk_kernels[] = {"wgmma", "wgmma-pipelined", "wgmma-cluster"};
enum { BULK_KERNELS = sizeof bulk_kernels / sizeof bulk_kernels[0] };

/* Rows of a box are a line of the swizzle; what it brings lies within what there is, or within scratch
 * memory. */
static void opencl_multiplies_on_matrix_units(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9);
    plx_problem problem = product(PLX_BF16, 1, 3000, 2000, 1040);
    (void)unused;
    expect_choice(&problem, &opencl, PLX_GEMM_WGMMA_PIPELINED); /* or its spare, where the driver refuses */
    problem = product(PLX_BF16, 1, 41, 35073, 20);
    expect_choice(&problem, &opencl, PLX_GEMM_MMA_DIRECT);
    problem = product(PLX_BF16, 1, 300, 200, 100);
    plx_recipe recipe = recipe_of(&problem, "mma-sync", &opencl);
    assert_non_null(strstr(recipe.defines, "-DIN_BF16"));
    assert_non_null(strstr(recipe.defines, "-DTRANS_A=0 -DTRANS_B=1"));
    assert_true(recipe.known_local_bytes > 0);
    recipe = recipe_of(&problem, "wgmma", &opencl);
    assert_non_null(strstr(recipe.defines, "-DIN_BF16"));
    assert_non_null(strstr(recipe.defines, "-DTRANS_A=0 -DTRANS_B=1"));
    assert_int_equal(recipe.step_count, 1);
    assert_int_equal(recipe.map_count, 0);
    assert_int_equal(recipe.steps[0].grid[0], 5 * 2);
    assert_int_equal(recipe.scratch_bytes, 0);
    /* Stages, 1024 to begin at, and what the driver counts besides; and two work-groups side by side. */
    assert_true(recipe.known_local_bytes > 4 * (64 + 128) * LINE + 1024 && 2 * recipe.known_local_bytes <= 227 << 10);
    assert_true(plx_gemm_ladder.rows[PLX_GEMM_WGMMA].own_target);
    problem = tf32_product(2, 300, 200, 100);
    recipe = recipe_of(&problem, "mma-sync-tf32", &opencl);
    assert_string_equal(recipe.code, "gemm/mma-sync");
    assert_non_null(strstr(recipe.defines, "-DIN_TF32"));
    assert_non_null(strstr(recipe.defines, "-DTRANS_A=1 -DTRANS_B=0"));
}

static size_t maps_of_operands(const plx_recipe *recipe)
{
    size_t count = 0;
    for (size_t i = 0; i < recipe->map_count; i++)
        count += !recipe->maps[i].of_scratch;
    return count;
}

/* In OpenCL every work-group makes its maps in a place of its own, behind what else is in scratch memory; local memory
 * is the program's own, and that is built for one tile. */
static plx_recipe expect_own_maps(const plx_problem *problem, const char *kernel, size_t maps)
{
    const plx_device_info opencl = fake_opencl_gpu(9);
    const plx_recipe recipe = recipe_of(problem, kernel, &opencl);
    const plx_step *step = step_named(&recipe, "gemm_wgmma");
    const uint64_t place = (uint64_t)step->arguments[maps].value;
    assert_int_equal(recipe.map_count, maps);
    assert_int_equal(step->arguments[maps].kind, PLX_ARG_SCRATCH);
    assert_int_equal(place % 128, 0);
    assert_int_equal(recipe.scratch_bytes, place + step->grid[0] * maps * 128);
    for (size_t i = 0; i < step->argument_count; i++)
        assert_int_not_equal(step->arguments[i].kind, PLX_ARG_SHARED);
    assert_true(recipe.known_local_bytes > 0 && recipe.known_local_bytes <= 227 << 10);
    assert_non_null(strstr(recipe.defines, step->entry));
    assert_true(row_named(PLX_GEMM, kernel)->own_target);
    return recipe;
}

static void opencl_makes_its_maps(void **unused)
{
    const plx_problem problem = product(PLX_BF16, 1, 300, 200, 104), odd = product(PLX_BF16, 1, 300, 200, 101);
    (void)unused;
    plx_recipe recipe = expect_own_maps(&problem, "wgmma-pipelined", 3);
    assert_non_null(
        strstr(recipe.defines, "-DIN_BF16 -DOUT_BF16 -DTRANS_A=0 -DTRANS_B=1 -DENTRY=gemm_wgmma_pipelined_"));
    assert_int_equal(maps_of_operands(&recipe), 3);
    /* Rows of no whole 16 bytes are copied first. */
    recipe = expect_own_maps(&odd, "wgmma-pipelined", 3);
    assert_string_equal(recipe.steps[0].entry, "gemm_repack");
    assert_int_equal(maps_of_operands(&recipe), 1); /* of C */
}

/* The program's layout is that of the product that is multiplied, whose second operand runs along k. */
static void opencl_multiplies_tf32(void **unused)
{
    static const char *const defines[] = {"-DTRANS_A=1 -DTRANS_B=1", "-DTRANS_A=0 -DTRANS_B=1",
                                          "-DTRANS_A=1 -DTRANS_B=1", "-DTRANS_A=1 -DTRANS_B=1"};
    (void)unused;
    for (unsigned layout = 0; layout < 4; layout++) {
        const plx_problem problem = tf32_product(layout, 520, 264, 136);
        const plx_recipe recipe = expect_own_maps(&problem, "wgmma-tf32", 3);
        assert_non_null(strstr(recipe.defines, "-DT=float -DIN_TF32 "));
        assert_non_null(strstr(recipe.defines, defines[layout]));
        assert_int_equal(strstr(recipe.defines, "-DTURNED=1") != NULL, layout == 0);
        assert_int_equal(step_named(&recipe, "turn") != NULL, layout == 2);
    }
    const plx_device_info opencl = fake_opencl_gpu(9);
    plx_problem none = tf32_product(0, 520, 264, 0);
    const plx_recipe recipe = recipe_of(&none, "wgmma-tf32", &opencl);
    assert_string_equal(recipe.code, "gemm/mma-sync"); /* which needs no maps */
}

/* Few rows are columns of the transposed product, as in CUDA. */
static void opencl_has_narrow_tiles(void **unused)
{
    const plx_problem few_columns = product(PLX_BF16, 0, 8192, 16, 8192),
                      few_rows = product(PLX_F16, 0, 16, 8192, 8192);
    (void)unused;
    plx_recipe recipe = expect_own_maps(&few_columns, "wgmma-narrow", 2);
    assert_non_null(strstr(recipe.defines, "-DTRANS_A=0 -DTRANS_B=0"));
    assert_int_equal(recipe.maps[1].swizzle, 2 * recipe.maps[1].box_width);
    recipe = expect_own_maps(&few_rows, "wgmma-narrow", 2);
    assert_non_null(strstr(recipe.defines, "-DTRANS_A=1 -DTRANS_B=1"));
    assert_int_equal(recipe.maps[0].operand, B);
}

/* Threads read elements where they begin: no maps, and nothing that has to be built for sm_90a. */
static void opencl_takes_operands_as_they_lie(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9);
    const plx_problem problem = product(PLX_BF16, 2, 41, 35073, 21);
    (void)unused;
    const plx_recipe recipe = recipe_of(&problem, "mma-direct", &opencl);
    assert_int_equal(recipe.map_count, 0);
    assert_int_equal(recipe.step_count, 1);
    assert_non_null(strstr(recipe.defines, "-DIN_BF16 -DOUT_BF16 -DTRANS_A=1 -DTRANS_B=0 "));
    assert_non_null(strstr(recipe.defines, "maxrregcount=128"));
    assert_false(row_named(PLX_GEMM, "mma-direct")->own_target);
}

/* There a launch that adds parts begins when the one before has ended. */
static void opencl_divides_less(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), opencl = fake_opencl_gpu(9);
    const plx_problem problem = product(PLX_BF16, 0, 512, 512, 3072), long_sums = product(PLX_BF16, 0, 128, 128, 16384);
    (void)unused;
    assert_int_equal(recipe_of(&problem, "wgmma-pipelined", &hopper).step_count, 2);
    assert_int_equal(recipe_of(&problem, "wgmma-pipelined", &opencl).step_count, 1);
    assert_int_equal(recipe_of(&long_sums, "wgmma-pipelined", &opencl).step_count, 2);
}

static void others_say_why_not(void **unused)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8), older = fake_gpu(7), opencl = fake_opencl_gpu(9),
                          newer_opencl = fake_opencl_gpu(10), older_opencl = fake_opencl_gpu(8);
    const plx_problem tf32 = tf32_product(0, 64, 64, 64), plain = product(PLX_F32, 0, 64, 64, 64);
    const plx_problem half = product(PLX_F16, 0, 64, 64, 64);
    plx_problem planes = product(PLX_F32, 0, 64, 64, 64);
    (void)unused;
    planes.compute = PLX_COMPUTE_F16X3;
    for (size_t i = 0; i < BULK_KERNELS; i++) {
        expect_refusal(&half, bulk_kernels[i], &ampere, "needs compute capability 9.0; this device has 8.0");
        if (i > 1)
            expect_refusal(&half, bulk_kernels[i], &opencl, "needs CUDA");
    }
    expect_refusal(&half, "wgmma", &older_opencl, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&half, "wgmma", &newer_opencl, "needs compute capability 9.0; this device has 10.0");
    expect_refusal(&half, "wgmma-pipelined", &older_opencl, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&half, "mma-sync", &older, "compute capability 8.0 or later");
    expect_refusal(&half, "mma-sync", &older_opencl, "in OpenCL compute capability 9.0; this device has 8.0");
    expect_refusal(&half, "mma-direct", &older, "compute capability 8.0 or later");
    expect_refusal(&half, "mma-direct", &older_opencl, "in OpenCL compute capability 9.0; this device has 8.0");
    expect_refusal(&half, "wgmma-narrow", &ampere, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&half, "wgmma-narrow", &newer_opencl, "needs compute capability 9.0; this device has 10.0");
    expect_refusal(&plain, "wgmma-narrow", &hopper, "multiplies f16 and bf16 alone");
    expect_refusal(&plain, "mma-direct", &hopper, "multiplies f16 and bf16 alone");
    expect_refusal(&tf32, "mma-sync-tf32", &older, "compute capability 8.0 or later");
    expect_refusal(&tf32, "mma-sync-tf32", &older_opencl, "in OpenCL compute capability 9.0");
    expect_refusal(&tf32, "wgmma-tf32", &ampere, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&tf32, "wgmma-tf32", &older_opencl, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&plain, "wgmma-tf32", &hopper, "multiplies f32 as TF32 alone");
    expect_refusal(&plain, "mma-sync-tf32", &hopper, "multiplies f16 and bf16 alone");
    expect_refusal(&planes, "f16x3", &ampere, "needs compute capability 9.0; this device has 8.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opencl_multiplies_on_matrix_units),
        cmocka_unit_test(opencl_makes_its_maps),
        cmocka_unit_test(opencl_multiplies_tf32),
        cmocka_unit_test(opencl_has_narrow_tiles),
        cmocka_unit_test(opencl_takes_operands_as_they_lie),
        cmocka_unit_test(opencl_divides_less),
        cmocka_unit_test(others_say_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
