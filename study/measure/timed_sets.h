/* The operands of timed launches: sets that take turns, each with data of its own that nobody knows before the
 * launch.  Private to libparallax-study. */
#ifndef PLX_TIMED_SETS_H
#define PLX_TIMED_SETS_H

#include "study/run/run.h"

enum { PLX_BYSTANDERS = 2 };

/* Whose launches they are, and what data those met of late. */
typedef struct plx_timed_user {
    plx_contents seen[8];
    size_t seen_count, turns;
} plx_timed_user;

/* One set: where its operands begin, and what they hold. */
typedef struct plx_timed_set {
    uint64_t place[PLX_MAX_OPERANDS]; /* bytes from the beginning of the buffer */
    plx_contents draw, before;        /* before: what a part of it was before it was exchanged */
    plx_contents first, earlier;      /* what it held at first, and before that */
    bool was_renewed;                 /* whether there are a first and an earlier */
    bool surrounded;                  /* what is around its inputs was written: */
    uint32_t around;
    bool filled, patched; /* whether it holds draw; whether there is a before */
    bool patterned;       /* whether its output was ever filled */
    uint32_t pattern;     /* that all of its output was filled with; and since: */
    bool launched;
    const plx_timed_user *by; /* whose launch that was */
    bool left;                /* its output is what an earlier launch left there */
    uint64_t turn;            /* in which its inputs were renewed */
    size_t launches, lane;    /* in this turn; which of the queues takes them */
} plx_timed_set;

typedef struct plx_timed_sets {
    plx_backend *backend;
    const plx_inputs *inputs;
    plx_pool *pool; /* shared by the backends of a study */
    bool owns_pool;
    bool hot;
    size_t operands, queues;
    size_t made, count;        /* sets there is memory for; those in use, the first ones */
    uint64_t cache, footprint; /* bytes of the device's cache, and of a set */
    uint64_t bytes[PLX_MAX_OPERANDS],
        room[PLX_MAX_OPERANDS]; /* of an operand, and of its place with what is around it */
    plx_buffer *buffer[PLX_MAX_OPERANDS], *source[PLX_MAX_OPERANDS]; /* the sets; the pool */
    plx_buffer *spare;                                               /* to fill the cache with */
    plx_lanes *lanes;
    plx_timed_set *sets;
    plx_dice dice;
    /* ---- this turn */
    plx_timed_user *user;
    uint64_t turn;
    bool stay_next, meet_next;                         /* the next turn stays, or meets the decoy: else that is drawn */
    bool stays;                                        /* what its user left in outputs stays there */
    size_t *order, capacity, launches;                 /* sets in the order of their launches */
    size_t *used, used_count;                          /* each once */
    size_t bystander[PLX_BYSTANDERS], bystander_count; /* sets that must stay as they are */
    size_t decoy;
    struct plx_timed_sets *other; /* the next of a list */
} plx_timed_sets;

/* Whether launches read an operand; which one they write. */
static inline bool plx_timed_sets_reads(const plx_timed_sets *s, size_t operand)
{
    return s->pool->of[operand].data != NULL;
}

static inline size_t plx_timed_sets_output(const plx_timed_sets *s)
{
    return s->inputs->operation->output;
}

/* How many sets make `footprint` bytes exceed four times the cache, within the memory. */
size_t plx_timed_sets_count(uint64_t footprint, uint64_t largest, uint64_t cache, const plx_device_info *device);
/* Finds in *list or adds to it; hot: one set for each queue.  Problems of one sweep share their data, and then need
 * it on the device once. */
plx_status plx_timed_sets_for(plx_timed_sets **list, plx_backend *backend, const plx_inputs *inputs, bool hot,
                              size_t queues, plx_timed_sets **found, plx_error *error);
void plx_timed_sets_free(plx_timed_sets *list);

/* So that each of so many launches has a set, and as many more that which ones they are can't be guessed.  What is
 * not in use takes no memory on a processor. */
plx_status plx_timed_sets_reach(plx_timed_sets *sets, size_t launches);
/* A turn: its uncounted launch runs on the decoy; then plx_timed_sets_renew() draws which sets the launches run on,
 * in which order, and gives them new data and outputs that are wrong.  All is enqueued on the backend's own queue. */
plx_status plx_timed_sets_begin(plx_timed_sets *sets, plx_timed_user *user);
plx_status plx_timed_sets_renew(plx_timed_sets *sets, size_t launches);
void plx_timed_sets_views(const plx_timed_sets *sets, size_t set, plx_view *views);
/* To be called for each launch on a set. */
void plx_timed_sets_launched(plx_timed_sets *sets, size_t set);

/* A set that was launched on as it was ahead of that, but for what is around one of its inputs. */
plx_status plx_timed_sets_again(plx_timed_sets *sets, size_t set, size_t operand, uint32_t around);

/* Compares the inputs of a set, and what is around all its operands, with what they must be; says what is not
 * in `violation` (else ""). */
plx_status plx_timed_sets_verify(plx_timed_sets *sets, size_t set, char violation[200], plx_error *error);
/* Whether the whole place of a set's output is as it was filled. */
plx_status plx_timed_sets_untouched(const plx_timed_sets *sets, size_t set, bool *untouched, plx_error *error);
/* Everything anew, whoever damaged it. */
plx_status plx_timed_sets_restore(plx_timed_sets *sets, plx_error *error);
/* Whether so many launches in a turn find what they touch in the cache. */
bool plx_timed_sets_are_cached(const plx_timed_sets *sets, size_t launches);

#endif
