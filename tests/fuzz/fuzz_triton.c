/* The files of a kernel that Triton compiled: its JSON, then, behind a NUL, its PTX; a recipe names them.  Whatever
 * they say, there are launches, or a reason; no other file is read. */
#include "tests/fuzz/fuzz.h"

#include <parallax/tool.h>
#include <parallax/recipe.h>

#include <string.h>

static const char recipe_text[] =
    "{\"parallax_recipe\": 1, \"op\": \"transpose\", \"maps\": {\"a\": {\"of\": \"in\", \"size\": [\"cols\", \"rows\"],"
    "\"stride\": [\"ld_in * esize\"], \"box\": [32, 64], \"swizzle\": 128}}, \"launches\": [{\"triton\": \"k.json\", "
    "\"grid\": "
    "[\"rows\"], \"args\": [%s]}]}";
static const char *const arguments[] = {
    "{\"operand\": \"in\"}, {\"operand\": \"out\"}, {\"i32\": \"rows\"}, {\"i32\": 1}, {\"i32\": 2}, {\"i32\": 3}",
    "{\"map\": \"a\"}, {\"operand\": \"out\"}, {\"f32\": 1}",
    "",
};

static void try(const char *path)
{
    plx_recipe_file *recipe = NULL;
    plx_launches_shown shown = {.problem = plx_transpose_of(PLX_F32, 100, 200)};
    plx_device_info device;
    plx_error error = {""};
    fuzz_text text;
    if (plx_recipe_file_read(path, &recipe, &error) != PLX_OK) {
        fuzz_require_reason(&error);
        return;
    }
    fuzz_require(plx_described_device("h100", &device, &error) == PLX_OK, "there is such a device");
    if (plx_launches_make(recipe, &shown.problem, &device, NULL, 0, &shown.launches, &error) != PLX_OK)
        fuzz_require_reason(&error);
    (void)snprintf(shown.reason, sizeof shown.reason, "%s", error.text);
    fuzz_text_open(&text);
    fuzz_require(plx_launches_write_text(recipe, &device, &shown, 1, text.to, &error) == PLX_OK,
                 "launches can be shown");
    fuzz_text_close(&text);
    fuzz_require_lines(&text);
    fuzz_text_free(&text);
    plx_launches_free(shown.launches);
    plx_recipe_file_free(recipe);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const fuzz_halves halves = fuzz_split(bytes, size);
    char path[400], text[1024];
    (void)snprintf(path, sizeof path, "%s/k.json", fuzz_directory());
    fuzz_put(path, halves.first, halves.first_size);
    (void)snprintf(path, sizeof path, "%s/k.ptx", fuzz_directory());
    fuzz_put(path, halves.second, halves.second_size);
    (void)snprintf(path, sizeof path, "%s/r.json", fuzz_directory());
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        const int length = snprintf(text, sizeof text, recipe_text, arguments[i]);
        fuzz_put(path, text, (size_t)length);
        try(path);
    }
    return 0;
}
