/* Numbers that nobody can foresee.  Private to the tree. */
#ifndef PLX_BASE_SECRET_H
#define PLX_BASE_SECRET_H

#include <stdint.h>

/* From the system; less than 2^53. */
uint64_t plx_secret(void);

#endif
