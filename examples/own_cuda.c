/* A sum in a program of the CUDA driver API: of its memory, in its stream.  graph.c replays such work.
 *     cc own_cuda.c $(pkg-config --cflags --libs parallax) -lcuda && ./a.out */
#include <cuda.h>
#include <parallax/parallax.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

int main(void)
{
    enum { N = 1 << 20 };
    CUdevice device;
    CUcontext primary;
    CUstream stream;
    CUdeviceptr x, sum;
    float result = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        return 77; /* no device */

    /* What the program has; the CUDA runtime's streams and pointers are the same. */
    cuDevicePrimaryCtxRetain(&primary, device);
    cuCtxSetCurrent(primary);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuMemAlloc(&x, N * sizeof(float));
    cuMemAlloc(&sum, sizeof(float));
    cuMemsetD32Async(x, 0x3f800000, N, stream); /* ones */

    /* The same for Parallax. */
    const plx_native_queue native_queue = {.api = PLX_NATIVE_CUDA, .handle = stream};
    const plx_native_memory native_x = {.api = PLX_NATIVE_CUDA, .handle = (void *)x, .bytes = N * sizeof(float)};
    const plx_native_memory native_sum = {.api = PLX_NATIVE_CUDA, .handle = (void *)sum, .bytes = sizeof(float)};
    plx_context *context;
    plx_backend *backend;
    plx_queue *queue;
    plx_plan *plan;
    plx_view operands[2] = {{NULL, 0}};
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, N);
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open(context, "cuda", &backend) != PLX_OK || plx_queue_import(backend, &native_queue, &queue) != PLX_OK ||
        plx_buffer_import(backend, &native_x, &operands[0].buffer) != PLX_OK ||
        plx_buffer_import(backend, &native_sum, &operands[1].buffer) != PLX_OK ||
        plx_plan_create(backend, &problem, NULL, &plan) != PLX_OK)
        return failed(context);

    /* In order with what the program enqueues: behind its ones, and before its copy of the sum. */
    if (plx_execute(plan, queue, operands, 2) != PLX_OK)
        return failed(context);
    cuMemcpyDtoHAsync(&result, sum, sizeof result, stream);
    cuStreamSynchronize(stream);
    printf("%g\n", (double)result);

    plx_plan_destroy(plan);
    plx_buffer_destroy(operands[0].buffer);
    plx_buffer_destroy(operands[1].buffer);
    plx_queue_destroy(queue); /* before the stream */
    plx_close(backend);
    plx_context_destroy(context);
    cuMemFree(x);
    cuMemFree(sum);
    cuStreamDestroy(stream);
    cuDevicePrimaryCtxRelease(device);
    return result == N ? 0 : 1;
}
