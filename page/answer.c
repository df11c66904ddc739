/* The answer on top: what is wrong, three sentences, and how fast ours is beside the vendors' libraries. */
#include "page/page.h"
#include "base/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ours over the best of the vendors' ways, by operation and type -------------------------- */

/* All duels of one operation and type on one chip. */
typedef struct standing {
    const plx_page_record *of; /* ours, of the first */
    size_t chip, slower;
    plx_ratios ratios;
    size_t worst; /* the record that begins the group with the least ratio */
} standing;

typedef struct standings {
    standing *list;
    size_t count;
} standings;

static bool is_of(plx_page *page, const standing *one, const plx_page_duel *duel)
{
    return one->of->is->problem.op == duel->own->is->problem.op && one->chip == page->series[duel->own->series].chip &&
           strcmp(plx_page_type(one->of->is), plx_page_type(duel->own->is)) == 0;
}

static void add_duel(plx_page *page, standings *all, size_t record, const plx_page_duel *duel)
{
    size_t at = 0;
    while (at < all->count && !is_of(page, &all->list[at], duel))
        at++;
    if (at == all->count)
        all->list[all->count++] =
            (standing){.of = duel->own, .chip = page->series[duel->own->series].chip, .worst = record};
    if (plx_ratios_add(&all->list[at].ratios, duel->ratio))
        all->list[at].worst = record;
    all->list[at].slower += duel->high < 1;
}

static int by_chip_and_name(const void *a, const void *b)
{
    const standing *one = a, *other = b;
    if (one->chip != other->chip)
        return one->chip < other->chip ? -1 : 1;
    if (one->of->is->problem.op != other->of->is->problem.op)
        return one->of->is->problem.op > other->of->is->problem.op ? -1 : 1;
    return strcmp(plx_page_type(one->of->is), plx_page_type(other->of->is));
}

/* Launches in one queue: those that overlap are timed as something else.  The list is malloc'ed. */
static standings standings_of(plx_page *page)
{
    standings all = {.list = plx_page_memory(page, page->record_count, sizeof *all.list)};
    plx_page_duel duel;
    for (size_t i = 0; all.list != NULL && i < page->record_count; i++)
        if (plx_page_duel_of(page, i, PLX_PAGE_NONE, &duel) && duel.own->is->time.queues <= 1)
            add_duel(page, &all, i, &duel);
    if (all.count > 0)
        qsort(all.list, all.count, sizeof *all.list, by_chip_and_name);
    return all;
}

/* ---- the chart ---------------------------------------------------------------------------------- */

enum { ROW = 26, NAMES = 104, NUMBERS = 118, COUNTS = 66 };

static double longest(const standings *all)
{
    double most = 1.5;
    for (size_t i = 0; i < all->count; i++)
        most = fmax(most, 1.15 * plx_ratios_mean(&all->list[i].ratios));
    return fmin(most, 20);
}

static void standing_text(plx_page *page, const standing *one, char *text, size_t capacity)
{
    char mean[24], least[24], most[24];
    plx_page_ratio_text(plx_ratios_mean(&one->ratios), mean, sizeof mean);
    plx_page_ratio_text(one->ratios.least, least, sizeof least);
    plx_page_ratio_text(one->ratios.most, most, sizeof most);
    (void)snprintf(text, capacity,
                   "%s %s: %s times as fast as the best of the library's ways, from %s (%s) to %s, %zu %s",
                   plx_op_name(one->of->is->problem.op), plx_page_type(one->of->is), mean, least,
                   page->problems[page->records[one->worst].problem].shape, most, one->ratios.count,
                   one->ratios.count == 1 ? "problem" : "problems");
}

/* From the least to the most; an arrow's head where the most lies outside. */
static void put_whisker(plx_pen *pen, const plx_axis *x, double y, const standing *one)
{
    double low = plx_axis_at(x, fmin(one->ratios.least, x->high)),
           high = plx_axis_at(x, fmin(one->ratios.most, x->high));
    plx_pen_line(pen, low, y, high, y, PLX_INK, false);
    plx_pen_line(pen, low, y - 4, low, y + 4, PLX_INK, false);
    if (one->ratios.most <= x->high) {
        plx_pen_line(pen, high, y - 4, high, y + 4, PLX_INK, false);
        return;
    }
    const plx_spot head[] = {{high - 4, y - 4}, {high, y}, {high - 4, y + 4}};
    plx_pen_path(pen, head, 3, PLX_INK, false);
}

