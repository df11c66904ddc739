/* Many runs of one plan while a second queue of the same backend is busy with the same
 * plan on other data: what declares its bits the same from run to run must keep them. */
#include "study/run/run.h"

#include <stdlib.h>
#include <string.h>

/* After so many calls the busy queue is waited for, so that its backlog stays short. */
enum { BACKLOG = 16 };

/* The operands of one of the two queues. */
typedef struct side {
    plx_queue *queue; /* NULL: the backend's own */
    plx_view views[PLX_MAX_OPERANDS];
} side;

typedef struct repetition {
    plx_backend *backend;
    plx_plan *plan;
    const plx_inputs *inputs;
    uint64_t shift; /* bytes */
    size_t size;    /* of an element */
    side judged, busy;
} repetition;

static uint64_t operand_bytes(const repetition *r, size_t operand)
{
    return (uint64_t)r->inputs->elements[operand] * r->size;
}

static uint64_t buffer_bytes(const repetition *r, size_t operand)
{
    return (r->shift + operand_bytes(r, operand) + 3) / 4 * 4;
}

/* ---- operands ----------------------------------------------------------------------- */

static plx_status reserve(const repetition *r, side *s, size_t operand)
{
    s->views[operand].offset = r->shift;
    return plx_buffer_create(r->backend, buffer_bytes(r, operand), &s->views[operand].buffer);
}

static plx_status give(const repetition *r, side *s, size_t operand, uint32_t pattern)
{
    plx_status status =
        plx_fill(s->queue, s->views[operand].buffer, 0, pattern, buffer_bytes(r, operand));

    if (status == PLX_OK && s == &r->judged && r->inputs->data[operand] != NULL)
        status = plx_upload(s->queue, s->views[operand].buffer, r->shift, r->inputs->data[operand],
                            operand_bytes(r, operand));
    return status;
}

/* The busy side gets other numbers: what the two wrongly share then shows. */
static plx_status prepare(repetition *r, side *s)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->inputs->operation->operand_count; ++i) {
        status = reserve(r, s, i);
        if (status == PLX_OK)
            status = give(r, s, i, UINT32_C(0x3f9e3779) + (uint32_t)i);
    }
    return status == PLX_OK ? plx_synchronize(r->backend, s->queue) : status;
}

static void release(side *s)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        plx_buffer_destroy(s->views[i].buffer);
}

/* ---- runs ---------------------------------------------------------------------------- */

static plx_status disturb(repetition *r, size_t run)
{
    plx_status status =
        plx_execute(r->plan, r->busy.queue, r->busy.views, r->inputs->operation->operand_count);

    if (status == PLX_OK && run % BACKLOG == 0)
        status = plx_synchronize(r->backend, r->busy.queue);
    return status;
}

static plx_status run_again(repetition *r, uint32_t pattern, void *result)
{
    size_t output = r->inputs->operation->output;
    plx_status status = give(r, &r->judged, output, pattern);

    if (status == PLX_OK)
        status = plx_execute(r->plan, NULL, r->judged.views, r->inputs->operation->operand_count);
    if (status == PLX_OK && operand_bytes(r, output) > 0)
        status = plx_download(NULL, result, r->judged.views[output].buffer, r->shift, operand_bytes(r, output));
    return status == PLX_OK ? plx_synchronize(r->backend, NULL) : status;
}

int64_t plx_first_different(const plx_inputs *inputs, bool yardstick, const void *expected, const void *result)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    size_t size = plx_dtype_size(inputs->problem.dtype);

    if (plx_same_bytes(expected, result, (uint64_t)inputs->elements[inputs->operation->output] * size))
        return -1;
    for (int64_t row = 0; row < output->rows; ++row) {
        size_t start = (size_t)plx_output_place(inputs, yardstick, row * output->cols) * size;
        const char *a = (const char *)expected + start, *b = (const char *)result + start;
        if (output->cols == 0 || memcmp(a, b, (size_t)output->cols * size) == 0)
            continue;
        for (int64_t col = 0; col < output->cols; ++col)
            if (memcmp(a + (size_t)col * size, b + (size_t)col * size, size) != 0)
                return row * output->cols + col;
    }
    return -1;
}

static plx_status repeat_all(repetition *r, bool yardstick, const void *expected, void *result, size_t runs,
                             plx_repeats *found)
{
    plx_status status = prepare(r, &r->judged);

    if (status == PLX_OK)
        status = prepare(r, &r->busy);
    while (status == PLX_OK && found->runs < runs && found->first_different < 0) {
        status = disturb(r, found->runs + 1);
        if (status == PLX_OK)
            status = run_again(r, UINT32_C(0x7ff80001) + (uint32_t)found->runs, result);
        if (status != PLX_OK)
            break;
        ++found->runs;
        found->first_different = plx_first_different(r->inputs, yardstick, expected, result);
    }
    if (status == PLX_OK)
        status = plx_synchronize(r->backend, r->busy.queue);
    return status;
}

plx_status plx_repeat(plx_backend *backend, plx_plan *plan, const plx_inputs *inputs, bool yardstick,
                      uint64_t shift, const void *expected, size_t runs, void *result, plx_repeats *found,
                      plx_error *error)
{
    repetition r = {.backend = backend, .plan = plan, .inputs = inputs};
    plx_repeats made = {.first_different = -1};
    plx_status status;

    r.size = plx_dtype_size(inputs->problem.dtype);
    r.shift = shift * r.size;
    status = plx_queue_create(backend, &r.busy.queue);
    if (status == PLX_OK)
        status = repeat_all(&r, yardstick, expected, result, runs, &made);
    if (plx_explain(backend, status, error) != PLX_OK && r.busy.queue != NULL)
        (void)plx_synchronize(backend, r.busy.queue); /* nothing may still use what is given back */
    release(&r.judged);
    release(&r.busy);
    plx_queue_destroy(r.busy.queue);
    *found = made;
    return status;
}
