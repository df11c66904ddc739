/* Finds the OpenCL devices, and says in words why there are none. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/session.h"

#include "base/driver_variables.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static plx_cl_device_entry *listed;
static size_t listed_count;
static plx_error listed_message;

/* ---- texts ------------------------------------------------------------- */

/* Of the device, or of the platform where there is none. */
static cl_int ask(cl_device_id device, cl_platform_id platform, cl_uint what, size_t size, char *text, size_t *length)
{
    return device ? plx_cl.GetDeviceInfo(device, what, size, text, length)
                  : plx_cl.GetPlatformInfo(platform, what, size, text, length);
}

/* No text of a driver is longer; it is read without memory being asked for, so that what is known of a device
 * does not depend on how much there is. */
enum { MOST_OF_TEXT = 1 << 14 };

static void take_text(cl_device_id device, cl_platform_id platform, cl_uint what, char *text, size_t capacity)
{
    char whole[MOST_OF_TEXT + 1];
    size_t length = 0;
    text[0] = '\0';
    if (ask(device, platform, what, 0, NULL, &length) != CL_SUCCESS || length == 0 || length > MOST_OF_TEXT)
        return;
    memset(whole, 0, length + 1);
    if (ask(device, platform, what, length, whole, NULL) == CL_SUCCESS)
        (void)snprintf(text, capacity, "%s", whole);
}

void plx_cl_device_text(cl_device_id device, cl_device_info what, char *text, size_t capacity)
{
    take_text(device, NULL, what, text, capacity);
}

void plx_cl_platform_text(cl_platform_id platform, cl_platform_info what, char *text, size_t capacity)
{
    take_text(NULL, platform, what, text, capacity);
}

bool plx_cl_is_nvidia(cl_platform_id platform)
{
    char vendor[64];
    plx_cl_platform_text(platform, CL_PLATFORM_VENDOR, vendor, sizeof vendor);
    return strstr(vendor, "NVIDIA") != NULL;
}

/* ---- NVIDIA's driver without its .icd file ------------------------------- */

/* Containers often carry the driver's library but no entry in
 * /etc/OpenCL/vendors, and so the loader never asks it. */
static bool nvidia_is_unregistered(const cl_platform_id *platforms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (plx_cl_is_nvidia(platforms[i]))
            return false;
    return access("/dev/nvidiactl", F_OK) == 0 && dlopen("libnvidia-opencl.so.1", RTLD_LAZY) != NULL;
}

static void advise_registration(plx_error *error)
{
    (void)plx_fail(error, PLX_NO_DEVICE,
                   "NVIDIA's OpenCL driver is installed but not registered; run with %s=libnvidia-opencl.so.1, "
                   "or as root: mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > "
                   "/etc/OpenCL/vendors/nvidia.icd",
                   plx_cl_loader_is_ocl_icd() ? "OCL_ICD_VENDORS" : "OCL_ICD_FILENAMES");
}

/* ---- listing ------------------------------------------------------------- */

static bool version_is_usable(cl_device_id device)
{
    char version[64];
    int major = 0, minor = 0;
    plx_cl_device_text(device, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2)
        return false;
    return major > 1 || (major == 1 && minor >= 2);
}

static bool device_flag(cl_device_id device, cl_device_info what)
{
    cl_bool flag = CL_FALSE;
    return plx_cl.GetDeviceInfo(device, what, sizeof flag, &flag, NULL) == CL_SUCCESS && flag;
}

/* Programs travel as source and lengths as 64-bit numbers. */
static bool device_is_usable(cl_device_id device)
{
    cl_uint address_bits = 0;
    if (plx_cl.GetDeviceInfo(device, CL_DEVICE_ADDRESS_BITS, sizeof address_bits, &address_bits, NULL))
        return false;
    return address_bits == 64 && device_flag(device, CL_DEVICE_AVAILABLE) &&
           device_flag(device, CL_DEVICE_COMPILER_AVAILABLE) && version_is_usable(device);
}

/* No machine has more; drivers that say so are not to be trusted. */
enum { MOST_PLATFORMS = 256, MOST_DEVICES = 4096 };

static plx_status too_many(const char *what, cl_uint count, plx_error *error)
{
    return plx_fail(error, PLX_FAILED, "OpenCL lists %u %s, which can't be; reinstall its drivers", count, what);
}

