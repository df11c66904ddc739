/* plx_check: every kernel of every backend on every case, and the backends against
 * each other.  No timing. */
#define _DEFAULT_SOURCE /* sysconf(_SC_PHYS_PAGES) */
#include "core/failure.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct check {
    const plx_check_options *options;
    plx_viewpoints viewpoints;
    plx_check_counts counts;
    plx_results *results;
    plx_error *error;
    bool kernel_found;  /* some operation has a kernel that was named */
    size_t done, total; /* runs of a kernel */
    size_t saved;       /* failures whose operands were saved */
} check;

/* One operation's part: its arms, and the record of each. */
typedef struct part {
    check *check;
    const plx_operation *operation;
    plx_arm *arms;
    size_t count;
    size_t first_record;
    size_t *pairs; /* count x count: number of the pair in the results, plus 1 */
    bool *tried;   /* by some case */
    uint32_t *patterns; /* of each arm: bits of what a probe's kernel serves; 0: not asked yet for this dtype */
} part;

/* ---- failures ------------------------------------------------------------------------ */

static void fill_record(plx_record *record, const plx_case *tried, const plx_inputs *inputs,
                        const plx_arm *arm, size_t group)
{
    plx_line line = {.length = 0};

    plx_record_fill(record, arm, inputs, group);
    plx_case_circumstances(tried, inputs, &line);
    (void)snprintf(record->circumstances, sizeof record->circumstances, "%.*s",
                   (int)sizeof record->circumstances - 1, line.text);
}

static plx_status report_failure(check *c, const plx_failed_case *failed)
{
    plx_record record;
    plx_line line = {.length = 0};

    if (c->options->failure != NULL) {
        fill_record(&record, failed->tried, failed->inputs, failed->arm, 0);
        plx_failure_command(failed, &line);
        c->options->failure(c->options->progress_data, &record, line.text);
    }
    if (c->options->save_failure != NULL && failed->arm->outcome == PLX_OUTCOME_WRONG)
        return plx_failure_save(failed, ++c->saved, c->error);
    return PLX_OK;
}

/* ---- the worst case -------------------------------------------------------------------- */

static int rank_of(plx_outcome outcome)
{
    static const int ranks[] = {
        [PLX_OUTCOME_UNSUPPORTED] = 0, [PLX_OUTCOME_OK] = 1,    [PLX_OUTCOME_NOT_RUN] = 2,
        [PLX_OUTCOME_FAILED] = 3,      [PLX_OUTCOME_WRONG] = 4,
    };
    return ranks[outcome];
}

/* A kernel that does not serve some of the cases is judged by the others. */
static void keep_worst(part *p, size_t which, const plx_case *tried, const plx_inputs *inputs)
{
    plx_record record, *kept = &p->check->results->records[p->first_record + which];

    fill_record(&record, tried, inputs, &p->arms[which], kept->group);
    if (!p->tried[which] || rank_of(record.outcome) > rank_of(kept->outcome) ||
        (record.outcome == kept->outcome && record.error.max_over_bound > kept->error.max_over_bound))
        *kept = record;
    p->tried[which] = true;
}

static void join(plx_pair *all, const plx_pair *one)
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
    part *p = data;
    size_t *number = &p->pairs[first * p->count + second];
    plx_pair pair = *found;

    ++p->check->counts.pairs;
    ++*(found->agree ? &p->check->counts.agreed : &p->check->counts.disagreed);
    if (*number != 0) {
        join(&p->check->results->pairs[*number - 1], found);
        return PLX_OK;
    }
    pair.first = p->first_record + first;
    pair.second = p->first_record + second;
    *number = p->check->results->pair_count + 1;
    return plx_results_add_pair(p->check->results, &pair, error);
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

static void count_reason(plx_check_counts *counts, const char *reason)
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
    ++counts->reasons[i].count;
}

static void count_outcome(plx_check_counts *counts, const plx_arm *arm)
{
    ++counts->cases;
    counts->repeats += arm->repeats;
    switch (arm->outcome) {
    case PLX_OUTCOME_OK:
        ++counts->ok;
        break;
    case PLX_OUTCOME_WRONG:
        ++counts->wrong;
        break;
    case PLX_OUTCOME_UNSUPPORTED:
        ++counts->unsupported;
        count_reason(counts, essence(arm->reason));
        break;
    default:
        ++counts->failed;
        break;
    }
}

