/* The functions of NVIDIA's management library that tell clocks, power and temperature,
 * found at run time.  It has no header here: a driver brings the library, and only a
 * toolkit the header. */
#ifndef PLX_BACKENDS_CUDA_NVML_H
#define PLX_BACKENDS_CUDA_NVML_H

#include <parallax/plugin.h>

typedef struct plx_nvml_device plx_nvml_device;

enum { PLX_NVML_SM = 1, PLX_NVML_MEMORY = 2 }; /* clock domains */

/* X(name, symbol, spare, parameters): the library is asked for `symbol`, then for
 * `spare`.  All return 0 for success. */
#define PLX_NVML_FUNCTIONS(X)                                                                             \
    X(Init, "nvmlInit_v2", NULL, (void))                                                                  \
    X(HandleByUuid, "nvmlDeviceGetHandleByUUID", NULL, (const char *, plx_nvml_device **))                \
    X(HandleByPci, "nvmlDeviceGetHandleByPciBusId_v2", NULL, (const char *, plx_nvml_device **))          \
    X(ClockInfo, "nvmlDeviceGetClockInfo", NULL, (plx_nvml_device *, unsigned int, unsigned int *))       \
    X(MaxClockInfo, "nvmlDeviceGetMaxClockInfo", NULL, (plx_nvml_device *, unsigned int, unsigned int *)) \
    X(PowerUsage, "nvmlDeviceGetPowerUsage", NULL, (plx_nvml_device *, unsigned int *))                   \
    X(PowerLimit, "nvmlDeviceGetEnforcedPowerLimit", NULL, (plx_nvml_device *, unsigned int *))           \
    X(Temperature, "nvmlDeviceGetTemperature", NULL, (plx_nvml_device *, unsigned int, unsigned int *))   \
    X(EccMode, "nvmlDeviceGetEccMode", NULL, (plx_nvml_device *, unsigned int *, unsigned int *))         \
    X(Throttle, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",    \
      (plx_nvml_device *, unsigned long long *))

#endif
