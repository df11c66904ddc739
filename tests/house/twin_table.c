/* README's comparison of the twins: the speed of our fastest kernel in OpenCL over that in CUDA,
 * on the same chip, in the same run, where operands are so large that a launch takes little of it. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 32, COLUMNS = 2 };

static const double large = 64 << 20; /* bytes */

static const char *const files[COLUMNS] = {"bench-memory.json", "overlap-memory.json"};

typedef struct row {
    char operation[160];
    plx_ratios over[COLUMNS];
} row;

typedef struct table {
    row rows[MOST_ROWS], all;
    size_t row_count;
    const char *chip;
} table;

static row *row_of(table *t, json_t *record)
{
    char operation[160];
    operation_text(record, operation, sizeof operation);
    for (size_t i = 0; i < t->row_count; i++)
        if (strcmp(t->rows[i].operation, operation) == 0)
            return &t->rows[i];
    if (t->row_count == MOST_ROWS)
        return NULL;
    memcpy(t->rows[t->row_count].operation, operation, sizeof operation);
    return &t->rows[t->row_count++];
}

/* What a problem moves at least; every record of it tells the same. */
static double bytes_of(json_t *record)
{
    return number_of(record, "rate", "gbps") * time_of(record);
}

static bool add_file(table *t, json_t *root, int column)
{
    json_t *record;
    size_t index;
    json_array_foreach(json_object_get(root, "records"), index, record)
    {
        json_t *twin = best_of(root, record, "opencl:");
        if (best_of(root, record, "cuda:") != record || twin == NULL || !is_plain(record) ||
            bytes_of(record) < large)
            continue;
        row *r = row_of(t, record);
        if (r == NULL)
            return false;
        (void)plx_ratios_add(&r->over[column], time_of(record) / time_of(twin));
        (void)plx_ratios_add(&t->all.over[column], time_of(record) / time_of(twin));
        t->chip = text_of(device_of(root, record), "name");
    }
    return true;
}

static void put_row(FILE *to, const row *r)
{
    const plx_ratios *one = &r->over[0], *two = &r->over[1];
    (void)fprintf(to, "| %s | %zu |", r->operation, one->count > two->count ? one->count : two->count);
    for (int i = 0; i < COLUMNS; i++)
        put_ratios(to, &r->over[i], 3);
    (void)fputc('\n', to);
}

static void put_table(FILE *to, table *t, const char *folder)
{
    (void)fprintf(to,
                  "**OpenCL beside CUDA** on an %s: the speed of our best kernel in OpenCL as a multiple of that "
                  "in CUDA, where operands have 64 MiB and more: launches one after the other in one queue "
                  "([%s](results/%s/%s)), and in turn on two, which may overlap ([%s](results/%s/%s))\n\n"
                  "| operation | problems | one queue | two queues |\n|---|--:|--:|--:|\n",
                  t->chip, files[0], folder, files[0], files[1], folder, files[1]);
    for (size_t i = 0; i < t->row_count; i++)
        put_row(to, &t->rows[i]);
    (void)snprintf(t->all.operation, sizeof t->all.operation, "all");
    put_row(to, &t->all);
}

bool put_twins(FILE *to, const char *folder, const char *folder_name)
{
    table *t = calloc(1, sizeof *t);
    json_t *roots[COLUMNS] = {NULL};
    bool good = t != NULL;
    for (int i = 0; good && i < COLUMNS; i++) {
        char path[4096];
        json_error_t error = {.text = "too many operations"};
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (access(path, F_OK) != 0)
            continue;
        roots[i] = json_load_file(path, 0, &error);
        good = roots[i] != NULL && add_file(t, roots[i], i);
        if (!good)
            (void)fprintf(stderr, "%s: %s\n", path, error.text);
    }
    if (good && t->row_count > 0)
        put_table(to, t, folder_name);
    for (int i = 0; i < COLUMNS; i++)
        json_decref(roots[i]);
    free(t);
    return good;
}
