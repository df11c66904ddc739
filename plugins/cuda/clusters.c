/* How many clusters a device runs at once.  A cluster lies within a group of multiprocessors, and which of them work
 * differs from chip to chip; the driver tells of a function, here of the smallest. */
#include "plugins/cuda/clusters.h"

#include "backends/cuda/cuda.h"
#include "plugins/cuda/code.h"

#include <string.h>

#if CUDA_VERSION >= 11080
enum { THREADS = 384, SIZES = 2 };

static uint32_t clusters_of(CUfunction function, unsigned blocks, uint64_t shared_bytes)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {blocks, 1, 1}};
    const CUlaunchConfig config = {.gridDimX = blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = THREADS,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = (unsigned)shared_bytes,
                                   .attrs = &cluster,
                                   .numAttrs = 1};
    int count = 0;
    const CUresult result = plx_cuda.OccupancyMaxActiveClusters(&count, function, &config);
    return result == CUDA_SUCCESS && count > 0 ? (uint32_t)count : 0;
}

/* Of blocks with all the shared memory that one may have.  What can't be found out stays 0. */
static void count_in(plx_session *session, CUmodule module)
{
    static const char entry[] = "probe_launch_i32";
    const uint64_t shared_bytes = session->info.max_shared_bytes;
    CUfunction function;
    plx_error ignored;
    if (plx_cuda.ModuleGetFunction(&function, module, entry) != CUDA_SUCCESS ||
        plx_cuda_function_prepare(session, function, entry, THREADS, shared_bytes, &ignored) != PLX_OK)
        return;
    for (unsigned i = 0; i < SIZES; i++)
        session->info.clusters[i] = clusters_of(function, 4U << i, shared_bytes);
}

/* The program is not kept: it is small, and seldom wanted again. */
static void know_clusters(plx_session *session)
{
    const plx_image *image = plx_image_find(plx_cuda_images, "probe/launch");
    plx_cuda_thread thread;
    plx_error ignored;
    CUmodule module;
    if (session->info.compute_major < 9 || plx_cuda.OccupancyMaxActiveClusters == NULL ||
        plx_cuda_enter_relaxed(session, &thread, &ignored) != PLX_OK)
        return;
    if (plx_cuda.ModuleLoadData(&module, image->bytes) == CUDA_SUCCESS) {
        count_in(session, module);
        (void)plx_cuda.ModuleUnload(module);
    }
    plx_cuda_put_back(&thread);
}
#else
static void know_clusters(plx_session *session)
{
    (void)session;
}
#endif

plx_status plx_cuda_open_counted(size_t device, plx_session **session, plx_error *error)
{
    const plx_status status = plx_cuda_open(device, session, error);
    if (status == PLX_OK)
        know_clusters(*session);
    return status;
}

plx_status plx_cuda_open_on_counted(const plx_native_device *native, size_t *device, plx_session **session,
                                    plx_error *error)
{
    const plx_status status = plx_cuda_open_on(native, device, session, error);
    if (status == PLX_OK)
        know_clusters(*session);
    return status;
}

void plx_cuda_opened(plx_session *session, plx_device_info *info)
{
    memcpy(info->clusters, session->info.clusters, sizeof info->clusters);
}
