/* The table of all records, a part for each problem of a run. */
#define _POSIX_C_SOURCE 200809L

#include "page/page.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *plx_page_outcome_class(plx_outcome outcome)
{
    bool bad = outcome == PLX_OUTCOME_WRONG || outcome == PLX_OUTCOME_FAILED;
    return outcome == PLX_OUTCOME_OK ? "good" : bad ? "bad" : "soft";
}

/* ---- reasons: those that many records have are told once, below the table ----------------------- */

typedef struct reasons {
    const char **list; /* malloc'ed, in the order of the alphabet */
    size_t count;
} reasons;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those that more than two records have. */
static reasons reasons_of(plx_page *page)
{
    reasons all = {.list = plx_page_memory(page, page->record_count, sizeof(char *))};
    size_t count = 0;
    for (size_t i = 0; all.list != NULL && i < page->record_count; i++)
        if (page->records[i].is->reason[0] != '\0')
            all.list[count++] = page->records[i].is->reason;
    if (count > 0)
        qsort(all.list, count, sizeof *all.list, by_text);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(all.list[i], all.list[end]) == 0; end++)
            ;
        if (end - i > 2)
            all.list[all.count++] = all.list[i];
    }
    return all;
}

static void put_reason(const reasons *all, const char *reason, FILE *to)
{
    const char **found =
        all->count > 0 ? bsearch(&reason, all->list, all->count, sizeof *all->list, by_text) : (const char **)NULL;
    if (found != NULL)
        (void)fprintf(to, "[%zu]", (size_t)(found - all->list) + 1);
    else
        plx_page_text(to, reason);
}

static void put_reasons(const reasons *all, FILE *to)
{
    if (all->count == 0)
        return;
    (void)fputs("<details open><summary>Reasons</summary>\n<ol>\n", to);
    for (size_t i = 0; i < all->count; i++)
        plx_page_put(to, "<li id=\"n%zu\">%s</li>\n", i + 1, all->list[i]);
    (void)fputs("</ol></details>\n", to);
}

/* ---- what shares a row with others: what did not run, and the slower ways of a library ----------------- */

static bool did_not_run(const plx_page_record *one)
{
    return one->is->outcome == PLX_OUTCOME_UNSUPPORTED || one->is->outcome == PLX_OUTCOME_NOT_RUN;
}

static bool is_way(const plx_page_record *one)
{
    return one->vendor && one->time > 0 && one->newest && one->is->reason[0] == '\0';
}

/* The fastest way of a library in this group; the record itself, where it is that, or no such way. */
static size_t fastest_way(plx_page *page, size_t index)
{
    const plx_page_record *one = &page->records[index];
    size_t best = index;
    for (size_t i = one->first; is_way(one) && i != PLX_PAGE_NONE; i = page->records[i].next)
        if (is_way(&page->records[i]) && page->records[i].series == one->series &&
            (page->records[i].time < page->records[best].time ||
             (i < best && !(page->records[i].time > page->records[best].time))))
            best = i;
    return best;
}

/* The slower ways are told beside the fastest. */
static void put_slower_ways(plx_page *page, size_t fastest, FILE *to)
{
    size_t count = 0;
    for (size_t i = page->records[fastest].first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        if (i == fastest || page->records[i].series != page->records[fastest].series || fastest_way(page, i) != fastest)
            continue;
        plx_page_put(to, "%s<i id=r%zu>%s</i> ", count++ > 0 ? ", " : "slower: ", i, page->records[i].is->kernel);
        plx_page_time(to, page->records[i].time);
    }
}

static bool shares_row(const plx_page_record *a, const plx_page_record *b)
{
    return did_not_run(a) && a->series == b->series && a->is->outcome == b->is->outcome;
}

/* Whether an earlier one of the group has it in its row. */
static bool is_in_a_row(plx_page *page, size_t index)
{
    for (size_t i = page->records[index].first; i != index; i = page->records[i].next)
        if (shares_row(&page->records[index], &page->records[i]))
            return true;
    return false;
}

