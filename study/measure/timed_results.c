/* Judges what timed launches left in their operands.  Which of them is drawn when they are over: nothing that
 * happens before a launch tells. */
#define _XOPEN_SOURCE 700

#include "study/measure/timed_results.h"

#include "base/clock.h"
#include "base/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SAMPLED = 64,
    FEW_LINES = 6,
    FEW_ELEMENTS = 6,
    PATCHED_LINES = 4,
    MOST_SAMPLED = SAMPLED + 4 + 2 * FEW_LINES * FEW_ELEMENTS
};
/* Multiply-adds of a reference: up to the first all elements are judged in every look, without other threads; above the
 * second products are judged by Freivalds' test and a sample. */
static const double cheap = 0x1p14, dear = 0x1p27;
/* What is read at a time to see whether it was there already. */
static const uint64_t most_read = UINT64_C(1) << 25;

static size_t output_of(const plx_timed_results *t)
{
    return t->inputs->operation->output;
}

static const plx_extent *output_extent(const plx_timed_results *t)
{
    return &t->inputs->extents[output_of(t)];
}

static bool is_baseline(const plx_timed_results *t)
{
    return plx_candidate_is_baseline(t->candidate);
}

static plx_status stage(plx_timed_results *t, plx_error *error)
{
    if (t->staging == NULL)
        t->staging = plx_large_alloc(t->sets->bytes[output_of(t)] + 1);
    return t->staging != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at what was timed");
}

/* ---- which elements ------------------------------------------------------------------------ */

typedef struct sample {
    int64_t element[MOST_SAMPLED];
    int64_t count;
} sample;

static void add_element(sample *s, int64_t element)
{
    if (s->count < MOST_SAMPLED)
        s->element[s->count++] = element;
}

static void add_random(plx_timed_results *t, sample *s)
{
    const int64_t cols = output_extent(t)->cols, rows = output_extent(t)->rows * plx_inputs_count(t->inputs);

    add_element(s, 0);
    add_element(s, cols - 1);
    add_element(s, (rows - 1) * cols);
    add_element(s, rows * cols - 1);
    for (int i = 0; i < SAMPLED; ++i)
        add_element(s, (int64_t)plx_roll_below(&t->dice, (uint64_t)(rows * cols)));
}

/* Elements of the output that a line of an operand goes into. */
static void add_line(plx_timed_results *t, size_t operand, int64_t line, int elements, sample *s)
{
    const plx_extent *output = output_extent(t);

    if (t->inputs->operation->output_rank == 1) {
        add_element(s, line);
        return;
    }
    for (int i = 0; i < elements; ++i) {
        const uint64_t others = (uint64_t)(operand == 0 ? output->cols : output->rows);
        const int64_t other = (int64_t)plx_roll_below(&t->dice, others);
        add_element(s, operand == 0 ? line * output->cols + other : other * output->cols + line);
    }
}

/* A part of the set is other data than before: where that is lines, elements that they go into. */
static void add_patched(plx_timed_results *t, const plx_contents *contents, sample *s)
{
    const size_t operand = contents->patched;
    const plx_extent *e = operand < PLX_MAX_OPERANDS ? &t->inputs->extents[operand] : NULL;

    if (e == NULL || operand > 1 || e->sum_axis != 1 || e->rows < 2 || plx_inputs_is_batch(t->inputs))
        return;
    for (int i = 0; i < PATCHED_LINES; ++i)
        add_line(t, operand,
                 (contents->patch_at + (int64_t)plx_roll_below(&t->dice, (uint64_t)contents->patch_count)) / e->ld, 2,
                 s);
}

