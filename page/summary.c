/* What was measured, on what, when, how much of it is right, and who is ahead where. */
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

/* ---- what, on what, when ------------------------------------------------------------ */

/* Of one model several may have been measured. */
static size_t count_uuids(plx_page *page, size_t chip)
{
    size_t count = 0;
    for (size_t i = 0; i < page->device_count; i++) {
        const plx_device_info *info = &page->devices[i].is->info;
        bool seen = !info->has_uuid || page->devices[i].chip != chip;
        for (size_t k = 0; k < i && !seen; k++)
            seen = page->devices[k].is->info.has_uuid &&
                   memcmp(page->devices[k].is->info.uuid, info->uuid, sizeof info->uuid) == 0;
        count += !seen;
    }
    return count;
}

static void put_chips(plx_page *page, FILE *to)
{
    (void)fputs("<ul>\n", to);
    for (size_t chip = 0; chip < page->chip_count; chip++) {
        plx_page_put(to, "<li>%s", plx_page_chip(page, chip));
        for (size_t i = 0; i < page->series_count; i++) {
            if (page->series[i].chip != chip)
                continue;
            (void)fputs(" ", to);
            plx_page_series_mark(to, page, i);
        }
        if (count_uuids(page, chip) > 1)
            (void)fprintf(to, " <span class=\"soft\">(%zu devices of this model)</span>", count_uuids(page, chip));
        (void)fputs("</li>\n", to);
    }
    (void)fputs("</ul>\n", to);
}

static void put_dates(plx_page *page, FILE *to)
{
    const char *first = "", *last = "";
    for (size_t i = 0; i < page->file_count; i++) {
        const char *date = page->files[i].results.environment.date;
        if (date[0] != '\0' && (first[0] == '\0' || strcmp(date, first) < 0))
            first = date;
        if (strcmp(date, last) > 0)
            last = date;
    }
    if (first[0] == '\0')
        return;
    if (strcmp(first, last) == 0)
        plx_page_put(to, ", measured on %s", first);
    else
        plx_page_put(to, ", measured from %s to %s", first, last);
}

/* "20 records: 18 ok, 2 wrong". */
static void put_counts(plx_page *page, FILE *to)
{
    size_t counts[PLX_OUTCOME_COUNT] = {0};
    const char *separator = ": ";
    for (size_t i = 0; i < page->record_count; i++)
        counts[page->records[i].is->outcome]++;
    (void)fprintf(to, "<p>%zu record%s", page->record_count, page->record_count == 1 ? "" : "s");
    for (int i = 0; i < PLX_OUTCOME_COUNT; i++) {
        if (counts[i] == 0)
            continue;
        (void)fprintf(to, "%s<span class=\"%s\">%zu %s</span>", separator, plx_page_outcome_class((plx_outcome)i),
                      counts[i], plx_outcome_name((plx_outcome)i));
        separator = ", ";
    }
    (void)fprintf(to, "; from %zu file%s", page->file_count, page->file_count == 1 ? "" : "s");
    put_dates(page, to);
    (void)fputs(".</p>\n", to);
}

static void put_unknown(plx_page *page, FILE *to)
{
    size_t unknown = 0;
    for (size_t i = 0; i < page->file_count; i++)
        unknown += page->files[i].results.unknown;
    if (unknown > 0)
        (void)fprintf(to,
                      "<p class=\"bad\">%zu record%s left out: of an operation, element type or outcome that "
                      "this version of parallax does not know.</p>\n",
                      unknown, unknown == 1 ? " is" : "s are");
}

static void put_repeats(plx_page *page, FILE *to)
{
    size_t older = 0;
    for (size_t i = 0; i < page->record_count; i++)
        older += !page->records[i].newest;
    if (page->copies > 0)
        (void)fprintf(to, "<p class=\"soft\">%zu file%s the same as another and counted once.</p>\n", page->copies,
                      page->copies == 1 ? " is" : "s are");
    if (page->others > 0)
        (void)fprintf(to, "<p class=\"soft\">%zu file%s no results (a list, a screen, a manifest) and left out.</p>\n",
                      page->others, page->others == 1 ? " holds" : "s hold");
    if (older > 0)
        (void)fprintf(to,
                      "<p class=\"soft\">%zu record%s in a newer file as well: plots show the newer, the table of "
                      "records both; every ratio is of two measurements of one run.</p>\n",
                      older, older == 1 ? " is" : "s are");
}

/* ---- who is ahead where --------------------------------------------------------------- */

/* The two fastest backends of a group; beyond their intervals, or level. */
typedef struct podium {
    const plx_page_record *first, *second;
} podium;

static podium podium_of(plx_page *page, const plx_page_record *like)
{
    podium made = {NULL, NULL};
    for (size_t s = 0; s < page->series_count; s++) {
        const plx_page_record *best = plx_page_fastest(page, like, s, false);
        if (best == NULL)
            continue;
        if (made.first == NULL || best->time < made.first->time) {
            made.second = made.first;
            made.first = best;
        } else if (made.second == NULL || best->time < made.second->time) {
            made.second = best;
        }
    }
    return made;
}

