/* Results for people: a table for each group of records that computed the same from
 * the same bytes, and then how far they agree. */
#define _POSIX_C_SOURCE 200809L

#include "study/report/report.h"
#include "study/results/results.h"

#include "base/table.h"
#include "base/text.h"

#include <parallax/plugin.h>

#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 100 };

typedef enum column {
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
    COLUMN_CASE,
    COLUMNS
} column;

static const char *const titles[COLUMNS] = {
    [COLUMN_BACKEND] = "backend",    [COLUMN_KERNEL] = "kernel",     [COLUMN_STATUS] = "status",
    [COLUMN_TIME] = "time",          [COLUMN_SPREAD] = "",           [COLUMN_RATE] = "rate",
    [COLUMN_CEILING] = "of ceiling", [COLUMN_LATENCY] = "latency",   [COLUMN_OF_BEST] = "of best",
    [COLUMN_GAIN] = "gain",          [COLUMN_ERROR] = "error/bound", [COLUMN_CASE] = "worst case",
};

/* On a terminal that is too narrow, in this order (doc/parallax.1 names it). */
static const size_t dropped[] = {COLUMN_LATENCY, COLUMN_GAIN,    COLUMN_SPREAD,  COLUMN_ERROR,
                                 COLUMN_RATE,    COLUMN_CEILING, COLUMN_OF_BEST, COLUMN_CASE};

/* How things are drawn, by what the terminal can show. */
typedef struct drawing_style {
    const char *micro, *spread, *times;
    bool colour;
    int width;    /* of sentences */
    int terminal; /* of tables; 0: of none, and columns are as wide as they are */
} drawing_style;

/* The table of one group. */
typedef struct report_table {
    const plx_results *results;
    FILE *to;
    drawing_style style;
    const plx_record **rows;
    size_t row_count, special; /* of the rows those from here on are of kernels for special shapes */
    bool all_pairs, configs;
    size_t other_types, other_shapes; /* kernels that are not for this problem, and no rows unless all were asked for */
    size_t interrupted;               /* nor are those that were not begun */
    bool mixed;                       /* rows have problems of their own: each is the worst of many cases */
    plx_table lines;
} report_table;

static drawing_style style_of(int width, bool colour)
{
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return (drawing_style){
        .micro = plx_micro(),
        .spread = utf8 ? "\u00b1" : "+-",
        .times = utf8 ? "\u00d7" : "x",
        .colour = colour,
        .width = width > 0 ? width : DEFAULT_WIDTH,
        .terminal = width > 0 ? width : 0,
    };
}

/* ---- cells ------------------------------------------------------------------ */

static bool is_ranked(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && record->time.measured && record->time.median_ns > 0;
}

/* It has a time, whose interval is too wide for it to be compared with anything. */
static bool is_noisy(const plx_record *record)
{
    return is_ranked(record) && (plx_timing_is_noisy(&record->time) || !plx_timing_counts(&record->time));
}

static void add_rate(plx_table *lines, const plx_record *record)
{
    char number[32];
    bool flops = record->gflops > record->gbps; /* more than one operation on each byte */
    double value = flops ? record->gflops : record->gbps;
    if (!(value > 0))
        return;
    plx_plain_number_text(value, 3, number, sizeof number);
    plx_table_cell(lines, COLUMN_RATE, "%s %s", number, flops ? "GFLOP/s" : "GB/s");
}

/* Nothing of a result that is wrong for another reason than its values. */
static void add_error(plx_table *lines, const plx_record *record)
{
    const plx_error_measure *error = &record->error;
    char number[32] = "0";
    if (!error->measured || (record->outcome == PLX_OUTCOME_WRONG && error->wrong == 0 && !(error->max_over_bound > 1)))
        return;
    if (error->max_over_bound > 0)
        plx_number_text(error->max_over_bound, 2, number, sizeof number);
    plx_table_cell(lines, COLUMN_ERROR, "%s",
                   plx_error_is_rounding(error)      ? "rounded"
                   : isfinite(error->max_over_bound) ? number
                                                     : "inexact");
}

