/* What the processor says of itself. */
#define _GNU_SOURCE
#include "backends/host/host.h"

#include "base/processor.h"

#include <sys/utsname.h>

#include "config.h"

static uint64_t system_value(int name)
{
    long value = sysconf(name);
    return value > 0 ? (uint64_t)value : 0;
}

/* The C library's value is the whole package's, of which a virtual machine may have a small part. */
static uint64_t last_cache_bytes(void)
{
    uint64_t bytes = plx_processor_cache_bytes("/sys/devices/system/cpu");
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (bytes == 0)
        bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
#endif
#ifdef _SC_LEVEL2_CACHE_SIZE
    if (bytes == 0)
        bytes = system_value(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes;
}

static void describe(plx_device_info *info)
{
    struct utsname machine;
    plx_host_device(info, "");
    plx_processor_text("model name", info->name, sizeof info->name);
    plx_processor_text("vendor_id", info->vendor, sizeof info->vendor);
    if (info->name[0] == '\0' && uname(&machine) == 0)
        (void)snprintf(info->name, sizeof info->name, "%.60s processor", machine.machine);
#ifdef _OPENMP
    (void)snprintf(info->api, sizeof info->api, "C11, OpenMP %d", _OPENMP);
#endif
    (void)snprintf(info->driver, sizeof info->driver, "%s", PACKAGE_VERSION);
    info->score = 10;
    info->units = plx_host_threads();
    info->l2_bytes = last_cache_bytes();
}

plx_status plx_host_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    error->text[0] = '\0';
    if (capacity > 0)
        describe(&devices[0]);
    *count = 1;
    return PLX_OK;
}
