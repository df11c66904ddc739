/* What the description, the reference and the recipes of the products on matrix units share. */
#ifndef PLX_KERNELS_PROBE_UNITS_H
#define PLX_KERNELS_PROBE_UNITS_H

#include <parallax/types.h>

#include "probe/tiles.h"

static inline bool plx_probe_on_units(plx_probe_pattern pattern)
{
    return pattern >= PLX_PROBE_UNITS_F16 && pattern <= PLX_PROBE_UNITS_F64;
}

/* Terms of an element: what a row of 128 bytes holds of the units' type. */
static inline int64_t plx_probe_units_depth(plx_probe_pattern pattern)
{
    switch (pattern) {
    case PLX_PROBE_UNITS_I8:
        return PROBE_UNITS_LINE;
    case PLX_PROBE_UNITS_TF32:
        return PROBE_UNITS_LINE / 4;
    case PLX_PROBE_UNITS_F64:
        return PROBE_UNITS_LINE / 8;
    default:
        return PROBE_UNITS_LINE / 2;
    }
}

/* Columns of the product. */
static inline int64_t plx_probe_units_cols(plx_probe_pattern pattern)
{
    return pattern == PLX_PROBE_UNITS_F64 ? PROBE_UNITS_F64_COLS : PROBE_UNITS_COLS;
}

#endif