/* Half the interval, as a part of the median. */
static void add_spread(plx_table *lines, const drawing_style *style, const plx_timing *time)
{
    char number[32];
    double half = (time->high_ns - time->low_ns) / 2;
    if (!isfinite(half))
        return;
    plx_plain_number_text(100 * half / time->median_ns, 2, number, sizeof number);
    plx_table_cell(lines, COLUMN_SPREAD, "%s%s %%", style->spread, number);
}

/* "93 % read"; what is above all that the device can do is marked, and explained below. */
static void add_ceiling(plx_table *lines, const plx_ceiling *ceiling)
{
    if (ceiling->applies)
        plx_table_cell(lines, COLUMN_CEILING, "%.0f %%%s %s", 100 * ceiling->fraction,
                       ceiling->over[0] != '\0' ? "!" : "", plx_ceiling_name(ceiling->kind));
}

static void add_gain(plx_table *lines, const drawing_style *style, double gain)
{
    char number[32];
    plx_number_text(gain, 3, number, sizeof number);
    if (gain > 0)
        plx_table_cell(lines, COLUMN_GAIN, "%s%s", number, style->times);
}

static void add_duration(plx_table *lines, size_t which, const drawing_style *style, double nanoseconds)
{
    char text[40];
    plx_duration_text(nanoseconds, style->micro, text, sizeof text);
    plx_table_cell(lines, which, "%s", text);
}

/* Baselines are shown with the best, but a copy is not the best transpose. */
static double best_of(const report_table *table)
{
    double best = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        const plx_record *record = table->rows[i];
        bool counts = is_ranked(record) && !is_noisy(record) && !(record->kernel_flags & PLX_KERNEL_BASELINE);
        if (counts && (!(best > 0) || record->time.median_ns < best))
            best = record->time.median_ns;
    }
    return best;
}

/* "f32 65x63x17 nn, graded input, seed 11". */
static plx_line case_of(const plx_record *record)
{
    char shape[80], variant[128], layout[128];
    plx_line line = {.length = 0};
    plx_shape_text(&record->problem, shape, sizeof shape);
    plx_variant_text(&record->problem, variant, sizeof variant);
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    plx_line_add(&line, "%s %s%s%s%s, ", plx_dtype_name(record->problem.dtype), shape, variant[0] != '\0' ? " " : "",
                 variant, layout);
    if (record->from_files)
        plx_line_add(&line, "input from files");
    else
        plx_line_add(&line, "%s input, seed %" PRIu64, plx_input_name(record->input), record->seed);
    return line;
}

