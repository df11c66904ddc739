/* What recipes ask of a compiler besides the types: registers and local memory, of NVIDIA's OpenCL
 * alone, and no more than the device has. */
#include "kernel_support.h"
#include "kernels/gemm/device/common/tiles.h"
#include <stdlib.h>

static void expect_word(const plx_recipe *recipe, const char *word, bool expected)
{
    if ((strstr(recipe->defines, word) != NULL) != expected)
        fail_msg("%s in: %s", expected ? "no -D" : "an unwanted -D", recipe->defines);
}

/* Whether one of the recipes of a device asks for a limit of either kind. */
static void expect_limits(const plx_device_info *device, bool registers, bool local_bytes)
{
    const plx_problem narrow = plx_matvec_of(PLX_F32, false, 100000, 64),
                      dot = plx_matvec_of(PLX_F32, false, 1, 1 << 24), two = plx_matvec_of(PLX_F32, false, 2, 1 << 24),
                      few = plx_matvec_of(PLX_F32, true, 1, 1 << 24), more = plx_matvec_of(PLX_F32, true, 17, 1000003),
                      tall = plx_matvec_of(PLX_F32, true, 64, 1 << 20), odd = plx_matvec_of(PLX_F32, true, 4095, 4097),
                      thin = plx_transpose_of(PLX_F32, 1000000, 3),
                      product = plx_gemm_of(PLX_F32, false, false, 512, 512, 512),
                      wide = plx_gemm_of(PLX_F64, false, false, 512, 512, 512);
    plx_recipe recipe = recipe_of(&narrow, "tall-skinny", device);
    expect_word(&recipe, " -DREGISTERS=48 -cl-nv-maxrregcount=48", registers);
    recipe = recipe_of(&thin, "tall-skinny", device);
    expect_word(&recipe, " -DREGISTERS=40 -cl-nv-maxrregcount=40", registers);
    recipe = recipe_of(&few, "vector", device);
    assert_int_equal(recipe.steps[0].block[0], 256);
    expect_word(&recipe, " -DREGISTERS=64 -cl-nv-maxrregcount=64", registers);
    expect_word(&recipe, "LOCAL_BYTES", false);
    recipe = recipe_of(&more, "vector", device);
    assert_int_equal(recipe.steps[0].block[0], 256);
    recipe = recipe_of(&tall, "vector", device);
    assert_int_equal(recipe.steps[0].block[0], 1024); /* more than a kernel of unknown size may have */
    expect_word(&recipe, "REGISTERS", false);
    expect_word(&recipe, " -DLOCAL_BYTES=118784", local_bytes);
    /* One group has room, another has not; and the plugin knows that a group gets it. */
    assert_true(local_bytes ? recipe.known_local_bytes >= 118784 && 2 * 118784 > 228 << 10
                            : recipe.known_local_bytes == 0);
    recipe = recipe_of(&odd, "split", device);
    assert_int_equal(recipe.steps[0].block[0], 512);
    expect_word(&recipe, "REGISTERS", false);
    expect_word(&recipe, " -DLOCAL_BYTES=81920", local_bytes);
    /* Two groups have room, a third has not; and the plugin knows that a group gets it. */
    assert_true(local_bytes ? recipe.known_local_bytes >= 81920 && 2 * recipe.known_local_bytes <= 228 << 10
                            : recipe.known_local_bytes == 0);
    recipe = recipe_of(&dot, "split", device);
    expect_word(&recipe, " -DALONE", true);
    recipe = recipe_of(&two, "split", device);
    expect_word(&recipe, "ALONE", false);
    recipe = recipe_of(&product, "tile-1d", device);
    expect_word(&recipe, " -DREGISTERS=80 -cl-nv-maxrregcount=80", registers);
    recipe = recipe_of(&wide, "tile-1d", device);
    expect_word(&recipe, "REGISTERS", false);
}

