/* Lists of objects, written as tables: json_unpack.c has the form. */
#define _POSIX_C_SOURCE 200809L

#include "study/files/json_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 4, MOST_VALUES = 2048 };

typedef struct packing {
    FILE *to;
    plx_error *error;
} packing;

static const char nothing[] = "{}"; /* where a row lacks what others have */

static plx_status pack(const packing *out, json_t *value);

static plx_status no_memory(const packing *out)
{
    return plx_fail(out->error, PLX_NO_MEMORY, "no memory to write a file of results");
}

/* ---- values ------------------------------------------------------------------------------- */

/* The shortest text that reads as the number. */
static void write_real(FILE *to, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    (void)fputs(strcmp(text, "-0") == 0 ? "-0.0" : text, to);
}

static plx_status pack_object(const packing *out, json_t *object)
{
    const char *name, *separator = "";
    json_t *value;
    plx_status status = PLX_OK;
    (void)fputc('{', out->to);
    json_object_foreach(object, name, value)
    {
        json_t *text = json_string(name);
        (void)fputs(separator, out->to);
        if (json_dumpf(text, out->to, JSON_ENCODE_ANY) != 0 && status == PLX_OK)
            status = no_memory(out);
        json_decref(text);
        (void)fputc(':', out->to);
        if (status == PLX_OK)
            status = pack(out, value);
        separator = ",";
    }
    (void)fputc('}', out->to);
    return status;
}

static plx_status pack_plain_list(const packing *out, const json_t *list)
{
    plx_status status = PLX_OK;
    (void)fputc('[', out->to);
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        if (i > 0)
            (void)fputc(',', out->to);
        status = pack(out, json_array_get(list, i));
    }
    (void)fputc(']', out->to);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------- */

/* All that lies in the object, by path; an empty object is nothing.  false: it can't be a table. */
static bool flatten(json_t *object, const char *prefix, json_t *flat)
{
    const char *name;
    json_t *value;
    char path[200];
    json_object_foreach(object, name, value)
    {
        const int length = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix == '\0' ? "" : ".", name);
        if (strchr(name, '.') != NULL || *name == '\0' || length >= 60)
            return false;
        if (json_is_object(value) ? !flatten(value, path, flat) : json_object_set(flat, path, value) != 0)
            return false;
    }
    return true;
}

/* The list's objects by path, NULL where they can't be a table. */
static json_t *flatten_list(const json_t *list)
{
    json_t *made = json_array_size(list) >= LEAST_ROWS ? json_array() : NULL;
    for (size_t i = 0; made != NULL && i < json_array_size(list); i++) {
        json_t *object = json_array_get(list, i), *flat = json_object();
        const bool good = json_is_object(object) && flatten(object, "", flat) && json_object_size(flat) > 0;
        if (json_array_append_new(made, flat) != 0 || !good) {
            json_decref(made);
            made = NULL;
        }
    }
    return made;
}

/* What a value looks like in the file; free() it. */
static char *text_of(const packing *out, json_t *value)
{
    char *text = NULL;
    size_t length = 0;
    packing in = {.to = open_memstream(&text, &length), .error = out->error};
    if (in.to == NULL)
        return NULL;
    const bool good = (value == NULL ? fputs(nothing, in.to) >= 0 : pack(&in, value) == PLX_OK) && !ferror(in.to);
    if (fclose(in.to) == 0 && good)
        return text;
    free(text);
    return NULL;
}

typedef struct column {
    const char *path;
    char **cells;    /* one for each row */
    size_t *numbers; /* of the cell's value among the different ones */
    size_t *firsts;  /* the row at which each of those is first met */
    size_t different, missing;
    bool numbered;
    const char *with; /* of one value: the path of the column whose rows have it, and no others; NULL: none */
} column;

static size_t digits_of(size_t number)
{
    return number < 10 ? 1 : 1 + digits_of(number / 10);
}

static bool is_missing(const column *at, size_t row)
{
    return strcmp(at->cells[row], nothing) == 0;
}

/* The number of a cell's text among those of the rows before. */
static void number_cell(column *at, size_t row, json_t *known)
{
    at->missing += is_missing(at, row);
    if (is_missing(at, row))
        return;
    const json_t *met = json_object_get(known, at->cells[row]);
    at->numbers[row] = met != NULL ? (size_t)json_integer_value(met) : at->different;
    if (met != NULL)
        return;
    at->firsts[at->different] = row;
    (void)json_object_set_new(known, at->cells[row], json_integer((json_int_t)at->different++));
}

