/* Files of arrays.  What is read is written and read again the same. */
#include "tests/fuzz/fuzz.h"

#include <parallax/plugin.h>

#include <string.h>

static bool same(const plx_array *a, const plx_array *b)
{
    const size_t bytes = (size_t)(a->rows * a->cols) * plx_dtype_size(a->dtype);
    return a->dtype == b->dtype && strcmp(a->type, b->type) == 0 && a->rank == b->rank && a->rows == b->rows &&
           a->cols == b->cols && (bytes == 0 || memcmp(a->data, b->data, bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[300];
    plx_array array, again;
    plx_error error = {""};
    const plx_status status = plx_npy_read(fuzz_file(0, bytes, size), &array, &error);
    if (status != PLX_OK) {
        fuzz_require_reason(&error);
        return 0;
    }
    (void)snprintf(path, sizeof path, "%s/array.npy", fuzz_directory());
    fuzz_require(plx_npy_write(path, &array, &error) == PLX_OK, "what was read can be written");
    fuzz_require(plx_npy_read(path, &again, &error) == PLX_OK, "what was written can be read");
    fuzz_require(same(&array, &again), "what was written is read the same");
    plx_array_free(&again);
    plx_array_free(&array);
    return 0;
}
