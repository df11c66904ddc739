/* Figures: a script is drawn by gnuplot as SVG, and its colours become those of the
 * page, so that they follow dark and light. */
#define _POSIX_C_SOURCE 200809L

#include "page/page.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- colours ---------------------------------------------------------------------- */

/* One colour: in a script and where no style is read, and the name of its variable. */
typedef struct colour {
    const char *light, *dark, *variable;
} colour;

/* Blue, vermilion, green, purple, ochre, sky, brown, grey: told apart by the colour-blind,
 * with contrast enough on white and, the second ones, on black. */
static const colour colours[] = {
    {"#0072b2", "#56b4f5", "--c0"},    {"#c64f00", "#ff9248", "--c1"},    {"#007f5f", "#35cfa2", "--c2"},
    {"#a83e86", "#eb9ccf", "--c3"},    {"#8a6d00", "#e8c93a", "--c4"},    {"#2a8fbd", "#a5dcff", "--c5"},
    {"#7a4a21", "#d9ae86", "--c6"},    {"#666666", "#b8b8b8", "--c7"},    {"#333333", "#dddddd", "--ink"},
    {"#d0d0d0", "#4a4a4a", "--faint"}, {"#ffffff", "#16181a", "--paper"},
};
enum { COLOUR_COUNT = sizeof colours / sizeof colours[0] };

void plx_page_variables(FILE *to, bool dark)
{
    for (size_t i = 0; i < COLOUR_COUNT; i++)
        (void)fprintf(to, "%s:%s;", colours[i].variable, dark ? colours[i].dark : colours[i].light);
}

const char *plx_page_colour(size_t series_colour)
{
    return colours[series_colour % PLX_PAGE_COLOURS].light;
}

const char *plx_page_ink(void)
{
    return colours[PLX_PAGE_COLOURS].light;
}

static const char *faint(void)
{
    return colours[PLX_PAGE_COLOURS + 1].light;
}

/* ---- what scripts share --------------------------------------------------------------- */

/* A script can start programs, and a name may come from anywhere: only letters, digits
 * and marks that mean nothing to gnuplot are let through. */
void plx_page_quoted(FILE *to, const char *text)
{
    (void)fputc('\'', to);
    for (; *text != '\0'; text++) {
        unsigned char letter = (unsigned char)*text;
        bool harmless = letter >= 0x80 || isalnum(letter) || strchr(" .,:;+-*/=()%", letter) != NULL;
        (void)fputc(harmless ? letter : '?', to);
    }
    (void)fputc('\'', to);
}

void plx_page_canvas(const plx_page_size *size, FILE *to)
{
    (void)fprintf(to,
                  "set encoding utf8\nset border 3 lc rgb '%s'\nset grid lc rgb '%s' lt 1 lw 0.5\n"
                  "set tics nomirror textcolor rgb '%s'\nunset key\nset tmargin 1.5\n",
                  plx_page_ink(), faint(), plx_page_ink());
    (void)fprintf(to, "set xlabel textcolor rgb '%s'\nset ylabel textcolor rgb '%s' offset 1\n", plx_page_ink(),
                  plx_page_ink());
    (void)size;
}

static char *script_of(plx_page *page, const plx_page_figure *figure, const plx_page_size *size, const char *terminal)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    if (terminal != NULL)
        (void)fprintf(to, "set terminal %s size %d,%d noenhanced font 'sans-serif,%d'%s\n", terminal, size->width,
                      size->height, size->letters, strcmp(terminal, "svg") == 0 ? " dynamic" : "");
    figure->script(page, figure, size, to);
    if (plx_text_whole(to))
        return text;
    free(text);
    return NULL;
}

