/* The manifest of a challenge, which anybody may have written, beside operands and results that are there.  Whatever it
 * says, each case has a verdict, or the manifest a reason; nothing is read outside its directory. */
#include "tests/fuzz/fuzz.h"

#include <parallax/judge.h>

#include <stdlib.h>
#include <string.h>

static char manifest[300];

static void put_array(const char *name, int64_t rows, int64_t cols, int rank)
{
    static float ones[64];
    char path[400];
    plx_error error = {""};
    const plx_array array = {.dtype = PLX_F32, .rank = rank, .rows = rows, .cols = cols, .data = ones};
    for (size_t i = 0; i < 64; i++)
        ones[i] = 1.0F;
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_directory(), name);
    fuzz_require(plx_npy_write(path, &array, &error) == PLX_OK, "an array can be written");
}

static void prepare(void)
{
    (void)snprintf(manifest, sizeof manifest, "%s/manifest.json", fuzz_directory());
    put_array("x.npy", 1, 3, 1);
    put_array("a.npy", 4, 4, 2);
    put_array("sum.npy", 1, 1, 0);
}

static void require_texts(const plx_judged *judged, size_t count)
{
    fuzz_text text;
    plx_error error = {""};
    fuzz_text_open(&text);
    fuzz_require(plx_judged_write_table(judged, count, text.to, 0, 0, &error) == PLX_OK, "a table can be written");
    fuzz_require(plx_judged_write_json(judged, count, text.to, &error) == PLX_OK, "JSON can be written");
    fuzz_require(plx_judged_write_junit(judged, count, text.to, &error) == PLX_OK, "XML can be written");
    fuzz_require(plx_judged_write_markdown(judged, count, text.to, &error) == PLX_OK, "Markdown can be written");
    fuzz_text_close(&text);
    fuzz_require_lines(&text);
    fuzz_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const plx_challenge_judging options = {.compute = PLX_COMPUTE_PLAIN};
    plx_judged *judged = NULL;
    plx_error error = {""};
    size_t count = 0;
    if (manifest[0] == '\0')
        prepare();
    fuzz_put(manifest, bytes, size);
    const plx_status status = plx_challenge_judge(fuzz_directory(), &options, &judged, &count, &error);
    if (status != PLX_OK) {
        fuzz_require_reason(&error);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        fuzz_require(judged[i].verdict.outcome == PLX_OUTCOME_OK || judged[i].verdict.reason[0] != '\0',
                     "what is not ok has a reason");
    require_texts(judged, count);
    free(judged);
    return 0;
}
