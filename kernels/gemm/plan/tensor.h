/* What the costs of the tensor cores' kernels have in common. */
#ifndef PLX_KERNELS_GEMM_PLAN_TENSOR_H
#define PLX_KERNELS_GEMM_PLAN_TENSOR_H

#include "../launch/tensor.h"
#include "family.h"

/* Of memory: bytes in a microsecond, where the device has more than 100 GiB of it and where it has less, for an H100
 * has less of that than those with more; of a kernel that waits for it, its begin, and what is seen of what it does
 * besides; and more of a launch after another in OpenCL, where none begins early. */
#define PLX_TENSOR_RATES(X)        \
    X(large_memory_rate, 5e5, 5e7) \
    X(small_memory_rate, 5e5, 5e7) \
    X(begin_us, 0.1, 20)           \
    X(seen, 0.01, 1)               \
    X(late_us, 0.1, 20)
typedef struct plx_tensor_rates {
    PLX_TENSOR_RATES(PLX_GEMM_FIELD)
} plx_tensor_rates;

static inline double plx_tensor_memory_rate(const plx_device_info *device, const plx_tensor_rates *by)
{
    return device->memory_bytes > UINT64_C(100) << 30 ? by->large_memory_rate : by->small_memory_rate;
}

/* More of a launch after another. */
static inline double plx_tensor_late_us(const plx_device_info *device, const plx_tensor_rates *by)
{
    return device->features & PLX_FEATURE_NVIDIA_PTX ? by->late_us : 0;
}

/* Of a product of 16 bits by a model that knows nothing of memory's rate: none takes less than to bring its operands,
 * and a part of what it takes else. */
static inline double plx_tensor_us_with_memory(const plx_problem *problem, const plx_device_info *device, double us,
                                               const plx_tensor_rates *by)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    const double waiting =
        by->begin_us + 2 * (m * k + n * k + m * n) / plx_tensor_memory_rate(device, by) + by->seen * us;
    return us > waiting ? us : waiting;
}

#define PLX_GEMM_TENSOR_RANGE(name, least, most) {"tensor." #name, least, most},

#endif