static void limits_are_for_nvidias_opencl(void **unused)
{
    const plx_device_info hopper = fake_opencl_gpu(9), blackwell = fake_opencl_gpu(10), small = fake_opencl_gpu(12),
                          older = fake_opencl_gpu(8), anybody = fake_gpu(0);
    (void)unused;
    expect_limits(&hopper, true, true);
    expect_limits(&blackwell, true, true);
    expect_limits(&small, true, false); /* 100 KiB of shared memory, not 228 */
    expect_limits(&older, true, false);
    expect_limits(&anybody, false, false);
}

static void bulk_copies_need_the_room(void **unused)
{
    const plx_problem sum = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24);
    const plx_device_info hopper = fake_opencl_gpu(9), small = fake_opencl_gpu(12), older = fake_opencl_gpu(8),
                          anybody = fake_gpu(0);
    const plx_device_info *const without[] = {&small, &older, &anybody};
    static const char *const reasons[] = {"224 KiB of local memory", "has 8.0", "copy engine"};
    plx_recipe recipe = recipe_of(&sum, "bulk", &hopper);
    (void)unused;
    assert_true(recipe.known_local_bytes >= 192 << 10);
    for (size_t i = 0; i < 3; ++i)
        expect_refusal(&sum, "bulk", without[i], reasons[i]);
}

static plx_device_info pocl_of(const char *version)
{
    plx_device_info pocl = fake_gpu(0);
    (void)snprintf(pocl.api, sizeof pocl.api, "OpenCL 3.0 PoCL %s+debian", version);
    return pocl;
}

static void what_a_compiler_gets_wrong_is_refused(void **unused)
{
    const plx_device_info old = pocl_of("3.1"), five = pocl_of("5.0"), six = pocl_of("6.0"), later = pocl_of("10.2"),
                          nvidia = fake_opencl_gpu(9);
    const plx_device_info *const before[] = {&old, &nvidia}, *const since_five[] = {&five, &six, &later},
                                 *const but_five[] = {&old, &nvidia, &six, &later};
    const plx_problem few = plx_gemm_of(PLX_F32, false, true, 3, 1000, 500);
    plx_problem f16x3 = plx_gemm_of(PLX_F32, false, false, 100, 100, 100), bf16x6 = f16x3;
    (void)unused;
    f16x3.compute = PLX_COMPUTE_F16X3;
    bf16x6.compute = PLX_COMPUTE_BF16X6;
    const plx_problem one = plx_matvec_of(PLX_F32, true, 100, 64);
    const struct {
        plx_problem problem;
        const char *kernel;
    } five_alone[] = {{plx_matvec_of(PLX_F32, false, 17, 100000), "split"},
                      {plx_matvec_of(PLX_F32, true, 100000, 17), "split"},
                      {plx_batch_of(&one, 2), "vector"},
                      {f16x3, "f16x3"},
                      {bf16x6, "bf16x6"}};
    for (size_t i = 0; i < sizeof since_five / sizeof *since_five; ++i)
        expect_refusal(&few, "few-rows", since_five[i], "compiles it wrong");
    for (size_t i = 0; i < sizeof before / sizeof *before; ++i)
        (void)recipe_of(&few, "few-rows", before[i]);
    assert_null(strstr(recipe_of(&one, "vector", &five).defines, "-DBATCH")); /* of one problem it compiles it right */
    for (size_t k = 0; k < sizeof five_alone / sizeof *five_alone; ++k) {
        expect_refusal(&five_alone[k].problem, five_alone[k].kernel, &five, "PoCL 5 compiles it wrong");
        for (size_t i = 0; i < sizeof but_five / sizeof *but_five; ++i)
            (void)recipe_of(&five_alone[k].problem, five_alone[k].kernel, but_five[i]);
    }
}

static void expect_blocks(int64_t n, const char *kernel, uint64_t blocks)
{
    const plx_device_info hopper = fake_opencl_gpu(9);
    const plx_problem sum = plx_reduce_of(PLX_F32, PLX_SUM, n);
    assert_int_equal(recipe_of(&sum, kernel, &hopper).steps[0].grid[0], blocks);
}

