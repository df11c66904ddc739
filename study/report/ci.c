/* Results and differences for machines that build: JUnit's XML, a table for a comment on a change, and annotations as
 * GitHub reads them from a job's output.  Each record, each pair of right results that disagrees and each difference is
 * a case; what does not decide the exit status is skipped and no failure. */
#include "study/report/report.h"
#include "study/results/results.h"

#include <math.h>
#include <string.h>

typedef enum verdict { PASSED, FAILED, BROKEN, SKIPPED, VERDICTS } verdict;

typedef struct ci_case {
    verdict verdict;
    char group[64]; /* "gemm.f32" */
    char name[240]; /* "cuda:0 split-k" */
    char problem[300];
    char status[40]; /* "wrong", "slower" */
    char time[160], error[40];
    char why[700];
    bool passed_over; /* has nothing to say: if it is skipped, no line is of it */
} ci_case;

/* What is done with each case. */
typedef struct ci_writer {
    FILE *to;
    plx_ci_form form;
    size_t counts[VERDICTS];
    bool counting; /* and nothing is written */
} ci_writer;

/* ---- the forms ------------------------------------------------------------------------- */

static void put_junit(const ci_case *one, FILE *to)
{
    static const char *const elements[VERDICTS] = {"", "failure", "error", "skipped"};
    (void)fputs("  <testcase classname=\"parallax.", to);
    plx_put_xml(one->group, to);
    (void)fputs("\" name=\"", to);
    plx_put_xml(one->name, to);
    (void)fputs(": ", to);
    plx_put_xml(one->problem, to);
    (void)fputs(one->verdict == PASSED ? "\"/>\n" : "\">\n", to);
    if (one->verdict == PASSED)
        return;
    (void)fprintf(to, "    <%s message=\"", elements[one->verdict]);
    plx_put_xml(one->why[0] != '\0' ? one->why : one->status, to);
    if (one->verdict != SKIPPED)
        (void)fprintf(to, "\" type=\"%s", one->status);
    (void)fputs("\"/>\n  </testcase>\n", to);
}

/* What is not for the problem, or was not begun, is in the heading's numbers alone. */
static void put_markdown(const ci_case *one, FILE *to)
{
    if (one->verdict == SKIPPED && one->passed_over)
        return;
    const char *const cells[] = {one->name, one->problem, one->status, one->time, one->error, one->why};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        (void)fputs(i == 0 ? "| " : " | ", to);
        plx_put_markdown_cell(cells[i], to);
    }
    (void)fputs(" |\n", to);
}

/* Of what is right nothing is said. */
static void put_annotation(const ci_case *one, FILE *to)
{
    if (one->verdict == PASSED || (one->verdict == SKIPPED && strcmp(one->status, "wrong") != 0))
        return;
    (void)fprintf(to, "::%s title=", one->verdict == SKIPPED ? "warning" : "error");
    plx_put_annotation(one->name, true, to);
    plx_put_annotation(" ", true, to);
    plx_put_annotation(one->status, true, to);
    (void)fputs("::", to);
    plx_put_annotation(one->problem, false, to);
    if (one->time[0] != '\0')
        (void)fprintf(to, ", %s", one->time);
    (void)fputs(one->why[0] != '\0' ? ": " : "", to);
    plx_put_annotation(one->why, false, to);
    (void)fputc('\n', to);
}

static void take(ci_writer *writer, const ci_case *one)
{
    static void (*const put[])(const ci_case *, FILE *) = {
        [PLX_CI_JUNIT] = put_junit, [PLX_CI_MARKDOWN] = put_markdown, [PLX_CI_ANNOTATIONS] = put_annotation};
    if (writer->counting)
        writer->counts[one->verdict]++;
    else
        put[writer->form](one, writer->to);
}

