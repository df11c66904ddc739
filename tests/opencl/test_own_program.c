/* Programs that are nothing without their lines for sm_90a, on a driver that is not there: what is built,
 * what is said where the driver refuses, and which kernel is chosen then. */
#include "backends/opencl/opencl.h"
#include "backends/opencl/session.h"
#include "kernels/operation.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <parallax/parallax.h>

static const char compiled[] =
    ".target sm_90\n.entry one(\n)\n{\n\t//sm_90a: wgmma.fence.sync.aligned;\n\tret;\n}\n",
                  plain[] = ".target sm_90\n.entry one(\n)\n{\n\tret;\n}\n";

static struct {
    const char *binary; /* of what was compiled; "": none is given */
    bool refuses;       /* to build for sm_90a */
    size_t tried, alive;
    char text[512]; /* of what was built last from a binary */
} fake;

static int from_source, from_binary;
static plx_session session;
static plx_error error;

/* ---- the driver -------------------------------------------------------------- */

static cl_program create_with_source(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    (void)context;
    (void)count;
    (void)texts;
    (void)lengths;
    *code = CL_SUCCESS;
    fake.alive++;
    return (cl_program)(void *)&from_source;
}

static cl_program create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                     cl_int *code)
{
    (void)context;
    (void)count;
    (void)devices;
    assert_true(lengths[0] < sizeof fake.text);
    memcpy(fake.text, binaries[0], lengths[0]);
    fake.text[lengths[0]] = '\0';
    *status = *code = CL_SUCCESS;
    fake.alive++;
    return (cl_program)(void *)&from_binary;
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                            const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    (void)count;
    (void)devices;
    (void)options;
    (void)notify;
    (void)data;
    if (program == (cl_program)(void *)&from_source)
        return CL_SUCCESS;
    fake.tried++;
    return fake.refuses ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t size,
                         void *value, size_t *length)
{
    static const char log[] = "ptxas fatal: no such target\n";
    (void)program;
    (void)device;
    (void)what;
    if (length != NULL)
        *length = sizeof log;
    if (value != NULL)
        memcpy(value, log, size < sizeof log ? size : sizeof log);
    return CL_SUCCESS;
}

static cl_int program_info(cl_program program, cl_program_info what, size_t size, void *value, size_t *length)
{
    const size_t bytes = strlen(fake.binary);
    (void)program;
    (void)size;
    (void)length;
    if (what == CL_PROGRAM_BINARY_SIZES)
        memcpy(value, &bytes, sizeof bytes);
    else
        memcpy(*(void **)value, fake.binary, bytes);
    return CL_SUCCESS;
}

static cl_int release_program(cl_program program)
{
    (void)program;
    fake.alive--;
    return CL_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    plx_cl.CreateProgramWithSource = create_with_source;
    plx_cl.CreateProgramWithBinary = create_with_binary;
    plx_cl.BuildProgram = build_program;
    plx_cl.GetProgramBuildInfo = build_info;
    plx_cl.GetProgramInfo = program_info;
    plx_cl.ReleaseProgram = release_program;
    memset(&fake, 0, sizeof fake);
    fake.binary = compiled;
    memset(&session, 0, sizeof session);
    (void)pthread_mutex_init(&session.programs_lock, NULL);
    session.driver_keeps_programs = true; /* no cache */
    session.info = (plx_device_info){.name = "a chip",
                                     .features = PLX_FEATURE_NVIDIA_PTX | PLX_FEATURE_SHUFFLE |
                                                 PLX_FEATURE_F64 | PLX_FEATURE_LOCAL_MEMORY,
                                     .compute_major = 9,
                                     .units = 132,
                                     .warp = 32,
                                     .max_block_threads = 1024,
                                     .max_shared_bytes = 49152,
                                     .max_grid = {2147483647, 65535, 65535},
                                     .max_block = {1024, 1024, 64},
                                     .memory_bytes = UINT64_C(80) << 30};
    error.text[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plx_cl_release_programs(&session);
    assert_int_equal(fake.alive, 0);
    (void)pthread_mutex_destroy(&session.programs_lock);
    return 0;
}

/* ---- programs -------------------------------------------------------------------- */

static plx_status build(bool own_target, cl_program *program)
{
    static const char text[] = "kernel void one() {}";
    const plx_cl_source source = {
        .name = "one", .text = text, .length = sizeof text - 1, .own_target = own_target};
    return plx_cl_program(&session, &source, "", program, &error);
}

static void lines_come_into_effect(void **unused)
{
    cl_program program;
    (void)unused;
    assert_int_equal(build(true, &program), PLX_OK);
    assert_ptr_equal(program, &from_binary);
    assert_non_null(strstr(fake.text, ".target sm_90a\n"));
    assert_non_null(strstr(fake.text, "\nwgmma.fence"));
    assert_int_equal(fake.alive, 1);
}

/* One that those lines make faster stays as it was compiled, one that is nothing without them is no program.
 */
static void a_refusal_has_a_reason(void **unused)
{
    cl_program program = NULL;
    (void)unused;
    fake.refuses = true;
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_string_equal(error.text, "the driver refuses this PTX: CL_BUILD_PROGRAM_FAILURE: "
                                    "ptxas fatal: no such target");
    assert_null(program);
    assert_int_equal(fake.alive, 0);
    assert_int_equal(build(false, &program), PLX_OK);
    assert_ptr_equal(program, &from_source);
}

/* Else it would run without them, and be wrong. */
static void without_text_it_is_no_program(void **unused)
{
    cl_program program = NULL;
    (void)unused;
    fake.binary = "";
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "gives no PTX that could be built for sm_90a"));
    fake.binary = plain;
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    fake.binary = compiled;
    session.info.compute_major = 10;
    assert_int_equal(build(true, &program), PLX_UNSUPPORTED);
    assert_null(program);
    assert_int_equal(fake.tried, 0);
}

/* ---- what is chosen ---------------------------------------------------------------- */

static const char *chosen(plx_dtype dtype)
{
    const plx_problem problem = plx_gemm_of(dtype, false, false, 512, 512, 512);
    size_t kernel = 0;
    assert_int_equal(plx_opencl_choose(&session, &problem, &kernel, &error), PLX_OK);
    return plx_ladder_kernel(PLX_GEMM, kernel)->name;
}

static void what_is_refused_is_not_chosen(void **unused)
{
    (void)unused;
    fake.refuses = true;
    assert_string_equal(chosen(PLX_BF16), "mma-sync");
    assert_string_equal(chosen(PLX_F16), "mma-sync");
    assert_int_equal(fake.tried, 1); /* once for all */
}

static void what_is_taken_is_chosen(void **unused)
{
    (void)unused;
    assert_string_not_equal(chosen(PLX_F32), "wgmma");
    assert_int_equal(fake.tried, 0); /* only where it matters */
    assert_string_equal(chosen(PLX_BF16), "wgmma-pipelined");
    assert_int_equal(fake.tried, 1);
    assert_non_null(strstr(fake.text, ".target sm_90a"));
    assert_non_null(strstr(fake.text, "tensormap.replace")); /* what a program with maps stands on */
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_come_into_effect),        TEST(a_refusal_has_a_reason),
        TEST(without_text_it_is_no_program), TEST(what_is_refused_is_not_chosen),
        TEST(what_is_taken_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