static char *whole_text(FILE *file)
{
    char *text = NULL, piece[4096];
    size_t length, got;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    rewind(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        (void)fwrite(piece, 1, got, to);
    if (plx_text_whole(to) && !ferror(file))
        return text;
    free(text);
    return NULL;
}

/* The picture as gnuplot wrote it, malloc'ed; NULL after a failure. */
static char *picture_of(const char *script, plx_error *error)
{
    FILE *picture = tmpfile();
    char *text = NULL;
    if (script == NULL || picture == NULL)
        (void)plx_fail(error, PLX_IO, "can't draw: %s", strerror(errno));
    else if (plx_gnuplot_draw(script, picture, error) == PLX_OK && (text = whole_text(picture)) == NULL)
        (void)plx_fail(error, PLX_NO_MEMORY, "no memory for a picture");
    if (picture != NULL)
        (void)fclose(picture);
    return text;
}

/* ---- gnuplot's SVG becomes ours --------------------------------------------------------- */

typedef struct rewriting {
    FILE *to;
    size_t number;  /* of the picture within its page */
    bool variables; /* colours as variables of the page, else as they are */
} rewriting;

/* "rgb( 51,  51,  51)" at `at`: its length and which colour; 0: it is none of ours. */
static size_t find_colour(const char *at, size_t *which)
{
    char hexadecimal[8] = "#", *end = NULL;
    const char *next = at + 4;
    if (strncmp(at, "rgb(", 4) != 0)
        return 0;
    for (size_t i = 0; i < 3; i++, next = end + 1) { /* no sscanf(): it looks for the end of all that follows */
        (void)snprintf(hexadecimal + 1 + 2 * i, 3, "%02lx", strtoul(next, &end, 10) & 255UL);
        if (end == next || *end != (i < 2 ? ',' : ')'))
            return 0;
    }
    for (*which = 0; *which < COLOUR_COUNT; ++*which)
        if (strcmp(colours[*which].light, hexadecimal) == 0)
            return (size_t)(next - at);
    return 0;
}

static void put_colour(const rewriting *now, size_t which)
{
    if (now->variables)
        (void)fprintf(now->to, "var(%s)", colours[which].variable);
    else
        (void)fputs(colours[which].light, now->to);
}

/* How many letters at `at` are left out: names for tools, and what SVG 2 has no use for. */
static size_t left_out(const char *at)
{
    static const char *const starts[] = {"<title>", "<desc>", "<filter"};
    static const char *const ends[] = {"</title>", "</desc>", "</filter>"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const char *end = strncmp(at, starts[i], strlen(starts[i])) == 0 ? strstr(at, ends[i]) : NULL;
        if (end != NULL)
            return (size_t)(end - at) + strlen(ends[i]);
    }
    if (strncmp(at, "xlink:", 6) == 0)
        return 6;
    if (strncmp(at, " id=\"gnuplot", 12) == 0 && strchr(at + 5, '"') != NULL)
        return (size_t)(strchr(at + 5, '"') - at) + 1;
    return 0;
}

/* Names are unique within the page: "gpPt0" becomes "p3Pt0". */
static size_t put_name(const rewriting *now, const char *at)
{
    if (strncmp(at, "'gp", 3) != 0 && strncmp(at, "#gp", 3) != 0)
        return 0;
    (void)fprintf(now->to, "%cp%zu", at[0], now->number);
    return 3;
}

static void rewrite(const rewriting *now, const char *text)
{
    while (*text != '\0') {
        size_t which, length = find_colour(text, &which);
        if (length > 0)
            put_colour(now, which);
        else if ((length = left_out(text)) == 0 && (length = put_name(now, text)) == 0) {
            (void)fputc(*text, now->to);
            length = 1;
        }
        text += length;
    }
}

/* What follows gnuplot's <svg ...>; NULL: that is not what it wrote. */
static const char *inside(const char *picture)
{
    const char *at = strstr(picture, "<svg");
    at = at != NULL ? strchr(at, '>') : NULL;
    return at != NULL ? at + 1 : NULL;
}

/* ---- in the page ---------------------------------------------------------------------------- */

static void draw_once(plx_page *page, const plx_page_figure *figure, const plx_page_size *size, const char *name,
                      FILE *to)
{
    char *script = script_of(page, figure, size, "svg");
    char *picture = page->status == PLX_OK ? picture_of(script, &page->error) : NULL;
    const char *rest = picture != NULL ? inside(picture) : NULL;
    const rewriting now = {.to = to, .number = page->figures++, .variables = true};
    if (rest != NULL) {
        (void)fprintf(to, "<svg class=\"%s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", name, size->width,
                      size->height);
        plx_page_text(to, figure->title);
        (void)fputs("\">", to);
        rewrite(&now, rest);
    } else if (page->status == PLX_OK) {
        page->status = PLX_IO;
    }
    free(picture);
    free(script);
}

void plx_page_draw(plx_page *page, const plx_page_figure *figure, FILE *to)
{
    static const plx_page_size wide = {960, 460, 14}, narrow = {360, 380, 12};
    if (!page->plots)
        return;
    (void)fputs("<figure>\n", to);
    draw_once(page, figure, &wide, "wide", to);
    draw_once(page, figure, &narrow, "narrow", to);
    (void)fputs("</figure>\n", to);
}

/* ---- by itself -------------------------------------------------------------------------------- */

/* The light colours stand in the picture itself, for programs that read no style. */
static void put_style(FILE *to)
{
    static const char *const properties[] = {"stroke", "fill", "color"};
    (void)fputs("<style>\n@media (prefers-color-scheme: dark) {\n", to);
    for (size_t i = 0; i < COLOUR_COUNT; i++)
        for (size_t p = 0; p < sizeof properties / sizeof properties[0]; p++)
            (void)fprintf(to, "[%s=\"%s\"],[%s='%s'] { %s: %s }\n", properties[p], colours[i].light, properties[p],
                          colours[i].light, properties[p], colours[i].dark);
    (void)fputs("}\n</style>\n", to);
}

/* The script as it was, so that a test can compare it: with its line ends. */
static void put_lines(const char *text, FILE *to)
{
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            (void)fprintf(to, "&#%d;", *text);
        else
            (void)fputc(*text, to);
    }
}

