/* Which kernel `auto` takes: the tables of choices, on devices of each class.  The
 * thresholds are measurements; that a table names them is what is tested. */
#include "kernel_support.h"

/* What is chosen is no baseline and runs there. */
static const plx_row *chosen(plx_problem problem, plx_device_info on)
{
    const plx_ladder *ladder = plx_ladder_of(problem.op);
    size_t row = ladder->choose(&problem, &on);

    assert_true(row < ladder->count);
    assert_int_equal(ladder->rows[row].about.flags & PLX_KERNEL_BASELINE, 0);
    (void)recipe_of(&problem, ladder->rows[row].about.name, &on);
    return &ladder->rows[row];
}

static void expect(const char *kernel, plx_problem problem, plx_device_info on)
{
    assert_string_equal(chosen(problem, on)->about.name, kernel);
}

static void test_classes(void **state)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8), opencl = fake_opencl_gpu(9), other = fake_gpu(0),
                          processor = fake_processor();
    const plx_problem large = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24);
    (void)state;
    expect("vector", large, hopper);
    expect("onepass", large, ampere);
    expect("onepass", large, opencl);
    expect("vector", large, other); /* nobody says that fences reach the whole device */
    expect("vector", large, processor);
    expect("vector", plx_transpose_of(PLX_F32, 4096, 4096), processor);
    expect("naive", plx_transpose_of(PLX_F32, 256, 256), processor);
    expect("naive", plx_transpose_of(PLX_F32, 1000, 1003), processor);
    expect("naive", plx_transpose_of(PLX_F64, 4096, 4096), processor);
    expect("tall-skinny", plx_transpose_of(PLX_F32, 100000, 3), processor);
    expect("row-per-thread", plx_matvec_of(PLX_F32, false, 100000, 17), processor);
    expect("tall-skinny", plx_matvec_of(PLX_F32, false, 4096, 4096), processor);
}

/* As many groups run at a time as it has threads. */
static void test_products_of_a_processor(void **state)
{
    plx_device_info processor = fake_processor();
    (void)state;
    processor.units = 2;
    expect("tile-1d", plx_gemm_of(PLX_F32, false, false, 64, 64, 64), processor);
    expect("double-buffer", plx_gemm_of(PLX_F32, false, false, 128, 128, 128), processor);
    expect("double-buffer", plx_gemm_of(PLX_F32, false, false, 256, 256, 256), processor);
    expect("tile-1d", plx_gemm_of(PLX_F64, false, false, 512, 512, 512), processor);
    processor.units = 16; /* of which one large tile would leave fifteen idle */
    expect("tile-1d", plx_gemm_of(PLX_F32, false, false, 128, 128, 128), processor);
    expect("double-buffer", plx_gemm_of(PLX_F32, false, false, 512, 512, 512), processor);
}

