/* Reads one record, and one pair of them. */
#include "study/results/read.h"

#include "study/results/words.h"
#include "kernels/operation.h"
#include "study/results/results.h"

#include <math.h>
#include <string.h>

/* No run takes so long, and nothing is so fast. */
static const double most_ns = 1e24, most_rate = 1e18;

plx_taken plx_read_outcome(plx_reader *from, plx_outcome *outcome)
{
    const int found = plx_read_name(from, "status", &plx_outcome_names, PLX_OUTCOME_COUNT);
    if (found == PLX_OUTCOME_COUNT)
        return PLX_TAKEN_UNKNOWN;
    *outcome = (plx_outcome)found;
    return PLX_TAKEN;
}

/* "files", or a kind of generated data; older files may not say. */
static plx_taken take_input(plx_reader *from, plx_record *record)
{
    char name[32];
    plx_read_text(from, "input", name, sizeof name);
    record->from_files = strcmp(name, "files") == 0;
    record->seed = plx_read_natural(from, "seed", 0);
    bool known = record->from_files || name[0] == '\0' || plx_input_from_name(name, &record->input);
    return known ? PLX_TAKEN : PLX_TAKEN_UNKNOWN;
}

static void take_error(plx_reader *record, plx_error_measure *error)
{
    plx_reader from = plx_read_part(record, "error");
    *error = (plx_error_measure){
        .measured = json_object_size(from.of) > 0,
        .max_over_bound =
            plx_read_positive(&from, "max_over_bound", INFINITY, INFINITY), /* null: not finite */
        .max_ulp = plx_read_positive(&from, "max_ulp", INFINITY, INFINITY),
        .compared = plx_read_integer(&from, "compared", 0),
        .compared_after = plx_read_integer(&from, "compared_after_timing", 0),
        .wrong = plx_read_integer(&from, "wrong", 0),
        .first_bad = plx_read_integer(&from, "first_bad", -1),
        /* older files do not say */
        .bound =
            (plx_bound_kind)plx_read_name(&from, "bound.kind", &plx_bound_names, PLX_BOUND_DETERMINISTIC),
        .gamma = plx_read_positive(&from, "bound.gamma", INFINITY, 0),
    };
    plx_read_text(&from, "got", error->got, sizeof error->got);
    plx_read_text(&from, "expected", error->expected, sizeof error->expected);
    plx_read_end(record, &from);
}

/* The median, its 95 % interval, and the number of samples. */
static bool take_median(plx_reader *from, double *median, double *low, double *high, size_t *samples)
{
    const json_t *interval = plx_read_list(from, "ci95_ns");
    *median = plx_read_positive(from, "median_ns", most_ns, 0);
    *low = json_is_number(json_array_get(interval, 0)) ? json_number_value(json_array_get(interval, 0)) : *median;
    *high = json_is_number(json_array_get(interval, 1)) ? json_number_value(json_array_get(interval, 1)) : *median;
    *samples = (size_t)plx_read_natural(from, "samples", 0);
    if (*median > 0 && !(*low > 0 && *low <= *median && *high >= *median && *high <= most_ns))
        from->wrong = from->wrong != NULL ? from->wrong : "ci95_ns";
    return *median > 0;
}

void plx_read_time(plx_reader *whole, plx_timing *time)
{
    char clock[16];
    plx_reader from = plx_read_part(whole, "time");
    *time = (plx_timing){.measured = false};
    plx_read_text(&from, "clock", clock, sizeof clock);
    if (!take_median(&from, &time->median_ns, &time->low_ns, &time->high_ns, &time->samples)) {
        *time = (plx_timing){.measured = false};
        plx_read_end(whole, &from);
        return;
    }
    time->measured = true;
    time->device_clock = strcmp(clock, "device") == 0;
    time->converged =
        plx_read_flag(&from, "converged", plx_read_flag(&from, "settled", true)); /* its former name */
    time->hot = plx_read_flag(&from, "hot", false);
    time->throttled = plx_read_flag(&from, "throttled", false);
    time->queues = (size_t)plx_read_natural(&from, "queues", 1);
    time->batch = (size_t)plx_read_natural(&from, "batch", 0);
    time->dropped = (size_t)plx_read_natural(&from, "dropped", 0);
    plx_read_text(&from, "clock_reason", time->clock_reason, sizeof time->clock_reason);
    plx_read_end(whole, &from);
}

static void take_interval(plx_reader *record, const char *path, plx_interval *interval)
{
    plx_reader from = plx_read_part(record, path);
    interval->measured =
        take_median(&from, &interval->median_ns, &interval->low_ns, &interval->high_ns, &interval->samples);
    plx_read_end(record, &from);
}