static void progress(check *c, const plx_arm *arm, const plx_operation *operation)
{
    char text[160];

    ++c->done;
    if (c->options->progress == NULL)
        return;
    (void)snprintf(text, sizeof text, "%s/%s on %s", operation->name, arm->kernel->name,
                   plx_backend_label(arm->backend));
    c->options->progress(c->options->progress_data, c->done, c->total, text);
}

/* Room on an accelerator for three times the operands. */
static bool affordable(const plx_case *tried, const plx_arm *arm)
{
    const plx_device_info *device = plx_backend_device(arm->backend);
    double bytes = plx_operation_of(tried->problem.op)->bytes(&tried->problem);

    return !tried->large ||
           ((device->features & PLX_FEATURE_CPU) == 0 && 3.0 * bytes < (double)device->memory_bytes);
}

/* The host holds the operands, the results and, in f64 and twice that, the reference. */
static bool host_affords(const plx_case *tried)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double bytes = plx_operation_of(tried->problem.op)->bytes(&tried->problem);

    return !tried->large || (pages > 0 && page > 0 && 12.0 * bytes < (double)pages * (double)page);
}

static bool worth_making(const part *p, const plx_case *tried)
{
    bool some = false;
    for (size_t i = 0; i < p->count; ++i)
        some = some || affordable(tried, &p->arms[i]);
    return some && host_affords(tried);
}

/* Whether a kernel computes this problem at all, tried at a size that all take. */
static bool has_plan(const plx_arm *arm, const plx_problem *problem)
{
    plx_plan *plan;

    if (plx_plan_create(arm->backend, problem, arm->kernel->name, &plan) != PLX_OK)
        return false;
    plx_plan_destroy(plan);
    return true;
}

static uint32_t patterns_of(const plx_arm *arm, plx_dtype dtype)
{
    uint32_t found = 0;

    for (int pattern = 0; pattern < PLX_PROBE_PATTERN_COUNT; ++pattern) {
        plx_problem problem = plx_probe_of(dtype, (plx_probe_pattern)pattern, 256);
        if (has_plan(arm, &problem))
            found |= UINT32_C(1) << pattern;
    }
    return found != 0 ? found : UINT32_MAX; /* one that serves none may say why in each case */
}

/* A probe's kernel computes one of the patterns: the others are no cases of its. */
static bool serves_pattern(part *p, size_t which, const plx_problem *problem)
{
    if (p->operation->op != PLX_PROBE)
        return true;
    if (p->patterns[which] == 0)
        p->patterns[which] = patterns_of(&p->arms[which], problem->dtype);
    return (p->patterns[which] >> problem->of.probe.pattern & 1) != 0;
}

/* Whether the step of a ladder shows this variant when each shows one; the ladder as a
 * whole shows them all. */
static bool shows_variant(size_t step, const plx_problem *problem)
{
    bool odd = step % 2 == 1;

    switch (problem->op) {
    case PLX_REDUCE:
        if (problem->dtype == PLX_F32)
            return (size_t)problem->of.reduce.reduction == step % PLX_REDUCTION_COUNT;
        return odd == (problem->dtype == PLX_I64 || problem->dtype == PLX_F64);
    case PLX_TRANSPOSE:
        return problem->dtype == PLX_F32 || odd == (problem->dtype == PLX_I16 || problem->dtype == PLX_C128);
    case PLX_MATVEC:
        return problem->of.matvec.trans == (odd == (problem->dtype == PLX_F32));
    case PLX_GEMM:
        return problem->dtype == PLX_F32 ? problem->of.gemm.trans_a == odd : odd;
    default:
        return problem->dtype == PLX_I32 || odd;
    }
}

static bool has_ladder(const part *p, const plx_backend *backend)
{
    size_t kernels = 0;
    for (size_t i = 0; i < p->count; ++i)
        kernels += p->arms[i].backend == backend ? 1 : 0;
    return kernels > 1;
}

/* A compiler for processors takes seconds for each variant of a kernel. */
static bool spared_variant(const part *p, const plx_arm *arm, const plx_problem *problem)
{
    const plx_check_options *options = p->check->options;

    return options->effort == PLX_QUICK && options->only_case == 0 && options->kernel_count == 0 &&
           (plx_backend_device(arm->backend)->features & PLX_FEATURE_CPU) != 0 &&
           has_ladder(p, arm->backend) && !shows_variant(arm->step, problem);
}

