/* The vector units of this processor, as the ceiling of multiply-adds uses them. */
#ifndef PLX_PROBE_HOST_VECTORS_H
#define PLX_PROBE_HOST_VECTORS_H

#include "kernels/host.h"

/* Writes to each output the sum of PROBE_FMA_CHAINS chains a <- factor * a + PROBE_FMA_TERM that begin at the
 * input and the chain's number. */
typedef void probe_chains(const char *in, char *out, int64_t bytes, int32_t repeat, double factor);

typedef struct probe_unit {
    const char *name;
    probe_chains *f32, *f64;
} probe_unit;

/* The units that multiply and add in one instruction and are there, the widest first; NULL: no more. */
const probe_unit *plx_probe_fused_unit(int64_t which);
/* The same of those that do it in two. */
const probe_unit *plx_probe_plain_unit(int64_t which);

#endif
