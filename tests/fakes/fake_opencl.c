/* A fake libOpenCL.so.1 with one device, so that the OpenCL backend can be tested without a driver: its
 * device memory is the host's, what is enqueued is done at once, launches of the plainest kernels compute,
 * and calls meet the faults that are planned (answers.h).  What is left of a context when it goes is told on
 * standard error.  $FAKE_OPENCL_NVIDIA: the device is one of NVIDIA's, whose programs are PTX;
 * $FAKE_OPENCL_VERSION: what its platform calls its version.  Contexts and programs are told
 * (answers.h).  Not for several threads at once. */
#include "fake_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 1 << 30 };

static const char *const kind_words[KINDS] = {
    [CONTEXT] = "contexts", [QUEUE] = "queues",   [BUFFER] = "buffers",
    [PROGRAM] = "programs", [KERNEL] = "kernels", [EVENT] = "events",
};

static object the_platform = {.kind = PLATFORM}, the_device = {.kind = DEVICE};
static object *objects;

/* ---- objects ------------------------------------------------------------------ */

bool fake_is(const void *handle, kind wanted)
{
    if (handle == (const void *)&the_platform || handle == (const void *)&the_device)
        return ((const object *)handle)->kind == wanted;
    for (const object *one = objects; one != NULL; one = one->next)
        if (one == (const object *)handle)
            return one->kind == wanted;
    return false;
}

object *fake_make(kind of, size_t bytes)
{
    object *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (object){.kind = of, .references = 1, .next = objects, .length = bytes};
    if (bytes > 0 && (made->bytes = malloc(bytes)) == NULL) {
        free(made);
        return NULL;
    }
    objects = made;
    return made;
}

static void forget(object *gone)
{
    object **link = &objects;
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    if (gone->of == NULL || gone->kind != BUFFER)
        free(gone->bytes);
    free(gone);
}

static cl_int dropped(void *handle, kind of, cl_int wrong)
{
    object *released = handle;
    if (!fake_is(handle, of))
        return wrong;
    if (--released->references > 0)
        return CL_SUCCESS;
    object *parent = released->of;
    forget(released);
    return parent != NULL ? dropped(parent, parent->kind, wrong) : CL_SUCCESS;
}

static void tell_what_is_left(void)
{
    size_t counts[KINDS] = {0};
    for (const object *one = objects; one != NULL; one = one->next) {
        if (one->kind == CONTEXT)
            return;
        counts[one->kind]++;
    }
    for (int i = 0; i < KINDS; i++)
        if (counts[i] > 0)
            (void)fprintf(stderr, "fake-opencl: %zu %s: objects are left\n", counts[i], kind_words[i]);
}

/* ---- faults ----------------------------------------------------------------------- */

cl_int fake_enter(const char *function)
{
    switch (fake_fault(function)) {
    case FAULT_NO_MEMORY:
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case FAULT_LOST:
        return CL_OUT_OF_RESOURCES;
    case FAULT_UNKNOWN:
        return -12345;
    default:
        return CL_SUCCESS; /* and perhaps an answer that can't be */
    }
}

/* What fails to be released is gone all the same. */
cl_int fake_release(const char *function, void *handle, kind of, cl_int wrong)
{
    const cl_int code = dropped(handle, of, wrong), entered = fake_enter(function);
    return entered != CL_SUCCESS ? entered : code;
}

/* Of functions that make an object. */
void *fake_given(object *made, cl_int *code, cl_int wrong)
{
    void *handle = made != NULL ? fake_handle(made) : NULL;
    *code = made != NULL ? CL_SUCCESS : wrong;
    if (made != NULL && handle == NULL)
        (void)dropped(made, made->kind, CL_SUCCESS);
    return handle;
}

/* ---- answers ---------------------------------------------------------------------------- */

/* Either the length that is asked for, or the value. */
cl_int fake_give_bytes(const void *value, size_t length, size_t room, void *to, size_t *told)
{
    if (told != NULL)
        *told = to == NULL ? fake_number(length, HUGE_NUMBER) : length;
    if (to == NULL)
        return CL_SUCCESS;
    REQUIRE(room >= length, CL_INVALID_VALUE);
    memcpy(to, value, length);
    return CL_SUCCESS;
}

