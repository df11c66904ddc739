/* An application of the dispatcher: adds up four numbers on the host. */
#include <parallax/parallax.h>

#include <stdio.h>

static plx_status add(plx_backend *backend, const float *x, float *sum)
{
    plx_buffer *buffer;
    plx_status status = plx_buffer_create(backend, 20, &buffer);
    if (status != PLX_OK)
        return status;
    status = plx_upload(NULL, buffer, 0, x, 16);
    if (status == PLX_OK)
        status = plx_reduce(backend, PLX_F32, PLX_SUM, 4, (plx_view){buffer, 0}, (plx_view){buffer, 16});
    if (status == PLX_OK)
        status = plx_download(NULL, sum, buffer, 16, 4);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    plx_buffer_destroy(buffer);
    return status;
}

int main(void)
{
    const float x[] = {1, 20, 300, 4000};
    float sum = 0;
    plx_context *context;
    plx_backend *backend;
    if (plx_context_create(NULL, &context) != PLX_OK || plx_open(context, "host", &backend) != PLX_OK)
        return 1;
    plx_status status = add(backend, x, &sum);
    if (status != PLX_OK)
        fprintf(stderr, "%s\n", plx_message(context));
    plx_close(backend);
    plx_context_destroy(context);
    return status == PLX_OK && sum == 4321 ? 0 : 1;
}
