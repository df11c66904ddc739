/* The files of a page: read, and put in order into lists of devices, series, problems
 * and records.  Texts and numbers stay where they are, in the JSON. */
#define _XOPEN_SOURCE 700

#include "page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more entry of a list, zeroed; NULL: no memory. */
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

static bool is_copy(const plx_page *page, const json_t *root)
{
    for (size_t i = 0; i < page->file_count; i++)
        if (json_equal(page->files[i].root, root))
            return true;
    return false;
}

static plx_status read_file(plx_page *page, const char *path, plx_error *error)
{
    json_t *root = NULL;
    plx_status status = plx_json_file_read(path, &root, error);
    if (status != PLX_OK)
        return status;
    if (is_copy(page, root)) {
        page->copies++;
        json_decref(root);
        return PLX_OK;
    }
    plx_page_file *file = grow(&page->files, &page->file_count, sizeof *file);
    if (file == NULL) {
        json_decref(root);
        return no_memory(error);
    }
    *file = (plx_page_file){
        .path = path,
        .name = last_part(path),
        .root = root,
        .date = plx_json_text_at(root, "environment.date", ""),
    };
    return PLX_OK;
}

/* ---- devices ---------------------------------------------------------------------- */

static bool same_field(const plx_page_device *a, const plx_page_device *b, const char *name)
{
    const char *one = plx_json_text_at(a->json, name, NULL), *other = plx_json_text_at(b->json, name, NULL);
    return one != NULL && other != NULL && same_text(one, other);
}

/* A processor has neither UUID nor address: its name is all there is to know it by. */
static bool is_anonymous(const plx_page_device *device)
{
    return plx_json_text_at(device->json, "uuid", NULL) == NULL &&
           plx_json_text_at(device->json, "pci", NULL) == NULL;
}

/* The numbers of chips hold within one file. */
static bool same_physical(const plx_page_device *a, const plx_page_device *b)
{
    int64_t one = plx_json_integer_at(a->json, "physical", -1),
            other = plx_json_integer_at(b->json, "physical", -1);
    bool same_number = one >= 0 && one == other;
    return a->file == b->file &&
           (same_number || (is_anonymous(a) && is_anonymous(b) && same_field(a, b, "name")));
}

/* Whether another device of the same file is that chip already. */
static bool is_taken(const plx_page *page, size_t chip, size_t file)
{
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].file == file && page->devices[i].chip == chip)
            return true;
    return false;
}

/* Between files the UUID tells, else the name: two of one model in two runs stand for
 * the model, and have one colour. */
static size_t chip_of(const plx_page *page, const plx_page_device *device)
{
    static const char *const fields[] = {"uuid", "name"};
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].chip != PLX_PAGE_NONE && same_physical(&page->devices[i], device))
            return page->devices[i].chip;
    for (size_t field = 0; field < 2; field++)
        for (size_t i = 0; i < page->device_count; i++)
            if (page->devices[i].file < device->file &&
                same_field(&page->devices[i], device, fields[field]) &&
                !is_taken(page, page->devices[i].chip, device->file))
                return page->devices[i].chip;
    return PLX_PAGE_NONE;
}

static plx_status add_device(plx_page *page, size_t file, const json_t *json, plx_error *error)
{
    plx_page_device *made = grow(&page->devices, &page->device_count, sizeof *made);
    if (made == NULL)
        return no_memory(error);
    *made = (plx_page_device){.json = json, .file = file, .chip = PLX_PAGE_NONE, .series = PLX_PAGE_NONE};
    size_t chip = chip_of(page, made);
    made->chip = chip != PLX_PAGE_NONE ? chip : page->chip_count++;
    return PLX_OK;
}

/* ---- series ------------------------------------------------------------------------- */

static size_t find_series(const plx_page *page, const char *label, size_t chip)
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

static const char *chip_name(const plx_page *page, size_t chip)
{
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].chip == chip)
            return plx_json_text_at(page->devices[i].json, "name", "");
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
                       chip_name(page, one->chip));
    }
}

/* ---- problems ------------------------------------------------------------------------- */

/* Launches that overlap are timed as something else. */
static int64_t queues_of(const json_t *record)
{
    return plx_json_integer_at(record, "time.queues", 1);
}

static char *key_of(const json_t *record)
{
    static const char *const names[] = {"op",      "dtype",   "shape",   "reduction", "trans",  "trans_a",
                                        "trans_b", "alpha",   "beta",    "lda",       "ldb",    "ldc",
                                        "ld_in",   "ld_out",  "pattern", "repeat",    "stride", "offset",
                                        "span",    "regions", "input",   "seed",      "shift"};
    json_t *key = json_object();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_t *value = json_object_get(record, names[i]);
        if (value != NULL)
            (void)json_object_set(key, names[i], value);
    }
    if (queues_of(record) > 1)
        (void)json_object_set_new(key, "queues", json_integer(queues_of(record)));
    char *text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(key);
    return text;
}

