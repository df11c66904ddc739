/* Results as tables in Markdown, for documents: against the vendors' libraries, our backends
 * versus each other, ladders, the verdicts of probes, and the aims. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "page/page.h"
#include "base/ratios.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BACKENDS = 4 };

/* Operands from this on are large: a launch takes little of the time. */
static const double large = 64 << 20;

/* Our backends, by the names of their plugins: a column for each. */
typedef struct backends {
    const char *label[MOST_BACKENDS];
    size_t count;
} backends;

/* ---- what is compared with what --------------------------------------------------------------- */

static int name_length(const char *label)
{
    return (int)strcspn(label, ":");
}

static bool same_plugin(const char *a, const char *b)
{
    return name_length(a) == name_length(b) && strncmp(a, b, (size_t)name_length(a)) == 0;
}

static void add_backend(backends *all, const char *label)
{
    for (size_t i = 0; i < all->count; i++)
        if (same_plugin(all->label[i], label))
            return;
    if (all->count < MOST_BACKENDS)
        all->label[all->count++] = label;
}

static backends backends_of(plx_page *page)
{
    backends all = {.count = 0};
    for (size_t i = 0; i < page->record_count; i++)
        if (!page->records[i].vendor && page->records[i].time > 0)
            add_backend(&all, page->series[page->records[i].series].label);
    return all;
}

/* With factors, or other data, it is another comparison; that all numbers are positive changes no time. */
static bool is_plain(const plx_record *record)
{
    return !plx_problem_is_scaled(&record->problem) && !record->from_files &&
           (record->input == PLX_INPUT_UNIFORM || record->input == PLX_INPUT_POSITIVE);
}

/* Our fastest kernel of a plugin in the group and on the chip of `like`; NULL: none. */
static const plx_page_record *best_of(plx_page *page, const plx_page_record *like, const char *label)
{
    const plx_page_record *best = NULL;
    for (size_t i = like->first; i != PLX_PAGE_NONE; i = page->records[i].next) {
        const plx_page_record *one = &page->records[i];
        const plx_page_series *series = &page->series[one->series];
        bool ours = one->time > 0 && !one->vendor && !one->baseline && same_plugin(series->label, label) &&
                    series->chip == page->series[like->series].chip;
        if (ours && (best == NULL || one->time < best->time))
            best = one;
    }
    return best;
}

/* ---- cells -------------------------------------------------------------------------------- */

/* "gemm f32 nn": what is plain. */
static void operation_text(const plx_record *record, char *text, size_t capacity)
{
    char variant[128];
    plx_variant_text(&record->problem, variant, sizeof variant);
    (void)snprintf(text, capacity, "%s %s%s%s", plx_op_name(record->problem.op), plx_dtype_name(record->problem.dtype),
                   variant[0] != '\0' ? " " : "", variant);
}

static void put_head(FILE *to, size_t columns, size_t left)
{
    (void)fputs("\n|", to);
    for (size_t i = 0; i < columns; i++)
        (void)fputs(i < left ? "---|" : "--:|", to);
    (void)fputc('\n', to);
}

static void put_ratios(FILE *to, const plx_ratios *of, int decimals)
{
    if (of->count > 0)
        (void)fprintf(to, " **%.*f**", decimals, plx_ratios_mean(of));
    if (of->count > 1)
        (void)fprintf(to, " (%.*f to %.*f)", decimals, of->least, decimals, of->most);
    (void)fputs(" |", to);
}

static void put_rate(FILE *to, plx_page *page, const plx_page_record *one, bool unit)
{
    if (one != NULL) {
        bool flops = plx_page_in_flops(page, one->problem);
        (void)fprintf(to, " %.0f%s", plx_page_rate(one, flops), !unit ? "" : flops ? " GFLOP/s" : " GB/s");
    }
    (void)fputs(" |", to);
}

static void put_files(FILE *to, plx_page *page)
{
    for (size_t i = 0; i < page->file_count; i++)
        (void)fprintf(to, "%s%s", i > 0 ? ", " : " (", page->files[i].name);
    (void)fputs(")\n\n", to);
}

/* ---- against the vendors' libraries ---------------------------------------------------------- */

