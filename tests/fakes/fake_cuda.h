/* The knobs of a fake CUDA driver: its devices' memory is the host's, its
 * launches are only written down, and it fails when told to. */
#ifndef PLX_TESTS_FAKE_CUDA_H
#define PLX_TESTS_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_LAUNCHES 16
#define FAKE_ARGUMENTS 48
#define FAKE_RESERVED_SHARED 1024
#define FAKE_REGISTERS 40 /* of every function's threads */
#define FAKE_LOCAL_BYTES 24
#define FAKE_DEVICES 8
enum { FAKE_MEMORY_DEVICE = 0, FAKE_MEMORY_MANAGED, FAKE_MEMORY_POOL, FAKE_MEMORY_ARRAY };
#define FAKE_UUID_FIRST 0xa0 /* the UUID's bytes count up from here */

typedef struct fake_launch {
    char entry[128];
    unsigned int grid[3], block[3], shared_bytes;
    void *stream;
    int dependent_launch;               /* it may begin before what precedes it ends */
    unsigned int cluster;               /* blocks; 0: none was asked for */
    uint64_t arguments[FAKE_ARGUMENTS]; /* eight bytes each */
    const void *module;                 /* whose function it was */
} fake_launch;

/* What a map was encoded from; its first eight bytes are the address, as in a launch's arguments. */
typedef struct fake_map {
    uint64_t address, sizes[2], pitch;
    unsigned int type, rank, box[2], swizzle;
} fake_map;

/* Python reads its beginning (tests/python/test_plx.py): what is new stands at the end. */
typedef struct fake_cuda_state {
    /* The next call of this function returns this result; NULL: none fails. */
    const char *failing_function;
    int failing_result;
    /* So many calls from now, whatever they are but cuCtxSetCurrent, one returns failing_result; 0: none. */
    size_t failing_call;
    int device_count;
    int static_shared;                     /* of every function */
    int max_block_threads;                 /* of every function */
    int odd_attribute, odd_value;          /* this attribute of every device has this value; 0: none */
    size_t argument_counts[FAKE_LAUNCHES]; /* of the launches to come, in their order */

    size_t most_bytes;                                      /* of one allocation; 0: 80 GiB */
    double elapsed_ms;                                      /* between any two events; 0: 1.5 */
    size_t contexts, modules, allocations, streams, events; /* alive now */
    size_t left_behind;                                     /* modules to events that died with the last context */
    size_t module_loads, calls, waits;                      /* ever; waits: for streams */
    size_t captured;                                        /* calls that went into a stream that is being captured */
    int work_is_pending;                                    /* no event has passed, until one is waited for */
    int next_is;                                            /* what the next allocation is: one of FAKE_MEMORY_ */
    size_t host_allocations;                                /* page-locked, alive now */
    size_t bad_frees;                                       /* of what is no allocation */
    int driver_version;
    void *last_wait, *last_recorded; /* streams that were last told to wait, and where an event was recorded */
    void *destroyed_context;         /* can't be made current */
    int dynamic_shared_limit;        /* the last one set */
    uint64_t last_address;           /* of the newest allocation */
    size_t last_bytes;
    fake_map last_map;          /* encoded */
    size_t maps_not_promoted;   /* to more than a line in L2 */
    char last_text[4096];       /* the beginning of the text that was assembled last */
    unsigned int max_registers; /* that it was to keep to; 0: it was not told */
    /* Told of the machine code that became of a text, which is none; NULL: nobody is. */
    void (*module_loaded)(const void *code, size_t length);
    const char *text_log; /* what the assembler says of text; not NULL: it refuses it */
    size_t launch_count;  /* launches[] holds the first FAKE_LAUNCHES of them */
    fake_launch launches[FAKE_LAUNCHES];
    int knows_parameters; /* of every function: parameter_count sizes */
    size_t parameter_count, parameter_bytes[FAKE_ARGUMENTS];
    int clusters[2]; /* of 4 blocks and of 8 that run at once; 0: the driver can't tell */
} fake_cuda_state;

/* Exported as "fake_cuda_control". */
typedef fake_cuda_state *fake_cuda_control_function(void);
/* Exported as "fake_cuda_other_context": one that a program has made on the device, besides the primary one. */
typedef void *fake_cuda_other_context_function(int device);

#endif
