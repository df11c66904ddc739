/* What is enqueued is carried out in its order, each after the one before: chains of kernels with
 * nothing between them, every link reading what the one before wrote and writing over what that one
 * read.  A kernel that may begin early (recipe.h) and does not wait would be caught here; with
 * chains in several queues, one that takes for itself what belongs to another queue.  All numbers
 * are small integers: the results are exact. */
#include "tests/plugins/vendor_sum.h"

#include <parallax/tool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINKS = 24, QUEUES = 3 };

static plx_context *context;
static size_t chains;

static void must(plx_status status, const char *what)
{
    if (status != PLX_OK)
        fail_msg("%s: %s", what, plx_message(context));
}

static plx_buffer *buffer_of(plx_backend *backend, size_t elements)
{
    plx_buffer *buffer;
    must(plx_buffer_create(backend, elements * sizeof(float), &buffer), "a buffer");
    return buffer;
}

static void upload(plx_queue *queue, plx_buffer *to, const float *from, size_t elements)
{
    must(plx_upload(queue, to, 0, from, elements * sizeof(float)), "upload");
}

static void download(plx_queue *queue, float *to, plx_buffer *from, size_t elements)
{
    must(plx_download(queue, to, from, 0, elements * sizeof(float)), "download");
}

/* NULL for what a kernel doesn't do, or not on this device. */
static plx_plan *plan_of(plx_backend *backend, const plx_problem *problem, const plx_kernel *kernel)
{
    plx_plan *plan;
    if (!(kernel->dtypes & PLX_DTYPE_BIT(PLX_F32)) || (kernel->flags & PLX_KERNEL_BASELINE))
        return NULL;
    const plx_status told = plx_supports(backend, problem, kernel->name);
    plx_status status = plx_plan_create(backend, problem, kernel->name, &plan);
    if (status != PLX_OK && status != PLX_UNSUPPORTED)
        must(status, kernel->name);
    if (told != PLX_OK && told != status)
        fail_msg("%s refuses %s, and plans it", plx_backend_label(backend), kernel->name);
    return status == PLX_OK ? plan : NULL;
}

/* ---- transposes: there and back ------------------------------------------------------- */

static void transpose_there_and_back(plx_backend *backend, const plx_kernel *kernel, int64_t side)
{
    const size_t elements = (size_t)(side * side);
    const plx_problem problem = plx_transpose_of(PLX_F32, side, side);
    plx_plan *plan = plan_of(backend, &problem, kernel);
    if (plan == NULL)
        return;
    float *before = malloc(elements * sizeof *before), *after = malloc(elements * sizeof *after);
    assert_non_null(before);
    assert_non_null(after);
    for (size_t i = 0; i < elements; ++i)
        before[i] = (float)(i % 65521);
    plx_buffer *a = buffer_of(backend, elements), *b = buffer_of(backend, elements);
    upload(NULL, a, before, elements);
    for (int i = 0; i < LINKS; ++i) {
        must(plx_execute(plan, NULL, (plx_view[]){{a, 0}, {b, 0}}, 2), kernel->name);
        must(plx_execute(plan, NULL, (plx_view[]){{b, 0}, {a, 0}}, 2), kernel->name);
    }
    download(NULL, after, a, elements);
    must(plx_synchronize(backend, NULL), "synchronize");
    if (memcmp(before, after, elements * sizeof *before) != 0)
        fail_msg("%s transpose/%s, side %d: not what it was", plx_backend_label(backend), kernel->name, (int)side);
    chains++;
    plx_plan_destroy(plan);
    plx_buffer_destroy(a);
    plx_buffer_destroy(b);
    free(before);
    free(after);
}

/* ---- products: a vector turned round and round ------------------------------------------- */

/* y[i] = x[(i + 1) % side], whichever way the matrix is taken. */
static float *rotation(size_t side, bool trans)
{
    float *matrix = calloc(side * side, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < side; ++i) {
        const size_t from = (i + 1) % side;
        matrix[trans ? from * side + i : i * side + from] = 1;
    }
    return matrix;
}

