/* Judges what timed launches left in their operands.  Which rounds are looked at is
 * for measure.c alone to know. */
#include "study/measure/timed_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small sets are fetched many at a time. */
static const uint64_t slice_bytes = UINT64_C(1) << 25;

static size_t element_size(const plx_timed_results *t)
{
    return plx_dtype_size(t->inputs->problem.dtype);
}

static size_t result_size(const plx_timed_results *t)
{
    return plx_dtype_size(plx_result_dtype(t->inputs));
}

static size_t output_of(const plx_timed_results *t)
{
    return t->inputs->operation->output;
}

static uint64_t output_bytes(const plx_timed_results *t)
{
    return t->rotation->operands.bytes[output_of(t)];
}

/* ---- outputs before a round ------------------------------------------------------------ */

static plx_status renew_output(const plx_timed_results *t, size_t set, uint32_t pattern, plx_error *error)
{
    const size_t output = output_of(t);
    const uint64_t stride = t->rotation->operands.stride[output];
    plx_buffer *buffer = t->rotation->operands.buffer[output];

    if (t->inputs->data[output] == NULL)
        return plx_explain(t->rotation->operands.backend, plx_fill(NULL, buffer, set * stride, pattern, stride), error);
    return plx_chunked_upload(buffer, plx_operand_offset(&t->rotation->operands, output, set), t->inputs->data[output], output_bytes(t), error);
}

static plx_status renew_outputs(const plx_timed_results *t, plx_error *error)
{
    const size_t output = output_of(t);
    const uint64_t stride = t->rotation->operands.stride[output], all = stride * t->rotation->operands.sets;
    plx_buffer *buffer = t->rotation->operands.buffer[output];

    if (t->inputs->data[output] == NULL)
        return plx_explain(t->rotation->operands.backend, plx_fill(NULL, buffer, 0, plx_next_poison(), all), error);
    const plx_status status = renew_output(t, 0, 0, error);
    return status == PLX_OK ? plx_explain(t->rotation->operands.backend, plx_buffer_double(buffer, stride, all), error) : status;
}

/* ---- a changed input ------------------------------------------------------------------- */

/* The first element of the output, as it follows from the inputs as they are. */
static void refer_to_first(const plx_timed_results *t, plx_change_of_input *to)
{
    plx_host_operands operands = {{NULL}};
    plx_reference one = {to->exact, &to->value, &to->tail, &to->magnitude};

    for (size_t i = 0; i < t->inputs->operation->operand_count; ++i)
        operands.at[i] = t->inputs->data[i];
    memset(to->exact, 0, sizeof to->exact);
    plx_reference_make(&t->inputs->problem, &operands, 0, 1, &one);
}

/* The i-th value to try; false: there are no more.  Generated integers stay small, for
 * their results have to stay exact. */
static bool value_to_try(const plx_timed_results *t, size_t i, const unsigned char *old, unsigned char *to)
{
    static const double large[] = {1.0, 0x1p10, -0x1p20, 0x1p40, -0x1p60, 0x1p80};
    const plx_dtype dtype = t->inputs->problem.dtype;
    const double before = plx_is_floating(dtype) ? plx_element_value(dtype, old, 0) : 0.0;
    const bool small = !t->inputs->from_arrays && t->inputs->input == PLX_INPUT_INTEGER;

    if (!plx_is_floating(dtype)) { /* the bits of an integer, or what is only moved */
        static const unsigned char high[] = {0x7f, 0x80, 0x55};
        if (i >= sizeof high)
            return false;
        memset(to, high[i] == 0x80 ? 0 : 0xff, element_size(t));
        to[element_size(t) - 1] = high[i];
        return true;
    }
    if (i >= (small ? 1 : sizeof large / sizeof large[0]))
        return false;
    plx_element_put(dtype, to, 0, small ? before + (before > 0.0 ? -1.0 : 1.0) : large[i]);
    return true;
}

/* Whether no rounding can hide the change. */
static bool shows(const plx_timed_results *t, const plx_change_of_input *before,
                  const plx_change_of_input *after)
{
    if (plx_is_exact(&t->inputs->problem))
        return memcmp(before->exact, after->exact, sizeof before->exact) != 0;
    if (!isfinite(before->value) || !(after->magnitude < plx_largest(plx_result_dtype(t->inputs)) / 4.0))
        return false;
    if (!t->inputs->from_arrays && t->inputs->input == PLX_INPUT_INTEGER)
        return before->value != after->value;
    return fabs(after->value - before->value) > after->magnitude / 4.0;
}

