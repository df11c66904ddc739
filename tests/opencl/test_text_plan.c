/* Plans that the opencl plugin makes of text, on a driver that is not there: the table of its functions has this
 * test's, which write down what they are told. */
#include "backends/opencl/opencl.h"
#include "backends/opencl/program_text.h"
#include "tests/opencl/fake_driver.h"
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

enum { FIRST_BYTE = 512, SUM_TERMS = 100003, MEMORY_BYTES = 1 << 20 };

static struct {
    size_t places, retained, pieces, pieces_left;
    size_t place_bytes[FAKE_MOST];
    cl_mem place_of[FAKE_MOST];
    uint64_t piece_zeros[FAKE_MOST];
} memory;

static int places[FAKE_MOST], pieces[FAKE_MOST];
static plx_error error;

/* ---- the driver's memory ----------------------------------------------------- */

static cl_mem create_place(cl_mem of, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *code)
{
    const cl_buffer_region *wanted = region;
    (void)flags;
    assert_int_equal(type, CL_BUFFER_CREATE_TYPE_REGION);
    assert_true(memory.places < FAKE_MOST && wanted->size > 0 && wanted->origin + wanted->size <= MEMORY_BYTES);
    assert_true(wanted->size == SUM_TERMS * sizeof(float) ||
                wanted->size == sizeof(float)); /* no more than the operand */
    assert_true(wanted->origin % 512 == 0);     /* NVIDIA's driver would take another, and crash later */
    *code = CL_SUCCESS;
    memory.place_of[memory.places] = of;
    memory.place_bytes[memory.places] = wanted->origin;
    return (cl_mem)(void *)&places[memory.places++];
}

static cl_mem create_piece(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
    (void)context;
    (void)flags;
    (void)host;
    assert_true(bytes > 0 && memory.pieces < FAKE_MOST);
    *code = CL_SUCCESS;
    memory.pieces_left++;
    return (cl_mem)(void *)&pieces[memory.pieces++];
}

static cl_int fill_piece(cl_command_queue to, cl_mem of, const void *pattern, size_t pattern_bytes, size_t offset,
                         size_t bytes, cl_uint count, const cl_event *events, cl_event *event)
{
    static const char zeros[16];
    (void)to;
    (void)count;
    (void)events;
    (void)event;
    if (fake.launches == 0 && memcmp(pattern, zeros, pattern_bytes) == 0 && offset == 0)
        for (size_t i = 0; i < memory.pieces; i++)
            if (of == (cl_mem)(void *)&pieces[i])
                memory.piece_zeros[i] = bytes;
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
    memory.retained++;
    return CL_SUCCESS;
}

static cl_int release_memory(cl_mem of)
{
    for (size_t i = 0; i < memory.places; i++)
        if (of == (cl_mem)(void *)&places[i]) {
            assert_true(memory.retained >= 1);
            memory.place_of[i] = NULL;
            return CL_SUCCESS;
        }
    for (size_t i = 0; i < memory.pieces; i++)
        if (of == (cl_mem)(void *)&pieces[i]) {
            memory.pieces_left--;
            return CL_SUCCESS;
        }
    for (size_t i = 0; i < memory.places; i++)
        assert_true(memory.place_of[i] != of || memory.retained > 1);
    memory.retained--;
    return CL_SUCCESS;
}

static int set_up(void **state)
{
    (void)fake_driver_set_up(state);
    plx_cl.CreateSubBuffer = create_place;
    plx_cl.GetDeviceInfo = device_info;
    plx_cl.CreateBuffer = create_piece;
    plx_cl.EnqueueFillBuffer = fill_piece;
    plx_cl.EnqueueWriteBuffer = write_piece;
    plx_cl.Finish = finish;
    plx_cl.RetainMemObject = retain_memory;
    plx_cl.ReleaseMemObject = release_memory;
    memset(&memory, 0, sizeof memory);
    fake.log = "ptxas info : Compiling entry function 'reduce_smem_f32_sum' for 'sm_90a'\n"
               "ptxas info : Used 44 registers, used 1 barriers\n";
    fake.queue.scratch.bytes = MEMORY_BYTES;
    for (size_t i = 0; i < FAKE_OPERANDS; i++)
        fake.operands[i].offset = FIRST_BYTE;
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(memory.retained, 0);
    assert_int_equal(memory.pieces_left, 0);
    return fake_driver_tear_down(state);
}

/* ---- what is told ---------------------------------------------------------------- */

