/* Rate against size: of each kind of problem that was timed at two sizes or more, the
 * best kernel of every backend. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>

/* ---- points ------------------------------------------------------------------------- */

/* The best of its series in its group, of what no newer file has. */
static bool is_point(plx_page *page, size_t record, size_t series, const plx_page_problem *kind)
{
    const plx_page_record *one = &page->records[record];
    const plx_page_problem *problem = &page->problems[one->problem];
    return one->series == series && one->newest && one->time > 0 && problem->size > 0 &&
           plx_page_alike(problem, kind) && plx_page_fastest(page, one, series, false) == one;
}

typedef struct point {
    double size, rate;
    bool square;
    size_t problem;
} point;

static int by_size(const void *a, const void *b)
{
    const point *one = a, *other = b;
    return (one->size > other->size) - (one->size < other->size);
}

/* malloc'ed; NULL and 0 when there are none. */
static point *points_of(plx_page *page, size_t series, const plx_page_problem *kind, bool flops, size_t *count)
{
    point *points = plx_page_memory(page, page->record_count, sizeof *points);
    *count = 0;
    for (size_t i = 0; points != NULL && i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (!is_point(page, i, series, kind) || !(plx_page_rate(one, flops) > 0))
            continue;
        points[(*count)++] = (point){page->problems[one->problem].size, plx_page_rate(one, flops),
                                     page->problems[one->problem].square, one->problem};
    }
    if (*count > 0)
        qsort(points, *count, sizeof *points, by_size);
    return points;
}

/* Whether two points have different sizes. */
static bool has_sizes(plx_page *page, size_t problem)
{
    const plx_page_problem *kind = &page->problems[problem];
    bool flops = plx_page_in_flops(page, problem);
    double first = 0;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        double size = page->problems[one->problem].size;
        if (!(plx_page_rate(one, flops) > 0) || !is_point(page, i, one->series, kind))
            continue;
        if (first > 0 && (size > first || size < first))
            return true;
        first = size;
    }
    return false;
}

/* ---- the picture: rate against size ------------------------------------------------------ */

/* What is drawn of one series. */
typedef struct curve {
    size_t series;
    point *points; /* malloc'ed */
    size_t count, squares;
    double name; /* where its name stands */
} curve;

/* All that is drawn. */
typedef struct extent {
    double left, right, low, high;
} extent;

static void widen(extent *of, const curve *by)
{
    for (size_t i = 0; i < by->count; i++) {
        of->left = fmin(of->left, by->points[i].size);
        of->right = fmax(of->right, by->points[i].size);
        of->low = fmin(of->low, by->points[i].rate);
        of->high = fmax(of->high, by->points[i].rate);
    }
}

static const char *axis_of(const plx_page_problem *kind)
{
    return kind->rank == 3 ? "cube root of M N K" : kind->rank == 2 ? "elements of the matrix" : "elements";
}

static void ratio_tic(double number, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%g", fabs(number) < 1e-12 ? 0 : number);
}

/* "64", "4 Ki", "1 Mi": of a power of two; "300" of what is none. */
static void size_tic(double size, char *text, size_t capacity)
{
    static const char *const units[] = {"", " Ki", " Mi", " Gi", " Ti", " Pi"};
    size_t unit = 0;
    while (size >= 1024 && fmod(size, 1024) < 0.5 && unit + 1 < sizeof units / sizeof units[0]) {
        size /= 1024;
        unit++;
    }
    (void)snprintf(text, capacity, "%.0f%s", size, units[unit]);
}

