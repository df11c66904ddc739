/* Whether a kernel adds every term at the size that it is timed at: sums of generated integers are exact, so that
 * each term that is lost shows, however long they are. */
#include "study/run/run.h"

#include <stdio.h>
#include <stdlib.h>

/* Multiply-adds above which a product is judged by Freivalds' test, which is exact for integers, and a sample. */
static const double dear = 0x1p27;

static bool has_sums(const plx_inputs *inputs)
{
    return plx_is_floating(inputs->problem.dtype) && !plx_is_exact(&inputs->problem) && plx_sum_length(inputs) > 1 &&
           (inputs->from_arrays || inputs->input != PLX_INPUT_INTEGER);
}

static plx_status make(plx_integers *integers, const plx_inputs *inputs, plx_error *error)
{
    plx_status status;

    if (integers->made)
        return PLX_OK;
    status = plx_inputs_generate(&inputs->problem, PLX_INPUT_INTEGER, plx_random(inputs->seed, 524, 0),
                                 &integers->inputs, error);
    if (status != PLX_OK)
        return status;
    status = plx_reference_result_within(&integers->inputs, false, dear, NULL, &integers->reference, error);
    if (status != PLX_OK)
        plx_inputs_free(&integers->inputs);
    integers->made = status == PLX_OK;
    return status;
}

static plx_bound bound_of(const plx_integers *integers, const plx_candidate *candidate)
{
    const plx_device_info *device = candidate->info != NULL ? candidate->info : plx_backend_device(candidate->backend);
    return plx_bound_of_depth(&integers->inputs, candidate->kernel, plx_plan_depth(candidate->plan), device);
}

static void conclude(plx_candidate *candidate, const plx_inputs *inputs, const plx_error_measure *measure)
{
    if (measure->wrong == 0)
        return;
    candidate->error = *measure;
    candidate->outcome = PLX_OUTCOME_WRONG;
    plx_wrong_text(inputs, measure, " of integers, which nothing rounds", candidate->reason, sizeof candidate->reason);
}

static plx_status run_and_judge(plx_integers *integers, plx_candidate *candidate, const plx_bound *bound,
                                uint64_t shift, void *result, char violation[200], plx_error *error)
{
    plx_error_measure measure;
    plx_status status =
        plx_guarded_run(&integers->buffers, candidate->plan, &integers->inputs, shift, result, violation, error);

    if (status == PLX_OK && violation[0] == '\0')
        status = plx_judge(&integers->inputs, &integers->reference, bound, false, result, &measure, error);
    if (status == PLX_OK && violation[0] == '\0')
        conclude(candidate, &integers->inputs, &measure);
    return status;
}

static void try_once(plx_integers *integers, plx_candidate *candidate, const plx_bound *bound, uint64_t shift)
{
    const size_t output = integers->inputs.operation->output;
    void *result = plx_large_alloc((uint64_t)integers->inputs.elements[output] *
                                   plx_dtype_size(plx_result_dtype(&integers->inputs)));
    char violation[200] = "";
    plx_error error = {.text = ""};
    plx_status status;

    if (result == NULL)
        return;
    if (integers->buffers.backend != candidate->backend) {
        plx_guarded_operands_clear(&integers->buffers);
        integers->buffers.backend = candidate->backend;
    }
    status = run_and_judge(integers, candidate, bound, shift, result, violation, &error);
    if (violation[0] != '\0')
        candidate->outcome = PLX_OUTCOME_WRONG;
    else if (status != PLX_OK && status != PLX_NO_MEMORY) /* where there is no room for both it is not tried */
        candidate->outcome = PLX_OUTCOME_FAILED;
    if (candidate->outcome != PLX_OUTCOME_OK && candidate->reason[0] == '\0')
        (void)snprintf(candidate->reason, sizeof candidate->reason, "with integers: %s",
                       violation[0] != '\0' ? violation : error.text);
    free(result);
}

void plx_integers_test(plx_integers *integers, plx_candidate *candidate, const plx_inputs *inputs)
{
    plx_error error;

    if (plx_rule_left_out(PLX_RULE_INTEGERS) || candidate->outcome != PLX_OUTCOME_OK || candidate->plan == NULL ||
        plx_candidate_is_baseline(candidate) || !has_sums(inputs) || make(integers, inputs, &error) != PLX_OK)
        return;
    const plx_bound bound = bound_of(integers, candidate);
    if (bound.rounded_once)
        try_once(integers, candidate, &bound, inputs->shift);
}

void plx_integers_free(plx_integers *integers)
{
    plx_guarded_operands_clear(&integers->buffers);
    if (integers->made) {
        plx_reference_result_free(&integers->reference);
        plx_inputs_free(&integers->inputs);
    }
    *integers = (plx_integers){.made = false};
}
