/* The files of a page: read, and put in order into lists of devices, series, problems
 * and records.  Texts and numbers stay where they are, in the results. */
#define _XOPEN_SOURCE 700

#include "page/page.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory for one more entry of a list, zeroed; NULL: no memory. */
static void *grow(void *list, size_t *count, size_t size)
{
    void **where = list;
    char *grown = *count < SIZE_MAX / size - 1 ? realloc(*where, (*count + 1) * size) : NULL;
    if (grown == NULL)
        return NULL;
    *where = grown;
    memset(grown + *count * size, 0, size);
    return grown + (*count)++ * size;
}

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- files ---------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* malloc'ed; NULL: no memory. */
static char *written(const plx_results *results)
{
    char *text = NULL;
    size_t length;
    plx_error error;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    bool good = plx_results_write_json(results, to, &error) == PLX_OK;
    good = plx_text_whole(to) && good;
    if (!good)
        free(text);
    return good ? text : NULL;
}

/* Texts are compared only where the little that is cheap to compare is the same. */
static bool same_results(const plx_results *a, const plx_results *b)
{
    if (a->record_count != b->record_count || a->pair_count != b->pair_count || a->device_count != b->device_count ||
        !same_text(a->environment.date, b->environment.date))
        return false;
    char *one = written(a), *other = written(b);
    bool same = one != NULL && other != NULL && same_text(one, other);
    free(one);
    free(other);
    return same;
}

static bool is_copy(plx_page *page, const plx_results *results)
{
    for (size_t i = 0; i < page->file_count; i++)
        if (same_results(&page->files[i].results, results))
            return true;
    return false;
}

/* A file of ours that holds no results: a list of devices, a manifest. */
static bool is_other(const char *path)
{
    char schema[80];
    plx_error error;
    return plx_results_schema(path, schema, sizeof schema, &error) == PLX_OK &&
           strcmp(schema, "parallax-results/1") != 0 && strcmp(schema, "parallax-probe/1") != 0;
}

static plx_status read_file(plx_page *page, const char *path, plx_error *error)
{
    plx_results results;
    plx_status status = plx_results_read(path, &results, error);
    if (status == PLX_INVALID && is_other(path)) {
        page->others++;
        return PLX_OK;
    }
    if (status != PLX_OK)
        return status;
    if (is_copy(page, &results)) {
        page->copies++;
        plx_results_free(&results);
        return PLX_OK;
    }
    plx_page_file *file = grow(&page->files, &page->file_count, sizeof *file);
    if (file == NULL) {
        plx_results_free(&results);
        return no_memory(error);
    }
    *file = (plx_page_file){.path = path, .name = last_part(path), .results = results};
    return PLX_OK;
}

/* ---- devices ---------------------------------------------------------------------- */

static bool same_uuid(const plx_page_device *a, const plx_page_device *b)
{
    const plx_device_info *one = &a->is->info, *other = &b->is->info;
    return one->has_uuid && other->has_uuid && memcmp(one->uuid, other->uuid, sizeof one->uuid) == 0;
}

static bool same_name(const plx_page_device *a, const plx_page_device *b)
{
    return same_text(a->is->info.name, b->is->info.name);
}

/* A processor has neither UUID nor address: its name is all there is to know it by. */
static bool is_anonymous(const plx_page_device *device)
{
    return !device->is->info.has_uuid && device->is->info.pci[0] == '\0';
}

/* The numbers of chips hold within one file. */
static bool same_physical(const plx_page_device *a, const plx_page_device *b)
{
    return a->file == b->file &&
           (a->is->physical == b->is->physical || (is_anonymous(a) && is_anonymous(b) && same_name(a, b)));
}

/* Whether another device of the same file is that chip already. */
static bool is_taken(plx_page *page, size_t chip, size_t file)
{
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].file == file && page->devices[i].chip == chip)
            return true;
    return false;
}

/* Between files the UUID tells, else the name: two of one model in two runs stand for
 * the model, and have one colour. */
static size_t chip_of(plx_page *page, const plx_page_device *device)
{
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].chip != PLX_PAGE_NONE && same_physical(&page->devices[i], device))
            return page->devices[i].chip;
    for (int by_name = 0; by_name < 2; by_name++)
        for (size_t i = 0; i < page->device_count; i++)
            if (page->devices[i].file < device->file &&
                (by_name ? same_name(&page->devices[i], device) : same_uuid(&page->devices[i], device)) &&
                !is_taken(page, page->devices[i].chip, device->file))
                return page->devices[i].chip;
    return PLX_PAGE_NONE;
}

