/* Reaches no device. */
#include "dummy.h"

static plx_status no_devices(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    (void)devices;
    (void)capacity;
    (void)count;
    return plx_fail(error, PLX_NO_DEVICE, "no driver for dummies; install one");
}

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "dummy-bare",
    .version = "1.2.3",
    .summary = "a plugin without hardware",
    .probe = no_devices,
    .copy = dummy_copy,
    DUMMY_SLOTS,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &dummy_plugin;
}