static plx_status put_svg(const plx_page_figure *figure, const plx_page_size *size, const char *script,
                          const char *plain, FILE *to, plx_error *error)
{
    char *picture = picture_of(script, error);
    const char *rest = picture != NULL ? inside(picture) : NULL;
    const rewriting now = {.to = to, .variables = false};
    if (rest == NULL) {
        free(picture);
        return PLX_IO;
    }
    (void)fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                  size->width, size->height);
    plx_page_text(to, figure->title);
    (void)fputs("</title>\n<metadata>\n", to);
    put_lines(plain, to);
    (void)fputs("</metadata>\n", to);
    put_style(to);
    /* Whoever shows the picture may be light where the reader's system is dark. */
    (void)fprintf(to, "<rect width=\"%d\" height=\"%d\" fill=\"%s\"/>", size->width, size->height,
                  colours[PLX_PAGE_COLOURS + 2].light);
    rewrite(&now, rest);
    free(picture);
    return plx_report_finish(to, error);
}

static plx_status put_png(const char *script, FILE *to, plx_error *error)
{
    char piece[4096];
    size_t got;
    FILE *picture = tmpfile();
    if (picture == NULL)
        return plx_fail(error, PLX_IO, "can't draw: %s", strerror(errno));
    plx_status status = plx_gnuplot_draw(script, picture, error);
    rewind(picture);
    while (status == PLX_OK && (got = fread(piece, 1, sizeof piece, picture)) > 0)
        (void)fwrite(piece, 1, got, to);
    (void)fclose(picture);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}

static plx_status put_script(const char *script, FILE *to, plx_error *error)
{
    (void)fputs(script, to);
    return plx_report_finish(to, error);
}

plx_status plx_page_draw_alone(plx_page *page, const plx_page_figure *figure, const char *terminal, FILE *to,
                               plx_error *error)
{
    static const plx_page_size size = {860, 440, 14};
    bool alone = strcmp(terminal, "gp") == 0;
    char *plain = script_of(page, figure, &size, NULL);
    char *script = alone ? NULL : script_of(page, figure, &size, terminal);
    plx_status status = page->status;
    if (status != PLX_OK)
        *error = page->error;
    else if (plain == NULL || (script == NULL && !alone))
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for the plot");
    else if (alone)
        status = put_script(plain, to, error);
    else if (strcmp(terminal, "svg") == 0)
        status = put_svg(figure, &size, script, plain, to, error);
    else
        status = put_png(script, to, error);
    free(plain);
    free(script);
    return status;
}
