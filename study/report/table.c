/* Results for people: a table for each group of records that computed the same from
 * the same bytes, and then how far they agree. */
#define _POSIX_C_SOURCE 200809L

#include "study/report/report.h"
#include "study/report/table_writer.h"

#include <parallax/plugin.h>

#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12, CELL = 128, DEFAULT_WIDTH = 100 };

enum {
    COLUMN_BACKEND,
    COLUMN_KERNEL,
    COLUMN_STATUS,
    COLUMN_TIME,
    COLUMN_SPREAD,
    COLUMN_RATE,
    COLUMN_CEILING,
    COLUMN_LATENCY,
    COLUMN_OF_BEST,
    COLUMN_GAIN,
    COLUMN_ERROR,
    COLUMN_CASE
};

typedef struct table_row {
    const plx_record *record;
    char cells[COLUMNS][CELL];
} table_row;

/* How things are drawn, by what the terminal can show. */
typedef struct drawing_style {
    const char *micro, *spread, *times;
    bool colour;
    int width;
} drawing_style;

typedef struct report_table {
    const plx_results *results;
    FILE *to;
    drawing_style style;
    table_row *rows;
    size_t row_count;
    bool timed; /* some row has a time */
    bool bounded, called; /* some row has a ceiling, a latency */
    bool all_pairs;
    bool mixed; /* rows have problems of their own: each is the worst of many cases */
    plx_table columns;
} report_table;

static drawing_style style_of(int width, bool colour)
{
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return (drawing_style){
        .micro = utf8 ? "\u00b5s" : "us",
        .spread = utf8 ? "\u00b1" : "+-",
        .times = utf8 ? "\u00d7" : "x",
        .colour = colour,
        .width = width > 0 ? width : DEFAULT_WIDTH,
    };
}

/* ---- cells ------------------------------------------------------------------ */

static void rate_text(const plx_record *record, char *text)
{
    char number[32];
    bool flops = record->gflops > record->gbps; /* more than one operation on each byte */
    double value = flops ? record->gflops : record->gbps;
    if (!(value > 0))
        return;
    plx_number_text(value, value >= 1000 ? (int)log10(value) + 1 : 3, number, sizeof number);
    (void)snprintf(text, CELL, "%s %s", number, flops ? "GFLOP/s" : "GB/s");
}

static void error_text(const plx_error_measure *error, char *text)
{
    if (!error->measured)
        return;
    if (!isfinite(error->max_over_bound))
        (void)snprintf(text, CELL, "inexact");
    else if (!(error->max_over_bound > 0))
        (void)snprintf(text, CELL, "0");
    else
        plx_number_text(error->max_over_bound, 2, text, CELL);
}

/* Half the interval, as a part of the median. */
static void spread_text(const drawing_style *style, const plx_timing *time, char *text)
{
    char number[32];
    double half = (time->high_ns - time->low_ns) / 2;
    if (!(time->median_ns > 0) || !isfinite(half))
        return;
    plx_number_text(100 * half / time->median_ns, 2, number, sizeof number);
    (void)snprintf(text, CELL, "%s%s %%", style->spread, number);
}

/* "93 % read"; what is above all that the device can do is marked, and explained below. */
static void ceiling_text(const plx_ceiling *ceiling, char *text)
{
    if (ceiling->applies)
        (void)snprintf(text, CELL, "%.0f %%%s %s", 100 * ceiling->fraction, ceiling->over[0] != '\0' ? "!" : "",
                       plx_ceiling_name(ceiling->kind));
}

static bool is_ranked(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && record->time.measured && record->time.median_ns > 0;
}

/* Yardsticks are shown beside the best, but a copy is not the best transpose. */
static double best_of(const report_table *table)
{
    double best = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const plx_record *record = table->rows[i].record;
        bool counts = is_ranked(record) && !(record->kernel_flags & PLX_KERNEL_YARDSTICK);
        if (counts && (!(best > 0) || record->time.median_ns < best))
            best = record->time.median_ns;
    }
    return best;
}

static void status_text(const plx_record *record, char *text)
{
    bool yardstick = record->kernel_flags & PLX_KERNEL_YARDSTICK;
    (void)snprintf(text, CELL, "%s%s", plx_outcome_name(record->outcome),
                   record->outcome == PLX_OUTCOME_OK && yardstick ? " (copy)" : "");
}

