/* Memory of a device that another process owns: the one file of this room that knows an API.  Its library is looked for
 * when it is needed. */
#define _GNU_SOURCE

#include "study/subject/subject.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void subject_device_scratch(const char *directory)
{
    static const char *const names[] = {"TMPDIR",           "XDG_CACHE_HOME", "CUDA_CACHE_PATH",
                                        "TRITON_CACHE_DIR", "CUPY_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)setenv(names[i], directory, 1);
}

typedef struct ipc_handle {
    unsigned char bytes[64];
} ipc_handle;

/* Those functions of the driver that are needed; 0 is success. */
static struct {
    int (*Init)(unsigned);
    int (*DeviceGetByPCIBusId)(int *, const char *);
    int (*DevicePrimaryCtxRetain)(void **, int);
    int (*CtxSetCurrent)(void *);
    int (*CtxSynchronize)(void);
    int (*StreamCreate)(void **, unsigned);
    int (*IpcOpenMemHandle_v2)(unsigned long long *, ipc_handle, unsigned);
    int (*IpcCloseMemHandle)(unsigned long long);
    int (*MemAlloc_v2)(unsigned long long *, size_t);
    int (*MemFree_v2)(unsigned long long);
    int (*GetErrorString)(int, const char **);
} driver;

static void *stream, *library;
static int number = -1;

/* A pointer to a function from one to data, as POSIX has it. */
bool subject_device_find(const char *name, void *slot)
{
    void *found = dlsym(library, name);
    memcpy(slot, &found, sizeof found);
    return found != NULL;
}

static bool load(char *why, size_t capacity)
{
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        (void)snprintf(why, capacity, "there is no driver here: %.200s", dlerror());
        return false;
    }
#define FIND(name) subject_device_find("cu" #name, &driver.name)
    if (FIND(Init) && FIND(DeviceGetByPCIBusId) && FIND(DevicePrimaryCtxRetain) && FIND(CtxSetCurrent) &&
        FIND(CtxSynchronize) && FIND(StreamCreate) && FIND(IpcOpenMemHandle_v2) && FIND(IpcCloseMemHandle) &&
        FIND(MemAlloc_v2) && FIND(MemFree_v2) && FIND(GetErrorString))
        return true;
#undef FIND
    (void)snprintf(why, capacity, "the driver has not all functions that are needed");
    return false;
}

bool subject_device_good(int code, const char *what, char *why, size_t capacity)
{
    const char *text = NULL;
    if (code == 0)
        return true;
    (void)driver.GetErrorString(code, &text);
    (void)snprintf(why, capacity, "%s: %.200s (%d)", what, text != NULL ? text : "unknown", code);
    return false;
}

bool subject_device_open(const char *place, char *why, size_t capacity)
{
    void *context = NULL;
    if (number >= 0)
        return true;
    int found = 0;
    if (!load(why, capacity) || !subject_device_good(driver.Init(0), "the driver", why, capacity) ||
        !subject_device_good(driver.DeviceGetByPCIBusId(&found, place), "its device", why, capacity) ||
        !subject_device_good(driver.DevicePrimaryCtxRetain(&context, found), "a context", why, capacity) ||
        !subject_device_good(driver.CtxSetCurrent(context), "a context", why, capacity) ||
        !subject_device_good(driver.StreamCreate(&stream, 1), "a stream", why, capacity))
        return false;
    number = found;
    return true;
}

void *subject_device_map(const unsigned char handle[64])
{
    ipc_handle copy;
    unsigned long long at = 0;
    memcpy(copy.bytes, handle, sizeof copy.bytes);
    return driver.IpcOpenMemHandle_v2(&at, copy, 1) == 0 ? (void *)(uintptr_t)at : NULL;
}

void subject_device_unmap(void *base)
{
    (void)driver.IpcCloseMemHandle((unsigned long long)(uintptr_t)base);
}

void *subject_device_alloc(uint64_t bytes)
{
    unsigned long long at = 0;
    return driver.MemAlloc_v2(&at, bytes) == 0 ? (void *)(uintptr_t)at : NULL;
}

void subject_device_free(void *memory)
{
    (void)driver.MemFree_v2((unsigned long long)(uintptr_t)memory);
}

void *subject_device_stream(void)
{
    return stream;
}

bool subject_device_wait(char *why, size_t capacity)
{
    return subject_device_good(driver.CtxSynchronize(), "the device", why, capacity);
}

int32_t subject_device_type(void)
{
    return 2; /* kDLCUDA */
}

int32_t subject_device_number(void)
{
    return number;
}