static void long_sums_are_dealt_out_in_shares(void **unused)
{
    (void)unused;
    expect_blocks(8192, "onepass", 1); /* a tile */
    expect_blocks(8193, "onepass", 2);
    expect_blocks(INT64_C(1) << 24, "onepass", 132 * 4);
    expect_blocks(INT64_C(1) << 27, "onepass", 132 * 4);
    expect_blocks(INT64_C(1) << 28, "onepass", 132 * 4 * 8);
    expect_blocks(INT64_C(1) << 28, "vector", 132 * 4 * 8);
    expect_blocks(INT64_C(1) << 28, "bulk", 132);
    expect_blocks(INT64_C(1) << 30, "bulk", 132 * 8);
}

/* A recipe of one map, as the device checks it. */
static plx_status check_map(plx_tensor_map map, plx_error *reason)
{
    const plx_device_info hopper = fake_gpu(9);
    plx_recipe recipe = {.step_count = 0};
    plx_step *step = plx_recipe_step(&recipe, "nothing", 32, 1);
    plx_step_map(&recipe, step, &map);
    return plx_recipe_check(&recipe, 0, &hopper, reason);
}

static void maps_describe_what_the_copy_engine_takes(void **unused)
{
    const plx_tensor_map good = {
        .dtype = PLX_F32, .width = 100, .height = 50, .pitch = 416, .box_width = 32, .box_height = 128};
    plx_tensor_map bad = good;
    plx_error reason = {.text = ""};
    (void)unused;
    assert_int_equal(check_map(good, &reason), PLX_OK);
    bad.pitch = 404;
    assert_int_equal(check_map(bad, &reason), PLX_UNSUPPORTED);
    assert_non_null(strstr(reason.text, "404 bytes apart"));
    bad = good;
    bad.height = UINT64_C(1) << 31;
    assert_int_equal(check_map(bad, &reason), PLX_UNSUPPORTED);
    assert_non_null(strstr(reason.text, "2147483648 rows"));
}

/* What is made for compute capability 9.0 says so everywhere else. */
static void pipelines_are_for_cuda_9_0(void **unused)
{
    static const char *const kernels[] = {"bulk-pipeline", "split-k", "async-copy", "short-k", "few-rows"};
    const plx_problem product = plx_gemm_of(PLX_F32, false, false, 12, 512, 512),
                      wide = plx_gemm_of(PLX_F64, false, false, 12, 512, 512);
    const plx_device_info opencl = fake_opencl_gpu(9), plain = fake_gpu(0), older = fake_gpu(8), newer = fake_gpu(10),
                          hopper = fake_gpu(9);
    (void)unused;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        expect_refusal(&product, kernels[i], &older, "needs compute capability 9.0; this device has 8.0");
        expect_refusal(&product, kernels[i], &newer, "needs compute capability 9.0; this device has 10.0");
        expect_refusal(&wide, kernels[i], &hopper, "f32 alone");
        expect_refusal(&wide, kernels[i], &opencl, "f32 alone");
        expect_refusal(&wide, kernels[i], &plain, "f32 alone");
    }
    expect_refusal(&product, "stream-k", &older, "needs compute capability 9.0; this device has 8.0");
    expect_refusal(&product, "stream-k", &opencl, "in OpenCL split-k takes its place");
    expect_refusal(&wide, "stream-k", &hopper, "f32 alone");
    expect_refusal(&wide, "dmma", &plain, "needs the f64 matrix units");
    expect_refusal(&wide, "dmma", &(plx_device_info){.features = opencl.features, .compute_major = 8},
                   "in OpenCL compute capability 9.0; this device has 8.0");
    expect_refusal(&wide, "dmma-bulk", &older, "needs compute capability 9.0; this device has 8.0");
}

static bool defines(const plx_recipe *recipe, const char *option)
{
    assert_true(strlen(recipe->defines) + 1 < sizeof recipe->defines); /* nothing was cut off */
    return strstr(recipe->defines, option) != NULL;
}

