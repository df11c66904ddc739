/* What only files of checks, benches and probes have. */
#include "study/results/archive.h"
#include "study/results/words.h"

#include <math.h>
#include <stdlib.h>

/* The list of what is written; room for as many while it is read. */
static void *list_of(const plx_archive *archive, void *list, size_t count, size_t size)
{
    return plx_archive_reads(archive) ? calloc(count + 1, size) : list;
}

static plx_status is_there(const plx_archive *archive, const void *list, plx_error *error)
{
    return list != NULL || !plx_archive_reads(archive) ? PLX_OK
                                                       : plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
}

/* ---- single runs --------------------------------------------------------------------- */

static void shown_values(plx_archive *archive, plx_shown_result *result)
{
    const size_t most = PLX_SHOWN_VALUES, wanted = result->shown_rows * result->shown_cols;
    const size_t found = plx_archive_list(archive, "values", wanted);
    if (plx_archive_reads(archive) && found != wanted)
        plx_archive_refuse(archive, "values");
    for (size_t i = 0; i < found && i < most; i++)
        plx_archive_text_item(archive, i, result->values[i], sizeof result->values[i]);
    plx_archive_list_end(archive);
}

void plx_archive_result(plx_archive *archive, plx_shown_result *result)
{
    plx_archive_text(archive, "name", result->name, sizeof result->name);
    plx_archive_text(archive, "type", result->type, sizeof result->type);
    result->rows = plx_archive_integer(archive, "rows", result->rows, 0);
    result->cols = plx_archive_integer(archive, "cols", result->cols, 0);
    result->shown_rows = (size_t)plx_archive_natural(archive, "shown_rows", result->shown_rows, 0);
    result->shown_cols = (size_t)plx_archive_natural(archive, "shown_cols", result->shown_cols, 0);
    if (result->shown_rows > PLX_SHOWN_VALUES || result->shown_cols > PLX_SHOWN_VALUES ||
        result->shown_rows * result->shown_cols > PLX_SHOWN_VALUES) {
        plx_archive_refuse(archive, "shown_rows");
        result->shown_rows = result->shown_cols = 0;
    }
    shown_values(archive, result);
}

/* ---- checks -------------------------------------------------------------------------- */

/* What a check counted: the records have only the worst case of each kernel. */
void plx_archive_check(plx_archive *archive, plx_check_counts *counts)
{
    counts->effort =
        (plx_effort)plx_archive_name(archive, "effort", &plx_effort_names, (int)counts->effort, PLX_NORMAL);
    for (size_t i = 0; plx_check_count_name(i) != NULL; i++) {
        size_t *count = plx_check_count(counts, i);
        *count = (size_t)plx_archive_natural(archive, plx_check_count_name(i), *count, 0);
    }
    counts->drawn_seed = plx_archive_natural(archive, "drawn_seed", counts->drawn_seed, 0);
    const size_t found = plx_archive_list(archive, "unsupported_reasons", counts->reason_count);
    counts->reason_count = found < PLX_CHECK_REASONS ? found : PLX_CHECK_REASONS;
    for (size_t i = 0; i < counts->reason_count; i++) {
        plx_check_reason *reason = &counts->reasons[i];
        plx_archive_item(archive, i);
        plx_archive_text(archive, "reason", reason->text, sizeof reason->text);
        reason->count = (size_t)plx_archive_natural(archive, "count", reason->count, 0);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
}

/* ---- benches ---------------------------------------------------------------------------- */

static plx_status name_list(plx_archive *archive, const char *name, char (**names)[64], size_t *count, plx_error *error)
{
    *count = plx_archive_list(archive, name, *count);
    *names = list_of(archive, *names, *count, sizeof **names);
    plx_status status = is_there(archive, *names, error);
    for (size_t i = 0; status == PLX_OK && i < *count; i++)
        plx_archive_text_item(archive, i, (*names)[i], sizeof **names);
    plx_archive_list_end(archive);
    return status;
}

static plx_status option_fields(plx_archive *archive, plx_bench_request *bench, plx_error *error)
{
    if (!plx_archive_open(archive, "options", true))
        return PLX_OK;
    plx_status status = name_list(archive, "kernels", &bench->kernels, &bench->kernel_count, error);
    const bool said = !plx_archive_reads(archive) || plx_archive_has(archive, "input");
    const int input = said ? plx_archive_name(archive, "input", &plx_input_names, (int)bench->input, -1) : 0;
    if (input < 0)
        plx_archive_refuse(archive, "input");
    bench->input = input < 0 ? PLX_INPUT_UNIFORM : (plx_input)input;
    bench->seed = plx_archive_natural(archive, "seed", bench->seed, 0);
    bench->seconds = plx_archive_number(archive, "seconds", bench->seconds, 1e9, 0);
    bench->timing = plx_archive_flag(archive, "timing", bench->timing, true);
    bench->hot = plx_archive_flag(archive, "hot", bench->hot, false);
    bench->queues = plx_archive_natural(archive, "queues", bench->queues, 1);
    bench->counters = plx_archive_flag(archive, "counters", bench->counters, false);
    plx_archive_close(archive);
    return status;
}

/* One that this version has no words for is dropped. */
static void left_out_fields(plx_archive *archive, plx_bench_request *bench, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        plx_left_out *one = &bench->left_out[plx_archive_reads(archive) ? kept : i];
        plx_archive_item(archive, i);
        plx_archive_problem(archive, &one->problem);
        one->shift = plx_archive_shift(archive, one->shift);
        plx_archive_text(archive, "reason", one->reason, sizeof one->reason);
        plx_archive_item_end(archive);
        kept += plx_archive_fails(archive) ? 0 : 1;
        archive->unknown = false;
    }
    bench->left_out_count = kept;
}

