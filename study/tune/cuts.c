/* Which cuts of a problem are timed, and their times. */
#include "study/tune/cuts.h"

#include "study/measure/measure.h"
#include "study/results/results.h"

#include <stdlib.h>
#include <string.h>

/* Of a problem: the fastest, as the models expect; others that may tell something; and those that are timed
 * again. */
enum { HEAD = 12, DRAWN = 40, FINALISTS = 5, MOST_TIMED = 2 * HEAD + DRAWN + PLX_MOST_MODELLED + 1 };
static const double usual_seconds = 0.005, seconds_again = 10.0; /* again: times the seconds */
static const double hopeless = 3.0;                              /* over the least that is expected */

/* ---- kernels that have models -------------------------------------------------------------- */

static plx_status take_rates(plx_modelled *kernel, const plx_problem *problem, plx_error *error)
{
    plx_backend *backend = kernel->candidate.backend;
    const char *name = kernel->candidate.kernel->name;
    size_t count = 0;
    plx_status status = plx_explain(backend, plx_kernel_rates(backend, problem, name, NULL, 0, &count), error);
    if (status != PLX_OK || count == 0)
        return status;
    kernel->rates = calloc(count, sizeof *kernel->rates);
    if (kernel->rates == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the rates of %s", name);
    kernel->rate_count = count;
    status = plx_explain(backend, plx_kernel_rates(backend, problem, name, kernel->rates, count, &count), error);
    if (status == PLX_OK && count != kernel->rate_count)
        return plx_fail(error, PLX_FAILED, "%s: %s lists %zu rates, and then %zu", plx_backend_label(backend), name,
                        kernel->rate_count, count);
    return status;
}

/* A model is one that expects something of some problem: here, that its kernel can run. */
static bool has_model(const plx_candidate *kernel, const plx_problem *problem)
{
    double ignored;
    return kernel->kernel != NULL && kernel->config[0] == '\0' && !plx_candidate_is_baseline(kernel) &&
           plx_kernel_expect(kernel->backend, problem, kernel->kernel->name, NULL, NULL, &ignored) == PLX_OK;
}

plx_status plx_modelled_find(const plx_comparison *comparison, const plx_problem *problem,
                             plx_modelled_kernels *kernels, plx_error *error)
{
    static const char *const all[] = {"all"};
    plx_candidate *candidates;
    size_t count;
    plx_status status = plx_backends_candidates(&comparison->opened, problem, all, 1, &candidates, &count, error);
    *kernels = (plx_modelled_kernels){.count = 0};
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; status == PLX_OK && i < count && kernels->count < PLX_MOST_MODELLED; i++)
        if (has_model(&candidates[i], problem)) {
            kernels->list[kernels->count] = (plx_modelled){.candidate = candidates[i]};
            status = take_rates(&kernels->list[kernels->count++], problem, error);
        }
    free(candidates);
    return status;
}

void plx_modelled_free(plx_modelled_kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        free(kernels->list[i].rates);
        free(kernels->list[i].fitted);
    }
    kernels->count = 0;
}

/* ---- all cuts ----------------------------------------------------------------------------------- */

