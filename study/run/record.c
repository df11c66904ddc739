/* The record of an arm. */
#include "study/run/run.h"

#include <stdio.h>

void plx_record_fill(plx_record *record, const plx_arm *arm, const plx_inputs *inputs, size_t group)
{
    *record = (plx_record){
        .problem = inputs->problem,
        .input = inputs->input,
        .from_files = inputs->from_arrays,
        .seed = inputs->seed,
        .shift = inputs->shift,
        .device = arm->device,
        .group = group,
        .step = arm->step,
        .named = arm->named,
        .outcome = arm->outcome,
        .error = arm->error,
        .time = arm->time,
        .counted = arm->counted,
        .counters = arm->counters,
    };
    (void)snprintf(record->backend, sizeof record->backend, "%s", plx_backend_label(arm->backend));
    (void)snprintf(record->kernel, sizeof record->kernel, "%s",
                   arm->kernel != NULL ? arm->kernel->name : "best");
    (void)snprintf(record->idea, sizeof record->idea, "%s", arm->kernel != NULL ? arm->kernel->idea : "");
    (void)snprintf(record->reason, sizeof record->reason, "%s", arm->reason);
    (void)snprintf(record->counters_reason, sizeof record->counters_reason, "%s", arm->counters_reason);
    record->kernel_flags = arm->kernel != NULL ? arm->kernel->flags : 0;
}
