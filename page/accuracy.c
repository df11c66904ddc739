/* Error against the number of terms: of products of several element and compute types, what our kernels were
 * off by at most, and what they may be. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of a curve, at least, and at most. */
enum { LEAST = 3, MOST = 64 };

/* What a type shows: "bf16", or "tf32" of f32. */
static const char *type_of(const plx_record *record)
{
    const plx_problem *problem = &record->problem;
    return problem->compute == PLX_COMPUTE_PLAIN ? plx_dtype_name(problem->dtype) : plx_compute_name(problem->compute);
}

static bool counts(const plx_page_record *one)
{
    const plx_record *record = one->is;
    return one->newest && one->ok && !one->vendor && !one->baseline && record->problem.op == PLX_GEMM &&
           !record->from_files && record->error.max_over_terms > 0 && record->error.gamma > 0 &&
           record->problem.of.gemm.k > 0;
}

/* As many rows and columns, and inputs of one class: the terms differ, and the types. */
static bool is_alike(const plx_page_record *a, const plx_page_record *b)
{
    const plx_gemm_problem *one = &a->is->problem.of.gemm, *other = &b->is->problem.of.gemm;
    return one->m == other->m && one->n == other->n && a->is->input == b->is->input;
}

/* Whether an earlier record is of the same type, and of the same length where that is asked for. */
static bool opens(plx_page *page, size_t at, bool length)
{
    const plx_page_record *own = &page->records[at];
    for (size_t i = 0; i < at; i++) {
        const plx_page_record *one = &page->records[i];
        if (counts(one) && is_alike(one, own) && strcmp(type_of(one->is), type_of(own->is)) == 0 &&
            (!length || one->is->problem.of.gemm.k == own->is->problem.of.gemm.k))
            return false;
    }
    return true;
}

/* ---- points ------------------------------------------------------------------------- */

typedef struct point {
    double terms, error, bound;
} point;

typedef struct curve {
    const char *type;
    point points[MOST];
    size_t count;
} curve;

static int by_terms(const void *a, const void *b)
{
    const point *one = a, *other = b;
    return (one->terms > other->terms) - (one->terms < other->terms);
}

static point *point_at(curve *of, double terms)
{
    for (size_t i = 0; i < of->count; i++)
        if (!(of->points[i].terms < terms) && !(of->points[i].terms > terms))
            return &of->points[i];
    if (of->count == MOST)
        return NULL;
    of->points[of->count] = (point){.terms = terms};
    return &of->points[of->count++];
}

/* Of several kernels the largest error, and the widest bound. */
static curve curve_of(plx_page *page, const plx_page_record *like)
{
    curve made = {.type = type_of(like->is)};
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (!counts(one) || !is_alike(one, like) || strcmp(type_of(one->is), made.type) != 0)
            continue;
        point *at = point_at(&made, (double)one->is->problem.of.gemm.k);
        if (at == NULL)
            continue;
        at->error = fmax(at->error, one->is->error.max_over_terms);
        at->bound = fmax(at->bound, one->is->error.gamma + one->is->error.narrowing);
    }
    qsort(made.points, made.count, sizeof made.points[0], by_terms);
    return made;
}

/* The first record of a study of the terms: no earlier one is alike, and some type has points enough. */
static bool opens_study(plx_page *page, size_t at)
{
    const plx_page_record *own = &page->records[at];
    if (!counts(own))
        return false;
    for (size_t i = 0; i < at; i++)
        if (counts(&page->records[i]) && is_alike(&page->records[i], own))
            return false;
    for (size_t i = at; i < page->record_count; i++)
        if (counts(&page->records[i]) && is_alike(&page->records[i], own) && opens(page, i, false) &&
            curve_of(page, &page->records[i]).count >= LEAST)
            return true;
    return false;
}

/* Calls visit for the curve of each type, in the order of the records. */
typedef void visitor(plx_page *page, const curve *of, size_t number, void *data);

static void each_curve(plx_page *page, size_t study, visitor *visit, void *data)
{
    size_t number = 0;
    for (size_t i = study; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (!counts(one) || !is_alike(one, &page->records[study]) || !opens(page, i, false))
            continue;
        const curve made = curve_of(page, one);
        if (made.count >= LEAST)
            visit(page, &made, number++, data);
    }
}

/* ---- the script ------------------------------------------------------------------------ */

typedef struct drawing {
    FILE *to;
    const plx_page_size *size;
    double left, right, low, high, name; /* `name`: height of the last one */
} drawing;

