/* Ladders: kernel after kernel of one operation, with the gain of each over the step
 * before, the backends of a chip next to each other. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One problem of one run on one chip. */
typedef struct ladder {
    plx_page *page;
    const plx_page_record *like;
    size_t chip;
    bool flops;
    double most; /* the highest rate */
} ladder;

/* The first step from record `index` on in its group; NULL: there is none any more. */
static const plx_page_record *step_from(const ladder *of, size_t index)
{
    plx_page *page = of->page;
    for (; index != PLX_PAGE_NONE; index = page->records[index].next)
        if (!page->records[index].vendor && page->series[page->records[index].series].chip == of->chip)
            return &page->records[index];
    return NULL;
}

static const plx_page_record *first_step(const ladder *of)
{
    return step_from(of, of->like->first);
}

static const plx_page_record *next_step(const ladder *of, const plx_page_record *step)
{
    return step_from(of, step->next);
}

static const plx_page_record *step_of(const ladder *of, const char *kernel, size_t series)
{
    for (const plx_page_record *one = first_step(of); one != NULL; one = next_step(of, one))
        if (one->series == series && strcmp(one->is->kernel, kernel) == 0)
            return one;
    return NULL;
}

/* Whether it is the first of its kernel in the ladder. */
static bool opens_step(const ladder *of, const plx_page_record *step)
{
    for (const plx_page_record *one = first_step(of); one != step; one = next_step(of, one))
        if (strcmp(one->is->kernel, step->is->kernel) == 0)
            return false;
    return true;
}

/* The first step of the next kernel; NULL: no more. */
static const plx_page_record *next_kernel(const ladder *of, const plx_page_record *step)
{
    do
        step = next_step(of, step);
    while (step != NULL && !opens_step(of, step));
    return step;
}

static bool takes_part(const ladder *of, size_t series)
{
    for (const plx_page_record *one = first_step(of); one != NULL; one = next_step(of, one))
        if (one->series == series)
            return true;
    return false;
}

/* Two kernels of ours that were timed make a ladder. */
static bool has_two_steps(const ladder *of)
{
    for (const plx_page_record *one = first_step(of); one != NULL; one = next_step(of, one))
        for (const plx_page_record *other = one; other != NULL; other = next_step(of, other))
            if (one != other && one->series == other->series && one->time > 0 && other->time > 0 && !one->baseline &&
                !other->baseline)
                return true;
    return false;
}

/* The ladder that begins with a record; false: it begins none. */
static bool ladder_from(plx_page *page, size_t record, ladder *of)
{
    const plx_page_record *like = &page->records[record];
    *of = (ladder){.page = page, .like = like, .chip = page->series[like->series].chip};
    if (!like->newest || first_step(of) != like || !has_two_steps(of))
        return false;
    of->flops = plx_page_in_flops(page, like->problem);
    for (const plx_page_record *one = like; one != NULL; one = next_step(of, one))
        of->most = fmax(of->most, plx_page_rate(one, of->flops));
    return of->most > 0;
}

/* ---- what is shown ---------------------------------------------------------------------- */

static size_t count_series(const ladder *of)
{
    size_t count = 0;
    for (size_t s = 0; s < of->page->series_count; s++)
        count += takes_part(of, s);
    return count;
}

/* The largest of its kind is shown at once, the others when they are asked for. */
static bool is_largest(plx_page *page, const ladder *of)
{
    const plx_page_problem *own = &page->problems[of->like->problem];
    ladder other;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_problem *problem = &page->problems[page->records[i].problem];
        if (problem->size > own->size && plx_page_alike(problem, own) && ladder_from(page, i, &other) &&
            other.chip == of->chip)
            return false;
    }
    return true;
}

/* ---- as a picture ------------------------------------------------------------------------ */

enum { ROW = 26, RATES = 56, SHARES = 74, MOST_NAME = 190 /* with a configuration: "async-copy:32x128/1x2" */ };