/* Powers of two, every so many that their numbers stand apart; between two of them the ends. */
static void put_sizes(plx_pen *pen, const plx_axis *x, const plx_page_problem *kind, double bottom)
{
    static const plx_lettering tic = {.size = PLX_SMALL, .side = PLX_MIDDLE, .ink = PLX_SOFT},
                               name = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    double first = ceil(log2(x->low) - 1e-3), last = floor(log2(x->high) + 1e-3);
    double step = fmax(ceil((last - first) / ((x->to - x->from) / 52)), 1);
    char text[32];
    plx_pen_line(pen, x->from, bottom, x->to, bottom, PLX_SOFT, false);
    for (double at = first; at <= last; at += step)
        plx_pen_line(pen, plx_axis_at(x, exp2(at)), bottom, plx_axis_at(x, exp2(at)), bottom + 4, PLX_SOFT, false);
    for (double at = first; at <= last; at += step) {
        if (kind->rank == 3)
            (void)snprintf(text, sizeof text, "%.0f", exp2(at));
        else
            size_tic(exp2(at), text, sizeof text);
        plx_pen_text(pen, plx_axis_at(x, exp2(at)), bottom + 16, &tic, text);
    }
    if (last < first) {
        (void)snprintf(text, sizeof text, "%.0f", x->low);
        plx_pen_text(pen, (x->from + x->to) / 2, bottom + 16, &tic, text);
    }
    plx_pen_text(pen, x->to, bottom + 33, &name, axis_of(kind));
}

enum { LEFT = 48, NAMES = 78, PLOT = 260, BELOW = 40, FEW = 40 };

/* One size alone is a place in the middle. */
static plx_axis size_axis(double left, double right, double from, double to)
{
    bool wide = right > left * 1.0001;
    return (plx_axis){
        .low = wide ? left : left / 2, .high = wide ? right : left * 2, .from = from, .to = to, .log = true};
}

/* Marks with words, where they are not too many to be told apart. */
static void put_marks(plx_page *page, plx_pen *pen, const curve *of, const plx_axis *x, const plx_axis *y)
{
    char rate[48], text[200];
    for (size_t i = 0; i < of->count; i++) {
        if (!of->points[i].square)
            continue;
        plx_page_rate_text(of->points[i].rate, plx_page_in_flops(page, of->points[i].problem), rate, sizeof rate);
        (void)snprintf(text, sizeof text, "%.60s %.60s: %s", page->series[of->series].label,
                       page->problems[of->points[i].problem].shape, rate);
        plx_pen_mark(pen, plx_axis_at(x, of->points[i].size), plx_axis_at(y, of->points[i].rate),
                     page->series[of->series].colour, text);
    }
}

static void put_curve(plx_page *page, plx_pen *pen, const curve *of, const plx_axis *x, const plx_axis *y)
{
    size_t colour = page->series[of->series].colour, squares = 0, others = 0;
    bool few = of->squares <= FEW;
    plx_spot *spots = plx_page_memory(page, 2 * of->count, sizeof *spots);
    if (spots == NULL)
        return;
    for (size_t i = 0; i < of->count; i++) {
        plx_spot at = {plx_axis_at(x, of->points[i].size), plx_axis_at(y, of->points[i].rate)};
        if (of->points[i].square && few)
            spots[squares++] = at;
        else
            spots[of->count + others++] = at;
    }
    plx_pen_dots(pen, spots + of->count, others, colour);
    if (squares > 1)
        plx_pen_path(pen, spots, squares, colour, false);
    free(spots);
    if (few)
        put_marks(page, pen, of, x, y);
}

/* The place of its last square, else of its last point. */
static double end_of(const curve *of, const plx_axis *y)
{
    double rate = of->points[of->count - 1].rate;
    for (size_t i = 0; i < of->count; i++)
        if (of->squares > 0 && of->points[i].square)
            rate = of->points[i].rate;
    return plx_axis_at(y, rate);
}

static int by_place(const void *a, const void *b)
{
    const curve *one = a, *other = b;
    return (one->name > other->name) - (one->name < other->name);
}

