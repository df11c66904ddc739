/* What the hardware counted, as a table for people. */
#include "study/report/report.h"
#include "study/report/table_writer.h"
#include "study/results/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------- */

enum { CELL = 32 };

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

static const char not_measured[] = "-";

static void number_cell(double number, const char *unit, char *cell)
{
    char digits[CELL];
    plx_number_text(number, number >= 1000 ? (int)log10(number) + 1 : 3, digits, sizeof digits);
    if (digits[0] == '\0')
        (void)snprintf(cell, CELL, "%s", not_measured);
    else
        (void)snprintf(cell, CELL, "%.16s%s%.8s", digits, unit[0] != '\0' ? " " : "", unit);
}

/* "134 M", "268 MB": three digits are enough to compare. */
static void scaled_cell(double number, const char *unit, char *cell)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    char scaled[8];
    size_t step = 0;
    while (number >= 999.5 && step + 1 < sizeof prefixes / sizeof prefixes[0]) {
        number /= 1000;
        step++;
    }
    (void)snprintf(scaled, sizeof scaled, "%s%.4s", prefixes[step], unit);
    number_cell(number, scaled, cell);
}

static void quotient_cell(double number, double by, char *cell)
{
    number_cell(by > 0 ? number / by : (double)NAN, "", cell);
}

/* What is not measured on a chip takes nothing away from the rest. */
static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void fill_cells(const plx_record *record, char cells[COLUMNS][CELL])
{
    const plx_counters *c = &record->counters;
    double dram = sum(c->dram_read_bytes, c->dram_write_bytes);
    (void)snprintf(cells[COLUMN_BACKEND], CELL, "%.31s", record->backend);
    (void)snprintf(cells[COLUMN_KERNEL], CELL, "%.31s", record->kernel);
    scaled_cell(c->global_load_sectors, "", cells[COLUMN_LOADS]);
    quotient_cell(c->global_load_sectors, c->global_load_requests, cells[COLUMN_PER_LOAD]);
    scaled_cell(c->global_store_sectors, "", cells[COLUMN_STORES]);
    quotient_cell(c->global_store_sectors, c->global_store_requests, cells[COLUMN_PER_STORE]);
    scaled_cell(sum(c->shared_load_conflicts, c->shared_store_conflicts), "", cells[COLUMN_CONFLICTS]);
    number_cell(100 * c->achieved_occupancy, "%", cells[COLUMN_OCCUPANCY]);
    scaled_cell(dram, "B", cells[COLUMN_DRAM]);
    number_cell(c->duration_ns > 0 ? dram / c->duration_ns : (double)NAN, "GB/s", cells[COLUMN_RATE]);
    scaled_cell(record->formula_bytes, "B", cells[COLUMN_FORMULA]);
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

static plx_table columns_of(const plx_results *results, size_t group)
{
    plx_table table = {.columns = COLUMNS, .titles = titles, .left = 1U << COLUMN_BACKEND | 1U << COLUMN_KERNEL};
    plx_table_begin(&table);
    for (size_t i = 0; i < results->record_count; i++) {
        char cells[COLUMNS][CELL] = {{0}};
        if (!is_asked_for(&results->records[i], group))
            continue;
        fill_cells(&results->records[i], cells);
        for (size_t c = 0; c < COLUMNS; c++)
            plx_table_widen(&table, c, cells[c]);
    }
    return table;
}

static void put_cells(FILE *to, const plx_table *table, char cells[COLUMNS][CELL])
{
    for (size_t c = 0; c < COLUMNS; c++)
        plx_table_put(table, c, cells[c], "", to);
    (void)fputc('\n', to);
}

static void put_refusal(FILE *to, const plx_table *table, const plx_record *record, size_t count)
{
    char kernels[CELL];
    if (count == 1)
        (void)snprintf(kernels, sizeof kernels, "%.31s", record->kernel);
    else
        (void)snprintf(kernels, sizeof kernels, "%zu kernels", count);
    plx_table_put(table, COLUMN_BACKEND, record->backend, "", to);
    plx_table_put(table, COLUMN_KERNEL, kernels, "", to);
    (void)fprintf(to, "  %s\n", record->counters_reason);
}

static bool any_counted(const plx_results *results, size_t group)
{
    for (size_t i = 0; i < results->record_count; i++) {
        if (results->records[i].group == group && results->records[i].counted)
            return true;
    }
    return false;
}

static void put_head(const plx_results *results, size_t group, FILE *to, const plx_table *table)
{
    (void)fputs("counters of one execution: sectors of 32 bytes, bank conflicts, DRAM beside the formula\n", to);
    if (any_counted(results, group))
        plx_table_put_titles(table, "", to);
}

void plx_report_counters(const plx_results *results, size_t group, FILE *to)
{
    const plx_table table = columns_of(results, group);
    bool begun = false;
    for (size_t i = 0, next; i < results->record_count; i = next) {
        char cells[COLUMNS][CELL] = {{0}};
        const plx_record *record = &results->records[i];
        next = i + 1;
        if (!is_asked_for(record, group))
            continue;
        if (!begun)
            put_head(results, group, to, &table);
        begun = true;
        fill_cells(record, cells);
        if (record->counted)
            put_cells(to, &table, cells);
        else
            put_refusal(to, &table, record, same_refusal(results, i, &next));
    }
}