static void put_row(plx_page *page, plx_pen *pen, const plx_axis *x, double y, const standing *one)
{
    static const plx_lettering name = {.size = PLX_LETTERS, .ink = PLX_INK},
                               number = {.size = PLX_LETTERS, .side = PLX_RIGHT, .ink = PLX_INK, .bold = true},
                               count = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    char words[64], text[400];
    double mean = plx_ratios_mean(&one->ratios);
    (void)snprintf(text, sizeof text, "%s %s", plx_op_name(one->of->is->problem.op), plx_page_type(one->of->is));
    plx_pen_fit(text, NAMES - 8, PLX_LETTERS, words, sizeof words);
    plx_pen_text(pen, 4, y + 17, &name, words);
    standing_text(page, one, text, sizeof text);
    plx_pen_bar(pen, x->from, y + 5, plx_axis_at(x, fmin(mean, x->high)) - x->from, ROW - 10, mean < 1 ? PLX_BAD : 0,
                text);
    put_whisker(pen, x, y + ROW / 2.0, one);
    plx_page_ratio_text(mean, words, sizeof words);
    plx_pen_text(pen, pen->width - COUNTS, y + 17, &number, words);
    (void)snprintf(words, sizeof words, "%zu", one->ratios.count);
    plx_pen_text(pen, pen->width - 4, y + 17, &count, words);
}

static void ratio_tic(double number, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%g", fabs(number) < 1e-12 ? 0 : number);
}

static double put_heads(plx_pen *pen, double y)
{
    static const plx_lettering soft = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT},
                               left = {.size = PLX_SMALL, .ink = PLX_SOFT};
    plx_pen_text(pen, NAMES, y + 14, &left, "bar: mean, line: least to most");
    plx_pen_text(pen, pen->width - COUNTS, y + 14, &soft, "mean");
    plx_pen_text(pen, pen->width - 4, y + 14, &soft, "problems");
    return y + 20;
}

static bool several_chips(const standings *all)
{
    return all->count > 0 && all->list[0].chip != all->list[all->count - 1].chip;
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    static const plx_lettering head = {.size = PLX_LETTERS, .ink = PLX_INK, .bold = true};
    const standings all = standings_of(page);
    const plx_axis x = {.low = 0, .high = longest(&all), .from = NAMES, .to = pen->width - NUMBERS};
    double y = put_heads(pen, pen->top);
    const double top = y;
    (void)figure;
    for (size_t i = 0; i < all.count; i++, y += ROW) {
        if (several_chips(&all) && (i == 0 || all.list[i].chip != all.list[i - 1].chip)) {
            char chip[96];
            plx_pen_fit(plx_page_chip(page, all.list[i].chip), pen->width - 8, PLX_LETTERS, chip, sizeof chip);
            plx_pen_text(pen, 4, y + 17, &head, chip);
            y += ROW;
        }
        put_row(page, pen, &x, y, &all.list[i]);
    }
    double one = plx_axis_at(&x, 1);
    plx_pen_line(pen, one, top - 2, one, y, PLX_BAD, true);
    plx_pen_widths(pen, &x, y, "times as fast as the best of the library's ways", ratio_tic);
    pen->height = y + 40;
    free(all.list);
}

bool plx_page_answer_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    const standings all = standings_of(page);
    if (all.count > 0 && index == 0) {
        const bool one = !several_chips(&all);
        *figure = (plx_page_figure){.kind = "answer", .name = "answer", .draw = draw};
        (void)snprintf(figure->title, sizeof figure->title, "Our speed over the best of the vendor's library%s%.150s",
                       one ? " on " : "", one ? plx_page_chip(page, all.list[0].chip) : "");
    }
    const bool there = all.count > 0 && index == 0;
    free(all.list);
    return there;
}

/* ---- what is wrong ------------------------------------------------------------------------------------ */

enum { MOST_FAULTS = 12 };

static bool is_fault(const plx_page_record *one)
{
    return one->is->outcome == PLX_OUTCOME_WRONG || one->is->outcome == PLX_OUTCOME_FAILED;
}

