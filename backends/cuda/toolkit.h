/* What follows from the toolkit that the plugin was built with. */
#ifndef PLX_BACKENDS_CUDA_TOOLKIT_H
#define PLX_BACKENDS_CUDA_TOOLKIT_H

#include <parallax/plugin.h>

/* What code of a toolkit can use of a device: before CUDA 12 none has what is new in compute capability 9.0, so from
 * there on devices count as 8.9 ones.  `toolkit`: as CUDA_VERSION. */
static inline void plx_cuda_capability_for(int toolkit, plx_device_info *info)
{
    if (toolkit >= 12000 || info->compute_major < 9)
        return;
    info->compute_major = 8;
    info->compute_minor = 9;
}

#endif
