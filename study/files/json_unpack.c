/* Tables in files of JSON, made lists of objects again.
 *
 *   {"same": {"op": "gemm"}, "columns": ["shape", {"time.clock": ["device", "host"]}, "time.samples"],
 *    "rows": [[[64, 64, 64], 0, 21],
 *             [[64, 64, 32], {}, 21],
 *             [[64, 64, 16]]],
 *    "with": {"time.samples": {"time.hot": false}}}
 *
 * A name with dots is a path.  The cells of a column with values are their numbers.  What is not there is an empty
 * object, or behind the end of its row.  Rows that have what `with` names have what stands there, too. */
#include "study/files/json_table.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22, MOST_COLUMNS = 1024, MOST_DEPTH = 64 };

typedef struct column {
    const char *path;
    const json_t *values; /* NULL: the cells are the values */
    json_t *with;         /* what its rows have besides; NULL: nothing */
} column;

typedef struct unpacking {
    const char *path;
    size_t cells; /* of all tables so far: few bytes must not become many gigabytes */
    plx_error *error;
} unpacking;

static plx_status refuse(const unpacking *in, const char *what)
{
    return plx_fail(in->error, PLX_INVALID, "%.200s: a table in it is malformed: %s", in->path, what);
}

static plx_status no_memory(const unpacking *in)
{
    return plx_fail(in->error, PLX_NO_MEMORY, "%.200s: no memory to read it", in->path);
}

static bool is_table(const json_t *value)
{
    return json_is_array(json_object_get(value, "columns")) && json_is_array(json_object_get(value, "rows"));
}

/* ---- columns ------------------------------------------------------------------------------ */

static plx_status take_column(const unpacking *in, json_t *head, column *made)
{
    void *only = json_object_iter(head);
    *made = (column){.path = json_is_string(head) ? json_string_value(head) : json_object_iter_key(only),
                     .values = json_object_iter_value(only)};
    if (made->path == NULL || (made->values != NULL && !json_is_array(made->values)) || json_object_size(head) > 1)
        return refuse(in, "a column is neither a name nor a name with its values");
    return PLX_OK;
}

/* Every name is that of a column, and has an object. */
static plx_status take_with(unpacking *in, json_t *with, size_t height, column *columns, size_t count)
{
    const char *path;
    json_t *value;
    size_t taken = 0;
    if (with == NULL)
        return PLX_OK;
    json_object_foreach(with, path, value)
    {
        for (size_t i = 0; i < count; i++)
            if (strcmp(columns[i].path, path) == 0 && json_is_object(value) && columns[i].with == NULL) {
                columns[i].with = value;
                taken++;
                if (json_object_size(value) > MOST_COLUMNS ||
                    height > (MOST_CELLS - in->cells) / (json_object_size(value) + 1))
                    return refuse(in, "it has more than 4 million cells");
                in->cells += height * json_object_size(value);
            }
    }
    return json_is_object(with) && taken == json_object_size(with)
               ? PLX_OK
               : refuse(in, "`with` does not name columns with objects");
}

