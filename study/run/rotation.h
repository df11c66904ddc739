/* The operands of plain runs on a device: of repeated, counted and timed ones.  Private to
 * libparallax-study. */
#ifndef PLX_ROTATION_H
#define PLX_ROTATION_H

#include "study/run/run.h"

/* The operands of a problem on one backend, several times over, so that a launch finds
 * nothing of its own in the cache.  One buffer holds all sets of an operand, one after
 * the other; each begins where any vector access may, and the operand in it as far behind
 * that as the inputs say. */
typedef struct plx_rotation {
    plx_backend *backend;
    const plx_inputs *inputs;
    size_t sets, next;
    uint64_t stride[PLX_MAX_OPERANDS]; /* bytes from set to set; 0: the operand has none */
    plx_buffer *buffers[PLX_MAX_OPERANDS];
    struct plx_rotation *other; /* the next one of a list */
} plx_rotation;

/* The cache that a timing has to get past: of the device, or of the same chip as another
 * backend sees it; a guess where nobody says. */
uint64_t plx_cache_bytes(const plx_backend *backend);
/* How many sets make `footprint` bytes exceed twice the cache, within the memory. */
size_t plx_rotation_sets(uint64_t footprint, uint64_t largest, uint64_t cache, const plx_device_info *device);
/* Finds in *rotations or adds to it; hot: one set for each queue.  Problems of one sweep share
 * their data, and then need it on the device once. */
plx_status plx_rotation_for(plx_rotation **rotations, plx_backend *backend, const plx_inputs *inputs, bool hot,
                        size_t queues, plx_rotation **found, plx_error *error);
void plx_rotations_free(plx_rotation *rotations);
/* Where in its buffer an operand of a set begins. */
uint64_t plx_rotation_place(const plx_rotation *rotation, size_t operand, size_t set);
/* The operands of the next launch.  Returns the number of their set. */
size_t plx_rotation_views(plx_rotation *rotation, plx_view *views, size_t count);
/* Whether all that its launches touch fits in the cache. */
bool plx_rotation_is_cached(const plx_rotation *rotation);
/* Repeats the first `have` bytes of a buffer until it is full. */
plx_status plx_buffer_double(plx_buffer *buffer, uint64_t have, uint64_t bytes);

#endif
