/* What the hardware counts while the candidates of a study run: one execution each, on
 * operands of its own, with the caches as they are. */
#include "study/measure/measure.h"
#include "study/run/one_set.h"

#include <stdio.h>

static void note_reason(plx_candidate *candidate, const char *reason)
{
    (void)snprintf(candidate->counters_reason, sizeof candidate->counters_reason, "%.*s",
                   (int)sizeof candidate->counters_reason - 1, reason);
}

static plx_status count_candidate(plx_candidate *candidate, const plx_inputs *inputs)
{
    const size_t operands = inputs->operation->operand_count;
    plx_one_set set;
    plx_view views[PLX_MAX_OPERANDS];
    plx_error error = {.text = ""};
    plx_status status = plx_one_set_make(&set, candidate->backend, inputs, &error);

    if (status == PLX_OK) {
        plx_operand_views(&set, 0, views);
        status = plx_count(candidate->plan, NULL, views, operands, &candidate->counters, &error);
    }
    if (status != PLX_OK)
        note_reason(candidate, error.text[0] != '\0' ? error.text : plx_strerror(status));
    candidate->counted = status == PLX_OK;
    plx_one_set_free(&set);
    return status;
}

/* What a backend does not support for one kernel, it does not for the next: candidates of
 * one backend stand together, and the first refusal speaks for them. */
void plx_count_candidates(plx_candidate *candidates, size_t count, const plx_inputs *inputs)
{
    const plx_candidate *refused = NULL;

    for (size_t i = 0; i < count; ++i) {
        if (candidates[i].outcome != PLX_OUTCOME_OK || candidates[i].plan == NULL)
            continue;
        if (refused != NULL && refused->backend == candidates[i].backend)
            note_reason(&candidates[i], refused->counters_reason);
        else if (count_candidate(&candidates[i], inputs) == PLX_UNSUPPORTED)
            refused = &candidates[i];
    }
}
