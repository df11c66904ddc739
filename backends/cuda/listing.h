/* Device code as text, of two kinds: PTX, and what nvdisasm and cuobjdump print of machine code. */
#ifndef PLX_BACKENDS_CUDA_LISTING_H
#define PLX_BACKENDS_CUDA_LISTING_H

#include <parallax/code.h>

typedef enum plx_cuda_listing { PLX_CUDA_PTX = 0, PLX_CUDA_SASS } plx_cuda_listing;

/* The text without the entry points that are not among `count` names; NULL where there is no memory.
 * The caller frees it. */
char *plx_cuda_ptx_only(const char *ptx, const char (*entries)[96], size_t count);
/* Text that was written for OpenCL as CUDA can run it; the caller frees it.  NULL: no memory, or it reads a
 * register of OpenCL's launches that CUDA has nothing for, which `missing` then names. */
char *plx_cuda_offset_text(const char *ptx, char missing[16]);

/* Counts the instructions of the entry point found->entry.  False: the text has no such entry point, or
 * there is no memory. */
bool plx_cuda_listing_count(const char *text, plx_cuda_listing kind, plx_instructions *found);

#endif
