/* Why one API is slower than another: what attributions found, as a section of the page and as a table. */
#include "page/page.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The product's parts, in the order of the columns. */
static const struct {
    plx_effect effect;
    const char *title;
} columns[] = {
    {PLX_EFFECT_TOTAL, "total"},         {PLX_EFFECT_SOURCE, "source"},
    {PLX_EFFECT_ASSEMBLER, "assembler"}, {PLX_EFFECT_EARLY_LAUNCH, "early launch"},
    {PLX_EFFECT_RUNTIME, "runtime"},     {PLX_EFFECT_REST, "rest"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const double worth_words = 0.05; /* of the total from 1 */

static bool is_far(const plx_attribution *one)
{
    const plx_ratio *total = &one->effects[PLX_EFFECT_TOTAL];
    return total->known && fabs(log(total->value)) > worth_words;
}

/* The first attribution of a file that was run: for whom the columns are; NULL: there is none. */
static const plx_attribution *first_of(const plx_results *results)
{
    for (size_t i = 0; i < results->attribution_count; i++)
        if (results->attributions[i].backends[PLX_FIRST_API][0] != '\0')
            return &results->attributions[i];
    return NULL;
}

/* What is not known is a question mark. */
static void fact_text(const plx_attributed_cell *cell, bool blocks, char text[16])
{
    const int32_t fact = blocks ? cell->launch.blocks_per_unit : cell->launch.registers;
    if (cell->described && fact >= 0)
        (void)snprintf(text, 16, "%d", (int)fact);
    else
        (void)snprintf(text, 16, "?");
}

/* "65 / 72": of the first text and of the second, each where it is at home. */
static void facts_text(const plx_attribution *one, bool blocks, char *text, size_t capacity)
{
    char first[16], second[16];
    fact_text(&one->cells[PLX_CELL_FIRST_FIRST], blocks, first);
    fact_text(&one->cells[PLX_CELL_SECOND_SECOND], blocks, second);
    (void)snprintf(text, capacity, "%s / %s", first, second);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* A text with its shape as the rest of the page writes it: 8192×8192. */
static void put_shaped(const char *text, FILE *to)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool times = *at == 'x' && at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
        plx_page_text(to, times ? "×" : (char[]){*at, '\0'});
    }
}

/* Where the kernels of a problem begin; text: the last problem that was written, and then this. */
static void put_group(const plx_attribution *one, size_t width, char text[160], FILE *to)
{
    char problem[160];
    plx_problem_text(&one->problem, 0, problem, sizeof problem);
    if (strcmp(problem, text) != 0) {
        (void)fprintf(to, "<tr class=\"op o%zu\"><th class=g colspan=%zu>", (size_t)one->problem.op, width);
        put_shaped(problem, to);
        (void)fputc('\n', to);
    }
    memcpy(text, problem, sizeof problem);
}

/* The ends of cells are left out, as HTML allows. */
static void put_row(const plx_attribution *one, FILE *to)
{
    char facts[40];
    plx_page_put(to, "<tr class=\"op o%zu\"><td>%s", (size_t)one->problem.op, one->kernel);
    for (size_t i = 0; i < COLUMNS; i++) {
        const plx_ratio *ratio = &one->effects[columns[i].effect];
        if (!ratio->known)
            (void)fputs("<td class=soft>–", to);
        else
            (void)fprintf(to, "<td%s>%.3f", plx_ratio_is_conclusive(ratio) ? "" : " class=soft", ratio->value);
    }
    facts_text(one, false, facts, sizeof facts);
    plx_page_put(to, "<td>%s", facts);
    facts_text(one, true, facts, sizeof facts);
    plx_page_put(to, "<td>%s", facts);
    (void)fprintf(to, "<td class=%s>%s\n", one->agree ? "good" : "bad", one->agree ? "agree" : "disagree");
}

/* What is worth words: a total far from 1, and bits that are not as they should be. */
static void put_words(const plx_attribution *one, FILE *to)
{
    if (is_far(one))
        plx_page_put(to, "<p><b>%s/%s</b>: %s</p>\n", plx_op_name(one->problem.op), one->kernel, one->verdict);
    if (one->bits[0] != '\0')
        plx_page_put(to, "<p><b>%s/%s</b>: %s</p>\n", plx_op_name(one->problem.op), one->kernel, one->bits);
}

/* Each way to run the kernel: its time, or why there is none. */
static void put_cell(const plx_attributed_cell *cell, FILE *to)
{
    (void)fputs("<td>", to);
    if (cell->time.measured && cell->time.median_ns > 0)
        plx_page_time(to, cell->time.median_ns);
    else
        plx_page_put(to, "<span class=%s title=\"%s\">%s</span>", plx_page_outcome_class(cell->outcome), cell->reason,
                     plx_outcome_name(cell->outcome));
}

static void put_cells(const plx_attribution *one, FILE *to)
{
    plx_page_put(to, "<tr class=\"op o%zu\"><td>%s", (size_t)one->problem.op, one->kernel);
    for (int i = 0; i < PLX_CELL_COUNT; i++)
        put_cell(&one->cells[i], to);
    (void)fputc('\n', to);
}

/* The text of either API, run by either: the table of which the factors are made. */
static void put_all_cells(const plx_results *results, const plx_attribution *first, FILE *to)
{
    char problem[160] = "";
    plx_page_put(to,
                 "<details><summary>The time of every cell</summary>\n<p>“First-second” is the device code of %s, run "
                 "by %s; “shipped” is the first as everybody runs it, “plain” the same, launched as the second "
                 "could.</p>\n<div class=\"box\"><table class=\"p\"><thead><tr><th>kernel</th>",
                 first->backends[PLX_FIRST_API], first->backends[PLX_SECOND_API]);
    for (int i = 0; i < PLX_CELL_COUNT; i++)
        plx_page_put(to, "<th class=\"n\">%s</th>", plx_cell_name((plx_cell)i));
    (void)fputs("</tr></thead><tbody>\n", to);
    for (size_t i = 0; i < results->attribution_count; i++) {
        put_group(&results->attributions[i], 1 + PLX_CELL_COUNT, problem, to);
        put_cells(&results->attributions[i], to);
    }
    (void)fputs("</tbody></table></div></details>\n", to);
}

static bool needs_words(const plx_results *results)
{
    for (size_t i = 0; i < results->attribution_count; i++)
        if (is_far(&results->attributions[i]) || results->attributions[i].bits[0] != '\0')
            return true;
    return false;
}

static void put_all_words(const plx_results *results, FILE *to)
{
    if (!needs_words(results))
        return;
    (void)fputs("<details><summary>In words, where the total is 5 % from 1 or bits differ</summary>\n", to);
    for (size_t i = 0; i < results->attribution_count; i++)
        put_words(&results->attributions[i], to);
    (void)fputs("</details>\n", to);
}

static void put_file(const plx_results *results, const plx_attribution *first, FILE *to)
{
    char problem[160] = "";
    plx_page_put(to,
                 "<p>Each kernel's device code as text, run by either API. The total is the time of %s over that of "
                 "%s, and the product of the next four; grey numbers do not differ from 1 beyond noise.</p>\n",
                 first->backends[PLX_SECOND_API], first->backends[PLX_FIRST_API]);
    (void)fputs("<div class=\"box\"><table class=\"p\"><thead><tr><th>kernel</th>", to);
    for (size_t i = 0; i < COLUMNS; i++)
        plx_page_put(to, "<th class=\"n\">%s</th>", columns[i].title);
    (void)fputs(
        "<th class=\"n\">registers</th><th class=\"n\">blocks</th><th class=\"n\">results</th></tr></thead><tbody>\n",
        to);
    for (size_t i = 0; i < results->attribution_count; i++) {
        put_group(&results->attributions[i], COLUMNS + 4, problem, to);
        put_row(&results->attributions[i], to);
    }
    (void)fputs("</tbody></table></div>\n", to);
    put_all_words(results, to);
    put_all_cells(results, first, to);
}

void plx_page_attributions(plx_page *page, FILE *to)
{
    for (size_t i = 0; i < page->file_count; i++) {
        const plx_attribution *first = first_of(&page->files[i].results);
        if (first != NULL)
            put_file(&page->files[i].results, first, to);
    }
}

/* ---- the table for documents ------------------------------------------------------------------- */

static void put_markdown_row(const plx_attribution *one, FILE *to)
{
    char problem[160], facts[40];
    const char *op = plx_op_name(one->problem.op);
    plx_problem_text(&one->problem, 0, problem, sizeof problem);
    (void)fprintf(to, "| %s/%s | %s |", op, one->kernel, problem + strlen(op) + 1);
    for (size_t i = 0; i < COLUMNS; i++) {
        const plx_ratio *ratio = &one->effects[columns[i].effect];
        if (!ratio->known)
            (void)fputs(" |", to);
        else
            (void)fprintf(to, plx_ratio_is_conclusive(ratio) ? " **%.2f** |" : " %.2f |", ratio->value);
    }
    facts_text(one, false, facts, sizeof facts);
    (void)fprintf(to, " %s |", facts);
    facts_text(one, true, facts, sizeof facts);
    (void)fprintf(to, " %s |\n", facts);
}

static size_t put_markdown(const plx_page_file *file, FILE *to)
{
    const plx_results *results = &file->results;
    const plx_attribution *first = first_of(results);
    if (first == NULL)
        return 0;
    const plx_study_device *device = &results->devices[first->device];
    (void)fprintf(to, "**Attribution** on %s: the time of %.*s over that of %.*s, and its factors (%s)\n\n",
                  device->info.name, (int)strcspn(first->backends[PLX_SECOND_API], ":"),
                  first->backends[PLX_SECOND_API], (int)strcspn(first->backends[PLX_FIRST_API], ":"),
                  first->backends[PLX_FIRST_API], file->name);
    (void)fputs("| kernel | problem |", to);
    for (size_t i = 0; i < COLUMNS; i++)
        (void)fprintf(to, " %s |", columns[i].title);
    (void)fputs(" registers | blocks |\n|---|---|", to);
    for (size_t i = 0; i < COLUMNS + 2; i++)
        (void)fputs("--:|", to);
    (void)fputc('\n', to);
    for (size_t i = 0; i < results->attribution_count; i++)
        put_markdown_row(&results->attributions[i], to);
    return results->attribution_count;
}

size_t plx_page_attribution_tables(plx_page *page, FILE *to)
{
    size_t count = 0;
    for (size_t i = 0; i < page->file_count; i++)
        count += put_markdown(&page->files[i], to);
    return count;
}
