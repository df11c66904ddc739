/* Before and after: what several files measured of the same kernel on the same problem, in the order of the files. */
#include "page/page.h"
#include "base/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One kernel of one backend on one problem: of each file its record, or none. */
typedef struct track {
    size_t *records;    /* of each file; PLX_PAGE_NONE: it has none that was timed */
    size_t first, last; /* files */
    double ratio;       /* the first time over the last: above 1 it became faster */
    int verdict;        /* -1 slower, 0 level, 1 faster */
} track;

typedef struct history {
    track *tracks;
    size_t *cells; /* of all tracks */
    size_t count, gone, fresh;
} history;

static bool is_alike(const plx_page_record *a, const plx_page_record *b)
{
    return a->problem == b->problem && a->series == b->series && strcmp(a->is->kernel, b->is->kernel) == 0;
}

static void judge(plx_page *page, track *of)
{
    const plx_page_record *before = &page->records[of->records[of->first]],
                          *after = &page->records[of->records[of->last]];
    of->ratio = before->time / after->time;
    of->verdict = before->is->time.low_ns > after->is->time.high_ns   ? 1
                  : before->is->time.high_ns < after->is->time.low_ns ? -1
                                                                      : 0;
}

/* Of a record that is the first of its kind: all of its kind. */
static void follow(plx_page *page, size_t record, track *of)
{
    const plx_page_record *like = &page->records[record];
    of->first = of->last = like->file;
    for (size_t f = 0; f < page->file_count; f++)
        of->records[f] = PLX_PAGE_NONE;
    for (size_t i = record; i != PLX_PAGE_NONE; i = page->records[i].next_of_problem) {
        const plx_page_record *one = &page->records[i];
        if (!(one->time > 0) || !is_alike(one, like) || of->records[one->file] != PLX_PAGE_NONE)
            continue;
        of->records[one->file] = i;
        of->last = one->file;
    }
}

static bool opens(plx_page *page, size_t record)
{
    const plx_page_record *own = &page->records[record];
    for (size_t i = page->problems[own->problem].records; i != record; i = page->records[i].next_of_problem)
        if (page->records[i].time > 0 && is_alike(&page->records[i], own))
            return false;
    return own->time > 0;
}

static int by_ratio(const void *a, const void *b)
{
    const track *one = a, *other = b;
    if (one->verdict != other->verdict)
        return one->verdict < other->verdict ? -1 : one->verdict == 0 ? 1 : other->verdict == 0 ? -1 : 1;
    return (one->ratio > other->ratio) - (one->ratio < other->ratio);
}

static history history_of(plx_page *page)
{
    history all = {.tracks = plx_page_memory(page, page->record_count, sizeof *all.tracks)};
    all.cells = plx_page_memory(page, (page->record_count + 1) * page->file_count, sizeof *all.cells);
    for (size_t i = 0; all.tracks != NULL && all.cells != NULL && i < page->record_count; i++) {
        if (!opens(page, i))
            continue;
        track *of = &all.tracks[all.count];
        of->records = all.cells + all.count * page->file_count;
        follow(page, i, of);
        all.gone += of->last + 1 < page->file_count;
        all.fresh += of->first > 0 && of->first == of->last;
        if (of->first == of->last)
            continue;
        judge(page, of);
        all.count++;
    }
    if (all.count > 0)
        qsort(all.tracks, all.count, sizeof *all.tracks, by_ratio);
    return all;
}

/* ---- its courses ------------------------------------------------------------------------------- */

static size_t course_of(plx_page *page, const track *of, plx_page_course *courses, size_t *count)
{
    const plx_record *record = page->records[of->records[of->first]].is;
    char name[sizeof courses->name];
    size_t at = 0;
    (void)snprintf(name, sizeof name, "%s %s", plx_op_name(record->problem.op), plx_page_type(record));
    while (at < *count && strcmp(courses[at].name, name) != 0)
        at++;
    if (at == *count && *count < PLX_PAGE_COLOURS)
        memcpy(courses[(*count)++].name, name, sizeof name);
    return at;
}

static void add_track(plx_page *page, const track *of, plx_ratios *ratios)
{
    const double first = page->records[of->records[of->first]].time;
    for (size_t f = 0; f < page->file_count; f++)
        if (of->records[f] != PLX_PAGE_NONE)
            (void)plx_ratios_add(&ratios[f], first / page->records[of->records[f]].time);
}

static void finish_course(plx_page *page, plx_page_course *of, const plx_ratios *ratios)
{
    of->speeds = plx_page_memory(page, page->file_count, sizeof *of->speeds);
    for (size_t f = 0; of->speeds != NULL && f < page->file_count; f++)
        of->speeds[f] = ratios[f].count > 0 ? plx_ratios_mean(&ratios[f]) : 0;
}

void plx_page_courses_free(plx_page_course *courses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(courses[i].speeds);
    free(courses);
}