/* Names stand beside the ends of their lines. */
static void put_names(plx_page *page, plx_pen *pen, curve *curves, size_t count, const plx_axis *y)
{
    double places[64];
    char name[64];
    for (size_t i = 0; i < count; i++)
        curves[i].name = end_of(&curves[i], y);
    qsort(curves, count, sizeof *curves, by_place);
    for (size_t i = 0; i < count && i < 64; i++)
        places[i] = curves[i].name + 4;
    count = count < 64 ? count : 64;
    plx_pen_apart(places, count, 16, y->to + 4, y->from + 4);
    for (size_t i = 0; i < count; i++) {
        const plx_lettering how = {.size = PLX_LETTERS, .ink = page->series[curves[i].series].colour};
        plx_pen_fit(page->series[curves[i].series].label, NAMES - 10, PLX_LETTERS, name, sizeof name);
        plx_pen_text(pen, pen->width - NAMES + 8, places[i], &how, name);
    }
}

/* How many curves there are; each has a list of points. */
static size_t find_curves(plx_page *page, size_t problem, curve *curves, extent *shown)
{
    bool flops = plx_page_in_flops(page, problem);
    size_t count = 0;
    for (size_t s = 0; s < page->series_count; s++) {
        curve made = {.series = s};
        made.points = points_of(page, s, &page->problems[problem], flops, &made.count);
        for (size_t i = 0; i < made.count; i++)
            made.squares += made.points[i].square;
        widen(shown, &made);
        if (made.count > 0)
            curves[count++] = made;
        else
            free(made.points);
    }
    return count;
}

static void draw_curves(plx_page *page, const plx_page_figure *figure, plx_pen *pen, curve *curves)
{
    const plx_page_problem *kind = &page->problems[figure->of];
    extent shown = {INFINITY, 0, INFINITY, 0};
    size_t count = find_curves(page, figure->of, curves, &shown);
    double top = pen->top + 24, bottom = top + PLOT;
    if (count == 0)
        return;
    const plx_axis x = size_axis(shown.left, shown.right, LEFT + 8, pen->width - NAMES),
                   y = {.low = shown.low / 1.3, .high = shown.high * 1.3, .from = bottom, .to = top, .log = true};
    plx_pen_heights(pen, &y, LEFT, x.to, plx_page_in_flops(page, figure->of) ? "FLOP/s" : "B/s", plx_tic_of_rate);
    put_sizes(pen, &x, kind, bottom);
    for (size_t i = 0; i < count; i++)
        put_curve(page, pen, &curves[i], &x, &y);
    put_names(page, pen, curves, count, &y);
    pen->height = bottom + BELOW;
    for (size_t i = 0; i < count; i++)
        free(curves[i].points);
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    curve *curves = plx_page_memory(page, page->series_count, sizeof *curves);
    if (curves != NULL)
        draw_curves(page, figure, pen, curves);
    free(curves);
}

/* ---- the picture beside it: ours over the best of the vendor's ways, on an even axis ----------- */

typedef struct ratio_point {
    plx_page_duel duel;
    double size;
} ratio_point;

static int by_ratio(const void *a, const void *b)
{
    const ratio_point *one = a, *other = b;
    return (one->duel.ratio > other->duel.ratio) - (one->duel.ratio < other->duel.ratio);
}

/* malloc'ed, from the least ratio to the most. */
static ratio_point *ratios_of(plx_page *page, const plx_page_problem *kind, size_t *count)
{
    ratio_point *points = plx_page_memory(page, page->record_count, sizeof *points); /* each has a record of ours */
    *count = 0;
    for (size_t i = 0; points != NULL && i < page->record_count; i++) {
        const plx_page_problem *problem = &page->problems[page->records[i].problem];
        if (page->records[i].first != i || !plx_page_alike(problem, kind) || !(problem->size > 0))
            continue;
        for (size_t s = 0; s < page->series_count; s++)
            if (plx_page_duel_of(page, i, s, &points[*count].duel))
                points[(*count)++].size = problem->size;
    }
    if (*count > 0)
        qsort(points, *count, sizeof *points, by_ratio);
    return points;
}

/* Nineteen of twenty points are within it; the others stand at its edge. */
static double highest_ratio(const ratio_point *points, size_t count)
{
    return fmin(fmax(1.2 * points[count * 19 / 20 < count ? count * 19 / 20 : count - 1].duel.ratio, 1.5), 20);
}

