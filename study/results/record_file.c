/* One record of a file, and one pair of them. */
#include "study/results/archive.h"

#include "study/results/words.h"
#include "kernels/operation.h"

#include <math.h>
#include <string.h>

plx_outcome plx_archive_outcome(plx_archive *archive, plx_outcome outcome)
{
    const int found = plx_archive_name(archive, "status", &plx_outcome_names, (int)outcome, PLX_OUTCOME_COUNT);
    archive->unknown = archive->unknown || found == PLX_OUTCOME_COUNT;
    return (plx_outcome)found;
}

/* "files", or a kind of generated data; older files may not say. */
static void input_field(plx_archive *archive, plx_record *record)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s", record->from_files ? "files" : plx_input_name(record->input));
    plx_archive_text(archive, "input", name, sizeof name);
    record->from_files = strcmp(name, "files") == 0;
    if (!record->from_files)
        record->seed = plx_archive_natural(archive, "seed", record->seed, 0);
    if (!record->from_files && name[0] != '\0' && !plx_input_from_name(name, &record->input))
        archive->unknown = true;
}

void plx_archive_error(plx_archive *archive, plx_error_measure *error)
{
    if (!plx_archive_open(archive, "error", true))
        return;
    if (plx_archive_reads(archive))
        error->measured = json_object_size(archive->at[archive->depth]) > 0;
    if (error->measured) {
        error->max_over_bound =
            plx_archive_number(archive, "max_over_bound", error->max_over_bound, INFINITY, INFINITY);
        error->max_ulp = plx_archive_number(archive, "max_ulp", error->max_ulp, INFINITY, INFINITY);
        error->max_over_terms = plx_archive_number(archive, "max_over_terms", error->max_over_terms, INFINITY, 0);
        error->first_bad = plx_archive_index(archive, "first_bad", error->first_bad);
        error->compared = plx_archive_integer(archive, "compared", error->compared, 0);
        error->compared_after = plx_archive_integer(archive, "compared_after_timing", error->compared_after, 0);
        error->wrong = plx_archive_integer(archive, "wrong", error->wrong, 0);
        if (plx_archive_open(archive, "bound", true)) {
            error->bound = (plx_bound_kind)plx_archive_name(archive, "kind", &plx_bound_names, (int)error->bound,
                                                            PLX_BOUND_DETERMINISTIC);
            error->gamma = plx_archive_number(archive, "gamma", error->gamma, INFINITY, 0);
            error->narrowing = plx_archive_number(archive, "narrowing", error->narrowing, INFINITY, 0);
            plx_archive_close(archive);
        }
        plx_archive_remark(archive, "got", error->got, sizeof error->got);
        plx_archive_remark(archive, "expected", error->expected, sizeof error->expected);
    }
    plx_archive_close(archive);
}

/* Shares by the names of their models; null where they can't be told, or there is no error. */
void plx_archive_likeness(plx_archive *archive, plx_likeness *likeness)
{
    if (!plx_archive_open(archive, "likeness", likeness->measured))
        return;
    likeness->measured = true;
    likeness->like =
        (plx_like)plx_archive_name(archive, "like", &plx_like_names, (int)likeness->like, PLX_LIKE_UNKNOWN);
    plx_archive_text(archive, "text", likeness->text, sizeof likeness->text);
    likeness->elements = plx_archive_integer(archive, "elements", likeness->elements, 0);
    likeness->rms = plx_archive_number(archive, "rms", likeness->rms, INFINITY, 0);
    likeness->own_rms = plx_archive_number(archive, "own_rms", likeness->own_rms, INFINITY, 0);
    if (plx_archive_reads(archive))
        likeness->model = PLX_MODEL_COUNT;
    if (plx_archive_open(archive, "explained", true)) {
        for (int i = 0; i < PLX_MODEL_COUNT; i++) {
            double *share = &likeness->explained[i];
            *share = plx_archive_signed(archive, plx_model_name((plx_model)i), *share, NAN);
            if (plx_archive_reads(archive) && !isnan(*share) &&
                (likeness->model == PLX_MODEL_COUNT || *share > likeness->explained[likeness->model]))
                likeness->model = (plx_model)i;
        }
        plx_archive_close(archive);
    }
    plx_archive_close(archive);
}

