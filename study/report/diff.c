/* Differences between two files of results, for people and as JSON. */
#include "study/report/json.h"

#include "base/whereabouts.h"

#include "base/table.h"

#include <math.h>
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
        plx_duration_text(d->old_ns, plx_micro(), old, sizeof old);
        plx_duration_text(d->new_ns, plx_micro(), new, sizeof new);
        put_percent(d->ratio, ratio, sizeof ratio);
        plx_table_rest(table, ": %s, now %s, %s times as long", old, new, ratio);
    }
    if (d->change == PLX_CHANGE_LESS_ACCURATE || d->change == PLX_CHANGE_MORE_ACCURATE)
        plx_table_rest(table, ": error/bound %.3g, now %.3g", d->old_error, d->new_error);
    if (d->note[0] != '\0')
        plx_table_rest(table, ": %s", d->note);
}

static bool whole_device_gone(const plx_diff_loss *loss)
{
    return loss->device_gone && loss->gone == loss->results;
}

/* What is missing of a backend, as one line each for results and times. */
static void add_loss(plx_table *table, const plx_diff_loss *loss)
{
    if (loss->gone > 0) {
        plx_table_row(table);
        plx_table_cell(table, 0, "%s", plx_change_name(PLX_CHANGE_VANISHED));
        plx_table_rest(table, "%s: %zu result%s gone", loss->backend, loss->gone, loss->gone == 1 ? "" : "s");
        if (whole_device_gone(loss))
            plx_table_rest(table, ", the device is gone (%s)", loss->device);
        else
            plx_table_rest(table, ", of %zu", loss->results);
    }
    if (loss->untimed > 0) {
        plx_table_row(table);
        plx_table_cell(table, 0, "%s", plx_change_name(PLX_CHANGE_UNTIMED));
        plx_table_rest(table, "%s: %zu time%s gone, of %zu", loss->backend, loss->untimed,
                       loss->untimed == 1 ? "" : "s", loss->times);
    }
}

/* The line of its device says it. */
static bool is_told(const plx_diff_results *results, const plx_difference *d)
{
    for (size_t i = 0; d->change == PLX_CHANGE_VANISHED && i < results->loss_count; i++) {
        const plx_diff_loss *loss = &results->losses[i];
        if (strcmp(loss->backend, d->backend) == 0 && strcmp(loss->device, d->device) == 0)
            return whole_device_gone(loss);
    }
    return false;
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
    for (size_t i = 0; i < results->loss_count; i++)
        add_loss(&table, &results->losses[i]);
    for (size_t i = 0; i < results->count; i++)
        if (!is_told(results, &results->differences[i]))
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

static void put_loss(plx_json *json, const plx_diff_loss *loss)
{
    plx_json_object(json, NULL);
    plx_json_text(json, "backend", loss->backend);
    plx_json_text(json, "device", loss->device);
    plx_json_flag(json, "device_gone", loss->device_gone);
    plx_json_natural(json, "results", loss->results);
    plx_json_natural(json, "gone", loss->gone);
    plx_json_natural(json, "times", loss->times);
    plx_json_natural(json, "untimed", loss->untimed);
    plx_json_object_end(json);
}

plx_status plx_diff_write_json(const plx_diff_results *results, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-diff/1");
    plx_json_tool(&json);
    plx_json_whereabouts(&json, plx_results_are_anonymous());
    plx_json_number(&json, "threshold", results->threshold);
    plx_json_number(&json, "level", results->level);
    plx_json_flag(&json, "allow_missing", results->allow_missing);
    plx_json_flag(&json, "across", results->across);
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
    plx_json_list(&json, "missing");
    for (size_t i = 0; i < results->loss_count; i++)
        put_loss(&json, &results->losses[i]);
    plx_json_list_end(&json);
    plx_json_list(&json, "differences");
    for (size_t i = 0; i < results->count; i++)
        put_difference(&json, &results->differences[i]);
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}