/* Lines with few terms, from a random one on. */
static void add_few(plx_timed_results *t, const plx_contents *draw, sample *s)
{
    for (size_t operand = 0; operand < 2; ++operand) {
        const plx_extent *e = &t->inputs->extents[operand];
        const int64_t lines = e->sum_axis == 1 ? e->rows : e->cols;
        const int64_t from = (int64_t)plx_roll_below(&t->dice, (uint64_t)lines);
        int found = 0;
        if (t->sets->pool->of[operand].few == NULL)
            continue;
        for (int64_t i = 0; found < FEW_LINES && i < lines; ++i) {
            const int64_t line = (from + i) % lines;
            if (!plx_pool_has_few(t->sets->pool, draw, operand, line))
                continue;
            add_line(t, operand, line, FEW_ELEMENTS, s);
            ++found;
        }
    }
}

/* ---- verdicts ---------------------------------------------------------------------------------- */

typedef struct references {
    double value[MOST_SAMPLED], tail[MOST_SAMPLED], magnitude[MOST_SAMPLED];
    _Alignas(16) unsigned char exact[MOST_SAMPLED * 16];
} references;

/* Of the sampled elements alone. */
static void refer(const plx_inputs *view, sample *s, references *memory, plx_reference_result *reference)
{
    const size_t size = plx_dtype_size(plx_result_dtype(view));
    const int64_t each = plx_output_each(view);

    *reference = (plx_reference_result){.exact = plx_is_exact(&view->problem),
                                        .elements = s->count,
                                        .count = s->count,
                                        .sample = s->element,
                                        .of = {memory->exact, memory->value, memory->tail, memory->magnitude}};
#ifdef _OPENMP
    const bool are_many = s->count * plx_sum_length(view) > 1 << 16; /* terms, for one thread */
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (are_many)
#endif
    for (int64_t i = 0; i < s->count; ++i) {
        plx_reference one = {memory->exact + (size_t)i * size, memory->value + i, memory->tail + i,
                             memory->magnitude + i};
        const plx_host_operands operands = plx_operands_at(view, s->element[i] / each);
        plx_reference_make(&view->problem, &operands, s->element[i] % each, 1, &one);
    }
}

static void judge_sample(const plx_timed_results *t, const plx_inputs *view, const plx_bound *bound, sample *s,
                         plx_error_measure *measure)
{
    references memory;
    plx_reference_result reference;

    *measure = (plx_error_measure){.first_bad = -1};
    if (s->count == 0)
        return;
    refer(view, s, &memory, &reference);
    plx_judge_elements(view, &reference, bound, false, t->staging, measure);
}

static plx_status judge_whole(const plx_timed_results *t, const plx_inputs *view, plx_error_measure *measure,
                              plx_error *error)
{
    plx_reference_result reference;
    plx_status status = plx_reference_result_within(view, is_baseline(t), dear, NULL, &reference, error);

    if (status != PLX_OK)
        return status;
    status = plx_judge(view, &reference, &t->bound, is_baseline(t), t->staging, measure, error);
    plx_reference_result_free(&reference);
    return status;
}

static double cost_of(const plx_timed_results *t)
{
    const int64_t terms = plx_sum_length(t->inputs);
    return (double)plx_output_count(t->inputs) * (double)(terms > 0 ? terms : 1);
}

static plx_status judge_result(plx_timed_results *t, const plx_timed_set *set, const plx_inputs *view, bool all,
                               plx_error_measure *measure, plx_error *error)
{
    sample drawn = {.count = 0};

    if (all || is_baseline(t) || cost_of(t) <= cheap || t->inputs->elements[output_of(t)] <= SAMPLED) {
        t->compared += plx_output_count(t->inputs);
        return judge_whole(t, view, measure, error);
    }
    add_random(t, &drawn);
    add_patched(t, &set->draw, &drawn);
    t->compared += drawn.count;
    judge_sample(t, view, &t->bound, &drawn, measure);
    return PLX_OK;
}

/* ---- what is said ---------------------------------------------------------------------------------- */

static bool is_as_filled(const plx_timed_results *t, const plx_timed_set *set)
{
    const uint64_t bytes = t->sets->bytes[output_of(t)];
    unsigned char pattern[4];

    memcpy(pattern, &set->pattern, sizeof pattern);
    for (uint64_t i = 0; i < bytes; ++i)
        if (t->staging[i] != pattern[(set->place[output_of(t)] + i) % 4])
            return false;
    return true;
}

