/* Transfers that are waited for.  Much at once goes through several queues, each with a
 * thread of its own: one alone does not fill the way between host and device. */
#include "study/run/run.h"

#include "base/team.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 23 };

static const uint64_t MUCH = UINT64_C(1) << 25;

/* One transfer.  `expected` is what the bytes must be, or `pattern`; else they go to `to` or come `from`. */
typedef struct transfer {
    plx_backend *backend;
    plx_buffer *buffer;
    uint64_t offset, bytes;
    const char *from, *expected;
    char *to;
    uint32_t pattern;
    plx_lanes *lanes;
    size_t lane_count; /* of them those that it takes */
    plx_status status; /* the first failure, and why */
    plx_error error;
    uint64_t first_different; /* UINT64_MAX: none */
} transfer;

/* ---- pieces --------------------------------------------------------------------------- */

static plx_status fetch(const transfer *b, plx_queue *queue, void *to, uint64_t at, uint64_t bytes)
{
    plx_status status = plx_download(queue, to, b->buffer, b->offset + at, bytes);
    return status == PLX_OK ? plx_synchronize(b->backend, queue) : status;
}

static uint64_t difference(const char *a, const char *b, uint64_t bytes)
{
    uint64_t i = 0;

    if (memcmp(a, b, (size_t)bytes) == 0)
        return UINT64_MAX;
    while (a[i] == b[i])
        ++i;
    return i;
}

/* The first byte of a stretch that is not the pattern; `bytes`: none. */
uint64_t plx_first_other(const unsigned char *seen, uint64_t from, uint64_t bytes, uint32_t pattern)
{
    enum { PERIOD = sizeof pattern };
    unsigned char twice[2 * PERIOD];
    uint64_t i = 0;

    memcpy(twice, &pattern, PERIOD);
    memcpy(twice + PERIOD, &pattern, PERIOD);
    const unsigned char *expected = twice + from % PERIOD;
    /* What is as it was equals itself a period later, which is soon seen of hundreds of megabytes. */
    if (bytes > PERIOD && memcmp(seen, expected, PERIOD) == 0 && memcmp(seen, seen + PERIOD, bytes - PERIOD) == 0)
        return bytes;
    while (i < bytes && seen[i] == expected[i % PERIOD])
        ++i;
    return i;
}

static plx_status compare_piece(transfer *b, size_t lane, uint64_t at, uint64_t bytes, uint64_t *different,
                                plx_error *error)
{
    char *seen = b->lanes->seen[lane];
    plx_status status = plx_explain(b->backend, fetch(b, b->lanes->queues[lane], seen, at, bytes), error);

    if (status == PLX_OK) {
        const uint64_t byte = b->expected != NULL ? difference(seen, b->expected + at, bytes)
                                                  : plx_first_other((unsigned char *)seen, at, bytes, b->pattern);
        *different = byte >= bytes ? UINT64_MAX : at + byte;
    }
    return status;
}

static void note(transfer *b, plx_status status, const plx_error *error, uint64_t different)
{
    if (status != PLX_OK && b->status == PLX_OK) {
        b->status = status;
        b->error = *error;
    }
    if (different < b->first_different)
        b->first_different = different;
}

/* `which` of the lanes: no two threads have the same. */
static void move_piece(transfer *b, size_t which, uint64_t at)
{
    uint64_t bytes = b->bytes - at < PIECE ? b->bytes - at : PIECE, different = UINT64_MAX;
    plx_queue *queue = b->lanes->queues[which];
    plx_error error = {.text = ""};
    plx_status status;

    if (b->from != NULL)
        status = plx_explain(b->backend, plx_upload(queue, b->buffer, b->offset + at, b->from + at, bytes), &error);
    else if (b->to != NULL)
        status = plx_explain(b->backend, fetch(b, queue, b->to + at, at, bytes), &error);
    else
        status = compare_piece(b, which, at, bytes, &different, &error);
#ifdef _OPENMP
#pragma omp critical
#endif
    note(b, status, &error, different);
}

/* ---- all of it ------------------------------------------------------------------------- */

static size_t wanted_lanes(const transfer *b)
{
#ifdef _OPENMP
    const int most = (int)(sizeof b->lanes->queues / sizeof b->lanes->queues[0]), threads = plx_team_threads();
    if (b->bytes >= MUCH && (plx_backend_device(b->backend)->features & PLX_FEATURE_CPU) == 0)
        return (size_t)(threads < most ? threads : most);
#endif
    return 1;
}

