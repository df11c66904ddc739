/* Reads records, pairs and devices from JSON into results. */
#include "study/results/read.h"

#include "study/run/run.h"
#include "study/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_text(const json_t *from, const char *path, char *text, size_t capacity)
{
    (void)snprintf(text, capacity, "%s", plx_json_text_at(from, path, ""));
}

static size_t size_at(const json_t *from, const char *path)
{
    int64_t value = plx_json_integer_at(from, path, 0);
    return value > 0 ? (size_t)value : 0;
}

/* ---- problems ------------------------------------------------------------------- */

static plx_problem plain_problem(plx_op op, plx_dtype dtype, const json_t *record)
{
    bool a = plx_json_bool_at(record, "trans_a", false), b = plx_json_bool_at(record, "trans_b", false);
    plx_reduction reduction = PLX_SUM;
    switch (op) {
    case PLX_REDUCE:
        (void)plx_reduction_from_name(plx_json_text_at(record, "reduction", ""), &reduction);
        return plx_reduce_of(dtype, reduction, 0);
    case PLX_TRANSPOSE:
        return plx_transpose_of(dtype, 0, 0);
    case PLX_MATVEC:
        return plx_matvec_of(dtype, plx_json_bool_at(record, "trans", false), 0, 0);
    case PLX_GEMM:
    case PLX_PROBE:
    case PLX_OP_COUNT:
        break;
    }
    return plx_gemm_of(dtype, a, b, 0, 0, 0);
}

static void take_factors(const json_t *record, plx_problem *problem)
{
    double alpha = plx_json_number_at(record, "alpha", 1), beta = plx_json_number_at(record, "beta", 0);
    if (problem->op == PLX_MATVEC) {
        problem->of.matvec.alpha = alpha;
        problem->of.matvec.beta = beta;
        problem->of.matvec.lda = plx_json_integer_at(record, "lda", problem->of.matvec.lda);
    } else if (problem->op == PLX_GEMM) {
        problem->of.gemm.alpha = alpha;
        problem->of.gemm.beta = beta;
        problem->of.gemm.lda = plx_json_integer_at(record, "lda", problem->of.gemm.lda);
        problem->of.gemm.ldb = plx_json_integer_at(record, "ldb", problem->of.gemm.ldb);
        problem->of.gemm.ldc = plx_json_integer_at(record, "ldc", problem->of.gemm.ldc);
    } else if (problem->op == PLX_TRANSPOSE) {
        problem->of.transpose.ld_in = plx_json_integer_at(record, "ld_in", problem->of.transpose.ld_in);
        problem->of.transpose.ld_out = plx_json_integer_at(record, "ld_out", problem->of.transpose.ld_out);
    }
}

bool plx_json_problem(const json_t *record, plx_problem *problem)
{
    plx_op op;
    plx_dtype dtype;
    plx_error error;
    int64_t sizes[PLX_MAX_SHAPE];
    const json_t *shape = json_object_get(record, "shape");
    size_t rank = json_array_size(shape);
    if (!plx_op_from_name(plx_json_text_at(record, "op", ""), &op) || op == PLX_PROBE ||
        !plx_dtype_from_name(plx_json_text_at(record, "dtype", ""), &dtype) || rank > PLX_MAX_SHAPE)
        return false;
    for (size_t i = 0; i < rank; i++)
        sizes[i] = (int64_t)json_integer_value(json_array_get(shape, i));
    *problem = plain_problem(op, dtype, record);
    if (plx_problem_reshape(problem, sizes, rank, &error) != PLX_OK)
        return false;
    take_factors(record, problem);
    return true;
}

/* ---- records ---------------------------------------------------------------------- */

static plx_outcome outcome_at(const json_t *record)
{
    for (int i = 0; i < PLX_OUTCOME_COUNT; i++)
        if (strcmp(plx_json_text_at(record, "status", ""), plx_outcome_name((plx_outcome)i)) == 0)
            return (plx_outcome)i;
    return PLX_OUTCOME_FAILED;
}

