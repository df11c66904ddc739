/* No set has probes: `parallax probe` runs them with the sizes that they need. */

#include "kernels/sets.h"

const plx_op_sets plx_probe_sets = {.row_count = 0};
