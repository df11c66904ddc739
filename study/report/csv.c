/* Results as CSV: one line per record or point, quoted as RFC 4180 says; pairs are left to JSON.  What
 * names a column once writes its title, and then its value in each line. */
#include "study/report/report.h"
#include "study/results/words.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* A line. */
typedef struct line {
    FILE *to;
    bool titles; /* that of the titles */
    bool begun;
} line;

/* ---- columns ---------------------------------------------------------------------------- */

/* What a driver says of itself need not be UTF-8. */
static void put_quoted(FILE *to, const char *text)
{
    const bool quoted = strpbrk(text, "\",\r\n") != NULL, utf8 = plx_is_utf8(text);
    if (quoted)
        (void)fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', to);
        (void)fputc(utf8 || (unsigned char)*text < 0x80 ? *text : '?', to);
    }
    if (quoted)
        (void)fputc('"', to);
}

static void text_column(line *in, const char *title, const char *text)
{
    if (in->begun)
        (void)fputc(',', in->to);
    in->begun = true;
    put_quoted(in->to, in->titles ? title : text);
}

/* Nothing stands where there is no number. */
static void number_column(line *in, const char *title, bool there, double number)
{
    char text[40] = "";
    if (there)
        plx_number_text(number, 12, text, sizeof text);
    text_column(in, title, text);
}

static void integer_column(line *in, const char *title, bool there, int64_t number)
{
    char text[24] = "";
    if (there)
        (void)snprintf(text, sizeof text, "%" PRId64, number);
    text_column(in, title, text);
}

/* One of two words. */
static void choice_column(line *in, const char *title, bool there, bool which, const char *yes, const char *no)
{
    text_column(in, title, !there ? "" : which ? yes : no);
}

static void median_columns(line *in, const char *const titles[3], bool there, double median, double low, double high)
{
    number_column(in, titles[0], there, median);
    number_column(in, titles[1], there, low);
    number_column(in, titles[2], there, high);
}

static void time_columns(line *in, const plx_timing *time)
{
    static const char *const titles[] = {"median_ns", "low_ns", "high_ns"};
    median_columns(in, titles, time->measured, time->median_ns, time->low_ns, time->high_ns);
    integer_column(in, "samples", time->measured, (int64_t)time->samples);
    choice_column(in, "clock", time->measured, time->device_clock, "device", "host");
}

static void end_line(const line *in)
{
    (void)fputc('\n', in->to);
}

/* ---- records ------------------------------------------------------------------------------ */

static void problem_columns(line *in, const plx_record *record)
{
    char text[256], variant[128], layout[128];
    text_column(in, "op", plx_op_name(record->problem.op));
    text_column(in, "dtype", plx_dtype_name(record->problem.dtype));
    plx_shape_text(&record->problem, text, sizeof text);
    text_column(in, "shape", text);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    bool bare = variant[0] == '\0' && layout[0] != '\0'; /* then no comma comes first */
    (void)snprintf(text, sizeof text, "%s%s", variant, layout + (bare ? 2 : 0));
    text_column(in, "variant", text);
    text_column(in, "input", record->from_files ? "files" : plx_input_name(record->input));
}

static void counter_columns(line *in, const plx_record *record)
{
    for (size_t i = 0; plx_counter_name(i) != NULL; i++)
        number_column(in, plx_counter_name(i), record->counted, plx_counter_value(&record->counters, i));
    number_column(in, "formula_bytes", record->formula_bytes > 0, record->formula_bytes);
    text_column(in, "counters_reason", record->counters_reason);
}

