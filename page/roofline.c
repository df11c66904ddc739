/* Rooflines: of each chip, operations per byte against operations per second, under the
 * ceilings that were measured on it. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ceilings ------------------------------------------------------------------------- */

typedef struct ceiling {
    const char *kind;
    double value;
} ceiling;

enum { MOST_CEILINGS = PLX_CEILING_COUNT };

typedef struct roof {
    ceiling bandwidths[MOST_CEILINGS], rates[MOST_CEILINGS]; /* GB/s, GFLOP/s */
    size_t bandwidth_count, rate_count;
} roof;

/* Of several APIs on a chip the highest counts: no API can be above what the chip does. */
static void add_ceiling(ceiling *list, size_t *count, const char *kind, double value)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i].kind, kind) == 0) {
            list[i].value = fmax(list[i].value, value);
            return;
        }
    }
    if (*count < MOST_CEILINGS)
        list[(*count)++] = (ceiling){kind, value};
}

static void take_ceilings(const plx_ceilings *measured, roof *of)
{
    for (int i = 0; i < PLX_CEILING_COUNT; i++) {
        const plx_ceiling_kind kind = (plx_ceiling_kind)i;
        if (!(measured->value[i] > 0))
            continue;
        if (strcmp(plx_ceiling_unit(kind), "GB/s") == 0)
            add_ceiling(of->bandwidths, &of->bandwidth_count, plx_ceiling_name(kind), measured->value[i]);
        else if (strcmp(plx_ceiling_unit(kind), "GFLOP/s") == 0)
            add_ceiling(of->rates, &of->rate_count, plx_ceiling_name(kind), measured->value[i]);
    }
}

static double highest(const ceiling *list, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, list[i].value);
    return most;
}

static void find_roof(plx_page *page, size_t chip, roof *of)
{
    *of = (roof){.rate_count = 0};
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].chip == chip)
            take_ceilings(&page->devices[i].is->ceilings, of);
}

/* ---- points ------------------------------------------------------------------------------ */

static double intensity_of(const plx_page_record *one)
{
    return one->is->gflops / one->is->gbps;
}

static bool is_point(plx_page *page, const plx_page_record *one, size_t chip)
{
    return one->newest && one->time > 0 && one->is->gflops > 0 && one->is->gbps > 0 &&
           page->series[one->series].chip == chip;
}

typedef struct range {
    double x_low, x_high, y_low, y_high;
} range;

static void widen(range *of, double x, double y)
{
    of->x_low = fmin(of->x_low, x);
    of->x_high = fmax(of->x_high, x);
    of->y_low = fmin(of->y_low, y);
    of->y_high = fmax(of->y_high, y);
}

/* All points, and where the roof bends. */
static range range_of(plx_page *page, size_t chip, const roof *above)
{
    range of = {INFINITY, 0, INFINITY, 0};
    double bandwidth = highest(above->bandwidths, above->bandwidth_count);
    double rate = highest(above->rates, above->rate_count);
    for (size_t i = 0; i < page->record_count; i++)
        if (is_point(page, &page->records[i], chip))
            widen(&of, intensity_of(&page->records[i]), page->records[i].is->gflops);
    if (bandwidth > 0 && rate > 0) {
        widen(&of, rate / bandwidth / 4, rate);
        widen(&of, rate / bandwidth * 4, rate);
    }
    if (bandwidth > 0)
        widen(&of, of.x_low, bandwidth * of.x_low);
    return (range){of.x_low / 4, of.x_high * 3, of.y_low / 2, of.y_high * 6};
}

static bool has_points(plx_page *page, size_t chip)
{
    for (size_t i = 0; i < page->record_count; i++)
        if (is_point(page, &page->records[i], chip))
            return true;
    return false;
}

/* Whether it is the fastest of ours of its problem on this chip, over all files; of two the first. */
static bool is_best_of_problem(plx_page *page, size_t record, size_t chip)
{
    const plx_page_record *own = &page->records[record];
    if (!is_point(page, own, chip) || own->vendor || own->baseline)
        return false;
    for (size_t i = page->problems[own->problem].records; i != PLX_PAGE_NONE; i = page->records[i].next_of_problem) {
        const plx_page_record *one = &page->records[i];
        if (is_point(page, one, chip) && !one->vendor && !one->baseline &&
            (one->is->gflops > own->is->gflops || (i < record && !(one->is->gflops < own->is->gflops))))
            return false;
    }
    return true;
}

