/* Properties of devices that are not there. */
#include "tests/fakes/devices.h"

#include <stdio.h>

#define GPU (PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY)

static uint32_t shared_bytes(uint32_t compute_major)
{
    return compute_major == 7 ? 98304 : compute_major == 8 ? 166912 : 232448;
}

plx_device_info fake_gpu(uint32_t compute_major)
{
    plx_device_info device = {
        .features = GPU,
        .compute_major = compute_major,
        .units = 132,
        .warp = 32,
        .max_block_threads = 1024,
        .max_shared_bytes = shared_bytes(compute_major),
        .max_grid = {2147483647, 65535, 65535},
        .max_block = {1024, 1024, 64},
        .memory_bytes = UINT64_C(1) << 37,
        .max_alloc_bytes = UINT64_C(1) << 37,
    };
    (void)snprintf(device.name, sizeof device.name, "cuda %u.0", (unsigned)compute_major);
    return device;
}

plx_device_info fake_opencl_gpu(uint32_t compute_major)
{
    plx_device_info device = fake_gpu(compute_major);
    device.features |= PLX_FEATURE_NVIDIA_PTX;
    device.max_shared_bytes = 49152;
    (void)snprintf(device.name, sizeof device.name, "opencl on %u.0", (unsigned)compute_major);
    return device;
}

plx_device_info fake_small_gpu(void)
{
    return (plx_device_info){
        .name = "small",
        .features = GPU,
        .units = 8,
        .warp = 32,
        .max_block_threads = 256,
        .max_shared_bytes = 32768,
        .max_grid = {2147483647, 65535, 65535},
        .max_block = {256, 256, 64},
        .memory_bytes = UINT64_C(1) << 32,
        .max_alloc_bytes = UINT64_C(1) << 31,
    };
}

plx_device_info fake_processor(void)
{
    return (plx_device_info){
        .name = "processor",
        .features = PLX_FEATURE_F64 | PLX_FEATURE_CPU,
        .units = 2,
        .warp = 1,
        .max_block_threads = 4096,
        .max_shared_bytes = 1048576,
        .max_grid = {UINT64_MAX, UINT64_MAX, UINT64_MAX},
        .max_block = {4096, 4096, 4096},
        .memory_bytes = UINT64_C(1) << 33,
        .max_alloc_bytes = UINT64_C(1) << 31,
    };
}
