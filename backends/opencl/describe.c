/* What OpenCL tells of a device, as plx_device_info. */
#include "backends/opencl/session.h"

#include <string.h>

/* From cl_khr_device_uuid, cl_khr_pci_bus_info and cl_nv_device_attribute_query,
 * which older headers lack. */
enum {
    UUID_KHR = 0x106A,
    PCI_BUS_INFO_KHR = 0x410F,
    COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
    COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
    WARP_SIZE_NV = 0x4003,
    PCI_BUS_ID_NV = 0x4008,
    PCI_SLOT_ID_NV = 0x4009,
    PCI_DOMAIN_ID_NV = 0x400A
};

/* ---- single values ------------------------------------------------------- */

static bool query(cl_device_id device, cl_device_info what, void *value, size_t size)
{
    memset(value, 0, size);
    return plx_cl.GetDeviceInfo(device, what, size, value, NULL) == CL_SUCCESS;
}

static cl_uint query_uint(cl_device_id device, cl_device_info what, cl_uint otherwise)
{
    cl_uint value;
    return query(device, what, &value, sizeof value) ? value : otherwise;
}

static uint64_t query_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value;
    return query(device, what, &value, sizeof value) ? value : 0;
}

static size_t query_size(cl_device_id device, cl_device_info what)
{
    size_t value;
    return query(device, what, &value, sizeof value) ? value : 0;
}

