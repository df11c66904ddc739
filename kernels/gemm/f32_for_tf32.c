/* f32-for-tf32: whoever asks for TF32 allows f32's product to be less exact, not that it takes longer.  Where
 * reading operands is what takes time, kernels of plain f32 for few rows, columns or terms are faster than tiles
 * of the matrix units, and lose no digits. */
#include "f32_for_tf32.h"

#include "choose.h"
#include "kernels/operation.h"
#include "wgmma.h"

#include <stdio.h>

static plx_problem in_f32(const plx_problem *problem)
{
    plx_problem plain = *problem;
    plain.compute = PLX_COMPUTE_PLAIN;
    plain.config = 0;
    return plain;
}

static const plx_row *row_of(const plx_problem *plain, const plx_device_info *device)
{
    return &plx_gemm_ladder.rows[plx_gemm_choose(plain, device)];
}

static plx_status recipe_of(const plx_problem *problem, const plx_device_info *device, bool unaligned,
                            plx_recipe *recipe, plx_error *error)
{
    const plx_status status = plx_needs_mma_sync(device, error);
    if (status != PLX_OK)
        return status;
    if (problem->dtype != PLX_F32 || problem->compute != PLX_COMPUTE_TF32)
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f32 that is asked for as TF32 alone");
    const plx_problem plain = in_f32(problem);
    const plx_row *row = row_of(&plain, device);
    plx_recipe_function *write = unaligned ? row->recipe_unaligned : row->recipe;
    if (write == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s does not take operands that begin anywhere", row->about.name);
    const plx_status written = plx_recipe_write(row, write, &plain, device, recipe, error);
    if (written == PLX_OK && recipe->code[0] == '\0')
        (void)snprintf(recipe->code, sizeof recipe->code, "%s/%s", plx_ladder_name(PLX_GEMM), row->about.name);
    return written;
}

plx_status plx_f32_for_tf32_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    return recipe_of(problem, device, false, recipe, error);
}

plx_status plx_f32_for_tf32_recipe_unaligned(const plx_problem *problem, const plx_device_info *device,
                                             plx_recipe *recipe, plx_error *error)
{
    return recipe_of(problem, device, true, recipe, error);
}

bool plx_f32_for_tf32_pays(const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem plain = in_f32(problem);
    return problem->compute == PLX_COMPUTE_TF32 &&
           plx_gemm_modelled_us(&plain, device) < plx_wgmma_us(PLX_WGMMA_TF32, problem, device);
}

int64_t plx_f32_for_tf32_depth(const plx_problem *problem, const plx_device_info *device)
{
    const plx_problem plain = in_f32(problem);
    return row_of(&plain, device)->about.depth(&plain, device);
}