/* The reference is asked with the changed element in its place, which is then put back. */
static void seek_change(plx_timed_results *t)
{
    plx_change_of_input before, *change = &t->change;
    unsigned char *element = t->inputs->data[0];

    change->sought = true;
    if (element == NULL || t->inputs->elements[0] == 0)
        return;
    refer_to_first(t, &before);
    memcpy(change->old_element, element, element_size(t));
    for (size_t i = 0; !change->found && value_to_try(t, i, change->old_element, change->new_element); ++i) {
        memcpy(element, change->new_element, element_size(t));
        refer_to_first(t, change);
        change->found = shows(t, &before, change);
    }
    memcpy(element, change->old_element, element_size(t));
    if (plx_candidate_is_baseline(t->candidate)) { /* its first element is the input's */
        change->found = true;
        memcpy(change->exact, change->new_element, element_size(t));
    }
}

static plx_status write_first(const plx_timed_results *t, size_t set, const unsigned char *element)
{
    return plx_upload(NULL, t->rotation->operands.buffer[0], plx_operand_offset(&t->rotation->operands, 0, set), element, element_size(t));
}

/* A few sets of the round, anywhere in it. */
static void choose_sets(plx_timed_results *t)
{
    const size_t wanted = t->count < PLX_CHANGED_SETS ? t->count : PLX_CHANGED_SETS;
    const size_t share = wanted > 0 ? t->count / wanted : 1;

    for (size_t i = 0; i < wanted; ++i) {
        const size_t place = i * share + plx_random((uint64_t)plx_now_ns(), 514, i) % share;
        t->changed[i] = (t->first + place) % t->rotation->operands.sets;
    }
    t->changed_count = wanted;
}

static plx_status change_inputs(plx_timed_results *t, plx_error *error)
{
    const uint32_t pattern = plx_next_poison();
    plx_status status = PLX_OK;

    choose_sets(t);
    for (size_t i = 0; status == PLX_OK && i < t->changed_count; ++i) {
        status = renew_output(t, t->changed[i], pattern, error);
        if (status == PLX_OK)
            status = plx_explain(t->rotation->operands.backend, write_first(t, t->changed[i], t->change.new_element), error);
    }
    return status;
}

plx_status plx_timed_results_prepare(plx_timed_results *t, plx_look look, size_t launches, plx_error *error)
{
    plx_status status = PLX_OK;

    if (look == PLX_LOOK_CHANGED && !t->change.sought)
        seek_change(t);
    t->look = look == PLX_LOOK_CHANGED && !t->change.found ? PLX_LOOK_NONE : look;
    t->first = t->rotation->next;
    t->count = launches < t->rotation->operands.sets ? launches : t->rotation->operands.sets;
    if (t->look == PLX_LOOK_ALL)
        status = renew_outputs(t, error);
    else if (t->look == PLX_LOOK_CHANGED)
        status = change_inputs(t, error);
    return status == PLX_OK ? plx_explain(t->rotation->operands.backend, plx_synchronize(t->rotation->operands.backend, NULL), error) : status;
}

/* ---- the first element, after a change --------------------------------------------------- */

static bool is_exact(const plx_timed_results *t)
{
    return plx_candidate_is_baseline(t->candidate) || plx_is_exact(&t->inputs->problem);
}

static bool judge_exact(const plx_timed_results *t, const unsigned char *got, plx_error_measure *measure)
{
    const plx_dtype dtype = plx_result_dtype(t->inputs);

    plx_element_text(dtype, got, 0, measure->got);
    plx_element_text(dtype, t->change.exact, 0, measure->expected);
    return memcmp(got, t->change.exact, result_size(t)) == 0 ||
           (plx_is_floating(dtype) && plx_element_is_nan(dtype, got, 0) &&
            plx_element_is_nan(dtype, t->change.exact, 0));
}

static bool judge_first(plx_timed_results *t, const unsigned char *got, plx_error_measure *measure)
{
    int64_t element = 0;
    plx_reference_result reference = {.elements = 1, .count = 1, .sample = &element};

    if (is_exact(t))
        return judge_exact(t, got, measure);
    reference.of = (plx_reference){NULL, &t->change.value, &t->change.tail, &t->change.magnitude};
    plx_judge_elements(t->inputs, &reference, &t->candidate->bound, false, got, measure);
    return measure->wrong == 0;
}

static plx_status judge_change(plx_timed_results *t, size_t set)
{
    const size_t output = output_of(t);
    _Alignas(16) unsigned char got[16] = {0};
    plx_error_measure measure = {.first_bad = -1};
    plx_status status = write_first(t, set, t->change.old_element);

    if (status == PLX_OK)
        status =
            plx_download(NULL, got, t->rotation->operands.buffer[output], plx_operand_offset(&t->rotation->operands, output, set),
                              result_size(t));
    if (status == PLX_OK)
        status = plx_synchronize(t->rotation->operands.backend, NULL);
    if (status != PLX_OK)
        return status;
    ++t->compared;
    if (judge_first(t, got, &measure) || t->wrong[0] != '\0')
        return PLX_OK;
    (void)snprintf(t->wrong, sizeof t->wrong, "when %s[0][0] was another number, %s[0][0] was %s, not %s",
                   t->inputs->extents[0].name, t->inputs->extents[output].name, measure.got,
                   measure.expected);
    measure.measured = true;
    measure.compared = measure.wrong = 1;
    measure.first_bad = 0;
    t->candidate->error = measure;
    return PLX_OK;
}

