/* Which kernel was fastest for a user's shapes on the user's device: measured by
 * plx_tune(), kept between runs, taken before the plugin's own choice.  Private to the
 * core. */
#ifndef PLX_CORE_CHOICES_H
#define PLX_CORE_CHOICES_H

#include "core.h"

#include <jansson.h>

/* The kernel that was measured to be the fastest for this problem on this backend's
 * device with this driver and these kernels.  False: nothing is known. */
bool plx_choice_find(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity);
/* Remembers the first choice that could not be taken, for plx_tuned_ignored(). */
void plx_choice_ignore(plx_backend *backend, const plx_problem *problem, const char *kernel,
                       const char *reason);
/* Reads the file again when a plan is next made. */
void plx_choices_forget(plx_context *context);

/* A choice as it is written, without a kernel; NULL: no memory. */
json_t *plx_choice_key(const char *plugin, const plx_device_info *device, const plx_problem *problem);
bool plx_choice_same_key(const json_t *a, const json_t *b);

/* The file, for plx_tune(): reads, replaces what `changes` (an array) says of the same
 * problems, writes.  A change without a kernel takes the old choice away. */
plx_status plx_choices_change(const json_t *changes, plx_error *error);

#endif