/* Whether it is the fastest of its operation and type: it gets their name. */
static bool is_best(plx_page *page, size_t record, size_t chip)
{
    const plx_page_record *own = &page->records[record];
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (is_point(page, one, chip) && !one->vendor && !one->baseline && one->is->problem.op == own->is->problem.op &&
            strcmp(plx_page_type(one->is), plx_page_type(own->is)) == 0 &&
            (one->is->gflops > own->is->gflops || (i < record && !(one->is->gflops < own->is->gflops))))
            return false;
    }
    return true;
}

/* ---- places of texts --------------------------------------------------------------------------- */

typedef struct box {
    double x0, y0, x1, y1;
} box;

enum { MOST_BOXES = 48, LEFT = 52, PLOT = 330, BELOW = 40 };

/* A line from a point to its name. */
typedef struct leader {
    plx_spot from, to;
} leader;

/* What is drawn and written already. */
typedef struct sheet {
    plx_pen *pen;
    plx_axis x, y;
    box boxes[MOST_BOXES];
    size_t count;
    leader leaders[MOST_BOXES];
    size_t leader_count;
    plx_spot *dots; /* NULL: no memory */
    size_t dot_count;
} sheet;

static bool meet(const box *a, const box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

static box box_of(double x, double y, const plx_lettering *how, const char *text)
{
    double width = plx_pen_width(text, how->size) * (how->bold ? 1.15 : 1);
    double left = how->side == PLX_RIGHT ? x - width : how->side == PLX_MIDDLE ? x - width / 2 : x;
    return (box){left - 2, y - how->size, left + width + 2, y + 0.3 * how->size};
}

/* Whether a text would stay within the plot, and lie on no other. */
static bool has_room(const sheet *on, const box *wanted)
{
    if (wanted->x0 < on->x.from || wanted->x1 > on->x.to + 4 || wanted->y0 < on->y.to - 8 || wanted->y1 > on->y.from ||
        on->count == MOST_BOXES)
        return false;
    for (size_t i = 0; i < on->count; i++)
        if (meet(wanted, &on->boxes[i]))
            return false;
    return true;
}

/* False: something is there already, or it would leave the plot. */
static bool write_at(sheet *on, double x, double y, const plx_lettering *how, const char *text)
{
    const box wanted = box_of(x, y, how, text);
    if (!has_room(on, &wanted))
        return false;
    on->boxes[on->count++] = wanted;
    plx_pen_text(on->pen, x, y, how, text);
    return true;
}

/* ---- the roof ------------------------------------------------------------------------------------ */

/* Roofs so near each other that their texts would lie on one another have one. */
static bool is_near(const sheet *on, const ceiling *a, const ceiling *b)
{
    return fabs(plx_axis_at(&on->y, a->value) - plx_axis_at(&on->y, b->value)) < 14;
}

static bool has_text(const sheet *on, const roof *of, size_t rate)
{
    for (size_t i = 0; i < rate; i++)
        if (is_near(on, &of->rates[i], &of->rates[rate]))
            return true;
    return false;
}

/* With the names and numbers of all whose text this is; above the highest of them, or as near as there is room. */
static void put_rate_label(sheet *on, const roof *of, size_t rate)
{
    static const plx_lettering how = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_INK, .over = true};
    char text[264] = "", number[48];
    double most = of->rates[rate].value;
    for (size_t i = rate; i < of->rate_count; i++) {
        if (i != rate && !is_near(on, &of->rates[i], &of->rates[rate]))
            continue;
        plx_page_rate_text(of->rates[i].value, true, number, sizeof number);
        number[strcspn(number, "F")] = '\0'; /* "63.9 T": the axis has the unit */
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.30s %s", i > rate ? ", " : "",
                       of->rates[i].kind, number);
        most = fmax(most, of->rates[i].value);
    }
    static const double lifts[] = {4, -13, 17, -26, 30, 43};
    for (size_t i = 0; i < sizeof lifts / sizeof lifts[0]; i++)
        if (write_at(on, on->x.to, plx_axis_at(&on->y, most) - lifts[i], &how, text))
            return;
}

