/* The functions of NVIDIA's profiling library that the counters, and who looks at machine code, need, found at run
 * time.  The library comes with the CUDA toolkit, not with the driver. */
#ifndef PLX_BACKENDS_CUDA_CUPTI_H
#define PLX_BACKENDS_CUDA_CUPTI_H

#include <cupti_callbacks.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <parallax/plugin.h>

/* The library's host side, by which metrics are chosen and computed.  Its own header
 * is for C++ alone, so what is used of it is declared here: the layout and the order
 * of the members are the library's, and size is that of the whole struct. */
typedef struct plx_cupti_host plx_cupti_host;

enum { PLX_CUPTI_HOST_RANGES = 0 }; /* the kind of profiler */

typedef struct plx_cupti_host_open {
    size_t size;
    void *reserved;
    int kind;
    const char *chip;
    const uint8_t *availability; /* NULL: every counter of the chip */
    plx_cupti_host *host;        /* out */
} plx_cupti_host_open;

typedef struct plx_cupti_host_close {
    size_t size;
    void *reserved;
    plx_cupti_host *host;
} plx_cupti_host_close;

typedef struct plx_cupti_host_add {
    size_t size;
    void *reserved;
    plx_cupti_host *host;
    const char **metrics;
    size_t metric_count;
} plx_cupti_host_add;

typedef struct plx_cupti_host_config_size {
    size_t size;
    void *reserved;
    plx_cupti_host *host;
    size_t bytes; /* out */
} plx_cupti_host_config_size;

typedef struct plx_cupti_host_config {
    size_t size;
    void *reserved;
    plx_cupti_host *host;
    size_t bytes;
    uint8_t *config;
} plx_cupti_host_config;

typedef struct plx_cupti_host_evaluate {
    size_t size;
    void *reserved;
    plx_cupti_host *host;
    const uint8_t *data;
    size_t bytes;
    size_t range;
    const char **metrics;
    size_t metric_count;
    double *values; /* out */
} plx_cupti_host_evaluate;

/* X(name, parameters): cupti<name> takes a pointer to that struct. */
#define PLX_CUPTI_FUNCTIONS(X)                                                                         \
    X(DeviceGetChipName, CUpti_Device_GetChipName_Params)                                              \
    X(ProfilerInitialize, CUpti_Profiler_Initialize_Params)                                            \
    X(ProfilerDeInitialize, CUpti_Profiler_DeInitialize_Params)                                        \
    X(ProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params)                    \
    X(RangeProfilerEnable, CUpti_RangeProfiler_Enable_Params)                                          \
    X(RangeProfilerDisable, CUpti_RangeProfiler_Disable_Params)                                        \
    X(RangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params)                  \
    X(RangeProfilerCounterDataImageInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params) \
    X(RangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params)                                    \
    X(RangeProfilerStart, CUpti_RangeProfiler_Start_Params)                                            \
    X(RangeProfilerStop, CUpti_RangeProfiler_Stop_Params)                                              \
    X(RangeProfilerPushRange, CUpti_RangeProfiler_PushRange_Params)                                    \
    X(RangeProfilerPopRange, CUpti_RangeProfiler_PopRange_Params)                                      \
    X(RangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params)

#define PLX_CUPTI_HOST_FUNCTIONS(X)                               \
    X(ProfilerHostInitialize, plx_cupti_host_open)                \
    X(ProfilerHostDeinitialize, plx_cupti_host_close)             \
    X(ProfilerHostConfigAddMetrics, plx_cupti_host_add)           \
    X(ProfilerHostGetConfigImageSize, plx_cupti_host_config_size) \
    X(ProfilerHostGetConfigImage, plx_cupti_host_config)          \
    X(ProfilerHostEvaluateToGpuValues, plx_cupti_host_evaluate)

typedef struct plx_cupti_library {
#define PLX_CUPTI_MEMBER(name, parameters) CUptiResult(CUPTIAPI *name)(parameters *);
    PLX_CUPTI_FUNCTIONS(PLX_CUPTI_MEMBER)
    PLX_CUPTI_HOST_FUNCTIONS(PLX_CUPTI_MEMBER)
#undef PLX_CUPTI_MEMBER
    CUptiResult(CUPTIAPI *GetResultString)(CUptiResult, const char **);
    CUptiResult(CUPTIAPI *Subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    CUptiResult(CUPTIAPI *EnableCallback)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId);
} plx_cupti_library;

/* Complete after plx_cupti_load() has returned PLX_OK. */
extern plx_cupti_library plx_cupti;

/* Opens the library, once per process, and finds every function.  PLX_UNSUPPORTED
 * with the reason and its remedy. */
plx_status plx_cupti_load(plx_error *error);

/* What the result means, with a remedy where one is known. */
plx_status plx_cupti_explain(plx_error *error, CUptiResult result, const char *function);

/* Calls cupti<name>(parameters) and turns its result into our status. */
#define PLX_CUPTI(error, name, parameters) plx_cupti_check(error, plx_cupti.name(parameters), "cupti" #name)

static inline plx_status plx_cupti_check(plx_error *error, CUptiResult result, const char *function)
{
    return result == CUPTI_SUCCESS ? PLX_OK : plx_cupti_explain(error, result, function);
}

#endif
