/* Transfers that are waited for.  Much at once goes through several queues, each with a
 * thread of its own: one alone does not fill the way between host and device. */
#include "study/run/run.h"

#include "base/team.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_QUEUES = 4, PIECE = 1 << 23 };

static const uint64_t MUCH = UINT64_C(1) << 25;

/* One transfer.  `expected` is what the bytes must be; else they go to `to` or come `from`. */
typedef struct transfer {
    plx_backend *backend;
    plx_buffer *buffer;
    uint64_t offset, bytes;
    const char *from, *expected;
    char *to;
    plx_queue *queues[MAX_QUEUES]; /* NULL: the backend's own */
    char *seen[MAX_QUEUES];        /* of those whose pieces are compared: memory for one */
    size_t queue_count;
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

static plx_status compare_piece(transfer *b, size_t queue, uint64_t at, uint64_t bytes, uint64_t *different,
                                plx_error *error)
{
    plx_status status;

    if (b->seen[queue] == NULL)
        b->seen[queue] = malloc(b->bytes < PIECE ? (size_t)b->bytes : PIECE);
    if (b->seen[queue] == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a look at a buffer");
    status = plx_explain(b->backend, fetch(b, b->queues[queue], b->seen[queue], at, bytes), error);
    if (status == PLX_OK) {
        uint64_t byte = difference(b->seen[queue], b->expected + at, bytes);
        *different = byte == UINT64_MAX ? byte : at + byte;
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

/* `which` of the queues: no two threads have the same. */
static void move_piece(transfer *b, size_t which, uint64_t at)
{
    uint64_t bytes = b->bytes - at < PIECE ? b->bytes - at : PIECE, different = UINT64_MAX;
    plx_queue *queue = b->queues[which];
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

static size_t wanted_queues(const transfer *b)
{
#ifdef _OPENMP
    int threads = plx_team_threads();
    if (b->bytes >= MUCH && (plx_backend_device(b->backend)->features & PLX_FEATURE_CPU) == 0)
        return threads < MAX_QUEUES ? (size_t)threads : MAX_QUEUES;
#endif
    return b->bytes > 0 ? 1 : 0;
}

/* Fewer queues than wanted are slower, not wrong. */
static void open_queues(transfer *b)
{
    size_t wanted = wanted_queues(b);

    b->queue_count = 1;
    while (b->queue_count < wanted && plx_queue_create(b->backend, &b->queues[b->queue_count]) == PLX_OK)
        ++b->queue_count;
}

static void close_queues(transfer *b)
{
    for (size_t i = 0; i < b->queue_count; ++i) {
        if (i > 0)
            plx_queue_destroy(b->queues[i]);
        free(b->seen[i]);
    }
}

static plx_status move_all(transfer *b, plx_error *error)
{
    uint64_t pieces = (b->bytes + PIECE - 1) / PIECE;

    b->first_different = UINT64_MAX;
    b->status = plx_explain(b->backend, plx_synchronize(b->backend, NULL), error); /* what is enqueued comes first */
    if (b->status != PLX_OK || pieces == 0)
        return b->status;
    open_queues(b);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team((int)b->queue_count)) if (b->queue_count > 1)
    for (uint64_t i = 0; i < pieces; ++i)
        move_piece(b, (size_t)omp_get_thread_num() % b->queue_count, i * PIECE);
#else
    for (uint64_t i = 0; i < pieces; ++i)
        move_piece(b, 0, i * PIECE);
#endif
    close_queues(b);
    if (b->status != PLX_OK)
        *error = b->error;
    return b->status;
}

plx_status plx_chunked_upload(plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes, plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(to), .buffer = to, .offset = offset, .bytes = bytes, .from = from};
    return bytes < PIECE ? plx_explain(b.backend, plx_upload(NULL, to, offset, from, bytes), error)
                         : move_all(&b, error);
}

plx_status plx_chunked_download(plx_buffer *from, uint64_t offset, void *to, uint64_t bytes, plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(from), .buffer = from, .offset = offset, .bytes = bytes, .to = to};
    return move_all(&b, error);
}

plx_status plx_chunked_compare(plx_buffer *buffer, uint64_t offset, const void *expected, uint64_t bytes, bool *same,
                               uint64_t *first_different, plx_error *error)
{
    transfer b = {.backend = plx_buffer_backend(buffer),
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
