/* What of a page belongs together: groups of one run, kinds of problems. */
#include "page/page.h"

#include <string.h>

bool plx_page_together(const plx_page_record *a, const plx_page_record *b)
{
    return a->file == b->file && a->group == b->group && a->problem == b->problem;
}

bool plx_page_opens_group(const plx_page *page, size_t record)
{
    for (size_t i = record; i-- > 0;) {
        if (page->records[i].file != page->records[record].file)
            return true;
        if (plx_page_together(&page->records[i], &page->records[record]))
            return false;
    }
    return true;
}

const plx_page_record *plx_page_fastest(const plx_page *page, const plx_page_record *like, size_t series,
                                        bool own)
{
    const plx_page_record *best = NULL;
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        bool fits = one->time > 0 && one->series == series && !one->yardstick && !(own && one->vendor);
        if (fits && plx_page_together(one, like) && (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

bool plx_page_alike(const plx_page_problem *a, const plx_page_problem *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->dtype, b->dtype) == 0 && strcmp(a->form, b->form) == 0;
}

bool plx_page_in_flops(const plx_page *page, size_t problem)
{
    for (size_t i = 0; i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i];
        if (plx_page_alike(&page->problems[one->problem], &page->problems[problem]) &&
            one->gflops > one->gbps)
            return true;
    }
    return false;
}

double plx_page_rate(const plx_page_record *record, bool flops)
{
    return flops ? record->gflops : record->gbps;
}
