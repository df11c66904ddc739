/* One unit of plx_check: cases of one operation in one dtype on every kernel of every
 * backend, counted. */
#include "study/check/check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit while some thread works on it. */
typedef struct part {
    plx_check_shared *shared;
    plx_check_unit *unit;
    plx_candidate *candidates;
    plx_guarded_operands *buffers; /* one for each backend */
    uint32_t *forms;               /* of each candidate: bits of the forms that it serves; 0: not asked yet */
    plx_claims claims;
    plx_phase_timer *timer;
    plx_error *error;
} part;

/* ---- failures ------------------------------------------------------------------------ */

static void fill_record(plx_record *record, const plx_case *tried, const plx_inputs *inputs,
                        const plx_candidate *candidate, size_t group)
{
    plx_line line = {.length = 0};

    plx_record_fill(record, candidate, inputs, group);
    plx_case_circumstances(tried, inputs, &line);
    (void)snprintf(record->circumstances, sizeof record->circumstances, "%.*s", (int)sizeof record->circumstances - 1,
                   line.text);
}

static plx_status report_failure(plx_check_shared *c, const plx_failed_case *failed, plx_error *error)
{
    plx_record record;
    plx_line line = {.length = 0};
    plx_status status = PLX_OK;

    (void)pthread_mutex_lock(&c->lock);
    if (c->options->failure != NULL) {
        fill_record(&record, failed->tried, failed->inputs, failed->candidate, 0);
        plx_failure_command(failed, &line);
        c->options->failure(c->options->progress_data, &record, line.text);
    }
    if (c->options->save_failure != NULL && failed->candidate->outcome == PLX_OUTCOME_WRONG)
        status = plx_failure_save(failed, ++c->saved, error);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

/* ---- the worst case -------------------------------------------------------------------- */

/* To be right where there is nothing to compute says less than to support nothing else. */
static int rank_of(const plx_record *record)
{
    static const int ranks[] = {
        [PLX_OUTCOME_UNSUPPORTED] = 1, [PLX_OUTCOME_NOT_JUDGED] = 2, [PLX_OUTCOME_OK] = 3,
        [PLX_OUTCOME_NOT_RUN] = 4,     [PLX_OUTCOME_FAILED] = 5,     [PLX_OUTCOME_WRONG] = 6,
    };
    return record->outcome == PLX_OUTCOME_OK && record->error.compared == 0 ? 0 : ranks[record->outcome];
}

/* A kernel that does not serve some of the cases is judged by the others. */
void plx_check_worse(plx_record *kept, bool *tried, const plx_record *record)
{
    size_t group = kept->group;

    if (!*tried || rank_of(record) > rank_of(kept) ||
        (record->outcome == kept->outcome && record->error.max_over_bound > kept->error.max_over_bound))
        *kept = *record;
    kept->group = group;
    *tried = true;
}

void plx_check_join(plx_pair *all, const plx_pair *one)
{
    if (one->first_different >= 0 && all->first_different < 0) {
        all->first_different = one->first_different;
        memcpy(all->value_first, one->value_first, sizeof all->value_first);
        memcpy(all->value_second, one->value_second, sizeof all->value_second);
    }
    all->identical = all->identical && one->identical;
    all->agree = all->agree && one->agree;
    all->elements += one->elements;
    if (one->max_ulp > all->max_ulp)
        all->max_ulp = one->max_ulp;
    if (one->max_over_bound > all->max_over_bound)
        all->max_over_bound = one->max_over_bound;
}

static plx_status count_pair(void *data, size_t first, size_t second, const plx_pair *found, plx_error *error)
{
    plx_check_unit *unit = ((part *)data)->unit;
    plx_pair *all = &unit->pairs[first * unit->candidate_count + second];

    (void)error;
    ++unit->counts.pairs;
    ++*(found->agree ? &unit->counts.agreed : &unit->counts.disagreed);
    if (all->compared)
        plx_check_join(all, found);
    else
        *all = *found;
    return PLX_OK;
}

/* ---- one case ----------------------------------------------------------------------------- */

/* What the reason says beyond which kernel of which backend it is about. */
static const char *essence(const char *reason)
{
    static const char marker[] = " is not supported: ";
    const char *found = strstr(reason, marker);
    return found != NULL ? found + sizeof marker - 1 : reason;
}

/* Sentences that differ in their numbers alone are one reason. */
static bool same_reason(const char *a, const char *b)
{
    for (;; ++a, ++b) {
        while (isdigit((unsigned char)*a))
            ++a;
        while (isdigit((unsigned char)*b))
            ++b;
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

void plx_check_count_reason(plx_check_counts *counts, const char *reason, size_t times)
{
    size_t i = 0;

    while (i < counts->reason_count && !same_reason(counts->reasons[i].text, reason))
        ++i;
    if (i == PLX_CHECK_REASONS)
        return; /* among the unsupported, but without a line of its own */
    if (i == counts->reason_count) {
        ++counts->reason_count;
        (void)snprintf(counts->reasons[i].text, sizeof counts->reasons[i].text, "%.*s",
                       (int)sizeof counts->reasons[i].text - 1, reason);
    }
    counts->reasons[i].count += times;
}

static void count_outcome(plx_check_counts *counts, const plx_candidate *candidate)
{
    const struct place {
        plx_outcome outcome;
        size_t *count;
    } places[] = {{PLX_OUTCOME_OK, &counts->ok},
                  {PLX_OUTCOME_WRONG, &counts->wrong},
                  {PLX_OUTCOME_NOT_JUDGED, &counts->not_judged},
                  {PLX_OUTCOME_UNSUPPORTED, &counts->unsupported}};
    size_t *count = &counts->failed;

    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        if (places[i].outcome == candidate->outcome)
            count = places[i].count;
    ++*count;
    ++counts->cases;
    counts->repeats += candidate->repeats;
    if (candidate->outcome == PLX_OUTCOME_UNSUPPORTED)
        plx_check_count_reason(counts, essence(candidate->reason), 1);
}

static void progress(plx_check_shared *shared, const plx_candidate *candidate, const plx_check_unit *unit)
{
    char text[160], name[64];

    plx_candidate_name(candidate, name);
    (void)pthread_mutex_lock(&shared->lock);
    ++shared->done;
    if (shared->options->progress != NULL) {
        (void)snprintf(text, sizeof text, "%s/%s on %s", unit->operation->name, name,
                       plx_backend_label(candidate->backend));
        shared->options->progress(shared->options->progress_data, shared->done, shared->total, text);
    }
    shared->tell(shared->tell_data, unit);
    (void)pthread_mutex_unlock(&shared->lock);
}

/* Room on an accelerator for three times the operands. */
static bool affordable(const plx_case *tried, const plx_candidate *candidate)
{
    const plx_device_info *device = plx_backend_device(candidate->backend);
    double bytes = plx_operation_of(tried->problem.op)->bytes(&tried->problem);

    return !tried->large || ((device->features & PLX_FEATURE_CPU) == 0 && 3.0 * bytes < (double)device->memory_bytes);
}

/* The host holds the operands, the reference (in f64 and twice that where it is no copy of
 * bits), and a few results: those that are the same are held once. */
static bool host_affords(const plx_case *tried)
{
    const plx_operation *operation = plx_operation_of(tried->problem.op);
    plx_extent extents[PLX_MAX_OPERANDS];
    double need = 0.0;

    if (!tried->large)
        return true;
    operation->extents(&tried->problem, extents);
    for (size_t i = 0; i < operation->operand_count; ++i) {
        const double elements = (double)extents[i].rows * (double)extents[i].ld;
        const double size = (double)plx_dtype_size(plx_operand_dtype(&tried->problem, i));
        need += elements * (i == operation->output ? 4.0 * size : size);
        if (i == operation->output)
            need += elements * (plx_is_exact(&tried->problem) ? size : 24.0);
    }
    return need < 0.9 * plx_host_memory();
}

static bool worth_making(const part *p, const plx_case *tried)
{
    bool some = false;
    for (size_t i = 0; i < p->unit->candidate_count; ++i)
        some = some || affordable(tried, &p->candidates[i]);
    return some && host_affords(tried);
}

/* Bits of the forms that a kernel computes, each tried at a size that all take. */
static uint32_t forms_of(const plx_candidate *candidate, plx_dtype dtype, const plx_op_cases *of)
{
    uint32_t found = 0;

    for (size_t which = 0; which < of->form_count; ++which) {
        plx_problem problem = of->form(dtype, which);
        if (plx_supports(candidate->backend, &problem, candidate->kernel->name) == PLX_OK)
            found |= UINT32_C(1) << which;
    }
    return found != 0 ? found : UINT32_MAX; /* one that serves none may say why in each case */
}

/* Where a kernel computes one of several forms, the others are no cases of its. */
static bool serves_form(part *p, size_t which, const plx_problem *problem)
{
    const plx_op_cases *of = plx_cases_of(problem->op);

    if (of->form_count == 0)
        return true;
    if (p->forms[which] == 0)
        p->forms[which] = forms_of(&p->candidates[which], problem->dtype, of);
    return (p->forms[which] >> of->form_of(problem) & 1) != 0;
}

static bool has_ladder(const part *p, const plx_backend *backend)
{
    size_t kernels = 0;
    for (size_t i = 0; i < p->unit->candidate_count; ++i)
        kernels += p->candidates[i].backend == backend ? 1 : 0;
    return kernels > 1;
}

/* A library of a vendor shows one dtype: it compiles all that it has for a dtype, used
 * or not. */
static bool shows(const part *p, const plx_candidate *candidate, const plx_problem *problem)
{
    if ((candidate->kernel->flags & PLX_KERNEL_VENDOR) != 0)
        return problem->dtype == PLX_F32;
    if ((candidate->kernel->dtypes & PLX_DTYPE_BIT(PLX_F32)) == 0)
        return true; /* it would have nothing to show in its turn */
    const plx_op_cases *of = plx_cases_of(problem->op);
    return of->shows == NULL || !has_ladder(p, candidate->backend) || of->shows(candidate->step, problem);
}

/* A compiler for processors takes seconds for each variant of a kernel. */
static bool spared_variant(const part *p, const plx_candidate *candidate, const plx_problem *problem)
{
    const plx_check_options *options = p->shared->options;

    return options->effort == PLX_QUICK && options->only_case == 0 && options->kernel_count == 0 &&
           options->dtype_count == 0 && (plx_backend_device(candidate->backend)->features & PLX_FEATURE_CPU) != 0 &&
           !shows(p, candidate, problem);
}

/* With fewer runs for their bits when that is wanted. */
static plx_trial_effort effort_of(const plx_check_options *options, const plx_case *tried)
{
    const size_t most = options->limit_repeats ? options->most_repeats : SIZE_MAX;

    return (plx_trial_effort){.shift = tried->shift,
                              .repeat = most > 0,
                              .precision = tried->precision,
                              .busy = tried->busy < most ? tried->busy : most};
}

static bool suits(part *p, size_t which, const plx_case *tried)
{
    const plx_candidate *candidate = &p->candidates[which];

    return (candidate->kernel->dtypes & PLX_DTYPE_BIT(tried->problem.dtype)) != 0 &&
           candidate->kernel->compute == tried->problem.compute && affordable(tried, candidate) &&
           !spared_variant(p, candidate, &tried->problem) && serves_form(p, which, &tried->problem);
}

/* The record is of the candidate that was asked for, whatever configuration the case tries it in. */
static plx_status run_and_count(part *p, size_t which, const char *name, const plx_case *tried, size_t number,
                                const plx_inputs *inputs, plx_references *references)
{
    plx_candidate *candidate = &p->candidates[which];
    const plx_failed_case failed = {p->shared->options, tried, number, inputs, candidate, references};
    const plx_trial_effort effort = effort_of(p->shared->options, tried);
    plx_record record;

    plx_candidate_run(candidate, inputs, references, &effort);
    plx_claims_test_depth(&p->claims, candidate, inputs);
    (void)plx_phase_turn(p->timer, PLX_CHECK_OTHER);
    count_outcome(&p->unit->counts, candidate);
    fill_record(&record, tried, inputs, candidate, 0);
    memcpy(record.config, candidate->config, sizeof record.config);
    (void)snprintf(record.kernel, sizeof record.kernel, "%s", name);
    plx_check_worse(&p->unit->records[which], &p->unit->tried[which], &record);
    if (candidate->outcome == PLX_OUTCOME_OK || candidate->outcome == PLX_OUTCOME_UNSUPPORTED ||
        candidate->outcome == PLX_OUTCOME_NOT_JUDGED)
        return PLX_OK;
    return report_failure(p->shared, &failed, p->error);
}

/* One after the other in the kernel's place; they leave it as it was. */
static plx_status try_configs(part *p, size_t which, const plx_case *tried, size_t number, const plx_inputs *inputs,
                              plx_references *references)
{
    plx_candidate *candidate = &p->candidates[which];
    size_t count = 0;
    plx_config *configs = plx_candidate_configs(candidate, &tried->problem, &count);
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count && !plx_studies_stopped(); ++i) {
        memcpy(candidate->config, configs[i].name, sizeof candidate->config);
        status = run_and_count(p, which, candidate->kernel->name, tried, number, inputs, references);
        plx_candidate_clear(candidate);
        candidate->config[0] = '\0';
    }
    free(configs);
    return status;
}

static plx_status try_candidate(part *p, size_t which, const plx_case *tried, size_t number, const plx_inputs *inputs,
                                plx_references *references)
{
    plx_candidate *candidate = &p->candidates[which];
    plx_status status = PLX_OK;
    char name[64];

    candidate->outcome = PLX_OUTCOME_NOT_RUN; /* what the last case left must not be paired */
    if (plx_studies_stopped())
        return PLX_OK;
    progress(p->shared, candidate, p->unit);
    if (!suits(p, which, tried))
        return PLX_OK;
    if (tried->configs && candidate->config[0] == '\0')
        status = try_configs(p, which, tried, number, inputs, references);
    if (status != PLX_OK || plx_studies_stopped()) {
        candidate->outcome = PLX_OUTCOME_NOT_RUN; /* that of a configuration, whose result is gone */
        return status;
    }
    plx_candidate_name(candidate, name);
    return run_and_count(p, which, name, tried, number, inputs, references);
}

/* The buffers go before the inputs that they hold. */
static void clear_case(part *p, const plx_open_backends *opened)
{
    (void)plx_phase_turn(p->timer, PLX_CHECK_OTHER);
    for (size_t i = 0; i < p->unit->candidate_count; ++i)
        plx_candidate_clear(&p->candidates[i]);
    for (size_t i = 0; i < opened->count; ++i)
        plx_guarded_operands_clear(&p->buffers[i]);
}

static plx_status try_candidates(part *p, const plx_case *tried, size_t number, const plx_inputs *inputs,
                                 plx_references *references)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < p->unit->candidate_count; ++i) {
        status = try_candidate(p, i, tried, number, inputs, references);
        if (tried->large &&
            (i + 1 == p->unit->candidate_count || p->candidates[i + 1].device != p->candidates[i].device))
            plx_guarded_operands_clear(p->candidates[i].buffers); /* another backend may be of the same device */
    }
    (void)plx_phase_turn(p->timer, PLX_CHECK_PAIRS);
    if (status == PLX_OK)
        status =
            plx_candidates_pair(p->candidates, p->unit->candidate_count, inputs, references, count_pair, p, p->error);
    return status;
}