static const char *outcome_colour(const report_table *table, const plx_record *record)
{
    if (!table->style.colour)
        return "";
    if (is_noisy(record))
        return "\033[33m";
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

/* With its configuration, by which the same can be asked for again. */
static void add_kernel(const report_table *table, const plx_record *record, plx_table *lines)
{
    if (table->configs && record->config[0] != '\0' && strchr(record->kernel, ':') == NULL)
        plx_table_cell(lines, COLUMN_KERNEL, "%s:%s", record->kernel, record->config);
    else
        plx_table_cell(lines, COLUMN_KERNEL, "%s", record->kernel);
}

static void add_row(report_table *table, const plx_record *record, double best)
{
    const drawing_style *style = &table->style;
    const bool copies = record->outcome == PLX_OUTCOME_OK && (record->kernel_flags & PLX_KERNEL_BASELINE);
    plx_table *lines = &table->lines;
    plx_table_row(lines);
    plx_table_cell(lines, COLUMN_BACKEND, "%s", record->backend);
    add_kernel(table, record, lines);
    plx_table_cell(lines, COLUMN_STATUS, "%s%s", is_noisy(record) ? "noisy" : plx_outcome_name(record->outcome),
                   copies ? " (copy)" : "");
    plx_table_colour(lines, COLUMN_STATUS, outcome_colour(table, record));
    add_error(lines, record);
    plx_table_cell(lines, COLUMN_CASE, "%s", case_of(record).text);
    if (!is_ranked(record))
        return;
    add_duration(lines, COLUMN_TIME, style, record->time.median_ns);
    add_spread(lines, style, &record->time);
    if (is_noisy(record))
        return;
    add_rate(lines, record);
    add_ceiling(lines, &record->ceiling);
    if (record->time.latency.measured)
        add_duration(lines, COLUMN_LATENCY, style, record->time.latency.median_ns);
    if (best > 0)
        plx_table_cell(lines, COLUMN_OF_BEST, "%.0f %%", 100 * best / record->time.median_ns);
    add_gain(lines, style, record->gain);
}

/* ---- below a row ---------------------------------------------------------------- */

/* Why a result is not ok. */
static void put_reason(const report_table *table, const char *reason)
{
    if (reason[0] != '\0')
        plx_put_wrapped(table->to, reason, "   ", 4, table->style.width);
}

/* Where the reason does not say it. */
static void put_wrong_element(const report_table *table, const plx_record *record)
{
    if (record->reason[0] == '\0' && record->outcome == PLX_OUTCOME_WRONG && record->error.measured &&
        record->error.first_bad >= 0)
        (void)fprintf(table->to,
                      "    %" PRId64 " of %" PRId64 " elements wrong; first %" PRId64 ": got %s, expected %s\n",
                      record->error.wrong, record->error.compared, record->error.first_bad, record->error.got,
                      record->error.expected);
}

/* What the arithmetic seems to be, where that is less than the kernel's compute type says. */
static void put_likeness(const report_table *table, const plx_record *record)
{
    const plx_likeness *likeness = &record->likeness;
    const bool rounded = likeness->like == PLX_LIKE_ROUNDED && record->problem.compute != PLX_COMPUTE_TF32;
    if (likeness->measured && (rounded || likeness->like == PLX_LIKE_ROUGHER))
        put_reason(table, likeness->text);
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

static void put_row(const report_table *table, size_t row)
{
    const plx_record *record = table->rows[row];
    if (row == table->special && row > 0)
        (void)fprintf(table->to, "for special shapes, beside the ladder:\n");
    plx_table_put_row(&table->lines, row, table->to);
    put_reason(table, record->reason); /* also why what is right has no time */
    put_reason(table, record->remark);
    put_wrong_element(table, record);
    put_likeness(table, record);
    put_caveats(table, record);
}

/* Of each ceiling that a row has, what held the device back while it was measured. */
static void put_limits(const report_table *table)
{
    uint64_t told = 0;
    char clock[120];
    for (size_t i = 0; i < table->row_count; i++) {
        const plx_record *record = table->rows[i];
        const plx_study_device *device = &table->results->devices[record->device];
        const uint64_t bit = UINT64_C(1) << record->ceiling.kind;
        if (!is_ranked(record) || is_noisy(record) || !record->ceiling.applies || (told & bit) != 0 ||
            (device->ceilings.at_power_limit & bit) == 0)
            continue;
        told |= bit;
        plx_ceiling_clock_text(device, record->ceiling.kind, clock, sizeof clock);
        (void)fprintf(table->to, "%s was measured while %s\n", plx_ceiling_name(record->ceiling.kind), clock);
    }
}

/* All that were timed together took turns on as many queues. */
static size_t queues_of(const report_table *table)
{
    size_t queues = 1;
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i]->time.queues > queues)
            queues = table->rows[i]->time.queues;
    return queues;
}

static void put_title(const report_table *table)
{
    const plx_record *record = table->rows[0];
    char text[480], queues[64] = "";
    if (queues_of(table) > 1)
        (void)snprintf(queues, sizeof queues, ", launches in turn on %zu queues", queues_of(table));
    (void)snprintf(text, sizeof text, "%s%s", table->mixed ? "" : case_of(record).text, queues);
    if (text[0] != '\0')
        plx_put_wrapped(table->to, text, plx_op_name(record->problem.op), 2, table->style.width);
    else
        (void)fprintf(table->to, "%s\n", plx_op_name(record->problem.op));
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
        (void)fprintf(table->to, "bit-identical, %" PRId64 " element%s\n", pair->elements,
                      pair->elements == 1 ? "" : "s");
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
    size_t compared, identical, agree;
} agreement;

/* Of results that are right. */
typedef struct agreements {
    agreement ours, libraries; /* between kernels of ours; with a library's */
    size_t pairs, not_compared;
} agreements;

