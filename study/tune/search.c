/* The search for the fastest configuration: a few at a time, what the models expect to be fast first. */
#include "study/tune/search.h"

#include "base/clock.h"
#include "study/measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At once as many as are timed in turns; the fastest of all, and what is wrong, are compared afterwards. */
enum { AT_ONCE = 8, FASTEST = 4 };
static const double seconds_each = 0.05, hopeless = 2.0;

/* A configuration of a kernel. */
typedef struct choice {
    plx_candidate candidate;
    double expected_us; /* 0: nobody knows */
    size_t turn;        /* in the order of the kernels' lists */
} choice;

typedef struct choices {
    choice *list;
    size_t count;
} choices;

/* ---- what there is --------------------------------------------------------------- */

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the configurations");
}

/* All of a kernel but the one that it takes by itself, which is compared anyway. */
static plx_status add_kernel(const plx_candidate *kernel, const plx_problem *problem, choices *to, plx_error *error)
{
    size_t count;
    plx_config *configs = plx_candidate_configs(kernel, problem, &count);
    if (configs == NULL)
        return PLX_OK;
    choice *grown = realloc(to->list, (to->count + count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(configs);
        return no_memory(error);
    }
    to->list = grown;
    for (size_t i = 1; i < count; ++i) {
        choice *added = &to->list[to->count++];
        *added = (choice){*kernel, configs[i].expected_us, to->count};
        memcpy(added->candidate.config, configs[i].name, sizeof added->candidate.config);
    }
    free(configs);
    return PLX_OK;
}

/* What nobody knows comes last, in the order of the lists. */
static int by_expectation(const void *a, const void *b)
{
    const choice *one = a, *other = b;
    const double first = one->expected_us > 0 ? one->expected_us : INFINITY;
    const double second = other->expected_us > 0 ? other->expected_us : INFINITY;

    if (first != second)
        return first < second ? -1 : 1;
    return one->turn < other->turn ? -1 : one->turn > other->turn;
}

static plx_status list_choices(const plx_search *search, choices *to, plx_error *error)
{
    plx_candidate *kernels;
    size_t count;
    const plx_comparison *c = search->comparison;
    plx_status status = plx_backends_candidates(&c->opened, search->problem, c->options->kernels,
                                                c->options->kernel_count, &kernels, &count, error);

    if (status != PLX_OK)
        return status;
    for (size_t i = 0; status == PLX_OK && i < count; ++i)
        if (kernels[i].kernel != NULL && kernels[i].config[0] == '\0' && !plx_candidate_is_baseline(&kernels[i]))
            status = add_kernel(&kernels[i], search->problem, to, error);
    free(kernels);
    if (to->count > 0)
        qsort(to->list, to->count, sizeof *to->list, by_expectation);
    return status;
}

/* ---- what is fast -------------------------------------------------------------------- */

/* The fastest so far, in their order, and what was not right. */
typedef struct standings {
    char fastest[FASTEST][64], wrong[PLX_MOST_FINALISTS - FASTEST][64];
    double time_ns[FASTEST];
    size_t fast, bad;
} standings;

static void enter(standings *s, const plx_candidate *candidate)
{
    const double time = candidate->time.median_ns;
    size_t place = s->fast < FASTEST ? s->fast++ : FASTEST;

    while (place > 0 && time < s->time_ns[place - 1]) {
        --place;
        if (place + 1 < FASTEST) {
            memcpy(s->fastest[place + 1], s->fastest[place], sizeof s->fastest[place]);
            s->time_ns[place + 1] = s->time_ns[place];
        }
    }
    if (place == FASTEST)
        return;
    plx_candidate_name(candidate, s->fastest[place]);
    s->time_ns[place] = time;
}

static void note(standings *s, const plx_candidate *candidate)
{
    if (candidate->outcome == PLX_OUTCOME_OK && plx_timing_counts(&candidate->time))
        enter(s, candidate);
    else if ((candidate->outcome == PLX_OUTCOME_WRONG || candidate->outcome == PLX_OUTCOME_FAILED) &&
             s->bad < PLX_MOST_FINALISTS - FASTEST)
        plx_candidate_name(candidate, s->wrong[s->bad++]);
}

static void take_finalists(plx_search *search, const standings *s)
{
    for (size_t i = 0; i < s->bad; ++i)
        memcpy(search->finalists[search->finalist_count++], s->wrong[i], sizeof s->wrong[i]);
    for (size_t i = 0; i < s->fast; ++i)
        memcpy(search->finalists[search->finalist_count++], s->fastest[i], sizeof s->fastest[i]);
}

/* ---- trying them --------------------------------------------------------------------- */

/* A search under way. */
typedef struct attempt {
    plx_search *search;
    plx_inputs inputs;
    plx_references references;
    plx_guarded_operands buffers;
    standings standings;
    double begun; /* seconds */
} attempt;

static double elapsed(const attempt *a)
{
    return plx_now_ns() / 1e9 - a->begun;
}

static void tell(const attempt *a)
{
    const plx_search *search = a->search;
    const double share = search->seconds > 0 ? elapsed(a) / search->seconds : 1.0;
    char text[200] = "";

    if (search->progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "%s: %zu of %zu tried%s%s", plx_backend_label(search->backend), search->tried,
                   search->known, a->standings.fast > 0 ? ", fastest " : "",
                   a->standings.fast > 0 ? a->standings.fastest[0] : "");
    search->progress(search->progress_data, share < 1.0 ? share : 1.0, text);
}

static plx_status time_some(attempt *a, plx_candidate *candidates, size_t count, plx_error *error)
{
    plx_compare_options options = *a->search->comparison->options;
    const plx_trial_effort effort = {.shift = 0};
    plx_status status;

    options.seconds_per_kernel = seconds_each;
    for (size_t i = 0; i < count; ++i)
        plx_candidate_run(&candidates[i], &a->inputs, &a->references, &effort);
    plx_guarded_operands_clear(&a->buffers);
    status = plx_measure_candidates(candidates, count, &a->inputs, &a->references, &options, error);
    for (size_t i = 0; i < count; ++i) {
        if (status == PLX_OK)
            note(&a->standings, &candidates[i]);
        plx_candidate_clear(&candidates[i]);
    }
    return status;
}

/* A model is right to within far less than this. */
static bool is_hopeless(const attempt *a, const choice *next)
{
    return a->standings.fast > 0 && next->expected_us * 1e3 > hopeless * a->standings.time_ns[0];
}

/* The first few are tried however little time there is: what was listed for so long is not for nothing. */
static bool has_time(const attempt *a)
{
    return !plx_studies_stopped() && (a->search->tried == 0 || elapsed(a) < a->search->seconds);
}

static plx_status try_choices(attempt *a, const choices *all, plx_error *error)
{
    plx_search *search = a->search;
    plx_status status = PLX_OK;

    while (status == PLX_OK && search->tried < all->count && has_time(a) &&
           !is_hopeless(a, &all->list[search->tried])) {
        plx_candidate some[AT_ONCE];
        size_t count = 0;
        for (; count < AT_ONCE && search->tried < all->count; ++count, ++search->tried) {
            some[count] = all->list[search->tried].candidate;
            some[count].buffers = &a->buffers;
        }
        status = time_some(a, some, count, error);
        tell(a);
    }
    return status;
}

plx_status plx_search_configs(plx_search *search, plx_error *error)
{
    const plx_compare_options *options = search->comparison->options;
    attempt a = {.search = search, .buffers = {.backend = search->backend}, .begun = plx_now_ns() / 1e9};
    choices all = {NULL, 0};
    plx_status status = list_choices(search, &all, error);

    search->known = all.count;
    if (status == PLX_OK && all.count > 0) {
        status = plx_inputs_make_for(plx_backend_device(search->backend), search->problem, NULL, 0, options->input,
                                     options->seed, &a.inputs, error);
        if (status == PLX_OK) {
            status = try_choices(&a, &all, error);
            plx_guarded_operands_clear(&a.buffers);
            plx_references_free(&a.references);
            plx_inputs_free(&a.inputs);
        }
    }
    free(all.list);
    take_finalists(search, &a.standings);
    return status;
}
