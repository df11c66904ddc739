/* plx_check: every kernel of every backend on every case, and the backends against
 * each other.  No timing.  Threads with backends of their own take the units from one
 * list, the largest first; the cases that need gigabytes follow one by one. */
#include "study/check/check.h"
#include "study/results/results.h"
#include "study/results/words.h"

#include "base/team.h"

#include <parallax/half.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More threads than this wait for one device rather than keep it busy. */
enum { MAX_WORKERS = 8, MAX_UNITS = PLX_OP_COUNT * (PLX_DTYPE_COUNT + PLX_COMPUTE_COUNT) * MAX_WORKERS };

typedef struct check {
    plx_check_shared shared;
    const plx_check_options *options;
    plx_context *context;
    plx_open_backends opened; /* of the thread that called */
    plx_phase_timer timer;
    plx_results *results;
    plx_error *error;
    const plx_check_unit *current; /* what is finished is told, and of this unit, that is not; NULL: all is reported */
    bool kernel_found;             /* some operation has a kernel that was named */
    plx_check_unit units[MAX_UNITS]; /* by operation, dtype and case */
    size_t unit_count;
    size_t order[MAX_UNITS]; /* the largest first */
    atomic_size_t next;      /* of order */
    atomic_bool stop;
    int threads_each;
} check;

/* One of the threads. */
typedef struct worker {
    check *check;
    plx_open_backends opened;
    plx_phase_timer timer;
    plx_status status;
    plx_error error;
    pthread_t thread;
} worker;

/* ---- what there is to do ----------------------------------------------------------------- */

static bool wants_dtype(const check *c, const plx_operation *operation, plx_dtype dtype)
{
    if ((operation->dtypes & PLX_DTYPE_BIT(dtype)) == 0)
        return false;
    for (size_t i = 0; i < c->options->dtype_count; ++i)
        if (c->options->dtypes[i] == dtype)
            return true;
    return c->options->dtype_count == 0;
}

static bool wants_op(const check *c, plx_op op)
{
    for (size_t i = 0; i < c->options->op_count; ++i)
        if (c->options->ops[i] == op)
            return true;
    return c->options->op_count == 0;
}

/* Quick takes one dtype of each size for data that is only moved. */
static bool spared(const check *c, const plx_operation *operation, plx_dtype dtype)
{
    return c->options->effort == PLX_QUICK && c->options->dtype_count == 0 &&
           (operation->dtypes & PLX_DTYPE_BIT(PLX_C64)) != 0 &&
           (dtype == PLX_I32 || dtype == PLX_I64 || dtype == PLX_C64 || (plx_is_half(dtype) && dtype != PLX_F16));
}

/* "best" stands for nothing before there is a problem. */
static size_t drop_unknown(plx_candidate *candidates, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (candidates[i].kernel != NULL)
            candidates[kept++] = candidates[i];
    return kept;
}

/* A kernel name that this operation does not have may belong to another: then no candidates. */
static plx_status find_candidates(const check *c, const plx_open_backends *opened, plx_op op,
                                  plx_candidate **candidates, size_t *count, plx_error *error)
{
    static const char *const all[] = {"all"};
    const plx_problem any = {.op = op};
    bool named = c->options->kernel_count > 0;
    *candidates = NULL;
    *count = 0;
    plx_status status = plx_backends_candidates(opened, &any, named ? c->options->kernels : all,
                                                named ? c->options->kernel_count : 1, candidates, count, error);

    if (status == PLX_NOT_FOUND && named)
        return PLX_OK;
    if (status == PLX_OK)
        *count = drop_unknown(*candidates, *count);
    return status;
}

static size_t most_workers(void)
{
#ifdef _OPENMP
    size_t threads = (size_t)plx_team_threads();
    return threads < MAX_WORKERS ? threads : MAX_WORKERS;
#else
    return 1;
#endif
}

/* In the quickest check the compilers take the time, and what one thread compiled serves
 * that thread alone. */
static size_t slices(const check *c)
{
    return c->options->effort == PLX_QUICK || c->options->only_case != 0 ? 1 : most_workers();
}

