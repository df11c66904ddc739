/* The cost model: one sum of a product's times, and tables of the rates that these follow from. */
#ifndef PLX_KERNELS_GEMM_COST_H
#define PLX_KERNELS_GEMM_COST_H

#include "recipe.h"

/* ---- the model ---------------------------------------------------------------------------------------- */

/* Microseconds.  What a kernel spends on each follows from its schedule, and from its rates. */
typedef struct plx_gemm_terms {
    double launch;  /* until the first product, and what waves begin and end with */
    double math;    /* waves of work: what the multiprocessor with the most to do multiplies */
    double memory;  /* operands in, C out */
    double overlap; /* what is seen of the lesser of these two: 0 none, 1 all */
    double join;    /* to add what partitions of k have */
    double pack;    /* launches that copy operands to aligned rows */
    double least;   /* of the whole */
} plx_gemm_terms;

double plx_gemm_us(const plx_gemm_terms *terms);

/* ---- what terms are counted with ------------------------------------------------------------------------ */

#define PLX_GEMM_FMA_PER_US (128.0 * 1980) /* of a multiprocessor of compute capability 9.0 */

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Waves that are not whole count as whole. */
static inline double rounded_up(double waves)
{
    return (double)(int64_t)(waves + 0.999999);
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

/* What a rate is called, and may be. */
typedef struct plx_gemm_rate_range {
    const char *name;
    double least, most;
} plx_gemm_rate_range;

/* Of a kernel, in the order of the doubles of its rates: those of the kernel, then of each tile.  `own` is a struct of
 * doubles alone, which includes plan/rates/DEVICES/KERNEL.h: `parallax tune gemm --rates` writes that, and nobody
 * types. */
typedef struct plx_gemm_rates {
    const plx_gemm_rate_range *scalars;
    size_t scalar_count;
    const plx_gemm_rate_range *of_tile;
    size_t of_tile_count, tiles;
    const void *own;
} plx_gemm_rates;

#define PLX_GEMM_SCALARS(list) .scalars = list, .scalar_count = sizeof(list) / sizeof(list)[0]
#define PLX_GEMM_OF_TILE(list, count) .of_tile = list, .of_tile_count = sizeof(list) / sizeof(list)[0], .tiles = count

/* A list of rates, X(name, least, most), as fields of a struct and as ranges. */
#define PLX_GEMM_FIELD(name, least, most) double name;
#define PLX_GEMM_RANGE(name, least, most) {#name, least, most},

#endif
