/* plx_tune_choice: how far what a backend chooses is from the best, and rates that are fitted to what was
 * timed. */
#include "base/clock.h"
#include "study/results/results.h"
#include "study/tune/cuts.h"
#include "study/tune/rates.h"

#include <parallax/bench.h>
#include <parallax/tune.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of three problems the last is judged by. */
enum { PARTS = 3, LEAST_TIMES = 5 }; /* times: for each rate */
static const double usual_budget = 60.0, share_to_fit = 0.6, near = 1.05, lost = 1.1;
/* Judging tens of results of more takes longer than all that others tell. */
static const double most_bytes_to_fit = 256 << 20;

/* A cut that was timed, for the fit. */
typedef struct timed_cut {
    size_t problem;
    plx_config config;
    double us;
} timed_cut;

typedef struct timed_list {
    timed_cut *list;
    size_t count;
} timed_list;

typedef struct study {
    const plx_choice_options *options;
    plx_compare_options how;
    plx_comparison comparison;
    plx_results *results;
    plx_choice_study *found;
    plx_set_case *problems;
    size_t problem_count;
    plx_modelled_kernels kernels;
    timed_list timed[PLX_MOST_MODELLED]; /* of each kernel */
    double begun, budget;                /* seconds */
    double log_chosen, log_fitted;       /* sums */
    double log_left_out[PLX_MOST_MODELLED];
    plx_error *error;
} study;

static double elapsed(const study *s)
{
    return plx_now_ns() / 1e9 - s->begun;
}

/* ---- problems ------------------------------------------------------------------------------- */

static plx_status add_problem(study *s, const plx_set_case *added)
{
    plx_set_case *grown = realloc(s->problems, (s->problem_count + 1) * sizeof *grown);
    if (grown == NULL)
        return plx_fail(s->error, PLX_NO_MEMORY, "no memory for the problems");
    s->problems = grown;
    grown[s->problem_count++] = *added;
    return PLX_OK;
}

static plx_status add_set(study *s, const char *set)
{
    plx_set_case found;
    plx_status status = plx_set_check(set, s->error);
    for (size_t i = 0; status == PLX_OK && plx_set_at(set, i, &found); i++) {
        found.problem.dtype = s->options->dtype;
        if (found.problem.op == s->options->op)
            status = add_problem(s, &found);
    }
    return status;
}

static plx_status find_problems(study *s)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->options->set_count; i++)
        status = add_set(s, s->options->sets[i]);
    for (size_t i = 0; status == PLX_OK && i < s->how.problem_count; i++)
        status = add_problem(s, &(plx_set_case){.problem = s->how.problems[i]});
    if (status == PLX_OK && s->problem_count == 0)
        status = plx_fail(s->error, PLX_INVALID, "the sets have no problem of %s", plx_op_name(s->options->op));
    return status;
}

/* ---- times ------------------------------------------------------------------------------------ */

static bool goes_to_fit(const study *s, size_t problem)
{
    return s->options->rates != NULL && problem % PARTS != PARTS - 1;
}

static bool is_too_large_to_fit(const plx_problem *problem)
{
    return plx_operation_of(problem->op)->bytes(problem) > most_bytes_to_fit;
}

static void progress(const study *s, size_t which)
{
    char text[200], problem[160];
    if (s->how.progress == NULL)
        return;
    plx_problem_text(&s->problems[which].problem, s->problems[which].shift, problem, sizeof problem);
    (void)snprintf(text, sizeof text, "%s %.150s", goes_to_fit(s, which) ? "to fit:" : "to judge:", problem);
    s->how.progress(s->how.progress_data, (size_t)(1000.0 * fmin(elapsed(s) / s->budget, 1.0)), 1000, text);
}

static plx_status keep(timed_list *list, const timed_cut *cut, plx_error *error)
{
    if ((list->count & (list->count - 1)) == 0) { /* a power of two: full */
        timed_cut *grown = realloc(list->list, (list->count > 0 ? 2 * list->count : 1) * sizeof *grown);
        if (grown == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no memory for the times");
        list->list = grown;
    }
    list->list[list->count++] = *cut;
    return PLX_OK;
}

static plx_status keep_times(study *s, const plx_cuts *cuts, size_t problem)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < cuts->count; i++) {
        const plx_cut *cut = &cuts->list[i];
        if (cut->us > 0 && cut->kernel != PLX_NO_MODEL)
            status = keep(&s->timed[cut->kernel], &(timed_cut){problem, cut->config, cut->us}, s->error);
    }
    return status;
}

static void count_regret(plx_regret *regret, double *sum, double ratio, const plx_set_case *problem)
{
    regret->problems++;
    regret->within += ratio <= near;
    *sum += log(ratio);
    regret->mean = exp(*sum / (double)regret->problems);
    if (ratio <= regret->most)
        return;
    regret->most = ratio;
    regret->most_at = problem->problem;
    regret->most_at_shift = problem->shift;
}

