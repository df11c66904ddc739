/* Hardware counters of one execution, through the range profiler of NVIDIA's
 * profiling library: one range around the execution, repeated until every counter
 * has had its turn.  The profiler is there only while something is counted. */
#include "config.h"

#include "backends/cuda/cuda.h"

#ifdef HAVE_CUPTI

#include "backends/cuda/cupti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- metrics --------------------------------------------------------- */

/* Where a metric of the library goes.  A chip that lacks one goes without it; those
 * of one member are added up: parts of a whole, or the names that chips have for one
 * thing. */
typedef struct metric {
    const char *name;
    size_t member; /* offset in plx_counters */
    double scale;
} metric;

#define METRIC(name, member, scale)                 \
    {                                               \
        name, offsetof(plx_counters, member), scale \
    }

/* ldgsts are the loads that go straight to shared memory (cp.async). */
static const metric metrics[] = {
    METRIC("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global_load_sectors, 1),
    METRIC("l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", global_load_sectors, 1),
    METRIC("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global_load_requests, 1),
    METRIC("l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", global_load_requests, 1),
    METRIC("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global_store_sectors, 1),
    METRIC("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", global_store_requests, 1),
    METRIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", shared_load_conflicts, 1),
    METRIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", shared_store_conflicts, 1),
    METRIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", shared_store_conflicts, 1),
    METRIC("sm__warps_active.avg.pct_of_peak_sustained_active", achieved_occupancy, 0.01),
    METRIC("dram__bytes_read.sum", dram_read_bytes, 1),
    METRIC("dram__bytes_op_read.sum", dram_read_bytes, 1),
    METRIC("dram__bytes_write.sum", dram_write_bytes, 1),
    METRIC("dram__bytes_op_write.sum", dram_write_bytes, 1),
    METRIC("gpu__time_duration.sum", duration_ns, 1),
};
enum { METRIC_COUNT = sizeof metrics / sizeof metrics[0], MOST_PASSES = 256 };

/* plx_counters holds nothing but doubles. */
static double *member_of(plx_counters *counters, size_t offset)
{
    return (double *)(void *)((char *)counters + offset);
}

static void forget_all(plx_counters *counters)
{
    for (size_t offset = 0; offset < sizeof *counters; offset += sizeof(double))
        *member_of(counters, offset) = (double)NAN;
}

static void note(plx_counters *counters, const metric *from, double value)
{
    double *member = member_of(counters, from->member);
    if (isfinite(value))
        *member = (isnan(*member) ? 0.0 : *member) + from->scale * value;
}

/* ---- a profile ------------------------------------------------------- */

typedef struct image {
    uint8_t *bytes;
    size_t size;
} image;

/* What is counted, and on what. */
typedef struct profile {
    plx_session *session;
    plx_error *error;
    const char *chip;
    image availability, config, data;
    plx_cupti_host *host;
    CUpti_RangeProfiler_Object *ranges;
    const metric *chosen[METRIC_COUNT]; /* that this chip has */
    const char *names[METRIC_COUNT];
    size_t count;
} profile;

static plx_status reserve(profile *p, image *made, size_t size)
{
    made->bytes = calloc(size > 0 ? size : 1, 1);
    if (made->bytes == NULL)
        return plx_fail(p->error, PLX_NO_MEMORY, "no host memory for counters");
    made->size = size;
    return PLX_OK;
}

static plx_status find_chip(profile *p)
{
    CUpti_Device_GetChipName_Params asked = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                             .deviceIndex = (size_t)p->session->device};
    plx_status status = PLX_CUPTI(p->error, DeviceGetChipName, &asked);
    p->chip = asked.pChipName;
    return status;
}

/* Which counters may be read here; this is where a missing permission shows first. */
static plx_status find_availability(profile *p)
{
    CUpti_Profiler_GetCounterAvailability_Params asked = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = p->session->context};
    plx_status status = PLX_CUPTI(p->error, ProfilerGetCounterAvailability, &asked);
    if (status == PLX_OK)
        status = reserve(p, &p->availability, asked.counterAvailabilityImageSize);
    if (status != PLX_OK)
        return status;
    asked.pCounterAvailabilityImage = p->availability.bytes;
    return PLX_CUPTI(p->error, ProfilerGetCounterAvailability, &asked);
}

/* ---- choosing metrics ------------------------------------------------ */

static plx_status open_host(profile *p)
{
    plx_cupti_host_open asked = {
        .size = sizeof asked, .kind = PLX_CUPTI_HOST_RANGES, .chip = p->chip, .availability = p->availability.bytes};
    plx_status status = PLX_CUPTI(p->error, ProfilerHostInitialize, &asked);
    if (status == PLX_OK)
        p->host = asked.host;
    return status;
}

static void close_host(profile *p)
{
    plx_cupti_host_close asked = {.size = sizeof asked, .host = p->host};
    if (p->host != NULL)
        (void)plx_cupti.ProfilerHostDeinitialize(&asked);
    p->host = NULL;
}

static void choose(profile *p, const metric *added)
{
    p->chosen[p->count] = added;
    p->names[p->count++] = added->name;
}

static plx_status add_chosen(profile *p)
{
    plx_cupti_host_add asked = {.size = sizeof asked, .host = p->host, .metrics = p->names, .metric_count = p->count};
    return PLX_CUPTI(p->error, ProfilerHostConfigAddMetrics, &asked);
}

static plx_status add_to_new_host(profile *p)
{
    plx_status status;
    close_host(p);
    status = open_host(p);
    return status == PLX_OK ? add_chosen(p) : status;
}

/* Tries each alone, for the library refuses them together without a word which. */
static plx_status choose_metrics(profile *p)
{
    bool known[METRIC_COUNT];
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        p->count = 0;
        choose(p, &metrics[i]);
        known[i] = add_to_new_host(p) == PLX_OK;
    }
    p->count = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (known[i])
            choose(p, &metrics[i]);
    if (p->count == 0) /* with the reason of the last one */
        return PLX_UNSUPPORTED;
    return add_to_new_host(p);
}

