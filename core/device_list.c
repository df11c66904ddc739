/* The devices that a plugin lists, checked and made fit to be shown. */
#include "core/core.h"

#include <stdlib.h>

/* No machine has more, and a list that only grows has an end. */
enum { MOST_DEVICES = 4096, MOST_QUESTIONS = 8 };

/* One device that can't be says that the driver, or the plugin, is not to be trusted. */
static plx_status check_all(const plx_plugin *by, plx_device_info *devices, size_t count, plx_error *reason)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        status = plx_device_check(i, &devices[i], reason);
        if (status == PLX_OK)
            status = plx_reserved_check(by, "plx_device_info", devices[i].reserved, sizeof devices[i].reserved, reason);
        plx_device_clean(&devices[i]);
    }
    return status;
}

/* Asks once, with room for so many.  PLX_OK with *count over `capacity`: ask again. */
static plx_status ask(const plx_module *module, plx_device_info *devices, size_t capacity, size_t *count,
                      plx_error *reason)
{
    reason->text[0] = '\0';
    *count = 0;
    plx_entered call = plx_enter(module->name, 0.0, module->conduct, PLX_CALL_LISTING_DEVICES, NULL, NULL, false);
    plx_status status = module->slots.probe(devices, capacity, count, reason);
    plx_leave(&call);
    status = plx_answered(status, devices, reason);
    if (status == PLX_OK && *count == 0)
        status = plx_fail(reason, PLX_NO_DEVICE, "it lists no device and gives no reason");
    if (status == PLX_OK && *count > MOST_DEVICES)
        status = plx_fail(reason, PLX_FAILED, "it lists more devices than there can be: %zu", *count);
    return status;
}

static plx_status ask_until_all_fit(const plx_module *module, plx_device_info **devices, size_t *count,
                                    plx_error *reason)
{
    size_t capacity = 8;
    for (int i = 0; i < MOST_QUESTIONS; i++) {
        plx_device_info *list = calloc(capacity, sizeof *list);
        if (list == NULL)
            return plx_fail(reason, PLX_NO_MEMORY, "no host memory for the list of devices");
        plx_status status = ask(module, list, capacity, count, reason);
        if (status == PLX_OK && *count <= capacity)
            status = check_all(&module->slots, list, *count, reason);
        if (status == PLX_OK && *count <= capacity) {
            *devices = list;
            return PLX_OK;
        }
        free(list);
        if (status != PLX_OK)
            return status;
        capacity = *count;
    }
    return plx_fail(reason, PLX_FAILED, "it lists more devices each time it is asked");
}

plx_status plx_module_devices(const plx_module *module, plx_device_info **devices, size_t *count, plx_error *reason)
{
    plx_status status = ask_until_all_fit(module, devices, count, reason);
    plx_text_clean(reason->text, sizeof reason->text);
    if (status != PLX_OK)
        *count = 0;
    if (status != PLX_OK && reason->text[0] == '\0')
        (void)plx_fail(reason, status, "%s; it gives no reason", plx_strerror(status));
    return status;
}