static void put_bandwidth_label(sheet *on, const ceiling *of)
{
    static const plx_lettering how = {.size = PLX_SMALL, .ink = PLX_INK, .over = true};
    char text[264], number[48];
    plx_page_rate_text(of->value, false, number, sizeof number);
    (void)snprintf(text, sizeof text, "%.60s %s", of->kind, number);
    for (double part = 0.02; part < 0.5; part += 0.04) {
        double at = on->x.low * pow(on->x.high / on->x.low, part);
        if (write_at(on, plx_axis_at(&on->x, at), plx_axis_at(&on->y, of->value * at) - 10 - 60 * part, &how, text))
            return;
    }
}

/* A line within the plot. */
static void put_line(const sheet *on, double x0, double y0, double x1, double y1)
{
    if (y0 < on->y.low) {
        x0 *= on->y.low / y0;
        y0 = on->y.low;
    }
    if (x1 > x0)
        plx_pen_line(on->pen, plx_axis_at(&on->x, x0), plx_axis_at(&on->y, y0), plx_axis_at(&on->x, x1),
                     plx_axis_at(&on->y, y1), PLX_INK, false);
}

static void put_roof(sheet *on, const roof *of)
{
    double bandwidth = highest(of->bandwidths, of->bandwidth_count);
    double rate = highest(of->rates, of->rate_count);
    for (size_t i = 0; i < of->rate_count; i++) {
        double from = bandwidth > 0 ? of->rates[i].value / bandwidth : on->x.low;
        put_line(on, fmax(from, on->x.low), of->rates[i].value, on->x.high, of->rates[i].value);
    }
    for (size_t i = 0; i < of->bandwidth_count; i++) {
        const double value = of->bandwidths[i].value, end = rate > 0 ? fmin(rate / value, on->x.high) : on->x.high;
        if (value >= bandwidth) /* the others are too close for a line; they are told above */
            put_line(on, on->x.low, value * on->x.low, end, value * end);
    }
}

static void put_roof_labels(sheet *on, const roof *of)
{
    for (size_t i = 0; i < of->rate_count; i++)
        if (!has_text(on, of, i))
            put_rate_label(on, of, i);
    for (size_t i = 0; i < of->bandwidth_count; i++)
        if (of->bandwidths[i].value >= highest(of->bandwidths, of->bandwidth_count))
            put_bandwidth_label(on, &of->bandwidths[i]);
}

/* ---- points ------------------------------------------------------------------------------------------ */

static void put_point(plx_page *page, sheet *on, const plx_page_record *one)
{
    const plx_page_problem *problem = &page->problems[one->problem];
    char rate[48], text[256];
    const plx_spot at = {plx_axis_at(&on->x, intensity_of(one)), plx_axis_at(&on->y, one->is->gflops)};
    plx_page_rate_text(one->is->gflops, true, rate, sizeof rate);
    (void)snprintf(text, sizeof text, "%.20s %.60s: %s", problem->op, problem->shape, rate);
    plx_pen_dot(on->pen, at.x, at.y, page->series[one->series].colour, text);
    if (on->dots != NULL)
        on->dots[on->dot_count++] = at;
}

/* A place for a name, and how it costs: points that would be hidden, and the way from its own. */
typedef struct place {
    double x, y, cost;
    plx_side side;
} place;

static size_t hidden_by(const sheet *on, const box *name)
{
    size_t count = 0;
    for (size_t i = 0; i < on->dot_count; i++)
        count += on->dots[i].x > name->x0 - 2 && on->dots[i].x < name->x1 + 2 && on->dots[i].y > name->y0 - 2 &&
                 on->dots[i].y < name->y1 + 2;
    return count;
}

/* The nearest point of a text to another. */
static plx_spot nearest(const box *name, double x, double y)
{
    return (plx_spot){fmin(fmax(x, name->x0), name->x1), fmin(fmax(y, name->y0), name->y1)};
}

static plx_lettering name_lettering(plx_side side)
{
    return (plx_lettering){.size = PLX_LETTERS, .side = side, .ink = PLX_INK, .bold = true, .over = true};
}

/* Most points of a kind lie below its best one, which has the name. */
static const double below_points = 1.6;

enum { NEAR = 10, STEPS = 40, HIDDEN = 6, CROSSED = 15 };