/* No clusters; NVIDIA's run as a pipeline, two blocks side by side, others do without PTX. */
static void opencl_has_pipelines_of_its_own(void **unused)
{
    const plx_problem square = plx_gemm_of(PLX_F32, false, true, 1024, 1024, 1024);
    const plx_problem odd = plx_gemm_of(PLX_F32, true, false, 1023, 1025, 1027);
    const plx_device_info opencl = fake_opencl_gpu(9), plain = fake_gpu(0), older = fake_opencl_gpu(8);
    plx_recipe recipe = recipe_of(&odd, "bulk-pipeline", &opencl); /* nothing is copied first */
    (void)unused;
    assert_true(recipe.map_count == 0 && recipe.steps[0].cluster == 0);
    assert_int_equal(recipe.steps[0].block[0], 256);
    assert_true(defines(&recipe, "-DPIPELINE_PTX=1") && defines(&recipe, "-DMANY_REGISTERS=208 -DFEW_REGISTERS=48"));
    assert_true(recipe.known_local_bytes > 101376 && 2 * recipe.known_local_bytes <= 226 << 10);
    assert_true(recipe.step_count == 1 && recipe.scratch_bytes == PLX_SCRATCH_COUNTERS);
    recipe = recipe_of(&square, "bulk-pipeline", &plain);
    assert_int_equal(recipe.steps[0].block[0], 128);
    assert_true(!defines(&recipe, "PTX") && recipe.known_local_bytes == 0);
    recipe = recipe_of(&square, "bulk-pipeline", &older);
    assert_false(defines(&recipe, "PTX"));
}

/* Of 1024 x 1024: what kernel, layout and form make of it. */
static plx_recipe form_of(const char *kernel, bool trans_a, bool trans_b, int64_t k, bool aligned,
                          const plx_device_info *device)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, trans_a, trans_b, 1024, 1024, k);
    const plx_row *row = row_named(PLX_GEMM, kernel);
    plx_recipe recipe;
    plx_error error = {.text = ""};
    if (plx_recipe_write(row, !aligned, &problem, device, &recipe, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return recipe;
}

/* Two for each work-group, behind all else in scratch memory. */
static void assert_places_of_maps(const plx_recipe *recipe)
{
    const plx_step *step = &recipe->steps[0];
    const plx_argument *places = &step->arguments[step->argument_count - 1];
    assert_int_equal(recipe->map_count, 2);
    assert_int_equal(places->kind, PLX_ARG_SCRATCH);
    assert_int_equal(places->value % 128, 0);
    assert_int_equal(recipe->scratch_bytes - (uint64_t)places->value, step->grid[0] * step->grid[1] * 2 * 128);
}

/* Work-groups of the pipelines make maps on 9.0, each in a place of its own, of operands whose rows begin at 16 bytes;
 * an operand whose rows run along k is swizzled, and lands beside the stages. */
static void opencl_brings_by_maps(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9), newer = fake_opencl_gpu(10);
    static const char *const landings[] = {"-DLANDINGS=2", "-DLANDINGS=1", "-DLANDINGS=0", "-DLANDINGS=2"};
    (void)unused;
    for (int layout = 0; layout < 4; layout++) {
        const bool a_inner = layout < 2, b_inner = layout & 1;
        plx_recipe recipe = form_of("bulk-pipeline", !a_inner, b_inner, 1024, true, &opencl);
        assert_places_of_maps(&recipe);
        assert_true(defines(&recipe, landings[layout]));
        assert_true(defines(&recipe, "-DMANY_REGISTERS=224 -DFEW_REGISTERS=32"));
        assert_true(defines(&recipe, a_inner || b_inner ? "-DSTAGES=2" : "-DSTAGES=3"));
        assert_int_equal(recipe.maps[0].swizzle, a_inner ? 128 : 0);
        assert_int_equal(recipe.maps[1].swizzle, b_inner ? 128 : 0);
        assert_int_equal(recipe.maps[0].box_width, a_inner ? GEMM_PIPELINE_DEPTH : 128);
        assert_int_equal(recipe.maps[1].box_height, b_inner ? 128 : GEMM_PIPELINE_DEPTH);
        assert_true(recipe.known_local_bytes > 98304 + 1024 && 2 * recipe.known_local_bytes <= 226 << 10);
        recipe = form_of("split-k", !a_inner, b_inner, 1024, true, &opencl);
        assert_true(recipe.steps[0].grid[1] > 1);
        assert_places_of_maps(&recipe);
    }
    assert_int_equal(form_of("bulk-pipeline", false, false, 1024, false, &opencl).map_count, 0);
    assert_int_equal(form_of("bulk-pipeline", false, false, 1023, true, &opencl).map_count, 0);
    assert_int_equal(form_of("split-k", false, false, 1023, true, &opencl).map_count, 0);
    assert_int_equal(form_of("split-k", false, false, 0, true, &opencl).map_count, 0); /* nothing to bring */
    assert_int_equal(form_of("async-copy", false, false, 1024, true, &opencl).map_count, 0);
    assert_int_equal(form_of("bulk-pipeline", false, false, 1024, true, &newer).map_count, 0);
}

