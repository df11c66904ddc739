/* `report`: files of results as one page, and single plots of it. */
#include "page/page.h"

#include <string.h>

static bool has_attributions(const plx_page *page)
{
    for (size_t i = 0; i < page->file_count; i++)
        if (page->files[i].results.attribution_count > 0)
            return true;
    return false;
}

/* The files of a report, which have records or attributions. */
static plx_status read_files(const char *const *files, size_t count, plx_page *page, plx_error *error)
{
    if (count == 0)
        return plx_fail(error, PLX_INVALID, "no file of results was named");
    plx_status status = plx_page_read(files, count, page, error);
    if (status != PLX_OK || page->record_count > 0 || has_attributions(page))
        return status;
    plx_page_free(page);
    return plx_fail(error, PLX_INVALID, "%.200s: no records: there is nothing to report", files[0]);
}

plx_status plx_report_write(const char *const *files, size_t count, FILE *to, plx_error *error)
{
    plx_page page;
    plx_status status = read_files(files, count, &page, error);
    if (status != PLX_OK)
        return status;
    page.plots = plx_gnuplot_found();
    plx_page_begin(&page, to);
    plx_page_summary(&page, to);
    plx_page_peers(&page, to);
    plx_page_ladders(&page, to);
    plx_page_attributions(&page, to);
    plx_page_rooflines(&page, to);
    plx_page_sweeps(&page, to);
    plx_page_accuracies(&page, to);
    plx_page_agreement(&page, to);
    plx_page_records(&page, to);
    plx_page_environment(&page, to);
    plx_page_end(to);
    status = page.status;
    if (status != PLX_OK)
        *error = page.error;
    plx_page_free(&page);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}

/* ---- one plot --------------------------------------------------------------------------- */

typedef bool figure_finder(plx_page *page, size_t index, plx_page_figure *figure);

static figure_finder *const finders[] = {plx_page_ladder_figure, plx_page_sweep_figure, plx_page_roofline_figure,
                                         plx_page_accuracy_figure};
enum { FINDERS = sizeof finders / sizeof finders[0] };

/* "sweep-gemm" is short for "sweep-gemm-f32-nn". */
static bool is_named(const plx_page_figure *figure, const char *name)
{
    size_t length = strlen(name);
    return strncmp(figure->name, name, length) == 0 && (figure->name[length] == '\0' || figure->name[length] == '-');
}

/* Names are words of a command line: no spaces, no commas, nothing at the end. */
static void tidy(char *name)
{
    size_t length = 0;
    for (const char *at = name; *at != '\0'; at++) {
        bool kept =
            (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '.';
        if (kept)
            name[length++] = *at;
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    name[length] = '\0';
}

static bool find_figure(plx_page *page, const char *name, plx_page_figure *figure)
{
    for (size_t f = 0; f < FINDERS; f++) {
        for (size_t i = 0; finders[f](page, i, figure); i++) {
            tidy(figure->name);
            if (is_named(figure, name))
                return true;
        }
    }
    return false;
}

static plx_status no_such_figure(plx_page *page, const char *name, plx_error *error)
{
    char names[360] = "";
    size_t length = 0;
    plx_page_figure figure;
    for (size_t f = 0; f < FINDERS; f++) {
        for (size_t i = 0; finders[f](page, i, &figure); i++) {
            tidy(figure.name);
            if (length + strlen(figure.name) + 3 < sizeof names)
                length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                           figure.name);
        }
    }
    if (length == 0)
        return plx_fail(error, PLX_NOT_FOUND, "no plot can be made of these results");
    return plx_fail(error, PLX_NOT_FOUND, "no plot '%.60s' in these results; there are: %s", name, names);
}

plx_status plx_report_plot(const char *const *files, size_t count, const char *name, const char *terminal, FILE *to,
                           plx_error *error)
{
    plx_page page;
    plx_page_figure figure;
    plx_status status = read_files(files, count, &page, error);
    if (status != PLX_OK)
        return status;
    if (!find_figure(&page, name, &figure))
        status = no_such_figure(&page, name, error);
    else
        status = plx_page_draw_alone(&page, &figure, terminal, to, error);
    plx_page_free(&page);
    return status;
}
