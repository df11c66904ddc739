/* A limit on how much memory this process may map. */
#define _POSIX_C_SOURCE 200809L
#include "base/address_limit.h"

#include <stdio.h>
#include <sys/resource.h>

static rlim_t limit(void)
{
    struct rlimit found;
    return getrlimit(RLIMIT_AS, &found) == 0 ? found.rlim_cur : RLIM_INFINITY;
}

bool plx_has_address_limit(void)
{
    return limit() != RLIM_INFINITY;
}

const char *plx_address_limit(char text[PLX_ADDRESS_LIMIT_TEXT])
{
    const rlim_t found = limit();
    text[0] = '\0';
    if (found != RLIM_INFINITY)
        (void)snprintf(text, PLX_ADDRESS_LIMIT_TEXT, "; this process may map no more than %.1f MiB (ulimit -v)",
                       (double)found / (1 << 20));
    return text;
}