static plx_status make_config(profile *p)
{
    plx_cupti_host_config_size sized = {.size = sizeof sized, .host = p->host};
    plx_cupti_host_config asked = {.size = sizeof asked, .host = p->host};
    plx_status status = PLX_CUPTI(p->error, ProfilerHostGetConfigImageSize, &sized);
    if (status == PLX_OK)
        status = reserve(p, &p->config, sized.bytes);
    if (status != PLX_OK)
        return status;
    asked.bytes = p->config.size;
    asked.config = p->config.bytes;
    return PLX_CUPTI(p->error, ProfilerHostGetConfigImage, &asked);
}

/* ---- the profiler ---------------------------------------------------- */

static plx_status enable(profile *p)
{
    CUpti_RangeProfiler_Enable_Params asked = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                               .ctx = p->session->context};
    plx_status status = PLX_CUPTI(p->error, RangeProfilerEnable, &asked);
    if (status == PLX_OK)
        p->ranges = asked.pRangeProfilerObject;
    return status;
}

static void disable(profile *p)
{
    CUpti_RangeProfiler_Disable_Params asked = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                .pRangeProfilerObject = p->ranges};
    if (p->ranges != NULL)
        (void)plx_cupti.RangeProfilerDisable(&asked);
    p->ranges = NULL;
}

/* Room for the values of one range. */
static plx_status make_data(profile *p)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params sized = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = p->ranges,
        .pMetricNames = p->names,
        .numMetrics = p->count,
        .maxNumOfRanges = 1,
        .maxNumRangeTreeNodes = 1};
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params asked = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = p->ranges};
    plx_status status = PLX_CUPTI(p->error, RangeProfilerGetCounterDataSize, &sized);
    if (status == PLX_OK)
        status = reserve(p, &p->data, sized.counterDataSize);
    if (status != PLX_OK)
        return status;
    asked.counterDataSize = p->data.size;
    asked.pCounterData = p->data.bytes;
    return PLX_CUPTI(p->error, RangeProfilerCounterDataImageInitialize, &asked);
}

static plx_status configure(profile *p)
{
    CUpti_RangeProfiler_SetConfig_Params asked = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                                  .pRangeProfilerObject = p->ranges,
                                                  .configSize = p->config.size,
                                                  .pConfig = p->config.bytes,
                                                  .counterDataImageSize = p->data.size,
                                                  .pCounterDataImage = p->data.bytes,
                                                  .range = CUPTI_UserRange,
                                                  .replayMode = CUPTI_UserReplay,
                                                  .maxRangesPerPass = 1,
                                                  .numNestingLevels = 1,
                                                  .minNestingLevel = 1,
                                                  .passIndex = 0,
                                                  .targetNestingLevel = 1};
    return PLX_CUPTI(p->error, RangeProfilerSetConfig, &asked);
}

static plx_status prepare(profile *p)
{
    plx_status status = find_chip(p);
    if (status == PLX_OK)
        status = find_availability(p);
    if (status == PLX_OK)
        status = choose_metrics(p);
    if (status == PLX_OK)
        status = make_config(p);
    if (status == PLX_OK)
        status = enable(p);
    if (status == PLX_OK)
        status = make_data(p);
    return status == PLX_OK ? configure(p) : status;
}

static void clean_up(profile *p)
{
    disable(p);
    close_host(p);
    free(p->availability.bytes);
    free(p->config.bytes);
    free(p->data.bytes);
}

/* ---- counting -------------------------------------------------------- */

/* One execution, and the wait for its end. */
typedef struct execution {
    plx_cuda_execute_function *execute;
    plx_plugin_plan *plan;
    plx_plugin_queue *queue;
    const plx_operand *operands;
    size_t count;
} execution;

static plx_status run(const execution *e, plx_error *error)
{
    plx_status status = e->execute(e->plan, e->queue, e->operands, e->count, error);
    return status == PLX_OK ? plx_cuda_synchronize(e->queue, error) : status;
}

