/* Ours and the vendors': the fastest of either, in one run, on one chip, of the same bytes. */
#include "page/page.h"

#include <ctype.h>
#include <string.h>

static bool is_on(plx_page *page, const plx_page_record *one, size_t chip)
{
    return page->series[one->series].chip == chip;
}

static const plx_page_record *faster(const plx_page_record *a, const plx_page_record *b)
{
    return a == NULL || b->time < a->time ? b : a;
}

/* The fastest way of a library in a group. */
static const plx_page_record *library_of(plx_page *page, size_t first, size_t chip)
{
    const plx_page_record *best = NULL;
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next)
        if (page->records[i].vendor && page->records[i].time > 0 && is_on(page, &page->records[i], chip))
            best = faster(best, &page->records[i]);
    return best;
}

static const plx_page_record *own_of(plx_page *page, size_t first, size_t chip, size_t series)
{
    const plx_page_record *best = NULL;
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *one = &page->records[i];
        if (!one->vendor && !one->baseline && one->time > 0 && is_on(page, one, chip) &&
            (series == PLX_PAGE_NONE || one->series == series))
            best = faster(best, one);
    }
    return best;
}

/* The chip of a library in a group, of the first that has one. */
static size_t library_chip(plx_page *page, size_t first)
{
    for (size_t i = first; i != PLX_PAGE_NONE; i = page->records[i].next)
        if (page->records[i].vendor && page->records[i].time > 0)
            return page->series[page->records[i].series].chip;
    return PLX_PAGE_NONE;
}

bool plx_page_duel_of(plx_page *page, size_t record, size_t series, plx_page_duel *duel)
{
    if (page->records[record].first != record)
        return false;
    size_t chip = series != PLX_PAGE_NONE ? page->series[series].chip : library_chip(page, record);
    const plx_page_record *peer = chip != PLX_PAGE_NONE ? library_of(page, record, chip) : NULL;
    const plx_page_record *own = peer != NULL && peer->newest ? own_of(page, record, chip, series) : NULL;
    if (own == NULL)
        return false;
    *duel = (plx_page_duel){.own = own,
                            .peer = peer,
                            .ratio = peer->time / own->time,
                            .low = peer->is->time.low_ns / own->is->time.high_ns,
                            .high = peer->is->time.high_ns / own->is->time.low_ns};
    return true;
}

const plx_page_record *plx_page_library(plx_page *page, const plx_page_record *like, size_t chip)
{
    const plx_page_record *best = library_of(page, like->first, chip);
    const plx_page_problem *problem = &page->problems[like->problem];
    if (best != NULL)
        return best;
    for (size_t i = problem->records; i != PLX_PAGE_NONE; i = page->records[i].next_of_problem) {
        const plx_page_record *one = &page->records[i];
        if (one->vendor && one->time > 0 && one->newest && is_on(page, one, chip))
            best = faster(best, one);
    }
    return best;
}

const char *plx_page_type(const plx_record *record)
{
    const plx_problem *problem = &record->problem;
    return problem->compute == PLX_COMPUTE_PLAIN ? plx_dtype_name(problem->dtype) : plx_compute_name(problem->compute);
}

void plx_page_library_name(const char *label, char *name, size_t capacity)
{
    static const char *const known[][2] = {{"cublas", "cuBLAS"}, {"openblas", "OpenBLAS"}, {"clblast", "CLBlast"}};
    int length = (int)strcspn(label, ":");
    (void)snprintf(name, capacity, "%.*s", length < 40 ? length : 40, label);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i][0]) == 0)
            (void)snprintf(name, capacity, "%s", known[i][1]);
}

void plx_page_ratio_text(double ratio, char *text, size_t capacity)
{
    if (ratio < 99.995)
        (void)snprintf(text, capacity, "%.*f", ratio < 9.995 ? 2 : 1, ratio);
    else
        plx_number_text(ratio, 3, text, capacity);
}
