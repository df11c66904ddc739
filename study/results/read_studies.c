/* Reads what only checks, benches and probes write. */
#include "study/results/read.h"
#include "study/results/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
}

/* ---- checks -------------------------------------------------------------------------- */

static void take_reasons(plx_reader *from, plx_check_counts *counts)
{
    const json_t *list = plx_read_list(from, "unsupported_reasons");
    for (size_t i = 0; i < json_array_size(list) && i < PLX_CHECK_REASONS; i++) {
        plx_reader one = {.of = json_array_get(list, i)};
        plx_check_reason *reason = &counts->reasons[counts->reason_count++];
        plx_read_text(&one, "reason", reason->text, sizeof reason->text);
        reason->count = (size_t)plx_read_natural(&one, "count", 0);
        plx_read_end(from, &one);
    }
}

plx_status plx_read_check(plx_reader *root, plx_results *results, plx_error *error)
{
    plx_reader from = plx_read_part(root, "check");
    if (from.of == NULL)
        return PLX_OK;
    plx_check_counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL)
        return no_memory(error);
    for (size_t i = 0; plx_check_count_name(i) != NULL; i++)
        *plx_check_count(counts, i) = (size_t)plx_read_natural(&from, plx_check_count_name(i), 0);
    counts->effort = (plx_effort)plx_read_name(&from, "effort", &plx_effort_names, PLX_NORMAL);
    take_reasons(&from, counts);
    plx_read_end(root, &from);
    results->check = counts;
    return PLX_OK;
}

/* ---- benches ---------------------------------------------------------------------------- */

/* A list of names; *names is malloc'ed. */
static plx_status take_names(plx_reader *from, const char *path, char (**names)[64], size_t *count,
                             plx_error *error)
{
    const json_t *list = plx_read_list(from, path);
    *names = calloc(json_array_size(list) + 1, sizeof **names);
    if (*names == NULL)
        return no_memory(error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL)
            from->wrong = path;
        else
            (void)snprintf((*names)[(*count)++], sizeof **names, "%s", name);
    }
    return PLX_OK;
}

static plx_status take_left_out(plx_reader *from, plx_bench_request *bench, plx_error *error)
{
    const json_t *list = plx_read_list(from, "left_out");
    bench->left_out = calloc(json_array_size(list) + 1, sizeof *bench->left_out);
    if (bench->left_out == NULL)
        return no_memory(error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        plx_reader one = {.of = json_array_get(list, i)};
        plx_left_out *made = &bench->left_out[bench->left_out_count];
        bench->left_out_count += plx_read_problem(&one, &made->problem) == PLX_TAKEN;
        made->shift = plx_read_natural(&one, "shift", 0);
        plx_read_text(&one, "reason", made->reason, sizeof made->reason);
        plx_read_end(from, &one);
    }
    return PLX_OK;
}

static plx_status take_options(plx_reader *bench_part, plx_bench_request *bench, plx_error *error)
{
    char input[32];
    plx_reader from = plx_read_part(bench_part, "options");
    plx_status status = take_names(&from, "kernels", &bench->kernels, &bench->kernel_count, error);
    plx_read_text(&from, "input", input, sizeof input);
    if (input[0] != '\0' && !plx_input_from_name(input, &bench->input))
        from.wrong = "input";
    bench->seed = plx_read_natural(&from, "seed", 0);
    bench->queues = plx_read_natural(&from, "queues", 1);
    bench->seconds = plx_read_positive(&from, "seconds", 1e9, 0);
    bench->timing = plx_read_flag(&from, "timing", true);
    bench->hot = plx_read_flag(&from, "hot", false);
    bench->counters = plx_read_flag(&from, "counters", false);
    plx_read_end(bench_part, &from);
    return status;
}

plx_status plx_read_bench(plx_reader *root, plx_results *results, plx_error *error)
{
    plx_reader from = plx_read_part(root, "bench");
    if (from.of == NULL)
        return PLX_OK;
    plx_bench_request *bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        return no_memory(error);
    results->bench = bench;
    bench->finished = plx_read_list(&from, "summary") != NULL;
    plx_status status = take_names(&from, "sets", &bench->sets, &bench->set_count, error);
    if (status == PLX_OK)
        status = take_options(&from, bench, error);
    if (status == PLX_OK)
        status = take_left_out(&from, bench, error);
    plx_read_end(root, &from);
    return status;
}

/* ---- probes ------------------------------------------------------------------------------- */