static plx_status run_in_range(profile *p, const execution *e)
{
    CUpti_RangeProfiler_PushRange_Params push = {.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                                 .pRangeProfilerObject = p->ranges,
                                                 .pRangeName = "execution"};
    CUpti_RangeProfiler_PopRange_Params pop = {.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                               .pRangeProfilerObject = p->ranges};
    plx_status status = PLX_CUPTI(p->error, RangeProfilerPushRange, &push);
    if (status == PLX_OK)
        status = run(e, p->error);
    return status == PLX_OK ? PLX_CUPTI(p->error, RangeProfilerPopRange, &pop) : status;
}

/* Counts what the hardware can count at once; *last: that was all. */
static plx_status run_pass(profile *p, const execution *e, bool *last)
{
    CUpti_RangeProfiler_Start_Params start = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = p->ranges};
    CUpti_RangeProfiler_Stop_Params stop = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = p->ranges};
    plx_status status = PLX_CUPTI(p->error, RangeProfilerStart, &start);
    if (status == PLX_OK)
        status = run_in_range(p, e);
    if (status == PLX_OK)
        status = PLX_CUPTI(p->error, RangeProfilerStop, &stop);
    *last = stop.isAllPassSubmitted != 0;
    return status;
}

static plx_status run_passes(profile *p, const execution *e)
{
    bool last = false;
    for (int pass = 0; !last; pass++) {
        plx_status status = run_pass(p, e, &last);
        if (status != PLX_OK)
            return status;
        if (pass == MOST_PASSES)
            return plx_fail(p->error, PLX_FAILED, "the profiler asks for one more pass after %d", pass);
    }
    return PLX_OK;
}

static plx_status evaluate(profile *p, plx_counters *counters)
{
    double values[METRIC_COUNT] = {0};
    CUpti_RangeProfiler_DecodeData_Params decode = {.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
                                                    .pRangeProfilerObject = p->ranges};
    plx_cupti_host_evaluate asked = {.size = sizeof asked,
                                     .host = p->host,
                                     .data = p->data.bytes,
                                     .bytes = p->data.size,
                                     .range = 0,
                                     .metrics = p->names,
                                     .metric_count = p->count,
                                     .values = values};
    plx_status status = PLX_CUPTI(p->error, RangeProfilerDecodeData, &decode);
    if (status == PLX_OK && decode.numOfRangeDropped > 0)
        return plx_fail(p->error, PLX_FAILED, "the profiler dropped what it counted");
    if (status == PLX_OK)
        status = PLX_CUPTI(p->error, ProfilerHostEvaluateToGpuValues, &asked);
    if (status != PLX_OK)
        return status;
    forget_all(counters);
    for (size_t i = 0; i < p->count; i++)
        note(counters, p->chosen[i], values[i]);
    return PLX_OK;
}

static plx_status count_with_profiler(profile *p, const execution *e, plx_counters *counters)
{
    CUpti_Profiler_Initialize_Params begin = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Profiler_DeInitialize_Params end = {.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE};
    plx_status status = PLX_CUPTI(p->error, ProfilerInitialize, &begin);
    if (status != PLX_OK)
        return status;
    status = prepare(p);
    if (status == PLX_OK)
        status = run_passes(p, e);
    if (status == PLX_OK)
        status = evaluate(p, counters);
    clean_up(p);
    (void)plx_cupti.ProfilerDeInitialize(&end);
    return status;
}

/* The device has one set of counters, and the library one profiler. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static plx_status count_alone(const execution *e, plx_counters *counters, plx_error *error)
{
    profile p = {.session = e->queue->session, .error = error};
    (void)pthread_mutex_lock(&lock);
    const plx_status status = count_with_profiler(&p, e, counters);
    (void)pthread_mutex_unlock(&lock);
    return status;
}

plx_status plx_cuda_count(plx_cuda_execute_function *execute, plx_plugin_plan *plan, plx_plugin_queue *queue,
                          const plx_operand *operands, size_t count, plx_counters *counters, plx_error *error)
{
    const execution e = {execute, plan, queue, operands, count};
    plx_cuda_thread thread;
    plx_status status = plx_cupti_load(error);
    if (status != PLX_OK)
        return status;
    status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = run(&e, error); /* so that scratch memory is there, and the code is loaded */
    if (status == PLX_OK)
        status = count_alone(&e, counters, error);
    plx_cuda_leave(&thread);
    return status;
}

#else /* !HAVE_CUPTI */

plx_status plx_cuda_count(plx_cuda_execute_function *execute, plx_plugin_plan *plan, plx_plugin_queue *queue,
                          const plx_operand *operands, size_t count, plx_counters *counters, plx_error *error)
{
    (void)execute;
    (void)plan;
    (void)queue;
    (void)operands;
    (void)count;
    (void)counters;
    return plx_fail(error, PLX_UNSUPPORTED,
                    "this build has no hardware counters; configure with the CUDA toolkit's CUPTI headers");
}

#endif
