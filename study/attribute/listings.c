/* The instructions of a kernel's codes, in each form that they have. */
#include "study/attribute/attribute.h"

#include "base/team.h"

#include <string.h>

/* Of whose text each listing is, in which form, and in which cell its launches are described. */
static const struct {
    int text;
    plx_code_form form;
    plx_cell cell;
} forms[PLX_LISTING_COUNT] = {
    [PLX_LISTING_FIRST_TEXT] = {PLX_FIRST_API, PLX_CODE_TEXT, PLX_CELL_FIRST_FIRST},
    [PLX_LISTING_SECOND_TEXT] = {PLX_SECOND_API, PLX_CODE_TEXT, PLX_CELL_SECOND_FIRST},
    [PLX_LISTING_FIRST_COMPILED] = {PLX_FIRST_API, PLX_CODE_COMPILED, PLX_CELL_FIRST_FIRST},
    [PLX_LISTING_FIRST_ASSEMBLED] = {PLX_FIRST_API, PLX_CODE_ASSEMBLED, PLX_CELL_FIRST_FIRST},
    [PLX_LISTING_SECOND_ASSEMBLED] = {PLX_SECOND_API, PLX_CODE_ASSEMBLED, PLX_CELL_SECOND_FIRST},
};

/* Of the entry point that the largest launch of the cell has; the first where that is not known. */
static void keep_instructions(const plx_instructions *counted, size_t count, const plx_attributed_cell *cell,
                              plx_attributed_code *kept)
{
    size_t which = 0;
    for (size_t i = 0; cell->described && i < count; ++i)
        if (strcmp(counted[i].entry, cell->launch.entry) == 0)
            which = i;
    kept->instructions = counted[which];
    kept->counted = count > 0;
}

/* As much of it as fits. */
static void keep_reason(plx_attributed_code *kept, const char *reason)
{
    const size_t length = strlen(reason), most = sizeof kept->reason - 1;
    memmove(kept->reason, reason, length < most ? length : most);
    kept->reason[length < most ? length : most] = '\0';
}

/* ---- of two APIs ------------------------------------------------------------------------ */

static void count_listing(const plx_attributing *a, size_t which, int listing)
{
    plx_attribution *found = &a->results->attributions[which];
    const plx_kernel_texts *texts = &a->texts[which];
    plx_attributed_code *kept = &found->listings[listing];
    plx_backend *backend = a->opened.backends[found->device];
    const int text = forms[listing].text;
    plx_instructions counted[PLX_MAX_ENTRIES];
    size_t count = 0;
    if (!texts->has[text])
        keep_reason(kept, found->reasons[text]);
    else if (plx_code_instructions(backend, &found->problem, found->kernel, &texts->codes[text], forms[listing].form,
                                   counted, PLX_MAX_ENTRIES, &count) == PLX_OK)
        keep_instructions(counted, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES,
                          &found->cells[forms[listing].cell], kept);
    else
        keep_reason(kept, plx_message(plx_backend_context(backend)));
}

/* At the same time, for assembling and disassembling take long. */
void plx_attribute_count_all(const plx_attributing *a)
{
    const size_t count = a->results->attribution_count * PLX_LISTING_COUNT;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads())
#endif
    for (size_t i = 0; i < count; ++i)
        if (plx_attribution_ran(&a->results->attributions[i / PLX_LISTING_COUNT]))
            count_listing(a, i / PLX_LISTING_COUNT, (int)(i % PLX_LISTING_COUNT));
}

/* ---- of a plugin without a device ---------------------------------------------------------- */

void plx_attribute_count_carried(plx_context *context, size_t plugin, const plx_code *code, plx_attribution *found)
{
    static const plx_listing carried[] = {PLX_LISTING_FIRST_TEXT, PLX_LISTING_FIRST_COMPILED};
    static const plx_attributed_cell nothing = {.described = false};
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; ++i) {
        plx_attributed_code *kept = &found->listings[carried[i]];
        plx_instructions counted[PLX_MAX_ENTRIES];
        size_t count = 0;
        if (plx_code_instructions_without_device(context, plugin, &found->problem, found->kernel, code,
                                                 forms[carried[i]].form, counted, PLX_MAX_ENTRIES, &count) == PLX_OK)
            keep_instructions(counted, count < PLX_MAX_ENTRIES ? count : PLX_MAX_ENTRIES, &nothing, kept);
        else
            keep_reason(kept, plx_message(context));
    }
}
