/* Figures: what the pen drew, as part of the page, as a picture by itself, or as a script. */
#define _POSIX_C_SOURCE 200809L

#include "page/page.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- colours ---------------------------------------------------------------------- */

/* One colour: by day, by night, and the name of its variable. */
typedef struct colour {
    const char *light, *dark, *variable;
} colour;

/* Blue, vermilion, green, purple, ochre, sky, brown, grey: told apart by the colour-blind,
 * with contrast enough on white and, the second ones, on black.  Then ink, lines, soft text, paper, a fault. */
static const colour colours[] = {
    {"#0072b2", "#56b4f5", "--c0"},    {"#c64f00", "#ff9248", "--c1"},   {"#007f5f", "#35cfa2", "--c2"},
    {"#a83e86", "#eb9ccf", "--c3"},    {"#8a6d00", "#e8c93a", "--c4"},   {"#2a8fbd", "#a5dcff", "--c5"},
    {"#7a4a21", "#d9ae86", "--c6"},    {"#666666", "#b8b8b8", "--c7"},   {"#222222", "#e4e4e4", "--ink"},
    {"#d9d9d9", "#3c4043", "--faint"}, {"#595959", "#a8a8a8", "--soft"}, {"#ffffff", "#16181a", "--paper"},
    {"#b3261e", "#ff8f85", "--bad"},
};
enum { COLOUR_COUNT = sizeof colours / sizeof colours[0], PAPER = 11 };

void plx_page_variables(FILE *to, bool dark)
{
    for (size_t i = 0; i < COLOUR_COUNT; i++)
        (void)fprintf(to, "%s:%s;", colours[i].variable, dark ? colours[i].dark : colours[i].light);
}

const char *plx_page_colour(size_t ink)
{
    return colours[ink < COLOUR_COUNT ? ink : PLX_INK].light;
}

/* Of every colour what is filled with it, what is drawn with it, and dots. */
static void put_rules(FILE *to, const char *(*of)(const colour *))
{
    for (size_t i = 0; i < COLOUR_COUNT; i++) {
        const char *now = of(&colours[i]);
        (void)fprintf(to, ".f%zu{fill:%s}.l%zu{stroke:%s}", i, now, i, now);
        if (i < PLX_PAGE_COLOURS)
            (void)fprintf(to, ".d%zu{stroke:%s}", i, now);
    }
    (void)fprintf(to, ".ha{stroke:%s}\n", of(&colours[PAPER]));
}

static const char *light_of(const colour *of)
{
    return of->light;
}

static const char *dark_of(const colour *of)
{
    return of->dark;
}

static const char *variable_of(const colour *of)
{
    static const char *const names[] = {"var(--c0)",   "var(--c1)",    "var(--c2)", "var(--c3)",  "var(--c4)",
                                        "var(--c5)",   "var(--c6)",    "var(--c7)", "var(--ink)", "var(--faint)",
                                        "var(--soft)", "var(--paper)", "var(--bad)"};
    return names[of - colours];
}

/* What is the same by day and by night. */
static void put_forms(FILE *to)
{
    for (size_t i = 0; i < COLOUR_COUNT; i++)
        (void)fprintf(to, ".l%zu{fill:none;stroke-width:%d}", i, i < PLX_PAGE_COLOURS ? 2 : 1);
    for (size_t i = 0; i < PLX_PAGE_COLOURS; i++)
        (void)fprintf(to, ".d%zu{fill:none;stroke-width:4;stroke-linecap:round}", i);
    (void)fputs(".da{stroke-dasharray:5 4}.bo{font-weight:600}.ha{paint-order:stroke;stroke-width:3px}\n", to);
}

void plx_page_picture_style(FILE *to)
{
    put_forms(to);
    put_rules(to, variable_of);
}

/* ---- for gnuplot -------------------------------------------------------------------------- */

/* A script can start programs, and a name may come from anywhere: only letters, digits
 * and marks that mean nothing to gnuplot are let through.  An apostrophe would end the text: it becomes a typographic
 * one. */
void plx_page_quoted(FILE *to, const char *text)
{
    (void)fputc('\'', to);
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        bool harmless = letter >= 0x80 || isalnum(letter) || strchr(" .,:;+-*/=()%", letter) != NULL;
        if (letter == '\'')
            (void)fputs("’", to);
        else
            (void)fputc(harmless ? letter : '?', to);
    }
    (void)fputc('\'', to);
}

/* The picture's own places as coordinates. */
static void put_canvas(const plx_pen *pen, FILE *to)
{
    (void)fputs("set encoding utf8\nunset border\nunset tics\nunset key\nset lmargin 0\nset rmargin 0\n"
                "set tmargin 0\nset bmargin 0\n",
                to);
    (void)fprintf(to, "set xrange [0:%.0f]\nset yrange [%.0f:0]\n", pen->width, pen->height);
}

