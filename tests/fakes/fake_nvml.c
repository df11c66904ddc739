/* A fake libnvidia-ml.so.1: the devices of the fake driver, known by their UUIDs, each at its power limit and without a
 * thermometer.  $FAKE_NVML says what is odd: "2:ecc=3,throttle=0x40;5:xid=79" of the devices 2 and 5.  `ecc` (errors
 * that could not be corrected) and `xid` come to be after the first time that they are asked for. */
#include "fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, NO_ROOM = 7, TIMEOUT = 10, SM = 1, MEMORY = 2, UNCORRECTED = 1 };

typedef struct fake_monitor {
    unsigned int asked_for_errors, asked_for_events;
} fake_monitor;
static fake_monitor monitors[FAKE_DEVICES];

/* -1: it is none. */
static long number_of(const void *device)
{
    for (long i = 0; i < FAKE_DEVICES; i++)
        if (device == &monitors[i])
            return i;
    return -1;
}

/* What $FAKE_NVML says of that device under that name; `usual`: nothing. */
static unsigned long long said(const void *device, const char *name, unsigned long long usual)
{
    const char *at = getenv("FAKE_NVML");
    for (; at != NULL && at[0] != '\0'; at += strcspn(at, ";"), at += at[0] == ';') {
        const char *word = strchr(at, ':');
        if (atol(at) != number_of(device) || word == NULL)
            continue;
        for (const char *end = at + strcspn(at, ";"); word < end; word += 1 + strcspn(word + 1, ",;"))
            if (strncmp(word + 1, name, strlen(name)) == 0 && word[1 + strlen(name)] == '=')
                return strtoull(word + strlen(name) + 2, NULL, 0);
    }
    return usual;
}

EXPORT int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    return SUCCESS;
}

/* ---- devices ----------------------------------------------------------------------- */

static void write_uuid(int device, char text[64])
{
    int length = snprintf(text, 64, "GPU-");
    for (int i = 0; i < 16; i++)
        length +=
            snprintf(text + length, 64 - (size_t)length, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                     (FAKE_UUID_FIRST + i + (i == 1 ? 16 * device : 0)) & 0xff);
}

/* One whose chip is divided has another UUID as a device of the driver's: it is not known here. */
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    char expected[64];
    for (int i = 0; i < FAKE_DEVICES; i++) {
        write_uuid(i, expected);
        if (strcmp(uuid, expected) != 0 || said(&monitors[i], "mig", 0) != 0)
            continue;
        *device = &monitors[i];
        return SUCCESS;
    }
    return NOT_FOUND;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    unsigned int bus = 0;
    if (getenv("FAKE_NVML") == NULL || sscanf(pci, "%*x:%x:", &bus) != 1 || bus < 0xa7 || bus >= 0xa7 + FAKE_DEVICES)
        return NOT_FOUND;
    *device = &monitors[bus - 0xa7];
    return SUCCESS;
}

EXPORT int nvmlDeviceGetMigMode(void *device, unsigned int *now, unsigned int *pending);
int nvmlDeviceGetMigMode(void *device, unsigned int *now, unsigned int *pending)
{
    *now = *pending = (unsigned int)said(device, "mig", 0);
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
}

/* ---- what changes while it works ----------------------------------------------------- */

static int told(const void *device, unsigned int *to, unsigned int value)
{
    *to = value;
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
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
    const unsigned long long degrees = said(device, "degrees", 0);
    (void)sensor;
    return degrees > 0 ? told(device, celsius, (unsigned int)degrees) : NOT_SUPPORTED;
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
    *reasons = said(device, "throttle", 0x4 | 0x2);
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
}

typedef struct fake_utilisation {
    unsigned int gpu, memory;
} fake_utilisation;

EXPORT int nvmlDeviceGetUtilizationRates(void *device, fake_utilisation *now);
int nvmlDeviceGetUtilizationRates(void *device, fake_utilisation *now)
{
    *now = (fake_utilisation){(unsigned int)said(device, "busy", 90), 10};
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, void *processes);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, void *processes)
{
    (void)processes;
    return told(device, count, (unsigned int)said(device, "processes", 1)) == SUCCESS ? NO_ROOM : NOT_FOUND;
}

/* ---- health ---------------------------------------------------------------------------- */

static int write_text(const void *device, const char *text, char *to, unsigned int room)
{
    return number_of(device) >= 0 && (unsigned int)snprintf(to, room, "%s%ld", text, number_of(device)) < room
               ? SUCCESS
               : NOT_FOUND;
}

EXPORT int nvmlDeviceGetSerial(void *device, char *text, unsigned int room);
int nvmlDeviceGetSerial(void *device, char *text, unsigned int room)
{
    return write_text(device, "165000000000", text, room);
}

EXPORT int nvmlDeviceGetVbiosVersion(void *device, char *text, unsigned int room);
int nvmlDeviceGetVbiosVersion(void *device, char *text, unsigned int room)
{
    return write_text(device, "96.00.A5.00.0", text, room);
}

EXPORT int nvmlDeviceGetTotalEccErrors(void *device, int kind, int over, unsigned long long *count);
int nvmlDeviceGetTotalEccErrors(void *device, int kind, int over, unsigned long long *count)
{
    (void)over;
    *count = 0;
    if (number_of(device) < 0)
        return NOT_FOUND;
    if (kind == UNCORRECTED && monitors[number_of(device)].asked_for_errors++ > 0)
        *count = said(device, "ecc", 0);
    return SUCCESS;
}

EXPORT int nvmlDeviceGetRemappedRows(void *device, unsigned int *corrected, unsigned int *uncorrected,
                                     unsigned int *pending, unsigned int *failed);
int nvmlDeviceGetRemappedRows(void *device, unsigned int *corrected, unsigned int *uncorrected, unsigned int *pending,
                              unsigned int *failed)
{
    *corrected = *uncorrected = 0;
    *pending = (unsigned int)said(device, "pending", 0);
    *failed = (unsigned int)said(device, "failed", 0);
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
}

/* ---- errors, which are events ------------------------------------------------------------- */

typedef struct fake_event {
    void *device;
    unsigned long long type, data;
    unsigned int instance, compute_instance;
} fake_event;

static void *watched;

EXPORT int nvmlEventSetCreate(void **set);
int nvmlEventSetCreate(void **set)
{
    *set = &watched;
    return SUCCESS;
}

EXPORT int nvmlDeviceRegisterEvents(void *device, unsigned long long types, void *set);
int nvmlDeviceRegisterEvents(void *device, unsigned long long types, void *set)
{
    (void)types;
    *(void **)set = device;
    return number_of(device) >= 0 ? SUCCESS : NOT_FOUND;
}

/* One, the second time that somebody waits. */
EXPORT int nvmlEventSetWait_v2(void *set, fake_event *event, unsigned int milliseconds);
int nvmlEventSetWait_v2(void *set, fake_event *event, unsigned int milliseconds)
{
    void *device = *(void **)set;
    (void)milliseconds;
    if (number_of(device) < 0 || said(device, "xid", 0) == 0 || monitors[number_of(device)].asked_for_events++ != 1)
        return TIMEOUT;
    *event = (fake_event){.device = device, .type = 8, .data = said(device, "xid", 0)};
    return SUCCESS;
}
