/* Depth: how many roundings a term of a product meets, of every schedule.  The judge's bounds stand on it
 * (doc/validation.md). */
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/common/tiles.h"
#include "gemm/device/tensor/mma-direct.h"
#include "gemm/device/tensor/wgmma-narrow.h"
#include "kernels/arithmetic.h"
#include "plan.h"

#include "../launch/simt.h"
#include "../launch/tensor.h"

#include <math.h>

/* ---- f32: terms one after the other, then partitions --------------------------------------- */

/* A partition's terms one after the other, then its cluster's partitions, then the clusters. */
int64_t plx_gemm_cp_async_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t parts = (int64_t)schedule->cluster_k * schedule->split_k;
    const int64_t longest = quotient_up(plx_gemm_k_tiles(problem), parts) * GEMM_PIPELINE_DEPTH;
    (void)device;
    return smaller(longest, problem->of.gemm.k) + schedule->cluster_k - 1 + schedule->split_k - 1;
}

/* A thread's share, chunk by chunk; then those of the threads that have the same columns. */
static int64_t skinny_share(int64_t k, bool along)
{
    int64_t sharers = along ? 32 : GEMM_FEW_THREADS / 32, chunks = k / GEMM_FEW_CHUNK, rest = k % GEMM_FEW_CHUNK;
    int64_t depth = chunks * (GEMM_FEW_CHUNK / sharers) + quotient_up(rest, sharers) + (along ? 5 : 3);
    return depth < k ? depth : k;
}

/* As cp.async's; by the deeper way where there are edges. */
int64_t plx_gemm_split_k_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t of_tiles = plx_gemm_cp_async_depth(problem, device, schedule);
    return schedule->edge_ctas > 0 ? larger(of_tiles, skinny_share(problem->of.gemm.k, false)) : of_tiles;
}

int64_t plx_gemm_skinny_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_gemm_skinny f = plx_gemm_skinny_of(problem);
    const plx_gemm_skinny_parts parts = plx_gemm_skinny_in(&f, schedule->split_k);
    (void)device;
    return smaller(skinny_share(parts.length, f.along) + parts.parts - 1, f.k);
}

/* The terms of a tile one after the other; or those of its longest piece, then its pieces. */
int64_t plx_gemm_stream_k_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0 || !plx_gemm_has_terms(problem))
        return p->k;
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(schedule, device);
    const plx_gemm_stream s = plx_gemm_stream_of(problem, device, &tiling);
    const int64_t longest = s.base + (s.longer > 0);
    if (s.whole > 0 || longest >= s.steps || s.ranges == 0)
        return p->k;
    const int64_t most_pieces = quotient_up(s.steps - 1, s.base) + 1;
    return smaller(p->k, longest * GEMM_PIPELINE_DEPTH + most_pieces - 1);
}

int64_t plx_gemm_matvec_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_gemm_vector product = plx_gemm_vector_of(problem);
    return plx_matvec_ladder.rows[schedule->tile].about.depth(&product.problem, device);
}

/* ---- f64 on the tensor cores ------------------------------------------------------------------ */

/* They add the products of k one after the other; where every tile is divided, a term meets those of its part, and then
 * the other parts. */
int64_t plx_dmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t k = problem->of.gemm.k;
    const plx_gemm_work work = plx_dmma_tiling_by(problem, device, schedule).work;
    if (work.whole > 0 || work.parts == 1)
        return k;
    return smaller(k, quotient_up(plx_dmma_k_tiles(problem), work.parts) * GEMM_DMMA_DEPTH + work.parts - 1);
}

/* ---- f16, bf16 and TF32 on the tensor cores ------------------------------------------------------ */

/* What the units add at a time is a sum of 8 products or more with what was there before: each of these 9
 * loses less than u of the largest when it is aligned to that one, and the result less than 2 u when it is
 * cut off. */
enum { AT_A_TIME = 8, LOST_AT_A_TIME = AT_A_TIME + 1 + 2 };

static int64_t depth_of_terms(int64_t terms)
{
    return quotient_up(terms, AT_A_TIME) * LOST_AT_A_TIME;
}

int64_t plx_units_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return depth_of_terms(problem->of.gemm.k);
}

/* A tile that is divided is added up from its parts, each rounded once more. */
int64_t plx_wgmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    if (schedule->split_k <= 1)
        return plx_units_depth(problem, device);
    const plx_gemm_work work = plx_wgmma_tiling_by(problem, device, schedule).work;
    const int64_t longest = quotient_up(plx_units_k_tiles(problem), work.parts) * plx_units_depth_of_k_tile(problem);
    return (work.whole > 0 ? plx_units_depth(problem, device) : depth_of_terms(longest)) + work.parts - 1;
}

/* Of parts, or blocks, that have equal shares of k. */
static int64_t depth_of_share(const plx_problem *problem, const plx_device_info *device, int64_t shares)
{
    return shares > 1 ? depth_of_terms(quotient_up(plx_units_k_tiles(problem), shares) * GEMM_UNITS_DEPTH)
                      : plx_units_depth(problem, device);
}

/* Parts are added one after the other, and so are ranges. */
int64_t plx_elected_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t shares = larger(larger(schedule->cluster_k, schedule->split_k), 1);
    return depth_of_share(problem, device, shares) + shares - 1;
}

/* Parts are added by so many warps, each every so many, and then their sums. */
static int64_t depth_of_adding(int64_t parts, int64_t adders)
{
    return quotient_up(parts, adders) - 1 + smaller(parts, adders) - 1;
}

int64_t plx_gemm_direct_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    return depth_of_share(problem, device, schedule->split_k) +
           (schedule->split_k > 1 ? depth_of_adding(schedule->split_k, GEMM_DIRECT_ADDERS) : 0);
}

int64_t plx_gemm_narrow_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const plx_narrow_product of = plx_narrow_product_of(problem);
    plx_narrow_tiling tiling = {.blocks = 1, .work = {.parts = 1}};
    (void)plx_narrow_tiling_by(&of, device, schedule, &tiling);
    if (tiling.work.parts == 1)
        return depth_of_share(problem, device, tiling.blocks) + tiling.blocks - 1;
    return depth_of_share(problem, device, tiling.work.whole > 0 ? 1 : tiling.work.parts) +
           depth_of_adding(tiling.work.parts, GEMM_NARROW_ADDERS);
}

/* ---- f32 as planes of 16 bits ---------------------------------------------------------------------- */

static int64_t at_least(double own, int64_t k)
{
    return ceil(own) > (double)k ? (int64_t)ceil(own) : k;
}

/* The deepest of the three ways that a product may take. */
int64_t plx_f16x3_depth(const plx_problem *problem, const plx_device_info *device)
{
    const double k = (double)problem->of.gemm.k, share = plx_f16x3_share(problem->of.gemm.k);
    (void)device;
    return at_least(fmax(plx_f16x3_depth_of_halves(k, share), plx_f16x3_depth_of_thirds(k)), problem->of.gemm.k);
}

int64_t plx_bf16x6_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return at_least(plx_f16x3_depth_of_thirds((double)problem->of.gemm.k), problem->of.gemm.k);
}
