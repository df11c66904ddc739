/* Fields of a file of results: written, or read, of the kind that they have to be, or wrong. */
#define _POSIX_C_SOURCE 200809L

#include "study/results/archive.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is there -------------------------------------------------------------------- */

/* null stands for what there is none of. */
static const json_t *value_at(const plx_archive *archive, const char *name)
{
    const json_t *found = json_object_get(archive->at[archive->depth], name);
    return json_is_null(found) ? NULL : found;
}

void plx_archive_refuse(plx_archive *archive, const char *name)
{
    if (archive->wrong == NULL)
        archive->wrong = name;
}

enum { NUMBER = 1 << JSON_INTEGER | 1 << JSON_REAL, FLAG = 1 << JSON_TRUE | 1 << JSON_FALSE };

/* The value, or NULL where there is none or it is of another type, which is wrong; bits of json_type. */
static const json_t *value_of(plx_archive *archive, const char *name, int types)
{
    const json_t *found = value_at(archive, name);
    if (found == NULL || (types >> json_typeof(found) & 1))
        return found;
    plx_archive_refuse(archive, name);
    return NULL;
}

bool plx_archive_has(const plx_archive *archive, const char *name)
{
    return value_at(archive, name) != NULL;
}

/* ---- objects and lists ------------------------------------------------------------------ */

static void enter(plx_archive *archive, const json_t *part)
{
    archive->at[++archive->depth] = part;
}

bool plx_archive_open(plx_archive *archive, const char *name, bool there)
{
    if (!plx_archive_reads(archive)) {
        if (there)
            plx_json_object(archive->to, name);
        return there;
    }
    const json_t *found = value_of(archive, name, 1 << JSON_OBJECT);
    if (found != NULL)
        enter(archive, found);
    return found != NULL;
}

void plx_archive_close(plx_archive *archive)
{
    if (plx_archive_reads(archive))
        archive->depth--;
    else
        plx_json_object_end(archive->to);
}

size_t plx_archive_list(plx_archive *archive, const char *name, size_t count)
{
    if (!plx_archive_reads(archive)) {
        plx_json_list(archive->to, name);
        return count;
    }
    enter(archive, value_of(archive, name, 1 << JSON_ARRAY));
    return json_array_size(archive->at[archive->depth]);
}

void plx_archive_list_end(plx_archive *archive)
{
    if (plx_archive_reads(archive))
        archive->depth--;
    else
        plx_json_list_end(archive->to);
}

void plx_archive_item(plx_archive *archive, size_t index)
{
    if (plx_archive_reads(archive))
        enter(archive, json_array_get(archive->at[archive->depth], index));
    else
        plx_json_object(archive->to, NULL);
}

void plx_archive_item_end(plx_archive *archive)
{
    plx_archive_close(archive);
}

void plx_archive_copy_text(const json_t *from, char *text, size_t capacity)
{
    const char *found = json_string_value(from);
    (void)snprintf(text, capacity, "%s", found != NULL ? found : "");
    plx_text_clean(text, capacity);
}

void plx_archive_text_item(plx_archive *archive, size_t index, char *text, size_t capacity)
{
    if (!plx_archive_reads(archive)) {
        plx_json_text(archive->to, NULL, text);
        return;
    }
    const json_t *found = json_array_get(archive->at[archive->depth], index);
    if (!json_is_string(found))
        plx_archive_refuse(archive, "a text");
    plx_archive_copy_text(found, text, capacity);
}

/* ---- text ------------------------------------------------------------------------------- */

void plx_archive_text(plx_archive *archive, const char *name, char *text, size_t capacity)
{
    if (!plx_archive_reads(archive)) {
        plx_json_text(archive->to, name, text);
        return;
    }
    const json_t *found = value_of(archive, name, 1 << JSON_STRING);
    plx_archive_copy_text(found, text, capacity);
}

void plx_archive_remark(plx_archive *archive, const char *name, char *text, size_t capacity)
{
    if (plx_archive_reads(archive) || text[0] != '\0')
        plx_archive_text(archive, name, text, capacity);
}

