/* Results as CSV: one line per record, quoted as RFC 4180 says; pairs are left to JSON. */
#include "study/report/report.h"
#include "study/results/words.h"

#include <inttypes.h>
#include <string.h>

void plx_csv_text(FILE *to, const char *text)
{
    if (strpbrk(text, "\",\r\n") == NULL) {
        (void)fputs(text, to);
        return;
    }
    (void)fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', to);
        (void)fputc(*text, to);
    }
    (void)fputc('"', to);
}

void plx_csv_number(FILE *to, bool there, double number)
{
    char text[40] = "";
    if (there)
        plx_number_text(number, 12, text, sizeof text);
    (void)fprintf(to, ",%s", text);
}

static void put_integer(FILE *to, bool there, int64_t number)
{
    if (there)
        (void)fprintf(to, ",%" PRId64, number);
    else
        (void)fputc(',', to);
}

void plx_csv_comma_text(FILE *to, const char *text)
{
    (void)fputc(',', to);
    plx_csv_text(to, text);
}

static void put_problem(FILE *to, const plx_record *record)
{
    char text[256], variant[128], layout[128];
    plx_csv_text(to, plx_op_name(record->problem.op));
    plx_csv_comma_text(to, plx_dtype_name(record->problem.dtype));
    plx_shape_text(&record->problem, text, sizeof text);
    plx_csv_comma_text(to, text);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    bool bare = variant[0] == '\0' && layout[0] != '\0'; /* then no comma comes first */
    (void)snprintf(text, sizeof text, "%s%s", variant, layout + (bare ? 2 : 0));
    plx_csv_comma_text(to, text);
    plx_csv_comma_text(to, record->from_files ? "files" : plx_input_name(record->input));
}

static void put_counters(FILE *to, const plx_record *record)
{
    for (size_t i = 0; plx_counter_name(i) != NULL; i++)
        plx_csv_number(to, record->counted, record->counted ? plx_counter_value(&record->counters, i) : 0);
    plx_csv_number(to, record->formula_bytes > 0, record->formula_bytes);
    plx_csv_comma_text(to, record->counters_reason);
}

static void put_interval(FILE *to, const plx_interval *interval)
{
    plx_csv_number(to, interval->measured, interval->median_ns);
    plx_csv_number(to, interval->measured, interval->low_ns);
    plx_csv_number(to, interval->measured, interval->high_ns);
}

/* How it was timed, and how near that comes to what the device can do. */
static void put_circumstances(FILE *to, const plx_record *record)
{
    const plx_timing *time = &record->time;
    const plx_ceiling *ceiling = &record->ceiling;
    plx_csv_comma_text(to, !time->measured ? "" : time->converged ? "yes" : "no");
    plx_csv_comma_text(to, !time->measured ? "" : time->hot ? "yes" : "no");
    put_integer(to, time->measured, (int64_t)time->queues);
    put_integer(to, time->measured, (int64_t)time->batch);
    put_integer(to, time->measured, (int64_t)time->dropped);
    put_interval(to, &time->host);
    put_interval(to, &time->latency);
    plx_csv_comma_text(to, ceiling->applies ? plx_ceiling_name(ceiling->kind) : "");
    plx_csv_number(to, ceiling->applies, ceiling->value);
    plx_csv_number(to, ceiling->applies, ceiling->fraction);
    plx_csv_comma_text(to, ceiling->applies ? ceiling->over : "");
}

static void put_record(FILE *to, const plx_results *results, const plx_record *record)
{
    const plx_timing *time = &record->time;
    const plx_error_measure *error = &record->error;
    put_problem(to, record);
    plx_csv_comma_text(to, record->backend);
    plx_csv_comma_text(to, record->device < results->device_count ? results->devices[record->device].info.name
                                                                  : "");
    plx_csv_comma_text(to, record->kernel);
    plx_csv_comma_text(to, plx_outcome_name(record->outcome));
    plx_csv_number(to, error->measured, error->max_over_bound);
    plx_csv_number(to, error->measured, error->max_ulp);
    put_integer(to, error->measured && error->first_bad >= 0, error->first_bad);
    plx_csv_number(to, time->measured, time->median_ns);
    plx_csv_number(to, time->measured, time->low_ns);
    plx_csv_number(to, time->measured, time->high_ns);
    put_integer(to, time->measured, (int64_t)time->samples);
    plx_csv_comma_text(to, !time->measured ? "" : time->device_clock ? "device" : "host");
    plx_csv_number(to, record->gbps > 0, record->gbps);
    plx_csv_number(to, record->gflops > 0, record->gflops);
    plx_csv_number(to, record->gain > 0, record->gain);
    plx_csv_comma_text(to, record->reason);
    put_counters(to, record);
    put_circumstances(to, record);
    put_integer(to, error->measured, error->compared);
    plx_csv_comma_text(to, error->measured ? plx_bound_kind_name(error->bound) : "");
    plx_csv_number(to, error->measured, error->gamma);
    plx_csv_comma_text(to, record->config);
    (void)fputc('\n', to);
}

plx_status plx_results_write_csv(const plx_results *results, FILE *to, plx_error *error)
{
    (void)fputs("op,dtype,shape,variant,input,backend,device,kernel,status,max_over_bound,max_ulp,first_bad,"
                "median_ns,low_ns,high_ns,samples,clock,gbps,gflops,gain,reason",
                to);
    for (size_t i = 0; plx_counter_name(i) != NULL; i++)
        (void)fprintf(to, ",%s", plx_counter_name(i));
    (void)fputs(",formula_bytes,counters_reason,converged,hot,queues,batch,dropped,host_median_ns,host_low_"
                "ns,host_high_ns,"
                "latency_median_ns,latency_low_ns,latency_high_ns,ceiling,ceiling_value,ceiling_fraction,"
                "ceiling_over,compared,bound,gamma,config\n",
                to);
    for (size_t i = 0; i < results->record_count; i++)
        put_record(to, results, &results->records[i]);
    return plx_report_finish(to, error);
}