static bool is_ahead(const podium *two)
{
    return two->second != NULL && two->first->is->time.high_ns < two->second->is->time.low_ns;
}

/* The newest group of each problem of one kind speaks. */
static bool speaks(plx_page *page, size_t record, const plx_page_problem *kind)
{
    return page->records[record].newest && page->records[record].first == record &&
           plx_page_alike(&page->problems[page->records[record].problem], kind);
}

typedef struct standing {
    size_t problems, level, alone;
    size_t *wins; /* of each series */
    podium largest;
} standing;

static void add_group(plx_page *page, const plx_page_record *like, standing *now)
{
    podium two = podium_of(page, like);
    if (two.first == NULL)
        return;
    now->problems++;
    if (two.second == NULL)
        now->alone++;
    else if (is_ahead(&two))
        now->wins[two.first->series]++;
    else
        now->level++;
    if (now->largest.first == NULL ||
        page->problems[two.first->problem].size > page->problems[now->largest.first->problem].size)
        now->largest = two;
}

static void put_wins(plx_page *page, const standing *now, FILE *to)
{
    const char *separator = "";
    for (size_t s = 0; s < page->series_count; s++) {
        if (now->wins[s] == 0)
            continue;
        (void)fprintf(to, "%s<span class=\"w\">", separator);
        plx_page_series_mark(to, page, s);
        (void)fprintf(to, " %zu</span>", now->wins[s]);
        separator = ", ";
    }
    if (now->level > 0)
        (void)fprintf(to, "%slevel %zu", separator, now->level);
    if (now->alone > 0)
        (void)fprintf(to, "%salone %zu", now->level > 0 ? ", " : separator, now->alone);
}

static void put_largest(plx_page *page, const podium *two, FILE *to)
{
    char rate[48], ratio[32];
    bool flops = plx_page_in_flops(page, two->first->problem);
    plx_page_rate_text(plx_page_rate(two->first, flops), flops, rate, sizeof rate);
    plx_page_put(to, "<td class=\"w\">%s</td><td class=\"w\">", page->problems[two->first->problem].shape);
    plx_page_series_mark(to, page, two->first->series);
    plx_page_put(to, " %s</td><td class=\"n\">%s</td><td class=\"w\">", two->first->is->kernel, rate);
    if (two->second != NULL) {
        plx_page_ratio_text(two->second->time / two->first->time, ratio, sizeof ratio);
        plx_page_series_mark(to, page, two->second->series);
        (void)fprintf(to, " %s", ratio);
    }
    (void)fputs("</td>", to);
}

static void put_kind(plx_page *page, const plx_page_problem *kind, standing *now, FILE *to)
{
    for (size_t i = 0; i < page->record_count; i++)
        if (speaks(page, i, kind))
            add_group(page, &page->records[i], now);
    if (now->problems == 0)
        return;
    plx_page_put(to, "<tr class=\"op o%zu\"><td class=\"w\">%s %s %s</td><td>", (size_t)kind->first->problem.op,
                 kind->op, kind->dtype, kind->form);
    put_wins(page, now, to);
    (void)fprintf(to, "</td><td class=\"n\">%zu</td>", now->problems);
    put_largest(page, &now->largest, to);
    (void)fputs("</tr>\n", to);
}

static bool anything_timed(plx_page *page)
{
    for (size_t i = 0; i < page->record_count; i++)
        if (page->records[i].time > 0)
            return true;
    return false;
}

static void put_ahead(plx_page *page, FILE *to)
{
    if (!anything_timed(page))
        return;
    (void)fputs(
        "<h3 id=\"leaders\">Who is ahead where</h3>\n<p class=\"soft\">In how many problems a backend is the fastest "
        "beyond the 95 % intervals; level where they meet; alone where nobody else was timed. “Next” says how many "
        "times as long the second fastest backend needs for the "
        "largest problem.</p>\n"
        "<div class=\"box\"><table><thead><tr><th>operation</th><th>fastest in</th>"
        "<th class=\"n\">problems</th><th>largest problem</th><th>fastest there</th><th class=\"n\">rate</th>"
        "<th>next</th></tr></thead>\n<tbody>\n",
        to);
    for (size_t i = 0; i < page->problem_count; i++) {
        if (!plx_page_opens_kind(page, i))
            continue;
        standing now = {.wins = plx_page_memory(page, page->series_count, sizeof *now.wins)};
        if (now.wins != NULL)
            put_kind(page, &page->problems[i], &now, to);
        free(now.wins);
    }
    (void)fputs("</tbody></table></div>\n", to);
}

void plx_page_summary(plx_page *page, FILE *to)
{
    if (page->record_count == 0)
        return;
    put_counts(page, to);
    put_chips(page, to);
    put_unknown(page, to);
    put_repeats(page, to);
    put_ahead(page, to);
}
