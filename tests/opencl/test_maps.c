/* What the opencl plugin tells kernels that make tensor maps, on a driver that is not there: the table of its
 * functions has this test's, which write it down. */
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
    ".target sm_90\n.entry one(\n)\n{\n\t//sm_90a: wgmma.fence.sync.aligned;\n\tret;\n}\n";

enum { MOST_KERNELS = 16, MOST_ARGUMENTS = 64, A_BYTE = 512, B_BYTE = 1024, M = 300, N = 200, K = 104 };

/* matrix_t of kernels/gemm/tensor-map.clh. */
typedef struct matrix {
    uint64_t width, height, pitch;
    uint32_t box_width, box_height;
} matrix;

typedef struct fake_kernel {
    char entry[64];
    struct {
        size_t size;
        unsigned char bytes[64];
    } argument[MOST_ARGUMENTS];
} fake_kernel;

static struct {
    fake_kernel kernel[MOST_KERNELS], *launched[MOST_KERNELS];
    size_t kernels, kernels_alive, launches;
} fake;

static int memories[4], a_program;
static plx_session session;
static plx_plugin_queue queue;
static plx_memory memory[3];
static plx_operand operands[3];
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
    return (cl_program)(void *)&a_program;
}

static cl_program create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                     cl_int *code)
{
    (void)context;
    (void)count;
    (void)devices;
    (void)lengths;
    (void)binaries;
    *status = *code = CL_SUCCESS;
    return (cl_program)(void *)&a_program;
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                            const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    (void)program;
    (void)count;
    (void)devices;
    (void)options;
    (void)notify;
    (void)data;
    return CL_SUCCESS;
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t size,
                         void *value, size_t *length)
{
    (void)program;
    (void)device;
    (void)what;
    if (length != NULL)
        *length = 1;
    if (value != NULL)
        memset(value, 0, size);
    return CL_SUCCESS;
}

static cl_int program_info(cl_program program, cl_program_info what, size_t size, void *value, size_t *length)
{
    const size_t bytes = sizeof compiled;
    (void)program;
    (void)size;
    (void)length;
    if (what == CL_PROGRAM_BINARY_SIZES)
        memcpy(value, &bytes, sizeof bytes);
    else
        memcpy(*(void **)value, compiled, bytes);
    return CL_SUCCESS;
}

static cl_int release_program(cl_program program)
{
    (void)program;
    return CL_SUCCESS;
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)program;
    assert_true(fake.kernels < MOST_KERNELS);
    fake_kernel *made = &fake.kernel[fake.kernels++];
    (void)snprintf(made->entry, sizeof made->entry, "%s", name);
    fake.kernels_alive++;
    *code = CL_SUCCESS;
    return (cl_kernel)(void *)made;
}

static cl_int release_kernel(cl_kernel kernel)
{
    (void)kernel;
    fake.kernels_alive--;
    return CL_SUCCESS;
}

static cl_int group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                         void *value, size_t *length)
{
    (void)kernel;
    (void)device;
    (void)length;
    memset(value, 0, size);
    if (what == CL_KERNEL_WORK_GROUP_SIZE)
        *(size_t *)value = 1024;
    return CL_SUCCESS;
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    fake_kernel *of = (fake_kernel *)(void *)kernel;
    assert_true(index < MOST_ARGUMENTS && size <= sizeof of->argument[0].bytes && value != NULL);
    of->argument[index].size = size;
    memcpy(of->argument[index].bytes, value, size);
    return CL_SUCCESS;
}

static cl_int launch(cl_command_queue to, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                     const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                     cl_event *event)
{
    (void)to;
    (void)dimensions;
    (void)offset;
    (void)global;
    (void)local;
    (void)count;
    (void)events;
    (void)event;
    assert_true(fake.launches < MOST_KERNELS);
    fake.launched[fake.launches++] = (fake_kernel *)(void *)kernel;
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
    plx_cl.CreateKernel = create_kernel;
    plx_cl.ReleaseKernel = release_kernel;
    plx_cl.GetKernelWorkGroupInfo = group_info;
    plx_cl.SetKernelArg = set_argument;
    plx_cl.EnqueueNDRangeKernel = launch;
    memset(&fake, 0, sizeof fake);
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
    queue = (plx_plugin_queue){.session = &session,
                               .scratch = {(cl_mem)(void *)&memories[3], .bytes = UINT64_C(1) << 40}};
    for (size_t i = 0; i < 3; i++)
        memory[i].buffer = (cl_mem)(void *)&memories[i];
    operands[0] = (plx_operand){&memory[0], A_BYTE};
    operands[1] = (plx_operand){&memory[1], B_BYTE};
    operands[2] = (plx_operand){&memory[2], 0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plx_cl_release_programs(&session);
    assert_int_equal(fake.kernels_alive, 0);
    (void)pthread_mutex_destroy(&session.programs_lock);
    return 0;
}

/* ---- what is told ---------------------------------------------------------------- */

static size_t kernel_named(const char *name)
{
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(PLX_GEMM, index)->name, name) != 0)
        index++;
    return index;
}

