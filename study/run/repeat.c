/* Many runs of one plan while a second queue of the same backend is busy with the same
 * plan on other data: what declares its bits the same from run to run must keep them. */
#include "study/run/one_set.h"

#include <string.h>

/* After so many calls the busy queue is waited for, so that its backlog stays short. */
enum { BACKLOG = 16 };

/* The operands of one of the two queues. */
typedef struct side {
    plx_queue *queue; /* NULL: the backend's own */
    plx_one_set operands;
    plx_view views[PLX_MAX_OPERANDS];
} side;

typedef struct repetition {
    plx_backend *backend;
    plx_plan *plan;
    const plx_inputs *inputs;
    side judged, busy;
} repetition;

static uint64_t output_bytes(const repetition *r)
{
    return (uint64_t)r->inputs->elements[r->inputs->operation->output] * plx_dtype_size(plx_result_dtype(r->inputs));
}

/* ---- operands ----------------------------------------------------------------------- */

static plx_status prepare(const repetition *r, side *s, plx_error *error)
{
    const plx_status status = plx_one_set_make(&s->operands, r->backend, r->inputs, error);

    plx_operand_views(&s->operands, 0, s->views);
    return status;
}

/* The busy side gets other numbers: what the two wrongly share then shows. */
static plx_status make_busy(const repetition *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->inputs->operation->operand_count; ++i)
        status = plx_fill(r->busy.queue, r->busy.operands.buffer[i], 0, UINT32_C(0x3f9e3779) + (uint32_t)i,
                          r->busy.operands.stride[i]);
    return status == PLX_OK ? plx_synchronize(r->backend, r->busy.queue) : status;
}

static plx_status renew_output(const repetition *r, uint32_t pattern)
{
    const size_t output = r->inputs->operation->output;
    const plx_view *view = &r->judged.views[output];
    plx_status status = plx_fill(NULL, view->buffer, 0, pattern, r->judged.operands.stride[output]);

    if (status == PLX_OK && r->inputs->data[output] != NULL)
        status = plx_upload(NULL, view->buffer, view->offset, r->inputs->data[output], output_bytes(r));
    return status;
}

/* ---- runs ---------------------------------------------------------------------------- */

static plx_status disturb(repetition *r, size_t run)
{
    plx_status status = plx_execute(r->plan, r->busy.queue, r->busy.views, r->inputs->operation->operand_count);

    if (status == PLX_OK && run % BACKLOG == 0)
        status = plx_synchronize(r->backend, r->busy.queue);
    return status;
}

static plx_status run_again(repetition *r, uint32_t pattern, void *result)
{
    const plx_view *output = &r->judged.views[r->inputs->operation->output];
    plx_status status = renew_output(r, pattern);

    if (status == PLX_OK)
        status = plx_plan_renew_pieces(r->plan, NULL);
    if (status == PLX_OK)
        status = plx_execute(r->plan, NULL, r->judged.views, r->inputs->operation->operand_count);
    if (status == PLX_OK && output_bytes(r) > 0)
        status = plx_download(NULL, result, output->buffer, output->offset, output_bytes(r));
    return status == PLX_OK ? plx_synchronize(r->backend, NULL) : status;
}

int64_t plx_first_different(const plx_inputs *inputs, bool baseline, const void *expected, const void *result)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    size_t size = plx_dtype_size(plx_result_dtype(inputs));

    if (plx_same_bytes(expected, result, (uint64_t)inputs->elements[inputs->operation->output] * size))
        return -1;
    for (int64_t row = 0; row < plx_inputs_count(inputs) * output->rows; ++row) {
        size_t start = (size_t)plx_output_place(inputs, baseline, row * output->cols) * size;
        const char *a = (const char *)expected + start, *b = (const char *)result + start;
        if (output->cols == 0 || memcmp(a, b, (size_t)output->cols * size) == 0)
            continue;
        for (int64_t col = 0; col < output->cols; ++col)
            if (memcmp(a + (size_t)col * size, b + (size_t)col * size, size) != 0)
                return row * output->cols + col;
    }
    return -1;
}

static plx_status repeat_all(repetition *r, bool baseline, const void *expected, void *result, size_t runs,
                             plx_repeats *found)
{
    plx_status status = make_busy(r);

    while (status == PLX_OK && found->runs < runs && found->first_different < 0) {
        status = disturb(r, found->runs + 1);
        if (status == PLX_OK)
            status = run_again(r, plx_next_poison(), result);
        if (status != PLX_OK)
            break;
        ++found->runs;
        found->first_different = plx_first_different(r->inputs, baseline, expected, result);
    }
    if (status == PLX_OK)
        status = plx_synchronize(r->backend, r->busy.queue);
    return status;
}

plx_status plx_repeat(plx_backend *backend, plx_plan *plan, const plx_inputs *inputs, bool baseline, uint64_t shift,
                      const void *expected, size_t runs, void *result, plx_repeats *found, plx_error *error)
{
    plx_inputs shifted = *inputs;
    repetition r = {.backend = backend, .plan = plan, .inputs = &shifted};
    plx_repeats made = {.first_different = -1};
    plx_status status;

    shifted.shift = shift;
    status = prepare(&r, &r.judged, error);
    if (status == PLX_OK)
        status = prepare(&r, &r.busy, error);
    if (status == PLX_OK)
        status = plx_explain(backend, plx_queue_create(backend, &r.busy.queue), error);
    if (status == PLX_OK)
        status = plx_explain(backend, repeat_all(&r, baseline, expected, result, runs, &made), error);
    if (status != PLX_OK && r.busy.queue != NULL)
        (void)plx_synchronize(backend, r.busy.queue); /* nothing may still use what is given back */
    plx_one_set_free(&r.judged.operands);
    plx_one_set_free(&r.busy.operands);
    plx_queue_destroy(r.busy.queue);
    *found = made;
    return status;
}