/* "f32 65x63x17 nn, graded input, seed 11". */
static void case_text(const plx_record *record, char *text)
{
    char shape[80], variant[128], layout[128];
    plx_shape_text(&record->problem, shape, sizeof shape);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    int length = snprintf(text, CELL, "%s %s%s%.40s%s, ", plx_dtype_name(record->problem.dtype), shape,
                          variant[0] != '\0' ? " " : "", variant, layout);
    if (length < 0 || length >= CELL)
        return;
    if (record->from_files)
        (void)snprintf(text + length, CELL - (size_t)length, "input from files");
    else
        (void)snprintf(text + length, CELL - (size_t)length, "%s input, seed %" PRIu64,
                       plx_input_name(record->input), record->seed);
}

static void fill_row(const report_table *table, table_row *row, double best)
{
    const plx_record *record = row->record;
    (void)snprintf(row->cells[COLUMN_BACKEND], CELL, "%s", record->backend);
    (void)snprintf(row->cells[COLUMN_KERNEL], CELL, "%.63s", record->kernel);
    status_text(record, row->cells[COLUMN_STATUS]);
    error_text(&record->error, row->cells[COLUMN_ERROR]);
    case_text(record, row->cells[COLUMN_CASE]);
    if (!is_ranked(record))
        return;
    plx_duration_text(record->time.median_ns, table->style.micro, row->cells[COLUMN_TIME], CELL);
    spread_text(&table->style, &record->time, row->cells[COLUMN_SPREAD]);
    rate_text(record, row->cells[COLUMN_RATE]);
    ceiling_text(&record->ceiling, row->cells[COLUMN_CEILING]);
    if (record->time.latency.measured)
        plx_duration_text(record->time.latency.median_ns, table->style.micro, row->cells[COLUMN_LATENCY], CELL);
    if (best > 0)
        (void)snprintf(row->cells[COLUMN_OF_BEST], CELL, "%.0f %%", 100 * best / record->time.median_ns);
    if (record->gain > 0) {
        char number[32];
        plx_number_text(record->gain, 3, number, sizeof number);
        (void)snprintf(row->cells[COLUMN_GAIN], CELL, "%s%s", number, table->style.times);
    }
}

/* ---- drawing ------------------------------------------------------------------ */

static const char *const titles[COLUMNS] = {
    [COLUMN_BACKEND] = "backend", [COLUMN_KERNEL] = "kernel", [COLUMN_STATUS] = "status",
    [COLUMN_TIME] = "time",       [COLUMN_SPREAD] = "",       [COLUMN_RATE] = "rate",
    [COLUMN_CEILING] = "of ceiling", [COLUMN_LATENCY] = "latency",
    [COLUMN_OF_BEST] = "of best", [COLUMN_GAIN] = "gain",     [COLUMN_ERROR] = "error/bound",
    [COLUMN_CASE] = "worst case",
};

static bool is_shown(const report_table *table, int column)
{
    if (column == COLUMN_CASE)
        return table->mixed;
    if (column == COLUMN_CEILING)
        return table->bounded;
    if (column == COLUMN_LATENCY)
        return table->called;
    return table->timed || column < COLUMN_TIME || column == COLUMN_ERROR;
}

static void measure_columns(report_table *table)
{
    plx_table *columns = &table->columns;
    *columns = (plx_table){.columns = COLUMNS, .titles = titles};
    for (int c = 0; c < COLUMNS; c++) { /* text stands at the left, numbers at the right */
        columns->left |= c < COLUMN_TIME || c == COLUMN_CASE ? 1U << c : 0;
        columns->hidden |= is_shown(table, c) ? 0 : 1U << c;
    }
    plx_table_begin(columns);
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            plx_table_widen(columns, c, table->rows[i].cells[c]);
}

static const char *outcome_colour(const report_table *table, const plx_record *record)
{
    if (!table->style.colour)
        return "";
    switch (record->outcome) {
    case PLX_OUTCOME_OK:
        return "\033[32m";
    case PLX_OUTCOME_WRONG:
    case PLX_OUTCOME_FAILED:
        return "\033[31m";
    case PLX_OUTCOME_UNSUPPORTED:
    case PLX_OUTCOME_NOT_RUN:
    case PLX_OUTCOME_NOT_JUDGED:
    case PLX_OUTCOME_COUNT:
        break;
    }
    return "\033[33m";
}

/* Why a result is not ok, under its row, broken between words. */
static void put_reason(const report_table *table, const char *reason)
{
    int room = table->style.width - 4, used = 0;
    while (*reason != '\0') {
        size_t length = strcspn(reason, " ");
        int width = (int)length;
        if (used == 0 || used + 1 + width > room) {
            (void)fprintf(table->to, "%s    ", used == 0 ? "" : "\n");
            used = 0;
        } else {
            (void)fputc(' ', table->to);
            used++;
        }
        (void)fprintf(table->to, "%.*s", (int)length, reason);
        used += width;
        reason += length;
        reason += strspn(reason, " ");
    }
    if (used > 0)
        (void)fputc('\n', table->to);
}