/* A row past the last tile has no tiles of its own. */
static void opencl_has_blocks_for_edges(void **unused)
{
    const plx_device_info opencl = fake_opencl_gpu(9), plain = fake_gpu(0);
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2049, 2047, 511);
    enum { TILED_ROWS = 16, TILED_COLS };
    (void)unused;
    plx_recipe recipe = recipe_of(&problem, "split-k", &opencl);
    assert_int_equal(recipe.steps[0].arguments[TILED_ROWS].value, 2048);
    assert_int_equal(recipe.steps[0].arguments[TILED_COLS].value, 2047);
    assert_int_equal(recipe.steps[0].grid[0], 16 * 16 + 16);
    assert_true(defines(&recipe, "-DEDGES=1"));
    recipe = recipe_of(&problem, "split-k", &plain);
    assert_int_equal(recipe.steps[0].arguments[TILED_ROWS].value, 2049);
    assert_int_equal(recipe.steps[0].arguments[TILED_COLS].value, 2047);
    assert_false(defines(&recipe, "EDGES"));
}

static int64_t value_of(const plx_recipe *recipe, const char *option)
{
    const char *at = strstr(recipe->defines, option);
    assert_non_null(at);
    return strtoll(at + strlen(option), NULL, 10);
}

/* Room for the sums of each part's tiles, which the last of them adds; without PTX for those of C, which
 * another launch adds. */
static void opencl_adds_parts(const char *kernel)
{
    const plx_problem deep = plx_gemm_of(PLX_F32, false, false, 100, 102, 100000);
    const plx_device_info opencl = fake_opencl_gpu(9), plain = fake_gpu(0);
    plx_recipe recipe = recipe_of(&deep, kernel, &opencl);
    int64_t rows = value_of(&recipe, "-DTILE_ROWS="), cols = value_of(&recipe, "-DTILE_COLS=");
    int64_t tiles = ((100 - 1) / rows + 1) * ((102 - 1) / cols + 1);

    assert_int_equal(recipe.step_count, 1);
    assert_true(recipe.steps[0].grid[1] > 1 && defines(&recipe, "-DJOINS_ROWS=1")); /* 102 are no whole quads */
    assert_int_equal(recipe.steps[0].grid[0], tiles);
    const int64_t maps = recipe.map_count > 0 ? tiles * (int64_t)recipe.steps[0].grid[1] * 2 * 128 : 0;
    assert_int_equal(recipe.scratch_bytes,
                     PLX_SCRATCH_COUNTERS + tiles * (int64_t)recipe.steps[0].grid[1] * rows * cols * 4 + maps);
    recipe = recipe_of(&deep, kernel, &plain);
    assert_false(defines(&recipe, "JOINS_ROWS"));
    assert_int_equal(recipe.step_count, 2);
    assert_true(recipe.steps[0].grid[1] > 1);
    assert_string_equal(recipe.steps[1].entry, "gemm_add_parts");
    assert_true(recipe.steps[1].grid[0] * recipe.steps[1].block[0] >= 100 * 26); /* 102 are 26 units */
    assert_int_equal(recipe.scratch_bytes, PLX_SCRATCH_COUNTERS + recipe.steps[0].grid[1] * 100 * 104 * 4);
}

