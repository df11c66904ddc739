/* What README's tables of best kernels share: records beside each other, and their ratios. */
#include "tables.h"

#include <math.h>
#include <string.h>

/* ---- looking up ------------------------------------------------------------------- */

double time_of(json_t *record)
{
    return strcmp(text_of(record, "status"), "ok") == 0 ? number_of(record, "time", "median_ns") : 0;
}

json_t *device_of(json_t *root, json_t *record)
{
    return json_array_get(json_object_get(root, "devices"),
                          (size_t)json_integer_value(json_object_get(record, "device")));
}

bool is_true(json_t *record, const char *key)
{
    return json_is_true(json_object_get(record, key));
}

static bool same(json_t *a, json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static bool is_api(json_t *record, const char *api)
{
    return strncmp(text_of(record, "backend"), api, strlen(api)) == 0;
}

/* Ours of one API beside theirs; NULL: none was right and timed. */
json_t *best_of(json_t *root, json_t *theirs, const char *api)
{
    json_t *record, *best = NULL;
    size_t index;
    json_array_foreach(json_object_get(root, "records"), index, record)
    {
        bool beside = same(record, theirs, "group") && same(record, theirs, "shape") &&
                      same(record, theirs, "dtype") && same(record, theirs, "op") &&
                      same(device_of(root, record), device_of(root, theirs), "physical");
        bool ours = is_api(record, api) && !is_true(record, "vendor") && !is_true(record, "yardstick");
        if (beside && ours && time_of(record) > 0 && (best == NULL || time_of(record) < time_of(best)))
            best = record;
    }
    return best;
}

/* Only plain products: with alpha, beta or other data they are another comparison. */
bool is_plain(json_t *record)
{
    json_t *alpha = json_object_get(record, "alpha"), *beta = json_object_get(record, "beta");
    bool one = alpha == NULL || fabs(json_number_value(alpha) - 1) < 1e-300;
    return one && fabs(json_number_value(beta)) < 1e-300 && strcmp(text_of(record, "input"), "uniform") == 0;
}

/* "gemm f32 nt": what is not plain. */
void operation_text(json_t *record, char *text, size_t capacity)
{
    static const char *const letters[] = {"trans", "trans_a", "trans_b"};
    char variant[4] = "";
    size_t length = 0;
    for (size_t i = 0; i < 3; i++)
        if (json_object_get(record, letters[i]) != NULL)
            variant[length++] = is_true(record, letters[i]) ? 't' : 'n';
    variant[length] = '\0';
    (void)snprintf(text, capacity, "%s %s %s%s", text_of(record, "op"), text_of(record, "dtype"),
                   text_of(record, "reduction"), variant);
    length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

/* ---- ratios ------------------------------------------------------------------------ */

void put_ratios(FILE *to, const plx_ratios *of, int decimals)
{
    if (of->count == 0) {
        (void)fprintf(to, " |");
        return;
    }
    (void)fprintf(to, " **%.*f**", decimals, plx_ratios_mean(of));
    if (of->count > 1)
        (void)fprintf(to, " (%.*f to %.*f)", decimals, of->least, decimals, of->most);
    (void)fprintf(to, " |");
}
