/* The source of a kernel, of which a draft is made: the first byte chooses operation and language.  A draft is JSON,
 * which is read as a recipe, or refused with a reason, as names in it must be. */
#include "tests/fuzz/fuzz.h"

#include <parallax/recipe.h>
#include <parallax/tool.h>

#include <stdlib.h>
#include <string.h>

static void read_back(const char *text)
{
    char path[512];
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    (void)snprintf(path, sizeof path, "%s/k.json", fuzz_directory());
    fuzz_put(path, text, strlen(text));
    const plx_status status = plx_recipe_file_read(path, &recipe, &error);
    fuzz_require(status == PLX_OK || status == PLX_INVALID, "a draft is a recipe, or refused");
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    /* No text that compiles has a name twice. */
    fuzz_require(strstr(error.text, "not JSON") == NULL || strstr(error.text, "duplicate") != NULL, "a draft is JSON");
    plx_recipe_file_free(recipe);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const plx_op ops[] = {PLX_REDUCE, PLX_TRANSPOSE, PLX_MATVEC, PLX_GEMM};
    char source[512], *text = NULL, *notes = NULL;
    plx_error error = {""};
    if (size == 0)
        return 0;
    (void)snprintf(source, sizeof source, "%s/k.%s", fuzz_directory(), bytes[0] & 4 ? "cu" : "cl");
    fuzz_put(source, bytes + 1, size - 1);
    const plx_status status = plx_recipe_draft(ops[bytes[0] & 3], source, NULL, &text, &notes, &error);
    fuzz_require(status == PLX_OK || status == PLX_INVALID || status == PLX_IO, "a draft is made, or is none");
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    else
        read_back(text);
    free(text);
    free(notes);
    fuzz_clean();
    return 0;
}