static plx_status try_case(part *p, const plx_open_backends *opened, const plx_case *tried, size_t number)
{
    plx_inputs inputs;
    plx_references references = {.timer = p->timer};
    plx_status status;

    if (!worth_making(p, tried))
        return PLX_OK;
    (void)plx_phase_turn(p->timer, PLX_CHECK_INPUTS);
    status = plx_inputs_generate(&tried->problem, tried->input, tried->seed, &inputs, p->error);
    (void)plx_phase_turn(p->timer, PLX_CHECK_OTHER);
    if (status != PLX_OK)
        return status;
    status = try_candidates(p, tried, number, &inputs, &references);
    clear_case(p, opened);
    plx_references_free(&references);
    plx_inputs_free(&inputs);
    return status;
}

/* ---- all cases ------------------------------------------------------------------------------ */

static plx_status make_buffers(part *p, const plx_open_backends *opened)
{
    p->buffers = calloc(opened->count > 0 ? opened->count : 1, sizeof *p->buffers);
    p->forms = calloc(p->unit->candidate_count > 0 ? p->unit->candidate_count : 1, sizeof *p->forms);
    if (p->buffers == NULL || p->forms == NULL)
        return plx_fail(p->error, PLX_NO_MEMORY, "no memory for the backends of a check");
    for (size_t i = 0; i < opened->count; ++i)
        p->buffers[i].backend = opened->backends[i];
    for (size_t i = 0; i < p->unit->candidate_count; ++i)
        p->candidates[i].buffers = &p->buffers[p->candidates[i].device];
    return PLX_OK;
}

