/* The knobs of a fake profiling library: it keeps account of who called what,
 * has values of its own for the metrics it knows, and fails when told to. */
#ifndef PLX_TESTS_FAKE_CUPTI_H
#define PLX_TESTS_FAKE_CUPTI_H

#include <stddef.h>

typedef struct fake_cupti_state {
    /* The next call of this function returns this result; NULL: none fails. */
    const char *failing_function;
    int failing_result;
    const char *unknown; /* a metric that the chip does not have either; NULL: none */
    size_t passes;       /* that a profile needs */

    size_t initialised, hosts, enabled, started, pushed; /* alive now */
    size_t pops;                                         /* ever */
    size_t submitted;                                    /* passes of the profile that is under way */

    size_t subscribers, callbacks; /* ever; that are enabled */
} fake_cupti_state;

/* Exported as "fake_cupti_control". */
typedef fake_cupti_state *fake_cupti_control_function(void);
/* Exported as "fake_cupti_module_loaded": tells the subscriber that this became of a module. */
typedef void fake_cupti_module_loaded_function(const void *code, size_t length);

#endif
