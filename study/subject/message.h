/* What the judge and the process of somebody's function tell each other, one message at a time over a socket.  The
 * judge asks; a descriptor comes with each operand of memory that is new.  worker.py has the same layout. */
#ifndef PLX_SUBJECT_MESSAGE_H
#define PLX_SUBJECT_MESSAGE_H

#include <stdint.h>

/* Descriptors of the worker: the socket, and the bytes of what it is to load. */
enum { PLX_SUBJECT_SOCKET = 3, PLX_SUBJECT_CODE = 4 };
enum { PLX_SUBJECT_SLOTS = 512, PLX_SUBJECT_OPERANDS = 4 };

typedef enum plx_subject_kind {
    PLX_SUBJECT_CALL = 1, /* the function, once */
    PLX_SUBJECT_EMPTY,    /* all but the function: what a call takes by itself */
    PLX_SUBJECT_FORGET,   /* unmaps the memory of the operands' slots */
    PLX_SUBJECT_CAPTURE   /* captures a call of the function, and replays that; of a device's functions */
} plx_subject_kind;

/* Memory has a slot until that is forgotten. */
typedef struct plx_subject_place {
    int32_t slot;    /* -1: it has no elements */
    int32_t is_new;  /* the slot is to be filled: by the next descriptor, or by `handle` */
    int32_t written; /* the result */
    int32_t dtype;
    uint64_t bytes, offset; /* of the memory; at which the operand begins */
    int64_t rows, cols, ld;
    unsigned char handle[64];
} plx_subject_place;

typedef struct plx_subject_request {
    uint32_t kind, op, operand_count, output;
    int32_t trans_a, trans_b, reduce, compute;
    char device[16]; /* its place on the bus; "": the host */
    double alpha, beta;
    plx_subject_place operands[PLX_SUBJECT_OPERANDS];
} plx_subject_request;

typedef struct plx_subject_reply {
    int32_t status; /* of the function; PLX_SUBJECT_ statuses, and `text` has the reason */
    int32_t reserved;
    char text[376]; /* of the first reply: what fences the worker in */
} plx_subject_reply;

/* What was captured: follows the reply to PLX_SUBJECT_CAPTURE where its status is 0. */
enum { PLX_SUBJECT_KERNELS = 16 };
typedef struct plx_subject_kernel {
    char name[192]; /* "": the driver does not say */
    uint32_t grid[3], block[3], shared_bytes, reserved;
} plx_subject_kernel;

typedef struct plx_subject_graph {
    uint32_t kernels, copies, fills, host_calls, allocations, others; /* nodes of each kind; others: events, frees */
    uint32_t listed, reserved;
    plx_subject_kernel list[PLX_SUBJECT_KERNELS];
} plx_subject_graph;

enum {
    PLX_SUBJECT_UNSUPPORTED = 1,
    PLX_SUBJECT_NOT_LOADED = -1001, /* the first reply: there is no such file or function */
    PLX_SUBJECT_RAISED = -1002,
    PLX_SUBJECT_WROTE = -1003, /* to what it can only read; it has ended */
    PLX_SUBJECT_NO_MAP = -1004,
    PLX_SUBJECT_NOT_CAPTURED = -1005 /* the function itself is none the worse for it */
};

#endif
