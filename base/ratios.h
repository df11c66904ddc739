/* Many ratios of two times as one number: their geometric mean, and how they spread.  The
 * reports and README's tables count with these.  Private to the tree. */
#ifndef PLX_CORE_RATIOS_H
#define PLX_CORE_RATIOS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct plx_ratios {
    double logarithms, least, most;
    size_t count, ahead; /* ahead: 1 or more */
} plx_ratios;

/* True: it is the least so far. */
bool plx_ratios_add(plx_ratios *of, double ratio);
/* The geometric mean; of none it is 1. */
double plx_ratios_mean(const plx_ratios *of);

#endif
