/* Finds the driver's functions, and puts its errors into words. */

#include "backends/cuda/driver.h"

#include "base/driver_variables.h"
#include "base/privileges.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER_LIBRARY "libcuda.so.1"

#if CUDA_VERSION < 12040 /* a driver may have it all the same */
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size);
#endif

/* Our list against the header we are compiled with. */
#define CHECK_TYPE(name, symbol, spare, parameters)                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(cu##name), CUresult parameters), \
                   "the parameters of cu" #name " are not those of cuda.h");
PLX_CUDA_FUNCTIONS(CHECK_TYPE)
PLX_CUDA_NEWER_FUNCTIONS(CHECK_TYPE)

typedef struct driver_symbol {
    const char *symbol;
    const char *spare;
    size_t member; /* offset of the pointer in plx_cuda_driver */
    bool needed;
} driver_symbol;

#define NEEDED_ROW(name, symbol, spare, parameters) {symbol, spare, offsetof(plx_cuda_driver, name), true},
#define NEWER_ROW(name, symbol, spare, parameters) {symbol, spare, offsetof(plx_cuda_driver, name), false},
static const driver_symbol driver_symbols[] = {PLX_CUDA_FUNCTIONS(NEEDED_ROW) PLX_CUDA_NEWER_FUNCTIONS(NEWER_ROW)};

plx_cuda_driver plx_cuda;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static plx_status load_status;
static plx_error load_error;

const char *plx_cuda_named_library(const char *variable)
{
    const char *name = plx_getenv(variable);
    return name != NULL && name[0] != '\0' ? name : NULL;
}

/* $PLX_CUDA_LIBRARY names another library. */
static const char *library_name(void)
{
    const char *name = plx_cuda_named_library("PLX_CUDA_LIBRARY");
    return name != NULL ? name : DRIVER_LIBRARY;
}

static bool resolve(void *library, const driver_symbol *wanted)
{
    void *address = dlsym(library, wanted->symbol);
    if (address == NULL && wanted->spare != NULL)
        address = dlsym(library, wanted->spare);
    memcpy((char *)&plx_cuda + wanted->member, &address, sizeof address);
    return address != NULL;
}

/* dlerror() tells a missing file only in words: what it says of any other
 * trouble (a wrong architecture, a broken file) is passed on. */
static plx_status no_library(const char *name)
{
    const char *reason = dlerror();
    if (reason == NULL || strstr(reason, "No such file") != NULL)
        return plx_fail(&load_error, PLX_NO_DEVICE, "%s not found; install NVIDIA's driver", name);
    return plx_fail(&load_error, PLX_NO_DEVICE, "%s cannot be loaded (%s); reinstall NVIDIA's driver", name, reason);
}

/* With raised privileges: libraries that the driver loads into every process that asks for it
 * ($CUDA_INJECTION64_PATH), other services, caches, and files that it writes. */
static void forget_environment(void)
{
    static const char *const beginnings[] = {"CUDA_", "NVTX_", "CUPTI_", "NV_"};
    plx_forget_environment(beginnings, sizeof beginnings / sizeof beginnings[0]);
}

static plx_status load(void)
{
    const char *name = library_name();
    forget_environment();
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL); /* never closed: drivers do not survive it */
    if (library == NULL)
        return no_library(name);
    for (size_t i = 0; i < sizeof driver_symbols / sizeof driver_symbols[0]; i++)
        if (!resolve(library, &driver_symbols[i]) && driver_symbols[i].needed)
            return plx_fail(&load_error, PLX_NO_DEVICE,
                            "%s has no function %s: the driver is too old; install a newer one", name,
                            driver_symbols[i].symbol);
    return PLX_OK;
}

static void load_into_status(void)
{
    load_status = load();
}

/* What to do about the results that cuInit is known to return. */
static const char *remedy(CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_NO_DEVICE:
        return "the driver finds no device; look at nvidia-smi and $CUDA_VISIBLE_DEVICES, or give "
               "the container a GPU";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "libcuda.so.1 and the kernel module are of different versions; reboot, or reload the "
               "nvidia module";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return "the forward-compatibility libcuda.so.1 does not serve this device; use the "
               "driver's own";
    case CUDA_ERROR_STUB_LIBRARY:
        return "libcuda.so.1 is the toolkit's stub for linking; install NVIDIA's driver, and take "
               "the stubs directory out of the library path";
    case CUDA_ERROR_SYSTEM_NOT_READY:
        return "a service that the devices need is not running; start nvidia-fabricmanager";
    case CUDA_ERROR_NOT_INITIALIZED:
        return "CUDA does not work in a process forked after its first use; use exec";
    case CUDA_ERROR_OPERATING_SYSTEM:
        return "the operating system refuses; look at the permissions of /dev/nvidia*";
    case CUDA_ERROR_UNKNOWN:
        return "the kernel module may not be loaded; try nvidia-smi, then reload the nvidia module";
    default:
        return "try nvidia-smi";
    }
}

plx_status plx_cuda_driver_load(plx_error *error)
{
    static const char *const hiding[] = {"CUDA_VISIBLE_DEVICES", NULL};
    CUresult result;
    plx_error reason;
    char variable[192];
    pthread_once(&load_once, load_into_status);
    if (load_status != PLX_OK) {
        *error = load_error;
        return load_status;
    }
    result = plx_cuda.Init(0);
    if (result == CUDA_SUCCESS)
        return PLX_OK;
    (void)plx_cuda_tell(&reason, result, "cuInit");
    plx_first_variable(hiding, variable, sizeof variable);
    if (result == CUDA_ERROR_NO_DEVICE && variable[0] != '\0')
        return plx_fail(error, PLX_NO_DEVICE, "no CUDA device is seen with %s in the environment; unset it", variable);
    return plx_fail(error, PLX_NO_DEVICE, "%.200s: %s", reason.text, remedy(result));
}

/* True when the error has killed the context: every later call on it fails. */
static bool is_sticky(CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        return true;
    default:
        return false;
    }
}

static plx_status status_of(CUresult result)
{
    if (is_sticky(result))
        return PLX_DEVICE_LOST;
    return result == CUDA_ERROR_OUT_OF_MEMORY ? PLX_NO_MEMORY : PLX_FAILED;
}

/* What helps against results that are not the program's fault. */
static const char *advice(CUresult result, plx_status status)
{
    enum { DEVICE_UNAVAILABLE = 46 }; /* that CUDA 11.0 has no name for */
    if (status == PLX_DEVICE_LOST)
        return "; the device's context is dead and this process runs nothing more on it";
    if ((int)result == DEVICE_UNAVAILABLE)
        return "; another process has the device for itself (exclusive mode), or nobody may have it: wait for that "
               "process, or nvidia-smi -c DEFAULT";
    return "";
}

plx_status plx_cuda_tell(plx_error *error, CUresult result, const char *function)
{
    char number[32];
    const char *name = NULL, *text = NULL;
    plx_status status = status_of(result);
    (void)snprintf(number, sizeof number, "error %d", (int)result);
    (void)plx_cuda.GetErrorName(result, &name);
    (void)plx_cuda.GetErrorString(result, &text);
    return plx_fail(error, status, "%s failed: %s (%s)%s", function, name != NULL ? name : number,
                    text != NULL ? text : "no description", advice(result, status));
}