/* ---- what was drawn ------------------------------------------------------------------------- */

/* malloc'ed; NULL: no memory.  The pen then knows its height. */
static char *drawn(plx_page *page, const plx_page_figure *figure, bool alone, bool script, plx_pen *pen)
{
    static const plx_lettering title = {.size = PLX_LETTERS, .side = PLX_LEFT, .ink = PLX_INK, .bold = true};
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    *pen = (plx_pen){.to = to, .script = script, .width = PLX_PEN_WIDTH};
    if (alone)
        pen->top = plx_pen_paragraph(pen, 4, 18, PLX_PEN_WIDTH - 8, &title, figure->title) - 10;
    figure->draw(page, figure, pen);
    plx_pen_end(pen);
    if (plx_text_whole(to))
        return text;
    free(text);
    return NULL;
}

static void no_memory(plx_page *page)
{
    if (page->status == PLX_OK)
        page->status = plx_fail(&page->error, PLX_NO_MEMORY, "no memory for a picture");
}

/* ---- in the page ---------------------------------------------------------------------------- */

void plx_page_draw(plx_page *page, const plx_page_figure *figure, FILE *to)
{
    plx_pen pen;
    char *picture = drawn(page, figure, false, false, &pen);
    if (picture == NULL) {
        no_memory(page);
        return;
    }
    (void)fprintf(to, "<figure><svg viewBox=\"0 0 %.0f %.0f\" font-size=\"%d\" role=\"img\" aria-label=\"", pen.width,
                  pen.height, PLX_LETTERS);
    plx_page_text(to, figure->title);
    (void)fprintf(to, "\">\n%s</svg></figure>\n", picture);
    free(picture);
}

/* ---- by itself -------------------------------------------------------------------------------- */

/* Whoever shows the picture may be light where the reader's system is dark: it brings its own paper. */
static void put_svg(const plx_page_figure *figure, const plx_pen *pen, const char *picture, FILE *to)
{
    (void)fprintf(to,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" viewBox=\"0 0 %.0f %.0f\" "
                  "font-family=\"system-ui,sans-serif\" font-size=\"%d\" role=\"img\">\n<title>",
                  pen->width, pen->height, PLX_LETTERS);
    plx_page_text(to, figure->title);
    (void)fputs("</title>\n<style>\n", to);
    put_forms(to);
    put_rules(to, light_of);
    (void)fputs("@media (prefers-color-scheme: dark) {\n", to);
    put_rules(to, dark_of);
    (void)fprintf(to, "}\n</style>\n<rect class=\"f%d\" width=\"%.0f\" height=\"%.0f\"/>\n%s</svg>\n", PAPER,
                  pen->width, pen->height, picture);
}

static void put_gnuplot(const plx_pen *pen, const char *terminal, const char *picture, FILE *to)
{
    if (terminal != NULL)
        (void)fprintf(to, "set terminal %s size %.0f,%.0f noenhanced font 'sans-serif,%d'\n", terminal, 2 * pen->width,
                      2 * pen->height, PLX_LETTERS + 5);
    put_canvas(pen, to);
    (void)fprintf(to, "%splot -1 notitle\n", picture);
}

static plx_status put_png(const plx_pen *pen, const char *picture, FILE *to, plx_error *error)
{
    char piece[4096], *script = NULL;
    size_t got;
    FILE *image = tmpfile(), *text = open_memstream(&script, &got);
    plx_status status = PLX_IO;
    if (image == NULL || text == NULL)
        status = plx_fail(error, PLX_IO, "can't draw: %s", strerror(errno));
    else
        put_gnuplot(pen, "png", picture, text);
    if (text != NULL && plx_text_whole(text) && image != NULL)
        status = plx_gnuplot_draw(script, image, error);
    if (image != NULL)
        rewind(image);
    while (status == PLX_OK && (got = fread(piece, 1, sizeof piece, image)) > 0)
        (void)fwrite(piece, 1, got, to);
    if (image != NULL)
        (void)fclose(image);
    free(script);
    return status;
}

plx_status plx_page_draw_alone(plx_page *page, const plx_page_figure *figure, const char *terminal, FILE *to,
                               plx_error *error)
{
    plx_pen pen;
    bool svg = strcmp(terminal, "svg") == 0;
    char *picture = drawn(page, figure, true, !svg, &pen);
    plx_status status = PLX_OK;
    if (picture == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the plot");
    if (svg)
        put_svg(figure, &pen, picture, to);
    else if (strcmp(terminal, "gp") == 0)
        put_gnuplot(&pen, NULL, picture, to);
    else
        status = put_png(&pen, picture, to, error);
    free(picture);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
