/* Whether the process has rights that whoever started it has not.  Private to the tree. */
#ifndef PLX_BASE_PRIVILEGES_H
#define PLX_BASE_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>

/* A set-user-ID program, one with file capabilities, and the like: what its user brings along
 * (variables, directories, programs) is not to be believed then. */
bool plx_is_privileged(void);
/* The variable's value; NULL when it is not set, or with raised privileges. */
const char *plx_getenv(const char *name);
/* With raised privileges: removes the variables whose names begin so, by which a driver or what finds drivers can be
 * led to other libraries, services or files.  Without: nothing. */
void plx_forget_environment(const char *const *beginnings, size_t count);

#endif
