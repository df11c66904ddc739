/* A file of device code, which anybody may have written: the first byte chooses what it is said to be.  It is read, or
 * has a reason; PTX is compared with a recipe; nothing is compiled or run. */
#include "tests/fuzz/fuzz.h"

#include <parallax/recipe.h>
#include <parallax/tool.h>

#include <string.h>

static const char recipe[] =
    "{\"parallax_recipe\": 1, \"op\": \"reduce\", \"launches\": [{\"entry\": \"k\", \"grid\": [1], "
    "\"block\": [32], \"args\": [{\"operand\": \"x\"}, {\"operand\": \"result\"}, {\"i32\": \"n\"}]}]}";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const endings[] = {"cubin", "ptx", "cl", "cubin"};
    char source[512], path[512];
    plx_kernel_file *kernel = NULL;
    plx_device_info device;
    plx_error error = {""};
    if (size == 0)
        return 0;
    const size_t which = bytes[0] % 4;
    (void)snprintf(source, sizeof source, "%s/k.%s", fuzz_directory(), endings[which]);
    (void)snprintf(path, sizeof path, "%s/k.json", fuzz_directory());
    fuzz_put(path, recipe, sizeof recipe - 1);
    fuzz_put(source, bytes + 1, size - 1);
    const plx_kernel_wanted wanted = {.source = source};
    plx_status status = plx_kernel_file_open(&wanted, &kernel, &error);
    if (status == PLX_OK) {
        const plx_problem problem = plx_reduce_of(PLX_F32, PLX_SUM, 1000);
        fuzz_require(plx_described_device("h100", &device, &error) == PLX_OK, "there is such a device");
        status = plx_kernel_file_compile(kernel, &problem, &device, &error);
    }
    fuzz_require(status == PLX_OK || status == PLX_INVALID || status == PLX_UNSUPPORTED || status == PLX_IO,
                 "code is read, or is none");
    if (status != PLX_OK)
        fuzz_require_reason(&error);
    plx_kernel_file_free(kernel);
    fuzz_clean();
    return 0;
}
