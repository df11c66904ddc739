/* Differences between two files of results, for people and as JSON. */
#include "study/report/json.h"

#include "base/table.h"

#include <math.h>

/* ---- for people ---------------------------------------------------------------------- */

static void put_percent(double ratio, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, ratio < 10 && ratio > 0.1 ? "%.3f" : "%.3g", ratio);
}

static void add_difference(plx_table *table, const plx_difference *d)
{
    char old[32], new[32], ratio[32];
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", plx_change_name(d->change));
    plx_table_rest(table, "%s, %s %s", d->problem, d->backend, d->kernel);
    if (d->change == PLX_CHANGE_SLOWER || d->change == PLX_CHANGE_FASTER) {
        plx_duration_text(d->old_ns, "us", old, sizeof old);
        plx_duration_text(d->new_ns, "us", new, sizeof new);
        put_percent(d->ratio, ratio, sizeof ratio);
        plx_table_rest(table, ": %s, now %s, %s times as long", old, new, ratio);
    }
    if (d->change == PLX_CHANGE_LESS_ACCURATE || d->change == PLX_CHANGE_MORE_ACCURATE)
        plx_table_rest(table, ": error/bound %.3g, now %.3g", d->old_error, d->new_error);
    if (d->note[0] != '\0')
        plx_table_rest(table, ": %s", d->note);
}

static void put_summary(const plx_diff_results *results, FILE *to)
{
    bool any = false;
    (void)fprintf(to, "%zu record%s compared, %zu by time: ", results->compared,
                  results->compared == 1 ? "" : "s", results->timed);
    for (int change = 0; change < PLX_CHANGE_COUNT; change++) {
        if (results->counts[change] == 0)
            continue;
        (void)fprintf(to, "%s%zu %s", any ? ", " : "", results->counts[change],
                      plx_change_name((plx_change)change));
        any = true;
    }
    (void)fprintf(to, "%s\n", any ? "" : "nothing changed");
}

plx_status plx_diff_write_table(const plx_diff_results *results, FILE *to, plx_error *error)
{
    plx_table table = {.columns = 1, .left = 1};
    for (size_t i = 0; i < results->environment_count; i++) {
        plx_table_row(&table);
        plx_table_cell(&table, 0, "environment");
        plx_table_rest(&table, "%s", results->environment[i]);
    }
    for (size_t i = 0; i < results->count; i++)
        add_difference(&table, &results->differences[i]);
    plx_status status = plx_table_finish(&table, to, error);
    if (status != PLX_OK)
        return status;
    put_summary(results, to);
    return plx_report_finish(to, error);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void put_time(plx_json *json, const char *name, double median, double low, double high)
{
    plx_json_object(json, name);
    plx_json_number(json, "median_ns", median);
    plx_json_list(json, "ci95_ns");
    plx_json_number(json, NULL, low);
    plx_json_number(json, NULL, high);
    plx_json_list_end(json);
    plx_json_object_end(json);
}

static void put_difference(plx_json *json, const plx_difference *d)
{
    plx_json_object(json, NULL);
    plx_json_text(json, "change", plx_change_name(d->change));
    plx_json_text(json, "problem", d->problem);
    plx_json_text(json, "backend", d->backend);
    plx_json_text(json, "device", d->device);
    plx_json_text(json, "kernel", d->kernel);
    if (d->note[0] != '\0')
        plx_json_text(json, "note", d->note);
    if (d->timed) {
        put_time(json, "old_time", d->old_ns, d->old_low_ns, d->old_high_ns);
        put_time(json, "new_time", d->new_ns, d->new_low_ns, d->new_high_ns);
        plx_json_number(json, "ratio", d->ratio);
        plx_json_number(json, "p", d->p);
    }
    plx_json_number(json, "old_error", d->old_error >= 0 ? d->old_error : NAN);
    plx_json_number(json, "new_error", d->new_error >= 0 ? d->new_error : NAN);
    plx_json_object_end(json);
}

plx_status plx_diff_write_json(const plx_diff_results *results, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-diff/1");
    plx_json_tool(&json);
    plx_json_number(&json, "threshold", results->threshold);
    plx_json_number(&json, "level", results->level);
    plx_json_flag(&json, "regression", plx_diff_status(results) == 1);
    plx_json_natural(&json, "compared", results->compared);
    plx_json_natural(&json, "timed", results->timed);
    plx_json_object(&json, "counts");
    for (int change = 0; change < PLX_CHANGE_COUNT; change++)
        plx_json_natural(&json, plx_change_name((plx_change)change), results->counts[change]);
    plx_json_object_end(&json);
    plx_json_list(&json, "environment");
    for (size_t i = 0; i < results->environment_count; i++)
        plx_json_text(&json, NULL, results->environment[i]);
    plx_json_list_end(&json);
    plx_json_list(&json, "differences");
    for (size_t i = 0; i < results->count; i++)
        put_difference(&json, &results->differences[i]);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}