static void parts_have_room(void **unused)
{
    const plx_problem flat = plx_gemm_of(PLX_F32, false, true, 3, 1000, 100000);
    const plx_device_info opencl = fake_opencl_gpu(9);
    plx_recipe recipe;
    (void)unused;
    opencl_adds_parts("split-k");
    opencl_adds_parts("async-copy");
    recipe = recipe_of(&flat, "few-rows", &opencl);
    assert_int_equal(recipe.step_count, 2);
    assert_string_equal(recipe.steps[0].entry, "gemm_few_rows");
    assert_true(defines(&recipe, "-DFEW=4 -DALONG=1 -DSHUFFLE_PTX"));
    assert_true(recipe.steps[1].grid[0] * recipe.steps[1].block[0] >= 3000);
}

/* Work-groups of f64 products have as much local memory as CUDA's, declared in the kernel. */
static void opencl_has_matrix_units(void **unused)
{
    const plx_problem large = plx_gemm_of(PLX_F64, false, false, 4096, 4096, 4096);
    const plx_problem small = plx_gemm_of(PLX_F64, true, true, 100, 100, 100);
    const plx_device_info opencl = fake_opencl_gpu(9);
    plx_recipe recipe = recipe_of(&large, "dmma", &opencl);
    (void)unused;
    assert_true(defines(&recipe, "-DENTRY=gemm_dmma_large -DTILE_ROWS=96 -DTILE_COLS=96 -DSTAGES=6 "
                                 "-DCONSUMERS_DOWN=6 -DCONSUMERS_ACROSS=2"));
    assert_true(recipe.known_local_bytes > 147456 && recipe.known_local_bytes <= 227 << 10);
    for (size_t i = 0; i < recipe.steps[0].argument_count; ++i)
        assert_int_not_equal(recipe.steps[0].arguments[i].kind, PLX_ARG_SHARED);
    recipe = recipe_of(&small, "dmma", &opencl);
    assert_true(defines(&recipe, "-DREGISTERS="));
}

/* Rows of 16-byte units are read where they lie, others are copied first. */
static void operands_are_copied_when_they_must(void **unused)
{
    plx_problem product = plx_gemm_of(PLX_F32, false, true, 300, 400, 512);
    plx_device_info hopper = fake_gpu(9);
    plx_recipe recipe;
    (void)unused;
    recipe = recipe_of(&product, "bulk-pipeline", &hopper);
    assert_int_equal(recipe.step_count, 1);
    assert_int_equal(recipe.scratch_bytes, 0);
    assert_false(recipe.maps[0].of_scratch || recipe.maps[1].of_scratch);
    product.of.gemm.ldb = 513;
    recipe = recipe_of(&product, "bulk-pipeline", &hopper);
    assert_int_equal(recipe.step_count, 2);
    assert_string_equal(recipe.steps[0].entry, "gemm_repack");
    assert_true(!recipe.maps[0].of_scratch && recipe.maps[1].of_scratch);
    assert_int_equal(recipe.maps[1].pitch % 128, 0);
    assert_true(recipe.scratch_bytes >= PLX_SCRATCH_COUNTERS + recipe.maps[1].pitch * 400);
    product.of.gemm.alpha = 0;
    recipe = recipe_of(&product, "bulk-pipeline", &hopper); /* nothing is read, nothing copied */
    assert_int_equal(recipe.step_count, 1);
    assert_string_equal(recipe.steps[0].entry, "gemm_scale");
}

/* ---- what a recipe has room for ----------------------------------------------------------- */

static void expect_refused(const plx_recipe *recipe, const char *reason)
{
    const plx_device_info device = fake_gpu(9);
    plx_error error = {.text = ""};
    assert_int_equal(plx_recipe_check(recipe, 0, &device, &error), PLX_FAILED);
    if (strstr(error.text, reason) == NULL)
        fail_msg("\"%s\" and not \"%s\"", error.text, reason);
}

static void expect_accepted(const plx_recipe *recipe)
{
    const plx_device_info device = fake_gpu(9);
    plx_error error = {.text = ""};
    if (plx_recipe_check(recipe, 0, &device, &error) != PLX_OK)
        fail_msg("%s", error.text);
}

