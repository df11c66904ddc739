/* A problem that is computed often: planned once, with all that is slow; then each call only needs addresses.
 *     cc plan.c $(pkg-config --cflags --libs parallax) && ./a.out [BACKEND [KERNEL]] */
#include <parallax/parallax.h>

static int failed(plx_context *context)
{
    fprintf(stderr, "%s\n", plx_message(context));
    return 1;
}

int main(int count, char **words)
{
    enum { ROWS = 3, COLS = 2, STEPS = 4 };
    const float matrix[ROWS * COLS] = {1, 0, 0, 1, 1, 1};
    plx_context *context;
    plx_backend *backend;
    plx_plan *plan;
    plx_view operands[3] = {{NULL, 0}};
    float y[ROWS] = {0}, x[COLS];
    if (plx_context_create(NULL, &context) != PLX_OK)
        return failed(NULL);
    if (plx_open(context, count > 1 ? words[1] : "host", &backend) != PLX_OK)
        return failed(context);

    /* y = 2 A x + y.  What a problem is beyond its shape is said in its members; kernel NULL: what was tuned, else the
     * plugin's choice. */
    plx_problem problem = plx_matvec_of(PLX_F32, false, ROWS, COLS);
    problem.of.matvec.alpha = 2;
    problem.of.matvec.beta = 1;
    if (plx_plan_create(backend, &problem, count > 2 ? words[2] : NULL, &plan) != PLX_OK ||
        plx_buffer_create(backend, sizeof matrix, &operands[0].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof x, &operands[1].buffer) != PLX_OK ||
        plx_buffer_create(backend, sizeof y, &operands[2].buffer) != PLX_OK ||
        plx_upload(NULL, operands[0].buffer, 0, matrix, sizeof matrix) != PLX_OK ||
        plx_upload(NULL, operands[2].buffer, 0, y, sizeof y) != PLX_OK)
        return failed(context);
    fprintf(stderr, "%s on %s\n", plx_plan_kernel(plan)->name, plx_backend_label(backend));

    for (int step = 0; step < STEPS; step++) {
        x[0] = 1;
        x[1] = (float)step;
        /* In the queue's order: the next upload waits for this product. */
        if (plx_upload(NULL, operands[1].buffer, 0, x, sizeof x) != PLX_OK ||
            plx_execute(plan, NULL, operands, 3) != PLX_OK)
            return failed(context);
    }
    if (plx_download(NULL, y, operands[2].buffer, 0, sizeof y) != PLX_OK || plx_synchronize(backend, NULL) != PLX_OK)
        return failed(context);
    if (plx_plan_remark(plan)[0] != '\0') /* what was done otherwise than planned */
        fprintf(stderr, "%s\n", plx_plan_remark(plan));
    printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);

    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(operands[i].buffer);
    plx_plan_destroy(plan); /* when what it enqueued is done */
    plx_close(backend);
    plx_context_destroy(context);
    return y[0] == 8 && y[1] == 12 && y[2] == 20 ? 0 : 1;
}
