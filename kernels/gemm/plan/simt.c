/* What the costs of the kernels that multiply in plain f32 instructions have in common. */
#include "simt.h"

#include "../launch/operand.h"
#include "gemm/device/common/tiles.h"

double plx_gemm_of_rows(const double at_units_and_anywhere[2], double at_sectors, const plx_gemm_problem *p)
{
    return p->ldc % 8 == 0 ? at_sectors : at_units_and_anywhere[p->ldc % 4 != 0];
}

/* Parts lie in whole units. */
double plx_gemm_writing_us(const double at_units_and_anywhere[2], const plx_gemm_problem *p,
                           const plx_gemm_tiling *tiling)
{
    return tiling->clusters > 1
               ? 0.0
               : 4.0 * tiling->tile->rows * tiling->tile->cols * plx_gemm_of_rows(at_units_and_anywhere, 0.0, p);
}

double plx_gemm_adding_us(const plx_gemm_problem *p, const plx_gemm_tiling *tiling, const plx_gemm_adding *by)
{
    return tiling->clusters > 1 ? by->launch_us + by->part_us * tiling->clusters +
                                      8.0 * (double)p->m * (double)p->n * tiling->clusters / by->bytes_per_us
                                : 0.0;
}

double plx_gemm_adding_least(const plx_gemm_tiling *tiling, const plx_gemm_adding *by)
{
    return tiling->clusters > 1 ? by->least_us : 0.0;
}

double plx_gemm_moving_us(const plx_gemm_problem *p, const double counts[2], double bytes_per_us)
{
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    return 4.0 * (m * k + k * n + m * n * plx_gemm_of_rows(counts, 1.0, p)) / bytes_per_us;
}

static double packed_bytes(const plx_problem *problem)
{
    double bytes = 0.0;
    for (uint32_t operand = 0; operand < 2; ++operand) {
        const plx_gemm_operand s = plx_gemm_operand_as(problem, operand);
        if (!plx_gemm_steps_by_units(&s))
            bytes += 4.0 * (double)s.rows * (double)s.cols;
    }
    return bytes;
}

/* The same for all tilings.  Where operands begin is known only at the call: those whose rows step by units are
 * taken to begin so. */
double plx_gemm_packing_us(const plx_problem *problem, double launch_us, double bytes_per_us)
{
    const double bytes = packed_bytes(problem);
    return bytes > 0 ? launch_us + 2.0 * bytes / bytes_per_us : 0.0;
}

double plx_gemm_share_of_places(const plx_device_info *device, int cluster)
{
    static const struct {
        double of_4, of_8;
    } share = {
#include "rates/cuda-9.0/clusters.h"
    };
    if (plx_gemm_is_opencl(device))
        return 1.0;
    return cluster >= 8 ? share.of_8 : cluster >= 4 ? share.of_4 : 1.0;
}

double plx_gemm_k_tile_us(const plx_gemm_tiling *tiling)
{
    return (double)tiling->tile->rows * tiling->tile->cols * GEMM_PIPELINE_DEPTH / PLX_GEMM_FMA_PER_US;
}
