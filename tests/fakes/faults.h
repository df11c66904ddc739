/* Faults that a process is to meet: what the one that plans them (tests/faults) and the library that
 * carries them out (faults.c) share, a file that both map. */
#ifndef PLX_TESTS_FAULTS_H
#define PLX_TESTS_FAULTS_H

#include <stdatomic.h>
#include <stdint.h>

/* Which calls are counted, and fail. */
typedef enum fault_of { FAULT_OF_NOTHING, FAULT_OF_MEMORY, FAULT_OF_DRIVER } fault_of;

/* What becomes of a driver's call: an error, an answer that can't be, or no answer. */
typedef enum fault_how {
    FAULT_NONE,
    FAULT_NO_MEMORY,
    FAULT_LOST,    /* the device is gone */
    FAULT_UNKNOWN, /* an error that nobody has heard of */
    FAULT_ZERO,    /* numbers are 0, handles NULL, texts empty */
    FAULT_HUGE,    /* numbers are 2^63, or the largest of their type */
    FAULT_MILLION, /* numbers are 10^6 */
    FAULT_NEGATIVE,
    FAULT_ENDLESS, /* texts have no end, and control characters */
    FAULT_HANG
} fault_how;

enum { FAULT_MOST_NAMES = 8192, FAULT_NAME = 48 };

typedef struct faults {
    fault_of of;
    fault_how how;
    uint64_t at; /* number of the call that fails, from 1 on; 0: none does */
    int from_then_on;
    _Atomic uint64_t calls, injected;
    char where[256];                          /* the last one that failed */
    char names[FAULT_MOST_NAMES][FAULT_NAME]; /* of the first calls of a driver */
} faults;

/* For fake drivers: what becomes of this call of this function.  A hang has been by then. */
fault_how fault_in_driver(const char *function);
/* An answer that could not be given, because the function gives none, was no fault. */
void fault_given(void);
/* From now on nothing fails: what the process still does is none of the program's work (base/coverage.h). */
void fault_none(void);

#endif
