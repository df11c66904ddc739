/* Programs that are nothing without their lines for sm_90a, on a driver that is not there: what is built,
 * what is said where the driver refuses, and which kernel is chosen then. */
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

static plx_error error;

static void refuse(void)
{
    fake.build_code = CL_BUILD_PROGRAM_FAILURE;
    fake.log = "ptxas fatal: no such target\n";
}

/* ---- programs -------------------------------------------------------------------- */

static plx_status build(bool own_target, cl_program *program)
{
    static const char text[] = "kernel void one() {}";
    const plx_cl_source source = {.name = "one", .text = text, .length = sizeof text - 1, .own_target = own_target};
    return plx_cl_program(&fake.session, &source, "", program, &error);
}

static void lines_come_into_effect(void **unused)
{
    cl_program program;
    (void)unused;
    assert_int_equal(build(true, &program), PLX_OK);
    assert_ptr_equal(program, fake_program(true));
    assert_non_null(strstr(fake.text, ".target sm_90a\n"));
    assert_non_null(strstr(fake.text, "\nwgmma.fence"));
    assert_int_equal(fake.programs, 1);
}

/* One that those lines make faster stays as it was compiled, one that is nothing without them is no program.
 */
static void a_refusal_has_a_reason(void **unused)
{
    cl_program program = NULL;
    (void)unused;
    refuse();
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "the driver refuses this PTX: CL_BUILD_PROGRAM_FAILURE: "
                                    "ptxas fatal: no such target");
    assert_null(program);
    assert_int_equal(fake.programs, 0);
    assert_int_equal(build(false, &program), PLX_OK);
    assert_ptr_equal(program, fake_program(false));
}

/* Else it would run without them, and be wrong. */
static void without_text_it_is_no_program(void **unused)
{
    cl_program program = NULL;
    (void)unused;
    fake.compiled = "";
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "gives no PTX that could be built for sm_90a"));
    fake.compiled = fake_plain_ptx;
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    fake.compiled = fake_own_ptx;
    fake.session.info.compute_major = 10;
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_null(program);
    assert_int_equal(fake.texts_built, 0);
}

/* ---- SPIR-V ------------------------------------------------------------------------- */

static const char *il_versions, *version;
static const void *il_text;

static cl_int device_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *length)
{
    const char *text = what == 0x105b ? il_versions : what == CL_DEVICE_VERSION ? version : "";
    (void)device;
    if (what == CL_DEVICE_PLATFORM)
        return CL_SUCCESS;
    if (value != NULL)
        (void)snprintf(value, size, "%s", text);
    if (length != NULL)
        *length = strlen(text) + 1;
    return CL_SUCCESS;
}

static cl_program create_with_il(cl_context context, const void *text, size_t length, cl_int *code)
{
    (void)context;
    (void)length;
    il_text = text;
    *code = memcmp(text, "none", 4) == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
    fake.programs += *code == CL_SUCCESS;
    return *code == CL_SUCCESS ? fake_program(false) : NULL;
}

static void *extension(cl_platform_id platform, const char *name)
{
    plx_cl_create_with_il *const function = create_with_il;
    void *address = NULL;
    (void)platform;
    if (strcmp(name, "clCreateProgramWithILKHR") == 0)
        memcpy(&address, &function, sizeof address);
    return address;
}

static plx_status build_spirv(const char *text, cl_program *program)
{
    const plx_cl_source source = {.name = "one.spv", .text = text, .length = strlen(text), .is_spirv = true};
    return plx_cl_program(&fake.session, &source, "-cl-mad-enable", program, &error);
}

static void spirv_where_the_device_takes_it(void **unused)
{
    static const char text[] = "a module", other[] = "another module", broken[] = "none of it";
    cl_program program = NULL;
    (void)unused;
    plx_cl.GetDeviceInfo = device_info;
    fake.session.device = (cl_device_id)(void *)&fake;
    plx_cl_of_il = (plx_cl_il){create_with_il, NULL};
    il_versions = "SPIR-V_1.0 SPIR-V_1.2";
    version = "OpenCL 3.0 fake";
    assert_int_equal(build_spirv(text, &program), PLX_OK);
    assert_ptr_equal(il_text, text);
    assert_string_equal(fake.source_options, "-cl-mad-enable"); /* no options of another language */
    assert_int_equal(build_spirv(broken, &program), PLX_BUILD_FAILED);
    assert_non_null(strstr(error.text, "one.spv: the driver does not take it"));
    version = "OpenCL 1.2 fake"; /* by the extension alone */
    assert_int_equal(build_spirv(other, &program), PLX_UNSUPPORTED);
    plx_cl_of_il.extension = extension;
    assert_int_equal(build_spirv(other, &program), PLX_OK);
    assert_ptr_equal(il_text, other);
    il_versions = "";
    assert_int_equal(build_spirv("a third", &program), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "takes no SPIR-V: it has neither OpenCL 2.1 nor cl_khr_il_program"));
    plx_cl.GetDeviceInfo = NULL;
    plx_cl_of_il = (plx_cl_il){NULL, NULL};
}

