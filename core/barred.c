/* Backends that are not to be used, because of what became of them before. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

plx_status plx_barred_copy(plx_context *context, const plx_tool_options *tool)
{
    const size_t count = tool != NULL ? tool->barred_count : 0;
    context->barred = calloc(count + 1, sizeof *context->barred);
    for (size_t i = 0; context->barred != NULL && i < count; i++) {
        const plx_barred copy = {plx_text("%s", tool->barred[i].backend), plx_text("%s", tool->barred[i].reason)};
        context->barred[context->barred_count++] = copy;
        if (copy.backend == NULL || copy.reason == NULL)
            return plx_out_of_memory(NULL, "a context");
    }
    return context->barred != NULL ? PLX_OK : plx_out_of_memory(NULL, "a context");
}

void plx_barred_forget(plx_context *context)
{
    for (size_t i = 0; i < context->barred_count; i++) {
        free((char *)(uintptr_t)context->barred[i].backend); /* copies of our own */
        free((char *)(uintptr_t)context->barred[i].reason);
    }
    free(context->barred);
}

const char *plx_barred_reason(const plx_context *context, const char *backend)
{
    for (size_t i = 0; i < context->barred_count; i++)
        if (strcmp(context->barred[i].backend, backend) == 0)
            return context->barred[i].reason;
    return NULL;
}
