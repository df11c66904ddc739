/* What each type costs and gains: products of one shape in several element and compute types, in one table.
 */
#define _POSIX_C_SOURCE 200809L

#include "study/report/report.h"

#include "base/table.h"

#include <string.h>

/* "bf16", or "tf32" of f32. */
static const char *type_of(const plx_record *record)
{
    const plx_problem *problem = &record->problem;
    return problem->compute == PLX_COMPUTE_PLAIN ? plx_dtype_name(problem->dtype) : plx_compute_name(problem->compute);
}

static bool counts(const plx_record *record)
{
    return record->problem.op == PLX_GEMM && record->outcome == PLX_OUTCOME_OK &&
           !(record->kernel_flags & PLX_KERNEL_BASELINE);
}

/* Shape and variant, but for the types. */
static void product_text(const plx_record *record, char *text, size_t capacity)
{
    plx_problem problem = record->problem;
    char shape[80], variant[128];
    problem.compute = PLX_COMPUTE_PLAIN;
    problem.output = 0;
    plx_shape_text(&problem, shape, sizeof shape);
    plx_variant_text(&problem, variant, sizeof variant);
    (void)snprintf(text, capacity, "gemm %s %s", shape, variant);
}

static bool is_of_one_product(const plx_record *a, const plx_record *b)
{
    char of_a[256], of_b[256];
    product_text(a, of_a, sizeof of_a);
    product_text(b, of_b, sizeof of_b);
    return strcmp(of_a, of_b) == 0;
}

static bool is_faster(const plx_record *a, const plx_record *b)
{
    if (a->time.measured != b->time.measured)
        return a->time.measured;
    return a->time.measured && a->time.median_ns < b->time.median_ns;
}

/* The fastest of its type on its backend; of several that are as fast the first. */
static bool is_best(const plx_results *results, size_t at)
{
    const plx_record *record = &results->records[at];
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *other = &results->records[i];
        if (i != at && counts(other) && is_of_one_product(record, other) &&
            strcmp(type_of(record), type_of(other)) == 0 && strcmp(record->backend, other->backend) == 0 &&
            (is_faster(other, record) || (i < at && !is_faster(record, other))))
            return false;
    }
    return true;
}

static bool begins_product(const plx_results *results, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (counts(&results->records[i]) && is_of_one_product(&results->records[i], &results->records[at]))
            return false;
    return true;
}

static bool has_several_types(const plx_results *results, size_t first)
{
    for (size_t i = first + 1; i < results->record_count; i++)
        if (counts(&results->records[i]) && is_of_one_product(&results->records[i], &results->records[first]) &&
            strcmp(type_of(&results->records[i]), type_of(&results->records[first])) != 0)
            return true;
    return false;
}

/* The fastest in plain f32, of all backends; NULL: none was timed. */
static const plx_record *plain_f32(const plx_results *results, size_t first)
{
    const plx_record *best = NULL;
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *one = &results->records[i];
        if (counts(one) && plx_timing_counts(&one->time) && !plx_timing_is_noisy(&one->time) &&
            is_of_one_product(one, &results->records[first]) && strcmp(type_of(one), "f32") == 0 &&
            (best == NULL || is_faster(one, best)))
            best = one;
    }
    return best;
}

static void add_time(const plx_record *record, const plx_record *f32, const char *micro, plx_table *table)
{
    char text[40];
    if (!record->time.measured || !(record->time.median_ns > 0))
        return;
    plx_duration_text(record->time.median_ns, micro, text, sizeof text);
    plx_table_cell(table, 3, "%s", text);
    if (record->gflops > 0)
        plx_table_cell(table, 4, "%.0f", record->gflops);
    if (f32 != NULL)
        plx_table_cell(table, 5, "%.2f", f32->time.median_ns / record->time.median_ns);
}

static void add_record(const plx_record *record, const plx_record *f32, const char *micro, plx_table *table)
{
    char text[40];
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", type_of(record));
    plx_table_cell(table, 1, "%s", record->backend);
    plx_table_cell(table, 2, "%s", record->kernel);
    add_time(record, f32, micro, table);
    if (!record->error.measured)
        return;
    plx_number_text(record->error.max_ulp, 3, text, sizeof text);
    plx_table_cell(table, 6, "%s", text);
    plx_number_text(record->error.max_over_bound, 2, text, sizeof text);
    plx_table_cell(table, 7, "%s", text);
    plx_number_text(record->error.gamma, 2, text, sizeof text);
    plx_table_cell(table, 8, "%s", text);
}

static plx_status put_product(const plx_results *results, size_t first, FILE *to, plx_error *error)
{
    static const char *const titles[] = {"type",   "backend",     "kernel",      "time", "GFLOP/s",
                                         "of f32", "largest ULP", "error/bound", "bound"};
    plx_table table = {.columns = sizeof titles / sizeof titles[0], .titles = titles, .left = 7, .indent = "  "};
    const char *micro = plx_micro();
    const plx_record *f32 = plain_f32(results, first);
    char text[256];
    product_text(&results->records[first], text, sizeof text);
    (void)fprintf(to, "\nwhat each type costs and gains: %s\n", text);
    for (size_t i = first; i < results->record_count; i++)
        if (counts(&results->records[i]) && is_of_one_product(&results->records[i], &results->records[first]) &&
            is_best(results, i))
            add_record(&results->records[i], f32, micro, &table);
    return plx_table_finish(&table, to, error);
}

plx_status plx_results_write_types(const plx_results *results, FILE *to, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < results->record_count; i++)
        if (counts(&results->records[i]) && begins_product(results, i) && has_several_types(results, i))
            status = put_product(results, i, to, error);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
