/* What the hardware counts while the arms of a study run: one execution each, on
 * operands of its own, with the caches as they are. */
#include "study/measure/measure.h"
#include "study/run/rotation.h"

#include <stdio.h>

static void say_why(plx_arm *arm, const char *reason)
{
    (void)snprintf(arm->counters_reason, sizeof arm->counters_reason, "%.*s",
                   (int)sizeof arm->counters_reason - 1, reason);
}

static plx_status count_arm(plx_arm *arm, const plx_inputs *inputs)
{
    const size_t operands = inputs->operation->operand_count;
    plx_pool *pools = NULL, *pool;
    plx_view views[PLX_MAX_OPERANDS];
    plx_error error = {.text = ""};
    plx_status status = plx_pool_for(&pools, arm->backend, inputs, true, 1, &pool, &error);

    if (status == PLX_OK) {
        (void)plx_pool_views(pool, views, operands);
        status = plx_count(arm->plan, NULL, views, operands, &arm->counters, &error);
    }
    if (status != PLX_OK)
        say_why(arm, error.text[0] != '\0' ? error.text : plx_strerror(status));
    arm->counted = status == PLX_OK;
    plx_pools_free(pools);
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