/* Where there are few a mark, else a dot without the name of the backend. */
static void put_ratio(plx_page *page, plx_pen *pen, const ratio_point *at, bool few, const plx_axis *x,
                      const plx_axis *y)
{
    const plx_page_series *series = &page->series[at->duel.own->series];
    const char *shape = page->problems[at->duel.own->problem].shape;
    double left = plx_axis_at(x, at->size), height = plx_axis_at(y, fmin(at->duel.ratio, y->high));
    char ratio[32], text[256];
    plx_page_ratio_text(at->duel.ratio, ratio, sizeof ratio);
    if (few) {
        (void)snprintf(text, sizeof text, "%.40s %.70s: %s", series->label, shape, ratio);
        plx_pen_mark(pen, left, height, series->colour, text);
    } else {
        (void)snprintf(text, sizeof text, "%.70s: %s", shape, ratio);
        plx_pen_dot(pen, left, height, series->colour, text);
    }
}

static double put_ratio_legend(plx_page *page, plx_pen *pen, const ratio_point *points, size_t count)
{
    plx_legend entries[PLX_PAGE_COLOURS];
    size_t named = 0;
    for (size_t s = 0; s < page->series_count && named < PLX_PAGE_COLOURS; s++)
        for (size_t i = 0; i < count; i++)
            if (points[i].duel.own->series == s) {
                entries[named++] = (plx_legend){page->series[s].label, page->series[s].colour};
                break;
            }
    return plx_pen_legend(pen, pen->top + 14, entries, named);
}

static void draw_ratios(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    const plx_page_problem *kind = &page->problems[figure->of];
    size_t count;
    ratio_point *points = ratios_of(page, kind, &count);
    double left = INFINITY, right = 0, top = put_ratio_legend(page, pen, points, count) + 18, bottom = top + PLOT - 14;
    if (count == 0) {
        free(points);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        left = fmin(left, points[i].size);
        right = fmax(right, points[i].size);
    }
    const plx_axis x = size_axis(left, right, LEFT + 8, pen->width - 26),
                   y = {.low = 0, .high = highest_ratio(points, count), .from = bottom, .to = top};
    plx_pen_heights(pen, &y, LEFT, x.to, "times as fast as the best of the library's ways", ratio_tic);
    put_sizes(pen, &x, kind, bottom);
    plx_pen_line(pen, LEFT, plx_axis_at(&y, 1), x.to, plx_axis_at(&y, 1), PLX_BAD, true);
    for (size_t i = 0; i < count; i++)
        put_ratio(page, pen, &points[i], count <= FEW, &x, &y);
    pen->height = bottom + BELOW;
    free(points);
}

/* ---- figures, and the section ---------------------------------------------------------------- */

static void name_figure(plx_page *page, size_t problem, bool ratios, plx_page_figure *figure)
{
    const plx_page_problem *kind = &page->problems[problem];
    *figure = (plx_page_figure){.kind = ratios ? "ratio" : "sweep", .of = problem, .draw = ratios ? draw_ratios : draw};
    (void)snprintf(figure->name, sizeof figure->name, "%s-%.30s-%.10s-%.60s", figure->kind, kind->op, kind->dtype,
                   kind->form);
    (void)snprintf(figure->title, sizeof figure->title, "%s: %.30s %.10s %.60s",
                   ratios ? "Our speed over the library's, against size" : "Rate against size", kind->op, kind->dtype,
                   kind->form);
}

bool plx_page_sweep_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t i = 0; i < page->problem_count; i++) {
        if (!plx_page_opens_kind(page, i) || !has_sizes(page, i) || index-- > 0)
            continue;
        name_figure(page, i, false, figure);
        return true;
    }
    return false;
}

/* Whether a library was timed beside ours in two problems of a kind. */
static bool has_ratios(plx_page *page, size_t problem)
{
    size_t count;
    ratio_point *points = ratios_of(page, &page->problems[problem], &count);
    size_t first = count > 0 ? points[0].duel.own->problem : 0;
    bool several = false;
    for (size_t i = 0; i < count; i++)
        several = several || points[i].duel.own->problem != first;
    free(points);
    return several;
}