static plx_status take_columns(const unpacking *in, const json_t *heads, column **made)
{
    const size_t count = json_array_size(heads);
    plx_status status = PLX_OK;
    if (count == 0 || count > MOST_COLUMNS)
        return refuse(in, "it has no column, or more than 1024");
    *made = calloc(count, sizeof **made);
    if (*made == NULL)
        return no_memory(in);
    for (size_t i = 0; status == PLX_OK && i < count; i++)
        status = take_column(in, json_array_get(heads, i), &(*made)[i]);
    return status;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The object at the first part of the path, made if there is none. */
static json_t *step_into(json_t *object, const char *path, size_t length)
{
    char name[64];
    if (length >= sizeof name)
        return NULL;
    memcpy(name, path, length);
    name[length] = '\0';
    json_t *found = json_object_get(object, name);
    if (found != NULL)
        return json_is_object(found) ? found : NULL;
    json_t *fresh = json_object();
    return json_object_set_new(object, name, fresh) == 0 ? fresh : NULL;
}

static plx_status put(const unpacking *in, json_t *row, const char *path, json_t *value)
{
    const char *dot = strchr(path, '.');
    for (size_t depth = 0; dot != NULL; dot = strchr(path, '.')) {
        row = step_into(row, path, (size_t)(dot - path));
        if (row == NULL || ++depth > 8)
            return refuse(in, "a column lies within another");
        path = dot + 1;
    }
    if (json_object_get(row, path) != NULL)
        return refuse(in, "two columns have one name");
    return json_object_set(row, path, value) == 0 ? PLX_OK : no_memory(in);
}

static bool is_nothing(const json_t *value)
{
    return json_is_object(value) && json_object_size(value) == 0;
}

static plx_status put_cell(const unpacking *in, json_t *row, const column *at, json_t *cell)
{
    if (at->values != NULL && !is_nothing(cell)) {
        const json_int_t index = json_is_integer(cell) ? json_integer_value(cell) : -1;
        cell = index < 0 ? NULL : json_array_get(at->values, (size_t)index);
        if (cell == NULL)
            return refuse(in, "a cell is no number of a value of its column");
    }
    return is_nothing(cell) ? PLX_OK : put(in, row, at->path, cell);
}

static plx_status put_same(const unpacking *in, json_t *row, json_t *same)
{
    const char *path;
    json_t *value;
    plx_status status = PLX_OK;
    json_object_foreach(same, path, value)
    {
        if (status == PLX_OK)
            status = put(in, row, path, value);
    }
    return status;
}

/* Of one cell: what stands with its column. */
static plx_status put_companions(const unpacking *in, json_t *row, const column *at, const json_t *cell)
{
    return is_nothing(cell) ? PLX_OK : put_same(in, row, at->with);
}

static plx_status make_row(const unpacking *in, json_t *same, const column *columns, const json_t *cells, json_t *row)
{
    plx_status status = row == NULL ? no_memory(in) : put_same(in, row, same);
    for (size_t i = 0; status == PLX_OK && i < json_array_size(cells); i++) {
        status = put_cell(in, row, &columns[i], json_array_get(cells, i));
        if (status == PLX_OK)
            status = put_companions(in, row, &columns[i], json_array_get(cells, i));
    }
    return status;
}

static plx_status make_rows(unpacking *in, json_t *table, const column *columns, json_t *list)
{
    json_t *rows = json_object_get(table, "rows"), *same = json_object_get(table, "same");
    const size_t width = json_array_size(json_object_get(table, "columns")), height = json_array_size(rows);
    plx_status status = PLX_OK;
    if ((same != NULL && !json_is_object(same)) || json_object_size(same) > MOST_COLUMNS)
        return refuse(in, "what is the same is no object, or has more than 1024 names");
    if (height > (MOST_CELLS - in->cells) / (width + json_object_size(same)))
        return refuse(in, "it has more than 4 million cells");
    in->cells += height * (width + json_object_size(same));
    for (size_t i = 0; status == PLX_OK && i < height; i++) {
        const json_t *cells = json_array_get(rows, i);
        if (!json_is_array(cells))
            return refuse(in, "a row is no list");
        if (json_array_size(cells) > width)
            return refuse(in, "a row has more cells than there are columns");
        json_t *row = json_object();
        status = make_row(in, same, columns, cells, row);
        if (json_array_append_new(list, row) != 0 && status == PLX_OK)
            status = no_memory(in);
    }
    return status;
}

static plx_status make_list(unpacking *in, json_t *table, json_t **list)
{
    column *columns = NULL;
    plx_status status = take_columns(in, json_object_get(table, "columns"), &columns);
    if (status == PLX_OK)
        status = take_with(in, json_object_get(table, "with"), json_array_size(json_object_get(table, "rows")), columns,
                           json_array_size(json_object_get(table, "columns")));
    *list = status == PLX_OK ? json_array() : NULL;
    if (status == PLX_OK && *list == NULL)
        status = no_memory(in);
    if (status == PLX_OK)
        status = make_rows(in, table, columns, *list);
    free(columns);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------- */

static plx_status unpack(unpacking *in, json_t **value, size_t depth);

static plx_status unpack_object(unpacking *in, json_t *object, size_t depth)
{
    plx_status status = PLX_OK;
    for (void *at = json_object_iter(object); status == PLX_OK && at != NULL; at = json_object_iter_next(object, at)) {
        json_t *now = json_incref(json_object_iter_value(at));
        json_t *before = now;
        status = unpack(in, &now, depth);
        if (now != before)
            (void)json_object_iter_set(object, at, now);
        json_decref(now);
    }
    return status;
}

static plx_status unpack_list(unpacking *in, json_t *list, size_t depth)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        json_t *now = json_incref(json_array_get(list, i)), *before = now;
        status = unpack(in, &now, depth);
        if (now != before)
            (void)json_array_set(list, i, now);
        json_decref(now);
    }
    return status;
}

/* The tables within a table come first: a value that several rows share is unpacked once. */
static plx_status unpack(unpacking *in, json_t **value, size_t depth)
{
    json_t *list = NULL;
    plx_status status = depth > MOST_DEPTH       ? PLX_OK
                        : json_is_object(*value) ? unpack_object(in, *value, depth + 1)
                        : json_is_array(*value)  ? unpack_list(in, *value, depth + 1)
                                                 : PLX_OK;
    if (status != PLX_OK || !is_table(*value))
        return status;
    status = make_list(in, *value, &list);
    if (status != PLX_OK) {
        json_decref(list);
        return status;
    }
    json_decref(*value);
    *value = list;
    return PLX_OK;
}

plx_status plx_json_unpack(const char *path, json_t **root, plx_error *error)
{
    return unpack(&(unpacking){.path = path, .error = error}, root, 0);
}