static plx_status add_device(plx_page *page, size_t file, const plx_study_device *is, plx_error *error)
{
    plx_page_device *made = grow(&page->devices, &page->device_count, sizeof *made);
    if (made == NULL)
        return no_memory(error);
    *made = (plx_page_device){.is = is, .file = file, .chip = PLX_PAGE_NONE, .series = PLX_PAGE_NONE};
    size_t chip = chip_of(page, made);
    made->chip = chip != PLX_PAGE_NONE ? chip : page->chip_count++;
    return PLX_OK;
}

/* ---- series ------------------------------------------------------------------------- */

static size_t find_series(plx_page *page, const char *label, size_t chip)
{
    for (size_t i = 0; i < page->series_count; i++)
        if (page->series[i].chip == chip && same_text(page->series[i].label, label))
            return i;
    return PLX_PAGE_NONE;
}

static size_t series_of(plx_page *page, const char *label, size_t chip)
{
    size_t found = find_series(page, label, chip);
    if (found != PLX_PAGE_NONE)
        return found;
    plx_page_series *made = grow(&page->series, &page->series_count, sizeof *made);
    if (made == NULL)
        return PLX_PAGE_NONE;
    made->label = label;
    made->chip = chip;
    return page->series_count - 1;
}

const char *plx_page_chip(plx_page *page, size_t chip)
{
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].chip == chip)
            return page->devices[i].is->info.name;
    return "";
}

/* By the alphabet, so that the order of the files changes no colour. */
static void name_series(plx_page *page)
{
    for (size_t i = 0; i < page->series_count; i++) {
        plx_page_series *one = &page->series[i];
        size_t before = 0, namesakes = 0;
        for (size_t k = 0; k < page->series_count; k++) {
            int order = strcmp(page->series[k].label, one->label);
            namesakes += order == 0;
            before += order < 0 || (order == 0 && k < i);
        }
        one->colour = before % PLX_PAGE_COLOURS;
        (void)snprintf(one->shown, sizeof one->shown, namesakes > 1 ? "%.60s (%.90s)" : "%.60s", one->label,
                       plx_page_chip(page, one->chip));
    }
}

/* ---- lists by what is in them ---------------------------------------------------------- */

/* Indices of a list by a hash of its entries, at most half full. */
typedef struct index_table {
    size_t *at, size; /* PLX_PAGE_NONE: free */
} index_table;

static bool make_table(index_table *table, size_t entries)
{
    table->size = 16;
    while (table->size < 2 * entries)
        table->size *= 2;
    table->at = malloc(table->size * sizeof *table->at);
    for (size_t i = 0; table->at != NULL && i < table->size; i++)
        table->at[i] = PLX_PAGE_NONE;
    return table->at != NULL;
}

static const uint64_t first_hash = UINT64_C(14695981039346656037);

static uint64_t mixed(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(1099511628211);
}

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = mixed(hash, at[i]);
    return hash;
}

/* ---- problems ------------------------------------------------------------------------- */

/* Launches that overlap are timed as something else. */
static size_t queues_of(const plx_record *record)
{
    return record->time.measured && record->time.queues > 1 ? record->time.queues : 1;
}

static bool same_problem(const plx_record *a, const plx_record *b)
{
    return memcmp(&a->problem, &b->problem, sizeof a->problem) == 0 && a->from_files == b->from_files &&
           a->input == b->input && a->seed == b->seed && a->shift == b->shift && queues_of(a) == queues_of(b);
}

static uint64_t problem_hash(const plx_record *record)
{
    uint64_t hash = hash_of(first_hash, &record->problem, sizeof record->problem);
    hash = hash_of(hash, &record->seed, sizeof record->seed);
    return hash_of(hash, &record->shift, sizeof record->shift);
}

/* The words of plx_variant_text(), and what else tells problems of one operation apart.
 * layout: with how the operands lie. */
static void variant_text(const plx_record *record, bool layout, char *text, size_t capacity)
{
    plx_line line = {.length = 0};
    char part[160];
    plx_variant_text(&record->problem, part, sizeof part);
    plx_line_add(&line, "%s", part);
    plx_layout_text(&record->problem, record->shift, part, sizeof part);
    if (layout)
        plx_line_add(&line, "%s", part);
    if (record->from_files || record->input != PLX_INPUT_UNIFORM)
        plx_line_add(&line, ", input %s", record->from_files ? "files" : plx_input_name(record->input));
    if (queues_of(record) > 1)
        plx_line_add(&line, ", queues %zu", queues_of(record));
    (void)snprintf(text, capacity, "%s", line.text + (strncmp(line.text, ", ", 2) == 0 ? 2 : 0));
}

