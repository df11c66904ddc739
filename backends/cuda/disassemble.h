/* What the toolkit's disassemblers print of machine code. */
#ifndef PLX_BACKENDS_CUDA_DISASSEMBLE_H
#define PLX_BACKENDS_CUDA_DISASSEMBLE_H

#include <parallax/plugin.h>

/* `code` is a cubin, or a fatbin, which cuobjdump alone reads; `functions`, "one,two", are all that is wanted
 * of it. The listing is ended by NUL and freed by the caller. PLX_UNSUPPORTED, with the remedy: the tool is
 * not there, or does not read this. */
plx_status plx_cuda_disassemble(const void *code, size_t length, bool fatbin, const char *functions, char **listing,
                                plx_error *error);

#endif