/* Older files do not say. */
static plx_bound_kind bound_at(const json_t *error)
{
    for (int i = 0; i < PLX_BOUND_KIND_COUNT; i++)
        if (strcmp(plx_json_text_at(error, "bound.kind", ""), plx_bound_kind_name((plx_bound_kind)i)) == 0)
            return (plx_bound_kind)i;
    return PLX_BOUND_DETERMINISTIC;
}

static void take_error(const json_t *from, plx_error_measure *error)
{
    *error = (plx_error_measure){
        .measured = json_object_size(from) > 0,
        .max_over_bound = plx_json_number_at(from, "max_over_bound", INFINITY), /* null: not finite */
        .max_ulp = plx_json_number_at(from, "max_ulp", INFINITY),
        .compared = plx_json_integer_at(from, "compared", 0),
        .compared_after = plx_json_integer_at(from, "compared_after_timing", 0),
        .wrong = plx_json_integer_at(from, "wrong", 0),
        .first_bad = plx_json_integer_at(from, "first_bad", -1),
        .bound = bound_at(from),
        .gamma = plx_json_number_at(from, "bound.gamma", 0),
    };
    take_text(from, "got", error->got, sizeof error->got);
    take_text(from, "expected", error->expected, sizeof error->expected);
}

static void take_time(const json_t *record, plx_timing *time)
{
    double median = plx_json_number_at(record, "time.median_ns", NAN);
    *time = (plx_timing){
        .measured = isfinite(median),
        .median_ns = median,
        .low_ns = plx_json_element_at(record, "time.ci95_ns", 0, median),
        .high_ns = plx_json_element_at(record, "time.ci95_ns", 1, median),
        .samples = size_at(record, "time.samples"),
        .device_clock = strcmp(plx_json_text_at(record, "time.clock", ""), "device") == 0,
        .settled = plx_json_bool_at(record, "time.settled", false),
        .hot = plx_json_bool_at(record, "time.hot", false),
        .queues = size_at(record, "time.queues"),
        .batch = size_at(record, "time.batch"),
        .dropped = size_at(record, "time.dropped"),
    };
    take_text(record, "time.clock_reason", time->clock_reason, sizeof time->clock_reason);
    if (!time->measured)
        *time = (plx_timing){.measured = false};
}

static void take_interval(const json_t *from, plx_interval *interval)
{
    double median = plx_json_number_at(from, "median_ns", NAN);
    if (!isfinite(median))
        return;
    *interval = (plx_interval){
        .measured = true,
        .median_ns = median,
        .low_ns = plx_json_element_at(from, "ci95_ns", 0, median),
        .high_ns = plx_json_element_at(from, "ci95_ns", 1, median),
        .samples = size_at(from, "samples"),
    };
}

static void take_ceiling(const json_t *from, plx_ceiling *ceiling)
{
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++)
        if (strcmp(plx_json_text_at(from, "kind", ""), plx_ceiling_name((plx_ceiling_kind)kind)) == 0)
            *ceiling = (plx_ceiling){
                .applies = true,
                .kind = (plx_ceiling_kind)kind,
                .value = plx_json_number_at(from, "value", 0),
                .fraction = plx_json_number_at(from, "fraction", 0),
            };
    take_text(from, "over", ceiling->over, sizeof ceiling->over);
}

/* null: not measured on this chip. */
static void take_counters(const json_t *from, plx_record *record)
{
    if (from == NULL)
        return;
    take_text(from, "reason", record->counters_reason, sizeof record->counters_reason);
    record->counted = json_object_get(from, "reason") == NULL;
    for (size_t i = 0; record->counted && plx_counter_name(i) != NULL; i++)
        plx_counter_put(&record->counters, i, plx_json_number_at(from, plx_counter_name(i), NAN));
}

static uint32_t flags_at(const json_t *record)
{
    uint32_t flags = plx_json_bool_at(record, "yardstick", false) ? PLX_KERNEL_YARDSTICK : 0;
    return flags | (plx_json_bool_at(record, "vendor", false) ? PLX_KERNEL_VENDOR : 0);
}