static plx_status judge_changes(plx_timed_results *t)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < t->changed_count; ++i)
        status = judge_change(t, t->changed[i]);
    return status;
}

/* ---- every element of every set ------------------------------------------------------------ */

static void report_wrong(plx_timed_results *t, size_t set, const plx_error_measure *measure)
{
    char where[64];

    t->candidate->error = *measure;
    (void)snprintf(where, sizeof where, ", in set %zu of %zu", set + 1, t->rotation->operands.sets);
    plx_wrong_text(t->inputs, measure, where, t->wrong, sizeof t->wrong);
}

/* What is right is what the next sets are compared with, bit by bit. */
static void accept_bits(plx_timed_results *t, const void *bits)
{
    if (t->accepted == NULL)
        t->accepted = plx_large_alloc(output_bytes(t));
    if (t->accepted != NULL)
        memcpy(t->accepted, bits, (size_t)output_bytes(t));
}

static bool is_known(const plx_timed_results *t, const void *bits)
{
    const bool baseline = plx_candidate_is_baseline(t->candidate);
    const void *known[] = {t->accepted, t->candidate->result};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (known[i] != NULL && plx_first_different(t->inputs, baseline, known[i], bits) < 0)
            return true;
    return false;
}

static plx_status judge_set(plx_timed_results *t, size_t set, const void *bits, plx_error *error)
{
    const bool baseline = plx_candidate_is_baseline(t->candidate);
    const plx_extent *output = &t->inputs->extents[output_of(t)];
    plx_error_measure measure;
    const plx_reference_result *reference;
    plx_status status;

    t->compared += output->rows * output->cols;
    if (is_known(t, bits))
        return PLX_OK;
    status = plx_references_get(t->references, t->inputs, baseline, &reference, error);
    if (status == PLX_OK)
        status = plx_judge(t->inputs, reference, &t->candidate->bound, baseline, bits, &measure, error);
    if (status != PLX_OK)
        return status;
    if (measure.wrong > 0)
        report_wrong(t, set, &measure);
    else
        accept_bits(t, bits);
    return PLX_OK;
}

/* So many sets from this one on as are fetched at a time: they lie one after the other. */
static size_t sets_at_once(const plx_timed_results *t, size_t set, size_t left)
{
    const uint64_t stride = t->rotation->operands.stride[output_of(t)];
    const size_t fit = stride < slice_bytes ? (size_t)(slice_bytes / stride) : 1, end = t->rotation->operands.sets - set;
    const size_t most = left < end ? left : end;

    return fit < most ? fit : most;
}

static plx_status judge_sets(plx_timed_results *t, char *staging, plx_error *error)
{
    const size_t output = output_of(t);
    const uint64_t stride = t->rotation->operands.stride[output], start = plx_operand_offset(&t->rotation->operands, output, 0);
    plx_status status = PLX_OK;

    for (size_t done = 0; status == PLX_OK && done < t->count && t->wrong[0] == '\0';) {
        const size_t set = (t->first + done) % t->rotation->operands.sets, sets = sets_at_once(t, set, t->count - done);
        status = plx_chunked_download(t->rotation->operands.buffer[output], set * stride, staging, sets * stride, error);
        for (size_t i = 0; status == PLX_OK && i < sets && t->wrong[0] == '\0'; ++i)
            status = judge_set(t, set + i, staging + i * stride + start, error);
        done += sets;
    }
    return status;
}

static plx_status judge_all(plx_timed_results *t, plx_error *error)
{
    const uint64_t stride = t->rotation->operands.stride[output_of(t)];
    const size_t sets = sets_at_once(t, 0, t->count);
    char *staging = plx_large_alloc(sets * stride);
    plx_status status;

    if (staging == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
    status = judge_sets(t, staging, error);
    free(staging);
    if (t->candidate->result == NULL) /* nothing is kept for this candidate: what was made was for this look alone */
        plx_references_free(t->references);
    return status;
}

plx_status plx_timed_results_judge(plx_timed_results *t, plx_error *error)
{
    if (t->look == PLX_LOOK_CHANGED)
        return plx_explain(t->rotation->operands.backend, judge_changes(t), error);
    return t->look == PLX_LOOK_ALL ? judge_all(t, error) : PLX_OK;
}

void plx_timed_results_free(plx_timed_results *t)
{
    free(t->accepted);
    t->accepted = NULL;
}