int plx_archive_name(plx_archive *archive, const char *name, const plx_names *names, int value, int fallback)
{
    char text[32];
    const bool known = value >= 0 && value < names->count;
    (void)snprintf(text, sizeof text, "%s", !plx_archive_reads(archive) && known ? names->list[value] : "unknown");
    plx_archive_text(archive, name, text, sizeof text);
    return plx_archive_reads(archive) ? plx_name_find(names, text, fallback) : value;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Digits that will not be written again are not read either: what is computed of a number, such as the means of a
 * bench, is then the same each time that a file is read and written. */
static double number_in(const json_t *found)
{
    return plx_json_number_written(json_number_value(found));
}

double plx_archive_signed(plx_archive *archive, const char *name, double value, double fallback)
{
    if (!plx_archive_reads(archive)) {
        plx_json_number(archive->to, name, value);
        return value;
    }
    const json_t *found = value_of(archive, name, NUMBER);
    return found != NULL ? number_in(found) : fallback;
}

double plx_archive_number(plx_archive *archive, const char *name, double value, double most, double fallback)
{
    const double number = plx_archive_signed(archive, name, value, fallback);
    if (!plx_archive_reads(archive) || !plx_archive_has(archive, name) || (number >= 0 && number <= most))
        return number;
    plx_archive_refuse(archive, name);
    return fallback;
}

double plx_archive_rate(plx_archive *archive, const char *name, double value)
{
    return plx_archive_reads(archive) || value > 0 ? plx_archive_number(archive, name, value, PLX_MOST_RATE, 0) : value;
}

int64_t plx_archive_integer(plx_archive *archive, const char *name, int64_t value, int64_t fallback)
{
    if (!plx_archive_reads(archive)) {
        plx_json_integer(archive->to, name, value);
        return value;
    }
    const json_t *found = value_of(archive, name, 1 << JSON_INTEGER);
    return found != NULL ? (int64_t)json_integer_value(found) : fallback;
}

int64_t plx_archive_index(plx_archive *archive, const char *name, int64_t value)
{
    if (plx_archive_reads(archive) || value >= 0)
        return plx_archive_integer(archive, name, value, -1);
    plx_json_null(archive->to, name);
    return value;
}

static bool natural_of(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long read = strtoull(text, &end, 10);
    *value = (uint64_t)read;
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

uint64_t plx_archive_natural(plx_archive *archive, const char *name, uint64_t value, uint64_t fallback)
{
    if (!plx_archive_reads(archive)) {
        plx_json_natural(archive->to, name, value);
        return value;
    }
    const json_t *found = value_at(archive, name);
    if (found == NULL)
        return fallback;
    if (json_is_integer(found) && json_integer_value(found) >= 0)
        return (uint64_t)json_integer_value(found);
    if (json_is_string(found) && natural_of(json_string_value(found), &value))
        return value;
    plx_archive_refuse(archive, name);
    return fallback;
}

bool plx_archive_flag(plx_archive *archive, const char *name, bool value, bool fallback)
{
    if (!plx_archive_reads(archive)) {
        plx_json_flag(archive->to, name, value);
        return value;
    }
    const json_t *found = value_of(archive, name, FLAG);
    return found != NULL ? json_is_true(found) : fallback;
}

bool plx_archive_mark(plx_archive *archive, const char *name, bool value)
{
    return plx_archive_reads(archive) || value ? plx_archive_flag(archive, name, value, false) : value;
}

void plx_archive_interval(plx_archive *archive, const char *name, double *low, double *high)
{
    double *const ends[] = {low, high};
    (void)plx_archive_list(archive, name, 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *found = plx_archive_reads(archive) ? json_array_get(archive->at[archive->depth], i) : NULL;
        if (!plx_archive_reads(archive))
            plx_json_number(archive->to, NULL, *ends[i]);
        else if (json_is_number(found))
            *ends[i] = number_in(found);
    }
    plx_archive_list_end(archive);
}