/* One operation, element type and variant against one kernel of a library. */
typedef struct peer_row {
    const plx_page_record *theirs; /* of the largest problem */
    char operation[160];
    size_t problems;
    plx_ratios over[MOST_BACKENDS];
} peer_row;

static bool is_peer(plx_page *page, const plx_page_record *one, const backends *ours)
{
    bool compared = false;
    for (size_t i = 0; i < ours->count; i++)
        compared = compared || best_of(page, one, ours->label[i]) != NULL;
    return one->vendor && one->time > 0 && compared && is_plain(one->is) && one->is->time.queues <= 1;
}

static peer_row *peer_row_of(plx_page *page, peer_row *rows, size_t *count, const plx_page_record *theirs)
{
    char operation[160];
    const char *label = page->series[theirs->series].label;
    operation_text(theirs->is, operation, sizeof operation);
    for (size_t i = 0; i < *count; i++)
        if (strcmp(rows[i].operation, operation) == 0 && strcmp(rows[i].theirs->is->kernel, theirs->is->kernel) == 0 &&
            same_plugin(page->series[rows[i].theirs->series].label, label))
            return &rows[i];
    peer_row *made = &rows[(*count)++];
    *made = (peer_row){.theirs = theirs};
    memcpy(made->operation, operation, sizeof operation);
    return made;
}

static void add_peer(plx_page *page, peer_row *row, const plx_page_record *theirs, const backends *ours)
{
    row->problems++;
    if (page->problems[theirs->problem].size > page->problems[row->theirs->problem].size)
        row->theirs = theirs;
    for (size_t i = 0; i < ours->count; i++) {
        const plx_page_record *best = best_of(page, theirs, ours->label[i]);
        if (best != NULL)
            (void)plx_ratios_add(&row->over[i], theirs->time / best->time);
    }
}

static void put_peer(FILE *to, plx_page *page, const peer_row *row, const backends *ours)
{
    const char *label = page->series[row->theirs->series].label;
    (void)fprintf(to, "| %s | %.*s %s | %zu | %s |", row->operation, name_length(label), label, row->theirs->is->kernel,
                  row->problems, page->problems[row->theirs->problem].shape);
    put_rate(to, page, row->theirs, true);
    for (size_t i = 0; i < ours->count; i++)
        put_rate(to, page, best_of(page, row->theirs, ours->label[i]), false);
    for (size_t i = 0; i < ours->count; i++)
        put_ratios(to, &row->over[i], 2);
    (void)fputc('\n', to);
}

static void put_peer_rows(FILE *to, plx_page *page, const peer_row *rows, size_t count, const backends *ours)
{
    (void)fprintf(to,
                  "**Against the vendor's libraries** on %s: the library's time over that of our best kernel; "
                  "above 1 ours is faster; geometric mean, least and most",
                  plx_page_chip(page, page->series[rows[0].theirs->series].chip));
    put_files(to, page);
    (void)fputs("| operation | library | problems | largest | there: library |", to);
    for (size_t i = 0; i < ours->count; i++)
        (void)fprintf(to, " %.*s |", name_length(ours->label[i]), ours->label[i]);
    for (size_t i = 0; i < ours->count; i++)
        (void)fprintf(to, " %.*s over library |", name_length(ours->label[i]), ours->label[i]);
    put_head(to, 5 + 2 * ours->count, 2);
    for (size_t i = 0; i < count; i++)
        put_peer(to, page, &rows[i], ours);
}

static size_t put_peers(plx_page *page, FILE *to)
{
    const backends ours = backends_of(page);
    size_t count = 0;
    peer_row *rows = plx_page_memory(page, page->record_count, sizeof *rows);
    for (size_t i = 0; rows != NULL && i < page->record_count; i++)
        if (is_peer(page, &page->records[i], &ours))
            add_peer(page, peer_row_of(page, rows, &count, &page->records[i]), &page->records[i], &ours);
    if (count > 0)
        put_peer_rows(to, page, rows, count, &ours);
    free(rows);
    return count;
}

/* ---- our backends versus each other ------------------------------------------------------------ */

/* The speed of one backend's best kernel over the other's: in one queue, and in several. */
typedef struct twin_row {
    char operation[160];
    plx_ratios over[2];
} twin_row;

