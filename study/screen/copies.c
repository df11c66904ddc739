/* Copies from device to device: a known source of silent corruption.  A ring of all devices, both ways round, so that
 * their number grows as that of the devices does. */
#include "study/screen/screen.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

typedef struct ring {
    plx_open_backends opened;
    plx_buffer *from[MOST], *to[MOST];
    unsigned char *data, *back;
    uint64_t bytes, seed;
} ring;

/* Bytes that say where they are from. */
static void generate(ring *r, size_t device)
{
    for (uint64_t i = 0; i + 8 <= r->bytes; i += 8) {
        const uint64_t word = plx_random(r->seed, device, i / 8);
        memcpy(r->data + i, &word, 8);
    }
}

static plx_status fill_one(ring *r, size_t device, plx_error *error)
{
    plx_backend *backend = r->opened.backends[device];
    plx_status status = plx_buffer_create(backend, r->bytes, &r->from[device]);
    generate(r, device);
    if (status == PLX_OK)
        status = plx_buffer_create(backend, r->bytes, &r->to[device]);
    if (status == PLX_OK)
        status = plx_upload(NULL, r->from[device], 0, r->data, r->bytes);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    return plx_explain(backend, status, error);
}

static uint64_t count_differing(const ring *r)
{
    uint64_t count = 0;
    if (memcmp(r->data, r->back, r->bytes) == 0)
        return 0;
    for (uint64_t i = 0; i < r->bytes; i++)
        count += r->data[i] != r->back[i];
    return count;
}

static plx_status copy_one(ring *r, size_t from, size_t to, plx_screened_copy *copy, plx_error *error)
{
    plx_backend *backend = r->opened.backends[to];
    plx_status status = plx_fill(NULL, r->to[to], 0, plx_next_poison(), r->bytes);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    const double begin = plx_now_ns();
    if (status == PLX_OK)
        status = plx_copy_between(NULL, r->to[to], 0, r->from[from], 0, r->bytes);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    const double took = plx_now_ns() - begin;
    if (status == PLX_OK)
        status = plx_download(NULL, r->back, r->to[to], 0, r->bytes);
    if (status == PLX_OK)
        status = plx_synchronize(backend, NULL);
    if (status == PLX_OK)
        copy->gbps = (double)r->bytes / took;
    return plx_explain(backend, status, error);
}

static void try_copy(ring *r, size_t from, size_t to, plx_screened_copy *copy)
{
    plx_error error = {.text = ""};
    *copy = (plx_screened_copy){.outcome = PLX_OUTCOME_OK, .bytes = r->bytes};
    (void)snprintf(copy->from, sizeof copy->from, "%s", plx_backend_label(r->opened.backends[from]));
    (void)snprintf(copy->to, sizeof copy->to, "%s", plx_backend_label(r->opened.backends[to]));
    generate(r, from);
    const plx_status status = copy_one(r, from, to, copy, &error);
    if (status != PLX_OK) {
        copy->outcome = status == PLX_UNSUPPORTED ? PLX_OUTCOME_UNSUPPORTED : PLX_OUTCOME_FAILED;
        (void)snprintf(copy->reason, sizeof copy->reason, "%.255s", error.text);
        return;
    }
    copy->differing = count_differing(r);
    if (copy->differing == 0)
        return;
    copy->outcome = PLX_OUTCOME_WRONG;
    (void)snprintf(copy->reason, sizeof copy->reason, "%llu of %llu bytes arrived as others",
                   (unsigned long long)copy->differing, (unsigned long long)r->bytes);
}

/* Of two devices a ring has two copies, of more twice as many as devices. */
static size_t copies_of(size_t devices)
{
    return devices == 2 ? 2 : 2 * devices;
}

static plx_status copy_all(ring *r, plx_screened_copy **copies, size_t *count, plx_error *error)
{
    const size_t devices = r->opened.count;
    plx_status status = PLX_OK;
    *copies = calloc(copies_of(devices) + 1, sizeof **copies);
    if (*copies == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of copies");
    for (size_t i = 0; status == PLX_OK && i < devices; i++)
        status = fill_one(r, i, error);
    for (size_t i = 0; status == PLX_OK && i < devices; i++)
        try_copy(r, i, (i + 1) % devices, &(*copies)[(*count)++]);
    for (size_t i = 0; status == PLX_OK && devices > 2 && i < devices; i++)
        try_copy(r, (i + 1) % devices, i, &(*copies)[(*count)++]);
    return status;
}

static void end(ring *r)
{
    for (size_t i = 0; i < MOST; i++) {
        plx_buffer_destroy(r->from[i]);
        plx_buffer_destroy(r->to[i]);
    }
    free(r->data);
    free(r->back);
    plx_backends_close(&r->opened);
}

plx_status plx_screen_copies(plx_context *context, const char *const *backends, size_t count, uint64_t bytes,
                             uint64_t seed, plx_screened_copy **copies, size_t *copy_count, plx_error *error)
{
    ring r = {.bytes = bytes / 8 * 8, .seed = seed};
    *copies = NULL;
    *copy_count = 0;
    if (count < 2 || count > MOST)
        return plx_fail(error, PLX_INVALID, "copies go between 2 to %d devices, not %zu", (int)MOST, count);
    plx_status status = plx_backends_open(context, backends, count, &r.opened, error);
    if (status == PLX_OK) {
        r.data = malloc(r.bytes);
        r.back = malloc(r.bytes);
        status =
            r.data != NULL && r.back != NULL ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no host memory for copies");
    }
    if (status == PLX_OK)
        status = copy_all(&r, copies, copy_count, error);
    end(&r);
    if (status != PLX_OK) {
        free(*copies);
        *copies = NULL;
        *copy_count = 0;
    }
    return status;
}
