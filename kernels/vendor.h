/* What the plugins that call a vendor's library have in common. */
#ifndef PLX_KERNELS_VENDOR_H
#define PLX_KERNELS_VENDOR_H

#include <parallax/plugin.h>

/* What their kernels for f32 and f64 say alike, for a descriptor. */
#define PLX_VENDOR_REALS \
    .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64), .flags = PLX_KERNEL_VENDOR, .accumulator_f32 = PLX_F32

/* The kernel of an operation in a table with one for each that the library has. */
const plx_kernel *plx_vendor_kernel(const plx_kernel *table, size_t count, plx_op op, size_t index);
/* The slot `choose`, of the operation's first kernel: NULL is PLX_UNSUPPORTED. */
plx_status plx_vendor_choose(const plx_kernel *first, const char *library, size_t *kernel, plx_error *error);
/* Puts devices below all that `auto` takes; the best of them stays the best. */
void plx_vendor_stand_back(plx_device_info *devices, size_t count);

/* The depth of a sum whose order is the library's own: at most one rounding a term.
 * 0 for what only moves data. */
int64_t plx_vendor_depth(const plx_problem *problem, const plx_device_info *device);

/* Whether the output has no element; that of a reduction always has. */
bool plx_vendor_is_empty(const plx_problem *problem);
/* Whether there is nothing to add up: a sum of no terms, or alpha is 0. */
bool plx_vendor_has_no_terms(const plx_problem *problem);

#endif
