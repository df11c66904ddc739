/* A fake libcupti.so, so that what is counted, in which order of calls, and what
 * is said when it can't be, can be tested without a device. */
#include "backends/cuda/cupti.h"
#include "fake_cupti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { IMAGE_BYTES = 40, SUBMITTED = 0x5a };

static fake_cupti_state state = {.passes = 1};
static char the_profiler;

EXPORT fake_cupti_control_function fake_cupti_control;
fake_cupti_state *fake_cupti_control(void)
{
    return &state;
}

static CUptiResult enter(const char *function)
{
    if (state.failing_function == NULL || strcmp(state.failing_function, function) != 0)
        return CUPTI_SUCCESS;
    state.failing_function = NULL;
    return (CUptiResult)state.failing_result;
}

/* The library looks at the size of what it gets before all else. */
#define ENTER(function, condition)                \
    do {                                          \
        CUptiResult entered = enter(function);    \
        if (entered != CUPTI_SUCCESS)             \
            return entered;                       \
        if (!(condition))                         \
            return CUPTI_ERROR_INVALID_OPERATION; \
    } while (0)

#define SIZED(type) (asked->structSize == type##_STRUCT_SIZE && asked->pPriv == NULL)
#define OF_PROFILER (asked->pRangeProfilerObject == (void *)&the_profiler && state.enabled == 1)

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    (void)result;
    *text = "PRETENDED_ERROR";
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *asked)
{
    ENTER("cuptiDeviceGetChipName", SIZED(CUpti_Device_GetChipName_Params) && asked->deviceIndex == 0);
    asked->pChipName = "PRETENDED100";
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *asked)
{
    ENTER("cuptiProfilerInitialize", SIZED(CUpti_Profiler_Initialize_Params));
    state.initialised++;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *asked)
{
    ENTER("cuptiProfilerDeInitialize", SIZED(CUpti_Profiler_DeInitialize_Params) && state.initialised > 0);
    state.initialised--;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *asked)
{
    ENTER("cuptiProfilerGetCounterAvailability",
          SIZED(CUpti_Profiler_GetCounterAvailability_Params) && asked->ctx != NULL);
    if (asked->pCounterAvailabilityImage != NULL)
        memset(asked->pCounterAvailabilityImage, 1, asked->counterAvailabilityImageSize);
    asked->counterAvailabilityImageSize = IMAGE_BYTES;
    return CUPTI_SUCCESS;
}

/* ---- who is told of modules ---------------------------------------------- */

static CUpti_CallbackFunc told;
static int the_subscriber;

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *data)
{
    ENTER("cuptiSubscribe", data == NULL);
    if (told != NULL)
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    told = callback;
    state.subscribers++;
    *subscriber = (CUpti_SubscriberHandle)(void *)&the_subscriber;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId which)
{
    ENTER("cuptiEnableCallback", subscriber == (void *)&the_subscriber && domain == CUPTI_CB_DOMAIN_RESOURCE &&
                                     which == CUPTI_CBID_RESOURCE_MODULE_LOADED);
    state.callbacks += enable;
    return CUPTI_SUCCESS;
}

EXPORT fake_cupti_module_loaded_function fake_cupti_module_loaded;
void fake_cupti_module_loaded(const void *code, size_t length)
{
    CUpti_ModuleResourceData module = {.moduleId = 1, .cubinSize = length, .pCubin = code};
    CUpti_ResourceData resource = {.resourceDescriptor = &module};
    if (told != NULL && state.callbacks > 0)
        told(NULL, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
}

/* ---- the host side ----------------------------------------------------- */

/* A value for each metric: its place here, from 1 on, times 1000. */
static const char *const known[] = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
};

static double value_of(const char *metric)
{
    if (state.unknown != NULL && strcmp(state.unknown, metric) == 0)
        return (double)NAN;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], metric) == 0)
            return 1000.0 * (double)(i + 1);
    return (double)NAN;
}

struct plx_cupti_host {
    size_t metrics;
};

#define DECLARE(name, parameters) EXPORT CUptiResult cupti##name(parameters *asked);
PLX_CUPTI_HOST_FUNCTIONS(DECLARE)

