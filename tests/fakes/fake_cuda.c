/* A fake libcuda.so.1, so that the CUDA host code can be tested without a
 * device.  $FAKE_CUDA_DEVICES: how many there are.  $FAKE_COMPUTES: launches of the
 * plainest kernels compute, and calls meet the faults that are planned (answers.h). */
#define _GNU_SOURCE /* recursive mutexes that need no beginning */
#include "fake_cuda_inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

fake_cuda_state fake_cuda = {
    .device_count = 1,
    .max_block_threads = 1024,
    .driver_version = 12040,
};

static _Thread_local CUcontext current_context;

typedef struct fake_memory {
    struct fake_memory *next;
    void *bytes;
    size_t length;
    void *context; /* that it was allocated in */
    CUmemorytype type;
    int managed, device;
    int shared; /* a file of $FAKE_SHARED: 1 its own, 2 that of another process */
    uint64_t number;
} fake_memory;
static fake_memory *memories;

EXPORT fake_cuda_control_function fake_cuda_control;
fake_cuda_state *fake_cuda_control(void)
{
    return &fake_cuda;
}

static pthread_mutex_t driver = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int fake_hold(void)
{
    return pthread_mutex_lock(&driver);
}

void fake_let_go(const int *held)
{
    if (*held == 0)
        (void)pthread_mutex_unlock(&driver);
}

static CUresult result_of(fault_how how)
{
    switch (how) {
    case FAULT_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case FAULT_LOST:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case FAULT_UNKNOWN:
        return (CUresult)12345;
    default:
        return CUDA_SUCCESS; /* and perhaps an answer that can't be */
    }
}

CUresult fake_enter(const char *function)
{
    fake_cuda.calls++;
    const CUresult planned = result_of(fake_fault(function));
    if (planned != CUDA_SUCCESS)
        return planned;
    if (fake_cuda.failing_call > 0 && strcmp(function, "cuCtxSetCurrent") != 0 && --fake_cuda.failing_call == 0)
        return (CUresult)fake_cuda.failing_result;
    if (fake_cuda.failing_function == NULL || strcmp(fake_cuda.failing_function, function) != 0)
        return CUDA_SUCCESS;
    fake_cuda.failing_function = NULL;
    return (CUresult)fake_cuda.failing_result;
}

/* For functions that need a current context. */
CUresult fake_enter_context(const char *function)
{
    CUresult result = fake_enter(function);
    if (result == CUDA_SUCCESS && current_context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    return result;
}

/* For those that a stream's capture forbids, whoever captures, unless the thread says that it knows. */
CUresult fake_enter_unsafe(const char *function)
{
    CUresult result = fake_enter_context(function);
    return result == CUDA_SUCCESS && fake_ends_captures() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : result;
}

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* A number of 32 bits. */
int fake_number32(int right)
{
    return (int)(uint32_t)fake_number((uint32_t)right, UINT32_C(1) << 31);
}

/* Whether so much memory of the device is there. */
static int is_memory(CUdeviceptr address, size_t bytes)
{
    for (const fake_memory *memory = memories; memory != NULL; memory = memory->next) {
        const CUdeviceptr start = (CUdeviceptr)(uintptr_t)memory->bytes;
        if (address >= start && address - start <= memory->length && bytes <= memory->length - (address - start))
            return 1;
    }
    return 0;
}

/* ---- the driver and its devices -------------------------------------- */

EXPORT CUresult cuInit(unsigned int flags)
{
    ENTER(fake_enter, "cuInit");
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    ENTER(fake_enter, "cuDriverGetVersion");
    *version = fake_number32(fake_cuda.driver_version);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
    static char text[32];
    (void)snprintf(text, sizeof text, "FAKE_ERROR_%d", (int)error);
    *name = text;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **string)
{
    if (error == CUDA_ERROR_UNKNOWN)
        return CUDA_ERROR_INVALID_VALUE; /* as for a number newer than the driver */
    *string = "as the test wants it";
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    ENTER(fake_enter, "cuDeviceGetCount");
    const char *wanted = getenv("FAKE_CUDA_DEVICES");
    if (wanted != NULL && atoi(wanted) > 0 && atoi(wanted) <= FAKE_DEVICES)
        fake_cuda.device_count = atoi(wanted);
    *count = fake_number32(fake_cuda.device_count);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(fake_enter, "cuDeviceGet");
    if (ordinal < 0 || (ordinal >= fake_cuda.device_count && getenv("FAKE_COMPUTES") == NULL))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = fake_number32(ordinal);
    return CUDA_SUCCESS;
}

/* $FAKE_ALIKE: all are of one model. */
EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    ENTER(fake_enter, "cuDeviceGetName");
    char right[64];
    (void)snprintf(right, sizeof right, "Fake GPU %d", getenv("FAKE_ALIKE") != NULL ? 0 : device);
    fake_text(name, (size_t)length, right);
    return CUDA_SUCCESS;
}