/* Where the reason does not say it. */
static void put_wrong_element(const report_table *table, const plx_record *record)
{
    if (record->reason[0] == '\0' && record->outcome == PLX_OUTCOME_WRONG && record->error.measured &&
        record->error.first_bad >= 0)
        (void)fprintf(table->to,
                      "    %" PRId64 " of %" PRId64 " elements wrong; first %" PRId64
                      ": got %s, expected %s\n",
                      record->error.wrong, record->error.compared, record->error.first_bad, record->error.got,
                      record->error.expected);
}

/* What a reader must know before believing the time. */
static void put_caveats(const report_table *table, const plx_record *record)
{
    const plx_timing *time = &record->time;
    char text[320];
    if (!is_ranked(record))
        return;
    if (record->ceiling.applies && record->ceiling.over[0] != '\0') {
        (void)snprintf(text, sizeof text, "! above the %s ceiling: %s", plx_ceiling_name(record->ceiling.kind),
                       record->ceiling.over);
        put_reason(table, text);
    }
    if (time->clock_reason[0] != '\0') {
        (void)snprintf(text, sizeof text, "timed on the host's clock: %s", time->clock_reason);
        put_reason(table, text);
    }
    if (time->throttled)
        put_reason(table, "the device throttled during every sample; they were kept");
    else if (time->dropped > 0) {
        (void)snprintf(text, sizeof text, "%zu sample%s dropped: the device had throttled", time->dropped,
                       time->dropped == 1 ? "" : "s");
        put_reason(table, text);
    }
}

static void put_row(const report_table *table, const table_row *row)
{
    for (size_t c = 0; c < COLUMNS; c++)
        plx_table_put(&table->columns, c, row->cells[c],
                      c == COLUMN_STATUS ? outcome_colour(table, row->record) : "", table->to);
    (void)fputc('\n', table->to);
    put_reason(table, row->record->reason); /* also why what is right has no time */
    put_wrong_element(table, row->record);
    put_caveats(table, row->record);
}

/* All that were timed together took turns on as many queues. */
static size_t queues_of(const report_table *table)
{
    size_t queues = 1;
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i].record->time.queues > queues)
            queues = table->rows[i].record->time.queues;
    return queues;
}

static void put_title(const report_table *table)
{
    const plx_record *record = table->rows[0].record;
    (void)fprintf(table->to, "%s%s%s", plx_op_name(record->problem.op), table->mixed ? "" : " ",
                  table->mixed ? "" : table->rows[0].cells[COLUMN_CASE]);
    if (queues_of(table) > 1)
        (void)fprintf(table->to, ", launches in turn on %zu queues", queues_of(table));
    (void)fputc('\n', table->to);
}

/* ---- agreement ------------------------------------------------------------------ */

static void put_pair(const report_table *table, const plx_pair *pair)
{
    const plx_record *a = &table->results->records[pair->first], *b = &table->results->records[pair->second];
    char ulp[32], bound[32];
    (void)fprintf(table->to, "  %s %s, %s %s: ", a->backend, a->kernel, b->backend, b->kernel);
    if (!pair->compared) {
        (void)fprintf(table->to, "not compared\n");
        return;
    }
    plx_number_text(pair->max_ulp, 3, ulp, sizeof ulp);
    plx_number_text(pair->max_over_bound, 2, bound, sizeof bound);
    if (pair->identical)
        (void)fprintf(table->to, "bit-identical, %" PRId64 " elements\n", pair->elements);
    else
        (void)fprintf(table->to, "%s%s%s%s%s%s", pair->agree ? "agree" : "DISAGREE", ulp[0] ? ", " : "", ulp,
                      ulp[0] ? " ULP" : "", bound[0] ? ", " : "", bound);
    if (!pair->identical && bound[0] != '\0')
        (void)fprintf(table->to, " of the bound");
    if (!pair->identical && pair->first_different >= 0)
        (void)fprintf(table->to, "; first at %" PRId64 ": %s, %s", pair->first_different, pair->value_first,
                      pair->value_second);
    if (!pair->identical)
        (void)fputc('\n', table->to);
}

typedef struct agreement {
    size_t pairs, compared, identical, agree;
} agreement;

static bool is_of_group(const report_table *table, const plx_pair *pair, size_t group)
{
    const plx_results *results = table->results;
    return pair->first < results->record_count && pair->second < results->record_count &&
           results->records[pair->first].group == group;
}

