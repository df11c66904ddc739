/* Code of our own on the device that is screened.  Private to libparallax-study. */
#ifndef PLX_SCREEN_ON_DEVICE_H
#define PLX_SCREEN_ON_DEVICE_H

#include "study/judge/judge.h"

/* Before the first backend of the context is opened. */
void plx_on_device_add(plx_context *context);
/* A plan that counts, for each of so many slots of `bytes` that lie `stride` apart, the words that are not those of one
 * that is proven.  Its operands: the ring, with room for one slot more; the proven one; a word for each slot, to which
 * it adds, and behind them how many slots it looks at.  Else than PLX_OK: the backend takes no such code. */
plx_status plx_on_device_comparer(plx_backend *backend, size_t slots, uint64_t bytes, uint64_t stride, plx_plan **plan);
/* Generates an operand in memory of the device, and holds it against the host's: by a digest of all of it, and by
 * pieces. PLX_UNSUPPORTED: the backend takes no such code, or it is no operand for it; it is to be uploaded. */
plx_status plx_on_device_generate(plx_backend *backend, const plx_inputs *inputs, size_t operand, plx_buffer *to,
                                  uint64_t offset, bool *same);
/* What became of the same computation, made so many times by eight groups for each multiprocessor. */
enum { PLX_MOST_WRONG_UNITS = 16 };
typedef struct plx_units_found {
    size_t groups, wrong_groups;
    bool numbered; /* the device says on which multiprocessor a group was */
    uint32_t wrong[PLX_MOST_WRONG_UNITS];
    size_t wrong_count;
} plx_units_found;
plx_status plx_on_device_units(plx_backend *backend, size_t times, plx_units_found *found);
/* Of the words of so many bytes, as the device adds it up. */
void plx_screen_digest(const void *bytes, uint64_t count, uint32_t digest[2]);

#endif
