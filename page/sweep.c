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
        points[(*count)++] =
            (point){page->problems[one->problem].size, plx_page_rate(one, flops), page->problems[one->problem].square};
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

/* ---- the script ------------------------------------------------------------------------ */

/* Squares are joined by a line, other shapes are points. */
static size_t put_points(const point *points, size_t count, bool square, FILE *to)
{
    size_t put = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].square != square)
            continue;
        (void)fprintf(to, "%.9g %.9g\n", points[i].size, points[i].rate);
        put++;
    }
    (void)fputs("EOD\n", to);
    return put;
}

/* What is drawn of one series, and where its name goes. */
typedef struct curve {
    size_t series, squares, others;
    double last_rate; /* of its last square, else of its last point */
    double name;      /* height, as a logarithm */
} curve;

/* All that is drawn. */
typedef struct extent {
    double left, right, low, high;
} extent;

static void widen(extent *of, const point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        of->left = fmin(of->left, points[i].size);
        of->right = fmax(of->right, points[i].size);
        of->low = fmin(of->low, points[i].rate);
        of->high = fmax(of->high, points[i].rate);
    }
}

static curve put_series(plx_page *page, size_t series, const plx_page_problem *kind, bool flops, extent *shown,
                        FILE *to)
{
    size_t count;
    point *points = points_of(page, series, kind, flops, &count);
    curve made = {.series = series};
    if (count > 0) {
        widen(shown, points, count);
        (void)fprintf(to, "$squares%zu << EOD\n", series);
        made.squares = put_points(points, count, true, to);
        (void)fprintf(to, "$others%zu << EOD\n", series);
        made.others = put_points(points, count, false, to);
        for (size_t i = 0; i < count; i++)
            if (made.squares == 0 || points[i].square)
                made.last_rate = points[i].rate;
    }
    free(points);
    return made;
}

static const char *axis_of(const plx_page_problem *kind)
{
    return kind->rank == 3 ? "cube root of M N K" : kind->rank == 2 ? "elements of the matrix" : "elements";
}

static int by_rate(const void *a, const void *b)
{
    const curve *one = a, *other = b;
    return (one->last_rate > other->last_rate) - (one->last_rate < other->last_rate);
}

/* Names stand at the ends of their lines, each at least a line of text above the one
 * below it. */
static void place_names(curve *curves, size_t count, const extent *shown, const plx_page_size *size)
{
    double line = log(1.69 * shown->high / shown->low) * 1.3 * size->letters / (size->height - 6 * size->letters);
    qsort(curves, count, sizeof *curves, by_rate);
    for (size_t i = 0; i < count; i++) {
        curves[i].name = log(curves[i].last_rate);
        if (i > 0)
            curves[i].name = fmax(curves[i].name, curves[i - 1].name + line);
    }
}

static void put_names(plx_page *page, const curve *curves, size_t count, const extent *shown, FILE *to)
{
    for (size_t i = 0; i < count; i++) {
        (void)fputs("set label ", to);
        plx_page_quoted(to, page->series[curves[i].series].label);
        (void)fprintf(to, " at %.9g,%.9g left offset 0.8,0 tc rgb '%s'\n", shown->right, exp(curves[i].name),
                      plx_page_colour(page->series[curves[i].series].colour));
    }
}

/* Over few decades 1, 2 and 5 are numbered, else gnuplot's powers of ten. */
static void put_rate_tics(const extent *shown, FILE *to)
{
    static const double steps[] = {1, 2, 5};
    double decade = pow(10, floor(log10(shown->low / 1.3)));
    const char *separator = "set ytics (";
    if (shown->high / shown->low > 200)
        return;
    for (size_t i = 0; i < 12; i++) {
        double at = decade * steps[i % 3] * pow(10, (double)(i / 3));
        (void)fprintf(to, "%s%.6g", separator, at);
        separator = ", ";
    }
    (void)fputs(")\n", to);
}

/* "64", "4 Ki", "1 Mi": of a power of two. */
static void put_size_tic(double size, FILE *to)
{
    static const char *const units[] = {"", " Ki", " Mi", " Gi", " Ti", " Pi"};
    size_t unit = 0;
    while (size >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        size /= 1024;
        unit++;
    }
    (void)fprintf(to, "'%.0f%s' ", size, units[unit]);
}

/* Powers of two, every so many that their numbers stand apart; between two of them the
 * ends are numbered. */
