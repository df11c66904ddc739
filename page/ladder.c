/* Ladders: kernel after kernel of one operation, with the gain of each over the step
 * before, the backends of a chip next to each other. */
#include "page/page.h"

#include <math.h>
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

/* ---- in the page, without a plot -------------------------------------------------------- */

static const char *gain_class(double gain)
{
    return gain < 0.995 ? "bad" : gain < 1.005 ? "soft" : "good";
}

static void put_lane(const ladder *of, const plx_page_record *one, size_t series, FILE *to)
{
    char rate[48], gain[32];
    (void)fprintf(to, "<div class=\"lane c%zu\">", of->page->series[series].colour);
    if (one != NULL)
        plx_page_series_mark(to, of->page, series);
    if (one == NULL || !(one->time > 0)) {
        plx_page_put(to, "<span class=\"soft\">%s</span></div>",
                     one == NULL ? "–"
                     : one->ok   ? "not timed"
                                 : plx_outcome_name(one->is->outcome));
        return;
    }
    plx_page_rate_text(plx_page_rate(one, of->flops), of->flops, rate, sizeof rate);
    (void)fprintf(to,
                  "<span class=\"track\"><span class=\"bar\" style=\"width:%.2f%%\"></span></span><span "
                  "class=\"num\">%s",
                  100 * plx_page_rate(one, of->flops) / of->most, rate);
    if (one->is->gain > 0) {
        plx_number_text(one->is->gain, 3, gain, sizeof gain);
        (void)fprintf(to, " <b class=\"%s\">×%s</b>", gain_class(one->is->gain), gain);
    }
    (void)fputs("</span></div>", to);
}

static void put_step(const ladder *of, const plx_page_record *first, FILE *to)
{
    plx_page_put(to, "<div class=\"step\"><b>%s%s</b>", first->is->kernel, first->baseline ? " (a copy)" : "");
    for (size_t s = 0; s < of->page->series_count; s++)
        if (takes_part(of, s))
            put_lane(of, step_of(of, first->is->kernel, s), s, to);
    plx_page_put(to, "<span class=\"idea\">%s</span></div>\n", first->is->idea);
}

static void put_head(const ladder *of, FILE *to)
{
    (void)fputs("<div class=\"step head\"><span></span>", to);
    for (size_t s = 0; s < of->page->series_count; s++)
        if (takes_part(of, s))
            plx_page_series_mark(to, of->page, s);
    (void)fputs("</div>\n", to);
}

static size_t count_series(const ladder *of)
{
    size_t count = 0;
    for (size_t s = 0; s < of->page->series_count; s++)
        count += takes_part(of, s);
    return count;
}

static void put_ladder(const ladder *of, bool open, FILE *to)
{
    (void)fprintf(to, "<details%s><summary>", open ? " open" : "");
    plx_page_problem_text(to, &of->page->problems[of->like->problem]);
    plx_page_put(to, " on %s</summary>\n<div style=\"--n:%zu\">\n", plx_page_chip(of->page, of->chip),
                 count_series(of));
    put_head(of, to);
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step))
        put_step(of, step, to);
    (void)fputs("</div></details>\n", to);
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

void plx_page_ladders(plx_page *page, FILE *to)
{
    ladder of;
    size_t count = 0;
    plx_page_section(to, "ladders", "Ladders");
    for (size_t i = 0; i < page->record_count; i++) {
        if (!ladder_from(page, i, &of))
            continue;
        if (count++ == 0)
            (void)fputs("<p>Kernel after kernel, each a single step from the one before; × is the gain over "
                        "it on the same backend. Bars of one ladder share their scale.</p>\n",
                        to);
        put_ladder(&of, is_largest(page, &of), to);
    }
    if (count == 0)
        (void)fputs("<p>No backend was timed with two kernels of one ladder; <code>--kernel all</code> times all of "
                    "them.</p>\n",
                    to);
    (void)fputs("</section>\n", to);
}

/* ---- as a figure of its own -------------------------------------------------------------- */

