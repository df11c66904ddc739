/* The opencl plugin: the OpenCL backend bound to the tree's own kernels. */
#include "backends/opencl/opencl.h"
#include "plugins/opencl/plan.h"

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unversioned"
#endif

static const plx_plugin opencl_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "opencl",
    .version = PACKAGE_VERSION,
    .summary = "OpenCL 1.2 devices: GPUs, processors, accelerators",
    .probe = plx_cl_probe,
    .open = plx_cl_open,
    .close = plx_cl_close,
    .alloc = plx_cl_alloc,
    .free = plx_cl_free,
    .queue_create = plx_cl_queue_create,
    .queue_destroy = plx_cl_queue_destroy,
    .synchronize = plx_cl_synchronize,
    .upload = plx_cl_upload,
    .download = plx_cl_download,
    .fill = plx_cl_fill,
    .copy = plx_cl_copy,
    .event_create = plx_cl_event_create,
    .event_destroy = plx_cl_event_destroy,
    .event_record = plx_cl_event_record,
    .event_elapsed = plx_cl_event_elapsed,
    .kernel = plx_opencl_kernel,
    .choose = plx_opencl_choose,
    .plan = plx_opencl_plan,
    .plan_destroy = plx_opencl_plan_destroy,
    .execute = plx_opencl_execute,
    .supports = plx_opencl_supports,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &opencl_plugin;
}
