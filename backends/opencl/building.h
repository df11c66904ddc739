/* Programs that are being built by some session of this process.  Sessions that need the same one at the
 * same time would all compile it: one does, and the others find it in the cache on disk. */
#ifndef PLX_BACKENDS_OPENCL_BUILDING_H
#define PLX_BACKENDS_OPENCL_BUILDING_H

#include <stddef.h>

/* A build under way: the caller's memory, from begin to end. */
typedef struct plx_cl_building {
    const char *key;
    size_t length;
    struct plx_cl_building *next;
} plx_cl_building;

/* Waits while another thread builds the program of this key. */
void plx_cl_building_begin(plx_cl_building *building, const char *key, size_t length);
void plx_cl_building_end(plx_cl_building *building);

#endif
