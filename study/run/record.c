/* The record of a candidate. */
#include "study/run/run.h"

#include "base/text.h"

#include <stdio.h>

void plx_record_fill(plx_record *record, const plx_candidate *candidate, const plx_inputs *inputs, size_t group)
{
    *record = (plx_record){
        .problem = inputs->problem,
        .input = inputs->input,
        .from_files = inputs->from_arrays,
        .seed = inputs->seed,
        .shift = inputs->shift,
        .device = candidate->device,
        .group = group,
        .step = candidate->step,
        .named = candidate->named,
        .outcome = candidate->outcome,
        .error = candidate->error,
        .likeness = candidate->likeness,
        .time = candidate->time,
        .spread = candidate->spread,
        .counted = candidate->counted,
        .counters = candidate->counters,
    };
    (void)snprintf(record->backend, sizeof record->backend, "%s", plx_backend_label(candidate->backend));
    plx_candidate_name(candidate, record->kernel);
    plx_text_words(candidate->kernel != NULL ? candidate->kernel->idea : "", record->idea, sizeof record->idea);
    (void)snprintf(record->reason, sizeof record->reason, "%s", candidate->reason);
    (void)snprintf(record->counters_reason, sizeof record->counters_reason, "%s", candidate->counters_reason);
    record->kernel_flags = candidate->kernel != NULL ? candidate->kernel->flags : 0;
}

void plx_record_take_config(plx_record *record, plx_plan *plan)
{
    plx_config config;
    if (plan != NULL && plx_plan_config(plan, &config) == PLX_OK)
        (void)snprintf(record->config, sizeof record->config, "%s", config.name);
    if (plan != NULL)
        (void)snprintf(record->remark, sizeof record->remark, "%s", plx_plan_remark(plan));
}
