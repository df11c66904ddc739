/* Made when the descriptor was smaller. */
#include "dummy.h"

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin) - 8,
    .name = "dummy-short",
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
