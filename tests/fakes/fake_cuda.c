/* A pretended libcuda.so.1, so that the CUDA host code can be tested without a
 * device.  Not for several threads at once. */
#include "fake_cuda.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static fake_cuda_state state = {
    .device_count = 1,
    .max_block_threads = 1024,
};

static int the_context, the_stream, the_event, the_module;
static _Thread_local CUcontext current_context;

typedef struct fake_function {
    struct fake_function *next;
    char entry[128];
    const void *module; /* the image that it is of */
} fake_function;
static fake_function *functions;

typedef struct fake_memory {
    struct fake_memory *next;
    void *bytes;
} fake_memory;
static fake_memory *memories;

EXPORT fake_cuda_control_function fake_cuda_control;
fake_cuda_state *fake_cuda_control(void)
{
    return &state;
}

static CUresult enter(const char *function)
{
    state.calls++;
    if (state.failing_function == NULL || strcmp(state.failing_function, function) != 0)
        return CUDA_SUCCESS;
    state.failing_function = NULL;
    return (CUresult)state.failing_result;
}

/* For functions that need a current context. */
static CUresult enter_context(const char *function)
{
    CUresult result = enter(function);
    if (result == CUDA_SUCCESS && current_context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    return result;
}

#define ENTER(how, function)                                                                      \
    do {                                                                                          \
        CUresult entered = how(function);                                                         \
        if (entered != CUDA_SUCCESS)                                                              \
            return entered;                                                                       \
    } while (0)

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* ---- the driver and its devices -------------------------------------- */

EXPORT CUresult cuInit(unsigned int flags)
{
    ENTER(enter, "cuInit");
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    ENTER(enter, "cuDriverGetVersion");
    *version = 12040;
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
    ENTER(enter, "cuDeviceGetCount");
    *count = state.device_count;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(enter, "cuDeviceGet");
    if (ordinal < 0 || ordinal >= state.device_count)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    ENTER(enter, "cuDeviceGetName");
    (void)snprintf(name, (size_t)length, "Pretended GPU %d", device);
    return CUDA_SUCCESS;
}

#undef cuDeviceGetUuid
EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    ENTER(enter, "cuDeviceGetUuid");
    (void)device;
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(FAKE_UUID_FIRST + i);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    ENTER(enter, "cuDeviceTotalMem");
    (void)device;
    *bytes = (size_t)80 << 30;
    return CUDA_SUCCESS;
}

static int attribute_value(CUdevice_attribute attribute)
{
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 132;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: return 232448;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return FAKE_RESERVED_SHARED;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return 64;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: return 52428800;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: return 0;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return 0xa7;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: return 1;
    default: return -1;
    }
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    ENTER(enter, "cuDeviceGetAttribute");
    (void)device;
    *value = (int)attribute == state.odd_attribute ? state.odd_value : attribute_value(attribute);
    if (getenv("FAKE_CUDA_NO_ATTRIBUTES") != NULL)
        *value = 0;
    return *value >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- contexts and memory --------------------------------------------- */

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER(enter, "cuDevicePrimaryCtxRetain");
    (void)device;
    state.contexts++;
    *context = (CUcontext)(void *)&the_context;
    return CUDA_SUCCESS;
}

static void forget(fake_memory **link)
{
    fake_memory *memory = *link;
    *link = memory->next;
    free(memory->bytes);
    free(memory);
}

/* A context takes with it what is still alive. */
static void end_context(void)
{
    state.left_behind = state.modules + state.allocations + state.streams + state.events;
    state.modules = state.allocations = state.streams = state.events = 0;
    while (memories != NULL)
        forget(&memories);
}

EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(enter, "cuDevicePrimaryCtxRelease");
    (void)device;
    if (--state.contexts == 0)
        end_context();
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    ENTER(enter, "cuCtxGetCurrent");
    *context = current_context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    ENTER(enter, "cuCtxSetCurrent");
    current_context = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    fake_memory *memory;
    ENTER(enter_context, "cuMemAlloc");
    memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memory->bytes = malloc(bytes);
    if (memory->bytes == NULL) {
        free(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memset(memory->bytes, 0xee, bytes);
    memory->next = memories;
    memories = memory;
    state.allocations++;
    *address = state.last_address = (CUdeviceptr)(uintptr_t)memory->bytes;
    state.last_bytes = bytes;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree(CUdeviceptr address)
{
    ENTER(enter_context, "cuMemFree");
    for (fake_memory **link = &memories; *link != NULL; link = &(*link)->next)
        if ((*link)->bytes == at(address)) {
            forget(link);
            state.allocations--;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    ENTER(enter_context, "cuMemcpyHtoDAsync");
    (void)stream;
    memcpy(at(to), from, bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(enter_context, "cuMemcpyDtoHAsync");
    (void)stream;
    memcpy(to, at(from), bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(enter_context, "cuMemcpyDtoDAsync");
    (void)stream;
    memcpy(at(to), at(from), bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int pattern, size_t count, CUstream stream)
{
    ENTER(enter_context, "cuMemsetD32Async");
    (void)stream;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)at(to) + 4 * i, &pattern, 4);
    return CUDA_SUCCESS;
}

/* ---- streams and events ---------------------------------------------- */

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    ENTER(enter_context, "cuStreamCreate");
    if (flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    state.streams++;
    *stream = (CUstream)(void *)&the_stream;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy(CUstream stream)
{
    ENTER(enter_context, "cuStreamDestroy");
    (void)stream;
    state.streams--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(enter_context, "cuStreamSynchronize");
    (void)stream;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    ENTER(enter_context, "cuEventCreate");
    if (flags & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_VALUE;
    state.events++;
    *event = (CUevent)(void *)&the_event;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy(CUevent event)
{
    ENTER(enter_context, "cuEventDestroy");
    (void)event;
    state.events--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER(enter_context, "cuEventRecord");
    (void)event;
    (void)stream;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    ENTER(enter_context, "cuEventSynchronize");
    (void)event;
    return CUDA_SUCCESS;
}

#undef cuEventElapsedTime
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    ENTER(enter_context, "cuEventElapsedTime");
    (void)from;
    (void)to;
    *milliseconds = 1.5f;
    return CUDA_SUCCESS;
}

/* ---- programs -------------------------------------------------------- */

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    ENTER(enter_context, "cuModuleLoadData");
    if (memcmp(image, fatbin, sizeof fatbin) != 0 || (uintptr_t)image % 8 != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    state.modules++;
    state.module_loads++;
    *module = (CUmodule)(uintptr_t)image;
    return CUDA_SUCCESS;
}

/* Text: the options are read as far as this project sets them. */
static CUresult assemble(const char *text, unsigned int count, const CUjit_option *options, void **values)
{
    char *log = NULL;
    state.max_registers = 0;
    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == CU_JIT_MAX_REGISTERS)
            state.max_registers = (unsigned int)(uintptr_t)values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
    }
    if (state.text_log != NULL && log != NULL)
        (void)snprintf(log, 64, "%s", state.text_log);
    (void)snprintf(state.last_text, sizeof state.last_text, "%s", text);
    return state.text_log == NULL && strstr(text, ".version") != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                                   CUjit_option *options, void **values)
{
    ENTER(enter_context, "cuModuleLoadDataEx");
    const CUresult result = assemble(image, count, options, values);
    if (result != CUDA_SUCCESS)
        return result;
    state.modules++;
    *module = (CUmodule)(void *)&the_module;
    if (state.module_loaded != NULL)
        state.module_loaded(state.last_text, strlen(state.last_text));
    return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                            size_t dynamic_shared)
{
    ENTER(enter_context, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    (void)function;
    *blocks = 2048 / threads;
    return dynamic_shared <= 232448 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    ENTER(enter_context, "cuModuleUnload");
    (void)module;
    state.modules--;
    return CUDA_SUCCESS;
}

/* One per name and module, kept until the process ends. */
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    fake_function *found;
    ENTER(enter_context, "cuModuleGetFunction");
    for (found = functions; found != NULL; found = found->next)
        if (strcmp(found->entry, name) == 0 && found->module == (const void *)module)
            break;
    if (found == NULL) {
        found = calloc(1, sizeof *found);
        if (found == NULL)
            return CUDA_ERROR_OUT_OF_MEMORY;
        (void)snprintf(found->entry, sizeof found->entry, "%s", name);
        found->module = (const void *)module;
        found->next = functions;
        functions = found;
    }
    *function = (CUfunction)(void *)found;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    ENTER(enter_context, "cuFuncGetAttribute");
    (void)function;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = state.max_block_threads;
    else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
        *value = state.static_shared;
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        *value = 49152 - state.static_shared;
    else if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
        *value = FAKE_REGISTERS;
    else if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
        *value = FAKE_LOCAL_BYTES;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    ENTER(enter_context, "cuFuncSetAttribute");
    (void)function;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    state.dynamic_shared_limit = value;
    return CUDA_SUCCESS;
}

/* ---- tensor maps ------------------------------------------------------- */

static CUresult check_map(const fake_map *map, const cuuint32_t *every)
{
    for (int axis = 0; axis < 2; axis++)
        if (map->sizes[axis] == 0 || map->sizes[axis] > UINT64_C(1) << 32 || map->box[axis] == 0 ||
            map->box[axis] > 256 || every[axis] != 1)
            return CUDA_ERROR_INVALID_VALUE;
    return map->pitch % 16 == 0 && map->pitch < UINT64_C(1) << 40 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *encoded, CUtensorMapDataType type, cuuint32_t rank,
                                       void *address, const cuuint64_t *sizes, const cuuint64_t *pitches,
                                       const cuuint32_t *box, const cuuint32_t *every,
                                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    ENTER(enter, "cuTensorMapEncodeTiled");
    (void)promotion;
    if (rank != 2 || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return CUDA_ERROR_INVALID_VALUE;
    state.last_map = (fake_map){
        .address = (uint64_t)(uintptr_t)address,
        .sizes = {sizes[0], sizes[1]},
        .pitch = pitches[0],
        .type = type,
        .rank = rank,
        .box = {box[0], box[1]},
        .swizzle = swizzle,
    };
    memset(encoded, 0, sizeof *encoded);
    memcpy(encoded, &state.last_map, sizeof state.last_map);
    return check_map(&state.last_map, every);
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *encoded, void *address)
{
    uint64_t number = (uint64_t)(uintptr_t)address;
    ENTER(enter, "cuTensorMapReplaceAddress");
    if (number % 16 != 0)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(encoded, &number, sizeof number);
    return CUDA_SUCCESS;
}

/* ---- launches ---------------------------------------------------------- */

/* Writes down a launch and what its attributes ask for. */
static void note_attributes(const CUlaunchConfig *config, fake_launch *launch)
{
    for (unsigned int i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            launch->early = attribute->value.programmaticStreamSerializationAllowed;
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            launch->cluster = attribute->value.clusterDim.x * attribute->value.clusterDim.y *
                              attribute->value.clusterDim.z;
    }
}

static CUresult note_launch(CUfunction function, const CUlaunchConfig *config, void **parameters,
                            void **extra)
{
    size_t number = state.launch_count % FAKE_LAUNCHES;
    fake_launch *launch = &state.launches[number];
    if (extra != NULL || config->gridDimX == 0 || config->gridDimY == 0 || config->gridDimZ == 0 ||
        config->blockDimX * config->blockDimY * config->blockDimZ == 0)
        return CUDA_ERROR_INVALID_VALUE;
    *launch = (fake_launch){
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .stream = config->hStream,
    };
    note_attributes(config, launch);
    if (launch->cluster > 0 && config->gridDimX % launch->cluster != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const fake_function *launched = (const fake_function *)(const void *)function;
    (void)snprintf(launch->entry, sizeof launch->entry, "%s", launched->entry);
    launch->module = launched->module;
    for (size_t i = 0; i < state.argument_counts[number] && i < FAKE_ARGUMENTS; i++)
        memcpy(&launch->arguments[i], parameters[i], sizeof launch->arguments[i]);
    state.launch_count++;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                               void **parameters, void **extra)
{
    const CUlaunchConfig config = {
        .gridDimX = grid_x,
        .gridDimY = grid_y,
        .gridDimZ = grid_z,
        .blockDimX = block_x,
        .blockDimY = block_y,
        .blockDimZ = block_z,
        .sharedMemBytes = shared_bytes,
        .hStream = stream,
    };
    ENTER(enter_context, "cuLaunchKernel");
    return note_launch(function, &config, parameters, extra);
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                 void **extra)
{
    ENTER(enter_context, "cuLaunchKernelEx");
    return note_launch(function, config, parameters, extra);
}
