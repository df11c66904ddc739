/* The environment: which program and machine made each file, and the devices. */
#include "page/page.h"

#include <string.h>

static void put_fact(FILE *to, const plx_fact *fact)
{
    if (fact->known)
        plx_page_put(to, "<tr><th>%s</th><td>%s</td></tr>\n", fact->title, fact->text);
}

/* ---- files --------------------------------------------------------------------------------- */

static void put_file(plx_page *page, size_t index, FILE *to)
{
    plx_fact fact;
    (void)fputs("<div class=\"box\"><table><tbody>\n", to);
    for (size_t i = 0; plx_environment_fact(&page->files[index].results.environment, i, &fact); i++)
        put_fact(to, &fact);
    (void)fputs("</tbody></table></div>\n", to);
}

static bool same_origin(const plx_environment *a, const plx_environment *b)
{
    plx_fact one, other;
    for (size_t i = 0; plx_environment_fact(a, i, &one) && plx_environment_fact(b, i, &other); i++)
        if (plx_facts_differ(&one, &other, 0))
            return false;
    return true;
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool same_device(const plx_study_device *a, const plx_study_device *b)
{
    plx_fact one, other;
    for (size_t i = 0; plx_device_fact(a, i, &one) && plx_device_fact(b, i, &other); i++)
        if (plx_facts_differ(&one, &other, 0))
            return false;
    return memcmp(&a->ceilings, &b->ceilings, sizeof a->ceilings) == 0;
}

static bool is_seen(plx_page *page, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (page->devices[i].chip == page->devices[index].chip &&
            same_device(page->devices[i].is, page->devices[index].is))
            return true;
    return false;
}

static void put_ceilings(FILE *to, const plx_study_device *device)
{
    const plx_ceilings *ceilings = &device->ceilings;
    char number[40], clock[120];
    const char *before = "<tr><th>ceilings</th><td>";
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) {
        if (!(ceilings->value[kind] > 0))
            continue;
        plx_number_text(ceilings->value[kind], 4, number, sizeof number);
        (void)fprintf(to, "%s%s %s %s", before, plx_ceiling_name((plx_ceiling_kind)kind), number,
                      plx_ceiling_unit((plx_ceiling_kind)kind));
        plx_ceiling_clock_text(device, (plx_ceiling_kind)kind, clock, sizeof clock);
        if ((ceilings->at_power_limit >> kind & 1) != 0)
            plx_page_put(to, " (%s)", clock);
        before = ", ";
    }
    if (strcmp(before, ", ") == 0)
        (void)fputs("</td></tr>\n", to);
}

static void put_device(plx_page *page, size_t index, FILE *to)
{
    const plx_study_device *is = page->devices[index].is;
    plx_fact fact;
    (void)fputs("<details><summary>", to);
    if (page->devices[index].series != PLX_PAGE_NONE)
        plx_page_series_mark(to, page, page->devices[index].series);
    else
        plx_page_text(to, is->label);
    plx_page_put(to, " %s", is->info.name);
    if (page->file_count > 1)
        (void)fprintf(to, " <span class=\"soft\">file %zu</span>", page->devices[index].file + 1);
    (void)fputs("</summary>\n<div class=\"box\"><table><tbody>\n", to);
    for (size_t i = 0; plx_device_fact(is, i, &fact); i++)
        put_fact(to, &fact);
    put_ceilings(to, is);
    (void)fputs("</tbody></table></div></details>\n", to);
}

void plx_page_environment(plx_page *page, FILE *to)
{
    plx_page_section(to, "environment", "Environment");
    for (size_t i = 0; i < page->file_count; i++) {
        plx_page_put(to, "<h3>File %zu: %s</h3>\n", i + 1, page->files[i].name);
        if (i == 0 || !same_origin(&page->files[i].results.environment, &page->files[i - 1].results.environment))
            put_file(page, i, to);
        else
            (void)fputs("<p class=\"soft\">As the file before.</p>\n", to);
    }
    (void)fputs("<h3>Devices</h3>\n", to);
    for (size_t i = 0; i < page->device_count; i++)
        if (!is_seen(page, i))
            put_device(page, i, to);
    (void)fputs("</section>\n", to);
}
