/* What a plugin changed of its process is put back, and remembered. */
#include "core/guard.h"

#include <pthread.h>
#include <stdio.h>

const char *const plx_call_names[PLX_CALL_KINDS] = {
    [PLX_CALL_LOADING] = "loading",
    [PLX_CALL_KERNELS] = "listing its kernels",
    [PLX_CALL_LISTING_DEVICES] = "listing its devices",
    [PLX_CALL_OPENING] = "opening",
    [PLX_CALL_CLOSING] = "closing",
    [PLX_CALL_ALLOCATION] = "allocation",
    [PLX_CALL_FREEING] = "freeing memory",
    [PLX_CALL_CREATING_QUEUE] = "creating a queue",
    [PLX_CALL_DESTROYING_QUEUE] = "destroying a queue",
    [PLX_CALL_WAITING] = "waiting for its work",
    [PLX_CALL_UPLOAD] = "upload",
    [PLX_CALL_DOWNLOAD] = "download",
    [PLX_CALL_FILL] = "fill",
    [PLX_CALL_COPY] = "copy",
    [PLX_CALL_CREATING_EVENT] = "creating an event",
    [PLX_CALL_DESTROYING_EVENT] = "destroying an event",
    [PLX_CALL_RECORDING_EVENT] = "recording an event",
    [PLX_CALL_TIMING] = "timing by events",
    [PLX_CALL_TELEMETRY] = "telemetry",
    [PLX_CALL_HEALTH] = "telling of its health",
    [PLX_CALL_COPY_BETWEEN] = "copy from another device",
    [PLX_CALL_CHOOSING] = "choosing a kernel",
    [PLX_CALL_SUPPORTING] = "asking whether it is supported",
    [PLX_CALL_CONFIGURATIONS] = "listing configurations",
    [PLX_CALL_RATES] = "listing rates",
    [PLX_CALL_EXPECTING] = "expecting a time",
    [PLX_CALL_DEPTH] = "telling the depth of its sums",
    [PLX_CALL_PLANNING] = "planning",
    [PLX_CALL_RELEASING] = "releasing a plan",
    [PLX_CALL_EXECUTION] = "execution",
    [PLX_CALL_COUNTING] = "counting",
    [PLX_CALL_WRITING_CODE] = "writing device code",
    [PLX_CALL_PLANNING_TEXT] = "planning from text",
    [PLX_CALL_LAUNCHES] = "describing launches",
    [PLX_CALL_INSTRUCTIONS] = "counting instructions",
    [PLX_CALL_MEMORY_PLACE] = "asking where memory lies",
    [PLX_CALL_IMPORTING] = "importing memory",
    [PLX_CALL_TELLING_MEMORY] = "telling of memory",
    [PLX_CALL_TELLING_QUEUE] = "telling of a queue",
    [PLX_CALL_ORDERING] = "ordering two queues",
    [PLX_CALL_TELLING_DEVICE] = "telling of the device",
    [PLX_CALL_IMPORTING_QUEUE] = "importing a queue",
    [PLX_CALL_RESERVING] = "reserving scratch memory",
    [PLX_CALL_LENDING] = "lending scratch memory",
    [PLX_CALL_PINNING] = "allocating page-locked memory",
    [PLX_CALL_UNPINNING] = "freeing page-locked memory",
};

/* Those that may load drivers and compilers, start processes, and take long: looked at each time. */
static const uint64_t never_trusted =
    PLX_CALL_BIT(PLX_CALL_LOADING) | PLX_CALL_BIT(PLX_CALL_LISTING_DEVICES) | PLX_CALL_BIT(PLX_CALL_OPENING) |
    PLX_CALL_BIT(PLX_CALL_CLOSING) | PLX_CALL_BIT(PLX_CALL_CREATING_QUEUE) | PLX_CALL_BIT(PLX_CALL_DESTROYING_QUEUE) |
    PLX_CALL_BIT(PLX_CALL_PLANNING) | PLX_CALL_BIT(PLX_CALL_COUNTING) | PLX_CALL_BIT(PLX_CALL_WRITING_CODE) |
    PLX_CALL_BIT(PLX_CALL_PLANNING_TEXT) | PLX_CALL_BIT(PLX_CALL_LAUNCHES) | PLX_CALL_BIT(PLX_CALL_INSTRUCTIONS);

