/* Probes for people: of each sweep its points, a bar for each, and the verdict; and
 * the same as a script for gnuplot. */
#define _POSIX_C_SOURCE 200809L

#include "study/report/report.h"

#include "base/table.h"

#include <parallax/plugin.h>

#include <langinfo.h>
#include <math.h>
#include <string.h>

enum { CELL = 96, DEFAULT_WIDTH = 100, LEAST_BAR = 10, MOST_BAR = 48 };

void plx_probe_point_text(const plx_probe_point *point, char *text, size_t capacity)
{
    bool named =
        point->series[0] != '\0' && strstr(point->label, point->series) == NULL && strcmp(point->series, "plain") != 0;
    (void)snprintf(text, capacity, "%s%s%s", point->label, named ? ", " : "", named ? point->series : "");
}

static bool is_timed(const plx_probe_point *point)
{
    return point->outcome == PLX_OUTCOME_OK && point->time.measured && point->time.median_ns > 0 &&
           isfinite(point->time.median_ns);
}

/* ---- the table -------------------------------------------------------------------- */

typedef struct drawing {
    FILE *to;
    bool utf8;
    int width, label_width;
    double longest; /* time */
} drawing;

static void measure(drawing *d, const plx_probe_sweep *sweep)
{
    d->label_width = 0;
    d->longest = 0;
    for (size_t i = 0; i < sweep->point_count; i++) {
        char text[CELL];
        plx_probe_point_text(&sweep->points[i], text, sizeof text);
        if (plx_shown_width(text) > d->label_width)
            d->label_width = plx_shown_width(text);
        if (is_timed(&sweep->points[i]) && sweep->points[i].time.median_ns > d->longest)
            d->longest = sweep->points[i].time.median_ns;
    }
}

/* Proportional to the time; what is there has at least one mark. */
static void add_bar(const drawing *d, double part, plx_table *table)
{
    int most = d->width - d->label_width - 26;
    most = most < LEAST_BAR ? LEAST_BAR : most > MOST_BAR ? MOST_BAR : most;
    int length = (int)(part * most + 0.5);
    for (int i = 0; i < (length > 1 ? length : 1); i++)
        plx_table_rest(table, "%s", d->utf8 ? "\342\226\210" : "#");
}

static void add_point(const drawing *d, const plx_probe_point *point, plx_table *table)
{
    char text[CELL];
    plx_probe_point_text(point, text, sizeof text);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", text);
    if (!is_timed(point)) {
        plx_table_rest(table, "%s%s%s",
                       point->outcome == PLX_OUTCOME_OK ? "not timed" : plx_outcome_name(point->outcome),
                       point->reason[0] != '\0' ? ": " : "", point->reason);
        return;
    }
    double half = (point->time.high_ns - point->time.low_ns) / 2;
    plx_duration_text(point->time.median_ns, plx_micro(), text, sizeof text);
    plx_table_cell(table, 1, "%s", text);
    plx_plain_number_text(100 * half / point->time.median_ns, 2, text, sizeof text);
    plx_table_cell(table, 2, "%s%s %%", d->utf8 ? "\302\261" : "+-", text);
    add_bar(d, point->time.median_ns / d->longest, table);
}

static void put_verdict(const drawing *d, const plx_probe_verdict *verdict)
{
    char text[sizeof verdict->text];
    memcpy(text, verdict->text, sizeof text);
    for (char *sign = strstr(text, "\302\261"); sign != NULL && !d->utf8; sign = strstr(sign, "\302\261"))
        memcpy(sign, "+-", 2);
    plx_put_wrapped(d->to, text, "  Verdict:", 4, d->width);
}

static plx_status put_sweep(drawing *d, const plx_results *results, const plx_probe_sweep *sweep, plx_error *error)
{
    const char *name = sweep->device < results->device_count ? results->devices[sweep->device].info.name : "";
    plx_table table = {.columns = 3, .left = 1, .indent = "  "};
    measure(d, sweep);
    (void)fprintf(d->to, "%s/%s on %s, %s\n  %s\n", sweep->probe, sweep->name, sweep->backend, name, sweep->title);
    for (size_t i = 0; i < sweep->point_count; i++)
        add_point(d, &sweep->points[i], &table);
    plx_status status = plx_table_finish(&table, d->to, error);
    if (status == PLX_OK)
        put_verdict(d, &sweep->verdict);
    return status;
}

plx_status plx_probe_write_table(const plx_results *results, FILE *to, int width, plx_error *error)
{
    drawing d = {.to = to, .width = width > 0 ? width : DEFAULT_WIDTH};
    d.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    plx_status status = PLX_OK;
    for (size_t i = 0; i < results->sweep_count && status == PLX_OK; i++) {
        if (i > 0)
            (void)fputc('\n', to);
        status = put_sweep(&d, results, &results->sweeps[i], error);
    }
    for (size_t i = 0; i < results->unopened_count; i++)
        (void)fprintf(to, "\nnot opened: %s\n", results->unopened[i]);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}

/* ---- gnuplot --------------------------------------------------------------------------- */

enum { PANEL_WIDTH = 600, PANEL_HEIGHT = 360, PANELS_ABREAST = 2, MOST_WORDS = 4 };

