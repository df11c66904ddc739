/* The models of the products' times, and the rates that they stand on. */
#ifndef PLX_KERNELS_GEMM_MODELS_H
#define PLX_KERNELS_GEMM_MODELS_H

#include "enumerate.h"

extern const plx_time_model plx_gemm_split_k_model, plx_gemm_async_copy_model, plx_gemm_many_blocks_model,
    plx_gemm_short_k_model, plx_gemm_few_rows_model, plx_gemm_matvec_model;

/* ---- what models count with ---------------------------------------------------------------- */

#define PLX_GEMM_FMA_PER_US (128.0 * 1980) /* of a multiprocessor of compute capability 9.0 */

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Multiprocessors. */
static inline double units_of(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}

/* ---- rates ---------------------------------------------------------------------------------- */

/* What a rate is called, and may be. */
typedef struct plx_gemm_rate_range {
    const char *name;
    double least, most;
} plx_gemm_rate_range;

/* Of a kernel, in the order of the doubles of its rates: those of the kernel, then of each tile. */
typedef struct plx_gemm_rate_ranges {
    const plx_gemm_rate_range *scalars;
    size_t scalar_count;
    const plx_gemm_rate_range *of_tile;
    size_t of_tile_count, tiles;
} plx_gemm_rate_ranges;

/* As plx_time_model.rates does; `values` is a struct of doubles alone. */
size_t plx_gemm_list_rates(const plx_gemm_rate_ranges *ranges, const void *values, plx_rate *rates, size_t capacity);
/* The cut that the problem's configuration says, or the best; false: there is no such, or no model. */
bool plx_gemm_modelled_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem, const plx_device_info *device,
                              plx_gemm_tiling *cut);

#endif
