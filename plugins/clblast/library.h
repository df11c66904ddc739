/* Sessions of the clblast plugin, with the user's tuned parameters. */
#ifndef PLX_PLUGINS_CLBLAST_LIBRARY_H
#define PLX_PLUGINS_CLBLAST_LIBRARY_H

#include "backends/opencl/opencl.h"

/* Opens a session whose device has the tuned parameters that the user names. */
plx_status plx_clblast_open(size_t device, plx_session **session, plx_error *error);
plx_status plx_clblast_open_on(const plx_native_device *native, size_t *device, plx_session **session,
                               plx_error *error);
/* Closes it, and lets CLBlast forget what it keeps of sessions that are closed. */
void plx_clblast_close(plx_session *session);

#endif
