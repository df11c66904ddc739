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
    PLX_CONVENTION_POINTERS = 0, /* a pointer to where an operand begins; the launch says how much shared memory */
    PLX_CONVENTION_OFFSETS,      /* a pointer to the memory, and elements to go; shared memory is an argument */
    PLX_CONVENTION_COUNT
} plx_convention;

#define PLX_MAX_ENTRIES 8

/* The device code of one kernel for one problem, as text that its device's other APIs may take too.
 * Freed with plx_code_free(). */
typedef struct plx_code {
    char language[16]; /* "ptx" */
    char compiler[96]; /* who wrote the text: "nvcc, for sm_90a" */
    plx_convention convention;
    uint32_t max_registers;            /* of a thread, which whoever assembles it shall keep to; 0: as the text says */
    plx_device_info device;            /* as the API for which it was written sees it: the launches are for that one */
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
    int32_t registers;             /* of a thread */
    int32_t local_bytes;           /* of a thread, in memory: what found no register, and its arrays */
    int32_t blocks_per_unit;       /* that fit on a multiprocessor at once */
    int64_t shared_bytes;          /* of a block */
    uint32_t tile_rows, tile_cols; /* elements of the result that a block writes, as a rectangle; 0: not known */
    uint64_t reserved[3];          /* 0 */
} plx_launch_facts;

/* ---- launches of a kernel that is no plugin's (parallax/recipe.h makes them) -------------------- */

#define PLX_MAX_LAUNCHES 8
#define PLX_MAX_GIVEN 64 /* arguments of a launch */
#define PLX_MAX_PIECES 28
#define PLX_MAX_GIVEN_MAPS 6
#define PLX_MAP_BYTES 128 /* of a tensor map, which begins at a multiple of that */

typedef enum plx_given_kind {
    PLX_GIVEN_BYTES = 0, /* a value, or a struct, as it lies in memory */
    PLX_GIVEN_OPERAND,   /* a pointer: `offset` bytes from where an operand begins */
    PLX_GIVEN_PIECE,     /* a pointer: `offset` bytes from where a piece of memory begins */
    PLX_GIVEN_NULL,      /* a null pointer */
    PLX_GIVEN_LOCAL,     /* so many bytes of local memory: OpenCL */
    PLX_GIVEN_MAP,       /* a tensor map, by value */
    PLX_GIVEN_KINDS
} plx_given_kind;

/* An argument of a launch, or a pointer within a struct. */
typedef struct plx_given {
    plx_given_kind kind;
    uint32_t which;                   /* OPERAND, PIECE, MAP */
    uint64_t offset;                  /* bytes */
    uint64_t size;                    /* BYTES, LOCAL */
    uint64_t at;                      /* of a pointer within a struct: its byte there */
    const void *bytes;                /* BYTES */
    const struct plx_given *pointers; /* BYTES: those within */
    uint32_t pointer_count;
    uint32_t is_real; /* BYTES: 1: of 4 or 8 bytes that are an f32 or f64, which only descriptions of kernels say */
} plx_given;

/* What is in a piece of memory ahead of a call. */
typedef enum plx_piece_state {
    PLX_PIECE_GARBAGE = 0, /* anything */
    PLX_PIECE_ZERO_EACH,   /* zeros, which each call writes */
    PLX_PIECE_ZERO_ONCE,   /* zeros at first, and the kernel leaves them so */
    PLX_PIECE_CONTENT,     /* what `content` has, which the kernel only reads */
    PLX_PIECE_MAP,         /* the tensor map number `map`, for the operands of the call, which the kernel only reads */
    PLX_PIECE_STATES
} plx_piece_state;

/* Memory of a kernel's own. */
typedef struct plx_piece {
    uint64_t bytes; /* 0: it begins nowhere */
    uint64_t align;
    plx_piece_state state;
    uint32_t map; /* MAP: which; 0 elsewhere */
    const void *content;
} plx_piece;

/* A tensor map of rank 1 to 5, innermost first. */
typedef struct plx_given_map {
    bool of_piece;
    uint32_t which; /* operand or piece */
    uint64_t offset;
    char type[8]; /* "f32", "u8", "tf32" */
    uint32_t rank, swizzle, interleave, l2;
    bool fill_nan;
    uint64_t size[5], stride[5]; /* elements; bytes, of all dimensions but the first: stride[0] is that of the second */
    uint32_t box[5], step[5];
} plx_given_map;

typedef struct plx_launch {
    const char *entry;
    uint64_t grid[3]; /* blocks */
    uint32_t block[3], cluster[3];
    uint64_t shared;  /* bytes of dynamic shared memory */
    int32_t carveout; /* percent; -1: the driver's choice */
    bool cooperative, dependent;
    const plx_given *arguments;
    size_t argument_count;
} plx_launch;

/* An operand as another process can reach it: a function that is none of this process is given these. */
typedef struct plx_reached {
    uint64_t serial; /* of the memory: no other ever has it; 0: there is none */
    int descriptor;  /* of the file in memory that it is, still the plugin's; -1: it is a device's, by `handle` */
    bool written;    /* the result; others can't be written through the descriptor */
    unsigned char handle[64];
    uint64_t bytes, offset; /* of the memory; at which the operand begins */
} plx_reached;

/* Computes a problem, and comes back when that is done.  `place`: the device's on its bus, "" of the host. */
typedef plx_status plx_function_call(void *data, const plx_problem *problem, const char *place,
                                     const plx_reached *operands, size_t count, plx_error *error);

/* A kernel for one problem: its device code, and what is launched of it. */
typedef struct plx_launch_list {
    const char *name;     /* of the code, for messages */
    const char *language; /* "OpenCL C", "SPIR-V", "PTX", "cubin"; "function": no code and no launches, but `call` */
    const void *code;     /* text is ended by NUL, which is not counted */
    size_t length;
    const char *options;              /* of its compiler */
    uint32_t max_registers;           /* 0: not limited */
    uint32_t align[PLX_MAX_OPERANDS]; /* bytes at whose multiples an operand must begin; 0: those of an element */
    int64_t depth;                    /* the most roundings that a term can meet on its way into the result */
    plx_piece pieces[PLX_MAX_PIECES];
    size_t piece_count;
    plx_given_map maps[PLX_MAX_GIVEN_MAPS];
    size_t map_count;
    plx_launch launches[PLX_MAX_LAUNCHES];
    size_t launch_count;
    plx_function_call *call; /* of the language "function" */
    void *call_data;         /* outlives the plan */
    uint64_t written;        /* which operand it writes */
    uint64_t keeps_nothing; /* 1: its code has no variables that outlive a launch, so plans may share what was loaded */
    uint64_t reserved[4];   /* 0 */
} plx_launch_list;

/* A kernel of a plugin for one problem, as anybody could launch it; the list points into what is behind it.  Freed with
 * plx_described_kernel_free(). */
typedef struct plx_described_kernel {
    plx_launch_list list;
    plx_given arguments[PLX_MAX_LAUNCHES][PLX_MAX_GIVEN];
    uint64_t values[PLX_MAX_LAUNCHES][PLX_MAX_GIVEN];
    char entries[PLX_MAX_LAUNCHES][160];
    char ending[8]; /* of a file with its code: "cl", "ptx" */
    char *text;     /* the code; malloc'ed */
} plx_described_kernel;

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
