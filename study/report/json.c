/* Results as JSON, schemas parallax-results/1 and parallax-probe/1.  Numbers that are not finite have no
 * form in JSON: they are null, and the status of the record tells the story. */
#define _GNU_SOURCE

#include "study/report/json.h"
#include "study/results/words.h"

#include "kernels/operation.h"

#include <parallax/plugin.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------- */

/* What a driver says of itself need not be UTF-8. */
json_t *plx_json_text(const char *string)
{
    json_t *made = json_string(string);
    if (made != NULL)
        return made;
    char *copy = strdup(string);
    if (copy == NULL)
        return NULL;
    for (char *at = copy; *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    }
    made = json_string(copy);
    free(copy);
    return made;
}

json_t *plx_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(int64_t value)
{
    return json_integer((json_int_t)value);
}

/* A number of 64 bits without a sign; above 2^63 as text, for JSON has no such integers. */
static json_t *natural(uint64_t value)
{
    char digits[24];
    if (value <= INT64_MAX)
        return json_integer((json_int_t)value);
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return json_string(digits);
}

/* -1, "none", becomes null. */
static json_t *index_or_null(int64_t value)
{
    return value >= 0 ? integer(value) : json_null();
}

/* ---- tool, environment, host -------------------------------------------------------- */

json_t *plx_json_tool(void)
{
    return json_pack("{s:s, s:s}", "name", "parallax", "version", plx_version());
}

/* What is known of the build, or of the machine. */
static json_t *facts_json(const plx_environment *environment, bool host)
{
    json_t *made = json_object();
    plx_fact fact;
    for (size_t i = 0; plx_environment_fact(environment, i, &fact); i++)
        if (fact.known && ((fact.matters & PLX_FACT_HOST) != 0) == host)
            json_object_set_new(made, fact.key,
                                fact.is_number ? integer((int64_t)fact.number) : plx_json_text(fact.text));
    return made;
}

/* ---- devices ------------------------------------------------------------------- */

static json_t *uuid_json(const plx_device_info *info)
{
    char form[40];
    if (!info->has_uuid)
        return json_null();
    plx_uuid_text(info->uuid, form);
    return json_string(form);
}

static json_t *throttle_json(uint32_t reasons)
{
    json_t *made = json_array();
    for (uint32_t bit = 1; bit != 0 && bit <= PLX_THROTTLE_OTHER; bit <<= 1)
        if (reasons & bit)
            json_array_append_new(made, json_string(plx_throttle_name(bit)));
    return made;
}

/* Nothing stands where nothing is known. */
static json_t *environment_json(const plx_study_device *device)
{
    const plx_telemetry *state = &device->environment;
    json_t *made = json_object();
    plx_fact fact;
    json_object_set_new(made, "driver", plx_json_text(device->info.driver));
    json_object_set_new(made, "api", plx_json_text(device->info.api));
    for (size_t i = 0; plx_device_fact(device, i, &fact); i++)
        if (fact.known && (fact.matters & PLX_FACT_SENSOR))
            json_object_set_new(made, fact.key, plx_json_number(fact.number));
    if (state->known & PLX_KNOWS_ECC)
        json_object_set_new(made, "ecc", json_boolean(state->ecc));
    if (state->known & PLX_KNOWS_THROTTLE)
        json_object_set_new(made, "throttle", throttle_json(state->throttle));
    return made;
}

static json_t *ceilings_json(const plx_ceilings *ceilings)
{
    json_t *made = json_array();
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++)
        if (ceilings->value[kind] > 0)
            json_array_append_new(made, json_pack("{s:s, s:f, s:s}", "kind", plx_ceiling_name((plx_ceiling_kind)kind),
                                                  "value", ceilings->value[kind], "unit",
                                                  plx_ceiling_unit((plx_ceiling_kind)kind)));
    return made;
}

