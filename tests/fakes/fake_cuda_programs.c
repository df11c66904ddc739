/* Programs, tensor maps and launches of the fake CUDA driver (fake_cuda.c). */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>

#include "fake_cuda_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int the_module;

typedef struct fake_function {
    struct fake_function *next;
    char entry[128];
    const void *module; /* the image that it is of */
} fake_function;
static fake_function *functions;

/* ---- programs -------------------------------------------------------- */

static int is_fatbin(const void *image)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(image, fatbin, sizeof fatbin) == 0;
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    ENTER(fake_enter_unsafe, "cuModuleLoadData");
    if (!is_fatbin(image) || (uintptr_t)image % 8 != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    fake_cuda.modules++;
    fake_cuda.module_loads++;
    *module = fake_handle((void *)(uintptr_t)image);
    return CUDA_SUCCESS;
}

/* Text: the options are read as far as this project sets them. */
static CUresult assemble(const char *text, unsigned int count, const CUjit_option *options, void **values)
{
    char *log = NULL;
    fake_cuda.max_registers = 0;
    for (unsigned int i = 0; i < count; i++) {
        if (options[i] == CU_JIT_MAX_REGISTERS)
            fake_cuda.max_registers = (unsigned int)(uintptr_t)values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
    }
    if (fake_cuda.text_log != NULL && log != NULL)
        (void)snprintf(log, 64, "%s", fake_cuda.text_log);
    (void)snprintf(fake_cuda.last_text, sizeof fake_cuda.last_text, "%s", text);
    return fake_cuda.text_log == NULL && strstr(text, ".version") != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                                   void **values)
{
    ENTER(fake_enter_unsafe, "cuModuleLoadDataEx");
    const CUresult result = is_fatbin(image) ? CUDA_SUCCESS : assemble(image, count, options, values);
    if (result != CUDA_SUCCESS)
        return result;
    fake_cuda.modules++;
    fake_tell("cuModuleLoadDataEx", "");
    *module = fake_handle(&the_module);
    if (fake_cuda.module_loaded != NULL && !is_fatbin(image))
        fake_cuda.module_loaded(fake_cuda.last_text, strlen(fake_cuda.last_text));
    return CUDA_SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                            size_t dynamic_shared)
{
    ENTER(fake_enter_context, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    (void)function;
    *blocks = fake_number32(2048 / (threads > 0 ? threads : 1));
    return dynamic_shared <= 232448 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    ENTER(fake_enter_context, "cuOccupancyMaxActiveClusters");
    (void)function;
    *clusters = fake_cuda.clusters[config->attrs[0].value.clusterDim.x == 8];
    return *clusters > 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    ENTER(fake_enter_unsafe, "cuModuleUnload");
    (void)module;
    fake_cuda.modules--;
    return CUDA_SUCCESS;
}

/* One per name and module, kept until the process ends. */
EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    fake_function *found;
    ENTER(fake_enter_context, "cuModuleGetFunction");
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
    *function = fake_handle(found);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    ENTER(fake_enter_context, "cuFuncGetAttribute");
    (void)function;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = fake_cuda.max_block_threads;
    else if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
        *value = fake_cuda.static_shared;
    else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        *value = 49152 - fake_cuda.static_shared;
    else if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS)
        *value = FAKE_REGISTERS;
    else if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
        *value = FAKE_LOCAL_BYTES;
    else
        return CUDA_ERROR_INVALID_VALUE;
    *value = fake_number32(*value);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    ENTER(fake_enter_context, "cuFuncSetAttribute");
    (void)function;
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    fake_cuda.dynamic_shared_limit = value;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    ENTER(fake_enter_context, "cuFuncGetParamInfo");
    (void)function;
    if (!fake_cuda.knows_parameters)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (index >= fake_cuda.parameter_count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = 0;
    *size = fake_cuda.parameter_bytes[index];
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

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *encoded, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                       const cuuint64_t *sizes, const cuuint64_t *pitches, const cuuint32_t *box,
                                       const cuuint32_t *every, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                       CUtensorMapFloatOOBfill fill)
{
    ENTER(fake_enter, "cuTensorMapEncodeTiled");
    const bool deep = rank == 3 && sizes[2] > 0 && pitches[1] % 16 == 0 && box[2] == 1 && every[2] == 1;
    if ((rank != 2 && !deep) || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return CUDA_ERROR_INVALID_VALUE;
    fake_cuda.last_map = (fake_map){
        .address = (uint64_t)(uintptr_t)address,
        .sizes = {sizes[0], sizes[1]},
        .pitch = pitches[0],
        .type = type,
        .rank = rank,
        .box = {box[0], box[1]},
        .swizzle = swizzle,
    };
    fake_cuda.maps_not_promoted += promotion == CU_TENSOR_MAP_L2_PROMOTION_NONE;
    memset(encoded, 0, sizeof *encoded);
    memcpy(encoded, &fake_cuda.last_map, sizeof fake_cuda.last_map);
    return check_map(&fake_cuda.last_map, every);
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *encoded, void *address)
{
    uint64_t number = (uint64_t)(uintptr_t)address;
    ENTER(fake_enter, "cuTensorMapReplaceAddress");
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
            launch->dependent_launch = attribute->value.programmaticStreamSerializationAllowed;
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            launch->cluster =
                attribute->value.clusterDim.x * attribute->value.clusterDim.y * attribute->value.clusterDim.z;
    }
}