/* How a ladder is laid out: names, bars, rates, and shares of a library's speed where there is one. */
typedef struct layout {
    double names, bars, rates; /* where the bars begin, where they end, where the rates end */
    double most;               /* the rate of the longest bar */
    double unit;               /* the rate that is 1 in the picture */
    const plx_page_record *library;
    double library_rate;
} layout;

static double name_width(const ladder *of)
{
    double width = 60;
    for (const plx_page_record *one = of->like; one != NULL; one = next_step(of, one))
        if (one->time > 0)
            width = fmax(width, plx_pen_width(one->is->kernel, PLX_LETTERS) + 12);
    return fmin(width, MOST_NAME);
}

static layout layout_of(const ladder *of, const plx_pen *pen)
{
    layout made = {.names = name_width(of), .most = of->most, .unit = of->most >= 9999.5 ? 1000 : 1};
    made.library = plx_page_library(of->page, of->like, of->chip);
    if (made.library != NULL)
        made.library_rate = plx_page_rate(made.library, of->flops);
    made.most = fmax(made.most, made.library_rate);
    made.rates = pen->width - 4 - (made.library != NULL ? SHARES : 0);
    made.bars = made.rates - RATES;
    return made;
}

/* Whether a kernel has a bar on any backend. */
static bool has_bar(const ladder *of, const char *kernel)
{
    for (const plx_page_record *one = of->like; one != NULL; one = next_step(of, one))
        if (one->time > 0 && strcmp(one->is->kernel, kernel) == 0)
            return true;
    return false;
}

/* What does not stand beside the bar: which it is, its time, and its gain. */
static void bar_text(const ladder *of, const plx_page_record *one, char *text, size_t capacity)
{
    char time[48], gain[32], more[64] = "";
    plx_duration_text(one->time, "µs", time, sizeof time);
    plx_number_text(plx_page_gain(one->is), 3, gain, sizeof gain);
    if (plx_page_gain(one->is) > 0)
        (void)snprintf(more, sizeof more, ", %s times the step before", gain);
    (void)snprintf(text, capacity, "%s %s: %s%s", of->page->series[one->series].shown, one->is->kernel, time, more);
}

/* What of a row is drawn: all of one kind after the other, so that the picture is short. */
typedef enum part { PART_NAME, PART_BAR, PART_RATE, PART_SHARE, PARTS } part;

static void put_lane(plx_pen *pen, const ladder *of, const layout *as, const plx_page_record *one, double y, part which)
{
    static const plx_lettering number = {.size = PLX_LETTERS, .side = PLX_RIGHT, .ink = PLX_INK};
    char text[400];
    double rate = plx_page_rate(one, of->flops);
    if (which == PART_BAR) {
        bar_text(of, one, text, sizeof text);
        plx_pen_bar(pen, as->names, y + 5, (as->bars - as->names) * rate / as->most, ROW - 10,
                    of->page->series[one->series].colour, text);
    } else if (which == PART_RATE) {
        plx_number_text(rate / as->unit, rate / as->unit < 999.5 ? 3 : 4, text, sizeof text);
        plx_pen_text(pen, as->rates, y + 17, &number, text);
    } else if (which == PART_SHARE && as->library != NULL) {
        const double share = 100 * as->library->time / one->time;
        (void)snprintf(text, sizeof text, "%.*f %%", share < 0.95 ? 1 : 0, share);
        plx_pen_text(pen, pen->width - 4, y + 17, &number, text);
    }
}

/* A kernel: its name, and a row of each backend that has a bar.  Where the next one begins. */
static double put_kernel(plx_pen *pen, const ladder *of, const layout *as, const plx_page_record *first, double y,
                         part which)
{
    static const plx_lettering name = {.size = PLX_LETTERS, .ink = PLX_INK};
    char text[96];
    plx_pen_fit(first->is->kernel, as->names - 8, PLX_LETTERS, text, sizeof text);
    if (which == PART_NAME)
        plx_pen_text(pen, 4, y + 17, &name, text);
    for (size_t s = 0; s < of->page->series_count; s++) {
        const plx_page_record *one = takes_part(of, s) ? step_of(of, first->is->kernel, s) : NULL;
        if (one == NULL || !(one->time > 0))
            continue;
        put_lane(pen, of, as, one, y, which);
        y += ROW;
    }
    return y;
}

