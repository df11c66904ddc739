/* Our best kernel against what a user would call instead, in the same run, on the same
 * chip and the same bytes. */
#include "page/page.h"
#include "base/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct match {
    const plx_page_record *own, *peer;
    double ratio, low, high; /* the peer's time over ours */
} match;

static match match_of(const plx_page_record *own, const plx_page_record *peer)
{
    return (match){
        .own = own,
        .peer = peer,
        .ratio = peer->time / own->time,
        .low = peer->is->time.low_ns / own->is->time.high_ns,
        .high = peer->is->time.high_ns / own->is->time.low_ns,
    };
}

/* Match number `index` of a peer: ours on one backend of its chip; false: none. */
static bool find_match(plx_page *page, const plx_page_record *peer, size_t series, match *found)
{
    if (!peer->vendor || !(peer->time > 0) || !peer->newest ||
        page->series[series].chip != page->series[peer->series].chip)
        return false;
    const plx_page_record *own = plx_page_fastest(page, peer, series, true);
    if (own == NULL)
        return false;
    *found = match_of(own, peer);
    return true;
}

/* ---- geometric means -------------------------------------------------------------------- */

/* Of all matches of a peer with our kernels of one series, in problems of one kind. */
typedef struct mean {
    const plx_page_record *peer; /* of the first of them */
    size_t series;
    plx_ratios of;
} mean;

static bool is_of(plx_page *page, const mean *one, const plx_page_record *peer, size_t series)
{
    return one->series == series && one->peer->series == peer->series &&
           plx_page_alike(&page->problems[one->peer->problem], &page->problems[peer->problem]) &&
           strcmp(one->peer->is->kernel, peer->is->kernel) == 0;
}

