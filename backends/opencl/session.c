/* An opened OpenCL device and its memory. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/session.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ------------------------------------------------------------- */

static plx_status create_context(plx_session *session, const plx_cl_device_entry *entry, plx_error *error)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)entry->platform, 0};
    cl_int code;
    session->context = plx_cl.CreateContext(properties, 1, &session->device, NULL, NULL, &code);
    return plx_cl_check(code, "clCreateContext", error);
}

static plx_status retain_context(plx_session *session, cl_context context, plx_error *error)
{
    session->context = context;
    return PLX_CL(error, RetainContext, context);
}

/* The session's context, with what is made in it at once. */
static plx_status enter_context(plx_session *session, const plx_cl_device_entry *entry, cl_context context,
                                plx_error *error)
{
    cl_int code;
    const plx_status status =
        context == NULL ? create_context(session, entry, error) : retain_context(session, context, error);
    if (status != PLX_OK)
        return status;
    session->touch = plx_cl.CreateCommandQueue(session->context, session->device, 0, &code);
    if (code == CL_SUCCESS)
        return PLX_OK;
    (void)plx_cl.ReleaseContext(session->context);
    return plx_cl_check(code, "clCreateCommandQueue", error);
}

/* PoCL keeps on disk each kernel for each size of work-group that it ran.  Asked for a
 * program, it compiles every kernel of it once more, for any size. */
static bool keeps_programs(cl_platform_id platform)
{
    char name[64];
    plx_cl_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    return strcmp(name, "Portable Computing Language") == 0;
}

/* PoCL links each kernel for a processor with ld, which it looks for in PATH alone, and ends the process
 * without it. */
static bool path_has_linker(void)
{
    char program[PATH_MAX];
    const char *path = getenv("PATH");
    for (size_t length; path != NULL && *path != '\0'; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        if (snprintf(program, sizeof program, "%.*s/ld", (int)length, path) < PATH_MAX && access(program, X_OK) == 0)
            return true;
    }
    return false;
}

/* Where there is no ld at all, PoCL may have been built with a linker of its own. */
static plx_status check_linker(const plx_session *session, plx_error *error)
{
    const bool links = strstr(session->platform_version, "PoCL") != NULL && (session->info.features & PLX_FEATURE_CPU);
    if (!links || path_has_linker() || access("/usr/bin/ld", X_OK) != 0)
        return PLX_OK;
    return plx_fail(error, PLX_FAILED,
                    "PATH has no ld, which PoCL links kernels with, and would end the process for; add "
                    "/usr/bin to PATH");
}

plx_status plx_cl_open_in(const plx_cl_device_entry *entry, cl_context context, plx_session **session, plx_error *error)
{
    plx_session *opened = calloc(1, sizeof *opened);
    if (!opened)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL session");
    opened->device = entry->device;
    plx_cl_describe(entry, &opened->info);
    plx_cl_platform_text(entry->platform, CL_PLATFORM_VERSION, opened->platform_version,
                         sizeof opened->platform_version);
    opened->driver_keeps_programs = keeps_programs(entry->platform);
    atomic_init(&opened->lost, false);
    plx_status status = check_linker(opened, error);
    if (status == PLX_OK)
        status = enter_context(opened, entry, context, error);
    if (status != PLX_OK) {
        free(opened);
        return status;
    }
    (void)pthread_mutex_init(&opened->programs_lock, NULL);
    (void)pthread_mutex_init(&opened->pinned_lock, NULL);
    *session = opened;
    return PLX_OK;
}

plx_status plx_cl_open(size_t device, plx_session **session, plx_error *error)
{
    const plx_cl_device_entry *entries;
    size_t count;
    const plx_status status = plx_cl_list(&entries, &count, error);
    if (status != PLX_OK)
        return status;
    if (device >= count)
        return plx_fail(error, PLX_NOT_FOUND, "there is no OpenCL device %zu; the last one is %zu", device, count - 1);
    return plx_cl_open_in(&entries[device], NULL, session, error);
}

void plx_cl_close(plx_session *session)
{
    plx_cl_release_programs(session);
    (void)plx_cl.ReleaseCommandQueue(session->touch);
    (void)plx_cl.ReleaseContext(session->context);
    (void)pthread_mutex_destroy(&session->programs_lock);
    (void)pthread_mutex_destroy(&session->pinned_lock);
    free(session);
}

plx_status plx_cl_alive(const plx_session *session, plx_error *error)
{
    if (!atomic_load(&session->lost))
        return PLX_OK;
    return plx_fail(error, PLX_DEVICE_LOST, "an earlier kernel broke the context of %s; nothing more runs on it",
                    session->info.name);
}

/* ---- memory ---------------------------------------------------------------- */

/* A GPU's driver may put off the allocation until a command uses the buffer; then
 * the first timed run would pay for it, and a lack of memory would show there. */
static cl_int touch(const plx_session *session, cl_mem buffer, uint64_t bytes)
{
    const cl_uchar zero = 0;
    size_t some = bytes < 4096 ? (size_t)bytes : 4096;
    cl_int code = plx_cl.EnqueueFillBuffer(session->touch, buffer, &zero, sizeof zero, 0, some, 0, NULL, NULL);
    return code == CL_SUCCESS ? plx_cl.Finish(session->touch) : code;
}

/* The device's largest allocation is a promise, not a limit (NVIDIA's drivers give
 * more): the driver is asked whatever the size. */
static cl_int create(const plx_session *session, uint64_t bytes, cl_mem *buffer)
{
    cl_int code = CL_INVALID_BUFFER_SIZE;
    cl_mem made = NULL;
    if (bytes <= SIZE_MAX)
        made = plx_cl.CreateBuffer(session->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (code == CL_SUCCESS && !(session->info.features & PLX_FEATURE_CPU)) {
        code = touch(session, made, bytes);
        if (code != CL_SUCCESS)
            (void)plx_cl.ReleaseMemObject(made);
    }
    if (code == CL_SUCCESS)
        *buffer = made;
    return code;
}

static bool is_lack_of_memory(cl_int code)
{
    return code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_HOST_MEMORY ||
           code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

uint64_t plx_cl_new_serial(void)
{
    static atomic_uint_fast64_t serials;
    return atomic_fetch_add(&serials, 1) + 1;
}

plx_status plx_cl_create_buffer(plx_session *session, uint64_t bytes, plx_memory *memory, plx_error *error)
{
    plx_memory made = {.bytes = bytes};
    plx_status status = plx_cl_alive(session, error);
    if (status != PLX_OK)
        return status;
    cl_int code = create(session, bytes, &made.buffer);
    if (code == CL_SUCCESS) {
        made.serial = plx_cl_new_serial();
        *memory = made;
        return PLX_OK;
    }
    if (!is_lack_of_memory(code))
        return plx_cl_check(code, "clCreateBuffer", error);
    char name[32];
    return plx_fail(error, PLX_NO_MEMORY,
                    "%" PRIu64 " bytes of memory on %s: clCreateBuffer failed: %s (it promises %" PRIu64
                    " bytes in one piece, of %" PRIu64 ")",
                    bytes, session->info.name, plx_cl_error_name(code, name), session->info.max_alloc_bytes,
                    session->info.memory_bytes);
}

plx_status plx_cl_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    plx_memory *made = calloc(1, sizeof *made);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL buffer");
    plx_status status = plx_cl_create_buffer(session, bytes, made, error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    *memory = made;
    return PLX_OK;
}

void plx_cl_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    if (!memory)
        return;
    (void)plx_cl.ReleaseMemObject(memory->buffer);
    free(memory);
}
