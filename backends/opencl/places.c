/* Sub-buffers by where they begin.  A place keeps its buffer until the plan goes: NVIDIA's driver crashes
 * where a sub-buffer is released after the last that is known of its buffer. */
#include "backends/opencl/places.h"

#include <stdlib.h>

enum { PLACES = 1024, GRAIN = 256 };

typedef struct place {
    cl_mem of, made;
    uint64_t byte;
} place;

struct plx_cl_places {
    place at[PLACES];
};

plx_cl_places *plx_cl_places_new(void)
{
    return calloc(1, sizeof(plx_cl_places));
}

/* What is enqueued keeps both. */
static void release(const place *kept)
{
    if (kept->made == NULL)
        return;
    (void)plx_cl.ReleaseMemObject(kept->made);
    (void)plx_cl.ReleaseMemObject(kept->of);
}

void plx_cl_places_free(plx_cl_places *places)
{
    for (size_t i = 0; places != NULL && i < PLACES; i++)
        release(&places->at[i]);
    free(places);
}

static plx_status make(cl_mem memory, uint64_t byte, cl_mem *made, plx_error *error)
{
    cl_int code;
    size_t bytes = 0;
    plx_status status = PLX_CL(error, GetMemObjectInfo, memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (status != PLX_OK)
        return status;
    const cl_buffer_region region = {(size_t)byte, bytes - (size_t)byte};
    *made = plx_cl.CreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the text takes a pointer, and OpenCL has none to byte %llu of a buffer",
                        (unsigned long long)byte);
    return plx_cl_check(code, "clCreateSubBuffer", error);
}

plx_status plx_cl_place(plx_cl_places *places, cl_mem memory, uint64_t byte, cl_mem *found, plx_error *error)
{
    if (memory == NULL || byte == 0) {
        *found = memory;
        return PLX_OK;
    }
    place *kept = &places->at[((uintptr_t)memory / 64 + byte / GRAIN) % PLACES];
    if (kept->of != memory || kept->byte != byte) {
        cl_mem made = NULL;
        const plx_status status = make(memory, byte, &made, error);
        if (status != PLX_OK)
            return status;
        release(kept);
        (void)plx_cl.RetainMemObject(memory);
        *kept = (place){.of = memory, .made = made, .byte = byte};
    }
    *found = kept->made;
    return PLX_OK;
}
