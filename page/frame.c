/* The frame of a page: its head with all of its style, and its end. */
#include "page/page.h"

#include <string.h>

/* Sizes follow the reader's letters; colours are variables, see put_style().  What is
 * wider than the screen scrolls inside its own box, the page never. */
static const char style[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 auto;max-width:74rem;padding:1rem;background:var(--paper);color:var(--ink);"
    "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.3rem;margin:2.5rem 0 .5rem;padding-top:.5rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1.05rem;margin:1.5rem 0 .4rem}\n"
    "p{margin:.4rem 0;max-width:48rem}\n"
    "nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.8rem 0}\n"
    "nav a,summary{padding:.3rem 0}\n"
    "a{color:var(--c0)}\n"
    "summary{cursor:pointer;font-weight:600}\n"
    ".soft{color:var(--soft)}.good{color:var(--good)}.bad{color:var(--bad);font-weight:600}\n"
    ".box{overflow:auto;max-height:80vh;margin:.6rem 0;border:1px solid var(--line);border-radius:.3rem}\n"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}"
    "\n"
    "th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--faint)}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}td.w,span.w{white-space:nowrap}td.t{min-width:24rem}\n"
    "thead th{position:sticky;top:0;background:var(--box);white-space:nowrap;z-index:1}\n"
    "tr:last-child td{border-bottom:0}\n"
    ".mark{white-space:nowrap;font-weight:600}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}"
    ".c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}\n"
    ".mark::before{content:\"\";display:inline-block;width:.7em;height:.7em;margin-right:.35em;"
    "border-radius:.15em;background:var(--c)}\n"
    ".step{display:grid;grid-template-columns:10rem repeat(var(--n),minmax(0,1fr));gap:.1rem 1.2rem;"
    "padding:.3rem 0;border-bottom:1px solid var(--faint);font-size:.9rem}\n"
    ".step b{overflow-wrap:anywhere}.step .idea{grid-column:1/-1;font-size:.8rem;color:var(--soft)}\n"
    ".lane{display:grid;grid-template-columns:minmax(0,1fr) 11.5rem;gap:.6rem;align-items:center}\n"
    ".lane .num{white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".track{display:block;height:.85rem;background:var(--faint);border-radius:.15rem;position:relative;"
    "overflow:hidden;min-width:3rem}\n"
    ".bar{display:block;height:100%;min-width:2px;background:var(--c);position:absolute}\n"
    ".track.ratio{min-width:9rem;margin-top:.3rem}\n"
    ".track.ratio::after{content:\"\";position:absolute;left:50%;top:0;height:100%;border-left:2px solid "
    "var(--ink)}\n"
    "figure{margin:.8rem 0}figure svg{display:block;width:100%;height:auto}\n"
    "svg.narrow{display:none}\n"
    "@media(max-width:40rem){body{padding:.8rem}h1{font-size:1.4rem}\n"
    "svg.wide{display:none}figure svg.narrow{display:block}\n"
    ".step{grid-template-columns:minmax(0,1fr)}.lane{grid-template-columns:minmax(0,1fr) 10.5rem}"
    ".step.head{display:none}}\n"
    "@media(min-width:40.01rem){.lane .mark{display:none}}\n"
    "@media(max-width:40rem){.lane .mark{grid-column:1/-1;font-size:.8rem}}\n"
    "@media print{.box{max-height:none;overflow:visible}}\n";

static void put_style(FILE *to)
{
    (void)fputs(
        "<style>\n:root{color-scheme:light dark;--soft:#595959;--line:#d9d9d9;--box:#f5f6f7;--good:#00694e;"
        "--bad:#b3261e;",
        to);
    plx_page_variables(to, false);
    (void)fputs("}\n@media(prefers-color-scheme:dark){:root{--soft:#a8a8a8;--line:#3c4043;--box:#202427;"
                "--good:#4fd3a8;--bad:#ff8f85;",
                to);
    plx_page_variables(to, true);
    (void)fprintf(to, "}}\n%s</style>\n", style);
}

/* The operations, each once. */
static void put_title(const plx_page *page, FILE *to)
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

void plx_page_begin(const plx_page *page, FILE *to)
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
    (void)fputs(
        "<a href=\"#summary\">Summary</a> <a href=\"#peers\">Peers</a> <a href=\"#ladders\">Ladders</a> "
        "<a href=\"#roofline\">Roofline</a> <a href=\"#sizes\">Sizes</a> "
        "<a href=\"#agreement\">Agreement</a> <a href=\"#records\">Records</a> "
        "<a href=\"#environment\">Environment</a></nav>\n",
        to);
    if (!page->plots)
        (void)fputs(
            "<p class=\"soft\">The plots are left out: gnuplot is not installed, or not in PATH.</p>\n", to);
}

void plx_page_end(FILE *to)
{
    (void)fprintf(to, "<footer class=\"soft\"><p>Made by parallax %s.</p></footer>\n</body>\n</html>\n",
                  plx_version());
}
