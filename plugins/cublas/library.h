/* What the files of the cublas plugin share: a handle per session. */
#ifndef PLX_PLUGINS_CUBLAS_LIBRARY_H
#define PLX_PLUGINS_CUBLAS_LIBRARY_H

#include "backends/cuda/cuda.h"

#include <cublas_v2.h>

/* PLX_OK for success, otherwise "cublasSgemm failed: CUBLAS_STATUS_X". */
plx_status plx_cublas_check(plx_error *error, cublasStatus_t result, const char *function);

/* Locks the session's handle, bound to the queue's stream; give it back with
 * plx_cublas_release().  The context is current. */
plx_status plx_cublas_acquire(plx_plugin_queue *queue, cublasHandle_t *handle, plx_error *error);
void plx_cublas_release(plx_plugin_queue *queue);

/* The session's handle where it needs no lock: cublasLt takes it as its own, and is given a
 * stream with each call. */
cublasHandle_t plx_cublas_handle(const plx_session *session);

/* Locks what was chosen of cublasLt's algorithms, NULL at first; it is freed with the session. */
struct plx_lt_choices **plx_cublas_choices_lock(plx_session *session);
void plx_cublas_choices_unlock(plx_session *session);

/* Open and close a session with a handle. */
plx_status plx_cublas_open(size_t device, plx_session **session, plx_error *error);
plx_status plx_cublas_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error);
void plx_cublas_close(plx_session *session);

#endif
