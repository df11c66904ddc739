/* What the models of the products' times have in common, and those without rates of their own. */
#include "models.h"

#include "configs.h"
#include "opencl.h"
#include "matvec.h"

#include <stdio.h>
#include <string.h>

/* ---- rates ------------------------------------------------------------------------------ */

static void fill(const plx_gemm_rate_ranges *ranges, size_t index, double value, plx_rate *rate)
{
    const bool scalar = index < ranges->scalar_count;
    const size_t behind = scalar ? 0 : index - ranges->scalar_count;
    const plx_gemm_rate_range *range =
        scalar ? &ranges->scalars[index] : &ranges->of_tile[behind % ranges->of_tile_count];
    *rate = (plx_rate){.value = value, .least = range->least, .most = range->most};
    if (scalar)
        (void)snprintf(rate->name, sizeof rate->name, "%s", range->name);
    else
        (void)snprintf(rate->name, sizeof rate->name, "tiles[%zu].%s", behind / ranges->of_tile_count, range->name);
}

size_t plx_gemm_list_rates(const plx_gemm_rate_ranges *ranges, const void *values, plx_rate *rates, size_t capacity)
{
    const size_t count = ranges->scalar_count + ranges->of_tile_count * ranges->tiles;
    for (size_t i = 0; i < count && i < capacity; ++i) {
        double value;
        memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
        fill(ranges, i, value, &rates[i]);
    }
    return count;
}

bool plx_gemm_modelled_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem, const plx_device_info *device,
                              plx_gemm_tiling *cut)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    const plx_gemm_problem *p = &problem->of.gemm;
    if (cuts->cost == NULL || p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return false;
    if (problem->config != 0 && (config.tile >= cuts->tile_count || config.cluster == 0 || config.parts == 0))
        return false;
    *cut = plx_gemm_best_tiling(cuts, problem, device);
    return cuts->possible(problem, cut);
}

/* ---- a model without rates that could be others -------------------------------------------- */

static double expect_matvec(const plx_problem *problem, const plx_device_info *device, const double *rates)
{
    (void)rates;
    return plx_gemm_matvec_cost(problem, device);
}

const plx_time_model plx_gemm_matvec_model = {.expect = expect_matvec};
