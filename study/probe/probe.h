/* The sweeps of the probes.  Private to libparallax; what users see is in
 * parallax/study.h. */
#ifndef PLX_PROBE_H
#define PLX_PROBE_H

#include <parallax/study.h>

typedef struct plx_probe_list {
    plx_probe_sweep *sweeps;
    size_t count;
} plx_probe_list;

/* Where sweeps find their kernels: in a backend's tables. */
typedef struct plx_probe_subject {
    const plx_device_info *device;
    bool quick; /* fewer points */
    /* The name of the kernel number `which` among those that are there to be probed and take the
     * problem; NULL: there are not as many. */
    const char *(*kernel)(const void *data, const plx_problem *problem, size_t which);
    const void *data;
} plx_probe_subject;

/* Appends the sweeps of one probe (by its place in plx_probe_name()), sized for the
 * device.  Points are not run yet; one whose kernel is not there has none. */
plx_status plx_probe_sweeps(size_t probe, const plx_probe_subject *subject, plx_probe_list *list, plx_error *error);

#endif
