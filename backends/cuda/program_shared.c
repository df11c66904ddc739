/* Programs that come as text and keep nothing between launches: loaded once per session, for all plans of the same
 * text.  What no plan uses any more stays for the next one, up to a few. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_UNUSED = 8 };

struct plx_cuda_shared {
    plx_cuda_shared *next; /* the newest first */
    CUmodule module;
    size_t users;
    uint32_t max_registers;
    size_t length;
    char text[];
};

static plx_cuda_shared *find(const plx_session *session, const char *text, size_t length, uint32_t max_registers)
{
    plx_cuda_shared *one = session->shared;
    while (one != NULL &&
           (one->length != length || one->max_registers != max_registers || memcmp(one->text, text, length) != 0))
        one = one->next;
    return one;
}

/* The lock is held. */
static plx_status load(plx_session *session, const char *text, size_t length, uint32_t max_registers,
                       plx_cuda_shared **shared, plx_error *error)
{
    plx_cuda_shared *made = malloc(sizeof *made + length);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a program");
    *made = (plx_cuda_shared){.next = session->shared, .max_registers = max_registers, .length = length};
    memcpy(made->text, text, length);
    const plx_status status = plx_cuda_text_load(session, text, max_registers, &made->module, error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    *shared = session->shared = made;
    return PLX_OK;
}

plx_status plx_cuda_shared_take(plx_session *session, const char *text, size_t length, uint32_t max_registers,
                                plx_cuda_shared **shared, plx_error *error)
{
    plx_status status = PLX_OK;
    pthread_mutex_lock(&session->lock);
    plx_cuda_shared *one = find(session, text, length, max_registers);
    if (one == NULL)
        status = load(session, text, length, max_registers, &one, error);
    if (status == PLX_OK) {
        one->users++;
        *shared = one;
    }
    pthread_mutex_unlock(&session->lock);
    return status;
}

CUmodule plx_cuda_shared_module(const plx_cuda_shared *shared)
{
    return shared->module;
}

static void unload(plx_session *session, plx_cuda_shared **link)
{
    plx_cuda_shared *gone = *link;
    *link = gone->next;
    plx_cuda_text_unload(session, gone->module);
    free(gone);
}

/* The oldest of those that are too many. */
static void unload_oldest(plx_session *session)
{
    plx_cuda_shared **oldest = NULL;
    size_t unused = 0;
    for (plx_cuda_shared **link = &session->shared; *link != NULL; link = &(*link)->next)
        if ((*link)->users == 0) {
            oldest = link;
            unused++;
        }
    if (unused > MOST_UNUSED)
        unload(session, oldest);
}

void plx_cuda_shared_give_back(plx_session *session, plx_cuda_shared *shared)
{
    pthread_mutex_lock(&session->lock);
    shared->users--;
    unload_oldest(session);
    pthread_mutex_unlock(&session->lock);
}

void plx_cuda_shared_unload(plx_session *session)
{
    while (session->shared != NULL)
        unload(session, &session->shared);
}