/* Where the rows end. */
static double put_rows(plx_pen *pen, const ladder *of, const layout *as, double top, part which)
{
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step))
        if (has_bar(of, step->is->kernel))
            top = put_kernel(pen, of, as, step, top, which);
    return top;
}

/* The backends, and what the line of the library is. */
static double put_legend(plx_pen *pen, const ladder *of, double y)
{
    plx_legend entries[PLX_PAGE_COLOURS];
    size_t count = 0;
    for (size_t s = 0; s < of->page->series_count && count < PLX_PAGE_COLOURS; s++)
        if (takes_part(of, s))
            entries[count++] = (plx_legend){of->page->series[s].shown, of->page->series[s].colour};
    return plx_pen_legend(pen, y + 14, entries, count);
}

/* The fastest way of the vendor's library; from another file where that is the only one that has it. */
static double put_library_name(plx_pen *pen, const ladder *of, const layout *as, double y)
{
    static const plx_lettering soft = {.size = PLX_SMALL, .ink = PLX_SOFT};
    char name[48], rate[48], text[320];
    if (as->library == NULL)
        return y;
    plx_page_library_name(of->page->series[as->library->series].label, name, sizeof name);
    plx_page_rate_text(as->library_rate, of->flops, rate, sizeof rate);
    (void)snprintf(text, sizeof text, "dashed: the fastest way of %s, %s%s%.80s", name, rate,
                   as->library->file != of->like->file ? ", in " : "",
                   as->library->file != of->like->file ? of->page->files[as->library->file].name : "");
    return plx_pen_paragraph(pen, 4, y + 8, pen->width - 8, &soft, text) - 6;
}

static double put_heads(plx_pen *pen, const ladder *of, const layout *as, double y)
{
    static const plx_lettering soft = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    char text[64], name[48];
    (void)snprintf(text, sizeof text, "%s%s", as->unit > 1 ? "T" : "G", of->flops ? "FLOP/s" : "B/s");
    plx_pen_text(pen, as->rates, y + 12, &soft, text);
    if (as->library != NULL) {
        plx_page_library_name(of->page->series[as->library->series].label, name, sizeof name);
        (void)snprintf(text, sizeof text, "of %.40s", name);
        plx_pen_fit(text, SHARES - 4, PLX_SMALL, name, sizeof name);
        plx_pen_text(pen, pen->width - 4, y + 12, &soft, name);
    }
    return y + 18;
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    ladder of;
    if (!ladder_from(page, figure->of, &of))
        return;
    const layout as = layout_of(&of, pen);
    double y = put_library_name(pen, &of, &as, put_legend(pen, &of, pen->top));
    y = put_heads(pen, &of, &as, y);
    const double top = y;
    for (int which = 0; which < PARTS; which++)
        y = put_rows(pen, &of, &as, top, (part)which);
    if (as.library != NULL) {
        double at = as.names + (as.bars - as.names) * as.library_rate / as.most;
        plx_pen_line(pen, at, top, at, y, PLX_INK, true);
    }
    pen->height = y + 6;
}

static void name_figure(plx_page *page, const ladder *of, size_t record, plx_page_figure *figure)
{
    const plx_page_problem *problem = &page->problems[of->like->problem];
    *figure = (plx_page_figure){.kind = "ladder", .of = record, .draw = draw};
    (void)snprintf(figure->name, sizeof figure->name, "ladder-%.30s-%.10s-%.60s", problem->op, problem->dtype,
                   problem->variant);
    (void)snprintf(figure->title, sizeof figure->title, "%.30s %.10s %.60s %.60s on %.60s", problem->op, problem->dtype,
                   problem->shape, problem->variant, plx_page_chip(page, of->chip));
}