static bool is_of_group(const report_table *table, const plx_pair *pair, size_t group)
{
    const plx_results *results = table->results;
    return pair->first < results->record_count && pair->second < results->record_count &&
           results->records[pair->first].group == group;
}

static const plx_record *of_pair(const report_table *table, const plx_pair *pair, bool second)
{
    return &table->results->records[second ? pair->second : pair->first];
}

/* What a wrong result agrees with says nothing: it has a sentence of its own. */
static bool has_wrong(const report_table *table, const plx_pair *pair)
{
    return of_pair(table, pair, false)->outcome == PLX_OUTCOME_WRONG ||
           of_pair(table, pair, true)->outcome == PLX_OUTCOME_WRONG;
}

static bool is_with_library(const report_table *table, const plx_pair *pair)
{
    return ((of_pair(table, pair, false)->kernel_flags | of_pair(table, pair, true)->kernel_flags) &
            PLX_KERNEL_VENDOR) != 0;
}

static agreements count_pairs(const report_table *table, size_t group)
{
    agreements counts = {.pairs = 0};
    for (size_t i = 0; i < table->results->pair_count; i++) {
        const plx_pair *pair = &table->results->pairs[i];
        if (!is_of_group(table, pair, group))
            continue;
        agreement *of = is_with_library(table, pair) ? &counts.libraries : &counts.ours;
        counts.pairs++;
        counts.not_compared += !pair->compared;
        if (!pair->compared || has_wrong(table, pair))
            continue;
        of->compared++;
        of->agree += pair->agree;
        of->identical += pair->agree && pair->identical;
    }
    return counts;
}

static void put_counts(const report_table *table, const agreement *counts, const char *with, const char *end)
{
    char head[40], text[200];
    (void)snprintf(head, sizeof head, "agreement%s:", with);
    (void)snprintf(text, sizeof text, "%zu of %zu pair%s agree%s, %zu bit-identical%s", counts->agree, counts->compared,
                   counts->compared == 1 ? "" : "s", counts->compared == 1 ? "s" : "", counts->identical, end);
    plx_put_wrapped(table->to, text, head, 2, table->style.width);
}

/* "openblas:0 sum is wrong, so it disagrees with all 9 others", for each wrong result of the group. */
static void put_wrong(const report_table *table, size_t record)
{
    const plx_record *wrong = &table->results->records[record];
    size_t compared = 0, disagree = 0;
    for (size_t i = 0; i < table->results->pair_count; i++) {
        const plx_pair *pair = &table->results->pairs[i];
        const bool is_its = (pair->first == record || pair->second == record) && pair->compared;
        compared += is_its;
        disagree += is_its && !pair->agree;
    }
    if (compared == 0)
        return;
    (void)fprintf(table->to, "%s %s is wrong", wrong->backend, wrong->kernel);
    if (disagree == 0)
        (void)fprintf(table->to, " for another reason than its values: what it agrees with does not count\n");
    else if (disagree == compared)
        (void)fprintf(table->to,
                      compared == 1 ? ", so it disagrees with the other\n" : ", so it disagrees with all %zu others\n",
                      compared);
    else
        (void)fprintf(table->to, ", and disagrees with %zu of %zu others\n", disagree, compared);
}

/* A few pairs are all shown, of many only those that disagree unless all were asked for. */
static void put_agreement(const report_table *table, size_t group)
{
    enum { FEW = 10 };
    const agreements counts = count_pairs(table, group);
    const bool all = counts.pairs <= FEW || table->all_pairs;
    char end[80] = "";
    if (counts.pairs == 0)
        return;
    if (counts.not_compared > 0)
        (void)snprintf(end, sizeof end, "; %zu not compared", counts.not_compared);
    if (!all)
        (void)snprintf(end + strlen(end), sizeof end - strlen(end), "; -v shows each");
    if (counts.ours.compared > 0 || counts.libraries.compared == 0)
        put_counts(table, &counts.ours, "", counts.libraries.compared == 0 ? end : "");
    if (counts.libraries.compared > 0)
        put_counts(table, &counts.libraries, " with libraries", end);
    for (size_t i = 0; i < table->row_count; i++)
        if (table->rows[i]->outcome == PLX_OUTCOME_WRONG)
            put_wrong(table, (size_t)(table->rows[i] - table->results->records));
    for (size_t i = 0; i < table->results->pair_count; i++) {
        const plx_pair *pair = &table->results->pairs[i];
        const bool bad = pair->compared && !pair->agree;
        if (is_of_group(table, pair, group) && (has_wrong(table, pair) ? table->all_pairs : bad || all))
            put_pair(table, pair);
    }
}

