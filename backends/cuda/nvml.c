/* Clocks, power and temperature, as NVIDIA's management library tells them. */

#include "backends/cuda/cuda.h"
#include "backends/cuda/nvml.h"

#include "base/privileges.h"

#include <dlfcn.h>
#include <string.h>

#define MANAGEMENT_LIBRARY "libnvidia-ml.so.1"

typedef struct nvml_library {
#define NVML_MEMBER(name, symbol, spare, parameters) int(*name) parameters;
    PLX_NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
} nvml_library;

typedef struct nvml_symbol {
    const char *symbol, *spare;
    size_t member; /* offset of the pointer in nvml_library */
} nvml_symbol;

#define SYMBOL_ROW(name, symbol, spare, parameters) {symbol, spare, offsetof(nvml_library, name)},
static const nvml_symbol symbols[] = {PLX_NVML_FUNCTIONS(SYMBOL_ROW)};

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static nvml_library nvml;
static void *opened;
static bool loaded;

/* ---- finding --------------------------------------------------------- */

/* $PLX_NVML_LIBRARY names another library, for tests and unusual installations; it is
 * ignored when running with raised privileges. */
static const char *library_name(void)
{
    const char *name = plx_getenv("PLX_NVML_LIBRARY");
    return name != NULL && name[0] != '\0' ? name : MANAGEMENT_LIBRARY;
}

static bool resolve(void *library, const nvml_symbol *wanted)
{
    void *address = dlsym(library, wanted->symbol);
    if (address == NULL && wanted->spare != NULL)
        address = dlsym(library, wanted->spare);
    memcpy((char *)&nvml + wanted->member, &address, sizeof address);
    return address != NULL;
}

static void load(void)
{
    void *library = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL); /* never closed, like the driver */
    if (library == NULL)
        return;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (!resolve(library, &symbols[i]))
            return;
    loaded = nvml.Init() == 0;
    opened = library;
}

/* One that not every version has. */
void *plx_nvml_symbol(const char *name)
{
    (void)pthread_once(&load_once, load);
    return loaded ? dlsym(opened, name) : NULL;
}

static void uuid_text(const uint8_t *u, char text[64])
{
    (void)snprintf(text, 64, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
                   u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* Finds the chip that the device is on; NULL where the library is missing or does not know it.
 * A part of a chip has a UUID of another kind; its bus address is the chip's. */
plx_nvml_device *plx_nvml_find(const plx_device_info *info)
{
    plx_nvml_device *device = NULL;
    char uuid[64];
    (void)pthread_once(&load_once, load);
    if (!loaded)
        return NULL;
    uuid_text(info->uuid, uuid);
    if (info->has_uuid && nvml.HandleByUuid(uuid, &device) == 0)
        return device;
    return info->pci[0] != '\0' && nvml.HandleByPci(info->pci, &device) == 0 ? device : NULL;
}

/* ---- reading --------------------------------------------------------- */

/* Takes over a number that the library gave with success. */
static void take(plx_telemetry *telemetry, uint32_t bit, int result, double value, double *member)
{
    if (result != 0)
        return;
    telemetry->known |= bit;
    *member = value;
}

static void read_clocks(plx_nvml_device *device, plx_telemetry *t)
{
    unsigned int value = 0;
    int result = nvml.ClockInfo(device, PLX_NVML_SM, &value);
    take(t, PLX_KNOWS_SM_CLOCK, result, value, &t->sm_clock_mhz);
    result = nvml.ClockInfo(device, PLX_NVML_MEMORY, &value);
    take(t, PLX_KNOWS_MEMORY_CLOCK, result, value, &t->memory_clock_mhz);
}

static void read_power(plx_nvml_device *device, plx_telemetry *t)
{
    unsigned int value = 0;
    int result = nvml.PowerUsage(device, &value); /* milliwatts */
    take(t, PLX_KNOWS_POWER, result, value * 1e-3, &t->power_w);
    result = nvml.PowerLimit(device, &value);
    take(t, PLX_KNOWS_POWER_LIMIT, result, value * 1e-3, &t->power_limit_w);
    result = nvml.Temperature(device, 0, &value);
    take(t, PLX_KNOWS_TEMPERATURE, result, value, &t->temperature_c);
}

/* Each takes 0.2 to 1.4 ms to tell. */
static void read_fixed(plx_nvml_device *device, plx_telemetry *t)
{
    unsigned int value = 0, after_restart = 0;
    int result = nvml.MaxClockInfo(device, PLX_NVML_SM, &value);
    take(t, PLX_KNOWS_SM_CLOCK_MAX, result, value, &t->sm_clock_max_mhz);
    result = nvml.MaxClockInfo(device, PLX_NVML_MEMORY, &value);
    take(t, PLX_KNOWS_MEMORY_CLOCK_MAX, result, value, &t->memory_clock_max_mhz);
    if (nvml.EccMode(device, &value, &after_restart) != 0)
        return;
    t->known |= PLX_KNOWS_ECC;
    t->ecc = value != 0;
}

static void read_throttle(plx_nvml_device *device, plx_telemetry *t)
{
    static const struct reason {
        unsigned long long theirs;
        uint32_t ours;
    } reasons[] = {
        {0x001, PLX_THROTTLE_IDLE},     {0x002, PLX_THROTTLE_SETTING},  {0x004, PLX_THROTTLE_POWER},
        {0x008, PLX_THROTTLE_HARDWARE}, {0x010, PLX_THROTTLE_OTHER},    {0x020, PLX_THROTTLE_HEAT},
        {0x040, PLX_THROTTLE_HEAT},     {0x080, PLX_THROTTLE_HARDWARE}, {0x100, PLX_THROTTLE_SETTING},
    };
    unsigned long long said = 0;
    if (nvml.Throttle(device, &said) != 0)
        return;
    t->known |= PLX_KNOWS_THROTTLE;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if ((said & reasons[i].theirs) != 0)
            t->throttle |= reasons[i].ours;
}

/* Adds what the library says of what changes, which takes 10 to 300 microseconds. */
static void read_telemetry(plx_nvml_device *device, plx_telemetry *telemetry)
{
    read_clocks(device, telemetry);
    read_power(device, telemetry);
    read_throttle(device, telemetry);
}

plx_status plx_cuda_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    (void)pthread_mutex_lock(&session->lock);
    if (!session->sought_monitor)
        session->monitor = plx_nvml_find(&session->info);
    if (!session->sought_monitor && session->monitor != NULL)
        read_fixed(session->monitor, &session->fixed);
    session->sought_monitor = true;
    (void)pthread_mutex_unlock(&session->lock);
    if (session->monitor == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, MANAGEMENT_LIBRARY " is not there, or does not know this device");
    *telemetry = session->fixed;
    read_telemetry(session->monitor, telemetry);
    return PLX_OK;
}
