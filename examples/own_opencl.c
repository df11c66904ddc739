/* A transposition in an OpenCL program: in its context, of its buffers, in its queue.
 *     cc own_opencl.c $(pkg-config --cflags --libs parallax) -lOpenCL && ./a.out */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <parallax/parallax.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

int main(void)
{
    enum { ROWS = 2, COLS = 3, BYTES = ROWS * COLS * 4 };
    float in[ROWS * COLS] = {1, 2, 3, 4, 5, 6}, out[COLS * ROWS];
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 77; /* no device */

    /* What the program has. */
    cl_context theirs = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue commands = clCreateCommandQueue(theirs, device, 0, NULL);
    cl_mem from = clCreateBuffer(theirs, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, in, NULL);
    cl_mem to = clCreateBuffer(theirs, CL_MEM_READ_WRITE, BYTES, NULL, NULL);

    /* The same for Parallax. */
    const plx_native_device native_device = {.api = PLX_NATIVE_OPENCL, .context = theirs};
    const plx_native_queue native_queue = {.api = PLX_NATIVE_OPENCL, .handle = commands};
    const plx_native_memory native_in = {.api = PLX_NATIVE_OPENCL, .handle = from, .bytes = BYTES};
    const plx_native_memory native_out = {.api = PLX_NATIVE_OPENCL, .handle = to, .bytes = BYTES};
    plx_context *context;
    plx_backend *backend;
    plx_queue *queue;
    plx_plan *plan;
    plx_view operands[2] = {{NULL, 0}};
    const plx_problem problem = plx_transpose_of(PLX_F32, ROWS, COLS);
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open_on(context, "opencl", &native_device, &backend) != PLX_OK ||
        plx_queue_import(backend, &native_queue, &queue) != PLX_OK ||
        plx_buffer_import(backend, &native_in, &operands[0].buffer) != PLX_OK ||
        plx_buffer_import(backend, &native_out, &operands[1].buffer) != PLX_OK ||
        plx_plan_create(backend, &problem, NULL, &plan) != PLX_OK)
        return failed(context);

    /* In order with what the program enqueues: its read waits for the transposition. */
    if (plx_execute(plan, queue, operands, 2) != PLX_OK)
        return failed(context);
    clEnqueueReadBuffer(commands, to, CL_TRUE, 0, BYTES, out, 0, NULL, NULL);
    printf("%g %g\n%g %g\n%g %g\n", (double)out[0], (double)out[1], (double)out[2], (double)out[3], (double)out[4],
           (double)out[5]);

    plx_plan_destroy(plan);
    plx_buffer_destroy(operands[0].buffer);
    plx_buffer_destroy(operands[1].buffer);
    plx_queue_destroy(queue); /* before the program's own */
    plx_close(backend);
    plx_context_destroy(context);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(commands);
    clReleaseContext(theirs);
    return out[1] == 4 && out[2] == 2 ? 0 : 1;
}
