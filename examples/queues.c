/* Two queues of one backend: operands are brought in one while the other is at work, and the second waits for the first
 * on the device.  Page-locked memory is copied without waiting. cc queues.c $(pkg-config --cflags --libs parallax) &&
 * ./a.out [BACKEND] */
#include <parallax/parallax.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

int main(int count, char **words)
{
    enum { N = 1 << 16, BYTES = N * sizeof(float) };
    plx_context *context;
    plx_backend *backend;
    plx_queue *bring, *work;
    plx_view operands[2] = {{NULL, 0}};
    void *memory;
    float sum = 0;
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open(context, count > 1 ? words[1] : "host", &backend) != PLX_OK ||
        plx_queue_create(backend, &bring) != PLX_OK || plx_queue_create(backend, &work) != PLX_OK ||
        plx_buffer_create(backend, BYTES, &operands[0].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof sum, &operands[1].buffer) != PLX_OK ||
        plx_pinned_create(backend, BYTES, &memory) != PLX_OK)
        return failed(context);
    float *ones = memory;
    for (int i = 0; i < N; i++)
        ones[i] = 1;

    /* Nothing of this waits, but for the last call; `ones` is not touched before. */
    const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, N);
    if (plx_upload_async(bring, operands[0].buffer, 0, ones, BYTES) != PLX_OK ||
        plx_queue_wait(work, bring) != PLX_OK ||                   /* what follows in work is behind what is in bring */
        plx_run(backend, work, &problem, operands, 2) != PLX_OK || /* one queue is used by one thread at a time */
        plx_download(work, &sum, operands[1].buffer, 0, sizeof sum) != PLX_OK ||
        plx_synchronize(backend, work) != PLX_OK)
        return failed(context);
    printf("%g\n", (double)sum);

    plx_pinned_destroy(backend, memory);
    plx_buffer_destroy(operands[0].buffer);
    plx_buffer_destroy(operands[1].buffer);
    plx_queue_destroy(bring); /* queues, buffers and plans before their backend */
    plx_queue_destroy(work);
    plx_close(backend);
    plx_context_destroy(context);
    return sum == N ? 0 : 1;
}