static void put_not_run(plx_page *page, const reasons *why, size_t index, FILE *to)
{
    const plx_page_record *one = &page->records[index];
    (void)fprintf(to, "<tr class=\"b%zu s%d\"><td>", one->series, (int)one->is->outcome);
    plx_page_put(to, "%s<td colspan=9>%s:", page->series[one->series].shown, plx_outcome_name(one->is->outcome));
    for (size_t i = index; i != PLX_PAGE_NONE; i = page->records[i].next) {
        if (!shares_row(one, &page->records[i]))
            continue;
        plx_page_put(to, " <i id=r%zu>%s</i> ", i, page->records[i].is->kernel);
        put_reason(why, page->records[i].is->reason, to);
    }
    (void)fputc('\n', to);
}

/* ---- a row --------------------------------------------------------------------------------------- */

/* Which of the columns that not every file has are there. */
typedef struct columns {
    bool latency, ceiling, spread;
} columns;

/* Whether a single call needs half as long again as one of many, or longer: else it tells nothing. */
static bool is_late(const plx_timing *time)
{
    return time->latency.measured && time->latency.median_ns > 1.5 * time->median_ns;
}

static columns columns_of(plx_page *page)
{
    columns are = {.latency = false};
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_record *is = page->records[i].is;
        are.latency = are.latency || is_late(&is->time);
        are.ceiling = are.ceiling || is->ceiling.applies;
        are.spread = are.spread || is->spread.known;
    }
    return are;
}

/* The error over its bound; of what is not right what it is. */
static void put_verdict(const plx_page_record *one, FILE *to)
{
    char text[40] = "";
    if (plx_error_is_rounding(&one->is->error))
        (void)snprintf(text, sizeof text, "rounded");
    else if (one->is->error.measured)
        plx_number_text(one->is->error.max_over_bound, 2, text, sizeof text);
    if (!one->ok || text[0] == '\0')
        (void)fprintf(to, "<b class=%s>%s</b> ", plx_page_outcome_class(one->is->outcome),
                      plx_outcome_name(one->is->outcome));
    (void)fputs(text, to);
}

/* A right one whose time is too uncertain to be ranked, or to be a rate: it is shown, and nothing follows from it. */
static bool is_noisy(const plx_page_record *one)
{
    return one->ok && !(one->time > 0) && one->is->time.measured && one->is->time.median_ns > 0;
}

/* "77 µs ±0.75%"; with a "!" where time was up before the interval was narrow. */
static void put_time(const plx_page_record *one, FILE *to)
{
    const plx_timing *time = &one->is->time;
    char percent[32];
    (void)fputs("<td>", to);
    if (!(one->time > 0) && !is_noisy(one))
        return;
    plx_page_time(to, time->median_ns);
    plx_plain_number_text(50 * (time->high_ns - time->low_ns) / time->median_ns, 2, percent, sizeof percent);
    (void)fprintf(to, " ±%s%%%s", percent, time->converged ? "" : " !");
}

/* The samples as a strip from 0 to the largest: all of them, the middle half, and the median. */
static void put_strip(const plx_spread *spread, FILE *to)
{
    char least[32], most[32];
    (void)fputs("<td>", to);
    if (!spread->known || !(spread->most > 0))
        return;
    plx_duration_text(spread->least, "µs", least, sizeof least);
    plx_duration_text(spread->most, "µs", most, sizeof most);
    (void)fprintf(to, "<span class=\"strip\" title=\"%s to %s\"><b style=\"left:%.1f%%;width:%.1f%%\"></b>", least,
                  most, 100 * spread->least / spread->most, 100 * (1 - spread->least / spread->most));
    (void)fprintf(to, "<i style=\"left:%.1f%%;width:%.1f%%\"></i><u style=\"left:%.1f%%\"></u></span>",
                  100 * spread->lower / spread->most, 100 * (spread->upper - spread->lower) / spread->most,
                  100 * spread->middle / spread->most);
}

