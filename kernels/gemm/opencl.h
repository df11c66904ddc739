/* bulk-pipeline, split-k and async-copy in OpenCL, which launches no clusters, and has tensor maps only where
 * device code can make them (tensor-map.clh): recipes, and what parts of k cost. */
#ifndef PLX_KERNELS_GEMM_OPENCL_H
#define PLX_KERNELS_GEMM_OPENCL_H

#include "enumerate.h"

/* Whether that is how this device is reached. */
bool plx_gemm_is_opencl(const plx_device_info *device);
/* Whether its compiler takes the inline PTX with which the pipeline runs by itself. */
bool plx_gemm_opencl_has_ptx(const plx_device_info *device);
/* Whether bulk-pipeline and split-k bring these operands there by maps after all, where they begin at
 * multiples of 16 bytes. */
bool plx_gemm_makes_maps(const plx_problem *problem, const plx_device_info *device);

/* Parts of k, of which `cluster` neighbouring ones are added first, then the `clusters` sums: whether there
 * is room for what they leave, and the microseconds that it takes to add them. */
bool plx_gemm_opencl_possible(const plx_problem *problem, const plx_gemm_tiling *cut);
double plx_gemm_opencl_joining(const plx_problem *problem, const plx_gemm_tiling *cut);

/* How split-k can be cut there. */
const plx_gemm_tilings *plx_gemm_opencl_split_k_tilings(const plx_device_info *device);

/* What bulk-pipeline, split-k and async-copy are there; with maps where `aligned` and plx_gemm_makes_maps().
 */
plx_status plx_gemm_opencl_recipe(const plx_problem *problem, const plx_device_info *device, const char *entry,
                                  const plx_gemm_tiling *cut, bool aligned, plx_recipe *recipe, plx_error *error);

#endif