/* A string that gnuplot takes as it is. */
static void put_quoted(FILE *to, const char *text)
{
    (void)fputc('"', to);
    for (; *text != '\0'; text++)
        (void)fputc(strchr("\"\\`", *text) != NULL || (unsigned char)*text < 0x20 ? ' ' : *text, to);
    (void)fputc('"', to);
}

static bool starts_series(const plx_probe_sweep *sweep, size_t point)
{
    for (size_t i = 0; i < point; i++)
        if (strcmp(sweep->points[i].series, sweep->points[point].series) == 0)
            return false;
    return true;
}

static size_t series_length(const plx_probe_sweep *sweep, size_t first)
{
    size_t length = 0;
    for (size_t i = first; i < sweep->point_count; i++)
        length += strcmp(sweep->points[i].series, sweep->points[first].series) == 0;
    return length;
}

/* Short series say in words what a point is, long ones with a number. */
static void put_data(FILE *to, const plx_probe_sweep *sweep, size_t number, size_t first)
{
    bool words = series_length(sweep, first) <= MOST_WORDS;
    size_t place = 0;
    (void)fprintf(to, "$data_%zu_%zu << END\n", number, first);
    for (size_t i = first; i < sweep->point_count; i++) {
        const plx_probe_point *point = &sweep->points[i];
        char tic[32], median[40], low[40], high[40];
        if (strcmp(point->series, sweep->points[first].series) != 0)
            continue;
        plx_number_text(point->x, 6, tic, sizeof tic);
        plx_number_text(point->time.median_ns / 1e3, 9, median, sizeof median);
        plx_number_text(point->time.low_ns / 1e3, 9, low, sizeof low);
        plx_number_text(point->time.high_ns / 1e3, 9, high, sizeof high);
        if (is_timed(point)) {
            (void)fprintf(to, "%zu ", place);
            put_quoted(to, words ? point->label : tic);
            (void)fprintf(to, " %s %s %s\n", median, low, high);
        }
        place++;
    }
    (void)fputs("END\n", to);
}

static void put_lines(FILE *to, const plx_probe_sweep *sweep, size_t number)
{
    const char *before = "plot ";
    for (size_t i = 0; i < sweep->point_count; i++) {
        if (!starts_series(sweep, i))
            continue;
        (void)fprintf(to, "%s$data_%zu_%zu using 1:3:4:5:xtic(2) with yerrorlines pt 7 ps 0.6 title ", before, number,
                      i);
        put_quoted(to, sweep->points[i].series);
        before = ", ";
    }
    (void)fputc('\n', to);
}

static bool has_points(const plx_probe_sweep *sweep)
{
    for (size_t i = 0; i < sweep->point_count; i++)
        if (is_timed(&sweep->points[i]))
            return true;
    return false;
}

static void put_panel(FILE *to, const plx_probe_sweep *sweep, size_t number)
{
    char title[256];
    (void)snprintf(title, sizeof title, "%s/%s on %s: %s", sweep->probe, sweep->name, sweep->backend,
                   plx_visibility_name(sweep->verdict.visibility));
    for (size_t i = 0; i < sweep->point_count; i++)
        if (starts_series(sweep, i))
            put_data(to, sweep, number, i);
    (void)fputs("set title ", to);
    put_quoted(to, title);
    (void)fputs("\nset xlabel ", to);
    put_quoted(to, sweep->axis);
    (void)fputs("\n", to);
    put_lines(to, sweep, number);
}

static void put_terminal(FILE *to, const char *terminal, size_t panels)
{
    size_t rows = (panels + PANELS_ABREAST - 1) / PANELS_ABREAST, width = PANEL_WIDTH * PANELS_ABREAST;
    if (strcmp(terminal, "png") == 0)
        (void)fprintf(to, "kind = strstrt(GPVAL_TERMINALS, \"pngcairo\") ? \"pngcairo\" : \"png\"\n");
    else
        (void)fprintf(to, "kind = \"%s\"\n", terminal);
    (void)fprintf(to, "set terminal @kind noenhanced size %zu,%zu\n", width, rows * PANEL_HEIGHT);
    (void)fprintf(to, "set multiplot layout %zu,%d\n", rows, PANELS_ABREAST);
    (void)fputs("set yrange [0:*]\nset offsets 0.5, 0.5, 0, 0\nset ylabel \"microseconds\"\nset grid ytics\n"
                "set key bottom right\nset xtics rotate by -35\n",
                to);
}

plx_status plx_probe_write_gnuplot(const plx_results *results, FILE *to, const char *terminal, plx_error *error)
{
    size_t panels = 0;
    for (size_t i = 0; i < results->sweep_count; i++)
        panels += has_points(&results->sweeps[i]);
    if (panels == 0)
        return plx_fail(error, PLX_INVALID, "there is nothing to plot");
    put_terminal(to, terminal, panels);
    for (size_t i = 0; i < results->sweep_count; i++)
        if (has_points(&results->sweeps[i]))
            put_panel(to, &results->sweeps[i], i);
    (void)fputs("unset multiplot\n", to);
    return plx_report_finish(to, error);
}
