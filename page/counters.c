/* What the hardware counted of each kernel: sectors per request, bank conflicts, occupancy, and the bytes that moved
 * over those that the formula asks for. */
#include "page/page.h"

#include <math.h>

/* What is not measured on a chip takes nothing away from the rest. */
static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static double quotient(double number, double by)
{
    return by > 0 ? number / by : (double)NAN;
}

static void put_cell(double number, const char *unit, FILE *to)
{
    char text[40];
    plx_plain_number_text(number, 3, text, sizeof text);
    (void)fprintf(to, "<td class=\"n\">%s%s</td>", text, text[0] != '\0' ? unit : "");
}

/* "65.7 M". */
static void put_count(double number, FILE *to)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    size_t step = 0;
    for (; number >= 999.5 && step + 1 < sizeof prefixes / sizeof prefixes[0]; step++)
        number /= 1000;
    put_cell(number, prefixes[step], to);
}

/* Where the kernels of a problem on a backend begin. */
static void put_group(plx_page *page, const plx_page_record *first, FILE *to)
{
    (void)fprintf(to, "<tr class=\"op o%d\"><th class=g colspan=7>", (int)first->is->problem.op);
    plx_page_problem_text(to, &page->problems[first->problem]);
    (void)fputc(' ', to);
    plx_page_series_mark(to, page, first->series);
    (void)fputs("</th></tr>\n", to);
}

static bool is_of_group(const plx_page_record *before, const plx_page_record *one)
{
    return before != NULL && before->problem == one->problem && before->series == one->series;
}

static void put_row(plx_page *page, size_t record, FILE *to)
{
    const plx_page_record *one = &page->records[record];
    const plx_counters *c = &one->is->counters;
    double dram = sum(c->dram_read_bytes, c->dram_write_bytes);
    plx_page_put(to, "<tr class=\"op o%zu\"><td class=\"w\"><a href=\"#r%zu\">%s</a></td>", (size_t)one->is->problem.op,
                 record, one->is->kernel);
    put_cell(quotient(c->global_load_sectors, c->global_load_requests), "", to);
    put_cell(quotient(c->global_store_sectors, c->global_store_requests), "", to);
    put_count(sum(c->shared_load_conflicts, c->shared_store_conflicts), to);
    put_cell(100 * c->achieved_occupancy, " %", to);
    put_cell(quotient(dram, one->is->formula_bytes), "", to);
    put_cell(quotient(dram, c->duration_ns), " GB/s", to);
    (void)fputs("</tr>\n", to);
}

void plx_page_counters(plx_page *page, FILE *to)
{
    const plx_page_record *before = NULL;
    for (size_t i = 0; i < page->record_count; i++) {
        if (!page->records[i].is->counted)
            continue;
        if (before == NULL)
            (void)fputs(
                "<p>One execution of each kernel. A request of a warp that reads neighbouring numbers of 32 "
                "bits needs 4 sectors of 32 bytes; bank conflicts are extra passes through shared memory; bytes "
                "over formula is the traffic of DRAM over what the operation must move, below 1 where a cache "
                "held a part.</p>\n<div class=\"box\"><table><thead><tr><th>kernel</th><th class=\"n\">sectors per "
                "load</th><th class=\"n\">per store</th>"
                "<th class=\"n\">bank conflicts</th><th class=\"n\">occupancy</th>"
                "<th class=\"n\">bytes over formula</th><th class=\"n\">DRAM</th></tr></thead>\n<tbody>\n",
                to);
        if (!is_of_group(before, &page->records[i]))
            put_group(page, &page->records[i], to);
        put_row(page, i, to);
        before = &page->records[i];
    }
    if (before != NULL)
        (void)fputs("</tbody></table></div>\n", to);
}