static plx_status fill_column(const packing *out, json_t *rows, const char *path, column *made)
{
    const size_t count = json_array_size(rows);
    json_t *known = json_object();
    size_t plain = 0, numbered = 0;
    *made = (column){.path = path,
                     .cells = calloc(count, sizeof *made->cells),
                     .numbers = calloc(count, sizeof *made->numbers),
                     .firsts = calloc(count, sizeof *made->firsts)};
    bool good = known != NULL && made->cells != NULL && made->numbers != NULL && made->firsts != NULL;
    for (size_t i = 0; good && i < count; i++) {
        made->cells[i] = text_of(out, json_object_get(json_array_get(rows, i), path));
        good = made->cells[i] != NULL;
        if (!good)
            break;
        number_cell(made, i, known);
        plain += strlen(made->cells[i]);
        numbered += is_missing(made, i) ? strlen(nothing) : digits_of(made->numbers[i]);
    }
    for (size_t i = 0; good && i < made->different; i++)
        numbered += strlen(made->cells[made->firsts[i]]) + 1;
    made->numbered = numbered < plain && made->different <= MOST_VALUES;
    json_decref(known);
    return good ? PLX_OK : no_memory(out);
}

static void free_columns(column *columns, size_t count, size_t rows)
{
    for (size_t i = 0; columns != NULL && i < count; i++) {
        for (size_t row = 0; columns[i].cells != NULL && row < rows; row++)
            free(columns[i].cells[row]);
        free(columns[i].cells);
        free(columns[i].numbers);
        free(columns[i].firsts);
    }
    free(columns);
}

static bool is_same(const column *at)
{
    return at->different == 1 && at->missing == 0;
}

static bool has_row_cells(const column *at)
{
    return !is_same(at) && at->with == NULL;
}

static bool in_same_rows(const column *one, const column *other, size_t rows)
{
    if (one->missing != other->missing)
        return false;
    for (size_t row = 0; row < rows; row++)
        if (is_missing(one, row) != is_missing(other, row))
            return false;
    return true;
}

/* Sets `with` of the columns of one value that some rows lack. */
static void find_companions(column *columns, size_t count, size_t rows)
{
    for (size_t i = 0; i < count; i++)
        for (size_t of = 0; of < count && columns[i].different == 1 && columns[i].missing > 0; of++)
            if (columns[of].different > 1 && in_same_rows(&columns[i], &columns[of], rows)) {
                columns[i].with = columns[of].path;
                break;
            }
}

/* Columns that many rows lack come last, where those rows end without them. */
static int by_missing(const void *a, const void *b)
{
    const column *one = a, *other = b;
    const int order = (one->missing > other->missing) - (one->missing < other->missing);
    return order != 0 ? order : strcmp(one->path, other->path);
}

static void write_head(const packing *out, const column *at)
{
    (void)fprintf(out->to, at->numbered ? "{\"%s\":[" : "\"%s\"", at->path);
    for (size_t i = 0; at->numbered && i < at->different; i++)
        (void)fprintf(out->to, "%s%s", i > 0 ? "," : "", at->cells[at->firsts[i]]);
    if (at->numbered)
        (void)fputs("]}", out->to);
}

static void write_row(const packing *out, const column *columns, size_t count, size_t row)
{
    const char *separator = "";
    (void)fputc('[', out->to);
    while (count > 0 && is_missing(&columns[count - 1], row))
        count--;
    for (size_t i = 0; i < count; i++) {
        if (!has_row_cells(&columns[i]))
            continue;
        (void)fputs(separator, out->to);
        if (columns[i].numbered && !is_missing(&columns[i], row))
            (void)fprintf(out->to, "%zu", columns[i].numbers[row]);
        else
            (void)fputs(columns[i].cells[row], out->to);
        separator = ",";
    }
    (void)fputc(']', out->to);
}

static void write_companions(const packing *out, const column *columns, size_t count, const char *of)
{
    const char *separator = "";
    (void)fprintf(out->to, "\"%s\":{", of);
    for (size_t i = 0; i < count; i++)
        if (columns[i].with == of) {
            (void)fprintf(out->to, "%s\"%s\":%s", separator, columns[i].path, columns[i].cells[columns[i].firsts[0]]);
            separator = ",";
        }
    (void)fputc('}', out->to);
}

