/* Leave-one-out as a table in Markdown: for each kernel of one backend, how much longer the problems of some files
 * would take if it was not there, and all others were chosen right.  A kernel stays if that is more than 1 % in the
 * mean, or more than a tenth for more than 2 % of the problems. */
#include "page/page.h"
#include "base/ratios.h"

#include <stdlib.h>
#include <string.h>

/* The rule (doc/performance.md); `tune --set` has the same. */
static const double mean_from = 1.01, lost_from = 1.1;
enum { LOST_ONE_IN = 50 };

typedef struct row {
    size_t series;
    const plx_record *like; /* operation, type and kernel */
    size_t fastest, lost, alone;
    plx_ratios of; /* the least time of the others over the least of all */
} row;

typedef struct rows {
    row *list;
    size_t count;
} rows;

/* ---- what belongs to one row -------------------------------------------------------------------- */

/* A configuration, "split-k:64x64/4", is its kernel's. */
static bool same_kernel(const plx_record *a, const plx_record *b)
{
    const size_t length = strcspn(a->kernel, ":");
    return length == strcspn(b->kernel, ":") && strncmp(a->kernel, b->kernel, length) == 0;
}

static bool same_type(const plx_record *a, const plx_record *b)
{
    return a->problem.op == b->problem.op && strcmp(plx_page_type(a), plx_page_type(b)) == 0;
}

static bool takes_part(const plx_page_record *one)
{
    return one->time > 0 && !one->vendor && !one->baseline && one->is->time.queues <= 1;
}

static void add_row(rows *all, const plx_page_record *one)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].series == one->series && same_type(all->list[i].like, one->is) &&
            same_kernel(all->list[i].like, one->is))
            return;
    all->list[all->count++] = (row){.series = one->series, .like = one->is};
}

/* ---- one problem ---------------------------------------------------------------------------------- */

/* The fastest of a group on a series; without a kernel: that of `but`, unless it is NULL. */
static const plx_page_record *fastest(plx_page *page, size_t first, size_t series, const plx_record *but)
{
    const plx_page_record *best = NULL;
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *one = &page->records[i];
        if (takes_part(one) && one->series == series && (but == NULL || !same_kernel(one->is, but)) &&
            (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

static void leave_out(row *left, const plx_page_record *best, const plx_page_record *other)
{
    const bool is_best = same_kernel(left->like, best->is);
    const double ratio = is_best && other != NULL ? other->time / best->time : 1.0;
    left->fastest += is_best;
    if (is_best && other == NULL)
        left->alone++;
    else
        (void)plx_ratios_add(&left->of, ratio);
    left->lost += ratio > lost_from;
}

static void add_problem(plx_page *page, rows *all, size_t first, size_t series)
{
    const plx_page_record *best = fastest(page, first, series, NULL);
    const plx_page_record *other = best != NULL ? fastest(page, first, series, best->is) : NULL;
    for (size_t i = 0; best != NULL && i < all->count; i++)
        if (all->list[i].series == series && same_type(all->list[i].like, best->is))
            leave_out(&all->list[i], best, other);
}

/* ---- the table ------------------------------------------------------------------------------------ */

static bool stays(const row *of)
{
    return plx_ratios_mean(&of->of) > mean_from || LOST_ONE_IN * (of->lost + of->alone) > of->of.count + of->alone;
}

static void put_row(FILE *to, plx_page *page, const row *of)
{
    const char *label = page->series[of->series].label;
    (void)fprintf(to, "| %s %s | %.*s | %.*s | %zu of %zu | %.3f | %.2f | %zu | %zu | %s |\n",
                  plx_op_name(of->like->problem.op), plx_page_type(of->like), (int)strcspn(label, ":"), label,
                  (int)strcspn(of->like->kernel, ":"), of->like->kernel, of->fastest, of->of.count + of->alone,
                  plx_ratios_mean(&of->of), of->of.count > 0 ? of->of.most : 1.0, of->lost, of->alone,
                  stays(of) ? "stays" : "could go");
}

static void put_rows(FILE *to, plx_page *page, const rows *all)
{
    (void)fprintf(to,
                  "**Each kernel left out** on %s: the least time of the other kernels over the least of all; it stays "
                  "where that is above 1.01 as a geometric mean, or above 1.1 for more than 2 %% of the problems (",
                  plx_page_chip(page, page->series[all->list[0].series].chip));
    for (size_t i = 0; i < page->file_count; i++)
        (void)fprintf(to, "%s%s", i > 0 ? ", " : "", page->files[i].name);
    (void)fputs(
        ")\n\n| operation | backend | kernel | fastest in | without it: mean | most | above 1.1 | no other | |\n"
        "|---|---|---|--:|--:|--:|--:|--:|---|\n",
        to);
    for (size_t i = 0; i < all->count; i++)
        put_row(to, page, &all->list[i]);
}

size_t plx_page_without_table(plx_page *page, FILE *to)
{
    rows all = {.list = plx_page_memory(page, page->record_count, sizeof *all.list)};
    for (size_t i = 0; all.list != NULL && i < page->record_count; i++)
        if (takes_part(&page->records[i]))
            add_row(&all, &page->records[i]);
    for (size_t i = 0; all.count > 0 && i < page->record_count; i++)
        for (size_t s = 0; page->records[i].first == i && s < page->series_count; s++)
            add_problem(page, &all, i, s);
    if (all.count > 0)
        put_rows(to, page, &all);
    free(all.list);
    return all.count;
}