static plx_status add_slices(check *c, const plx_operation *operation, plx_dtype dtype, plx_compute compute,
                             size_t candidate_count)
{
    plx_status status = PLX_OK;

    for (size_t slice = 0; status == PLX_OK && slice < slices(c); ++slice) {
        plx_check_unit *unit = &c->units[c->unit_count];
        status = plx_check_unit_make(c->options, operation, dtype, compute, slice, slices(c), candidate_count, unit,
                                     c->error);
        if (status != PLX_OK)
            return status;
        c->shared.total += (c->options->only_case != 0 ? 1 : unit->end - unit->first) * candidate_count;
        ++c->unit_count;
    }
    return status;
}

/* A compute type that no kernel has is not tried. */
static bool has_compute(const plx_candidate *candidates, size_t count, plx_compute compute)
{
    for (size_t i = 0; i < count; ++i)
        if (candidates[i].kernel->compute == compute)
            return true;
    return compute == PLX_COMPUTE_PLAIN;
}

static plx_status add_units(check *c, const plx_operation *operation, const plx_candidate *candidates,
                            size_t candidate_count)
{
    plx_status status = PLX_OK;

    for (int dtype = 0; status == PLX_OK && dtype < PLX_DTYPE_COUNT; ++dtype)
        if (wants_dtype(c, operation, (plx_dtype)dtype) && !spared(c, operation, (plx_dtype)dtype))
            status = add_slices(c, operation, (plx_dtype)dtype, PLX_COMPUTE_PLAIN, candidate_count);
    for (int compute = PLX_COMPUTE_PLAIN + 1; status == PLX_OK && compute < PLX_COMPUTE_COUNT; ++compute)
        if (wants_dtype(c, operation, PLX_F32) && (operation->f32_computes >> compute & 1) != 0 &&
            has_compute(candidates, candidate_count, (plx_compute)compute))
            status = add_slices(c, operation, PLX_F32, (plx_compute)compute, candidate_count);
    return status;
}

static plx_status add_operation(check *c, const plx_operation *operation)
{
    plx_candidate *candidates;
    size_t count;
    plx_status status = find_candidates(c, &c->opened, operation->op, &candidates, &count, c->error);

    if (status != PLX_OK)
        return status;
    c->kernel_found = c->kernel_found || count > 0;
    status = add_units(c, operation, candidates, count);
    free(candidates);
    return status;
}

static plx_status list_units(check *c)
{
    plx_status status = PLX_OK;

    for (int op = 0; status == PLX_OK && op < PLX_OP_COUNT; ++op)
        if (wants_op(c, (plx_op)op))
            status = add_operation(c, plx_operation_of((plx_op)op));
    if (status == PLX_OK && !c->kernel_found && c->options->kernel_count > 0)
        status = plx_fail(c->error, PLX_NOT_FOUND,
                          "no backend has a kernel \"%s\"; `parallax list kernels` shows those there are",
                          c->options->kernels[0]);
    return status;
}

/* Products take the longest, for the compilers too. */
static size_t weight(const plx_check_unit *unit)
{
    return (unit->end - unit->first) * unit->candidate_count * plx_cases_of(unit->operation->op)->weight;
}

