/* What each of several files of ours is of, in one line a file: from their own texts, so that nobody has to keep a
 * list. */
#include "study/files/json_file.h"

#include "base/sha256.h"
#include "base/text.h"

#include <parallax/results.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the manifest");
}

static const char *word_of(const json_t *object, const char *group, const char *name)
{
    const json_t *from = group != NULL ? json_object_get(object, group) : object;
    return json_string_value(json_object_get(from, name));
}

plx_status plx_results_schema(const char *path, char *schema, size_t capacity, plx_error *error)
{
    json_t *root = NULL;
    plx_status status = plx_json_load(path, &root, error);
    const char *found = status == PLX_OK ? word_of(root, NULL, "schema") : NULL;
    if (status == PLX_OK && (found == NULL || strncmp(found, "parallax-", 9) != 0))
        status = plx_fail(error, PLX_INVALID, "%.200s: no JSON of parallax: there is no \"schema\" of its", path);
    if (status == PLX_OK)
        (void)snprintf(schema, capacity, "%s", found);
    json_decref(root);
    plx_text_clean(error->text, sizeof error->text);
    return status;
}

/* ---- what a file is of -------------------------------------------------------------------------- */

static void put_text(json_t *entry, const char *name, const char *text)
{
    if (text != NULL && text[0] != '\0')
        (void)json_object_set_new(entry, name, plx_json_string(text));
}

/* The verb, where the file tells it: compare, tune and ceilings leave records alone. */
static const char *verb_of(const json_t *root)
{
    static const char *const marks[][2] = {
        {"check", "check"}, {"bench", "bench"}, {"attributions", "attribute"}, {"choice", "tune"}, {"result", "run"}};
    static const char *const schemas[][2] = {{"parallax-probe/1", "probe"}, {"parallax-screen/1", "screen"},
                                             {"parallax-seal/1", "seal"},   {"parallax-fleet/1", "fleet"},
                                             {"parallax-list/1", "list"},   {"parallax-judge/1", "judge"}};
    const char *schema = word_of(root, NULL, "schema");
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++)
        if (strcmp(schema, schemas[i][0]) == 0)
            return schemas[i][1];
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (json_object_get(root, marks[i][0]) != NULL)
            return marks[i][1];
    return NULL;
}

static bool has_text(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        if (strcmp(json_string_value(one), text) == 0)
            return true;
    }
    return false;
}

static void add_text(json_t *list, const char *text)
{
    if (text != NULL && !has_text(list, text))
        (void)json_array_append_new(list, plx_json_string(text));
}

/* Of all records, each word once, in the order in which they come; of points of sweeps as well. */
static void add_words(const json_t *rows, const char *name, json_t *list)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        add_text(list, word_of(row, NULL, name));
        add_words(json_object_get(row, "points"), name, list);
    }
}

/* Lists that are rows of a table when they are shown. */
static const char *const row_lists[] = {"records", "attributions", "sweeps", "units", "cases", "devices"};

static void put_words(json_t *entry, const char *title, const json_t *root, const char *name)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i + 1 < sizeof row_lists / sizeof row_lists[0]; i++)
        add_words(json_object_get(root, row_lists[i]), name, list);
    if (json_array_size(list) > 0)
        (void)json_object_set(entry, title, list);
    json_decref(list);
}

static void put_rows(json_t *entry, const json_t *root)
{
    size_t rows = 0;
    for (size_t i = 0; rows == 0 && i < sizeof row_lists / sizeof row_lists[0]; i++)
        rows = json_array_size(json_object_get(root, row_lists[i]));
    if (rows > 0)
        (void)json_object_set_new(entry, "rows", json_integer((json_int_t)rows));
}

/* A chip is named once, whatever backends reach it; processors have no UUID. */
static json_t *chip_of(const json_t *device)
{
    json_t *chip = json_object();
    put_text(chip, "name", word_of(device, NULL, "name"));
    put_text(chip, "driver", word_of(device, NULL, "driver"));
    put_text(chip, "uuid", word_of(device, NULL, "uuid"));
    return chip;
}