static twin_row *twin_row_of(twin_row *rows, size_t *count, const plx_record *record)
{
    char operation[160];
    operation_text(record, operation, sizeof operation);
    for (size_t i = 0; i < *count; i++)
        if (strcmp(rows[i].operation, operation) == 0)
            return &rows[i];
    memcpy(rows[*count].operation, operation, sizeof operation);
    return &rows[(*count)++];
}

static void put_twin(FILE *to, const twin_row *row)
{
    size_t most = row->over[0].count > row->over[1].count ? row->over[0].count : row->over[1].count;
    (void)fprintf(to, "| %s | %zu |", row->operation, most);
    put_ratios(to, &row->over[0], 3);
    put_ratios(to, &row->over[1], 3);
    (void)fputc('\n', to);
}

static void put_twin_rows(FILE *to, plx_page *page, const twin_row *rows, size_t count, const char *first,
                          const char *second)
{
    (void)fprintf(to,
                  "**%.*s versus %.*s**: the speed of our best kernel through %.*s as a multiple of that through "
                  "%.*s, where operands have 64 MiB and more: launches one after the other in one queue, and in "
                  "turn on several, which may overlap; geometric mean, least and most",
                  name_length(second), second, name_length(first), first, name_length(second), second,
                  name_length(first), first);
    put_files(to, page);
    (void)fputs("| operation | problems | one queue | several |", to);
    put_head(to, 4, 1);
    for (size_t i = 0; i < count; i++)
        put_twin(to, &rows[i]);
}

/* The last row is of all. */
static size_t put_twins_of(plx_page *page, FILE *to, const char *first, const char *second)
{
    size_t count = 0;
    twin_row all = {.operation = "all"}, *rows = plx_page_memory(page, page->record_count + 1, sizeof *rows);
    for (size_t i = 0; rows != NULL && i < page->record_count; i++) {
        const plx_page_record *one = &page->records[i], *twin = best_of(page, one, second);
        if (best_of(page, one, first) != one || twin == NULL || !is_plain(one->is) || one->is->formula_bytes < large)
            continue;
        size_t queues = one->is->time.queues > 1;
        (void)plx_ratios_add(&twin_row_of(rows, &count, one->is)->over[queues], one->time / twin->time);
        (void)plx_ratios_add(&all.over[queues], one->time / twin->time);
    }
    if (count > 0) {
        rows[count++] = all;
        put_twin_rows(to, page, rows, count, first, second);
    }
    free(rows);
    return count;
}

static size_t put_twins(plx_page *page, FILE *to)
{
    const backends ours = backends_of(page);
    size_t count = 0;
    for (size_t i = 1; i < ours.count; i++)
        count += put_twins_of(page, to, ours.label[0], ours.label[i]);
    return count;
}

/* ---- probes --------------------------------------------------------------------------------------- */

static const plx_probe_sweep *sweep_of(const plx_results *results, const plx_probe_sweep *like, size_t device)
{
    for (size_t i = 0; i < results->sweep_count; i++)
        if (results->sweeps[i].device == device && strcmp(results->sweeps[i].probe, like->probe) == 0 &&
            strcmp(results->sweeps[i].name, like->name) == 0)
            return &results->sweeps[i];
    return NULL;
}

/* "not visible, 1.01 (1.00 to 1.02)". */
static void put_verdict(FILE *to, const plx_probe_sweep *sweep)
{
    if (sweep != NULL)
        (void)fprintf(to, " %s", plx_visibility_name(sweep->verdict.visibility));
    if (sweep != NULL && sweep->verdict.ratio > 0)
        (void)fprintf(to, ", %.2f (%.2f to %.2f)", sweep->verdict.ratio, sweep->verdict.low, sweep->verdict.high);
    (void)fputs(" |", to);
}