static agreement count_pairs(const report_table *table, size_t group)
{
    agreement counts = {0};
    for (size_t i = 0; i < table->results->pair_count; i++) {
        const plx_pair *pair = &table->results->pairs[i];
        if (!is_of_group(table, pair, group))
            continue;
        counts.pairs++;
        counts.compared += pair->compared;
        counts.identical += pair->compared && pair->identical;
        counts.agree += pair->compared && pair->agree;
    }
    return counts;
}

/* A few pairs are all shown, of many only those that disagree unless all were asked for. */
static void put_agreement(const report_table *table, size_t group)
{
    enum { FEW = 10 };
    agreement counts = count_pairs(table, group);
    const bool all = counts.pairs <= FEW || table->all_pairs;
    if (counts.pairs == 0)
        return;
    (void)fprintf(table->to, "agreement: %zu of %zu pair%s agree%s, %zu bit-identical", counts.agree,
                  counts.compared, counts.compared == 1 ? "" : "s", counts.compared == 1 ? "s" : "",
                  counts.identical);
    if (counts.compared < counts.pairs)
        (void)fprintf(table->to, "; %zu not compared", counts.pairs - counts.compared);
    (void)fprintf(table->to, "%s\n", all ? "" : "; -v shows each");
    for (size_t i = 0; i < table->results->pair_count; i++) {
        const plx_pair *pair = &table->results->pairs[i];
        bool bad = pair->compared && !pair->agree;
        if (is_of_group(table, pair, group) && (bad || all))
            put_pair(table, pair);
    }
}

/* ---- groups --------------------------------------------------------------------- */

static bool is_same_case(const plx_record *a, const plx_record *b)
{
    return memcmp(&a->problem, &b->problem, sizeof a->problem) == 0 && a->input == b->input &&
           a->from_files == b->from_files && a->seed == b->seed && a->shift == b->shift;
}

static void collect_rows(report_table *table, size_t group)
{
    table->row_count = 0;
    table->timed = false;
    table->mixed = false;
    table->bounded = false;
    table->called = false;
    for (size_t i = 0; i < table->results->record_count; i++) {
        const plx_record *record = &table->results->records[i];
        if (record->group != group)
            continue;
        table_row *added = &table->rows[table->row_count++];
        memset(added, 0, sizeof *added);
        added->record = record;
        table->timed = table->timed || is_ranked(record);
        table->bounded = table->bounded || (is_ranked(record) && record->ceiling.applies);
        table->called = table->called || (is_ranked(record) && record->time.latency.measured);
        table->mixed = table->mixed || !is_same_case(table->rows[0].record, record);
    }
}

static void put_group(report_table *table, size_t group)
{
    collect_rows(table, group);
    double best = best_of(table);
    for (size_t i = 0; i < table->row_count; i++)
        fill_row(table, &table->rows[i], best);
    measure_columns(table);
    put_title(table);
    plx_table_put_titles(&table->columns, table->style.colour ? "\033[1m" : "", table->to);
    for (size_t i = 0; i < table->row_count; i++)
        put_row(table, &table->rows[i]);
    plx_report_counters(table->results, group, table->to);
    put_agreement(table, group);
}

static bool takes_part(const plx_results *results, size_t device)
{
    for (size_t i = 0; i < results->record_count; i++) {
        if (results->records[i].device == device)
            return true;
    }
    return false;
}

static void put_devices(const report_table *table)
{
    for (size_t i = 0; i < table->results->device_count; i++) {
        const plx_study_device *device = &table->results->devices[i];
        if (takes_part(table->results, i))
            (void)fprintf(table->to, "%-10s %s, %s\n", device->label, device->info.name, device->info.api);
    }
}

static bool is_first_of_group(const plx_results *results, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (results->records[i].group == results->records[index].group)
            return false;
    }
    return true;
}

plx_status plx_results_write_table(const plx_results *results, FILE *to, int width, unsigned flags,
                                   plx_error *error)
{
    report_table table = {.results = results,
                          .to = to,
                          .style = style_of(width, (flags & PLX_TABLE_COLOUR) != 0),
                          .all_pairs = (flags & PLX_TABLE_ALL_PAIRS) != 0};
    table.rows = calloc(results->record_count + 1, sizeof *table.rows);
    if (table.rows == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a table");
    put_devices(&table);
    for (size_t i = 0; i < results->record_count; i++) {
        if (!is_first_of_group(results, i))
            continue;
        (void)fputc('\n', to);
        put_group(&table, results->records[i].group);
    }
    free(table.rows);
    return plx_report_finish(to, error);
}
