/* Results made by hand, and their texts. */
#define _POSIX_C_SOURCE 200809L
#include "tests/results/report_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

plx_record timed_record(const char *backend, size_t device, const char *kernel, double microseconds)
{
    plx_record record;
    memset(&record, 0, sizeof record);
    record.problem = plx_gemm_of(PLX_F32, false, true, 3, 4, 5);
    record.seed = 7;
    record.device = device;
    (void)snprintf(record.backend, sizeof record.backend, "%s", backend);
    (void)snprintf(record.kernel, sizeof record.kernel, "%s", kernel);
    (void)snprintf(record.config, sizeof record.config, "%s", strcmp(kernel, "tiled") == 0 ? "64x64/4" : "");
    (void)snprintf(record.idea, sizeof record.idea, "an idea");
    record.error = (plx_error_measure){.measured = true,
                                       .max_over_bound = 0.25,
                                       .max_ulp = 2,
                                       .compared = 12,
                                       .first_bad = -1,
                                       .bound = PLX_BOUND_DETERMINISTIC,
                                       .gamma = 0.5,
                                       .narrowing = 0.125,
                                       .max_over_terms = 0.0625};
    record.time = (plx_timing){.measured = true,
                               .median_ns = 1e3 * microseconds,
                               .queues = 1,
                               .low_ns = 990 * microseconds,
                               .high_ns = 1010 * microseconds,
                               .samples = 9,
                               .device_clock = true,
                               .converged = true};
    record.gflops = 0.12 / microseconds;
    record.gbps = 0.2 / microseconds;
    return record;
}

void fail_record(plx_record *record, plx_outcome outcome, const char *reason)
{
    record->outcome = outcome;
    (void)snprintf(record->reason, sizeof record->reason, "%s", reason);
}

void make_devices(plx_study_device *devices)
{
    memset(devices, 0, 2 * sizeof *devices);
    (void)snprintf(devices[0].label, sizeof devices[0].label, "alpha:0");
    (void)snprintf(devices[0].info.name, sizeof devices[0].info.name, "Chip One");
    (void)snprintf(devices[0].info.api, sizeof devices[0].info.api, "Alpha 1.0");
    devices[0].info.has_uuid = true;
    for (int i = 0; i < 16; i++)
        devices[0].info.uuid[i] = (uint8_t)(i * 17);
    devices[0].info.memory_bytes = UINT64_MAX;
    (void)snprintf(devices[1].label, sizeof devices[1].label, "beta:0");
    (void)snprintf(devices[1].info.name, sizeof devices[1].info.name, "Chip \xff\xfe, \"Two\"");
    devices[1].physical = 1;
}

void make_sample(sample *s)
{
    memset(s, 0, sizeof *s);
    make_devices(s->devices);
    s->records[0] = timed_record("alpha:0", 0, "naive", 200);
    s->records[1] = timed_record("alpha:0", 0, "tiled", 100);
    s->records[1].gain = 2;
    s->records[2] = timed_record("beta:0", 1, "broken", 10);
    fail_record(&s->records[2], PLX_OUTCOME_WRONG, "3 elements are outside the bound");
    s->records[2].error = (plx_error_measure){.measured = true,
                                              .max_over_bound = (double)INFINITY,
                                              .max_ulp = (double)NAN,
                                              .compared = 12,
                                              .wrong = 3,
                                              .first_bad = 5,
                                              .got = "nan",
                                              .expected = "1.5"};
    s->records[3] = timed_record("beta:0", 1, "vector", 1);
    fail_record(&s->records[3], PLX_OUTCOME_UNSUPPORTED, "needs f64, \"really\"");
    s->records[3].time.measured = false;
    s->records[3].error.measured = false;
    s->pairs[0] = (plx_pair){.first = 0,
                             .second = 1,
                             .compared = true,
                             .identical = true,
                             .agree = true,
                             .elements = 12,
                             .first_different = -1};
    s->pairs[1] = (plx_pair){.first = 0,
                             .second = 2,
                             .compared = true,
                             .elements = 12,
                             .max_ulp = (double)INFINITY,
                             .max_over_bound = 40,
                             .first_different = 5,
                             .value_first = "1.5",
                             .value_second = "nan"};
    s->results = (plx_results){.devices = s->devices,
                               .device_count = 2,
                               .records = s->records,
                               .record_count = RECORDS,
                               .pairs = s->pairs,
                               .pair_count = 2};
}

void make_counted(sample *s)
{
    const plx_counters counters = {.global_load_sectors = 134217728,
                                   .global_load_requests = 8388608,
                                   .global_store_sectors = 2048,
                                   .global_store_requests = 512,
                                   .shared_load_conflicts = 7,
                                   .shared_store_conflicts = 3,
                                   .achieved_occupancy = 0.975,
                                   .dram_read_bytes = 60e6,
                                   .dram_write_bytes = 30e6,
                                   .duration_ns = 45e3};
    make_sample(s);
    for (size_t i = 0; i < 2; i++) {
        s->records[i].counted = true;
        s->records[i].counters = counters;
        s->records[i].formula_bytes = 88e6;
    }
    s->records[0].counters.dram_read_bytes = (double)NAN;
    s->records[0].counters.dram_write_bytes = (double)NAN;
    for (size_t i = 2; i < RECORDS; i++)
        (void)snprintf(s->records[i].counters_reason, sizeof s->records[i].counters_reason,
                       "not available from this API");
}

plx_status write_plain_table(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_table(results, to, 100, 0, error);
}

char *text_of(writer write, const plx_results *results)
{
    static char *text; /* its address is kept by the stream until that is closed */
    static size_t size;
    plx_error error = {""};
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    assert_int_equal(write(results, to, &error), PLX_OK);
    assert_int_equal(fclose(to), 0);
    return text;
}

void line_with(const char *text, const char *word, const char *other, char *line, size_t capacity)
{
    line[0] = '\0';
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        (void)snprintf(line, capacity, "%.*s", (int)length, text);
        if (strstr(line, word) != NULL && strstr(line, other) != NULL)
            return;
        text += length;
        text += *text == '\n';
    }
    line[0] = '\0';
}