/* How an element stands to this data; false: there is no memory to tell. */
static bool judge_one(const plx_timed_results *t, const plx_contents *contents, int64_t element,
                      plx_error_measure *measure)
{
    sample one = {.element = {element}, .count = 1};
    plx_error error;
    plx_inputs view;

    if (plx_pool_view(t->sets->pool, t->inputs, contents, &view, &error) != PLX_OK)
        return false;
    judge_sample(t, &view, &t->bound, &one, measure);
    plx_pool_view_free(contents, &view);
    return true;
}

static bool is_right_for(const plx_timed_results *t, const plx_contents *contents, int64_t element)
{
    plx_error_measure measure;
    return judge_one(t, contents, element, &measure) && measure.wrong == 0;
}

/* Whether an element that is wrong for the set's data is that of other data: right for it, and much nearer, for the
 * bound of long sums holds much that is near by chance. */
static bool is_that_of(const plx_timed_results *t, const plx_timed_set *set, const plx_contents *other, int64_t element)
{
    static const double nearer = 0.1;
    plx_error_measure own, others;
    return judge_one(t, &set->draw, element, &own) && judge_one(t, other, element, &others) && others.wrong == 0 &&
           others.max_ulp <= nearer * own.max_ulp;
}

/* What the set, or another one, held before. */
static bool is_of_before(const plx_timed_results *t, const plx_timed_set *set, int64_t element)
{
    const plx_timed_user *user = t->sets->user;

    if (set->patched && is_that_of(t, set, &set->before, element))
        return true;
    if (set->was_renewed && (is_that_of(t, set, &set->earlier, element) || is_that_of(t, set, &set->first, element)))
        return true;
    for (size_t i = 0; i < user->seen_count; ++i)
        if (is_that_of(t, set, &user->seen[i], element))
            return true;
    return false;
}

/* The data of a set, but for one operand, which is that of other data. */
static plx_contents mixed(const plx_contents *contents, const plx_contents *other, size_t operand)
{
    plx_contents mix = *contents;

    mix.window[operand] = other->window[operand];
    if (other->patched == operand) {
        mix.patched = operand;
        mix.patch_at = other->patch_at;
        mix.patch_count = other->patch_count;
        mix.patch_from = other->patch_from;
    } else if (mix.patched == operand)
        mix.patched = PLX_MAX_OPERANDS;
    return mix;
}

/* An input that counted as it was before in this place; PLX_MAX_OPERANDS: none. */
static size_t input_of_before(const plx_timed_results *t, const plx_timed_set *set, int64_t element)
{
    for (size_t i = 0; i < t->sets->operands && set->was_renewed; ++i) {
        const plx_contents first = mixed(&set->draw, &set->first, i), earlier = mixed(&set->draw, &set->earlier, i);
        if (i != output_of(t) && t->sets->pool->of[i].data != NULL &&
            (is_that_of(t, set, &first, element) || is_that_of(t, set, &earlier, element)))
            return i;
    }
    return PLX_MAX_OPERANDS;
}

/* Whether it says something. */
static bool report_data_of_before(plx_timed_results *t, size_t which, const plx_error_measure *measure)
{
    const plx_timed_set *set = &t->sets->sets[which];
    const char *name = output_extent(t)->name;
    size_t operand;

    if (measure->first_bad < 0 || is_baseline(t))
        return false;
    if (is_of_before(t, set, measure->first_bad)) {
        (void)snprintf(t->wrong, sizeof t->wrong,
                       "gave %s of set %zu the result of other data, which it had met before: %s, not %s", name,
                       which + 1, measure->got, measure->expected);
        return true;
    }
    operand = input_of_before(t, set, measure->first_bad);
    if (operand < PLX_MAX_OPERANDS)
        (void)snprintf(t->wrong, sizeof t->wrong,
                       "gave %s of set %zu the result of what %s held before in this place: %s, not %s", name,
                       which + 1, t->inputs->extents[operand].name, measure->got, measure->expected);
    return operand < PLX_MAX_OPERANDS;
}

