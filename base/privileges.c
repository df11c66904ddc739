/* Raised privileges: the system says so when it starts a program. */
#define _GNU_SOURCE /* getauxval */

#include "base/privileges.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The identities too: a program may have changed them since it was started. */
bool plx_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

const char *plx_getenv(const char *name)
{
    return plx_is_privileged() ? NULL : getenv(name);
}
