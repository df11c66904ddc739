/* Ladders: kernel after kernel of one operation, with the gain of each over the step
 * before, the backends of a chip side by side. */
#include "page/page.h"

#include <string.h>

/* One problem of one run on one chip. */
typedef struct ladder {
    const plx_page *page;
    const plx_page_record *like;
    size_t chip;
    bool flops;
    double most; /* the highest rate */
} ladder;

static bool is_step(const ladder *of, const plx_page_record *one)
{
    return !one->vendor && of->page->series[one->series].chip == of->chip && plx_page_together(one, of->like);
}

static const plx_page_record *step_of(const ladder *of, const char *kernel, size_t series)
{
    for (size_t i = 0; i < of->page->record_count; i++) {
        const plx_page_record *one = &of->page->records[i];
        if (one->series == series && strcmp(one->kernel, kernel) == 0 && is_step(of, one))
            return one;
    }
    return NULL;
}

/* Whether record `index` is the first of its kernel in the ladder. */
static bool opens_step(const ladder *of, size_t index)
{
    const plx_page_record *one = &of->page->records[index];
    if (!is_step(of, one))
        return false;
    for (size_t i = of->page->files[one->file].first_record; i < index; i++)
        if (is_step(of, &of->page->records[i]) && strcmp(of->page->records[i].kernel, one->kernel) == 0)
            return false;
    return true;
}

static bool takes_part(const ladder *of, size_t series)
{
    for (size_t i = 0; i < of->page->record_count; i++)
        if (of->page->records[i].series == series && is_step(of, &of->page->records[i]))
            return true;
    return false;
}

/* Two kernels of ours that were timed make a ladder. */
static size_t count_steps(const ladder *of)
{
    size_t most = 0;
    for (size_t s = 0; s < of->page->series_count; s++) {
        size_t steps = 0;
        for (size_t i = 0; i < of->page->record_count; i++) {
            const plx_page_record *one = &of->page->records[i];
            steps += one->series == s && one->time > 0 && !one->yardstick && is_step(of, one);
        }
        most = steps > most ? steps : most;
    }
    return most;
}

static double highest_rate(const ladder *of)
{
    double most = 0;
    for (size_t i = 0; i < of->page->record_count; i++) {
        const plx_page_record *one = &of->page->records[i];
        if (is_step(of, one) && plx_page_rate(one, of->flops) > most)
            most = plx_page_rate(one, of->flops);
    }
    return most;
}

/* The ladder that begins with a record; false: it begins none. */
static bool ladder_from(const plx_page *page, size_t record, ladder *of)
{
    const plx_page_record *like = &page->records[record];
    *of = (ladder){.page = page, .like = like, .chip = page->series[like->series].chip};
    if (!like->newest || like->vendor)
        return false;
    for (size_t i = page->files[like->file].first_record; i < record; i++)
        if (is_step(of, &page->records[i]))
            return false;
    if (count_steps(of) < 2)
        return false;
    of->flops = plx_page_in_flops(page, like->problem);
    of->most = highest_rate(of);
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
        (void)fputs("<span class=\"soft\">", to);
        plx_page_text(to, one == NULL ? "–" : one->ok ? "not timed" : one->status);
        (void)fputs("</span></div>", to);
        return;
    }
    plx_page_rate_text(plx_page_rate(one, of->flops), of->flops, rate, sizeof rate);
    (void)fprintf(to,
                  "<span class=\"track\"><span class=\"bar\" style=\"width:%.2f%%\"></span></span><span "
                  "class=\"num\">%s",
                  100 * plx_page_rate(one, of->flops) / of->most, rate);
    if (one->gain > 0) {
        plx_number_text(one->gain, 3, gain, sizeof gain);
        (void)fprintf(to, " <b class=\"%s\">×%s</b>", gain_class(one->gain), gain);
    }
    (void)fputs("</span></div>", to);
}