/* ---- groups --------------------------------------------------------------------- */

static bool is_same_case(const plx_record *a, const plx_record *b)
{
    return memcmp(&a->problem, &b->problem, sizeof a->problem) == 0 && a->input == b->input &&
           a->from_files == b->from_files && a->seed == b->seed && a->shift == b->shift;
}

/* Of those that were not begun the first is shown where no other was. */
static bool stands_for(const plx_record *other, const plx_record *record)
{
    if (other->group != record->group || other->outcome == PLX_OUTCOME_UNSUPPORTED)
        return false;
    if (plx_record_was_interrupted(record))
        return !plx_record_was_interrupted(other) || other < record;
    return !plx_record_was_interrupted(other) && strcmp(other->backend, record->backend) == 0;
}

/* Of "all" those that don't suit the problem, where others of that backend do, and those that were not begun. */
static bool is_left_out(const report_table *table, const plx_record *record)
{
    const plx_results *results = table->results;
    const bool unsupported = record->outcome == PLX_OUTCOME_UNSUPPORTED && results->check == NULL;
    if (table->all_pairs || record->named || !(unsupported || plx_record_was_interrupted(record)))
        return false;
    for (size_t i = 0; i < results->record_count; i++)
        if (stands_for(&results->records[i], record))
            return true;
    return false;
}

static void count_left_out(report_table *table, const plx_record *record)
{
    if (plx_record_was_interrupted(record))
        table->interrupted++;
    else if (strstr(record->reason, " does not take ") != NULL)
        table->other_types++;
    else
        table->other_shapes++;
}

/* "not for this problem: 12 kernels for other types, 6 for other shapes or devices; -v shows each". */
static void put_left_out(const report_table *table)
{
    const size_t all = table->other_types + table->other_shapes;
    char text[160];
    if (table->interrupted > 0) {
        (void)snprintf(text, sizeof text, "run: %zu kernel%s, interrupted before; -v shows each", table->interrupted,
                       table->interrupted == 1 ? "" : "s");
        plx_put_wrapped(table->to, text, "not", 2, table->style.width);
    }
    if (all == 0)
        return;
    (void)snprintf(text, sizeof text,
                   "for this problem: %zu kernel%s for other types, %zu for other shapes or devices; -v shows each",
                   table->other_types, table->other_types == 1 ? "" : "s", table->other_shapes);
    plx_put_wrapped(table->to, text, "not", 2, table->style.width);
}

static size_t noisy_rows(const report_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->row_count; i++)
        count += is_noisy(table->rows[i]);
    return count;
}

/* Once for all of them. */
static void put_noise(const report_table *table)
{
    if (noisy_rows(table) > 0)
        plx_put_wrapped(
            table->to,
            "spread over more than a quarter of their median, by which nothing is ranked: measure for longer "
            "(--seconds), on a machine that does nothing else",
            "noisy: times", 2, table->style.width);
}

static bool is_special(const plx_record *record)
{
    return (record->kernel_flags & PLX_KERNEL_SPECIAL) != 0;
}

/* Those of the ladder and of libraries, or those for special shapes, in their order. */
static void take_rows(report_table *table, size_t group, bool special)
{
    for (size_t i = 0; i < table->results->record_count; i++) {
        const plx_record *record = &table->results->records[i];
        if (record->group != group || is_special(record) != special)
            continue;
        if (is_left_out(table, record))
            count_left_out(table, record);
        else
            table->rows[table->row_count++] = record;
    }
}