static void order_units(check *c)
{
    for (size_t i = 0; i < c->unit_count; ++i) {
        size_t place = i;
        for (; place > 0 && weight(&c->units[c->order[place - 1]]) < weight(&c->units[i]); --place)
            c->order[place] = c->order[place - 1];
        c->order[place] = i;
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

/* What was measured of the devices holds for a thread's own sessions of them. */
static bool same_devices(const check *c, worker *w)
{
    if (w->opened.count != c->opened.count)
        return false;
    for (size_t i = 0; i < c->opened.count; ++i)
        if (strcmp(plx_backend_label(w->opened.backends[i]), plx_backend_label(c->opened.backends[i])) != 0)
            return false;
    w->opened.devices = c->opened.devices;
    return true;
}

static plx_status run_unit(check *c, plx_check_unit *unit, bool large, const plx_open_backends *opened,
                           plx_phase_timer *timer, plx_error *error)
{
    plx_candidate *candidates;
    size_t count;
    plx_status status = find_candidates(c, opened, unit->operation->op, &candidates, &count, error);

    if (status == PLX_OK && count == unit->candidate_count)
        status = plx_check_unit_run(&c->shared, unit, large, opened, candidates, timer, error);
    else if (status == PLX_OK)
        status = plx_fail(error, PLX_FAILED, "the kernels of %s changed during the check", unit->operation->name);
    free(candidates);
    (void)pthread_mutex_lock(&c->shared.lock);
    unit->finished = true;
    (void)pthread_mutex_unlock(&c->shared.lock);
    return status;
}

static void run_units(worker *w, const plx_open_backends *opened)
{
    check *c = w->check;

    while (w->status == PLX_OK && !atomic_load(&c->stop) && !plx_studies_stopped()) {
        size_t next = atomic_fetch_add(&c->next, 1);
        if (next >= c->unit_count)
            break;
        w->status = run_unit(c, &c->units[c->order[next]], false, opened, &w->timer, &w->error);
    }
    if (w->status != PLX_OK)
        atomic_store(&c->stop, true);
}

/* A thread that gets no backends of its own leaves the work to the others. */
static void *work(void *data)
{
    worker *w = data;
    const check *c = w->check;
    plx_error ignored = {.text = ""};

#ifdef _OPENMP
    omp_set_num_threads(c->threads_each);
#endif
    (void)plx_phase_turn(&w->timer, PLX_CHECK_OTHER);
    if (plx_backends_open_what_opens(c->context, c->options->backends, c->options->backend_count, NULL, &w->opened,
                                     &ignored) != PLX_OK)
        return NULL;
    if (same_devices(c, w))
        run_units(w, &w->opened);
    plx_backends_close(&w->opened);
    (void)plx_phase_turn(&w->timer, PLX_CHECK_OTHER);
    return NULL;
}

static size_t count_workers(const check *c)
{
    size_t most = most_workers();
    return c->unit_count < most ? c->unit_count : most;
}

static void take(check *c, const worker *w)
{
    for (int phase = 0; phase < PLX_CHECK_PHASE_COUNT; ++phase)
        c->timer.seconds[phase] += w->timer.seconds[phase];
}

/* The calling thread is the first worker, with the backends that it has. */
static plx_status run_small(check *c)
{
    worker workers[MAX_WORKERS] = {{.check = c}};
    size_t wanted = count_workers(c), count = 1;
    plx_status status;
#ifdef _OPENMP
    int threads = plx_team_threads();
    c->threads_each = wanted > 0 && (size_t)threads > wanted ? threads / (int)wanted : 1;
    omp_set_num_threads(wanted > 1 ? c->threads_each : threads);
#endif

    for (; count < wanted; ++count) {
        workers[count] = (worker){.check = c};
        if (pthread_create(&workers[count].thread, NULL, work, &workers[count]) != 0)
            break;
    }
    workers[0].timer = (plx_phase_timer){.phase = PLX_CHECK_OTHER};
    (void)plx_phase_turn(&workers[0].timer, PLX_CHECK_OTHER);
    run_units(&workers[0], &c->opened);
    (void)plx_phase_turn(&workers[0].timer, PLX_CHECK_OTHER);
    status = workers[0].status;
    if (status != PLX_OK)
        *c->error = workers[0].error;
    for (size_t i = 0; i < count; ++i) {
        if (i > 0)
            (void)pthread_join(workers[i].thread, NULL);
        take(c, &workers[i]);
        if (status == PLX_OK && workers[i].status != PLX_OK) {
            status = workers[i].status;
            *c->error = workers[i].error;
        }
    }
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    return status;
}

static plx_status run_large(check *c)
{
    plx_status status = PLX_OK;

    (void)plx_phase_turn(&c->timer, PLX_CHECK_OTHER);
    for (size_t i = 0;
         status == PLX_OK && c->options->effort == PLX_FULL && i < c->unit_count && !plx_studies_stopped(); ++i)
        status = run_unit(c, &c->units[i], true, &c->opened, &c->timer, c->error);
    (void)plx_phase_turn(&c->timer, PLX_CHECK_OTHER);
    return status;
}

/* ---- what came of it ------------------------------------------------------------------------- */

/* A problem of a type that the kernel takes: what a record is of before any case. */
static plx_problem problem_of_no_case(plx_op op, const plx_kernel *kernel)
{
    plx_dtype dtype = 0;
    while (dtype + 1 < PLX_DTYPE_COUNT && (kernel->dtypes & PLX_DTYPE_BIT(dtype)) == 0)
        ++dtype;
    plx_problem problem = plx_problem_of(op, dtype);
    problem.compute = kernel->compute;
    return problem;
}

/* What other threads work on is not looked at. */
static bool is_reported(const check *c, const plx_check_unit *unit)
{
    return c->current == NULL || unit == c->current || unit->finished;
}

/* The records of an operation's candidates, before any case. */
static plx_status add_blank_records(check *c, const plx_operation *operation, const plx_candidate *candidates,
                                    size_t count)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        plx_record record = {.problem = problem_of_no_case(operation->op, candidates[i].kernel),
                             .group = (size_t)operation->op,
                             .outcome = PLX_OUTCOME_NOT_RUN,
                             .device = candidates[i].device,
                             .step = candidates[i].step,
                             .named = candidates[i].named,
                             .error = {.first_bad = -1}};
        (void)snprintf(record.backend, sizeof record.backend, "%s", plx_backend_label(candidates[i].backend));
        plx_candidate_name(&candidates[i], record.kernel);
        plx_text_words(candidates[i].kernel->idea, record.idea, sizeof record.idea);
        (void)snprintf(record.reason, sizeof record.reason, "%s",
                       c->current != NULL || plx_studies_stopped() ? plx_reason_interrupted : "no case suits it");
        record.kernel_flags = candidates[i].kernel->flags;
        status = plx_results_add_record(c->results, &record, c->error);
    }
    return status;
}

