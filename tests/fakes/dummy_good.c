/* A plugin with which everything is right.  DUMMY_BYTES: its descriptor ends there. */
#include "dummy.h"

#include <stddef.h>

#ifndef DUMMY_BYTES
#define DUMMY_BYTES sizeof(plx_plugin)
#endif

/* What only an open device tells, and what it may not change any more. */
static void tell_more(plx_session *session, plx_device_info *info)
{
    (void)session;
    info->clusters[0] = 7;
    info->clusters[1] = 3;
    info->units = 12345;
}

static const plx_plugin dummy_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = DUMMY_BYTES,
    .name = "dummy-good",
    .version = "1.2.3",
    .summary = "a plugin without hardware",
    .probe = dummy_probe,
    .copy = dummy_copy,
    DUMMY_SLOTS,
    .opened = tell_more,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &dummy_plugin;
}