static json_t *device_json(const plx_study_device *device)
{
    const plx_device_info *info = &device->info;
    json_t *made = json_object();
    json_object_set_new(made, "label", plx_json_text(device->label));
    json_object_set_new(made, "named", json_boolean(device->named));
    json_object_set_new(made, "name", plx_json_text(info->name));
    json_object_set_new(made, "vendor", plx_json_text(info->vendor));
    json_object_set_new(made, "api", plx_json_text(info->api));
    json_object_set_new(made, "driver", plx_json_text(info->driver));
    json_object_set_new(made, "uuid", uuid_json(info));
    json_object_set_new(made, "pci", info->pci[0] != '\0' ? plx_json_text(info->pci) : json_null());
    json_object_set_new(made, "physical", natural(device->physical));
    json_object_set_new(made, "units", natural(info->units));
    json_object_set_new(made, "memory_bytes", natural(info->memory_bytes));
    json_object_set_new(made, "flushes_f32",
                        device->flushing_measured ? json_boolean((info->features & PLX_FEATURE_FLUSHES_F32) != 0)
                                                  : json_null());
    if (info->compute_major > 0)
        json_object_set_new(made, "compute_capability",
                            json_pack("[i, i]", (int)info->compute_major, (int)info->compute_minor));
    json_object_set_new(made, "environment", environment_json(device));
    json_object_set_new(made, "ceilings", ceilings_json(&device->ceilings));
    return made;
}

/* ---- records ------------------------------------------------------------------- */

static json_t *shape_json(const plx_problem *problem, size_t rank)
{
    int64_t shape[PLX_MAX_SHAPE] = {0};
    json_t *made = json_array();
    plx_problem_shape(problem, shape);
    for (size_t i = 0; i < rank; i++)
        json_array_append_new(made, integer(shape[i]));
    return made;
}

static json_t *field_json(const plx_problem *problem, const plx_field *field)
{
    if (plx_field_is_factor(field))
        return plx_json_number(plx_field_factor(problem, field));
    const int64_t value = plx_field_integer(problem, field);
    if (field->kind == PLX_FIELD_FLAG)
        return json_boolean(value);
    if (field->kind != PLX_FIELD_CHOICE)
        return integer(value);
    return json_string(value >= 0 && value < field->value_count ? field->values[value] : "unknown");
}

void plx_json_add_problem(json_t *made, const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    const size_t fields = operation != NULL ? operation->field_count : 0;
    json_object_set_new(made, "op", plx_json_text(plx_op_name(problem->op)));
    json_object_set_new(made, "dtype", plx_json_text(plx_dtype_name(problem->dtype)));
    if (plx_output_dtype(problem) != problem->dtype)
        json_object_set_new(made, "output_dtype", plx_json_text(plx_dtype_name(plx_output_dtype(problem))));
    if (problem->compute != PLX_COMPUTE_PLAIN)
        json_object_set_new(made, "compute", plx_json_text(plx_compute_name(problem->compute)));
    json_object_set_new(made, "shape", shape_json(problem, fields > 0 ? plx_shape_rank(operation) : 0));
    for (size_t i = 0; i < fields; i++)
        if (operation->fields[i].kind != PLX_FIELD_SIZE)
            json_object_set_new(made, operation->fields[i].name, field_json(problem, &operation->fields[i]));
}

static void add_shift(json_t *made, uint64_t shift)
{
    if (shift > 0)
        json_object_set_new(made, "shift", natural(shift));
}

static json_t *error_json(const plx_error_measure *error)
{
    json_t *made = json_object();
    if (!error->measured)
        return made;
    json_object_set_new(made, "max_over_bound", plx_json_number(error->max_over_bound));
    json_object_set_new(made, "max_ulp", plx_json_number(error->max_ulp));
    json_object_set_new(made, "first_bad", index_or_null(error->first_bad));
    json_object_set_new(made, "compared", integer(error->compared));
    json_object_set_new(made, "compared_after_timing", integer(error->compared_after));
    json_object_set_new(made, "wrong", integer(error->wrong));
    json_object_set_new(made, "bound",
                        json_pack("{s:s, s:o}", "kind", plx_bound_kind_name(error->bound), "gamma",
                                  plx_json_number(error->gamma)));
    if (error->first_bad >= 0) {
        json_object_set_new(made, "got", plx_json_text(error->got));
        json_object_set_new(made, "expected", plx_json_text(error->expected));
    }
    return made;
}

