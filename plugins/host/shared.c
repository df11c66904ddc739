/* Memory of the host that another process can reach: files in memory. */
#define _GNU_SOURCE /* memfd_create */

#include "plugins/host/shared.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* By the memory that it is. */
typedef struct shared {
    const plx_memory *memory;
    int file;
    uint64_t serial, bytes;
    bool sealed; /* nobody can map it for writing any more */
    struct shared *next;
} shared;

static atomic_bool sharing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static shared *all;
static uint64_t serials;

plx_status host_share_memory(plx_session *session, plx_error *error)
{
    (void)session;
    (void)error;
    atomic_store(&sharing, true);
    return PLX_OK;
}

static void keep(shared *made)
{
    (void)pthread_mutex_lock(&lock);
    made->serial = ++serials;
    made->next = all;
    all = made;
    (void)pthread_mutex_unlock(&lock);
}

/* No longer kept. */
static shared *take(const plx_memory *memory)
{
    (void)pthread_mutex_lock(&lock);
    shared **at = &all;
    while (*at != NULL && (*at)->memory != memory)
        at = &(*at)->next;
    shared *found = *at;
    if (found != NULL)
        *at = found->next;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

static plx_status no_memory(uint64_t bytes, plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no host memory for %" PRIu64 " bytes that others can reach", bytes);
}

static plx_status make(shared *made, plx_memory *memory, uint64_t bytes, plx_error *error)
{
    made->file = memfd_create("parallax", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made->file < 0)
        return no_memory(bytes, error);
    void *at = ftruncate(made->file, (off_t)bytes) == 0
                   ? mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made->file, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        (void)close(made->file);
        return no_memory(bytes, error);
    }
    made->bytes = bytes;
    made->memory = memory;
    *memory = (plx_memory){.data = at, .bytes = bytes, .borrowed = true};
    keep(made);
    return PLX_OK;
}

plx_status host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    if (!atomic_load(&sharing) || bytes == 0)
        return plx_host_alloc(session, bytes, memory, error);
    plx_status status = plx_host_has_room(session, bytes, error);
    if (status != PLX_OK)
        return status;
    shared *made = calloc(1, sizeof *made);
    plx_memory *is = malloc(sizeof *is);
    status = made != NULL && is != NULL ? make(made, is, bytes, error) : no_memory(bytes, error);
    if (status == PLX_OK) {
        *memory = is;
        return PLX_OK;
    }
    free(made);
    free(is);
    return status;
}

void host_free(plx_session *session, plx_memory *memory)
{
    shared *was = memory != NULL ? take(memory) : NULL;
    if (was != NULL) {
        (void)munmap(memory->data, (size_t)was->bytes);
        (void)close(was->file);
    }
    free(was);
    plx_host_free(session, memory);
}

plx_status host_reach(const plx_operand *operand, bool written, plx_reached *reached, plx_error *error)
{
    *reached = (plx_reached){.descriptor = -1, .written = written};
    if (operand->memory == NULL || operand->memory->bytes == 0)
        return PLX_OK;
    (void)pthread_mutex_lock(&lock);
    shared *is = all;
    while (is != NULL && is->memory != operand->memory)
        is = is->next;
    if (is != NULL) {
        if (!written && !is->sealed) /* who wrote to it before goes on: this process, through the map that it has */
            is->sealed = fcntl(is->file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0;
        reached->serial = is->serial;
        reached->descriptor = is->file;
        reached->bytes = is->bytes;
        reached->offset = operand->offset;
    }
    (void)pthread_mutex_unlock(&lock);
    return is != NULL ? PLX_OK
                      : plx_fail(error, PLX_UNSUPPORTED,
                                 "the function's process can't reach this memory, which was made before it was known");
}
