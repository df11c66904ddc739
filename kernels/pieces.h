/* Memory of a kernel's own, where launches that others wrote ask for some: one set for each queue, since launches on
 * two may run at once.  Calls for one `plx_pieces` never overlap: who plans holds a lock. */
#ifndef PLX_KERNELS_PIECES_H
#define PLX_KERNELS_PIECES_H

#include <parallax/plugin.h>

/* Tensor maps that a queue's piece has: what operands have met before need not be written again. */
enum { PLX_MAP_PLACES = 64 };
typedef struct plx_told_maps {
    size_t used, next; /* places; which of them is taken next */
    unsigned char at[PLX_MAP_PLACES][PLX_MAP_BYTES];
} plx_told_maps;

/* Of one queue. */
typedef struct plx_queue_pieces {
    plx_plugin_queue *queue;
    plx_memory *memory[PLX_MAX_PIECES];  /* NULL of one without bytes */
    plx_told_maps *told[PLX_MAX_PIECES]; /* of those with a tensor map, which have PLX_MAP_PLACES places; else NULL */
    struct plx_queue_pieces *next;
} plx_queue_pieces;

typedef struct plx_pieces {
    const plx_plugin *calls; /* for memory and queues */
    plx_session *session;
    plx_piece list[PLX_MAX_PIECES]; /* with contents of their own */
    size_t count;
    plx_queue_pieces *of_queues;
} plx_pieces;

/* Copies what the list has.  After a failure, too, plx_pieces_free() gives back what was made. */
plx_status plx_pieces_take(plx_pieces *pieces, const plx_plugin *calls, plx_session *session,
                           const plx_launch_list *list, plx_error *error);
void plx_pieces_free(plx_pieces *pieces);
/* NULL: the queue has none yet. */
const plx_queue_pieces *plx_pieces_of(const plx_pieces *pieces, const plx_plugin_queue *queue);
/* Makes those of the queue where they are missing; *of is NULL where there are none at all. */
plx_status plx_pieces_make(plx_pieces *pieces, plx_plugin_queue *queue, const plx_queue_pieces **of, plx_error *error);
/* What a launch finds: zeros, where they were asked for each time. */
plx_status plx_pieces_begin(const plx_pieces *pieces, const plx_queue_pieces *of, plx_error *error);
/* At which byte of the piece this map lies; false: the caller is to write it there, in the order of the queue. */
bool plx_pieces_has_map(const plx_queue_pieces *of, size_t which, const void *map, uint64_t *at);
/* It could not be written. */
void plx_pieces_forget_maps(const plx_queue_pieces *of, size_t which);
/* What a kernel may not count on is written anew on this queue, with other bytes; nothing, where it has none yet. */
plx_status plx_pieces_renew(const plx_pieces *pieces, const plx_plugin_queue *queue, plx_error *error);
/* PLX_FAILED: what the kernel must leave zero is not, and from which byte on. */
plx_status plx_pieces_check(const plx_pieces *pieces, plx_error *error);

#endif