static void put_step(const ladder *of, const plx_page_record *first, FILE *to)
{
    (void)fputs("<div class=\"step\"><b>", to);
    plx_page_text(to, first->kernel);
    (void)fprintf(to, "%s</b>", first->yardstick ? " (yardstick)" : "");
    for (size_t s = 0; s < of->page->series_count; s++)
        if (takes_part(of, s))
            put_lane(of, step_of(of, first->kernel, s), s, to);
    (void)fputs("<span class=\"idea\">", to);
    plx_page_text(to, plx_json_text_at(first->json, "idea", ""));
    (void)fputs("</span></div>\n", to);
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

static const char *chip_name(const ladder *of)
{
    return plx_json_text_at(of->page->devices[of->like->device].json, "name", "");
}

static void put_ladder(const ladder *of, bool open, FILE *to)
{
    (void)fprintf(to, "<details%s><summary>", open ? " open" : "");
    plx_page_problem_text(to, &of->page->problems[of->like->problem]);
    (void)fputs(" on ", to);
    plx_page_text(to, chip_name(of));
    (void)fprintf(to, "</summary>\n<div style=\"--n:%zu\">\n", count_series(of));
    put_head(of, to);
    for (size_t i = 0; i < of->page->record_count; i++)
        if (opens_step(of, i))
            put_step(of, &of->page->records[i], to);
    (void)fputs("</div></details>\n", to);
}

/* The largest of its kind is shown at once, the others when they are asked for. */
static bool is_largest(const plx_page *page, const ladder *of)
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

void plx_page_ladders(const plx_page *page, FILE *to)
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
        (void)fputs(
            "<p>No backend was timed with two kernels of one ladder; <code>--kernel all</code> times all of "
            "them.</p>\n",
            to);
    (void)fputs("</section>\n", to);
}

/* ---- as a figure of its own -------------------------------------------------------------- */

static void put_labels(const ladder *of, size_t series, double shift, FILE *to)
{
    size_t row = 0;
    char text[96], rate[48], gain[32];
    for (size_t i = 0; i < of->page->record_count; i++) {
        if (!opens_step(of, i))
            continue;
        const plx_page_record *one = step_of(of, of->page->records[i].kernel, series);
        row++;
        if (one == NULL || !(one->time > 0))
            continue;
        plx_page_rate_text(plx_page_rate(one, of->flops), of->flops, rate, sizeof rate);
        plx_number_text(one->gain, 3, gain, sizeof gain);
        (void)snprintf(text, sizeof text, one->gain > 0 ? "%s, × %s" : "%s", rate, gain);
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
    for (size_t i = 0; i < of->page->record_count; i++) {
        if (!opens_step(of, i))
            continue;
        const plx_page_record *one = step_of(of, of->page->records[i].kernel, series);
        double rate = one != NULL ? plx_page_rate(one, of->flops) : 0;
        row++;
        (void)fprintf(to, "%.9g %.4f 0 %.9g %.4f %.4f\n", rate, (double)row + shift, rate,
                      (double)row + shift - half, (double)row + shift + half);
    }
    (void)fputs("EOD\n", to);
}

static size_t put_tics(const ladder *of, FILE *to)
{
    size_t row = 0;
    (void)fputs("set ytics (", to);
    for (size_t i = 0; i < of->page->record_count; i++) {
        if (!opens_step(of, i))
            continue;
        (void)fputs(row > 0 ? ", " : "", to);
        plx_page_quoted(to, of->page->records[i].kernel);
        (void)fprintf(to, " %zu", ++row);
    }
    (void)fputs(")\n", to);
    return row;
}

static void put_script(const plx_page *page, const void *what, const plx_page_size *size, FILE *to)
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
    (void)fprintf(to, "set xrange [0:%.9g]\nset yrange [%zu.6:0.4]\nset style fill solid 1 noborder\n",
                  of.most * 1.3, put_tics(&of, to));
    (void)fprintf(to, "set key outside bottom center horizontal reverse Left textcolor rgb '%s'\n",
                  plx_page_ink());
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

bool plx_page_ladder_figure(const plx_page *page, size_t index, plx_page_figure *figure)
{
    ladder of;
    for (size_t i = 0; i < page->record_count; i++) {
        if (!ladder_from(page, i, &of) || !is_largest(page, &of) || index-- > 0)
            continue;
        const plx_page_problem *problem = &page->problems[of.like->problem];
        *figure = (plx_page_figure){.kind = "ladder", .of = i, .script = put_script};
        (void)snprintf(figure->name, sizeof figure->name, "ladder-%.30s-%.10s-%.60s", problem->op,
                       problem->dtype, problem->variant);
        (void)snprintf(figure->title, sizeof figure->title, "%.30s %.10s %.60s %.60s on %.60s", problem->op,
                       problem->dtype, problem->shape, problem->variant, chip_name(&of));
        return true;
    }
    return false;
}
