/* What the tests of the cuda plugin's host side share: the plugin as it was
 * built, on a fake driver. */
#ifndef PLX_TESTS_CUDA_FIXTURE_H
#define PLX_TESTS_CUDA_FIXTURE_H

#include "tests/fakes/fake_cuda.h"

#include <parallax/plugin.h>
#include <setjmp.h>

#include <cmocka.h>

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

bench begin(void);
/* Nothing may be left alive in the driver. */
void end(bench made);

#endif
