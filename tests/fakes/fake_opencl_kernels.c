/* Programs and kernels of the fake OpenCL (fake_opencl.c). */
#include "fake_opencl.h"

#include <stdio.h>
#include <string.h>

/* ---- programs ---------------------------------------------------------------------------------- */

static const char binary[] = ".version 8.0\n.target sm_90\n.address_size 64\n// fake\n";

EXPORT cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const size_t *lengths, cl_int *code)
{
    *code = fake_enter("clCreateProgramWithSource");
    if (*code == CL_SUCCESS && (!fake_is(context, CONTEXT) || count == 0))
        *code = CL_INVALID_CONTEXT;
    object *made = *code == CL_SUCCESS ? fake_make(PROGRAM, 0) : NULL;
    if (*code != CL_SUCCESS)
        return NULL;
    if (made != NULL && lengths != NULL)
        (void)snprintf(made->entry, sizeof made->entry, "%.*s", (int)strnlen(texts[0], lengths[0]), texts[0]);
    if (made != NULL)
        made->entry[strcspn(made->entry, "\n")] = '\0';
    return fake_given(made, code, CL_OUT_OF_HOST_MEMORY);
}

EXPORT cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                            const size_t *lengths, const unsigned char **binaries, cl_int *loaded,
                                            cl_int *code)
{
    *code = fake_enter("clCreateProgramWithBinary");
    if (*code == CL_SUCCESS && (!fake_is(context, CONTEXT) || count != 1 || !fake_is(devices[0], DEVICE)))
        *code = CL_INVALID_CONTEXT;
    if (*code == CL_SUCCESS && (lengths[0] < 8 || memcmp(binaries[0], ".version", 8) != 0))
        *code = *loaded = CL_INVALID_BINARY;
    if (*code != CL_SUCCESS)
        return NULL;
    *loaded = CL_SUCCESS;
    return fake_given(fake_make(PROGRAM, 0), code, CL_OUT_OF_HOST_MEMORY);
}

EXPORT cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    ENTER("clBuildProgram");
    (void)count;
    (void)devices;
    (void)options;
    (void)notify;
    (void)data;
    fake_tell("clBuildProgram", fake_is(program, PROGRAM) ? ((const object *)program)->entry : "");
    return fake_is(program, PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM;
}

EXPORT cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetProgramInfo");
    REQUIRE(fake_is(program, PROGRAM), CL_INVALID_PROGRAM);
    if (what == CL_PROGRAM_BINARY_SIZES)
        return fake_give_number(sizeof binary - 1, sizeof(size_t), room, to, told);
    REQUIRE(what == CL_PROGRAM_BINARIES && room >= sizeof(char *), CL_INVALID_VALUE);
    memcpy(*(char **)to, binary, sizeof binary - 1);
    return CL_SUCCESS;
}

EXPORT cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t room,
                                    void *to, size_t *told)
{
    ENTER("clGetProgramBuildInfo");
    REQUIRE(fake_is(program, PROGRAM) && fake_is(device, DEVICE) && what == CL_PROGRAM_BUILD_LOG, CL_INVALID_VALUE);
    return fake_give_text("1:1: error: fake", room, to, told);
}

EXPORT cl_int clReleaseProgram(cl_program program)
{
    return fake_release("clReleaseProgram", program, PROGRAM, CL_INVALID_PROGRAM);
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

EXPORT cl_kernel clCreateKernel(cl_program program, const char *entry, cl_int *code)
{
    *code = fake_enter("clCreateKernel");
    if (*code == CL_SUCCESS && !fake_is(program, PROGRAM))
        *code = CL_INVALID_PROGRAM;
    object *made = *code == CL_SUCCESS ? fake_make(KERNEL, 0) : NULL;
    if (*code != CL_SUCCESS)
        return NULL;
    if (made != NULL) {
        (void)snprintf(made->entry, sizeof made->entry, "%s", entry);
        made->of = (object *)program;
        made->of->references++;
    }
    return fake_given(made, code, CL_OUT_OF_HOST_MEMORY);
}

/* Memory comes as the handle of a buffer. */
EXPORT cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    object *of = (object *)kernel;
    void *handle = NULL;
    ENTER("clSetKernelArg");
    REQUIRE(fake_is(kernel, KERNEL), CL_INVALID_KERNEL);
    REQUIRE(index < MOST_ARGUMENTS && (value == NULL || size <= 8), CL_INVALID_ARG_INDEX);
    of->arguments[index] = 0;
    if (value != NULL)
        memcpy(&of->arguments[index], value, size);
    if (value != NULL && size == sizeof handle)
        memcpy(&handle, value, sizeof handle);
    of->is_memory[index] = fake_is(handle, BUFFER);
    if (index >= of->argument_count)
        of->argument_count = index + 1;
    return CL_SUCCESS;
}

EXPORT cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetKernelInfo");
    REQUIRE(fake_is(kernel, KERNEL) && what == CL_KERNEL_FUNCTION_NAME, CL_INVALID_KERNEL);
    return fake_give_text(((object *)kernel)->entry, room, to, told);
}

EXPORT cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                       size_t room, void *to, size_t *told)
{
    static const size_t any[3] = {0, 0, 0};
    ENTER("clGetKernelWorkGroupInfo");
    REQUIRE(fake_is(kernel, KERNEL) && fake_is(device, DEVICE), CL_INVALID_KERNEL);
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return fake_give_number(1024, 8, room, to, told);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return fake_give_bytes(any, sizeof any, room, to, told);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return fake_give_number(1024, 8, room, to, told);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return fake_give_number(0, 8, room, to, told);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Buffers with the offsets in elements of four bytes that follow them become pointers. */
static size_t values_of(const object *kernel, uint64_t *values)
{
    size_t count = 0;
    for (cl_uint i = 0; i < kernel->argument_count; i++, count++) {
        values[count] = kernel->arguments[i];
        if (!kernel->is_memory[i])
            continue;
        const object *buffer = (const object *)(uintptr_t)kernel->arguments[i];
        values[count] = (uint64_t)(uintptr_t)buffer->bytes + 4 * kernel->arguments[++i];
    }
    return count;
}

static bool has_all_memory(const object *kernel)
{
    for (cl_uint i = 0; i < kernel->argument_count; i++)
        if (kernel->is_memory[i] && !fake_is((const void *)(uintptr_t)kernel->arguments[i], BUFFER))
            return false;
    return true;
}

EXPORT cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                                     cl_event *event)
{
    uint64_t values[MOST_ARGUMENTS + 1] = {0};
    const object *launched = (object *)kernel;
    ENTER("clEnqueueNDRangeKernel");
    (void)offset;
    (void)wait;
    REQUIRE(fake_is(queue, QUEUE) && fake_is(kernel, KERNEL) && axes == 3 && waits == 0 && event == NULL,
            CL_INVALID_VALUE);
    REQUIRE(has_all_memory(launched), CL_INVALID_MEM_OBJECT);
    for (int i = 0; i < 3; i++)
        REQUIRE(local[i] > 0 && global[i] % local[i] == 0, CL_INVALID_WORK_GROUP_SIZE);
    if (values_of(launched, values) >= fake_values(launched->entry))
        fake_compute(launched->entry, values, global[0] / local[0], local[0]);
    return CL_SUCCESS;
}

EXPORT cl_int clReleaseKernel(cl_kernel kernel)
{
    return fake_release("clReleaseKernel", kernel, KERNEL, CL_INVALID_KERNEL);
}
