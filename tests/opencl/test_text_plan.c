/* Plans that the opencl plugin makes of text, on a driver that is not there: the table of its functions has this
 * test's, which write down what they are told. */
#include "backends/opencl/opencl.h"
#include "backends/opencl/program_text.h"
#include "kernels/operation.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, FIRST_BYTE = 512, MEMORY_BYTES = 1 << 20, SUM_TERMS = 100003 };

typedef struct told {
    size_t size;
    bool is_null;
    uint64_t bytes;
} told;

static struct {
    char text[8192], options[128];
    const char *log;
    cl_int build_code;
    char entry[128];
    told arguments[MOST];
    cl_uint argument_count;
    size_t launches, programs, kernels, places, retained;
    size_t global[3], local[3];
    size_t place_bytes[MOST], pieces, pieces_left;
    uint64_t piece_zeros[MOST];
    cl_mem place_of[MOST];
} fake;

static int memories[4], the_program, the_kernel, places[MOST], pieces[MOST];
static plx_session session;
static plx_plugin_queue queue;
static plx_memory memory[PLX_MAX_OPERANDS];
static plx_operand operands[PLX_MAX_OPERANDS];
static plx_error error;

/* ---- the driver -------------------------------------------------------------- */

static cl_program create_program(cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
                                 const unsigned char **binaries, cl_int *status, cl_int *code)
{
    (void)context;
    (void)count;
    (void)devices;
    const size_t length = lengths[0] < sizeof fake.text - 1 ? lengths[0] : sizeof fake.text - 1;
    memcpy(fake.text, binaries[0], length);
    fake.text[length] = '\0';
    *status = *code = CL_SUCCESS;
    fake.programs++;
    return (cl_program)(void *)&the_program;
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                            void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    (void)program;
    (void)count;
    (void)devices;
    (void)notify;
    (void)data;
    (void)snprintf(fake.options, sizeof fake.options, "%s", options);
    return fake.build_code;
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
                         size_t *length)
{
    (void)program;
    (void)device;
    assert_int_equal(what, CL_PROGRAM_BUILD_LOG);
    if (length != NULL)
        *length = strlen(fake.log) + 1;
    if (value != NULL)
        memcpy(value, fake.log, size);
    return CL_SUCCESS;
}

static cl_int release_program(cl_program program)
{
    (void)program;
    fake.programs--;
    return CL_SUCCESS;
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)program;
    (void)snprintf(fake.entry, sizeof fake.entry, "%s", name);
    *code = CL_SUCCESS;
    fake.kernels++;
    return (cl_kernel)(void *)&the_kernel;
}

static cl_int release_kernel(cl_kernel kernel)
{
    (void)kernel;
    fake.kernels--;
    return CL_SUCCESS;
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info what, size_t size, void *value, size_t *length)
{
    (void)kernel;
    (void)length;
    assert_int_equal(what, CL_KERNEL_FUNCTION_NAME);
    (void)snprintf(value, size, "%s", fake.entry);
    return CL_SUCCESS;
}

static cl_int group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value,
                         size_t *length)
{
    (void)kernel;
    (void)device;
    (void)length;
    memset(value, 0, size);
    if (what == CL_KERNEL_WORK_GROUP_SIZE)
        *(size_t *)value = 1024;
    else if (what == CL_KERNEL_LOCAL_MEM_SIZE)
        *(cl_ulong *)value = 4096;
    else if (what == CL_KERNEL_PRIVATE_MEM_SIZE)
        *(cl_ulong *)value = 16;
    return CL_SUCCESS;
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    (void)kernel;
    assert_true(index < MOST && size > 0);
    fake.arguments[index] = (told){.size = size, .is_null = value == NULL};
    if (value != NULL)
        memcpy(&fake.arguments[index].bytes, value, size < 8 ? size : 8);
    fake.argument_count = index + 1 > fake.argument_count ? index + 1 : fake.argument_count;
    return CL_SUCCESS;
}

static cl_int launch(cl_command_queue to, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                     const size_t *global, const size_t *local, cl_uint count, const cl_event *events, cl_event *event)
{
    (void)to;
    (void)kernel;
    (void)offset;
    (void)count;
    (void)events;
    (void)event;
    assert_int_equal(dimensions, 3);
    memcpy(fake.global, global, sizeof fake.global);
    memcpy(fake.local, local, sizeof fake.local);
    fake.launches++;
    return CL_SUCCESS;
}