/* How it was timed, and how near that comes to what the device can do. */
static void circumstance_columns(line *in, const plx_record *record)
{
    static const char *const host[] = {"host_median_ns", "host_low_ns", "host_high_ns"};
    static const char *const latency[] = {"latency_median_ns", "latency_low_ns", "latency_high_ns"};
    const plx_timing *time = &record->time;
    const plx_ceiling *ceiling = &record->ceiling;
    choice_column(in, "converged", time->measured, time->converged, "yes", "no");
    choice_column(in, "hot", time->measured, time->hot, "yes", "no");
    integer_column(in, "queues", time->measured, (int64_t)time->queues);
    integer_column(in, "batch", time->measured, (int64_t)time->batch);
    integer_column(in, "dropped", time->measured, (int64_t)time->dropped);
    median_columns(in, host, time->host.measured, time->host.median_ns, time->host.low_ns, time->host.high_ns);
    median_columns(in, latency, time->latency.measured, time->latency.median_ns, time->latency.low_ns,
                   time->latency.high_ns);
    text_column(in, "ceiling", ceiling->applies ? plx_ceiling_name(ceiling->kind) : "");
    number_column(in, "ceiling_value", ceiling->applies, ceiling->value);
    number_column(in, "ceiling_fraction", ceiling->applies, ceiling->fraction);
    text_column(in, "ceiling_over", ceiling->applies ? ceiling->over : "");
}

static void put_record(FILE *to, bool titles, const char *device, const plx_record *record)
{
    line in = {.to = to, .titles = titles};
    const plx_error_measure *error = &record->error;
    problem_columns(&in, record);
    text_column(&in, "backend", record->backend);
    text_column(&in, "device", device);
    text_column(&in, "kernel", record->kernel);
    text_column(&in, "status", plx_outcome_name(record->outcome));
    number_column(&in, "max_over_bound", error->measured, error->max_over_bound);
    number_column(&in, "max_ulp", error->measured, error->max_ulp);
    integer_column(&in, "first_bad", error->measured && error->first_bad >= 0, error->first_bad);
    time_columns(&in, &record->time);
    number_column(&in, "gbps", record->gbps > 0, record->gbps);
    number_column(&in, "gflops", record->gflops > 0, record->gflops);
    number_column(&in, "gain", record->gain > 0, record->gain);
    text_column(&in, "reason", record->reason);
    counter_columns(&in, record);
    circumstance_columns(&in, record);
    integer_column(&in, "compared", error->measured, error->compared);
    text_column(&in, "bound", error->measured ? plx_bound_kind_name(error->bound) : "");
    number_column(&in, "gamma", error->measured, error->gamma);
    text_column(&in, "config", record->config);
    number_column(&in, "max_over_terms", error->measured, error->max_over_terms);
    end_line(&in);
}

plx_status plx_results_write_csv(const plx_results *results, FILE *to, plx_error *error)
{
    put_record(to, true, "", &(plx_record){.gain = 0});
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        const bool known = record->device < results->device_count;
        put_record(to, false, known ? results->devices[record->device].info.name : "", record);
    }
    return plx_report_finish(to, error);
}

/* ---- probes -------------------------------------------------------------------------------- */

static void put_point(FILE *to, bool titles, const plx_probe_sweep *sweep, const plx_probe_point *point)
{
    line in = {.to = to, .titles = titles};
    text_column(&in, "probe", sweep->probe);
    text_column(&in, "sweep", sweep->name);
    text_column(&in, "backend", sweep->backend);
    text_column(&in, "series", point->series);
    number_column(&in, "x", true, point->x);
    text_column(&in, "label", point->label);
    text_column(&in, "role", plx_probe_role_name(point->role));
    text_column(&in, "kernel", point->kernel);
    text_column(&in, "dtype", plx_dtype_name(point->problem.dtype));
    text_column(&in, "status", plx_outcome_name(point->outcome));
    time_columns(&in, &point->time);
    number_column(&in, "gbps", point->gbps > 0, point->gbps);
    text_column(&in, "verdict", plx_visibility_name(sweep->verdict.visibility));
    text_column(&in, "reason", point->reason);
    end_line(&in);
}

plx_status plx_probe_write_csv(const plx_results *results, FILE *to, plx_error *error)
{
    put_point(to, true, &(plx_probe_sweep){.device = 0}, &(plx_probe_point){.x = 0});
    for (size_t i = 0; i < results->sweep_count; i++)
        for (size_t j = 0; j < results->sweeps[i].point_count; j++)
            put_point(to, false, &results->sweeps[i], &results->sweeps[i].points[j]);
    return plx_report_finish(to, error);
}