/* As much as there is room for, then one more: nothing is written beyond, and nothing is left out in silence. */
static void no_more_steps_than_there_is_room_for(void **unused)
{
    plx_recipe recipe = {.step_count = 0};
    (void)unused;
    for (int i = 0; i < PLX_MAX_STEPS; i++)
        (void)plx_recipe_step(&recipe, "one", 32, 1);
    expect_accepted(&recipe);
    (void)plx_recipe_step(&recipe, "more", 32, 1);
    assert_int_equal(recipe.step_count, PLX_MAX_STEPS);
    expect_refused(&recipe, "more launches than the 8 of PLX_MAX_STEPS");
}

static void no_more_arguments_than_there_is_room_for(void **unused)
{
    plx_recipe recipe = {.step_count = 0};
    (void)unused;
    plx_step *step = plx_recipe_step(&recipe, "wordy", 32, 1);
    for (int i = 0; i < PLX_MAX_ARGUMENTS; i++)
        plx_step_i64(step, i);
    expect_accepted(&recipe);
    plx_step_i64(step, -1);
    assert_int_equal(step->argument_count, PLX_MAX_ARGUMENTS);
    expect_refused(&recipe, "wordy has more arguments than the 65 of PLX_MAX_ARGUMENTS");
}

static void no_more_maps_than_there_is_room_for(void **unused)
{
    const plx_tensor_map map = {.width = 4, .height = 4, .pitch = 16, .box_width = 4, .box_height = 4};
    plx_recipe recipe = {.step_count = 0};
    (void)unused;
    plx_step *step = plx_recipe_step(&recipe, "one", 32, 1);
    for (int i = 0; i < PLX_MAX_MAPS; i++)
        plx_step_map(&recipe, step, &map);
    expect_accepted(&recipe);
    plx_step_map(&recipe, step, &map);
    assert_int_equal(recipe.map_count, PLX_MAX_MAPS);
    expect_refused(&recipe, "more tensor maps than the 6 of PLX_MAX_MAPS");
}

static void text_is_not_cut_off(void **unused)
{
    plx_recipe recipe = {.step_count = 0};
    (void)unused;
    while (strlen(recipe.defines) + strlen(" -DLONG_NAME=1234567890") + 1 < sizeof recipe.defines)
        plx_recipe_define(&recipe, "LONG_NAME", 1234567890);
    expect_accepted(&recipe);
    plx_recipe_define(&recipe, "LONG_NAME", 1234567890);
    expect_refused(&recipe, "its options for OpenCL do not fit");
    recipe = (plx_recipe){.step_count = 0};
    memset(recipe.variant, 'v', sizeof recipe.variant - 1);
    expect_refused(&recipe, "the names of its entry points and code do not fit");
    recipe = (plx_recipe){.step_count = 0};
    memset(recipe.code, 'c', sizeof recipe.code - 1);
    expect_refused(&recipe, "the names of its entry points and code do not fit");
}

static void launches_and_maps_make_sense(void **unused)
{
    static const plx_tensor_map wrong[] = {
        {.width = 0, .height = 4, .pitch = 16, .box_width = 4, .box_height = 4},
        {.width = 4, .height = 4, .pitch = 16, .box_width = 512, .box_height = 4},
        {.width = 4, .height = 4, .pitch = 16, .box_width = 4, .box_height = 4, .offset = 8},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        plx_recipe recipe = {.step_count = 0};
        plx_step_map(&recipe, plx_recipe_step(&recipe, "one", 32, 1), &wrong[i]);
        expect_refused(&recipe, "a tensor map is of no matrix");
    }
    plx_recipe recipe = {.step_count = 0};
    plx_step *step = plx_recipe_step(&recipe, "together", 32, 1);
    step->cluster = 2;
    step->grid[0] = 3;
    expect_refused(&recipe, "together has 3 blocks in clusters of 2");
}

/* Launches are what they were; in CUDA shared memory is none of the arguments, pointers of scratch memory keep their
 * byte. */
