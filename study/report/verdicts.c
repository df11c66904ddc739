/* Verdicts on results that were computed elsewhere: for people, as Markdown, as JSON (schema parallax-verdicts/1) and
 * as JUnit's XML. */
#include "study/report/json.h"

#include "base/whereabouts.h"
#include "study/report/report.h"
#include "study/results/archive.h"

#include "base/table.h"
#include "base/text.h"

#include <parallax/judge.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- counts and texts ------------------------------------------------------------------ */

typedef struct counts {
    size_t ok, wrong, not_judged;
} counts;

static counts count_all(const plx_judged *judged, size_t count)
{
    counts found = {0};
    for (size_t i = 0; i < count; i++) {
        found.ok += judged[i].verdict.outcome == PLX_OUTCOME_OK;
        found.wrong += judged[i].verdict.outcome == PLX_OUTCOME_WRONG;
        found.not_judged += judged[i].verdict.outcome == PLX_OUTCOME_NOT_JUDGED;
    }
    return found;
}

/* "gemm f32 64x64x64 nn". */
static plx_line problem_of(const plx_judged *one)
{
    char shape[80], variant[128];
    plx_line line = {.length = 0};
    plx_shape_text(&one->problem, shape, sizeof shape);
    plx_variant_text(&one->problem, variant, sizeof variant);
    plx_line_add(&line, "%s %s %s%s%s", plx_op_name(one->problem.op), plx_dtype_name(one->problem.dtype), shape,
                 variant[0] != '\0' ? " " : "", variant);
    return line;
}

/* "0.12", "inexact"; "" where nothing was measured. */
static void error_text(const plx_error_measure *error, char *text, size_t capacity)
{
    text[0] = '\0';
    if (!error->measured)
        return;
    if (plx_error_is_rounding(error))
        (void)snprintf(text, capacity, "rounded");
    else if (!isfinite(error->max_over_bound))
        (void)snprintf(text, capacity, "inexact");
    else if (error->max_over_bound > 0)
        plx_number_text(error->max_over_bound, 2, text, capacity);
    else
        (void)snprintf(text, capacity, "0");
}

/* ---- for people -------------------------------------------------------------------------- */

enum { COLUMN_NAME, COLUMN_STATUS, COLUMN_ERROR, COLUMN_ELEMENTS, COLUMN_PROBLEM, COLUMNS, FEW = 10 };

static const char *colour_of(plx_outcome outcome, unsigned flags)
{
    if ((flags & PLX_TABLE_COLOUR) == 0)
        return "";
    return outcome == PLX_OUTCOME_OK ? "\033[32m" : outcome == PLX_OUTCOME_WRONG ? "\033[31m" : "\033[33m";
}

static void add_row(plx_table *table, const plx_judged *one, unsigned flags)
{
    char error[32];
    plx_table_row(table);
    plx_table_cell(table, COLUMN_NAME, "%s", one->name);
    plx_table_cell(table, COLUMN_STATUS, "%s", plx_outcome_name(one->verdict.outcome));
    plx_table_colour(table, COLUMN_STATUS, colour_of(one->verdict.outcome, flags));
    error_text(&one->verdict.error, error, sizeof error);
    plx_table_cell(table, COLUMN_ERROR, "%s", error);
    plx_table_cell(table, COLUMN_ELEMENTS, "%" PRId64, one->verdict.error.compared);
    plx_table_cell(table, COLUMN_PROBLEM, "%s", problem_of(one).text);
}

static bool is_unlike(const plx_verdict *verdict)
{
    return verdict->likeness.measured &&
           (verdict->likeness.like == PLX_LIKE_ROUNDED || verdict->likeness.like == PLX_LIKE_ROUGHER);
}

static bool is_shown(const plx_judged *one, size_t count)
{
    return count <= FEW || one->verdict.outcome != PLX_OUTCOME_OK || is_unlike(&one->verdict);
}

static void put_promise(const plx_judged *one, FILE *to, int width)
{
    char text[512];
    plx_promise_text(&one->problem, &one->promise, text, sizeof text);
    plx_put_wrapped(to, text, "promise:", 4, width);
}

/* Of many those alone that are like something else; not where the reason says it. */
static void put_likeness(const plx_judged *one, bool only, FILE *to, int width)
{
    const plx_verdict *verdict = &one->verdict;
    if (verdict->likeness.measured && (only || is_unlike(verdict)) &&
        strstr(verdict->reason, verdict->likeness.text) == NULL)
        plx_put_wrapped(to, verdict->likeness.text, "   ", 4, width);
}

static void put_counts(const counts *found, FILE *to)
{
    (void)fprintf(to, "%zu result%s: %zu ok, %zu wrong", found->ok + found->wrong + found->not_judged,
                  found->ok + found->wrong + found->not_judged == 1 ? "" : "s", found->ok, found->wrong);
    if (found->not_judged > 0)
        (void)fprintf(to, ", %zu not judged", found->not_judged);
    (void)fputc('\n', to);
}

