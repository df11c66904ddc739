/* Opens the OpenCL loader library and resolves the functions in use. */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include "backends/opencl/functions.h"

#include "base/privileges.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

plx_cl_functions plx_cl;
plx_cl_il plx_cl_of_il;

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static plx_status load_status;
static plx_error load_error;
static bool loader_is_ocl_icd, has_native_functions;

/* A function pointer from an object pointer, as POSIX promises that it can be. */
static bool resolve(void *library, const char *name, void *slot)
{
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static const char *resolve_all(void *library)
{
#define RESOLVE(name)                                \
    if (!resolve(library, "cl" #name, &plx_cl.name)) \
        return "cl" #name;
    PLX_CL_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return NULL;
}

static bool resolve_native(void *library)
{
    bool all = true;
#define RESOLVE(name) all = resolve(library, "cl" #name, &plx_cl.name) && all;
    PLX_CL_NATIVE_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return all;
}

/* Loaders may tell who made them, by the extension cl_loader_info. */
static bool is_ocl_icd(void *library)
{
    enum { VENDOR_OF_LOADER = 4 };
    void *(*extension)(const char *name);
    cl_int (*loader_info)(cl_uint what, size_t capacity, void *value, size_t *length);
    char vendor[128] = "";
    if (!resolve(library, "clGetExtensionFunctionAddress", &extension))
        return false;
    void *function = extension("clGetICDLoaderInfoOCLICD");
    memcpy(&loader_info, &function, sizeof function);
    return function && loader_info(VENDOR_OF_LOADER, sizeof vendor - 1, vendor, NULL) == CL_SUCCESS &&
           strncmp(vendor, "OCL Icd", 7) == 0;
}

/* Tools that stand in for OpenCL (oclgrind) are libraries that $LD_PRELOAD names, and come first.  Nothing
 * else that the process shows to all is asked: any plugin may have put a function of that name there.  NULL:
 * there is none. */
static void *preloaded(void)
{
    const char *at = plx_getenv("LD_PRELOAD");
    char name[PATH_MAX];
    while (at != NULL && *(at += strspn(at, ": ")) != '\0') {
        const size_t length = strcspn(at, ": ");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        void *library = length < sizeof name ? dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) : NULL;
        if (library != NULL && dlsym(library, "clGetPlatformIDs") != NULL)
            return library;
        if (library != NULL)
            (void)dlclose(library);
        at += length;
    }
    return NULL;
}

/* Which drivers there are is for the system to say when privileges are raised, and what they do for their own files. */
static void forget_environment(void)
{
    static const char *const beginnings[] = {"OCL_ICD_", "OPENCL_", "POCL_"};
    plx_forget_environment(beginnings, sizeof beginnings / sizeof beginnings[0]);
}

/* The library stays open: drivers do not survive being unloaded. */
static void load(void)
{
    forget_environment();
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        bool absent = !reason || strstr(reason, "libOpenCL.so.1: cannot open shared object file") != NULL;
        load_status = plx_fail(&load_error, PLX_NO_DEVICE,
                               "libOpenCL.so.1 not found%s%s; install ocl-icd-libopencl1 (Debian, Ubuntu) or "
                               "another OpenCL loader",
                               absent ? "" : ": ", absent ? "" : reason);
        return;
    }
    void *tool = preloaded(), *scope = tool != NULL ? RTLD_DEFAULT : library;
    const char *missing = resolve_all(scope);
    if (missing) {
        load_status = plx_fail(&load_error, PLX_NO_DEVICE,
                               "libOpenCL.so.1 has no %s; install an OpenCL loader of version 1.2 or later", missing);
        return;
    }
    loader_is_ocl_icd = is_ocl_icd(scope);
    has_native_functions = resolve_native(scope);
    (void)resolve(scope, "clCreateProgramWithIL", &plx_cl_of_il.create);
    (void)resolve(scope, "clGetExtensionFunctionAddressForPlatform", &plx_cl_of_il.extension);
    load_status = PLX_OK;
}

plx_status plx_cl_load(plx_error *error)
{
    (void)pthread_once(&load_once, load);
    if (load_status != PLX_OK)
        *error = load_error;
    return load_status;
}

bool plx_cl_loader_is_ocl_icd(void)
{
    return loader_is_ocl_icd;
}

bool plx_cl_has_native_functions(void)
{
    return has_native_functions;
}
