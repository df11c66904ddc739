/* The table of all records. */
#include "page/page.h"

#include <math.h>

/* Which of the columns that not every file has are there. */
typedef struct columns {
    bool host, latency, ceiling;
} columns;

static columns columns_of(plx_page *page)
{
    columns are = {false, false, false};
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_record *is = page->records[i].is;
        are.host = are.host || is->time.host.measured;
        are.latency = are.latency || is->time.latency.measured;
        are.ceiling = are.ceiling || is->ceiling.applies;
    }
    return are;
}

static void put_head(plx_page *page, const columns *are, FILE *to)
{
    (void)fprintf(to,
                  "<div class=\"box\"><table><thead><tr>%s<th>problem</th><th>backend</th><th>kernel</th>"
                  "<th>status</th><th class=\"n\">time</th><th class=\"n\">± half of 95 %%</th>",
                  page->file_count > 1 ? "<th>file</th>" : "");
    (void)fprintf(to,
                  "%s%s<th class=\"n\">rate</th>%s<th class=\"n\">gain</th><th class=\"n\">error/bound</th>"
                  "<th class=\"n\">ulp</th><th>remarks</th></tr></thead>\n<tbody>\n",
                  are->host ? "<th class=\"n\">by the host’s clock</th>" : "",
                  are->latency ? "<th class=\"n\">single call</th>" : "",
                  are->ceiling ? "<th class=\"n\">of ceiling</th>" : "");
}

static void put_duration(const plx_interval *interval, FILE *to)
{
    (void)fputs("<td class=\"n\">", to);
    if (interval->measured)
        plx_page_time(to, interval->median_ns);
    (void)fputs("</td>", to);
}

static void put_rate(plx_page *page, const plx_page_record *one, FILE *to)
{
    char rate[48] = "";
    bool flops = plx_page_in_flops(page, one->problem);
    if (plx_page_rate(one, flops) > 0)
        plx_page_rate_text(plx_page_rate(one, flops), flops, rate, sizeof rate);
    (void)fprintf(to, "<td class=\"n\">%s</td>", rate);
}

/* More than all of it is no fact, but a question. */
static void put_ceiling(const plx_ceiling *ceiling, FILE *to)
{
    double fraction = ceiling->fraction;
    char percent[32];
    (void)fputs("<td class=\"n\">", to);
    if (ceiling->applies) {
        plx_number_text(100 * fraction, 3, percent, sizeof percent);
        (void)fprintf(to, fraction > 1 ? "<span class=\"bad\">(%s %%)</span> " : "%s %% ", percent);
        (void)fputs(plx_ceiling_name(ceiling->kind), to);
    }
    (void)fputs("</td>", to);
}

static void put_interval(const plx_page_record *one, FILE *to)
{
    char percent[32];
    (void)fputs("<td class=\"n\">", to);
    if (one->time > 0) {
        plx_plain_number_text(50 * (one->is->time.high_ns - one->is->time.low_ns) / one->time, 2, percent,
                              sizeof percent);
        (void)fprintf(to, "%s %%", percent);
    }
    (void)fputs("</td>", to);
}

const char *plx_page_outcome_class(plx_outcome outcome)
{
    bool bad = outcome == PLX_OUTCOME_WRONG || outcome == PLX_OUTCOME_FAILED;
    return outcome == PLX_OUTCOME_OK ? "good" : bad ? "bad" : "soft";
}

static void add_remark(FILE *to, size_t *count, const char *before, const char *text)
{
    plx_page_put(to, "%s%s%s", (*count)++ > 0 ? "; " : "", before, text);
}

static void put_remarks(const plx_page_record *one, FILE *to)
{
    const plx_record *is = one->is;
    char dropped[48];
    size_t count = 0;
    (void)fputs("<td class=\"t\">", to);
    if (one->vendor)
        add_remark(to, &count, "", "vendor’s library");
    if (one->baseline)
        add_remark(to, &count, "", "baseline");
    if (is->reason[0] != '\0')
        add_remark(to, &count, "", is->reason);
    if (is->ceiling.fraction > 1)
        add_remark(to, &count,
                   "more than the ceiling: ", is->ceiling.over[0] != '\0' ? is->ceiling.over : "cause unknown");
    if (one->time > 0 && !is->time.converged)
        add_remark(to, &count, "", "time was up before the interval was narrow");
    if (is->time.hot)
        add_remark(to, &count, "", "operands in the cache");
    if (is->time.dropped > 0) {
        (void)snprintf(dropped, sizeof dropped, "%zu", is->time.dropped);
        add_remark(to, &count, "samples dropped for throttling: ", dropped);
    }
    if (!one->newest)
        add_remark(to, &count, "", "measured again in a newer file");
    (void)fputs("</td>", to);
}

static void put_record(plx_page *page, const columns *are, const plx_page_record *one, FILE *to)
{
    (void)fputs("<tr>", to);
    if (page->file_count > 1)
        (void)fprintf(to, "<td class=\"n\">%zu</td>", one->file + 1);
    (void)fputs("<td class=\"w\">", to);
    plx_page_problem_text(to, &page->problems[one->problem]);
    (void)fputs("</td><td>", to);
    plx_page_series_mark(to, page, one->series);
    plx_page_put(to, "</td><td class=\"w\">%s</td><td class=\"w\"><span class=\"%s\">%s</span></td><td class=\"n\">",
                 one->is->kernel, plx_page_outcome_class(one->is->outcome), plx_outcome_name(one->is->outcome));
    if (one->time > 0)
        plx_page_time(to, one->time);
    (void)fputs("</td>", to);
    put_interval(one, to);
    if (are->host)
        put_duration(&one->is->time.host, to);
    if (are->latency)
        put_duration(&one->is->time.latency, to);
    put_rate(page, one, to);
    if (are->ceiling)
        put_ceiling(&one->is->ceiling, to);
    plx_page_number_cell(to, one->is->gain > 0 ? one->is->gain : NAN, 3);
    plx_page_number_cell(to, one->is->error.measured ? one->is->error.max_over_bound : NAN, 3);
    plx_page_number_cell(to, one->is->error.measured ? one->is->error.max_ulp : NAN, 3);
    put_remarks(one, to);
    (void)fputs("</tr>\n", to);
}

void plx_page_records(plx_page *page, FILE *to)
{
    const columns are = columns_of(page);
    plx_page_section(to, "records", "All records");
    (void)fprintf(to, "<details%s><summary>%zu records</summary>\n", page->record_count <= 200 ? " open" : "",
                  page->record_count);
    put_head(page, &are, to);
    for (size_t i = 0; i < page->record_count; i++)
        put_record(page, &are, &page->records[i], to);
    (void)fputs("</tbody></table></div></details>\n</section>\n", to);
}