static plx_plugin_plan *plan_of(int64_t k)
{
    const plx_problem problem = plx_gemm_of(PLX_BF16, false, true, M, N, k);
    plx_plugin_plan *plan = NULL;
    if (plx_opencl_plan(&session, &problem, kernel_named("wgmma-pipelined"), &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return plan;
}

static void execute(plx_plugin_plan *plan)
{
    fake.launches = 0;
    if (plx_opencl_execute(plan, &queue, operands, 3, &error) != PLX_OK)
        fail_msg("%s", error.text);
}

/* A map is three arguments: memory, where in it the matrix begins, and what it is. */
static void expect_map(const fake_kernel *kernel, size_t index, const int *of, int64_t begin, uint64_t width,
                       uint64_t height, uint64_t pitch)
{
    const cl_mem expected = (cl_mem)(void *)(uintptr_t)of;
    matrix told;
    int64_t offset;
    assert_int_equal(kernel->argument[index + 2].size, sizeof told);
    memcpy(&told, kernel->argument[index + 2].bytes, sizeof told);
    memcpy(&offset, kernel->argument[index + 1].bytes, sizeof offset);
    assert_memory_equal(kernel->argument[index].bytes, &expected, sizeof expected);
    if (begin >= 0)
        assert_int_equal(offset, begin);
    assert_int_equal(offset % 16, 0);
    assert_int_equal(told.width, width);
    assert_int_equal(told.height, height);
    assert_int_equal(told.pitch, pitch);
    assert_int_equal(told.box_width, 64);
}

static void operands_are_brought_as_they_lie(void **unused)
{
    plx_plugin_plan *plan = plan_of(K);
    (void)unused;
    execute(plan);
    assert_int_equal(fake.launches, 1);
    assert_memory_equal(fake.launched[0]->entry, "gemm_wgmma_pipelined_", 21);
    expect_map(fake.launched[0], 0, &memories[0], A_BYTE, K, M, K * 2);
    expect_map(fake.launched[0], 3, &memories[1], B_BYTE, K, N, K * 2);
    expect_map(fake.launched[0], 6, &memories[2], 0, N, M, N * 2);
    operands[1].offset += 32;
    execute(plan);
    expect_map(fake.launched[0], 3, &memories[1], B_BYTE + 32, K, N, K * 2);
    plx_opencl_plan_destroy(plan);
}

/* The copy engine can't read those: another launch copies them first. */
static void an_operand_that_begins_elsewhere_is_copied(void **unused)
{
    plx_plugin_plan *plan = plan_of(K);
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        operands[i].offset += 2;
        execute(plan);
        assert_int_equal(fake.launches, 2);
        assert_string_equal(fake.launched[0]->entry, "gemm_repack");
        expect_map(fake.launched[1], 0, &memories[3], -1, K, M, 256); /* whole lines */
        expect_map(fake.launched[1], 3, &memories[3], -1, K, N, 256);
        operands[i].offset -= 2;
    }
    execute(plan);
    assert_int_equal(fake.launches, 1);
    plx_opencl_plan_destroy(plan);
}

static void rows_that_begin_elsewhere_are_copied(void **unused)
{
    plx_plugin_plan *plan = plan_of(K + 1);
    (void)unused;
    execute(plan);
    assert_int_equal(fake.launches, 2);
    assert_string_equal(fake.launched[0]->entry, "gemm_repack");
    expect_map(fake.launched[1], 0, &memories[3], -1, K + 1, M, 256);
    expect_map(fake.launched[1], 3, &memories[3], -1, K + 1, N, 256);
    plx_opencl_plan_destroy(plan);
}

/* Its text takes what maps are made of, which no other API's launches bring. */
static void its_text_stays_here(void **unused)
{
    const plx_problem problem = plx_gemm_of(PLX_BF16, false, true, M, N, K);
    plx_code code;
    (void)unused;
    assert_int_equal(plx_opencl_code(&session, &problem, kernel_named("wgmma-pipelined"), &code, &error),
                     PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tensor maps"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operands_are_brought_as_they_lie),
        TEST(an_operand_that_begins_elsewhere_is_copied),
        TEST(rows_that_begin_elsewhere_are_copied),
        TEST(its_text_stays_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
