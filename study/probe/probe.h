/* The sweeps of the probes.  Private to libparallax; what users see is in
 * parallax/study.h. */
#ifndef PLX_PROBE_H
#define PLX_PROBE_H

#include <parallax/study.h>

typedef struct plx_probe_list {
    plx_probe_sweep *sweeps;
    size_t count;
} plx_probe_list;

/* Appends the sweeps of one probe (by its place in plx_probe_name()), sized for the
 * device.  Points are not run yet. */
plx_status plx_probe_sweeps(size_t probe, const plx_device_info *device, bool quick, plx_probe_list *list,
                            plx_error *error);
void plx_probe_sweeps_free(plx_probe_sweep *sweeps, size_t count);

#endif