CUptiResult cuptiProfilerHostInitialize(plx_cupti_host_open *asked)
{
    ENTER("cuptiProfilerHostInitialize", asked->size == sizeof *asked && asked->kind == 0 &&
                                             strcmp(asked->chip, "PRETENDED100") == 0 && asked->availability != NULL &&
                                             asked->availability[0] == 1);
    asked->host = calloc(1, sizeof *asked->host);
    if (asked->host == NULL)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    state.hosts++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(plx_cupti_host_close *asked)
{
    ENTER("cuptiProfilerHostDeinitialize", asked->size == sizeof *asked && asked->host != NULL);
    free(asked->host);
    state.hosts--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(plx_cupti_host_add *asked)
{
    ENTER("cuptiProfilerHostConfigAddMetrics", asked->size == sizeof *asked && asked->metric_count > 0);
    for (size_t i = 0; i < asked->metric_count; i++)
        if (isnan(value_of(asked->metrics[i])))
            return CUPTI_ERROR_INVALID_PARAMETER;
    asked->host->metrics += asked->metric_count;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(plx_cupti_host_config_size *asked)
{
    ENTER("cuptiProfilerHostGetConfigImageSize", asked->size == sizeof *asked && asked->host->metrics > 0);
    asked->bytes = IMAGE_BYTES;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(plx_cupti_host_config *asked)
{
    ENTER("cuptiProfilerHostGetConfigImage", asked->size == sizeof *asked && asked->bytes == IMAGE_BYTES);
    memset(asked->config, 2, asked->bytes);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(plx_cupti_host_evaluate *asked)
{
    ENTER("cuptiProfilerHostEvaluateToGpuValues", asked->size == sizeof *asked && asked->range == 0 &&
                                                      asked->bytes == IMAGE_BYTES && asked->data[0] == SUBMITTED &&
                                                      asked->metric_count == asked->host->metrics);
    for (size_t i = 0; i < asked->metric_count; i++)
        asked->values[i] = value_of(asked->metrics[i]);
    return CUPTI_SUCCESS;
}

/* ---- the range profiler ------------------------------------------------ */

static uint8_t *data_image;

EXPORT CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *asked)
{
    ENTER("cuptiRangeProfilerEnable", SIZED(CUpti_RangeProfiler_Enable_Params) && asked->ctx != NULL &&
                                          state.initialised == 1 && state.enabled == 0);
    asked->pRangeProfilerObject = (void *)&the_profiler;
    state.enabled = 1;
    state.submitted = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *asked)
{
    ENTER("cuptiRangeProfilerDisable", SIZED(CUpti_RangeProfiler_Disable_Params) && OF_PROFILER);
    state.enabled = state.started = state.pushed = 0;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *asked)
{
    ENTER("cuptiRangeProfilerGetCounterDataSize", SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params) && OF_PROFILER &&
                                                      asked->numMetrics > 0 &&
                                                      asked->maxNumRangeTreeNodes >= asked->maxNumOfRanges);
    asked->counterDataSize = IMAGE_BYTES;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *asked)
{
    ENTER("cuptiRangeProfilerCounterDataImageInitialize",
          SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params) && OF_PROFILER &&
              asked->counterDataSize == IMAGE_BYTES);
    memset(asked->pCounterData, 3, IMAGE_BYTES);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *asked)
{
    ENTER("cuptiRangeProfilerSetConfig",
          SIZED(CUpti_RangeProfiler_SetConfig_Params) && OF_PROFILER && asked->range == CUPTI_UserRange &&
              asked->replayMode == CUPTI_UserReplay && asked->pConfig[0] == 2 && asked->configSize == IMAGE_BYTES &&
              asked->pCounterDataImage[0] == 3 && asked->counterDataImageSize == IMAGE_BYTES &&
              asked->maxRangesPerPass == 1 && asked->numNestingLevels == 1 && asked->minNestingLevel == 1);
    data_image = asked->pCounterDataImage;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *asked)
{
    ENTER("cuptiRangeProfilerStart", SIZED(CUpti_RangeProfiler_Start_Params) && OF_PROFILER && state.started == 0);
    state.started = 1;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *asked)
{
    ENTER("cuptiRangeProfilerPushRange", SIZED(CUpti_RangeProfiler_PushRange_Params) && OF_PROFILER &&
                                             state.started == 1 && asked->pRangeName != NULL);
    state.pushed++;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *asked)
{
    ENTER("cuptiRangeProfilerPopRange", SIZED(CUpti_RangeProfiler_PopRange_Params) && OF_PROFILER && state.pushed == 1);
    state.pushed = 0;
    state.pops++;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *asked)
{
    ENTER("cuptiRangeProfilerStop",
          SIZED(CUpti_RangeProfiler_Stop_Params) && OF_PROFILER && state.started == 1 && state.pushed == 0);
    state.started = 0;
    state.submitted++;
    asked->isAllPassSubmitted = state.submitted >= state.passes;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *asked)
{
    ENTER("cuptiRangeProfilerDecodeData", SIZED(CUpti_RangeProfiler_DecodeData_Params) && OF_PROFILER &&
                                              state.started == 0 && state.submitted >= state.passes);
    data_image[0] = SUBMITTED;
    return CUPTI_SUCCESS;
}