static plx_status try_arm(part *p, size_t which, const plx_case *tried, size_t number,
                          const plx_inputs *inputs, plx_truths *truths)
{
    plx_arm *arm = &p->arms[which];
    const plx_failed_case failed = {p->check->options, tried, number, inputs, arm, truths};

    arm->outcome = PLX_OUTCOME_NOT_RUN; /* what the last case left must not be paired */
    progress(p->check, arm, p->operation);
    if ((arm->kernel->dtypes & PLX_DTYPE_BIT(inputs->problem.dtype)) == 0 || !affordable(tried, arm) ||
        spared_variant(p, arm, &tried->problem) || !serves_pattern(p, which, &tried->problem))
        return PLX_OK;
    plx_arm_run(arm, inputs, truths, &tried->rigour);
    count_outcome(&p->check->counts, arm);
    keep_worst(p, which, tried, inputs);
    if (arm->outcome == PLX_OUTCOME_OK || arm->outcome == PLX_OUTCOME_UNSUPPORTED)
        return PLX_OK;
    return report_failure(p->check, &failed);
}

static plx_status try_case(part *p, const plx_case *tried, size_t number)
{
    plx_inputs inputs;
    plx_truths truths = {.has_copy = false};
    plx_status status;

    if (!worth_making(p, tried))
        return PLX_OK;
    status = plx_inputs_generate(&tried->problem, tried->input, tried->seed, &inputs, p->check->error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; status == PLX_OK && i < p->count; ++i)
        status = try_arm(p, i, tried, number, &inputs, &truths);
    if (status == PLX_OK)
        status = plx_arms_pair(p->arms, p->count, &inputs, &truths, count_pair, p, p->check->error);
    for (size_t i = 0; i < p->count; ++i)
        plx_arm_clear(&p->arms[i]);
    plx_truths_free(&truths);
    plx_inputs_free(&inputs);
    return status;
}

/* ---- operations ---------------------------------------------------------------------------- */

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
           operation->op == PLX_TRANSPOSE && (dtype == PLX_I32 || dtype == PLX_I64 || dtype == PLX_C64);
}

static plx_status try_dtype(part *p, plx_dtype dtype)
{
    check *c = p->check;
    plx_cases cases;
    plx_status status =
        plx_cases_make(p->operation->op, dtype, c->options->effort, c->options->seed, &cases, c->error);

    if (status != PLX_OK)
        return status;
    memset(p->patterns, 0, p->count * sizeof *p->patterns);
    if (c->options->only_case > cases.count)
        status = plx_fail(c->error, PLX_INVALID, "%s has %s cases 1 to %zu here, not %zu", p->operation->name,
                          plx_dtype_name(dtype), cases.count, c->options->only_case);
    for (size_t i = 0; status == PLX_OK && i < cases.count; ++i)
        if (c->options->only_case == 0 || c->options->only_case == i + 1)
            status = try_case(p, &cases.list[i], i + 1);
    plx_cases_free(&cases);
    return status;
}

static plx_status add_blank_records(part *p)
{
    plx_status status = PLX_OK;

    p->first_record = p->check->results->record_count;
    for (size_t i = 0; status == PLX_OK && i < p->count; ++i) {
        plx_record record = {.problem = {.op = p->operation->op},
                             .group = (size_t)p->operation->op,
                             .outcome = PLX_OUTCOME_NOT_RUN,
                             .device = p->arms[i].device,
                             .step = p->arms[i].step,
                             .named = p->arms[i].named,
                             .error = {.first_bad = -1}};
        (void)snprintf(record.backend, sizeof record.backend, "%s", plx_backend_label(p->arms[i].backend));
        (void)snprintf(record.kernel, sizeof record.kernel, "%s", p->arms[i].kernel->name);
        (void)snprintf(record.idea, sizeof record.idea, "%s", p->arms[i].kernel->idea);
        (void)snprintf(record.reason, sizeof record.reason, "no case suits it");
        record.kernel_flags = p->arms[i].kernel->flags;
        status = plx_results_add_record(p->check->results, &record, p->check->error);
    }
    return status;
}