static void test_sizes(void **state)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8);
    (void)state;
    expect("onepass", plx_reduce_of(PLX_F32, PLX_SUM, 1 << 20), hopper);
    expect("vector", plx_reduce_of(PLX_F64, PLX_SUM, 1 << 20), hopper); /* the bytes count */
    expect("bulk", plx_reduce_of(PLX_F32, PLX_SUM, 1 << 30), hopper);
    expect("vector", plx_transpose_of(PLX_F32, 4096, 4096), hopper);
    expect("sector-aligned", plx_transpose_of(PLX_F32, 4095, 4097), hopper);
    expect("tall-skinny", plx_transpose_of(PLX_F32, 1000000, 3), hopper);
    expect("tall-skinny", plx_transpose_of(PLX_F32, 15, 324708), hopper);
    expect("sector-aligned", plx_transpose_of(PLX_F32, 43, 279750), hopper); /* two thirds of a tile */
    expect("sector-aligned", plx_transpose_of(PLX_F32, 1755, 3584), hopper);
    expect("swizzled", plx_transpose_of(PLX_F32, 30, 125569), hopper); /* small, and its tiles nearly full */
    expect("swizzled", plx_transpose_of(PLX_F32, 4911, 255), hopper);
    expect("swizzled", plx_transpose_of(PLX_F32, 7, 1320), hopper);
    plx_problem apart = plx_transpose_of(PLX_F32, 1, 49857);
    apart.of.transpose.ld_out = 32; /* every element in a sector of its own */
    expect("swizzled", apart, hopper);
    expect("sector-aligned", plx_transpose_of(PLX_F64, 40, 16911), hopper);
    expect("sector-aligned", plx_transpose_of(PLX_F64, 10715, 876), hopper);
    expect("tall-skinny", plx_transpose_of(PLX_F64, 462057, 6), hopper);
    expect("vector", plx_matvec_of(PLX_F32, false, 16384, 16384), hopper);
    expect("split", plx_matvec_of(PLX_F32, false, 1, 1 << 24), hopper);
    expect("tall-skinny", plx_matvec_of(PLX_F32, false, 1000003, 17), hopper);
    expect("split", plx_matvec_of(PLX_F32, true, 1000003, 17), hopper);
    expect("vector", plx_matvec_of(PLX_F32, true, 17, 1000003), hopper);
    expect("vector", plx_matvec_of(PLX_F32, true, 4095, 4097), hopper);  /* 129 panels on 132 units */
    expect("split", plx_matvec_of(PLX_F32, true, 10007, 10009), hopper); /* 105 */
    expect("vector", plx_matvec_of(PLX_BF16, false, 8192, 8192), hopper);
    expect("vector", plx_matvec_of(PLX_F16, true, 8192, 8192), hopper);
    expect("vector", plx_matvec_of(PLX_BF16, true, 4096, 4096), hopper);
    expect("vector", plx_matvec_of(PLX_BF16, false, 4096, 4096), hopper); /* few rows, of 8 KiB */
    expect("tall-skinny", plx_matvec_of(PLX_BF16, false, 1024, 1024), hopper);
    expect("tall-skinny", plx_matvec_of(PLX_F32, false, 4096, 2048), hopper);
    expect("tall-skinny", plx_matvec_of(PLX_BF16, false, 1000003, 17), hopper);
    expect("split", plx_matvec_of(PLX_BF16, false, 1, 1 << 24), hopper);
    expect("split", plx_matvec_of(PLX_BF16, true, 1000003, 17), hopper);
    expect("vector", plx_matvec_of(PLX_BF16, false, 8192, 8192), fake_gpu(0));
    expect("double-buffer", plx_gemm_of(PLX_F32, false, false, 4096, 4096, 4096), ampere);
    expect("tile-1d", plx_gemm_of(PLX_F32, false, false, 1024, 1024, 1024), ampere);
    expect("split-k", plx_gemm_of(PLX_F32, false, false, 2048, 2048, 2048), hopper);
    expect("stream-k", plx_gemm_of(PLX_F32, false, false, 4096, 4096, 4096), hopper);
    expect("split-k", plx_gemm_of(PLX_F32, false, false, 1024, 1024, 1024), hopper);
}

/* NVIDIA's OpenCL takes the twins from 9.0 on; others, which have their plain forms, do without. */
static void test_products_in_opencl(void **state)
{
    const plx_device_info hopper = fake_opencl_gpu(9), other = fake_gpu(0), ampere = fake_opencl_gpu(8);
    const plx_problem large = plx_gemm_of(PLX_F32, false, true, 8192, 8192, 8192),
                      deep = plx_gemm_of(PLX_F32, true, false, 64, 64, 65536);
    (void)state;
    expect("split-k", large, hopper);
    expect("split-k", deep, hopper);
    expect("split-k", plx_gemm_of(PLX_F32, true, false, 2048, 2048, 2048), hopper);
    expect("split-k", plx_gemm_of(PLX_F32, false, false, 2049, 2047, 511), hopper); /* with blocks for edges */
    expect("split-k", plx_gemm_of(PLX_F32, false, false, 200, 900, 4000), hopper);
    expect("async-copy", plx_gemm_of(PLX_F32, false, true, 17276, 273, 3851), hopper);
    expect("short-k", plx_gemm_of(PLX_F32, true, true, 38496, 376, 2), hopper);
    expect("few-rows", plx_gemm_of(PLX_F32, false, false, 4, 4096, 4096), hopper);
    expect("double-buffer", large, ampere);
    expect("double-buffer", large, other);
}