/* The group's records, and which columns they have something for: text stands at the left. */
static void collect_rows(report_table *table, size_t group)
{
    bool timed = false, bounded = false, called = false;
    table->row_count = table->other_types = table->other_shapes = table->interrupted = 0;
    table->mixed = false;
    take_rows(table, group, false);
    table->special = table->row_count;
    take_rows(table, group, true);
    for (size_t i = 0; i < table->row_count; i++) {
        const plx_record *record = table->rows[i];
        timed = timed || is_ranked(record);
        bounded = bounded || (is_ranked(record) && record->ceiling.applies);
        called = called || (is_ranked(record) && record->time.latency.measured);
        table->mixed = table->mixed || !is_same_case(table->rows[0], record);
    }
    table->lines = (plx_table){.columns = COLUMNS, .titles = titles, .width = table->style.terminal};
    for (unsigned c = 0; c < COLUMNS; c++) {
        const bool shown = c == COLUMN_CASE      ? table->mixed
                           : c == COLUMN_CEILING ? bounded
                           : c == COLUMN_LATENCY ? called
                                                 : timed || c < COLUMN_TIME || c == COLUMN_ERROR;
        table->lines.left |= c < COLUMN_TIME || c == COLUMN_CASE ? 1U << c : 0;
        table->lines.hidden |= shown ? 0 : 1U << c;
    }
}

static plx_status put_group(report_table *table, size_t group, plx_error *error)
{
    plx_status status = PLX_OK;
    collect_rows(table, group);
    double best = best_of(table);
    for (size_t i = 0; i < table->row_count; i++)
        add_row(table, table->rows[i], best);
    if (table->lines.out_of_memory) {
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for a table");
    } else {
        put_title(table);
        plx_table_fit(&table->lines, dropped, sizeof dropped / sizeof dropped[0]);
        plx_table_put_titles(&table->lines, table->style.colour ? "\033[1m" : "", table->to);
        for (size_t i = 0; i < table->row_count; i++)
            put_row(table, i);
        put_noise(table);
        put_left_out(table);
        put_limits(table);
        status = plx_report_counters(table->results, group, table->to, error);
        put_agreement(table, group);
    }
    plx_table_clear(&table->lines);
    return status;
}

static bool takes_part(const plx_results *results, size_t device)
{
    for (size_t i = 0; i < results->record_count; i++) {
        if (results->records[i].device == device)
            return true;
    }
    return false;
}

static plx_status put_devices(const plx_results *results, int width, FILE *to, plx_error *error)
{
    plx_table lines = {.columns = 1, .left = 1, .width = width};
    for (size_t i = 0; i < results->device_count; i++) {
        if (!takes_part(results, i))
            continue;
        plx_table_row(&lines);
        plx_table_cell(&lines, 0, "%s", results->devices[i].label);
        const plx_device_info *info = &results->devices[i].info;
        if (info->name[0] != '\0')
            plx_table_rest(&lines, "%s, %s", info->name, info->api);
        else /* the records say why */
            plx_table_rest(&lines, "not opened");
    }
    return plx_table_finish(&lines, to, error);
}

static bool is_first_of_group(const plx_results *results, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (results->records[i].group == results->records[index].group)
            return false;
    }
    return true;
}

plx_status plx_results_write_table(const plx_results *results, FILE *to, int width, unsigned flags, plx_error *error)
{
    report_table table = {.results = results,
                          .to = to,
                          .style = style_of(width, (flags & PLX_TABLE_COLOUR) != 0),
                          .all_pairs = (flags & PLX_TABLE_ALL_PAIRS) != 0,
                          .configs = (flags & PLX_TABLE_CONFIGS) != 0};
    table.rows = calloc(results->record_count + 1, sizeof(plx_record *));
    if (table.rows == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a table");
    plx_status status = put_devices(results, table.style.terminal, to, error);
    for (size_t i = 0; i < results->record_count && status == PLX_OK; i++) {
        if (!is_first_of_group(results, i))
            continue;
        (void)fputc('\n', to);
        status = put_group(&table, results->records[i].group, error);
    }
    if (status == PLX_OK && (flags & PLX_TABLE_LEGEND) != 0)
        status = plx_report_legend(results, table.style.terminal, to, error);
    free(table.rows);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