static void take_point(plx_reader *from, plx_probe_point *point)
{
    point->role = (plx_probe_role)plx_read_name(from, "role", &plx_role_names, PLX_PROBE_OTHER);
    point->x = plx_read_number(from, "x", 0);
    point->gbps = plx_read_positive(from, "gbps", 1e18, 0);
    plx_read_text(from, "series", point->series, sizeof point->series);
    plx_read_text(from, "label", point->label, sizeof point->label);
    plx_read_text(from, "kernel", point->kernel, sizeof point->kernel);
    plx_read_text(from, "reason", point->reason, sizeof point->reason);
    plx_read_time(from, &point->time);
    if (plx_read_outcome(from, &point->outcome) != PLX_TAKEN)
        from->wrong = "status";
    if (plx_read_problem(from, &point->problem) != PLX_TAKEN && from->wrong == NULL)
        from->wrong = "op";
}

static void take_verdict(plx_reader *sweep, plx_probe_verdict *verdict)
{
    plx_reader from = plx_read_part(sweep, "verdict");
    const json_t *interval = plx_read_list(&from, "ratio_ci95");
    plx_read_text(&from, "text", verdict->text, sizeof verdict->text);
    verdict->visibility =
        (plx_visibility)plx_read_name(&from, "visibility", &plx_visibility_names, PLX_INCONCLUSIVE);
    verdict->ratio = plx_read_positive(&from, "ratio", INFINITY, 0);
    verdict->low = json_number_value(json_array_get(interval, 0));
    verdict->high = json_number_value(json_array_get(interval, 1));
    verdict->worst = (size_t)plx_read_natural(&from, "worst", 0);
    verdict->best = (size_t)plx_read_natural(&from, "best", 0);
    plx_read_end(sweep, &from);
}

static plx_status take_points(plx_reader *from, plx_probe_sweep *sweep, plx_error *error)
{
    const json_t *list = plx_read_list(from, "points");
    sweep->points = calloc(json_array_size(list) + 1, sizeof *sweep->points);
    if (sweep->points == NULL)
        return no_memory(error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        plx_reader one = {.of = json_array_get(list, i)};
        take_point(&one, &sweep->points[sweep->point_count++]);
        plx_read_end(from, &one);
    }
    return PLX_OK;
}

static plx_status take_sweep(plx_reader *from, size_t devices, plx_probe_sweep *sweep, plx_error *error)
{
    plx_read_text(from, "probe", sweep->probe, sizeof sweep->probe);
    plx_read_text(from, "name", sweep->name, sizeof sweep->name);
    plx_read_text(from, "title", sweep->title, sizeof sweep->title);
    plx_read_text(from, "axis", sweep->axis, sizeof sweep->axis);
    plx_read_text(from, "phenomenon", sweep->phenomenon, sizeof sweep->phenomenon);
    plx_read_text(from, "backend", sweep->backend, sizeof sweep->backend);
    sweep->device = (size_t)plx_read_natural(from, "device", SIZE_MAX);
    if (sweep->device >= devices)
        from->wrong = "device";
    take_verdict(from, &sweep->verdict);
    plx_status status = take_points(from, sweep, error);
    if (sweep->verdict.ratio > 0 &&
        (sweep->verdict.worst >= sweep->point_count || sweep->verdict.best >= sweep->point_count))
        from->wrong = "verdict";
    return status;
}

static plx_status take_unopened(const json_t *root, plx_results *results, plx_error *error)
{
    const json_t *list = json_object_get(root, "unopened");
    results->unopened = calloc(json_array_size(list) + 1, sizeof *results->unopened);
    if (results->unopened == NULL)
        return no_memory(error);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        (void)snprintf(results->unopened[results->unopened_count++], sizeof *results->unopened, "%s",
                       text != NULL ? text : "");
    }
    return PLX_OK;
}

plx_status plx_read_sweeps(const char *path, const json_t *root, plx_results *results, plx_error *error)
{
    const json_t *list;
    plx_status status = plx_read_objects(path, root, "sweeps", &list, error);
    if (status != PLX_OK)
        return status;
    results->sweeps = calloc(json_array_size(list) + 1, sizeof *results->sweeps);
    if (results->sweeps == NULL)
        return no_memory(error);
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        plx_reader from = {.of = json_array_get(list, i)};
        status = take_sweep(&from, results->device_count, &results->sweeps[results->sweep_count++], error);
        if (status == PLX_OK && from.wrong != NULL)
            status = plx_read_fault(path, "sweeps", i, from.wrong, error);
    }
    return status == PLX_OK ? take_unopened(root, results, error) : status;
}