json_t *plx_json_time(const plx_timing *time)
{
    json_t *made = json_object();
    json_t *interval = json_array();
    json_array_append_new(interval, plx_json_number(time->low_ns));
    json_array_append_new(interval, plx_json_number(time->high_ns));
    json_object_set_new(made, "median_ns", plx_json_number(time->median_ns));
    json_object_set_new(made, "ci95_ns", interval);
    json_object_set_new(made, "samples", natural(time->samples));
    json_object_set_new(made, "clock", plx_json_text(time->device_clock ? "device" : "host"));
    if (time->clock_reason[0] != '\0')
        json_object_set_new(made, "clock_reason", plx_json_text(time->clock_reason));
    json_object_set_new(made, "converged", json_boolean(time->converged));
    json_object_set_new(made, "settled", json_boolean(time->converged)); /* its former name */
    json_object_set_new(made, "hot", json_boolean(time->hot));
    json_object_set_new(made, "queues", natural(time->queues));
    json_object_set_new(made, "batch", natural(time->batch));
    json_object_set_new(made, "dropped", natural(time->dropped));
    if (time->throttled)
        json_object_set_new(made, "throttled", json_true());
    return made;
}

/* A median on the host's clock. */
static json_t *interval_json(const plx_interval *interval)
{
    json_t *made = json_object();
    json_object_set_new(made, "median_ns", plx_json_number(interval->median_ns));
    json_object_set_new(made, "ci95_ns", json_pack("[o, o]", plx_json_number(interval->low_ns),
                                                   plx_json_number(interval->high_ns)));
    json_object_set_new(made, "samples", natural(interval->samples));
    json_object_set_new(made, "clock", json_string("host"));
    return made;
}

static json_t *ceiling_json(const plx_ceiling *ceiling)
{
    json_t *made = json_object();
    json_object_set_new(made, "kind", json_string(plx_ceiling_name(ceiling->kind)));
    json_object_set_new(made, "value", plx_json_number(ceiling->value));
    json_object_set_new(made, "unit", json_string(plx_ceiling_unit(ceiling->kind)));
    json_object_set_new(made, "fraction", plx_json_number(ceiling->fraction));
    if (ceiling->over[0] != '\0')
        json_object_set_new(made, "over", plx_json_text(ceiling->over));
    return made;
}

static void add_times(json_t *made, const plx_record *record)
{
    json_object_set_new(made, "time", plx_json_time(&record->time));
    if (record->time.host.measured)
        json_object_set_new(made, "host_time", interval_json(&record->time.host));
    if (record->time.latency.measured)
        json_object_set_new(made, "latency", interval_json(&record->time.latency));
    if (record->ceiling.applies)
        json_object_set_new(made, "ceiling", ceiling_json(&record->ceiling));
}

static json_t *rate_json(const plx_record *record)
{
    json_t *made = json_object();
    json_object_set_new(made, "gbps", record->gbps > 0 ? plx_json_number(record->gbps) : json_null());
    json_object_set_new(made, "gflops", record->gflops > 0 ? plx_json_number(record->gflops) : json_null());
    return made;
}

/* null: not measured on this chip; a reason alone: not counted. */
static json_t *counters_json(const plx_record *record)
{
    json_t *made = json_object();
    for (size_t i = 0; record->counted && plx_counter_name(i) != NULL; i++)
        json_object_set_new(made, plx_counter_name(i),
                            plx_json_number(plx_counter_value(&record->counters, i)));
    if (!record->counted)
        json_object_set_new(made, "reason", plx_json_text(record->counters_reason));
    json_object_set_new(made, "formula_bytes", plx_json_number(record->formula_bytes));
    return made;
}

static void add_origin(json_t *made, const plx_record *record)
{
    json_object_set_new(made, "input", plx_json_text(record->from_files ? "files" : plx_input_name(record->input)));
    if (!record->from_files)
        json_object_set_new(made, "seed", natural(record->seed));
    json_object_set_new(made, "group", natural(record->group));
    json_object_set_new(made, "step", natural(record->step));
    json_object_set_new(made, "named", json_boolean(record->named));
    json_object_set_new(made, "baseline", json_boolean(record->kernel_flags & PLX_KERNEL_BASELINE));
    json_object_set_new(made, "yardstick",
                        json_boolean(record->kernel_flags & PLX_KERNEL_BASELINE)); /* the same */
    json_object_set_new(made, "vendor", json_boolean(record->kernel_flags & PLX_KERNEL_VENDOR));
}

