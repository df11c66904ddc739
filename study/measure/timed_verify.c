/* Whether what must not change in a set of operands is as it was: inputs, what is around them, outputs of others. */
#include "study/measure/timed_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plx_status verify_around(const plx_timed_sets *s, size_t which, size_t operand, char violation[200],
                                plx_error *error)
{
    const plx_timed_set *set = &s->sets[which];
    const char *name = s->inputs->extents[operand].name;
    const uint32_t pattern = operand == plx_timed_sets_output(s) ? set->pattern : set->around;
    const uint64_t slot = set->place[operand] / s->room[operand] * s->room[operand];
    const uint64_t before = set->place[operand] - slot, end = before + s->bytes[operand],
                   behind = s->room[operand] - end;
    unsigned char *seen = malloc((size_t)(before + behind));
    plx_status status;

    if (seen == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
    status = plx_download(NULL, seen, s->buffer[operand], slot, before);
    if (status == PLX_OK)
        status = plx_download(NULL, seen + before, s->buffer[operand], slot + end, behind);
    if (status == PLX_OK)
        status = plx_synchronize(s->backend, NULL);
    if (status == PLX_OK && plx_first_other(seen, 0, before, pattern) < before)
        (void)snprintf(violation, 200, "wrote before the start of %s of set %zu", name, which + 1);
    else if (status == PLX_OK && plx_first_other(seen + before, end, behind, pattern) < behind)
        (void)snprintf(violation, 200, "wrote past the end of %s of set %zu", name, which + 1);
    free(seen);
    return plx_explain(s->backend, status, error);
}

static plx_status verify_input(const plx_timed_sets *s, size_t which, size_t operand, const plx_inputs *view,
                               char violation[200], plx_error *error)
{
    uint64_t byte = 0;
    bool same = true;
    const plx_status status = plx_chunked_compare(s->lanes, s->buffer[operand], s->sets[which].place[operand],
                                                  view->data[operand], s->bytes[operand], &same, &byte, error);

    if (status == PLX_OK && !same)
        (void)snprintf(violation, 200, "wrote to %s of set %zu: byte %llu is not what it was",
                       s->inputs->extents[operand].name, which + 1, (unsigned long long)byte);
    return status;
}

static plx_status verify_operands(const plx_timed_sets *s, size_t which, const plx_inputs *view, char violation[200],
                                  size_t *where, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && violation[0] == '\0' && i < s->operands; ++i) {
        *where = i;
        if (plx_timed_sets_reads(s, i) && i != plx_timed_sets_output(s))
            status = verify_input(s, which, i, view, violation, error);
        if (status == PLX_OK && violation[0] == '\0' && s->room[i] > 0)
            status = verify_around(s, which, i, violation, error);
    }
    return status;
}

plx_status plx_timed_sets_verify(plx_timed_sets *s, size_t which, char violation[200], plx_error *error)
{
    const plx_timed_set *set = &s->sets[which];
    size_t where = 0;
    plx_inputs view;
    plx_status status;

    violation[0] = '\0';
    if (!set->filled || !set->patterned || plx_rule_left_out(PLX_RULE_VERIFY))
        return PLX_OK;
    status = plx_pool_view(s->pool, s->inputs, &set->draw, &view, error);
    if (status != PLX_OK)
        return status;
    status = verify_operands(s, which, &view, violation, &where, error);
    plx_pool_view_free(&set->draw, &view);
    return status;
}

plx_status plx_timed_sets_untouched(const plx_timed_sets *s, size_t which, bool *untouched, plx_error *error)
{
    const size_t output = plx_timed_sets_output(s);

    *untouched = true;
    if (s->room[output] == 0 || !s->sets[which].patterned || plx_rule_left_out(PLX_RULE_BESIDE))
        return PLX_OK;
    return plx_chunked_holds(s->lanes, s->buffer[output], plx_timed_set_slot(s, which, output), s->room[output],
                             s->sets[which].pattern, untouched, error);
}