static void expect_same(const plx_recipe *ours, const plx_recipe *theirs, const plx_launch_list *list)
{
    assert_int_equal(theirs->step_count, ours->step_count);
    assert_int_equal(list->map_count, ours->map_count);
    for (size_t i = 0; i < ours->step_count; i++) {
        const plx_step *a = &ours->steps[i], *b = &theirs->steps[i];
        int64_t shared = 0;
        assert_memory_equal(a->grid, b->grid, sizeof a->grid);
        assert_memory_equal(a->block, b->block, sizeof a->block);
        assert_int_equal(a->cluster > 1 ? a->cluster : 0, b->cluster);
        assert_int_equal(a->dependent_launch, b->dependent_launch);
        for (size_t k = 0; k < a->argument_count; k++) {
            const plx_argument *argument = &a->arguments[k];
            shared += argument->kind == PLX_ARG_SHARED ? argument->value : 0;
            if (argument->kind == PLX_ARG_SCRATCH)
                assert_int_equal(argument->value,
                                 b->arguments[k].value + (b->arguments[k].operand == 0 ? 0 : PLX_SCRATCH_COUNTERS));
            if (argument->kind == PLX_ARG_MAP)
                assert_int_equal(list->maps[argument->operand].size[0], ours->maps[argument->operand].width);
        }
        assert_int_equal(list->launches[i].shared, shared);
        assert_int_equal(list->launches[i].argument_count, a->argument_count - (shared > 0));
    }
}

static size_t described_of(const plx_ladder *ladder, const plx_problem *problem, const plx_device_info *device)
{
    size_t count = 0;
    for (size_t i = 0; i < ladder->count; i++) {
        static plx_recipe ours, theirs;
        plx_described_kernel *made = NULL;
        plx_error reason = {""};
        if ((ladder->rows[i].about.dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0 ||
            plx_recipe_write(&ladder->rows[i], false, problem, device, &ours, &reason) != PLX_OK)
            continue;
        assert_int_equal(plx_describe_recipe(&ours, problem, false, &made, &reason), PLX_OK);
        assert_int_equal(plx_recipe_of_launches(&made->list, problem, device, &theirs, &reason), PLX_OK);
        expect_same(&ours, &theirs, &made->list);
        free(made);
        count++;
    }
    return count;
}

/* Each row of ours, described as anybody's launches, is launched as it was. */
static void rows_can_be_described(void **unused)
{
    const plx_device_info device = fake_gpu(9);
    static const plx_dtype dtypes[] = {PLX_F32, PLX_F64, PLX_F16};
    size_t count = 0;
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        const plx_problem reduce = plx_reduce_of(dtypes[i], PLX_SUM, 1000003),
                          transpose = plx_transpose_of(dtypes[i], 1000, 777),
                          matvec = plx_matvec_of(dtypes[i], false, 300, 9000),
                          gemm = plx_gemm_of(dtypes[i], false, true, 512, 640, 4096);
        count += described_of(&plx_reduce_ladder, &reduce, &device);
        count += described_of(&plx_transpose_ladder, &transpose, &device);
        count += described_of(&plx_matvec_ladder, &matvec, &device);
        count += described_of(&plx_gemm_ladder, &gemm, &device);
    }
    print_message("%zu recipes of ours as launches of others\n", count);
    assert_true(count >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_for_nvidias_opencl),
        cmocka_unit_test(bulk_copies_need_the_room),
        cmocka_unit_test(what_a_compiler_gets_wrong_is_refused),
        cmocka_unit_test(long_sums_are_dealt_out_in_shares),
        cmocka_unit_test(maps_describe_what_the_copy_engine_takes),
        cmocka_unit_test(pipelines_are_for_cuda_9_0),
        cmocka_unit_test(opencl_has_pipelines_of_its_own),
        cmocka_unit_test(opencl_brings_by_maps),
        cmocka_unit_test(opencl_has_blocks_for_edges),
        cmocka_unit_test(parts_have_room),
        cmocka_unit_test(opencl_has_matrix_units),
        cmocka_unit_test(operands_are_copied_when_they_must),
        cmocka_unit_test(no_more_steps_than_there_is_room_for),
        cmocka_unit_test(no_more_arguments_than_there_is_room_for),
        cmocka_unit_test(no_more_maps_than_there_is_room_for),
        cmocka_unit_test(text_is_not_cut_off),
        cmocka_unit_test(launches_and_maps_make_sense),
        cmocka_unit_test(rows_can_be_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
