/* What the files of the OpenCL backend share and nobody else sees. */
#ifndef PLX_BACKENDS_OPENCL_SESSION_H
#define PLX_BACKENDS_OPENCL_SESSION_H

#include "backends/opencl/opencl.h"

typedef struct plx_cl_device_entry {
    cl_platform_id platform;
    cl_device_id device;
} plx_cl_device_entry;

/* The devices of all platforms that can run OpenCL C 1.2, in the loader's order;
 * listed once for the process.  As probe() it leaves a reason or a warning. */
plx_status plx_cl_list(const plx_cl_device_entry **entries, size_t *count, plx_error *error);

/* Text of a device or platform, cut to the capacity; "" when it has none. */
void plx_cl_device_text(cl_device_id device, cl_device_info what, char *text, size_t capacity);
void plx_cl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t capacity);
bool plx_cl_is_nvidia(cl_platform_id platform);

void plx_cl_describe(const plx_cl_device_entry *entry, plx_device_info *info);

/* A session on a device; context NULL: in one of its own. */
plx_status plx_cl_open_in(const plx_cl_device_entry *entry, cl_context context, plx_session **session,
                          plx_error *error);
/* For memory that is new to this process. */
uint64_t plx_cl_new_serial(void);

/* Device memory that is really there: a driver that allocates at first use is made
 * to do so now. */
plx_status plx_cl_create_buffer(plx_session *session, uint64_t bytes, plx_memory *memory, plx_error *error);

/* A program that is still to be built (il.c). */
plx_status plx_cl_create_from_il(const plx_session *session, const plx_cl_source *source, cl_program *program,
                                 plx_error *error);

/* Of plx_cl_program, at the end of a session. */
void plx_cl_release_programs(plx_session *session);

#endif
