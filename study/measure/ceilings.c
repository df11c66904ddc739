/* plx_measure_ceilings: what devices can do at most, without any problem to compare. */
#include "study/measure/ceiling.h"

#include <parallax/compare.h>

static plx_status measure_all(plx_open_backends *opened, plx_results *results, plx_error *error)
{
    const uint32_t every_kind = (UINT32_C(1) << PLX_CEILING_COUNT) - 1;
    plx_status status = plx_backends_list(opened, results, error);

    if (opened->count > 0)
        plx_ceilings_forget(opened->backends[0]);
    for (size_t i = 0; status == PLX_OK && i < opened->count; ++i)
        plx_ceilings_measure(opened->backends[i], every_kind, true, &results->devices[i].ceilings);
    if (status == PLX_OK)
        plx_backends_environment(opened, results);
    return status;
}

plx_status plx_measure_ceilings(plx_context *context, const char *const *backends, size_t count, plx_results *results,
                                plx_error *error)
{
    plx_results made = {.record_count = 0};
    plx_open_backends opened;
    plx_status status = plx_backends_open(context, backends, count, &opened, error);

    if (status == PLX_OK) {
        status = measure_all(&opened, &made, error);
        plx_backends_close(&opened);
    }
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}
