/* What a kernel's model of its time stands on, and expects. */
#include "core/core.h"

#include <math.h>

plx_status plx_kernel_rates(plx_backend *backend, const plx_problem *problem, const char *kernel, plx_rate *rates,
                            size_t capacity, size_t *count)
{
    plx_problem normal;
    plx_error error = {.text = ""};
    size_t index;
    plx_status status = plx_kernel_find_for(backend, problem, kernel, &normal, &index);
    if (status != PLX_OK)
        return status;
    *count = 0;
    if (backend->plugin->rates == NULL || plx_added_of(backend->context, backend->module, problem->op, index) != NULL)
        return PLX_OK;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_RATES);
    status = backend->plugin->rates(backend->session, &normal, index, rates, capacity, count, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = plx_rates_check(rates, capacity, *count, &error);
    return status == PLX_OK ? PLX_OK
                            : plx_backend_failed(backend, status, &error, "listing the rates of %s/%.64s",
                                                 plx_op_name(problem->op), kernel);
}

plx_status plx_kernel_expect(plx_backend *backend, const plx_problem *problem, const char *kernel,
                             const plx_config *config, const double *rates, double *us)
{
    plx_problem normal;
    plx_error error = {.text = ""};
    size_t index;
    double expected = 0.0;
    plx_status status = plx_kernel_find_for(backend, problem, kernel, &normal, &index);
    if (status != PLX_OK)
        return status;
    if (backend->plugin->expect == NULL || plx_added_of(backend->context, backend->module, problem->op, index) != NULL)
        return plx_context_fail(backend->context, PLX_UNSUPPORTED, "%s has no models", plx_backend_name(backend));
    normal.config = config != NULL ? config->number : 0;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_EXPECTING);
    status = backend->plugin->expect(backend->session, &normal, index, rates, &expected, &error);
    plx_leave(&call);
    if (status == PLX_OK && !(isfinite(expected) && expected > 0))
        status = plx_fail(&error, PLX_FAILED, "it expects %g microseconds, which can't be", expected);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "expecting the time of %s/%.64s", plx_op_name(problem->op),
                                  kernel);
    *us = expected;
    return PLX_OK;
}
