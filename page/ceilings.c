/* What devices reach, as a table: a row for each ceiling, a column for each backend on a chip. */
#include "page/page.h"

#include <string.h>

enum { MOST = 8 };

typedef struct columns {
    const plx_page_device *of[MOST];
    size_t count;
} columns;

static bool has_ceilings(const plx_study_device *device)
{
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++)
        if (device->ceilings.value[kind] > 0)
            return true;
    return false;
}

static bool is_there(const columns *all, const plx_page_device *device)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i]->chip == device->chip && strcmp(all->of[i]->is->label, device->is->label) == 0)
            return true;
    return false;
}

/* Of each backend on a chip the first file that has any. */
static void find_columns(const plx_page *page, columns *all)
{
    all->count = 0;
    for (size_t i = 0; i < page->device_count && all->count < MOST; i++)
        if (has_ceilings(page->devices[i].is) && !is_there(all, &page->devices[i]))
            all->of[all->count++] = &page->devices[i];
}

bool plx_page_has_ceilings(const plx_page *page)
{
    columns all;
    find_columns(page, &all);
    return all.count > 0;
}

static bool is_known(const columns *all, int kind)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i]->is->ceilings.value[kind] > 0)
            return true;
    return false;
}

/* "3008 GB/s"; nothing where it was not measured. */
static void put_value(const plx_study_device *device, int kind, FILE *to)
{
    char number[40];
    if (!(device->ceilings.value[kind] > 0))
        return;
    plx_plain_number_text(device->ceilings.value[kind], 4, number, sizeof number);
    (void)fprintf(to, "%s %s", number, plx_ceiling_unit((plx_ceiling_kind)kind));
    if ((device->ceilings.at_power_limit >> kind & 1) != 0)
        (void)fputs(", at the power limit", to);
}

void plx_page_ceilings(plx_page *page, FILE *to)
{
    columns all;
    find_columns(page, &all);
    if (all.count == 0)
        return;
    (void)fputs("<div class=\"box\"><table><thead><tr><th>ceiling</th>", to);
    for (size_t i = 0; i < all.count; i++)
        plx_page_put(to, "<th class=\"n\">%s %s</th>", all.of[i]->is->label, all.of[i]->is->info.name);
    (void)fputs("</tr></thead>\n<tbody>\n", to);
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) {
        if (!is_known(&all, kind))
            continue;
        (void)fprintf(to, "<tr><td>%s</td>", plx_ceiling_name((plx_ceiling_kind)kind));
        for (size_t i = 0; i < all.count; i++) {
            (void)fputs("<td class=\"n\">", to);
            put_value(all.of[i]->is, kind, to);
            (void)fputs("</td>", to);
        }
        (void)fputs("</tr>\n", to);
    }
    (void)fputs("</tbody></table></div>\n", to);
}

size_t plx_page_ceiling_table(plx_page *page, FILE *to)
{
    columns all;
    size_t rows = 0;
    find_columns(page, &all);
    if (all.count == 0)
        return 0;
    (void)fputs("**Ceilings**: what each backend reaches on its device\n\n| ceiling |", to);
    for (size_t i = 0; i < all.count; i++)
        (void)fprintf(to, " %s %s |", all.of[i]->is->label, all.of[i]->is->info.name);
    (void)fputs("\n|---|", to);
    for (size_t i = 0; i < all.count; i++)
        (void)fputs("--:|", to);
    (void)fputc('\n', to);
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) {
        if (!is_known(&all, kind))
            continue;
        (void)fprintf(to, "| %s |", plx_ceiling_name((plx_ceiling_kind)kind));
        for (size_t i = 0; i < all.count; i++) {
            (void)fputc(' ', to);
            put_value(all.of[i]->is, kind, to);
            (void)fputs(" |", to);
        }
        (void)fputc('\n', to);
        rows++;
    }
    return rows;
}