bool plx_page_ladder_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    ladder of;
    for (size_t i = 0; i < page->record_count; i++) {
        if (!ladder_from(page, i, &of) || !is_largest(page, &of) || index-- > 0)
            continue;
        name_figure(page, &of, i, figure);
        return true;
    }
    return false;
}

/* ---- in the page ------------------------------------------------------------------------------ */

static void put_ladder(plx_page *page, const ladder *of, size_t record, bool open, bool one_chip, FILE *to)
{
    plx_page_figure figure;
    (void)fprintf(to, "<details class=\"op o%d\" id=\"ladder-%zu\"%s><summary>",
                  (int)page->problems[of->like->problem].first->problem.op, record, open ? " open" : "");
    plx_page_problem_text(to, &page->problems[of->like->problem]);
    if (!one_chip)
        plx_page_put(to, " on %s", plx_page_chip(page, of->chip));
    (void)fputs("</summary>\n", to);
    name_figure(page, of, record, &figure);
    plx_page_draw(page, &figure, to);
    (void)fputs("</details>\n", to);
}

/* Whether a record tells the idea of a kernel of ours that some device has. */
static bool tells(const plx_page_record *one)
{
    return !one->vendor && one->is->idea[0] != '\0' && one->is->outcome != PLX_OUTCOME_UNSUPPORTED;
}

static bool is_told(plx_page *page, size_t record)
{
    const plx_record *own = page->records[record].is;
    for (size_t i = 0; i < record; i++)
        if (page->records[i].is->problem.op == own->problem.op && tells(&page->records[i]) &&
            strcmp(page->records[i].is->kernel, own->kernel) == 0)
            return true;
    return false;
}

/* The one change that each step makes, once for all ladders of an operation. */
static void put_ideas(plx_page *page, plx_op op, FILE *to)
{
    bool any = false;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_record *is = page->records[i].is;
        if (is->problem.op != op || !tells(&page->records[i]) || is_told(page, i))
            continue;
        if (!any)
            plx_page_put(to,
                         "<details class=\"op o%zu\"><summary>What each step of %s changes</summary>\n<dl "
                         "class=\"ideas\">\n",
                         (size_t)op, plx_op_name(op));
        any = true;
        plx_page_put(to, "<dt>%s%s</dt><dd>%s</dd>\n", is->kernel, page->records[i].baseline ? " (a copy)" : "",
                     is->idea);
    }
    if (any)
        (void)fputs("</dl></details>\n", to);
}

static bool has_ladder(plx_page *page, plx_op op)
{
    ladder of;
    for (size_t i = 0; i < page->record_count; i++)
        if (page->records[i].is->problem.op == op && ladder_from(page, i, &of))
            return true;
    return false;
}

/* A ladder, by its first record. */
typedef struct place {
    const plx_page_problem *problem;
    size_t record, chip;
} place;

/* An operation and type at a time, products first, the largest problem first; of equals as they stand in the files. */
static int by_size(const void *a, const void *b)
{
    const place *one = a, *other = b;
    const plx_problem *x = &one->problem->first->problem, *y = &other->problem->first->problem;
    if (x->op != y->op)
        return x->op > y->op ? -1 : 1;
    if (x->dtype != y->dtype)
        return x->dtype < y->dtype ? -1 : 1;
    if (one->problem->size != other->problem->size)
        return one->problem->size > other->problem->size ? -1 : 1;
    return one->record < other->record ? -1 : one->record > other->record;
}

typedef struct places {
    place *list;
    size_t count;
} places;

/* The list is malloc'ed. */
static places places_of(plx_page *page)
{
    places all = {.list = plx_page_memory(page, page->record_count, sizeof *all.list)};
    ladder of;
    for (size_t i = 0; all.list != NULL && i < page->record_count; i++)
        if (ladder_from(page, i, &of))
            all.list[all.count++] = (place){&page->problems[of.like->problem], i, of.chip};
    if (all.count > 0)
        qsort(all.list, all.count, sizeof *all.list, by_size);
    return all;
}

