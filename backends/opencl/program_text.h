/* Programs as text: NVIDIA's driver keeps a program as PTX, and takes PTX for one. */
#ifndef PLX_BACKENDS_OPENCL_PROGRAM_TEXT_H
#define PLX_BACKENDS_OPENCL_PROGRAM_TEXT_H

#include "backends/opencl/opencl.h"

/* What the driver says that the program is, ended by NUL; the caller frees it.  NULL: it says nothing. */
char *plx_cl_program_text(cl_program program, size_t *length);

/* Builds a program of PTX, which the caller releases, with at most max_registers for a thread (0: as many as
 * the text wants).  *log is what the assembler says of it, which the caller frees; it may be NULL.
 * PLX_UNSUPPORTED: the driver refuses it. */
plx_status plx_cl_text_build(plx_session *session, const char *text, uint32_t max_registers, cl_program *program,
                             char **log, plx_error *error);
/* The registers of a thread that the log tells of an entry point; -1: it does not. */
int32_t plx_cl_log_registers(const char *log, const char *entry);

/* ---- text for pointers (pointer_text.c) ------------------------------------- */

/* What OpenCL has to be told of an entry point. */
typedef struct plx_cl_pointers {
    const char *entry;
    uint64_t parameters; /* bits: which are pointers to global memory */
    uint32_t block[3];   /* the size of its blocks: of one that does not state it, OpenCL runs no large ones */
} plx_cl_pointers;

/* Text of CUDA C++ as OpenCL can run it: its pointers are declared to be of global memory, and the shared
 * memory that CUDA's launch would size has `dynamic_shared` bytes.  No instruction changes.  The caller frees
 * it; NULL: no memory. */
char *plx_cl_pointer_text(const char *ptx, const plx_cl_pointers *entries, size_t count, uint64_t dynamic_shared);

#endif