/* ---- what is chosen ---------------------------------------------------------------- */

static const char *chosen_of(plx_problem problem)
{
    size_t kernel = 0;
    assert_int_equal(plx_opencl_choose(&fake.session, &problem, &kernel, &error), PLX_OK);
    return plx_ladder_kernel(PLX_GEMM, kernel)->name;
}

static const char *chosen(plx_dtype dtype)
{
    return chosen_of(plx_gemm_of(dtype, false, false, 512, 512, 512));
}

static plx_problem tf32_product(void)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 512, 512, 512);
    problem.compute = PLX_COMPUTE_TF32;
    return problem;
}

/* Pipelines of f32, whose operands come by maps, have a form without. */
static void what_can_do_without_is_chosen(void **unused)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2048, 2048, 2048);
    const size_t kernel = fake_kernel_named(PLX_GEMM, "bulk-pipeline");
    plx_plugin_plan *plan = NULL;
    (void)unused;
    refuse();
    assert_string_equal(chosen_of(problem), "split-k");
    assert_int_equal(plx_opencl_plan(&fake.session, &problem, kernel, &plan, &error), PLX_OK);
    assert_null(strstr(fake.source_options, "LANDINGS"));
    plx_opencl_plan_destroy(plan);
    fake.build_code = CL_SUCCESS;
    fake.session.own_target_tried = false;
    assert_int_equal(plx_opencl_plan(&fake.session, &problem, kernel, &plan, &error), PLX_OK);
    assert_non_null(strstr(fake.source_options, "LANDINGS"));
    plx_opencl_plan_destroy(plan);
}

static void what_is_refused_is_not_chosen(void **unused)
{
    (void)unused;
    refuse();
    assert_string_equal(chosen(PLX_BF16), "mma-sync");
    assert_string_equal(chosen(PLX_F16), "mma-sync");
    assert_string_equal(chosen(PLX_F64), "dmma");
    assert_string_equal(chosen_of(tf32_product()), "mma-sync-tf32");
    assert_string_equal(chosen_of(plx_gemm_of(PLX_F16, false, false, 16, 4096, 4096)), "mma-sync");
    assert_string_equal(chosen_of(plx_gemm_of(PLX_F16, false, false, 41, 35073, 20)), "mma-direct");
    assert_int_equal(fake.texts_built, 1); /* once for all */
}

/* No other kernel has its compute type: it is chosen all the same, and its plan says why not. */
static void planes_say_why_not(void **unused)
{
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 512, 512, 512);
    plx_plugin_plan *plan = NULL;
    (void)unused;
    problem.compute = PLX_COMPUTE_F16X3;
    refuse();
    assert_string_equal(chosen_of(problem), "f16x3");
    assert_int_equal(plx_opencl_plan(&fake.session, &problem, fake_kernel_named(PLX_GEMM, "f16x3"), &plan, &error),
                     PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "the driver refuses this PTX"));
    assert_null(plan);
}

static void what_is_taken_is_chosen(void **unused)
{
    const plx_problem small = plx_gemm_of(PLX_F32, false, false, 5, 5, 5);
    (void)unused;
    assert_int_equal(plx_opencl_supports(&fake.session, &small, 0, &error), PLX_OK);
    assert_int_equal(fake.texts_built, 0); /* only where it matters */
    assert_string_equal(chosen(PLX_BF16), "wgmma-pipelined");
    assert_string_equal(chosen(PLX_F64), "dmma-bulk");
    assert_string_equal(chosen_of(tf32_product()), "wgmma-tf32");
    assert_string_equal(chosen_of(plx_gemm_of(PLX_F16, false, false, 16, 4096, 4096)), "wgmma-narrow");
    assert_int_equal(fake.texts_built, 1);
    assert_non_null(strstr(fake.text, ".target sm_90a"));
    assert_non_null(strstr(fake.text, "tensormap.replace")); /* what a program with maps stands on */
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fake_driver_set_up, fake_driver_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_come_into_effect),        TEST(a_refusal_has_a_reason),
        TEST(without_text_it_is_no_program), TEST(spirv_where_the_device_takes_it),
        TEST(what_is_refused_is_not_chosen), TEST(what_is_taken_is_chosen),
        TEST(what_can_do_without_is_chosen), TEST(planes_say_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