static cl_mem create_place(cl_mem of, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *code)
{
    const cl_buffer_region *wanted = region;
    (void)flags;
    assert_int_equal(type, CL_BUFFER_CREATE_TYPE_REGION);
    assert_true(fake.places < MOST && wanted->size > 0 && wanted->origin + wanted->size <= MEMORY_BYTES);
    assert_true(wanted->size == SUM_TERMS * sizeof(float) ||
                wanted->size == sizeof(float)); /* no more than the operand */
    assert_true(wanted->origin % 512 == 0); /* NVIDIA's driver would take another, and crash later */
    *code = CL_SUCCESS;
    fake.place_of[fake.places] = of;
    fake.place_bytes[fake.places] = wanted->origin;
    return (cl_mem)(void *)&places[fake.places++];
}

static cl_mem create_piece(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
    (void)context;
    (void)flags;
    (void)host;
    assert_true(bytes > 0 && fake.pieces < MOST);
    *code = CL_SUCCESS;
    fake.pieces_left++;
    return (cl_mem)(void *)&pieces[fake.pieces++];
}

static cl_int fill_piece(cl_command_queue to, cl_mem of, const void *pattern, size_t pattern_bytes,
                         size_t offset, size_t bytes, cl_uint count, const cl_event *events, cl_event *event)
{
    static const char zeros[16];
    (void)to;
    (void)count;
    (void)events;
    (void)event;
    if (fake.launches == 0 && memcmp(pattern, zeros, pattern_bytes) == 0 && offset == 0)
        for (size_t i = 0; i < fake.pieces; i++)
            if (of == (cl_mem)(void *)&pieces[i])
                fake.piece_zeros[i] = bytes;
    return CL_SUCCESS;
}

static cl_int write_piece(cl_command_queue to, cl_mem of, cl_bool blocking, size_t offset, size_t bytes,
                          const void *from, cl_uint count, const cl_event *events, cl_event *event)
{
    (void)to;
    (void)of;
    (void)blocking;
    (void)offset;
    (void)bytes;
    (void)from;
    (void)count;
    (void)events;
    (void)event;
    return CL_SUCCESS;
}

static cl_int device_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *length)
{
    (void)device;
    (void)length;
    assert_true(what == CL_DEVICE_MEM_BASE_ADDR_ALIGN && size == sizeof(cl_uint));
    *(cl_uint *)value = 4096; /* bits */
    return CL_SUCCESS;
}

static cl_int finish(cl_command_queue queue_)
{
    (void)queue_;
    return CL_SUCCESS;
}

/* A buffer outlives what begins in it. */
static cl_int retain_memory(cl_mem of)
{
    (void)of;
    fake.retained++;
    return CL_SUCCESS;
}

static cl_int release_memory(cl_mem of)
{
    for (size_t i = 0; i < fake.places; i++)
        if (of == (cl_mem)(void *)&places[i]) {
            assert_true(fake.retained >= 1);
            fake.place_of[i] = NULL;
            return CL_SUCCESS;
        }
    for (size_t i = 0; i < fake.pieces; i++)
        if (of == (cl_mem)(void *)&pieces[i]) {
            fake.pieces_left--;
            return CL_SUCCESS;
        }
    for (size_t i = 0; i < fake.places; i++)
        assert_true(fake.place_of[i] != of || fake.retained > 1);
    fake.retained--;
    return CL_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    plx_cl.CreateProgramWithBinary = create_program;
    plx_cl.BuildProgram = build_program;
    plx_cl.GetProgramBuildInfo = build_info;
    plx_cl.ReleaseProgram = release_program;
    plx_cl.CreateKernel = create_kernel;
    plx_cl.ReleaseKernel = release_kernel;
    plx_cl.GetKernelInfo = kernel_info;
    plx_cl.GetKernelWorkGroupInfo = group_info;
    plx_cl.SetKernelArg = set_argument;
    plx_cl.EnqueueNDRangeKernel = launch;
    plx_cl.CreateSubBuffer = create_place;
    plx_cl.GetDeviceInfo = device_info;
    plx_cl.CreateBuffer = create_piece;
    plx_cl.EnqueueFillBuffer = fill_piece;
    plx_cl.EnqueueWriteBuffer = write_piece;
    plx_cl.Finish = finish;
    plx_cl.RetainMemObject = retain_memory;
    plx_cl.ReleaseMemObject = release_memory;
    memset(&fake, 0, sizeof fake);
    fake.log = "ptxas info : Compiling entry function 'reduce_smem_f32_sum' for 'sm_90a'\n"
               "ptxas info : Used 44 registers, used 1 barriers\n";
    session.info = (plx_device_info){.name = "a chip",
                                     .features = PLX_FEATURE_NVIDIA_PTX | PLX_FEATURE_SHUFFLE | PLX_FEATURE_F64 |
                                                 PLX_FEATURE_LOCAL_MEMORY,
                                     .compute_major = 9,
                                     .units = 132,
                                     .warp = 32,
                                     .max_block_threads = 1024,
                                     .max_shared_bytes = 49152,
                                     .max_grid = {2147483647, 65535, 65535},
                                     .max_block = {1024, 1024, 64},
                                     .memory_bytes = UINT64_C(80) << 30};
    queue = (plx_plugin_queue){.session = &session,
                               .scratch = {(cl_mem)(void *)&memories[3], .bytes = MEMORY_BYTES}};
    for (size_t i = 0; i < 3; i++) {
        memory[i].buffer = (cl_mem)(void *)&memories[i];
        operands[i] = (plx_operand){&memory[i], FIRST_BYTE};
    }
    return 0;
}