/* Whether a line goes below a text. */
static bool goes_below(const leader *line, const box *name)
{
    for (int step = 0; step <= STEPS; step++) {
        const double x = line->from.x + (line->to.x - line->from.x) * step / STEPS,
                     y = line->from.y + (line->to.y - line->from.y) * step / STEPS;
        if (x > name->x0 && x < name->x1 && y > name->y0 && y < name->y1)
            return true;
    }
    return false;
}

/* Texts that the line of a name would go below, and lines that would go below the name. */
static size_t crossings(const sheet *on, const leader *line, const box *name)
{
    size_t count = 0;
    for (size_t i = 0; i < on->count; i++)
        count += goes_below(line, &on->boxes[i]);
    for (size_t i = 0; i < on->leader_count; i++)
        count += goes_below(&on->leaders[i], name);
    return count;
}

/* None where the name is beside its point. */
static void put_leader(sheet *on, leader line)
{
    if (hypot(line.to.x - line.from.x, line.to.y - line.from.y) <= NEAR)
        return;
    plx_pen_line(on->pen, line.from.x, line.from.y, line.to.x, line.to.y, PLX_SOFT, false);
    on->leaders[on->leader_count++] = line;
}

static void try_place(const sheet *on, const char *text, double x, double y, place at, place *best)
{
    const plx_lettering how = name_lettering(at.side);
    const box wanted = box_of(at.x, at.y, &how, text);
    const plx_spot near = nearest(&wanted, x, y);
    if (!has_room(on, &wanted))
        return;
    at.cost = HIDDEN * (double)hidden_by(on, &wanted) +
              CROSSED * (double)crossings(on, &(leader){{x, y}, near}, &wanted) +
              hypot(near.x - x, near.y - y) * (near.y > y ? below_points : 1);
    if (at.cost < best->cost)
        *best = at;
}

/* Where it hides least and is nearest to its point, with a line to it where it isn't beside it. */
static void put_name(sheet *on, const plx_page_record *one)
{
    static const plx_side sides[] = {PLX_MIDDLE, PLX_LEFT, PLX_RIGHT};
    const double x = plx_axis_at(&on->x, intensity_of(one)), y = plx_axis_at(&on->y, one->is->gflops);
    place best = {.cost = INFINITY};
    char text[64];
    (void)snprintf(text, sizeof text, "%.30s %.20s", plx_op_name(one->is->problem.op), plx_page_type(one->is));
    for (double across = -120; across <= 120; across += 8)
        for (double down = -96; down <= 200; down += 8)
            for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
                try_place(on, text, x, y, (place){.x = x + across, .y = y + down, .side = sides[i]}, &best);
    if (!isfinite(best.cost))
        return;
    const plx_lettering how = name_lettering(best.side);
    const box at = box_of(best.x, best.y, &how, text);
    put_leader(on, (leader){{x, y}, nearest(&at, x, y)});
    (void)write_at(on, best.x, best.y, &how, text);
}

/* Types that others stand for have points, and no name: there are names enough. */
static bool is_emulated(const plx_record *record)
{
    return record->problem.compute != PLX_COMPUTE_PLAIN && record->problem.compute != PLX_COMPUTE_TF32;
}

/* The fastest of each operation and type, from the highest down. */
static void put_names(plx_page *page, size_t chip, sheet *on)
{
    const plx_page_record *best[MOST_BOXES];
    size_t count = 0;
    for (size_t i = 0; i < page->record_count && count < MOST_BOXES; i++) {
        if (!is_best_of_problem(page, i, chip) || !is_best(page, i, chip) || is_emulated(page->records[i].is))
            continue;
        size_t at = count++;
        for (; at > 0 && best[at - 1]->is->gflops < page->records[i].is->gflops; at--)
            best[at] = best[at - 1];
        best[at] = &page->records[i];
    }
    for (size_t i = 0; i < count; i++)
        put_name(on, best[i]);
}

static double put_legend(plx_page *page, size_t chip, plx_pen *pen)
{
    plx_legend entries[PLX_PAGE_COLOURS];
    size_t count = 0;
    for (size_t s = 0; s < page->series_count && count < PLX_PAGE_COLOURS; s++)
        for (size_t i = 0; i < page->record_count; i++)
            if (page->records[i].series == s && is_best_of_problem(page, i, chip)) {
                entries[count++] = (plx_legend){page->series[s].shown, page->series[s].colour};
                break;
            }
    return plx_pen_legend(pen, pen->top + 14, entries, count);
}