plx_status plx_check_unit_run(plx_check_shared *shared, plx_check_unit *unit, bool large,
                              const plx_open_backends *opened, plx_candidate *candidates, plx_phase_timer *timer,
                              plx_error *error)
{
    part p = {.shared = shared, .unit = unit, .candidates = candidates, .timer = timer, .error = error};
    size_t only = shared->options->only_case;
    plx_status status = make_buffers(&p, opened);

    for (size_t i = unit->first; status == PLX_OK && i < unit->end && !plx_studies_stopped(); ++i)
        if ((only == 0 || only == i + 1) && unit->cases.list[i].large == large)
            status = try_case(&p, opened, &unit->cases.list[i], i + 1);
    plx_claims_free(&p.claims);
    free(p.buffers);
    free(p.forms);
    return status;
}

plx_status plx_check_unit_make(const plx_check_options *options, const plx_operation *operation, plx_dtype dtype,
                               plx_compute compute, size_t slice, size_t slices, size_t candidate_count,
                               plx_check_unit *unit, plx_error *error)
{
    plx_check_unit made = {
        .operation = operation, .dtype = dtype, .compute = compute, .candidate_count = candidate_count};
    size_t candidates = candidate_count > 0 ? candidate_count : 1;
    plx_status status =
        plx_cases_make(operation->op, dtype, compute, options->effort, options->seed, &made.cases, error);

    if (status == PLX_OK && options->drawn_seed != 0)
        status =
            plx_cases_draw(operation->op, dtype, compute, options->effort, options->drawn_seed, &made.cases, error);
    if (status != PLX_OK) {
        plx_cases_free(&made.cases);
        return status;
    }
    made.first = made.cases.count * slice / slices;
    made.end = made.cases.count * (slice + 1) / slices;
    made.records = calloc(candidates, sizeof *made.records);
    made.tried = calloc(candidates, sizeof *made.tried);
    made.pairs = calloc(candidates * candidates, sizeof *made.pairs);
    if (made.records == NULL || made.tried == NULL || made.pairs == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for the records of %s", operation->name);
    else if (options->only_case > made.cases.count)
        status = plx_fail(error, PLX_INVALID, "%s has %s cases 1 to %zu here, not %zu", operation->name,
                          plx_dtype_name(dtype), made.cases.count, options->only_case);
    if (status == PLX_OK)
        *unit = made;
    else
        plx_check_unit_free(&made);
    return status;
}

void plx_check_unit_free(plx_check_unit *unit)
{
    plx_cases_free(&unit->cases);
    free(unit->records);
    free(unit->tried);
    free(unit->pairs);
    *unit = (plx_check_unit){.candidate_count = 0};
}
