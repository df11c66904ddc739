/* A fleet as a page of HTML that needs nothing else. */
#include "page/page.h"

static void put_row(FILE *to, const plx_fleet_device *one)
{
    (void)fputs("<tr><td class=\"", to);
    (void)fputs(one->verdict == PLX_FAULTY ? "bad" : "soft", to);
    plx_page_put(to, "\">%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                 plx_health_verdict_name(one->verdict), one->node[0] != '\0' ? one->node : one->host, one->uuid,
                 one->model, one->reason, one->command);
}

static void put_devices(const plx_fleet *fleet, FILE *to)
{
    (void)fputs("<table><tr><th>verdict</th><th>host</th><th>chip</th><th>model</th><th>why</th><th>repeat</th></tr>\n",
                to);
    for (int worst = PLX_HEALTH_VERDICT_COUNT - 1; worst > PLX_HEALTHY; worst--)
        for (size_t i = 0; i < plx_fleet_devices(fleet); i++) {
            plx_fleet_device one;
            plx_fleet_device_at(fleet, i, &one);
            if ((int)one.verdict == worst)
                put_row(to, &one);
        }
    (void)fputs("</table>\n", to);
}

static void put_list(FILE *to, const char *title, size_t count, const char *(*at)(const plx_fleet *, size_t),
                     const plx_fleet *fleet)
{
    if (count == 0)
        return;
    plx_page_put(to, "<h2>%s</h2>\n<ul>\n", title);
    for (size_t i = 0; i < count; i++)
        plx_page_put(to, "<li>%s</li>\n", at(fleet, i));
    (void)fputs("</ul>\n", to);
}

plx_status plx_page_fleet(const plx_fleet *fleet, FILE *to, plx_error *error)
{
    size_t healthy = 0;
    for (size_t i = 0; i < plx_fleet_devices(fleet); i++) {
        plx_fleet_device one;
        plx_fleet_device_at(fleet, i, &one);
        healthy += one.verdict == PLX_HEALTHY;
    }
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Fleet</title>\n<style>"
                "body{font:16px sans-serif;margin:2em auto;max-width:80em;padding:0 1em}"
                "table{border-collapse:collapse}td,th{border:1px solid #888;padding:.3em "
                ".6em;text-align:left;vertical-align:top}"
                ".bad{color:#b00}.soft{color:#960}</style></head><body>\n<h1>Fleet</h1>\n",
                to);
    plx_page_put(to, "<p>%zu of %zu devices are healthy; %zu hosts or ranks are missing, %zu files were skipped.</p>\n",
                 healthy, plx_fleet_devices(fleet), plx_fleet_missing(fleet), plx_fleet_skipped(fleet));
    if (healthy < plx_fleet_devices(fleet))
        put_devices(fleet, to);
    put_list(to, "Missing", plx_fleet_missing(fleet), plx_fleet_missing_at, fleet);
    put_list(to, "Skipped", plx_fleet_skipped(fleet), plx_fleet_skipped_at, fleet);
    (void)fputs("</body></html>\n", to);
    return plx_report_finish(to, error);
}