typedef struct ring {
    plx_queue *queue;
    size_t side, summed; /* elements of the vector, and those of them that are added up each time */
    float *start, *sums;
    plx_buffer *matrix, *x, *y, *results;
} ring;

static ring begin_ring(plx_backend *backend, size_t number, size_t side, bool trans)
{
    float *matrix = rotation(side, trans);
    ring it = {.side = side, .summed = side / 3};
    if (number > 0) /* the first has the backend's own queue */
        must(plx_queue_create(backend, &it.queue), "a queue");
    it.start = malloc(side * sizeof *it.start);
    it.sums = malloc(LINKS * sizeof *it.sums);
    assert_non_null(it.start);
    assert_non_null(it.sums);
    for (size_t i = 0; i < side; ++i)
        it.start[i] = (float)((i + number) * i % 251);
    it.matrix = buffer_of(backend, side * side);
    it.x = buffer_of(backend, side);
    it.y = buffer_of(backend, side);
    it.results = buffer_of(backend, LINKS);
    upload(it.queue, it.matrix, matrix, side * side);
    must(plx_synchronize(backend, it.queue), "synchronize");
    free(matrix);
    return it;
}

static void end_ring(ring *it)
{
    plx_buffer_destroy(it->matrix);
    plx_buffer_destroy(it->x);
    plx_buffer_destroy(it->y);
    plx_buffer_destroy(it->results);
    plx_queue_destroy(it->queue);
    free(it->start);
    free(it->sums);
}

/* Each link turns the vector by one and adds up its first elements. */
static void add_link(const ring *it, size_t i, plx_plan *product, plx_plan *sum)
{
    plx_buffer *from = i % 2 == 0 ? it->x : it->y, *to = i % 2 == 0 ? it->y : it->x;
    must(plx_execute(product, it->queue, (plx_view[]){{it->matrix, 0}, {from, 0}, {to, 0}}, 3), "a product");
    must(plx_execute(sum, it->queue, (plx_view[]){{to, 0}, {it->results, i * sizeof(float)}}, 2), "a sum");
}

static void check_ring(plx_backend *backend, const ring *it, const plx_plan *product, const plx_plan *sum)
{
    must(plx_synchronize(backend, it->queue), "synchronize");
    for (size_t i = 0; i < LINKS; ++i) {
        float expected = 0;
        for (size_t j = 0; j < it->summed; ++j)
            expected += it->start[(j + i + 1) % it->side];
        if (it->sums[i] != expected)
            fail_msg("%s matvec/%s, reduce/%s, side %zu: link %zu gave %g instead of %g", plx_backend_label(backend),
                     plx_plan_kernel(product)->name, plx_plan_kernel(sum)->name, it->side, i, (double)it->sums[i],
                     (double)expected);
    }
    chains++;
}

/* The rings' links in turn. */
static void turn(plx_backend *backend, ring *rings, size_t count, plx_plan *product, plx_plan *sum)
{
    for (size_t r = 0; r < count; ++r)
        upload(rings[r].queue, rings[r].x, rings[r].start, rings[r].side);
    for (size_t i = 0; i < LINKS; ++i)
        for (size_t r = 0; r < count; ++r)
            add_link(&rings[r], i, product, sum);
    for (size_t r = 0; r < count; ++r)
        download(rings[r].queue, rings[r].sums, rings[r].results, LINKS);
    for (size_t r = 0; r < count; ++r)
        check_ring(backend, &rings[r], product, sum);
}

/* A library whose own sum is wrong proves nothing about our order. */
static bool is_left_out(const plx_backend *backend, const plx_kernel *sum)
{
    static bool told;
    if (strcmp(plx_backend_name(backend), "openblas") != 0 || !openblas_sum_is_wrong(PLX_F32))
        return false;
    if (!told)
        print_message("left out: openblas reduce/%s: cblas_ssum itself is wrong here\n", sum->name);
    told = true;
    return true;
}