/* ---- times -------------------------------------------------------------------------------- */

/* The median, its 95 % interval, and the number of samples; whether there is one. */
static bool median_fields(plx_archive *archive, double *median, double *low, double *high, size_t *samples)
{
    *median = plx_archive_number(archive, "median_ns", *median, PLX_MOST_NS, 0);
    if (plx_archive_reads(archive))
        *low = *high = *median;
    plx_archive_interval(archive, "ci95_ns", low, high);
    *samples = (size_t)plx_archive_natural(archive, "samples", *samples, 0);
    if (plx_archive_reads(archive) && *median > 0 &&
        !(*low > 0 && *low <= *median && *high >= *median && *high <= PLX_MOST_NS))
        plx_archive_refuse(archive, "ci95_ns");
    return *median > 0;
}

/* What else is said of a time. */
static void timing_fields(plx_archive *archive, plx_timing *time)
{
    plx_archive_remark(archive, "clock_reason", time->clock_reason, sizeof time->clock_reason);
    time->converged = plx_archive_flag(archive, "converged", time->converged, true);
    if (plx_archive_reads(archive)) /* its name in files of before 0.1.0 */
        time->converged = plx_archive_flag(archive, "settled", false, time->converged);
    time->hot = plx_archive_flag(archive, "hot", time->hot, false);
    time->queues = (size_t)plx_archive_natural(archive, "queues", time->queues, 1);
    time->batch = (size_t)plx_archive_natural(archive, "batch", time->batch, 0);
    time->dropped = (size_t)plx_archive_natural(archive, "dropped", time->dropped, 0);
    time->disturbed = (size_t)plx_archive_natural(archive, "disturbed", time->disturbed, 0);
    time->throttled = plx_archive_mark(archive, "throttled", time->throttled);
    if (plx_archive_reads(archive) || time->runs > 0)
        time->runs = (size_t)plx_archive_natural(archive, "runs", time->runs, 0);
}

void plx_archive_time(plx_archive *archive, plx_timing *time)
{
    char clock[16];
    if (!plx_archive_open(archive, "time", time->measured))
        return;
    time->measured = median_fields(archive, &time->median_ns, &time->low_ns, &time->high_ns, &time->samples);
    (void)snprintf(clock, sizeof clock, "%s", time->device_clock ? "device" : "host");
    plx_archive_text(archive, "clock", clock, sizeof clock);
    time->device_clock = strcmp(clock, "device") == 0;
    timing_fields(archive, time);
    if (!time->measured)
        *time = (plx_timing){.measured = false};
    plx_archive_close(archive);
}

/* A median on the host's clock. */
static void interval_fields(plx_archive *archive, const char *name, plx_interval *interval)
{
    char clock[] = "host";
    if (!plx_archive_open(archive, name, interval->measured))
        return;
    interval->measured =
        median_fields(archive, &interval->median_ns, &interval->low_ns, &interval->high_ns, &interval->samples);
    plx_archive_text(archive, "clock", clock, sizeof clock);
    plx_archive_close(archive);
}

/* Of a time alone; numbers that do not follow one another are none. */
static void spread_fields(plx_archive *archive, plx_spread *spread)
{
    double *const numbers[] = {&spread->least, &spread->lower, &spread->middle, &spread->upper, &spread->most};
    static const char *const names[] = {"least_ns", "lower_quartile_ns", "median_ns", "upper_quartile_ns", "most_ns"};
    if (!plx_archive_open(archive, "spread", spread->known))
        return;
    for (size_t i = 0; i < 5; i++)
        *numbers[i] = plx_archive_number(archive, names[i], *numbers[i], PLX_MOST_NS, 0);
    spread->known = spread->least > 0;
    for (size_t i = 1; i < 5; i++)
        spread->known = spread->known && *numbers[i] >= *numbers[i - 1];
    if (!spread->known)
        *spread = (plx_spread){.known = false};
    plx_archive_close(archive);
}

