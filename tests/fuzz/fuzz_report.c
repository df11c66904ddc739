/* Pages and tables of two files of results.  Nothing of a file is markup, and no control character of it
 * arrives. */
#include "tests/fuzz/fuzz.h"

#include "page/page.h"

#include <stdlib.h>
#include <string.h>

static void check_text(fuzz_text *text)
{
    fuzz_text_close(text);
    fuzz_require(strlen(text->text) == text->length, "a page has no NUL");
    for (const char *at = text->text; *at != '\0'; at++)
        fuzz_require((unsigned char)*at >= ' ' || *at == '\n', "a page has no control character");
    fuzz_require(strstr(text->text, "<script") == NULL, "nothing of a file is markup");
    fuzz_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const fuzz_halves halves = fuzz_split(bytes, size);
    fuzz_text text;
    plx_error error = {""};
    const char *files[2];
    (void)setenv("PATH", "/nonexistent", 1); /* no gnuplot: it is not what is tried */
    files[0] = fuzz_file(0, halves.first, halves.first_size);
    files[1] = fuzz_file(1, halves.second, halves.second_size);
    fuzz_text_open(&text);
    const plx_status status = plx_report_write(files, 2, text.to, &error);
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    check_text(&text);
    fuzz_text_open(&text);
    if (plx_report_markdown(files, 2, NULL, text.to, &error) != PLX_OK)
        fuzz_require_reason(&error);
    (void)fflush(text.to);
    fuzz_require(text.text == NULL || strchr(text.text, '<') == NULL, "a table in Markdown has no HTML at all");
    check_text(&text);
    return 0;
}
