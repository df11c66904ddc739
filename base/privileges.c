/* Raised privileges: the system says so when it starts a program. */
#define _GNU_SOURCE /* environ */

#include "base/privileges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool begins_so(const char *variable, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* The name of a variable that is to go; "" when there is none.  What has no value is no variable: nobody finds it, and
 * unsetenv() neither. */
static void find_variable(const char *const *beginnings, size_t count, char *name, size_t capacity)
{
    name[0] = '\0';
    for (char **at = environ; name[0] == '\0' && at != NULL && *at != NULL; at++)
        if (begins_so(*at, beginnings, count) && strchr(*at, '=') != NULL && strcspn(*at, "=") < capacity)
            (void)snprintf(name, capacity, "%.*s", (int)strcspn(*at, "="), *at);
}

void plx_forget_environment(const char *const *beginnings, size_t count)
{
    char name[256];
    if (!plx_is_privileged())
        return;
    for (find_variable(beginnings, count, name, sizeof name); name[0] != '\0' && unsetenv(name) == 0;)
        find_variable(beginnings, count, name, sizeof name);
}
