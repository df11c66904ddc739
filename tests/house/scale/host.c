/* scale on the processor. */
#include "kernels/host.h"

static plx_status scale_run(const plx_problem *problem, void *const *at, plx_error *error)
{
    const struct plx_scale_problem *p = &problem->of.scale;
    (void)error;
    for (int64_t i = 0; i < p->n; i++) {
        if (problem->dtype == PLX_F32)
            ((float *)at[1])[i] = p->alpha == 0.0 ? 0.0f : (float)p->alpha * ((const float *)at[0])[i];
        else
            ((double *)at[1])[i] = p->alpha == 0.0 ? 0.0 : p->alpha * ((const double *)at[0])[i];
    }
    return PLX_OK;
}

static int64_t scale_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 1;
}

const host_kernel host_scale = {
    .about = {.name = "reference",
              .idea = "one element after the other",
              .gain = "none is meant",
              .limit = "one thread",
              .needs = "",
              .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64),
              .compute = PLX_COMPUTE_PLAIN,
              .accumulator_f32 = PLX_F32,
              .reproducibility = PLX_R0,
              .depth = scale_depth},
    .run = scale_run,
};
