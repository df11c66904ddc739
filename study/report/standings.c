/* How our kernels stand against the vendors' over many problems: for each operation, element
 * type and variant, and each backend of ours. */
#define _POSIX_C_SOURCE 200809L

#include "study/results/ratios.h"
#include "study/report/report.h"
#include "study/report/table_writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct table {
    plx_standing *at;
    plx_ratios *ratios; /* of each of them */
    size_t count;
} table;

static bool counts(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && record->time.measured && record->time.median_ns > 0 &&
           !(record->kernel_flags & PLX_KERNEL_YARDSTICK);
}

static bool is_vendor(const plx_record *record)
{
    return (record->kernel_flags & PLX_KERNEL_VENDOR) != 0;
}

static bool same_chip(const plx_results *results, const plx_record *a, const plx_record *b)
{
    return a->device < results->device_count && b->device < results->device_count &&
           results->devices[a->device].physical == results->devices[b->device].physical;
}

/* Whether no record of ours in the group and on the backend of records[which] is faster. */
static bool is_best(const plx_results *results, size_t which)
{
    const plx_record *one = &results->records[which];
    if (!counts(one) || is_vendor(one))
        return false;
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *other = &results->records[i];
        const bool rival = i != which && other->group == one->group && counts(other) && !is_vendor(other) &&
                           strcmp(other->backend, one->backend) == 0;
        if (rival && (other->time.median_ns < one->time.median_ns ||
                      (i < which && !(other->time.median_ns > one->time.median_ns))))
            return false;
    }
    return true;
}

/* The fastest library of a vendor beside ours; NULL: none was right and timed. */
static const plx_record *best_peer(const plx_results *results, const plx_record *ours)
{
    const plx_record *best = NULL;
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *one = &results->records[i];
        if (one->group == ours->group && counts(one) && is_vendor(one) && same_chip(results, one, ours) &&
            (best == NULL || one->time.median_ns < best->time.median_ns))
            best = one;
    }
    return best;
}

static bool same_form(const plx_standing *standing, const plx_record *record, const char *variant)
{
    return standing->op == record->problem.op && standing->dtype == record->problem.dtype &&
           strcmp(standing->variant, variant) == 0 && strcmp(standing->backend, record->backend) == 0;
}

/* The index of the record's row, which is added if there is none. */
static size_t row_of(table *t, const plx_record *record)
{
    char variant[128];
    plx_variant_text(&record->problem, variant, sizeof variant);
    for (size_t i = 0; i < t->count; i++)
        if (same_form(&t->at[i], record, variant))
            return i;
    plx_standing *made = &t->at[t->count];
    *made = (plx_standing){.op = record->problem.op, .dtype = record->problem.dtype};
    memcpy(made->variant, variant, sizeof variant);
    memcpy(made->backend, record->backend, sizeof made->backend);
    return t->count++;
}

static void add_record(table *t, const plx_results *results, size_t which)
{
    const plx_record *ours = &results->records[which];
    const plx_record *peer = is_best(results, which) ? best_peer(results, ours) : NULL;
    if (peer == NULL)
        return;
    const size_t row = row_of(t, ours);
    if (plx_ratios_add(&t->ratios[row], peer->time.median_ns / ours->time.median_ns))
        t->at[row].least_at = which;
}

static void finish(table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const plx_ratios *ratios = &t->ratios[i];
        t->at[i].problems = ratios->count;
        t->at[i].ahead = ratios->ahead;
        t->at[i].mean = plx_ratios_mean(ratios);
        t->at[i].least = ratios->least;
        t->at[i].most = ratios->most;
    }
}

plx_status plx_results_standings(const plx_results *results, plx_standing **standings, size_t *count,
                                 plx_error *error)
{
    table t = {.at = calloc(results->record_count + 1, sizeof *t.at),
               .ratios = calloc(results->record_count + 1, sizeof *t.ratios)};
    if (t.at == NULL || t.ratios == NULL) {
        free(t.at);
        free(t.ratios);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the standings");
    }
    for (size_t i = 0; i < results->record_count; i++)
        add_record(&t, results, i);
    finish(&t);
    free(t.ratios);
    *standings = t.at;
    *count = t.count;
    return PLX_OK;
}

/* ---- for people ------------------------------------------------------------------------- */

enum { COLUMNS = 8, CELL = 240 };

static const char *const titles[COLUMNS] = {"", "", "problems", "mean", "least", "most", ">= 1", "least at"};

static void fill_cells(const plx_results *results, const plx_standing *one, char cells[COLUMNS][CELL])
{
    const plx_record *least = &results->records[one->least_at];
    const double ratios[] = {one->mean, one->least, one->most};
    char shape[80], layout[128];
    plx_shape_text(&least->problem, shape, sizeof shape);
    plx_layout_text(&least->problem, least->shift, layout, sizeof layout);
    (void)snprintf(cells[0], CELL, "%s %s%s%s", plx_op_name(one->op), plx_dtype_name(one->dtype),
                   one->variant[0] != '\0' ? " " : "", one->variant);
    (void)snprintf(cells[1], CELL, "%s", one->backend);
    (void)snprintf(cells[2], CELL, "%zu", one->problems);
    for (size_t i = 0; i < 3; i++)
        (void)snprintf(cells[3 + i], CELL, "%.3f", ratios[i]);
    (void)snprintf(cells[6], CELL, "%.0f %%", 100.0 * (double)one->ahead / (double)one->problems);
    (void)snprintf(cells[7], CELL, "%s%s", shape, layout);
}

/* First they make the columns wide enough, then they are put. */
static void put_standings(const plx_results *results, const plx_standing *standings, size_t count, FILE *to)
{
    plx_table lines = {.columns = COLUMNS, .titles = titles, .left = 1U << 0 | 1U << 1 | 1U << 7};
    char cells[COLUMNS][CELL];
    plx_table_begin(&lines);
    for (size_t i = 0; i < count; i++) {
        fill_cells(results, &standings[i], cells);
        for (size_t c = 0; c < COLUMNS; c++)
            plx_table_widen(&lines, c, cells[c]);
    }
    plx_table_put_titles(&lines, "", to);
    for (size_t i = 0; i < count; i++) {
        fill_cells(results, &standings[i], cells);
        for (size_t c = 0; c < COLUMNS; c++)
            plx_table_put(&lines, c, cells[c], "", to);
        (void)fputc('\n', to);
    }
}

plx_status plx_results_write_standings(const plx_results *results, FILE *to, plx_error *error)
{
    plx_standing *standings;
    size_t count;
    plx_status status = plx_results_standings(results, &standings, &count, error);
    if (status != PLX_OK)
        return status;
    if (count > 0) {
        (void)fputs("the fastest library of a vendor over our fastest kernel, on the same device\n", to);
        put_standings(results, standings, count, to);
    }
    free(standings);
    return plx_report_finish(to, error);
}