static void put_fault(plx_page *page, size_t record, FILE *to)
{
    const plx_page_record *one = &page->records[record];
    plx_page_put(to, "<li><a href=\"#r%zu\">%s %s</a>", record, page->series[one->series].shown, one->is->kernel);
    plx_page_put(to, "%s is <b class=\"bad\">%s</b> in ", one->vendor ? ", a vendor’s library," : "",
                 plx_outcome_name(one->is->outcome));
    plx_page_problem_text(to, &page->problems[one->problem]);
    plx_page_put(to, "%s%s</li>\n", one->is->reason[0] != '\0' ? ": " : "", one->is->reason);
}

static void put_dispute(plx_page *page, const plx_page_file *file, const plx_pair *pair, FILE *to)
{
    const size_t records[] = {file->first_record + pair->first, file->first_record + pair->second};
    (void)fputs("<li>", to);
    for (size_t i = 0; i < 2; i++) {
        const plx_page_record *one = &page->records[records[i]];
        plx_page_put(to, "%s<a href=\"#r%zu\">%s %s</a>", i > 0 ? " and " : "", records[i],
                     page->series[one->series].shown, one->is->kernel);
    }
    (void)fputs(" <b class=\"bad\">disagree</b> in ", to);
    plx_page_problem_text(to, &page->problems[page->records[records[0]].problem]);
    (void)fputs("</li>\n", to);
}

static void open_list(FILE *to, size_t count)
{
    if (count == 0)
        (void)fputs("<div class=\"fault\"><h3>What is wrong</h3>\n<ul>\n", to);
}

/* How many there are: our own before the libraries', then pairs that disagree. */
static size_t put_faults(plx_page *page, FILE *to)
{
    size_t count = 0;
    for (int vendor = 0; vendor < 2; vendor++)
        for (size_t i = 0; i < page->record_count; i++) {
            if (!is_fault(&page->records[i]) || page->records[i].vendor != (vendor == 1))
                continue;
            open_list(to, count);
            if (count++ < MOST_FAULTS)
                put_fault(page, i, to);
        }
    for (size_t f = 0; f < page->file_count; f++)
        for (size_t i = 0; i < page->files[f].results.pair_count; i++) {
            const plx_pair *pair = &page->files[f].results.pairs[i];
            if (!pair->compared || pair->agree || is_fault(&page->records[page->files[f].first_record + pair->first]) ||
                is_fault(&page->records[page->files[f].first_record + pair->second]))
                continue;
            open_list(to, count);
            if (count++ < MOST_FAULTS)
                put_dispute(page, &page->files[f], pair, to);
        }
    if (count > MOST_FAULTS)
        (void)fprintf(to, "<li>and %zu more, in <a href=\"#records\">all records</a></li>\n", count - MOST_FAULTS);
    if (count > 0)
        (void)fputs("</ul></div>\n", to);
    return count;
}

/* ---- three sentences ------------------------------------------------------------------------------------- */

/* "gemm, matvec and reduce": the operations, each once. */
static void put_operations(plx_page *page, FILE *to)
{
    bool seen[64] = {false};
    size_t left = 0;
    for (size_t i = 0; i < page->problem_count; i++) {
        size_t op = (size_t)page->problems[i].first->problem.op;
        left += op < 64 && !seen[op];
        seen[op < 64 ? op : 0] = true;
    }
    for (size_t op = 0; op < 64; op++)
        if (seen[op])
            plx_page_put(to, "%s%s", plx_op_name((plx_op)op), --left > 1 ? ", " : left == 1 ? " and " : "");
}

/* The chip that all records of devices are of, but for those of the host beside them; PLX_PAGE_NONE: there are more. */
static size_t chip_of_all(plx_page *page)
{
    size_t chip = PLX_PAGE_NONE;
    for (size_t i = 0; i < page->series_count; i++) {
        if (strncmp(page->series[i].label, "host", 4) == 0 && page->series_count > 1)
            continue;
        if (chip != PLX_PAGE_NONE && page->series[i].chip != chip)
            return PLX_PAGE_NONE;
        chip = page->series[i].chip;
    }
    return chip;
}

