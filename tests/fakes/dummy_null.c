/* Returns no descriptor. */
#include <parallax/plugin.h>

const plx_plugin *plx_plugin_entry(void)
{
    return NULL;
}
