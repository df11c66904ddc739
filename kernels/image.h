/* Device code carried inside a plugin: a table of named byte arrays, written by
 * build-aux/embed and ended by an entry whose key is NULL. */
#ifndef PLX_KERNELS_IMAGE_H
#define PLX_KERNELS_IMAGE_H

#include <stddef.h>

typedef struct plx_image {
    const char *key; /* "gemm/naive" */
    const unsigned char *bytes;
    size_t length;
} plx_image;

/* NULL when the table has no such key. */
const plx_image *plx_image_find(const plx_image *table, const char *key);

#endif