static void put_judged(plx_page *page, size_t faults, FILE *to)
{
    size_t judged = 0;
    for (size_t i = 0; i < page->record_count; i++)
        judged += page->records[i].ok || is_fault(&page->records[i]);
    (void)fprintf(to, "<p>%zu result%s of ", judged, judged == 1 ? "" : "s");
    put_operations(page, to);
    if (chip_of_all(page) != PLX_PAGE_NONE)
        plx_page_put(to, " on %s", plx_page_chip(page, chip_of_all(page)));
    (void)fputs(judged == 1 ? " was" : " were", to);
    (void)fputs(" judged against error bounds: ", to);
    if (faults == 0)
        (void)fputs(judged == 1 ? "it is right.\n" : "all are right, and no two disagree.\n", to);
    else
        (void)fprintf(to, "<b class=\"bad\">%zu fault%s</b>, listed above.\n", faults, faults == 1 ? "" : "s");
}

/* The first of the standings with the most mean. */
static const standing *best_of(const standings *all)
{
    const standing *best = &all->list[0];
    for (size_t i = 1; i < all->count; i++)
        if (plx_ratios_mean(&all->list[i].ratios) > plx_ratios_mean(&best->ratios))
            best = &all->list[i];
    return best;
}

static const standing *worst_of(const standings *all)
{
    const standing *worst = &all->list[0];
    for (size_t i = 1; i < all->count; i++)
        if (all->list[i].ratios.least < worst->ratios.least)
            worst = &all->list[i];
    return worst;
}

static void put_fast(const standings *all, FILE *to)
{
    const standing *best = best_of(all);
    char ratio[32];
    size_t problems = 0, ahead = 0;
    for (size_t i = 0; i < all->count; i++) {
        problems += all->list[i].ratios.count;
        ahead += all->list[i].ratios.ahead;
    }
    plx_page_ratio_text(plx_ratios_mean(&best->ratios), ratio, sizeof ratio);
    (void)fprintf(to,
                  "Our best kernel is as fast as the best of the vendor’s library, or faster, in %zu of %zu problem%s",
                  ahead, problems, problems == 1 ? "" : "s");
    plx_page_put(to, "; the mean is highest in %s %s, %s times as fast.\n", plx_op_name(best->of->is->problem.op),
                 plx_page_type(best->of->is), ratio);
}

static void put_slow(plx_page *page, const standings *all, FILE *to)
{
    const standing *worst = worst_of(all);
    const plx_page_problem *problem = &page->problems[page->records[worst->worst].problem];
    char ratio[32];
    size_t slower = 0;
    for (size_t i = 0; i < all->count; i++)
        slower += all->list[i].slower;
    plx_page_ratio_text(worst->ratios.least < 1 ? 1 / worst->ratios.least : worst->ratios.least, ratio, sizeof ratio);
    if (worst->ratios.least < 1)
        (void)fprintf(to,
                      "It is slower beyond the intervals in %zu; the library’s lead is largest in <a href=\"#p%zu\">",
                      slower, page->records[worst->worst].problem);
    else
        (void)fprintf(to, "It is slower in none; our lead is smallest in <a href=\"#p%zu\">",
                      page->records[worst->worst].problem);
    plx_page_problem_text(to, problem);
    plx_page_put(to, "</a>, %s times as fast.</p>\n", ratio);
}

/* How many were timed; and of these, how many so uncertainly that they are not ranked. */
static size_t count_timed(plx_page *page, size_t *noisy)
{
    size_t timed = 0;
    *noisy = 0;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        timed += one->ok && one->is->time.measured;
        *noisy += one->ok && one->is->time.measured && !(one->time > 0);
    }
    return timed;
}

static void put_no_library(plx_page *page, FILE *to)
{
    size_t noisy;
    const size_t timed = count_timed(page, &noisy);
    if (timed == 0)
        (void)fputs("Nothing was timed.</p>\n", to);
    else if (noisy == timed)
        (void)fputs("All times are noisy, so nothing is ranked: measure for longer, on a machine that does nothing "
                    "else.</p>\n",
                    to);
    else
        (void)fputs("No vendor’s library was timed beside our kernels; <a href=\"#leaders\">who is ahead where</a> "
                    "compares the backends.</p>\n",
                    to);
}

void plx_page_answer(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    if (page->record_count == 0)
        return;
    const standings all = standings_of(page);
    size_t faults = put_faults(page, to);
    put_judged(page, faults, to);
    if (all.count > 0) {
        put_fast(&all, to);
        put_slow(page, &all, to);
    } else {
        put_no_library(page, to);
    }
    if (plx_page_answer_figure(page, 0, &figure))
        plx_page_draw(page, &figure, to);
    free(all.list);
}
