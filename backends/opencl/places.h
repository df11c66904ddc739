/* Buffers that begin within other buffers: what device code gets that takes a pointer without an offset. */
#ifndef PLX_BACKENDS_OPENCL_PLACES_H
#define PLX_BACKENDS_OPENCL_PLACES_H

#include "backends/opencl/opencl.h"

/* The sub-buffers of one plan, kept for its next calls.  Not for several threads at once. */
typedef struct plx_cl_places plx_cl_places;

/* NULL: no memory. */
plx_cl_places *plx_cl_places_new(const plx_session *session);
void plx_cl_places_free(plx_cl_places *places);
/* Before the arguments of a launch are set: those of earlier ones may go. */
void plx_cl_places_begin(plx_cl_places *places);
/* The buffer of `bytes` that begins at a byte of `memory`; it stays until the launches after the next
 * begin(). Those of one memory must not overlap: NVIDIA's driver crashes when one of two such goes.
 * PLX_UNSUPPORTED where the device lets none begin there. */
plx_status plx_cl_place(plx_cl_places *places, cl_mem memory, uint64_t byte, uint64_t bytes, cl_mem *place,
                        plx_error *error);

#endif
