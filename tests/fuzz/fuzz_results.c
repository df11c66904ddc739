/* Files of results.  What is read can be shown, and is written and read again the same. */
#include "tests/fuzz/fuzz.h"

static void show(const plx_results *results)
{
    fuzz_text text;
    plx_error error = {""};
    const int status = plx_results_status(results);
    fuzz_require(status >= 0 && status <= 5, "the status is one that there is");
    fuzz_text_open(&text);
    fuzz_require(plx_results_write_csv(results, text.to, &error) == PLX_OK, "results can be written as CSV");
    fuzz_require(plx_results_write_table(results, text.to, 80, PLX_TABLE_ALL_PAIRS | PLX_TABLE_CONFIGS, &error) ==
                     PLX_OK,
                 "results can be written as a table");
    fuzz_require(plx_results_write_standings(results, text.to, &error) == PLX_OK, "standings can be written");
    fuzz_text_close(&text);
    fuzz_require_lines(&text);
    fuzz_text_free(&text);
}

static void write_text(const plx_results *results, fuzz_text *text)
{
    plx_error error = {""};
    fuzz_text_open(text);
    fuzz_require(plx_results_write_json(results, text->to, &error) == PLX_OK, "what was read can be written");
    fuzz_text_close(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    plx_results results, again;
    fuzz_text first, second;
    plx_error error = {""};
    if (plx_results_read(fuzz_file(0, bytes, size), &results, &error) != PLX_OK) {
        fuzz_require_reason(&error);
        return 0;
    }
    show(&results);
    write_text(&results, &first);
    fuzz_require(plx_results_read(fuzz_file(1, first.text, first.length), &again, &error) == PLX_OK,
                 "what was written can be read");
    write_text(&again, &second);
    fuzz_require(fuzz_text_same(&first, &second), "what was written is read the same");
    fuzz_text_free(&first);
    fuzz_text_free(&second);
    plx_results_free(&again);
    plx_results_free(&results);
    return 0;
}