static void report_wrong(plx_timed_results *t, size_t which, const plx_error_measure *measure)
{
    const plx_timed_set *set = &t->sets->sets[which];
    const char *name = output_extent(t)->name;
    char where[64];

    t->candidate->error = *measure;
    t->own = true;
    (void)snprintf(where, sizeof where, ", in set %zu of %zu", which + 1, t->sets->count);
    if (is_as_filled(t, set))
        (void)snprintf(t->wrong, sizeof t->wrong, "left %s of set %zu as it was", name, which + 1);
    else if (!report_data_of_before(t, which, measure)) {
        t->own = false;
        t->bad_set = which;
        t->bad_element = measure->first_bad;
        plx_wrong_text(t->inputs, measure, where, t->wrong, sizeof t->wrong);
    }
}

/* Of so few terms fewer digits lose little, and a term that is missing much. */
static const double of_digits = 0x1p-7;

static void report_few(plx_timed_results *t, size_t which, const plx_error_measure *measure)
{
    char where[96];

    plx_output_element_text(t->inputs, measure->first_bad, where, sizeof where);
    t->candidate->error = *measure;
    t->own = true;
    t->bad_set = SIZE_MAX;
    (void)snprintf(t->wrong, sizeof t->wrong,
                   "%s: %s of set %zu, a sum of few terms that are not 0, is %s, not %s "
                   "(%.3g times what it may be off by)",
                   measure->max_over_terms < of_digits ? "rounds more than its type does"
                                                       : "does not add the terms that it should",
                   where, which + 1, measure->got, measure->expected, measure->max_over_bound);
}

static void report_violation(plx_timed_results *t, const char *violation)
{
    t->own = false;
    t->bad_set = SIZE_MAX;
    (void)snprintf(t->wrong, sizeof t->wrong, "%s", violation);
}

/* ---- one set ------------------------------------------------------------------------------------------ */

static void judge_few(plx_timed_results *t, size_t which, const plx_inputs *view)
{
    const plx_bound bound = plx_bound_of_few(view, t->candidate->kernel, &t->bound);
    plx_error_measure measure;
    sample drawn = {.count = 0};

    if (is_baseline(t) || plx_is_exact(&t->inputs->problem))
        return;
    add_few(t, &t->sets->sets[which].draw, &drawn);
    judge_sample(t, view, &bound, &drawn, &measure);
    if (measure.wrong > 0)
        report_few(t, which, &measure);
}

/* What lies between the rows of the output is nobody's. */
static void judge_between_rows(plx_timed_results *t, size_t which, const plx_inputs *view)
{
    const plx_timed_set *set = &t->sets->sets[which];
    const size_t size = plx_dtype_size(plx_result_dtype(t->inputs));
    const unsigned char *old = view->data[output_of(t)];
    unsigned char pattern[4];
    int64_t first, end;

    memcpy(pattern, &set->pattern, sizeof pattern);
    for (int64_t gap = 0; !is_baseline(t) && plx_output_gap(t->inputs, gap, &first, &end); ++gap)
        for (uint64_t i = (uint64_t)first * size; i < (uint64_t)end * size; ++i)
            if (t->staging[i] != (old != NULL ? old[i] : pattern[(set->place[output_of(t)] + i) % 4])) {
                (void)snprintf(t->wrong, sizeof t->wrong, "wrote between the rows of %s of set %zu",
                               output_extent(t)->name, which + 1);
                t->own = false;
                return;
            }
}

