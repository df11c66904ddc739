/* One kernel's device code through two APIs: its cells, judged and timed like everything else. */
#include "study/attribute/attribute.h"

#include "study/measure/measure.h"

#include <stdio.h>

static const double default_seconds = 0.5;

/* ---- texts ----------------------------------------------------------------------- */

/* The text of the API, or why there is none. */
static void ask_code(const plx_attributing *a, plx_subject *s, int api)
{
    plx_backend *backend = plx_subject_backend(a, s, api);
    plx_code *code = &s->texts->codes[api];
    plx_attribution *found = s->found;
    (void)snprintf(found->backends[api], sizeof found->backends[api], "%s", plx_backend_label(backend));
    s->texts->has[api] = plx_code_of(backend, &s->inputs->problem, s->kernel->name, code) == PLX_OK;
    if (s->texts->has[api])
        (void)snprintf(found->compilers[api], sizeof found->compilers[api], "%s", code->compiler);
    else
        (void)snprintf(found->reasons[api], sizeof found->reasons[api], "%s",
                       plx_message(plx_backend_context(backend)));
}

/* ---- cells ----------------------------------------------------------------------- */

static plx_candidate candidate_of(const plx_attributing *a, const plx_subject *s, plx_cell cell)
{
    const plx_cell_of *of = &plx_cells[cell];
    const size_t runner = s->backends[of->runner];
    return (plx_candidate){
        .backend = a->opened.backends[runner],
        .info = &a->opened.devices[runner].info,
        .device = runner,
        .buffers = &s->buffers[of->runner],
        .kernel = s->kernel,
        .code = of->text >= 0 ? &s->texts->codes[of->text] : NULL,
        .plain = of->text < 0 && !of->as_shipped,
        .outcome = PLX_OUTCOME_NOT_RUN,
    };
}

/* A kernel from a file whose text can't be moved is run by its own API all the same. */
static bool stays_at_home(const plx_subject *s, plx_cell cell)
{
    return (s->kernel->flags & PLX_KERNEL_ADDED) != 0 && plx_cells[cell].text == plx_cells[cell].runner;
}

static void run_cell(const plx_attributing *a, plx_subject *s, plx_cell cell, plx_candidate *candidate)
{
    static const plx_trial_effort effort = {.repeat = false};
    const int text = plx_cells[cell].text;
    *candidate = candidate_of(a, s, cell);
    if (text >= 0 && !s->texts->has[text] && stays_at_home(s, cell))
        candidate->code = NULL;
    if (text < 0 || s->texts->has[text] || stays_at_home(s, cell)) {
        plx_candidate_run(candidate, s->inputs, s->references, &effort);
        return;
    }
    candidate->outcome = PLX_OUTCOME_UNSUPPORTED;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", s->found->reasons[text]);
}

static plx_launch_facts *largest(plx_launch_facts *facts, size_t count)
{
    plx_launch_facts *found = facts;
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double threads = 1.0;
        for (int axis = 0; axis < 3; ++axis)
            threads *= (double)facts[i].grid[axis] * facts[i].block[axis];
        if (threads > most) {
            most = threads;
            found = &facts[i];
        }
    }
    return found;
}

static void describe_cell(const plx_candidate *candidate, plx_attributed_cell *cell)
{
    plx_launch_facts facts[PLX_MAX_ENTRIES];
    size_t count = 0;
    if (candidate->plan == NULL || plx_plan_launches(candidate->plan, facts, PLX_MAX_ENTRIES, &count) != PLX_OK ||
        count == 0)
        return;
    cell->launches = count;
    cell->launch = *largest(facts, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES);
    cell->described = true;
}

static void keep_cell(const plx_candidate *candidate, plx_attributed_cell *cell)
{
    cell->outcome = candidate->outcome;
    cell->error = candidate->error;
    cell->time = candidate->time;
    (void)snprintf(cell->reason, sizeof cell->reason, "%s", candidate->reason);
}

/* ---- the bits of one text ------------------------------------------------------------ */

