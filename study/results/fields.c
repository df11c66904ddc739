/* Fields of a file of results: of the kind that they have to be, or wrong. */
#define _POSIX_C_SOURCE 200809L

#include "study/results/read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* null stands for what there is none of. */
static const json_t *value_at(const plx_reader *from, const char *path)
{
    const json_t *found = plx_json_at(from->of, path);
    return json_is_null(found) ? NULL : found;
}

static void note(plx_reader *from, const char *path, bool good)
{
    if (!good && from->wrong == NULL)
        from->wrong = path;
}

double plx_read_number(plx_reader *from, const char *path, double fallback)
{
    const json_t *found = value_at(from, path);
    note(from, path, found == NULL || json_is_number(found));
    return json_is_number(found) ? json_number_value(found) : fallback;
}

double plx_read_positive(plx_reader *from, const char *path, double most, double fallback)
{
    double number = plx_read_number(from, path, fallback);
    bool good = value_at(from, path) == NULL || (number >= 0 && number <= most);
    note(from, path, good);
    return good ? number : fallback;
}

int64_t plx_read_integer(plx_reader *from, const char *path, int64_t fallback)
{
    const json_t *found = value_at(from, path);
    note(from, path, found == NULL || json_is_integer(found));
    return json_is_integer(found) ? (int64_t)json_integer_value(found) : fallback;
}

static bool natural_of(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long read = strtoull(text, &end, 10);
    *value = (uint64_t)read;
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

uint64_t plx_read_natural(plx_reader *from, const char *path, uint64_t fallback)
{
    const json_t *found = value_at(from, path);
    uint64_t value = fallback;
    if (json_is_string(found)) {
        note(from, path, natural_of(json_string_value(found), &value));
        return value;
    }
    int64_t read = found != NULL ? plx_read_integer(from, path, -1) : 0;
    note(from, path, read >= 0);
    return found != NULL && read >= 0 ? (uint64_t)read : fallback;
}

bool plx_read_flag(plx_reader *from, const char *path, bool fallback)
{
    const json_t *found = value_at(from, path);
    note(from, path, found == NULL || json_is_boolean(found));
    return json_is_boolean(found) ? json_is_true(found) : fallback;
}

void plx_read_text(plx_reader *from, const char *path, char *text, size_t capacity)
{
    const json_t *found = value_at(from, path);
    note(from, path, found == NULL || json_is_string(found));
    (void)snprintf(text, capacity, "%s", json_is_string(found) ? json_string_value(found) : "");
}

const json_t *plx_read_list(plx_reader *from, const char *path)
{
    const json_t *found = value_at(from, path);
    note(from, path, found == NULL || json_is_array(found));
    return json_is_array(found) ? found : NULL;
}

plx_reader plx_read_part(plx_reader *whole, const char *path)
{
    const json_t *found = value_at(whole, path);
    note(whole, path, found == NULL || json_is_object(found));
    return (plx_reader){.of = found};
}

void plx_read_end(plx_reader *whole, const plx_reader *part)
{
    if (whole->wrong == NULL)
        whole->wrong = part->wrong;
}

int plx_read_name(plx_reader *from, const char *path, const plx_names *names, int fallback)
{
    char name[32];
    plx_read_text(from, path, name, sizeof name);
    return plx_name_find(names, name, fallback);
}
