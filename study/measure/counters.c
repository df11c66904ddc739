/* What the hardware counts while the arms of a study run: one execution each, on
 * operands of its own, with the caches as they are. */
#include "study/measure/measure.h"

#include <stdio.h>

/* An arm's operands on its device. */
typedef struct stage {
    plx_view views[PLX_MAX_OPERANDS];
    size_t count;
} stage;

static uint64_t operand_bytes(const plx_inputs *inputs, size_t operand)
{
    return (uint64_t)inputs->elements[operand] * plx_dtype_size(inputs->problem.dtype);
}

/* Touched before it is filled: a driver may leave memory unmade until then. */
static plx_status fill_operand(plx_backend *backend, const plx_inputs *inputs, size_t operand, plx_view *view)
{
    uint64_t bytes = operand_bytes(inputs, operand), whole;
    plx_status status;

    view->offset = inputs->shift * plx_dtype_size(inputs->problem.dtype);
    whole = (view->offset + bytes + 3) / 4 * 4;
    status = plx_buffer_create(backend, whole, &view->buffer);

    if (status == PLX_OK)
        status = plx_fill(NULL, view->buffer, 0, 0, whole);
    if (status == PLX_OK && inputs->data[operand] != NULL)
        status = plx_upload(NULL, view->buffer, view->offset, inputs->data[operand], bytes);
    return status;
}

static plx_status stage_fill(stage *s, plx_backend *backend, const plx_inputs *inputs)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        if (operand_bytes(inputs, i) > 0)
            status = fill_operand(backend, inputs, i, &s->views[i]);
    s->count = inputs->operation->operand_count;
    return status == PLX_OK ? plx_synchronize(backend, NULL) : status;
}

static void stage_free(stage *s)
{
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        plx_buffer_destroy(s->views[i].buffer);
}

static void say_why(plx_arm *arm, const char *reason)
{
    (void)snprintf(arm->counters_reason, sizeof arm->counters_reason, "%.*s",
                   (int)sizeof arm->counters_reason - 1, reason);
}

static plx_status count_arm(plx_arm *arm, const plx_inputs *inputs)
{
    stage s = {.count = 0};
    plx_error reason;
    plx_status status = stage_fill(&s, arm->backend, inputs);

    if (status != PLX_OK)
        say_why(arm, plx_message(plx_backend_context(arm->backend)));
    else {
        status = plx_count(arm->plan, NULL, s.views, s.count, &arm->counters, &reason);
        if (status != PLX_OK)
            say_why(arm, reason.text[0] != '\0' ? reason.text : plx_strerror(status));
    }
    arm->counted = status == PLX_OK;
    stage_free(&s);
    return status;
}

/* What a backend does not support for one kernel, it does not for the next: arms of
 * one backend stand together, and the first refusal speaks for them. */
void plx_count_arms(plx_arm *arms, size_t count, const plx_inputs *inputs)
{
    const plx_arm *refused = NULL;

    for (size_t i = 0; i < count; ++i) {
        if (arms[i].outcome != PLX_OUTCOME_OK || arms[i].plan == NULL)
            continue;
        if (refused != NULL && refused->backend == arms[i].backend)
            say_why(&arms[i], refused->counters_reason);
        else if (count_arm(&arms[i], inputs) == PLX_UNSUPPORTED)
            refused = &arms[i];
    }
}