static plx_status append(cl_platform_id platform, const cl_device_id *devices, cl_uint count, plx_error *error)
{
    plx_cl_device_entry *grown = realloc(listed, (listed_count + count) * sizeof *grown);
    if (!grown)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of OpenCL devices");
    listed = grown;
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] != NULL && device_is_usable(devices[i]))
            listed[listed_count++] = (plx_cl_device_entry){platform, devices[i]};
    return PLX_OK;
}

/* A platform that has no device, or fails to say, adds none. */
static plx_status list_platform(cl_platform_id platform, plx_error *error)
{
    cl_uint count = 0;
    if (plx_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS || count == 0)
        return PLX_OK;
    if (count > MOST_DEVICES)
        return too_many("devices", count, error);
    cl_device_id *devices = calloc(count, sizeof(cl_device_id));
    if (!devices)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of OpenCL devices");
    plx_status status = PLX_OK;
    if (plx_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL) == CL_SUCCESS)
        status = append(platform, devices, count, error);
    free(devices);
    return status;
}

/* A variable that leads the loader or PoCL elsewhere comes before any advice to install what may be there. */
static bool is_hidden(size_t count)
{
    static const char *const of_loader[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", NULL};
    static const char *const of_drivers[] = {"POCL_DEVICES", "CUDA_VISIBLE_DEVICES", NULL};
    char variable[192];
    plx_first_variable(count == 0 ? of_loader : of_drivers, variable, sizeof variable);
    if (variable[0] != '\0')
        (void)plx_fail(&listed_message, PLX_NO_DEVICE, "no OpenCL %s is seen with %s in the environment; unset it",
                       count == 0 ? "driver" : "device", variable);
    return variable[0] != '\0';
}

static void explain_none(const cl_platform_id *platforms, size_t count)
{
    if (is_hidden(count))
        return;
    if (count == 0) {
        (void)plx_fail(&listed_message, PLX_NO_DEVICE,
                       "no OpenCL driver is registered; install your device vendor's, or pocl-opencl-icd for "
                       "the processor");
        return;
    }
    char name[64];
    plx_cl_platform_text(platforms[0], CL_PLATFORM_NAME, name, sizeof name);
    (void)plx_fail(&listed_message, PLX_NO_DEVICE,
                   "no usable device in the OpenCL platform %s; it takes one of OpenCL 1.2 or later with a "
                   "compiler: look at clinfo, and at the permissions of the device files under /dev",
                   name);
}

static plx_status list_platforms(const cl_platform_id *platforms, size_t count, plx_error *error)
{
    for (size_t i = 0; i < count; i++) {
        plx_status status = platforms[i] != NULL ? list_platform(platforms[i], error) : PLX_OK;
        if (status != PLX_OK)
            return status;
    }
    listed_message.text[0] = '\0';
    if (nvidia_is_unregistered(platforms, count) && (count > 0 || !is_hidden(0)))
        advise_registration(&listed_message);
    if (listed_count > 0)
        return PLX_OK;
    if (listed_message.text[0] == '\0')
        explain_none(platforms, count);
    *error = listed_message;
    return PLX_NO_DEVICE;
}

static plx_status list_all(plx_error *error)
{
    plx_status status = plx_cl_load(error);
    if (status != PLX_OK)
        return status;
    cl_uint count = 0;
    /* Loaders differ in how they say "no platform": an error, or none. */
    if (plx_cl.GetPlatformIDs(0, NULL, &count) != CL_SUCCESS)
        count = 0;
    if (count > MOST_PLATFORMS)
        return too_many("platforms", count, error);
    cl_platform_id *platforms = calloc((size_t)count + 1, sizeof(cl_platform_id));
    if (!platforms)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of OpenCL platforms");
    if (count > 0)
        status = PLX_CL(error, GetPlatformIDs, count, platforms, NULL);
    if (status == PLX_OK)
        status = list_platforms(platforms, count, error);
    free(platforms);
    return status;
}

plx_status plx_cl_list(const plx_cl_device_entry **entries, size_t *count, plx_error *error)
{
    plx_status status = PLX_OK;
    (void)pthread_mutex_lock(&list_lock);
    if (listed_count == 0)
        status = list_all(error);
    if (status == PLX_OK) {
        *entries = listed;
        *count = listed_count;
        *error = listed_message;
    }
    (void)pthread_mutex_unlock(&list_lock);
    return status;
}