static void take_shape(plx_page_problem *problem)
{
    const plx_problem *of = &problem->first->problem;
    int64_t shape[PLX_MAX_SHAPE] = {0};
    size_t length = 0;
    plx_op_info info;
    problem->rank = plx_op_describe(of->op, &info) ? info.shape_rank : 0;
    problem->size = 1;
    problem->square = true;
    plx_problem_shape(of, shape);
    for (size_t i = 0; i < problem->rank; i++) {
        problem->size *= (double)shape[i];
        problem->square = problem->square && shape[i] == shape[0];
        if (length < sizeof problem->shape)
            length += (size_t)snprintf(problem->shape + length, sizeof problem->shape - length, "%s%" PRId64,
                                       i > 0 ? "×" : "", shape[i]);
    }
    if (problem->rank == 3)
        problem->size = cbrt(problem->size);
    if (!(problem->size > 0 && problem->size < 1e30))
        problem->size = 0;
}

/* PLX_PAGE_NONE: no memory. */
static size_t kind_of(plx_page *page, const plx_page_problem *problem)
{
    for (size_t i = 0; i < page->kind_count; i++) {
        const plx_page_problem *first = &page->problems[page->kinds[i].first];
        if (first->first->problem.op == problem->first->problem.op &&
            first->first->problem.dtype == problem->first->problem.dtype && same_text(first->form, problem->form))
            return i;
    }
    plx_page_kind *made = grow(&page->kinds, &page->kind_count, sizeof *made);
    if (made == NULL)
        return PLX_PAGE_NONE;
    made->first = (size_t)(problem - page->problems);
    return page->kind_count - 1;
}

static size_t add_problem(plx_page *page, const plx_record *record)
{
    plx_page_problem *made = grow(&page->problems, &page->problem_count, sizeof *made);
    if (made == NULL)
        return PLX_PAGE_NONE;
    made->first = record;
    made->op = plx_op_name(record->problem.op);
    made->dtype = plx_dtype_name(record->problem.dtype);
    variant_text(record, true, made->variant, sizeof made->variant);
    variant_text(record, false, made->form, sizeof made->form);
    take_shape(made);
    made->records = made->last = PLX_PAGE_NONE;
    made->kind = kind_of(page, made);
    return made->kind != PLX_PAGE_NONE ? page->problem_count - 1 : PLX_PAGE_NONE;
}

static size_t problem_of(plx_page *page, const plx_record *record, index_table *table)
{
    size_t place = (size_t)problem_hash(record) & (table->size - 1);
    for (; table->at[place] != PLX_PAGE_NONE; place = (place + 1) & (table->size - 1))
        if (same_problem(page->problems[table->at[place]].first, record))
            return table->at[place];
    return table->at[place] = add_problem(page, record);
}

/* ---- records ---------------------------------------------------------------------------- */

static void chain_problem(plx_page *page, plx_page_problem *problem, size_t record)
{
    if (problem->last == PLX_PAGE_NONE)
        problem->records = record;
    else
        page->records[problem->last].next_of_problem = record;
    problem->last = record;
}

static plx_status add_record(plx_page *page, size_t file, const plx_record *is, index_table *problems, plx_error *error)
{
    size_t device = page->files[file].first_device + is->device;
    size_t series = series_of(page, is->backend, page->devices[device].chip);
    size_t problem = problem_of(page, is, problems);
    plx_page_record *made = grow(&page->records, &page->record_count, sizeof *made);
    if (series == PLX_PAGE_NONE || problem == PLX_PAGE_NONE || made == NULL)
        return no_memory(error);
    bool ok = is->outcome == PLX_OUTCOME_OK;
    *made = (plx_page_record){
        .is = is,
        .file = file,
        .device = device,
        .series = series,
        .problem = problem,
        .ok = ok,
        .vendor = (is->kernel_flags & PLX_KERNEL_VENDOR) != 0,
        .baseline = (is->kernel_flags & PLX_KERNEL_BASELINE) != 0,
        .newest = true,
        .next_of_problem = PLX_PAGE_NONE,
        .time = ok && plx_timing_counts(&is->time) && !plx_timing_is_noisy(&is->time) ? is->time.median_ns : 0,
    };
    page->devices[device].series = series;
    chain_problem(page, &page->problems[problem], page->record_count - 1);
    return PLX_OK;
}