static void take_ceiling(plx_reader *record, plx_ceiling *ceiling)
{
    plx_reader from = plx_read_part(record, "ceiling");
    int kind = plx_read_name(&from, "kind", &plx_ceiling_names, PLX_CEILING_COUNT);
    double value = plx_read_positive(&from, "value", most_rate, 0);
    double fraction = plx_read_positive(&from, "fraction", most_rate, 0);
    if (kind < PLX_CEILING_COUNT)
        *ceiling = (plx_ceiling){
            .applies = true, .kind = (plx_ceiling_kind)kind, .value = value, .fraction = fraction};
    plx_read_text(&from, "over", ceiling->over, sizeof ceiling->over);
    plx_read_end(record, &from);
}

/* null: not measured on this chip. */
static void take_counters(plx_reader *record, plx_record *to)
{
    plx_reader from = plx_read_part(record, "counters");
    if (!json_is_object(from.of))
        return;
    plx_read_text(&from, "reason", to->counters_reason, sizeof to->counters_reason);
    to->counted = to->counters_reason[0] == '\0';
    for (size_t i = 0; to->counted && plx_counter_name(i) != NULL; i++)
        plx_counter_put(&to->counters, i, plx_read_number(&from, plx_counter_name(i), NAN));
    plx_read_end(record, &from);
}

static uint32_t flags_at(plx_reader *from)
{
    const bool as_it_was_called = plx_read_flag(from, "yardstick", false);
    uint32_t flags = plx_read_flag(from, "baseline", as_it_was_called) ? PLX_KERNEL_BASELINE : 0;
    return flags | (plx_read_flag(from, "vendor", false) ? PLX_KERNEL_VENDOR : 0);
}

static void take_words(plx_reader *from, plx_record *record)
{
    plx_read_text(from, "backend", record->backend, sizeof record->backend);
    plx_read_text(from, "kernel", record->kernel, sizeof record->kernel);
    plx_read_text(from, "config", record->config, sizeof record->config);
    plx_read_text(from, "idea", record->idea, sizeof record->idea);
    plx_read_text(from, "reason", record->reason, sizeof record->reason);
}

static void take_numbers(plx_reader *from, plx_record *record)
{
    take_error(from, &record->error);
    plx_read_time(from, &record->time);
    take_interval(from, "host_time", &record->time.host);
    take_interval(from, "latency", &record->time.latency);
    take_ceiling(from, &record->ceiling);
    take_counters(from, record);
    record->gbps = plx_read_positive(from, "rate.gbps", most_rate, 0);
    record->gflops = plx_read_positive(from, "rate.gflops", most_rate, 0);
    record->gain = plx_read_positive(from, "gain", most_rate, 0);
    record->formula_bytes = plx_operation_of(record->problem.op)->bytes(&record->problem);
}

plx_taken plx_read_record(plx_reader *from, size_t devices, plx_record *record)
{
    *record = (plx_record){
        .shift = plx_read_natural(from, "shift", 0),
        .device = (size_t)plx_read_natural(from, "device", SIZE_MAX),
        .kernel_flags = flags_at(from),
        .named = plx_read_flag(from, "named", false),
        .group = (size_t)plx_read_natural(from, "group", 0),
        .step = (size_t)plx_read_natural(from, "step", 0),
    };
    take_words(from, record);
    plx_taken input = take_input(from, record), outcome = plx_read_outcome(from, &record->outcome);
    plx_taken problem = plx_read_problem(from, &record->problem);
    if (from->wrong == NULL && record->device >= devices)
        from->wrong = "device";
    if (from->wrong != NULL)
        return PLX_TAKEN_WRONG;
    if (problem != PLX_TAKEN || input != PLX_TAKEN || outcome != PLX_TAKEN)
        return PLX_TAKEN_UNKNOWN;
    take_numbers(from, record);
    return from->wrong == NULL ? PLX_TAKEN : PLX_TAKEN_WRONG;
}

/* ---- pairs --------------------------------------------------------------------------- */

void plx_read_pair(plx_reader *from, plx_pair *pair)
{
    const json_t *values = plx_read_list(from, "values");
    const char *first = json_string_value(json_array_get(values, 0));
    const char *second = json_string_value(json_array_get(values, 1));
    *pair = (plx_pair){
        .compared = plx_read_flag(from, "compared", false),
        .identical = plx_read_flag(from, "identical", false),
        .agree = plx_read_flag(from, "agree", false),
        .elements = plx_read_integer(from, "elements", 0),
        .max_ulp = plx_read_positive(from, "max_ulp", INFINITY, INFINITY),
        .max_over_bound = plx_read_positive(from, "max_over_bound", INFINITY, INFINITY),
        .first_different = plx_read_integer(from, "first_different", -1),
    };
    (void)snprintf(pair->value_first, sizeof pair->value_first, "%s", first != NULL ? first : "");
    (void)snprintf(pair->value_second, sizeof pair->value_second, "%s", second != NULL ? second : "");
}