plx_status plx_archive_bench(plx_archive *archive, plx_bench_request *bench, plx_error *error)
{
    plx_status status = name_list(archive, "sets", &bench->sets, &bench->set_count, error);
    if (status == PLX_OK)
        status = option_fields(archive, bench, error);
    if (status != PLX_OK || (!plx_archive_reads(archive) && bench->left_out_count == 0))
        return status;
    const size_t count = plx_archive_list(archive, "left_out", bench->left_out_count);
    bench->left_out = list_of(archive, bench->left_out, count, sizeof *bench->left_out);
    status = is_there(archive, bench->left_out, error);
    if (status == PLX_OK)
        left_out_fields(archive, bench, count);
    plx_archive_list_end(archive);
    return status;
}

/* ---- probes ------------------------------------------------------------------------------- */

static void point_fields(plx_archive *archive, plx_probe_point *point)
{
    point->x = plx_archive_signed(archive, "x", point->x, 0);
    plx_archive_text(archive, "series", point->series, sizeof point->series);
    plx_archive_text(archive, "label", point->label, sizeof point->label);
    point->role = (plx_probe_role)plx_archive_name(archive, "role", &plx_role_names, (int)point->role, PLX_PROBE_OTHER);
    plx_archive_problem(archive, &point->problem);
    plx_archive_text(archive, "kernel", point->kernel, sizeof point->kernel);
    point->outcome = plx_archive_outcome(archive, point->outcome);
    plx_archive_remark(archive, "reason", point->reason, sizeof point->reason);
    plx_archive_time(archive, &point->time);
    point->gbps = plx_archive_rate(archive, "gbps", point->gbps);
    if (plx_archive_reads(archive) && archive->unknown)
        plx_archive_refuse(archive, point->outcome == PLX_OUTCOME_COUNT ? "status" : "op");
}

static void verdict_fields(plx_archive *archive, size_t points, plx_probe_verdict *verdict)
{
    if (!plx_archive_open(archive, "verdict", true))
        return;
    verdict->visibility = (plx_visibility)plx_archive_name(archive, "visibility", &plx_visibility_names,
                                                           (int)verdict->visibility, PLX_INCONCLUSIVE);
    if (verdict->visibility != PLX_INCONCLUSIVE) {
        verdict->ratio = plx_archive_number(archive, "ratio", verdict->ratio, INFINITY, 0);
        plx_archive_interval(archive, "ratio_ci95", &verdict->low, &verdict->high);
        verdict->worst = (size_t)plx_archive_natural(archive, "worst", verdict->worst, 0);
        verdict->best = (size_t)plx_archive_natural(archive, "best", verdict->best, 0);
    }
    plx_archive_text(archive, "text", verdict->text, sizeof verdict->text);
    if (plx_archive_reads(archive) && verdict->ratio > 0 && (verdict->worst >= points || verdict->best >= points))
        plx_archive_refuse(archive, "verdict");
    plx_archive_close(archive);
}

static plx_status point_list(plx_archive *archive, plx_probe_sweep *sweep, plx_error *error)
{
    sweep->point_count = plx_archive_list(archive, "points", sweep->point_count);
    sweep->points = list_of(archive, sweep->points, sweep->point_count, sizeof *sweep->points);
    plx_status status = is_there(archive, sweep->points, error);
    for (size_t i = 0; status == PLX_OK && i < sweep->point_count; i++) {
        plx_archive_item(archive, i);
        point_fields(archive, &sweep->points[i]);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
    return status;
}

plx_status plx_archive_sweep(plx_archive *archive, size_t devices, plx_probe_sweep *sweep, plx_error *error)
{
    plx_archive_text(archive, "probe", sweep->probe, sizeof sweep->probe);
    plx_archive_text(archive, "name", sweep->name, sizeof sweep->name);
    plx_archive_text(archive, "title", sweep->title, sizeof sweep->title);
    plx_archive_text(archive, "axis", sweep->axis, sizeof sweep->axis);
    plx_archive_text(archive, "phenomenon", sweep->phenomenon, sizeof sweep->phenomenon);
    plx_archive_text(archive, "backend", sweep->backend, sizeof sweep->backend);
    sweep->device = (size_t)plx_archive_natural(archive, "device", sweep->device, SIZE_MAX);
    if (plx_archive_reads(archive) && sweep->device >= devices)
        plx_archive_refuse(archive, "device");
    plx_status status = point_list(archive, sweep, error);
    verdict_fields(archive, sweep->point_count, &sweep->verdict);
    return status;
}