/* More than all of it is no fact, but a question. */
static void put_ceiling(const plx_page_record *one, FILE *to)
{
    const plx_ceiling *ceiling = &one->is->ceiling;
    char percent[32];
    (void)fputs("<td>", to);
    if (!ceiling->applies || is_noisy(one))
        return;
    plx_number_text(100 * ceiling->fraction, ceiling->fraction < 0.995 ? 2 : 3, percent, sizeof percent);
    (void)fprintf(to, ceiling->fraction > 1 ? "<b class=\"bad\">(%s%%)</b> %s" : "%s%% %s", percent,
                  plx_ceiling_name(ceiling->kind));
}

/* The unit is in the column's title. */
static void put_rate(plx_page *page, const plx_page_record *one, FILE *to)
{
    char rate[48] = "";
    bool flops = plx_page_in_flops(page, one->problem);
    if (plx_page_rate(one, flops) > 0 && !is_noisy(one))
        plx_page_rate_text(plx_page_rate(one, flops), flops, rate, sizeof rate);
    (void)fprintf(to, "<td>%.*s", (int)strcspn(rate, flops ? "F" : "B"), rate);
}

static void add_remark(FILE *to, size_t *count, const char *before, const char *text)
{
    plx_page_put(to, "%s%s%s", (*count)++ > 0 ? "; " : "", before, text);
}

static void put_remarks(const plx_page_record *one, const reasons *why, FILE *to)
{
    const plx_record *is = one->is;
    char number[48];
    size_t count = 0;
    if (is_noisy(one))
        add_remark(to, &count, "", "noisy, not ranked");
    if (one->baseline)
        add_remark(to, &count, "", "baseline");
    if (is->reason[0] != '\0') {
        add_remark(to, &count, "", "");
        put_reason(why, is->reason, to);
    }
    if (is->remark[0] != '\0')
        add_remark(to, &count, "", is->remark);
    plx_number_text(plx_page_gain(is), 3, number, sizeof number);
    if (plx_page_gain(is) > 0)
        add_remark(to, &count, "gain ", number);
    if (is->ceiling.fraction > 1)
        add_remark(to, &count,
                   "more than the ceiling: ", is->ceiling.over[0] != '\0' ? is->ceiling.over : "cause unknown");
    if (is->time.hot)
        add_remark(to, &count, "", "operands in the cache");
    (void)snprintf(number, sizeof number, "%zu", is->time.dropped);
    if (is->time.dropped > 0)
        add_remark(to, &count, "samples dropped for throttling: ", number);
    if (!one->newest)
        add_remark(to, &count, "", "measured again in a newer file");
}

/* What a record has that was timed. */
static void put_times(plx_page *page, const columns *are, const plx_page_record *one, FILE *to)
{
    put_time(one, to);
    put_rate(page, one, to);
    if (are->ceiling)
        put_ceiling(one, to);
    if (are->latency)
        (void)fputs("<td>", to);
    if (is_late(&one->is->time))
        plx_page_time(to, one->is->time.latency.median_ns);
    if (are->spread)
        put_strip(&one->is->spread, to);
}

/* The ends of rows and cells, and quotes, are left out as HTML allows: there are many.  One that is right has no class
 * of its outcome. */
static void put_record(plx_page *page, const columns *are, const reasons *why, size_t index, FILE *to)
{
    const plx_page_record *one = &page->records[index];
    char *remarks = NULL;
    size_t length;
    FILE *aside = open_memstream(&remarks, &length);
    if (one->ok)
        (void)fprintf(to, "<tr id=r%zu class=b%zu><td>", index, one->series);
    else
        (void)fprintf(to, "<tr id=r%zu class=\"b%zu s%d\"><td>", index, one->series, (int)one->is->outcome);
    plx_page_put(to, "%s<td>%s<td>", page->series[one->series].shown, one->is->kernel);
    put_verdict(one, to);
    if (aside == NULL)
        return;
    put_remarks(one, why, aside);
    if (is_way(one))
        put_slower_ways(page, index, aside);
    const bool whole = plx_text_whole(aside), said = whole && remarks[0] != '\0';
    if (one->time > 0 || said)
        put_times(page, are, one, to);
    if (said)
        (void)fprintf(to, "<td class=q>%s", remarks);
    (void)fputc('\n', to);
    free(remarks);
}

