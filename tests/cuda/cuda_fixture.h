/* What the tests of the cuda plugin's host side share: the plugin as it was
 * built, on a fake driver. */
#ifndef PLX_TESTS_CUDA_FIXTURE_H
#define PLX_TESTS_CUDA_FIXTURE_H

#include "tests/fakes/fake_cuda.h"

#include <parallax/plugin.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

/* Numbers of the driver's API. */
enum {
    OUT_OF_MEMORY = 2,
    STUB_LIBRARY = 34,
    NO_DEVICE = 100,
    NO_BINARY = 209,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
    DRIVER_MISMATCH = 803,
    UNKNOWN = 999
};

typedef struct bench {
    plx_session *session;
    plx_plugin_queue *queue;
    size_t contexts; /* alive before */
} bench;

extern const plx_plugin *plugin;
extern fake_cuda_state *fake;
extern plx_error error; /* of the last call that failed */

const plx_plugin *load_plugin(void);

/* The next call of the driver's function returns the result. */
void fail_next(const char *function, int result);

/* Group setup: loads the plugin, with the fake driver as its driver. */
int start_with_fake(void **unused);

/* A function of the driver, into a pointer to one. */
void find_in_driver(const char *name, void *pointer);

/* The calling thread, as the driver sees it: its context, and how it heeds the captures of streams. */
enum { CAPTURE_GLOBAL = 0, CAPTURE_THREAD_LOCAL = 1, CAPTURE_RELAXED = 2 };
void *current_context(void);
void make_current(void *context);
int capture_mode(void);
void set_capture_mode(int mode);
/* One that a program has made; -1: device 0's primary one. */
void *other_context(int device);

/* A stream of the current context, which is captured from here on; and the driver's answer at its end. */
void *make_stream(void);
void *begin_capture(int mode);
void capture(void *stream, int mode);
int end_capture(void *stream);

/* Memory of the program's in the current context; kind: FAKE_MEMORY_. */
uint64_t make_memory(int kind, size_t bytes);
void free_memory(uint64_t address);

bench begin(void);
/* Nothing may be left alive in the driver. */
void end(bench made);

#endif
