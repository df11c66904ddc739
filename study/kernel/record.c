/* The times of an earlier record of judged kernels. */
#include "study/recipe/load.h"

#include <parallax/recipe.h>

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

plx_status plx_kernel_record_time(const char *path, const plx_problem *problem, plx_interval *time, bool *found,
                                  plx_error *error)
{
    char text[160];
    json_t *root = NULL;
    const json_t *shape;
    size_t index;
    plx_status status = plx_recipe_load(path, MOST_OF_RECORD, &root, error);
    if (status != PLX_OK)
        return status;
    *found = false;
    plx_problem_text(problem, 0, text, sizeof text);
    if (!is_text(root, "schema", schema))
        status =
            plx_fail(error, PLX_INVALID, "%.200s: no record of judge --source: its schema is not %s", path, schema);
    json_array_foreach(json_object_get(root, "shapes"), index, shape)
    {
        if (status == PLX_OK && !*found && is_text(shape, "problem", text))
            *found = read_time(shape, time);
    }
    json_decref(root);
    return status;
}
