/* Rooflines: of each chip, operations per byte against operations per second, under the
 * ceilings that were measured on it. */
#include "page/page.h"

#include <math.h>
#include <string.h>

/* ---- ceilings ------------------------------------------------------------------------- */

typedef struct ceiling {
    const char *kind;
    double value;
} ceiling;

enum { MOST_CEILINGS = 8 };

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
    return (range){of.x_low / 4, of.x_high * 3, of.y_low / 2, of.y_high * 3};
}

static void put_points(plx_page *page, size_t chip, size_t series, FILE *to)
{
    (void)fprintf(to, "$series%zu << EOD\n", series);
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (one->series == series && is_point(page, one, chip))
            (void)fprintf(to, "%.6g %.6g\n", intensity_of(one), one->is->gflops);
    }
    (void)fputs("EOD\n", to);
}

static bool has_points(plx_page *page, size_t chip, size_t series)
{
    for (size_t i = 0; i < page->record_count; i++)
        if ((series == PLX_PAGE_NONE || page->records[i].series == series) && is_point(page, &page->records[i], chip))
            return true;
    return false;
}

/* The fastest of an operation and element type on this chip gets their name. */
static bool is_best(plx_page *page, size_t chip, size_t record)
{
    const plx_page_record *own = &page->records[record];
    const plx_page_problem *problem = &page->problems[own->problem];
    if (!is_point(page, own, chip))
        return false;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        const plx_page_problem *other = &page->problems[one->problem];
        if (is_point(page, one, chip) && strcmp(other->op, problem->op) == 0 &&
            strcmp(other->dtype, problem->dtype) == 0 &&
            (one->is->gflops > own->is->gflops || (i < record && !(one->is->gflops < own->is->gflops))))
            return false;
    }
    return true;
}

/* How many operations with a name lie further left: neighbours get different heights. */
static size_t rank_of(plx_page *page, size_t chip, size_t record)
{
    size_t rank = 0;
    for (size_t i = 0; i < page->record_count; i++)
        rank += is_best(page, chip, i) && intensity_of(&page->records[i]) < intensity_of(&page->records[record]);
    return rank;
}

static void put_names(plx_page *page, size_t chip, FILE *to)
{
    char text[64];
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (!is_best(page, chip, i))
            continue;
        (void)snprintf(text, sizeof text, "%.30s %.10s", page->problems[one->problem].op,
                       page->problems[one->problem].dtype);
        (void)fputs("set label ", to);
        plx_page_quoted(to, text);
        (void)fprintf(to, " at %.6g,%.6g center offset 0,%.1f tc rgb '%s'\n", intensity_of(one), one->is->gflops,
                      rank_of(page, chip, i) % 2 == 0 ? 0.7 : 1.6, plx_page_ink());
    }
}

/* ---- the roof ------------------------------------------------------------------------------- */

static void put_line(FILE *to, double x0, double y0, double x1, double y1)
{
    (void)fprintf(to, "set arrow from %.6g,%.6g to %.6g,%.6g nohead lw 1.5 lc rgb '%s'\n", x0, y0, x1, y1,
                  plx_page_ink());
}

static void put_label(FILE *to, const ceiling *of, bool flops, double x, double y, const char *place)
{
    char text[264], rate[48];
    plx_page_rate_text(of->value, flops, rate, sizeof rate);
    (void)snprintf(text, sizeof text, "%.200s %s", of->kind, rate);
    (void)fputs("set label ", to);
    plx_page_quoted(to, text);
    (void)fprintf(to, " at %.6g,%.6g %s tc rgb '%s'\n", x, y, place, plx_page_ink());
}

/* Roofs so near each other that their texts would lie on one another have one. */
static bool is_near(const ceiling *a, const ceiling *b)
{
    return fmax(a->value, b->value) < 1.35 * fmin(a->value, b->value);
}

static bool has_text(const roof *of, size_t rate)
{
    for (size_t i = 0; i < rate; i++)
        if (is_near(&of->rates[i], &of->rates[rate]))
            return true;
    return false;
}

/* With the names of all whose text this is. */
static void put_rate_label(const roof *of, size_t rate, double x, FILE *to)
{
    char kinds[200] = "";
    for (size_t i = rate; i < of->rate_count; i++)
        if (i == rate || is_near(&of->rates[i], &of->rates[rate]))
            (void)snprintf(kinds + strlen(kinds), sizeof kinds - strlen(kinds), "%s%.30s", i > rate ? ", " : "",
                           of->rates[i].kind);
    put_label(to, &(const ceiling){kinds, of->rates[rate].value}, true, x, of->rates[rate].value, "right offset 0,0.6");
}

