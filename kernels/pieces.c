/* Memory of a kernel's own (pieces.h). */
#include "kernels/pieces.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4 };

/* Never the same twice in a row: in turns a NaN of f16, f32 and f64, and a number from 0.5 to 1 in f32, so that neither
 * what lets NaN through nor what looks for it can count on what it finds. */
static uint32_t next_garbage(void)
{
    static atomic_uint turn;
    const uint32_t which = atomic_fetch_add(&turn, 1u), drawn = (which + 1) * UINT32_C(0x9e3779b1) ^ UINT32_C(0x5c3a1);
    return which % 2 == 0 ? UINT32_C(0x7ff80000) | (drawn >> 13) : UINT32_C(0x3f000000) | (drawn >> 9);
}

static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

/* ---- the list ------------------------------------------------------------------------------ */

static plx_status copy_content(plx_piece *piece, const void *content, plx_error *error)
{
    void *copy = malloc(piece->bytes);
    if (copy == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    memcpy(copy, content, piece->bytes);
    piece->content = copy;
    return PLX_OK;
}

plx_status plx_pieces_take(plx_pieces *pieces, const plx_plugin *calls, plx_session *session,
                           const plx_launch_list *list, plx_error *error)
{
    plx_status status = PLX_OK;
    pieces->calls = calls;
    pieces->session = session;
    for (size_t i = 0; i < list->piece_count && status == PLX_OK; i++) {
        plx_piece *piece = &pieces->list[pieces->count++];
        *piece = list->pieces[i];
        piece->content = NULL;
        if (piece->state == PLX_PIECE_CONTENT && piece->bytes > 0)
            status = copy_content(piece, list->pieces[i].content, error);
    }
    return status;
}

static void free_set(const plx_pieces *pieces, plx_queue_pieces *of)
{
    for (size_t i = 0; i < pieces->count; i++) {
        if (of->memory[i] != NULL)
            pieces->calls->free(pieces->session, of->memory[i]);
        free(of->told[i]);
    }
    free(of);
}

void plx_pieces_free(plx_pieces *pieces)
{
    while (pieces->of_queues != NULL) {
        plx_queue_pieces *next = pieces->of_queues->next;
        free_set(pieces, pieces->of_queues);
        pieces->of_queues = next;
    }
    for (size_t i = 0; i < pieces->count; i++)
        free((void *)(uintptr_t)pieces->list[i].content);
    pieces->count = 0;
}

/* ---- those of a queue ------------------------------------------------------------------------- */

const plx_queue_pieces *plx_pieces_of(const plx_pieces *pieces, const plx_plugin_queue *queue)
{
    const plx_queue_pieces *of = pieces->of_queues;
    while (of != NULL && of->queue != queue)
        of = of->next;
    return of;
}

static plx_status begin_one(const plx_pieces *pieces, const plx_queue_pieces *of, size_t which, plx_error *error)
{
    const plx_piece *piece = &pieces->list[which];
    if (piece->state == PLX_PIECE_MAP)
        return PLX_OK; /* when it is known */
    if (piece->state == PLX_PIECE_CONTENT)
        return pieces->calls->upload(of->queue, of->memory[which], 0, piece->content, piece->bytes, error);
    return pieces->calls->fill(of->queue, of->memory[which], 0, piece->state == PLX_PIECE_GARBAGE ? next_garbage() : 0,
                               whole_words(piece->bytes), error);
}

static plx_status make_one(const plx_pieces *pieces, plx_queue_pieces *of, size_t which, plx_error *error)
{
    const plx_piece *piece = &pieces->list[which];
    uint64_t bytes = whole_words(piece->bytes);
    if (piece->state == PLX_PIECE_MAP) {
        bytes *= PLX_MAP_PLACES;
        of->told[which] = calloc(1, sizeof *of->told[which]);
        if (of->told[which] == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no host memory for tensor maps");
    }
    plx_error why = {""};
    const plx_status status = pieces->calls->alloc(pieces->session, bytes, &of->memory[which], &why);
    return status == PLX_OK ? status : plx_fail(error, status, "scratch memory of its recipe: %.400s", why.text);
}

static plx_status make_set(const plx_pieces *pieces, plx_queue_pieces *of, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < pieces->count && status == PLX_OK; i++) {
        if (pieces->list[i].bytes == 0)
            continue;
        status = make_one(pieces, of, i, error);
        if (status == PLX_OK)
            status = begin_one(pieces, of, i, error);
    }
    return status;
}

plx_status plx_pieces_make(plx_pieces *pieces, plx_plugin_queue *queue, const plx_queue_pieces **of, plx_error *error)
{
    *of = plx_pieces_of(pieces, queue);
    if (*of != NULL || pieces->count == 0)
        return PLX_OK;
    plx_queue_pieces *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for scratch memory");
    made->queue = queue;
    const plx_status status = make_set(pieces, made, error);
    if (status != PLX_OK) {
        free_set(pieces, made);
        return status;
    }
    made->next = pieces->of_queues;
    *of = pieces->of_queues = made;
    return PLX_OK;
}

static plx_status begin_all(const plx_pieces *pieces, const plx_queue_pieces *of, plx_piece_state state,
                            plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; of != NULL && i < pieces->count && status == PLX_OK; i++)
        if (pieces->list[i].state == state && of->memory[i] != NULL)
            status = begin_one(pieces, of, i, error);
    return status;
}

