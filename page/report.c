/* `report`: files of results as one page, and single plots of it. */
#include "page/page.h"

#include <string.h>

/* In their order on the page. */
static const plx_page_section sections[] = {
    {"answer", "Answer", plx_page_answer},
    {"peers", "Against the vendors’ libraries", plx_page_peers},
    {"ladders", "Ladders", plx_page_ladders},
    {"sizes", "Rate against size", plx_page_sweeps},
    {"roofline", "Roofline", plx_page_rooflines},
    {"accuracy", "Error against the number of terms", plx_page_accuracies},
    {"ceilings", "What the devices reach", plx_page_ceilings},
    {"probes", "Probes", plx_page_probes},
    {"counters", "What the hardware counted", plx_page_counters},
    {"attribution", "Why one API is slower", plx_page_attributions},
    {"agreement", "Agreement", plx_page_agreement},
    {"summary", "What was measured", plx_page_summary},
    {"records", "All records", plx_page_records},
    {"environment", "Environment", plx_page_environment},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static bool has_something(const plx_page *page)
{
    for (size_t i = 0; i < page->file_count; i++)
        if (page->files[i].results.attribution_count > 0 || page->files[i].results.sweep_count > 0)
            return true;
    return page->record_count > 0 || plx_page_has_ceilings(page);
}

/* The files of a report, which have records, attributions, sweeps of probes or ceilings. */
static plx_status read_files(const char *const *files, size_t count, plx_page *page, plx_error *error)
{
    if (count == 0)
        return plx_fail(error, PLX_INVALID, "no file of results was named");
    plx_status status = plx_page_read(files, count, page, error);
    if (status != PLX_OK || has_something(page))
        return status;
    plx_page_free(page);
    return plx_fail(error, PLX_INVALID, "%.200s: no records: there is nothing to report", files[0]);
}

static plx_status write_page(plx_page *page, const plx_page_section *parts, size_t count, FILE *to, plx_error *error)
{
    plx_page_frame(page, parts, count, to);
    plx_status status = page->status;
    if (status != PLX_OK)
        *error = page->error;
    plx_page_free(page);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}

plx_status plx_report_write(const char *const *files, size_t count, FILE *to, plx_error *error)
{
    plx_page page;
    plx_status status = read_files(files, count, &page, error);
    return status == PLX_OK ? write_page(&page, sections, SECTIONS, to, error) : status;
}

plx_status plx_report_history(const char *const *files, size_t count, FILE *to, plx_error *error)
{
    static const plx_page_section parts[] = {{"history", "Before and after", plx_page_history},
                                             {"environment", "Environment", plx_page_environment}};
    plx_page page;
    if (count < 2)
        return plx_fail(error, PLX_INVALID, "a history needs two files of results at least");
    plx_status status = read_files(files, count, &page, error);
    if (status == PLX_OK && page.file_count < 2) {
        plx_page_free(&page);
        return plx_fail(error, PLX_INVALID, "all files of the history hold the same results");
    }
    return status == PLX_OK ? write_page(&page, parts, 2, to, error) : status;
}

/* ---- one plot --------------------------------------------------------------------------- */

typedef bool figure_finder(plx_page *page, size_t index, plx_page_figure *figure);

static figure_finder *const finders[] = {plx_page_answer_figure, plx_page_ladder_figure,   plx_page_sweep_figure,
                                         plx_page_ratio_figure,  plx_page_roofline_figure, plx_page_accuracy_figure,
                                         plx_page_history_figure};
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