bool plx_page_ratio_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t i = 0; i < page->problem_count; i++) {
        if (!plx_page_opens_kind(page, i) || !has_ratios(page, i) || index-- > 0)
            continue;
        name_figure(page, i, true, figure);
        return true;
    }
    return false;
}

static size_t count_problems(plx_page *page, const plx_page_problem *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < page->problem_count; i++)
        count += plx_page_alike(&page->problems[i], kind);
    return count;
}

static void put_cell(plx_page *page, size_t series, size_t problem, bool flops, FILE *to)
{
    char rate[48] = "";
    for (size_t i = page->problems[problem].records; i != PLX_PAGE_NONE; i = page->records[i].next_of_problem)
        if (is_point(page, i, series, &page->problems[problem]))
            plx_page_rate_text(plx_page_rate(&page->records[i], flops), flops, rate, sizeof rate);
    (void)fprintf(to, "<td class=\"n\">%s</td>", rate);
}

static bool takes_part(plx_page *page, size_t series, const plx_page_problem *kind)
{
    for (size_t i = 0; i < page->record_count; i++)
        if (is_point(page, i, series, kind))
            return true;
    return false;
}

static void put_table(plx_page *page, const plx_page_problem *kind, bool flops, bool open, FILE *to)
{
    bool *shown = plx_page_memory(page, page->series_count, sizeof *shown); /* of each series */
    if (shown == NULL)
        return;
    for (size_t s = 0; s < page->series_count; s++)
        shown[s] = takes_part(page, s, kind);
    (void)fprintf(to,
                  "<details%s><summary>In numbers</summary>\n<div class=\"box\"><table><thead><tr>"
                  "<th class=\"n\">shape</th>",
                  open ? " open" : "");
    for (size_t s = 0; s < page->series_count; s++) {
        if (!shown[s])
            continue;
        (void)fputs("<th class=\"n\">", to);
        plx_page_series_mark(to, page, s);
        (void)fputs("</th>", to);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < page->problem_count; i++) {
        if (!plx_page_alike(&page->problems[i], kind))
            continue;
        plx_page_put(to, "<tr><td class=\"n\">%s</td>", page->problems[i].shape);
        for (size_t s = 0; s < page->series_count; s++)
            if (shown[s])
                put_cell(page, s, i, flops, to);
        (void)fputs("</tr>\n", to);
    }
    (void)fputs("</tbody></table></div></details>\n", to);
    free(shown);
}

enum { MOST_ROWS = 24 };

void plx_page_sweeps(plx_page *page, FILE *to)
{
    plx_page_figure figure, ratios;
    for (size_t count = 0; plx_page_sweep_figure(page, count, &figure); count++) {
        const plx_page_problem *kind = &page->problems[figure.of];
        if (count == 0)
            (void)fputs("<p>The first picture shows the best kernel of every backend: lines join squares (and "
                        "vectors), dots are "
                        "other shapes. The second shows our speed over the fastest way of the vendor’s library in the "
                        "same run; points "
                        "above the dashed line are faster, and those on the upper edge are higher still.</p>\n",
                        to);
        plx_page_put(to, "<div class=\"op o%zu\" id=\"kind-%zu\"><h3>%s %s %s</h3>\n<div class=\"plots\">\n",
                     (size_t)kind->first->problem.op, kind->kind, kind->op, kind->dtype, kind->form);
        plx_page_draw(page, &figure, to);
        if (has_ratios(page, figure.of)) {
            name_figure(page, figure.of, true, &ratios);
            plx_page_draw(page, &ratios, to);
        }
        (void)fputs("</div>\n", to);
        if (count_problems(page, kind) <= MOST_ROWS)
            put_table(page, kind, plx_page_in_flops(page, figure.of), false, to);
        (void)fputs("</div>\n", to);
    }
}