plx_status plx_pieces_begin(const plx_pieces *pieces, const plx_queue_pieces *of, plx_error *error)
{
    return begin_all(pieces, of, PLX_PIECE_ZERO_EACH, error);
}

plx_status plx_pieces_renew(const plx_pieces *pieces, const plx_plugin_queue *queue, plx_error *error)
{
    return begin_all(pieces, plx_pieces_of(pieces, queue), PLX_PIECE_GARBAGE, error);
}

/* ---- tensor maps ----------------------------------------------------------------------------- */

/* The oldest goes: launches that still read it are ahead in the queue. */
bool plx_pieces_has_map(const plx_queue_pieces *of, size_t which, const void *map, uint64_t *at)
{
    plx_told_maps *told = of->told[which];
    size_t place = 0;
    while (place < told->used && memcmp(told->at[place], map, PLX_MAP_BYTES) != 0)
        place++;
    const bool is_there = place < told->used;
    if (!is_there) {
        place = told->next;
        told->next = (told->next + 1) % PLX_MAP_PLACES;
        told->used += told->used < PLX_MAP_PLACES;
        memcpy(told->at[place], map, PLX_MAP_BYTES);
    }
    *at = place * PLX_MAP_BYTES;
    return is_there;
}

void plx_pieces_forget_maps(const plx_queue_pieces *of, size_t which)
{
    of->told[which]->used = of->told[which]->next = 0;
}

/* ---- what must stay zero ------------------------------------------------------------------------- */

/* The first byte that is not zero; UINT64_MAX: all are. */
static uint64_t first_of(const unsigned char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return i;
    return UINT64_MAX;
}

static plx_status check_one(const plx_pieces *pieces, const plx_queue_pieces *of, size_t which, plx_plugin_queue *queue,
                            plx_error *error)
{
    const uint64_t bytes = pieces->list[which].bytes;
    unsigned char *seen = malloc(bytes);
    if (seen == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory to look at scratch memory");
    plx_status status = pieces->calls->download(queue, seen, of->memory[which], 0, bytes, error);
    if (status == PLX_OK)
        status = pieces->calls->synchronize(queue, error);
    const uint64_t at = status == PLX_OK ? first_of(seen, bytes) : UINT64_MAX;
    free(seen);
    if (at == UINT64_MAX)
        return status;
    return plx_fail(error, PLX_FAILED,
                    "scratch memory that must stay zero (zero_once, piece %zu) is not, from byte %" PRIu64 " on", which,
                    at);
}

plx_status plx_pieces_check(const plx_pieces *pieces, plx_error *error)
{
    plx_plugin_queue *queue = NULL;
    plx_status status = PLX_OK;
    if (pieces->of_queues != NULL)
        status = pieces->calls->queue_create(pieces->session, &queue, error);
    for (const plx_queue_pieces *of = pieces->of_queues; of != NULL && status == PLX_OK; of = of->next)
        for (size_t i = 0; i < pieces->count && status == PLX_OK; i++)
            if (pieces->list[i].state == PLX_PIECE_ZERO_ONCE && of->memory[i] != NULL)
                status = check_one(pieces, of, i, queue, error);
    if (queue != NULL)
        pieces->calls->queue_destroy(queue);
    return status;
}