static plx_status judge_view(plx_timed_results *t, size_t which, const plx_inputs *view, bool all, plx_error *error)
{
    const size_t output = output_of(t);
    const plx_timed_set *set = &t->sets->sets[which];
    plx_error_measure measure = {.first_bad = -1};
    plx_status status = plx_chunked_download(t->sets->lanes, t->sets->buffer[output], set->place[output], t->staging,
                                             t->sets->bytes[output], error);

    if (status == PLX_OK)
        status = judge_result(t, set, view, all, &measure, error);
    if (status != PLX_OK)
        return status;
    if (measure.wrong > 0)
        report_wrong(t, which, &measure);
    if (!t->own) /* says more of it */
        judge_few(t, which, view);
    if (t->wrong[0] == '\0')
        judge_between_rows(t, which, view);
    return PLX_OK;
}

/* With beta a launch adds to what the one before left: only what ran once can be judged. */
static bool can_be_judged(const plx_timed_results *t, size_t which)
{
    const plx_timed_set *set = &t->sets->sets[which];
    return set->launches > 0 && (set->launches == 1 || t->inputs->data[output_of(t)] == NULL);
}

/* Data in another order is of the same class where elements are alike; else what follows from it is found anew. */
static void find_bound(plx_timed_results *t, plx_inputs *view)
{
    const plx_candidate *c = t->candidate;

    t->bound = c->bound;
    if (t->sets->pool->alike || is_baseline(t))
        return;
    for (size_t i = 0; i < view->operation->operand_count; ++i)
        view->grains[i] = plx_grain_of(view, i);
    t->bound = plx_bound_of_depth(view, c->kernel, plx_plan_depth(c->plan),
                                  c->info != NULL ? c->info : plx_backend_device(c->backend));
}

static plx_status judge_set(plx_timed_results *t, size_t which, bool all, plx_error *error)
{
    const plx_contents draw = t->sets->sets[which].draw;
    plx_inputs view;
    plx_status status;

    if (!can_be_judged(t, which))
        return PLX_OK;
    t->own = false;
    t->bad_set = SIZE_MAX;
    status = plx_pool_view(t->sets->pool, t->inputs, &draw, &view, error);
    if (status != PLX_OK)
        return status;
    view.seed = plx_roll(&t->dice); /* of Freivalds' vectors and the sample */
    find_bound(t, &view);
    status = judge_view(t, which, &view, all, error);
    plx_pool_view_free(&draw, &view);
    return status;
}

static plx_status verify_set(plx_timed_results *t, size_t which, plx_error *error)
{
    char violation[200];
    plx_status status = plx_timed_sets_verify(t->sets, which, violation, error);

    if (status == PLX_OK && violation[0] != '\0' && t->wrong[0] == '\0')
        report_violation(t, violation);
    return status;
}

static plx_status verify_untouched(plx_timed_results *t, size_t which, plx_error *error)
{
    char violation[200];
    bool untouched;
    plx_status status = plx_timed_sets_untouched(t->sets, which, &untouched, error);

    (void)snprintf(violation, sizeof violation, "wrote to %s of set %zu, on which it was not launched",
                   output_extent(t)->name, which + 1);
    if (status == PLX_OK && !untouched && t->wrong[0] == '\0')
        report_violation(t, violation);
    return status;
}

/* ---- looks ------------------------------------------------------------------------------------------------ */

/* Every other time the decoy, where it was launched on, or one that holds what looks like other data. */
static size_t draw_set(plx_timed_results *t)
{
    const size_t count = t->sets->used_count;
    const size_t from = (size_t)plx_roll_below(&t->dice, count);
    const bool drawn = plx_roll_below(&t->dice, 2) == 0;

    for (size_t i = 0; i < count && drawn; ++i)
        if (t->sets->used[i] == t->sets->decoy && can_be_judged(t, t->sets->decoy))
            return t->sets->decoy;
    if (drawn)
        for (size_t i = 0; i < count; ++i) {
            const size_t which = t->sets->used[(from + i) % count];
            if (t->sets->sets[which].patched && t->sets->sets[which].turn == t->sets->turn && can_be_judged(t, which))
                return which;
        }
    for (size_t i = 0; i < count; ++i)
        if (can_be_judged(t, t->sets->used[(from + i) % count]))
            return t->sets->used[(from + i) % count];
    return t->sets->used[from];
}