static void test_f64_on_matrix_units(void **state)
{
    const plx_device_info hopper = fake_gpu(9), ampere = fake_gpu(8), opencl = fake_opencl_gpu(9), older = fake_gpu(7);
    const plx_problem square = plx_gemm_of(PLX_F64, false, false, 4096, 4096, 4096);
    (void)state;
    expect("dmma-bulk", square, hopper);
    expect("dmma-bulk", plx_gemm_of(PLX_F64, true, true, 4095, 4097, 4099), hopper); /* packed first */
    expect("dmma", plx_gemm_of(PLX_F64, false, false, 255, 257, 259), hopper);       /* a launch less */
    expect("dmma", square, ampere);
    expect("dmma-bulk", square, opencl);
    expect("double-buffer", square, older);
}

static bool runs(const plx_row *row, const plx_problem *problem, const plx_device_info *on)
{
    plx_recipe recipe;
    plx_error error;
    return write_recipe(row, problem, on, &recipe, &error) == PLX_OK;
}

/* What is chosen runs, wherever a kernel does that is no baseline; returns whether one does. */
static bool choice_runs(const plx_problem *problem, const plx_device_info *on)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    const plx_row *choice = &ladder->rows[ladder->choose(problem, on)];
    if (runs(choice, problem, on))
        return true;
    for (size_t i = 0; i < ladder->count; i++)
        if ((ladder->rows[i].about.flags & PLX_KERNEL_BASELINE) == 0 && runs(&ladder->rows[i], problem, on))
            fail_msg("%s/%s was chosen and does not run, but %s does", plx_ladder_name(problem->op), choice->about.name,
                     ladder->rows[i].about.name);
    return false;
}

/* On a device whose blocks and local memory are small: how many of the problems have a kernel. */
enum { SMALL_PROBLEMS = 6 * 6 * 5 };

static int problems_that_run(uint32_t threads, uint32_t shared_bytes)
{
    static const int64_t sides[] = {0, 1, 3, 64, 1000, 100003};
    plx_device_info small = fake_processor();
    int running = 0;
    small.max_block_threads = threads;
    small.max_block[0] = small.max_block[1] = small.max_block[2] = threads;
    small.max_shared_bytes = shared_bytes;
    for (size_t i = 0; i < 36; i++) {
        const plx_problem problems[] = {
            plx_reduce_of(PLX_F32, PLX_SUM, sides[i / 6]),
            plx_transpose_of(PLX_C128, sides[i / 6], sides[i % 6]),
            plx_matvec_of(PLX_F64, false, sides[i / 6], sides[i % 6]),
            plx_matvec_of(PLX_F64, true, sides[i / 6], sides[i % 6]),
            plx_gemm_of(PLX_F64, false, true, sides[i / 6], sides[i % 6], 33),
        };
        for (size_t j = 0; j < sizeof problems / sizeof problems[0]; j++)
            running += choice_runs(&problems[j], &small);
    }
    return running;
}

static void test_small_devices(void **state)
{
    (void)state;
    for (uint32_t kib = 1; kib <= 64; kib *= 4) {
        for (uint32_t threads = 32; threads < 256; threads *= 2)
            assert_in_range(problems_that_run(threads, kib << 10), 1, SMALL_PROBLEMS);
        assert_int_equal(problems_that_run(256, kib << 10), SMALL_PROBLEMS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_products_of_a_processor),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_f64_on_matrix_units),
        cmocka_unit_test(test_products_in_opencl),
        cmocka_unit_test(test_small_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
