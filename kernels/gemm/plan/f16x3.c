/* f16x3 and bf16x6: products of planes of 16 bits have no model; their tiles follow from how many waves there are. */
#include "../launch/tensor.h"
#include "family.h"

static plx_status check(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    const plx_status status =
        plx_gemm_is_opencl(device) ? plx_not_by_pocl(device, 5, 5, error) : plx_needs_sm_90a(device, error);
    if (status != PLX_OK)
        return status;
    if (problem->dtype != PLX_F32 || (problem->compute != PLX_COMPUTE_F16X3 && problem->compute != PLX_COMPUTE_BF16X6))
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f32 as planes of 16 bits alone");
    return PLX_OK;
}

static void each(plx_gemm_search *search)
{
    const plx_schedule schedule = {.kernel = search->kernel,
                                   .tile = plx_f16x3_is_flat(search->problem, search->device)};
    search->visit(search, &schedule);
}

/* Bulk stores write whole units of 16 bytes. */
static void paths(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    (void)device;
    schedule->paths[0] = schedule->paths[1] = PLX_PATH_PACKED;
    schedule->paths[2] = !unaligned && p->ldc % 4 == 0 && p->n % 4 == 0 ? PLX_PATH_TMA : PLX_PATH_LOADS;
}

const plx_gemm_family plx_f16x3_family = {.check = check, .each = each, .none = "", .paths = paths};
