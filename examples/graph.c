/* A graph: work that is recorded once and replayed with other data, at the cost of one launch for all of it.  Here y =
 * A x and the sum of y, in a program of the CUDA driver API; with the CUDA runtime the calls have the same names but
 * for the "cu". cc graph.c $(pkg-config --cflags --libs parallax) -lcuda && ./a.out */
#include <cuda.h>
#include <parallax/parallax.h>

enum { N = 256, REPLAYS = 3 };

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

/* What the plans enqueue goes into the graph: while a stream is captured nothing runs. */
static plx_status record(plx_queue *queue, CUstream stream, plx_plan *product, plx_plan *sum, const plx_view *operands,
                         CUgraph *graph)
{
    cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    plx_status status = plx_execute(product, queue, operands, 3);
    if (status == PLX_OK)
        status = plx_execute(sum, queue, operands + 2, 2);
    cuStreamEndCapture(stream, graph); /* in any case, or the stream stays as it is */
    return status;
}

int main(void)
{
    CUdevice device;
    CUcontext primary;
    CUstream stream;
    CUgraph graph = NULL;
    CUgraphExec ready;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        return 77; /* no device */
    cuDevicePrimaryCtxRetain(&primary, device);
    cuCtxSetCurrent(primary);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);

    const plx_native_queue native_queue = {.api = PLX_NATIVE_CUDA, .handle = stream};
    const plx_problem products = plx_matvec_of(PLX_F32, false, N, N), sums = plx_reduce_of(PLX_F32, PLX_SUM, N);
    const uint64_t bytes[] = {N * N * sizeof(float), N * sizeof(float), N * sizeof(float), sizeof(float)};
    plx_context *context;
    plx_backend *backend;
    plx_queue *queue;
    plx_plan *product, *sum;
    plx_view operands[4] = {{NULL, 0}}; /* A, x, y, and the sum of y */
    plx_native_memory native[4];
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open(context, "cuda", &backend) != PLX_OK || plx_queue_import(backend, &native_queue, &queue) != PLX_OK)
        return failed(context);
    for (int i = 0; i < 4; i++)
        if (plx_buffer_create(backend, bytes[i], &operands[i].buffer) != PLX_OK ||
            plx_buffer_native(operands[i].buffer, &native[i]) != PLX_OK) /* its CUdeviceptr */
            return failed(context);

    /* Plans load code and queues get scratch memory, neither of which may happen in a capture: so both come first. Then
     * plx_execute() makes launches and nothing else. */
    if (plx_plan_create(backend, &products, NULL, &product) != PLX_OK ||
        plx_plan_create(backend, &sums, NULL, &sum) != PLX_OK || plx_queue_reserve(queue, product) != PLX_OK ||
        plx_queue_reserve(queue, sum) != PLX_OK)
        return failed(context);
    if (record(queue, stream, product, sum, operands, &graph) != PLX_OK)
        return failed(context);
    cuGraphInstantiateWithFlags(&ready, graph, 0);

    /* All of A is 1 / N, so each element of y is the mean of x, and their sum that of x. */
    float result = 0;
    int wrong = 0;
    if (plx_fill(queue, operands[0].buffer, 0, 0x3b800000, bytes[0]) != PLX_OK)
        return failed(context);
    for (int replay = 1; replay <= REPLAYS; replay++) {
        float x[N];
        for (int i = 0; i < N; i++)
            x[i] = (float)replay;
        cuMemcpyHtoDAsync((CUdeviceptr)native[1].handle, x, sizeof x,
                          stream); /* addresses stay, what is there changes */
        cuGraphLaunch(ready, stream);
        cuMemcpyDtoHAsync(&result, (CUdeviceptr)native[3].handle, sizeof result, stream);
        cuStreamSynchronize(stream);
        printf("%g\n", (double)result);
        wrong += result != (float)(N * replay);
    }

    /* The graph before the queue, whose scratch memory it uses, and before the buffers; plans may go at any time. */
    cuGraphExecDestroy(ready);
    cuGraphDestroy(graph);
    plx_plan_destroy(product);
    plx_plan_destroy(sum);
    for (int i = 0; i < 4; i++)
        plx_buffer_destroy(operands[i].buffer);
    plx_queue_destroy(queue); /* before the stream */
    plx_close(backend);
    plx_context_destroy(context);
    cuStreamDestroy(stream);
    cuDevicePrimaryCtxRelease(device);
    return wrong;
}