static bool take_record(const json_t *from, plx_record *record)
{
    *record = (plx_record){
        .from_files = strcmp(plx_json_text_at(from, "input", ""), "files") == 0,
        .seed = (uint64_t)plx_json_integer_at(from, "seed", 0),
        .shift = (uint64_t)plx_json_integer_at(from, "shift", 0),
        .device = size_at(from, "device"),
        .kernel_flags = flags_at(from),
        .named = plx_json_bool_at(from, "named", false),
        .group = size_at(from, "group"),
        .step = size_at(from, "step"),
        .outcome = outcome_at(from),
        .gbps = plx_json_number_at(from, "rate.gbps", 0),
        .gflops = plx_json_number_at(from, "rate.gflops", 0),
        .gain = plx_json_number_at(from, "gain", 0),
    };
    (void)plx_input_from_name(plx_json_text_at(from, "input", ""), &record->input);
    take_text(from, "backend", record->backend, sizeof record->backend);
    take_text(from, "kernel", record->kernel, sizeof record->kernel);
    take_text(from, "idea", record->idea, sizeof record->idea);
    take_text(from, "reason", record->reason, sizeof record->reason);
    take_error(json_object_get(from, "error"), &record->error);
    take_time(from, &record->time);
    take_interval(json_object_get(from, "host_time"), &record->time.host);
    take_interval(json_object_get(from, "latency"), &record->time.latency);
    take_ceiling(json_object_get(from, "ceiling"), &record->ceiling);
    take_counters(json_object_get(from, "counters"), record);
    if (!plx_json_problem(from, &record->problem))
        return false;
    record->formula_bytes = plx_operation_of(record->problem.op)->bytes(&record->problem);
    return true;
}

/* ---- the whole ----------------------------------------------------------------------- */

static plx_status take_devices(const json_t *list, plx_results *results, plx_error *error)
{
    size_t count = json_array_size(list);
    results->devices = calloc(count > 0 ? count : 1, sizeof *results->devices);
    if (results->devices == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of devices");
    results->device_count = count;
    for (size_t i = 0; i < count; i++) {
        plx_study_device *device = &results->devices[i];
        const json_t *from = json_array_get(list, i);
        take_text(from, "label", device->label, sizeof device->label);
        take_text(from, "name", device->info.name, sizeof device->info.name);
        take_text(from, "driver", device->info.driver, sizeof device->info.driver);
        device->physical = size_at(from, "physical");
        device->named = plx_json_bool_at(from, "named", false);
    }
    return PLX_OK;
}

/* places[i] becomes where record i went, SIZE_MAX for one that was left out. */
static plx_status take_records(const json_t *list, size_t *places, plx_results *results, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        plx_record record;
        bool known = take_record(json_array_get(list, i), &record);
        places[i] = known ? results->record_count : SIZE_MAX;
        if (known)
            status = plx_results_add_record(results, &record, error);
    }
    return status;
}

static plx_status take_pairs(const json_t *list, const size_t *places, plx_results *results, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        plx_pair pair = {
            .first = places[(size_t)plx_json_element_at(from, "records", 0, 0)],
            .second = places[(size_t)plx_json_element_at(from, "records", 1, 0)],
            .compared = plx_json_bool_at(from, "compared", false),
            .identical = plx_json_bool_at(from, "identical", false),
            .agree = plx_json_bool_at(from, "agree", false),
            .elements = plx_json_integer_at(from, "elements", 0),
            .max_ulp = plx_json_number_at(from, "max_ulp", INFINITY),
            .max_over_bound = plx_json_number_at(from, "max_over_bound", INFINITY),
            .first_different = plx_json_integer_at(from, "first_different", -1),
        };
        if (pair.first != SIZE_MAX && pair.second != SIZE_MAX)
            status = plx_results_add_pair(results, &pair, error);
    }
    return status;
}

plx_status plx_results_of_json(const json_t *root, plx_results *results, plx_error *error)
{
    const json_t *records = json_object_get(root, "records");
    plx_results made = {.record_count = 0};
    size_t *places = calloc(json_array_size(records) + 1, sizeof *places);
    plx_status status = places != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for the records");
    if (status == PLX_OK)
        status = take_devices(json_object_get(root, "devices"), &made, error);
    if (status == PLX_OK)
        status = take_records(records, places, &made, error);
    if (status == PLX_OK)
        status = take_pairs(json_object_get(root, "pairs"), places, &made, error);
    free(places);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}
