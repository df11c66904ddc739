/* The pen that draws all pictures: lines, bars, marks and texts, as SVG or as a script for gnuplot.  Where a text
 * would end is estimated, so that no two lie on one another whatever letters the reader has. */
#include "page/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---------------------------------------------------------------------------- */

/* The width of a letter over its size, of a wide face: others are narrower. */
static double letter_width(unsigned char letter)
{
    if (letter >= 0x80)
        return (letter & 0xc0) == 0x80 ? 0 : 0.7; /* the first byte of a character counts for all of it */
    if (strchr("ijl.,:;'|!", letter) != NULL)
        return 0.32;
    if (strchr("frt ()[]/-", letter) != NULL)
        return 0.4;
    if (strchr("mwMWOGQ%@", letter) != NULL)
        return 0.92;
    return letter >= 'A' && letter <= 'Z' ? 0.7 : 0.62;
}

double plx_pen_width(const char *text, double size)
{
    double width = 0;
    for (; *text != '\0'; text++)
        width += letter_width((unsigned char)*text);
    return width * size;
}

/* Bytes of the longest beginning of a text that has this width; whole characters. */
static size_t beginning(const char *text, double width, double size)
{
    size_t end = 0;
    double so_far = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        so_far += letter_width((unsigned char)text[i]) * size;
        if (so_far > width)
            return end;
        if (((unsigned char)text[i + 1] & 0xc0) != 0x80)
            end = i + 1;
    }
    return end;
}

