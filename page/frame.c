/* The frame of a page: its head with all of its style, and its end. */
#include "page/page.h"

#include "kernels/image.h"

#include <string.h>

/* page.css, by build-aux/embed. */
extern const plx_image plx_page_style[];

static void put_style(FILE *to)
{
    (void)fputs("<style>\n:root{color-scheme:light dark;--soft:#595959;--line:#d9d9d9;--box:#f5f6f7;--good:#00694e;"
                "--bad:#b3261e;",
                to);
    plx_page_variables(to, false);
    (void)fputs("}\n@media(prefers-color-scheme:dark){:root{--soft:#a8a8a8;--line:#3c4043;--box:#202427;"
                "--good:#4fd3a8;--bad:#ff8f85;",
                to);
    plx_page_variables(to, true);
    (void)fputs("}}\n", to);
    (void)fwrite(plx_page_style[0].bytes, 1, plx_page_style[0].length, to);
    (void)fputs("</style>\n", to);
}

/* The operations, each once. */
static void put_title(plx_page *page, FILE *to)
{
    for (size_t i = 0; i < page->problem_count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(page->problems[k].op, page->problems[i].op) == 0;
        if (seen)
            continue;
        (void)fputs(i > 0 ? ", " : "", to);
        plx_page_text(to, page->problems[i].op);
    }
}

void plx_page_begin(plx_page *page, FILE *to)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Parallax: ",
                to);
    put_title(page, to);
    (void)fputs("</title>\n", to);
    put_style(to);
    (void)fputs("</head>\n<body>\n<h1>Parallax: ", to);
    put_title(page, to);
    (void)fputs("</h1>\n<nav>", to);
    (void)fputs("<a href=\"#summary\">Summary</a> <a href=\"#peers\">Peers</a> <a href=\"#ladders\">Ladders</a> "
                "<a href=\"#roofline\">Roofline</a> <a href=\"#sizes\">Sizes</a> "
                "<a href=\"#agreement\">Agreement</a> <a href=\"#records\">Records</a> "
                "<a href=\"#environment\">Environment</a></nav>\n",
                to);
    if (!page->plots)
        (void)fputs("<p class=\"soft\">The plots are left out: gnuplot is not installed, or not in PATH.</p>\n", to);
}

void plx_page_end(FILE *to)
{
    (void)fprintf(to, "<footer class=\"soft\"><p>Made by parallax %s.</p></footer>\n</body>\n</html>\n", plx_version());
}
