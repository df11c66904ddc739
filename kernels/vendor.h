/* What the plugins that call a vendor's library have in common. */
#ifndef PLX_KERNELS_VENDOR_H
#define PLX_KERNELS_VENDOR_H

#include <parallax/plugin.h>

/* The depth of a sum whose order is the library's own: at most one rounding a term.
 * 0 for what only moves data. */
int64_t plx_vendor_depth(const plx_problem *problem, const plx_device_info *device);

#endif
