/* Probes as JSON, schema parallax-probe/1, and as CSV. */
#include "study/report/json.h"

#include <string.h>

/* ---- JSON --------------------------------------------------------------------- */

static json_t *point_json(const plx_probe_point *point)
{
    json_t *made = json_object();
    json_object_set_new(made, "x", plx_json_number(point->x));
    json_object_set_new(made, "series", plx_json_text(point->series));
    json_object_set_new(made, "label", plx_json_text(point->label));
    json_object_set_new(made, "role", plx_json_text(plx_probe_role_name(point->role)));
    plx_json_add_problem(made, &point->problem);
    json_object_set_new(made, "kernel", plx_json_text(point->kernel));
    json_object_set_new(made, "status", plx_json_text(plx_outcome_name(point->outcome)));
    if (point->reason[0] != '\0')
        json_object_set_new(made, "reason", plx_json_text(point->reason));
    if (point->time.measured)
        json_object_set_new(made, "time", plx_json_time(&point->time));
    if (point->gbps > 0)
        json_object_set_new(made, "gbps", plx_json_number(point->gbps));
    return made;
}

static json_t *verdict_json(const plx_probe_verdict *verdict)
{
    json_t *made = json_object();
    json_object_set_new(made, "visibility", plx_json_text(plx_visibility_name(verdict->visibility)));
    if (verdict->visibility != PLX_INCONCLUSIVE) {
        json_object_set_new(made, "ratio", plx_json_number(verdict->ratio));
        json_object_set_new(
            made, "ratio_ci95",
            json_pack("[o, o]", plx_json_number(verdict->low), plx_json_number(verdict->high)));
        json_object_set_new(made, "worst", json_integer((json_int_t)verdict->worst));
        json_object_set_new(made, "best", json_integer((json_int_t)verdict->best));
    }
    json_object_set_new(made, "text", plx_json_text(verdict->text));
    return made;
}

static json_t *sweep_json(const plx_probe_sweep *sweep)
{
    json_t *made = json_object(), *points = json_array();
    for (size_t i = 0; i < sweep->point_count; i++)
        json_array_append_new(points, point_json(&sweep->points[i]));
    json_object_set_new(made, "probe", plx_json_text(sweep->probe));
    json_object_set_new(made, "name", plx_json_text(sweep->name));
    json_object_set_new(made, "title", plx_json_text(sweep->title));
    json_object_set_new(made, "axis", plx_json_text(sweep->axis));
    json_object_set_new(made, "phenomenon", plx_json_text(sweep->phenomenon));
    json_object_set_new(made, "backend", plx_json_text(sweep->backend));
    json_object_set_new(made, "device", json_integer((json_int_t)sweep->device));
    json_object_set_new(made, "points", points);
    json_object_set_new(made, "verdict", verdict_json(&sweep->verdict));
    return made;
}

void plx_json_add_sweeps(json_t *made, const plx_results *results)
{
    json_t *sweeps = json_array(), *unopened = json_array();
    for (size_t i = 0; i < results->sweep_count; i++)
        json_array_append_new(sweeps, sweep_json(&results->sweeps[i]));
    for (size_t i = 0; i < results->unopened_count; i++)
        json_array_append_new(unopened, plx_json_text(results->unopened[i]));
    json_object_set_new(made, "sweeps", sweeps);
    json_object_set_new(made, "unopened", unopened);
}

/* ---- CSV ------------------------------------------------------------------------ */

static void put_point(FILE *to, const plx_probe_sweep *sweep, const plx_probe_point *point)
{
    const plx_timing *time = &point->time;
    plx_csv_text(to, sweep->probe);
    plx_csv_comma_text(to, sweep->name);
    plx_csv_comma_text(to, sweep->backend);
    plx_csv_comma_text(to, point->series);
    plx_csv_number(to, true, point->x);
    plx_csv_comma_text(to, point->label);
    plx_csv_comma_text(to, plx_probe_role_name(point->role));
    plx_csv_comma_text(to, point->kernel);
    plx_csv_comma_text(to, plx_dtype_name(point->problem.dtype));
    plx_csv_comma_text(to, plx_outcome_name(point->outcome));
    plx_csv_number(to, time->measured, time->median_ns);
    plx_csv_number(to, time->measured, time->low_ns);
    plx_csv_number(to, time->measured, time->high_ns);
    plx_csv_number(to, time->measured, (double)time->samples);
    plx_csv_comma_text(to, !time->measured ? "" : time->device_clock ? "device" : "host");
    plx_csv_number(to, point->gbps > 0, point->gbps);
    plx_csv_comma_text(to, plx_visibility_name(sweep->verdict.visibility));
    plx_csv_comma_text(to, point->reason);
    (void)fputc('\n', to);
}

plx_status plx_probe_write_csv(const plx_results *results, FILE *to, plx_error *error)
{
    (void)fputs(
        "probe,sweep,backend,series,x,label,role,kernel,dtype,status,median_ns,low_ns,high_ns,samples,"
        "clock,gbps,verdict,reason\n",
        to);
    for (size_t i = 0; i < results->sweep_count; i++)
        for (size_t j = 0; j < results->sweeps[i].point_count; j++)
            put_point(to, &results->sweeps[i], &results->sweeps[i].points[j]);
    return plx_report_finish(to, error);
}
