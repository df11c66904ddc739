/* What the files of the fake CUDA driver share. */
#ifndef PLX_TESTS_FAKE_CUDA_INSIDE_H
#define PLX_TESTS_FAKE_CUDA_INSIDE_H

#include "answers.h"
#include "fake_cuda.h"

#include <cuda.h>

#define EXPORT __attribute__((visibility("default")))

extern fake_cuda_state fake_cuda;

/* Counts a call; the error that it is to return. */
CUresult fake_enter(const char *function);
/* For functions that need a current context. */
CUresult fake_enter_context(const char *function);
/* For what no capture survives but that of a relaxed thread. */
CUresult fake_enter_unsafe(const char *function);
/* Breaks the captures that such a call ends; whether there was one. */
int fake_ends_captures(void);
/* For what goes into a stream. */
CUresult fake_enter_stream(CUstream stream);

/* What a stream that is captured keeps, instead of doing it. */
enum { FAKE_VALUES = 16 };
typedef struct fake_node {
    struct fake_node *next;
    CUgraphNodeType type;
    CUfunction function; /* of a kernel, with its values */
    unsigned int grid[3], block[3], shared_bytes;
    uint64_t values[FAKE_VALUES];
    CUdeviceptr to, from; /* of a copy or a fill, with its pattern of so many bytes */
    const void *host_from;
    size_t bytes, width;
    unsigned int pattern;
    CUhostFn called;
    void *data;
} fake_node;
/* Whether the stream is captured: then the node is kept. */
int fake_keeps(CUstream stream, const fake_node *node);
/* Does what a node is. */
void fake_do(const fake_node *node);
/* Of a kernel, as a launch has it; its entry. */
void fake_do_kernel(const fake_node *node);
const char *fake_entry(CUfunction function);
/* The calling thread's context, and a device's primary one. */
void *fake_current(void);
void *fake_context(CUdevice device);
/* The number of its device; -1: none is current. */
int fake_current_device(void);
/* A number of 32 bits, or what is due in its place. */
int fake_number32(int right);

/* One thread at a time is in the driver, until the function returns that says so. */
int fake_hold(void);
void fake_let_go(const int *held);

#define FAKE_JOINED(a, b) a##b
#define FAKE_NAME(a, b) FAKE_JOINED(a, b)
#define ENTER(how, function)                                                                         \
    __attribute__((cleanup(fake_let_go), unused)) const int FAKE_NAME(held, __LINE__) = fake_hold(); \
    do {                                                                                             \
        CUresult entered = how(function);                                                            \
        if (entered != CUDA_SUCCESS)                                                                 \
            return entered;                                                                          \
    } while (0)

#endif
