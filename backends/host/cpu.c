/* What the processor says of itself. */
#define _GNU_SOURCE
#include "backends/host/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

/* Copies the value of a "key : value" line when it is one with this key. */
static void take_field(const char *line, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    const char *colon = strchr(line, ':');
    if (value[0] != '\0' || strncmp(line, key, length) != 0 || colon == NULL)
        return;
    const char *start = colon + 1 + strspn(colon + 1, " \t");
    (void)snprintf(value, size, "%.*s", (int)strcspn(start, "\n"), start);
}

static void read_cpuinfo(plx_device_info *info)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) >= 0 && line[0] != '\n') { /* the first processor's lines */
        take_field(line, "model name", info->name, sizeof info->name);
        take_field(line, "vendor_id", info->vendor, sizeof info->vendor);
    }
    free(line);
    (void)fclose(file);
}

static uint64_t system_value(int name)
{
    long value = sysconf(name);
    return value > 0 ? (uint64_t)value : 0;
}

static void describe_memory(plx_device_info *info)
{
    info->memory_bytes = system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGESIZE);
    info->max_alloc_bytes = info->memory_bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
    info->l2_bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
#endif
#ifdef _SC_LEVEL2_CACHE_SIZE
    if (info->l2_bytes == 0)
        info->l2_bytes = system_value(_SC_LEVEL2_CACHE_SIZE);
#endif
}

void plx_host_describe(plx_device_info *info)
{
    struct utsname machine;
    memset(info, 0, sizeof *info);
    read_cpuinfo(info);
    if (info->name[0] == '\0' && uname(&machine) == 0)
        (void)snprintf(info->name, sizeof info->name, "%.60s processor", machine.machine);
#ifdef _OPENMP
    (void)snprintf(info->api, sizeof info->api, "C11, OpenMP %d", _OPENMP);
#else
    (void)snprintf(info->api, sizeof info->api, "C11");
#endif
#ifdef PACKAGE_VERSION
    (void)snprintf(info->driver, sizeof info->driver, "%s", PACKAGE_VERSION);
#endif
    info->score = 10;
    info->features = PLX_FEATURE_F64 | PLX_FEATURE_CPU;
    info->units = plx_host_threads();
    info->warp = 1;
    info->max_block_threads = UINT32_C(1) << 16;
    for (int axis = 0; axis < 3; axis++) {
        info->max_grid[axis] = INT64_MAX;
        info->max_block[axis] = info->max_block_threads;
    }
    info->max_shared_bytes = UINT64_C(1) << 20;
    describe_memory(info);
}
