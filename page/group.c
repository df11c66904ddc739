/* What of a page belongs together: groups of one run, kinds of problems. */
#include "page/page.h"

bool plx_page_together(const plx_page_record *a, const plx_page_record *b)
{
    return a->file == b->file && a->is->group == b->is->group && a->problem == b->problem;
}

const plx_page_record *plx_page_fastest(plx_page *page, const plx_page_record *like, size_t series, bool own)
{
    const plx_page_record *best = NULL;
    for (size_t i = like->first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *one = &page->records[i];
        bool fits = one->time > 0 && one->series == series && !one->baseline && !(own && one->vendor);
        if (fits && (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

bool plx_page_alike(const plx_page_problem *a, const plx_page_problem *b)
{
    return a->kind == b->kind;
}

bool plx_page_opens_kind(plx_page *page, size_t problem)
{
    return page->kinds[page->problems[problem].kind].first == problem;
}

bool plx_page_in_flops(plx_page *page, size_t problem)
{
    return page->kinds[page->problems[problem].kind].in_flops;
}

double plx_page_gain(const plx_record *record)
{
    return (record->kernel_flags & PLX_KERNEL_SPECIAL) != 0 || !(record->gain > 0) ? 0 : record->gain;
}

double plx_page_rate(const plx_page_record *record, bool flops)
{
    if (!(record->time > 0))
        return 0;
    return flops ? record->is->gflops : record->is->gbps;
}