plx_status plx_judged_write_table(const plx_judged *judged, size_t count, FILE *to, int width, unsigned flags,
                                  plx_error *error)
{
    static const char *const titles[COLUMNS] = {"result", "status", "error/bound", "elements", "problem"};
    plx_table table = {
        .columns = COLUMNS, .titles = titles, .left = 1U << COLUMN_NAME | 1U << COLUMN_STATUS | 1U << COLUMN_PROBLEM};
    const counts found = count_all(judged, count);
    size_t row = 0;

    width = width > 0 ? width : 100;
    for (size_t i = 0; i < count; i++)
        if (is_shown(&judged[i], count))
            add_row(&table, &judged[i], flags);
    if (table.out_of_memory) {
        plx_table_clear(&table);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a table");
    }
    if (table.row_count > 0)
        plx_table_put_titles(&table, (flags & PLX_TABLE_COLOUR) != 0 ? "\033[1m" : "", to);
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(&judged[i], count))
            continue;
        plx_table_put_row(&table, row++, to);
        if (judged[i].verdict.reason[0] != '\0')
            plx_put_wrapped(to, judged[i].verdict.reason, "   ", 4, width);
        put_likeness(&judged[i], count == 1, to, width);
        if (count == 1)
            put_promise(&judged[i], to, width);
    }
    plx_table_clear(&table);
    if (count != 1)
        put_counts(&found, to);
    return plx_report_finish(to, error);
}

/* ---- Markdown ------------------------------------------------------------------------------ */

plx_status plx_judged_write_markdown(const plx_judged *judged, size_t count, FILE *to, plx_error *error)
{
    const counts found = count_all(judged, count);

    (void)fprintf(to, "| result | problem | status | error/bound | why |\n|---|---|---|--:|---|\n");
    for (size_t i = 0; i < count; i++) {
        char number[32];
        error_text(&judged[i].verdict.error, number, sizeof number);
        (void)fprintf(to, "| ");
        plx_put_markdown_cell(judged[i].name, to);
        (void)fprintf(to, " | %s | %s | %s | ", problem_of(&judged[i]).text,
                      plx_outcome_name(judged[i].verdict.outcome), number);
        plx_put_markdown_cell(judged[i].verdict.reason, to);
        if (judged[i].verdict.reason[0] == '\0' && is_unlike(&judged[i].verdict))
            plx_put_markdown_cell(judged[i].verdict.likeness.text, to);
        (void)fprintf(to, " |\n");
    }
    (void)fputc('\n', to);
    put_counts(&found, to);
    return plx_report_finish(to, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_promised(plx_json *json, const plx_promise *promise)
{
    plx_json_object(json, "promise");
    plx_json_text(json, "sums", plx_sums_name(promise->sums));
    if (promise->sums == PLX_SUMS_DEPTH)
        plx_json_integer(json, "depth", promise->depth);
    if (promise->accumulator != 0)
        plx_json_text(json, "accumulator", plx_dtype_name((plx_dtype)(promise->accumulator - 1)));
    plx_json_integer(json, "narrow_parts", promise->narrow_parts);
    plx_json_flag(json, "matrix_units", !promise->no_matrix_units);
    plx_json_flag(json, "flushes", promise->flushes);
    plx_json_flag(json, "typical", promise->typical);
    plx_json_object_end(json);
}

static void put_verdict(plx_archive *archive, const plx_judged *judged)
{
    plx_judged one = *judged;
    plx_json *json = archive->to;
    plx_json_object(json, NULL);
    plx_json_text(json, "name", one.name);
    plx_archive_problem(archive, &one.problem);
    put_promised(json, &one.promise);
    plx_json_text(json, "status", plx_outcome_name(one.verdict.outcome));
    plx_json_text(json, "reason", one.verdict.reason);
    plx_archive_error(archive, &one.verdict.error);
    plx_archive_likeness(archive, &one.verdict.likeness);
    plx_json_object_end(json);
}

plx_status plx_judged_write_json(const plx_judged *judged, size_t count, FILE *to, plx_error *error)
{
    const counts found = count_all(judged, count);
    plx_json json = {.to = to};
    plx_archive archive = {.to = &json};

    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-verdicts/1");
    plx_json_tool(&json);
    plx_json_whereabouts(&json, plx_results_are_anonymous());
    plx_json_object(&json, "summary");
    plx_json_natural(&json, "ok", found.ok);
    plx_json_natural(&json, "wrong", found.wrong);
    plx_json_natural(&json, "not_judged", found.not_judged);
    plx_json_object_end(&json);
    plx_json_list(&json, "verdicts");
    for (size_t i = 0; i < count; i++)
        put_verdict(&archive, &judged[i]);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- JUnit ------------------------------------------------------------------------------------- */

static void put_case(const plx_judged *one, FILE *to)
{
    const plx_outcome outcome = one->verdict.outcome;
    (void)fprintf(to, "  <testcase classname=\"parallax.%s.%s\" name=\"", plx_op_name(one->problem.op),
                  plx_dtype_name(one->problem.dtype));
    plx_put_xml(one->name, to);
    (void)fprintf(to, "\"%s>\n", outcome == PLX_OUTCOME_OK ? "/" : "");
    if (outcome == PLX_OUTCOME_OK)
        return;
    (void)fprintf(to, "    <%s message=\"", outcome == PLX_OUTCOME_WRONG ? "failure" : "skipped");
    plx_put_xml(one->verdict.reason, to);
    if (outcome == PLX_OUTCOME_WRONG) {
        (void)fprintf(to, "\" type=\"wrong\">");
        plx_put_xml(problem_of(one).text, to);
        (void)fprintf(to, "</failure>\n");
    } else {
        (void)fprintf(to, "\"/>\n");
    }
    (void)fprintf(to, "  </testcase>\n");
}

plx_status plx_judged_write_junit(const plx_judged *judged, size_t count, FILE *to, plx_error *error)
{
    const counts found = count_all(judged, count);

    (void)fprintf(to,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuite name=\"parallax judge\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                  count, found.wrong, found.not_judged);
    for (size_t i = 0; i < count; i++)
        put_case(&judged[i], to);
    (void)fprintf(to, "</testsuite>\n");
    return plx_report_finish(to, error);
}
