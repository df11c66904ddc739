/* Operands that begin at no multiple of 16 bytes, of the kernels whose operands the copy engine loads. */
#include "plan.h"
#include "simt.h"

#include <math.h>

static void each_bulk(plx_gemm_search *search)
{
    const plx_schedule schedule = {.kernel = PLX_GEMM_BULK_PIPELINE, .split_k = 1, .cluster_k = 1};
    search->visit(search, &schedule);
}

const plx_gemm_family plx_gemm_bulk_pipeline_family = {
    .check = plx_gemm_check_f32, .each = each_bulk, .none = "", .paths = plx_gemm_paths_by_maps};

static double cost_of(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    if (tiling.waves > 0)
        return plx_gemm_stream_cost(problem, device, &tiling);
    tiling.tile = &plx_gemm_split_k_tile[schedule->tile]; /* bulk-pipeline's is the first of split-k's */
    return plx_gemm_split_k_cost(problem, device, &tiling);
}

/* async-copy or many-blocks takes them as they lie where that is faster than to copy both first.  Not where a
 * configuration was asked for. */
plx_status plx_gemm_maps_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                   plx_error *error)
{
    static const uint32_t others[] = {PLX_GEMM_ASYNC_COPY, PLX_GEMM_MANY_BLOCKS};
    plx_problem anywhere = *problem; /* for the models: as where rows step by no multiple */
    (void)error;
    anywhere.of.gemm.lda |= 1;
    anywhere.of.gemm.ldb |= 1;
    anywhere.of.gemm.ldc |= 1; /* a part of a larger matrix often has a result that is one, too */
    plx_gemm_paths_by_maps(problem, device, true, schedule);
    if (plx_gemm_is_opencl(device) || problem->config != 0 || !plx_gemm_has_work(problem))
        return PLX_OK;
    double us = cost_of(&anywhere, device, schedule);
    for (size_t i = 0; i < 2; i++) {
        plx_schedule other;
        if (!plx_gemm_find(others[i], &anywhere, device, us, &other) || other.us >= us)
            continue;
        plx_gemm_paths_by_threads(problem, device, true, &other);
        us = other.us;
        *schedule = other;
    }
    return PLX_OK;
}
