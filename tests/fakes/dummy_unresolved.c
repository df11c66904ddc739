/* Uses a function that exists nowhere. */
#include <parallax/plugin.h>

const plx_plugin *dummy_function_that_exists_nowhere(void);

const plx_plugin *plx_plugin_entry(void)
{
    return dummy_function_that_exists_nowhere();
}
