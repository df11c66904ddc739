/* The functions of OpenCL 1.2 that this project calls.  libOpenCL.so.1 is opened
 * when the plugin runs, so that the plugin loads without it and can say so. */
#ifndef PLX_BACKENDS_OPENCL_FUNCTIONS_H
#define PLX_BACKENDS_OPENCL_FUNCTIONS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <parallax/plugin.h>

/* clNAME for each; resolved once, all or none. */
#define PLX_CL_FUNCTIONS(X)      \
    X(GetPlatformIDs)            \
    X(GetPlatformInfo)           \
    X(GetDeviceIDs)              \
    X(GetDeviceInfo)             \
    X(CreateContext)             \
    X(ReleaseContext)            \
    X(CreateCommandQueue)        \
    X(ReleaseCommandQueue)       \
    X(Flush)                     \
    X(Finish)                    \
    X(CreateBuffer)              \
    X(RetainMemObject)           \
    X(ReleaseMemObject)          \
    X(CreateSubBuffer)           \
    X(GetMemObjectInfo)          \
    X(EnqueueReadBuffer)         \
    X(EnqueueWriteBuffer)        \
    X(EnqueueCopyBuffer)         \
    X(EnqueueFillBuffer)         \
    X(EnqueueMarkerWithWaitList) \
    X(WaitForEvents)             \
    X(GetEventProfilingInfo)     \
    X(ReleaseEvent)              \
    X(CreateProgramWithSource)   \
    X(CreateProgramWithBinary)   \
    X(BuildProgram)              \
    X(GetProgramInfo)            \
    X(GetProgramBuildInfo)       \
    X(ReleaseProgram)            \
    X(CreateKernel)              \
    X(SetKernelArg)              \
    X(GetKernelInfo)             \
    X(GetKernelWorkGroupInfo)    \
    X(EnqueueNDRangeKernel)      \
    X(ReleaseKernel)

/* For objects of others; a loader that lacks one of them can't take any. */
#define PLX_CL_NATIVE_FUNCTIONS(X) \
    X(RetainContext)               \
    X(GetContextInfo)              \
    X(RetainCommandQueue)          \
    X(GetCommandQueueInfo)         \
    X(EnqueueBarrierWithWaitList)  \
    X(EnqueueMapBuffer)            \
    X(EnqueueUnmapMemObject)

typedef struct plx_cl_functions {
#define PLX_CL_MEMBER(name) __typeof__(&cl##name) name;
    PLX_CL_FUNCTIONS(PLX_CL_MEMBER)
    PLX_CL_NATIVE_FUNCTIONS(PLX_CL_MEMBER)
#undef PLX_CL_MEMBER
} plx_cl_functions;

/* Usable after plx_cl_load() returned PLX_OK. */
extern plx_cl_functions plx_cl;

/* Of OpenCL 2.1 and of an extension; each may be NULL. */
typedef cl_program(CL_API_CALL plx_cl_create_with_il)(cl_context context, const void *text, size_t length,
                                                      cl_int *code);
typedef struct plx_cl_il {
    plx_cl_create_with_il *create;
    void *(CL_API_CALL *extension)(cl_platform_id platform, const char *name);
} plx_cl_il;
extern plx_cl_il plx_cl_of_il;

/* Opens libOpenCL.so.1, once for the process.  PLX_NO_DEVICE says what to install. */
plx_status plx_cl_load(plx_error *error);

/* Whether all of PLX_CL_NATIVE_FUNCTIONS are there. */
bool plx_cl_has_native_functions(void);

/* Whether the loader is ocl-icd; else it is taken for Khronos's. */
bool plx_cl_loader_is_ocl_icd(void);

/* "CL_OUT_OF_RESOURCES"; "error -9999" when it has no name. */
const char *plx_cl_error_name(cl_int code, char name[32]);

/* PLX_OK for CL_SUCCESS; otherwise "clX failed: CL_NAME" and the status that the
 * code amounts to. */
plx_status plx_cl_check(cl_int code, const char *function, plx_error *error);

/* Calls a function that returns its code. */
#define PLX_CL(error, name, ...) plx_cl_check(plx_cl.name(__VA_ARGS__), "cl" #name, error)

#endif