static void put_size_tics(const plx_page_problem *kind, const extent *shown, const plx_page_size *size, FILE *to)
{
    double most = size->width / (5.0 * size->letters);
    double first = ceil(log2(shown->left) - 1e-6), last = floor(log2(shown->right) + 1e-6);
    double step = fmax(ceil((last - first) / most), 1);
    const char *separator = "set xtics (";
    if (last - first < 1) {
        (void)fprintf(to, "set xtics ('%.0f' %.9g, '%.0f' %.9g)\n", shown->left, shown->left, shown->right,
                      shown->right);
        return;
    }
    for (double at = first; at <= last; at += step) {
        (void)fputs(separator, to);
        if (kind->rank == 3)
            (void)fprintf(to, "'%.0f' ", exp2(at));
        else
            put_size_tic(exp2(at), to);
        (void)fprintf(to, "%.9g", exp2(at));
        separator = ", ";
    }
    (void)fputs(")\n", to);
}

static void put_axes(const plx_page_problem *kind, bool flops, const extent *shown, const plx_page_size *size, FILE *to)
{
    (void)fputs("set logscale x 2\nset logscale y\nset format y '%g'\n", to);
    put_size_tics(kind, shown, size, to);
    /* A little wider: gnuplot leaves out a tic at the very end, by rounding. */
    (void)fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset rmargin 13\n", shown->left / 1.001,
                  shown->right * 1.001, shown->low / 1.3, shown->high * 1.3);
    put_rate_tics(shown, to);
    (void)fputs("set xlabel ", to);
    plx_page_quoted(to, axis_of(kind));
    (void)fprintf(to, "\nset ylabel '%s'\n", flops ? "GFLOP/s" : "GB/s");
}

/* Marks and dashes of its own, so that colour is not all that tells series apart. */
static void put_curve(plx_page *page, const curve *of, const char *word, FILE *to)
{
    static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8};
    size_t colour = page->series[of->series].colour;
    if (of->squares > 0)
        (void)fprintf(to, "%s $squares%zu with linespoints lw 2 dt %zu pt %d ps 0.7 lc rgb '%s'", word, of->series,
                      colour % 5 + 1, marks[colour], plx_page_colour(colour));
    if (of->others > 0)
        (void)fprintf(to, "%s $others%zu with points pt %d ps 0.5 lc rgb '%s'", of->squares > 0 ? "," : word,
                      of->series, marks[colour], plx_page_colour(colour));
}

static void put_curves(plx_page *page, const plx_page_figure *figure, curve *curves, const plx_page_size *size,
                       FILE *to)
{
    const plx_page_problem *kind = &page->problems[figure->of];
    bool flops = plx_page_in_flops(page, figure->of);
    extent shown = {INFINITY, 0, INFINITY, 0};
    size_t count = 0;
    for (size_t s = 0; s < page->series_count; s++) {
        curves[count] = put_series(page, s, kind, flops, &shown, to);
        count += curves[count].squares + curves[count].others > 0;
    }
    place_names(curves, count, &shown, size);
    put_axes(kind, flops, &shown, size, to);
    put_names(page, curves, count, &shown, to);
    for (size_t i = 0; i < count; i++)
        put_curve(page, &curves[i], i == 0 ? "plot" : ",", to);
    (void)fputc('\n', to);
}

static void put_script(plx_page *page, const void *what, const plx_page_size *size, FILE *to)
{
    curve *curves = plx_page_memory(page, page->series_count, sizeof *curves);
    plx_page_canvas(size, to);
    if (curves != NULL)
        put_curves(page, what, curves, size, to);
    free(curves);
}

/* ---- figures, and the section ---------------------------------------------------------------- */

bool plx_page_sweep_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t i = 0; i < page->problem_count; i++) {
        const plx_page_problem *kind = &page->problems[i];
        if (!plx_page_opens_kind(page, i) || !has_sizes(page, i) || index-- > 0)
            continue;
        *figure = (plx_page_figure){.kind = "sweep", .of = i, .script = put_script};
        (void)snprintf(figure->name, sizeof figure->name, "sweep-%.30s-%.10s-%.60s", kind->op, kind->dtype, kind->form);
        (void)snprintf(figure->title, sizeof figure->title, "Rate against size: %.30s %.10s %.60s", kind->op,
                       kind->dtype, kind->form);
        return true;
    }
    return false;
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

void plx_page_sweeps(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    size_t count = 0;
    plx_page_section(to, "sizes", "Rate against size");
    for (; plx_page_sweep_figure(page, count, &figure); count++) {
        const plx_page_problem *kind = &page->problems[figure.of];
        if (count == 0)
            (void)fputs("<p>The best kernel of every backend. Lines join squares (and vectors); the points "
                        "are other shapes.</p>\n",
                        to);
        plx_page_put(to, "<h3>%s %s %s</h3>\n", kind->op, kind->dtype, kind->form);
        plx_page_draw(page, &figure, to);
        put_table(page, kind, plx_page_in_flops(page, figure.of), !page->plots, to);
    }
    if (count == 0)
        (void)fputs("<p>No operation was timed at two sizes.</p>\n", to);
    (void)fputs("</section>\n", to);
}