static plx_status add(plx_cuts *cuts, const plx_cut *cut, plx_error *error)
{
    if ((cuts->count & (cuts->count - 1)) == 0) { /* a power of two: full */
        plx_cut *grown = realloc(cuts->list, (cuts->count > 0 ? 2 * cuts->count : 1) * sizeof *grown);
        if (grown == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory for the cuts of a problem");
        cuts->list = grown;
    }
    cuts->list[cuts->count++] = *cut;
    return PLX_OK;
}

/* What the model expects by the rates that were fitted; where there are none, by its own. */
static void expect(const plx_cuts *cuts, plx_cut *cut)
{
    const plx_modelled *kernel = &cuts->kernels->list[cut->kernel];
    const plx_config *config = cut->config.number != 0 ? &cut->config : NULL;
    plx_backend *backend = kernel->candidate.backend;
    const char *name = kernel->candidate.kernel->name;
    if (plx_kernel_expect(backend, cuts->problem, name, config, NULL, &cut->expected_us) != PLX_OK ||
        plx_kernel_expect(backend, cuts->problem, name, config, kernel->fitted, &cut->by_fitted_us) != PLX_OK)
        cut->expected_us = cut->by_fitted_us = 0.0;
}

/* The kernel's own choice first. */
static plx_status add_kernel(plx_cuts *cuts, size_t which, bool chosen, plx_error *error)
{
    const plx_candidate *candidate = &cuts->kernels->list[which].candidate;
    size_t count;
    plx_config *configs = plx_candidate_configs(candidate, cuts->problem, &count);
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < (configs != NULL ? count : 1); i++) {
        plx_cut cut = {.kernel = (int)which, .chosen = chosen && i == 0};
        if (configs != NULL)
            cut.config = configs[i];
        expect(cuts, &cut);
        if (cut.expected_us > 0)
            status = add(cuts, &cut, error);
    }
    free(configs);
    return status;
}

static plx_status add_all(plx_cuts *cuts, const char *chosen, plx_error *error)
{
    plx_status status = PLX_OK;
    bool found = false;
    for (size_t i = 0; status == PLX_OK && i < cuts->kernels->count; i++) {
        const plx_candidate *kernel = &cuts->kernels->list[i].candidate;
        const bool is_chosen = strcmp(kernel->kernel->name, chosen) == 0;
        const size_t before = cuts->count;
        if (plx_supports(kernel->backend, cuts->problem, kernel->kernel->name) != PLX_OK)
            continue;
        status = add_kernel(cuts, i, is_chosen, error);
        found = found || (is_chosen && cuts->count > before);
    }
    return status == PLX_OK && !found ? add(cuts, &(plx_cut){.kernel = PLX_NO_MODEL, .chosen = true}, error) : status;
}

/* ---- which of them are timed ------------------------------------------------------------------------ */

/* Without a model there is nothing to expect: first. */
static int by_expectation(const void *a, const void *b)
{
    const plx_cut *one = a, *other = b;
    return (one->expected_us > other->expected_us) - (one->expected_us < other->expected_us);
}

static int by_fitted_expectation(const void *a, const void *b)
{
    const plx_cut *one = a, *other = b;
    return (one->by_fitted_us > other->by_fitted_us) - (one->by_fitted_us < other->by_fitted_us);
}

/* Moves what is taken to the front of the list. */
static void take(plx_cuts *cuts, size_t *taken, size_t which)
{
    const plx_cut kept = cuts->list[which];
    if (which < *taken || *taken >= MOST_TIMED)
        return;
    cuts->list[which] = cuts->list[*taken];
    cuts->list[(*taken)++] = kept;
}

static void take_head(plx_cuts *cuts, size_t *taken, int (*order)(const void *, const void *))
{
    const size_t from = *taken;
    if (cuts->count > from)
        qsort(cuts->list + from, cuts->count - from, sizeof *cuts->list, order);
    for (size_t i = from; i < cuts->count && i < from + HEAD; i++)
        take(cuts, taken, i);
}

/* Of those that are not hopeless, by the problem's place alone: the same each time. */
static void take_drawn(plx_cuts *cuts, size_t *taken, double least)
{
    size_t end = *taken;
    if (cuts->count > end)
        qsort(cuts->list + end, cuts->count - end, sizeof *cuts->list, by_expectation);
    while (end < cuts->count && cuts->list[end].expected_us <= hopeless * least)
        end++;
    for (uint64_t i = 0; i < DRAWN && *taken < end; i++)
        take(cuts, taken, *taken + plx_random(cuts->group, 811, i) % (end - *taken));
}

/* The least that is expected; `count`: of nothing anything is. */
static size_t least_of(const plx_cuts *cuts, bool by_fitted)
{
    size_t least = cuts->count;
    for (size_t i = 0; i < cuts->count; i++) {
        const plx_cut *cut = &cuts->list[i], *best = &cuts->list[least];
        if (cut->kernel != PLX_NO_MODEL && (least == cuts->count || (by_fitted ? cut->by_fitted_us < best->by_fitted_us
                                                                               : cut->expected_us < best->expected_us)))
            least = i;
    }
    return least;
}