/* Counted first, since JUnit's heading has the numbers. */
static plx_status write_all(FILE *to, plx_ci_form form, const char *verb, void (*each)(const void *, ci_writer *),
                            const void *what, plx_error *error)
{
    ci_writer writer = {.to = to, .form = form, .counting = true};
    if ((unsigned)form > PLX_CI_ANNOTATIONS)
        return plx_fail(error, PLX_INVALID, "no such form of results");
    each(what, &writer);
    writer.counting = false;
    const size_t *n = writer.counts;
    if (form == PLX_CI_JUNIT)
        (void)fprintf(
            to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"parallax %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
            verb, n[PASSED] + n[FAILED] + n[BROKEN] + n[SKIPPED], n[FAILED], n[BROKEN], n[SKIPPED]);
    if (form == PLX_CI_MARKDOWN)
        (void)fprintf(to,
                      "**parallax %s**: %zu of %zu passed, %zu failed, %zu skipped\n\n"
                      "| what | problem | status | time | error/bound | why |\n|---|---|---|--:|--:|---|\n",
                      verb, n[PASSED], n[PASSED] + n[FAILED] + n[BROKEN] + n[SKIPPED], n[FAILED] + n[BROKEN],
                      n[SKIPPED]);
    each(what, &writer);
    if (form == PLX_CI_JUNIT)
        (void)fputs("</testsuite>\n", to);
    return plx_report_finish(to, error);
}

/* ---- results ------------------------------------------------------------------------------ */

static verdict verdict_of(const plx_results *results, size_t record)
{
    const bool named = results->records[record].named;
    switch (results->records[record].outcome) {
    case PLX_OUTCOME_OK:
        return PASSED;
    case PLX_OUTCOME_WRONG:
        return plx_results_decides(results, record) ? FAILED : SKIPPED;
    case PLX_OUTCOME_FAILED:
        return BROKEN;
    case PLX_OUTCOME_UNSUPPORTED:
        return named ? BROKEN : SKIPPED;
    case PLX_OUTCOME_NOT_JUDGED:
        return plx_results_decides(results, record) ? FAILED : SKIPPED;
    default:
        return SKIPPED;
    }
}

static void group_of(const plx_problem *problem, char group[static 64])
{
    (void)snprintf(group, 64, "%s.%s", plx_op_name(problem->op), plx_dtype_name(problem->dtype));
}

/* "12.3 \u00b5s", as files for the web are in UTF-8 whatever the locale is. */
static void time_text(const plx_timing *time, char text[static 160])
{
    char duration[40];
    text[0] = '\0';
    if (!time->measured || !(time->median_ns > 0))
        return;
    plx_duration_text(time->median_ns, "\302\265s", duration, sizeof duration);
    (void)snprintf(text, 160, "%s%s", duration, plx_timing_is_noisy(time) ? " (noisy)" : "");
}

static void take_record(const plx_results *results, size_t which, ci_writer *writer)
{
    const plx_record *record = &results->records[which];
    ci_case one = {.verdict = verdict_of(results, which)};
    group_of(&record->problem, one.group);
    (void)snprintf(one.name, sizeof one.name, "%s %s", record->backend, record->kernel);
    plx_problem_text(&record->problem, record->shift, one.problem, sizeof one.problem);
    (void)snprintf(one.status, sizeof one.status, "%s", plx_outcome_name(record->outcome));
    time_text(&record->time, one.time);
    if (record->outcome == PLX_OUTCOME_OK && plx_error_is_rounding(&record->error))
        (void)snprintf(one.error, sizeof one.error, "rounded");
    else if (record->error.measured && record->outcome == PLX_OUTCOME_OK)
        plx_number_text(record->error.max_over_bound, 2, one.error, sizeof one.error);
    one.passed_over = record->outcome == PLX_OUTCOME_UNSUPPORTED || plx_record_was_interrupted(record);
    (void)snprintf(one.why, sizeof one.why, "%s%s", record->reason,
                   record->outcome == PLX_OUTCOME_WRONG && one.verdict == SKIPPED
                       ? " (a library that nobody named: --strict makes it a failure)"
                       : "");
    take(writer, &one);
}

