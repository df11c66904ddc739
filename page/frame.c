/* The frame of a page: its head with all of its style, what chooses a part of it, the navigation, and the sections. */
#define _POSIX_C_SOURCE 200809L

#include "page/page.h"

#include "base/text.h"
#include "kernels/image.h"

#include <stdlib.h>
#include <string.h>

/* page.css, by build-aux/embed. */
extern const plx_image plx_page_style[];

/* ---- choices without a script: a radio button for each, before all that it may hide ----------- */

/* Whether anything of the page is of operation, series or outcome `index`. */
typedef bool is_there(plx_page *page, size_t index);
typedef void put_choice_name(plx_page *page, size_t index, FILE *to);

static bool has_operation(plx_page *page, size_t index)
{
    for (size_t i = 0; i < page->problem_count; i++)
        if ((size_t)page->problems[i].first->problem.op == index)
            return true;
    return false;
}

static bool has_series(plx_page *page, size_t index)
{
    return index < page->series_count;
}

static bool has_outcome(plx_page *page, size_t index)
{
    for (size_t i = 0; i < page->record_count; i++)
        if ((size_t)page->records[i].is->outcome == index)
            return true;
    return false;
}

static void put_operation(plx_page *page, size_t index, FILE *to)
{
    (void)page;
    plx_page_text(to, plx_op_name((plx_op)index));
}

static void put_series(plx_page *page, size_t index, FILE *to)
{
    plx_page_text(to, page->series[index].shown);
}

static void put_outcome(plx_page *page, size_t index, FILE *to)
{
    (void)page;
    plx_page_text(to, plx_outcome_name((plx_outcome)index));
}

/* mark: of the classes of what it is about, "o3".  hides: what else is hidden but that. */
static const struct choice {
    const char *title;
    char mark;
    is_there *there;
    put_choice_name *name;
    const char *hides;
} choices[] = {
    {"operation", 'o', has_operation, put_operation, ".op,.t tbody"},
    {"backend", 'b', has_series, put_series, ".t tbody,.t tr[class]"},
    {"status", 's', has_outcome, put_outcome, ".t tbody,.t tr[class]"},
};
enum { CHOICES = sizeof choices / sizeof choices[0], MOST_OF_A_CHOICE = 64 };

static size_t count_choices(plx_page *page, const struct choice *of)
{
    size_t count = 0;
    for (size_t i = 0; i < MOST_OF_A_CHOICE; i++)
        count += of->there(page, i);
    return count;
}

/* Where there is one alone, there is nothing to choose. */
static bool is_offered(plx_page *page, const struct choice *of)
{
    return page->record_count > 0 && (page->has_records || of->mark == 'o') && count_choices(page, of) > 1;
}

/* Rows of what is right have no class of their outcome (records.c). */
static void put_rule(const struct choice *of, size_t index, FILE *to)
{
    if (of->mark == 's' && index == PLX_OUTCOME_OK)
        (void)fprintf(to, "#fs%zu:checked~main :is(.t tbody:not(.s%zu),.t tr[class*=s]){display:none}\n", index, index);
    else
        (void)fprintf(to, "#f%c%zu:checked~main :is(%s):not(.%c%zu){display:none}\n", of->mark, index, of->hides,
                      of->mark, index);
}

static void put_rules(plx_page *page, FILE *to)
{
    for (size_t c = 0; c < CHOICES; c++) {
        char mark = choices[c].mark;
        if (!is_offered(page, &choices[c]))
            continue;
        (void)fprintf(to, "#f%c:checked~nav [for=f%c]", mark, mark);
        for (size_t i = 0; i < MOST_OF_A_CHOICE; i++)
            if (choices[c].there(page, i))
                (void)fprintf(to, ",#f%c%zu:checked~nav [for=f%c%zu]", mark, i, mark, i);
        (void)fputs("{background:var(--ink);color:var(--paper)}\n", to);
        for (size_t i = 0; i < MOST_OF_A_CHOICE; i++)
            if (choices[c].there(page, i))
                put_rule(&choices[c], i, to);
    }
}

static void put_buttons(plx_page *page, FILE *to)
{
    for (size_t c = 0; c < CHOICES; c++) {
        char mark = choices[c].mark;
        if (!is_offered(page, &choices[c]))
            continue;
        (void)fprintf(to,
                      "<input type=\"radio\" class=\"pick\" name=\"f%c\" id=\"f%c\" aria-label=\"any %s\" checked>\n",
                      mark, mark, choices[c].title);
        for (size_t i = 0; i < MOST_OF_A_CHOICE; i++) {
            if (!choices[c].there(page, i))
                continue;
            (void)fprintf(to, "<input type=\"radio\" class=\"pick\" name=\"f%c\" id=\"f%c%zu\" aria-label=\"", mark,
                          mark, i);
            choices[c].name(page, i, to);
            (void)fputs("\">\n", to);
        }
    }
}