/* What the backend would choose by the rates that were fitted.  It may take another kernel for the same cut,
 * or be led by more than models: where the least is what it was, so is its choice. */
static void mark_chosen(plx_cuts *cuts)
{
    const size_t own = least_of(cuts, false), by_fitted = least_of(cuts, true);
    for (size_t i = 0; i < cuts->count; i++)
        cuts->list[i].chosen_by_fitted = own == by_fitted ? cuts->list[i].chosen : i == by_fitted;
}

/* Of each kernel the one that should take the least time: what would be taken if others were left out. */
static void take_best_of_each(plx_cuts *cuts, size_t *taken)
{
    for (size_t kernel = 0; kernel < cuts->kernels->count; kernel++) {
        size_t best = cuts->count;
        for (size_t i = 0; i < cuts->count; i++)
            if (cuts->list[i].kernel == (int)kernel &&
                (best == cuts->count || cuts->list[i].expected_us < cuts->list[best].expected_us))
                best = i;
        if (best < cuts->count)
            take(cuts, taken, best);
    }
}

static void choose_cuts(plx_cuts *cuts)
{
    const size_t own = least_of(cuts, false);
    const double least = own < cuts->count ? cuts->list[own].expected_us : 0.0;
    size_t taken = 0;
    mark_chosen(cuts);
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->list[i].chosen || cuts->list[i].chosen_by_fitted)
            take(cuts, &taken, i);
    take_best_of_each(cuts, &taken);
    take_head(cuts, &taken, by_fitted_expectation);
    take_head(cuts, &taken, by_expectation);
    if (cuts->to_fit)
        take_drawn(cuts, &taken, least);
    cuts->count = taken;
}

/* ---- their times ---------------------------------------------------------------------------------- */

static plx_candidate candidate_of(const plx_cuts *cuts, const plx_cut *cut, const plx_candidate *chosen)
{
    plx_candidate made = cut->chosen ? *chosen : cuts->kernels->list[cut->kernel].candidate;
    made.named = !cut->chosen;
    if (!cut->chosen)
        memcpy(made.config, cut->config.name, sizeof made.config);
    return made;
}

/* The fastest to the front, each with its cut, and with them what was chosen. */
static size_t take_finalists(plx_candidate *candidates, plx_cut *list, size_t count)
{
    size_t taken = 0;
    for (int round = 0; round < FINALISTS + 2; round++) {
        size_t best = count;
        for (size_t i = taken; i < count; i++) {
            const bool wanted = round >= FINALISTS ? list[i].chosen || list[i].chosen_by_fitted : true;
            if (wanted && candidates[i].time.measured &&
                (best == count || candidates[i].time.median_ns < candidates[best].time.median_ns))
                best = i;
        }
        if (best == count)
            continue;
        const plx_candidate candidate = candidates[best];
        const plx_cut cut = list[best];
        candidates[best] = candidates[taken];
        list[best] = list[taken];
        candidates[taken] = candidate;
        list[taken++] = cut;
    }
    return taken;
}

static plx_status measure(plx_cuts *cuts, plx_candidate *candidates, const plx_inputs *inputs,
                          plx_references *references, plx_error *error)
{
    plx_compare_options options = *cuts->comparison->options;
    if (!(options.seconds_per_kernel > 0))
        options.seconds_per_kernel = usual_seconds;
    plx_status status = plx_measure_candidates(candidates, cuts->count, inputs, NULL, &options, error);
    if (status != PLX_OK || cuts->to_fit)
        return status;
    options.seconds_per_kernel *= seconds_again;
    const size_t finalists = take_finalists(candidates, cuts->list, cuts->count);
    return plx_measure_candidates(candidates, finalists, inputs, references, &options, error);
}