static json_t *record_json(const plx_record *record)
{
    json_t *made = json_object();
    plx_json_add_problem(made, &record->problem);
    add_shift(made, record->shift);
    json_object_set_new(made, "backend", plx_json_text(record->backend));
    json_object_set_new(made, "device", natural(record->device));
    json_object_set_new(made, "kernel", plx_json_text(record->kernel));
    if (record->config[0] != '\0')
        json_object_set_new(made, "config", plx_json_text(record->config));
    json_object_set_new(made, "idea", plx_json_text(record->idea));
    json_object_set_new(made, "status", plx_json_text(plx_outcome_name(record->outcome)));
    if (record->reason[0] != '\0')
        json_object_set_new(made, "reason", plx_json_text(record->reason));
    add_origin(made, record);
    json_object_set_new(made, "error", error_json(&record->error));
    if (record->time.measured) {
        add_times(made, record);
        json_object_set_new(made, "rate", rate_json(record));
    }
    if (record->gain > 0)
        json_object_set_new(made, "gain", plx_json_number(record->gain));
    if (record->counted || record->counters_reason[0] != '\0')
        json_object_set_new(made, "counters", counters_json(record));
    return made;
}

/* ---- pairs, the whole ------------------------------------------------------------ */

static json_t *pair_json(const plx_pair *pair)
{
    json_t *made = json_pack("{s:[I, I], s:b, s:b, s:b}", "records", (json_int_t)pair->first,
                             (json_int_t)pair->second, "compared", (int)pair->compared, "identical",
                             (int)pair->identical, "agree", (int)pair->agree);
    json_object_set_new(made, "max_ulp", pair->compared ? plx_json_number(pair->max_ulp) : json_null());
    json_object_set_new(made, "max_over_bound", pair->compared ? plx_json_number(pair->max_over_bound) : json_null());
    json_object_set_new(made, "elements", integer(pair->elements));
    json_object_set_new(made, "first_different", index_or_null(pair->first_different));
    if (pair->first_different >= 0)
        json_object_set_new(made, "values",
                            json_pack("[o, o]", plx_json_text(pair->value_first), plx_json_text(pair->value_second)));
    return made;
}

/* What a check counted: the records have only the worst case of each kernel. */
static json_t *check_json(plx_check_counts *counts)
{
    json_t *made = json_pack("{s:s}", "effort", plx_effort_name(counts->effort)), *reasons = json_array();
    for (size_t i = 0; plx_check_count_name(i) != NULL; i++)
        json_object_set_new(made, plx_check_count_name(i), natural(*plx_check_count(counts, i)));
    for (size_t i = 0; i < counts->reason_count; i++)
        json_array_append_new(reasons, json_pack("{s:s, s:o}", "reason", counts->reasons[i].text, "count",
                                                 natural(counts->reasons[i].count)));
    json_object_set_new(made, "unsupported_reasons", reasons);
    return made;
}

/* The problem where the ratio is least stands in it whole. */
static json_t *standing_json(const plx_results *results, const plx_standing *one)
{
    const plx_record *least = &results->records[one->least_at];
    json_t *at = json_object();
    plx_json_add_problem(at, &least->problem);
    add_shift(at, least->shift);
    return json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "op", plx_op_name(one->op),
                     "dtype", plx_dtype_name(one->dtype), "variant", one->variant, "backend",
                     plx_json_text(one->backend), "problems", (json_int_t)one->problems, "ahead",
                     (json_int_t)one->ahead, "mean", plx_json_number(one->mean), "least",
                     plx_json_number(one->least), "most", plx_json_number(one->most), "least_at", at);
}

