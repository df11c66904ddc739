/* How many clusters a device runs at once. */
#ifndef PLX_PLUGINS_CUDA_CLUSTERS_H
#define PLX_PLUGINS_CUDA_CLUSTERS_H

#include <parallax/plugin.h>

/* Slots: contracts in parallax/plugin.h.  Sessions whose device has clusters know how many it runs. */
plx_status plx_cuda_open_counted(size_t device, plx_session **session, plx_error *error);
plx_status plx_cuda_open_on_counted(const plx_native_device *native, size_t *device, plx_session **session,
                                    plx_error *error);
void plx_cuda_opened(plx_session *session, plx_device_info *info);

#endif
