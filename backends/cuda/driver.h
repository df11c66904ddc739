/* The functions of NVIDIA's driver that this backend uses, found at run time, so
 * that a program starts on a machine without the driver and can say so. */
#ifndef PLX_BACKENDS_CUDA_DRIVER_H
#define PLX_BACKENDS_CUDA_DRIVER_H

#include <cuda.h>
#include <parallax/plugin.h>

/* X(name, symbol, spare, parameters): the driver is asked for `symbol`, then for
 * `spare`.  The symbols carry their version, because cuda.h's #defines name what
 * its own driver has, and the driver may be older than the header.  `symbol` and
 * `spare` take the same parameters. */
#define PLX_CUDA_FUNCTIONS(X)                                                                                          \
    X(Init, "cuInit", NULL, (unsigned int))                                                                            \
    X(DriverGetVersion, "cuDriverGetVersion", NULL, (int *))                                                           \
    X(GetErrorName, "cuGetErrorName", NULL, (CUresult, const char **))                                                 \
    X(GetErrorString, "cuGetErrorString", NULL, (CUresult, const char **))                                             \
    X(DeviceGetCount, "cuDeviceGetCount", NULL, (int *))                                                               \
    X(DeviceGet, "cuDeviceGet", NULL, (CUdevice *, int))                                                               \
    X(DeviceGetName, "cuDeviceGetName", NULL, (char *, int, CUdevice))                                                 \
    X(DeviceGetUuid, "cuDeviceGetUuid_v2", "cuDeviceGetUuid", (CUuuid *, CUdevice))                                    \
    X(DeviceTotalMem, "cuDeviceTotalMem_v2", NULL, (size_t *, CUdevice))                                               \
    X(DeviceGetAttribute, "cuDeviceGetAttribute", NULL, (int *, CUdevice_attribute, CUdevice))                         \
    X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", NULL, (CUcontext *, CUdevice))                               \
    X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", (CUdevice))                \
    X(CtxGetCurrent, "cuCtxGetCurrent", NULL, (CUcontext *))                                                           \
    X(CtxSetCurrent, "cuCtxSetCurrent", NULL, (CUcontext))                                                             \
    X(CtxGetDevice, "cuCtxGetDevice", NULL, (CUdevice *))                                                              \
    X(PointerGetAttributes, "cuPointerGetAttributes", NULL,                                                            \
      (unsigned int, CUpointer_attribute *, void **, CUdeviceptr))                                                     \
    X(MemHostAlloc, "cuMemHostAlloc", NULL, (void **, size_t, unsigned int))                                           \
    X(MemFreeHost, "cuMemFreeHost", NULL, (void *))                                                                    \
    X(MemAlloc, "cuMemAlloc_v2", NULL, (CUdeviceptr *, size_t))                                                        \
    X(MemFree, "cuMemFree_v2", NULL, (CUdeviceptr))                                                                    \
    X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", NULL, (CUdeviceptr, const void *, size_t, CUstream))                    \
    X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", NULL, (void *, CUdeviceptr, size_t, CUstream))                          \
    X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", NULL, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                     \
    X(MemsetD32Async, "cuMemsetD32Async", NULL, (CUdeviceptr, unsigned int, size_t, CUstream))                         \
    X(StreamCreate, "cuStreamCreate", NULL, (CUstream *, unsigned int))                                                \
    X(StreamDestroy, "cuStreamDestroy_v2", NULL, (CUstream))                                                           \
    X(StreamSynchronize, "cuStreamSynchronize", NULL, (CUstream))                                                      \
    X(StreamGetCtx, "cuStreamGetCtx", NULL, (CUstream, CUcontext *))                                                   \
    X(StreamIsCapturing, "cuStreamIsCapturing", NULL, (CUstream, CUstreamCaptureStatus *))                             \
    X(StreamWaitEvent, "cuStreamWaitEvent", NULL, (CUstream, CUevent, unsigned int))                                   \
    X(EventCreate, "cuEventCreate", NULL, (CUevent *, unsigned int))                                                   \
    X(EventDestroy, "cuEventDestroy_v2", NULL, (CUevent))                                                              \
    X(EventRecord, "cuEventRecord", NULL, (CUevent, CUstream))                                                         \
    X(EventSynchronize, "cuEventSynchronize", NULL, (CUevent))                                                         \
    X(EventQuery, "cuEventQuery", NULL, (CUevent))                                                                     \
    X(EventElapsedTime, "cuEventElapsedTime", "cuEventElapsedTime_v2", (float *, CUevent, CUevent))                    \
    X(ModuleLoadData, "cuModuleLoadData", NULL, (CUmodule *, const void *))                                            \
    X(ModuleLoadDataEx, "cuModuleLoadDataEx", NULL, (CUmodule *, const void *, unsigned int, CUjit_option *, void **)) \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", NULL,                  \
      (int *, CUfunction, int, size_t))                                                                                \
    X(ModuleUnload, "cuModuleUnload", NULL, (CUmodule))                                                                \
    X(ModuleGetFunction, "cuModuleGetFunction", NULL, (CUfunction *, CUmodule, const char *))                          \
    X(FuncGetAttribute, "cuFuncGetAttribute", NULL, (int *, CUfunction_attribute, CUfunction))                         \
    X(FuncSetAttribute, "cuFuncSetAttribute", NULL, (CUfunction, CUfunction_attribute, int))                           \
    X(LaunchKernel, "cuLaunchKernel", NULL,                                                                            \
      (CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,   \
       CUstream, void **, void **))