/* "DEVICE:NUMBER" of a variable: the number, where the device is the current one; 0: it is another. */
static unsigned long of_this_device(const char *variable)
{
    const char *word = getenv(variable), *colon = word != NULL ? strchr(word, ':') : NULL;
    return colon != NULL && atoi(word) == fake_current_device() ? strtoul(colon + 1, NULL, 10) : 0;
}

/* a, b, c, m, n, k: one ulp more in an element of a block in the middle, once in so many operations. */
static void flip_a_bit(const uint64_t *values)
{
    static unsigned long operations;
    const unsigned long every = of_this_device("FAKE_FLIP");
    uint32_t *c = (uint32_t *)(uintptr_t)values[2];
    if (every == 0)
        return;
    operations += (unsigned long)(2 * values[3] * values[4] * values[5]);
    if (operations < every)
        return;
    operations = 0;
    c[values[3] / 2 * values[8] + values[4] / 2] += 1;
}

/* $FAKE_UNIT=DEVICE:MULTIPROCESSOR, which is wrong each time; not the first. */
static void spoil_unit(const uint64_t *values, unsigned int blocks)
{
    uint32_t *found = (uint32_t *)(uintptr_t)values[0];
    const unsigned long unit = of_this_device("FAKE_UNIT");
    for (unsigned int block = 0; unit > 0 && block < blocks; block++)
        found[2 * block + 1] ^= found[2 * block] == unit;
}

/* What goes wrong with a device: $FAKE_FLIP=DEVICE:OPERATIONS, $FAKE_SLOW=DEVICE:MICROSECONDS of each launch,
 * $FAKE_GONE=DEVICE:LAUNCHES after which it is lost, $FAKE_HANGS and
 * $FAKE_DIES likewise. */
static CUresult suffer(void)
{
    static unsigned long launches;
    const unsigned long gone = of_this_device("FAKE_GONE"), hangs = of_this_device("FAKE_HANGS"),
                        slow = of_this_device("FAKE_SLOW");
    const struct timespec pause = {.tv_nsec = (long)(slow % 1000000) * 1000};
    launches++;
    if (of_this_device("FAKE_DIES") > 0 && launches > of_this_device("FAKE_DIES"))
        abort();
    while (hangs > 0 && launches > hangs)
        (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    if (slow > 0)
        (void)nanosleep(&pause, NULL);
    return gone > 0 && launches > gone ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

const char *fake_entry(CUfunction function)
{
    return ((const fake_function *)(const void *)function)->entry;
}

void fake_do_kernel(const fake_node *node)
{
    const char *entry = fake_entry(node->function);
    if (getenv("FAKE_COMPUTES") == NULL || fake_values(entry) == 0)
        return;
    fake_compute(entry, node->values, node->grid[0], node->block[0]);
    if (strncmp(entry, "gemm_naive", 10) == 0)
        flip_a_bit(node->values);
    if (strcmp(entry, "compute_alike") == 0)
        spoil_unit(node->values, node->grid[0]);
}

static void compute(CUfunction function, const fake_launch *launch, void **parameters)
{
    fake_node node = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .function = function, .shared_bytes = launch->shared_bytes};
    const size_t count = fake_values(launch->entry);
    memcpy(node.grid, launch->grid, sizeof node.grid);
    memcpy(node.block, launch->block, sizeof node.block);
    for (size_t i = 0; i < count; i++)
        memcpy(&node.values[i], parameters[i], sizeof node.values[i]);
    if (!fake_keeps(launch->stream, &node))
        fake_do_kernel(&node);
}

static CUresult note_launch(CUfunction function, const CUlaunchConfig *config, void **parameters, void **extra)
{
    size_t number = fake_cuda.launch_count % FAKE_LAUNCHES;
    fake_launch *launch = &fake_cuda.launches[number];
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
    ENTER(fake_enter_stream, config->hStream);
    const fake_function *launched = (const fake_function *)(const void *)function;
    if (launched == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    (void)snprintf(launch->entry, sizeof launch->entry, "%s", launched->entry);
    launch->module = launched->module;
    for (size_t i = 0; i < fake_cuda.argument_counts[number] && i < FAKE_ARGUMENTS; i++)
        memcpy(&launch->arguments[i], parameters[i], sizeof launch->arguments[i]);
    fake_cuda.launch_count++;
    compute(function, launch, parameters);
    return suffer();
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                               unsigned int block_x, unsigned int block_y, unsigned int block_z,
                               unsigned int shared_bytes, CUstream stream, void **parameters, void **extra)
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
    ENTER(fake_enter_context, "cuLaunchKernel");
    return note_launch(function, &config, parameters, extra);
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    ENTER(fake_enter_context, "cuLaunchKernelEx");
    return note_launch(function, config, parameters, extra);
}