/* A kernel has passed when a case has compared elements, not where there was nothing to compute. */
static void take_back_empty(plx_record *records, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (records[i].outcome == PLX_OUTCOME_OK && records[i].error.compared == 0) {
            records[i].outcome = PLX_OUTCOME_NOT_RUN;
            (void)snprintf(records[i].reason, sizeof records[i].reason,
                           "only empty problems ran, of which no element was compared");
        }
}

static plx_status add_unopened(check *c, plx_op op)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < c->opened.unopened_count; ++i) {
        plx_record record = plx_backends_unopened(&c->opened, i);
        record.problem.op = op;
        record.group = (size_t)op;
        status = plx_results_add_record(c->results, &record, c->error);
    }
    return status;
}

static void add_counts(plx_check_counts *all, plx_check_counts *of)
{
    for (size_t i = 0; plx_check_count_name(i) != NULL; ++i)
        *plx_check_count(all, i) += *plx_check_count(of, i);
    for (size_t i = 0; i < of->reason_count; i++)
        plx_check_count_reason(all, of->reasons[i].text, of->reasons[i].count);
}

/* The pairs of an operation over its dtypes, in the order of its candidates. */
static plx_status add_pairs(check *c, plx_op op, size_t candidates, size_t first_record)
{
    plx_status status = PLX_OK;

    for (size_t at = 0; status == PLX_OK && at < candidates * candidates; ++at) {
        plx_pair all = {.compared = false};
        for (size_t i = 0; i < c->unit_count; ++i) {
            const bool counts = c->units[i].operation->op == op && is_reported(c, &c->units[i]);
            const plx_pair *one = counts ? &c->units[i].pairs[at] : NULL;
            if (one == NULL || !one->compared)
                continue;
            if (all.compared)
                plx_check_join(&all, one);
            else
                all = *one;
        }
        all.first = first_record + at / candidates;
        all.second = first_record + at % candidates;
        if (all.compared)
            status = plx_results_add_pair(c->results, &all, c->error);
    }
    return status;
}

static plx_status report_operation(check *c, plx_op op)
{
    size_t first = c->results->record_count, count;
    plx_candidate *candidates;
    bool *tried;
    plx_status status = find_candidates(c, &c->opened, op, &candidates, &count, c->error);

    if (status != PLX_OK)
        return status;
    status = add_blank_records(c, plx_operation_of(op), candidates, count);
    free(candidates);
    tried = calloc(count > 0 ? count : 1, sizeof *tried);
    if (status == PLX_OK && tried == NULL)
        status = plx_fail(c->error, PLX_NO_MEMORY, "no memory for the records of a check");
    for (size_t i = 0; status == PLX_OK && i < c->unit_count; ++i)
        for (size_t candidate = 0; c->units[i].operation->op == op && is_reported(c, &c->units[i]) && candidate < count;
             ++candidate)
            if (c->units[i].tried[candidate])
                plx_check_worse(&c->results->records[first + candidate], &tried[candidate],
                                &c->units[i].records[candidate]);
    free(tried);
    if (status == PLX_OK)
        take_back_empty(&c->results->records[first], count);
    if (status == PLX_OK)
        status = add_pairs(c, op, count, first);
    return status == PLX_OK ? add_unopened(c, op) : status;
}

