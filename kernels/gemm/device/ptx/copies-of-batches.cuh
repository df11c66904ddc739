/* Bulk tensor copies of a batch's matrices: its maps have a third dimension, the problem.  For sm_90a alone. */
#pragma once

#include "copies.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Starts to bring the box at (x, y) of the problem's matrix. */
static __device__ __forceinline__ void start_box_of(uint32_t to, const TensorMap *map, int32_t x, int32_t y,
                                                    int32_t problem, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(problem), "r"(barrier)
                 : "memory");
}

/* The same for all blocks of the mask, by multicast. */
static __device__ __forceinline__ void start_box_of_for(uint32_t to, const TensorMap *map, int32_t x, int32_t y,
                                                        int32_t problem, uint32_t barrier, uint32_t mask)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(problem), "r"(barrier), "h"((uint16_t)mask)
                 : "memory");
}

/* Starts to write a box, as a group of its own. */
static __device__ __forceinline__ void start_store_of(const TensorMap *map, int32_t x, int32_t y, int32_t problem,
                                                      uint32_t from)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(x), "r"(y), "r"(problem), "r"(from)
                 : "memory");
}

#endif
