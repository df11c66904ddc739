/* A limit on how much memory this process may map (RLIMIT_AS, ulimit -v), for messages of memory that is not
 * to be had. Private to the tree. */
#ifndef PLX_BASE_ADDRESS_LIMIT_H
#define PLX_BASE_ADDRESS_LIMIT_H

#include <stdbool.h>

enum { PLX_ADDRESS_LIMIT_TEXT = 96 };

bool plx_has_address_limit(void);
/* "; this process may map no more than 512 MiB (ulimit -v)"; "" without a limit.  Returns `text`. */
const char *plx_address_limit(char text[PLX_ADDRESS_LIMIT_TEXT]);

#endif
