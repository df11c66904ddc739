/* What the files of the fake OpenCL share. */
#ifndef PLX_TESTS_FAKE_OPENCL_H
#define PLX_TESTS_FAKE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "answers.h"

#include <CL/cl.h>
#include <stdbool.h>

#define EXPORT __attribute__((visibility("default")))
#define HUGE_NUMBER (UINT64_C(1) << 63)

enum { MOST_ARGUMENTS = 32 };

/* Objects: the first word says what they are, so that a wrong handle is an error and no crash. */
typedef enum kind { NO_OBJECT, PLATFORM, DEVICE, CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, KINDS } kind;

typedef struct object {
    kind kind;
    int references;
    struct object *next;
    struct object *of; /* BUFFER: that it is part of; KERNEL: its program */
    char *bytes;       /* BUFFER: its memory; PROGRAM: its binary */
    size_t length;
    char entry[96]; /* KERNEL; PROGRAM: the first line of its source */
    uint64_t arguments[MOST_ARGUMENTS];
    bool is_memory[MOST_ARGUMENTS];
    cl_uint argument_count;
    cl_ulong time; /* EVENT */
} object;

/* Whether this is the handle of an object of that kind which is alive. */
bool fake_is(const void *handle, kind wanted);
/* With one reference; NULL: no memory. */
object *fake_make(kind of, size_t bytes);
cl_int fake_release(const char *function, void *handle, kind of, cl_int wrong);
/* The error that a call is to return. */
cl_int fake_enter(const char *function);
/* Of functions that make an object: its handle, or none. */
void *fake_given(object *made, cl_int *code, cl_int wrong);

/* Answers: the length that is asked for, or the value. */
cl_int fake_give_bytes(const void *value, size_t length, size_t room, void *to, size_t *told);
cl_int fake_give_text(const char *text, size_t room, void *to, size_t *told);
cl_int fake_give_number(uint64_t value, size_t size, size_t room, void *to, size_t *told);

#define ENTER(function)                              \
    do {                                             \
        const cl_int entered = fake_enter(function); \
        if (entered != CL_SUCCESS)                   \
            return entered;                          \
    } while (0)

#define REQUIRE(good, wrong) \
    do {                     \
        if (!(good))         \
            return (wrong);  \
    } while (0)

#endif
