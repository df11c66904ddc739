/* Which kernel takes products of 16-bit elements, and those in f32 that name a compute type: the first
 * of a table that suits, and that the device can run. */
#include "choose.h"

static const plx_preference preferences[] = {
    {PLX_ON_ANY, NULL, PLX_GEMM_TILE_1D},
    {PLX_ON_ANY, NULL, PLX_GEMM_SMEM_BLOCK},
    {PLX_ON_ANY, NULL, PLX_GEMM_NAIVE},
};

size_t plx_gemm_choose_units(const plx_problem *problem, const plx_device_info *device)
{
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], plx_gemm_ladder.rows, problem,
                      device);
}
