/* What the hardware counted, as a table for people. */
#include "study/report/report.h"
#include "study/results/words.h"

#include "base/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------- */

typedef enum column {
    COLUMN_BACKEND,
    COLUMN_KERNEL,
    COLUMN_LOADS,
    COLUMN_PER_LOAD,
    COLUMN_STORES,
    COLUMN_PER_STORE,
    COLUMN_CONFLICTS,
    COLUMN_OCCUPANCY,
    COLUMN_DRAM,
    COLUMN_RATE,
    COLUMN_FORMULA,
    COLUMNS
} column;

static const char *const titles[COLUMNS] = {
    [COLUMN_BACKEND] = "backend",     [COLUMN_KERNEL] = "kernel",       [COLUMN_LOADS] = "loads",
    [COLUMN_PER_LOAD] = "/request",   [COLUMN_STORES] = "stores",       [COLUMN_PER_STORE] = "/request",
    [COLUMN_CONFLICTS] = "conflicts", [COLUMN_OCCUPANCY] = "occupancy", [COLUMN_DRAM] = "DRAM",
    [COLUMN_RATE] = "rate",           [COLUMN_FORMULA] = "formula",
};

static void add_number(plx_table *table, column where, double number, const char *unit)
{
    char digits[32];
    plx_plain_number_text(number, 3, digits, sizeof digits);
    if (digits[0] == '\0') /* not measured */
        plx_table_cell(table, where, "-");
    else
        plx_table_cell(table, where, "%s%s%s", digits, unit[0] != '\0' ? " " : "", unit);
}

/* "134 M", "268 MB": three digits are enough to compare. */
static void add_scaled(plx_table *table, column where, double number, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    char scaled[8];
    size_t step = 0;
    while (number >= 999.5 && step + 1 < sizeof prefixes / sizeof prefixes[0]) {
        number /= 1000;
        step++;
    }
    (void)snprintf(scaled, sizeof scaled, "%s%.4s", prefixes[step], unit);
    add_number(table, where, number, scaled);
}

static void add_quotient(plx_table *table, column where, double number, double by)
{
    add_number(table, where, by > 0 ? number / by : (double)NAN, "");
}

/* What is not measured on a chip takes nothing away from the rest. */
static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void add_counters(plx_table *table, const plx_record *record)
{
    const plx_counters *c = &record->counters;
    double dram = sum(c->dram_read_bytes, c->dram_write_bytes);
    plx_table_cell(table, COLUMN_KERNEL, "%s", record->kernel);
    add_scaled(table, COLUMN_LOADS, c->global_load_sectors, "");
    add_quotient(table, COLUMN_PER_LOAD, c->global_load_sectors, c->global_load_requests);
    add_scaled(table, COLUMN_STORES, c->global_store_sectors, "");
    add_quotient(table, COLUMN_PER_STORE, c->global_store_sectors, c->global_store_requests);
    add_scaled(table, COLUMN_CONFLICTS, sum(c->shared_load_conflicts, c->shared_store_conflicts), "");
    add_number(table, COLUMN_OCCUPANCY, 100 * c->achieved_occupancy, "%");
    add_scaled(table, COLUMN_DRAM, dram, "B");
    add_number(table, COLUMN_RATE, c->duration_ns > 0 ? dram / c->duration_ns : (double)NAN, "GB/s");
    add_scaled(table, COLUMN_FORMULA, record->formula_bytes, "B");
}

/* ---- the table --------------------------------------------------------------- */

static bool is_asked_for(const plx_record *record, size_t group)
{
    return record->group == group && (record->counted || record->counters_reason[0] != '\0');
}

/* The records of the group, from the first on, that were not counted for the reason
 * that the first one has: they share a line. */
static size_t same_refusal(const plx_results *results, size_t first, size_t *end)
{
    const plx_record *records = results->records;
    size_t count = 0;
    for (*end = first; *end < results->record_count; (*end)++) {
        const plx_record *next = &records[*end];
        if (!is_asked_for(next, records[first].group))
            continue;
        if (next->counted || strcmp(next->backend, records[first].backend) != 0 ||
            strcmp(next->counters_reason, records[first].counters_reason) != 0)
            break;
        count++;
    }
    return count;
}

static void add_refusal(plx_table *table, const plx_record *record, size_t count)
{
    if (count == 1)
        plx_table_cell(table, COLUMN_KERNEL, "%s", record->kernel);
    else
        plx_table_cell(table, COLUMN_KERNEL, "%zu kernels", count);
    plx_table_rest(table, "%s", record->counters_reason);
}

plx_status plx_report_counters(const plx_results *results, size_t group, FILE *to, plx_error *error)
{
    plx_table table = {.columns = COLUMNS, .left = 1U << COLUMN_BACKEND | 1U << COLUMN_KERNEL};
    for (size_t i = 0, next; i < results->record_count; i = next) {
        const plx_record *record = &results->records[i];
        next = i + 1;
        if (!is_asked_for(record, group))
            continue;
        plx_table_row(&table);
        plx_table_cell(&table, COLUMN_BACKEND, "%s", record->backend);
        if (record->counted) {
            table.titles = titles;
            add_counters(&table, record);
        } else {
            add_refusal(&table, record, same_refusal(results, i, &next));
        }
    }
    if (table.row_count > 0)
        (void)fputs("counters of one execution: sectors of 32 bytes, bank conflicts, DRAM, and what the "
                    "formula says\n",
                    to);
    return plx_table_finish(&table, to, error);
}