void plx_pen_fit(const char *text, double width, double size, char *fitted, size_t capacity)
{
    size_t length = strlen(text);
    if (plx_pen_width(text, size) <= width) {
        (void)snprintf(fitted, capacity, "%s", text);
        return;
    }
    length = beginning(text, width - size, size);
    (void)snprintf(fitted, capacity, "%.*s…", (int)length, text);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* A place on the picture, in whole pixels. */
static void put_place(FILE *to, double at)
{
    (void)fprintf(to, "%ld", isfinite(at) ? lround(fmin(fmax(at, -1e6), 1e6)) : 0L);
}

static void put_places(FILE *to, const char *before, double x, const char *between, double y)
{
    (void)fputs(before, to);
    put_place(to, x);
    (void)fputs(between, to);
    put_place(to, y);
}

/* ---- what many elements that follow each other have in common --------------------------------------- */

/* In SVG: the attributes of all elements until others are set.  "": of none. */
static void in_group(plx_pen *pen, const char *attributes)
{
    if (strcmp(pen->group, attributes) == 0)
        return;
    if (pen->path)
        (void)fputs("\"/>", pen->to);
    if (pen->group[0] != '\0')
        (void)fputs("</g>\n", pen->to);
    pen->path = false;
    if (attributes[0] != '\0')
        (void)fprintf(pen->to, "<g%s>\n", attributes);
    (void)snprintf(pen->group, sizeof pen->group, "%s", attributes);
}

static void in_class(plx_pen *pen, char kind, size_t ink, const char *more)
{
    char attributes[sizeof pen->group];
    (void)snprintf(attributes, sizeof attributes, " class=\"%c%zu%.20s\"", kind, ink, more);
    in_group(pen, attributes);
}

void plx_pen_end(plx_pen *pen)
{
    if (!pen->script)
        in_group(pen, "");
}

/* ---- what a mark tells who points at it ------------------------------------------------------- */

static void end_element(plx_pen *pen, const char *name, const char *title)
{
    if (title == NULL) {
        (void)fputs("/>", pen->to);
        return;
    }
    (void)fputs("><title>", pen->to);
    plx_page_text(pen->to, title);
    (void)fprintf(pen->to, "</title></%s>", name);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static void put_script_line(plx_pen *pen, plx_spot from, plx_spot to, size_t ink)
{
    put_places(pen->to, "set arrow from ", from.x, ",", from.y);
    put_places(pen->to, " to ", to.x, ",", to.y);
    (void)fprintf(pen->to, " nohead lw %s lc rgb '%s'\n", ink < PLX_PAGE_COLOURS ? "2" : "1", plx_page_colour(ink));
}

static plx_spot between(plx_spot from, plx_spot to, double part)
{
    return (plx_spot){from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
}

/* As single strokes: not every terminal of gnuplot draws dashes. */
static void put_script_dashes(plx_pen *pen, plx_spot from, plx_spot to, size_t ink)
{
    const double length = hypot(to.x - from.x, to.y - from.y);
    for (double at = 0; isfinite(length) && at < length && length < 10000; at += 9)
        put_script_line(pen, between(from, to, at / length), between(from, to, fmin(at + 5, length) / length), ink);
}

void plx_pen_path(plx_pen *pen, const plx_spot *spots, size_t count, size_t ink, bool dashed)
{
    if (pen->script) {
        for (size_t i = 0; i + 1 < count; i++) {
            if (dashed)
                put_script_dashes(pen, spots[i], spots[i + 1], ink);
            else
                put_script_line(pen, spots[i], spots[i + 1], ink);
        }
        return;
    }
    in_class(pen, 'l', ink, dashed ? " da" : "");
    if (!pen->path) /* lines of one look are one path */
        (void)fputs("<path d=\"", pen->to);
    pen->path = true;
    for (size_t i = 0; i < count; i++)
        put_places(pen->to, i == 0 ? "M" : "L", spots[i].x, " ", spots[i].y);
}

void plx_pen_line(plx_pen *pen, double x0, double y0, double x1, double y1, size_t ink, bool dashed)
{
    const plx_spot ends[] = {{x0, y0}, {x1, y1}};
    plx_pen_path(pen, ends, 2, ink, dashed);
}

/* ---- marks ---------------------------------------------------------------------------------------- */

void plx_pen_bar(plx_pen *pen, double x, double y, double width, double height, size_t ink, const char *title)
{
    if (pen->script) {
        put_places(pen->to, "set object rectangle from ", x, ",", y);
        put_places(pen->to, " to ", x + width, ",", y + height);
        (void)fprintf(pen->to, " fc rgb '%s' fs solid noborder\n", plx_page_colour(ink));
        return;
    }
    in_class(pen, 'f', ink, "");
    put_places(pen->to, "<rect x=\"", x, "\" y=\"", y);
    put_places(pen->to, "\" width=\"", fmax(width, 1), "\" height=\"", height);
    (void)fputc('"', pen->to);
    end_element(pen, "rect", title);
}

/* Forms of their own, so that colour is not all that tells series apart. */
static void put_form(FILE *to, double x, double y, size_t ink)
{
    static const char *const forms[] = {"m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", "m-3-3h6v6h-6z", "m0-4l4 7h-8z",
                                        "m0-4l4 4-4 4-4-4z"};
    (void)fprintf(to, "<path d=\"M%.0f %.0f%s\"", x, y, forms[ink % 4]);
}

void plx_pen_mark(plx_pen *pen, double x, double y, size_t ink, const char *title)
{
    static const int marks[] = {7, 5, 9, 13};
    if (pen->script) {
        put_places(pen->to, "set label '' at ", x, ",", y);
        (void)fprintf(pen->to, " point pt %d ps 0.7 lc rgb '%s'\n", marks[ink % 4], plx_page_colour(ink));
        return;
    }
    in_class(pen, 'f', ink, "");
    put_form(pen->to, x, y, ink);
    end_element(pen, "path", title);
}

void plx_pen_dots(plx_pen *pen, const plx_spot *spots, size_t count, size_t ink)
{
    if (count == 0)
        return;
    if (!pen->script) {
        in_class(pen, 'd', ink, "");
        (void)fputs("<path d=\"", pen->to);
    }
    for (size_t i = 0; i < count; i++) {
        if (pen->script)
            plx_pen_mark(pen, spots[i].x, spots[i].y, ink, NULL);
        else
            (void)fprintf(pen->to, "M%.0f %.0fh0", spots[i].x, spots[i].y);
    }
    if (!pen->script)
        (void)fputs("\"/>\n", pen->to);
}

/* Whether a dot of this colour is exactly there already: nobody would see another. */
static bool is_dotted(plx_pen *pen, double x, double y, size_t ink)
{
    if (pen->dotted_ink != ink)
        memset(pen->dotted, 0, sizeof pen->dotted);
    pen->dotted_ink = ink;
    if (!(x >= 0 && x < PLX_PEN_WIDTH && y >= 0 && y < PLX_PEN_HEIGHT))
        return false;
    unsigned char *byte = &pen->dotted[lround(y)][lround(x) / 8], bit = (unsigned char)(1 << lround(x) % 8);
    bool was = (*byte & bit) != 0;
    *byte = (unsigned char)(*byte | bit);
    return was;
}

void plx_pen_dot(plx_pen *pen, double x, double y, size_t ink, const char *title)
{
    if (is_dotted(pen, x, y, ink))
        return;
    if (pen->script) {
        plx_pen_mark(pen, x, y, ink, NULL);
        return;
    }
    in_class(pen, 'd', ink, "");
    (void)fprintf(pen->to, "<path d=\"M%.0f %.0fh0\"", x, y);
    end_element(pen, "path", title);
}

/* ---- texts ------------------------------------------------------------------------------------------- */

static void put_script_text(plx_pen *pen, double x, double y, const plx_lettering *how, const char *text)
{
    static const char *const sides[] = {"left", "center", "right"};
    (void)fputs("set label ", pen->to);
    plx_page_quoted(pen->to, text);
    put_places(pen->to, " at ", x, ",", y - 0.35 * how->size);
    (void)fprintf(pen->to, " %s font ',%.0f' tc rgb '%s'\n", sides[how->side], how->size, plx_page_colour(how->ink));
}

void plx_pen_text(plx_pen *pen, double x, double y, const plx_lettering *how, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    char attributes[sizeof pen->group], size[24] = "";
    if (text[0] == '\0')
        return;
    if (pen->script) {
        put_script_text(pen, x, y, how, text);
        return;
    }
    if (how->size < PLX_LETTERS)
        (void)snprintf(size, sizeof size, " font-size=\"%.0f\"", how->size);
    (void)snprintf(attributes, sizeof attributes, "%s%s class=\"f%zu%s%s\"", anchors[how->side], size, how->ink,
                   how->bold ? " bo" : "", how->over ? " ha" : "");
    in_group(pen, attributes);
    put_places(pen->to, "<text x=\"", x, "\" y=\"", y);
    (void)fputs("\">", pen->to);
    plx_page_text(pen->to, text);
    (void)fputs("</text>", pen->to);
}

/* Bytes of the next line of a text: as many words as fit, one at least, cut where even that does not. */
static size_t next_line(const char *text, double width, double size)
{
    size_t most = beginning(text, width, size), end = most;
    if (text[most] == '\0')
        return most;
    while (end > 0 && text[end] != ' ')
        end--;
    return end > 0 ? end : most > 0 ? most : strlen(text);
}

double plx_pen_paragraph(plx_pen *pen, double x, double y, double width, const plx_lettering *how, const char *text)
{
    char line[256];
    while (*text != '\0') {
        size_t length = next_line(text, how->bold ? width / 1.15 : width, how->size); /* bold letters are wider */
        (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
        plx_pen_text(pen, x, y, how, line);
        y += 1.3 * how->size;
        text += length;
        text += *text == ' ';
    }
    return y;
}

/* ---- axes ------------------------------------------------------------------------------------------------ */

double plx_axis_at(const plx_axis *axis, double value)
{
    double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                            : (value - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * part;
}

static size_t even_tics(const plx_axis *axis, size_t most, double *tics)
{
    static const double steps[] = {1, 2, 5};
    double step = pow(10, floor(log10((axis->high - axis->low) / (double)most)));
    size_t count = 0;
    for (size_t i = 0; (axis->high - axis->low) / step > (double)most - 1 && i < 4; i++)
        step = pow(10, floor(log10((axis->high - axis->low) / (double)most)) + (double)(i / 3)) * steps[i % 3];
    for (double at = ceil(axis->low / step - 1e-9); at * step <= axis->high * (1 + 1e-9) && count < most; at++)
        tics[count++] = at * step;
    return count;
}

/* 1, 2 and 5 in every decade, or 1 alone in every decade, every second, ... */
static size_t decade_tics(const plx_axis *axis, size_t most, int every, double *tics)
{
    static const double steps[] = {1, 2, 5};
    size_t count = 0;
    for (int decade = (int)floor(log10(axis->low)); decade <= (int)ceil(log10(axis->high)); decade++)
        for (size_t i = 0; i < (every == 0 ? 3U : 1U); i++) {
            double at = steps[i] * pow(10, decade);
            if (at < axis->low * 0.999 || at > axis->high * 1.001 || (every > 0 && decade % every != 0))
                continue;
            if (count == most)
                return most + 1;
            tics[count++] = at;
        }
    return count;
}

size_t plx_axis_tics(const plx_axis *axis, size_t most, double *tics)
{
    size_t count = most + 1;
    if (!(axis->high > axis->low) || (axis->log && !(axis->low > 0)) || !isfinite(axis->high - axis->low))
        return 0;
    for (int every = 0; axis->log && count > most && every < 300; every++)
        count = decade_tics(axis, most, every, tics);
    return axis->log && count >= 2 && count <= most ? count : even_tics(axis, most, tics);
}

void plx_pen_heights(plx_pen *pen, const plx_axis *y, double left, double right, const char *title,
                     void (*text)(double, char *, size_t))
{
    static const plx_lettering tic = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT},
                               head = {.size = PLX_SMALL, .side = PLX_LEFT, .ink = PLX_SOFT};
    double tics[12];
    char number[32];
    size_t count = plx_axis_tics(y, 7, tics);
    for (size_t i = 0; i < count; i++) {
        double at = plx_axis_at(y, tics[i]);
        plx_pen_line(pen, left, at, right, at, PLX_FAINT, false);
    }
    for (size_t i = 0; i < count; i++) {
        text(tics[i], number, sizeof number);
        plx_pen_text(pen, left - 5, plx_axis_at(y, tics[i]) + 4, &tic, number);
    }
    plx_pen_text(pen, 4, y->to - 12, &head, title);
}

void plx_pen_widths(plx_pen *pen, const plx_axis *x, double bottom, const char *title,
                    void (*text)(double, char *, size_t))
{
    static const plx_lettering tic = {.size = PLX_SMALL, .side = PLX_MIDDLE, .ink = PLX_SOFT},
                               name = {.size = PLX_SMALL, .side = PLX_RIGHT, .ink = PLX_SOFT};
    double tics[12];
    char number[32];
    size_t count = plx_axis_tics(x, 6, tics);
    plx_pen_line(pen, x->from, bottom, x->to, bottom, PLX_SOFT, false);
    for (size_t i = 0; i < count; i++) {
        double at = plx_axis_at(x, tics[i]);
        plx_pen_line(pen, at, bottom, at, bottom + 4, PLX_SOFT, false);
    }
    for (size_t i = 0; i < count; i++) {
        text(tics[i], number, sizeof number);
        plx_pen_text(pen, plx_axis_at(x, tics[i]), bottom + 16, &tic, number);
    }
    plx_pen_text(pen, x->to, bottom + 33, &name, title);
}

void plx_tic_of_rate(double giga, char *text, size_t capacity)
{
    static const char *const prefixes[] = {" ", " k", " M", " G", " T", " P", " E"};
    double number = giga * 1e9;
    size_t step = 0;
    while (number >= 999.5 && step + 1 < sizeof prefixes / sizeof prefixes[0]) {
        number /= 1000;
        step++;
    }
    (void)snprintf(text, capacity, "%.3g%s", number, number > 0 ? prefixes[step] : "");
}

/* ---- names beside each other -------------------------------------------------------------------------------- */

void plx_pen_apart(double *places, size_t count, double gap, double top, double bottom)
{
    for (size_t i = 0; i < count; i++)
        places[i] = fmax(places[i], i == 0 ? top : places[i - 1] + gap);
    for (size_t i = count; i-- > 0;)
        places[i] = fmin(places[i], i + 1 == count ? bottom : places[i + 1] - gap);
}

double plx_pen_legend(plx_pen *pen, double y, const plx_legend *entries, size_t count)
{
    double x = 4;
    for (size_t i = 0; i < count; i++) {
        const plx_lettering how = {.size = PLX_LETTERS, .side = PLX_LEFT, .ink = entries[i].ink};
        char name[96];
        plx_pen_fit(entries[i].name, pen->width - 24, PLX_LETTERS, name, sizeof name);
        double width = plx_pen_width(name, PLX_LETTERS) + 28;
        if (x > 4 && x + width > pen->width) {
            x = 4;
            y += 18;
        }
        plx_pen_mark(pen, x + 5, y - 4, entries[i].ink, NULL);
        plx_pen_text(pen, x + 13, y, &how, name);
        x += width;
    }
    return count > 0 ? y + 8 : y;
}
