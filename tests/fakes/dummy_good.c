/* A plugin with which everything is right. */
#include "dummy.h"

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "dummy-good",
    .version = "1.2.3",
    .summary = "a plugin without hardware",
    .probe = dummy_probe,
    .copy = dummy_copy,
    DUMMY_SLOTS,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &dummy_plugin;
}