static plx_status report(check *c, plx_check_counts *counts)
{
    plx_status status = PLX_OK;

    *counts = (plx_check_counts){.cases = 0};
    for (size_t i = 0; status == PLX_OK && i < c->unit_count; ++i) {
        if (is_reported(c, &c->units[i]))
            add_counts(counts, &c->units[i].counts);
        if (i == 0 || c->units[i].operation != c->units[i - 1].operation)
            status = report_operation(c, c->units[i].operation->op);
    }
    memcpy(counts->seconds, c->timer.seconds, sizeof counts->seconds);
    counts->drawn_seed = c->options->drawn_seed;
    return status;
}

/* With results of its own, for what is reported in the end is another. */
static void tell_so_far(void *data, const plx_check_unit *unit)
{
    check *c = data;
    plx_results *kept = c->results, so_far = *kept;
    plx_error ignored = {.text = ""}, *error = c->error;
    plx_check_counts counts;

    if (!plx_results_are_told())
        return;
    so_far.check = &counts;
    c->results = &so_far;
    c->error = &ignored;
    c->current = unit;
    const plx_status status = report(c, &counts);
    counts.effort = c->options->effort;
    if (status == PLX_OK)
        plx_results_tell(&so_far, c->shared.done - 1, c->shared.total); /* the run that begins is counted */
    c->current = NULL;
    c->error = error;
    c->results = kept;
    free(so_far.records);
    free(so_far.pairs);
}

static plx_status check_all(check *c, plx_check_counts *counts)
{
    plx_status status = plx_backends_devices(&c->opened, c->results, c->error);

    if (status == PLX_OK)
        status = list_units(c);
    order_units(c);
    (void)plx_phase_turn(&c->timer, PLX_CHECK_OTHER);
    if (status == PLX_OK)
        status = run_small(c);
    c->timer.running = false; /* the threads had clocks of their own */
    if (status == PLX_OK)
        status = run_large(c);
    if (status == PLX_OK)
        status = report(c, counts);
    plx_backends_changes(&c->opened, c->results);
    for (size_t i = 0; i < c->unit_count; ++i)
        plx_check_unit_free(&c->units[i]);
    return status;
}

static plx_status check_with(check *c, plx_check_counts *counts)
{
    const plx_lent_backends lent = {c->options->opened, c->options->opened_count};
    plx_status status = plx_backends_open_what_opens(c->context, c->options->backends, c->options->backend_count, &lent,
                                                     &c->opened, c->error);

    if (status == PLX_OK)
        status = check_all(c, counts);
    plx_backends_close(&c->opened);
    return status;
}

plx_status plx_check(plx_context *context, const plx_check_options *options, plx_check_counts *counts,
                     plx_results *results, plx_error *error)
{
    plx_results made = {.record_count = 0};
    plx_check_counts counted;
    plx_status status = options->save_failure != NULL ? plx_failures_prepare(options->save_failure, error) : PLX_OK;

    if (status != PLX_OK)
        return status;
    check *c = calloc(1, sizeof *c);
    made.check = calloc(1, sizeof *made.check);
    if (c == NULL || made.check == NULL || pthread_mutex_init(&c->shared.lock, NULL) != 0) {
        plx_results_free(&made);
        free(c);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a check");
    }
    c->options = c->shared.options = options;
    c->context = context;
    c->results = &made;
    c->error = error;
    c->shared.tell = tell_so_far;
    c->shared.tell_data = c;
    atomic_init(&c->next, 0);
    atomic_init(&c->stop, false);
    (void)plx_phase_turn(&c->timer, PLX_CHECK_OTHER);
    status = check_with(c, &counted);
    plx_results_note_stop(&made, c->shared.done, c->shared.total);
    (void)pthread_mutex_destroy(&c->shared.lock);
    free(c);
    if (status != PLX_OK) {
        plx_results_free(&made);
        return status;
    }
    counted.effort = options->effort;
    *made.check = *counts = counted;
    *results = made;
    return PLX_OK;
}
