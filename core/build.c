/* How this library was built. */
#include "core/build.h"

#include <parallax/tool.h>

const plx_build *plx_build_facts(void)
{
    static const plx_build facts = {
        .kernels_hash = plx_kernels_hash,
        .compiler = plx_compiler,
        .flags = plx_compiler_flags,
        .device_compiler = plx_device_compiler,
        .device_flags = plx_device_flags,
    };
    return &facts;
}