/* fake_text() fills all of the room, and says so. */
cl_int fake_give_text(const char *text, size_t room, void *to, size_t *told)
{
    if (to != NULL && fake_due() != FAULT_NONE && fake_due() != FAULT_HANG) {
        fake_text(to, room, text);
        return CL_SUCCESS;
    }
    return fake_give_bytes(text, strlen(text) + 1, room, to, told);
}

cl_int fake_give_number(uint64_t value, size_t size, size_t room, void *to, size_t *told)
{
    if (to != NULL)
        value = fake_number(value, size == 8 ? HUGE_NUMBER : HUGE_NUMBER >> 32);
    return fake_give_bytes(&value, size, room, to, told); /* the lower bytes come first */
}

static bool is_nvidia(void)
{
    return getenv("FAKE_OPENCL_NVIDIA") != NULL;
}

EXPORT cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    ENTER("clGetPlatformIDs");
    if (count != NULL)
        *count = (cl_uint)fake_number(1, HUGE_NUMBER >> 32);
    if (platforms != NULL && room > 0)
        platforms[0] = fake_handle(&the_platform);
    return CL_SUCCESS;
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetPlatformInfo");
    REQUIRE(fake_is(platform, PLATFORM), CL_INVALID_PLATFORM);
    switch (what) {
    case CL_PLATFORM_NAME:
        return fake_give_text("Fake Platform", room, to, told);
    case CL_PLATFORM_VENDOR:
        return fake_give_text(is_nvidia() ? "NVIDIA Corporation" : "Nobody", room, to, told);
    case CL_PLATFORM_VERSION: {
        const char *version = getenv("FAKE_OPENCL_VERSION");
        return fake_give_text(version != NULL ? version : "OpenCL 1.2 fake", room, to, told);
    }
    default:
        return CL_INVALID_VALUE;
    }
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                             cl_uint *count)
{
    ENTER("clGetDeviceIDs");
    (void)type;
    REQUIRE(fake_is(platform, PLATFORM), CL_INVALID_PLATFORM);
    if (count != NULL)
        *count = (cl_uint)fake_number(1, HUGE_NUMBER >> 32);
    if (devices != NULL && room > 0)
        devices[0] = fake_handle(&the_device);
    return CL_SUCCESS;
}

/* Text or number. */
typedef struct fact {
    cl_device_info what;
    const char *text; /* NULL: a number of so many bytes */
    size_t size;
    uint64_t number;
} fact;

static const fact facts[] = {
    {CL_DEVICE_NAME, "Fake Device", 0, 0},
    {CL_DEVICE_VENDOR, "Nobody", 0, 0},
    {CL_DEVICE_VERSION, "OpenCL 1.2 fake", 0, 0},
    {CL_DRIVER_VERSION, "1.0", 0, 0},
    {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2", 0, 0},
    {CL_DEVICE_EXTENSIONS, "cl_khr_fp64 cl_khr_device_uuid cl_khr_pci_bus_info cl_nv_device_attribute_query", 0, 0},
    {CL_DEVICE_TYPE, NULL, 8, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_AVAILABLE, NULL, 4, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, NULL, 4, CL_TRUE},
    {CL_DEVICE_ADDRESS_BITS, NULL, 4, 64},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, NULL, 4, 3},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, NULL, 8, 1024},
    {CL_DEVICE_LOCAL_MEM_SIZE, NULL, 8, 48 << 10},
    {CL_DEVICE_LOCAL_MEM_TYPE, NULL, 4, CL_LOCAL},
    {CL_DEVICE_MAX_COMPUTE_UNITS, NULL, 4, 16},
    {CL_DEVICE_GLOBAL_MEM_SIZE, NULL, 8, MEMORY},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, NULL, 8, MEMORY / 4},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, NULL, 8, 1 << 20},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, NULL, 4, 1024},
    {CL_DEVICE_SINGLE_FP_CONFIG, NULL, 8, CL_FP_DENORM | CL_FP_FMA},
    {CL_DEVICE_DOUBLE_FP_CONFIG, NULL, 8, CL_FP_DENORM | CL_FP_FMA},
    {0x4000, NULL, 4, 9}, /* NVIDIA's: compute capability, warp */
    {0x4001, NULL, 4, 0},
    {0x4003, NULL, 4, 32},
    {0x4008, NULL, 4, 0xa7}, /* PCI: bus, slot, domain; as fake_cuda.c has it */
    {0x4009, NULL, 4, 8},
    {0x400A, NULL, 4, 0},
};