/* What models expect to be the fastest of all kernels but this one, of what was timed; NULL: there is no other. */
static const plx_cut *best_without(const plx_cuts *cuts, int kernel)
{
    const plx_cut *best = NULL;
    for (size_t i = 0; i < cuts->count; i++) {
        const plx_cut *cut = &cuts->list[i];
        if (cut->us > 0 && cut->kernel != kernel && cut->kernel != PLX_NO_MODEL &&
            (best == NULL || cut->expected_us < best->expected_us))
            best = cut;
    }
    return best;
}

/* Where it is not what is chosen, nothing changes. */
static void leave_out(study *s, const plx_cuts *cuts, const plx_cut *chosen, size_t which)
{
    const bool is_chosen = chosen->kernel == (int)which;
    const plx_cut *other = is_chosen ? best_without(cuts, (int)which) : chosen;
    plx_kernel_without *left = &s->found->without[which];
    if (other == NULL)
        return;
    const double ratio = other->us / chosen->us;
    left->problems++;
    left->chosen += is_chosen;
    left->lost += ratio > lost;
    s->log_left_out[which] += log(ratio);
    left->mean = exp(s->log_left_out[which] / (double)left->problems);
}

/* A problem whose choice has no time tells nothing. */
static void judge(study *s, const plx_cuts *cuts, const plx_set_case *problem)
{
    double least = INFINITY, chosen = 0.0, by_fitted = 0.0;
    const plx_cut *chosen_cut = NULL;
    for (size_t i = 0; i < cuts->count; i++) {
        const plx_cut *cut = &cuts->list[i];
        if (cut->us > 0)
            least = fmin(least, cut->us);
        chosen = cut->chosen ? cut->us : chosen;
        chosen_cut = cut->chosen ? cut : chosen_cut;
        by_fitted = cut->chosen_by_fitted ? cut->us : by_fitted;
    }
    if (!(chosen > 0) || !(by_fitted > 0))
        return;
    count_regret(&s->found->chosen, &s->log_chosen, chosen / least, problem);
    if (s->found->fitted)
        count_regret(&s->found->by_fitted, &s->log_fitted, by_fitted / least, problem);
    for (size_t i = 0; i < s->kernels.count; i++)
        leave_out(s, cuts, chosen_cut, i);
}

static plx_status time_problem(study *s, size_t which, bool to_fit)
{
    plx_cuts cuts = {
        .comparison = &s->comparison,
        .kernels = &s->kernels,
        .problem = &s->problems[which].problem,
        .shift = to_fit ? 0 : s->problems[which].shift, /* a model is told of problems, not where operands begin */
        .group = which,
        .to_fit = to_fit,
    };
    progress(s, which);
    plx_status status = plx_cuts_time(&cuts, s->error);
    if (status == PLX_OK) {
        s->found->problems++;
        if (to_fit)
            status = keep_times(s, &cuts, which);
        else
            judge(s, &cuts, &s->problems[which]);
    }
    plx_cuts_free(&cuts);
    return status == PLX_NO_MEMORY || status == PLX_UNSUPPORTED ? PLX_OK : status; /* too large: the others tell */
}

/* Until so many seconds have gone. */
static plx_status time_problems(study *s, bool to_fit, double until)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->problem_count && elapsed(s) < until; i++)
        if (goes_to_fit(s, i) == to_fit && !(to_fit && is_too_large_to_fit(&s->problems[i].problem)))
            status = time_problem(s, i, to_fit);
    return status;
}

/* ---- the fit --------------------------------------------------------------------------------------- */

typedef struct fitted_kernel {
    const study *study;
    const plx_modelled *kernel;
    const timed_list *timed;
} fitted_kernel;

static double expect(void *data, size_t time, const double *rates)
{
    const fitted_kernel *f = data;
    const timed_cut *cut = &f->timed->list[time];
    const plx_candidate *kernel = &f->kernel->candidate;
    double us;
    return plx_kernel_expect(kernel->backend, &f->study->problems[cut->problem].problem, kernel->kernel->name,
                             cut->config.number != 0 ? &cut->config : NULL, rates, &us) == PLX_OK
               ? us
               : cut->us;
}

static plx_status write_rates(const study *s, const plx_modelled *kernel, const plx_rates_fit *fit)
{
    char path[4096], origin[600];
    plx_environment now;
    const plx_device_info *device = plx_backend_device(kernel->candidate.backend);
    plx_environment_now(&now);
    (void)snprintf(path, sizeof path, "%s/%s.h", s->options->rates, fit->kernel);
    (void)snprintf(origin, sizeof origin,
                   "By `%.200s` on %.64s, driver %.32s, with kernels %.12s, %.10s: %zu times, off by %.1f %% typically",
                   s->options->command, device->name, device->driver, now.kernels_hash, now.date, fit->times,
                   100.0 * fit->after);
    return plx_rates_write(path, origin, kernel->rates, kernel->fitted, kernel->rate_count, s->error);
}