static void put_roof(const roof *of, const range *shown, FILE *to)
{
    double bandwidth = highest(of->bandwidths, of->bandwidth_count);
    double rate = highest(of->rates, of->rate_count);
    for (size_t i = 0; i < of->rate_count; i++) {
        double from = bandwidth > 0 ? of->rates[i].value / bandwidth : shown->x_low;
        put_line(to, fmax(from, shown->x_low), of->rates[i].value, shown->x_high, of->rates[i].value);
        if (!has_text(of, i))
            put_rate_label(of, i, shown->x_high, to);
    }
    for (size_t i = 0; i < of->bandwidth_count; i++) {
        double end = rate > 0 ? fmin(rate / of->bandwidths[i].value, shown->x_high) : shown->x_high;
        double middle = pow(shown->x_low, 0.4) * pow(end, 0.6);
        put_line(to, shown->x_low, of->bandwidths[i].value * shown->x_low, end, of->bandwidths[i].value * end);
        if (of->bandwidths[i].value >= bandwidth) /* the others are too close for a text; they are told above */
            put_label(to, &of->bandwidths[i], false, middle, of->bandwidths[i].value * middle, "right offset -0.5,0.6");
    }
}

/* Marks of their own for each series, so that colour is not all that tells them apart. */
static void put_plot(plx_page *page, size_t chip, FILE *to)
{
    static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8};
    const char *word = "plot";
    for (size_t s = 0; s < page->series_count; s++) {
        if (!has_points(page, chip, s))
            continue;
        (void)fprintf(to, "%s $series%zu with points pt %d ps 0.9 lc rgb '%s' title ", word, s,
                      marks[page->series[s].colour], plx_page_colour(page->series[s].colour));
        plx_page_quoted(to, page->series[s].shown);
        word = ",";
    }
    (void)fputc('\n', to);
}

static void put_script(plx_page *page, const void *what, const plx_page_size *size, FILE *to)
{
    const plx_page_figure *figure = what;
    roof above;
    find_roof(page, figure->of, &above);
    range shown = range_of(page, figure->of, &above);
    plx_page_canvas(size, to);
    (void)fputs("set logscale xy\nset xlabel 'FLOP per byte, compulsory traffic'\nset ylabel 'GFLOP/s'\n", to);
    (void)fprintf(to, "set format xy '%%g'\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", shown.x_low,
                  shown.x_high, shown.y_low, shown.y_high);
    (void)fprintf(to, "set tmargin -1\nset key above horizontal textcolor rgb '%s'\n", plx_page_ink());
    for (size_t s = 0; s < page->series_count; s++)
        if (has_points(page, figure->of, s))
            put_points(page, figure->of, s, to);
    put_roof(&above, &shown, to);
    put_names(page, figure->of, to);
    put_plot(page, figure->of, to);
}

/* ---- figures, and the section ------------------------------------------------------------------ */

bool plx_page_roofline_figure(plx_page *page, size_t index, plx_page_figure *figure)
{
    for (size_t chip = 0; chip < page->chip_count; chip++) {
        if (!has_points(page, chip, PLX_PAGE_NONE) || index-- > 0)
            continue;
        *figure = (plx_page_figure){.kind = "roofline", .of = chip, .script = put_script};
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
    (void)fputs("<p>Ceilings measured in the same process:", to);
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

void plx_page_rooflines(plx_page *page, FILE *to)
{
    plx_page_figure figure;
    roof above;
    plx_page_section(to, "roofline", "Roofline");
    (void)fputs("<p>Each point is a timed kernel: its operations per byte that has to move, and its rate. What "
                "computes nothing, as transpose, has no place here.</p>\n",
                to);
    for (size_t i = 0; plx_page_roofline_figure(page, i, &figure); i++) {
        (void)fputs("<h3>", to);
        plx_page_text(to, plx_page_chip(page, figure.of));
        (void)fputs("</h3>\n", to);
        find_roof(page, figure.of, &above);
        put_ceilings(&above, to);
        plx_page_draw(page, &figure, to);
    }
    (void)fputs("</section>\n", to);
}
