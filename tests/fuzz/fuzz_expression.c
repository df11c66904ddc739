/* An expression of a recipe, which anybody may have written: it has a value, or a reason; its form alone is
 * read by the same grammar. */
#include "tests/fuzz/fuzz.h"

#include "study/recipe/expression.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const plx_named_number numbers[] = {
        {"m", 4096}, {"n", 3}, {"k", 0}, {"TILE", 128}, {"most", INT64_MAX}, {"least", INT64_MIN}};
    const plx_scope scope = {numbers, sizeof numbers / sizeof numbers[0], true, 0.5, 0};
    plx_error error = {""}, of_form = {""};
    char text[1024];
    int64_t value = 0;
    if (size >= sizeof text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    const plx_status status = plx_expression_value(text, &scope, &value, &error);
    const plx_status form = plx_expression_check(text, &scope, &of_form);
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    if (form != PLX_OK)
        fuzz_require_reason(&of_form);
    fuzz_require(status != PLX_OK || form == PLX_OK, "what has a value has the form of an expression");
    fuzz_require(form != PLX_OK || status == PLX_OK || strstr(error.text, " at character ") != NULL,
                 "a value that is missing has a place");
    return 0;
}
