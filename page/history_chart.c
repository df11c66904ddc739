/* The chart of a history: how fast each operation and type is in each file, beside the first. */
#include "page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT = 48, RIGHT = 12, PLOT = 220 };

/* What lies further off is drawn at the edge. */
static const double most_shown = 20;

static double shown(double speed)
{
    return fmin(speed, most_shown);
}

/* A tenth to either side of 1 at least, so that a little does not look like much. */
static plx_axis speeds_of(const plx_page_course *courses, size_t count, size_t files, double top)
{
    plx_axis y = {.low = 0.9, .high = 1.1, .from = top + PLOT, .to = top};
    for (size_t c = 0; c < count; c++)
        for (size_t f = 0; f < files; f++) {
            if (!(courses[c].speeds[f] > 0))
                continue;
            y.low = fmin(y.low, 0.97 * courses[c].speeds[f]);
            y.high = fmax(y.high, 1.03 * shown(courses[c].speeds[f]));
        }
    return y;
}

static void speed_tic(double number, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%g", fabs(number) < 1e-12 ? 0 : number);
}

/* The numbers of the files, every so many that they stand apart. */
static void put_files(plx_pen *pen, const plx_axis *x, size_t files, double bottom)
{
    static const plx_lettering tic = {.size = PLX_SMALL, .side = PLX_MIDDLE, .ink = PLX_SOFT},
                               name = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    const size_t step = 1 + files / 13;
    char number[24];
    plx_pen_line(pen, x->from, bottom, x->to, bottom, PLX_SOFT, false);
    for (size_t f = 0; f < files; f += step)
        plx_pen_line(pen, plx_axis_at(x, (double)f), bottom, plx_axis_at(x, (double)f), bottom + 4, PLX_SOFT, false);
    for (size_t f = 0; f < files; f += step) {
        (void)snprintf(number, sizeof number, "%zu", f + 1);
        plx_pen_text(pen, plx_axis_at(x, (double)f), bottom + 16, &tic, number);
    }
    plx_pen_text(pen, x->to, bottom + 33, &name, "file, in the order of the command line");
}

/* A line over the files that have it, and a mark at each. */
static void put_course(plx_page *page, plx_pen *pen, const plx_page_course *of, size_t ink, const plx_axis *x,
                       const plx_axis *y)
{
    plx_spot *spots = plx_page_memory(page, page->file_count, sizeof *spots);
    size_t count = 0;
    char speed[24], text[160];
    if (spots == NULL)
        return;
    for (size_t f = 0; f < page->file_count; f++)
        if (of->speeds[f] > 0)
            spots[count++] = (plx_spot){plx_axis_at(x, (double)f), plx_axis_at(y, shown(of->speeds[f]))};
    plx_pen_path(pen, spots, count, ink, false);
    free(spots);
    for (size_t f = 0; f < page->file_count; f++) {
        if (!(of->speeds[f] > 0))
            continue;
        plx_page_ratio_text(of->speeds[f], speed, sizeof speed);
        (void)snprintf(text, sizeof text, "%s, file %zu: %s times as fast as at first", of->name, f + 1, speed);
        plx_pen_mark(pen, plx_axis_at(x, (double)f), plx_axis_at(y, shown(of->speeds[f])), ink, text);
    }
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    size_t count;
    plx_page_course *courses = plx_page_courses(page, &count);
    plx_legend names[PLX_PAGE_COLOURS];
    (void)figure;
    for (size_t c = 0; c < count; c++)
        names[c] = (plx_legend){courses[c].name, c};
    const double top = plx_pen_legend(pen, pen->top + 14, names, count) + 28;
    const plx_axis y = speeds_of(courses, count, page->file_count, top),
                   x = {.low = 0, .high = (double)page->file_count - 1, .from = LEFT + 12, .to = pen->width - RIGHT};
    plx_pen_heights(pen, &y, LEFT, pen->width - RIGHT, "times as fast as in the first file, geometric mean", speed_tic);
    plx_pen_line(pen, LEFT, plx_axis_at(&y, 1), pen->width - RIGHT, plx_axis_at(&y, 1), PLX_INK, true);
    put_files(pen, &x, page->file_count, y.from);
    for (size_t c = 0; c < count; c++)
        put_course(page, pen, &courses[c], c, &x, &y);
    pen->height = y.from + 40;
    plx_page_courses_free(courses, count);
}

bool plx_page_history_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    size_t count;
    plx_page_course *courses = plx_page_courses(page, &count);
    *figure = (plx_page_figure){.kind = "history", .name = "history", .draw = draw};
    (void)snprintf(figure->title, sizeof figure->title, "Speed from the first file to the last");
    plx_page_courses_free(courses, count);
    return count > 0 && index == 0;
}
