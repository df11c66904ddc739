/* What an earlier record of a judged kernel says. */
#include "study/recipe/load.h"

#include <parallax/recipe.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_RECORD = 16 << 20 };
static const char schema[] = "parallax-judged-kernel/1";

static bool is_text(const json_t *object, const char *key, const char *wanted)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL && strcmp(text, wanted) == 0;
}

static bool read_time(const json_t *shape, plx_interval *time)
{
    const double low = json_number_value(json_object_get(shape, "low_ns")),
                 median = json_number_value(json_object_get(shape, "median_ns")),
                 high = json_number_value(json_object_get(shape, "high_ns"));
    if (!(low > 0.0 && low <= median && median <= high && high < 1e18))
        return false;
    *time = (plx_interval){.median_ns = median, .low_ns = low, .high_ns = high};
    return true;
}

static plx_status load(const char *path, json_t **root, plx_error *error)
{
    const plx_status status = plx_recipe_load(path, MOST_OF_RECORD, root, error);
    if (status != PLX_OK || is_text(*root, "schema", schema))
        return status;
    json_decref(*root);
    return plx_fail(error, PLX_INVALID, "%.200s: no record of judge --source: its schema is not %s", path, schema);
}

plx_status plx_kernel_record_time(const char *path, const plx_problem *problem, plx_interval *time, bool *found,
                                  plx_error *error)
{
    char text[160];
    json_t *root = NULL;
    const json_t *shape;
    size_t index;
    const plx_status status = load(path, &root, error);
    if (status != PLX_OK)
        return status;
    *found = false;
    plx_problem_text(problem, 0, text, sizeof text);
    json_array_foreach(json_object_get(root, "shapes"), index, shape)
    {
        if (!*found && is_text(shape, "problem", text))
            *found = read_time(shape, time);
    }
    json_decref(root);
    return PLX_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

enum { MOST_WORDS = 512 };

static bool read_hash(const json_t *kernel, const char *key, char hash[65])
{
    const char *text = json_string_value(json_object_get(kernel, key));
    (void)snprintf(hash, 65, "%s", text != NULL ? text : "");
    return strlen(hash) == 64;
}

/* A number, or above 2^63 text. */
static bool read_seed(const json_t *value, uint64_t *seed)
{
    char *end = NULL;
    const char *text = json_string_value(value);
    errno = 0;
    *seed = text != NULL ? strtoull(text, &end, 10) : (uint64_t)json_integer_value(value);
    return text != NULL ? errno == 0 && end != text && *end == '\0' : json_is_integer(value);
}

static plx_status read_words(const json_t *list, plx_kernel_record *record)
{
    const json_t *word;
    size_t index;
    record->words = calloc(json_array_size(list) + 1, sizeof *record->words);
    if (record->words == NULL)
        return PLX_NO_MEMORY;
    json_array_foreach(list, index, word)
    {
        const char *text = json_string_value(word);
        if (text == NULL)
            return PLX_INVALID;
        record->words[index] = strdup(text);
        if (record->words[index] == NULL)
            return PLX_NO_MEMORY;
        record->word_count++;
    }
    return record->word_count > 0 && record->word_count <= MOST_WORDS ? PLX_OK : PLX_INVALID;
}

plx_status plx_kernel_record_read(const char *path, plx_kernel_record *record, plx_error *error)
{
    json_t *root = NULL;
    plx_kernel_record made = {.seed = 0};
    plx_status status = load(path, &root, error);
    if (status != PLX_OK)
        return status;
    const json_t *kernel = json_object_get(root, "kernel");
    const bool whole = read_hash(kernel, "source_sha256", made.source_sha256) &&
                       read_hash(kernel, "recipe_sha256", made.recipe_sha256) &&
                       read_seed(json_object_get(root, "seed"), &made.seed);
    status = whole ? read_words(json_object_get(root, "words"), &made) : PLX_INVALID;
    json_decref(root);
    if (status == PLX_OK) {
        *record = made;
        return PLX_OK;
    }
    plx_kernel_record_free(&made);
    return status == PLX_INVALID
               ? plx_fail(error, status, "%.200s: the record does not say what was judged: source, seed and words",
                          path)
               : plx_fail(error, status, "no memory for a record");
}

void plx_kernel_record_free(plx_kernel_record *record)
{
    for (size_t i = 0; i < record->word_count; i++)
        free(record->words[i]);
    free(record->words);
    record->words = NULL;
    record->word_count = 0;
}
