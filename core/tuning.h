/* Which kernel was measured to be the fastest for a user's problems: taken before the plugin's
 * own choice.  Private to libparallax. */
#ifndef PLX_CORE_TUNING_H
#define PLX_CORE_TUNING_H

#include "core/core.h"

/* The file, as it was when it was first asked for. */
struct plx_tuning {
    plx_choice *choices; /* room for all that a file may have; NULL: none */
    size_t count;
};

/* The kernel that was measured to be the fastest for this problem on this backend's
 * device with this driver and these kernels.  False: nothing is known. */
bool plx_tuning_find(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity);
/* The same; what is known of one problem of a batch is better than nothing. */
bool plx_tuning_find_for(const plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity);
/* Remembers the first choice that could not be taken, for plx_tuned_ignored(). */
void plx_tuning_ignore(plx_backend *backend, const plx_problem *problem, const char *kernel, const char *reason);
/* Keeps a choice in the file, and where that can't be in the context; plans that were made stay. */
void plx_tuning_keep(plx_context *context, const plx_choice *choice);
/* Where the application asked for it and nothing is tuned yet: times what the models expect most of, keeps the fastest,
 * and says which it was.  False: the plugin is to choose. */
bool plx_tuning_first_use(plx_backend *backend, const plx_problem *problem, char *kernel, size_t capacity);
/* $PLX_AUTOTUNE */
bool plx_tunes_on_first_use_by_default(void);
/* Reads the file again when a plan is next made; backends that are open forget the plans for
 * which they chose. */
void plx_tuning_forget(plx_context *context);

#endif
