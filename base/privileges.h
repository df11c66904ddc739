/* Whether the process has rights that whoever started it has not.  Private to the tree. */
#ifndef PLX_BASE_PRIVILEGES_H
#define PLX_BASE_PRIVILEGES_H

#include <stdbool.h>

/* A set-user-ID program, one with file capabilities, and the like: what its user brings along
 * (variables, directories, programs) is not to be believed then. */
bool plx_is_privileged(void);
/* The variable's value; NULL when it is not set, or with raised privileges. */
const char *plx_getenv(const char *name);

#endif
