/* What bench knows of its sets beyond what is public.  Private to the core. */
#ifndef PLX_CORE_SETS_H
#define PLX_CORE_SETS_H

#include <parallax/study.h>

/* The most operations and bytes that a processor is asked for by a set; false: no set has
 * that name. */
bool plx_set_limits(const char *name, double *flops, double *bytes);

#endif
