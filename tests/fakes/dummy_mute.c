/* A shared object that is no plugin: it has no entry. */
#include <parallax/plugin.h>

PLX_PLUGIN_EXPORT int dummy_something_else(void);

int dummy_something_else(void)
{
    return 1;
}
