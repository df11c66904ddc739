/* The process in which somebody's function runs.  Private to study/subject. */
#ifndef PLX_SUBJECT_SUBJECT_H
#define PLX_SUBJECT_SUBJECT_H

#include "study/subject/message.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- what it must not do (fence.c) ----------------------------------------------------- */

/* Takes away what a computation does not need: descriptors, writing, connections, other processes, more memory.
 * `starts`: other programs may be started.  `on_device`: drivers of a device may be talked to.  `text`: what is in
 * force. */
void subject_fence(bool starts, bool on_device, char *text, size_t capacity);

/* ---- memory of a device (device.c) ------------------------------------------------------- */

/* Where compilers of the device's put what they make: below this directory. */
void subject_device_scratch(const char *directory);
/* The context in which the memory is reached; false: *why says why there is none. */
bool subject_device_open(const char *place, char *why, size_t capacity);
void *subject_device_map(const unsigned char handle[64]);
void subject_device_unmap(void *base);
void *subject_device_alloc(uint64_t bytes);
void subject_device_free(void *memory);
void *subject_device_stream(void);
/* Until all work of the context is done. */
bool subject_device_wait(char *why, size_t capacity);
int32_t subject_device_number(void);
/* As DLPack numbers it. */
int32_t subject_device_type(void);
/* A function of the driver's; false: it is older than that. */
bool subject_device_find(const char *name, void *slot);
/* Whether a call of the driver's went well; else *why says what it was about. */
bool subject_device_good(int code, const char *what, char *why, size_t capacity);

/* ---- what a function puts into its stream (capture.c) -------------------------------------- */

/* Captures one call of a function whose operands begin `at` these addresses, and replays what was captured.  The call
 * that is captured sees zeros in place of all operands, the replay sees what they hold: a result that comes from the
 * call and not from what it enqueued is wrong then.  One plain call goes ahead.  PLX_SUBJECT_NOT_CAPTURED: *why says
 * why; otherwise the status of the plain call. */
typedef int subject_caller(const plx_subject_request *request);
int32_t subject_capture(const plx_subject_request *request, void *const at[PLX_SUBJECT_OPERANDS], subject_caller *call,
                        plx_subject_graph *found, char *why, size_t capacity);

#endif
