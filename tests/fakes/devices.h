/* Properties of devices that are not there, for host code that plans for them. */
#ifndef TESTS_FAKES_DEVICES_H
#define TESTS_FAKES_DEVICES_H

#include <parallax/plugin.h>

/* A large GPU as CUDA shows it; compute capability 0 is that of somebody else. */
plx_device_info fake_gpu(uint32_t compute_major);
/* The same as NVIDIA's OpenCL shows it: less local memory, and its compiler takes options of PTX. */
plx_device_info fake_opencl_gpu(uint32_t compute_major);
plx_device_info fake_small_gpu(void);
plx_device_info fake_processor(void);

#endif