static plx_problem a_sum(void)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32};
    problem.of.reduce = (plx_reduce_problem){.n = SUM_TERMS, .reduction = PLX_SUM};
    return problem;
}

/* The same chip, as CUDA tells of it. */
static plx_code code_of(plx_convention convention, const char *text)
{
    plx_code code = {.language = "ptx", .convention = convention, .device = fake.session.info};
    if (convention == PLX_CONVENTION_POINTERS) {
        code.device.features &= ~(uint32_t)PLX_FEATURE_NVIDIA_PTX;
        code.device.max_shared_bytes = 232448;
    }
    code.text = (char *)(uintptr_t)text;
    return code;
}

static bool points_to(const fake_argument *argument, cl_mem of, uint64_t byte)
{
    const void *given = (const void *)(uintptr_t)argument->word;
    for (size_t i = 0; i < memory.places; i++)
        if (given == &places[i])
            return memory.place_of[i] == of && memory.place_bytes[i] == byte;
    return given == (const void *)of && byte == 0;
}

/* Scratch memory of the plan's own, zeros where counters are. */
static bool is_piece(const fake_argument *argument, uint64_t byte)
{
    const void *given = (const void *)(uintptr_t)argument->word;
    for (size_t i = 0; i < memory.pieces; i++)
        if (given == &pieces[i])
            return byte >= PLX_SCRATCH_COUNTERS || memory.piece_zeros[i] == PLX_SCRATCH_COUNTERS - byte;
    return false;
}