/* Fewer than wanted are slower, not wrong. */
static void open_lanes(transfer *b)
{
    const size_t wanted = wanted_lanes(b);
    plx_lanes *lanes = b->lanes;

    if (lanes->count == 0)
        lanes->count = 1;
    while (lanes->count < wanted && plx_queue_create(b->backend, &lanes->queues[lanes->count]) == PLX_OK)
        ++lanes->count;
    b->lane_count = lanes->count < wanted ? lanes->count : wanted;
}

/* Where what is compared arrives: copies to memory that is not page-locked go through the driver's own. */
static plx_status make_room(transfer *b, plx_error *error)
{
    const bool far = (plx_backend_device(b->backend)->features & PLX_FEATURE_CPU) == 0;
    plx_lanes *lanes = b->lanes;

    for (size_t i = 0; i < b->lane_count; ++i) {
        void *memory = NULL;
        if (lanes->seen[i] != NULL)
            continue;
        lanes->backend = b->backend;
        lanes->pinned[i] = far && plx_pinned_create(b->backend, PIECE, &memory) == PLX_OK;
        lanes->seen[i] = lanes->pinned[i] ? memory : malloc(PIECE);
        if (lanes->seen[i] == NULL)
            return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at a buffer");
    }
    return PLX_OK;
}

void plx_lanes_close(plx_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; ++i) {
        if (i > 0)
            plx_queue_destroy(lanes->queues[i]);
        if (lanes->pinned[i])
            plx_pinned_destroy(lanes->backend, lanes->seen[i]);
        else
            free(lanes->seen[i]);
    }
    *lanes = (plx_lanes){.count = 0};
}

static plx_status move_all(transfer *b, plx_error *error)
{
    uint64_t pieces = (b->bytes + PIECE - 1) / PIECE;

    b->first_different = UINT64_MAX;
    b->status = plx_explain(b->backend, plx_synchronize(b->backend, NULL), error); /* what is enqueued comes first */
    if (b->status != PLX_OK || pieces == 0)
        return b->status;
    open_lanes(b);
    b->status = b->from == NULL && b->to == NULL ? make_room(b, error) : PLX_OK;
    if (b->status != PLX_OK)
        return b->status;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team((int)b->lane_count)) if (b->lane_count > 1)
    for (uint64_t i = 0; i < pieces; ++i)
        move_piece(b, (size_t)omp_get_thread_num() % b->lane_count, i * PIECE);
#else
    for (uint64_t i = 0; i < pieces; ++i)
        move_piece(b, 0, i * PIECE);
#endif
    if (b->status != PLX_OK)
        *error = b->error;
    return b->status;
}

plx_status plx_chunked_upload(plx_lanes *lanes, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes,
                              plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(to),
                  .lanes = lanes,
                  .buffer = to,
                  .offset = offset,
                  .bytes = bytes,
                  .from = from};
    return bytes < PIECE ? plx_explain(b.backend, plx_upload(NULL, to, offset, from, bytes), error)
                         : move_all(&b, error);
}

plx_status plx_chunked_download(plx_lanes *lanes, plx_buffer *from, uint64_t offset, void *to, uint64_t bytes,
                                plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(from),
                  .lanes = lanes,
                  .buffer = from,
                  .offset = offset,
                  .bytes = bytes,
                  .to = to};
    return move_all(&b, error);
}

plx_status plx_chunked_compare(plx_lanes *lanes, plx_buffer *buffer, uint64_t offset, const void *expected,
                               uint64_t bytes, bool *same, uint64_t *first_different, plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(buffer),
                  .lanes = lanes,
                  .buffer = buffer,
                  .offset = offset,
                  .bytes = bytes,
                  .expected = expected};
    plx_status status = move_all(&b, error);

    if (status != PLX_OK)
        return status;
    *same = b.first_different == UINT64_MAX;
    *first_different = b.first_different;
    return PLX_OK;
}

plx_status plx_chunked_holds(plx_lanes *lanes, plx_buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t pattern,
                             bool *holds, plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(buffer),
                  .lanes = lanes,
                  .buffer = buffer,
                  .offset = offset,
                  .bytes = bytes,
                  .pattern = pattern};
    const plx_status status = move_all(&b, error);

    *holds = b.first_different == UINT64_MAX;
    return status;
}
