/* What the opencl plugin tells kernels that make tensor maps, on a driver that is not there. */
#include "kernels/operation.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"
#include "tests/opencl/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <parallax/tool.h>

enum { A_BYTE = 512, B_BYTE = 1024, M = 300, N = 200, K = 104 };

/* matrix_t of kernels/gemm/device/ptx/tensor-map.clh. */
typedef struct matrix {
    uint64_t width, height, pitch;
    uint32_t box_width, box_height;
} matrix;

static plx_error error;

static int set_up(void **state)
{
    (void)fake_driver_set_up(state);
    fake.operands[0].offset = A_BYTE;
    fake.operands[1].offset = B_BYTE;
    return 0;
}

/* ---- what is told ---------------------------------------------------------------- */

static plx_plugin_plan *plan_of(const plx_problem *problem, const char *kernel)
{
    plx_plugin_plan *plan = NULL;
    if (plx_opencl_plan(&fake.session, problem, fake_kernel_named(PLX_GEMM, kernel), &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return plan;
}

static plx_plugin_plan *pipelined_plan(int64_t k)
{
    const plx_problem problem = plx_gemm_of(PLX_BF16, false, true, M, N, k);
    return plan_of(&problem, "wgmma-pipelined");
}

static void execute(plx_plugin_plan *plan)
{
    fake.launches = 0;
    if (plx_opencl_execute(plan, &fake.queue, fake.operands, FAKE_OPERANDS, &error) != PLX_OK)
        fail_msg("%s", error.text);
}

/* Of the launch `number`. */
static const fake_kernel *kernel_of(size_t number)
{
    assert_true(number < fake.launches);
    return fake.launched[number].kernel;
}

/* A map is three arguments: memory, where in it the matrix begins, and what it is. */
static void expect_map(const fake_kernel *kernel, size_t index, size_t operand, int64_t begin, uint64_t width,
                       uint64_t height, uint64_t pitch, uint32_t box_width)
{
    const cl_mem expected = fake_buffer(operand);
    matrix told;
    int64_t offset;
    assert_int_equal(kernel->arguments[index + 2].size, sizeof told);
    memcpy(&told, kernel->arguments[index + 2].bytes, sizeof told);
    memcpy(&offset, kernel->arguments[index + 1].bytes, sizeof offset);
    assert_memory_equal(kernel->arguments[index].bytes, &expected, sizeof expected);
    if (begin >= 0)
        assert_int_equal(offset, begin);
    assert_int_equal(offset % 16, 0);
    assert_int_equal(told.width, width);
    assert_int_equal(told.height, height);
    assert_int_equal(told.pitch, pitch);
    assert_int_equal(told.box_width, box_width);
}

static void operands_are_brought_as_they_lie(void **unused)
{
    plx_plugin_plan *plan = pipelined_plan(K);
    (void)unused;
    execute(plan);
    assert_int_equal(fake.launches, 1);
    assert_memory_equal(kernel_of(0)->entry, "gemm_wgmma_pipelined_", 21);
    expect_map(kernel_of(0), 0, 0, A_BYTE, K, M, K * 2, 64);
    expect_map(kernel_of(0), 3, 1, B_BYTE, K, N, K * 2, 64);
    expect_map(kernel_of(0), 6, 2, 0, N, M, N * 2, 64);
    fake.operands[1].offset += 32;
    execute(plan);
    expect_map(kernel_of(0), 3, 1, B_BYTE + 32, K, N, K * 2, 64);
    plx_opencl_plan_destroy(plan);
}

/* The copy engine can't read those: another launch copies them first. */
static void an_operand_that_begins_elsewhere_is_copied(void **unused)
{
    plx_plugin_plan *plan = pipelined_plan(K);
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        fake.operands[i].offset += 2;
        execute(plan);
        assert_int_equal(fake.launches, 2);
        assert_string_equal(kernel_of(0)->entry, "gemm_repack");
        expect_map(kernel_of(1), 0, 3, -1, K, M, 256, 64); /* whole lines */
        expect_map(kernel_of(1), 3, 3, -1, K, N, 256, 64);
        fake.operands[i].offset -= 2;
    }
    execute(plan);
    assert_int_equal(fake.launches, 1);
    plx_opencl_plan_destroy(plan);
}

static void rows_that_begin_elsewhere_are_copied(void **unused)
{
    plx_plugin_plan *plan = pipelined_plan(K + 1);
    (void)unused;
    execute(plan);
    assert_int_equal(fake.launches, 2);
    assert_string_equal(kernel_of(0)->entry, "gemm_repack");
    expect_map(kernel_of(1), 0, 3, -1, K + 1, M, 256, 64);
    expect_map(kernel_of(1), 3, 3, -1, K + 1, N, 256, 64);
    plx_opencl_plan_destroy(plan);
}

/* B, whose rows run across, passes through registers: it is the product's first operand, and C is turned. */
static void of_f32_lines_have_32_elements(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, M, N, K);
    (void)unused;
    problem.compute = PLX_COMPUTE_TF32;
    plx_plugin_plan *plan = plan_of(&problem, "wgmma-tf32");
    execute(plan);
    assert_int_equal(fake.launches, 1);
    assert_memory_equal(kernel_of(0)->entry, "gemm_wgmma_tf32_", 16);
    assert_non_null(strstr(fake.source_options, "-DTURNED=1"));
    expect_map(kernel_of(0), 0, 1, B_BYTE, N, K, N * 4, 32);
    expect_map(kernel_of(0), 3, 0, A_BYTE, K, M, K * 4, 32);
    expect_map(kernel_of(0), 6, 2, 0, N, M, N * 4, 32);
    plx_opencl_plan_destroy(plan);
}