static bool has_chip(const json_t *chips, const json_t *chip)
{
    const char *uuid = word_of(chip, NULL, "uuid");
    const json_t *one;
    size_t i;
    json_array_foreach(chips, i, one)
    {
        const char *other = word_of(one, NULL, "uuid");
        if (json_equal(one, chip) || (uuid != NULL && other != NULL && strcmp(uuid, other) == 0))
            return true;
    }
    return false;
}

static void put_devices(json_t *entry, const json_t *root)
{
    const json_t *devices = json_object_get(root, "devices"), *device;
    json_t *chips = json_array();
    size_t i;
    json_array_foreach(devices, i, device)
    {
        json_t *chip = chip_of(device);
        if (json_object_size(chip) > 0 && !has_chip(chips, chip))
            (void)json_array_append(chips, chip);
        json_decref(chip);
    }
    if (json_array_size(chips) == 0 && word_of(root, NULL, "device") != NULL)
        (void)json_array_append_new(chips, json_pack("{s:o}", "name", plx_json_string(word_of(root, NULL, "device"))));
    if (json_array_size(chips) > 0)
        (void)json_object_set(entry, "devices", chips);
    json_decref(chips);
}

/* ---- its bytes ------------------------------------------------------------------------------------- */

static plx_status put_bytes(json_t *entry, const char *path, plx_error *error)
{
    unsigned char block[1 << 14], digest[PLX_SHA256_BYTES];
    char text[2 * PLX_SHA256_BYTES + 1];
    plx_sha256 hash;
    size_t count, bytes = 0;
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return plx_fail(error, PLX_IO, "%.200s: %.60s", path, strerror(errno));
    plx_sha256_begin(&hash);
    for (; (count = fread(block, 1, sizeof block, file)) > 0; bytes += count)
        plx_sha256_add(&hash, block, count);
    const bool good = !ferror(file);
    (void)fclose(file);
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, text);
    (void)json_object_set_new(entry, "bytes", json_integer((json_int_t)bytes));
    put_text(entry, "sha256", text);
    return good ? PLX_OK : plx_fail(error, PLX_IO, "%.200s can't be read", path);
}

static plx_status describe(const char *path, json_t *entry, plx_error *error)
{
    const char *slash = strrchr(path, '/');
    char schema[80];
    json_t *root = NULL;
    plx_status status = plx_results_schema(path, schema, sizeof schema, error);
    if (status == PLX_OK)
        status = plx_json_load(path, &root, error);
    if (status != PLX_OK)
        return status;
    put_text(entry, "file", slash != NULL ? slash + 1 : path);
    put_text(entry, "verb", verb_of(root));
    put_text(entry, "schema", schema);
    put_text(entry, "version", word_of(root, "tool", "version"));
    put_text(entry, "kernels_hash", word_of(root, "environment", "kernels_hash"));
    put_text(entry, "date", word_of(root, "environment", "date"));
    put_words(entry, "operations", root, "op");
    put_words(entry, "dtypes", root, "dtype");
    put_devices(entry, root);
    put_rows(entry, root);
    json_decref(root);
    return put_bytes(entry, path, error);
}

/* One line. */
static plx_status put_file(const char *path, FILE *to, plx_error *error)
{
    json_t *entry = json_object();
    plx_status status = entry != NULL ? describe(path, entry, error) : no_memory(error);
    if (status == PLX_OK && json_dumpf(entry, to, JSON_COMPACT) != 0)
        status = no_memory(error);
    json_decref(entry);
    return status;
}

plx_status plx_results_manifest(const char *const *files, size_t count, FILE *to, plx_error *error)
{
    plx_status status = PLX_OK;
    (void)fputs("{\"schema\":\"parallax-manifest/1\",\n\"files\":[", to);
    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        (void)fputs(i > 0 ? ",\n" : "\n", to);
        status = put_file(files[i], to, error);
    }
    (void)fputs("]}\n", to);
    return status;
}