/* What drivers from CUDA 11.8 on have as well, and those from CUDA 12.0 on; NULL where there
 * is none. */
#if CUDA_VERSION >= 11080
#define PLX_CUDA_LAUNCH_FUNCTIONS(X)                                                                    \
    X(LaunchKernelEx, "cuLaunchKernelEx", NULL, (const CUlaunchConfig *, CUfunction, void **, void **)) \
    X(OccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", NULL, (int *, CUfunction, const CUlaunchConfig *))
#else
#define PLX_CUDA_LAUNCH_FUNCTIONS(X)
#endif
#if CUDA_VERSION >= 12000
#define PLX_CUDA_MAP_FUNCTIONS(X)                                                                                 \
    X(TensorMapEncodeTiled, "cuTensorMapEncodeTiled", NULL,                                                       \
      (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,            \
       const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, \
       CUtensorMapFloatOOBfill))                                                                                  \
    X(TensorMapReplaceAddress, "cuTensorMapReplaceAddress", NULL, (CUtensorMap *, void *))
#else
#define PLX_CUDA_MAP_FUNCTIONS(X)
#endif
/* Of graphs, from CUDA 10.1 on. */
#define PLX_CUDA_CAPTURE_FUNCTIONS(X) \
    X(ThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", NULL, (CUstreamCaptureMode *))
/* Between devices. */
#define PLX_CUDA_PEER_FUNCTIONS(X)                                                     \
    X(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", NULL, (int *, CUdevice, CUdevice)) \
    X(CtxEnablePeerAccess, "cuCtxEnablePeerAccess", NULL, (CUcontext, unsigned int))   \
    X(MemcpyPeerAsync, "cuMemcpyPeerAsync", NULL, (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream))
/* Between processes. */
#define PLX_CUDA_PROCESS_FUNCTIONS(X) X(IpcGetMemHandle, "cuIpcGetMemHandle", NULL, (CUipcMemHandle *, CUdeviceptr))
/* From CUDA 12.4 on. */
#define PLX_CUDA_PARAMETER_FUNCTIONS(X) \
    X(FuncGetParamInfo, "cuFuncGetParamInfo", NULL, (CUfunction, size_t, size_t *, size_t *))
#define PLX_CUDA_NEWER_FUNCTIONS(X) \
    PLX_CUDA_PROCESS_FUNCTIONS(X)   \
    PLX_CUDA_PARAMETER_FUNCTIONS(X) \
    PLX_CUDA_PEER_FUNCTIONS(X) PLX_CUDA_LAUNCH_FUNCTIONS(X) PLX_CUDA_MAP_FUNCTIONS(X) PLX_CUDA_CAPTURE_FUNCTIONS(X)

typedef struct plx_cuda_driver {
#define PLX_CUDA_MEMBER(name, symbol, spare, parameters) CUresult(CUDAAPI *name) parameters;
    PLX_CUDA_FUNCTIONS(PLX_CUDA_MEMBER)
    PLX_CUDA_NEWER_FUNCTIONS(PLX_CUDA_MEMBER)
#undef PLX_CUDA_MEMBER
} plx_cuda_driver;

/* Complete after plx_cuda_driver_load() has returned PLX_OK. */
extern plx_cuda_driver plx_cuda;

/* Opens the driver's library, once per process, finds every function (the newer ones
 * may be missing) and initialises the driver.  PLX_NO_DEVICE with the reason and its remedy. */
plx_status plx_cuda_driver_load(plx_error *error);

/* The library that a variable names in place of the usual one, for tests and unusual installations; NULL: none, or this
 * process has raised privileges. */
const char *plx_cuda_named_library(const char *variable);

/* "cuMemAlloc failed: CUDA_ERROR_X (text)"; returns the status that fits the result. */
plx_status plx_cuda_tell(plx_error *error, CUresult result, const char *function);

/* The same, and marks the session as lost after a sticky error (session.c).  `session` may be NULL where there is none
 * yet. */
plx_status plx_cuda_explain(plx_session *session, plx_error *error, CUresult result, const char *function);

/* Calls cu<name>(...) and turns its result into our status. */
#define PLX_CUDA(session, error, name, ...) plx_cuda_check(session, error, plx_cuda.name(__VA_ARGS__), "cu" #name)

static inline plx_status plx_cuda_check(plx_session *session, plx_error *error, CUresult result, const char *function)
{
    return result == CUDA_SUCCESS ? PLX_OK : plx_cuda_explain(session, error, result, function);
}

#endif