static plx_status try_part(part *p)
{
    plx_status status = PLX_OK;

    p->pairs = calloc(p->count > 0 ? p->count * p->count : 1, sizeof *p->pairs);
    p->tried = calloc(p->count > 0 ? p->count : 1, sizeof *p->tried);
    p->patterns = calloc(p->count > 0 ? p->count : 1, sizeof *p->patterns);
    if (p->pairs == NULL || p->tried == NULL || p->patterns == NULL)
        status =
            plx_fail(p->check->error, PLX_NO_MEMORY, "no memory for the records of %s", p->operation->name);
    if (status == PLX_OK)
        status = add_blank_records(p);
    for (int dtype = 0; status == PLX_OK && dtype < PLX_DTYPE_COUNT; ++dtype)
        if (wants_dtype(p->check, p->operation, (plx_dtype)dtype) &&
            !spared(p->check, p->operation, (plx_dtype)dtype))
            status = try_dtype(p, (plx_dtype)dtype);
    free(p->pairs);
    free(p->tried);
    free(p->patterns);
    return status;
}

/* "best" stands for nothing before there is a problem. */
static void drop_unknown(part *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; ++i)
        if (p->arms[i].kernel != NULL)
            p->arms[kept++] = p->arms[i];
    p->count = kept;
}

/* A kernel name that this operation does not have may belong to another. */
static plx_status find_arms(check *c, const plx_operation *operation, part *p)
{
    static const char *const all[] = {"all"};
    const plx_problem any = {.op = operation->op};
    bool named = c->options->kernel_count > 0;
    plx_status status =
        plx_viewpoints_arms(&c->viewpoints, &any, named ? c->options->kernels : all,
                            named ? c->options->kernel_count : 1, &p->arms, &p->count, c->error);

    if (status == PLX_NOT_FOUND && named)
        return PLX_OK;
    if (status != PLX_OK)
        return status;
    c->kernel_found = true;
    drop_unknown(p);
    return PLX_OK;
}

static plx_status count_runs(check *c, const plx_operation *operation, size_t arms)
{
    plx_status status = PLX_OK;

    for (int dtype = 0; status == PLX_OK && dtype < PLX_DTYPE_COUNT; ++dtype) {
        plx_cases cases;
        if (!wants_dtype(c, operation, (plx_dtype)dtype) || spared(c, operation, (plx_dtype)dtype))
            continue;
        status = plx_cases_make(operation->op, (plx_dtype)dtype, c->options->effort, 0, &cases, c->error);
        if (status != PLX_OK)
            break;
        c->total += (c->options->only_case != 0 ? 1 : cases.count) * arms;
        plx_cases_free(&cases);
    }
    return status;
}

/* Runs the operations; first, for the progress line, only counts what there is to do. */
static plx_status each_operation(check *c, bool only_count)
{
    plx_status status = PLX_OK;

    for (int op = 0; status == PLX_OK && op < PLX_OP_COUNT; ++op) {
        part p = {.check = c, .operation = plx_operation_of((plx_op)op)};
        if (!wants_op(c, (plx_op)op) || p.operation == NULL || !plx_cases_exist((plx_op)op))
            continue;
        status = find_arms(c, p.operation, &p);
        if (status == PLX_OK)
            status = only_count ? count_runs(c, p.operation, p.count) : try_part(&p);
        free(p.arms);
    }
    return status;
}

static plx_status check_all(check *c)
{
    plx_status status = plx_viewpoints_devices(&c->viewpoints, c->results, c->error);

    if (status == PLX_OK)
        status = each_operation(c, true);
    if (status == PLX_OK && !c->kernel_found && c->options->kernel_count > 0)
        return plx_fail(c->error, PLX_NOT_FOUND,
                        "no backend has a kernel \"%s\"; `parallax list kernels` shows those there are",
                        c->options->kernels[0]);
    if (status == PLX_OK)
        status = each_operation(c, false);
    return status;
}

plx_status plx_check(plx_context *context, const plx_check_options *options, plx_check_counts *counts,
                     plx_results *results)
{
    plx_results made = {.record_count = 0};
    plx_error error = {.text = ""};
    check c = {.options = options, .results = &made, .error = &error};
    plx_status status =
        plx_viewpoints_open(context, options->backends, options->backend_count, &c.viewpoints, &error);

    if (status == PLX_OK)
        status = check_all(&c);
    plx_viewpoints_close(&c.viewpoints);
    if (status != PLX_OK) {
        plx_results_free(&made);
        return plx_context_fail(context, status, "%s", error.text);
    }
    *counts = c.counts;
    *results = made;
    return PLX_OK;
}
