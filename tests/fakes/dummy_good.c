/* A plugin with which everything is right.  DUMMY_BYTES: its descriptor ends there. */
#include "dummy.h"

#include <stddef.h>

#ifndef DUMMY_BYTES
#define DUMMY_BYTES sizeof(plx_plugin)
#endif

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = DUMMY_BYTES,
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
