/* Our best kernel against what a user would call instead, in the same run, on the same
 * chip and the same bytes: the best of the libraries' ways, then each of them. */
#include "page/page.h"
#include "base/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- geometric means -------------------------------------------------------------------- */

/* Of our kernels of one series, in problems of one kind, against one way of a library, or the best of all. */
typedef struct mean {
    const plx_page_record *own, *peer; /* of the first problem */
    bool best, several;                /* several: the best is not always of one library */
    plx_ratios of;
    size_t worst; /* the problem with the least ratio */
} mean;

typedef struct means {
    mean *list;
    size_t count, room;
} means;

static bool is_of(plx_page *page, const mean *one, const plx_page_record *own, const plx_page_record *peer, bool best)
{
    return one->best == best && one->own->series == own->series &&
           plx_page_alike(&page->problems[one->peer->problem], &page->problems[peer->problem]) &&
           (best || (one->peer->series == peer->series && strcmp(one->peer->is->kernel, peer->is->kernel) == 0));
}

/* Room for one more. */
static bool grow(plx_page *page, means *all)
{
    if (all->count < all->room)
        return true;
    size_t room = 2 * all->room + 16;
    mean *list = plx_page_memory(page, room, sizeof *list);
    if (list == NULL)
        return false;
    if (all->count > 0)
        memcpy(list, all->list, all->count * sizeof *list);
    free(all->list);
    all->list = list;
    all->room = room;
    return true;
}

static void add(plx_page *page, means *all, const plx_page_record *own, const plx_page_record *peer, bool best)
{
    size_t at = 0;
    while (at < all->count && !is_of(page, &all->list[at], own, peer, best))
        at++;
    if (at == all->count && !grow(page, all))
        return;
    if (at == all->count)
        all->list[all->count++] = (mean){.own = own, .peer = peer, .best = best};
    all->list[at].several = all->list[at].several || all->list[at].peer->series != peer->series;
    if (plx_ratios_add(&all->list[at].of, peer->time / own->time))
        all->list[at].worst = own->problem;
}

/* Every way of the libraries on the chip of ours. */
static void add_ways(plx_page *page, means *all, const plx_page_duel *duel)
{
    for (size_t i = duel->own->first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *peer = &page->records[i];
        if (peer->vendor && peer->time > 0 && peer->newest &&
            page->series[peer->series].chip == page->series[duel->own->series].chip)
            add(page, all, duel->own, peer, false);
    }
}

/* The list is malloc'ed. */
static means means_of(plx_page *page)
{
    means all = {.count = 0};
    plx_page_duel duel;
    for (size_t i = 0; i < page->record_count; i++)
        for (size_t s = 0; s < page->series_count; s++)
            if (plx_page_duel_of(page, i, s, &duel)) {
                add(page, &all, duel.own, duel.peer, true);
                add_ways(page, &all, &duel);
            }
    return all;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The ends of cells are left out, as HTML allows. */
static void put_row(FILE *to, plx_page *page, const mean *one)
{
    const plx_page_problem *problem = &page->problems[one->peer->problem];
    char least[32], most[32], ratio[32];
    plx_page_ratio_text(plx_ratios_mean(&one->of), ratio, sizeof ratio);
    plx_page_ratio_text(one->of.least, least, sizeof least);
    plx_page_ratio_text(one->of.most, most, sizeof most);
    plx_page_put(to, "<tr class=\"op o%zu\"><td class=w>%s %s %s<td>", (size_t)problem->first->problem.op, problem->op,
                 problem->dtype, problem->form);
    plx_page_series_mark(to, page, one->own->series);
    plx_page_put(to, "<td class=n>%s<td class=n><a href=#p%zu>%s</a> to %s", ratio, one->worst, least, most);
    plx_page_ratio_bar(plx_ratios_mean(&one->of), to);
    (void)fputs("<td class=w>", to);
    if (!one->several)
        plx_page_series_mark(to, page, one->peer->series);
    plx_page_put(to, " %s<td class=n>%zu<td class=n>%zu\n",
                 one->several ? "best of several libraries"
                 : one->best  ? "best of its ways"
                              : one->peer->is->kernel,
                 one->of.count, one->of.ahead);
}

static void put_means(plx_page *page, const means *all, bool best, FILE *to)
{
    (void)fputs("<div class=\"box\"><table><thead><tr><th>operation</th><th>ours</th><th class=\"n\">mean</th>"
                "<th class=\"n\">least to most</th><th>0 · 1 · 2</th><th>library</th><th class=\"n\">problems</th>"
                "<th class=\"n\">not slower</th></tr></thead>\n<tbody>\n",
                to);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].best == best)
            put_row(to, page, &all->list[i]);
    (void)fputs("</tbody></table></div>\n", to);
}