/* Operands whose rows begin where the copy engine can't read are turned as they are copied. */
static void what_the_units_cannot_read_is_turned(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, true, false, M + 1, N + 1, K);
    (void)unused;
    problem.compute = PLX_COMPUTE_TF32;
    plx_plugin_plan *plan = plan_of(&problem, "wgmma-tf32");
    execute(plan);
    assert_int_equal(fake.launches, 2);
    assert_string_equal(kernel_of(0)->entry, "gemm_turn");
    expect_map(kernel_of(1), 0, FAKE_OPERANDS, -1, K, M + 1, 512, 32);
    expect_map(kernel_of(1), 3, FAKE_OPERANDS, -1, K, N + 1, 512, 32);
    plx_opencl_plan_destroy(plan);
}

/* Lines of the second operand are as narrow as the tile where its rows run across. */
static void narrow_tiles_have_narrow_lines(void **unused)
{
    const plx_problem few_columns = plx_gemm_of(PLX_F16, false, false, 4096, 16, 4096),
                      few_rows = plx_gemm_of(PLX_F16, false, false, 16, 4096, 4096);
    plx_plugin_plan *columns = plan_of(&few_columns, "wgmma-narrow"), *rows = plan_of(&few_rows, "wgmma-narrow");
    (void)unused;
    execute(columns);
    expect_map(kernel_of(0), 0, 0, A_BYTE, 4096, 4096, 8192, 64);
    expect_map(kernel_of(0), 3, 1, B_BYTE, 16, 4096, 32, 16);
    execute(rows);
    expect_map(kernel_of(0), 0, 1, B_BYTE, 4096, 4096, 8192, 64);
    expect_map(kernel_of(0), 3, 0, A_BYTE, 4096, 16, 8192, 64);
    plx_opencl_plan_destroy(columns);
    plx_opencl_plan_destroy(rows);
}

/* Both products make maps of the planes in scratch memory, two or three one behind the other, of 64 rows each; the
 * launch in which they are split makes none. */
static void planes_lie_in_scratch(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, true, M, N, K);
    const uint64_t rows_of_a = (M + 63) / 64 * 64, rows_of_b = (N + 63) / 64 * 64, pitch = (K + 63) / 64 * 128;
    (void)unused;
    problem.compute = PLX_COMPUTE_F16X3;
    plx_plugin_plan *plan = plan_of(&problem, "f16x3");
    execute(plan);
    assert_int_equal(fake.launches, 3);
    assert_string_equal(kernel_of(0)->entry, "gemm_planes_panel");
    assert_string_equal(kernel_of(1)->entry, "gemm_f16x3_flat");
    expect_map(kernel_of(1), 0, FAKE_OPERANDS, -1, K, 2 * rows_of_a, pitch, 64);
    expect_map(kernel_of(1), 3, FAKE_OPERANDS, -1, K, 2 * rows_of_b, pitch, 64);
    expect_map(kernel_of(1), 6, 2, 0, N, M, N * 4, 32);
    assert_string_equal(kernel_of(2)->entry, "gemm_bf16x6");
    expect_map(kernel_of(2), 0, FAKE_OPERANDS, -1, K, 3 * rows_of_a, pitch, 64);
    expect_map(kernel_of(2), 3, FAKE_OPERANDS, -1, K, 3 * rows_of_b, pitch, 64);
    plx_opencl_plan_destroy(plan);
}

/* Of the pipelines of f32 nothing is copied first: they have a form without maps. */
static void a_pipeline_has_a_form_without_maps(void **unused)
{
    enum { MAP_OF_A = 23 }; /* behind what both forms are told */
    const plx_problem even = plx_gemm_of(PLX_F32, false, true, M, N, K),
                      uneven = plx_gemm_of(PLX_F32, false, true, M, N, K + 1);
    plx_plugin_plan *plan = plan_of(&even, "bulk-pipeline"), *odd = plan_of(&uneven, "bulk-pipeline");
    (void)unused;
    execute(plan);
    expect_map(kernel_of(0), MAP_OF_A, 0, A_BYTE, K, M, K * 4, 32);
    expect_map(kernel_of(0), MAP_OF_A + 3, 1, B_BYTE, K, N, K * 4, 32);
    fake.operands[0].offset += 16;
    execute(plan);
    expect_map(kernel_of(0), MAP_OF_A, 0, A_BYTE + 16, K, M, K * 4, 32);
    fake.operands[0].offset += 4;
    execute(plan);
    assert_int_equal(fake.launches, 1);
    assert_string_equal(kernel_of(0)->entry, "gemm_bulk_pipeline");
    assert_int_equal(kernel_of(0)->arguments[MAP_OF_A].size, 0);
    execute(odd);
    assert_int_equal(kernel_of(0)->arguments[MAP_OF_A].size, 0);
    plx_opencl_plan_destroy(plan);
    plx_opencl_plan_destroy(odd);
}

/* Its text takes what maps are made of, which no other API's launches bring. */
static void its_text_stays_here(void **unused)
{
    const plx_problem problem = plx_gemm_of(PLX_BF16, false, true, M, N, K);
    plx_code code;
    (void)unused;
    assert_int_equal(
        plx_opencl_code(&fake.session, &problem, fake_kernel_named(PLX_GEMM, "wgmma-pipelined"), &code, &error),
        PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tensor maps"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fake_driver_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operands_are_brought_as_they_lie),
        TEST(an_operand_that_begins_elsewhere_is_copied),
        TEST(rows_that_begin_elsewhere_are_copied),
        TEST(of_f32_lines_have_32_elements),
        TEST(what_the_units_cannot_read_is_turned),
        TEST(narrow_tiles_have_narrow_lines),
        TEST(planes_lie_in_scratch),
        TEST(a_pipeline_has_a_form_without_maps),
        TEST(its_text_stays_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
