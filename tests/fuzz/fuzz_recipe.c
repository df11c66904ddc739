/* A recipe, which anybody may have written: it is read or has a reason; so have launches for problems on devices, and
 * what there is can be shown. */
#include "tests/fuzz/fuzz.h"

#include <parallax/tool.h>
#include <parallax/recipe.h>

#include <string.h>

static plx_problem problem_of(plx_op op, plx_dtype dtype, bool other)
{
    return op == PLX_GEMM        ? plx_gemm_of(dtype, other, false, 128, 256, other ? 0 : 64)
           : op == PLX_MATVEC    ? plx_matvec_of(dtype, other, 100, 200)
           : op == PLX_TRANSPOSE ? plx_transpose_of(dtype, 30, other ? 0 : 50)
                                 : plx_reduce_of(dtype, other ? PLX_MIN : PLX_SUM, 1000);
}

static void require_texts(const plx_recipe_file *recipe, const plx_device_info *device, const plx_launches_shown *shown)
{
    fuzz_text text;
    plx_error error = {""};
    fuzz_text_open(&text);
    fuzz_require(plx_launches_write_text(recipe, device, shown, 1, text.to, &error) == PLX_OK, "launches can be shown");
    fuzz_text_close(&text);
    fuzz_require_lines(&text);
    fuzz_text_free(&text);
    fuzz_text_open(&text);
    fuzz_require(plx_launches_write_json(recipe, device, shown, 1, text.to, &error) == PLX_OK, "JSON can be written");
    fuzz_text_close(&text);
    fuzz_text_free(&text);
}

static void make(const plx_recipe_file *recipe, const char *words, plx_dtype dtype, bool other)
{
    plx_launches_shown shown = {.problem = problem_of(plx_recipe_file_op(recipe), dtype, other)};
    plx_device_info device;
    plx_error error = {""};
    fuzz_require(plx_described_device(words, &device, &error) == PLX_OK, "there is such a device");
    const plx_status status = plx_launches_make(recipe, &shown.problem, &device, NULL, 0, &shown.launches, &error);
    fuzz_require(status == PLX_OK || status == PLX_UNSUPPORTED || status == PLX_INVALID,
                 "launches are made, or can't be");
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    (void)snprintf(shown.reason, sizeof shown.reason, "%s", error.text);
    if (status != PLX_INVALID)
        require_texts(recipe, &device, &shown);
    plx_launches_free(shown.launches);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    plx_recipe_file *recipe = NULL;
    plx_error error = {""};
    if (plx_recipe_file_read(fuzz_file(0, bytes, size), &recipe, &error) != PLX_OK) {
        fuzz_require_reason(&error);
        return 0;
    }
    make(recipe, "h100", PLX_F32, false);
    make(recipe, "processor", PLX_F16, true);
    plx_recipe_file_free(recipe);
    return 0;
}
