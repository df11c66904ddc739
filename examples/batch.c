/* Many small problems at once: a batch of products, and sums along an axis.
 *     cc batch.c $(pkg-config --cflags --libs parallax) && ./a.out [BACKEND] */
#include <parallax/parallax.h>

enum { COUNT = 3, M = 2, N = 2, K = 2 };

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

/* C[i] = A[i] B: every product has its own A and C, one after the other, and all have the same B. */
static plx_problem products(void)
{
    const plx_problem one = plx_gemm_of(PLX_F32, false, false, M, N, K);
    plx_problem problem = plx_batch_of(&one, COUNT);
    problem.batch.stride[1] = 0;
    return problem;
}

int main(int count, char **words)
{
    const float a[COUNT * M * K] = {1, 0, 0, 1, 2, 0, 0, 2, 0, 1, 1, 0};
    const float b[K * N] = {1, 2, 3, 4};
    float c[COUNT * M * N], sums[M * N];
    plx_context *context;
    plx_backend *backend;
    plx_view operands[3] = {{NULL, 0}}, columns[2] = {{NULL, 0}};
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open(context, count > 1 ? words[1] : "host", &backend) != PLX_OK ||
        plx_buffer_create(backend, sizeof a, &operands[0].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof b, &operands[1].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof c, &operands[2].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof sums, &columns[1].buffer) != PLX_OK ||
        plx_upload(NULL, operands[0].buffer, 0, a, sizeof a) != PLX_OK ||
        plx_upload(NULL, operands[1].buffer, 0, b, sizeof b) != PLX_OK)
        return failed(context);

    /* One plan and one call, whether a kernel takes them all or the library launches one for each. */
    const plx_problem problem = products();
    if (plx_run(backend, NULL, &problem, operands, 3) != PLX_OK)
        return failed(context);

    /* C as an array of COUNT x (M N), added up along its first axis: the sum of all products. */
    columns[0].buffer = operands[2].buffer;
    const plx_problem along = plx_reduce_along_of(PLX_F32, PLX_SUM, 1, COUNT, M * N);
    if (plx_run(backend, NULL, &along, columns, 2) != PLX_OK ||
        plx_download(NULL, c, operands[2].buffer, 0, sizeof c) != PLX_OK ||
        plx_download(NULL, sums, columns[1].buffer, 0, sizeof sums) != PLX_OK ||
        plx_synchronize(backend, NULL) != PLX_OK)
        return failed(context);

    for (int i = 0; i < COUNT; i++)
        printf("%g %g %g %g\n", (double)c[4 * i], (double)c[4 * i + 1], (double)c[4 * i + 2], (double)c[4 * i + 3]);
    printf("%g %g %g %g\n", (double)sums[0], (double)sums[1], (double)sums[2], (double)sums[3]);

    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(operands[i].buffer);
    plx_buffer_destroy(columns[1].buffer);
    plx_close(backend);
    plx_context_destroy(context);
    return sums[0] == 6 && sums[3] == 14 ? 0 : 1;
}