static void number_tic(double number, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%g", number);
}

static void draw(plx_page *page, const plx_page_figure *figure, plx_pen *pen)
{
    roof above;
    double top = put_legend(page, figure->of, pen) + 18, bottom = top + PLOT;
    find_roof(page, figure->of, &above);
    const range shown = range_of(page, figure->of, &above);
    sheet on = {.pen = pen,
                .x = {.low = shown.x_low, .high = shown.x_high, .from = LEFT, .to = pen->width - 10, .log = true},
                .y = {.low = shown.y_low, .high = shown.y_high, .from = bottom, .to = top, .log = true},
                .dots = plx_page_memory(page, page->record_count, sizeof *on.dots)};
    plx_pen_heights(pen, &on.y, LEFT, on.x.to, "FLOP/s", plx_tic_of_rate);
    plx_pen_widths(pen, &on.x, bottom, "FLOP per byte, compulsory traffic", number_tic);
    put_roof(&on, &above);
    for (size_t s = 0; s < page->series_count; s++)
        for (size_t i = 0; i < page->record_count; i++)
            if (page->records[i].series == s && is_best_of_problem(page, i, figure->of))
                put_point(page, &on, &page->records[i]);
    put_roof_labels(&on, &above);
    put_names(page, figure->of, &on);
    free(on.dots);
    pen->height = bottom + BELOW;
}

/* ---- figures, and the section ------------------------------------------------------------------ */

bool plx_page_roofline_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t chip = 0; chip < page->chip_count; chip++) {
        if (!has_points(page, chip) || index-- > 0)
            continue;
        *figure = (plx_page_figure){.kind = "roofline", .of = chip, .draw = draw};
        (void)snprintf(figure->name, sizeof figure->name, "roofline-%zu", chip);
        (void)snprintf(figure->title, sizeof figure->title, "Roofline of %.200s", plx_page_chip(page, chip));
        return true;
    }
    return false;
}

static void put_ceilings(const roof *of, FILE *to)
{
    char rate[48];
    if (of->rate_count + of->bandwidth_count == 0) {
        (void)fputs("<p class=\"soft\">No ceilings were measured on this device.</p>\n", to);
        return;
    }
    (void)fputs("<p>Ceilings, each measured beside the kernels:", to);
    for (size_t i = 0; i < of->rate_count + of->bandwidth_count; i++) {
        bool flops = i >= of->bandwidth_count;
        const ceiling *one = flops ? &of->rates[i - of->bandwidth_count] : &of->bandwidths[i];
        plx_page_rate_text(one->value, flops, rate, sizeof rate);
        (void)fputs(i > 0 ? ", " : " ", to);
        plx_page_text(to, one->kind);
        (void)fprintf(to, " %s", rate);
    }
    (void)fputs(".</p>\n", to);
}

/* What is above every ceiling ran on units whose ceiling was not measured. */
static void put_higher(plx_page *page, size_t chip, const roof *of, FILE *to)
{
    double most = highest(of->rates, of->rate_count);
    for (size_t i = 0; i < page->record_count; i++)
        if (most > 0 && is_best_of_problem(page, i, chip) && page->records[i].is->gflops > 1.05 * most) {
            (void)fputs("<p>Points above the highest line were computed on matrix units, whose ceiling is not in these "
                        "files.</p>\n",
                        to);
            return;
        }
}

void plx_page_rooflines(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    roof above;
    for (size_t i = 0; plx_page_roofline_figure(page, i, &figure); i++) {
        if (i == 0)
            (void)fputs("<p>Each point is the best kernel of a problem: its operations per byte that has to move, and "
                        "its rate. The lines are ceilings that were measured. Transpose computes nothing and has no "
                        "place here.</p>\n",
                        to);
        plx_page_put(to, "<h3 id=\"roofline-%zu\">%s</h3>\n", figure.of, plx_page_chip(page, figure.of));
        find_roof(page, figure.of, &above);
        put_ceilings(&above, to);
        put_higher(page, figure.of, &above, to);
        plx_page_draw(page, &figure, to);
    }
}
