/* A fake libnvidia-ml.so.1: one device, known by the UUID of the fake driver's,
 * which is at its power limit and does not tell its temperature. */
#include "fake_cuda.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, SM = 1, MEMORY = 2 };

static int the_device;

EXPORT int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    return SUCCESS;
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    char expected[64];
    int length = snprintf(expected, sizeof expected, "GPU-");
    for (int i = 0; i < 16; i++)
        length += snprintf(expected + length, sizeof expected - (size_t)length, "%s%02x",
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", FAKE_UUID_FIRST + i);
    if (strcmp(uuid, expected) != 0)
        return NOT_FOUND;
    *device = &the_device;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    (void)pci;
    (void)device;
    return NOT_FOUND;
}

static int told(const void *device, unsigned int *to, unsigned int value)
{
    *to = value;
    return device == &the_device ? SUCCESS : NOT_FOUND;
}

EXPORT int nvmlDeviceGetClockInfo(void *device, unsigned int domain, unsigned int *mhz);
int nvmlDeviceGetClockInfo(void *device, unsigned int domain, unsigned int *mhz)
{
    return told(device, mhz, domain == SM ? 1500 : domain == MEMORY ? 3201 : 1);
}

EXPORT int nvmlDeviceGetMaxClockInfo(void *device, unsigned int domain, unsigned int *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, unsigned int domain, unsigned int *mhz)
{
    static int asked[3]; /* it says so once, for that takes its time */
    if (domain > MEMORY || asked[domain]++ > 0)
        return NOT_SUPPORTED;
    return told(device, mhz, domain == SM ? 1980 : 3202);
}

EXPORT int nvmlDeviceGetPowerUsage(void *device, unsigned int *milliwatts);
int nvmlDeviceGetPowerUsage(void *device, unsigned int *milliwatts)
{
    return told(device, milliwatts, 699500);
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned int *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned int *milliwatts)
{
    return told(device, milliwatts, 700000);
}

EXPORT int nvmlDeviceGetTemperature(void *device, unsigned int sensor, unsigned int *celsius);
int nvmlDeviceGetTemperature(void *device, unsigned int sensor, unsigned int *celsius)
{
    (void)device;
    (void)sensor;
    (void)celsius;
    return NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetEccMode(void *device, unsigned int *now, unsigned int *pending);
int nvmlDeviceGetEccMode(void *device, unsigned int *now, unsigned int *pending)
{
    *pending = 0;
    return told(device, now, 1);
}

/* The older of the two names; at the power limit, with clocks set by an application. */
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = 0x4 | 0x2;
    return device == &the_device ? SUCCESS : NOT_FOUND;
}
