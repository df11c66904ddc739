/* The agreement of backends: each with each, by the pairs of all files. */
#include "page/page.h"

#include <math.h>

typedef struct cell {
    size_t pairs, compared, agreed, identical;
    double ulp;
} cell;

static bool is_of(const plx_page_record *a, const plx_page_record *b, size_t one, size_t other)
{
    return (a->series == one && b->series == other) || (a->series == other && b->series == one);
}

static void add_pair(cell *of, const plx_pair *pair)
{
    of->pairs++;
    if (!pair->compared)
        return;
    of->compared++;
    of->agreed += pair->agree;
    of->identical += pair->identical;
    of->ulp = fmax(of->ulp, isfinite(pair->max_ulp) ? pair->max_ulp : 0);
}

static cell cell_of(plx_page *page, size_t one, size_t other)
{
    cell of = {0};
    for (size_t f = 0; f < page->file_count; f++) {
        const plx_page_record *records = page->records + page->files[f].first_record;
        const plx_results *results = &page->files[f].results;
        for (size_t i = 0; i < results->pair_count; i++) {
            const plx_pair *pair = &results->pairs[i];
            if (is_of(&records[pair->first], &records[pair->second], one, other))
                add_pair(&of, pair);
        }
    }
    return of;
}

/* Beyond a million the number says nothing but that the exact value is near zero. */
static void put_distance(double ulp, FILE *to)
{
    char text[32];
    plx_plain_number_text(ulp, 3, text, sizeof text);
    if (ulp > 1e6)
        (void)fputs("<br>over a million ulp", to);
    else
        (void)fprintf(to, "<br>at most %s ulp", text);
}

/* "all 5 agree, 2 bit-identical, at most 3 ulp". */
static void put_cell(const cell *of, FILE *to)
{
    if (of->pairs == 0) {
        (void)fputs("<td class=\"soft\">–</td>", to);
        return;
    }
    if (of->compared == 0) {
        (void)fprintf(to, "<td class=\"soft\">nothing compared, %zu pair%s</td>", of->pairs, of->pairs == 1 ? "" : "s");
        return;
    }
    bool all = of->agreed == of->compared;
    (void)fprintf(to, "<td class=\"w\"><span class=\"%s\">", all ? "good" : "bad");
    if (all)
        (void)fprintf(to, "✓ %zu agree</span>", of->agreed);
    else
        (void)fprintf(to, "✗ %zu of %zu disagree</span>", of->compared - of->agreed, of->compared);
    (void)fprintf(to, "<br>%zu bit-identical", of->identical);
    if (of->identical < of->compared)
        put_distance(of->ulp, to);
    if (of->compared < of->pairs)
        (void)fprintf(to, "<br>%zu not compared", of->pairs - of->compared);
    (void)fputs("</td>", to);
}

static bool has_pairs(plx_page *page)
{
    for (size_t f = 0; f < page->file_count; f++)
        if (page->files[f].results.pair_count > 0)
            return true;
    return false;
}

static void put_matrix(plx_page *page, FILE *to)
{
    (void)fputs("<div class=\"box\"><table><thead><tr><th></th>", to);
    for (size_t s = 0; s < page->series_count; s++) {
        (void)fputs("<th>", to);
        plx_page_series_mark(to, page, s);
        (void)fputs("</th>", to);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t one = 0; one < page->series_count; one++) {
        (void)fputs("<tr><th>", to);
        plx_page_series_mark(to, page, one);
        (void)fputs("</th>", to);
        for (size_t other = 0; other < page->series_count; other++) {
            const cell of = cell_of(page, one, other);
            put_cell(&of, to);
        }
        (void)fputs("</tr>\n", to);
    }
    (void)fputs("</tbody></table></div>\n", to);
}

void plx_page_agreement(plx_page *page, FILE *to)
{
    if (!has_pairs(page))
        return;
    (void)fputs("<p>Pairs of results of the same problem on the same bytes, element by element. Two agree when "
                "their difference is within the sum of their bounds. A large distance in ulp next to “agree” is "
                "an element near zero, whose terms cancel.</p>\n",
                to);
    put_matrix(page, to);
}
