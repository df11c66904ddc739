/* What code of a plugin may not change of its process (base/process.h) and of the thread that calls it
 * (parallax/floats.h) is put back when it returns, and remembered.  Private to libparallax. */
#ifndef PLX_CORE_GUARD_H
#define PLX_CORE_GUARD_H

#include "base/process.h"

#include <parallax/floats.h>

#include <stdatomic.h>

/* The calls of a plugin. */
typedef enum plx_call_kind {
    PLX_CALL_LOADING,
    PLX_CALL_KERNELS,
    PLX_CALL_LISTING_DEVICES,
    PLX_CALL_OPENING,
    PLX_CALL_CLOSING,
    PLX_CALL_ALLOCATION,
    PLX_CALL_FREEING,
    PLX_CALL_CREATING_QUEUE,
    PLX_CALL_DESTROYING_QUEUE,
    PLX_CALL_WAITING,
    PLX_CALL_UPLOAD,
    PLX_CALL_DOWNLOAD,
    PLX_CALL_FILL,
    PLX_CALL_COPY,
    PLX_CALL_CREATING_EVENT,
    PLX_CALL_DESTROYING_EVENT,
    PLX_CALL_RECORDING_EVENT,
    PLX_CALL_TIMING,
    PLX_CALL_TELEMETRY,
    PLX_CALL_CHOOSING,
    PLX_CALL_SUPPORTING,
    PLX_CALL_CONFIGURATIONS,
    PLX_CALL_RATES,
    PLX_CALL_EXPECTING,
    PLX_CALL_DEPTH,
    PLX_CALL_PLANNING,
    PLX_CALL_RELEASING,
    PLX_CALL_EXECUTION,
    PLX_CALL_COUNTING,
    PLX_CALL_WRITING_CODE,
    PLX_CALL_PLANNING_TEXT,
    PLX_CALL_LAUNCHES,
    PLX_CALL_INSTRUCTIONS,
    PLX_CALL_MEMORY_PLACE,
    PLX_CALL_IMPORTING,
    PLX_CALL_TELLING_MEMORY,
    PLX_CALL_TELLING_QUEUE,
    PLX_CALL_ORDERING,
    PLX_CALL_TELLING_DEVICE,
    PLX_CALL_IMPORTING_QUEUE,
    PLX_CALL_RESERVING,
    PLX_CALL_LENDING,
    PLX_CALL_PINNING,
    PLX_CALL_UNPINNING,
    PLX_CALL_HEALTH,
    PLX_CALL_COPY_BETWEEN,
    PLX_CALL_KINDS
} plx_call_kind;
#define PLX_CALL_BIT(kind) (UINT64_C(1) << (kind))

/* "execution". */
extern const char *const plx_call_names[PLX_CALL_KINDS];

/* What one plugin did to its process.  A kind of call that is made often, and left the process as it was, is
 * trusted from then on; one in which anything was changed never is. */
typedef struct plx_conduct {
    atomic_uint_least64_t trusted, suspect; /* kinds of calls */
    atomic_int first[PLX_PART_COUNT];       /* the kind of call that changed it first, and 1; 0: none did */
    atomic_uint_least64_t signals;
    atomic_uint_least32_t limits, lasting;
} plx_conduct;

/* "the locale (loading), handlers of SIGINT SIGTERM (planning)"; "": nothing. */
void plx_conduct_text(const plx_conduct *conduct, char *text, size_t capacity);

/* One call, from its beginning to its end. */
typedef struct plx_guarded {
    plx_conduct *conduct;
    plx_floats floats; /* the caller's */
    plx_call_kind kind;
    bool whole; /* the process was looked at, too */
    plx_thread thread;
} plx_guarded;

/* The slow halves: of the process, and of floating-point that a plugin changed. */
void plx_guard_process(plx_guarded *guarded);
void plx_guard_process_end(plx_guarded *guarded);
void plx_guard_floats_changed(plx_conduct *conduct, plx_call_kind kind, plx_floats now);
/* Of a thread that ended within such a call. */
void plx_guard_abandoned(void);

/* Code of plugins begins with the default floating-point environment, whatever the caller's is: so do the
 * threads that it starts.  `whole`: look at the process, even if such calls are trusted. */
static inline void plx_guard_begin(plx_guarded *guarded, plx_conduct *conduct, plx_call_kind kind, bool whole)
{
    guarded->conduct = conduct;
    guarded->kind = kind;
    guarded->floats = plx_floats_begin();
    guarded->whole = whole || (atomic_load_explicit(&conduct->trusted, memory_order_relaxed) & PLX_CALL_BIT(kind)) == 0;
    if (guarded->whole)
        plx_guard_process(guarded);
}

static inline void plx_guard_end(plx_guarded *guarded)
{
    const plx_floats now = plx_floats_now();
    if (!plx_floats_same(now, plx_floats_normal()))
        plx_guard_floats_changed(guarded->conduct, guarded->kind, now);
    if (!plx_floats_same(now, guarded->floats))
        plx_floats_set(guarded->floats);
    if (guarded->whole)
        plx_guard_process_end(guarded);
}

#endif