/* ---- where a library is faster ----------------------------------------------------------------- */

enum { MOST_BEHIND = 20 };

/* Operations, then element types, then forms, in the order of their first problems. */
static int by_kind(const void *a, const void *b)
{
    const mean *one = a, *other = b;
    const plx_problem *x = &one->own->is->problem, *y = &other->own->is->problem;
    if (x->op != y->op)
        return x->op > y->op ? -1 : 1;
    if (x->dtype != y->dtype)
        return x->dtype < y->dtype ? -1 : 1;
    return one->own < other->own ? -1 : one->own > other->own;
}

static int by_ratio(const void *a, const void *b)
{
    const plx_page_duel *one = a, *other = b;
    return (one->ratio > other->ratio) - (one->ratio < other->ratio);
}

static void put_behind_row(plx_page *page, const plx_page_duel *duel, FILE *to)
{
    const plx_page_record *const records[] = {duel->own, duel->peer};
    char ratio[32];
    plx_page_ratio_text(duel->ratio, ratio, sizeof ratio);
    plx_page_put(to, "<tr class=\"op o%zu\"><td class=\"w\"><a href=\"#p%zu\">", (size_t)duel->own->is->problem.op,
                 duel->own->problem);
    plx_page_problem_text(to, &page->problems[duel->own->problem]);
    plx_page_put(to, "</a></td><td class=\"n\">%s</td>", ratio);
    for (size_t i = 0; i < 2; i++) {
        (void)fputs("<td class=\"w\">", to);
        plx_page_series_mark(to, page, records[i]->series);
        plx_page_put(to, " %s</td><td class=\"n\">", records[i]->is->kernel);
        plx_page_time(to, records[i]->time);
        (void)fputs("</td>", to);
    }
    (void)fputs("</tr>\n", to);
}

/* The answer's: launches that overlap are timed as something else. */
static void put_behind(plx_page *page, FILE *to)
{
    plx_page_duel *duels = plx_page_memory(page, page->record_count, sizeof *duels);
    size_t count = 0;
    for (size_t i = 0; duels != NULL && i < page->record_count; i++)
        if (plx_page_duel_of(page, i, PLX_PAGE_NONE, &duels[count]) && duels[count].high < 1 &&
            duels[count].own->is->time.queues <= 1)
            count++;
    if (count > 0) {
        qsort(duels, count, sizeof *duels, by_ratio);
        (void)fprintf(to,
                      "<details><summary>Where the library is faster beyond the intervals: %zu problem%s%s</summary>\n"
                      "<div class=\"box\"><table><thead><tr><th>problem</th><th class=\"n\">our speed over the "
                      "library’s</th><th>ours</th><th class=\"n\">time</th><th>library</th><th class=\"n\">time</th>"
                      "</tr></thead>\n<tbody>\n",
                      count, count == 1 ? "" : "s", count > MOST_BEHIND ? ", the first twenty" : "");
        for (size_t i = 0; i < count && i < MOST_BEHIND; i++)
            put_behind_row(page, &duels[i], to);
        (void)fputs("</tbody></table></div></details>\n", to);
    }
    free(duels);
}

void plx_page_peers(plx_page *page, FILE *to)
{
    const means all = means_of(page);
    if (all.count > 0) {
        qsort(all.list, all.count, sizeof *all.list, by_kind);
        (void)fputs(
            "<p>Our speed as a multiple of the library’s, on the same chip, in the same run, of the same bytes: "
            "above 1 ours is faster; over several problems the geometric mean. The times of each problem are "
            "in <a href=\"#records\">all records</a>.</p>\n",
            to);
        put_means(page, &all, true, to);
        put_behind(page, to);
        (void)fputs("<details><summary>Each way of the libraries by itself</summary>\n", to);
        put_means(page, &all, false, to);
        (void)fputs("</details>\n", to);
    }
    free(all.list);
}
