/* Lists the CUDA devices and describes each, without creating a context. */
#include "backends/cuda/cuda.h"
#include "backends/cuda/toolkit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* `auto` prefers CUDA to other ways to the same chip, and a chip with more
 * multiprocessors to a smaller one. */
#define BASE_SCORE 100

/* One number about the device; 0 when the driver does not know it. */
static uint64_t attribute(CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    if (plx_cuda.DeviceGetAttribute(&value, which, device) != CUDA_SUCCESS || value < 0)
        return 0;
    return (uint64_t)value;
}

static uint32_t attribute32(CUdevice device, CUdevice_attribute which)
{
    return (uint32_t)attribute(device, which);
}

/* The first word of the file that looks like 535.104.05; false if there is none. */
static bool version_in_file(const char *path, char *version, size_t size)
{
    char word[64];
    bool found = false;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    while (!found && fscanf(file, "%63s", word) == 1)
        found = isdigit((unsigned char)word[0]) && strchr(word, '.') != NULL;
    fclose(file);
    if (found)
        (void)snprintf(version, size, "%s", word);
    return found;
}

static void describe_versions(plx_device_info *info)
{
    int number = 0;
    (void)plx_cuda.DriverGetVersion(&number);
    (void)snprintf(info->api, sizeof info->api, "CUDA %d.%d", number / 1000, number % 1000 / 10);
    if (!version_in_file("/sys/module/nvidia/version", info->driver, sizeof info->driver) &&
        !version_in_file("/proc/driver/nvidia/version", info->driver, sizeof info->driver))
        (void)snprintf(info->driver, sizeof info->driver, "%s", info->api);
}

static void describe_identity(CUdevice device, plx_device_info *info)
{
    CUuuid uuid;
    uint32_t domain = attribute32(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
    uint32_t bus = attribute32(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
    uint32_t slot = attribute32(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
    (void)snprintf(info->vendor, sizeof info->vendor, "NVIDIA Corporation");
    (void)snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.0", domain & 0xffffu, bus & 0xffu, slot & 0xffu);
    info->has_uuid = plx_cuda.DeviceGetUuid(&uuid, device) == CUDA_SUCCESS;
    if (info->has_uuid)
        memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
}

/* An attribute without which nothing can be planned. */
typedef struct needed_attribute {
    CUdevice_attribute which;
    const char *words;
    uint64_t *wide; /* or */
    uint32_t *narrow;
} needed_attribute;

static plx_status read_needed(CUdevice device, const needed_attribute *needed, const plx_device_info *info,
                              plx_error *error)
{
    int value = -1;
    CUresult result = plx_cuda.DeviceGetAttribute(&value, needed->which, device);
    if (result != CUDA_SUCCESS || value < 0)
        return plx_fail(error, PLX_FAILED,
                        "device %d (%s): the driver does not report its %s (result %d, value %d); try nvidia-smi, and "
                        "reinstall NVIDIA's driver",
                        device, info->name, needed->words, (int)result, value);
    if (needed->wide != NULL)
        *needed->wide = (uint64_t)value;
    else
        *needed->narrow = (uint32_t)value;
    return PLX_OK;
}

static plx_status describe_limits(CUdevice device, plx_device_info *info, plx_error *error)
{
    const needed_attribute needed[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "compute capability", NULL, &info->compute_major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "compute capability", NULL, &info->compute_minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "number of multiprocessors", NULL, &info->units},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, "warp size", NULL, &info->warp},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "threads per block", NULL, &info->max_block_threads},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, "shared memory", &info->max_shared_bytes, NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, "largest grid", &info->max_grid[0], NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, "largest grid", &info->max_grid[1], NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, "largest grid", &info->max_grid[2], NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, "largest block", &info->max_block[0], NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, "largest block", &info->max_block[1], NULL},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, "largest block", &info->max_block[2], NULL},
    };
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < sizeof needed / sizeof needed[0]; i++)
        status = read_needed(device, &needed[i], info, error);
    if (status != PLX_OK)
        return status;
    uint64_t opt_in = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (opt_in > 0)
        info->max_shared_bytes = opt_in;
    info->l2_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    return PLX_OK;
}

plx_status plx_cuda_describe(CUdevice device, plx_device_info *info, plx_error *error)
{
    size_t memory = 0;
    plx_device_info found;
    plx_status status;
    memset(&found, 0, sizeof found);
    status = PLX_CUDA(NULL, error, DeviceGetName, found.name, (int)sizeof found.name - 1, device);
    if (status == PLX_OK)
        status = PLX_CUDA(NULL, error, DeviceTotalMem, &memory, device);
    if (status != PLX_OK)
        return status;
    status = describe_limits(device, &found, error);
    if (status != PLX_OK)
        return status;
    plx_cuda_capability_for(CUDA_VERSION, &found);
    describe_versions(&found);
    describe_identity(device, &found);
    found.memory_bytes = memory;
    found.max_alloc_bytes = memory;
    found.features = PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY;
    found.score = BASE_SCORE + (int)(found.units < 10000 ? found.units : 10000);
    *info = found;
    return PLX_OK;
}

static plx_status describe_number(int number, plx_device_info *info, plx_error *error)
{
    CUdevice device;
    plx_status status = PLX_CUDA(NULL, error, DeviceGet, &device, number);
    return status == PLX_OK ? plx_cuda_describe(device, info, error) : status;
}

plx_status plx_cuda_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    int number = 0;
    plx_status status = plx_cuda_driver_load(error);
    if (status == PLX_OK)
        status = PLX_CUDA(NULL, error, DeviceGetCount, &number);
    if (status != PLX_OK)
        return status;
    if (number <= 0)
        return plx_fail(error, PLX_NO_DEVICE,
                        "the driver lists no device; look at nvidia-smi and $CUDA_VISIBLE_DEVICES");
    for (int i = 0; i < number && (size_t)i < capacity; i++) {
        status = describe_number(i, &devices[i], error);
        if (status != PLX_OK)
            return status;
    }
    *count = (size_t)number;
    error->text[0] = '\0';
    return PLX_OK;
}