/* Whole words of the device's list of extensions. */
static bool has_extension(cl_device_id device, const char *name)
{
    char list[8192];
    plx_cl_device_text(device, CL_DEVICE_EXTENSIONS, list, sizeof list);
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- which chip it is ------------------------------------------------------ */

static void describe_uuid(cl_device_id device, plx_device_info *info)
{
    info->has_uuid =
        has_extension(device, "cl_khr_device_uuid") && query(device, UUID_KHR, info->uuid, sizeof info->uuid);
}

static void describe_pci(cl_device_id device, plx_device_info *info)
{
    struct {
        cl_uint domain, bus, device, function;
    } at;
    bool known = has_extension(device, "cl_khr_pci_bus_info") && query(device, PCI_BUS_INFO_KHR, &at, sizeof at);
    if (!known && has_extension(device, "cl_nv_device_attribute_query")) {
        cl_uint slot = query_uint(device, PCI_SLOT_ID_NV, 0);
        at.domain = query_uint(device, PCI_DOMAIN_ID_NV, 0);
        at.bus = query_uint(device, PCI_BUS_ID_NV, 0);
        at.device = slot >> 3;
        at.function = slot & 7;
        known = true;
    }
    if (known)
        (void)snprintf(info->pci, sizeof info->pci, "%04x:%02x:%02x.%x", at.domain & 0xffff, at.bus & 0xff,
                       at.device & 0x1f, at.function & 7);
}

/* "OpenCL 3.0 PoCL 3.1+debian  Linux, ..." ends where the details begin. */
static void describe_words(const plx_cl_device_entry *entry, plx_device_info *info)
{
    plx_cl_device_text(entry->device, CL_DEVICE_NAME, info->name, sizeof info->name);
    plx_cl_device_text(entry->device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    plx_cl_device_text(entry->device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    plx_cl_platform_text(entry->platform, CL_PLATFORM_VERSION, info->api, sizeof info->api);
    char *end = strstr(info->api, "  ");
    if (!end)
        end = strchr(info->api, ',');
    if (end)
        *end = '\0';
}

/* ---- what it can do -------------------------------------------------------- */

static uint32_t arithmetic_features(cl_device_id device)
{
    uint32_t features = 0;
    cl_device_fp_config single, dbl;
    if (query(device, CL_DEVICE_SINGLE_FP_CONFIG, &single, sizeof single) && !(single & CL_FP_DENORM))
        features |= PLX_FEATURE_FLUSHES_F32;
    if (query(device, CL_DEVICE_DOUBLE_FP_CONFIG, &dbl, sizeof dbl) && dbl != 0)
        features |= PLX_FEATURE_F64;
    return features;
}

/* Sub-group functions are part of OpenCL C from 2.0 on; program.c then asks for
 * that language. */
static bool has_subgroup_shuffle(cl_device_id device)
{
    char language[64];
    int major = 0;
    plx_cl_device_text(device, CL_DEVICE_OPENCL_C_VERSION, language, sizeof language);
    return sscanf(language, "OpenCL C %d.", &major) == 1 && major >= 2 && has_extension(device, "cl_khr_subgroups") &&
           has_extension(device, "cl_khr_subgroup_shuffle");
}

static uint32_t features_of(const plx_cl_device_entry *entry, cl_device_type type)
{
    uint32_t features = arithmetic_features(entry->device) | PLX_FEATURE_COMPILES;
    if (query_uint(entry->device, CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL) == CL_LOCAL)
        features |= PLX_FEATURE_LOCAL_MEMORY;
    if (type & CL_DEVICE_TYPE_CPU)
        features |= PLX_FEATURE_CPU;
    if (plx_cl_is_nvidia(entry->platform))
        features |= PLX_FEATURE_NVIDIA_PTX | PLX_FEATURE_SHUFFLE;
    else if (has_subgroup_shuffle(entry->device))
        features |= PLX_FEATURE_SHUFFLE;
    return features;
}

/* What can't be read stays 0, and the probe fails for it. */
static void describe_limits(cl_device_id device, plx_device_info *info)
{
    size_t threads[3] = {1, 1, 1};
    cl_uint axes = query_uint(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 0);
    if (axes == 3)
        (void)query(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, threads, sizeof threads);
    for (int axis = 0; axis < 3; axis++) {
        info->max_block[axis] = threads[axis];
        info->max_grid[axis] = INT32_MAX;
    }
    info->max_block_threads = (uint32_t)query_size(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->max_shared_bytes = query_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->units = query_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
    info->warp = 1;
    info->memory_bytes = query_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_bytes = query_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->l2_bytes = query_ulong(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
}

/* NVIDIA's limits are those of its grids; its cache size is the sum of the first
 * level, and the second is not told. */
static void describe_nvidia(cl_device_id device, plx_device_info *info)
{
    info->max_grid[1] = info->max_grid[2] = 65535;
    info->warp = query_uint(device, WARP_SIZE_NV, 0);
    info->compute_major = query_uint(device, COMPUTE_CAPABILITY_MAJOR_NV, 0);
    info->compute_minor = query_uint(device, COMPUTE_CAPABILITY_MINOR_NV, 0);
    info->l2_bytes = 0;
}

/* Below CUDA (100) on the same chip; a processor above the host plugin (10), whose kernels are plain references: PoCL's
 * were measured to be several times as fast. */
static int score_of(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return 50;
    if (type & CL_DEVICE_TYPE_CPU)
        return 15;
    return 20;
}

void plx_cl_describe(const plx_cl_device_entry *entry, plx_device_info *info)
{
    cl_device_type type;
    (void)query(entry->device, CL_DEVICE_TYPE, &type, sizeof type);
    *info = (plx_device_info){.score = score_of(type), .features = features_of(entry, type)};
    describe_words(entry, info);
    describe_uuid(entry->device, info);
    describe_pci(entry->device, info);
    describe_limits(entry->device, info);
    if (info->features & PLX_FEATURE_NVIDIA_PTX)
        describe_nvidia(entry->device, info);
}

/* ---- probe ------------------------------------------------------------------- */

plx_status plx_cl_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    const plx_cl_device_entry *entries;
    size_t listed;
    plx_status status = plx_cl_list(&entries, &listed, error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < listed && i < capacity; i++)
        plx_cl_describe(&entries[i], &devices[i]);
    *count = listed;
    return PLX_OK;
}