static json_t *standings_json(const plx_results *results)
{
    plx_standing *standings;
    plx_error error;
    size_t count;
    if (plx_results_standings(results, &standings, &count, &error) != PLX_OK)
        return NULL;
    json_t *made = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(made, standing_json(results, &standings[i]));
    free(standings);
    return made;
}

/* ---- what a bench was asked for -------------------------------------------------------- */

static json_t *names_json(char (*names)[64], size_t count)
{
    json_t *made = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(made, plx_json_text(names[i]));
    return made;
}

static json_t *left_out_json(const plx_bench_request *bench)
{
    json_t *made = json_array();
    for (size_t i = 0; i < bench->left_out_count; i++) {
        json_t *entry = json_object();
        plx_json_add_problem(entry, &bench->left_out[i].problem);
        add_shift(entry, bench->left_out[i].shift);
        json_object_set_new(entry, "reason", plx_json_text(bench->left_out[i].reason));
        json_array_append_new(made, entry);
    }
    return made;
}

static json_t *bench_json(const plx_results *results)
{
    const plx_bench_request *bench = results->bench;
    json_t *options = json_pack("{s:o, s:s, s:o, s:f, s:b, s:b, s:I, s:b}", "kernels",
                                names_json(bench->kernels, bench->kernel_count), "input",
                                plx_input_name(bench->input), "seed", natural(bench->seed), "seconds",
                                bench->seconds, "timing", (int)bench->timing, "hot", (int)bench->hot, "queues",
                                (json_int_t)bench->queues, "counters", (int)bench->counters);
    json_t *made = json_pack("{s:o, s:o}", "sets", names_json(bench->sets, bench->set_count), "options", options);
    if (bench->left_out_count > 0)
        json_object_set_new(made, "left_out", left_out_json(bench));
    if (bench->finished)
        json_object_set_new(made, "summary", standings_json(results));
    return made;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void add_lists(json_t *made, const plx_results *results)
{
    json_t *records = json_array(), *pairs = json_array();
    for (size_t i = 0; i < results->record_count; i++)
        json_array_append_new(records, record_json(&results->records[i]));
    for (size_t i = 0; i < results->pair_count; i++)
        json_array_append_new(pairs, pair_json(&results->pairs[i]));
    json_object_set_new(made, "records", records);
    json_object_set_new(made, "pairs", pairs);
    if (results->check != NULL)
        json_object_set_new(made, "check", check_json(results->check));
    if (results->bench != NULL)
        json_object_set_new(made, "bench", bench_json(results));
}

static json_t *results_json(const plx_results *results)
{
    bool probe = results->sweep_count + results->unopened_count > 0;
    plx_environment here;
    const plx_environment *environment = &results->environment;
    json_t *devices = json_array();
    if (environment->parallax[0] == '\0') {
        plx_environment_now(&here);
        environment = &here;
    }
    for (size_t i = 0; i < results->device_count; i++)
        json_array_append_new(devices, device_json(&results->devices[i]));
    json_t *made = json_pack("{s:s, s:{s:s, s:s}, s:o, s:o, s:o}", "schema",
                             probe ? "parallax-probe/1" : "parallax-results/1", "tool", "name", "parallax",
                             "version", environment->parallax, "environment", facts_json(environment, false),
                             "host", facts_json(environment, true), "devices", devices);
    if (made != NULL && probe)
        plx_json_add_sweeps(made, results);
    else if (made != NULL)
        add_lists(made, results);
    return made;
}

plx_status plx_json_write(json_t *all, FILE *to, plx_error *error)
{
    if (all == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the JSON text");
    int failed = json_dumpf(all, to, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(all);
    if (failed == 0 && fputc('\n', to) != EOF)
        return plx_report_finish(to, error);
    return plx_fail(error, PLX_IO, "can't write the JSON text: %s", ferror(to) ? strerror(errno) : "write error");
}

plx_status plx_results_write_json(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_json_write(results_json(results), to, error);
}

plx_status plx_results_write(const plx_results *results, const char *path, plx_error *error)
{
    plx_output *output;
    plx_status status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    status = plx_results_write_json(results, plx_output_stream(output), error);
    if (status == PLX_OK)
        return plx_output_close(output, error);
    plx_output_discard(output);
    return status;
}
