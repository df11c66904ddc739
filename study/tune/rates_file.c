/* Rates as a list of initialisers, which a model includes. */
#include "study/tune/rates.h"

#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

/* ".tiles[3].full = 0.829,\n" */
enum { LINE = 80 };

static char *lines_of(const plx_rate *rates, const double *values, size_t count)
{
    char *text = malloc(count * LINE + 1), *at = text;
    for (size_t i = 0; text != NULL && i < count; i++)
        at += snprintf(at, LINE, ".%.39s = %.5g,\n", rates[i].name, values[i]);
    return text;
}

static void hash_of(const char *text, char hex[static 2 * PLX_SHA256_BYTES + 1])
{
    plx_sha256 hash;
    unsigned char digest[PLX_SHA256_BYTES];
    plx_sha256_begin(&hash);
    plx_sha256_add(&hash, text, strlen(text));
    plx_sha256_end(&hash, digest);
    plx_sha256_text(digest, hex);
}

plx_status plx_rates_write(const char *path, const char *origin, const plx_rate *rates, const double *values,
                           size_t count, plx_error *error)
{
    char hex[2 * PLX_SHA256_BYTES + 1];
    plx_output *output;
    char *lines = lines_of(rates, values, count);
    if (lines == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for %s", path);
    hash_of(lines, hex);
    plx_status status = plx_output_open(path, &output, error);
    if (status == PLX_OK) {
        (void)fprintf(plx_output_stream(output), "/* %s */\n/* Generated; SHA-256 of the lines below: %s */\n%s",
                      origin, hex, lines);
        status = plx_output_close(output, error);
    }
    free(lines);
    return status;
}