/* ---- what is remembered ------------------------------------------------------------------ */

static void remember(plx_conduct *conduct, plx_call_kind kind, const plx_changes *changes)
{
    for (int part = 0; part < PLX_PART_COUNT; part++) {
        int nothing = 0;
        if (changes->parts & PLX_PART_BIT(part))
            (void)atomic_compare_exchange_strong(&conduct->first[part], &nothing, (int)kind + 1);
    }
    (void)atomic_fetch_or(&conduct->signals, changes->signals);
    (void)atomic_fetch_or(&conduct->limits, changes->limits);
    (void)atomic_fetch_or(&conduct->lasting, changes->lasting);
}

static void judge(plx_conduct *conduct, plx_call_kind kind, bool is_good)
{
    const uint64_t bit = PLX_CALL_BIT(kind) & ~never_trusted;
    if (!is_good) {
        (void)atomic_fetch_or(&conduct->suspect, bit);
        (void)atomic_fetch_and(&conduct->trusted, ~bit);
    } else if ((atomic_load(&conduct->suspect) & bit) == 0)
        (void)atomic_fetch_or(&conduct->trusted, bit);
}

void plx_guard_floats_changed(plx_conduct *conduct, plx_call_kind kind, plx_floats now)
{
    const bool flushes = plx_floats_flush(now), rounds = plx_floats_round(now);
    const uint32_t others = flushes || rounds ? 0 : PLX_PART_BIT(PLX_PART_FLOATS);
    remember(conduct, kind,
             &(plx_changes){.parts = (flushes ? PLX_PART_BIT(PLX_PART_SUBNORMALS) : 0) |
                                     (rounds ? PLX_PART_BIT(PLX_PART_ROUNDING) : 0) | others});
}

static void part_text(const plx_conduct *conduct, plx_part part, char *text, size_t capacity)
{
    char which[200] = "";
    if (part == PLX_PART_HANDLERS)
        plx_signals_text(atomic_load(&conduct->signals), which, sizeof which);
    if (part == PLX_PART_LIMITS)
        plx_limits_text(atomic_load(&conduct->limits), which, sizeof which);
    (void)snprintf(text, capacity, "%s%s%s (%s%s)",
                   part == PLX_PART_HANDLERS && which[0] != '\0' ? "handlers of"
                   : which[0] != '\0'                            ? "limits"
                                                                 : plx_part_name(part),
                   which[0] != '\0' ? " " : "", which, plx_call_names[atomic_load(&conduct->first[part]) - 1],
                   atomic_load(&conduct->lasting) & PLX_PART_BIT(part) ? "; it could not be put back" : "");
}

void plx_conduct_text(const plx_conduct *conduct, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (int part = 0; part < PLX_PART_COUNT && length < capacity; part++) {
        char one[320];
        if (atomic_load(&conduct->first[part]) == 0)
            continue;
        part_text(conduct, (plx_part)part, one, sizeof one);
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "", one);
    }
}

/* ---- the process --------------------------------------------------------------------------- */

/* Calls of several threads share what was there before the first of them: what one of them would keep may be
 * what the code within another has just changed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static plx_process before;
static unsigned inside;

static void leave(void)
{
    if (inside > 0 && --inside == 0)
        plx_process_forget(&before);
}

void plx_guard_process(plx_guarded *guarded)
{
    plx_thread_save(&guarded->thread);
    (void)pthread_mutex_lock(&lock);
    if (inside++ == 0)
        plx_process_save(&before);
    (void)pthread_mutex_unlock(&lock);
}

void plx_guard_process_end(plx_guarded *guarded)
{
    plx_changes changes = {.parts = 0};
    (void)pthread_mutex_lock(&lock);
    plx_process_put_back(&before, &changes);
    leave();
    (void)pthread_mutex_unlock(&lock);
    plx_thread_put_back(&guarded->thread, &changes);
    if (changes.parts != 0)
        remember(guarded->conduct, guarded->kind, &changes);
    judge(guarded->conduct, guarded->kind, changes.parts == 0);
}

void plx_guard_abandoned(void)
{
    (void)pthread_mutex_lock(&lock);
    leave();
    (void)pthread_mutex_unlock(&lock);
}