#undef cuDeviceGetUuid
EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    ENTER(fake_enter, "cuDeviceGetUuid");
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(FAKE_UUID_FIRST + i);
    uuid->bytes[1] = (char)(uuid->bytes[1] + 16 * (device % FAKE_DEVICES)); /* no other device's */
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    ENTER(fake_enter, "cuDeviceTotalMem");
    (void)device;
    *bytes = fake_number((size_t)80 << 30, UINT64_C(1) << 63);
    return CUDA_SUCCESS;
}

/* As the attributes say it: the number of the bus alone tells them apart. */
EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *place)
{
    unsigned int domain, bus, number;
    ENTER(fake_enter, "cuDeviceGetByPCIBusId");
    if (sscanf(place, "%x:%x:%x", &domain, &bus, &number) != 3 || bus < 0xa7 || bus >= 0xa7 + FAKE_DEVICES)
        return CUDA_ERROR_INVALID_VALUE;
    *device = (CUdevice)(bus - 0xa7);
    return CUDA_SUCCESS;
}

static int attribute_value(CUdevice_attribute attribute)
{
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return 132;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return 232448;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return FAKE_RESERVED_SHARED;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return 64;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return 52428800;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
        return 0;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        return 0xa7;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
        return 1;
    default:
        return -1;
    }
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    ENTER(fake_enter, "cuDeviceGetAttribute");
    *value = (int)attribute == fake_cuda.odd_attribute ? fake_cuda.odd_value : attribute_value(attribute);
    if (getenv("FAKE_CUDA_NO_ATTRIBUTES") != NULL)
        *value = 0;
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID && *value > 0)
        *value += device % FAKE_DEVICES;
    const int right = *value;
    *value = fake_number32(right);
    return right >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- contexts ---------------------------------------------------------- */

/* The primary context of each device, and one more that a program made. */
static int primary[FAKE_DEVICES], others[FAKE_DEVICES];

void *fake_context(CUdevice device)
{
    return device >= 0 && device < FAKE_DEVICES ? &primary[device] : &primary[0];
}

EXPORT fake_cuda_other_context_function fake_cuda_other_context;
void *fake_cuda_other_context(int device)
{
    return &others[device];
}

/* -1: it is none. */
static int device_of(CUcontext context)
{
    for (int device = 0; device < FAKE_DEVICES; device++)
        if ((void *)context == &primary[device] || (void *)context == &others[device])
            return device;
    return -1;
}

void *fake_current(void)
{
    return current_context;
}

int fake_current_device(void)
{
    return device_of(current_context);
}

/* $FAKE_EXCLUSIVE=DEVICE: somebody else has it for himself. */
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const char *taken = getenv("FAKE_EXCLUSIVE");
    ENTER(fake_enter, "cuDevicePrimaryCtxRetain");
    if (taken != NULL && atoi(taken) == device)
        return (CUresult)46; /* CUDA_ERROR_DEVICE_UNAVAILABLE */
    fake_cuda.contexts++;
    fake_tell("cuDevicePrimaryCtxRetain", "");
    *context = fake_handle(fake_context(device));
    return CUDA_SUCCESS;
}

/* $FAKE_SHARED: a directory in which memory that other processes may want is kept, one file each. */
static void name_shared(char *path, size_t capacity, uint64_t process, uint64_t number)
{
    (void)snprintf(path, capacity, "%s/memory-%llu-%llu", getenv("FAKE_SHARED"), (unsigned long long)process,
                   (unsigned long long)number);
}