/* The first cell with a result of the same text; the first API's own machine code is of its text, too. */
static int first_of_text(const plx_candidate *candidates, int cell)
{
    int first = 0;
    while (first < cell && ((plx_cells[first].text == PLX_SECOND_API) != (plx_cells[cell].text == PLX_SECOND_API) ||
                            !plx_candidate_has_result(&candidates[first])))
        ++first;
    return first;
}

/* Of the first cell that does so, what is said. */
static void note_other_bits(plx_attribution *found, const plx_candidate *candidates, int first, int cell,
                            const plx_pair *pair)
{
    const int text = plx_cells[cell].text == PLX_SECOND_API ? PLX_SECOND_API : PLX_FIRST_API;
    if (found->bits[0] == '\0')
        (void)snprintf(found->bits, sizeof found->bits,
                       "%s has other bits of %s's text than %s: element %lld is %s, not %s, and they are up to %.3g "
                       "units in the last place apart",
                       plx_backend_label(candidates[cell].backend), found->backends[text],
                       plx_backend_label(candidates[first].backend), (long long)pair->first_different,
                       pair->value_second, pair->value_first, pair->max_ulp);
}

/* Whoever runs a text, and whoever assembled it, has the same bits, but of kernels that do not promise their
 * own. */
static plx_status compare_bits(const plx_candidate *candidates, plx_subject *s, plx_error *error)
{
    const plx_reference_result *reference = NULL;
    plx_status status = PLX_OK;
    for (int cell = 0; status == PLX_OK && cell < PLX_CELL_COUNT; ++cell) {
        const int first = first_of_text(candidates, cell);
        plx_pair pair = {.identical = true};
        if (!plx_candidate_has_result(&candidates[cell]))
            continue;
        if (first != cell)
            status = plx_references_get(s->references, s->inputs, false, &reference, error);
        if (first != cell && status == PLX_OK) {
            const plx_judged_result one = {candidates[first].result, candidates[first].bound},
                                    other = {candidates[cell].result, candidates[cell].bound};
            plx_agree(s->inputs, reference, false, &one, &other, &pair);
        }
        s->found->cells[cell].same_bits = pair.identical;
        if (!pair.identical) {
            note_other_bits(s->found, candidates, first, cell, &pair);
            s->found->agree = s->found->agree && s->kernel->reproducibility == PLX_R2;
        }
    }
    return status;
}

/* ---- all cells --------------------------------------------------------------------------- */

static plx_status note_pair(void *data, size_t first, size_t second, const plx_pair *pair, plx_error *error)
{
    plx_attribution *found = data;
    (void)first;
    (void)second;
    (void)error;
    found->agree = found->agree && pair->agree;
    return PLX_OK;
}

static plx_status run_cells(const plx_attributing *a, plx_subject *s)
{
    plx_candidate candidates[PLX_CELL_COUNT];
    const plx_compare_options timing = {
        .seconds_per_kernel = a->options->seconds_per_cell > 0.0 ? a->options->seconds_per_cell : default_seconds};
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell)
        run_cell(a, s, (plx_cell)cell, &candidates[cell]);
    plx_status status = compare_bits(candidates, s, a->error);
    if (status == PLX_OK)
        status =
            plx_candidates_pair(candidates, PLX_CELL_COUNT, s->inputs, s->references, note_pair, s->found, a->error);
    if (status == PLX_OK)
        status = plx_measure_candidates(candidates, PLX_CELL_COUNT, s->inputs, s->references, &timing, a->error);
    for (int cell = 0; cell < PLX_CELL_COUNT; ++cell) {
        keep_cell(&candidates[cell], &s->found->cells[cell]);
        describe_cell(&candidates[cell], &s->found->cells[cell]);
        s->found->agree = s->found->agree && candidates[cell].outcome != PLX_OUTCOME_WRONG;
        plx_candidate_clear(&candidates[cell]);
    }
    return status;
}

/* ---- the kernel --------------------------------------------------------------------------- */

plx_status plx_attribute_kernel(const plx_attributing *a, plx_subject *s)
{
    s->found->device = s->backends[PLX_FIRST_API];
    for (int api = 0; api < PLX_APIS; ++api)
        ask_code(a, s, api);
    return run_cells(a, s);
}
