/* clEnqueueFillBuffer as a kernel, in place of the one of OpenCL, for programs that run
 * under Oclgrind.  Its search for uninitialised values takes every store of the host for
 * a store to the whole buffer: after a fill of the first 256 bytes it knows no others,
 * forgets what kernels write there and reports whoever reads it.  What a kernel fills it
 * follows byte by byte, and the rest of the buffer counts as never written, as it is. */
#define _GNU_SOURCE /* RTLD_NEXT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct functions {
    __typeof__(&clGetCommandQueueInfo) queue_info;
    __typeof__(&clCreateProgramWithSource) program;
    __typeof__(&clBuildProgram) build;
    __typeof__(&clReleaseProgram) release_program;
    __typeof__(&clCreateKernel) kernel;
    __typeof__(&clReleaseKernel) release_kernel;
    __typeof__(&clSetKernelArg) argument;
    __typeof__(&clEnqueueNDRangeKernel) launch;
} functions;

static const char source[] = "kernel void fill(global uint *to, ulong first, uint pattern)\n"
                             "{\n"
                             "    to[first + get_global_id(0)] = pattern;\n"
                             "}\n";

static bool resolve(const char *name, void *slot)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool resolve_all(functions *cl)
{
    return resolve("clGetCommandQueueInfo", &cl->queue_info) && resolve("clCreateProgramWithSource", &cl->program) &&
           resolve("clBuildProgram", &cl->build) && resolve("clReleaseProgram", &cl->release_program) &&
           resolve("clCreateKernel", &cl->kernel) && resolve("clReleaseKernel", &cl->release_kernel) &&
           resolve("clSetKernelArg", &cl->argument) && resolve("clEnqueueNDRangeKernel", &cl->launch);
}

static cl_int build(const functions *cl, cl_command_queue queue, cl_program *program)
{
    const char *text = source;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int code = cl->queue_info(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);

    if (code == CL_SUCCESS)
        code = cl->queue_info(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (code == CL_SUCCESS)
        *program = cl->program(context, 1, &text, NULL, &code);
    return code == CL_SUCCESS ? cl->build(*program, 1, &device, "", NULL, NULL) : code;
}

static cl_int launch(const functions *cl, cl_command_queue queue, cl_kernel kernel, cl_mem buffer, uint32_t pattern,
                     size_t offset, size_t size)
{
    const cl_ulong first = offset / sizeof pattern;
    const size_t count = size / sizeof pattern;
    cl_int code = cl->argument(kernel, 0, sizeof buffer, &buffer);

    if (code == CL_SUCCESS)
        code = cl->argument(kernel, 1, sizeof first, &first);
    if (code == CL_SUCCESS)
        code = cl->argument(kernel, 2, sizeof pattern, &pattern);
    return code == CL_SUCCESS ? cl->launch(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL) : code;
}

/* Only as the backend calls it: a pattern of 4 bytes, no events. */
__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
                    size_t size, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    functions cl;
    uint32_t word;
    cl_program program = NULL;
    cl_int code;

    if (pattern_size != sizeof word || waits != 0 || wait_list || event || !resolve_all(&cl))
        return CL_INVALID_OPERATION;
    memcpy(&word, pattern, sizeof word);
    code = build(&cl, queue, &program);
    if (code != CL_SUCCESS)
        return code;
    cl_kernel kernel = cl.kernel(program, "fill", &code);
    if (code == CL_SUCCESS)
        code = launch(&cl, queue, kernel, buffer, word, offset, size);
    (void)cl.release_kernel(kernel);
    (void)cl.release_program(program);
    return code;
}
