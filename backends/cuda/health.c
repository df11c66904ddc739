/* Counters of a device's health, as NVIDIA's management library tells them.  No version of it has all of these
 * functions, and no device all of the counters: what is missing is not known. */
#include "backends/cuda/cuda.h"
#include "backends/cuda/nvml.h"

#include <string.h>

enum { CORRECTED = 0, UNCORRECTED = 1, OVER_LIFE = 1, XID = 8, NO_ROOM = 7 };

typedef struct utilisation {
    unsigned int gpu, memory;
} utilisation;

typedef struct event {
    plx_nvml_device *device;
    unsigned long long type, data;
    unsigned int instance, compute_instance;
} event;

typedef int tells_text(plx_nvml_device *, char *, unsigned int);
typedef int tells_ecc(plx_nvml_device *, int, int, unsigned long long *);
typedef int tells_rows(plx_nvml_device *, unsigned int *, unsigned int *, unsigned int *, unsigned int *);
typedef int tells_utilisation(plx_nvml_device *, utilisation *);
typedef int tells_mode(plx_nvml_device *, unsigned int *, unsigned int *);
typedef int tells_processes(plx_nvml_device *, unsigned int *, void *);
typedef int makes_events(void **);
typedef int registers_events(plx_nvml_device *, unsigned long long, void *);
typedef int waits_for_event(void *, event *, unsigned int);

/* A function of this name and type; NULL: this version has none. */
#define FIND(type, name) ((type *)(uintptr_t)plx_nvml_symbol(name))

static void read_text(plx_nvml_device *device, const char *name, uint32_t bit, char text[32], plx_health *health)
{
    tells_text *tell = FIND(tells_text, name);
    if (tell == NULL || tell(device, text, 32) != 0)
        text[0] = '\0';
    else
        health->known |= bit;
    text[31] = '\0';
}

static void read_ecc(plx_nvml_device *device, int kind, uint32_t bit, uint64_t *count, plx_health *health)
{
    tells_ecc *tell = FIND(tells_ecc, "nvmlDeviceGetTotalEccErrors");
    unsigned long long value = 0;
    if (tell == NULL || tell(device, kind, OVER_LIFE, &value) != 0)
        return;
    *count = value;
    health->known |= bit;
}

static void read_rows(plx_nvml_device *device, plx_health *health)
{
    tells_rows *tell = FIND(tells_rows, "nvmlDeviceGetRemappedRows");
    unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (tell == NULL || tell(device, &corrected, &uncorrected, &pending, &failed) != 0)
        return;
    health->remapped_corrected = corrected;
    health->remapped_uncorrected = uncorrected;
    health->remap_pending = pending != 0;
    health->remap_failed = failed != 0;
    health->known |= PLX_KNOWS_REMAPPED;
}

/* Where it is on, what CUDA calls a device is an instance: the chip was found by its address. */
static void read_part(plx_nvml_device *device, plx_health *health)
{
    tells_mode *tell = FIND(tells_mode, "nvmlDeviceGetMigMode");
    unsigned int now = 0, after_restart = 0;
    if (tell == NULL || tell(device, &now, &after_restart) != 0)
        return;
    health->part = now != 0;
    health->known |= PLX_KNOWS_PART;
}

static void read_use(plx_nvml_device *device, plx_health *health)
{
    tells_utilisation *tell = FIND(tells_utilisation, "nvmlDeviceGetUtilizationRates");
    tells_processes *count = FIND(tells_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    utilisation now = {0, 0};
    unsigned int processes = 0; /* of no room: how many there are is told */
    if (tell != NULL && tell(device, &now) == 0) {
        health->utilisation = now.gpu;
        health->known |= PLX_KNOWS_UTILISATION;
    }
    const int said = count != NULL ? count(device, &processes, NULL) : -1;
    if (said == 0 || said == NO_ROOM) {
        health->processes = processes;
        health->known |= PLX_KNOWS_PROCESSES;
    }
}

/* Errors are events, not counters: they come from when somebody first asks for them. */
static void begin_errors(plx_session *session)
{
    makes_events *make = FIND(makes_events, "nvmlEventSetCreate");
    registers_events *add = FIND(registers_events, "nvmlDeviceRegisterEvents");
    if (session->errors != NULL || make == NULL || add == NULL || make(&session->errors) != 0)
        return;
    if (add(session->monitor, XID, session->errors) != 0)
        session->errors = NULL;
}

static void read_errors(plx_session *session, plx_health *health)
{
    waits_for_event *wait = FIND(waits_for_event, "nvmlEventSetWait_v2");
    event one = {.type = 0};
    begin_errors(session);
    if (session->errors == NULL || wait == NULL)
        return;
    for (int most = 1000; most > 0 && wait(session->errors, &one, 0) == 0; most--) {
        session->error_count++;
        session->last_error = (uint32_t)one.data;
    }
    health->errors = session->error_count;
    health->last_error = session->last_error;
    health->known |= PLX_KNOWS_ERRORS;
}

plx_status plx_cuda_health(plx_session *session, plx_health *health, plx_error *error)
{
    (void)pthread_mutex_lock(&session->lock);
    plx_nvml_device *device = session->monitor != NULL ? session->monitor : plx_nvml_find(&session->info);
    session->monitor = device;
    if (device != NULL)
        read_errors(session, health);
    (void)pthread_mutex_unlock(&session->lock);
    if (device == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "the management library is not there, or does not know this device");
    read_text(device, "nvmlDeviceGetSerial", PLX_KNOWS_SERIAL, health->serial, health);
    read_text(device, "nvmlDeviceGetVbiosVersion", PLX_KNOWS_FIRMWARE, health->firmware, health);
    read_ecc(device, CORRECTED, PLX_KNOWS_CORRECTED, &health->corrected, health);
    read_ecc(device, UNCORRECTED, PLX_KNOWS_UNCORRECTED, &health->uncorrected, health);
    read_rows(device, health);
    read_part(device, health);
    read_use(device, health);
    return PLX_OK;
}