/* ---- what is told ---------------------------------------------------------------- */

static plx_problem a_sum(void)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32};
    problem.of.reduce = (plx_reduce_problem){.n = SUM_TERMS, .reduction = PLX_SUM};
    return problem;
}

static size_t kernel_named(plx_op op, const char *name)
{
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(op, index)->name, name) != 0)
        index++;
    return index;
}

/* The same chip, as CUDA tells of it. */
static plx_code code_of(plx_convention convention, const char *text)
{
    plx_code code = {.language = "ptx", .convention = convention, .device = session.info};
    if (convention == PLX_CONVENTION_POINTERS) {
        code.device.features &= ~(uint32_t)PLX_FEATURE_NVIDIA_PTX;
        code.device.max_shared_bytes = 232448;
    }
    code.text = (char *)(uintptr_t)text;
    return code;
}

static bool points_to(const told *argument, cl_mem of, uint64_t byte)
{
    const void *given = (const void *)(uintptr_t)argument->bytes;
    for (size_t i = 0; i < fake.places; i++)
        if (given == &places[i])
            return fake.place_of[i] == of && fake.place_bytes[i] == byte;
    return given == (const void *)of && byte == 0;
}

/* Scratch memory of the plan's own, zeros where counters are. */
static bool is_piece(const told *argument, uint64_t byte)
{
    const void *given = (const void *)(uintptr_t)argument->bytes;
    for (size_t i = 0; i < fake.pieces; i++)
        if (given == &pieces[i])
            return byte >= PLX_SCRATCH_COUNTERS || fake.piece_zeros[i] == PLX_SCRATCH_COUNTERS - byte;
    return false;
}

/* Holds the arguments of the last step's launch against its recipe; returns how many there are. */
static cl_uint assert_arguments(const plx_step *step, plx_dtype dtype, plx_convention convention)
{
    const bool offsets = convention == PLX_CONVENTION_OFFSETS;
    cl_uint at = 0;
    for (size_t i = 0; i < step->argument_count; i++) {
        const plx_argument *argument = &step->arguments[i];
        const told *got = &fake.arguments[at];
        uint64_t bytes = 0;
        size_t size = 8;
        if (argument->kind == PLX_ARG_SHARED) {
            assert_true(!offsets || (got->is_null && got->size == (size_t)argument->value));
            at += offsets;
            continue;
        }
        if (argument->kind == PLX_ARG_OPERAND) {
            const cl_mem of = (cl_mem)(void *)&memories[argument->operand];
            assert_true(points_to(got, of, offsets ? 0 : FIRST_BYTE));
            assert_true(!offsets || got[1].bytes == FIRST_BYTE / plx_element_size(dtype));
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            assert_true(offsets ? points_to(got, queue.scratch.buffer, 0)
                                : is_piece(got, (uint64_t)argument->value));
            assert_true(!offsets || got[1].bytes == (uint64_t)argument->value / argument->operand);
        } else {
            assert_int_equal(plx_argument_bytes(argument, dtype, &bytes, &size, &error), PLX_OK);
            assert_true(got->bytes == bytes);
        }
        assert_int_equal(got->size, size);
        at += offsets && (argument->kind == PLX_ARG_OPERAND || argument->kind == PLX_ARG_SCRATCH) ? 2 : 1;
    }
    return at;
}