/* Of two that are right. */
static void take_pair(const plx_results *results, const plx_pair *pair, ci_writer *writer)
{
    const plx_record *a = &results->records[pair->first], *b = &results->records[pair->second];
    ci_case one = {.verdict = FAILED, .status = "disagree"};
    if (!pair->compared || pair->agree || a->outcome != PLX_OUTCOME_OK || b->outcome != PLX_OUTCOME_OK)
        return;
    group_of(&a->problem, one.group);
    (void)snprintf(one.name, sizeof one.name, "%s %s and %s %s", a->backend, a->kernel, b->backend, b->kernel);
    plx_problem_text(&a->problem, a->shift, one.problem, sizeof one.problem);
    (void)snprintf(one.why, sizeof one.why, "they disagree, first at %lld: %s, %s", (long long)pair->first_different,
                   pair->value_first, pair->value_second);
    take(writer, &one);
}

static void each_of_results(const void *what, ci_writer *writer)
{
    const plx_results *results = what;
    for (size_t i = 0; i < results->record_count; i++)
        take_record(results, i, writer);
    for (size_t i = 0; i < results->pair_count; i++)
        take_pair(results, &results->pairs[i], writer);
}

plx_status plx_results_write_ci(const plx_results *results, plx_ci_form form, const char *verb, FILE *to,
                                plx_error *error)
{
    return write_all(to, form, verb, each_of_results, results, error);
}

/* ---- differences ------------------------------------------------------------------------------ */

static bool is_regression(const plx_diff_results *results, plx_change change)
{
    const bool missing = change == PLX_CHANGE_VANISHED || change == PLX_CHANGE_UNTIMED;
    if (results->across)
        return change == PLX_CHANGE_BROKEN;
    return change <= PLX_CHANGE_LESS_ACCURATE || (missing && !results->allow_missing);
}

static void take_difference(const plx_diff_results *results, const plx_difference *d, ci_writer *writer)
{
    char old[40], new[40];
    ci_case one = {.verdict = is_regression(results, d->change)    ? FAILED
                              : d->change == PLX_CHANGE_UNCOMPARED ? SKIPPED
                                                                   : PASSED};
    (void)snprintf(one.group, sizeof one.group, "diff.%.50s", d->backend);
    (void)snprintf(one.name, sizeof one.name, "%s %s", d->backend, d->kernel);
    (void)snprintf(one.problem, sizeof one.problem, "%s", d->problem);
    (void)snprintf(one.status, sizeof one.status, "%s", plx_change_name(d->change));
    if (d->timed) {
        plx_duration_text(d->old_ns, "\302\265s", old, sizeof old);
        plx_duration_text(d->new_ns, "\302\265s", new, sizeof new);
        (void)snprintf(one.time, sizeof one.time, "%s, now %s (%.3g times)", old, new, d->ratio);
    }
    if (d->old_error >= 0 && d->new_error >= 0)
        (void)snprintf(one.error, sizeof one.error, "%.3g, now %.3g", d->old_error, d->new_error);
    (void)snprintf(one.why, sizeof one.why, "%s", d->note);
    take(writer, &one);
}

/* What was compared and has not changed is one case. */
static void take_unchanged(const plx_diff_results *results, ci_writer *writer)
{
    ci_case one = {.verdict = PASSED, .group = "diff", .status = "compared"};
    if (results->compared == 0)
        one = (ci_case){
            .verdict = FAILED, .group = "diff", .status = "not compared", .why = "no record is in both files"};
    (void)snprintf(one.name, sizeof one.name, "%zu records", results->compared);
    (void)snprintf(one.problem, sizeof one.problem, "%zu by time", results->timed);
    take(writer, &one);
}

static void each_of_differences(const void *what, ci_writer *writer)
{
    const plx_diff_results *results = what;
    take_unchanged(results, writer);
    for (size_t i = 0; i < results->count; i++)
        take_difference(results, &results->differences[i], writer);
}

plx_status plx_diff_write_ci(const plx_diff_results *results, plx_ci_form form, FILE *to, plx_error *error)
{
    return write_all(to, form, "diff", each_of_differences, results, error);
}