static void put_points(plx_page *page, const curve *of, size_t number, void *data)
{
    drawing *d = data;
    (void)page;
    (void)fprintf(d->to, "$type%zu << EOD\n", number);
    for (size_t i = 0; i < of->count; i++) {
        const point *at = &of->points[i];
        (void)fprintf(d->to, "%.9g %.6g %.6g\n", at->terms, at->error, at->bound);
        d->left = fmin(d->left, at->terms);
        d->right = fmax(d->right, at->terms);
        d->low = fmin(d->low, at->error);
        d->high = fmax(d->high, at->bound);
    }
    (void)fputs("EOD\n", d->to);
}

/* Names stand in a column beside the picture, in the order of the curves. */
static void put_name(plx_page *page, const curve *of, size_t number, void *data)
{
    drawing *d = data;
    (void)page;
    (void)fputs("set label ", d->to);
    plx_page_quoted(d->to, of->type);
    (void)fprintf(d->to, " at graph 1.02,%.3f left tc rgb '%s'\n", 0.97 - 0.07 * (double)number,
                  plx_page_colour(number));
}

static void put_curve(plx_page *page, const curve *of, size_t number, void *data)
{
    static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8};
    drawing *d = data;
    (void)page;
    (void)of;
    (void)fprintf(d->to,
                  "%s $type%zu using 1:2 with linespoints lw 2 pt %d ps 0.7 lc rgb '%s', $type%zu using 1:3 with "
                  "lines lw 1.5 dt 2 lc rgb '%s'",
                  number == 0 ? "plot" : ",", number, marks[number % 8], plx_page_colour(number), number,
                  plx_page_colour(number));
}

static void put_script(plx_page *page, const void *what, const plx_page_size *size, FILE *to)
{
    const plx_page_figure *figure = what;
    drawing d = {.to = to, .size = size, .left = INFINITY, .low = INFINITY};
    plx_page_canvas(size, to);
    each_curve(page, figure->of, put_points, &d);
    (void)fprintf(to,
                  "set logscale x 2\nset logscale y\nset format x '%%.0f'\nset format y '%%.0e'\n"
                  "set xrange [%.9g:%.9g]\nset yrange [%.6g:%.6g]\nset rmargin 9\nset lmargin 9\n"
                  "set xlabel 'terms of a sum, k'\nset ylabel 'error over the sum of magnitudes'\n",
                  d.left / 1.001, d.right * 1.001, d.low / 2, d.high * 2);
    each_curve(page, figure->of, put_name, &d);
    each_curve(page, figure->of, put_curve, &d);
    (void)fputc('\n', to);
}

/* ---- figures, and the section ---------------------------------------------------------------- */

bool plx_page_accuracy_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t i = 0; i < page->record_count; i++) {
        if (!opens_study(page, i) || index-- > 0)
            continue;
        const plx_record *record = page->records[i].is;
        *figure = (plx_page_figure){.kind = "accuracy", .of = i, .script = put_script};
        (void)snprintf(figure->name, sizeof figure->name, "accuracy-gemm-%lldx%lld-%.20s",
                       (long long)record->problem.of.gemm.m, (long long)record->problem.of.gemm.n,
                       plx_input_name(record->input));
        (void)snprintf(figure->title, sizeof figure->title,
                       "Error of gemm against the number of terms, and its bound, by type");
        return true;
    }
    return false;
}

static void put_row(plx_page *page, const curve *of, size_t number, void *data)
{
    FILE *to = data;
    (void)page;
    (void)number;
    for (size_t i = 0; i < of->count; i++) {
        plx_page_put(to, "<tr><td>%s</td>", of->type);
        (void)fprintf(to, "<td class=\"n\">%.0f</td><td class=\"n\">%.3g</td><td class=\"n\">%.3g</td></tr>\n",
                      of->points[i].terms, of->points[i].error, of->points[i].bound);
    }
}

void plx_page_accuracies(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    if (!plx_page_accuracy_figure(page, 0, &figure))
        return;
    plx_page_section(to, "accuracy", "Error against the number of terms");
    (void)fputs("<p>The largest |error| of our kernels, over the sum of the magnitudes of what was summed, "
                "by element "
                "or compute type; dashed: the bound that it was judged by.</p>\n",
                to);
    for (size_t i = 0; plx_page_accuracy_figure(page, i, &figure); i++) {
        plx_page_draw(page, &figure, to);
        (void)fprintf(to,
                      "<details%s><summary>In numbers</summary>\n<div class=\"box\"><table><thead><tr><th>type</th>"
                      "<th class=\"n\">terms</th><th class=\"n\">error</th><th class=\"n\">bound</th></tr></thead>\n"
                      "<tbody>\n",
                      page->plots ? "" : " open");
        each_curve(page, figure.of, put_row, to);
        (void)fputs("</tbody></table></div></details>\n", to);
    }
    (void)fputs("</section>\n", to);
}