static void assert_plan(plx_convention convention, const char *name, bool variant)
{
    const plx_problem sum = a_sum();
    const plx_code code = code_of(convention, ".version 9.0\n");
    const size_t kernel = kernel_named(PLX_REDUCE, name);
    const plx_row *row = &plx_ladder_of(PLX_REDUCE)->rows[kernel];
    char entry[128];
    plx_recipe recipe;
    plx_plugin_plan *plan = NULL;
    (void)set_up(NULL);
    assert_int_equal(plx_recipe_write(row, row->recipe, &sum, &code.device, &recipe, &error), PLX_OK);
    if (plx_opencl_plan_code(&session, &sum, kernel, &code, &plan, &error) != PLX_OK)
        fail_msg("%s: %s", name, error.text);
    const plx_step *last = &recipe.steps[recipe.step_count - 1];
    (void)snprintf(entry, sizeof entry, "%s%s%s", last->entry, variant ? "_" : "", variant ? recipe.variant : "");
    assert_string_equal(fake.entry, entry);
    assert_int_equal(plx_opencl_execute(plan, &queue, operands, 2, &error), PLX_OK);
    assert_int_equal(fake.launches, recipe.step_count);
    for (int axis = 0; axis < 3; axis++)
        assert_int_equal(fake.global[axis], last->grid[axis] * last->block[axis]);
    if (recipe.step_count == 1)
        assert_int_equal(assert_arguments(last, sum.dtype, convention), fake.argument_count);
    plx_opencl_plan_destroy(plan);
    assert_int_equal(fake.programs, 0);
    assert_int_equal(fake.kernels, 0);
    assert_int_equal(fake.retained, 0);
    assert_int_equal(fake.pieces_left, 0);
}

static void text_for_offsets_is_told_as_our_source(void **unused)
{
    (void)unused;
    assert_plan(PLX_CONVENTION_OFFSETS, "onepass", false);
    assert_plan(PLX_CONVENTION_OFFSETS, "vector", false);
    assert_plan(PLX_CONVENTION_OFFSETS, "smem-dynamic", false);
}

static void text_for_pointers_gets_places(void **unused)
{
    (void)unused;
    assert_plan(PLX_CONVENTION_POINTERS, "onepass", true);
    assert_plan(PLX_CONVENTION_POINTERS, "vector", true);
    assert_plan(PLX_CONVENTION_POINTERS, "smem-dynamic", true);
    assert_plan(PLX_CONVENTION_POINTERS, "bulk", true); /* its shared memory is declared in the text */
}

static void what_opencl_has_to_be_told_is_declared(void **unused)
{
    static const char text[] = ".extern .shared .align 16 .b8 dynamic[];\n"
                               ".visible .entry other(\n\t.param .u64 other_param_0\n)\n.maxntid 64, 1, 1\n{\n}\n"
                               ".visible .entry one(\n"
                               "\t.param .u64 one_param_0,\n\t.param .u32 one_param_1,\n\t.param .u64 one_param_2\n"
                               ")\n.maxntid 1024, 1, 1\n.minnctapersm 2\n{\n\tret;\n}\n";
    const plx_cl_pointers one = {"one", 1 << 0, {32, 16, 1}};
    (void)unused;
    char *made = plx_cl_pointer_text(text, &one, 1, 70000);
    assert_string_equal(made, ".shared .align 16 .b8 dynamic[70000];\n"
                              ".visible .entry other(\n\t.param .u64 other_param_0\n)\n.maxntid 64, 1, 1\n{\n}\n"
                              ".visible .entry one(\n"
                              "\t.param .u64 .ptr .global .align 4 one_param_0,\n\t.param .u32 one_param_1,\n"
                              "\t.param .u64 one_param_2\n"
                              ")\n.reqntid 32, 16, 1\n.minnctapersm 2\n{\n\tret;\n}\n");
    free(made);
}

static void registers_are_read_from_the_log(void **unused)
{
    const plx_problem sum = a_sum();
    plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    plx_plugin_plan *plan = NULL;
    plx_launch_facts facts[4] = {{.registers = 0}};
    size_t count = 0;
    (void)unused;
    code.max_registers = 96;
    assert_int_equal(plx_opencl_plan_code(&session, &sum, kernel_named(PLX_REDUCE, "smem"), &code, &plan, &error), PLX_OK);
    assert_non_null(strstr(fake.options, "-cl-nv-maxrregcount=96"));
    assert_int_equal(plx_opencl_launches(plan, facts, 4, &count, &error), PLX_OK);
    assert_int_equal(facts[0].registers, 44);
    assert_int_equal(facts[0].local_bytes, 16);
    assert_int_equal(facts[0].shared_bytes, 4096);
    assert_true(facts[0].blocks_per_unit >= 1 && facts[0].blocks_per_unit <= 2048 / (int32_t)facts[0].block[0]);
    plx_opencl_plan_destroy(plan);
}

