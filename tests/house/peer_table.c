/* README's comparison with the vendors' libraries: our fastest kernel of each API over
 * theirs, on the same chip, in the same run, on the same bytes. */
#define _POSIX_C_SOURCE 200809L

#include "tables.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 64, MOST_ROWS = 64 };

static const char *const apis[] = {"cuda:", "opencl:"};
enum { APIS = 2 };

/* One operation, element type and variant against one kernel of a library. */
typedef struct row {
    char operation[160], peer[96];
    size_t problems;
    plx_ratios over[APIS];
    json_t *shape; /* of the largest problem, and the records there */
    double size;
    json_t *theirs, *ours[APIS];
} row;

typedef struct table {
    json_t *roots[MOST_FILES];
    char names[MOST_FILES][64];
    bool used[MOST_FILES]; /* by a row */
    size_t file_count;
    row rows[MOST_ROWS];
    size_t row_count;
    const char *chip;
} table;

/* ---- rows ---------------------------------------------------------------------------- */

static double size_of(json_t *shape)
{
    double size = 1;
    for (size_t i = 0; i < json_array_size(shape); i++)
        size *= json_number_value(json_array_get(shape, i));
    return size;
}

static row *row_of(table *t, json_t *theirs)
{
    row made = {.problems = 0};
    operation_text(theirs, made.operation, sizeof made.operation);
    (void)snprintf(made.peer, sizeof made.peer, "%.*s %s", (int)strcspn(text_of(theirs, "backend"), ":"),
                   text_of(theirs, "backend"), text_of(theirs, "kernel"));
    for (size_t i = 0; i < t->row_count; i++)
        if (strcmp(t->rows[i].operation, made.operation) == 0 && strcmp(t->rows[i].peer, made.peer) == 0)
            return &t->rows[i];
    if (t->row_count == MOST_ROWS)
        return NULL;
    t->rows[t->row_count] = made;
    return &t->rows[t->row_count++];
}

static bool add_record(table *t, json_t *root, json_t *theirs, bool *used)
{
    json_t *ours[APIS];
    for (size_t i = 0; i < APIS; i++)
        ours[i] = best_of(root, theirs, apis[i]);
    if (ours[0] == NULL)
        return true; /* no GPU of ours beside it */
    row *r = row_of(t, theirs);
    if (r == NULL)
        return false;
    r->problems++;
    *used = true;
    for (size_t i = 0; i < APIS; i++)
        if (ours[i] != NULL)
            (void)plx_ratios_add(&r->over[i], time_of(theirs) / time_of(ours[i]));
    json_t *shape = json_object_get(theirs, "shape");
    if (r->shape == NULL || size_of(shape) > r->size) {
        r->shape = shape;
        r->size = size_of(shape);
        r->theirs = theirs;
        memcpy(r->ours, ours, sizeof ours);
    }
    t->chip = text_of(device_of(root, theirs), "name");
    return true;
}

static bool add_file(table *t, json_t *root, bool *used)
{
    json_t *record;
    size_t index;
    json_array_foreach(json_object_get(root, "records"), index, record)
    {
        if (is_true(record, "vendor") && time_of(record) > 0 && is_plain(record) &&
            !add_record(t, root, record, used))
            return false;
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------- */

static bool read_file(table *t, const char *path)
{
    json_error_t error;
    const char *slash = strrchr(path, '/');
    if (t->file_count == MOST_FILES)
        return false;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, error.text);
        return false;
    }
    (void)snprintf(t->names[t->file_count], sizeof t->names[0], "%s", slash != NULL ? slash + 1 : path);
    t->roots[t->file_count] = root;
    return add_file(t, root, &t->used[t->file_count++]);
}

/* bench-random-1.json: shapes that a seed has drawn. */
static bool is_drawn(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash != NULL ? slash + 1 : path, "bench-random-", 13) == 0;
}

static bool read_files(table *t, const char *folder, bool drawn)
{
    char pattern[4096];
    glob_t found;
    bool good = true;
    (void)snprintf(pattern, sizeof pattern, "%s/bench-*.json", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        return true;
    for (size_t k = 0; k < found.gl_pathc && good; k++)
        good = is_drawn(found.gl_pathv[k]) != drawn || read_file(t, found.gl_pathv[k]);
    globfree(&found);
    return good;
}

/* ---- the table ----------------------------------------------------------------------------- */

static bool in_flops(json_t *record)
{
    return number_of(record, "rate", "gflops") > number_of(record, "rate", "gbps");
}

static void put_rate(FILE *to, json_t *record, bool unit)
{
    if (record == NULL) {
        (void)fprintf(to, " |");
        return;
    }
    (void)fprintf(to, " %.0f", number_of(record, "rate", in_flops(record) ? "gflops" : "gbps"));
    (void)fprintf(to, "%s |", unit ? in_flops(record) ? " GFLOP/s" : " GB/s" : "");
}

static void put_row(FILE *to, const row *r)
{
    (void)fprintf(to, "| %s | %s | %zu | ", r->operation, r->peer, r->problems);
    put_shape(to, r->shape);
    (void)fprintf(to, " |");
    put_rate(to, r->theirs, true);
    for (size_t i = 0; i < APIS; i++)
        put_rate(to, r->ours[i], false);
    for (size_t i = 0; i < APIS; i++)
        put_ratios(to, &r->over[i], 2);
    (void)fputc('\n', to);
}

static void put_table(FILE *to, const table *t, const char *folder_name, const char *which)
{
    (void)fprintf(
        to,
        "**Against the vendor's libraries**%s on an %s: the library's time over that of our best kernel; "
        "above 1 ours is faster (",
        which, t->chip);
    const char *separator = "";
    for (size_t i = 0; i < t->file_count; i++) {
        if (!t->used[i])
            continue;
        (void)fprintf(to, "%s[%s](results/%s/%s)", separator, t->names[i], folder_name, t->names[i]);
        separator = ", ";
    }
    (void)fprintf(to, ")\n\n| operation | library | problems | largest | there: library | CUDA | OpenCL | "
                      "CUDA over library | OpenCL over library |\n|---|---|--:|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < t->row_count; i++)
        put_row(to, &t->rows[i]);
}

static void free_table(table *t)
{
    for (size_t i = 0; t != NULL && i < t->file_count; i++)
        json_decref(t->roots[i]);
    free(t);
}

/* Nothing while nothing was drawn. */
static bool put_drawn(FILE *to, const char *folder, const char *folder_name)
{
    table *t = calloc(1, sizeof *t);
    bool good = t != NULL && read_files(t, folder, true);
    if (good && t->row_count > 0) {
        (void)fputc('\n', to);
        put_table(to, t, folder_name, " over shapes, layouts and starts that seeds have drawn,");
    }
    free_table(t);
    return good;
}

bool put_peers(FILE *to, const char *folder, const char *folder_name)
{
    table *t = calloc(1, sizeof *t);
    bool good = t != NULL && read_files(t, folder, false) && t->row_count > 0;
    if (good)
        put_table(to, t, folder_name, "");
    else
        (void)fprintf(stderr, "%s: no results of a vendor's library beside ours on one device\n", folder);
    free_table(t);
    return good && put_drawn(to, folder, folder_name);
}
