/* What the costs of the tensor cores' kernels have in common. */
#ifndef PLX_KERNELS_GEMM_PLAN_TENSOR_H
#define PLX_KERNELS_GEMM_PLAN_TENSOR_H

#include "../launch/tensor.h"
#include "family.h"

#include <math.h>

/* Of memory: bytes in a microsecond, where the device has more than 100 GiB of it and where it has less, for an H100
 * has less of that than those with more; more bytes of C, in those of 64 columns of a block's tile, where its rows are
 * no whole sectors; of a kernel that waits for memory, its begin, and what is seen of what it does besides; and more of
 * a launch after another in OpenCL, where none begins early. */
#define PLX_TENSOR_RATES(X)        \
    X(large_memory_rate, 5e5, 5e7) \
    X(small_memory_rate, 5e5, 5e7) \
    X(cut_sectors, 1e-3, 10)       \
    X(begin_us, 0.1, 20)           \
    X(seen, 0.01, 1)               \
    X(late_us, 0.1, 20)
typedef struct plx_tensor_rates {
    PLX_TENSOR_RATES(PLX_GEMM_FIELD)
} plx_tensor_rates;

static inline bool plx_tensor_is_large(const plx_device_info *device)
{
    return device->memory_bytes > UINT64_C(100) << 30;
}

static inline double plx_tensor_memory_rate(const plx_device_info *device, const plx_tensor_rates *by)
{
    return plx_tensor_is_large(device) ? by->large_memory_rate : by->small_memory_rate;
}

/* More of a launch after another. */
static inline double plx_tensor_late_us(const plx_device_info *device, const plx_tensor_rates *by)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX ? by->late_us : 0;
}

/* Bytes of C, and as many more as two blocks that are neighbours along its rows write of the same sectors: 32 bytes
 * that memory reads before it writes a part of them.  `cols` of C's columns are a block's. */
static inline double plx_tensor_bytes_of_c(const plx_problem *problem, double cols, const plx_tensor_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool are_cut = p->ldc % 8 == 0 && p->ldc * plx_units_bytes_of_result(problem) % 32 != 0;
    return (double)plx_units_bytes_of_result(problem) * (double)p->m * (double)p->n *
           (1 + (are_cut ? by->cut_sectors * 64 / cols : 0));
}

/* What multiplying takes, not less than what the limit of power leaves, whose root goes with what tiles overhang C:
 * `flops` of the product, and `overhanging` ones with those that tiles do besides. */
static inline double plx_tensor_us_with_power(double us, double flops, double overhanging, double flops_rate)
{
    const double least_us = sqrt(flops * overhanging) / flops_rate;
    const double share = least(us, least_us) / most(us, least_us);
    return most(us, least_us) * (1 + pow(share, 12) / 12);
}

/* Of multiplying and memory, which overlap the better the larger the norm is: 1, one after the other. */
static inline double plx_tensor_overlapped(double math, double memory, double norm)
{
    const double longer = most(math, memory), share = least(math, memory) / longer;
    return longer * pow(1 + pow(share, norm), 1 / norm);
}

/* Of a product of 16 bits by a model that knows nothing of memory's rate, in tiles of so many columns: none takes less
 * than to bring its operands, and a part of what it takes else. */
static inline double plx_tensor_us_with_memory(const plx_problem *problem, const plx_device_info *device, double us,
                                               double cols, const plx_tensor_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double bytes = 2 * ((double)p->m + (double)p->n) * (double)p->k + plx_tensor_bytes_of_c(problem, cols, by);
    const double waiting = by->begin_us + bytes / plx_tensor_memory_rate(device, by) + by->seen * us;
    return us > waiting ? us : waiting;
}

#define PLX_GEMM_TENSOR_RANGE(name, least, most) {"tensor." #name, least, most},

#endif
