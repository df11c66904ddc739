/* OpenCL's error codes in words, and as our status. */
#include "backends/opencl/functions.h"

/* NVIDIA's code for a kernel that touched memory that is not its own. */
#define ILLEGAL_ACCESS_NVIDIA (-9999)
/* From cl_khr_icd, whose header not every installation has. */
#define PLATFORM_NOT_FOUND (-1001)

typedef struct error_name {
    cl_int code;
    const char *name;
} error_name;

#define NAME(code)  \
    {               \
        code, #code \
    }
static const error_name error_names[] = {
    NAME(CL_DEVICE_NOT_FOUND),
    NAME(CL_DEVICE_NOT_AVAILABLE),
    NAME(CL_COMPILER_NOT_AVAILABLE),
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAME(CL_OUT_OF_RESOURCES),
    NAME(CL_OUT_OF_HOST_MEMORY),
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAME(CL_MEM_COPY_OVERLAP),
    NAME(CL_BUILD_PROGRAM_FAILURE),
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    NAME(CL_INVALID_VALUE),
    NAME(CL_INVALID_DEVICE_TYPE),
    NAME(CL_INVALID_PLATFORM),
    NAME(CL_INVALID_DEVICE),
    NAME(CL_INVALID_CONTEXT),
    NAME(CL_INVALID_QUEUE_PROPERTIES),
    NAME(CL_INVALID_COMMAND_QUEUE),
    NAME(CL_INVALID_HOST_PTR),
    NAME(CL_INVALID_MEM_OBJECT),
    NAME(CL_INVALID_BINARY),
    NAME(CL_INVALID_BUILD_OPTIONS),
    NAME(CL_INVALID_PROGRAM),
    NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    NAME(CL_INVALID_KERNEL_NAME),
    NAME(CL_INVALID_KERNEL_DEFINITION),
    NAME(CL_INVALID_KERNEL),
    NAME(CL_INVALID_ARG_INDEX),
    NAME(CL_INVALID_ARG_VALUE),
    NAME(CL_INVALID_ARG_SIZE),
    NAME(CL_INVALID_KERNEL_ARGS),
    NAME(CL_INVALID_WORK_DIMENSION),
    NAME(CL_INVALID_WORK_GROUP_SIZE),
    NAME(CL_INVALID_WORK_ITEM_SIZE),
    NAME(CL_INVALID_GLOBAL_OFFSET),
    NAME(CL_INVALID_EVENT_WAIT_LIST),
    NAME(CL_INVALID_EVENT),
    NAME(CL_INVALID_OPERATION),
    NAME(CL_INVALID_BUFFER_SIZE),
    NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    NAME(CL_INVALID_PROPERTY),
    {PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"},
    {ILLEGAL_ACCESS_NVIDIA, "error -9999 (illegal memory access)"},
};
#undef NAME

const char *plx_cl_error_name(cl_int code, char name[32])
{
    for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
        if (error_names[i].code == code)
            return error_names[i].name;
    (void)snprintf(name, 32, "error %d", (int)code);
    return name;
}

static plx_status status_of(cl_int code)
{
    switch (code) {
    case CL_SUCCESS:
        return PLX_OK;
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
        return PLX_NO_MEMORY;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_BINARY:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_COMPILER_NOT_AVAILABLE:
        return PLX_BUILD_FAILED;
    case CL_DEVICE_NOT_AVAILABLE:
    case ILLEGAL_ACCESS_NVIDIA:
        return PLX_DEVICE_LOST;
    default:
        return PLX_FAILED;
    }
}

plx_status plx_cl_check(cl_int code, const char *function, plx_error *error)
{
    if (code == CL_SUCCESS)
        return PLX_OK;
    char name[32];
    return plx_fail(error, status_of(code), "%s failed: %s", function, plx_cl_error_name(code, name));
}
