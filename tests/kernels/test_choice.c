/* Which kernel `auto` takes: the tables of choices, on devices of each class.  The
 * thresholds are measurements; that a table names them is what is tested. */
#include <parallax/parallax.h>

#include "kernels/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GPU (PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY)

static plx_device_info device(uint32_t features, uint32_t capability)
{
    return (plx_device_info){.name = "device",
                             .features = features,
                             .compute_major = capability,
                             .units = 132,
                             .warp = 32,
                             .max_block_threads = 1024,
                             .max_shared_bytes = (features & PLX_FEATURE_NVIDIA_PTX) != 0 ? 49152 : 232448,
                             .max_grid = {2147483647, 65535, 65535},
                             .max_block = {1024, 1024, 64},
                             .memory_bytes = UINT64_C(1) << 37,
                             .max_alloc_bytes = UINT64_C(1) << 37};
}

static void expect(const char *kernel, plx_problem problem, plx_device_info on)
{
    const plx_ladder *ladder = plx_ladder_of(problem.op);
    plx_recipe recipe;
    plx_error error;
    size_t row = ladder->choose(&problem, &on);

    assert_true(row < ladder->count);
    assert_string_equal(ladder->rows[row].about.name, kernel);
    assert_int_equal(ladder->rows[row].about.flags & PLX_KERNEL_YARDSTICK, 0);
    memset(&recipe, 0, sizeof recipe);
    assert_int_equal(ladder->rows[row].recipe(&problem, &on, &recipe, &error), PLX_OK);
}

static void test_classes(void **state)
{
    const plx_device_info hopper = device(GPU, 9), ampere = device(GPU, 8),
                          opencl = device(GPU | PLX_FEATURE_NVIDIA_PTX, 9), other = device(GPU, 0),
                          processor = device(PLX_FEATURE_F64 | PLX_FEATURE_CPU, 0);
    const plx_problem large = plx_reduce_of(PLX_F32, PLX_SUM, 1 << 24);
    (void)state;
    expect("vector", large, hopper);
    expect("onepass", large, ampere);
    expect("onepass", large, opencl);
    expect("vector", large, other); /* nobody says that fences reach the whole device */
    expect("vector", large, processor);
    expect("naive", plx_transpose_of(PLX_F32, 4096, 4096), processor);
    expect("skinny", plx_transpose_of(PLX_F32, 100000, 3), processor);
    expect("row-per-thread", plx_matvec_of(PLX_F32, false, 100000, 17), processor);
    expect("narrow", plx_matvec_of(PLX_F32, false, 4096, 4096), processor);
}

