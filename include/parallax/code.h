/* Device code that moves from one API to another: the words of it that applications, studies and
 * plugins share.  Installed. */
#ifndef PARALLAX_CODE_H
#define PARALLAX_CODE_H

#include <parallax/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How device code is given its arguments. */
typedef enum plx_convention {
    PLX_CONVENTION_POINTERS =
        0,                  /* a pointer to where an operand begins; the launch says how much shared memory */
    PLX_CONVENTION_OFFSETS, /* a pointer to the memory, and elements to go; shared memory is an argument */
    PLX_CONVENTION_COUNT
} plx_convention;

#define PLX_MAX_ENTRIES 8

/* The device code of one kernel for one problem, as text that its device's other APIs may take too.
 * Freed with plx_code_free(). */
typedef struct plx_code {
    char language[16]; /* "ptx" */
    char compiler[96]; /* who wrote the text: "nvcc, for sm_90a" */
    plx_convention convention;
    uint32_t max_registers; /* of a thread, which whoever assembles it shall keep to; 0: as the text says */
    plx_device_info device; /* as the API for which it was written sees it: the launches are for that one */
    char entries[PLX_MAX_ENTRIES][96]; /* of its launches, each once, in their order */
    size_t entry_count;
    char *text; /* ended by NUL; malloc'ed */
    size_t length;
    uint64_t reserved[8]; /* 0 */
} plx_code;

/* One launch of a plan, and what a block of it takes.  -1: not known. */
typedef struct plx_launch_facts {
    char entry[96];
    uint64_t grid[3];
    uint32_t block[3];
    int32_t registers;       /* of a thread */
    int32_t local_bytes;     /* of a thread, in memory: what found no register, and its arrays */
    int32_t blocks_per_unit; /* that fit on a multiprocessor at once */
    int64_t shared_bytes;    /* of a block */
    uint64_t reserved[4];    /* 0 */
} plx_launch_facts;

/* What the instructions of a piece of device code do. */
typedef enum plx_instruction {
    PLX_INSTRUCTION_FMA = 0,     /* multiply-adds of floating point, also those of matrix units */
    PLX_INSTRUCTION_FLOAT,       /* other arithmetic of floating point */
    PLX_INSTRUCTION_SHARED_LOAD, /* LDS */
    PLX_INSTRUCTION_SHARED_STORE,
    PLX_INSTRUCTION_GLOBAL_LOAD, /* LDG */
    PLX_INSTRUCTION_GLOBAL_STORE,
    PLX_INSTRUCTION_COPY,  /* from global to shared memory, without registers */
    PLX_INSTRUCTION_LOCAL, /* loads and stores of a thread's own memory: spilled registers */
    PLX_INSTRUCTION_BARRIER,
    PLX_INSTRUCTION_PREDICATE, /* comparisons and what is made of them */
    PLX_INSTRUCTION_ADDRESS,   /* arithmetic of integers: addresses and counters */
    PLX_INSTRUCTION_BRANCH,
    PLX_INSTRUCTION_OTHER,
    PLX_INSTRUCTION_COUNT
} plx_instruction;

/* How often each stands in a text; nothing of how often it is executed. */
typedef struct plx_instruction_counts {
    uint32_t of[PLX_INSTRUCTION_COUNT];
    uint32_t all;
} plx_instruction_counts;

/* The instructions of one entry point: all of them, and those of its largest innermost loop, in which
 * it spends its time where it has one. */
typedef struct plx_instructions {
    char entry[96];
    plx_instruction_counts whole, loop; /* loop.all 0: it has no loop */
    uint64_t reserved[4];               /* 0 */
} plx_instructions;

/* Of which form of the code the instructions are counted. */
typedef enum plx_code_form {
    PLX_CODE_TEXT = 0,  /* as it is written */
    PLX_CODE_ASSEMBLED, /* what the driver makes of the text */
    PLX_CODE_COMPILED,  /* what the plugin carries, made by the compiler that wrote the text */
    PLX_CODE_FORM_COUNT
} plx_code_form;

#ifdef __cplusplus
}
#endif

#endif
