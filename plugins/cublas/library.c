/* cuBLAS's handle: one per session, used under a lock, because a handle serves
 * one stream at a time. */
#include "plugins/cublas/library.h"
#include "plugins/cublas/functions.h"
#include "plugins/cublas/lt_choices.h"

#include <stdlib.h>

typedef struct library {
    cublasHandle_t handle;
    pthread_mutex_t lock;
    plx_lt_choices *choices;
    pthread_mutex_t choices_lock;
} library;

plx_status plx_cublas_check(plx_error *error, cublasStatus_t result, const char *function)
{
    plx_status status = result == CUBLAS_STATUS_SUCCESS         ? PLX_OK
                        : result == CUBLAS_STATUS_ALLOC_FAILED  ? PLX_NO_MEMORY
                        : result == CUBLAS_STATUS_NOT_SUPPORTED ? PLX_UNSUPPORTED
                                                                : PLX_FAILED;
    return status == PLX_OK ? PLX_OK : plx_fail(error, status, "%s failed: %s", function, cublasGetStatusName(result));
}

plx_status plx_cublas_acquire(plx_plugin_queue *queue, cublasHandle_t *handle, plx_error *error)
{
    library *held = queue->session->attachment;
    pthread_mutex_lock(&held->lock);
    plx_status status =
        plx_cublas_check(error, cublasSetStream(held->handle, (cudaStream_t)queue->stream), "cublasSetStream");
    if (status == PLX_OK)
        *handle = held->handle;
    else
        pthread_mutex_unlock(&held->lock);
    return status;
}

void plx_cublas_release(plx_plugin_queue *queue)
{
    library *held = queue->session->attachment;
    pthread_mutex_unlock(&held->lock);
}

cublasHandle_t plx_cublas_handle(const plx_session *session)
{
    const library *held = session->attachment;
    return held->handle;
}

plx_lt_choices **plx_cublas_choices_lock(plx_session *session)
{
    library *held = session->attachment;
    pthread_mutex_lock(&held->choices_lock);
    return &held->choices;
}

void plx_cublas_choices_unlock(plx_session *session)
{
    library *held = session->attachment;
    pthread_mutex_unlock(&held->choices_lock);
}

static plx_status attach(plx_session *session, plx_error *error)
{
    library *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for cuBLAS's handle");
    plx_cuda_thread thread;
    plx_status status = plx_cublas_load(error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = plx_cublas_check(error, cublasCreate(&made->handle), "cublasCreate");
    /* The default keeps plain f32 plain: TF32 would have to be asked for. */
    if (status == PLX_OK)
        (void)cublasSetMathMode(made->handle, CUBLAS_DEFAULT_MATH);
    plx_cuda_leave(&thread);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->choices_lock, NULL);
    session->attachment = made;
    return PLX_OK;
}

/* With cuBLAS's handle. */
static plx_status complete(plx_session *opened, plx_session **session, plx_error *error)
{
    const plx_status status = attach(opened, error);
    if (status != PLX_OK) {
        plx_cuda_close(opened);
        return status;
    }
    *session = opened;
    return PLX_OK;
}

plx_status plx_cublas_open(size_t device, plx_session **session, plx_error *error)
{
    plx_session *opened;
    const plx_status status = plx_cuda_open(device, &opened, error);
    return status == PLX_OK ? complete(opened, session, error) : status;
}

plx_status plx_cublas_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error)
{
    plx_session *opened;
    const plx_status status = plx_cuda_open_on(native, device, &opened, error);
    return status == PLX_OK ? complete(opened, session, error) : status;
}

void plx_cublas_close(plx_session *session)
{
    library *held = session->attachment;
    plx_error ignored;
    plx_cuda_thread thread;
    if (plx_cuda_enter_relaxed(session, &thread, &ignored) == PLX_OK)
        (void)cublasDestroy(held->handle);
    plx_cuda_leave(&thread);
    pthread_mutex_destroy(&held->lock);
    pthread_mutex_destroy(&held->choices_lock);
    plx_lt_choices_free(held->choices);
    free(held);
    plx_cuda_close(session);
}
