/* The environment: which program and machine made each file, and the devices. */
#include "page/page.h"

#include <string.h>

static void put_fact(FILE *to, const plx_fact *fact)
{
    if (fact->known)
        plx_page_put(to, "<tr><th>%s</th><td>%s</td></tr>\n", fact->title, fact->text);
}

/* ---- files --------------------------------------------------------------------------------- */

/* All that is known, or, of a later file, what is not as in the first. */
static void put_file(plx_page *page, size_t index, FILE *to)
{
    plx_fact fact, before;
    (void)fputs(index > 0 ? "<p class=\"soft\">As file 1, but for:</p>\n" : "", to);
    (void)fputs("<div class=\"box\"><table><tbody>\n", to);
    for (size_t i = 0; plx_environment_fact(&page->files[index].results.environment, i, &fact); i++)
        if (index == 0 || (plx_environment_fact(&page->files[0].results.environment, i, &before) &&
                           strcmp(fact.key, "date") != 0 && plx_facts_differ(&before, &fact, 0)))
            put_fact(to, &fact);
    (void)fputs("</tbody></table></div>\n", to);
}

/* But for when it was. */
static bool same_origin(const plx_environment *a, const plx_environment *b)
{
    plx_fact one, other;
    for (size_t i = 0; plx_environment_fact(a, i, &one) && plx_environment_fact(b, i, &other); i++)
        if (strcmp(one.key, "date") != 0 && plx_facts_differ(&one, &other, 0))
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

/* "copy 4287 GB/s, launch 3065 ns", of those that were measured. */
static void put_ceilings(FILE *to, const plx_study_device *device)
{
    const plx_ceilings *ceilings = &device->ceilings;
    char number[40], clock[120];
    const char *before = "";
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) {
        if (!(ceilings->value[kind] > 0))
            continue;
        plx_plain_number_text(ceilings->value[kind], 4, number, sizeof number);
        (void)fprintf(to, "%s%s %s %s", before, plx_ceiling_name((plx_ceiling_kind)kind), number,
                      plx_ceiling_unit((plx_ceiling_kind)kind));
        plx_ceiling_clock_text(device, (plx_ceiling_kind)kind, clock, sizeof clock);
        if ((ceilings->at_power_limit >> kind & 1) != 0)
            plx_page_put(to, " (%s)", clock);
        before = ", ";
    }
}

/* The first device of the page that is the same chip; itself, where it is that. */
static size_t first_like(plx_page *page, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (page->devices[i].chip == page->devices[index].chip)
            return i;
    return index;
}

/* What differs between two devices, but for what changes from minute to minute. */
static bool is_told(const plx_study_device *first, size_t index, const plx_fact *fact)
{
    plx_fact before;
    return (fact->matters & PLX_FACT_SENSOR) == 0 && strcmp(fact->key, "label") != 0 &&
           plx_device_fact(first, index, &before) && plx_facts_differ(&before, fact, 0);
}

static void put_name(plx_page *page, size_t index, FILE *to)
{
    if (page->devices[index].series != PLX_PAGE_NONE)
        plx_page_series_mark(to, page, page->devices[index].series);
    else
        plx_page_text(to, page->devices[index].is->label);
}

/* All that is known of it. */
static void put_device(plx_page *page, size_t index, FILE *to)
{
    const plx_study_device *is = page->devices[index].is;
    plx_fact fact;
    (void)fputs("<details><summary>", to);
    put_name(page, index, to);
    plx_page_put(to, " %s", is->info.name);
    if (page->file_count > 1)
        (void)fprintf(to, " <span class=\"soft\">file %zu</span>", page->devices[index].file + 1);
    (void)fputs("</summary>\n<div class=\"box\"><table><tbody>\n", to);
    for (size_t i = 0; plx_device_fact(is, i, &fact); i++)
        put_fact(to, &fact);
    (void)fputs("<tr><th>ceilings</th><td>", to);
    put_ceilings(to, is);
    (void)fputs("</td></tr>\n</tbody></table></div></details>\n", to);
}

/* How it differs from the first of its chip, in a row. */
static void put_difference(plx_page *page, size_t index, FILE *to)
{
    const plx_study_device *first = page->devices[first_like(page, index)].is, *is = page->devices[index].is;
    plx_fact fact;
    (void)fprintf(to, "<tr><td>%zu<td>", page->devices[index].file + 1);
    plx_page_put(to, "%s<td>%s<td>", is->label, is->info.name);
    for (size_t i = 0; plx_device_fact(is, i, &fact); i++)
        if (is_told(first, i, &fact))
            plx_page_put(to, "%s: %s; ", fact.title, fact.text[0] != '\0' ? fact.text : "not known");
    put_ceilings(to, is);
    (void)fputc('\n', to);
}

static void put_devices(plx_page *page, FILE *to)
{
    size_t others = 0;
    (void)fputs("<h3>Devices</h3>\n", to);
    for (size_t i = 0; i < page->device_count; i++)
        if (first_like(page, i) == i)
            put_device(page, i, to);
    for (size_t i = 0; i < page->device_count; i++) {
        if (first_like(page, i) == i || is_seen(page, i))
            continue;
        if (others++ == 0)
            (void)fputs("<details><summary>The same chips in other files and through other backends</summary>\n"
                        "<div class=\"box\"><table><thead><tr><th>file</th><th>backend</th><th>chip</th>"
                        "<th>what differs, and ceilings</th></tr></thead><tbody>\n",
                        to);
        put_difference(page, i, to);
    }
    if (others > 0)
        (void)fputs("</tbody></table></div></details>\n", to);
}

/* The first file whose program and machine are the same; itself, where it is that. */
static size_t first_origin(plx_page *page, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_origin(&page->files[index].results.environment, &page->files[i].results.environment))
            return i;
    return index;
}

static void put_origin(plx_page *page, size_t index, FILE *to)
{
    const char *date = page->files[index].results.environment.date;
    const size_t first = first_origin(page, index);
    plx_page_put(to, "<details id=\"file-%zu\"%s><summary>File %zu: %s%s%s</summary>\n", index + 1,
                 page->file_count == 1 ? " open" : "", index + 1, page->files[index].name, date[0] != '\0' ? ", " : "",
                 date);
    if (first == index)
        put_file(page, index, to);
    else
        plx_page_put(to, "<p class=\"soft\">As <a href=\"#file-%zu\">file %zu</a>.</p>\n", first + 1, first + 1);
    (void)fputs("</details>\n", to);
}

void plx_page_environment(plx_page *page, FILE *to)
{
    for (size_t i = 0; i < page->file_count; i++)
        put_origin(page, i, to);
    put_devices(page, to);
}
