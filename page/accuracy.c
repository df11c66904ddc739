/* Error against the number of terms: of products of several element and compute types, what our kernels were
 * off by at most, and what they may be. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of a curve, at least, and at most. */
enum { LEAST = 3, MOST = 64 };

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
        if (counts(one) && is_alike(one, own) && strcmp(plx_page_type(one->is), plx_page_type(own->is)) == 0 &&
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
    curve made = {.type = plx_page_type(like->is)};
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (!counts(one) || !is_alike(one, like) || strcmp(plx_page_type(one->is), made.type) != 0)
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

/* ---- the picture ----------------------------------------------------------------------- */

enum { MOST_TYPES = 16, LEFT = 48, NAMES = 84, PLOT = 300, BELOW = 40 };

/* All curves of a study, and what they reach to. */
typedef struct drawing {
    curve *curves; /* MOST_TYPES of them */
    size_t count;
    double left, right, low, high;
} drawing;

static void add_curve(plx_page *page, const curve *of, size_t number, void *data)
{
    drawing *d = data;
    (void)page;
    if (number >= MOST_TYPES)
        return;
    d->curves[d->count++] = *of;
    for (size_t i = 0; i < of->count; i++) {
        d->left = fmin(d->left, of->points[i].terms);
        d->right = fmax(d->right, of->points[i].terms);
        d->low = fmin(d->low, of->points[i].error);
        d->high = fmax(d->high, of->points[i].bound);
    }
}

/* "1e-7". */
static void error_tic(double number, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "1e%.0f", round(log10(number)));
}

/* The lengths that were tried, as many as stand apart. */
static void put_terms(plx_pen *pen, const curve *of, const plx_axis *x, double bottom)
{
    static const plx_lettering tic = {.size = PLX_SMALL, .side = PLX_MIDDLE, .ink = PLX_SOFT},
                               name = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    double last = -100;
    char text[32];
    plx_pen_line(pen, x->from, bottom, x->to, bottom, PLX_SOFT, false);
    for (size_t i = 0; i < of->count; i++) {
        double at = plx_axis_at(x, of->points[i].terms);
        if (at - last < 44)
            continue;
        (void)snprintf(text, sizeof text, "%.0f", of->points[i].terms);
        plx_pen_text(pen, at, bottom + 16, &tic, text);
        last = at;
    }
    plx_pen_text(pen, x->to, bottom + 33, &name, "terms of a sum, k");
}

/* The error as a line with marks, the bound dashed. */
static void put_curve(plx_pen *pen, const curve *of, size_t ink, const plx_axis *x, const plx_axis *y)
{
    plx_spot errors[MOST], bounds[MOST];
    char text[160];
    for (size_t i = 0; i < of->count; i++) {
        errors[i] = (plx_spot){plx_axis_at(x, of->points[i].terms), plx_axis_at(y, of->points[i].error)};
        bounds[i] = (plx_spot){errors[i].x, plx_axis_at(y, of->points[i].bound)};
    }
    plx_pen_path(pen, bounds, of->count, ink, true);
    plx_pen_path(pen, errors, of->count, ink, false);
    for (size_t i = 0; i < of->count; i++) {
        (void)snprintf(text, sizeof text, "%.20s, %.0f terms: error %.3g, bound %.3g", of->type, of->points[i].terms,
                       of->points[i].error, of->points[i].bound);
        plx_pen_mark(pen, errors[i].x, errors[i].y, ink, text);
    }
}

/* Beside the end of each line of errors: the type. */
static void put_names(plx_pen *pen, const drawing *d, const plx_axis *y)
{
    size_t order[MOST_TYPES];
    double places[MOST_TYPES];
    for (size_t i = 0; i < d->count; i++) {
        double at = plx_axis_at(y, d->curves[i].points[d->curves[i].count - 1].error) + 4;
        size_t k = i;
        for (; k > 0 && places[k - 1] > at; k--) {
            places[k] = places[k - 1];
            order[k] = order[k - 1];
        }
        places[k] = at;
        order[k] = i;
    }
    plx_pen_apart(places, d->count, 16, y->to + 4, y->from + 4);
    for (size_t i = 0; i < d->count; i++) {
        const plx_lettering how = {.size = PLX_LETTERS, .ink = order[i] % PLX_PAGE_COLOURS, .bold = true};
        plx_pen_text(pen, pen->width - NAMES + 8, places[i], &how, d->curves[order[i]].type);
    }
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    static const plx_lettering soft = {.size = PLX_SMALL, .ink = PLX_SOFT};
    drawing d = {.curves = plx_page_memory(page, MOST_TYPES, sizeof *d.curves), .left = INFINITY, .low = INFINITY};
    double top = pen->top + 42, bottom = top + PLOT;
    if (d.curves != NULL)
        each_curve(page, figure->of, add_curve, &d);
    const plx_axis x = {.low = d.left, .high = d.right, .from = LEFT + 8, .to = pen->width - NAMES, .log = true},
                   y = {.low = d.low / 2, .high = d.high * 2, .from = bottom, .to = top, .log = true};
    plx_pen_text(pen, 4, pen->top + 14, &soft, "line: the largest error, dashed: its bound, in the same colour");
    plx_pen_heights(pen, &y, LEFT, x.to, "error over the sum of magnitudes", error_tic);
    if (d.count > 0)
        put_terms(pen, &d.curves[0], &x, bottom);
    for (size_t i = 0; i < d.count; i++)
        put_curve(pen, &d.curves[i], i % PLX_PAGE_COLOURS, &x, &y);
    put_names(pen, &d, &y);
    pen->height = bottom + BELOW;
    free(d.curves);
}

/* ---- figures, and the section ---------------------------------------------------------------- */

bool plx_page_accuracy_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t i = 0; i < page->record_count; i++) {
        if (!opens_study(page, i) || index-- > 0)
            continue;
        const plx_record *record = page->records[i].is;
        *figure = (plx_page_figure){.kind = "accuracy", .of = i, .draw = draw};
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

/* The largest share of a bound that any error of the study reaches. */
static void find_share(plx_page *page, const curve *of, size_t number, void *data)
{
    double *share = data;
    (void)page;
    (void)number;
    for (size_t i = 0; i < of->count; i++)
        *share = fmax(*share, of->points[i].error / of->points[i].bound);
}

static void put_sentence(plx_page *page, size_t study, FILE *to)
{
    double share = 0;
    char percent[32];
    each_curve(page, study, find_share, &share);
    plx_plain_number_text(100 * share, 2, percent, sizeof percent);
    (void)fprintf(
        to,
        "<p>Every line stays below its dashed bound: the largest error reaches %s %% of it. A line that rises "
        "more slowly than its bound leaves it ever more room; the distance between the lines of two types "
        "is the accuracy that the shorter type costs.</p>\n",
        percent);
}

void plx_page_accuracies(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    for (size_t i = 0; plx_page_accuracy_figure(page, i, &figure); i++) {
        if (i == 0)
            (void)fputs("<p>The largest error of our kernels over the sum of the magnitudes of what was summed, by "
                        "element or compute type.</p>\n",
                        to);
        put_sentence(page, figure.of, to);
        plx_page_draw(page, &figure, to);
        (void)fputs("<details><summary>In numbers</summary>\n<div class=\"box\"><table><thead><tr><th>type</th>"
                    "<th class=\"n\">terms</th><th class=\"n\">error</th><th class=\"n\">bound</th></tr></thead>\n"
                    "<tbody>\n",
                    to);
        each_curve(page, figure.of, put_row, to);
        (void)fputs("</tbody></table></div></details>\n", to);
    }
}
