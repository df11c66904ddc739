/* Programs in SPIR-V, for devices that take it: OpenCL 2.1, or cl_khr_il_program. */
#include "backends/opencl/session.h"

#include <string.h>

enum { IL_VERSION = 0x105b }; /* CL_DEVICE_IL_VERSION of OpenCL 2.1, the same of the extension */

static bool takes_spirv(const plx_session *session)
{
    char versions[512];
    plx_cl_device_text(session->device, IL_VERSION, versions, sizeof versions);
    return strstr(versions, "SPIR-V") != NULL;
}

/* That of OpenCL 2.1 is called by its name where the device has that version: a loader has it for others, too, which
 * then have no function behind it. */
static plx_cl_create_with_il *function_for(const plx_session *session)
{
    char version[64];
    cl_platform_id platform = NULL;
    plx_cl_device_text(session->device, CL_DEVICE_VERSION, version, sizeof version);
    const bool is_old = strncmp(version, "OpenCL 1.", 9) == 0 || strncmp(version, "OpenCL 2.0", 10) == 0;
    if (!is_old && plx_cl_of_il.create != NULL)
        return plx_cl_of_il.create;
    if (plx_cl_of_il.extension == NULL ||
        plx_cl.GetDeviceInfo(session->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS)
        return NULL;
    void *found = plx_cl_of_il.extension(platform, "clCreateProgramWithILKHR");
    plx_cl_create_with_il *function = NULL;
    memcpy(&function, &found, sizeof function);
    return function;
}

plx_status plx_cl_create_from_il(const plx_session *session, const plx_cl_source *source, cl_program *program,
                                 plx_error *error)
{
    plx_cl_create_with_il *const create = takes_spirv(session) ? function_for(session) : NULL;
    cl_int code = CL_SUCCESS;
    if (create == NULL)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "%.80s takes no SPIR-V: it has neither OpenCL 2.1 nor cl_khr_il_program; give the kernel as "
                        "OpenCL C (.cl), or take a device that has one of them",
                        session->info.name);
    *program = create(session->context, source->text, source->length, &code);
    if (code == CL_INVALID_VALUE || code == CL_INVALID_BINARY || code == CL_INVALID_OPERATION)
        return plx_fail(error, PLX_BUILD_FAILED, "%s: the driver does not take it for SPIR-V that it knows",
                        source->name);
    return plx_cl_check(code, "clCreateProgramWithIL", error);
}
