/* Leaves one slot empty. */
#include "dummy.h"

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "dummy-slot",
    .version = "1.2.3",
    .summary = "a plugin without hardware",
    .probe = dummy_probe,
    DUMMY_SLOTS,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &dummy_plugin;
}
