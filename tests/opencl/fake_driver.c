/* A driver of OpenCL that is not there. */
#include "tests/opencl/fake_driver.h"

#include "kernels/recipe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <string.h>

fake_driver fake;

const char fake_own_ptx[] = ".target sm_90\n.entry one(\n)\n{\n\t//sm_90a: wgmma.fence.sync.aligned;\n\tret;\n}\n",
           fake_plain_ptx[] = ".target sm_90\n.entry one(\n)\n{\n\tret;\n}\n";

static int of_source, of_text, buffers[FAKE_OPERANDS + 1];

cl_program fake_program(bool text)
{
    return (cl_program)(void *)(text ? &of_text : &of_source);
}

cl_mem fake_buffer(size_t index)
{
    return (cl_mem)(void *)&buffers[index];
}

size_t fake_kernel_named(plx_op op, const char *name)
{
    size_t index = 0;
    while (strcmp(plx_ladder_kernel(op, index)->name, name) != 0)
        index++;
    return index;
}

/* ---- programs ---------------------------------------------------------------- */

static cl_program create_with_source(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *code)
{
    (void)context;
    (void)count;
    (void)texts;
    (void)lengths;
    *code = CL_SUCCESS;
    fake.programs++;
    return fake_program(false);
}

static cl_program create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                     cl_int *code)
{
    const size_t length = lengths[0] < sizeof fake.text - 1 ? lengths[0] : sizeof fake.text - 1;
    (void)context;
    (void)count;
    (void)devices;
    memcpy(fake.text, binaries[0], length);
    fake.text[length] = '\0';
    *status = *code = CL_SUCCESS;
    fake.programs++;
    return fake_program(true);
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                            void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    const bool text = program == fake_program(true);
    (void)count;
    (void)devices;
    (void)notify;
    (void)data;
    (void)snprintf(text ? fake.text_options : fake.source_options, sizeof fake.text_options, "%s", options);
    fake.texts_built += text;
    return text ? fake.build_code : CL_SUCCESS;
}

static cl_int build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
                         size_t *length)
{
    const size_t bytes = strlen(fake.log) + 1;
    (void)program;
    (void)device;
    assert_int_equal(what, CL_PROGRAM_BUILD_LOG);
    if (length != NULL)
        *length = bytes;
    if (value != NULL)
        memcpy(value, fake.log, size < bytes ? size : bytes);
    return CL_SUCCESS;
}

static cl_int program_info(cl_program program, cl_program_info what, size_t size, void *value, size_t *length)
{
    const size_t bytes = strlen(fake.compiled);
    (void)program;
    (void)size;
    (void)length;
    if (what == CL_PROGRAM_BINARY_SIZES)
        memcpy(value, &bytes, sizeof bytes);
    else
        memcpy(*(void **)value, fake.compiled, bytes);
    return CL_SUCCESS;
}

static cl_int release_program(cl_program program)
{
    (void)program;
    fake.programs--;
    return CL_SUCCESS;
}

/* ---- kernels ------------------------------------------------------------------ */

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)program;
    assert_true(fake.made_count < FAKE_MOST);
    fake_kernel *made = &fake.made[fake.made_count++];
    (void)snprintf(made->entry, sizeof made->entry, "%s", name);
    fake.kernels++;
    *code = CL_SUCCESS;
    return (cl_kernel)(void *)made;
}

static cl_int release_kernel(cl_kernel kernel)
{
    (void)kernel;
    fake.kernels--;
    return CL_SUCCESS;
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info what, size_t size, void *value, size_t *length)
{
    (void)length;
    assert_int_equal(what, CL_KERNEL_FUNCTION_NAME);
    (void)snprintf(value, size, "%s", ((const fake_kernel *)(void *)kernel)->entry);
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
    else if (what == CL_KERNEL_LOCAL_MEM_SIZE)
        *(cl_ulong *)value = 4096;
    else if (what == CL_KERNEL_PRIVATE_MEM_SIZE)
        *(cl_ulong *)value = 16;
    return CL_SUCCESS;
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    fake_kernel *of = (fake_kernel *)(void *)kernel;
    assert_true(index < FAKE_MOST && size > 0);
    fake_argument *told = &of->arguments[index];
    *told = (fake_argument){.size = size, .is_null = value == NULL};
    if (value != NULL) {
        assert_true(size <= sizeof told->bytes);
        memcpy(told->bytes, value, size);
    }
    of->argument_count = index + 1 > of->argument_count ? index + 1 : of->argument_count;
    return CL_SUCCESS;
}

static cl_int launch(cl_command_queue to, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                     const size_t *global, const size_t *local, cl_uint count, const cl_event *events, cl_event *event)
{
    (void)to;
    (void)offset;
    (void)count;
    (void)events;
    (void)event;
    assert_true(dimensions == 3 && fake.launches < FAKE_MOST);
    fake_launch *launched = &fake.launched[fake.launches++];
    launched->kernel = (const fake_kernel *)(void *)kernel;
    memcpy(launched->global, global, sizeof launched->global);
    memcpy(launched->local, local, sizeof launched->local);
    return CL_SUCCESS;
}

/* ---- the chip -------------------------------------------------------------------- */

static const plx_device_info chip = {.name = "a chip",
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

static void fill_table(void)
{
    plx_cl.CreateProgramWithSource = create_with_source;
    plx_cl.CreateProgramWithBinary = create_with_binary;
    plx_cl.BuildProgram = build_program;
    plx_cl.GetProgramBuildInfo = build_info;
    plx_cl.GetProgramInfo = program_info;
    plx_cl.ReleaseProgram = release_program;
    plx_cl.CreateKernel = create_kernel;
    plx_cl.ReleaseKernel = release_kernel;
    plx_cl.GetKernelInfo = kernel_info;
    plx_cl.GetKernelWorkGroupInfo = group_info;
    plx_cl.SetKernelArg = set_argument;
    plx_cl.EnqueueNDRangeKernel = launch;
}

int fake_driver_set_up(void **state)
{
    (void)state;
    fill_table();
    memset(&fake, 0, sizeof fake);
    fake.compiled = fake_own_ptx;
    fake.log = "";
    (void)pthread_mutex_init(&fake.session.programs_lock, NULL);
    fake.session.driver_keeps_programs = true; /* no cache */
    fake.session.info = chip;
    fake.queue = (plx_plugin_queue){.session = &fake.session,
                                    .scratch = {fake_buffer(FAKE_OPERANDS), .bytes = UINT64_C(1) << 40}};
    for (size_t i = 0; i < FAKE_OPERANDS; i++) {
        fake.memory[i].buffer = fake_buffer(i);
        fake.operands[i] = (plx_operand){&fake.memory[i], 0};
    }
    return 0;
}

int fake_driver_tear_down(void **state)
{
    (void)state;
    plx_cl_release_programs(&fake.session);
    (void)pthread_mutex_destroy(&fake.session.programs_lock);
    assert_int_equal(fake.programs, 0);
    assert_int_equal(fake.kernels, 0);
    return 0;
}