static void add_match(plx_page *page, mean *means, size_t *count, const match *found)
{
    size_t at = 0;
    while (at < *count && !is_of(page, &means[at], found->peer, found->own->series))
        at++;
    if (at == *count)
        means[(*count)++] = (mean){.peer = found->peer, .series = found->own->series};
    (void)plx_ratios_add(&means[at].of, found->ratio);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The middle is 1, the ends are 1/4 and 4; further out is the end. */
static void put_ratio_bar(FILE *to, double ratio, size_t colour)
{
    double length = fmin(fabs(log(ratio)) / log(4.0), 1.0) * 50;
    (void)fprintf(to,
                  "<span class=\"track ratio c%zu\"><span class=\"bar\" "
                  "style=\"left:%.1f%%;width:%.1f%%\"></span></span>",
                  colour, ratio < 1 ? 50 - length : 50, length);
}

static const char *verdict_of(const match *of)
{
    return of->low > 1 ? "ahead" : of->high < 1 ? "behind" : "level";
}

static void put_who(FILE *to, plx_page *page, const plx_page_record *one)
{
    (void)fputs("<td class=\"w\">", to);
    plx_page_series_mark(to, page, one->series);
    plx_page_put(to, " %s</td>", one->is->kernel);
}

static void put_time_cell(FILE *to, double time)
{
    (void)fputs("<td class=\"n\">", to);
    plx_page_time(to, time);
    (void)fputs("</td>", to);
}

/* A number, and where it lies around 1. */
static void put_ratio_cells(FILE *to, plx_page *page, double ratio, size_t series)
{
    plx_page_number_cell(to, ratio, 3);
    (void)fputs("<td>", to);
    put_ratio_bar(to, ratio, page->series[series].colour);
    (void)fputs("</td>", to);
}

static void put_match(FILE *to, plx_page *page, const match *of)
{
    (void)fputs("<tr><td class=\"w\">", to);
    plx_page_problem_text(to, &page->problems[of->own->problem]);
    (void)fputs("</td>", to);
    put_ratio_cells(to, page, of->ratio, of->own->series);
    (void)fprintf(to, "<td class=\"%s\">%s</td>", of->low > 1 ? "good" : of->high < 1 ? "bad" : "soft", verdict_of(of));
    put_who(to, page, of->own);
    put_time_cell(to, of->own->time);
    put_who(to, page, of->peer);
    put_time_cell(to, of->peer->time);
    (void)fputs("</tr>\n", to);
}

static void put_mean(FILE *to, plx_page *page, const mean *one)
{
    const plx_ratios *of = &one->of;
    const plx_page_problem *problem = &page->problems[one->peer->problem];
    char least[32], most[32];
    plx_page_put(to, "<tr><td class=\"w\">%s %s %s</td>", problem->op, problem->dtype, problem->form);
    put_ratio_cells(to, page, plx_ratios_mean(of), one->series);
    (void)fputs("<td>", to);
    plx_page_series_mark(to, page, one->series);
    (void)fputs("</td>", to);
    put_who(to, page, one->peer);
    plx_number_text(of->least, 3, least, sizeof least);
    plx_number_text(of->most, 3, most, sizeof most);
    (void)fprintf(to, "<td class=\"n\">%zu</td><td class=\"n\">%s to %s</td><td class=\"n\">%.0f %%</td></tr>\n",
                  of->count, least, most, 100.0 * (double)of->ahead / (double)of->count);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static size_t count_matches(plx_page *page)
{
    size_t count = 0;
    match found;
    for (size_t i = 0; i < page->record_count; i++)
        for (size_t s = 0; s < page->series_count; s++)
            count += find_match(page, &page->records[i], s, &found);
    return count;
}

static void put_means(plx_page *page, size_t matches, FILE *to)
{
    size_t count = 0;
    match found;
    mean *means = plx_page_memory(page, matches, sizeof *means);
    for (size_t i = 0; means != NULL && i < page->record_count; i++)
        for (size_t s = 0; s < page->series_count; s++)
            if (find_match(page, &page->records[i], s, &found))
                add_match(page, means, &count, &found);
    (void)fputs("<div class=\"box\"><table><thead><tr><th>operation</th>"
                "<th class=\"n\">mean</th><th>¼ · 1 · 4</th><th>ours</th><th>peer</th>"
                "<th class=\"n\">problems</th><th class=\"n\">from, to</th><th class=\"n\">≥ "
                "1</th></tr></thead>\n<tbody>\n",
                to);
    for (size_t i = 0; i < count; i++)
        put_mean(to, page, &means[i]);
    (void)fputs("</tbody></table></div>\n", to);
    free(means);
}

static void put_matches(plx_page *page, size_t count, FILE *to)
{
    match found;
    (void)fprintf(to,
                  "<details%s><summary>Problem by problem (%zu)</summary>\n"
                  "<div class=\"box\"><table><thead><tr><th>problem</th><th class=\"n\">ratio</th>"
                  "<th>¼ · 1 · 4</th><th></th><th>ours</th><th class=\"n\">time</th><th>peer</th>"
                  "<th class=\"n\">time</th></tr></thead>\n<tbody>\n",
                  count <= 40 ? " open" : "", count);
    for (size_t i = 0; i < page->record_count; i++)
        for (size_t s = 0; s < page->series_count; s++)
            if (find_match(page, &page->records[i], s, &found))
                put_match(to, page, &found);
    (void)fputs("</tbody></table></div></details>\n", to);
}

void plx_page_peers(plx_page *page, FILE *to)
{
    size_t count = count_matches(page);
    plx_page_section(to, "peers", "Against the vendors' libraries");
    if (count == 0) {
        (void)fputs("<p>No library of a vendor was timed in these runs together with a kernel of ours on its "
                    "chip.</p>\n",
                    to);
    } else {
        (void)fputs("<p>The peer's time over that of our best kernel, on the same chip, in the same run: above 1 "
                    "ours is faster; over several problems the geometric mean. “Level” means that the 95 % "
                    "intervals leave it open.</p>\n",
                    to);
        put_means(page, count, to);
        put_matches(page, count, to);
    }
    (void)fputs("</section>\n", to);
}