static plx_status fit_kernel(study *s, size_t which)
{
    plx_modelled *kernel = &s->kernels.list[which];
    const timed_list *timed = &s->timed[which];
    plx_rates_fit *told = &s->found->fits[s->found->fit_count++];
    fitted_kernel data = {s, kernel, timed};
    plx_fit fit = {.rates = kernel->rates, .rate_count = kernel->rate_count, .time_count = timed->count};
    *told = (plx_rates_fit){.times = timed->count};
    (void)snprintf(told->kernel, sizeof told->kernel, "%s", kernel->candidate.kernel->name);
    if (timed->count < LEAST_TIMES * kernel->rate_count)
        return PLX_OK;
    double *us = calloc(timed->count, sizeof *us);
    kernel->fitted = calloc(kernel->rate_count, sizeof *kernel->fitted);
    if (us == NULL || kernel->fitted == NULL) {
        free(us);
        return plx_fail(s->error, PLX_NO_MEMORY, "no memory for the rates of %s", told->kernel);
    }
    for (size_t i = 0; i < timed->count; i++)
        us[i] = timed->list[i].us;
    fit.us = us;
    fit.expect = expect;
    fit.data = &data;
    plx_status status = plx_fit_rates(&fit, kernel->fitted, s->error);
    free(us);
    told->rates = kernel->rate_count;
    told->before = fit.before;
    told->after = fit.after;
    s->found->fitted = true;
    return status;
}

static plx_status fit_all(study *s)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->kernels.count; i++)
        if (s->kernels.list[i].rate_count > 0)
            status = fit_kernel(s, i);
    return status;
}

static plx_status write_all(const study *s)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < s->found->fit_count; i++)
        for (size_t k = 0; status == PLX_OK && k < s->kernels.count; k++)
            if (s->found->fits[i].rates > 0 &&
                strcmp(s->kernels.list[k].candidate.kernel->name, s->found->fits[i].kernel) == 0)
                status = write_rates(s, &s->kernels.list[k], &s->found->fits[i]);
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static plx_status check(const study *s)
{
    if (s->comparison.opened.count != 1)
        return plx_fail(s->error, PLX_INVALID, "the choice of one backend is told at a time, not of %zu",
                        s->comparison.opened.count);
    return PLX_OK;
}

/* Of the first problem; a kernel that can't run it may still have a model. */
static plx_status find_models(study *s)
{
    plx_status status = plx_modelled_find(&s->comparison, &s->problems[0].problem, &s->kernels, s->error);
    if (status == PLX_OK && s->kernels.count == 0)
        status = plx_fail(s->error, PLX_UNSUPPORTED, "no kernel of %s on %s has a model of its time",
                          plx_op_name(s->options->op), plx_backend_name(s->comparison.opened.backends[0]));
    if (status == PLX_OK)
        s->found->without = calloc(s->kernels.count, sizeof *s->found->without);
    if (status == PLX_OK && s->found->without == NULL)
        status = plx_fail(s->error, PLX_NO_MEMORY, "no memory for the kernels");
    for (size_t i = 0; status == PLX_OK && i < s->kernels.count; i++)
        (void)snprintf(s->found->without[i].kernel, sizeof s->found->without[i].kernel, "%s",
                       s->kernels.list[i].candidate.kernel->name);
    s->found->without_count = status == PLX_OK ? s->kernels.count : 0;
    return status;
}

static plx_status run(study *s)
{
    plx_status status = check(s);
    if (status == PLX_OK)
        status = find_models(s);
    if (status != PLX_OK)
        return status;
    (void)snprintf(s->found->backend, sizeof s->found->backend, "%s",
                   plx_backend_label(s->comparison.opened.backends[0]));
    status = time_problems(s, true, share_to_fit * s->budget);
    if (status == PLX_OK && s->options->rates != NULL)
        status = fit_all(s);
    if (status == PLX_OK)
        status = time_problems(s, false, s->budget);
    plx_backends_environment(&s->comparison.opened, s->results);
    return status == PLX_OK && s->found->fitted ? write_all(s) : status;
}

static plx_status run_open(study *s, plx_context *context)
{
    plx_status status = find_problems(s);
    if (status == PLX_OK)
        status = plx_comparison_open(&s->comparison, context, &s->how, s->results, s->error);
    if (status != PLX_OK)
        return status;
    status = run(s);
    plx_modelled_free(&s->kernels);
    plx_comparison_close(&s->comparison);
    return status;
}

plx_status plx_tune_choice(plx_context *context, const plx_choice_options *options, plx_results *results,
                           plx_error *error)
{
    static const char *const best[] = {"auto"};
    plx_results made = {.choice = calloc(1, sizeof *made.choice)};
    study s = {.options = options, .how = options->compare, .results = &made, .found = made.choice, .error = error};
    s.begun = plx_now_ns() / 1e9;
    s.budget = options->compare.seconds_in_all > 0 ? options->compare.seconds_in_all : usual_budget;
    if (s.how.backend_count == 0) {
        s.how.backends = best;
        s.how.backend_count = 1;
    }
    plx_status status =
        made.choice != NULL ? run_open(&s, context) : plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
    free(s.problems);
    for (size_t i = 0; i < PLX_MOST_MODELLED; i++)
        free(s.timed[i].list);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}