/* Chains the records of each group, in their order. */
static plx_status chain_groups(plx_page *page, plx_error *error)
{
    index_table table;
    if (!make_table(&table, page->record_count))
        return no_memory(error);
    for (size_t i = 0; i < page->record_count; i++) {
        plx_page_record *one = &page->records[i];
        uint64_t hash = mixed(mixed(mixed(first_hash, one->file), one->is->group), one->problem);
        size_t place = (size_t)(hash ^ hash >> 32) & (table.size - 1); /* the low bits alone are alike */
        while (table.at[place] != PLX_PAGE_NONE && !plx_page_together(&page->records[table.at[place]], one))
            place = (place + 1) & (table.size - 1);
        const size_t last = table.at[place];
        one->first = last == PLX_PAGE_NONE ? i : page->records[last].first;
        one->next = PLX_PAGE_NONE;
        if (last != PLX_PAGE_NONE)
            page->records[last].next = i;
        table.at[place] = i;
    }
    free(table.at);
    return PLX_OK;
}

/* Later by its date; of the same date, or of none, by its place on the command line. */
static bool is_newer(plx_page *page, size_t file, size_t than)
{
    int order = strcmp(page->files[file].results.environment.date, page->files[than].results.environment.date);
    return order > 0 || (order == 0 && file > than);
}

static int by_what(const void *a, const void *b)
{
    const plx_page_record *one = *(const plx_page_record *const *)a, *other = *(const plx_page_record *const *)b;
    if (one->problem != other->problem)
        return one->problem < other->problem ? -1 : 1;
    if (one->series != other->series)
        return one->series < other->series ? -1 : 1;
    return strcmp(one->is->kernel, other->is->kernel);
}

static plx_status find_newest(plx_page *page, plx_error *error)
{
    plx_page_record **order = calloc(page->record_count + 1, sizeof(plx_page_record *));
    if (order == NULL)
        return no_memory(error);
    for (size_t i = 0; i < page->record_count; i++)
        order[i] = &page->records[i];
    qsort(order, page->record_count, sizeof *order, by_what);
    for (size_t i = 0, end; i < page->record_count; i = end) {
        size_t newest = order[i]->file;
        for (end = i + 1; end < page->record_count && by_what(&order[i], &order[end]) == 0; end++)
            newest = is_newer(page, order[end]->file, newest) ? order[end]->file : newest;
        for (size_t k = i; k < end; k++)
            order[k]->newest = order[k]->file == newest;
    }
    free(order);
    return PLX_OK;
}

static void find_units(plx_page *page)
{
    for (size_t i = 0; i < page->record_count; i++)
        if (page->records[i].time > 0 && page->records[i].is->gflops > page->records[i].is->gbps)
            page->kinds[page->problems[page->records[i].problem].kind].in_flops = true;
}

/* ---- all ------------------------------------------------------------------------------------ */

static plx_status take_file(plx_page *page, size_t file, index_table *problems, plx_error *error)
{
    const plx_results *results = &page->files[file].results;
    plx_status status = PLX_OK;
    page->files[file].first_device = page->device_count;
    page->files[file].first_record = page->record_count;
    for (size_t i = 0; i < results->device_count && status == PLX_OK; i++)
        status = add_device(page, file, &results->devices[i], error);
    for (size_t i = 0; i < results->record_count && status == PLX_OK; i++)
        status = add_record(page, file, &results->records[i], problems, error);
    return status;
}

static plx_status take_files(plx_page *page, plx_error *error)
{
    index_table problems;
    size_t records = 0;
    plx_status status = PLX_OK;
    for (size_t i = 0; i < page->file_count; i++)
        records += page->files[i].results.record_count;
    if (!make_table(&problems, records))
        return no_memory(error);
    for (size_t i = 0; i < page->file_count && status == PLX_OK; i++)
        status = take_file(page, i, &problems, error);
    free(problems.at);
    return status;
}

plx_status plx_page_read(const char *const *files, size_t count, plx_page *page, plx_error *error)
{
    plx_status status = PLX_OK;
    *page = (plx_page){.status = PLX_OK};
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = read_file(page, files[i], error);
    if (status == PLX_OK && page->file_count == 0 && page->others > 0) {
        plx_results none; /* why the first is no file of results */
        status = plx_results_read(files[0], &none, error);
    }
    if (status == PLX_OK)
        status = take_files(page, error);
    if (status == PLX_OK)
        status = chain_groups(page, error);
    if (status == PLX_OK)
        status = find_newest(page, error);
    if (status != PLX_OK) {
        plx_page_free(page);
        return status;
    }
    find_units(page);
    name_series(page);
    return PLX_OK;
}

void *plx_page_memory(plx_page *page, size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (made == NULL && page->status == PLX_OK)
        page->status = no_memory(&page->error);
    return made;
}

void plx_page_free(plx_page *page)
{
    for (size_t i = 0; i < page->file_count; i++)
        plx_results_free(&page->files[i].results);
    free(page->files);
    free(page->devices);
    free(page->series);
    free(page->problems);
    free(page->kinds);
    free(page->records);
    *page = (plx_page){.status = PLX_OK};
}