static void add_word(char *text, size_t capacity, const char *format, const char *word)
{
    size_t length = strlen(text);
    if (length + 1 < capacity)
        (void)snprintf(text + length, capacity - length, format, length > 0 ? ", " : "", word);
}

static void add_number(char *text, size_t capacity, const char *name, double number)
{
    char word[64], digits[32];
    plx_number_text(number, 12, digits, sizeof digits);
    (void)snprintf(word, sizeof word, "%s %s", name, digits);
    add_word(text, capacity, "%s%s", word);
}

static char letter_of(const json_t *record, const char *name)
{
    return plx_json_bool_at(record, name, false) ? 't' : 'n';
}

/* Whether a leading dimension is that of a matrix without padding. */
static bool is_dense(const json_t *record, const char *name, size_t dimension)
{
    double should = plx_json_element_at(record, "shape", dimension, 0);
    double is = plx_json_number_at(record, name, should);
    return !(is > should) && !(is < should);
}

static void add_paddings(const json_t *record, char *text, size_t capacity)
{
    const struct {
        const char *name;
        size_t dimension;
    } gemm[] = {{"lda", letter_of(record, "trans_a") == 't' ? 0 : 2},
                {"ldb", letter_of(record, "trans_b") == 't' ? 2 : 1},
                {"ldc", 1}},
      plain[] = {{"lda", 1}, {"ld_in", 1}, {"ld_out", 0}};
    bool product = json_array_size(json_object_get(record, "shape")) == 3;
    for (size_t i = 0; i < 3; i++) {
        const char *name = product ? gemm[i].name : plain[i].name;
        if (!is_dense(record, name, product ? gemm[i].dimension : plain[i].dimension))
            add_number(text, capacity, name, plx_json_number_at(record, name, 0));
    }
}

/* layout: with how the operands lie. */
static void variant_text(const json_t *record, bool layout, char *text, size_t capacity)
{
    double alpha = plx_json_number_at(record, "alpha", 1), beta = plx_json_number_at(record, "beta", 0);
    const char *input = plx_json_text_at(record, "input", "uniform");
    char letters[3] = {letter_of(record, "trans_a"), letter_of(record, "trans_b"), '\0'};
    text[0] = '\0';
    if (plx_json_text_at(record, "reduction", NULL) != NULL)
        add_word(text, capacity, "%s%.40s", plx_json_text_at(record, "reduction", ""));
    if (json_object_get(record, "trans") != NULL)
        add_word(text, capacity, "%s%s", letter_of(record, "trans") == 't' ? "t" : "n");
    if (json_object_get(record, "trans_a") != NULL)
        add_word(text, capacity, "%s%s", letters);
    if (alpha < 1 || alpha > 1)
        add_number(text, capacity, "alpha", alpha);
    if (beta < 0 || beta > 0)
        add_number(text, capacity, "beta", beta);
    if (layout)
        add_paddings(record, text, capacity);
    if (layout && json_object_get(record, "shift") != NULL)
        add_number(text, capacity, "shift", plx_json_number_at(record, "shift", 0));
    if (!same_text(input, "uniform"))
        add_word(text, capacity, "%sinput %.40s", input);
    if (queues_of(record) > 1)
        add_number(text, capacity, "queues", (double)queues_of(record));
}

static void read_shape(const json_t *record, plx_page_problem *problem)
{
    const json_t *shape = json_object_get(record, "shape");
    size_t length = 0;
    problem->rank = json_array_size(shape);
    problem->size = 1;
    problem->square = true;
    for (size_t i = 0; i < problem->rank; i++) {
        int64_t extent = (int64_t)json_integer_value(json_array_get(shape, i));
        problem->size *= (double)extent;
        problem->square = problem->square && json_equal(json_array_get(shape, i), json_array_get(shape, 0));
        if (length < sizeof problem->shape)
            length += (size_t)snprintf(problem->shape + length, sizeof problem->shape - length, "%s%" PRId64,
                                       i > 0 ? "×" : "", extent);
    }
    if (problem->rank == 3)
        problem->size = cbrt(problem->size);
    if (!(problem->size > 0 && problem->size < 1e30))
        problem->size = 0;
}

static size_t problem_of(plx_page *page, const json_t *record)
{
    char *key = key_of(record);
    if (key == NULL)
        return PLX_PAGE_NONE;
    for (size_t i = page->problem_count; i-- > 0;) {
        if (same_text(page->problems[i].key, key)) {
            free(key);
            return i;
        }
    }
    plx_page_problem *made = grow(&page->problems, &page->problem_count, sizeof *made);
    if (made == NULL) {
        free(key);
        return PLX_PAGE_NONE;
    }
    made->key = key;
    made->op = plx_json_text_at(record, "op", "");
    made->dtype = plx_json_text_at(record, "dtype", "");
    variant_text(record, true, made->variant, sizeof made->variant);
    variant_text(record, false, made->form, sizeof made->form);
    read_shape(record, made);
    return page->problem_count - 1;
}