static cl_int give_arrays(cl_device_info what, size_t room, void *to, size_t *told)
{
    static const size_t sizes[3] = {1024, 1024, 64};
    static const cl_uint place[4] = {0, 0xa7, 1, 0};
    unsigned char uuid[16];
    if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        return fake_give_bytes(sizes, sizeof sizes, room, to, told);
    if (what == 0x410F)
        return fake_give_bytes(place, sizeof place, room, to, told);
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(0xa0 + i);
    return what == 0x106A ? fake_give_bytes(uuid, sizeof uuid, room, to, told) : CL_INVALID_VALUE;
}

EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetDeviceInfo");
    REQUIRE(fake_is(device, DEVICE), CL_INVALID_DEVICE);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (facts[i].what == what)
            return facts[i].text != NULL ? fake_give_text(facts[i].text, room, to, told)
                                         : fake_give_number(facts[i].number, facts[i].size, room, to, told);
    return give_arrays(what, room, to, told);
}

/* ---- contexts and queues --------------------------------------------------------- */

EXPORT cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                                  cl_int *code)
{
    (void)properties;
    (void)notify;
    (void)data;
    *code = fake_enter("clCreateContext");
    fake_tell("clCreateContext", "");
    if (*code == CL_SUCCESS && (count != 1 || !fake_is(devices[0], DEVICE)))
        *code = CL_INVALID_DEVICE;
    return *code == CL_SUCCESS ? fake_given(fake_make(CONTEXT, 0), code, CL_OUT_OF_HOST_MEMORY) : NULL;
}

EXPORT cl_int clReleaseContext(cl_context context)
{
    const cl_int code = fake_release("clReleaseContext", context, CONTEXT, CL_INVALID_CONTEXT);
    tell_what_is_left();
    return code;
}

EXPORT cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                             cl_command_queue_properties properties, cl_int *code)
{
    (void)properties;
    *code = fake_enter("clCreateCommandQueue");
    if (*code == CL_SUCCESS && (!fake_is(context, CONTEXT) || !fake_is(device, DEVICE)))
        *code = CL_INVALID_CONTEXT;
    return *code == CL_SUCCESS ? fake_given(fake_make(QUEUE, 0), code, CL_OUT_OF_HOST_MEMORY) : NULL;
}

EXPORT cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    return fake_release("clReleaseCommandQueue", queue, QUEUE, CL_INVALID_COMMAND_QUEUE);
}

