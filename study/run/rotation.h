/* The operands of plain runs on a device: of repeated, counted and timed ones.  Private to
 * libparallax-study. */
#ifndef PLX_ROTATION_H
#define PLX_ROTATION_H

#include "study/run/run.h"

/* The operands of a problem on one backend, several times over, so that a launch finds
 * nothing of its own in the cache. */
typedef struct plx_rotation {
    const plx_inputs *inputs;
    plx_operand_buffers operands;
    size_t next;                /* set */
    struct plx_rotation *other; /* the next one of a list */
} plx_rotation;

/* How many sets make `footprint` bytes exceed twice the cache, within the memory. */
size_t plx_rotation_sets(uint64_t footprint, uint64_t largest, uint64_t cache, const plx_device_info *device);
/* Finds in *rotations or adds to it; hot: one set for each queue.  Problems of one sweep share
 * their data, and then need it on the device once. */
plx_status plx_rotation_for(plx_rotation **rotations, plx_backend *backend, const plx_inputs *inputs, bool hot,
                        size_t queues, plx_rotation **found, plx_error *error);
void plx_rotations_free(plx_rotation *rotations);
/* The operands of the next launch.  Returns the number of their set. */
size_t plx_rotation_views(plx_rotation *rotation, plx_view *views);
/* Whether all that its launches touch fits in the cache. */
bool plx_rotation_is_cached(const plx_rotation *rotation);

#endif