plx_page_course *plx_page_courses(plx_page *page, size_t *count)
{
    const history all = history_of(page);
    plx_page_course *courses = plx_page_memory(page, PLX_PAGE_COLOURS, sizeof *courses);
    plx_ratios *ratios = plx_page_memory(page, PLX_PAGE_COLOURS * page->file_count, sizeof *ratios);
    bool good = courses != NULL && ratios != NULL;
    *count = 0;
    for (size_t i = 0; good && i < all.count; i++) {
        size_t at = course_of(page, &all.tracks[i], courses, count);
        if (at < *count)
            add_track(page, &all.tracks[i], ratios + at * page->file_count);
    }
    for (size_t c = 0; good && c < *count; c++) {
        finish_course(page, &courses[c], ratios + c * page->file_count);
        good = courses[c].speeds != NULL;
    }
    free(all.tracks);
    free(all.cells);
    free(ratios);
    if (good && *count > 0)
        return courses;
    plx_page_courses_free(courses, courses != NULL ? *count : 0);
    *count = 0;
    return NULL;
}

/* ---- what is said ------------------------------------------------------------------------------ */

/* The first digits of a hash are enough to tell two of them apart. */
static void put_file_line(const plx_page_file *file, FILE *to)
{
    char hash[13];
    (void)snprintf(hash, sizeof hash, "%.12s", file->results.environment.kernels_hash);
    plx_page_put(to, "<li>%s <span class=\"soft\">%s%s%s</span></li>\n", file->path, file->results.environment.date,
                 hash[0] != '\0' ? ", kernels " : "", hash);
}

static void put_files(plx_page *page, FILE *to)
{
    (void)fputs("<ol>\n", to);
    for (size_t i = 0; i < page->file_count; i++)
        put_file_line(&page->files[i], to);
    (void)fputs("</ol>\n", to);
}

static void put_sentences(const history *all, FILE *to)
{
    size_t counts[3] = {0};
    plx_ratios ratios = {.count = 0};
    char mean[32];
    for (size_t i = 0; i < all->count; i++) {
        counts[all->tracks[i].verdict + 1]++;
        (void)plx_ratios_add(&ratios, all->tracks[i].ratio);
    }
    plx_page_ratio_text(plx_ratios_mean(&ratios), mean, sizeof mean);
    (void)fprintf(
        to,
        "<p>Of %zu kernels that were timed on the same problem in two files or more, from the first to the last "
        "<b class=\"%s\">%zu became slower</b> and <b class=\"%s\">%zu faster</b> beyond their 95 %% intervals; "
        "%zu stayed level. On the geometric mean the last is %s times as fast as the first.",
        all->count, counts[0] > 0 ? "bad" : "soft", counts[0], counts[2] > 0 ? "good" : "soft", counts[2], counts[1],
        mean);
    if (all->gone > 0)
        (void)fprintf(to, " %zu kernels of earlier files are not in the last.", all->gone);
    (void)fputs("</p>\n", to);
}

static void put_other_chips(plx_page *page, FILE *to)
{
    if (page->chip_count > 1)
        (void)fprintf(to, "<p class=\"soft\">The files are of %zu chips; only times of one chip are compared.</p>\n",
                      page->chip_count);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void put_row(plx_page *page, const track *of, FILE *to)
{
    const plx_page_record *last = &page->records[of->records[of->last]];
    char ratio[32];
    plx_page_ratio_text(of->ratio, ratio, sizeof ratio);
    (void)fprintf(to, "<tr class=\"op o%d\" id=\"r%zu\"><td class=\"w\">", (int)last->is->problem.op,
                  of->records[of->last]);
    plx_page_problem_text(to, &page->problems[last->problem]);
    (void)fputs("</td><td class=\"w\">", to);
    plx_page_series_mark(to, page, last->series);
    plx_page_put(to, " %s</td><td class=\"%s\">%s</td><td class=\"n\">%s</td>", last->is->kernel,
                 of->verdict < 0   ? "bad"
                 : of->verdict > 0 ? "good"
                                   : "soft",
                 of->verdict < 0   ? "slower"
                 : of->verdict > 0 ? "faster"
                                   : "level",
                 ratio);
    plx_page_ratio_bar(of->ratio, to);
    for (size_t f = 0; f < page->file_count; f++) {
        (void)fputs("<td class=\"n\">", to);
        if (of->records[f] != PLX_PAGE_NONE)
            plx_page_time(to, page->records[of->records[f]].time);
        (void)fputs("</td>", to);
    }
    (void)fputs("</tr>\n", to);
}

static void put_table(plx_page *page, const history *all, FILE *to)
{
    (void)fputs("<div class=\"box\"><table><thead><tr><th>problem</th><th>kernel</th><th></th>"
                "<th class=\"n\">times as fast</th><th>0 · 1 · 2</th>",
                to);
    for (size_t f = 0; f < page->file_count; f++)
        (void)fprintf(to, "<th class=\"n\">%sfile %zu</th>",
                      f == 0                      ? "before: "
                      : f + 1 == page->file_count ? "after: "
                                                  : "",
                      f + 1);
    (void)fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < all->count; i++)
        put_row(page, &all->tracks[i], to);
    (void)fputs("</tbody></table></div>\n", to);
}

void plx_page_history(plx_page *page, FILE *to)
{
    const history all = history_of(page);
    plx_page_figure chart;
    put_files(page, to);
    if (all.count > 0)
        put_sentences(&all, to);
    else
        (void)fputs("<p>No kernel was timed on the same problem in two of these files on one chip.</p>\n", to);
    put_other_chips(page, to);
    if (plx_page_history_figure(page, 0, &chart))
        plx_page_draw(page, &chart, to);
    if (all.count > 0)
        put_table(page, &all, to);
    free(all.tracks);
    free(all.cells);
}