static void write_with(const packing *out, const column *columns, size_t count)
{
    const char *separator = ",\n\"with\":{", *end = "";
    for (size_t of = 0; of < count; of++)
        for (size_t i = 0; i < count; i++)
            if (columns[i].with == columns[of].path) {
                (void)fputs(separator, out->to);
                write_companions(out, columns, count, columns[of].path);
                separator = ",\n", end = "}";
                break;
            }
    (void)fputs(end, out->to);
}

static void write_table(const packing *out, const column *columns, size_t count, size_t rows)
{
    const char *separator = "";
    (void)fputs("{\"same\":{", out->to);
    for (size_t i = 0; i < count; i++)
        if (is_same(&columns[i])) {
            (void)fprintf(out->to, "%s\"%s\":%s", separator, columns[i].path, columns[i].cells[0]);
            separator = ",";
        }
    (void)fputc('}', out->to);
    write_with(out, columns, count);
    (void)fputs(",\n\"columns\":[", out->to);
    separator = "";
    for (size_t i = 0; i < count; i++)
        if (has_row_cells(&columns[i])) {
            (void)fputs(separator, out->to);
            write_head(out, &columns[i]);
            separator = ",\n";
        }
    (void)fputs("],\n\"rows\":[", out->to);
    for (size_t row = 0; row < rows; row++) {
        (void)fputs(row > 0 ? ",\n" : "\n", out->to);
        write_row(out, columns, count, row);
    }
    (void)fputs("]}", out->to);
}

/* The paths that any row has. */
static json_t *paths_of(const json_t *rows)
{
    json_t *all = json_object();
    for (size_t i = 0; all != NULL && i < json_array_size(rows); i++)
        (void)json_object_update(all, json_array_get(rows, i));
    return all;
}

/* The list itself where its objects are equal: a row would have no cell. */
static plx_status pack_table(const packing *out, json_t *rows, json_t *list)
{
    json_t *paths = paths_of(rows), *value;
    const size_t count = json_object_size(paths);
    const char *path;
    column *columns = calloc(count + 1, sizeof *columns);
    size_t filled = 0, same = 0;
    plx_status status = paths == NULL || columns == NULL ? no_memory(out) : PLX_OK;
    json_object_foreach(paths, path, value)
    {
        if (status != PLX_OK)
            break;
        status = fill_column(out, rows, path, &columns[filled]);
        same += is_same(&columns[filled++]);
    }
    if (status == PLX_OK)
        qsort(columns, count, sizeof *columns, by_missing);
    if (status == PLX_OK)
        find_companions(columns, count, json_array_size(rows));
    if (status == PLX_OK && same < count)
        write_table(out, columns, count, json_array_size(rows));
    else if (status == PLX_OK)
        status = pack_plain_list(out, list);
    free_columns(columns, filled, json_array_size(rows));
    json_decref(paths);
    return status;
}

static plx_status pack_list(const packing *out, json_t *list)
{
    json_t *rows = flatten_list(list);
    plx_status status = rows != NULL ? pack_table(out, rows, list) : pack_plain_list(out, list);
    json_decref(rows);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

static plx_status pack(const packing *out, json_t *value)
{
    if (json_is_object(value))
        return pack_object(out, value);
    if (json_is_array(value))
        return pack_list(out, value);
    if (json_is_real(value))
        write_real(out->to, json_real_value(value));
    else if (json_dumpf(value, out->to, JSON_ENCODE_ANY) != 0)
        return no_memory(out);
    return PLX_OK;
}

/* Each member of the whole begins a line. */
plx_status plx_json_pack(json_t *root, FILE *to, plx_error *error)
{
    const packing out = {.to = to, .error = error};
    const char *name, *separator = "{";
    json_t *value;
    plx_status status = PLX_OK;
    plx_json_round(root);
    json_object_foreach(root, name, value)
    {
        (void)fprintf(to, "%s\"%s\":", separator, name);
        if (status == PLX_OK)
            status = pack(&out, value);
        separator = ",\n";
    }
    (void)fputs("}\n", to);
    return status;
}