static void test_sizes(void **state)
{
    const plx_device_info hopper = device(GPU, 9), ampere = device(GPU, 8);
    (void)state;
    expect("onepass", plx_reduce_of(PLX_F32, PLX_SUM, 1 << 20), hopper);
    expect("vector", plx_reduce_of(PLX_F64, PLX_SUM, 1 << 20), hopper); /* the bytes count */
    expect("bulk", plx_reduce_of(PLX_F32, PLX_SUM, 1 << 30), hopper);
    expect("vector", plx_transpose_of(PLX_F32, 4096, 4096), hopper);
    expect("skewed", plx_transpose_of(PLX_F32, 4095, 4097), hopper);
    expect("skinny", plx_transpose_of(PLX_F32, 1000000, 3), hopper);
    expect("skinny", plx_transpose_of(PLX_F32, 15, 324708), hopper);
    expect("skewed", plx_transpose_of(PLX_F32, 43, 279750), hopper); /* two thirds of a tile */
    expect("skewed", plx_transpose_of(PLX_F32, 1755, 3584), hopper);
    expect("swizzled", plx_transpose_of(PLX_F32, 30, 125569), hopper); /* small, and its tiles nearly full */
    expect("swizzled", plx_transpose_of(PLX_F32, 4911, 255), hopper);
    expect("swizzled", plx_transpose_of(PLX_F32, 7, 1320), hopper);
    plx_problem apart = plx_transpose_of(PLX_F32, 1, 49857);
    apart.of.transpose.ld_out = 32; /* every element in a sector of its own */
    expect("swizzled", apart, hopper);
    expect("skewed", plx_transpose_of(PLX_F64, 40, 16911), hopper);
    expect("skewed", plx_transpose_of(PLX_F64, 10715, 876), hopper);
    expect("skinny", plx_transpose_of(PLX_F64, 462057, 6), hopper);
    expect("vector", plx_matvec_of(PLX_F32, false, 16384, 16384), hopper);
    expect("split", plx_matvec_of(PLX_F32, false, 1, 1 << 24), hopper);
    expect("narrow", plx_matvec_of(PLX_F32, false, 1000003, 17), hopper);
    expect("split", plx_matvec_of(PLX_F32, true, 1000003, 17), hopper);
    expect("vector", plx_matvec_of(PLX_F32, true, 17, 1000003), hopper);
    expect("vector", plx_matvec_of(PLX_F32, true, 4095, 4097), hopper);   /* 129 panels on 132 units */
    expect("split", plx_matvec_of(PLX_F32, true, 10007, 10009), hopper); /* 105 */
    expect("double-buffer", plx_gemm_of(PLX_F32, false, false, 4096, 4096, 4096), ampere);
    expect("tile-1d", plx_gemm_of(PLX_F32, false, false, 1024, 1024, 1024), ampere);
    expect("bulk-pipeline", plx_gemm_of(PLX_F32, false, false, 8192, 8192, 8192), hopper);
    expect("split-k", plx_gemm_of(PLX_F32, false, false, 1024, 1024, 1024), hopper);
}

static void test_f64_on_matrix_units(void **state)
{
    const plx_device_info hopper = device(GPU, 9), ampere = device(GPU, 8),
                          opencl = device(GPU | PLX_FEATURE_NVIDIA_PTX, 9), older = device(GPU, 7);
    const plx_problem square = plx_gemm_of(PLX_F64, false, false, 4096, 4096, 4096);
    (void)state;
    expect("dmma-bulk", square, hopper);
    expect("dmma-bulk", plx_gemm_of(PLX_F64, true, true, 4095, 4097, 4099), hopper); /* packed first */
    expect("dmma", plx_gemm_of(PLX_F64, false, false, 255, 257, 259), hopper); /* a launch less */
    expect("dmma", square, ampere);
    expect("double-buffer", square, opencl);
    expect("double-buffer", square, older);
}

/* Whatever the problem and the device, what is chosen runs there. */
static void test_small_device(void **state)
{
    static const int64_t sides[] = {0, 1, 3, 64, 1000, 100003};
    plx_device_info small = device(PLX_FEATURE_CPU, 0);
    (void)state;
    small.max_block_threads = 64;
    small.max_block[0] = small.max_block[1] = small.max_block[2] = 64;
    small.max_shared_bytes = 4096;
    for (size_t i = 0; i < 36; i++) {
        const plx_problem problems[] = {
            plx_reduce_of(PLX_F32, PLX_SUM, sides[i / 6]),
            plx_transpose_of(PLX_C128, sides[i / 6], sides[i % 6]),
            plx_matvec_of(PLX_F64, false, sides[i / 6], sides[i % 6]),
            plx_matvec_of(PLX_F64, true, sides[i / 6], sides[i % 6]),
            plx_gemm_of(PLX_F64, false, true, sides[i / 6], sides[i % 6], 33),
        };
        for (size_t j = 0; j < sizeof problems / sizeof problems[0]; j++) {
            const plx_ladder *ladder = plx_ladder_of(problems[j].op);
            size_t row = ladder->choose(&problems[j], &small);
            assert_true(row < ladder->count);
            assert_int_equal(ladder->rows[row].about.flags & PLX_KERNEL_YARDSTICK, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_f64_on_matrix_units),
        cmocka_unit_test(test_small_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