/* ---- records ---------------------------------------------------------------------------- */

/* A rate that can be; 0 for any other. */
static double rate_of(const json_t *record, const char *path)
{
    double rate = plx_json_number_at(record, path, 0);
    return rate > 1e-12 && rate < 1e18 ? rate : 0;
}

/* Only a time that can be right is one. */
static void read_time(plx_page_record *record)
{
    double time = plx_json_number_at(record->json, "time.median_ns", 0);
    if (!record->ok || !(time > 1e-6 && time < 1e24))
        return;
    record->time = time;
    record->low = plx_json_element_at(record->json, "time.ci95_ns", 0, time);
    record->high = plx_json_element_at(record->json, "time.ci95_ns", 1, time);
    if (!(record->low > 0 && record->low <= time))
        record->low = time;
    if (!(record->high >= time && record->high < 1e24))
        record->high = time;
    record->gbps = rate_of(record->json, "rate.gbps");
    record->gflops = rate_of(record->json, "rate.gflops");
    record->gain = rate_of(record->json, "gain");
}

static plx_status add_record(plx_page *page, size_t file, const json_t *json, plx_error *error)
{
    size_t device = page->files[file].first_device + (size_t)plx_json_integer_at(json, "device", 0);
    size_t series = series_of(page, plx_json_text_at(json, "backend", ""), page->devices[device].chip);
    size_t problem = problem_of(page, json);
    plx_page_record *made = grow(&page->records, &page->record_count, sizeof *made);
    if (series == PLX_PAGE_NONE || problem == PLX_PAGE_NONE || made == NULL)
        return no_memory(error);
    *made = (plx_page_record){
        .json = json,
        .file = file,
        .device = device,
        .series = series,
        .problem = problem,
        .group = plx_json_integer_at(json, "group", 0),
        .kernel = plx_json_text_at(json, "kernel", ""),
        .status = plx_json_text_at(json, "status", ""),
        .vendor = plx_json_bool_at(json, "vendor", false),
        .yardstick = plx_json_bool_at(json, "yardstick", false),
        .newest = true,
    };
    page->devices[device].series = series;
    made->ok = same_text(made->status, "ok");
    read_time(made);
    return PLX_OK;
}

/* Later by its date; of the same date, or of none, by its place on the command line. */
static bool is_newer(const plx_page *page, size_t file, size_t than)
{
    int order = strcmp(page->files[file].date, page->files[than].date);
    return order > 0 || (order == 0 && file > than);
}

static void find_newest(plx_page *page)
{
    for (size_t i = 0; i < page->record_count; i++) {
        plx_page_record *one = &page->records[i];
        for (size_t k = 0; k < page->record_count && one->newest; k++) {
            const plx_page_record *other = &page->records[k];
            if (other->problem == one->problem && other->series == one->series && other->file != one->file &&
                same_text(other->kernel, one->kernel) && is_newer(page, other->file, one->file))
                one->newest = false;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

static plx_status take_file(plx_page *page, size_t file, plx_error *error)
{
    const json_t *devices = json_object_get(page->files[file].root, "devices"),
                 *records = json_object_get(page->files[file].root, "records");
    plx_status status = PLX_OK;
    page->files[file].first_device = page->device_count;
    page->files[file].first_record = page->record_count;
    for (size_t i = 0; i < json_array_size(devices) && status == PLX_OK; i++)
        status = add_device(page, file, json_array_get(devices, i), error);
    for (size_t i = 0; i < json_array_size(records) && status == PLX_OK; i++)
        status = add_record(page, file, json_array_get(records, i), error);
    return status;
}

plx_status plx_page_read(const char *const *files, size_t count, plx_page *page, plx_error *error)
{
    plx_status status = PLX_OK;
    *page = (plx_page){.status = PLX_OK};
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        status = read_file(page, files[i], error);
    for (size_t i = 0; i < page->file_count && status == PLX_OK; i++)
        status = take_file(page, i, error);
    if (status == PLX_OK && page->record_count == 0)
        status = plx_fail(error, PLX_INVALID, "%.200s: no records: there is nothing to report", files[0]);
    if (status != PLX_OK) {
        plx_page_free(page);
        return status;
    }
    name_series(page);
    find_newest(page);
    return PLX_OK;
}

void plx_page_free(plx_page *page)
{
    for (size_t i = 0; i < page->problem_count; i++)
        free(page->problems[i].key);
    for (size_t i = 0; i < page->file_count; i++)
        json_decref(page->files[i].root);
    free(page->files);
    free(page->devices);
    free(page->series);
    free(page->problems);
    free(page->records);
    *page = (plx_page){.status = PLX_OK};
}
