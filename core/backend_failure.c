/* What happens when a call of a backend fails, or does something else than planned.  Below all who make calls: it opens
 * nothing. */
#include "core/core.h"

#include "base/address_limit.h"

#include <stdarg.h>
#include <stdio.h>

plx_status plx_backend_lost(const plx_backend *backend)
{
    return plx_context_fail(backend->context, PLX_DEVICE_LOST,
                            "%s is lost and runs nothing more; what happened first: %s", backend->label,
                            backend->lost_reason);
}

/* Only the first reason is kept: the later ones follow from it. */
void plx_backend_mark_lost(plx_backend *backend, const char *reason)
{
    (void)pthread_mutex_lock(&backend->lock);
    if (!atomic_load(&backend->lost)) {
        (void)snprintf(backend->lost_reason, sizeof backend->lost_reason, "%s", reason);
        atomic_store_explicit(&backend->lost, true, memory_order_release);
    }
    (void)pthread_mutex_unlock(&backend->lock);
}

plx_status plx_backend_failed(plx_backend *backend, plx_status status, const plx_error *error, const char *format, ...)
{
    char tried[160];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(tried, sizeof tried, format, arguments);
    va_end(arguments);
    plx_error said = *error;
    plx_text_clean(said.text, sizeof said.text);
    if ((unsigned)status >= PLX_STATUS_COUNT)
        status = plx_answered(status, NULL, &said);
    const char *why = said.text[0] != '\0' ? said.text : plx_strerror(status);
    const char *verb = status == PLX_UNSUPPORTED ? "is not supported" : "failed";
    char limit[PLX_ADDRESS_LIMIT_TEXT] = "";
    if (status == PLX_NO_MEMORY)
        (void)plx_address_limit(limit);
    (void)plx_context_fail(backend->context, status, "%s: %s %s: %s%s", backend->label, tried, verb, why, limit);
    if (status == PLX_DEVICE_LOST)
        plx_backend_mark_lost(backend, plx_message(backend->context));
    return status;
}

void plx_backend_remarked(plx_backend *backend, const plx_error *remark, const char *op, const char *kernel)
{
    plx_context *context = backend->context;
    plx_error said = *remark;
    plx_text_clean(said.text, sizeof said.text);
    (void)pthread_mutex_lock(&context->lock);
    if (context->remark[0] == '\0')
        (void)snprintf(context->remark, sizeof context->remark, "%s: %s/%s: %s", backend->label, op, kernel, said.text);
    (void)pthread_mutex_unlock(&context->lock);
}

void plx_plan_remarked(plx_plan *plan, const plx_error *remark)
{
    plx_context *context = plan->backend->context;
    plx_error said = *remark;
    plx_text_clean(said.text, sizeof said.text);
    (void)pthread_mutex_lock(&context->lock);
    if (plan->remark[0] == '\0')
        (void)snprintf(plan->remark, sizeof plan->remark, "%.159s", said.text);
    (void)pthread_mutex_unlock(&context->lock);
}

const char *plx_plan_remark(plx_plan *plan)
{
    plx_context *context = plan->backend->context;
    (void)pthread_mutex_lock(&context->lock);
    const char *text = plan->remark;
    (void)pthread_mutex_unlock(&context->lock);
    return text;
}

/* Written once, so that it stays as it is when the lock is gone. */
const char *plx_remark(plx_context *context)
{
    (void)pthread_mutex_lock(&context->lock);
    const char *text = context->remark;
    (void)pthread_mutex_unlock(&context->lock);
    return text;
}
