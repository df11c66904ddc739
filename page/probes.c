/* What the probes found: of every phenomenon the verdict on each device, and the points of its sweep. */
#include "page/page.h"

#include <math.h>
#include <string.h>

static double slowest(const plx_probe_sweep *sweep)
{
    double most = 0;
    for (size_t i = 0; i < sweep->point_count; i++)
        if (sweep->points[i].time.measured)
            most = fmax(most, sweep->points[i].time.median_ns);
    return most;
}

/* The ends of cells are left out, as HTML allows. */
static void put_point(const plx_probe_point *point, double most, FILE *to)
{
    char rate[48];
    plx_page_put(to, "<tr><td>%s%s%s<td>%s", point->series, point->series[0] != '\0' ? " " : "", point->label,
                 point->role != PLX_PROBE_OTHER ? plx_probe_role_name(point->role) : "");
    if (point->outcome != PLX_OUTCOME_OK || !point->time.measured) {
        plx_page_put(to, "<td class=\"%s\">%s<td colspan=2>%s\n", plx_page_outcome_class(point->outcome),
                     plx_outcome_name(point->outcome), point->reason);
        return;
    }
    (void)fprintf(to, "<td class=m style=--w:%.0f%%><td>", most > 0 ? 100 * point->time.median_ns / most : 0);
    plx_page_time(to, point->time.median_ns);
    plx_page_rate_text(point->gbps, false, rate, sizeof rate);
    (void)fprintf(to, "%s%s\n", point->gbps > 0 ? "<td>" : "", point->gbps > 0 ? rate : "");
}

static void put_sweep(const plx_page_file *file, const plx_probe_sweep *sweep, FILE *to)
{
    double most = slowest(sweep);
    plx_page_put(to, "<details><summary>%s/%s on %s %s: %s</summary>\n<p>%s. %s.</p>\n", sweep->probe, sweep->name,
                 sweep->backend, file->results.devices[sweep->device].info.name,
                 plx_visibility_name(sweep->verdict.visibility), sweep->title, sweep->verdict.text);
    plx_page_put(to,
                 "<div class=\"box\"><table class=\"p\"><thead><tr><th>%s</th><th></th><th>time</th><th></th><th "
                 "class=\"n\">rate"
                 "</th></tr></thead>\n<tbody>\n",
                 sweep->axis);
    for (size_t i = 0; i < sweep->point_count; i++)
        put_point(&sweep->points[i], most, to);
    (void)fputs("</tbody></table></div></details>\n", to);
}

static void put_verdict(const plx_probe_sweep *sweep, FILE *to)
{
    bool seen = sweep->verdict.visibility == PLX_VISIBLE;
    plx_page_put(to, "<tr><td class=\"w\">%s/%s</td>", sweep->probe, sweep->name);
    (void)fprintf(to, "<td class=\"w\">%s%s%s</td>", seen ? "<b>" : "", plx_visibility_name(sweep->verdict.visibility),
                  seen ? "</b>" : "");
    if (sweep->verdict.ratio > 0)
        (void)fprintf(to, "<td class=\"n\">%.2f</td><td class=\"n\">%.2f to %.2f</td>", sweep->verdict.ratio,
                      sweep->verdict.low, sweep->verdict.high);
    else
        (void)fputs("<td></td><td></td>", to);
    plx_page_put(to, "<td class=\"w\">%s</td></tr>\n", sweep->phenomenon);
}

static bool has_device(const plx_page_file *file, const plx_probe_sweep *sweep)
{
    return sweep->device < file->results.device_count;
}

static void put_file(const plx_page_file *file, FILE *to)
{
    const plx_results *results = &file->results;
    (void)fputs(
        "<p>Each probe shows a phenomenon where it must appear, if the device has it, and where it can’t; the "
        "ratio is the slowest over the fastest of these.</p>\n<div class=\"box\"><table><thead><tr><th>probe</th>"
        "<th>visible</th><th class=\"n\">slowest over fastest</th><th class=\"n\">95 %</th>"
        "<th>phenomenon</th></tr></thead>\n<tbody>\n",
        to);
    const char *backend = "";
    for (size_t i = 0; i < results->sweep_count; i++) {
        const plx_probe_sweep *sweep = &results->sweeps[i];
        if (!has_device(file, sweep))
            continue;
        if (strcmp(backend, sweep->backend) != 0)
            plx_page_put(to, "<tr><th class=g colspan=5>%s %s</th></tr>\n", sweep->backend,
                         results->devices[sweep->device].info.name);
        backend = sweep->backend;
        put_verdict(sweep, to);
    }
    (void)fputs("</tbody></table></div>\n<details><summary>Every sweep, point by point</summary>\n", to);
    for (size_t i = 0; i < results->sweep_count; i++)
        if (has_device(file, &results->sweeps[i]))
            put_sweep(file, &results->sweeps[i], to);
    (void)fputs("</details>\n", to);
}

void plx_page_probes(plx_page *page, FILE *to)
{
    for (size_t i = 0; i < page->file_count; i++)
        if (page->files[i].results.sweep_count > 0)
            put_file(&page->files[i], to);
}