static void put_labels(const ladder *of, size_t series, double shift, FILE *to)
{
    size_t row = 0;
    char text[96], rate[48], gain[32];
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step)) {
        const plx_page_record *one = step_of(of, step->is->kernel, series);
        row++;
        if (one == NULL || !(one->time > 0))
            continue;
        plx_page_rate_text(plx_page_rate(one, of->flops), of->flops, rate, sizeof rate);
        plx_number_text(one->is->gain, 3, gain, sizeof gain);
        (void)snprintf(text, sizeof text, one->is->gain > 0 ? "%s, × %s" : "%s", rate, gain);
        (void)fputs("set label ", to);
        plx_page_quoted(to, text);
        (void)fprintf(to, " at %.9g,%.4f left offset 0.7,0 tc rgb '%s'\n", plx_page_rate(one, of->flops),
                      (double)row + shift, plx_page_colour(of->page->series[series].colour));
    }
}

/* x, y, x from, x to, y from, y to: what boxxyerror takes. */
static void put_boxes(const ladder *of, size_t series, double shift, double half, FILE *to)
{
    size_t row = 0;
    (void)fprintf(to, "$series%zu << EOD\n", series);
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step)) {
        const plx_page_record *one = step_of(of, step->is->kernel, series);
        double rate = one != NULL ? plx_page_rate(one, of->flops) : 0;
        row++;
        (void)fprintf(to, "%.9g %.4f 0 %.9g %.4f %.4f\n", rate, (double)row + shift, rate, (double)row + shift - half,
                      (double)row + shift + half);
    }
    (void)fputs("EOD\n", to);
}

static size_t put_tics(const ladder *of, FILE *to)
{
    size_t row = 0;
    (void)fputs("set ytics (", to);
    for (const plx_page_record *step = of->like; step != NULL; step = next_kernel(of, step)) {
        (void)fputs(row > 0 ? ", " : "", to);
        plx_page_quoted(to, step->is->kernel);
        (void)fprintf(to, " %zu", ++row);
    }
    (void)fputs(")\n", to);
    return row;
}

static void put_script(plx_page *page, const void *what, const plx_page_size *size, FILE *to)
{
    const plx_page_figure *figure = what;
    ladder of;
    if (!ladder_from(page, figure->of, &of))
        return;
    size_t lanes = count_series(&of), lane = 0;
    double half = 0.4 / (double)lanes;
    plx_page_canvas(size, to);
    (void)fputs("set title ", to);
    plx_page_quoted(to, figure->title);
    (void)fprintf(to,
                  " textcolor rgb '%s'\nset border 2\nset tmargin 3\nunset grid\nset tics scale 0\nset "
                  "format x ''\nunset xtics\n",
                  plx_page_ink());
    (void)fprintf(to, "set xrange [0:%.9g]\nset yrange [%zu.6:0.4]\nset style fill solid 1 noborder\n", of.most * 1.3,
                  put_tics(&of, to));
    (void)fprintf(to, "set key outside bottom center horizontal reverse Left textcolor rgb '%s'\n", plx_page_ink());
    for (size_t s = 0; s < page->series_count; s++) {
        if (!takes_part(&of, s))
            continue;
        double shift = ((double)lane + 0.5) * 2 * half - 0.4;
        put_boxes(&of, s, shift, half * 0.9, to);
        put_labels(&of, s, shift, to);
        lane++;
    }
    lane = 0;
    for (size_t s = 0; s < page->series_count; s++) {
        if (!takes_part(&of, s))
            continue;
        (void)fprintf(to, "%s $series%zu using 1:2:3:4:5:6 with boxxyerror lc rgb '%s' title ",
                      lane++ == 0 ? "plot" : ",", s, plx_page_colour(page->series[s].colour));
        plx_page_quoted(to, page->series[s].shown);
    }
    (void)fputc('\n', to);
}

bool plx_page_ladder_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    ladder of;
    for (size_t i = 0; i < page->record_count; i++) {
        if (!ladder_from(page, i, &of) || !is_largest(page, &of) || index-- > 0)
            continue;
        const plx_page_problem *problem = &page->problems[of.like->problem];
        *figure = (plx_page_figure){.kind = "ladder", .of = i, .script = put_script};
        (void)snprintf(figure->name, sizeof figure->name, "ladder-%.30s-%.10s-%.60s", problem->op, problem->dtype,
                       problem->variant);
        (void)snprintf(figure->title, sizeof figure->title, "%.30s %.10s %.60s %.60s on %.60s", problem->op,
                       problem->dtype, problem->shape, problem->variant, plx_page_chip(page, of.chip));
        return true;
    }
    return false;
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
    if (one->is->gain > 0)
        (void)snprintf(gain, sizeof gain, "%.*f", one->is->gain < 9.995 ? 2 : 1, one->is->gain);
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