/* ---- a problem of a run ------------------------------------------------------------------------------ */

static bool holds(plx_page *page, size_t first, size_t series, int outcome)
{
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next)
        if ((series == PLX_PAGE_NONE || page->records[i].series == series) &&
            (outcome < 0 || (int)page->records[i].is->outcome == outcome))
            return true;
    return false;
}

/* Of which operation, backends and outcomes it has records: by these it is chosen. */
static void put_classes(plx_page *page, size_t first, FILE *to)
{
    (void)fprintf(to, "<tbody class=\"o%d", (int)page->records[first].is->problem.op);
    for (size_t s = 0; s < page->series_count; s++)
        if (holds(page, first, s, -1))
            (void)fprintf(to, " b%zu", s);
    for (int outcome = 0; outcome < PLX_OUTCOME_COUNT; outcome++)
        if (holds(page, first, PLX_PAGE_NONE, outcome))
            (void)fprintf(to, " s%d", outcome);
    (void)fputc('"', to);
}

static void put_group(plx_page *page, const columns *are, const reasons *why, size_t first, bool *named, FILE *to)
{
    const size_t problem = page->records[first].problem;
    plx_page_duel duel;
    char ratio[32];
    put_classes(page, first, to);
    if (!named[problem] && page->records[first].newest) {
        named[problem] = true;
        (void)fprintf(to, " id=p%zu", problem);
    }
    (void)fputs("><tr><th colspan=9>", to);
    plx_page_problem_text(to, &page->problems[problem]);
    (void)fputs(" <i>", to);
    if (page->file_count > 1)
        (void)fprintf(to, "file %zu ", page->records[first].file + 1);
    if (plx_page_duel_of(page, first, PLX_PAGE_NONE, &duel)) {
        plx_page_ratio_text(duel.ratio, ratio, sizeof ratio);
        (void)fprintf(to, "× %s", ratio);
    }
    (void)fputs("</i>\n", to);
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next)
        if (!did_not_run(&page->records[i]) && fastest_way(page, i) == i)
            put_record(page, are, why, i, to);
        else if (did_not_run(&page->records[i]) && !is_in_a_row(page, i))
            put_not_run(page, why, i, to);
}

static void put_head(const columns *are, FILE *to)
{
    (void)fprintf(to,
                  "<div class=\"box\"><table class=\"t\"><thead><tr><th>backend</th><th>kernel</th>"
                  "<th class=\"n\">error/bound</th><th class=\"n\">time</th><th class=\"n\">FLOP/s or B/s</th>%s%s%s"
                  "<th>remarks</th></tr></thead>\n",
                  are->ceiling ? "<th class=\"n\">of ceiling</th>" : "",
                  are->latency ? "<th class=\"n\">single call, if longer</th>" : "",
                  are->spread ? "<th>samples, from 0</th>" : "");
}

void plx_page_records(plx_page *page, FILE *to)
{
    const columns are = columns_of(page);
    bool *named = plx_page_memory(page, page->problem_count, sizeof *named);
    const reasons why = reasons_of(page);
    if (page->record_count > 0 && named != NULL && why.list != NULL) {
        (void)fprintf(to,
                      "<p>%zu records; the choices of the navigation show a single operation, backend or status. "
                      "Behind × stands our "
                      "speed over the library’s fastest way; ! says that time was up before the interval was narrow, "
                      "[1] is a reason "
                      "below the table, a gain is over the step before, and “rounded” means that each element is the "
                      "number of its "
                      "type that is nearest to the exact one.%s</p>\n",
                      page->record_count,
                      page->file_count > 1 ? " Numbers of files are in <a href=\"#environment\">environment</a>." : "");
        put_head(&are, to);
        for (size_t i = 0; i < page->record_count; i++)
            if (page->records[i].first == i)
                put_group(page, &are, &why, i, named, to);
        (void)fputs("</table></div>\n", to);
        put_reasons(&why, to);
    }
    free(named);
    free(why.list);
}
