/* Files of CLBlast's tuners.  What reaches CLBlast are names and numbers within their limits. */
#include "tests/fuzz/fuzz.h"

#include "plugins/clblast/tuned.h"

#include <stdlib.h>
#include <string.h>

/* In place of CLBlast, which would look for a device. */
CLBlastStatusCode CLBlastOverrideParameters(const cl_device_id device, const char *kernel,
                                            const CLBlastPrecision precision, const size_t count, const char **names,
                                            const size_t *values)
{
    (void)device;
    fuzz_require(kernel[0] != '\0' && count <= 24, "a kernel has a name and few parameters");
    fuzz_require(precision == CLBlastPrecisionSingle || precision == CLBlastPrecisionDouble,
                 "the precision is one that is asked for");
    for (size_t i = 0; i < count; i++)
        fuzz_require(names[i][0] != '\0' && strlen(names[i]) < 32 && strpbrk(names[i], "= ") == NULL &&
                         values[i] <= 1048576,
                     "parameters are names and sensible numbers");
    return count == 1 ? CLBlastMissingOverrideParameter : CLBlastSuccess;
}

plx_status plx_clblast_check(CLBlastStatusCode code, const char *function, plx_error *error)
{
    return code == CLBlastSuccess ? PLX_OK : plx_fail(error, PLX_FAILED, "%s", function);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const plx_device_info device = {.name = "device"};
    const fuzz_halves halves = fuzz_split(bytes, size);
    char list[100];
    plx_error error = {""};
    const char *first = fuzz_file(0, halves.first, halves.first_size);
    (void)snprintf(list, sizeof list, "%s:%s", first, fuzz_file(1, halves.second, halves.second_size));
    (void)setenv("PLX_CLBLAST_TUNED", list, 1);
    const plx_status status = plx_clblast_tune(NULL, device.name, &error);
    fuzz_require(status == PLX_OK || error.text[0] != '\0', "what is refused has a reason");
    plx_clblast_tuned_warn(&device, 1, &error);
    return 0;
}