static bool on_one_chip(const places *all)
{
    for (size_t i = 1; i < all->count; i++)
        if (all->list[i].chip != all->list[0].chip)
            return false;
    return true;
}

static void put_opening(plx_page *page, const places *all, bool open, FILE *to)
{
    if (!open) {
        (void)fputs("<h3>The same at smaller sizes</h3>\n<div class=\"plots tight\">\n", to);
        return;
    }
    (void)fputs("<p>Kernel after kernel", to);
    if (on_one_chip(all))
        plx_page_put(to, " on %s", plx_page_chip(page, all->list[0].chip));
    (void)fputs(", each a single step from the one before. Point at a bar for its time and its gain over the step "
                "before on the same backend.</p>\n<div class=\"plots\">\n",
                to);
}

/* Those that are shown at once, and then those that are shown when they are asked for. */
static void put_ladders(plx_page *page, const places *all, bool open, FILE *to)
{
    ladder of;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!ladder_from(page, all->list[i].record, &of) || is_largest(page, &of) != open)
            continue;
        if (count++ == 0)
            put_opening(page, all, open, to);
        put_ladder(page, &of, all->list[i].record, open, on_one_chip(all), to);
    }
    if (count > 0)
        (void)fputs("</div>\n", to);
}

void plx_page_ladders(plx_page *page, FILE *to)
{
    const places all = places_of(page);
    if (all.count > 0) {
        put_ladders(page, &all, true, to);
        for (int op = 0; op < PLX_OP_COUNT; op++)
            if (has_ladder(page, (plx_op)op))
                put_ideas(page, (plx_op)op, to);
        put_ladders(page, &all, false, to);
    }
    free(all.list);
}

/* ---- as tables in Markdown ------------------------------------------------------------------ */

/* Time, rate, gain and share of the fastest; what is not right says so instead of a time. */
static void put_cells(const ladder *of, const plx_page_record *one, double best, FILE *to)
{
    char time[32], gain[32] = "";
    if (one == NULL || !(one->time > 0)) {
        (void)fprintf(to, " %s | | | |", one == NULL || one->ok ? "" : plx_outcome_name(one->is->outcome));
        return;
    }
    plx_duration_text(one->time, "µs", time, sizeof time);
    if (plx_page_gain(one->is) > 0)
        (void)snprintf(gain, sizeof gain, "%.*f", plx_page_gain(one->is) < 9.995 ? 2 : 1, plx_page_gain(one->is));
    (void)fprintf(to, " %s | %.0f | %s | %.0f %% |", time, plx_page_rate(one, of->flops), gain, 100 * best / one->time);
}

/* A copy is no transpose, however fast. */
static double fastest_step(const ladder *of)
{
    double best = 0;
    for (const plx_page_record *one = of->like; one != NULL; one = next_step(of, one))
        if (one->time > 0 && !one->baseline && (!(best > 0) || one->time < best))
            best = one->time;
    return best;
}

/* What no backend has for these elements is no step. */
static bool is_shown(const ladder *of, const char *kernel)
{
    for (const plx_page_record *one = of->like; one != NULL; one = next_step(of, one))
        if (strcmp(one->is->kernel, kernel) == 0 && one->is->outcome != PLX_OUTCOME_UNSUPPORTED)
            return true;
    return false;
}

static void put_comparison_head(const ladder *of, FILE *to)
{
    (void)fputs("| kernel |", to);
    for (size_t s = 0; s < of->page->series_count; s++)
        if (takes_part(of, s))
            (void)fprintf(to, " %s | %s | gain | of best |", of->page->series[s].label, of->flops ? "GFLOP/s" : "GB/s");
    (void)fputs("\n|---|", to);
    for (size_t s = 0; s < 4 * count_series(of); s++)
        (void)fputs("--:|", to);
    (void)fputc('\n', to);
}

