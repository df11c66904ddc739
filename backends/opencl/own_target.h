/* Instructions that NVIDIA's OpenCL takes only as PTX.  Its compiler writes PTX for sm_90, where
 * what belongs to the architecture's own target, sm_90a, is an error.  Kernels say it in comments of
 * inline assembly, which stay in the PTX:
 *     //sm_90a: INSTRUCTION        stands where it is
 *     //sm_90a entry: DIRECTIVE    of the kernel that it is in
 * A program is built from them once more; where that fails, it stays as it was compiled. */
#ifndef PLX_BACKENDS_OPENCL_OWN_TARGET_H
#define PLX_BACKENDS_OPENCL_OWN_TARGET_H

#include <stddef.h>

/* The PTX with those lines in effect, ended by NUL; NULL when it has none, or there is no memory.  The
 * caller frees it. */
char *plx_cl_own_target(const char *ptx, size_t length, size_t *made_length);

#endif