static void forget(fake_memory **link)
{
    fake_memory *memory = *link;
    char path[600];
    *link = memory->next;
    if (memory->shared != 0)
        (void)munmap(memory->bytes, memory->length);
    else
        free(memory->bytes);
    name_shared(path, sizeof path, (uint64_t)getpid(), memory->number);
    if (memory->shared == 1)
        (void)unlink(path);
    free(memory);
}

/* A context takes with it what is still alive. */
static void end_context(void)
{
    fake_cuda.left_behind = fake_cuda.modules + fake_cuda.allocations + fake_cuda.streams + fake_cuda.events;
    fake_cuda.modules = fake_cuda.allocations = fake_cuda.streams = fake_cuda.events = 0;
    while (memories != NULL)
        forget(&memories);
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(fake_enter, "cuDevicePrimaryCtxRelease");
    (void)device;
    if (--fake_cuda.contexts == 0)
        end_context();
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER(fake_enter, "cuCtxGetCurrent");
    *context = fake_handle(current_context);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(fake_enter, "cuCtxSetCurrent");
    if (context == fake_cuda.destroyed_context && context != NULL)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    current_context = context;
    return CUDA_SUCCESS;
}

/* What is enqueued is done by then: only a capture is ended by it. */
#undef cuCtxSynchronize
EXPORT CUresult cuCtxSynchronize(void);
EXPORT CUresult cuCtxSynchronize(void)
{
    ENTER(fake_enter_unsafe, "cuCtxSynchronize");
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER(fake_enter_context, "cuCtxGetDevice");
    *device = fake_number32(device_of(current_context));
    return CUDA_SUCCESS;
}

/* ---- memory -------------------------------------------------------------- */

static void *map_file(int file, size_t bytes)
{
    void *at = file >= 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        (void)close(file);
    return at != MAP_FAILED ? at : NULL;
}

/* Where a process may not write files as long as that its memory is its own. */
static void make_bytes(fake_memory *memory)
{
    static uint64_t numbers;
    struct rlimit most = {.rlim_cur = 0};
    char path[600];
    if (getenv("FAKE_SHARED") == NULL || getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur < memory->length ||
        memory->length == 0) {
        memory->bytes = malloc(memory->length);
        return;
    }
    memory->number = ++numbers;
    name_shared(path, sizeof path, (uint64_t)getpid(), memory->number);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0 && ftruncate(file, (off_t)memory->length) == 0)
        memory->bytes = map_file(file, memory->length);
    memory->shared = memory->bytes != NULL;
}

/* What another process finds it by. */
typedef struct shared_handle {
    uint64_t address, process, number, length;
} shared_handle;

static const fake_memory *memory_with(CUdeviceptr pointer);

EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    ENTER(fake_enter_unsafe, "cuIpcGetMemHandle");
    const fake_memory *memory = memory_with(address);
    const shared_handle made = {.address = address,
                                .process = (uint64_t)getpid(),
                                .number = memory != NULL ? memory->number : 0,
                                .length = memory != NULL ? memory->length : 0};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &made, sizeof made);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned int flags)
{
    ENTER(fake_enter_unsafe, "cuIpcOpenMemHandle");
    shared_handle given;
    char path[600];
    fake_memory *memory = calloc(1, sizeof *memory);
    memcpy(&given, &handle, sizeof given);
    if (memory == NULL || given.number == 0 || getenv("FAKE_SHARED") == NULL || flags != 1) {
        free(memory);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    name_shared(path, sizeof path, given.process, given.number);
    memory->bytes = map_file(open(path, O_RDWR | O_CLOEXEC), given.length);
    if (memory->bytes == NULL) {
        free(memory);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    memory->length = given.length;
    memory->shared = 2;
    memory->context = current_context;
    memory->device = device_of(current_context);
    memory->type = CU_MEMORYTYPE_DEVICE;
    memory->next = memories;
    memories = memory;
    *address = (CUdeviceptr)(uintptr_t)memory->bytes;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    ENTER(fake_enter_unsafe, "cuIpcCloseMemHandle");
    for (fake_memory **link = &memories; *link != NULL; link = &(*link)->next)
        if ((*link)->bytes == at(address) && (*link)->shared == 2) {
            forget(link);
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

/* What processes that have not ended keep in $FAKE_SHARED, this one too. */
static size_t shared_bytes(void)
{
    size_t bytes = 0;
    const char *place = getenv("FAKE_SHARED");
    DIR *directory = place != NULL ? opendir(place) : NULL;
    for (const struct dirent *one; directory != NULL && (one = readdir(directory)) != NULL;) {
        char path[600], process[64];
        struct stat about;
        unsigned long owner;
        if (sscanf(one->d_name, "memory-%lu-", &owner) != 1)
            continue;
        (void)snprintf(path, sizeof path, "%.300s/%.255s", place, one->d_name);
        (void)snprintf(process, sizeof process, "/proc/%lu", owner);
        bytes += access(process, F_OK) == 0 && stat(path, &about) == 0 ? (size_t)about.st_size : 0;
    }
    if (directory != NULL)
        (void)closedir(directory);
    return bytes;
}

/* $FAKE_FULL=DEVICE:BYTES: so much is left of its memory, which others have the rest of. */
static int is_full(size_t bytes)
{
    const char *word = getenv("FAKE_FULL"), *colon = word != NULL ? strchr(word, ':') : NULL;
    if (colon == NULL)
        return 0;
    size_t used = bytes + shared_bytes();
    for (const fake_memory *memory = memories; memory != NULL; memory = memory->next)
        used += memory->device == device_of(current_context) && memory->shared == 0 ? memory->length : 0;
    return atoi(word) == device_of(current_context) && used > strtoull(colon + 1, NULL, 10);
}

/* New memory has old content; in the middle of much of it nobody looks, and eight devices would fill the machine. */
static void make_stale(unsigned char *bytes, size_t count)
{
    const size_t end = (size_t)4 << 20;
    memset(bytes, 0xee, count < end ? count : end);
    if (count > end)
        memset(bytes + (count - end > end ? count - end : end), 0xee, count - end > end ? end : count - end);
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    fake_memory *memory;
    ENTER(fake_enter_unsafe, "cuMemAlloc");
    if (is_full(bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory->length = bytes;
    if (bytes <= (fake_cuda.most_bytes > 0 ? fake_cuda.most_bytes : (size_t)80 << 30))
        make_bytes(memory);
    if (memory->bytes == NULL) {
        free(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    make_stale(memory->bytes, bytes);
    memory->context = fake_cuda.next_is == FAKE_MEMORY_POOL ? NULL : current_context;
    memory->device = device_of(current_context);
    memory->type = fake_cuda.next_is == FAKE_MEMORY_ARRAY ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    memory->managed = fake_cuda.next_is == FAKE_MEMORY_MANAGED;
    fake_cuda.next_is = FAKE_MEMORY_DEVICE;
    memory->next = memories;
    memories = memory;
    fake_cuda.allocations++;
    *address = fake_cuda.last_address = (CUdeviceptr)(uintptr_t)memory->bytes;
    fake_cuda.last_bytes = bytes;
    *address = fake_number(*address, UINT64_C(1) << 63);
    if (*address == fake_cuda.last_address)
        return CUDA_SUCCESS;
    forget(&memories); /* what was given is none */
    fake_cuda.allocations--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree(CUdeviceptr address)
{
    ENTER(fake_enter_unsafe, "cuMemFree");
    for (fake_memory **link = &memories; *link != NULL; link = &(*link)->next)
        if ((*link)->bytes == at(address)) {
            forget(link);
            fake_cuda.allocations--;
            return CUDA_SUCCESS;
        }
    fake_cuda.bad_frees++;
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- page-locked memory, and what pointers are -------------------------------- */

EXPORT CUresult cuMemHostAlloc(void **host, size_t bytes, unsigned int flags)
{
    ENTER(fake_enter_unsafe, "cuMemHostAlloc");
    fake_memory *memory = calloc(1, sizeof *memory);
    (void)flags;
    if (memory == NULL || (memory->bytes = malloc(bytes)) == NULL) {
        free(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->length = bytes;
    memory->context = current_context;
    memory->type = CU_MEMORYTYPE_HOST;
    memory->next = memories;
    memories = memory;
    fake_cuda.host_allocations++;
    *host = fake_handle(memory->bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFreeHost(void *host)
{
    ENTER(fake_enter_unsafe, "cuMemFreeHost");
    for (fake_memory **link = &memories; *link != NULL; link = &(*link)->next)
        if ((*link)->bytes == host) {
            forget(link);
            fake_cuda.host_allocations--;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

static const fake_memory *memory_with(CUdeviceptr pointer)
{
    for (const fake_memory *memory = memories; memory != NULL; memory = memory->next) {
        const CUdeviceptr start = (CUdeviceptr)(uintptr_t)memory->bytes;
        if (pointer >= start && pointer - start < memory->length)
            return memory;
    }
    return NULL;
}

/* A pool's range is that of another piece of it: nobody can rely on it. */
static CUresult tell(CUpointer_attribute attribute, const fake_memory *memory, CUdeviceptr pointer, void *answer)
{
    const int known = memory != NULL, in_pool = known && memory->context == NULL;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(void **)answer = known ? memory->context : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned int *)answer = known ? (unsigned int)memory->type : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)answer = known ? pointer : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned char *)answer = known && memory->managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)answer = known ? memory->device : -2;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)answer = known ? (CUdeviceptr)(uintptr_t)memory->bytes : 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)answer = !known ? 0 : in_pool ? 1 : memory->length;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Without an error for a pointer that it does not know, as the driver's. */
EXPORT CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **answers,
                                       CUdeviceptr pointer)
{
    ENTER(fake_enter_context, "cuPointerGetAttributes");
    for (unsigned int i = 0; i < count; i++) {
        const CUresult result = tell(attributes[i], memory_with(pointer), pointer, answers[i]);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

/* Now, or when the graph that it becomes a node of is launched. */
static CUresult enqueue(CUstream stream, const fake_node *node)
{
    if (!fake_keeps(stream, node))
        fake_do(node);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    ENTER(fake_enter_context, "cuMemcpyHtoDAsync");
    ENTER(fake_enter_stream, stream);
    if (!is_memory(to, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return enqueue(stream,
                   &(fake_node){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .to = to, .host_from = from, .bytes = bytes});
}

EXPORT CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(fake_enter_context, "cuMemcpyDtoHAsync");
    ENTER(fake_enter_stream, stream);
    if (!is_memory(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, at(from), bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(fake_enter_context, "cuMemcpyDtoDAsync");
    ENTER(fake_enter_stream, stream);
    if (!is_memory(to, bytes) || !is_memory(from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return enqueue(stream, &(fake_node){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .to = to, .from = from, .bytes = bytes});
}

static CUresult fill(CUdeviceptr to, unsigned int pattern, size_t width, size_t count, CUstream stream)
{
    if (!is_memory(to, width * count))
        return CUDA_ERROR_INVALID_VALUE;
    return enqueue(
        stream,
        &(fake_node){
            .type = CU_GRAPH_NODE_TYPE_MEMSET, .to = to, .bytes = width * count, .width = width, .pattern = pattern});
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char pattern, size_t count, CUstream stream)
{
    ENTER(fake_enter_context, "cuMemsetD8Async");
    ENTER(fake_enter_stream, stream);
    return fill(to, pattern, 1, count, stream);
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int pattern, size_t count, CUstream stream)
{
    ENTER(fake_enter_context, "cuMemsetD32Async");
    ENTER(fake_enter_stream, stream);
    return fill(to, pattern, 4, count, stream);
}

/* ---- between devices ------------------------------------------------------ */

EXPORT CUresult cuDeviceCanAccessPeer(int *possible, CUdevice device, CUdevice peer)
{
    ENTER(fake_enter, "cuDeviceCanAccessPeer");
    *possible = device != peer;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    ENTER(fake_enter_context, "cuCtxEnablePeerAccess");
    return device_of(peer) >= 0 && flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* $FAKE_LINK=DEVICE: what arrives there lacks a bit. */
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                                  size_t bytes, CUstream stream)
{
    const char *bad = getenv("FAKE_LINK");
    ENTER(fake_enter_context, "cuMemcpyPeerAsync");
    ENTER(fake_enter_stream, stream);
    if (!is_memory(to, bytes) || !is_memory(from, bytes) || device_of(from_context) < 0)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(at(to), at(from), bytes);
    if (bad != NULL && bytes > 0 && atoi(bad) == device_of(to_context))
        ((unsigned char *)at(to))[bytes / 2] ^= 4;
    return CUDA_SUCCESS;
}