enum { MOST_PRODUCTS = 64 };

/* The products that run here; returns how many. */
static size_t plan_products(plx_backend *backend, size_t side, bool trans, plx_plan *plans[MOST_PRODUCTS])
{
    const plx_problem product = plx_matvec_of(PLX_F32, trans, (int64_t)side, (int64_t)side);
    const plx_kernel *kernel;
    size_t count = 0;
    for (size_t i = 0; (kernel = plx_kernel_at(context, plx_backend_plugin(backend), PLX_MATVEC, i)) != NULL; ++i) {
        assert_true(count < MOST_PRODUCTS);
        plans[count] = plan_of(backend, &product, kernel);
        count += plans[count] != NULL;
    }
    return count;
}

/* Every reduction after a third of the products, in turn; with few products after all of them. */
static void turn_with_all(plx_backend *backend, size_t queues, size_t side, bool trans)
{
    const plx_problem sum = plx_reduce_of(PLX_F32, PLX_SUM, (int64_t)(side / 3));
    const plx_kernel *kernel;
    plx_plan *products[MOST_PRODUCTS];
    size_t count = plan_products(backend, side, trans, products), step = count < 3 ? 1 : 3;
    ring rings[QUEUES];
    for (size_t r = 0; r < queues; ++r)
        rings[r] = begin_ring(backend, r, side, trans);
    for (size_t k = 0; (kernel = plx_kernel_at(context, plx_backend_plugin(backend), PLX_REDUCE, k)) != NULL; ++k) {
        plx_plan *adding = is_left_out(backend, kernel) ? NULL : plan_of(backend, &sum, kernel);
        for (size_t i = k % step; adding != NULL && i < count; i += step)
            turn(backend, rings, queues, products[i], adding);
        plx_plan_destroy(adding);
    }
    for (size_t i = 0; i < count; ++i)
        plx_plan_destroy(products[i]);
    for (size_t r = 0; r < queues; ++r)
        end_ring(&rings[r]);
}

/* ---- all devices ------------------------------------------------------------------------ */

static void chains_of(plx_backend *backend)
{
    const plx_kernel *kernel;
    const size_t before = chains;
    for (size_t i = 0; (kernel = plx_kernel_at(context, plx_backend_plugin(backend), PLX_TRANSPOSE, i)) != NULL; ++i) {
        transpose_there_and_back(backend, kernel, 192);
        transpose_there_and_back(backend, kernel, 97);
    }
    assert_true(chains > before); /* every plugin has a transpose in f32 */
    const size_t moved = chains;
    turn_with_all(backend, 1, 384, false);
    turn_with_all(backend, 1, 384, true);
    turn_with_all(backend, 1, 331, true);
    turn_with_all(backend, QUEUES, 384, false);
    turn_with_all(backend, QUEUES, 331, true);
    if (!openblas_sum_is_wrong(PLX_F32) || strcmp(plx_backend_name(backend), "openblas") != 0)
        assert_true(chains > moved);
}

static void every_device_keeps_the_order(void **unused)
{
    (void)unused;
    for (size_t plugin = 0; plugin < plx_plugin_count(context); ++plugin) {
        plx_plugin_report report;
        must(plx_plugin_at(context, plugin, &report), "a plugin");
        for (size_t device = 0; device < report.device_count; ++device) {
            char where[96];
            plx_backend *backend;
            (void)snprintf(where, sizeof where, "%s:%zu", report.name, device);
            must(plx_open(context, where, &backend), where);
            chains_of(backend);
            plx_close(backend);
        }
    }
    print_message("%zu chains\n", chains);
    assert_true(chains > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_device_keeps_the_order)};
    if (plx_context_create(NULL, &context) != PLX_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    plx_context_destroy(context);
    return failed;
}