/* Inputs first: of a set whose inputs are another's no result can be judged. */
static plx_status look_at(plx_timed_results *t, size_t which, bool all, plx_error *error)
{
    plx_status status = verify_set(t, which, error);
    return status == PLX_OK && t->wrong[0] == '\0' ? judge_set(t, which, all, error) : status;
}

/* What no launch of this turn was for: outputs that nobody wrote since they were filled are as they were. */
static plx_status look_beside(plx_timed_results *t, size_t which, plx_error *error)
{
    const plx_timed_set *set = &t->sets->sets[which];
    plx_status status =
        set->launched || t->inputs->data[output_of(t)] != NULL ? PLX_OK : verify_untouched(t, which, error);

    return status == PLX_OK && t->wrong[0] == '\0' ? verify_set(t, which, error) : status;
}

static plx_status look_at_bystanders(plx_timed_results *t, plx_error *error)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && t->wrong[0] == '\0' && i < t->sets->bystander_count; ++i)
        status = look_beside(t, t->sets->bystander[i], error);
    return status;
}

/* All sets, from a random one on, as far as there is time. */
plx_status plx_timed_results_sweep(plx_timed_results *t, double budget_ns, plx_error *error)
{
    const double start = plx_now_ns();
    const size_t count = t->sets->count, from = (size_t)plx_roll_below(&t->dice, count);
    plx_status status = look_at_bystanders(t, error);

    for (size_t i = 0; status == PLX_OK && t->wrong[0] == '\0' && i < count && plx_now_ns() - start < budget_ns; ++i)
        status = look_beside(t, (from + i) % count, error);
    return status;
}

/* The first is drawn by itself; the others follow in the order of the last pass, which is random. */
plx_status plx_timed_results_look(plx_timed_results *t, bool all, double budget_ns, plx_error *error)
{
    const double start = plx_now_ns();
    const size_t first = draw_set(t);
    plx_status status = stage(t, error);

    if (status == PLX_OK)
        status = look_at(t, first, all, error);
    for (size_t i = 0; status == PLX_OK && t->wrong[0] == '\0' && i < t->sets->used_count; ++i) {
        if (i > 0 && plx_now_ns() - start > budget_ns)
            break;
        if (t->sets->used[i] != first)
            status = look_at(t, t->sets->used[i], all && cost_of(t) <= dear, error);
    }
    return status == PLX_OK && t->wrong[0] == '\0' ? look_at_bystanders(t, error) : status;
}

/* ---- what a wrong result goes by ------------------------------------------------------------------------------ */

enum { RUNS = 2 }; /* with the same around it: what turns every time is no difference */

/* Launches on a set alone; its result is in `result`. */
static plx_status launch_again(plx_timed_results *t, size_t operand, uint32_t around, unsigned char *result)
{
    const size_t output = output_of(t);
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    plx_status status = plx_timed_sets_again(t->sets, t->bad_set, operand, around);

    plx_timed_sets_views(t->sets, t->bad_set, views);
    if (status == PLX_OK)
        status = plx_execute(t->candidate->plan, NULL, views, t->sets->operands);
    if (status == PLX_OK)
        status = plx_download(NULL, result, t->sets->buffer[output], t->sets->sets[t->bad_set].place[output],
                              t->sets->bytes[output]);
    return status == PLX_OK ? plx_synchronize(t->sets->backend, NULL) : status;
}

/* Whether the results with one thing around an input differ from those with the other, and from no others. */
static plx_status goes_by_surroundings(plx_timed_results *t, size_t operand, unsigned char *result[2 * RUNS],
                                       bool *goes)
{
    const size_t bytes = (size_t)t->sets->bytes[output_of(t)];
    plx_status status = PLX_OK;

    for (int i = 0; i < 2 * RUNS && status == PLX_OK; ++i)
        status = launch_again(t, operand, plx_surroundings(i >= RUNS), result[i]);
    *goes = status == PLX_OK && memcmp(result[0], result[1], bytes) == 0 && memcmp(result[2], result[3], bytes) == 0 &&
            memcmp(result[0], result[2], bytes) != 0;
    return status;
}

