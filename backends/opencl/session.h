/* What the files of the OpenCL backend share and nobody else sees. */
#ifndef PLX_BACKENDS_OPENCL_SESSION_H
#define PLX_BACKENDS_OPENCL_SESSION_H

#include "backends/opencl/opencl.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct plx_cl_device_entry {
    cl_platform_id platform;
    cl_device_id device;
} plx_cl_device_entry;

/* A program that was built, in its session's list. */
typedef struct plx_cl_built plx_cl_built;

struct plx_session {
    cl_device_id device;
    cl_context context;
    cl_command_queue touch; /* for what must be done while memory is allocated */
    plx_device_info info;
    char platform_version[256];
    bool driver_keeps_programs; /* on disk: a second cache would be of no use */
    atomic_bool lost;
    pthread_mutex_t programs_lock; /* guards programs, and one build at a time */
    plx_cl_built *programs;
};

struct plx_memory {
    cl_mem buffer;
    uint64_t bytes;
};

struct plx_plugin_queue {
    plx_session *session;
    cl_command_queue queue;
    cl_mem scratch; /* NULL until it is needed */
    uint64_t scratch_bytes;
};

/* The devices of all platforms that can run OpenCL C 1.2, in the loader's order;
 * listed once for the process.  As probe() it leaves a reason or a warning. */
plx_status plx_cl_list(const plx_cl_device_entry **entries, size_t *count, plx_error *error);

/* Text of a device or platform, cut to the room there is; "" when it has none. */
void plx_cl_device_text(cl_device_id device, cl_device_info what, char *text, size_t room);
void plx_cl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t room);
bool plx_cl_is_nvidia(cl_platform_id platform);

void plx_cl_describe(const plx_cl_device_entry *entry, plx_device_info *info);

/* PLX_DEVICE_LOST once a kernel has broken the context. */
plx_status plx_cl_alive(const plx_session *session, plx_error *error);

/* Device memory that is really there: a driver that allocates at first use is made
 * to do so now. */
plx_status plx_cl_create_buffer(plx_session *session, uint64_t bytes, cl_mem *buffer, plx_error *error);

/* Of plx_cl_program, at the end of a session. */
void plx_cl_release_programs(plx_session *session);

#endif