static void ceiling_fields(plx_archive *archive, plx_ceiling *ceiling)
{
    if (!plx_archive_open(archive, "ceiling", ceiling->applies))
        return;
    const int kind = plx_archive_name(archive, "kind", &plx_ceiling_names, (int)ceiling->kind, PLX_CEILING_COUNT);
    ceiling->applies = kind < PLX_CEILING_COUNT;
    ceiling->kind = ceiling->applies ? (plx_ceiling_kind)kind : PLX_CEILING_COPY;
    ceiling->value = plx_archive_number(archive, "value", ceiling->value, PLX_MOST_RATE, 0);
    if (!plx_archive_reads(archive))
        plx_json_text(archive->to, "unit", plx_ceiling_unit(ceiling->kind));
    ceiling->fraction = plx_archive_number(archive, "fraction", ceiling->fraction, PLX_MOST_RATE, 0);
    plx_archive_remark(archive, "over", ceiling->over, sizeof ceiling->over);
    plx_archive_close(archive);
}

/* What a packed file leaves out, for it follows from the time. */
static void take_rate(plx_record *record)
{
    const plx_operation *operation = plx_operation_of(record->problem.op);
    record->gbps = operation->bytes(&record->problem) / record->time.median_ns;
    record->gflops = plx_problem_flops(&record->problem) / record->time.median_ns;
}

/* null: where it does not apply. */
static void rate_fields(plx_archive *archive, plx_record *record)
{
    if (plx_archive_reads(archive) && record->time.measured && !plx_archive_has(archive, "rate"))
        take_rate(record);
    if (!plx_archive_open(archive, "rate", record->time.measured))
        return;
    record->gbps = plx_archive_number(archive, "gbps", record->gbps > 0 ? record->gbps : NAN, PLX_MOST_RATE, 0);
    record->gflops = plx_archive_number(archive, "gflops", record->gflops > 0 ? record->gflops : NAN, PLX_MOST_RATE, 0);
    plx_archive_close(archive);
}

/* null: not measured on this chip; a reason alone: not counted. */
static void counter_fields(plx_archive *archive, plx_record *record)
{
    const bool asked = record->counted || record->counters_reason[0] != '\0';
    if (!plx_archive_open(archive, "counters", asked))
        return;
    if (plx_archive_reads(archive))
        record->counted = !plx_archive_has(archive, "reason");
    for (size_t i = 0; record->counted && plx_counter_name(i) != NULL; i++) {
        const double value = plx_counter_value(&record->counters, i);
        plx_counter_put(&record->counters, i, plx_archive_number(archive, plx_counter_name(i), value, INFINITY, NAN));
    }
    if (!record->counted)
        plx_archive_text(archive, "reason", record->counters_reason, sizeof record->counters_reason);
    if (!plx_archive_reads(archive))
        plx_json_number(archive->to, "formula_bytes", record->formula_bytes);
    plx_archive_close(archive);
}

/* ---- the record ----------------------------------------------------------------------------- */

/* Kernels beside the ladder of which files of before the field "special" do not say so. */
static const struct named_kernel {
    plx_op op;
    const char *name;
} special_before[] = {
    {PLX_GEMM, "async-copy"},       {PLX_GEMM, "many-blocks"},
    {PLX_GEMM, "short-k"},          {PLX_GEMM, "few-rows"},
    {PLX_GEMM, "matvec"},           {PLX_GEMM, "mma-direct"},
    {PLX_GEMM, "wgmma-narrow"},     {PLX_TRANSPOSE, "sector-aligned"},
    {PLX_TRANSPOSE, "tall-skinny"}, {PLX_MATVEC, "split"},
    {PLX_MATVEC, "tall-skinny"},
};

static bool was_special(const plx_record *record)
{
    for (size_t i = 0; i < sizeof special_before / sizeof *special_before; i++)
        if (record->problem.op == special_before[i].op && strcmp(record->kernel, special_before[i].name) == 0)
            return true;
    return false;
}

