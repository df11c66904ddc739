/* What the processor says of itself. */
#define _GNU_SOURCE
#include "backends/host/host.h"

#include <sys/utsname.h>

#include "config.h"

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
    size_t capacity = 0;
    while (getline(&line, &capacity, file) >= 0 && line[0] != '\n') { /* the first processor's lines */
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

static uint64_t last_cache_bytes(void)
{
    uint64_t bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
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
    read_cpuinfo(info);
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