/* Holds a kernel's arguments against its step; returns how many there are. */
static cl_uint assert_arguments(const fake_kernel *kernel, const plx_step *step, plx_dtype dtype,
                                plx_convention convention)
{
    const bool offsets = convention == PLX_CONVENTION_OFFSETS;
    cl_uint at = 0;
    for (size_t i = 0; i < step->argument_count; i++) {
        const plx_argument *argument = &step->arguments[i];
        const fake_argument *got = &kernel->arguments[at];
        uint64_t bytes = 0;
        size_t size = 8;
        if (argument->kind == PLX_ARG_SHARED) {
            assert_true(!offsets || (got->is_null && got->size == (size_t)argument->value));
            at += offsets;
            continue;
        }
        if (argument->kind == PLX_ARG_OPERAND) {
            const cl_mem of = fake_buffer(argument->operand);
            assert_true(points_to(got, of, offsets ? 0 : FIRST_BYTE));
            assert_true(!offsets || got[1].word == FIRST_BYTE / plx_element_size(dtype));
        } else if (argument->kind == PLX_ARG_SCRATCH) {
            assert_true(offsets ? points_to(got, fake.queue.scratch.buffer, 0)
                                : is_piece(got, (uint64_t)argument->value));
            assert_true(!offsets || got[1].word == (uint64_t)argument->value / argument->operand);
        } else {
            assert_int_equal(plx_argument_bytes(argument, dtype, &bytes, &size, &error), PLX_OK);
            assert_true(got->word == bytes);
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
    const size_t kernel = fake_kernel_named(PLX_REDUCE, name);
    const plx_row *row = &plx_ladder_of(PLX_REDUCE)->rows[kernel];
    char entry[128];
    plx_recipe recipe;
    plx_plugin_plan *plan = NULL;
    assert_int_equal(plx_recipe_write(row, false, &sum, &code.device, &recipe, &error), PLX_OK);
    if (plx_opencl_plan_code(&fake.session, &sum, kernel, &code, &plan, &error) != PLX_OK)
        fail_msg("%s: %s", name, error.text);
    const plx_step *last = &recipe.steps[recipe.step_count - 1];
    (void)snprintf(entry, sizeof entry, "%s%s%s", last->entry, variant ? "_" : "", variant ? recipe.variant : "");
    assert_string_equal(fake.made[fake.made_count - 1].entry, entry);
    assert_int_equal(plx_opencl_execute(plan, &fake.queue, fake.operands, 2, &error), PLX_OK);
    assert_int_equal(fake.launches, recipe.step_count);
    const fake_launch *launched = &fake.launched[fake.launches - 1];
    for (int axis = 0; axis < 3; axis++)
        assert_int_equal(launched->global[axis], last->grid[axis] * last->block[axis]);
    if (recipe.step_count == 1)
        assert_int_equal(assert_arguments(launched->kernel, last, sum.dtype, convention),
                         launched->kernel->argument_count);
    plx_opencl_plan_destroy(plan);
    (void)tear_down(NULL);
    (void)set_up(NULL);
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
    assert_int_equal(
        plx_opencl_plan_code(&fake.session, &sum, fake_kernel_named(PLX_REDUCE, "smem"), &code, &plan, &error), PLX_OK);
    assert_non_null(strstr(fake.text_options, "-cl-nv-maxrregcount=96"));
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
    const size_t kernel = fake_kernel_named(PLX_REDUCE, "smem");
    (void)unused;
    fake.build_code = CL_BUILD_PROGRAM_FAILURE;
    fake.log = "\nptxas fatal : Unsupported .version 99.0\nmore\n";
    assert_int_equal(plx_opencl_plan_code(&fake.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "refuses this PTX: CL_BUILD_PROGRAM_FAILURE: ptxas fatal : Unsupported"));
    assert_int_equal(fake.programs, 0);
    fake.session.info.features &= ~(uint32_t)PLX_FEATURE_NVIDIA_PTX;
    assert_int_equal(plx_opencl_plan_code(&fake.session, &sum, kernel, &code, &plan, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "a chip gives no PTX"));
    assert_int_equal(plx_opencl_code(&fake.session, &sum, kernel, &code, &error), PLX_UNSUPPORTED);
    assert_null(plan);
}

static void launches_that_opencl_has_no_word_for_are_unsupported(void **unused)
{
    plx_problem product = {.op = PLX_GEMM, .dtype = PLX_F32};
    const plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    plx_plugin_plan *plan = NULL;
    (void)unused;
    product.of.gemm =
        (plx_gemm_problem){.m = 1024, .n = 1024, .k = 1024, .lda = 1024, .ldb = 1024, .ldc = 1024, .alpha = 1};
    assert_int_equal(plx_opencl_plan_code(&fake.session, &product, fake_kernel_named(PLX_GEMM, "bulk-pipeline"), &code,
                                          &plan, &error),
                     PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "tensor maps"));
    assert_null(plan);
}

/* A product in one part takes no scratch memory, and its kernel a pointer to it all the same. */
static void scratch_memory_of_no_bytes_is_a_piece(void **unused)
{
    plx_problem product = {.op = PLX_GEMM, .dtype = PLX_F32};
    plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    const size_t kernel = fake_kernel_named(PLX_GEMM, "async-copy");
    const plx_row *row = &plx_ladder_of(PLX_GEMM)->rows[kernel];
    plx_recipe recipe;
    plx_plugin_plan *plan = NULL;
    bool at_the_end = false;
    (void)unused;
    product.of.gemm =
        (plx_gemm_problem){.m = 2048, .n = 2048, .k = 2048, .lda = 2048, .ldb = 2048, .ldc = 2048, .alpha = 1};
    assert_int_equal(plx_recipe_write(row, false, &product, &code.device, &recipe, &error), PLX_OK);
    for (size_t i = 0; i < recipe.steps[0].argument_count; i++)
        at_the_end = at_the_end || (recipe.steps[0].arguments[i].kind == PLX_ARG_SCRATCH &&
                                    (uint64_t)recipe.steps[0].arguments[i].value == recipe.scratch_bytes);
    assert_true(at_the_end);
    if (plx_opencl_plan_code(&fake.session, &product, kernel, &code, &plan, &error) != PLX_OK)
        fail_msg("%s", error.text);
    plx_opencl_plan_destroy(plan);
}

static void an_operand_where_no_place_begins_is_told(void **unused)
{
    const plx_problem sum = a_sum();
    const plx_code code = code_of(PLX_CONVENTION_POINTERS, ".version 9.0\n");
    plx_plugin_plan *plan = NULL;
    (void)unused;
    assert_int_equal(
        plx_opencl_plan_code(&fake.session, &sum, fake_kernel_named(PLX_REDUCE, "smem"), &code, &plan, &error), PLX_OK);
    fake.operands[0].offset = 256;
    assert_int_equal(plx_opencl_execute(plan, &fake.queue, fake.operands, 2, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "byte 256"));
    plx_opencl_plan_destroy(plan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text_for_offsets_is_told_as_our_source), TEST(text_for_pointers_gets_places),
        TEST(what_opencl_has_to_be_told_is_declared), TEST(registers_are_read_from_the_log),
        TEST(what_the_driver_refuses_is_unsupported), TEST(launches_that_opencl_has_no_word_for_are_unsupported),
        TEST(scratch_memory_of_no_bytes_is_a_piece),  TEST(an_operand_where_no_place_begins_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