static void flag_fields(plx_archive *archive, plx_record *record)
{
    bool baseline = (record->kernel_flags & PLX_KERNEL_BASELINE) != 0;
    bool vendor = (record->kernel_flags & PLX_KERNEL_VENDOR) != 0;
    bool special = (record->kernel_flags & PLX_KERNEL_SPECIAL) != 0;
    baseline = plx_archive_flag(archive, "baseline", baseline, false);
    if (plx_archive_reads(archive)) /* its name in files of before 0.1.0 */
        baseline = plx_archive_flag(archive, "yardstick", false, baseline);
    vendor = plx_archive_flag(archive, "vendor", vendor, false);
    special = plx_archive_mark(archive, "special", special);
    if (plx_archive_reads(archive))
        special = special || (!vendor && !baseline && was_special(record));
    if (plx_archive_reads(archive))
        record->kernel_flags = (baseline ? PLX_KERNEL_BASELINE : 0u) | (vendor ? PLX_KERNEL_VENDOR : 0u) |
                               (special ? PLX_KERNEL_SPECIAL : 0u);
}

/* Which one it is. */
static void origin_fields(plx_archive *archive, size_t devices, plx_record *record)
{
    plx_archive_problem(archive, &record->problem);
    record->shift = plx_archive_shift(archive, record->shift);
    plx_archive_text(archive, "backend", record->backend, sizeof record->backend);
    record->device = (size_t)plx_archive_natural(archive, "device", record->device, SIZE_MAX);
    if (plx_archive_reads(archive) && record->device >= devices)
        plx_archive_refuse(archive, "device");
    plx_archive_text(archive, "kernel", record->kernel, sizeof record->kernel);
    plx_archive_remark(archive, "config", record->config, sizeof record->config);
    plx_archive_remark(archive, "remark", record->remark, sizeof record->remark);
    plx_archive_text(archive, "idea", record->idea, sizeof record->idea);
    record->outcome = plx_archive_outcome(archive, record->outcome);
    plx_archive_remark(archive, "reason", record->reason, sizeof record->reason);
    input_field(archive, record);
    record->group = (size_t)plx_archive_natural(archive, "group", record->group, 0);
    record->step = (size_t)plx_archive_natural(archive, "step", record->step, 0);
    record->named = plx_archive_flag(archive, "named", record->named, false);
    flag_fields(archive, record);
}

void plx_archive_record(plx_archive *archive, size_t devices, plx_record *record)
{
    if (plx_archive_reads(archive))
        *record = (plx_record){.error = {.max_over_bound = INFINITY, .max_ulp = INFINITY, .first_bad = -1}};
    origin_fields(archive, devices, record);
    if (plx_archive_fails(archive))
        return;
    plx_archive_error(archive, &record->error);
    plx_archive_likeness(archive, &record->likeness);
    plx_archive_time(archive, &record->time);
    spread_fields(archive, &record->spread);
    interval_fields(archive, "host_time", &record->time.host);
    interval_fields(archive, "latency", &record->time.latency);
    ceiling_fields(archive, &record->ceiling);
    rate_fields(archive, record);
    record->gain = plx_archive_rate(archive, "gain", record->gain);
    counter_fields(archive, record);
    if (plx_archive_reads(archive))
        record->formula_bytes = plx_operation_of(record->problem.op)->bytes(&record->problem);
}

/* ---- pairs ------------------------------------------------------------------------------------ */

void plx_archive_pair(plx_archive *archive, plx_pair *pair)
{
    char *const values[] = {pair->value_first, pair->value_second};
    pair->compared = plx_archive_flag(archive, "compared", pair->compared, false);
    pair->identical = plx_archive_flag(archive, "identical", pair->identical, false);
    pair->agree = plx_archive_flag(archive, "agree", pair->agree, false);
    pair->max_ulp = plx_archive_number(archive, "max_ulp", pair->compared ? pair->max_ulp : NAN, INFINITY, INFINITY);
    pair->max_over_bound =
        plx_archive_number(archive, "max_over_bound", pair->compared ? pair->max_over_bound : NAN, INFINITY, INFINITY);
    pair->elements = plx_archive_integer(archive, "elements", pair->elements, 0);
    pair->first_different = plx_archive_index(archive, "first_different", pair->first_different);
    if (!plx_archive_reads(archive) && pair->first_different < 0)
        return;
    const size_t count = plx_archive_list(archive, "values", 2);
    for (size_t i = 0; i < 2 && i < count; i++)
        plx_archive_text_item(archive, i, values[i], sizeof pair->value_first);
    plx_archive_list_end(archive);
}
