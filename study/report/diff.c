/* Differences between two files of results, for people and as JSON. */
#include "study/report/json.h"

#include "base/table.h"

#include <string.h>

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
    (void)fprintf(to, "%zu record%s compared, %zu by time: ", results->compared, results->compared == 1 ? "" : "s",
                  results->timed);
    for (int change = 0; change < PLX_CHANGE_COUNT; change++) {
        if (results->counts[change] == 0)
            continue;
        (void)fprintf(to, "%s%zu %s", any ? ", " : "", results->counts[change], plx_change_name((plx_change)change));
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

static json_t *time_json(double median, double low, double high)
{
    return json_pack("{s:o, s:[o, o]}", "median_ns", plx_json_number(median), "ci95_ns", plx_json_number(low),
                     plx_json_number(high));
}

static json_t *error_or_null(double error)
{
    return error >= 0 ? plx_json_number(error) : json_null();
}

static json_t *difference_json(const plx_difference *d)
{
    json_t *made = json_object();
    json_object_set_new(made, "change", json_string(plx_change_name(d->change)));
    json_object_set_new(made, "problem", plx_json_text(d->problem));
    json_object_set_new(made, "backend", plx_json_text(d->backend));
    json_object_set_new(made, "device", plx_json_text(d->device));
    json_object_set_new(made, "kernel", plx_json_text(d->kernel));
    if (d->note[0] != '\0')
        json_object_set_new(made, "note", plx_json_text(d->note));
    if (d->timed) {
        json_object_set_new(made, "old_time", time_json(d->old_ns, d->old_low_ns, d->old_high_ns));
        json_object_set_new(made, "new_time", time_json(d->new_ns, d->new_low_ns, d->new_high_ns));
        json_object_set_new(made, "ratio", plx_json_number(d->ratio));
        json_object_set_new(made, "p", plx_json_number(d->p));
    }
    json_object_set_new(made, "old_error", error_or_null(d->old_error));
    json_object_set_new(made, "new_error", error_or_null(d->new_error));
    return made;
}

static json_t *counts_json(const plx_diff_results *results)
{
    json_t *made = json_object();
    for (int change = 0; change < PLX_CHANGE_COUNT; change++)
        json_object_set_new(made, plx_change_name((plx_change)change),
                            json_integer((json_int_t)results->counts[change]));
    return made;
}

plx_status plx_diff_write_json(const plx_diff_results *results, FILE *to, plx_error *error)
{
    json_t *lines = json_array(), *differences = json_array();
    for (size_t i = 0; i < results->environment_count; i++)
        json_array_append_new(lines, plx_json_text(results->environment[i]));
    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(differences, difference_json(&results->differences[i]));
    return plx_json_write(json_pack("{s:s, s:o, s:f, s:f, s:b, s:I, s:I, s:o, s:o, s:o}", "schema",
                                    "parallax-diff/1", "tool", plx_json_tool(), "threshold", results->threshold,
                                    "level", results->level, "regression", (int)(plx_diff_status(results) == 1),
                                    "compared", (json_int_t)results->compared, "timed",
                                    (json_int_t)results->timed, "counts", counts_json(results), "environment",
                                    lines, "differences", differences),
                          to, error);
}
