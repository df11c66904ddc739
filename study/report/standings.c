/* How our kernels stand against the vendors' over many problems: for each operation, element
 * type and variant, and each backend of ours. */
#define _POSIX_C_SOURCE 200809L

#include "base/ratios.h"
#include "study/report/report.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct table {
    plx_standing *at;
    plx_ratios *ratios; /* of each of them */
    size_t count;
} table;

static bool counts(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && plx_timing_counts(&record->time) &&
           !plx_timing_is_noisy(&record->time) && !(record->kernel_flags & PLX_KERNEL_BASELINE);
}

static bool is_vendor(const plx_record *record)
{
    return (record->kernel_flags & PLX_KERNEL_VENDOR) != 0;
}

/* A record that counts, and the chip that it is from; SIZE_MAX: nobody knows. */
typedef struct entry {
    const plx_record *is;
    size_t chip;
} entry;

/* Ours of one backend, and after them the libraries on one chip, are rivals in their group. */
static int by_rivals(const void *first, const void *second)
{
    const entry *a = first, *b = second;
    if (a->is->group != b->is->group)
        return a->is->group < b->is->group ? -1 : 1;
    if (is_vendor(a->is) != is_vendor(b->is))
        return is_vendor(b->is) ? -1 : 1;
    if (!is_vendor(a->is))
        return strcmp(a->is->backend, b->is->backend);
    return a->chip < b->chip ? -1 : a->chip > b->chip;
}

static int by_time(const void *first, const void *second)
{
    const plx_record *a = ((const entry *)first)->is, *b = ((const entry *)second)->is;
    const int rivals = by_rivals(first, second);
    if (rivals != 0)
        return rivals;
    if (a->time.median_ns < b->time.median_ns || a->time.median_ns > b->time.median_ns)
        return a->time.median_ns < b->time.median_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The fastest among rivals, group by group. */
static size_t find_fastest(const plx_results *results, entry *list)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *one = &results->records[i];
        const bool known = one->device < results->device_count;
        if (counts(one))
            list[count++] = (entry){one, known ? results->devices[one->device].physical : SIZE_MAX};
    }
    qsort(list, count, sizeof *list, by_time);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_rivals(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    return kept;
}

/* peers[i] becomes the fastest library compared with our record i, if that is the fastest of its backend. */
static void find_peers(const plx_results *results, const entry *list, size_t count, const plx_record **peers)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && !is_vendor(list[i].is) && list[k].is->group == list[i].is->group; k++)
            if (is_vendor(list[k].is) && list[k].chip == list[i].chip && list[k].chip != SIZE_MAX)
                peers[list[i].is - results->records] = list[k].is;
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

static void add_record(table *t, const plx_record *ours, const plx_record *peer, size_t which)
{
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

plx_status plx_results_standings(const plx_results *results, plx_standing **standings, size_t *count, plx_error *error)
{
    const size_t most = results->record_count + 1;
    table t = {.at = calloc(most, sizeof *t.at), .ratios = calloc(most, sizeof *t.ratios)};
    entry *fastest = calloc(most, sizeof *fastest);
    const plx_record **peers = calloc(most, sizeof(plx_record *));
    const bool roomy = t.at != NULL && t.ratios != NULL && fastest != NULL && peers != NULL;
    if (roomy)
        find_peers(results, fastest, find_fastest(results, fastest), peers);
    for (size_t i = 0; roomy && i < results->record_count; i++)
        if (peers[i] != NULL)
            add_record(&t, &results->records[i], peers[i], i);
    if (roomy)
        finish(&t);
    free(t.ratios);
    free(fastest);
    free(peers);
    if (!roomy) {
        free(t.at);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the standings");
    }
    *standings = t.at;
    *count = t.count;
    return PLX_OK;
}

/* ---- for people ------------------------------------------------------------------------- */

static void add_line(plx_table *lines, const plx_results *results, const plx_standing *one)
{
    const plx_record *least = &results->records[one->least_at];
    const double ratios[] = {one->mean, one->least, one->most};
    char shape[80], layout[128];
    plx_shape_text(&least->problem, shape, sizeof shape);
    plx_layout_text(&least->problem, least->shift, layout, sizeof layout);
    plx_table_row(lines);
    plx_table_cell(lines, 0, "%s %s%s%s", plx_op_name(one->op), plx_dtype_name(one->dtype),
                   one->variant[0] != '\0' ? " " : "", one->variant);
    plx_table_cell(lines, 1, "%s", one->backend);
    plx_table_cell(lines, 2, "%zu", one->problems);
    for (size_t i = 0; i < 3; i++)
        plx_table_cell(lines, 3 + i, "%.3f", ratios[i]);
    plx_table_cell(lines, 6, "%.0f %%", 100.0 * (double)one->ahead / (double)one->problems);
    plx_table_cell(lines, 7, "%s%s", shape, layout);
}

static plx_status put_standings(const plx_results *results, const plx_standing *standings, size_t count, FILE *to,
                                plx_error *error)
{
    static const char *const titles[] = {"", "", "problems", "mean", "least", "most", ">= 1", "least at"};
    plx_table lines = {
        .columns = sizeof titles / sizeof titles[0], .titles = titles, .left = 1U << 0 | 1U << 1 | 1U << 7};
    for (size_t i = 0; i < count; i++)
        add_line(&lines, results, &standings[i]);
    return plx_table_finish(&lines, to, error);
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
        status = put_standings(results, standings, count, to, error);
    }
    free(standings);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
