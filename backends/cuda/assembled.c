/* The machine code that the driver makes of a text.  It hands it to profilers alone, when it loads a module:
 * linking the text instead would show another, for what is linked later must not count on where shared memory
 * lies. */
#include "config.h"

#include "backends/cuda/cuda.h"

#ifdef HAVE_CUPTI

#include "backends/cuda/cupti.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a thread waits for while it loads a module. */
typedef struct awaited_code {
    void *bytes; /* NULL: nothing came, or there was no memory */
    size_t length;
} awaited_code;

static _Thread_local awaited_code *awaited; /* NULL: of no interest */

static pthread_once_t subscribe_once = PTHREAD_ONCE_INIT;
static plx_status subscribe_status;
static plx_error subscribe_error;

/* On the thread that loads. */
static void CUPTIAPI on_resource(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId which, const void *data)
{
    const CUpti_ResourceData *resource = data;
    (void)unused;
    if (awaited == NULL || awaited->bytes != NULL || domain != CUPTI_CB_DOMAIN_RESOURCE ||
        which != CUPTI_CBID_RESOURCE_MODULE_LOADED)
        return;
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    awaited->bytes = malloc(module->cubinSize > 0 ? module->cubinSize : 1);
    if (awaited->bytes == NULL)
        return;
    memcpy(awaited->bytes, module->pCubin, module->cubinSize);
    awaited->length = module->cubinSize;
}

/* Once per process, and for good: there is one subscriber. */
static void subscribe(void)
{
    CUpti_SubscriberHandle subscriber;
    subscribe_status = plx_cupti_load(&subscribe_error);
    if (subscribe_status == PLX_OK)
        subscribe_status =
            plx_cupti_check(&subscribe_error, plx_cupti.Subscribe(&subscriber, on_resource, NULL), "cuptiSubscribe");
    if (subscribe_status == PLX_OK)
        subscribe_status = plx_cupti_check(
            &subscribe_error,
            plx_cupti.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
            "cuptiEnableCallback");
}

plx_status plx_cuda_text_assemble(plx_session *session, const char *text, uint32_t max_registers, void **cubin,
                                  size_t *length, plx_error *error)
{
    awaited_code code = {.bytes = NULL};
    CUmodule module = NULL;
    (void)pthread_once(&subscribe_once, subscribe);
    if (subscribe_status != PLX_OK)
        return plx_fail(error, PLX_UNSUPPORTED, "the driver shows its machine code to CUPTI alone: %.300s",
                        subscribe_error.text);
    awaited = &code;
    const plx_status status = plx_cuda_text_load(session, text, max_registers, &module, error);
    awaited = NULL;
    plx_cuda_text_unload(session, module);
    if (status == PLX_OK && code.bytes != NULL) {
        *cubin = code.bytes;
        *length = code.length;
        return PLX_OK;
    }
    free(code.bytes);
    return status != PLX_OK
               ? status
               : plx_fail(error, PLX_UNSUPPORTED, "CUPTI showed no machine code of a module that was loaded");
}

#else

plx_status plx_cuda_text_assemble(plx_session *session, const char *text, uint32_t max_registers, void **cubin,
                                  size_t *length, plx_error *error)
{
    (void)session;
    (void)text;
    (void)max_registers;
    (void)cubin;
    (void)length;
    return plx_fail(error, PLX_UNSUPPORTED,
                    "the driver shows its machine code to CUPTI alone, and Parallax was built without it");
}

#endif
