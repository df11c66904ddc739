/* A product of tensors of another library, given as DLPack describes them; B is a transposed view, and is not
 * copied. cc tensors.c $(pkg-config --cflags --libs parallax) && ./a.out */
#include <parallax/dlpack.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

/* As a library would give it. */
static DLTensor tensor_of(float *data, int64_t *shape, int64_t *strides)
{
    const DLTensor made = {
        .data = data, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape, .strides = strides};
    return made;
}

int main(void)
{
    float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 1, 0, 1, 1}, c[4];
    int64_t shape_a[] = {2, 3}, shape_b[] = {3, 2}, shape_c[] = {2, 2}, columns[] = {1, 3};
    const DLTensor tensors[] = {tensor_of(a, shape_a, NULL), tensor_of(b, shape_b, columns),
                                tensor_of(c, shape_c, NULL)};
    plx_context *context;
    plx_backend *host;
    plx_tensor taken[3];
    plx_problem problem;
    plx_view operands[3];
    if (plx_context_create(NULL, &context) != PLX_OK || plx_open(context, "host", &host) != PLX_OK)
        return failed(NULL);

    for (int i = 0; i < 3; i++)
        if (plx_tensor_borrow(host, &tensors[i], 0, &taken[i]) != PLX_OK)
            return failed(context);
    if (plx_gemm_of_tensors(context, &taken[0], &taken[1], &taken[2], &problem, operands) != PLX_OK ||
        plx_run(host, NULL, &problem, operands, 3) != PLX_OK || plx_synchronize(host, NULL) != PLX_OK)
        return failed(context);
    printf("%g %g\n%g %g\n", (double)c[0], (double)c[1], (double)c[2], (double)c[3]);

    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(taken[i].view.buffer);
    plx_close(host);
    plx_context_destroy(context);
    return c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11 ? 0 : 1;
}