/* The kernels of one problem, the backends next to each other. */
static void put_comparison(const ladder *of, FILE *to)
{
    const plx_page_problem *problem = &of->page->problems[of->like->problem];
    const double best = fastest_step(of);
    (void)fprintf(to, "**%s %s %s %s** on %s (%s)\n\n", problem->op, problem->dtype, problem->variant, problem->shape,
                  plx_page_chip(of->page, of->chip), of->page->files[of->like->file].name);
    put_comparison_head(of, to);
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step)) {
        if (!is_shown(of, step->is->kernel))
            continue;
        (void)fprintf(to, "| %s%s |", step->is->kernel, step->baseline ? " (a copy)" : "");
        for (size_t s = 0; s < of->page->series_count; s++)
            if (takes_part(of, s))
                put_cells(of, step_of(of, step->is->kernel, s), best, to);
        (void)fputc('\n', to);
    }
}

enum { MOST_SHAPES = 16 };

/* The ladders of one kind on one chip in one run, from small to large. */
static size_t ladders_like(const ladder *of, ladder shapes[MOST_SHAPES])
{
    plx_page *page = of->page;
    size_t count = 0;
    for (size_t i = page->files[of->like->file].first_record; i < page->record_count && count < MOST_SHAPES; i++) {
        ladder one;
        if (page->records[i].file != of->like->file ||
            !plx_page_alike(&page->problems[page->records[i].problem], &page->problems[of->like->problem]) ||
            !ladder_from(page, i, &one) || one.chip != of->chip)
            continue;
        size_t at = count++;
        for (; at > 0 && page->problems[shapes[at - 1].like->problem].size > page->problems[one.like->problem].size;
             at--)
            shapes[at] = shapes[at - 1];
        shapes[at] = one;
    }
    return count;
}

static double step_time(const ladder *of, const char *kernel, size_t series)
{
    const plx_page_record *one = step_of(of, kernel, series);
    return one != NULL ? one->time : 0;
}

/* The first step's time over that of the last that has one. */
static void put_whole_gain(const ladder *of, size_t series, FILE *to)
{
    double first = 0, last = 0;
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step)) {
        double time = step_time(of, step->is->kernel, series);
        first = first > 0 ? first : time;
        last = time > 0 ? time : last;
    }
    (void)fprintf(to, last > 0 ? " %.2f |" : " |", first / last);
}

/* The form in which ladders of products are published: microseconds, a column per shape. */
static void put_times(const ladder *shapes, size_t count, size_t series, FILE *to)
{
    plx_page *page = shapes[0].page;
    (void)fprintf(to, "\n| %s, µs |", page->series[series].label);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, " %s |", page->problems[shapes[i].like->problem].shape);
    (void)fputs("\n|---|", to);
    for (size_t i = 0; i < count; i++)
        (void)fputs("--:|", to);
    (void)fputc('\n', to);
    for (const plx_page_record *step = shapes[0].like; step != NULL; step = next_kernel(&shapes[0], step)) {
        if (!is_shown(&shapes[0], step->is->kernel))
            continue;
        (void)fprintf(to, "| %s |", step->is->kernel);
        for (size_t i = 0; i < count; i++) {
            double time = step_time(&shapes[i], step->is->kernel, series);
            (void)fprintf(to, time > 0 ? " %.*f |" : " |", time < 999.5e3 ? 1 : 0, time / 1e3);
        }
        (void)fputc('\n', to);
    }
    (void)fputs("| gain, last over first |", to);
    for (size_t i = 0; i < count; i++)
        put_whole_gain(&shapes[i], series, to);
    (void)fputc('\n', to);
}

size_t plx_page_ladder_tables(plx_page *page, FILE *to)
{
    ladder of, shapes[MOST_SHAPES];
    size_t tables = 0;
    for (size_t i = 0; i < page->record_count; i++) {
        if (!ladder_from(page, i, &of) || !is_largest(page, &of))
            continue;
        (void)fputs(tables++ > 0 ? "\n" : "", to);
        put_comparison(&of, to);
        size_t count = ladders_like(&of, shapes);
        for (size_t s = 0; s < page->series_count && count > 1; s++)
            if (takes_part(&of, s))
                put_times(shapes, count, s, to);
    }
    return tables;
}
