/* Configurations of the products' kernels: numbers, lists, and those of the kernels that are cut alike. */
#include "configs.h"

#include "choose.h"
#include "cp_async.h"
#include "opencl.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- numbers --------------------------------------------------------------------- */

enum { BITS = 7 }; /* of each part of a number; one more says that it is one */

uint32_t plx_gemm_config_number(const plx_gemm_config *config)
{
    return UINT32_C(1) << 4 * BITS | config->edge_blocks << 3 * BITS | config->parts << 2 * BITS |
           config->cluster << BITS | config->tile;
}

static uint32_t part_of(uint32_t number, int which)
{
    return number >> which * BITS & ((UINT32_C(1) << BITS) - 1);
}

plx_gemm_config plx_gemm_config_of(const plx_problem *problem)
{
    const uint32_t number = problem->config;
    return (plx_gemm_config){part_of(number, 0), part_of(number, 1), part_of(number, 2), part_of(number, 3)};
}

/* ---- lists ------------------------------------------------------------------------ */

void plx_gemm_list(plx_gemm_listing *listing, const plx_gemm_config *config, double expected_us, const char *format,
                   ...)
{
    const uint32_t number = plx_gemm_config_number(config);
    const size_t place = number == listing->own ? 0 : ++listing->others;
    va_list arguments;

    ++listing->count;
    if (place >= listing->capacity)
        return;
    plx_config *made = &listing->configs[place];
    *made = (plx_config){.number = number, .expected_us = expected_us};
    va_start(arguments, format);
    (void)vsnprintf(made->name, sizeof made->name, format, arguments);
    va_end(arguments);
}

/* ---- tiles and parts ----------------------------------------------------------------- */

/* What a walk over the cuts of a kernel brings with it. */
typedef struct walk {
    plx_gemm_listing listing;
    const plx_problem *problem;
    const plx_device_info *device;
    const plx_gemm_tilings *cuts;
    uint32_t kernel;
} walk;

static plx_gemm_config config_of(const plx_gemm_tiling *cut, const plx_gemm_tile *tiles)
{
    return (plx_gemm_config){.tile = (uint32_t)(cut->tile - tiles),
                             .cluster = (uint32_t)cut->cluster,
                             .parts = (uint32_t)cut->clusters,
                             .edge_blocks = (uint32_t)cut->edge_blocks};
}

/* A device may have no room for a tile of OpenCL's. */
static bool fits(const walk *w, const plx_gemm_config *config)
{
    plx_problem problem = *w->problem;
    plx_recipe recipe;
    plx_error error;
    problem.config = plx_gemm_config_number(config);
    return !plx_gemm_is_opencl(w->device) ||
           plx_recipe_write(&plx_gemm_ladder.rows[w->kernel], false, &problem, w->device, &recipe, &error) == PLX_OK;
}

/* "128x64/3x4+16": the tile, three times clusters of four parts, sixteen blocks for edges. */
static void visit(void *data, const plx_gemm_tiling *cut)
{
    walk *w = data;
    const plx_gemm_config config = config_of(cut, w->cuts->tiles);
    char parts[24] = "", edges[16] = "";

    if (!fits(w, &config))
        return;
    if (cut->cluster > 1)
        (void)snprintf(parts, sizeof parts, "/%dx%d", cut->clusters, cut->cluster);
    else if (cut->clusters > 1)
        (void)snprintf(parts, sizeof parts, "/%d", cut->clusters);
    if (cut->edge_blocks > 0)
        (void)snprintf(edges, sizeof edges, "+%d", cut->edge_blocks);
    plx_gemm_list(&w->listing, &config, w->cuts->cost != NULL ? w->cuts->cost(w->problem, w->device, cut) : 0.0,
                  "%dx%d%s%s", cut->tile->rows, cut->tile->cols, parts, edges);
}

/* Where C has no element, or nothing is summed, there is nothing to cut. */
static bool has_work(const plx_problem *problem)
{
    return problem->of.gemm.m > 0 && problem->of.gemm.n > 0 && plx_gemm_has_terms(problem);
}

static size_t configs_of(const plx_gemm_tilings *cuts, uint32_t kernel, const plx_problem *problem,
                         const plx_device_info *device, plx_config *configs, size_t capacity)
{
    if (!has_work(problem))
        return 0;
    const plx_gemm_tiling own = plx_gemm_best_tiling(cuts, problem, device);
    const plx_gemm_config config = config_of(&own, cuts->tiles);
    walk w = {{configs, capacity, .own = plx_gemm_config_number(&config)}, problem, device, cuts, kernel};
    plx_gemm_each_tiling(cuts, problem, visit, &w);
    return w.listing.count;
}

size_t plx_gemm_split_k_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                size_t capacity)
{
    return configs_of(plx_gemm_split_k_tilings(device), PLX_GEMM_SPLIT_K, problem, device, configs, capacity);
}

size_t plx_gemm_async_copy_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                   size_t capacity)
{
    return configs_of(plx_gemm_async_copy_tilings(device), PLX_GEMM_ASYNC_COPY, problem, device, configs, capacity);
}

size_t plx_gemm_many_blocks_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                                    size_t capacity)
{
    return configs_of(&plx_gemm_many_tilings, PLX_GEMM_MANY_BLOCKS, problem, device, configs, capacity);
}