/* Whether the element that was wrong is right now, in what was downloaded last. */
static bool is_right_now(plx_timed_results *t, const unsigned char *result)
{
    memcpy(t->staging, result, (size_t)t->sets->bytes[output_of(t)]);
    return is_right_for(t, &t->sets->sets[t->bad_set].draw, t->bad_element);
}

static plx_status explain_by(plx_timed_results *t, unsigned char *result[2 * RUNS])
{
    char was[301];
    plx_status status = PLX_OK;
    bool goes = false;

    (void)snprintf(was, sizeof was, "%.300s", t->wrong);
    for (size_t i = 0; i < t->sets->operands && status == PLX_OK; ++i) {
        if (i == output_of(t) || t->sets->room[i] == 0)
            continue;
        status = goes_by_surroundings(t, i, result, &goes);
        if (goes) {
            (void)snprintf(t->wrong, sizeof t->wrong, "reads beyond %s: %s", t->inputs->extents[i].name, was);
            return status;
        }
    }
    if (status == PLX_OK && is_right_now(t, result[0]))
        (void)snprintf(t->wrong, sizeof t->wrong, "goes by what was launched before, and is right by itself: %s", was);
    return status;
}

plx_status plx_timed_results_explain(plx_timed_results *t, plx_error *error)
{
    const uint64_t bytes = t->sets->bytes[output_of(t)] + 1;
    unsigned char *result[2 * RUNS] = {NULL};
    bool there = t->bad_set != SIZE_MAX && t->bad_element >= 0 && !is_baseline(t) && bytes <= most_read;
    plx_status status = PLX_OK;

    for (int i = 0; i < 2 * RUNS && there; ++i)
        there = (result[i] = malloc((size_t)bytes)) != NULL;
    if (there)
        status = explain_by(t, result);
    for (int i = 0; i < 2 * RUNS; ++i)
        free(result[i]);
    return plx_explain(t->sets->backend, status, error);
}

/* ---- were they there? ---------------------------------------------------------------------------------------- */

/* Of all threads of the process. */
static double processor_ns(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* On a processor the lesser of what the clock and the processors say: who waits for a busy machine computes nothing. */
static plx_status read_outputs(plx_timed_results *t, size_t sets, double *ns)
{
    const size_t output = output_of(t);
    const bool on_processor = (plx_backend_device(t->sets->backend)->features & PLX_FEATURE_CPU) != 0;
    const double start = plx_now_ns(), worked = processor_ns();
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < sets; ++i) {
        status = plx_download(NULL, t->staging, t->sets->buffer[output], t->sets->sets[t->sets->used[i]].place[output],
                              t->sets->bytes[output]);
        if (status == PLX_OK)
            status = plx_synchronize(t->sets->backend, NULL);
    }
    *ns = plx_now_ns() - start;
    if (on_processor && processor_ns() - worked < *ns)
        *ns = processor_ns() - worked;
    return status;
}

/* The host's memory is touched first: that costs time, too. */
plx_status plx_timed_results_read(plx_timed_results *t, double *first_ns, double *again_ns, size_t *sets,
                                  plx_error *error)
{
    const uint64_t bytes = t->sets->bytes[output_of(t)];
    const uint64_t most = bytes > 0 && bytes < most_read ? most_read / bytes : 1;
    plx_status status = stage(t, error);

    *sets = t->sets->used_count < most ? t->sets->used_count : (size_t)most;
    if (status != PLX_OK)
        return status;
    memset(t->staging, 0, (size_t)bytes + 1);
    status = read_outputs(t, *sets, first_ns);
    if (status == PLX_OK)
        status = read_outputs(t, *sets, again_ns);
    return plx_explain(t->sets->backend, status, error);
}

void plx_timed_results_free(plx_timed_results *t)
{
    free(t->staging);
    t->staging = NULL;
}
