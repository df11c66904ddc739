/* cuBLAS itself: opened at run time, so that one plugin serves CUDA 12 and 13, and says what is missing where there is
 * none. */
#ifndef PLX_PLUGINS_CUBLAS_FUNCTIONS_H
#define PLX_PLUGINS_CUBLAS_FUNCTIONS_H

#include <parallax/types.h>

/* PLX_NO_DEVICE, with the remedy: there is no library, or it lacks a function.  Looked for once. */
plx_status plx_cublas_load(plx_error *error);
/* Of the library that was loaded: 12, 13. */
int plx_cublas_major(void);

#endif