EXPORT cl_int clFlush(cl_command_queue queue)
{
    ENTER("clFlush");
    return fake_is(queue, QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

EXPORT cl_int clFinish(cl_command_queue queue)
{
    ENTER("clFinish");
    return fake_is(queue, QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

/* ---- memory ---------------------------------------------------------------------------- */

EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code)
{
    (void)flags;
    (void)host;
    *code = fake_enter("clCreateBuffer");
    if (*code == CL_SUCCESS && (bytes == 0 || bytes > MEMORY))
        *code = CL_INVALID_BUFFER_SIZE;
    if (*code == CL_SUCCESS && !fake_is(context, CONTEXT))
        *code = CL_INVALID_CONTEXT;
    return *code == CL_SUCCESS ? fake_given(fake_make(BUFFER, bytes), code, CL_MEM_OBJECT_ALLOCATION_FAILURE) : NULL;
}

EXPORT cl_mem clCreateSubBuffer(cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
                                cl_int *code)
{
    const cl_buffer_region *part = region;
    object *parent = (object *)memory;
    (void)flags;
    *code = fake_enter("clCreateSubBuffer");
    if (*code == CL_SUCCESS && (type != CL_BUFFER_CREATE_TYPE_REGION || !fake_is(memory, BUFFER) ||
                                part->origin > parent->length || part->size > parent->length - part->origin))
        *code = CL_INVALID_VALUE;
    if (*code != CL_SUCCESS)
        return NULL;
    object *made = fake_make(BUFFER, 0);
    if (made != NULL) {
        made->of = parent;
        made->bytes = parent->bytes + part->origin;
        made->length = part->size;
        parent->references++;
    }
    return fake_given(made, code, CL_OUT_OF_HOST_MEMORY);
}

EXPORT cl_int clRetainMemObject(cl_mem memory)
{
    ENTER("clRetainMemObject");
    REQUIRE(fake_is(memory, BUFFER), CL_INVALID_MEM_OBJECT);
    ((object *)memory)->references++;
    return CL_SUCCESS;
}

EXPORT cl_int clReleaseMemObject(cl_mem memory)
{
    return fake_release("clReleaseMemObject", memory, BUFFER, CL_INVALID_MEM_OBJECT);
}

EXPORT cl_int clGetMemObjectInfo(cl_mem memory, cl_mem_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetMemObjectInfo");
    REQUIRE(fake_is(memory, BUFFER), CL_INVALID_MEM_OBJECT);
    return what == CL_MEM_SIZE ? fake_give_number(((object *)memory)->length, 8, room, to, told) : CL_INVALID_VALUE;
}

/* The bytes of a piece; NULL: they are not there. */
static char *piece_of(cl_command_queue queue, cl_mem memory, size_t offset, size_t bytes)
{
    const object *buffer = (object *)memory;
    if (!fake_is(queue, QUEUE) || !fake_is(memory, BUFFER) || offset > buffer->length ||
        bytes > buffer->length - offset)
        return NULL;
    return buffer->bytes + offset;
}

EXPORT cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes,
                                  void *to, cl_uint waits, const cl_event *wait, cl_event *event)
{
    ENTER("clEnqueueReadBuffer");
    (void)blocking;
    (void)wait;
    const char *from = piece_of(queue, memory, offset, bytes);
    REQUIRE(from != NULL && waits == 0 && event == NULL, CL_INVALID_VALUE);
    memcpy(to, from, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes,
                                   const void *from, cl_uint waits, const cl_event *wait, cl_event *event)
{
    ENTER("clEnqueueWriteBuffer");
    (void)blocking;
    (void)wait;
    char *to = piece_of(queue, memory, offset, bytes);
    REQUIRE(to != NULL && waits == 0 && event == NULL, CL_INVALID_VALUE);
    memcpy(to, from, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                                  size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event)
{
    ENTER("clEnqueueCopyBuffer");
    (void)wait;
    const char *source = piece_of(queue, from, from_offset, bytes);
    char *target = piece_of(queue, to, to_offset, bytes);
    REQUIRE(source != NULL && target != NULL && waits == 0 && event == NULL, CL_INVALID_VALUE);
    memmove(target, source, bytes);
    return CL_SUCCESS;
}

EXPORT cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t size,
                                  size_t offset, size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event)
{
    ENTER("clEnqueueFillBuffer");
    (void)wait;
    char *to = piece_of(queue, memory, offset, bytes);
    REQUIRE(to != NULL && size > 0 && bytes % size == 0 && waits == 0 && event == NULL, CL_INVALID_VALUE);
    for (size_t i = 0; i < bytes; i += size)
        memcpy(to + i, pattern, size);
    return CL_SUCCESS;
}

/* ---- events --------------------------------------------------------------------------------- */

EXPORT cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event *wait, cl_event *event)
{
    static cl_ulong now;
    cl_int code;
    ENTER("clEnqueueMarkerWithWaitList");
    (void)wait;
    REQUIRE(fake_is(queue, QUEUE) && waits == 0 && event != NULL, CL_INVALID_VALUE);
    *event = fake_given(fake_make(EVENT, 0), &code, CL_OUT_OF_HOST_MEMORY);
    if (*event != NULL)
        ((object *)*event)->time = now += 1000;
    return code;
}

EXPORT cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    ENTER("clWaitForEvents");
    for (cl_uint i = 0; i < count; i++)
        REQUIRE(fake_is(events[i], EVENT), CL_INVALID_EVENT);
    return CL_SUCCESS;
}

EXPORT cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *to, size_t *told)
{
    ENTER("clGetEventProfilingInfo");
    REQUIRE(fake_is(event, EVENT) && what == CL_PROFILING_COMMAND_END, CL_INVALID_EVENT);
    return fake_give_number(((object *)event)->time, 8, room, to, told);
}

EXPORT cl_int clReleaseEvent(cl_event event)
{
    return fake_release("clReleaseEvent", event, EVENT, CL_INVALID_EVENT);
}
