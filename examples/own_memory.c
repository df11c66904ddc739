/* A product of arrays that the program has, where they lie: nothing is copied.
 *     cc own_memory.c $(pkg-config --cflags --libs parallax) && ./a.out */
#include <parallax/parallax.h>

#include <stdlib.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

int main(void)
{
    enum { M = 2, N = 2, K = 3 };
    float a[M * K] = {1, 2, 3, 4, 5, 6}, b[K * N] = {1, 0, 0, 1, 1, 1}, c[M * N];
    float *const arrays[] = {a, b, c};
    const uint64_t bytes[] = {sizeof a, sizeof b, sizeof c};
    plx_context *context;
    plx_backend *host;
    plx_view operands[3] = {{NULL, 0}};
    if (plx_context_create(NULL, &context) != PLX_OK || plx_open(context, "host", &host) != PLX_OK)
        return failed(NULL);

    for (int i = 0; i < 3; i++) {
        /* Borrowed: without a release callback the arrays stay the program's. */
        const plx_native_memory memory = {.api = PLX_NATIVE_HOST, .handle = arrays[i], .bytes = bytes[i]};
        if (plx_buffer_import(host, &memory, &operands[i].buffer) != PLX_OK)
            return failed(context);
    }

    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, M, N, K);
    if (plx_run(host, NULL, &problem, operands, 3) != PLX_OK || plx_synchronize(host, NULL) != PLX_OK)
        return failed(context);
    printf("%g %g\n%g %g\n", (double)c[0], (double)c[1], (double)c[2], (double)c[3]);

    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(operands[i].buffer);
    plx_close(host);
    plx_context_destroy(context);
    return c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11 ? 0 : 1;
}