static plx_status add_record(const plx_cuts *cuts, const plx_candidate *candidate, const plx_inputs *inputs,
                             plx_error *error)
{
    plx_record record;
    plx_record_fill(&record, candidate, inputs, cuts->group);
    plx_record_take_config(&record, candidate->plan);
    if (record.time.measured) {
        record.gbps = inputs->operation->bytes(&inputs->problem) / record.time.median_ns;
        record.gflops = plx_problem_flops(&inputs->problem) / record.time.median_ns;
    }
    record.formula_bytes = inputs->operation->bytes(&inputs->problem);
    return plx_results_add_record(cuts->comparison->results, &record, error);
}

static plx_status time_on(plx_cuts *cuts, plx_candidate *candidates, const plx_candidate *chosen,
                          const plx_inputs *inputs, plx_error *error)
{
    plx_guarded_operands buffers = {.backend = chosen->backend};
    plx_references references = {.has_copy = false};
    const plx_trial_effort effort = {.shift = cuts->shift};
    for (size_t i = 0; i < cuts->count; i++) {
        candidates[i] = candidate_of(cuts, &cuts->list[i], chosen);
        candidates[i].buffers = &buffers;
        plx_candidate_run(&candidates[i], inputs, &references, &effort);
        candidates[i].buffers = NULL;
    }
    plx_guarded_operands_clear(&buffers);
    plx_status status = measure(cuts, candidates, inputs, &references, error);
    plx_references_free(&references);
    for (size_t i = 0; i < cuts->count; i++) {
        const plx_candidate *candidate = &candidates[i];
        const plx_timing *time = &candidate->time; /* a noisy one, too: a choice is not told by ranks */
        const bool good = candidate->outcome == PLX_OUTCOME_OK && time->measured && time->median_ns > 0;
        cuts->list[i].us = good ? time->median_ns / 1e3 : 0.0;
        if (status == PLX_OK)
            status = add_record(cuts, candidate, inputs, error);
        plx_candidate_clear(&candidates[i]);
    }
    return status;
}

/* What the backend chooses by itself, whatever was tuned. */
static plx_status find_chosen(const plx_cuts *cuts, plx_candidate *chosen, plx_error *error)
{
    plx_backend *backend = cuts->kernels->list[0].candidate.backend;
    const plx_kernel *kernel;
    plx_candidate *found;
    size_t count;
    plx_status status = plx_explain(backend, plx_choose_untuned(backend, cuts->problem, &kernel), error);
    if (status == PLX_OK)
        status =
            plx_backends_candidates(&cuts->comparison->opened, cuts->problem, &kernel->name, 1, &found, &count, error);
    if (status != PLX_OK)
        return status;
    *chosen = found[0];
    free(found);
    return PLX_OK;
}

static plx_status time_chosen(plx_cuts *cuts, const plx_candidate *chosen, plx_error *error)
{
    const plx_compare_options *options = cuts->comparison->options;
    plx_inputs inputs;
    plx_status status = plx_inputs_make_for(plx_backend_device(chosen->backend), cuts->problem, NULL, 0, options->input,
                                            options->seed, &inputs, error);
    if (status != PLX_OK)
        return status;
    inputs.shift = cuts->shift;
    plx_candidate *candidates = calloc(cuts->count, sizeof *candidates);
    status = candidates != NULL ? time_on(cuts, candidates, chosen, &inputs, error)
                                : plx_fail(error, PLX_NO_MEMORY, "no memory for the cuts of a problem");
    free(candidates);
    plx_inputs_free(&inputs);
    return status;
}

plx_status plx_cuts_time(plx_cuts *cuts, plx_error *error)
{
    plx_candidate chosen;
    plx_status status = find_chosen(cuts, &chosen, error);
    if (status == PLX_OK)
        status = add_all(cuts, chosen.kernel->name, error);
    if (status != PLX_OK)
        return status;
    choose_cuts(cuts);
    return time_chosen(cuts, &chosen, error);
}

void plx_cuts_free(plx_cuts *cuts)
{
    free(cuts->list);
    cuts->list = NULL;
    cuts->count = 0;
}
