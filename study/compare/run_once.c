/* plx_run_once: one problem on one backend, for its result. */
#include "study/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows without what lies between them.  A baseline's copy is dense already. */
static plx_status dense(const plx_inputs *inputs, bool baseline, const void *result, plx_array *output,
                        plx_error *error)
{
    const size_t operand = inputs->operation->output;
    const plx_extent *extent = &inputs->extents[operand];
    const bool columns = inputs->operation->output_rank == 0 && extent->cols > 1;
    plx_array made = plx_array_like(inputs, operand, columns ? 1 : inputs->operation->output_rank);
    const size_t size = plx_dtype_size(made.dtype), row_bytes = (size_t)extent->cols * size;
    const int64_t rows = plx_inputs_count(inputs) * extent->rows;

    if (rows > 0 && extent->cols > 0) {
        made.data = malloc((size_t)rows * row_bytes);
        if (made.data == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no host memory for the result");
        for (int64_t row = 0; row < rows; ++row)
            memcpy((char *)made.data + (size_t)row * row_bytes,
                   (const char *)result + (size_t)plx_output_place(inputs, baseline, row * extent->cols) * size,
                   row_bytes);
    }
    *output = made;
    return PLX_OK;
}

static plx_status execute(plx_candidate *candidate, const plx_inputs *inputs, double seconds, plx_error *error)
{
    size_t elements = (size_t)inputs->elements[inputs->operation->output];
    plx_guarded_operands buffers = {.backend = candidate->backend};
    char violation[200];
    plx_status status;

    candidate->result = malloc(elements > 0 ? elements * plx_dtype_size(plx_result_dtype(inputs)) : 1);
    if (candidate->result == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the result");
    status = plx_guarded_run(&buffers, candidate->plan, inputs, 0, candidate->result, violation, error);
    if (status == PLX_OK && violation[0] == '\0')
        status = plx_guarded_runs_end(&buffers, violation, error);
    plx_guarded_operands_clear(&buffers);
    if (status == PLX_OK && violation[0] != '\0')
        status = plx_fail(error, PLX_FAILED, "%s/%s %s", inputs->operation->name, candidate->kernel->name, violation);
    if (status == PLX_OK && seconds > 0)
        status = plx_measure_candidates(candidate, 1, inputs, NULL,
                                        &(plx_compare_options){.seconds_per_kernel = seconds}, error);
    return status;
}

/* Nothing is judged here, so nothing is called right. */
static void describe(const plx_candidate *candidate, const plx_inputs *inputs, plx_record *record)
{
    plx_record_fill(record, candidate, inputs, 0);
    plx_record_take_config(record, candidate->plan);
    record->outcome = PLX_OUTCOME_NOT_JUDGED;
    (void)snprintf(record->reason, sizeof record->reason, "run judges no result; compare does");
    if (!candidate->time.measured || !(candidate->time.median_ns > 0.0))
        return;
    record->gbps = inputs->operation->bytes(&inputs->problem) / candidate->time.median_ns;
    record->gflops = plx_problem_flops(&inputs->problem) / candidate->time.median_ns;
}

/* Makes the plan, runs, and writes both outputs. */
static plx_status run_candidate(plx_candidate *candidate, const char *kernel, const plx_inputs *inputs, double seconds,
                                plx_array *output, plx_record *record, plx_error *error)
{
    plx_status status = plx_explain(
        candidate->backend, plx_plan_create(candidate->backend, &inputs->problem, kernel, &candidate->plan), error);

    if (status != PLX_OK)
        return status;
    candidate->kernel = plx_plan_kernel(candidate->plan);
    candidate->named = kernel != NULL && strcmp(kernel, "best") != 0;
    status = execute(candidate, inputs, seconds, error);
    if (status == PLX_OK)
        status = dense(inputs, plx_candidate_is_baseline(candidate), candidate->result, output, error);
    if (status == PLX_OK)
        describe(candidate, inputs, record);
    return status;
}

plx_status plx_run_once(plx_context *context, const char *backend, const char *kernel, const plx_problem *problem,
                        const plx_array *inputs, size_t input_count, plx_input input, uint64_t seed, double seconds,
                        plx_array *output, plx_record *record, plx_error *error)
{
    plx_inputs made = {.seed = 0};
    plx_candidate candidate = {.outcome = PLX_OUTCOME_OK, .error = {.first_bad = -1}};
    plx_status status = plx_open(context, backend, &candidate.backend);

    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_message(context));
    status = plx_inputs_make_for(plx_backend_device(candidate.backend), problem, inputs, input_count, input, seed,
                                 &made, error);
    if (status == PLX_OK)
        status = run_candidate(&candidate, kernel, &made, seconds, output, record, error);
    if (status == PLX_OK && input_count > 0 && !plx_operation_computes(made.operation))
        memcpy(output->type, inputs[0].type, sizeof output->type); /* what is moved stays what it was */
    plx_candidate_clear(&candidate);
    plx_inputs_free(&made);
    plx_close(candidate.backend);
    return status;
}