/* The devices of the chip that the first sweep is of. */
static size_t put_verdicts(const plx_results *results, FILE *to)
{
    const plx_study_device *first = &results->devices[results->sweeps[0].device];
    size_t columns = 2;
    (void)fprintf(to,
                  "**Probes** on %s: is it visible, and the worst over the best time (95 %% interval)\n\n"
                  "| probe | phenomenon |",
                  first->info.name);
    for (size_t d = 0; d < results->device_count; d++)
        if (results->devices[d].physical == first->physical && ++columns)
            (void)fprintf(to, " %.*s |", name_length(results->devices[d].label), results->devices[d].label);
    put_head(to, columns, columns);
    for (size_t i = 0; i < results->sweep_count; i++) {
        const plx_probe_sweep *sweep = &results->sweeps[i];
        if (sweep->device != results->sweeps[0].device)
            continue;
        (void)fprintf(to, "| %s/%s | %s |", sweep->probe, sweep->name, sweep->phenomenon);
        for (size_t d = 0; d < results->device_count; d++)
            if (results->devices[d].physical == first->physical)
                put_verdict(to, sweep_of(results, sweep, d));
        (void)fputc('\n', to);
    }
    return results->sweep_count;
}

static size_t put_probes(plx_page *page, FILE *to)
{
    size_t count = 0;
    for (size_t i = 0; i < page->file_count; i++)
        if (page->files[i].results.sweep_count > 0)
            count += put_verdicts(&page->files[i].results, to);
    return count;
}

/* ---- sections ----------------------------------------------------------------------------------------- */

typedef struct section {
    const char *name;
    size_t (*put)(plx_page *page, FILE *to); /* rows; 0: nothing was put */
    bool by_name;                            /* only where it is asked for */
} section;

static const section sections[] = {{"peers", .put = put_peers},
                                   {"twins", .put = put_twins},
                                   {"ladders", .put = plx_page_ladder_tables},
                                   {"attribution", .put = plx_page_attribution_tables},
                                   {"probes", .put = put_probes},
                                   {"ceilings", .put = plx_page_ceiling_table, .by_name = true},
                                   {"aims", .put = plx_page_aim_table, .by_name = true},
                                   {"without", .put = plx_page_without_table, .by_name = true}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* The part of the page that a name selects; NULL: all. */
static plx_status put_sections(plx_page *page, const char *name, FILE *to, plx_error *error)
{
    size_t rows = 0;
    bool known = name == NULL;
    for (size_t i = 0; i < SECTIONS; i++) {
        if (name != NULL ? strcmp(name, sections[i].name) != 0 : sections[i].by_name)
            continue;
        known = true;
        if (rows > 0)
            (void)fputc('\n', to);
        rows += sections[i].put(page, to);
    }
    if (page->status != PLX_OK)
        *error = page->error;
    if (page->status != PLX_OK)
        return page->status;
    if (!known)
        return plx_fail(
            error, PLX_NOT_FOUND,
            "no section '%.60s'; there are: peers, twins, ladders, attribution, probes, ceilings, aims, without", name);
    if (rows == 0)
        return plx_fail(error, PLX_NOT_FOUND, "these results have nothing for %s%s",
                        name != NULL ? "the section " : "a table", name != NULL ? name : "");
    return PLX_OK;
}

/* Our own markup is bars, dashes and stars: what else would be some is what a file says. */
static void put_escaped(const char *text, FILE *to)
{
    for (; *text != '\0'; text++)
        if (*text == '<' || *text == '&')
            (void)fputs(*text == '<' ? "&lt;" : "&amp;", to);
        else
            (void)fprintf(to, "%s%c", strchr("[]`\\", *text) != NULL ? "\\" : "", *text);
}

static plx_status put_all(plx_page *page, const char *name, FILE *to, plx_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *tables = open_memstream(&text, &length);
    if (tables == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the tables");
    plx_status status = put_sections(page, name, tables, error);
    if (!plx_text_whole(tables) && status == PLX_OK)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory for the tables");
    if (status == PLX_OK) {
        put_escaped(text, to);
        status = plx_report_finish(to, error);
    }
    free(text);
    return status;
}

plx_status plx_report_markdown(const char *const *files, size_t count, const char *name, FILE *to, plx_error *error)
{
    plx_page page;
    plx_status status = count > 0 ? plx_page_read(files, count, &page, error)
                                  : plx_fail(error, PLX_INVALID, "no file of results was named");
    if (status != PLX_OK)
        return status;
    status = put_all(&page, name, to, error);
    plx_page_free(&page);
    return status;
}
