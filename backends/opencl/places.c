/* Sub-buffers by where they begin.  A place keeps its buffer until the plan goes. */
#include "backends/opencl/places.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 1024, MOST = PLACES - 128, GRAIN = 256 };

typedef struct place {
    cl_mem of, made;
    uint64_t byte;
} place;

/* A table with open addressing that never gets full. */
struct plx_cl_places {
    uint64_t alignment; /* NVIDIA's driver lets a place begin anywhere, and crashes when it goes */
    size_t count;
    place at[PLACES];
};

plx_cl_places *plx_cl_places_new(const plx_session *session)
{
    enum { BITS = 8, LEAST = 128 };
    cl_uint bits = 0;
    plx_cl_places *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    if (plx_cl.GetDeviceInfo(session->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL) != CL_SUCCESS)
        bits = 0;
    made->alignment = bits / BITS > LEAST ? bits / BITS : LEAST;
    return made;
}

/* What is enqueued keeps both. */
static void release(const place *kept)
{
    if (kept->made == NULL)
        return;
    (void)plx_cl.ReleaseMemObject(kept->made);
    (void)plx_cl.ReleaseMemObject(kept->of);
}

static void release_all(plx_cl_places *places)
{
    for (size_t i = 0; i < PLACES; i++)
        release(&places->at[i]);
}

void plx_cl_places_free(plx_cl_places *places)
{
    if (places != NULL)
        release_all(places);
    free(places);
}

/* A kernel object holds nothing of what it is told, until it is enqueued: none goes while another is sought.
 */
void plx_cl_places_begin(plx_cl_places *places)
{
    if (places->count <= MOST)
        return;
    release_all(places);
    memset(places->at, 0, sizeof places->at);
    places->count = 0;
}

static place *find(plx_cl_places *places, cl_mem memory, uint64_t byte)
{
    size_t at = ((uintptr_t)memory / 64 + byte / GRAIN) % PLACES;
    while (places->at[at].made != NULL && (places->at[at].of != memory || places->at[at].byte != byte))
        at = (at + 1) % PLACES;
    return &places->at[at];
}

static plx_status no_place(uint64_t byte, plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "the text takes a pointer, and OpenCL has none to byte %llu of a buffer",
                    (unsigned long long)byte);
}

static plx_status make(cl_mem memory, uint64_t byte, uint64_t bytes, cl_mem *made, plx_error *error)
{
    cl_int code;
    const cl_buffer_region region = {(size_t)byte, (size_t)bytes};
    *made = plx_cl.CreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code == CL_MISALIGNED_SUB_BUFFER_OFFSET ? no_place(byte, error)
                                                   : plx_cl_check(code, "clCreateSubBuffer", error);
}

plx_status plx_cl_place(plx_cl_places *places, cl_mem memory, uint64_t byte, uint64_t bytes, cl_mem *found,
                        plx_error *error)
{
    if (memory == NULL || byte == 0 || bytes == 0) {
        *found = memory;
        return PLX_OK;
    }
    if (byte % places->alignment != 0)
        return no_place(byte, error);
    place *kept = find(places, memory, byte);
    if (kept->made == NULL) {
        cl_mem made = NULL;
        const plx_status status = make(memory, byte, bytes, &made, error);
        if (status != PLX_OK)
            return status;
        (void)plx_cl.RetainMemObject(memory);
        *kept = (place){.of = memory, .made = made, .byte = byte};
        places->count++;
    }
    *found = kept->made;
    return PLX_OK;
}