static void put_labels(plx_page *page, FILE *to)
{
    (void)fputs("<div class=\"choices\">\n", to);
    for (size_t c = 0; c < CHOICES; c++) {
        if (!is_offered(page, &choices[c]))
            continue;
        (void)fprintf(to, "<p class=\"choice\"><span>%s</span> <label for=\"f%c\">all</label>", choices[c].title,
                      choices[c].mark);
        for (size_t i = 0; i < MOST_OF_A_CHOICE; i++) {
            if (!choices[c].there(page, i))
                continue;
            (void)fprintf(to, " <label for=\"f%c%zu\">", choices[c].mark, i);
            choices[c].name(page, i, to);
            (void)fputs("</label>", to);
        }
        (void)fputs("</p>\n", to);
    }
    (void)fputs("</div>\n", to);
}

/* ---- head and end ---------------------------------------------------------------------------------- */

static void put_style(plx_page *page, FILE *to)
{
    (void)fputs("<style>\n:root{color-scheme:light dark;--line:#d9d9d9;--box:#f5f6f7;--good:#00694e;", to);
    plx_page_variables(to, false);
    (void)fputs("}\n@media(prefers-color-scheme:dark){:root{--line:#3c4043;--box:#202427;--good:#4fd3a8;", to);
    plx_page_variables(to, true);
    (void)fputs("}}\n", to);
    (void)fwrite(plx_page_style[0].bytes, 1, plx_page_style[0].length, to);
    plx_page_picture_style(to);
    put_rules(page, to);
    (void)fputs("</style>\n", to);
}

/* The operations, each once; without records the chips. */
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
    for (size_t chip = 0; page->problem_count == 0 && chip < page->chip_count; chip++) {
        (void)fputs(chip > 0 ? ", " : "", to);
        plx_page_text(to, plx_page_chip(page, chip));
    }
}

static void put_head(plx_page *page, FILE *to)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Parallax: ",
                to);
    put_title(page, to);
    (void)fputs("</title>\n", to);
    put_style(page, to);
    (void)fputs("</head>\n<body>\n", to);
}

/* ---- sections ------------------------------------------------------------------------------------------ */

/* What a section has to say, malloc'ed; NULL: no memory. */
static char *body_of(plx_page *page, const plx_page_section *section)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    section->put(page, to);
    if (plx_text_whole(to))
        return text;
    free(text);
    return NULL;
}

static void put_navigation(plx_page *page, const plx_page_section *sections, char *const *bodies, size_t count,
                           FILE *to)
{
    (void)fputs("<nav>\n<p class=\"links\">", to);
    for (size_t i = 0; i < count; i++)
        if (bodies[i] != NULL && bodies[i][0] != '\0')
            plx_page_put(to, "<a href=\"#%s\">%s</a> ", sections[i].id, sections[i].title);
    (void)fputs("</p>\n", to);
    put_labels(page, to);
    (void)fputs("</nav>\n", to);
}

static void put_sections(const plx_page_section *sections, char *const *bodies, size_t count, FILE *to)
{
    for (size_t i = 0; i < count; i++)
        if (bodies[i] != NULL && bodies[i][0] != '\0')
            (void)fprintf(to, "<section id=\"%s\">\n<h2>%s</h2>\n%s</section>\n", sections[i].id, sections[i].title,
                          bodies[i]);
}

void plx_page_frame(plx_page *page, const plx_page_section *sections, size_t count, FILE *to)
{
    char **bodies = plx_page_memory(page, count, sizeof(char *));
    for (size_t i = 0; bodies != NULL && i < count; i++) {
        page->has_records = page->has_records || sections[i].put == plx_page_records;
        bodies[i] = body_of(page, &sections[i]);
        if (bodies[i] == NULL && page->status == PLX_OK)
            page->status = plx_fail(&page->error, PLX_NO_MEMORY, "no memory for the page");
    }
    if (bodies == NULL)
        return;
    put_head(page, to);
    put_buttons(page, to);
    put_navigation(page, sections, bodies, count, to);
    (void)fputs("<main>\n<h1>Parallax: ", to);
    put_title(page, to);
    (void)fputs("</h1>\n", to);
    put_sections(sections, bodies, count, to);
    (void)fprintf(to, "<footer class=\"soft\"><p>Made by parallax %s.</p></footer>\n</main>\n</body>\n</html>\n",
                  plx_version());
    for (size_t i = 0; i < count; i++)
        free(bodies[i]);
    free(bodies);
}
