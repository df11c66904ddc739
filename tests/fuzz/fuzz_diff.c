/* Two files of results.  A file is as it is itself. */
#include "tests/fuzz/fuzz.h"

#include <jansson.h>

static void show(const plx_diff_results *found)
{
    fuzz_text text;
    plx_error error = {""};
    fuzz_text_open(&text);
    fuzz_require(plx_diff_write_table(found, text.to, &error) == PLX_OK, "a difference can be shown");
    fuzz_text_close(&text);
    fuzz_require_lines(&text);
    fuzz_text_free(&text);
    fuzz_text_open(&text);
    fuzz_require(plx_diff_write_json(found, text.to, &error) == PLX_OK, "a difference can be written");
    fuzz_text_close(&text);
    json_t *root = json_loadb(text.text, text.length, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require(root != NULL, "what is written is JSON");
    json_decref(root);
    fuzz_text_free(&text);
}

/* Compares a file with another one, or with itself: then each of its records is found, and none has changed.
 */
static void compare(const char *first, const char *second)
{
    const plx_diff_options options = {.threshold = 0};
    plx_diff_results found;
    plx_error error = {""};
    if (plx_diff(first, second, &options, &found, &error) != PLX_OK) {
        fuzz_require_reason(&error);
        return;
    }
    for (unsigned i = 0; first == second && i < PLX_CHANGE_COUNT; i++)
        fuzz_require(i == PLX_CHANGE_UNCOMPARED || found.counts[i] == 0, "a file is as it is itself");
    fuzz_require(plx_diff_status(&found) >= 0 && plx_diff_status(&found) <= 4, "the status is one that there is");
    show(&found);
    plx_diff_results_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const fuzz_halves halves = fuzz_split(bytes, size);
    const char *first = fuzz_file(0, halves.first, halves.first_size);
    const char *second = fuzz_file(1, halves.second, halves.second_size);
    compare(first, second);
    compare(first, first);
    return 0;
}
