/* A driver of OpenCL that is not there, and a chip of NVIDIA behind it: the table of the driver's functions has this
 * one's, which write down what they are told. */
#ifndef PLX_TESTS_OPENCL_FAKE_DRIVER_H
#define PLX_TESTS_OPENCL_FAKE_DRIVER_H

#include "backends/opencl/opencl.h"
#include "backends/opencl/session.h"

#include <parallax/tool.h>

#include <stddef.h>
#include <stdint.h>

enum { FAKE_MOST = 64, FAKE_OPERANDS = 3 };

typedef struct fake_argument {
    size_t size; /* 0: never told */
    bool is_null;
    union {
        unsigned char bytes[64];
        uint64_t word; /* the first eight of them */
    };
} fake_argument;

typedef struct fake_kernel {
    char entry[128];
    fake_argument arguments[FAKE_MOST];
    cl_uint argument_count;
} fake_kernel;

typedef struct fake_launch {
    const fake_kernel *kernel;
    size_t global[3], local[3];
} fake_launch;

typedef struct fake_driver {
    /* What a test sets.  PTX that is made of source, which has a line for sm_90a at first; "": none is given.  What is
     * said of text that is to be built. */
    const char *compiled, *log;
    cl_int build_code;
    /* What the driver was told since fake_driver_set_up(): the text and the options of what was built last, of text or
     * of source; programs and kernels that are alive; kernels and launches in their order. */
    char text[8192], text_options[512], source_options[512];
    size_t texts_built, programs, kernels;
    fake_kernel made[FAKE_MOST];
    size_t made_count;
    fake_launch launched[FAKE_MOST];
    size_t launches;
    /* A session, a queue with scratch memory, and operands, each at byte 0 of a memory of its own. */
    plx_session session;
    plx_plugin_queue queue;
    plx_memory memory[FAKE_OPERANDS];
    plx_operand operands[FAKE_OPERANDS];
} fake_driver;

extern fake_driver fake;
/* PTX with a line for sm_90a, and without. */
extern const char fake_own_ptx[], fake_plain_ptx[];

/* For cmocka.  The second fails where programs or kernels are left. */
int fake_driver_set_up(void **state);
int fake_driver_tear_down(void **state);

/* What is made of source, or of text. */
cl_program fake_program(bool text);
/* The buffer of operand number `index`, and FAKE_OPERANDS: of scratch memory. */
cl_mem fake_buffer(size_t index);
/* The number of the kernel in the operation's ladder. */
size_t fake_kernel_named(plx_op op, const char *name);

#endif