static void what_the_driver_refuses_is_unsupported(void **unused)
{
    const plx_problem sum = a_sum();
    plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 99.0\n");
    plx_plugin_plan *plan = NULL;
    const size_t kernel = kernel_named(PLX_REDUCE, "smem");
    (void)unused;
    fake.build_code = CL_BUILD_PROGRAM_FAILURE;
    fake.log = "\nptxas fatal : Unsupported .version 99.0\nmore\n";
    assert_int_equal(plx_opencl_plan_code(&session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "refuses this PTX: CL_BUILD_PROGRAM_FAILURE: ptxas fatal : Unsupported"));
    assert_int_equal(fake.programs, 0);
    session.info.features &= ~(uint32_t)PLX_FEATURE_NVIDIA_PTX;
    assert_int_equal(plx_opencl_plan_code(&session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "a chip gives no PTX"));
    assert_int_equal(plx_opencl_code(&session, &sum, kernel, &code, &error), PLX_UNSUPPORTED);
    assert_null(plan);
}

static void launches_that_opencl_has_no_word_for_are_unsupported(void **unused)
{
    plx_problem product = {.op = PLX_GEMM, .dtype = PLX_F32};
    const plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    plx_plugin_plan *plan = NULL;
    (void)unused;
    product.of.gemm = (plx_gemm_problem){.m = 1024, .n = 1024, .k = 1024, .lda = 1024, .ldb = 1024, .ldc = 1024, .alpha = 1};
    assert_int_equal(plx_opencl_plan_code(&session, &product, kernel_named(PLX_GEMM, "bulk-pipeline"), &code, &plan, &error),
                     PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tensor maps"));
    assert_null(plan);
}

/* A product in one part takes no scratch memory, and its kernel a pointer to it all the same. */
static void scratch_memory_of_no_bytes_is_a_piece(void **unused)
{
    plx_problem product = {.op = PLX_GEMM, .dtype = PLX_F32};
    plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    const size_t kernel = kernel_named(PLX_GEMM, "async-copy");
    const plx_row *row = &plx_ladder_of(PLX_GEMM)->rows[kernel];
    plx_recipe recipe;
    plx_plugin_plan *plan = NULL;
    bool at_the_end = false;
    (void)unused;
    product.of.gemm = (plx_gemm_problem){.m = 2048, .n = 2048, .k = 2048, .lda = 2048, .ldb = 2048, .ldc = 2048, .alpha = 1};
    assert_int_equal(plx_recipe_write(row, row->recipe, &product, &code.device, &recipe, &error), PLX_OK);
    for (size_t i = 0; i < recipe.steps[0].argument_count; i++)
        at_the_end = at_the_end || (recipe.steps[0].arguments[i].kind == PLX_ARG_SCRATCH &&
                                    (uint64_t)recipe.steps[0].arguments[i].value == recipe.scratch_bytes);
    assert_true(at_the_end);
    if (plx_opencl_plan_code(&session, &product, kernel, &code, &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    plx_opencl_plan_destroy(plan);
}

static void an_operand_where_no_place_begins_is_told(void **unused)
{
    const plx_problem sum = a_sum();
    const plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    plx_plugin_plan *plan = NULL;
    (void)unused;
    assert_int_equal(plx_opencl_plan_code(&session, &sum, kernel_named(PLX_REDUCE, "smem"), &code, &plan, &error), PLX_OK);
    operands[0].offset = 256;
    assert_int_equal(plx_opencl_execute(plan, &queue, operands, 2, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "byte 256"));
    plx_opencl_plan_destroy(plan);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text_for_offsets_is_told_as_our_source),
        TEST(text_for_pointers_gets_places),
        TEST(what_opencl_has_to_be_told_is_declared),
        TEST(registers_are_read_from_the_log),
        TEST(what_the_driver_refuses_is_unsupported),
        TEST(launches_that_opencl_has_no_word_for_are_unsupported),
        TEST(scratch_memory_of_no_bytes_is_a_piece),
        TEST(an_operand_where_no_place_begins_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
