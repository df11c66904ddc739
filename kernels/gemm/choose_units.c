/* Which kernel takes products of 16-bit elements, and those in f32 that name a compute type: of 16 bits on
 * compute capability 9.0, of those that can be had, the one whose modelled time is the least; else the first
 * of a table that suits, and that the device can run. */
#include "choose.h"
#include "direct.h"
#include "elected.h"
#include "f32_for_tf32.h"
#include "kernels/operation.h"
#include "mapless.h"
#include "narrow.h"
#include "vector.h"
#include "wgmma.h"

#include <math.h>

/* ---- the least time -------------------------------------------------------------------- */

static double pipelined_us(const plx_problem *problem, const plx_device_info *device)
{
    return plx_wgmma_us(PLX_WGMMA_PIPELINED, problem, device);
}

static double cluster_us(const plx_problem *problem, const plx_device_info *device)
{
    return plx_wgmma_us(PLX_WGMMA_CLUSTER, problem, device);
}

/* Elements of the matrix from which on vectors are moved: smaller products are done before they are. */
enum { WORTH_MOVES = 1 << 19 };

/* Infinite where C is neither a row nor a column, or moving its vectors isn't worth while. */
static double vector_us(const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m != 1 && p->n != 1)
        return INFINITY;
    if (plx_gemm_matvec_moves(problem) > 0 && (double)p->m * (double)p->n * (double)p->k < WORTH_MOVES)
        return INFINITY;
    return plx_gemm_matvec_cost(problem, device);
}

static const struct {
    size_t row;
    double (*us)(const plx_problem *problem, const plx_device_info *device);
} modelled[] = {
    {PLX_GEMM_MATVEC, vector_us},
    {PLX_GEMM_WGMMA_PIPELINED, pipelined_us},
    {PLX_GEMM_WGMMA_CLUSTER, cluster_us},
    {PLX_GEMM_WGMMA_ELECTED, plx_elected_us},
    {PLX_GEMM_MMA_DIRECT, plx_gemm_direct_us},
    {PLX_GEMM_WGMMA_NARROW, plx_gemm_narrow_us},
};

static bool has_models(const plx_problem *problem, const plx_device_info *device)
{
    return plx_is_half(problem->dtype) && problem->compute == PLX_COMPUTE_PLAIN && device->compute_major == 9 &&
           device->compute_minor == 0;
}

static bool can_be_had(size_t place, const plx_problem *problem, const plx_device_info *device)
{
    const plx_row *row = &plx_gemm_ladder.rows[place];
    plx_recipe recipe;
    plx_error ignored;
    return plx_recipe_write(row, row->recipe, problem, device, &recipe, &ignored) == PLX_OK;
}

/* False where none can be had. */
static bool find_least(const plx_problem *problem, const plx_device_info *device, size_t *place)
{
    double least = INFINITY;
    for (size_t i = 0; i < sizeof modelled / sizeof modelled[0]; i++) {
        const double us = modelled[i].us(problem, device);
        if (us < least && can_be_had(modelled[i].row, problem, device)) {
            least = us;
            *place = modelled[i].row;
        }
    }
    return least < INFINITY;
}

/* ---- the table ------------------------------------------------------------------------- */

static bool splits_in_two(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_F16X3;
}

/* Of the devices that have no models. */
static bool vector_pays(const plx_problem *problem, const plx_device_info *device)
{
    return problem->compute == PLX_COMPUTE_PLAIN && vector_us(problem, device) < plx_gemm_direct_us(problem, device);
}

static bool splits_in_three(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_BF16X6;
}

static bool is_tf32(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->compute == PLX_COMPUTE_TF32;
}

static const plx_preference preferences[] = {
    {PLX_ON_CUDA_9 | PLX_ON_NVIDIA_OPENCL, plx_f32_for_tf32_pays, PLX_GEMM_F32_FOR_TF32},
    {PLX_ON_CUDA_9 | PLX_ON_NVIDIA_OPENCL, is_tf32, PLX_GEMM_WGMMA_TF32},
    {PLX_ON_NVIDIA, is_tf32, PLX_GEMM_MMA_SYNC_TF32},
    {PLX_ON_ANY, splits_in_two, PLX_GEMM_F16X3},
    {PLX_ON_ANY, splits_in_three, PLX_GEMM_BF16X6},
    {PLX_ON_CUDA_9, vector_pays, PLX_GEMM_MATVEC},
    {PLX_ON_CUDA_9, NULL, PLX_GEMM_WGMMA_PIPELINED},
    {PLX_ON_NVIDIA_OPENCL, NULL, PLX_GEMM_WGMMA_PIPELINED},
    {PLX_ON_NVIDIA, NULL, PLX_GEMM_MMA_SYNC},
    {PLX_ON_ANY, NULL, PLX_GEMM_TILE_1D},
    {PLX_ON_ANY, NULL, PLX_GEMM_SMEM_BLOCK},
    {PLX_ON_ANY, NULL, PLX_GEMM_NAIVE},
};

size_t plx_gemm_choose_units(const plx_problem *problem, const plx_device_info *device)
{
    size_t place = 0;
    if (has_models(problem, device) && find_least(problem, device, &place))
        return place;
    return plx_prefer(preferences, sizeof preferences / sizeof preferences[0], plx_gemm_ladder.rows, problem, device);
}
