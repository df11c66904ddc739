/* Memory of the host that another process can reach, and functions that are there.  Private to plugins/host. */
#ifndef PLX_HOST_SHARED_H
#define PLX_HOST_SHARED_H

#include "backends/host/host.h"

/* From now on memory is such. */
plx_status host_share_memory(plx_session *session, plx_error *error);
plx_status host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void host_free(plx_session *session, plx_memory *memory);
/* What another process needs of it; it can be written there only where that is said.  PLX_UNSUPPORTED: it was not made
 * so. */
plx_status host_reach(const plx_operand *operand, bool written, plx_reached *reached, plx_error *error);

#endif
